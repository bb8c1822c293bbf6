/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/number_merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "inputs/inputs_add.h"
#include "inputs/inputs_output.h"
#include "inputs/inputs_removal.h"

/* ---- what src/inputs asks ---- */

static void show_input(void *merge, size_t i)
{
    struct number_merge *m = (struct number_merge *)merge;
    m->kept.data[i].code = m->inputs.list.data[i].code;
    m->kept.data[i].removed = m->inputs.list.data[i].removed;
}

static void show_counts(void *merge)
{
    struct number_merge *m = (struct number_merge *)merge;
    m->counts = m->inputs.counts;
}

static enum input_held how_held(const void *merge, size_t i, struct apf_error *why)
{
    const struct number_merge *m = (const struct number_merge *)merge;
    if (!m->lossy || m->kept.data[i].number != m->lossy)
        return m->lossy ? INPUT_HELD_UNKNOWN : INPUT_HELD;
    if (why)
        error_set_plain(why, APF_NOT_REMOVED, "input.remove", "a digit is left out");
    return INPUT_HELD_IN_PART;
}

static bool is_void(const void *merge)
{
    return ((const struct number_merge *)merge)->is_void;
}

int number_merge_open(struct number_merge *m, const struct number_options *o, struct apf_error *error)
{
    static const struct inputs_room room = {show_input, show_counts, how_held, is_void};
    memset(m, 0, sizeof *m);
    m->common = o->common;
    pthread_mutex_init(&m->lock, NULL);
    const struct inputs_setup setup = {.room = &room,
                                       .merge = m,
                                       .common = &m->common,
                                       .arena = &m->arena,
                                       .tolerance = o->tolerance,
                                       .output = o->output,
                                       .remove = o->remove,
                                       .read_again = false};
    return inputs_open(&m->inputs, &setup, error);
}

void number_merge_close(struct number_merge *m)
{
    inputs_close(&m->inputs);
    VEC_FREE(&m->kept);
    arena_free(&m->arena);
    pthread_mutex_destroy(&m->lock);
}

/* ---- adding ---- */

struct number_outcome {
    struct input_outcome common;
    char letter;
    uint64_t number;
};

/* Parses the bytes; *rest is what follows the digits. */
static int parse(const uint8_t *p, size_t n, struct number_outcome *out, size_t *rest)
{
    if (!n)
        return APF_EMPTY_PROFILE;
    if (n < 3 || p[0] < 'a' || p[0] > 'z' || p[1] != ' ')
        return APF_MALFORMED;
    size_t i = 2;
    for (out->number = 0; i < n && p[i] >= '0' && p[i] <= '9'; i++)
        out->number = 10 * out->number + (uint64_t)(p[i] - '0');
    out->letter = (char)p[0];
    *rest = n - i;
    return *rest == 0 ? APF_TRUNCATED : *rest == 1 && p[i] == '\n' ? APF_OK : APF_MALFORMED;
}

static void add_number(struct number_merge *m, struct number_outcome *out)
{
    struct input_outcome *common = &out->common;
    unsigned letter = (unsigned)(out->letter - 'a');
    pthread_mutex_lock(&m->lock);
    m->sums[letter] += out->number * common->weight;
    pthread_mutex_unlock(&m->lock);
    common->code = APF_OK;
    common->fate = INPUT_ADDED;
}

static void add(void *context, const struct input_task *task, struct input_outcome *common)
{
    struct number_merge *m = (struct number_merge *)context;
    struct number_outcome *out = (struct number_outcome *)common;
    size_t rest;
    if (m->fault == NUMBER_UNDECIDED && common->number >= m->faulty) {
        common->code = error_plain(&common->error, APF_LIMIT, "number", "input %zu", common->number);
        return;
    }
    common->code = parse(task->bytes->data, task->bytes->n, out, &rest);
    if (common->code == APF_OK) {
        add_number(m, out);
        return;
    }
    out->letter = '\0';
    error_set_plain(&common->error, common->code, "number", NULL);
    common->fate = INPUT_REFUSED;
}

static void salvage(void *context, const struct input_task *task, struct input_outcome *common)
{
    struct number_merge *m = (struct number_merge *)context;
    struct number_outcome *out = (struct number_outcome *)common;
    size_t rest;
    if (common->code == APF_TRUNCATED && parse(task->bytes->data, task->bytes->n, out, &rest))
        add_number(m, out);
}

static int commit(void *context, const struct apf_input *input, const struct input_outcome *common,
                  struct apf_error *error)
{
    struct number_merge *m = (struct number_merge *)context;
    const struct number_outcome *out = (const struct number_outcome *)common;
    struct kept_number kept = {out->letter, out->number, common->code, false};
    (void)input;
    if (m->fault == NUMBER_NO_COMMIT && common->number == m->faulty)
        return error_memory(error);
    if (!VEC_PUSH(&m->kept, kept))
        return error_memory(error);
    if (out->letter)
        m->votes[out->letter - 'a'] += inputs_removal_votes(&m->inputs, &common->file, common->weight);
    if (common->code != APF_OK || !common->error.code)
        return APF_OK;
    struct apf_error *damage = arena_alloc(&m->arena, sizeof *damage);
    if (!damage)
        return error_memory(error);
    *damage = common->error;
    file_error(damage, damage->code, input, common->number);
    m->inputs.list.data[common->number].damage = damage;
    m->n_salvaged++;
    return APF_OK;
}

static void *begin_thread(void *context, unsigned thread)
{
    struct number_merge *m = (struct number_merge *)context;
    void *memory = m->fault == NUMBER_NO_THREAD && thread == m->faulty ? NULL : malloc(1);
    m->n_begun += memory != NULL;
    return memory;
}

static void end_thread(void *context, unsigned thread, void *memory)
{
    struct number_merge *m = (struct number_merge *)context;
    (void)thread;
    m->n_ended++;
    free(memory);
}

/* Decides which letter is the result, and counts all inputs again. */
static int settle(struct number_merge *m, struct apf_error *error)
{
    int code = APF_OK;
    m->result = 0;
    for (unsigned i = 1; i < NUMBER_LETTERS; i++)
        if (m->votes[i] > m->votes[m->result])
            m->result = i;
    inputs_uncount(&m->inputs);
    for (size_t i = 0; code == APF_OK && i < m->kept.n; i++) {
        char letter = m->kept.data[i].letter;
        if (letter && letter != (char)('a' + m->result))
            code = inputs_reject(&m->inputs, i, APF_LEVEL_CONFLICT, error);
        else if (letter)
            inputs_accept(&m->inputs, i);
        if (code == APF_OK)
            inputs_count(&m->inputs, i);
    }
    return code;
}

int number_merge_add(struct number_merge *m, const struct apf_input *inputs, size_t n,
                     struct apf_error *error)
{
    const struct inputs_adder adder = {.context = m,
                                       .outcome_size = sizeof(struct number_outcome),
                                       .thread_begin = begin_thread,
                                       .thread_end = end_thread,
                                       .add = add,
                                       .salvage = salvage,
                                       .commit = commit};
    int code = inputs_check_whole(&m->inputs, error);
    if (code != APF_OK)
        return code;
    inputs_outdate(&m->inputs);
    code = inputs_add(&m->inputs, inputs, n, &adder, error);
    return code == APF_OK ? settle(m, error) : code;
}

int number_merge_file(struct number_merge *m, const char *path, struct apf_error *error)
{
    struct apf_input input = apf_input_file(path);
    return number_merge_add(m, &input, 1, error);
}

/* ---- writing ---- */

static int make(void *context, struct apf_error *error)
{
    (void)context;
    (void)error;
    return APF_OK;
}

static int write_number(void *context, struct file_out *out, struct apf_error *error)
{
    const struct number_merge *m = (const struct number_merge *)context;
    char text[40];
    int n = snprintf(text, sizeof text, "%c %llu\n", (char)('a' + m->result),
                     (unsigned long long)m->sums[m->result]);
    (void)error;
    file_out_write(out, text, (size_t)n);
    return APF_OK;
}

int number_merge_write(struct number_merge *m, const char *path, struct apf_error *error)
{
    const struct inputs_writer writer = {m, false, make, write_number};
    struct apf_output output = apf_output_file(path);
    return inputs_write(&m->inputs, &writer, &output, error);
}

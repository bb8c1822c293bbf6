/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/gcc/sample_gcc_write.h"

#include <stdlib.h>

#include "base/endian.h"
#include "base/error.h"
#include "base/sort.h"
#include "sample/gcc/gcc_form.h"
#include "sample/model/sample_summary.h"

struct writer {
    const struct apf_sample *s; /* the form of the layout */
    const struct gcc_layout *layout;
    struct file_out *out;
    struct apf_error *error;
    bool swap;
};

static bool layout_has(const struct writer *w, uint32_t cap)
{
    return (w->layout->caps & cap) != 0;
}

/* ---- words ---- */

static inline uint8_t *store_word(const struct writer *w, uint8_t *p, uint32_t v)
{
    store32(p, v, w->swap);
    return p + 4;
}

/* A number is two words, the lower one first. */
static inline uint8_t *store_counter(const struct writer *w, uint8_t *p, uint64_t v)
{
    return store_word(w, store_word(w, p, (uint32_t)v), (uint32_t)(v >> 32));
}

static void append_words(const struct writer *w, const uint32_t *words, size_t n)
{
    uint8_t *p = file_out_room(w->out, n * sizeof *words);
    for (size_t i = 0; i < n; i++)
        p = store_word(w, p, words[i]);
    w->out->p = p;
}

static void append_word(const struct writer *w, uint32_t v)
{
    append_words(w, &v, 1);
}

static void append_counter(const struct writer *w, uint64_t v)
{
    w->out->p = store_counter(w, file_out_room(w->out, 8), v);
}

static void append_string(const struct writer *w, struct apf_str text)
{
    static const char zeros[4];
    bool bytes = layout_has(w, GCC_CAP_BYTE_STRINGS);
    append_word(w, (uint32_t)(bytes ? text.n + 1 : text.n / 4 + 1));
    (void)file_out_write(w->out, text.p, text.n);
    (void)file_out_write(w->out, zeros, bytes ? 1 : 4 - text.n % 4);
}

/* ---- sections ---- */

static int append_summary(const struct writer *w)
{
    struct sample_summary summary;
    struct arena arena = {0};
    int code = sample_summary_compute(w->s, sample_cutoffs, SAMPLE_N_CUTOFFS, &arena, &summary, w->error);
    if (code == APF_OK) {
        append_word(w, GCC_TAG_SUMMARY);
        append_counter(w, summary.total);
        append_counter(w, summary.max_count);
        append_counter(w, summary.max_head);
        append_counter(w, summary.n_counts);
        append_counter(w, summary.n_functions);
        append_counter(w, summary.n_rows);
        for (size_t i = 0; i < summary.n_rows; i++) {
            append_word(w, (uint32_t)summary.rows[i].cutoff);
            append_counter(w, summary.rows[i].min_count);
            append_counter(w, summary.rows[i].n_counts);
        }
    }
    arena_free(&arena);
    return code;
}

/* Lengths of sections, in words, are create_gcov's, which neglect files and times, and strings of bytes. */
static void append_names(const struct writer *w)
{
    const struct sample_names *names = &w->s->names;
    uint64_t length = 1;
    for (size_t i = 0; i < names->list.n; i++)
        length += 1 + names->list.data[i].n / 4 + 1;
    append_word(w, GCC_TAG_NAMES);
    append_word(w, (uint32_t)length);
    if (layout_has(w, GCC_CAP_FILES)) {
        append_word(w, (uint32_t)names->files.list.n);
        for (size_t i = 0; i < names->files.list.n; i++)
            append_string(w, names->files.list.data[i]);
    }
    append_word(w, (uint32_t)names->list.n);
    for (size_t i = 0; i < names->list.n; i++) {
        uint32_t file = names->list.data[i].file;
        append_string(w, sample_names_text(names, (uint32_t)i));
        if (layout_has(w, GCC_CAP_FILES))
            append_word(w, file == SAMPLE_NONE ? GCC_NO_FILE : file);
    }
}

static uint32_t file_place(uint64_t at)
{
    return sample_place_line(at) << 16 | sample_place_discriminator(at);
}

/* Appends a node but for its calls. */
static void append_node(const struct writer *w, const struct sample_node *f)
{
    const uint32_t head[3] = {f->name, f->lines.n, f->callees.n};
    const struct sample_target *target = f->targets.data, *end = ENTRY_AT(target, f->targets.n);
    append_words(w, head, 3);
    for (uint32_t i = 0; i < f->lines.n; i++) {
        const struct sample_line *line = &f->lines.data[i];
        const struct sample_target *first = target;
        while (target != end && target->at == line->at)
            target++;
        uint8_t *p = file_out_room(w->out, GCC_LINE_BYTES);
        p = store_word(w, p, file_place(line->at));
        p = store_word(w, p, (uint32_t)(target - first));
        w->out->p = store_counter(w, p, line->count);
        for (; first != target; first++) {
            p = file_out_room(w->out, GCC_TARGET_BYTES);
            p = store_word(w, p, GCC_TARGETS_TYPE);
            p = store_counter(w, p, first->name);
            w->out->p = store_counter(w, p, first->count);
        }
    }
}

static int append_function(const struct writer *w, struct sample_walk *walk, uint32_t top)
{
    const struct sample_node *nodes = w->s->nodes.data;
    append_counter(w, nodes[top].head);
    if (layout_has(w, GCC_CAP_TIMES))
        append_counter(w, sample_first_time(&nodes[top]));
    append_node(w, &nodes[top]);
    sample_walk_begin(walk, w->s, top);
    for (;;) {
        bool more;
        int code = sample_walk_next(walk, &more, w->error);
        if (code != APF_OK || !more)
            return code;
        append_word(w, file_place(nodes[walk->node].at));
        append_node(w, &nodes[walk->node]);
    }
}

static uint64_t functions_length(const struct apf_sample *s)
{
    uint64_t length = 1 + 2 * (uint64_t)s->top.n;
    for (size_t i = 0; i < s->nodes.n; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        if (!(f->state & SAMPLE_GONE))
            length += 3 + 4 * (uint64_t)f->lines.n + f->callees.n + 5 * (uint64_t)f->targets.n;
    }
    return length;
}

/* Appends the functions in the order of their names, which are numbers in that order. */
static int append_functions(const struct writer *w)
{
    const struct apf_sample *s = w->s;
    size_t n = s->top.n;
    struct sample_walk walk = {0};
    struct sort_key *keys = malloc((2 * n + 1) * sizeof *keys);
    if (!keys)
        return error_memory(w->error);
    const uint32_t head[3] = {GCC_TAG_FUNCTIONS, (uint32_t)functions_length(s), (uint32_t)n};
    append_words(w, head, 3);
    for (size_t i = 0; i < n; i++) {
        struct sort_key key = {s->nodes.data[s->top.data[i]].name, s->top.data[i]};
        keys[i] = key;
    }
    sort_keys(keys, keys + n, n);
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++)
        code = append_function(w, &walk, (uint32_t)keys[i].value);
    sample_walk_free(&walk);
    free(keys);
    return code;
}

/* Appends the working sets: set k tells how many places, the hottest ones, have k + 1 of 129 equal shares of all
 * counts, and the smallest count among them. */
static int append_working_sets(const struct writer *w)
{
    const uint64_t shares = GCC_WORKING_SETS + 1;
    const struct apf_sample *s = w->s;
    size_t n = 0, taken = 0;
    for (size_t i = 0; i < s->nodes.n; i++)
        n += s->nodes.data[i].state & SAMPLE_GONE ? 0 : s->nodes.data[i].lines.n;
    uint64_t *counts = malloc((2 * n + 1) * sizeof *counts), total = 0, sum = 0, cut = 0;
    if (!counts)
        return error_memory(w->error);
    n = 0;
    for (size_t i = 0; i < s->nodes.n; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        for (uint32_t k = 0; !(f->state & SAMPLE_GONE) && k < f->lines.n; k++) {
            counts[n++] = f->lines.data[k].count;
            total = sample_sum(total, f->lines.data[k].count, 1, &cut);
        }
    }
    sort_numbers(counts, counts + n, n);
    const uint32_t head[2] = {GCC_TAG_WORKING_SET, GCC_WORKING_SETS * GCC_WORKING_SET_BYTES / 4};
    append_words(w, head, 2);
    for (uint64_t k = 1; k < shares; k++) {
        uint64_t wanted = total / shares * k + total % shares * k / shares;
        while (taken < n && (sum < wanted || (taken == 0 && total)))
            sum = sample_sum(sum, counts[n - ++taken], 1, &cut);
        append_word(w, taken < UINT32_MAX ? (uint32_t)taken : UINT32_MAX);
        append_counter(w, taken ? counts[n - taken] : 0);
    }
    free(counts);
    return APF_OK;
}

static int append_all(const struct writer *w)
{
    const uint32_t head[3] = {GCC_MAGIC, w->layout->word, 0};
    append_words(w, head, 3);
    int code = layout_has(w, GCC_CAP_SUMMARY) ? append_summary(w) : APF_OK;
    if (code != APF_OK)
        return code;
    append_names(w);
    code = append_functions(w);
    const uint32_t modules[3] = {GCC_TAG_MODULES, layout_has(w, GCC_CAP_OLD_MODULES) ? 1 : 0, 0};
    append_words(w, modules, 3);
    return code == APF_OK ? append_working_sets(w) : code;
}

int sample_gcc_write(const struct apf_sample *s, const struct sample_gcc_options *o, struct file_out *out,
                     struct sample_gcc_losses *losses, struct apf_error *error)
{
    static const struct sample_gcc_losses nothing;
    struct apf_sample *form;
    *losses = nothing;
    int code = gcc_form_make(s, o, &form, losses, error);
    if (code == APF_OK) {
        const struct writer w = {form, o->layout, out, error, o->big_endian != HOST_BIG_ENDIAN};
        code = append_all(&w);
    }
    sample_free(form);
    return code;
}

struct sample_gcc_options sample_gcc_options_for(const struct sample_release *release)
{
    struct sample_gcc_options o = {.layout = gcc_layout_named(sample_form_row(release->usual)->variant),
                                   .plain_lines = !(release->knows & SAMPLE_HAS_DISCRIMINATORS),
                                   .no_targets = !(release->knows & SAMPLE_HAS_TARGETS),
                                   .suffixes = release->suffixes,
                                   .constructors = true};
    return o;
}

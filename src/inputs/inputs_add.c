/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/inputs_add.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/pool.h"
#include "inputs/inputs_removal.h"

/* How many inputs are read ahead of a slow one: for each thread, and at least; and the approximate memory of their
 * outcomes. */
#define WINDOW_OF_THREAD 8u
#define LEAST_WINDOW 32u
#define WAITING_BYTES ((size_t)64 << 20)

struct thread_memory {
    struct file_bytes bytes; /* reused for every file that the thread reads */
    void *memory;            /* of the room */
};

/* One call of inputs_add. */
struct batch {
    struct inputs *in;
    const struct inputs_adder *adder;
    const struct apf_input *inputs;
    size_t n_inputs, first; /* first: number of inputs[0] among all that were given */
    uint64_t max_bytes;
    bool salvages;
    unsigned window;
    uint8_t *outcomes;    /* `window` outcomes of the room: input i uses outcome i % window */
    struct arena *arenas; /* of the outcomes */
    struct thread_memory *threads;
    unsigned n_threads, n_begun; /* n_begun: threads that have memory of the room */
    int code; /* of the first input in order that stops the call, or of a commit; with *error */
    struct apf_error *error;
    atomic_size_t waiting; /* bytes in the arenas of the outcomes */
    /* Progress of the call; the calling thread reports it. */
    atomic_size_t n_done, n_bad;
    atomic_uint_fast64_t bytes;
};

static struct input_outcome *outcome_at(const struct batch *b, size_t i)
{
    void *at = b->outcomes + i % b->window * b->adder->outcome_size;
    return at;
}

/* ---- one input, on any thread ---- */

/* Fills in what is known of an input before it is read. */
static bool look(struct file_bytes *f, const struct apf_input *input)
{
    f->identity = (struct file_identity){.regular = false};
    f->digest = (struct file_digest){0};
    f->stored = input->n;
    if (!input->path)
        return true;
    const bool found = file_look(&f->identity, input->path, true) == 0;
    f->stored = (size_t)f->identity.size;
    return found;
}

static void add_input(const struct batch *b, struct input_task *task, struct input_outcome *out)
{
    static const struct file_identity nothing;
    const struct inputs_adder *adder = b->adder;
    struct file_bytes *f = task->bytes;
    task->streamed = adder->streams && !f->want_digest && adder->streams(adder->context, task->input) &&
                     look(f, task->input);
    if (task->streamed) {
        f->n = 0;
    } else {
        out->code = file_read(f, task->input, b->max_bytes, &out->error);
    }
    out->file.identity = f->identity;
    out->file.digest = f->digest;
    if (inputs_removal_holds(b->in, task->input, &out->file))
        out->code = error_plain(&out->error, APF_ALREADY_MERGED, "output.journal",
                                "a merge that was interrupted has added it");
    if (out->code == APF_OK && !inputs_removal_reaches(b->in, task->input, &out->file)) {
        out->code = error_errno(&out->error, ENAMETOOLONG, "input.path");
        out->file.identity = nothing;
    }
    if (out->code == APF_OK)
        adder->add(adder->context, task, out);
    else
        out->fate = INPUT_REFUSED;
    if (out->fate == INPUT_REFUSED && out->code != APF_ALREADY_MERGED && b->salvages && !task->streamed)
        adder->salvage(adder->context, task, out);
}

static void run_task(void *context, size_t i, unsigned thread)
{
    struct batch *b = (struct batch *)context;
    struct thread_memory *t = &b->threads[thread];
    struct input_outcome *out = outcome_at(b, i);
    const struct apf_input *input = input_at(b->inputs, i);
    struct input_task task = {input, &t->bytes, t->memory, false, i + b->n_threads >= b->n_inputs};
    memset(out, 0, b->adder->outcome_size);
    out->number = b->first + i;
    out->weight = input->weight ? input->weight : 1;
    out->arena = &b->arenas[i % b->window];
    add_input(b, &task, out);
    atomic_fetch_add(&b->waiting, out->arena->used);
    atomic_fetch_add(&b->bytes, t->bytes.stored);
    if (out->code != APF_OK && out->code != APF_EMPTY_PROFILE && out->code != APF_ALREADY_MERGED)
        atomic_fetch_add(&b->n_bad, 1);
    atomic_fetch_add(&b->n_done, 1);
}

/* ---- commit ---- */

/* Copies the error of a refused input. */
static int keep_error(struct inputs *in, const struct apf_input *input, const struct input_outcome *out,
                      struct kept_input *kept, struct apf_error *error)
{
    struct apf_error *copy = arena_alloc(in->arena, sizeof *copy);
    if (!copy)
        return error_memory(error);
    *copy = out->error;
    file_error(copy, copy->code, input, in->list.n);
    kept->error = copy;
    return APF_OK;
}

/* Keeps the path of an input that can be read again. */
static int keep_path(struct inputs *in, const struct apf_input *input, struct kept_input *kept,
                     struct apf_error *error)
{
    kept->n_directory = input->n_directory;
    kept->path = input->name ? arena_text(in->arena, input->path, strlen(input->path)) : kept->name.p;
    return kept->path ? APF_OK : error_memory(error);
}

/* Appends an input, or member `out->member` of it, to the list. */
static int keep_input(struct inputs *in, const struct apf_input *input, const struct input_outcome *out,
                      struct apf_error *error)
{
    struct kept_input kept = {.code = out->code, .weight = out->weight, .n_inputs = 1};
    struct apf_str name = file_name(input);
    int code = APF_OK;
    if (out->members)
        kept = out->members[out->member];
    kept.member = out->members != NULL;
    if (!out->members || (kept.unnamed && !kept.name.n)) {
        kept.name.p = arena_text(in->arena, name.p, name.n);
        kept.name.n = name.n;
        code = kept.name.p ? APF_OK : error_memory(error);
    }
    if (code == APF_OK && !out->members && out->code != APF_OK)
        code = keep_error(in, input, out, &kept, error);
    bool stays = out->file.identity.regular && strcmp(input->path, "-") != 0; /* a pipe is read once */
    if (code == APF_OK && in->read_again && out->code == APF_OK && stays && !out->members)
        code = keep_path(in, input, &kept, error);
    if (out->members && out->member == 0 && out->n_members && out->slice.n <= 1)
        kept.n_members = out->n_members;
    if (code == APF_OK && (!out->members || kept.n_members))
        code = inputs_removal_keep(in, input, &out->file, out->code == APF_ALREADY_MERGED, &kept.file, error);
    if (code == APF_OK && !(VEC_RESERVE(&in->firsts, 1) && VEC_PUSH(&in->list, kept)))
        code = error_memory(error);
    if (code == APF_OK && out->member == 0)
        in->firsts.data[in->firsts.n++] = in->list.n - 1;
    return code;
}

static int report_refused(const struct inputs *in, struct apf_error *error)
{
    size_t number = in->list.n - 1;
    const struct kept_input *kept = &in->list.data[number];
    bool harmless = kept->code == APF_EMPTY_PROFILE || kept->code == APF_ALREADY_MERGED;
    uint32_t severity = harmless ? APF_SEVERITY_NOTE : APF_SEVERITY_ERROR;
    struct apf_diag d = {severity, kept->code, number, kept->name, {NULL, 0}, 0, kept->error};
    return kept->code == APF_OK ? APF_OK : error_report_diag(in->common->diag, in->common->user, &d, error);
}

static int commit_member(struct batch *b, const struct apf_input *input, const struct input_outcome *out)
{
    int code = keep_input(b->in, input, out, b->error);
    if (code != APF_OK)
        return code;
    code = b->adder->commit(b->adder->context, input, out, b->error);
    if (code != APF_OK) { /* the room may have no data of it */
        b->in->list.n--;
        b->in->firsts.n -= out->member == 0;
    }
    return code == APF_OK ? report_refused(b->in, b->error) : code;
}

static int wrong_slice(const struct inputs_slices *s, struct apf_error *error)
{
    return error_plain(error, APF_ARGUMENT, "merge.slice",
                       "slice %u of %u of a partial profile is missing: they are an input together",
                       s->next.number, s->next.n);
}

/* Whether an input is the slice that is awaited, if one is. */
static int check_slice(const struct batch *b, const struct apf_input *input, const struct input_outcome *out)
{
    const struct inputs_slices *s = &b->in->slices;
    const bool awaited = s->next.n != 0;
    if (out->slice.n > 1 && b->in->removal && b->in->removal->remove)
        return error_plain(b->error, APF_ARGUMENT, "merge.slice",
                           "inputs are removed: a partial profile in slices cannot be");
    if (awaited && out->fate == INPUT_REFUSED) {
        if (b->error) {
            *b->error = out->error;
            file_error(b->error, out->code, input, b->in->list.n);
        }
        return out->code;
    }
    if (!awaited && out->slice.number == 0)
        return APF_OK;
    if (!awaited)
        return error_plain(b->error, APF_ARGUMENT, "merge.slice",
                           "it is slice %u of %u of a partial profile, and those before it are missing",
                           out->slice.number, out->slice.n);
    return out->slice.number == s->next.number && out->slice.n == s->next.n && out->n_members == s->n_members
               ? APF_OK
               : wrong_slice(s, b->error);
}

/* Commits a slice of the partial profile that was committed before. */
static int commit_slice(struct batch *b, const struct apf_input *input, const struct input_outcome *out)
{
    struct inputs *in = b->in;
    if (!VEC_PUSH(&in->firsts, in->slices.first))
        return error_memory(b->error);
    return b->adder->commit(b->adder->context, input, out, b->error);
}

static int commit_input(struct batch *b, const struct apf_input *input, struct input_outcome *out)
{
    struct inputs_slices *s = &b->in->slices;
    int code = check_slice(b, input, out);
    if (code == APF_OK && out->slice.number)
        code = commit_slice(b, input, out);
    else if (code == APF_OK)
        code = commit_member(b, input, out);
    for (out->member = 1; code == APF_OK && !out->slice.number && out->member < out->n_members; out->member++)
        code = commit_member(b, input, out);
    if (code == APF_OK && out->slice.n > 1 && out->slice.number == 0)
        *s = (struct inputs_slices){
            {0, out->slice.n}, b->in->firsts.data[b->in->firsts.n - 1], out->n_members};
    if (s->next.n && ++s->next.number == s->next.n)
        s->next.n = 0;
    return code;
}

/* A beat of the pulse. */
static int report_progress(void *context)
{
    struct batch *b = (struct batch *)context;
    const struct apf_options *o = b->in->common;
    struct apf_progress *p = &b->in->progress;
    *p = (struct apf_progress){atomic_load(&b->n_done), b->n_inputs, atomic_load(&b->n_bad),
                               atomic_load(&b->bytes)};
    return o->progress ? o->progress(o->progress_user, p) : 0;
}

/* Whether a failure concerns more than this input, so that the merge cannot go on. */
static bool is_fatal(const struct input_outcome *out)
{
    return out->fate == INPUT_UNDECIDED || out->code == APF_NO_MEMORY || out->code == APF_STOPPED;
}

static bool commit_task(void *context, size_t i)
{
    struct batch *b = (struct batch *)context;
    struct input_outcome *out = outcome_at(b, i);
    if (is_fatal(out)) {
        const struct apf_str name = file_name(input_at(b->inputs, i));
        if (b->error)
            *b->error = out->error;
        b->code = error_file(b->error, out->code, name.p, name.n);
    } else {
        b->code = commit_input(b, input_at(b->inputs, i), out);
    }
    atomic_fetch_sub(&b->waiting, out->arena->used);
    arena_free(out->arena);
    if (b->code == APF_OK && report_progress(b) != 0) {
        atomic_store(&b->in->pulse.stopped, true);
        b->code = pulse_error(b->error);
    }
    return b->code == APF_OK;
}

/* While the other threads work. */
static bool goes_on(void *context)
{
    struct batch *b = (struct batch *)context;
    if (!pulse_look(&b->in->pulse))
        return true;
    b->code = pulse_error(b->error);
    return false;
}

/* ---- all of them ---- */

static bool is_full(void *context)
{
    const struct batch *b = (const struct batch *)context;
    return atomic_load(&b->waiting) > WAITING_BYTES;
}

static int start_threads(struct batch *b)
{
    const struct inputs_adder *adder = b->adder;
    b->outcomes = calloc(b->window, adder->outcome_size);
    b->arenas = calloc(b->window, sizeof *b->arenas);
    b->threads = calloc(b->n_threads, sizeof *b->threads);
    bool ok = b->outcomes && b->arenas && b->threads;
    while (ok && b->n_begun < b->n_threads) {
        struct thread_memory *t = &b->threads[b->n_begun];
        t->bytes.pulse = &b->in->pulse;
        t->bytes.want_digest = inputs_removal_digests(b->in);
        t->memory = adder->thread_begin(adder->context, b->n_begun);
        ok = t->memory != NULL;
        b->n_begun += ok;
    }
    return ok ? APF_OK : error_memory(b->error);
}

static void end_threads(struct batch *b)
{
    for (unsigned i = 0; i < b->n_begun; i++) {
        file_bytes_free(&b->threads[i].bytes);
        b->adder->thread_end(b->adder->context, i, b->threads[i].memory);
    }
    for (unsigned i = 0; b->arenas && i < b->window; i++)
        arena_free(&b->arenas[i]);
    free(b->threads);
    free(b->arenas);
    free(b->outcomes);
}

static int add_all(struct batch *b)
{
    b->window = WINDOW_OF_THREAD * b->n_threads;
    if (b->window < LEAST_WINDOW)
        b->window = LEAST_WINDOW;
    const struct pool_queue queue = {run_task, commit_task, is_full, b, b->window, goes_on};
    int code = start_threads(b);
    if (code == APF_OK && !pool_run_queue(b->n_threads, b->n_inputs, &queue))
        code = error_memory(b->error);
    end_threads(b);
    return code == APF_OK ? b->code : code;
}

int inputs_add(struct inputs *in, const struct apf_input *inputs, size_t n, const struct inputs_adder *adder,
               struct apf_error *error)
{
    struct batch b = {.in = in,
                      .adder = adder,
                      .inputs = inputs,
                      .n_inputs = n,
                      .first = in->firsts.n,
                      .max_bytes = options_max_bytes(in->common),
                      .salvages = adder->salvage && in->common->flags & APF_FLAG_SALVAGE,
                      .n_threads = pool_threads(in->common->threads, n),
                      .error = error};
    int code = inputs_removal_check(in, inputs, n, error);
    if (code == APF_OK && !VEC_RESERVE(&in->list, n))
        code = error_memory(error);
    pulse_begin(&in->pulse, report_progress, &b);
    if (code == APF_OK && n)
        code = add_all(&b);
    pulse_end(&in->pulse);
    if (code == APF_OK && in->slices.next.n)
        code = wrong_slice(&in->slices, error);
    in->broken |= code != APF_OK;
    return code;
}

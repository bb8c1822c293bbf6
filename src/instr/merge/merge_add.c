/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds inputs to a merge: read and summed on any thread, then committed in input order. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/pool.h"
#include "instr/memprof/memprof_merge.h"
#include "instr/merge/merge_outcome.h"
#include "instr/raw/raw_profile.h"
#include "instr/read/formats.h"
#include "instr/read/salvage.h"

/* Memory that a thread reuses for every file it reads. */
struct thread_memory {
    struct file_bytes bytes;
    struct shape_scratch *scratch;
    /* Arrays that the table of sums adopted stay in profile->arena; names that the merge adopted, in
     * profile->symbols.text. */
    struct apf_instr *profile;
    bool keeps_arrays, keeps_names; /* whether any are adopted */
    bool on_last_file;              /* probably: no input is left that another thread has not begun */
};

/* The outcome of an input until it is committed, and its memory. */
struct slot {
    struct outcome outcome;
    struct arena arena;
};

/* The state of a thread's arenas before a file. */
struct thread_mark {
    struct arena_mark arrays, names;
};

/* One call of apf_merge_add. */
struct batch {
    struct apf_merge *merge;
    const struct apf_input *inputs;
    size_t n_inputs, first; /* first: number of inputs[0] in the merge */
    struct slot *slots;     /* WINDOW slots: input i uses slot i % WINDOW */
    struct thread_memory *threads;
    unsigned n_threads;
    bool learn; /* the fast path: there is more than one input, so files of one binary may follow */
    int code;   /* of the first input in order that stops the merge, or of a commit; with *error */
    struct apf_error *error;
    atomic_size_t waiting; /* bytes in the arenas of the slots */
    /* Progress of the call; the calling thread reports it. */
    atomic_size_t n_done, n_bad;
    atomic_uint_fast64_t bytes;
};

/* ---- one input, on any thread ---- */

/* Adds a raw file by known shapes, if it has them. */
static int add_by_shape(struct batch *b, struct merge_class *c, const struct file_bytes *f, unsigned thread,
                        struct outcome *out)
{
    bool added = false;
    struct shape_added got = {0};
    got.ids.arena = out->arena;
    got.max_records = b->merge->read.max_records;
    got.input = out->input;
    int code = shapes_add(c->shapes, b->threads[thread].scratch, f->data, f->n, out->result.weight, &got,
                          &added, &out->error);
    if (code == APF_OK && added)
        code = outcome_copy_fast(out, &got);
    VEC_FREE(&got.seen.list);
    VEC_FREE(&got.ids.ids);
    return code;
}

/* The size of the arrays of a record that the table of sums could adopt. */
static uint64_t bytes_of(const struct record *r)
{
    uint64_t bytes = 8 * (uint64_t)r->n_counts + r->n_bitmap;
    size_t n = r->sites ? record_site_count(r) : 0;
    for (size_t i = 0; i < n; i++)
        bytes += sizeof *r->sites + r->sites[i].n * sizeof *r->sites[i].values;
    return bytes;
}

/* Whether most of a profile belongs to functions that no earlier input had. Weights other than 1 would change the
 * arrays, which are still needed. */
static bool worth_keeping(const struct apf_instr *instr, const struct merge_names *map, uint64_t weight)
{
    uint64_t all = 0, new = 0;
    for (size_t i = 0; weight == 1 && i < instr->records.n; i++) {
        const struct record *r = &instr->records.data[i];
        uint64_t bytes = bytes_of(r);
        all += bytes;
        if (r->symbol != HASH_INDEX_NONE && map->numbers[r->symbol] >= map->first_new)
            new += bytes;
    }
    for (size_t i = 0; i < instr->info.n_traces; i++)
        all += instr->info.traces[i].n * sizeof *instr->info.traces[i].ids;
    return new && new >= all - all / 4;
}

/* Adds the records to the table of sums, which adopts the profile's arrays if that pays: *kept. The memory of the
 * file's bytes, whose pages are there already, then serves the sums. */
static int add_sums(struct merge_class *c, struct thread_memory *t, const struct merge_names *map,
                    uint64_t votes, struct outcome *out, bool *kept)
{
    const struct apf_instr *instr = t->profile;
    uint64_t weight = out->result.weight;
    int code = outcome_copy_lists(out, instr);
    if (code != APF_OK)
        return code;
    *kept = worth_keeping(instr, map, weight);
    if (*kept && t->on_last_file)
        file_bytes_donate(&t->bytes, &t->profile->arena);
    struct sum_table_input in = {.records = instr->records.data,
                                 .n = instr->records.n,
                                 .weight = weight,
                                 .input = out->input,
                                 .votes = votes,
                                 .symbols = map->numbers,
                                 .keeper = *kept ? &t->profile->arena : NULL};
    return sum_table_add(c->sum_table, &in, &out->error);
}

/* Memory profiles are added as they come: their sum does not depend on the order, and none has to wait. */
static int add_memprof(struct apf_merge *m, struct apf_instr *instr, struct outcome *out)
{
    struct apf_memprof **sum = outcome_is_hollow(out) ? &m->memprof : &m->classes[out->class].memprof;
    int code = APF_OK;
    pthread_mutex_lock(&m->memprof_lock);
    if (!*sum)
        *sum = memprof_new(MEMPROF_MOST);
    code =
        *sum ? memprof_add(*sum, instr->memprof, out->result.weight, &out->error) : error_memory(&out->error);
    pthread_mutex_unlock(&m->memprof_lock);
    if (code != APF_OK)
        out->added = NOT_ADDED; /* a part may have been added: the merge cannot go on */
    memprof_free(instr->memprof);
    instr->memprof = NULL;
    return code;
}

/* Adds the thread's profile, which was read and found good. The bytes that it was read from may be gone then. */
static int add_read(struct batch *b, struct thread_memory *t, struct merge_names *map, struct outcome *out,
                    bool *kept)
{
    struct apf_instr *instr = t->profile;
    outcome_copy(out, instr);
    int code = merge_adopt_names(b->merge, instr, out->class, map, &out->error);
    struct merge_class *c = merge_class_get(b->merge, out->class);
    if (code == APF_OK && !c)
        code = error_memory(&out->error);
    if (code == APF_OK)
        code = add_sums(c, t, map, merge_removal_votes(b->merge->removal, &out->file, out->result.weight),
                        out, kept);
    if (code != APF_OK)
        return code;
    out->added = BY_RECORD;
    return instr->memprof ? add_memprof(b->merge, instr, out) : APF_OK;
}

static struct thread_mark begin_profile(const struct thread_memory *t)
{
    struct thread_mark mark = {arena_mark(&t->profile->arena), arena_mark(&t->profile->symbols->text)};
    return mark;
}

static void end_profile(struct thread_memory *t, struct thread_mark mark, bool keep_arrays, bool keep_names)
{
    profile_reset(t->profile);
    t->keeps_arrays |= keep_arrays;
    t->keeps_names |= keep_names;
    if (!keep_arrays)
        arena_rewind(&t->profile->arena, mark.arrays);
    if (!keep_names)
        arena_rewind(&t->profile->symbols->text, mark.names);
}

/* Reads a profile to be merged. A profile with an error is read again in order, so that the first error in it is
 * reported. */
static int read_profile(struct batch *b, const struct file_bytes *f, struct thread_memory *t,
                        struct thread_mark *mark, struct merge_names *map, struct outcome *out)
{
    struct read_options options = b->merge->read;
    bool good = true;
    options.to_merge = true;
    options.stored = f->stored;
    int code = profile_read_into(t->profile, f->data, f->n, &options, &out->error);
    if (code == APF_OK && t->profile->info.format == APF_FORMAT_INDEXED)
        code = merge_check_names(b->merge, t->profile, map, &good, &out->error);
    if (code == APF_NO_MEMORY || (code == APF_OK && good))
        return code;
    struct apf_instr_info seen = {0};
    profile_glance(&seen, f->data, f->n);
    if (seen.format != APF_FORMAT_INDEXED)
        return code;
    end_profile(t, *mark, false, false);
    *mark = begin_profile(t);
    options.to_merge = false;
    return profile_read_into(t->profile, f->data, f->n, &options, &out->error);
}

static int add_general(struct batch *b, const struct file_bytes *f, unsigned thread, struct outcome *out)
{
    struct thread_memory *t = &b->threads[thread];
    struct thread_mark mark = begin_profile(t);
    struct merge_names map = {0};
    bool kept = false;
    int code = read_profile(b, f, t, &mark, &map, out);
    if (code == APF_OK)
        code = add_read(b, t, &map, out, &kept);
    else
        outcome_refuse(out, f);
    free(map.numbers);
    end_profile(t, mark, kept, map.keep_text);
    return code;
}

/* Learns the shapes of a file that was found good, and adds it by them. */
static int learn_and_add(struct batch *b, struct merge_class *c, const struct file_bytes *f, unsigned thread,
                         const struct raw_profiles *parts, struct merge_names *map, struct outcome *out)
{
    struct apf_instr *instr = b->threads[thread].profile;
    uint8_t class = (uint8_t)(c - b->merge->classes);
    int code = merge_adopt_names(b->merge, instr, class, map, &out->error);
    if (code == APF_OK)
        code = shapes_learn(c->shapes, parts, instr, map->numbers, &out->error);
    if (code == APF_OK)
        code = add_by_shape(b, c, f, thread, out);
    if (out->added == BY_SHAPE)
        out->added = BY_NEW_SHAPE;
    return code;
}

/* Checks everything in the first file of a binary, learns its shapes, and adds its counts by them. A file that does not
 * suit shapes is not added. */
static int add_first(struct batch *b, struct merge_class *c, const struct file_bytes *f, unsigned thread,
                     struct outcome *out)
{
    struct thread_memory *t = &b->threads[thread];
    struct thread_mark mark = begin_profile(t);
    struct merge_names map = {0};
    struct raw_profiles parts = {0};
    struct read_options options = b->merge->read;
    options.to_merge = options.lean = true;
    options.stored = f->stored;
    options.profiles = &parts;
    int code = profile_read_into(t->profile, f->data, f->n, &options, &out->error);
    if (code == APF_OK)
        code = learn_and_add(b, c, f, thread, &parts, &map, out);
    else
        outcome_refuse(out, f);
    VEC_FREE(&parts.list);
    free(map.numbers);
    end_profile(t, mark, false, map.keep_text);
    VEC_FREE(&t->profile->records); /* further files of the binary need no records */
    VEC_FREE(&t->profile->symbols->list);
    return code;
}

/* Adds a raw file whose shapes are known or can be learnt. */
static int add_raw(struct batch *b, const struct file_bytes *f, unsigned thread, struct outcome *out)
{
    struct raw_profile first;
    if (!b->learn || raw_profile_open(&first, f->data, f->n, 0, NULL) != APF_OK ||
        raw_profile_is_bare(&first))
        return APF_OK;
    uint8_t class = merge_class_of(first.variant, 0);
    struct merge_class *c = merge_class_get(b->merge, class);
    int code = c ? add_by_shape(b, c, f, thread, out) : error_memory(&out->error);
    if (code == APF_OK && out->added == NOT_ADDED && shapes_learn_begin(c->shapes, &first)) {
        code = add_first(b, c, f, thread, out);
        shapes_learn_end(c->shapes, &first, out->added == BY_NEW_SHAPE);
    } else if (code == APF_OK && out->added == NOT_ADDED) {
        code = add_by_shape(b, c, f, thread, out);
    }
    if (code == APF_OK && out->added != NOT_ADDED) {
        outcome_glance(out, f);
        out->class = class;
    }
    return code;
}

/* ---- damaged inputs ---- */

/* Adds the intact part of a refused file by the general path. If nothing is intact, the first error stays. */
static void salvage_input(struct batch *b, const struct file_bytes *f, unsigned thread, struct outcome *out)
{
    struct thread_memory *t = &b->threads[thread];
    struct thread_mark mark = begin_profile(t);
    struct read_options options = b->merge->read;
    struct merge_names map = {0};
    struct apf_error why = out->error, error;
    bool kept = false;
    options.stored = f->stored;
    int code = profile_salvage_file(t->profile, f, &options, &why, &error);
    if (code == APF_OK) {
        out->added = NOT_ADDED; /* if adding fails, the merge fails */
        out->code = outcome_copy_salvage(out, t->profile);
        if (out->code == APF_OK)
            out->code = add_read(b, t, &map, out, &kept);
    } else if (code == APF_NO_MEMORY) {
        out->code = error_memory(&out->error);
    }
    free(map.numbers);
    end_profile(t, mark, kept, map.keep_text);
}

static void read_and_add(struct batch *b, const struct file_bytes *f, unsigned thread, struct outcome *out)
{
    out->code = add_raw(b, f, thread, out);
    if (out->code == APF_OK && out->added == NOT_ADDED)
        out->code = add_general(b, f, thread, out);
}

static void add_input(struct batch *b, const struct apf_input *input, unsigned thread, struct outcome *out)
{
    static const struct file_identity nothing;
    struct file_bytes *f = &b->threads[thread].bytes;
    out->result.weight = input->weight ? input->weight : 1;
    out->code = file_read(f, input, b->merge->read.max_bytes, &out->error);
    out->file.identity = f->identity;
    out->file.digest = f->digest;
    if (merge_removal_holds(b->merge->removal, input, &out->file))
        out->code = error_plain(&out->error, APF_ALREADY_MERGED, "output.journal",
                                "a merge that was interrupted has added it");
    if (out->code == APF_OK && !merge_removal_reaches(b->merge->removal, input, &out->file)) {
        out->code = error_errno(&out->error, ENAMETOOLONG, "input.path");
        out->file.identity = nothing;
    }
    if (out->code == APF_OK)
        read_and_add(b, f, thread, out);
    else
        out->added = REFUSED;
    if (out->added == REFUSED && b->merge->read.flags & APF_FLAG_SALVAGE && salvage_may(out->code))
        salvage_input(b, f, thread, out);
}

static void report_progress(struct batch *b)
{
    const struct apf_options *o = &b->merge->common;
    if (!o->progress)
        return;
    struct apf_progress p = {atomic_load(&b->n_done), b->n_inputs, atomic_load(&b->n_bad),
                             atomic_load(&b->bytes)};
    o->progress(o->progress_user, &p);
}

/* ---- all of them ---- */

/* The most inputs that are read ahead of a slow one, and the approximate memory of their outcomes. */
#define WINDOW 256u
#define WAITING_BYTES ((size_t)64 << 20)

static void run_task(void *context, size_t i, unsigned thread)
{
    struct batch *b = (struct batch *)context;
    struct slot *slot = &b->slots[i % WINDOW];
    struct outcome *out = &slot->outcome;
    memset(out, 0, sizeof *out);
    out->arena = &slot->arena;
    out->input = b->first < NO_INPUT - i ? (uint32_t)(b->first + i) : NO_INPUT;
    b->threads[thread].on_last_file = i + b->n_threads >= b->n_inputs;
    add_input(b, input_at(b->inputs, i), thread, out);
    atomic_fetch_add(&b->waiting, slot->arena.used);
    atomic_fetch_add(&b->bytes, b->threads[thread].bytes.stored);
    if (out->code != APF_OK && out->code != APF_EMPTY_PROFILE && out->code != APF_ALREADY_MERGED)
        atomic_fetch_add(&b->n_bad, 1);
    atomic_fetch_add(&b->n_done, 1);
}

/* Whether a failure concerns more than this input, so that the merge cannot go on. */
static bool is_fatal(const struct outcome *out)
{
    return out->added == NOT_ADDED || out->code == APF_NO_MEMORY;
}

static bool commit_task(void *context, size_t i)
{
    struct batch *b = (struct batch *)context;
    struct slot *slot = &b->slots[i % WINDOW];
    struct outcome *out = &slot->outcome;
    if (is_fatal(out)) {
        b->code = out->code;
        if (b->error)
            *b->error = out->error;
    } else {
        b->code = merge_commit(b->merge, input_at(b->inputs, i), out, b->error);
    }
    atomic_fetch_sub(&b->waiting, slot->arena.used);
    arena_free(&slot->arena);
    report_progress(b);
    return b->code == APF_OK;
}

static bool is_full(void *context)
{
    const struct batch *b = (const struct batch *)context;
    return atomic_load(&b->waiting) > WAITING_BYTES;
}

static int add_all(struct batch *b)
{
    const struct pool_queue queue = {run_task, commit_task, is_full, b, WINDOW};
    if (!pool_run_queue(b->n_threads, b->n_inputs, &queue))
        return error_memory(b->error);
    return b->code;
}

static int start_threads(struct batch *b)
{
    struct apf_merge *m = b->merge;
    b->slots = calloc(WINDOW, sizeof *b->slots);
    b->threads = calloc(b->n_threads, sizeof *b->threads);
    bool ok = b->slots && b->threads;
    for (unsigned i = 0; ok && i < b->n_threads; i++) {
        struct thread_memory *t = &b->threads[i];
        t->bytes.want_digest = merge_removal_digests(m);
        t->scratch = shape_scratch_new();
        t->profile = profile_new();
        if (i == 0 && t->profile) { /* memory that the thread does not keep serves later steps */
            t->profile->arena = m->scratch;
            memset(&m->scratch, 0, sizeof m->scratch);
            merge_lend_records(m, t->profile);
        }
        ok = t->scratch && t->profile;
    }
    return ok ? APF_OK : error_memory(b->error);
}

/* Keeps the largest memory for records. */
static void keep_records(struct apf_merge *m, struct apf_instr *instr)
{
    struct record_list own = m->records;
    if (instr->records.capacity <= own.capacity)
        return;
    m->records = instr->records;
    m->records.n = 0;
    instr->records = own;
}

static void end_threads(struct batch *b)
{
    struct apf_merge *m = b->merge;
    for (unsigned i = 0; b->threads && i < b->n_threads; i++) {
        struct thread_memory *t = &b->threads[i];
        file_bytes_free(&t->bytes);
        shape_scratch_free(t->scratch);
        if (!t->profile)
            continue;
        keep_records(m, t->profile);
        if (t->keeps_names)
            arena_splice(&m->symbols.text, &t->profile->symbols->text);
        if (t->keeps_arrays) {
            arena_splice(&m->arena, &t->profile->arena);
        } else if (i == 0) {
            m->scratch = t->profile->arena;
            memset(&t->profile->arena, 0, sizeof t->profile->arena);
        }
        profile_free(t->profile);
    }
    for (unsigned i = 0; b->slots && i < WINDOW; i++)
        arena_free(&b->slots[i].arena);
    free(b->threads);
    free(b->slots);
}

int apf_merge_add(struct apf_merge *m, const struct apf_input *inputs, size_t n, struct apf_error *error)
{
    if (m->broken)
        return error_plain(error, APF_ARGUMENT, "merge", "an earlier call failed half-way");
    int code = inputs_check(inputs, n, error);
    if (code != APF_OK)
        return code;
    merge_drop_views(m);
    code = merge_removal_check(m, inputs, n, error);
    if (code == APF_OK && !VEC_RESERVE(&m->inputs, n))
        code = error_memory(error);
    /* With metadata from elsewhere, some files are refused that shapes would accept. */
    bool learn = m->inputs.n + n > 1 && !(m->options.flags & APF_MERGE_GENERAL) && !m->common.correlation;
    struct batch b = {
        .merge = m, .inputs = inputs, .n_inputs = n, .first = m->inputs.n, .learn = learn, .error = error};
    b.n_threads = pool_threads(m->common.threads, n);
    if (code == APF_OK && n)
        code = start_threads(&b);
    if (code == APF_OK && n)
        code = add_all(&b);
    if (code == APF_OK)
        code = merge_settle(m, error);
    end_threads(&b);
    m->broken = code != APF_OK;
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds inputs to a merge: read and summed on any thread, then committed in input order (inputs/inputs_add.h). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "inputs/inputs_removal.h"
#include "instr/memprof/memprof_merge.h"
#include "instr/merge/merge_outcome.h"
#include "instr/merge/merge_partial.h"
#include "instr/raw/raw_profile.h"
#include "instr/read/formats.h"
#include "instr/read/salvage.h"

/* Memory that a thread reuses for every file it reads. */
struct thread_memory {
    struct shape_scratch *scratch;
    /* Arrays that the table of sums adopted stay in profile->arena; names that the merge adopted, in
     * profile->symbols.text. */
    struct apf_instr *profile;
    bool keeps_arrays, keeps_names; /* whether any are adopted */
};

/* The state of a thread's arenas before a file. */
struct thread_mark {
    struct arena_mark arrays, names;
};

/* One call of apf_merge_add. */
struct batch {
    struct apf_merge *merge;
    bool learn; /* the fast path: there is more than one input, so files of one binary may follow */
};

/* An input on its way. */
struct work {
    struct apf_merge *merge;
    struct thread_memory *thread;
    struct file_bytes *bytes;
    bool learn, last; /* as in struct batch and struct input_task */
};

/* ---- one input, on any thread ---- */

/* Fills in which records a file has that was added by its shapes. */
static int find_fast_roster(const struct work *w, struct outcome *out)
{
    out->roster = shapes_last_roster(w->thread->scratch, out->common.arena);
    return out->roster ? APF_OK : error_memory(&out->common.error);
}

/* Adds a raw file by known shapes, if it has them. */
static int add_by_shape(const struct work *w, struct merge_class *c, struct outcome *out)
{
    bool added = false;
    struct shape_added got = {0};
    got.ids.arena = out->common.arena;
    got.max_records = w->merge->read.max_records;
    got.input = out->input;
    int code = shapes_add(c->shapes, w->thread->scratch, w->bytes->data, w->bytes->n, out->common.weight,
                          &got, &added, &out->common.error);
    if (code == APF_OK && added)
        code = outcome_copy_fast(out, &got);
    if (code == APF_OK && added && merge_wants_rosters(w->merge))
        code = find_fast_roster(w, out);
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
static int add_sums(const struct work *w, struct merge_class *c, const struct merge_names *map,
                    struct outcome *out, bool *kept)
{
    struct apf_instr *instr = w->thread->profile;
    uint64_t weight = out->common.weight;
    int code = outcome_copy_lists(out, instr);
    if (code == APF_OK && merge_wants_rosters(w->merge))
        code = outcome_copy_roster(out, instr);
    if (code != APF_OK)
        return code;
    *kept = worth_keeping(instr, map, weight);
    if (*kept && w->last)
        file_bytes_donate(w->bytes, &instr->arena);
    struct sum_table_input in = {.records = instr->records.data,
                                 .n = instr->records.n,
                                 .weight = weight,
                                 .input = out->input,
                                 .votes = inputs_removal_votes(&w->merge->kept, &out->common.file, weight),
                                 .symbols = map->numbers,
                                 .keeper = *kept ? &instr->arena : NULL,
                                 .pulse = &w->merge->kept.pulse};
    return sum_table_add(c->sum_table, &in, &out->common.error);
}

/* Memory profiles are added as they come: their sum does not depend on the order, and none has to wait. */
static int add_memprof(struct apf_merge *m, struct apf_instr *instr, struct outcome *out)
{
    struct apf_memprof **sum = outcome_is_hollow(out) ? &m->memprof : &m->classes[out->class].memprof;
    int code = APF_OK;
    pthread_mutex_lock(&m->memprof_lock);
    if (!*sum)
        *sum = memprof_new(MEMPROF_MOST);
    code = *sum ? memprof_add(*sum, instr->memprof, out->common.weight, &out->common.error)
                : error_memory(&out->common.error);
    pthread_mutex_unlock(&m->memprof_lock);
    if (code != APF_OK)
        out->common.fate = INPUT_UNDECIDED; /* a part may have been added: the merge cannot go on */
    memprof_free(instr->memprof);
    instr->memprof = NULL;
    return code;
}

/* Adds the thread's profile, which was read and found good. The bytes that it was read from may be gone then. */
static int add_read(const struct work *w, struct merge_names *map, struct outcome *out, bool *kept)
{
    struct apf_instr *instr = w->thread->profile;
    outcome_copy(out, instr);
    int code = merge_adopt_names(w->merge, instr, out->class, map, &out->common.error);
    struct merge_class *c = merge_class_get(w->merge, out->class);
    if (code == APF_OK && !c)
        code = error_memory(&out->common.error);
    if (code == APF_OK)
        code = add_sums(w, c, map, out, kept);
    if (code != APF_OK)
        return code;
    outcome_added(out, BY_RECORD);
    return instr->memprof ? add_memprof(w->merge, instr, out) : APF_OK;
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
static int read_profile(const struct work *w, struct thread_mark *mark, struct merge_names *map,
                        struct outcome *out)
{
    const struct file_bytes *f = w->bytes;
    struct thread_memory *t = w->thread;
    struct read_options options = w->merge->read;
    bool good = true;
    options.to_merge = true;
    options.stored = f->stored;
    int code = profile_read_into(t->profile, f->data, f->n, &options, &out->common.error);
    if (code == APF_OK && t->profile->info.format == APF_FORMAT_INDEXED)
        code = merge_check_names(w->merge, t->profile, map, &good, &out->common.error);
    if (code == APF_NO_MEMORY || code == APF_STOPPED || (code == APF_OK && good))
        return code;
    struct apf_instr_info seen = {0};
    profile_glance(&seen, f->data, f->n);
    if (seen.format != APF_FORMAT_INDEXED)
        return code;
    end_profile(t, *mark, false, false);
    *mark = begin_profile(t);
    options.to_merge = false;
    return profile_read_into(t->profile, f->data, f->n, &options, &out->common.error);
}

static int add_general(const struct work *w, struct outcome *out)
{
    struct thread_memory *t = w->thread;
    struct thread_mark mark = begin_profile(t);
    struct merge_names map = {0};
    bool kept = false;
    int code = read_profile(w, &mark, &map, out);
    if (code == APF_OK)
        code = add_read(w, &map, out, &kept);
    else
        outcome_refuse(out, w->bytes);
    free(map.numbers);
    end_profile(t, mark, kept, map.keep_text);
    return code;
}

/* Learns the shapes of a file that was found good, and adds it by them. */
static int learn_and_add(const struct work *w, struct merge_class *c, const struct raw_profiles *parts,
                         struct merge_names *map, struct outcome *out)
{
    struct apf_instr *instr = w->thread->profile;
    uint8_t class = (uint8_t)(c - w->merge->classes);
    int code = merge_adopt_names(w->merge, instr, class, map, &out->common.error);
    if (code == APF_OK)
        code = shapes_learn(c->shapes, parts, instr, map->numbers, &out->common.error);
    if (code == APF_OK)
        code = add_by_shape(w, c, out);
    if (out->added == BY_SHAPE)
        out->added = BY_NEW_SHAPE;
    return code;
}

/* Checks everything in the first file of a binary, learns its shapes, and adds its counts by them. A file that does not
 * suit shapes is not added. */
static int add_first(const struct work *w, struct merge_class *c, struct outcome *out)
{
    const struct file_bytes *f = w->bytes;
    struct thread_memory *t = w->thread;
    struct thread_mark mark = begin_profile(t);
    struct merge_names map = {0};
    struct raw_profiles parts = {0};
    struct read_options options = w->merge->read;
    options.to_merge = options.lean = true;
    options.stored = f->stored;
    options.profiles = &parts;
    int code = profile_read_into(t->profile, f->data, f->n, &options, &out->common.error);
    if (code == APF_OK)
        code = learn_and_add(w, c, &parts, &map, out);
    else
        outcome_refuse(out, w->bytes);
    VEC_FREE(&parts.list);
    free(map.numbers);
    end_profile(t, mark, false, map.keep_text);
    VEC_FREE(&t->profile->records); /* further files of the binary need no records */
    VEC_FREE(&t->profile->symbols->list);
    return code;
}

/* Adds a raw file whose shapes are known or can be learnt. */
static int add_raw(const struct work *w, struct outcome *out)
{
    const struct file_bytes *f = w->bytes;
    struct raw_profile first;
    if (!w->learn || raw_profile_open(&first, f->data, f->n, 0, NULL) != APF_OK ||
        raw_profile_is_bare(&first))
        return APF_OK;
    uint8_t class = merge_class_of(first.variant, 0);
    struct merge_class *c = merge_class_get(w->merge, class);
    int code = c ? add_by_shape(w, c, out) : error_memory(&out->common.error);
    if (code == APF_OK && out->added == NOT_ADDED && shapes_learn_begin(c->shapes, &first)) {
        code = add_first(w, c, out);
        shapes_learn_end(c->shapes, &first, out->added == BY_NEW_SHAPE);
    } else if (code == APF_OK && out->added == NOT_ADDED) {
        code = add_by_shape(w, c, out);
    }
    if (code == APF_OK && out->added != NOT_ADDED) {
        outcome_glance(out, f);
        out->class = class;
    }
    return code;
}

/* Describes an input's way, and numbers its outcome. */
static struct work begin_work(const struct batch *b, const struct input_task *task, struct outcome *out)
{
    struct work w = {b->merge, (struct thread_memory *)task->memory, task->bytes, b->learn, task->last};
    out->input = input_member(out->common.number, 0);
    return w;
}

/* Whether names and sums of files wait until a partial profile is written. No report can be asked for then, since it
 * needs all of them. */
static bool may_wait(const struct apf_merge *m)
{
    return (m->options.flags & (APF_MERGE_PARTIAL | APF_MERGE_FIND_LOSSES)) == APF_MERGE_PARTIAL;
}

/* Whether an input is a partial profile that is read piece by piece: twice in this call or, of a file or a slice, once
 * now, and again when the merge is written. */
static bool is_streamed(void *context, const struct apf_input *input)
{
    const struct apf_merge *m = ((const struct batch *)context)->merge;
    uint64_t size;
    if (!inputs_source_is(input, PARTIAL_INSTR, &size))
        return false;
    const bool large = size >= m->streamed_bytes;
    return input->path ? large || may_wait(m) : m->options.slice.n > 1 || (large && !may_wait(m));
}

static bool waits(struct apf_merge *m)
{
    return may_wait(m) && inputs_sources_reserve(&m->sources);
}

/* Adds a partial profile, for all of its inputs. */
static void add_partial(const struct work *w, const struct input_task *task, struct outcome *out)
{
    struct input_outcome *common = &out->common;
    const struct apf_input bytes = apf_input_memory(w->bytes->data, w->bytes->n, NULL);
    struct merge_file file = {.source = {.given = common->number}};
    bool decided = true;
    if (task->streamed) {
        file.source.input = input_copy(task->input);
        file.source.identity = common->file.identity;
        file.waits = waits(w->merge);
    }
    if (common->weight != 1)
        common->code = error_plain(&common->error, APF_UNSUPPORTED, "input.weight", PARTIAL_HAS_WEIGHTS);
    else
        common->code = merge_add_partial(w->merge, task->streamed ? task->input : &bytes, &file,
                                         common->arena, &out->partial, &decided, &common->error);
    if (file.waits && (common->code != APF_OK || !out->partial->source.input.size))
        inputs_sources_release(&w->merge->sources);
    if (common->code != APF_OK) {
        common->fate = decided && w->merge->options.slice.n <= 1 ? INPUT_REFUSED : INPUT_UNDECIDED;
        return;
    }
    outcome_added(out, BY_RECORD);
    common->slice = out->partial->slice;
    common->members = out->partial->kept;
    common->n_members = out->partial->n_inputs;
}

static void add_input(void *context, const struct input_task *task, struct input_outcome *common)
{
    struct outcome *out = (struct outcome *)common;
    struct work w = begin_work((const struct batch *)context, task, out);
    if (task->streamed || partial_is(w.bytes->data, w.bytes->n)) {
        add_partial(&w, task, out);
        return;
    }
    if (w.merge->options.slice.n > 1) {
        common->code = error_plain(&common->error, APF_UNSUPPORTED, "merge.slice", PARTIAL_IS_NO_SLICE);
        return;
    }
    common->code = add_raw(&w, out);
    if (common->code == APF_OK && out->added == NOT_ADDED)
        common->code = add_general(&w, out);
}

/* Adds the intact part of a refused file by the general path. If nothing is intact, the first error stays. */
static void salvage_input(void *context, const struct input_task *task, struct input_outcome *common)
{
    if (!salvage_may(common->code))
        return;
    struct outcome *out = (struct outcome *)common;
    struct work w = begin_work((const struct batch *)context, task, out);
    struct thread_mark mark = begin_profile(w.thread);
    struct read_options options = w.merge->read;
    struct merge_names map = {0};
    struct apf_error why = common->error, error;
    bool kept = false;
    options.stored = w.bytes->stored;
    int code = profile_salvage_file(w.thread->profile, w.bytes, &options, &why, &error);
    if (code == APF_OK) {
        common->fate = INPUT_UNDECIDED; /* if adding fails, the merge fails */
        common->code = outcome_copy_salvage(out, w.thread->profile);
        if (common->code == APF_OK)
            common->code = add_read(&w, &map, out, &kept);
    } else if (code == APF_NO_MEMORY) {
        common->code = error_memory(&common->error);
    }
    free(map.numbers);
    end_profile(w.thread, mark, kept, map.keep_text);
}

static int commit_input(void *context, const struct apf_input *input, const struct input_outcome *common,
                        struct apf_error *error)
{
    const struct batch *b = (const struct batch *)context;
    return merge_commit(b->merge, input, (const struct outcome *)common, error);
}

/* ---- the memory of threads ---- */

static void free_thread(struct thread_memory *t)
{
    shape_scratch_free(t->scratch);
    profile_free(t->profile);
    free(t);
}

static void *begin_thread(void *context, unsigned thread)
{
    struct apf_merge *m = ((const struct batch *)context)->merge;
    struct thread_memory *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->scratch = shape_scratch_new();
    t->profile = profile_new();
    if (!t->scratch || !t->profile) {
        free_thread(t);
        return NULL;
    }
    if (thread == 0) { /* memory that the thread does not keep serves later steps */
        t->profile->arena = m->scratch;
        memset(&m->scratch, 0, sizeof m->scratch);
        merge_lend_records(m, t->profile);
    }
    return t;
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

static void end_thread(void *context, unsigned thread, void *memory)
{
    struct apf_merge *m = ((const struct batch *)context)->merge;
    struct thread_memory *t = (struct thread_memory *)memory;
    keep_records(m, t->profile);
    if (t->keeps_names)
        arena_splice(&m->symbols.text, &t->profile->symbols->text);
    if (t->keeps_arrays) {
        arena_splice(&m->arena, &t->profile->arena);
    } else if (thread == 0) {
        m->scratch = t->profile->arena;
        memset(&t->profile->arena, 0, sizeof t->profile->arena);
    }
    free_thread(t);
}

int apf_merge_add(struct apf_merge *m, const struct apf_input *inputs, size_t n, struct apf_error *error)
{
    int code = inputs_check_whole(&m->kept, error);
    if (code == APF_OK)
        code = inputs_check(inputs, n, error);
    if (code != APF_OK)
        return code;
    merge_drop_views(m);
    if (!VEC_RESERVE(&m->inputs, n))
        code = error_memory(error);
    /* With metadata from elsewhere, some files are refused that shapes would accept. */
    bool learn = m->inputs.n + n > 1 && !(m->options.flags & APF_MERGE_GENERAL) && !m->common.correlation;
    struct batch b = {m, learn};
    const struct inputs_adder adder = {.context = &b,
                                       .outcome_size = sizeof(struct outcome),
                                       .thread_begin = begin_thread,
                                       .thread_end = end_thread,
                                       .streams = is_streamed,
                                       .add = add_input,
                                       .salvage = salvage_input,
                                       .commit = commit_input};
    if (code == APF_OK)
        code = inputs_add(&m->kept, inputs, n, &adder, error);
    if (code == APF_OK && !inputs_all_are_taken(&m->kept))
        code = merge_settle(m, error);
    m->kept.broken = code != APF_OK;
    return code;
}

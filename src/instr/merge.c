/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adding inputs to a merge. */
#include "instr/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/pool.h"
#include "instr/raw_part.h"

/* What one input brings besides its counts; committed in input order once all of a batch are done. */
struct outcome {
    int code;
    struct apf_error error; /* when code is a failure */
    bool fatal;             /* the whole merge fails, not this input alone */
    bool fast;
    uint8_t class;
    uint64_t digests;
    uint32_t format, version;
    uint64_t variant, producers, n_records, n_profiles;
    uint64_t quirks[QUIRK_COUNT];
    struct arena arena; /* of what follows */
    const struct apf_str *ids;
    size_t n_ids;
    const struct apf_trace *traces;
    size_t n_traces;
    uint64_t trace_stream;
};

struct thread_memory {
    struct file_bytes bytes;
    struct shape_scratch *scratch;
};

struct batch {
    struct apf_merge *merge;
    const struct apf_input *inputs;
    struct outcome *outcomes;
    struct thread_memory *threads;
    uint64_t first; /* number of the first input */
    bool learn;     /* more than one input: files of one binary may follow */
};

/* ---- life ---- */

int apf_merge_new(struct apf_merge **merge, const struct apf_merge_options *options, struct apf_error *error)
{
    struct apf_merge *m = calloc(1, sizeof *m);
    *merge = m;
    if (!m)
        return error_memory(error);
    pthread_mutex_init(&m->lock, NULL);
    if (options)
        memcpy(&m->options, options, options->size < sizeof m->options ? options->size : sizeof m->options);
    m->options.options = options_copy(&m->options.options);
    m->read = read_options_resolve(&m->options.options);
    return APF_OK;
}

void merge_trace_limits(const struct apf_merge *m, struct trace_set *t)
{
    t->reservoir = m->options.trace_reservoir ? m->options.trace_reservoir : TRACE_RESERVOIR;
    t->length = m->options.trace_length ? m->options.trace_length : TRACE_LENGTH;
    if (m->options.flags & APF_MERGE_NO_TRACES)
        t->reservoir = 0;
}

void apf_merge_free(struct apf_merge *m)
{
    if (!m)
        return;
    merge_drop_view(m);
    for (unsigned c = 0; c < CLASS_COUNT; c++) {
        accum_free(m->classes[c].accum); /* uses the shapes' memory */
        shapes_free(m->classes[c].shapes);
        trace_set_free(&m->classes[c].traces);
        VEC_FREE(&m->classes[c].ids);
    }
    symbols_free(&m->symbols);
    symbols_free(&m->vtables);
    VEC_FREE(&m->inputs);
    arena_free(&m->arena);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

uint8_t merge_class_of(uint64_t variant, int front_end)
{
    unsigned class = 0;
    if (variant & APF_VARIANT_BYTE_COVERAGE)
        class |= CLASS_BYTES;
    if (variant & APF_VARIANT_ENTRY_ONLY)
        class |= CLASS_ENTRY;
    if (variant & (APF_VARIANT_ENTRY_FIRST | APF_VARIANT_LOOP_ENTRIES))
        class |= CLASS_BLOCKS;
    if (variant & APF_VARIANT_IR)
        class |= CLASS_IR;
    if (front_end)
        class |= CLASS_FRONT_END;
    return (uint8_t)class;
}

struct merge_class *merge_class_get(struct apf_merge *m, uint8_t class, uint64_t input)
{
    struct merge_class *c = &m->classes[class];
    pthread_mutex_lock(&m->lock);
    if (!c->accum) {
        struct accum *accum = accum_new();
        c->shapes = accum ? shapes_new() : NULL;
        c->first_input = input;
        merge_trace_limits(m, &c->traces);
        if (c->shapes)
            c->accum = accum;
        else
            accum_free(accum);
    }
    bool ok = c->accum != NULL;
    if (ok && input < c->first_input)
        c->first_input = input;
    pthread_mutex_unlock(&m->lock);
    return ok ? c : NULL;
}

/* ---- one input, on any thread ---- */

static int copy_names(struct symbols *to, const struct symbols *from, struct apf_error *error)
{
    int code = hash_index_reserve(&to->index, from->list.n) ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < from->list.n; i++) {
        const struct symbol *s = &from->list.data[i];
        code = symbols_add_id(to, s->id, s->p, s->n, true, NULL, error);
    }
    return code;
}

static int add_names(struct apf_merge *m, const struct apf_instr *instr, struct apf_error *error)
{
    pthread_mutex_lock(&m->lock);
    int code = copy_names(&m->symbols, &instr->symbols, error);
    if (code == APF_OK)
        code = copy_names(&m->vtables, &instr->vtables, error);
    pthread_mutex_unlock(&m->lock);
    return code;
}

static int copy_traces(struct outcome *out, const struct apf_instr *instr, uint64_t weight)
{
    size_t n = instr->info.n_traces;
    struct apf_trace *traces = arena_array(&out->arena, n, sizeof *traces);
    if (!traces)
        return APF_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const struct apf_trace *from = &instr->info.traces[i];
        uint64_t *ids = arena_array(&out->arena, from->n, sizeof *ids);
        if (!ids)
            return APF_NO_MEMORY;
        memcpy(ids, from->ids, from->n * sizeof *ids);
        traces[i].ids = ids;
        traces[i].n = from->n;
        /* A raw file's trace has the weight of the input; others keep their own, as in LLVM. */
        traces[i].weight = instr->info.format == APF_FORMAT_RAW ? weight : from->weight;
    }
    out->traces = traces;
    out->n_traces = n;
    out->trace_stream = instr->info.trace_stream_size;
    return APF_OK;
}

static int copy_ids(struct outcome *out, const struct apf_str *from, size_t n)
{
    struct apf_str *ids = arena_array(&out->arena, n, sizeof *ids);
    if (!ids)
        return APF_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        ids[i].p = arena_text(&out->arena, from[i].p, from[i].n);
        ids[i].n = from[i].n;
        if (!ids[i].p)
            return APF_NO_MEMORY;
    }
    out->ids = ids;
    out->n_ids = n;
    return APF_OK;
}

static void note(struct outcome *out, const struct apf_instr *instr)
{
    out->format = (uint32_t)instr->info.format;
    out->version = instr->info.version;
    out->variant = instr->info.variant;
    out->producers = instr->info.producers;
    out->digests = instr->digests;
    out->n_records = instr->info.n_records;
    out->n_profiles = instr->info.n_profiles;
    out->class = merge_class_of(instr->info.variant, instr->info.front_end);
    memcpy(out->quirks, instr->quirks, sizeof out->quirks);
}

/* Adds a profile that was read and found good; from here on every failure is the merge's. */
static int add_read(struct batch *b, size_t i, const struct apf_instr *instr, const struct raw_parts *parts,
                    uint64_t weight, struct outcome *out)
{
    struct apf_merge *m = b->merge;
    struct apf_error *error = &out->error;
    note(out, instr);
    int code = add_names(m, instr, error);
    if (code == APF_MALFORMED)
        return code; /* a name with the id of another: this input's fault, and nothing was added but names */
    struct merge_class *c = code == APF_OK ? merge_class_get(m, out->class, b->first + i) : NULL;
    out->fatal = true;
    if (!c)
        return error_memory(error);
    code = accum_add_profile(c->accum, instr->records.data, instr->records.n, weight, error);
    if (code == APF_OK && b->learn && parts->list.n)
        code = shapes_learn(c->shapes, parts, instr, error);
    if (code == APF_OK && copy_ids(out, instr->info.binary_ids, instr->info.n_binary_ids) != APF_OK)
        code = error_memory(error);
    if (code == APF_OK && copy_traces(out, instr, weight) != APF_OK)
        code = error_memory(error);
    out->fatal = code != APF_OK;
    return code;
}

static int add_general(struct batch *b, size_t i, const struct file_bytes *f, uint64_t weight,
                       struct outcome *out)
{
    struct apf_instr *instr = NULL;
    struct raw_parts parts = {0};
    int code = profile_read_parts(&instr, f->data, f->n, &b->merge->read, &parts, &out->error);
    if (code == APF_OK)
        code = add_read(b, i, instr, &parts, weight, out);
    else
        out->fatal = code == APF_NO_MEMORY;
    VEC_FREE(&parts.list);
    profile_free(instr);
    return code;
}

static int finish_fast(struct outcome *out, struct shape_added *added, uint64_t weight)
{
    struct apf_trace *trace = arena_zeros(&out->arena, 1, sizeof *trace);
    int code = trace ? raw_trace_make(&added->seen, &out->arena, trace, NULL) : APF_NO_MEMORY;
    if (code == APF_OK)
        code = copy_ids(out, added->ids.ids.data, added->ids.ids.n);
    if (code != APF_OK)
        return error_memory(&out->error);
    trace->weight = weight;
    out->traces = trace;
    out->n_traces = out->trace_stream = trace->n != 0;
    out->fast = true;
    out->format = APF_FORMAT_RAW;
    out->version = added->clues.version;
    out->producers = releases_that_made(&added->clues);
    out->digests = added->clues.digests;
    out->n_records = added->n_records;
    out->n_profiles = added->n_profiles;
    memcpy(out->quirks, added->quirks, sizeof out->quirks);
    return APF_OK;
}

/* Adds a raw file whose binary is known; *added is false when the general path must be taken. */
static int add_fast(struct batch *b, size_t i, const struct file_bytes *f, unsigned thread, uint64_t weight,
                    struct outcome *out, bool *added)
{
    struct apf_merge *m = b->merge;
    struct raw_part first;
    struct shape_added got = {0};
    *added = false;
    if (m->options.flags & APF_MERGE_GENERAL || raw_part_open(&first, f->data, f->n, 0, NULL) != APF_OK)
        return APF_OK;
    out->variant = first.variant;
    out->class = merge_class_of(first.variant, 0);
    struct merge_class *c = merge_class_get(m, out->class, b->first + i);
    got.ids.arena = &out->arena;
    out->fatal = true;
    int code =
        c ? shapes_add(c->shapes, b->threads[thread].scratch, f->data, f->n, weight, &got, added, &out->error)
          : error_memory(&out->error);
    if (code == APF_OK && *added)
        code = finish_fast(out, &got, weight);
    out->fatal = code != APF_OK;
    VEC_FREE(&got.seen.list);
    VEC_FREE(&got.ids.ids);
    return code;
}

static void run_task(void *context, size_t i, unsigned thread)
{
    struct batch *b = (struct batch *)context;
    struct outcome *out = &b->outcomes[i];
    struct file_bytes *f = &b->threads[thread].bytes;
    uint64_t weight = b->inputs[i].weight ? b->inputs[i].weight : 1;
    bool added = false;
    out->code = file_read(f, &b->inputs[i], b->merge->read.max_bytes, &out->error);
    if (out->code != APF_OK) {
        out->fatal = out->code == APF_NO_MEMORY;
        return;
    }
    out->code = add_fast(b, i, f, thread, weight, out, &added);
    if (out->code == APF_OK && !added)
        out->code = add_general(b, i, f, weight, out);
}

/* ---- committing, in input order ---- */

int merge_report(struct apf_merge *m, int severity, int code, uint64_t input, const char *where,
                 const char *text, uint64_t n, struct apf_error *error)
{
    struct apf_error detail;
    if (!m->options.options.diag)
        return APF_OK;
    error_set_plain(&detail, code, where, "%s (%llu)", text, (unsigned long long)n);
    detail.found = n;
    struct apf_str source = {NULL, 0};
    if (input < m->inputs.n)
        source = m->inputs.data[input].result.name;
    struct apf_diag d = {severity, code, input, source, {NULL, 0}, 0, &detail};
    if (m->options.options.diag(m->options.options.user, &d) != 0)
        return error_plain(error, APF_STOPPED, "diag", NULL);
    return APF_OK;
}

static void count_outcome(struct apf_merge_stats *s, const struct outcome *out)
{
    s->n_inputs++;
    if (out->code == APF_EMPTY_PROFILE)
        s->n_empty++;
    else if (out->code != APF_OK)
        s->n_rejected++;
    else
        s->n_merged++;
    if (out->code != APF_OK)
        return;
    s->n_fast += out->fast;
    s->missing_value_data += out->quirks[QUIRK_MISSING_VALUE_DATA];
    s->large_counters += out->quirks[QUIRK_LARGE_COUNTER];
    s->memprof_dropped += out->quirks[QUIRK_MEMPROF_DROPPED];
}

static int keep_result(struct apf_merge *m, const struct apf_input *input, const struct outcome *out,
                       struct apf_error *error)
{
    struct merge_input kept = {0};
    struct apf_input_result *r = &kept.result;
    struct apf_str name = file_name(input);
    r->name.p = arena_text(&m->arena, name.p, name.n);
    r->name.n = name.n;
    r->code = out->code;
    r->weight = input->weight ? input->weight : 1;
    r->producers = out->producers;
    r->format = out->format;
    r->version = out->version;
    r->variant = out->variant;
    r->n_records = out->n_records;
    kept.class = out->class;
    kept.digests = out->digests;
    if (out->code != APF_OK) {
        struct apf_error *copy = arena_alloc(&m->arena, sizeof *copy);
        if (!copy)
            return error_memory(error);
        *copy = out->error;
        copy->input = m->inputs.n;
        r->error = copy;
    }
    return r->name.p && VEC_PUSH(&m->inputs, kept) ? APF_OK : error_memory(error);
}

static int report_outcome(struct apf_merge *m, const struct outcome *out, struct apf_error *error)
{
    const struct apf_options *o = &m->options.options;
    const struct apf_input_result *r = &m->inputs.data[m->inputs.n - 1].result;
    uint64_t number = m->inputs.n - 1;
    if (out->code == APF_OK)
        return profile_report_quirks(out->quirks, number, r->name, o->diag, o->user, error);
    int severity = out->code == APF_EMPTY_PROFILE ? APF_SEVERITY_NOTE : APF_SEVERITY_ERROR;
    struct apf_diag d = {severity, out->code, number, r->name, {NULL, 0}, 0, r->error};
    if (o->diag && o->diag(o->user, &d) != 0)
        return error_plain(error, APF_STOPPED, "diag", NULL);
    return APF_OK;
}

/* How many ids are looked at before one is added again; what is repeated goes at the end. */
#define IDS_COMPARED 16u

static int keep_ids(struct apf_merge *m, struct merge_class *c, const struct outcome *out,
                    struct apf_error *error)
{
    for (size_t i = 0; i < out->n_ids; i++) {
        const struct apf_str *id = &out->ids[i];
        bool known = false;
        for (size_t k = 0; k < c->ids.n && k < IDS_COMPARED && !known; k++)
            known = c->ids.data[k].n == id->n && memcmp(c->ids.data[k].p, id->p, id->n) == 0;
        if (known)
            continue;
        struct apf_str copy = {arena_text(&m->arena, id->p, id->n), id->n};
        if (!copy.p || !VEC_PUSH(&c->ids, copy))
            return error_memory(error);
    }
    return APF_OK;
}

static int commit(struct apf_merge *m, const struct apf_input *input, struct outcome *out,
                  struct apf_error *error)
{
    struct merge_class *c = &m->classes[out->class];
    int code = keep_result(m, input, out, error);
    if (code == APF_OK && out->code == APF_OK)
        code = keep_ids(m, c, out, error);
    if (code == APF_OK && out->code == APF_OK)
        code = trace_set_add(&c->traces, out->traces, out->n_traces, out->trace_stream, error);
    if (code == APF_OK)
        code = report_outcome(m, out, error);
    count_outcome(&m->stats, out);
    return code;
}

/* Inputs are handled in slices, so that what waits to be committed stays small. */
#define SLICE 256u

static int add_slice(struct batch *b, size_t n, unsigned threads, struct apf_error *error)
{
    int code = APF_OK;
    memset(b->outcomes, 0, n * sizeof *b->outcomes);
    b->first = b->merge->inputs.n;
    pool_run(threads, n, run_task, b);
    for (size_t i = 0; i < n; i++) {
        struct outcome *out = &b->outcomes[i];
        if (code == APF_OK && out->fatal) {
            code = out->code;
            if (error)
                *error = out->error;
        }
        if (code == APF_OK)
            code = commit(b->merge, &b->inputs[i], out, error);
        arena_free(&out->arena);
    }
    return code;
}

static int start_threads(struct batch *b, unsigned threads, size_t slice, struct apf_error *error)
{
    b->outcomes = calloc(slice, sizeof *b->outcomes);
    b->threads = calloc(threads, sizeof *b->threads);
    bool ok = b->outcomes && b->threads;
    for (unsigned t = 0; ok && t < threads; t++) {
        b->threads[t].scratch = shape_scratch_new();
        ok = b->threads[t].scratch != NULL;
    }
    return ok ? APF_OK : error_memory(error);
}

int apf_merge_add(struct apf_merge *m, const struct apf_input *inputs, size_t n, struct apf_error *error)
{
    if (m->broken)
        return error_plain(error, APF_ARGUMENT, "merge", "an earlier call failed half-way");
    merge_drop_view(m);
    unsigned threads = pool_threads(m->options.options.threads, n);
    struct batch b = {m, inputs, NULL, NULL, 0, m->inputs.n + n > 1};
    int code = n ? start_threads(&b, threads, n < SLICE ? n : SLICE, error) : APF_OK;
    for (size_t done = 0; code == APF_OK && done < n;) {
        size_t slice = n - done < SLICE ? n - done : SLICE;
        b.inputs = inputs + done;
        code = add_slice(&b, slice, threads, error);
        done += slice;
    }
    if (code == APF_OK)
        code = merge_settle(m, error);
    for (unsigned t = 0; b.threads && t < threads; t++) {
        file_bytes_free(&b.threads[t].bytes);
        shape_scratch_free(b.threads[t].scratch);
    }
    free(b.threads);
    free(b.outcomes);
    m->broken = code != APF_OK;
    return code;
}

/* ---- one record ---- */

int apf_merge_add_record(struct apf_merge *m, const struct apf_record *record, uint64_t weight,
                         struct apf_error *error)
{
    if (!record->name.n || !record->n_counts || record->n_counts > UINT32_MAX ||
        record->n_bitmap > UINT32_MAX)
        return error_plain(error, APF_ARGUMENT, "merge.record", "a record needs a name and counters");
    struct apf_site *sites = NULL;
    struct record r = {0};
    size_t n = 0;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        if (record->n_sites[k] > UINT32_MAX / 4)
            return error_plain(error, APF_TOO_LARGE, "merge.record.sites", NULL);
        r.n_sites[k] = (uint32_t)record->n_sites[k];
        n += record->n_sites[k];
    }
    struct merge_class *c = merge_class_get(m, merge_class_of(m->variant, 0), m->inputs.n);
    sites = calloc(n + 1, sizeof *sites);
    int code = c && sites ? APF_OK : error_memory(error);
    for (size_t k = 0, at = 0; code == APF_OK && k < APF_VALUE_KINDS; at += record->n_sites[k++])
        if (record->n_sites[k] && record->sites[k])
            memcpy(sites + at, record->sites[k], record->n_sites[k] * sizeof *sites);
    struct record_extra extra = {0, record->n_uniform == record->n_counts ? record->uniform : NULL,
                                 record->uniformity, (uint32_t)record->n_uniformity};
    r.hash = record->hash;
    r.counts = record->counts;
    r.n_counts = (uint32_t)record->n_counts;
    r.bitmap = record->bitmap;
    r.n_bitmap = (uint32_t)record->n_bitmap;
    r.sites = sites;
    r.extra = &extra;
    r.flags = record->counts[0] >= PSEUDO_WARM ? APF_RECORD_PSEUDO : 0;
    merge_drop_view(m);
    if (code == APF_OK)
        code = symbols_add(&m->symbols, record->name.p, record->name.n, true, &r.id, error);
    if (code == APF_OK)
        code = accum_add_profile(c->accum, &r, 1, weight ? weight : 1, error);
    m->extra_records += code == APF_OK;
    free(sites);
    return code;
}

void apf_merge_set_variant(struct apf_merge *m, uint64_t variant)
{
    m->variant = variant;
}

/* ---- results ---- */

const struct apf_input_result *apf_merge_input(const struct apf_merge *m, size_t i)
{
    return i < m->inputs.n ? &m->inputs.data[i].result : NULL;
}

const struct apf_merge_stats *apf_merge_stats(const struct apf_merge *m)
{
    return &m->stats;
}

int apf_merge_verdict(const struct apf_merge *m, enum apf_failure_mode mode)
{
    const struct apf_merge_stats *s = &m->stats;
    bool failed = mode == APF_FAIL_ANY   ? s->n_rejected != 0
                  : mode == APF_FAIL_ALL ? s->n_rejected != 0 && s->n_rejected == s->n_inputs
                                         : false;
    return failed ? APF_INVALID_PROFILE : APF_OK;
}

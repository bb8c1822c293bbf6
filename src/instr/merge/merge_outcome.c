/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/merge/merge_outcome.h"

#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "instr/raw/raw_profile.h"
#include "instr/read/formats.h"
#include "instr/read/salvage.h"

static int copy_traces(struct outcome *out, const struct apf_instr *instr)
{
    size_t n = instr->info.n_traces;
    struct apf_trace *traces = arena_array(out->common.arena, n, sizeof *traces);
    if (!traces)
        return APF_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const struct apf_trace *from = &instr->info.traces[i];
        uint64_t *ids = arena_array(out->common.arena, from->n, sizeof *ids);
        if (!ids)
            return APF_NO_MEMORY;
        memcpy(ids, from->ids, from->n * sizeof *ids);
        traces[i].ids = ids;
        traces[i].n = from->n;
        /* A raw file's trace has the weight of the input; others keep their own, as in LLVM. */
        traces[i].weight = instr->info.format == APF_FORMAT_RAW ? out->common.weight : from->weight;
    }
    out->traces = traces;
    out->n_traces = n;
    out->trace_stream = instr->info.trace_stream_size;
    return APF_OK;
}

static int copy_ids(struct outcome *out, const struct apf_str *from, size_t n)
{
    out->result.binary_ids = profile_copy_ids(from, n, out->common.arena);
    out->result.n_binary_ids = n;
    return out->result.binary_ids ? APF_OK : APF_NO_MEMORY;
}

int outcome_copy_lists(struct outcome *out, const struct apf_instr *instr)
{
    if (copy_ids(out, instr->info.binary_ids, instr->info.n_binary_ids) != APF_OK ||
        copy_traces(out, instr) != APF_OK)
        return error_memory(&out->common.error);
    return APF_OK;
}

/* Copies the info of a file. */
static void record_file(struct apf_input_result *r, const struct apf_instr_info *info)
{
    r->format = (uint32_t)info->format;
    r->version = info->version;
    r->variant = info->variant;
    r->pointer_bits = info->pointer_bits;
    r->big_endian = info->big_endian;
}

void outcome_glance(struct outcome *out, const struct file_bytes *f)
{
    struct apf_instr_info info = {0};
    profile_glance(&info, f->data, f->n);
    record_file(&out->result, &info);
}

void outcome_refuse(struct outcome *out, const struct file_bytes *f)
{
    outcome_glance(out, f);
    out->common.fate = INPUT_REFUSED;
}

void outcome_copy(struct outcome *out, const struct apf_instr *instr)
{
    struct apf_input_result *r = &out->result;
    record_file(r, &instr->info);
    r->producers = instr->info.producers;
    r->n_profiles = instr->info.n_profiles;
    r->n_records = instr->info.n_records;
    r->n_counters = instr->info.n_counters;
    r->sum_of_counts = profile_sum(instr);
    out->digests = instr->digests;
    out->class = merge_class_of(instr->info.variant, instr->info.front_end);
    memcpy(out->quirks, instr->quirks, sizeof out->quirks);
}

int outcome_copy_fast(struct outcome *out, struct shape_added *added)
{
    struct apf_input_result *r = &out->result;
    struct apf_trace *trace = arena_zeros(out->common.arena, 1, sizeof *trace);
    int code = trace ? raw_trace_make(&added->seen, out->common.arena, trace, NULL) : APF_NO_MEMORY;
    if (code == APF_OK)
        code = copy_ids(out, added->ids.ids.data, added->ids.ids.n);
    if (code != APF_OK)
        return error_memory(&out->common.error);
    trace->weight = out->common.weight;
    out->traces = trace;
    out->n_traces = out->trace_stream = trace->n != 0;
    outcome_added(out, BY_SHAPE);
    r->producers = releases_that_made(&added->clues);
    r->n_profiles = added->n_profiles;
    r->n_records = added->n_records;
    r->n_counters = added->n_counters;
    r->sum_of_counts = added->sum_of_counts;
    out->digests = added->clues.digests;
    memcpy(out->quirks, added->quirks, sizeof out->quirks);
    return APF_OK;
}

int outcome_copy_roster(struct outcome *out, const struct apf_instr *instr)
{
    const size_t n = instr->records.n;
    uint64_t *digests = arena_array(out->common.arena, 2 * n, sizeof *digests);
    if (!digests)
        return error_memory(&out->common.error);
    for (size_t i = 0; i < n; i++) {
        const struct record *r = &instr->records.data[i];
        const struct sum_structure structure = {r->n_counts, r->n_bitmap, r->n_sites, r->flags};
        digests[i] = structure_digest(r->id, r->hash, &structure);
    }
    sort_numbers(digests, digests + n, n);
    out->roster = digests;
    return APF_OK;
}

int outcome_copy_salvage(struct outcome *out, const struct apf_instr *instr)
{
    uint64_t *ids = arena_array(out->common.arena, (size_t)instr->salvage->nameless, sizeof *ids);
    size_t n = 0;
    if (!ids)
        return error_memory(&out->common.error);
    for (size_t i = 0; i < instr->records.n; i++)
        if (record_name(instr, &instr->records.data[i]).n == 0)
            ids[n++] = instr->records.data[i].id;
    out->nameless = ids;
    out->salvage = *instr->salvage;
    out->result.salvage = &out->salvage;
    return APF_OK;
}

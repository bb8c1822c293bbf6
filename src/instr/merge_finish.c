/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the sums of a merge to the one profile that is shown and written. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "instr/chained_table.h"
#include "instr/merge.h"
#include "instr/resolve.h"

/* ---- which classes go together ---- */

/* LLVM's rules: a profile that says it is a front-end's does not go with an IR profile, entries-only does not go
 * with block instrumentation. Coverage bytes do not go with counts (LLVM adds them up to 22, and refuses later):
 * the sum would be neither. */
static bool classes_agree(unsigned a, unsigned b)
{
    unsigned both = a | b;
    if ((a ^ b) & CLASS_BYTES)
        return false;
    if (both & CLASS_ENTRY && both & CLASS_BLOCKS)
        return false;
    return !(both & CLASS_IR && both & CLASS_FRONT_END);
}

/* Classes that have inputs, by the number of their first input. */
static unsigned classes_in_order(const struct apf_merge *m, unsigned order[CLASS_COUNT])
{
    unsigned n = 0;
    for (unsigned c = 0; c < CLASS_COUNT; c++) {
        if (!m->classes[c].accum || m->classes[c].first_input == UINT64_MAX)
            continue;
        unsigned at = n++;
        for (; at > 0 && m->classes[order[at - 1]].first_input > m->classes[c].first_input; at--)
            order[at] = order[at - 1];
        order[at] = c;
    }
    return n;
}

/* The classes that agree with those before them. */
static uint32_t agreeing_classes(const struct apf_merge *m)
{
    unsigned order[CLASS_COUNT];
    unsigned n = classes_in_order(m, order);
    uint32_t accepted = 0;
    for (unsigned i = 0; i < n; i++) {
        bool agrees = true;
        for (unsigned c = 0; c < CLASS_COUNT; c++)
            if (accepted >> c & 1 && !classes_agree(c, order[i]))
                agrees = false;
        if (agrees)
            accepted |= (uint32_t)1 << order[i];
    }
    return accepted;
}

static int reject_input(struct apf_merge *m, struct merge_input *input, uint64_t number,
                        struct apf_error *error)
{
    struct apf_error *why = arena_alloc(&m->arena, sizeof *why);
    if (!why)
        return error_memory(error);
    error_set_plain(why, APF_KIND_CONFLICT, "merge.kind",
                    "its kind cannot be added to that of the inputs before it");
    why->input = number;
    input->result.code = APF_KIND_CONFLICT;
    input->result.error = why;
    m->stats.n_merged--;
    m->stats.n_rejected++;
    struct apf_diag d = {
        APF_SEVERITY_ERROR, APF_KIND_CONFLICT, number, input->result.name, {NULL, 0}, 0, why};
    const struct apf_options *o = &m->options.options;
    return o->diag && o->diag(o->user, &d) ? error_plain(error, APF_STOPPED, "diag", NULL) : APF_OK;
}

int merge_settle(struct apf_merge *m, struct apf_error *error)
{
    m->accepted = agreeing_classes(m);
    int code = APF_OK;
    m->stats.front_end_in_ir = 0;
    bool ir = false;
    for (unsigned c = 0; c < CLASS_COUNT; c++)
        ir |= m->accepted >> c & 1 && c & CLASS_IR;
    for (size_t i = 0; code == APF_OK && i < m->inputs.n; i++) {
        struct merge_input *input = &m->inputs.data[i];
        if (input->result.code != APF_OK)
            continue;
        if (!(m->accepted >> input->class & 1))
            code = reject_input(m, input, i, error);
        else if (ir && !(input->class & CLASS_IR) && input->result.format != APF_FORMAT_TEXT)
            m->stats.front_end_in_ir++;
    }
    return code;
}

/* ---- the parts of the view ---- */

static bool bytes_before(const void *context, const void *a, const void *b)
{
    const struct apf_str *x = (const struct apf_str *)a, *y = (const struct apf_str *)b;
    (void)context;
    return sort_compare_bytes(x->p, x->n, y->p, y->n) < 0;
}

/* Sorted by bytes, each once. */
static int finish_ids(struct apf_merge *m, struct apf_error *error)
{
    size_t n = 0, kept = 0;
    for (unsigned c = 0; c < CLASS_COUNT; c++)
        n += m->accepted >> c & 1 ? m->classes[c].ids.n : 0;
    struct apf_str *ids = arena_array(&m->view->arena, 2 * n, sizeof *ids);
    if (!ids)
        return error_memory(error);
    n = 0;
    for (unsigned c = 0; c < CLASS_COUNT; c++)
        for (size_t i = 0; m->accepted >> c & 1 && i < m->classes[c].ids.n; i++)
            ids[n++] = m->classes[c].ids.data[i];
    sort_merge(ids, ids + n, n, sizeof *ids, bytes_before, NULL);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || bytes_before(NULL, &ids[kept - 1], &ids[i]))
            ids[kept++] = ids[i];
    m->view->info.binary_ids = ids;
    m->view->info.n_binary_ids = kept;
    return APF_OK;
}

/* Do all names come from one input? Those of inputs that could not be read are not there; those of inputs that were
 * read, and then found to contradict others, are. */
static bool names_of_one(const struct apf_merge *m)
{
    size_t n = m->extra_records != 0;
    for (size_t i = 0; i < m->inputs.n; i++) {
        int32_t code = m->inputs.data[i].result.code;
        n += code == APF_OK || code == APF_KIND_CONFLICT;
    }
    return n <= 1;
}

/* In the order in which LLVM's writer walks its map: the names come from the map of the reader. Those of a single
 * input went there in the order of the file; of several, the order of arrival must not be seen. */
static bool order_names(const struct apf_merge *m, struct apf_str *names, struct apf_str *scratch, size_t n)
{
    uint32_t *order = malloc(n * sizeof *order + 1);
    bool ok = order != NULL;
    if (!names_of_one(m))
        sort_merge(names, scratch, n, sizeof *names, bytes_before, NULL);
    for (unsigned map = 0; ok && map < 2; map++) {
        ok = string_map_order(names, n, order);
        memcpy(scratch, names, n * sizeof *names);
        for (size_t i = 0; ok && i < n; i++)
            names[i] = scratch[order[i]];
    }
    free(order);
    return ok;
}

static int finish_vtables(struct apf_merge *m, struct apf_error *error)
{
    size_t n = m->vtables.list.n;
    struct apf_str *names = arena_array(&m->view->arena, 2 * n, sizeof *names);
    if (!names)
        return error_memory(error);
    for (size_t i = 0; i < n; i++) {
        names[i].p = m->vtables.list.data[i].p;
        names[i].n = m->vtables.list.data[i].n;
    }
    if (n && !order_names(m, names, names + n, n))
        return error_memory(error);
    m->view->info.vtable_names = names;
    m->view->info.n_vtable_names = n;
    return APF_OK;
}

/* Traces of several classes together: as if they were inputs. */
static int join_traces(const struct apf_merge *m, struct trace_set *joined, struct apf_error *error)
{
    int code = APF_OK;
    struct arena arena = {0};
    struct renames none = {0};
    merge_trace_limits(m, joined);
    for (unsigned c = 0; code == APF_OK && c < CLASS_COUNT; c++) {
        struct apf_trace *traces;
        size_t n;
        uint64_t stream;
        if (!(m->accepted >> c & 1) || !m->classes[c].traces.inputs)
            continue;
        code = trace_set_finish(&m->classes[c].traces, &none, &arena, &traces, &n, &stream, error);
        if (code == APF_OK)
            code = trace_set_add(joined, traces, n, stream, error);
    }
    arena_free(&arena);
    return code;
}

static int finish_traces(struct apf_merge *m, struct apf_error *error)
{
    struct apf_instr_info *info = &m->view->info;
    struct apf_trace *traces = NULL;
    const struct trace_set *set = NULL;
    struct trace_set joined = {0};
    unsigned with_traces = 0;
    for (unsigned c = 0; c < CLASS_COUNT; c++)
        if (m->accepted >> c & 1 && m->classes[c].traces.inputs) {
            set = &m->classes[c].traces;
            with_traces++;
        }
    int code = with_traces > 1 ? join_traces(m, &joined, error) : APF_OK;
    if (with_traces > 1)
        set = &joined;
    if (code == APF_OK && set)
        code = trace_set_finish(set, &m->renames, &m->view->arena, &traces, &info->n_traces,
                                &info->trace_stream_size, error);
    info->traces = traces;
    trace_set_free(&joined);
    return code;
}

/* Bits of all accepted inputs together; MemProf data is never carried over yet, and debug-info correlation is a
 * property of raw files. */
static uint64_t all_variants(const struct apf_merge *m)
{
    uint64_t variant = m->variant;
    for (size_t i = 0; i < m->inputs.n; i++)
        if (m->inputs.data[i].result.code == APF_OK)
            variant |= m->inputs.data[i].result.variant;
    return variant & ~(APF_VARIANT_MEMPROF | APF_VARIANT_DEBUG_CORRELATE);
}

/* ---- the view ---- */

void merge_drop_view(struct apf_merge *m)
{
    if (!m->view)
        return;
    profile_free(m->view);
    m->view = NULL;
    renames_free(&m->renames);
}

static int gather(struct apf_merge *m, struct apf_error *error)
{
    struct accum *accums[CLASS_COUNT];
    struct resolve_input in = {
        accums, 0, &m->symbols, m->view_separator, m->options.options.diag, m->options.options.user};
    int code = APF_OK;
    for (unsigned c = 0; code == APF_OK && c < CLASS_COUNT; c++) {
        if (!(m->accepted >> c & 1))
            continue;
        code = shapes_flush(m->classes[c].shapes, m->classes[c].accum, error);
        accums[in.n_accums++] = m->classes[c].accum;
    }
    struct apf_merge_stats *s = &m->stats;
    s->count_mismatches = s->bitmap_mismatches = s->site_mismatches = s->saturated = 0;
    s->truncated_sites = s->truncated_values = s->unknown_targets = s->nameless = 0;
    s->renamed = s->renamed_merged = 0;
    return code == APF_OK ? resolve(m->view, &in, &m->renames, s, error) : code;
}

int merge_finish(struct apf_merge *m, char separator, struct apf_error *error)
{
    if (m->broken)
        return error_plain(error, APF_ARGUMENT, "merge", "an earlier call failed half-way");
    if (m->view && m->view_separator == separator)
        return APF_OK;
    merge_drop_view(m);
    int code = merge_settle(m, error);
    if (code != APF_OK)
        return code;
    m->view = profile_new();
    if (!m->view)
        return error_memory(error);
    m->view->info.format = APF_FORMAT_MERGED;
    m->view->info.n_profiles = 1;
    m->view->borrows_symbols = true;
    m->view_separator = separator;
    code = gather(m, error);
    if (code == APF_OK)
        code = finish_ids(m, error);
    if (code == APF_OK)
        code = finish_vtables(m, error);
    if (code == APF_OK)
        code = finish_traces(m, error);
    m->view->symbols = m->symbols; /* after the renames have been added */
    m->view->vtables = m->vtables;
    m->view->info.variant = all_variants(m);
    m->view->info.version_word = m->view->info.variant;
    m->stats.n_functions = m->view->records.n;
    if (code != APF_OK)
        merge_drop_view(m);
    return code;
}

int apf_merge_view(struct apf_merge *m, struct apf_instr **view, struct apf_error *error)
{
    int code = merge_finish(m, '\0', error);
    *view = m->view;
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What memory profiles say: allocation contexts by their bytes, their stacks, and accesses of data. */
#include <stdio.h>
#include <string.h>

#include <anyprof/memprof.h>
#include <anyprof/probe.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/sort.h"
#include "report/report_program.h"
#include "report/report_table.h"

/* The most frames of a stack, the innermost ones, that are looked at: deeper ones fit on no page, and a small file can
 * describe many very deep ones. */
#define MOST_DEPTH 128u

/* An allocation context. */
struct context {
    size_t function, alloc; /* for apf_memprof_alloc */
    uint64_t bytes;
};

struct memory_reader {
    struct apf_report *r;
    const struct apf_instr *instr, *other; /* `other` may have names that the profile lacks, or be NULL */
    const struct apf_memprof *memprof;
    const struct apf_memprof_info *info;
    struct apf_probes **programs; /* whose symbols have the names that the profile lacks */
    size_t n_programs;
    bool alone; /* functions are those that allocate */
    VEC(struct context) contexts;
    /* By stack, from 1, the first function with it: LLVM has a context in each function that the innermost one is
     * inlined in. */
    VEC(size_t) owners;
    struct text_memo names;
    uint64_t bytes, cold_bytes, n_cold, allocations;
};

/* The number of the name of a function; HASH_INDEX_NONE: allocation failed. */
static uint32_t name_of(struct memory_reader *m, uint64_t id)
{
    struct apf_str name = apf_instr_name(m->instr, id);
    if (!name.n && m->other)
        name = apf_instr_name(m->other, id);
    for (size_t i = 0; i < m->n_programs && !name.n; i++)
        name = apf_probes_name(m->programs[i], id);
    return name.n ? report_name_staying(m->r, &m->names, name) : report_hash_name(m->r, id);
}

/* ---- one context ---- */

/* Adds the bytes of a context to its stack, whose outermost frame comes first in the tree. */
static bool add_stack(struct memory_reader *m, const uint32_t *frames, size_t n, uint64_t bytes)
{
    struct report_tree *tree = &m->r->memory;
    uint32_t at = 0;
    if (n > MOST_DEPTH) {
        const uint32_t name = report_name(m->r, (struct apf_str){"[more callers]", 14});
        at = name == HASH_INDEX_NONE ? name : report_frame(tree, 0, name);
        n = MOST_DEPTH;
    }
    while (n-- && at != HASH_INDEX_NONE) {
        const uint32_t name = name_of(m, m->info->frames[frames[n]].function);
        at = name == HASH_INDEX_NONE ? name : report_frame(tree, at, name);
    }
    if (at == HASH_INDEX_NONE || !tree->frames.n)
        return at != HASH_INDEX_NONE;
    tree->frames.data[at].self = report_sum(tree->frames.data[at].self, bytes);
    return true;
}

/* Adds a context to the function that allocates, for a profile that has nothing else of functions. */
static bool add_to_function(struct memory_reader *m, uint64_t id, const struct apf_memprof_alloc *alloc)
{
    struct apf_report *r = m->r;
    const uint64_t bytes = alloc->values[APF_MEMPROF_TOTAL_SIZE];
    struct report_function *f = report_function_of(r, name_of(m, id));
    if (!f)
        return false;
    f->id = f->id ? f->id : id;
    f->n_counts += f->n_counts < UINT32_MAX;
    f->total = report_sum(f->total, bytes);
    f->most = bytes > f->most ? bytes : f->most;
    f->entries = report_sum(f->entries, alloc->values[APF_MEMPROF_ALLOC_COUNT]);
    report_count(r, bytes);
    return true;
}

static bool add_context(struct memory_reader *m, size_t function, uint64_t guid, size_t number,
                        const struct apf_memprof_alloc *alloc)
{
    const uint64_t bytes = alloc->values[APF_MEMPROF_TOTAL_SIZE];
    uint32_t frames[MOST_DEPTH];
    while (m->owners.n <= alloc->stack)
        if (!VEC_PUSH(&m->owners, 0))
            return false;
    size_t *owner = &m->owners.data[alloc->stack];
    if (*owner && *owner != function + 1)
        return true;
    *owner = function + 1;
    m->bytes = report_sum(m->bytes, bytes);
    m->allocations = report_sum(m->allocations, alloc->values[APF_MEMPROF_ALLOC_COUNT]);
    m->cold_bytes = report_sum(m->cold_bytes, alloc->is_cold ? bytes : 0);
    m->n_cold += alloc->is_cold;
    const size_t n = apf_memprof_stack(m->memprof, alloc->stack, frames, MOST_DEPTH);
    const struct context context = {function, number, bytes};
    return VEC_PUSH(&m->contexts, context) && add_stack(m, frames, n, bytes) &&
           (!m->alone || add_to_function(m, n ? m->info->frames[frames[0]].function : guid, alloc));
}

static int read_contexts(struct memory_reader *m, struct apf_error *error)
{
    struct apf_memprof_function f = {.size = sizeof f};
    struct apf_memprof_alloc alloc = {.size = sizeof alloc};
    int code = APF_OK;
    for (size_t i = 0; (code = apf_memprof_function(m->memprof, i, &f, error)) == APF_OK; i++) {
        for (size_t k = 0; (code = apf_memprof_alloc(m->memprof, i, k, &alloc, error)) == APF_OK; k++)
            if (!add_context(m, i, f.guid, k, &alloc))
                return error_memory(error);
        if (code != APF_END)
            return code;
    }
    return code == APF_END ? APF_OK : code;
}

/* ---- tables ---- */

static bool write_totals(struct memory_reader *m)
{
    struct report_table *t = REPORT_TABLE(m->r, REPORT_PART_MEMORY, NULL, report_count_columns);
    return t && report_count_row(t, "allocation contexts", m->contexts.n, m->contexts.n) &&
           report_count_row(t, "of them cold, as LLVM decides it", m->n_cold, m->contexts.n) &&
           (!m->info->summary.hot_contexts ||
            report_count_row(t, "of them hot, as the profile says", m->info->summary.hot_contexts,
                             m->info->summary.contexts)) &&
           report_count_row(t, "allocations", m->allocations, m->allocations) &&
           report_count_row(t, "bytes that were allocated", m->bytes, m->bytes) &&
           report_count_row(t, "of them cold", m->cold_bytes, m->bytes);
}

/* Appends a cell with a stack. */
static bool add_calls(struct memory_reader *m, struct report_table *t, uint32_t stack)
{
    struct apf_report *r = m->r;
    uint32_t frames[REPORT_CALLS_SHOWN];
    const size_t n = apf_memprof_stack(m->memprof, stack, frames, REPORT_CALLS_SHOWN);
    struct report_cell cell = {.value = r->calls.n, .whole = n < REPORT_CALLS_SHOWN ? n : REPORT_CALLS_SHOWN};
    for (size_t i = 0; i < cell.whole; i++) {
        const struct apf_memprof_frame *frame = &m->info->frames[frames[i]];
        const struct report_call call = {name_of(m, frame->function), frame->line_offset, frame->column,
                                         frame->is_inline != 0};
        if (call.name == HASH_INDEX_NONE || !VEC_PUSH(&r->calls, call))
            return false;
    }
    if (n > cell.whole) {
        char text[48];
        const int length = snprintf(text, sizeof text, "%zu more callers", n - (size_t)cell.whole);
        cell.text = (struct apf_str){arena_text(&r->arena, text, (size_t)length), (size_t)length};
        if (!cell.text.p)
            return false;
    }
    return VEC_PUSH(&t->cells, cell);
}

/* Appends a cell with a number that a profile may lack. */
static bool add_known(struct report_table *t, bool known, uint64_t n)
{
    return known ? report_cell(t, n) : report_cell_text(t, "unknown");
}

static bool add_row(struct memory_reader *m, struct report_table *t, const struct apf_memprof_alloc *a)
{
    const uint64_t *v = a->values, n = v[APF_MEMPROF_ALLOC_COUNT];
    const bool life = a->fields >> APF_MEMPROF_TOTAL_LIFETIME & 1 && n;
    return add_calls(m, t, a->stack) && report_cell(t, v[APF_MEMPROF_TOTAL_SIZE]) &&
           report_cell_share(t, v[APF_MEMPROF_TOTAL_SIZE], m->bytes) && report_cell(t, n) &&
           add_known(t, a->fields >> APF_MEMPROF_TOTAL_ACCESS_COUNT & 1, v[APF_MEMPROF_TOTAL_ACCESS_COUNT]) &&
           add_known(t, life, life ? v[APF_MEMPROF_TOTAL_LIFETIME] / n : 0) &&
           report_cell_text(t, a->is_cold ? "cold" : "not cold");
}

static bool larger_context(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct context *)a)->bytes > ((const struct context *)b)->bytes;
}

static int write_contexts(struct memory_reader *m, struct apf_error *error)
{
    static const struct report_column columns[] = {
        {"Allocated in", REPORT_CELL_STACK}, {"Bytes", REPORT_CELL_NUMBER},
        {"Share", REPORT_CELL_SHARE},        {"Allocations", REPORT_CELL_NUMBER},
        {"Accesses", REPORT_CELL_NUMBER},    {"Mean lifetime, ms", REPORT_CELL_NUMBER},
        {"For LLVM", REPORT_CELL_TEXT}};
    struct apf_memprof_alloc alloc = {.size = sizeof alloc};
    struct report_table *t =
        REPORT_TABLE(m->r, REPORT_PART_MEMORY, "Allocation contexts with the most bytes", columns);
    if (!t || !SORT_VEC(&m->contexts, larger_context, NULL))
        return error_memory(error);
    for (size_t i = 0; i < m->contexts.n; i++) {
        const struct context *c = &m->contexts.data[i];
        if (!report_row(t))
            continue;
        const int code = apf_memprof_alloc(m->memprof, c->function, c->alloc, &alloc, error);
        if (code != APF_OK)
            return code;
        if (!add_row(m, t, &alloc))
            return error_memory(error);
    }
    return APF_OK;
}

/* ---- data access profiles ---- */

/* A datum, by how often it was accessed. */
struct datum {
    size_t number;
    uint64_t accesses;
};

static bool more_accesses(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct datum *)a)->accesses > ((const struct datum *)b)->accesses;
}

/* Appends a cell with the first place in the source that a datum is from. */
static bool add_place(struct memory_reader *m, struct report_table *t, const struct datum *d, uint64_t n)
{
    struct apf_memprof_location l = {.size = sizeof l};
    char number[48];
    if (n == 0 || apf_memprof_data_location(m->memprof, d->number, 0, &l, NULL) != APF_OK)
        return report_cell_text(t, "");
    const size_t length = (size_t)snprintf(number, sizeof number, n > 1 ? ":%u and %llu more" : ":%u", l.line,
                                           (unsigned long long)(n - 1));
    char *text = (char *)arena_bytes(&m->r->arena, l.file.n + length);
    struct report_cell cell = {.text = {text, l.file.n + length}};
    if (!text)
        return false;
    if (l.file.n)
        memcpy(text, l.file.p, l.file.n);
    memcpy(text + l.file.n, number, length);
    return VEC_PUSH(&t->cells, cell);
}

static bool add_datum(struct memory_reader *m, struct report_table *t, const struct datum *datum)
{
    struct apf_memprof_data d = {.size = sizeof d};
    if (apf_memprof_data(m->memprof, datum->number, &d, NULL) != APF_OK)
        return true;
    const uint32_t name = d.symbol.p ? report_name(m->r, d.symbol) : report_hash_name(m->r, d.hash);
    return name != HASH_INDEX_NONE && report_cell(t, name) &&
           report_cell_text(t, d.symbol.p ? "variable" : "string, by its hash") &&
           report_cell(t, d.access_count) && add_place(m, t, datum, d.n_locations);
}

static bool write_data(struct memory_reader *m)
{
    static const struct report_column columns[] = {{"Data", REPORT_CELL_NAME},
                                                   {"What it is", REPORT_CELL_TEXT},
                                                   {"Accesses", REPORT_CELL_NUMBER},
                                                   {"Place", REPORT_CELL_TEXT}};
    struct apf_memprof_data d = {.size = sizeof d};
    VEC(struct datum) list = {NULL, 0, 0};
    const uint64_t n_cold = m->info->n_cold_symbols + m->info->n_cold_hashes;
    bool ok = true;
    for (size_t i = 0; ok && apf_memprof_data(m->memprof, i, &d, NULL) == APF_OK; i++)
        ok = VEC_PUSH(&list, ((struct datum){i, d.access_count}));
    ok = ok && SORT_VEC(&list, more_accesses, NULL);
    struct report_table *t =
        ok && list.n ? REPORT_TABLE(m->r, REPORT_PART_MEMORY, "Data with the most accesses", columns) : NULL;
    ok = ok && (t || !list.n);
    for (size_t i = 0; ok && i < list.n; i++)
        ok = !report_row(t) || add_datum(m, t, &list.data[i]);
    VEC_FREE(&list);
    if (ok && n_cold) {
        t = REPORT_TABLE(m->r, REPORT_PART_MEMORY, "Data without any access", report_count_columns);
        ok = t && report_count_row(t, "variables", m->info->n_cold_symbols, n_cold) &&
             report_count_row(t, "strings", m->info->n_cold_hashes, n_cold);
    }
    return ok;
}

/* ---- all of it ---- */

/* Opens programs for their symbols. Those that are none are for the comparison of counts, if there are any. */
static int open_programs(struct memory_reader *m, const struct apf_input *programs, size_t n,
                         const struct apf_options *common, struct apf_error *error)
{
    const struct apf_probe_options options = {
        .size = sizeof options, .options = common, .flags = APF_PROBES_OPEN_WITHOUT_PROBES};
    struct apf_error failure;
    m->programs = (struct apf_probes **)calloc(n + 1, sizeof(struct apf_probes *));
    if (!m->programs)
        return error_memory(error);
    for (size_t i = 0; i < n; i++) {
        struct apf_probes **to = &m->programs[m->n_programs];
        int code = apf_probes_open(to, input_at(programs, i), &options, &failure);
        if (code == APF_NO_MEMORY || code == APF_STOPPED || (code != APF_OK && m->alone)) {
            code = file_error(&failure, code, input_at(programs, i), i);
            if (error)
                *error = failure;
            return code;
        }
        m->n_programs += code == APF_OK;
    }
    return APF_OK;
}

int report_read_memory(struct apf_report *r, const struct apf_instr *instr, const struct apf_instr *other,
                       const struct apf_input *programs, size_t n_programs, const struct apf_options *common,
                       struct apf_error *error)
{
    struct memory_reader m = {.r = r, .instr = instr, .other = other, .memprof = apf_instr_memprof(instr)};
    if (!m.memprof)
        return APF_OK;
    m.info = apf_memprof_info(m.memprof);
    m.alone = r->family == REPORT_MEMORY;
    int code = open_programs(&m, programs, n_programs, common, error);
    if (code == APF_OK)
        code = read_contexts(&m, error);
    if (code == APF_OK && m.contexts.n && !write_totals(&m))
        code = error_memory(error);
    if (code == APF_OK && m.contexts.n)
        code = write_contexts(&m, error);
    if (code == APF_OK && !write_data(&m))
        code = error_memory(error);
    text_memo_free(&m.names);
    for (size_t i = 0; i < m.n_programs; i++)
        apf_probes_close(m.programs[i]);
    free(m.programs);
    VEC_FREE(&m.contexts);
    VEC_FREE(&m.owners);
    return code;
}

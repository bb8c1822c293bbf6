/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/convert_flow.h"

#include <string.h>

#include "base/error.h"
#include "bolt/code_flow.h"

bool convert_flow_put_off(struct conversion *c, const struct sample *s, bool is_return)
{
    struct late_fall late = {(uint32_t)(s - c->samples.data), is_return};
    return VEC_PUSH(&c->late, late);
}

/* ---- functions to look at ---- */

static void hit(const struct conversion *c, uint8_t *hits, uint64_t address)
{
    uint32_t function = bolt_find_function(&c->functions, address);
    if (function != BOLT_NONE && c->functions.list.data[function].fragment == BOLT_NONE)
        hits[function] = 1;
}

/* Also those of branches: their code may refer to the inside of others. */
static uint32_t *find_hit(const struct conversion *c, struct arena *scratch, size_t *n)
{
    uint8_t *hits = arena_array(scratch, c->functions.list.n, sizeof *hits);
    uint32_t *list = arena_array(scratch, c->functions.list.n, sizeof *list);
    if (!hits || !list)
        return NULL;
    memset(hits, 0, c->functions.list.n);
    for (size_t i = 0; i < c->samples.n; i++) {
        const struct sample *s = &c->samples.data[i];
        hit(c, hits, s->branch);
        hit(c, hits, s->from);
        hit(c, hits, s->to);
    }
    *n = 0;
    for (uint32_t i = 0; i < c->functions.list.n; i++)
        if (hits[i])
            list[(*n)++] = i;
    return list;
}

/* ---- runs ---- */

/* Nothing is known of where F came from but that it was the same function. */
static bool may_continue(const struct sample *s, const struct bolt_function *f, uint64_t size)
{
    bool has_branch = s->kind == SAMPLE_TRACE || s->kind == SAMPLE_RETURN;
    return s->kind != SAMPLE_FALL && (!has_branch || s->branch - f->address >= size);
}

/* Step i of the runs is from block i of all to the next one. */
static void add_run(struct range_counts *runs, const struct code_flow *flow, const struct sample *s,
                    const struct flow_block *blocks, size_t n)
{
    size_t first = n ? code_flow_number(flow, blocks) : 0;
    if (n)
        range_counts_add(runs, first, first + n - 1, s->count);
}

static bool add_edges(struct conversion *c, const struct range_counts *runs, const struct code_flow *flow,
                      uint32_t function)
{
    size_t n;
    const struct flow_block *blocks = code_flow_blocks(flow, function, &n);
    for (size_t i = 0; i + 1 < n; i++) {
        struct bolt_place a = {function, blocks[i].last}, b = {function, blocks[i + 1].start};
        uint64_t times = range_counts_at(runs, code_flow_number(flow, &blocks[i]));
        if (times && !bolt_edges_add(&c->edges, a, b, times, 0))
            return false;
    }
    return true;
}

static void take_late(struct conversion *c, const struct code_flow *flow, const struct late_fall *late,
                      struct range_counts *runs)
{
    const struct sample *s = &c->samples.data[late->sample];
    uint32_t function = bolt_find_function(&c->functions, s->from);
    const struct bolt_function *f = &c->functions.list.data[function];
    struct flow_run run = {s->from - f->address, s->to - f->address, false, late->is_return};
    const struct flow_block *blocks;
    size_t n;
    run.may_continue = may_continue(s, f, code_flow_size(flow, function));
    switch (code_flow_run(flow, function, &run, &blocks, &n)) {
    case FLOW_RAN:
    case FLOW_IN_STUB:
        count(&c->funnel.falls_mapped, s);
        count(&c->funnel.falls_by_code, s);
        add_run(runs, flow, s, blocks, n);
        break;
    case FLOW_TORN:
        count(&c->funnel.falls_torn, s);
        break;
    case FLOW_JUMPED:
        count(&c->funnel.falls_unresolved, s);
        break;
    default:
        count(&c->funnel.falls_without_table, s);
        break;
    }
}

static bool take_all(struct conversion *c, const struct code_flow *flow, const uint32_t *functions, size_t n,
                     struct arena *scratch)
{
    struct range_counts runs;
    if (!range_counts_open(&runs, scratch, code_flow_n_blocks(flow)))
        return false;
    for (size_t i = 0; i < c->late.n; i++)
        take_late(c, flow, &c->late.data[i], &runs);
    range_counts_settle(&runs, APF_FDATA_MOST);
    for (size_t i = 0; i < n; i++)
        if (!add_edges(c, &runs, flow, functions[i]))
            return false;
    return true;
}

int convert_flow(struct conversion *c, struct apf_error *error)
{
    struct arena scratch = {0};
    struct code_flow *flow = NULL;
    size_t n = 0;
    if (c->late.n == 0)
        return APF_OK;
    uint32_t *functions = find_hit(c, &scratch, &n);
    int code =
        functions ? code_flow_open(&flow, &c->functions, c->code, functions, n, error) : error_memory(error);
    if (code == APF_OK && !take_all(c, flow, functions, n, &scratch))
        code = error_memory(error);
    if (code == APF_OK)
        c->funnel.jumps_unresolved = code_flow_open_jumps(flow);
    code_flow_close(flow);
    arena_free(&scratch);
    return code;
}

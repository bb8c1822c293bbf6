/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/convert_flow.h"

#include "base/error.h"
#include "object/code_flow.h"

/* ---- functions to decode ---- */

struct hit_functions {
    struct code_functions all;
    uint32_t *list; /* numbers of the functions, ascending */
    size_t n;
};

static void mark_hit(const struct conversion *c, uint8_t *hits, uint64_t address)
{
    uint32_t function = bolt_find_function(&c->functions, address);
    if (function != BOLT_NONE && c->functions.list.data[function].fragment == BOLT_NONE)
        hits[function] = 1;
}

/* Finds the functions with samples, also those that only branches hit: their code may refer into other functions.
 * False: allocation failed. */
static bool find_hit(const struct conversion *c, struct arena *scratch, struct hit_functions *hit)
{
    uint8_t *hits = arena_zeros(scratch, c->functions.list.n, sizeof *hits);
    hit->list = arena_array(scratch, c->functions.list.n, sizeof *hit->list);
    hit->all.list = arena_array(scratch, c->functions.list.n, sizeof *hit->all.list);
    if (!hits || !hit->list || !hit->all.list)
        return false;
    for (size_t i = 0; i < c->samples.list.n; i++) {
        const struct branch_sample *s = &c->samples.list.data[i];
        mark_hit(c, hits, s->branch);
        mark_hit(c, hits, s->from);
        mark_hit(c, hits, s->to);
    }
    for (uint32_t i = 0; i < c->functions.list.n; i++) {
        const struct bolt_function *f = &c->functions.list.data[i];
        hit->all.list[hit->all.n++] =
            (struct code_function){f->address, f->size, f->end, f->name, f->is_skipped};
        if (hits[i])
            hit->list[hit->n++] = i;
    }
    return true;
}

/* ---- runs ---- */

/* Whether a run may begin with the return of a call. The branch before an F is known only to be in the same
 * function. */
static bool may_continue(const struct branch_sample *s, const struct bolt_function *f, uint64_t size)
{
    bool has_branch = s->kind == SAMPLE_TRACE || s->kind == SAMPLE_RETURN;
    return s->kind != SAMPLE_FALL && (!has_branch || s->branch - f->address >= size);
}

/* Adds a run of blocks; step i is from block i (of all functions) to the next one. */
static void add_run(struct range_counts *runs, const struct code_flow *flow, const struct branch_sample *s,
                    const struct flow_block *blocks, size_t n)
{
    size_t first = n ? code_flow_number(flow, blocks) : 0;
    if (n)
        range_counts_add(runs, first, first + n - 1, s->count);
}

static int add_edges(struct conversion *c, const struct range_counts *runs, const struct code_flow *flow,
                     uint32_t function, struct apf_error *error)
{
    size_t n;
    const struct flow_block *blocks = code_flow_blocks(flow, function, &n);
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i + 1 < n; i++) {
        struct bolt_edge edge = {{function, blocks[i].last}, {function, blocks[i + 1].start}, 0, 0};
        edge.count = range_counts_at(runs, code_flow_number(flow, &blocks[i]));
        if (edge.count)
            code = bolt_edges_add(&c->edges, &edge, error);
    }
    return code;
}

static void add_late(struct conversion *c, const struct code_flow *flow, const struct late_fall *late,
                     struct range_counts *runs)
{
    const struct branch_sample *s = &c->samples.list.data[late->sample];
    uint32_t function = bolt_find_function(&c->functions, s->from);
    const struct bolt_function *f = &c->functions.list.data[function];
    struct flow_run run = {s->from - f->address, s->to - f->address, false, late->is_return};
    const struct flow_block *blocks;
    size_t n;
    run.may_continue = may_continue(s, f, code_flow_size(flow, function));
    uint32_t lost = APF_BOLT_LOSSES;
    switch (code_flow_run(flow, function, &run, &blocks, &n)) {
    case FLOW_RAN:
    case FLOW_IN_STUB:
        count_sample(&c->funnel.falls_mapped, s);
        if (c->bat->has_table)
            count_sample(&c->funnel.falls_by_code, s);
        add_run(runs, flow, s, blocks, n);
        break;
    case FLOW_TORN:
        count_sample(&c->funnel.falls_inconsistent, s);
        lost = APF_BOLT_LOSS_TORN;
        break;
    case FLOW_JUMPED:
        count_sample(&c->funnel.falls_unresolved, s);
        lost = APF_BOLT_LOSS_UNRESOLVED;
        break;
    default:
        count_sample(&c->funnel.falls_without_table, s);
        lost = APF_BOLT_LOSS_NOT_FOLLOWED;
        break;
    }
    tally_sample(c, function, s, lost);
}

static int add_all(struct conversion *c, const struct code_flow *flow, const struct hit_functions *hit,
                   struct arena *scratch, struct apf_error *error)
{
    struct range_counts runs;
    int code = range_counts_open(&runs, scratch, code_flow_n_blocks(flow)) ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < c->late.n; i++)
        add_late(c, flow, &c->late.data[i], &runs);
    if (code == APF_OK)
        range_counts_settle(&runs, APF_FDATA_MOST);
    for (size_t i = 0; code == APF_OK && i < hit->n; i++)
        code = add_edges(c, &runs, flow, hit->list[i], error);
    return code;
}

int convert_flow(struct conversion *c, struct apf_error *error)
{
    struct arena scratch = {0};
    struct code_flow *flow = NULL;
    struct hit_functions hit = {{c->bat->elf, NULL, 0}, NULL, 0};
    if (c->late.n == 0)
        return APF_OK;
    int code = find_hit(c, &scratch, &hit) ? APF_OK : error_memory(error);
    if (code == APF_OK)
        code = code_flow_open(&flow, &hit.all, c->code, hit.list, hit.n, error);
    if (code == APF_OK)
        code = add_all(c, flow, &hit, &scratch, error);
    if (code == APF_OK)
        c->funnel.jumps_unresolved = code_flow_open_jumps(flow);
    code_flow_close(flow);
    arena_free(&scratch);
    return code;
}

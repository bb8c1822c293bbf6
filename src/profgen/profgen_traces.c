/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_traces.h"

#include "base/error.h"

void profgen_traces_free(struct profgen_traces *t)
{
    pair_counts_free(&t->branches);
    pair_counts_free(&t->ranges);
    VEC_FREE(&t->branch_pairs);
    VEC_FREE(&t->range_pairs);
}

/* The rule of llvm-profgen: branches between places outside are left out before ranges are made of what is between
 * one branch and the next one. */
static void collect_pairs(struct profgen_traces *t, const struct profgen_program *p,
                          const struct address_pair *stack, size_t n, uint64_t count)
{
    uint64_t newer = 0;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool from = code_map_has(p->code, stack[i].a), to = code_map_has(p->code, stack[i].b);
        struct address_pair branch = {from ? stack[i].a : PROFGEN_OUTSIDE, to ? stack[i].b : PROFGEN_OUTSIDE};
        t->counts.outside += from || to ? 0 : count;
        t->counts.into_program += to && !from ? count : 0;
        t->counts.out_of_it += from && !to ? count : 0;
        if (!from && !to)
            continue;
        if (to)
            t->branch_pairs.data[t->branch_pairs.n++] = branch;
        if (kept++)
            t->range_pairs.data[t->range_pairs.n++] = (struct address_pair){branch.b, newer};
        newer = branch.a;
    }
    t->counts.empty += kept ? 0 : count;
}

int profgen_traces_add(struct profgen_traces *t, const struct profgen_program *p,
                       const struct address_pair *stack, size_t n, uint64_t count, struct apf_error *error)
{
    t->branch_pairs.n = t->range_pairs.n = 0;
    t->counts.stacks += count;
    t->counts.branches += count * n;
    if (!VEC_RESERVE(&t->branch_pairs, n) || !VEC_RESERVE(&t->range_pairs, n))
        return error_memory(error);
    collect_pairs(t, p, stack, n, count);
    t->counts.ranges += count * t->range_pairs.n;
    int code = pair_counts_add(&t->branches, t->branch_pairs.data, t->branch_pairs.n, count, error);
    return code == APF_OK ? pair_counts_add(&t->ranges, t->range_pairs.data, t->range_pairs.n, count, error)
                          : code;
}

int profgen_traces_finish(struct profgen_traces *t, const struct profgen_program *p, struct apf_error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->ranges.list.n; i++) {
        const struct pair_count *range = &t->ranges.list.data[i];
        bool inside = range->pair.a != PROFGEN_OUTSIDE && range->pair.b != PROFGEN_OUTSIDE;
        bool ran = inside && code_map_runs(p->code, range->pair.a, range->pair.b);
        t->counts.ranges_outside += inside ? 0 : range->count;
        t->counts.ranges_broken += inside && !ran ? range->count : 0;
        if (ran)
            t->ranges.list.data[kept++] = *range;
    }
    t->ranges.list.n = kept;
    if (code_map_failed(p->code))
        return error_memory(error);
    int code = pair_counts_sort(&t->ranges, error);
    return code == APF_OK ? pair_counts_sort(&t->branches, error) : code;
}

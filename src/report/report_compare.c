/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares the functions of two reports by their shares, where the library compares no profiles of their family: the
 * arithmetic is that of struct apf_diff_totals, with functions in place of counters. */
#include "base/error.h"
#include "base/sort.h"
#include "report/report_model.h"

/* Functions of one name, before [0] and after [1]. */
struct pair {
    uint64_t counts[2], hash[2];
    bool has[2];
};

struct comparer {
    struct apf_report *r;
    VEC(struct pair) pairs; /* by number of the name */
    double all[2];
};

/* Adds the functions of a report. */
static bool add_functions(struct comparer *c, const struct apf_report *from, size_t side)
{
    for (size_t i = 0; i < from->functions.n; i++) {
        const struct report_function *f = &from->functions.data[i];
        const uint32_t name = side ? f->name : report_name(c->r, from->names.data[f->name].raw);
        while (name != HASH_INDEX_NONE && c->pairs.n <= name)
            if (!VEC_PUSH(&c->pairs, ((struct pair){.counts = {0, 0}})))
                return false;
        if (name == HASH_INDEX_NONE)
            return false;
        struct pair *p = &c->pairs.data[name];
        p->counts[side] = report_sum(p->counts[side], f->total);
        p->hash[side] = f->hash;
        p->has[side] = true;
        c->all[side] += (double)f->total;
    }
    return true;
}

uint32_t report_changes(bool before, bool after, const double share[2], bool is_edited)
{
    uint32_t changes = 0;
    if (!before)
        changes = REPORT_NEW;
    else if (!after)
        changes = REPORT_GONE;
    else if (share[0] != share[1])
        changes = share[0] < share[1] ? REPORT_GREW : REPORT_SHRANK;
    return changes | (is_edited ? REPORT_EDITED : 0);
}

void report_begin_comparison(struct apf_report *r, double moved, uint64_t equal)
{
    struct report_comparison *c = &r->comparison;
    c->made = true;
    c->moved = moved;
    c->overlap = moved < 1 ? 1 - moved : 0; /* the sum of all effects may be a little more than 1 */
    c->equal = equal;
}

static struct report_difference difference_of(const struct comparer *c, uint32_t name)
{
    const struct pair *p = &c->pairs.data[name];
    struct report_difference d = {.name = name};
    const int sides = (c->all[0] > 0) + (c->all[1] > 0);
    for (size_t i = 0; i < 2; i++)
        d.share[i] = c->all[i] > 0 ? (double)p->counts[i] / c->all[i] : 0;
    const double moved = d.share[0] < d.share[1] ? d.share[1] - d.share[0] : d.share[0] - d.share[1];
    d.effect = sides ? moved / sides : 0;
    const bool is_edited = p->has[0] && p->has[1] && p->hash[0] && p->hash[1] && p->hash[0] != p->hash[1];
    d.changes = report_changes(p->has[0], p->has[1], d.share, is_edited);
    return d;
}

static bool larger_effect(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct report_difference *)a)->effect > ((const struct report_difference *)b)->effect;
}

int report_compare_functions(struct apf_report *r, const struct apf_report *base, struct apf_error *error)
{
    struct comparer c = {.r = r};
    double moved = 0;
    uint64_t equal = 0;
    bool ok = add_functions(&c, base, 0) && add_functions(&c, r, 1);
    for (size_t i = 0; ok && i < c.pairs.n; i++) {
        const struct pair *p = &c.pairs.data[i];
        if (!p->has[0] && !p->has[1])
            continue;
        const struct report_difference d = difference_of(&c, (uint32_t)i);
        moved += d.effect;
        equal += d.changes == 0;
        ok = d.changes == 0 || VEC_PUSH(&r->comparison.list, d);
    }
    report_begin_comparison(r, moved, equal);
    ok = ok && SORT_VEC(&r->comparison.list, larger_effect, NULL);
    VEC_FREE(&c.pairs);
    return ok ? APF_OK : error_memory(error);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/union_summary.h"

#include "base/error.h"

enum { ITEM_REGION, ITEM_TRUE, ITEM_FALSE, ITEM_CONDITION, ITEM_KINDS };

static bool add(struct union_summary *u, struct union_item item)
{
    return VEC_PUSH(&u->items, item);
}

static uint64_t begin_of(const struct region *r)
{
    return source_place(r->line, r->column);
}

static uint64_t end_of(const struct region *r)
{
    return source_place(r->end_line, r->end_column);
}

/* Adds the sides of a branch that are no constants. */
static bool add_sides(struct union_summary *u, const struct region *r)
{
    bool ok = true;
    for (unsigned side = 0; side < 2 && ok; side++) {
        const struct union_item item = {.begin = begin_of(r),
                                        .end = end_of(r),
                                        .file = r->file,
                                        .what = side ? ITEM_TRUE : ITEM_FALSE,
                                        .covered = branch_count(r, side != 0) != 0};
        ok = branch_folded(r, side != 0) || add(u, item);
    }
    return ok;
}

/* Adds the branches of the main file, and of what is expanded in it. */
static int add_branches(struct union_summary *u, uint32_t main, struct apf_error *error)
{
    struct cov_work *w = &u->work;
    const struct mapping *m = &w->mapping;
    const int code = coverage_files_below(w, main, error);
    bool ok = true;
    for (size_t i = 0; code == APF_OK && i < w->order.n && ok; i++)
        for (uint32_t k = m->starts.data[w->order.data[i]]; k < m->starts.data[w->order.data[i] + 1] && ok;
             k++)
            ok = !region_is_branch(&m->regions.data[k]) || add_sides(u, &m->regions.data[k]);
    return code != APF_OK || ok ? code : error_memory(error);
}

static int add_conditions(struct union_summary *u, uint32_t main, struct apf_error *error)
{
    const int code = coverage_decisions(&u->work, error);
    bool ok = true;
    for (size_t i = 0; code == APF_OK && i < u->work.decisions.list.n && ok; i++) {
        const struct decision *d = &u->work.decisions.list.data[i];
        for (uint32_t k = 0; d->region->file == main && k < d->n_conditions && ok; k++) {
            const struct union_item item = {.begin = begin_of(d->region),
                                            .end = k,
                                            .file = main,
                                            .what = ITEM_CONDITION,
                                            .covered = d->pairs[k][0] != 0};
            ok = d->folded[k] || add(u, item);
        }
    }
    return code != APF_OK || ok ? code : error_memory(error);
}

/* Adds the lines of the segments of a function, which are made. */
static int add_lines(struct union_summary *u, const struct coverage *c, uint32_t file,
                     struct apf_error *error)
{
    const int code = coverage_segments(c, &u->segments, file, error);
    if (code != APF_OK)
        return code;
    struct line_walk walk = line_walk_from(&u->segments, 0);
    struct line_run run;
    bool ok = true;
    while (ok && line_walk_next(&walk, &run)) {
        const struct line_range range = {run.line, run.last};
        ok = (!run.mapped || VEC_PUSH(&u->mapped, range)) && (!run.count || VEC_PUSH(&u->covered, range));
    }
    return ok ? APF_OK : error_memory(error);
}

/* Adds a function. */
static int add_function(struct union_summary *u, const struct coverage *c, const struct cov_function *f,
                        struct apf_error *error)
{
    const struct mapping *m = &u->work.mapping;
    uint32_t main = UINT32_MAX;
    bool ok = true;
    int code = coverage_open(c, f, &u->work, error);
    if (code == APF_OK)
        code = cov_main_file(&u->work, &main, error);
    if (code != APF_OK || main == UINT32_MAX)
        return code;
    for (size_t i = 0; i < m->regions.n && ok; i++) {
        const struct region *r = &m->regions.data[i];
        const struct union_item item = {.begin = begin_of(r),
                                        .end = end_of(r),
                                        .file = r->file,
                                        .what = ITEM_REGION,
                                        .covered = r->count != 0};
        ok = r->kind != REGION_CODE || r->excluded || add(u, item);
        if (ok && region_is_span(r) && r->file == main)
            ok = segments_add(&u->segments, r);
    }
    code = ok ? add_lines(u, c, cov_file_name(&u->work, main), error) : error_memory(error);
    if (code == APF_OK)
        code = add_branches(u, main, error);
    return code == APF_OK ? add_conditions(u, main, error) : code;
}

/* ---- sums ---- */

static int compare_items(const struct union_item *x, const struct union_item *y)
{
    if (x->what != y->what)
        return x->what < y->what ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static bool item_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return compare_items((const struct union_item *)a, (const struct union_item *)b) < 0;
}

static int count_items(struct union_summary *u, struct cov_summary *sum, struct apf_error *error)
{
    struct apf_cov_share *const shares[ITEM_KINDS] = {&sum->regions, &sum->branches, &sum->branches,
                                                      &sum->mcdc};
    if (!SORT_VEC(&u->items, item_before, NULL))
        return error_memory(error);
    for (size_t i = 0, end; i < u->items.n; i = end) {
        bool covered = false;
        for (end = i; end < u->items.n && compare_items(&u->items.data[i], &u->items.data[end]) == 0; end++)
            covered |= u->items.data[end].covered;
        shares[u->items.data[i].what]->n++;
        shares[u->items.data[i].what]->covered += covered;
    }
    return APF_OK;
}

static bool range_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct line_range *)a)->first < ((const struct line_range *)b)->first;
}

/* How many lines there are in ranges, which are sorted, and may overlap. */
static uint64_t count_lines(const struct line_range *ranges, size_t n)
{
    uint64_t lines = 0, next = 0; /* the first line that was not counted */
    for (size_t i = 0; i < n; i++) {
        const uint64_t from = ranges[i].first > next ? ranges[i].first : next;
        lines += ranges[i].last >= from ? ranges[i].last - from + 1 : 0;
        next = ranges[i].last + 1 > next ? ranges[i].last + 1 : next;
    }
    return lines;
}

int union_summarize(struct union_summary *u, const struct coverage *c, const struct sort_key *group, size_t n,
                    struct cov_summary *sum, struct apf_error *error)
{
    int code = APF_OK;
    u->items.n = u->mapped.n = u->covered.n = 0;
    coverage_begin_segments(c, &u->segments);
    for (size_t i = 0; i < n && code == APF_OK; i++)
        code = add_function(u, c, &c->functions.data[group[i].value], error);
    if (code == APF_OK &&
        !(SORT_VEC(&u->mapped, range_before, NULL) && SORT_VEC(&u->covered, range_before, NULL)))
        code = error_memory(error);
    if (code != APF_OK)
        return code;
    sum->lines.n = count_lines(u->mapped.data, u->mapped.n);
    sum->lines.covered = count_lines(u->covered.data, u->covered.n);
    return count_items(u, sum, error);
}

void union_summary_free(struct union_summary *u)
{
    cov_work_free(&u->work);
    segments_free(&u->segments);
    VEC_FREE(&u->items);
    VEC_FREE(&u->mapped);
    VEC_FREE(&u->covered);
}

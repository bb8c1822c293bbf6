/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/file_view.h"

#include "base/error.h"
#include "base/sort.h"

/* ---- the summary ---- */

void summary_add(struct cov_summary *to, const struct cov_summary *from)
{
    share_add(&to->regions, &from->regions);
    share_add(&to->lines, &from->lines);
    share_add(&to->branches, &from->branches);
    share_add(&to->mcdc, &from->mcdc);
    share_add(&to->functions, &from->functions);
    share_add(&to->instantiations, &from->instantiations);
}

static void share_raise(struct apf_cov_share *to, uint32_t n, uint32_t covered)
{
    to->n = n > to->n ? n : to->n;
    to->covered = covered > to->covered ? covered : to->covered;
}

/* Sets what a group of instantiations has: of each number, the largest one counts. */
static void take_largest(const struct coverage *c, const struct sort_key *group, size_t n,
                         struct cov_summary *sum)
{
    for (size_t i = 0; i < n; i++) {
        const struct function_summary *s = &c->functions.data[group[i].value].summary;
        share_raise(&sum->regions, s->regions, s->covered_regions);
        share_raise(&sum->lines, s->lines, s->covered_lines);
        share_raise(&sum->branches, s->branches, s->covered_branches);
        share_raise(&sum->mcdc, s->mcdc, s->covered_mcdc);
    }
}

/* Adds up the instantiations that begin at one place, which are one function. */
static int add_group(struct file_view *v, const struct coverage *c, const struct sort_key *group, size_t n,
                     struct apf_error *error)
{
    struct cov_summary sum = {.functions = {1, 0}};
    int code = APF_OK;
    if (n > 1 && c->unites)
        code = union_summarize(&v->group, c, group, n, &sum, error);
    else
        take_largest(c, group, n, &sum);
    for (size_t i = 0; i < n; i++) {
        const bool ran = c->functions.data[group[i].value].count != 0;
        sum.instantiations.n++;
        sum.instantiations.covered += ran;
        sum.functions.covered |= ran;
    }
    summary_add(&v->summary, &sum);
    return code;
}

int file_view_summarize(struct file_view *v, const struct coverage *c, uint32_t file, struct apf_error *error)
{
    static const struct cov_summary none;
    const struct file_functions functions = coverage_functions(c, file);
    v->file = file;
    v->summary = none;
    v->groups.n = 0;
    if (!VEC_RESERVE(&v->groups, 2 * functions.n))
        return error_memory(error);
    for (size_t i = 0; i < functions.n; i++) {
        const struct cov_function *f = &c->functions.data[(uint32_t)functions.pairs[i]];
        if (f->main_file == file)
            v->groups.data[v->groups.n++] =
                (struct sort_key){source_place(f->line, f->column), (uint32_t)functions.pairs[i]};
    }
    if (v->groups.n)
        sort_keys(v->groups.data, v->groups.data + v->groups.n, v->groups.n);
    int code = APF_OK;
    for (size_t i = 0, end; i < v->groups.n && code == APF_OK; i = end) {
        for (end = i + 1; end < v->groups.n && v->groups.data[end].key == v->groups.data[i].key;)
            end++;
        code = add_group(v, c, &v->groups.data[i], end - i, error);
    }
    return code;
}

/* ---- all of it ---- */

/* Adds the regions in the file of one of the files of the function that was opened. */
static bool add_regions(struct file_view *v, uint32_t function, uint32_t number, bool is_main)
{
    const struct mapping *m = &v->work.mapping;
    const size_t first = v->segments.spans.n;
    bool ok = true, decides = false;
    for (uint32_t i = m->starts.data[number]; i < m->starts.data[number + 1] && ok; i++) {
        const struct region *r = &m->regions.data[i];
        if (region_is_span(r))
            ok = segments_add(&v->segments, r);
        else if (region_is_branch(r))
            ok = VEC_PUSH(&v->branches, *r);
        decides |= r->kind == REGION_DECISION;
        if (ok && is_main && r->kind == REGION_EXPANSION) {
            const struct view_region expansion = {*r, function};
            ok = VEC_PUSH(&v->expansions, expansion);
        }
    }
    ok = ok && segments_end_run(&v->segments, first);
    const size_t n = v->with_decisions.n;
    if (ok && decides && (n == 0 || v->with_decisions.data[n - 1] != function))
        ok = VEC_PUSH(&v->with_decisions, function);
    return ok;
}

static int add_function(struct file_view *v, const struct coverage *c, uint32_t function,
                        struct apf_error *error)
{
    int code = coverage_open(c, &c->functions.data[function], &v->work, error);
    if (code != APF_OK)
        return code;
    uint32_t main;
    bool ok = true;
    code = cov_main_file(&v->work, &main, error);
    if (code != APF_OK)
        return code;
    for (uint32_t i = 0; i < v->work.mapping.files.n && ok; i++)
        if (cov_file_name(&v->work, i) == v->file)
            ok = add_regions(v, function, i, i == main);
    return ok ? APF_OK : error_memory(error);
}

int file_view_make(struct file_view *v, const struct coverage *c, uint32_t file, struct apf_error *error)
{
    const struct file_functions functions = coverage_functions(c, file);
    int code = file_view_summarize(v, c, file, error);
    coverage_begin_segments(c, &v->segments);
    v->branches.n = v->expansions.n = v->with_decisions.n = 0;
    for (size_t i = 0; i < functions.n && code == APF_OK; i++) {
        coverage_fetch(c, functions.pairs, i, functions.n);
        code = add_function(v, c, (uint32_t)functions.pairs[i], error);
    }
    return code == APF_OK ? coverage_segments(c, &v->segments, file, error) : code;
}

void file_view_free(struct file_view *v)
{
    cov_work_free(&v->work);
    segments_free(&v->segments);
    VEC_FREE(&v->branches);
    VEC_FREE(&v->expansions);
    VEC_FREE(&v->with_decisions);
    VEC_FREE(&v->groups);
    union_summary_free(&v->group);
}

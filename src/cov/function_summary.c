/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/function_summary.h"

#include "base/error.h"

/* Counts the branches of the main file, and of what is expanded in it. */
static int count_branches(struct cov_work *w, uint32_t main, struct function_summary *s,
                          struct apf_error *error)
{
    const struct mapping *m = &w->mapping;
    struct apf_cov_share sides = {0, 0};
    const int code = coverage_files_below(w, main, error);
    for (size_t i = 0; code == APF_OK && i < w->order.n; i++)
        for (uint32_t k = m->starts.data[w->order.data[i]]; k < m->starts.data[w->order.data[i] + 1]; k++)
            if (region_is_branch(&m->regions.data[k]))
                branch_count_sides(&sides, &m->regions.data[k]);
    s->branches = (uint32_t)sides.n;
    s->covered_branches = (uint32_t)sides.covered;
    return code;
}

static int count_lines(const struct coverage *c, struct cov_work *w, uint32_t main,
                       struct function_summary *s, struct apf_error *error)
{
    coverage_begin_segments(c, &w->segments);
    bool ok = true;
    for (uint32_t i = w->mapping.starts.data[main]; i < w->mapping.starts.data[main + 1] && ok; i++) {
        const struct region *r = &w->mapping.regions.data[i];
        ok = !region_is_span(r) || segments_add(&w->segments, r);
    }
    const int code =
        ok ? coverage_segments(c, &w->segments, cov_file_name(w, main), error) : error_memory(error);
    if (code != APF_OK)
        return code;
    struct apf_cov_share lines = {0, 0};
    segments_count_lines(&w->segments, 0, &lines);
    s->lines = (uint32_t)lines.n;
    s->covered_lines = (uint32_t)lines.covered;
    return APF_OK;
}

static int count_conditions(struct cov_work *w, uint32_t main, struct function_summary *s,
                            struct apf_error *error)
{
    const int code = coverage_decisions(w, error);
    for (size_t i = 0; code == APF_OK && i < w->decisions.list.n; i++)
        if (w->decisions.list.data[i].region->file == main)
            mcdc_count(&w->decisions.list.data[i], &s->mcdc, &s->covered_mcdc);
    return code;
}

int function_summarize(const struct coverage *c, struct cov_work *w, struct cov_function *f,
                       struct apf_error *error)
{
    const struct mapping *m = &w->mapping;
    bool first = true, placed = false;
    uint32_t main;
    int code = cov_main_file(w, &main, error);
    if (code != APF_OK)
        return code;
    f->first_file = m->files.n ? cov_file_name(w, 0) : HASH_INDEX_NONE;
    for (size_t i = 0; i < m->regions.n; i++) {
        const struct region *r = &m->regions.data[i];
        if (!region_is_span(r))
            continue;
        if (first) {
            f->count = r->count;
            f->first_line = r->line;
        }
        first = false;
        if (!placed && r->file == main) {
            f->line = r->line;
            f->column = r->column;
            placed = true;
        }
        const bool counts = r->kind == REGION_CODE && !r->excluded;
        f->summary.regions += counts;
        f->summary.covered_regions += counts && r->count != 0;
    }
    if (!placed)
        return APF_OK;
    f->main_file = cov_file_name(w, main);
    code = count_lines(c, w, main, &f->summary, error);
    if (code == APF_OK)
        code = count_branches(w, main, &f->summary, error);
    return code == APF_OK ? count_conditions(w, main, &f->summary, error) : code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/covered_lines.h"

int covered_lines_make(struct covered_lines *t, const struct coverage *c, uint32_t file,
                       struct apf_error *error)
{
    int code = file_view_make(&t->view, c, file, error);
    if (code == APF_OK)
        code = line_branches_make(&t->branches, c, &t->view, 0, error);
    if (code == APF_OK)
        covered_lines_drop_branches(t);
    return code;
}

void covered_lines_drop_branches(struct covered_lines *t)
{
    struct line_branches *b = &t->branches;
    struct line_walk walk = line_walk_from(&t->view.segments, 1);
    struct line_run run;
    size_t n = 0, i = 0;
    while (line_walk_next(&walk, &run))
        for (; i < b->list.n && b->list.data[i].line <= run.last; i++)
            if (run.mapped && b->list.data[i].line >= run.line)
                b->list.data[n++] = b->list.data[i];
    b->list.n = n;
}

void covered_lines_free(struct covered_lines *t)
{
    file_view_free(&t->view);
    line_branches_free(&t->branches);
}

struct code_lines code_lines_of(const struct covered_lines *t)
{
    const struct code_lines l = {.table = t, .walk = line_walk_from(&t->view.segments, 1), .at = 1};
    return l;
}

void branch_sides_add(struct apf_cov_share *sides, const struct line_branch *b)
{
    for (unsigned side = 0; side < 2; side++) {
        sides->n += !b->folded[side];
        sides->covered += !b->folded[side] && b->counts[side] != 0;
    }
}

/* Sets the branches of a line, which come in the order of lines. */
static void find_branches(struct code_lines *l, struct code_line *line)
{
    const struct line_branches *b = &l->table->branches;
    while (l->branch < b->list.n && b->list.data[l->branch].line < line->line)
        l->branch++;
    line->branches = ENTRY_AT(b->list.data, l->branch);
    for (; l->branch < b->list.n && b->list.data[l->branch].line == line->line;
         l->branch++, line->n_branches++)
        branch_sides_add(&line->sides, &b->list.data[l->branch]);
}

bool code_lines_next(struct code_lines *l, struct code_line *line)
{
    while (!l->run.mapped || l->at > l->run.last) {
        if (!line_walk_next(&l->walk, &l->run))
            return false;
        l->at = l->run.line;
    }
    *line = (struct code_line){.line = l->at++, .count = l->run.count};
    find_branches(l, line);
    return true;
}

struct line_totals covered_lines_totals(const struct covered_lines *t)
{
    struct line_totals totals = {.lines = {0, 0}};
    segments_count_lines(&t->view.segments, 1, &totals.lines);
    for (size_t i = 0; i < t->branches.list.n; i++)
        branch_sides_add(&totals.sides, &t->branches.list.data[i]);
    return totals;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tracefiles of lcov, as llvm-cov writes them. */
#include <stdlib.h>

#include "base/error.h"
#include "base/text_append.h"
#include "cov/covered_lines.h"
#include "cov/output_pieces.h"
#include "cov/outputs.h"

struct lcov_output {
    const struct cov_output *o;
    const struct coverage *c;
    struct file_out *out;
    struct covered_lines table;
    struct apf_cov_share functions; /* of the file */
};

static void line(struct lcov_output *l, const char *key, uint64_t v)
{
    text_append(l->out, key);
    text_decimal(l->out, v, 0);
    text_append(l->out, "\n");
}

static void pair(struct lcov_output *l, const char *key, uint64_t v, struct apf_str name)
{
    text_append(l->out, key);
    text_decimal(l->out, v, 0);
    text_append(l->out, ",");
    (void)file_out_write(l->out, name.p, name.n);
    text_append(l->out, "\n");
}

/* ---- functions ---- */

/* Writes the functions of the file: those whose main file it is, in LLVM those whose first file it is. */
static void functions(struct lcov_output *l, bool counts)
{
    const bool strict = l->c->strict;
    const uint32_t file = l->table.view.file;
    const struct file_functions functions = coverage_functions(l->c, file);
    l->functions = (struct apf_cov_share){0, 0};
    for (size_t i = 0; i < functions.n; i++) {
        const struct cov_function *f = &l->c->functions.data[(uint32_t)functions.pairs[i]];
        if ((strict ? f->first_file : f->main_file) != file)
            continue;
        l->functions.n++;
        l->functions.covered += f->count != 0;
        if (!cov_output_has(l->o, APF_COV_SKIP_FUNCTIONS | APF_COV_SUMMARY_ONLY))
            pair(l, counts ? "FNDA:" : "FN:", counts ? f->count : strict ? f->first_line : f->line, f->name);
    }
}

/* ---- branches ---- */

/* Writes a side of a branch. */
static void side(struct lcov_output *l, uint64_t line, uint64_t pair, uint64_t branch, uint64_t count,
                 bool ran)
{
    text_append(l->out, "BRDA:");
    text_decimal(l->out, line, 0);
    text_append(l->out, ",");
    text_decimal(l->out, pair, 0);
    text_append(l->out, ",");
    text_decimal(l->out, branch, 0);
    text_append(l->out, ",");
    if (ran)
        text_decimal(l->out, count, 0);
    else
        text_append(l->out, "-");
    text_append(l->out, "\n");
}

/* Writes the branches by lines. LLVM keeps 32 bits of their counts, and writes sides that are constants, too. */
static void branches(struct lcov_output *l)
{
    const struct line_branches *b = &l->table.branches;
    const bool strict = l->c->strict;
    uint64_t line = 0, pair = 0, branch = 0;
    for (size_t i = 0; i < b->list.n; i++) {
        const struct line_branch *at = &b->list.data[i];
        const uint64_t counts[] = {strict ? (uint32_t)at->counts[0] : at->counts[0],
                                   strict ? (uint32_t)at->counts[1] : at->counts[1]};
        if (at->line != line)
            pair = branch = 0;
        line = at->line;
        for (unsigned k = 2; k-- > 0; branch++)
            if (strict || !at->folded[k])
                side(l, line, pair, branch, counts[k], counts[0] || counts[1]);
        pair++;
    }
}

/* ---- lines ---- */

static void lines(struct lcov_output *l)
{
    struct line_walk walk = line_walk_from(&l->table.view.segments, 1);
    struct line_run run;
    while (line_walk_next(&walk, &run))
        for (uint64_t at = run.line; run.mapped && at <= run.last && !l->out->sys_errno; at++) {
            text_append(l->out, "DA:");
            text_decimal(l->out, at, 0);
            text_append(l->out, ",");
            text_decimal(l->out, run.count, 0);
            text_append(l->out, "\n");
        }
}

/* ---- files ---- */

/* Collects what is to be written of a file. */
static int collect(struct lcov_output *l, uint32_t number, struct apf_error *error)
{
    const bool numbers_only = l->c->strict && cov_output_has(l->o, APF_COV_SUMMARY_ONLY);
    const unsigned rules =
        (l->c->strict ? BRANCHES_LLVM : 0) | (cov_output_has(l->o, APF_COV_NO_UNIFY) ? BRANCHES_NO_UNIFY : 0);
    int code = numbers_only ? file_view_summarize(&l->table.view, l->c, number, error)
                            : file_view_make(&l->table.view, l->c, number, error);
    if (code == APF_OK && !numbers_only && !cov_output_has(l->o, APF_COV_SKIP_BRANCHES))
        code = line_branches_make(&l->table.branches, l->c, &l->table.view, rules, error);
    if (code == APF_OK && !l->c->strict)
        covered_lines_drop_branches(&l->table);
    return code;
}

static void share(struct lcov_output *l, const char *found, const char *hit, const struct apf_cov_share *s)
{
    line(l, found, s->n);
    line(l, hit, s->covered);
}

/* Writes a file. Its sums are those of its entries; in LLVM they are those of a report, which differ. */
static void file(struct lcov_output *l, uint32_t number)
{
    const struct apf_str name = l->c->files.list.data[number];
    const bool whole = !cov_output_has(l->o, APF_COV_SUMMARY_ONLY),
               has_branches = !cov_output_has(l->o, APF_COV_SKIP_BRANCHES);
    const struct cov_summary *s = &l->table.view.summary;
    const bool strict = l->c->strict;
    text_append(l->out, "SF:");
    (void)file_out_write(l->out, name.p, name.n);
    text_append(l->out, "\n");
    functions(l, false);
    functions(l, true);
    share(l, "FNF:", "FNH:", strict ? &s->functions : &l->functions);
    if (whole)
        lines(l);
    if (whole && has_branches)
        branches(l);
    const struct line_totals totals =
        strict ? (struct line_totals){s->lines, s->branches} : covered_lines_totals(&l->table);
    if (has_branches)
        share(l, "BRF:", "BRH:", &totals.sides);
    share(l, "LF:", "LH:", &totals.lines);
    text_append(l->out, "end_of_record\n");
}

/* Of struct pieces: a file. */
static int file_piece(void *context, size_t piece, unsigned thread, struct file_out *out,
                      struct apf_error *error)
{
    struct lcov_output *l = &((struct lcov_output *)context)[thread];
    l->out = out;
    const int code = collect(l, l->o->files[piece], error);
    if (code == APF_OK)
        file(l, l->o->files[piece]);
    return code;
}

int cov_write_lcov(const struct cov_output *o)
{
    struct pieces files = {o->n_files, o->c->threads, file_piece, NULL};
    const unsigned threads = pieces_threads(&files);
    struct lcov_output *outputs = calloc(threads, sizeof *outputs); /* for each thread */
    if (!outputs)
        return error_memory(o->error);
    files.context = outputs;
    for (unsigned i = 0; i < threads; i++) {
        outputs[i].o = o;
        outputs[i].c = o->c;
    }
    const int code = pieces_write(&files, o->out, o->error);
    for (unsigned i = 0; i < threads; i++)
        covered_lines_free(&outputs[i].table);
    free(outputs);
    return code;
}

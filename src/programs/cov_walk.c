/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hands out the files, lines and functions of coverage, and compares it with a diff or with other coverage. */
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "cov/covered_lines.h"
#include "cov/diff.h"
#include "programs/cov_programs.h"

size_t apf_cov_n_files(const struct apf_cov *cov)
{
    return cov->n_files;
}

struct apf_str apf_cov_file_name(const struct apf_cov *cov, size_t file)
{
    const struct apf_str none = {"", 0};
    return file < cov->n_files ? cov->coverage.files.list.data[cov->files[file]] : none;
}

int apf_cov_lines(const struct apf_cov *cov, size_t file, apf_cov_line_fn *fn, void *user,
                  struct apf_error *error)
{
    struct covered_lines lines = {.view = {.file = 0}};
    if (file >= cov->n_files)
        return error_plain(error, APF_ARGUMENT, "apf_cov_lines.file", "there are fewer source files");
    int code = covered_lines_make(&lines, &cov->coverage, cov->files[file], error);
    struct code_lines all = code_lines_of(&lines);
    struct code_line line;
    while (code == APF_OK && code_lines_next(&all, &line)) {
        const struct apf_cov_line shown = {line.line, line.count, line.sides};
        if (fn(user, &shown) != 0)
            code = error_plain(error, APF_STOPPED, NULL, NULL);
    }
    covered_lines_free(&lines);
    return code;
}

/* ---- functions ---- */

/* The number of a file by its name's number. */
static uint64_t file_number(const struct apf_cov *cov, uint32_t name)
{
    return name == HASH_INDEX_NONE || !cov->numbers ? UINT64_MAX : cov->numbers[name];
}

struct apf_cov_function cov_function_of(const struct apf_cov *cov, const struct cov_function *f)
{
    const struct cov_object *o = &cov->coverage.objects[f->object];
    const struct function_summary *s = &f->summary;
    const struct apf_cov_function shown = {.name = f->name,
                                           .file = file_number(cov, f->main_file),
                                           .line = f->line,
                                           .column = f->column,
                                           .count = f->count,
                                           .hash = o->records.data[f->record].hash,
                                           .regions = {s->regions, s->covered_regions},
                                           .lines = {s->lines, s->covered_lines},
                                           .branches = {s->branches, s->covered_branches},
                                           .mcdc = {s->mcdc, s->covered_mcdc},
                                           .fit = f->fit,
                                           .program = o->program};
    return shown;
}

static struct apf_cov_function loss_of(const struct apf_cov *cov, const struct cov_loss *loss)
{
    const struct cov_object *o = &cov->coverage.objects[loss->object];
    const struct cov_record *record = &o->records.data[loss->record];
    const struct apf_cov_function lost = {.name = cov_names_text(&cov->coverage.names, record->name),
                                          .file = UINT64_MAX,
                                          .hash = record->hash,
                                          .fit = loss->fit,
                                          .program = o->program};
    return lost;
}

int apf_cov_functions(const struct apf_cov *cov, int left_out, apf_cov_function_fn *fn, void *user,
                      struct apf_error *error)
{
    const struct coverage *c = &cov->coverage;
    for (size_t i = 0; i < (left_out ? c->losses.n : c->functions.n); i++) {
        const struct apf_cov_function f =
            left_out ? loss_of(cov, &c->losses.data[i]) : cov_function_of(cov, &c->functions.data[i]);
        if (fn(user, &f) != 0)
            return error_plain(error, APF_STOPPED, NULL, NULL);
    }
    return APF_OK;
}

int apf_cov_unpaired_markers(const struct apf_cov *cov, apf_cov_marker_fn *fn, void *user,
                             struct apf_error *error)
{
    const struct exclusions *e = &cov->coverage.exclusions;
    for (size_t i = 0; i < e->files.n; i++)
        for (size_t k = 0; k < e->files.data[i].unpaired.n; k++) {
            const struct unpaired_marker *m = &e->files.data[i].unpaired.data[k];
            const struct apf_cov_marker shown = {cov->coverage.files.list.data[i], m->line, m->stops,
                                                 m->branches};
            if (fn(user, &shown) != 0)
                return error_plain(error, APF_STOPPED, NULL, NULL);
        }
    return APF_OK;
}

/* ---- regions ---- */

static struct apf_cov_region region_of(const struct apf_cov *cov, const struct cov_work *w,
                                       const struct region *r)
{
    const bool branch = region_is_branch(r), condition = r->kind == REGION_CONDITION;
    const bool runs = branch || (region_is_span(r) && r->kind != REGION_SKIPPED);
    const struct apf_cov_region shown = {
        .kind = r->kind,
        .part = r->file,
        .expanded = r->kind == REGION_EXPANSION ? r->expanded : 0,
        .excluded = r->excluded,
        .file = file_number(cov, cov_file_name(w, r->file)),
        .line = r->line,
        .column = r->column,
        .end_line = r->end_line,
        .end_column = r->end_column,
        .count = runs ? r->count : 0,
        .false_count = branch ? r->false_count : 0,
        .constant = branch ? branch_folded(r, true) + 2u * branch_folded(r, false) : 0,
        .n_conditions = r->kind == REGION_DECISION ? r->n_conditions : 0,
        .condition = condition ? r->id : NO_CONDITION,
        .if_false = condition ? r->next[0] : NO_CONDITION,
        .if_true = condition ? r->next[1] : NO_CONDITION};
    return shown;
}

int apf_cov_regions(const struct apf_cov *cov, size_t function, apf_cov_region_fn *fn, void *user,
                    struct apf_error *error)
{
    const struct coverage *c = &cov->coverage;
    struct cov_work w = {.object = NULL};
    if (function >= c->functions.n)
        return error_plain(error, APF_ARGUMENT, "apf_cov_regions.function", "there are fewer functions");
    int code = coverage_open(c, &c->functions.data[function], &w, error);
    for (size_t i = 0; code == APF_OK && i < w.mapping.regions.n; i++) {
        const struct apf_cov_region shown = region_of(cov, &w, &w.mapping.regions.data[i]);
        if (fn(user, &shown) != 0)
            code = error_plain(error, APF_STOPPED, NULL, NULL);
    }
    cov_work_free(&w);
    return code;
}

/* ---- comparison ---- */

/* Chooses the files that the filter takes, by name. */
static int choose_files(struct file_choice *f, const struct apf_cov *cov,
                        const struct apf_cov_diff_options *o, struct apf_error *error)
{
    const struct apf_cov_write_options all = {.filter = o->filter, .user = o->user};
    return file_choice_make(f, cov, &all, error);
}

static int compare_patch(const struct cov_diff_request *r, const struct apf_options *common)
{
    struct patch patch = {.files = {NULL, 0, 0}};
    struct file_bytes bytes = {.data = NULL};
    int code = file_read(&bytes, r->options->patch, options_max_bytes(common), r->error);
    if (code == APF_OK)
        code = patch_read(&patch, (struct apf_str){(const char *)bytes.data, bytes.n}, r->error);
    if (code == APF_OK)
        code = cov_diff_patch(r, &patch);
    patch_free(&patch);
    file_bytes_free(&bytes);
    return code;
}

static int compare_base(const struct cov_diff_request *r)
{
    const struct apf_cov *base = r->options->base;
    struct file_choice then = {NULL, 0};
    int code = choose_files(&then, base, r->options, r->error);
    if (code == APF_OK)
        code = cov_diff_base(r, &base->coverage, then.files, then.n);
    free(then.files);
    return code;
}

static int read_options(struct apf_cov_diff_options *o, struct apf_options *common,
                        const struct apf_cov_diff_options *options, struct apf_error *error)
{
    int code = OPTIONS_READ_BOTH(apf_cov_diff_options, o, options, common, error);
    if (code == APF_OK && o->format > APF_COV_DIFF_JSON)
        code = error_plain(error, APF_ARGUMENT, "apf_cov_diff_options.format", "no such format");
    if (code == APF_OK && !o->patch == !o->base)
        code = error_plain(error, APF_ARGUMENT, "apf_cov_diff_options.patch",
                           "either a diff or a base is needed");
    if (code == APF_OK && o->patch)
        code = inputs_check(o->patch, 1, error);
    return code;
}

int apf_cov_diff(const struct apf_cov *cov, const struct apf_cov_diff_options *options,
                 const struct apf_output *output, struct apf_cov_diff_result *result, struct apf_error *error)
{
    struct apf_cov_diff_options o;
    struct apf_options common;
    struct file_choice now = {NULL, 0};
    struct apf_cov_diff_result found = {.size = sizeof found};
    struct file_out *out;
    int code = read_options(&o, &common, options, error);
    if (code == APF_OK)
        code = output_check(output, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_cov_diff_result, result, error);
    if (code == APF_OK)
        code = choose_files(&now, cov, &o, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code == APF_OK) {
        const struct cov_diff_request r = {&cov->coverage, now.files,        now.n, &o, out,
                                           &found,         common.max_bytes, error};
        code = file_out_finish(out, o.patch ? compare_patch(&r, &common) : compare_base(&r), error);
    }
    if (code == APF_OK && result)
        result_fill(result, sizeof found, &found);
    free(now.files);
    return code;
}

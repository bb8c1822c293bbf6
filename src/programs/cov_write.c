/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the coverage of programs. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/make_directories.h"
#include "base/options.h"
#include "cov/outputs.h"
#include "programs/cov_programs.h"

/* ---- which files ---- */

/* Whether a file is the source, or in the directory that it is. */
static bool is_below(struct apf_str name, const char *source)
{
    const size_t n = strlen(source);
    return file_names_begin(name, source, n) &&
           (name.n == n || n == 0 || name.p[n] == '/' || name.p[n - 1] == '/');
}

size_t apf_cov_source_files(const struct apf_cov *cov, const char *source)
{
    const struct text_set *names = &cov->coverage.files;
    size_t n = 0;
    /* a file of which no function is shown is there, too */
    for (size_t i = 0; i < (cov->filter ? names->list.n : cov->n_files); i++)
        n += is_below(names->list.data[cov->filter ? i : cov->files[i]], source);
    return n;
}

static int is_wanted(const struct apf_cov_write_options *o, struct apf_str name, bool *wanted,
                     struct apf_error *error)
{
    const int answer = o->filter ? o->filter(o->user, name) : 1;
    *wanted = answer > 0;
    return answer < 0 ? error_memory(error) : APF_OK;
}

/* Takes the files that are a source, or below it, and were not taken before. */
static int take_files(struct file_choice *f, const struct apf_cov *cov, const struct apf_cov_write_options *o,
                      const char *source, uint8_t *taken, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; i < cov->n_files && code == APF_OK; i++) {
        const struct apf_str name = cov->coverage.files.list.data[cov->files[i]];
        bool wanted = false;
        if (taken[i] || !is_below(name, source))
            continue;
        taken[i] = 1;
        code = is_wanted(o, name, &wanted, error);
        if (wanted)
            f->files[f->n++] = cov->files[i];
    }
    return code;
}

int file_choice_make(struct file_choice *f, const struct apf_cov *cov, const struct apf_cov_write_options *o,
                     struct apf_error *error)
{
    uint8_t *taken = calloc(cov->n_files + 1, 1);
    int code = APF_OK;
    f->files = malloc((cov->n_files + 1) * sizeof *f->files);
    if (!taken || !f->files)
        code = error_memory(error);
    for (size_t i = 0; i < o->n_sources && code == APF_OK; i++)
        code = take_files(f, cov, o, o->sources[i], taken, error);
    if (code == APF_OK && !o->n_sources)
        code = take_files(f, cov, o, "", taken, error);
    free(taken);
    return code;
}

/* ---- writing ---- */

#define WRITE_FLAGS (2 * APF_COV_INDEX_MCDC - 1)

static int write_format(const struct cov_output *o)
{
    static int (*const writers[])(const struct cov_output *o) = {
        [APF_COV_JSON] = cov_write_json,       [APF_COV_LCOV] = cov_write_lcov,
        [APF_COV_REPORT] = cov_write_report,   [APF_COV_FUNCTIONS] = cov_write_functions,
        [APF_COV_SHOW] = cov_write_show,       [APF_COV_COBERTURA] = cov_write_cobertura,
        [APF_COV_CODECOV] = cov_write_codecov, [APF_COV_COVERALLS] = cov_write_coveralls,
        [APF_COV_HTML] = cov_write_html};
    return writers[o->options->format](o);
}

static int read_options(struct apf_cov_write_options *o, const struct apf_cov_write_options *options,
                        struct apf_options *common, struct apf_error *error)
{
    int code = OPTIONS_READ_BOTH(apf_cov_write_options, o, options, common, error);
    if (code == APF_OK)
        code = flags_check(o->flags, WRITE_FLAGS, "apf_cov_write_options.flags", error);
    if (code == APF_OK && o->format > APF_COV_HTML)
        code = error_plain(error, APF_ARGUMENT, "apf_cov_write_options.format", "no such format");
    return code;
}

int apf_cov_totals(const struct apf_cov *cov, const struct apf_cov_write_options *options,
                   struct apf_cov_totals *totals, struct apf_error *error)
{
    struct apf_cov_write_options o;
    struct cov_summary sum = {.functions = {0, 0}};
    struct file_view view = {.file = 0};
    struct apf_options common;
    int code = read_options(&o, options, &common, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_cov_totals, totals, error);
    if (code != APF_OK)
        return code;
    struct file_choice f = {.n = 0};
    code = file_choice_make(&f, cov, &o, error);
    for (size_t i = 0; i < f.n && code == APF_OK; i++) {
        code = file_view_summarize(&view, &cov->coverage, f.files[i], error);
        summary_add(&sum, &view.summary);
    }
    const struct apf_cov_totals all = {sizeof all, sum.regions,  sum.functions, sum.instantiations,
                                       sum.lines,  sum.branches, sum.mcdc};
    if (code == APF_OK)
        result_fill(totals, sizeof all, &all);
    file_view_free(&view);
    free(f.files);
    return code;
}

int apf_cov_write(const struct apf_cov *cov, const struct apf_cov_write_options *options,
                  const struct apf_output *output, struct apf_error *error)
{
    struct apf_cov_write_options o;
    struct apf_options common;
    int code = read_options(&o, options, &common, error);
    if (code == APF_OK)
        code = output_check(output, error);
    if (code != APF_OK)
        return code;
    struct file_choice f = {.n = 0};
    struct file_out *out;
    code = file_choice_make(&f, cov, &o, error);
    if (code == APF_OK) {
        code = file_out_open(&out, output, error);
        if (code == APF_OK) {
            const struct cov_output all = {&cov->coverage, f.files, f.n, &o, out, common.max_bytes, error};
            code = file_out_finish(out, write_format(&all), error);
        }
    }
    free(f.files);
    return code;
}

int apf_cov_write_pages(const struct apf_cov *cov, const struct apf_cov_write_options *options,
                        const char *directory, struct apf_error *error)
{
    struct apf_cov_write_options o;
    struct apf_options common;
    int code = read_options(&o, options, &common, error);
    if (code == APF_OK &&
        ((o.format != APF_COV_HTML && o.format != APF_COV_SHOW) || !directory || !*directory))
        code = error_plain(error, APF_ARGUMENT, "apf_cov_write_pages",
                           "pages are HTML or source code, in a directory");
    if (code == APF_OK)
        code = make_directories(directory, error);
    if (code != APF_OK)
        return code;
    struct file_choice f = {.n = 0};
    code = file_choice_make(&f, cov, &o, error);
    if (code == APF_OK) {
        const struct cov_output pages = {&cov->coverage, f.files, f.n, &o, NULL, common.max_bytes, error};
        code = o.format == APF_COV_HTML ? cov_write_pages(&pages, directory)
                                        : cov_write_show_pages(&pages, directory);
    }
    free(f.files);
    return code;
}

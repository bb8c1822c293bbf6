/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is written about coverage. All outputs stream: memory grows with a file's regions, not with the output. */
#ifndef COV_OUTPUTS_H
#define COV_OUTPUTS_H

#include "base/file.h"
#include "cov/file_view.h"
#include "cov/source_text.h"

/* What is to be written, and where. */
struct cov_output {
    const struct coverage *c;
    const uint32_t *files; /* those to be shown, in order */
    size_t n_files;
    const struct apf_cov_write_options *options; /* complete */
    struct file_out *out;
    uint64_t max_source; /* bytes of a source file, as in source_texts */
    struct apf_error *error;
};

static inline bool cov_output_has(const struct cov_output *o, uint32_t flag)
{
    return (o->options->flags & flag) != 0;
}

/* The name of a function as it is shown, until the next call. */
static inline struct apf_str cov_output_name(const struct cov_output *o, const struct cov_function *f)
{
    const struct apf_cov_write_options *options = o->options;
    return options->function_name ? options->function_name(options->names, f->name) : f->name;
}

/* The texts of source files for an output. */
static inline struct source_texts cov_output_texts(const struct cov_output *o)
{
    const struct apf_cov_write_options *options = o->options;
    const struct source_texts texts = {.changes = options->source_map,
                                       .n_changes = options->n_source_map,
                                       .source = options->source,
                                       .user = options->user,
                                       .max_bytes = o->max_source};
    return texts;
}

/* llvm-cov export -format=text, as LLVM 22 writes it. */
int cov_write_json(const struct cov_output *o);
/* llvm-cov export -format=lcov. */
int cov_write_lcov(const struct cov_output *o);
/* Cobertura's XML. */
int cov_write_cobertura(const struct cov_output *o);
/* The JSON of Codecov, and that of Coveralls. */
int cov_write_codecov(const struct cov_output *o);
int cov_write_coveralls(const struct cov_output *o);
/* llvm-cov report. */
int cov_write_report(const struct cov_output *o);
/* llvm-cov report -show-functions. */
int cov_write_functions(const struct cov_output *o);
/* llvm-cov show, as text. */
int cov_write_show(const struct cov_output *o);
/* The same with -output-dir: a file for each source file, and a table of them; o->out is NULL. */
int cov_write_show_pages(const struct cov_output *o, const char *directory);

/* One page for browsers. */
int cov_write_html(const struct cov_output *o);
/* A page for each file, and one with a table of them, in a directory; o->out is not used. */
int cov_write_pages(const struct cov_output *o, const char *directory);

/* How long the longest directory is that all files are in, with the '/' after it. */
size_t cov_common_directory(const struct cov_output *o);

/* A share in per cent; 0 of 0 is 0. */
double cov_percent(const struct apf_cov_share *s);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is written about coverage. All outputs stream: memory grows with a file's regions, not with the output. */
#ifndef COV_OUTPUTS_H
#define COV_OUTPUTS_H

#include "base/file.h"
#include "cov/file_view.h"

/* Files to be shown, in order. */
struct cov_selection {
    const uint32_t *files;
    size_t n;
};

enum {
    COV_SUMMARY_ONLY = 1,
    COV_SKIP_EXPANSIONS = 2,
    COV_SKIP_FUNCTIONS = 4,
    COV_SKIP_BRANCHES = 8,
    COV_NO_UNIFY = 16 /* lcov: branches of instantiations are not added up */
};

/* llvm-cov export -format=text, as LLVM 22 writes it. */
int cov_write_json(const struct coverage *c, const struct cov_selection *files, unsigned flags,
                   struct file_out *out, struct apf_error *error);
/* llvm-cov export -format=lcov. */
int cov_write_lcov(const struct coverage *c, const struct cov_selection *files, unsigned flags,
                   struct file_out *out, struct apf_error *error);

enum { COV_REGION_COLUMNS = 1, COV_BRANCH_COLUMNS = 2, COV_INSTANTIATION_COLUMNS = 4, COV_MCDC_COLUMNS = 8 };

/* llvm-cov report. */
int cov_write_report(const struct coverage *c, const struct cov_selection *files, unsigned columns,
                     bool has_filters, struct file_out *out, struct apf_error *error);
/* llvm-cov report -show-functions. */
int cov_write_functions(const struct coverage *c, const struct cov_selection *files, unsigned columns,
                        struct file_out *out, struct apf_error *error);

enum {
    COV_SHOW_COUNTS = 1,
    COV_SHOW_REGIONS = 2,
    COV_SHOW_EXPANSIONS = 4,
    COV_SHOW_INSTANTIATIONS = 8,
    COV_SHOW_MCDC = 16,
    COV_SHOW_BINARY = 32 /* counts are 0 or 1 */
};
enum { COV_BRANCHES_HIDDEN, COV_BRANCHES_COUNT, COV_BRANCHES_PERCENT };

struct cov_show_options {
    unsigned flags;                        /* COV_SHOW_* */
    unsigned branches;                     /* COV_BRANCHES_* */
    const struct apf_name_change *changes; /* of the beginnings of names of source files */
    size_t n_changes;
    /* NULL, or gets the name of each source file that cannot be read, and is not shown. */
    void (*missing)(void *user, struct apf_str name);
    void *user;
};

/* llvm-cov show, as text without colours. */
int cov_write_show(const struct coverage *c, const struct cov_selection *files,
                   const struct cov_show_options *options, struct file_out *out, struct apf_error *error);

/* A share in per cent; 0 of 0 is 0. */
double cov_percent(const struct cov_share *s);

#endif

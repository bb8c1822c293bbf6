/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A source file as HTML: a table of its lines, below which their branches, decisions, macros and instantiations are
 * folded. */
#ifndef COV_HTML_SOURCE_H
#define COV_HTML_SOURCE_H

#include "cov/source_view.h"

struct html_source {
    const struct cov_output *o;
    struct file_out *out;
    struct view_reader reader;
    /* number of the file on the page, which is in the ids of its lines; 0: it is the only one */
    uint64_t page;
};

/* html_source_free must follow either way. */
int html_source_init(struct html_source *h, const struct cov_output *o);
void html_source_free(struct html_source *h);
/* Writes the table of a file; *there says whether its source could be read. */
int html_source_write(struct html_source *h, uint32_t file, bool *there);

/* Writes "87.50% (7/8)". */
void html_share(struct file_out *out, const struct apf_cov_share *s);
/* The shares from which on they are good, or fair, in parts of SHARE_ONE. */
struct html_limits {
    uint32_t good, fair;
};
struct html_limits html_limits_of(const struct cov_output *o);
/* "good", "fair" or "poor"; of nothing, "soft". */
const char *html_rank(const struct cov_output *o, const struct apf_cov_share *s);

#endif

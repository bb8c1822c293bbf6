/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The source code of lines that a comparison of coverage is about. */
#ifndef COV_DIFF_LINES_H
#define COV_DIFF_LINES_H

#include "cov/diff.h"
#include "cov/source_text.h"

struct diff_lines {
    const struct cov_diff_request *r;
    bool shown; /* else source files are only looked for */
    struct source_texts texts;
    struct apf_buffer text; /* what will be printed */
    struct file_out *out;   /* into it */
    uint64_t left;          /* lines that may be added */
    uint64_t n_more, n_more_files;
};

/* Text shows lines, the other formats do not. APF_NO_MEMORY. diff_lines_free must follow either way. */
int diff_lines_init(struct diff_lines *l, const struct cov_diff_request *r);
/* Looks for the source file with this number of its name, and adds the first lines in the ranges, if it can be read. */
int diff_lines_add(struct diff_lines *l, uint32_t file, struct apf_str shown_name,
                   const struct line_ranges *ranges);
/* Writes what was added, below a heading. */
int diff_lines_print(struct diff_lines *l, const char *heading);
void diff_lines_free(struct diff_lines *l);

#endif

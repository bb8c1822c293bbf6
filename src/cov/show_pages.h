/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The directory of text files that llvm-cov show -output-dir writes: index.txt, and a file for each source file. */
#ifndef COV_SHOW_PAGES_H
#define COV_SHOW_PAGES_H

#include "cov/outputs.h"
#include "cov/page_names.h"

struct show_pages {
    const char *directory;
    const struct cov_output *o;
    struct page_names names;
};

/* Writes index.txt. */
int show_pages_index(struct show_pages *pages);
/* Opens the text about a source file, and writes what is above the source code. */
int show_pages_open(struct show_pages *pages, uint32_t file, struct file_out **out);

#endif

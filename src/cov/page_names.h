/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of the files of pages: those of source files, as far as file systems and links can hold them. */
#ifndef COV_PAGE_NAMES_H
#define COV_PAGE_NAMES_H

#include <stdbool.h>

#include <anyprof/error.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"

/* All zero = empty. */
struct page_names {
    struct arena arena;
    struct hash_index index;
    VEC(const char *) list;
    bool exact; /* capitals are other letters than small ones; the caller sets it before the first name */
};

/* A name for the page of a source file, without ".html": letters, digits, '-', '_', '.', and no other page has it, also
 * where capitals count as small letters. NULL: an allocation failed. */
const char *page_names_add(struct page_names *names, struct apf_str source);
/* The path of a page; NULL: an allocation failed. */
char *page_names_path(struct page_names *names, const char *directory, const char *name);
/* The path of the text about a source file, below a directory, as llvm-cov names it: "DIRECTORY/coverage/" and the path
 * of the source file with ".txt" after it. Nothing in it leads out of the directory, no file system refuses a part of
 * it, and no other text has it. NULL: an allocation failed. */
const char *page_names_text(struct page_names *names, const char *directory, struct apf_str source);
void page_names_free(struct page_names *names);

#endif

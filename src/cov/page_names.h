/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of the files of pages: those of source files, as far as file systems and links can hold them. */
#ifndef COV_PAGE_NAMES_H
#define COV_PAGE_NAMES_H

#include <anyprof/error.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"

/* All zero = empty. */
struct page_names {
    struct arena arena;
    struct hash_index index;
    VEC(const char *) list;
};

/* A name for the page of a source file, without ".html": letters, digits, '-', '_', '.', and no other page has it, also
 * where capitals count as small letters. NULL: an allocation failed. */
const char *page_names_add(struct page_names *names, struct apf_str source);
/* The path of a page; NULL: an allocation failed. */
char *page_names_path(struct page_names *names, const char *directory, const char *name);
void page_names_free(struct page_names *names);

#endif

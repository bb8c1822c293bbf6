/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frame of a page. */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include "base/file.h"
#include "page/page_assets.h"

/* The styles and scripts of a page beside those of all pages, in order. */
#define PAGE_ASSETS 7u
struct page_kind {
    const struct page_asset *styles[PAGE_ASSETS], *scripts[PAGE_ASSETS]; /* NULL: no more */
    const char *credit; /* NULL, or what the last line says of them, after the name of the program */
};

/* Writes everything before the contents: the head, with styles and policy, and the beginning of the body. */
void page_begin(struct file_out *out, const struct page_kind *kind, struct apf_str title);
/* Writes everything after the contents: a line with the name of the program, and the scripts. */
void page_end(struct file_out *out, const struct page_kind *kind);
/* Writes bytes as base64. */
void page_base64(struct file_out *out, const uint8_t *p, size_t n);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Styles and scripts, which are files of their own; cmake/embed.cmake makes the source. */
#ifndef PAGE_PAGE_ASSETS_H
#define PAGE_PAGE_ASSETS_H

#include <stddef.h>
#include <stdint.h>

#define ASSET_DIGEST_BYTES 32u /* SHA-256 */

struct page_asset {
    const uint8_t *bytes;
    size_t n;
    uint8_t digest[ASSET_DIGEST_BYTES];
};

extern const struct page_asset page_style;    /* page.css: all pages */
extern const struct page_asset page_script;   /* page.js: all pages */
extern const struct page_asset source_script; /* source.js: source code with its coverage */
extern const struct page_asset report_style;  /* report.css */
extern const struct page_asset report_data;   /* report_data.js */
extern const struct page_asset report_names;  /* report_names.js */
extern const struct page_asset report_rows;   /* report_rows.js */
extern const struct page_asset report_places; /* report_places.js */
extern const struct page_asset report_charts; /* report_charts.js */
extern const struct page_asset report_script; /* report.js */
extern const struct page_asset d3_script;     /* the library of charts */

#endif

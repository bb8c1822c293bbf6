/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* page.css and page.js; cmake/embed.cmake makes the source. */
#ifndef PAGE_PAGE_ASSETS_H
#define PAGE_PAGE_ASSETS_H

#include <stddef.h>
#include <stdint.h>

#define ASSET_DIGEST_BYTES 32u /* SHA-256 */

extern const uint8_t page_style[];
extern const size_t page_style_size;
extern const uint8_t page_style_digest[ASSET_DIGEST_BYTES];
extern const uint8_t page_script[];
extern const size_t page_script_size;
extern const uint8_t page_script_digest[ASSET_DIGEST_BYTES];

#endif

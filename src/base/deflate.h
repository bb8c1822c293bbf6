/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* zlib streams (RFC 1950) whose sizes are known beforehand. */
#ifndef BASE_DEFLATE_H
#define BASE_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No zlib stream inflates to more than this many times its size. */
#define DEFLATE_MAX_RATIO 1032

/* The bytes that all streams in a file of n stored bytes together may inflate to: never more than max_bytes. Names and
 * sections shrink to about a tenth, long names of templates to an eightieth; a stream that grows by much more is made
 * to exhaust memory. A file can have any number of streams, so they share the budget. */
uint64_t deflate_budget(uint64_t n, uint64_t max_bytes);
/* Inflates src into exactly m bytes at dst. APF_UNCOMPRESS_FAILED: the stream is damaged or has another size.
 * APF_NO_MEMORY says nothing about the stream. */
int deflate_expand(const uint8_t *src, size_t n, uint8_t *dst, size_t m);
/* Inflates the intact beginning of a stream that may be cut off or damaged into at most m bytes at dst. *got: the
 * number of bytes; *whole: the stream was intact to its end. APF_OK or APF_NO_MEMORY. */
int deflate_expand_part(const uint8_t *src, size_t n, uint8_t *dst, size_t m, size_t *got, bool *whole);
/* Bound on the size of a compressed copy of n bytes. */
size_t deflate_bound(size_t n);
/* Compresses at level 9; *m is the room in dst and becomes the size. False when the room is too small or an allocation
 * failed. */
bool deflate_compress(const uint8_t *src, size_t n, uint8_t *dst, size_t *m);
/* The same in a third of the time, for what need not have the bytes that LLVM's tools write. */
bool deflate_compress_quickly(const uint8_t *src, size_t n, uint8_t *dst, size_t *m);

#endif

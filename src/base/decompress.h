/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that are compressed as a whole: gzip (RFC 1952) and zstd (RFC 8878), of one stream or of several. */
#ifndef BASE_DECOMPRESS_H
#define BASE_DECOMPRESS_H

#include <anyprof/io.h>

enum compression { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ZSTD };

/* What the first bytes say. A zstd file may begin with skippable frames. */
enum compression compression_of(const uint8_t *p, size_t n);

/* What a compressed file of n bytes may unpack to, whatever the caller's limit: gzip cannot exceed it, zstd could. */
uint64_t decompress_bound(uint64_t n);

/* Unpacks a whole file; *out is used again, and grows with what arrives, not with what headers announce. Zeros may
 * follow the last stream (files copied in blocks), nothing else. What is compressed twice is refused. Offsets of errors
 * are those of the compressed file. */
int decompress(struct apf_buffer *out, const uint8_t *src, size_t n, uint64_t max_bytes,
               struct apf_error *error);
/* The same. *proven: so many bytes of out->data are the content of streams that are whole and right, also when there is
 * damage behind them (and out->n is 0). */
int decompress_proven(struct apf_buffer *out, const uint8_t *src, size_t n, uint64_t max_bytes,
                      size_t *proven, struct apf_error *error);

#endif

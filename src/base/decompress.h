/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that are compressed as a whole: gzip (RFC 1952) and zstd (RFC 8878), of one stream or of several. */
#ifndef BASE_DECOMPRESS_H
#define BASE_DECOMPRESS_H

#include <stdbool.h>

#include <anyprof/io.h>

enum compression { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ZSTD };

/* What the first bytes say. A zstd file may begin with skippable frames. */
enum compression compression_of(const uint8_t *p, size_t n);

/* What a compressed file of n bytes may unpack to, whatever the caller's limit: gzip cannot exceed it, zstd could. */
uint64_t decompress_bound(uint64_t n);

/* Unpacks a whole file, which compression_of knows. *out is used again, and grows with what arrives, not with what
 * headers announce. Zeros may follow the last stream (files copied in blocks), nothing else. What is compressed twice
 * is refused. Offsets of errors are those of the compressed file. */
int decompress(struct apf_buffer *out, const uint8_t *src, size_t n, uint64_t max_bytes,
               struct apf_error *error);
/* The same. *proven: so many bytes of out->data are the content of streams that are whole and right, also when there is
 * damage behind them (and out->n is 0). */
int decompress_proven(struct apf_buffer *out, const uint8_t *src, size_t n, uint64_t max_bytes,
                      size_t *proven, struct apf_error *error);

/* Unpacking piece by piece, for files that are not read whole. The rules are the same, but for the bound by the size of
 * the file, which is not known; memory does not grow with what is unpacked. */
struct decompressor;

/* Begins with the first byte of a file, of which `kind` is not COMPRESSION_NONE. */
int decompress_open(struct decompressor **result, enum compression kind, struct apf_error *error);
/* Reads bytes from *src, which it moves, and writes *got bytes to `to`, at most `room`, which is not 0. If nothing was
 * written and nothing is left, more is needed. `last`: no bytes follow `end`; *done says then whether the file is
 * unpacked. */
int decompress_step(struct decompressor *d, const uint8_t **src, const uint8_t *end, bool last, uint8_t *to,
                    size_t room, size_t *got, bool *done, struct apf_error *error);
void decompress_close(struct decompressor *d);

#endif

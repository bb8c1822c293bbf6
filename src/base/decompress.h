/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that are compressed as a whole: gzip (RFC 1952) and zstd (RFC 8878), of one stream or of several. */
#ifndef BASE_DECOMPRESS_H
#define BASE_DECOMPRESS_H

#include <stdbool.h>

#include <anyprof/io.h>

enum compression { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ZSTD };

/* The compression that the first bytes of a file announce. A zstd file may begin with skippable frames. */
enum compression compression_of(const uint8_t *p, size_t n);

/* The most bytes that a compressed file of n bytes may unpack to, whatever the caller's limit: gzip cannot exceed it,
 * zstd could. */
uint64_t decompress_bound(uint64_t n);

/* Unpacks a whole file, which compression_of knows. *out is reused, and grows with the bytes that arrive, not with the
 * sizes that headers announce. Only zeros may follow the last stream (files copied in blocks). Files that are
 * compressed twice are refused. Offsets of errors are those of the compressed file. */
int decompress(struct apf_buffer *out, const uint8_t *src, size_t n, uint64_t max_bytes,
               struct apf_error *error);
/* As decompress. *proven: the number of bytes of out->data that intact streams decode to, also when damage follows them
 * (and out->n is 0). */
int decompress_proven(struct apf_buffer *out, const uint8_t *src, size_t n, uint64_t max_bytes,
                      size_t *proven, struct apf_error *error);
/* Unpacks frames of zstd into exactly m bytes at dst. APF_DECOMPRESS_FAILED: they are none, are damaged or have another
 * size. APF_NO_MEMORY says nothing about them. */
int decompress_zstd(const uint8_t *src, size_t n, uint8_t *dst, size_t m);

/* Unpacking piece by piece, for files that are not read whole. The rules of decompress hold, except for the bound by
 * the size of the file, which is unknown; memory does not grow with the content. */
struct decompressor;

/* Opens a decoder for a file from its first byte on. `kind` is not COMPRESSION_NONE. */
int decompress_open(struct decompressor **result, enum compression kind, struct apf_error *error);
/* Reads bytes from *src, which it moves, and writes *got bytes to `to`, at most `room`, which is not 0. If no byte was
 * written and none is left, more input is needed. `last`: no bytes follow `end`; *done says then whether the file is
 * unpacked. */
int decompress_step(struct decompressor *d, const uint8_t **src, const uint8_t *end, bool last, uint8_t *to,
                    size_t room, size_t *got, bool *done, struct apf_error *error);
/* Whether the last stream is not complete yet. */
bool decompress_inside(const struct decompressor *d);
void decompress_close(struct decompressor *d);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frame of partial profiles: docs/formats/partial.md. Numbers are little-endian. */
#ifndef PARTIAL_PARTIAL_FORMAT_H
#define PARTIAL_PARTIAL_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/endian.h"

/* Not text in any encoding, and changed by whatever takes it for text. */
#define PARTIAL_MAGIC                                                                                        \
    "\x93"                                                                                                   \
    "APF\r\n\x1a\n"
#define PARTIAL_VERSION 1u

/* Header: magic, version (2 bytes), kind (2), number of the slice (2), number of the last slice (2), checksum of what
 * is before it (8). */
#define PARTIAL_HEADER_BYTES ((size_t)24)
#define PARTIAL_KIND_AT 10u
#define PARTIAL_SLICE_AT 12u
/* Head of a block: section (1), packing (1), 0 (2), bytes stored (4), bytes unpacked (4), records (4), checksum of what
 * is before it in the head and of the stored bytes (8). */
#define PARTIAL_HEAD_BYTES ((size_t)24)

/* The kind of profiles that were merged. An undecided file has inputs of which none says by its first bytes what it is:
 * it is a partial instrumentation profile, made as if all were such profiles, which a partial sample profile follows,
 * made as if all were those. A merge of either kind takes it. */
enum partial_kind { PARTIAL_INSTR = 1, PARTIAL_SAMPLE = 2, PARTIAL_UNDECIDED = 3 };
#define PARTIAL_KIND_MASK 3u
/* Above the kind of an undecided file: enum apf_family, or both, that names of its inputs say. */
#define PARTIAL_NAMES_SHIFT 2u
#define PARTIAL_NAMES_MOST 3u
static inline uint32_t partial_undecided_kind(uint32_t names)
{
    return PARTIAL_UNDECIDED | names << PARTIAL_NAMES_SHIFT;
}

enum partial_packing { PARTIAL_PLAIN, PARTIAL_ZSTD, PARTIAL_PACKINGS };

/* Sections follow each other in the order of their numbers. The last one has one record: the number of blocks before
 * it, and the sum of their checksums. */
#define PARTIAL_LAST_SECTION 255u

/* A block ends when it has this many bytes, and is larger by the rest of its last record only. */
#define PARTIAL_BLOCK_BYTES ((size_t)256 << 10)
/* The largest record. */
#define PARTIAL_RECORD_BYTES ((size_t)1 << 30)

/* XXH3, 64 bits, of two runs of bytes in a row. */
uint64_t partial_checksum(const uint8_t *head, size_t n_head, const uint8_t *p, size_t n);

#endif

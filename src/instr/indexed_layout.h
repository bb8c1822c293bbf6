/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Indexed profiles: header words and record fields of each version. */
#ifndef INSTR_INDEXED_LAYOUT_H
#define INSTR_INDEXED_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define INDEXED_MAGIC 0x8169666f72706cffu /* ff 'lprofi' 81, read little-endian */
#define INDEXED_MAX_VERSION 14u
#define INDEXED_HASH_MD5 0u

/* Header words behind magic and version, at these offsets in every version that has them. */
#define INDEXED_UNUSED_AT 16u /* versions 1 to 3: the largest function count */
#define INDEXED_HASH_TYPE_AT 24u
#define INDEXED_HASH_OFFSET_AT 32u
#define INDEXED_MEMPROF_AT 40u
#define INDEXED_IDS_AT 48u
#define INDEXED_TRACES_AT 56u
#define INDEXED_VTABLES_AT 64u

enum {
    INDEXED_CAP_MAX_COUNT = 1,   /* the unused word holds the largest function count */
    INDEXED_CAP_COUNT_FIELD = 2, /* several hashes for each name, each with its number of counters */
    INDEXED_CAP_VALUES = 4,      /* value data behind the counters */
    INDEXED_CAP_SUMMARY = 8,     /* summary behind the header */
    INDEXED_CAP_MEMPROF = 16,
    INDEXED_CAP_IDS = 32,
    INDEXED_CAP_TRACES = 64,
    INDEXED_CAP_BITMAP_WORDS = 128, /* each bitmap byte widened to 8 bytes */
    INDEXED_CAP_VTABLES = 256,      /* names of vtables; readers know value kind 2 */
    INDEXED_CAP_BITMAP_BYTES = 512, /* bitmap as bytes, padded; uniformity bits behind it */
    INDEXED_CAP_BITMAP = 1024,      /* bitmaps, in one form or the other */
    /* The bits of a condition are numbered as LLVM 19 does it, not as 18: llvm-cov goes by the version alone. */
    INDEXED_CAP_BITMAP_DENSE = 8192,
    /* What the writers of these versions did in their own way. */
    INDEXED_CAP_OLD_MIX = 2048,   /* LLVM 13 to 16: other hash for the map of a name's records */
    INDEXED_CAP_NAME_MAP = 32768, /* LLVM 13 to 16: names in the order of a map, which are sorted else */
    INDEXED_CAP_NO_PSEUDO = 4096, /* LLVM 13 to 15: no pseudo counts in the summary */
    /* A hash may be that of a context-sensitive record (LLVM 9). Before, bit 60 was any bit, and summaries have all. */
    INDEXED_CAP_CS = 16384,
};

struct indexed_version {
    uint16_t version, header_size, caps;
};

/* The row of a version, or NULL. */
const struct indexed_version *indexed_version_find(uint64_t version);
/* The lowest version, not below `version`, that has all of `caps`. */
uint32_t indexed_version_holding(uint32_t version, unsigned caps);

/* Summary: number of fields and cutoffs, the fields, and three words for each cutoff. */
#define INDEXED_SUMMARY_FIELDS 6u

/* The number of buckets is a power of two: the largest one that is not above n, at least 1. */
static inline uint64_t indexed_bucket_number(uint64_t n)
{
    uint64_t power = 1;
    while (power <= n / 2)
        power *= 2;
    return power;
}

/* Hash table items: hash, key length, data length. */
#define INDEXED_ITEM_HEAD 24u

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layout of indexed profiles: the header words and the capabilities of each version. */
#ifndef INSTR_INDEXED_LAYOUT_H
#define INSTR_INDEXED_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define INDEXED_MAGIC 0x8169666f72706cffu /* ff 'lprofi' 81, read little-endian */
#define INDEXED_MAX_VERSION 14u
#define INDEXED_HASH_MD5 0u

/* Offsets of the header words after magic and version; a word has the same offset in every version that has it. */
#define INDEXED_UNUSED_AT 16u /* versions 1 to 3: the largest function count */
#define INDEXED_HASH_TYPE_AT 24u
#define INDEXED_HASH_OFFSET_AT 32u
#define INDEXED_MEMPROF_AT 40u
#define INDEXED_IDS_AT 48u
#define INDEXED_TRACES_AT 56u
#define INDEXED_VTABLES_AT 64u
#define INDEXED_MOST_HEADER (INDEXED_VTABLES_AT + 8u) /* size of the longest header */

enum {
    INDEXED_CAP_MAX_COUNT = 1,   /* the unused word holds the largest function count */
    INDEXED_CAP_COUNT_FIELD = 2, /* a name has several hashes, each with its number of counters */
    INDEXED_CAP_VALUES = 4,      /* value data stand after the counters */
    INDEXED_CAP_SUMMARY = 8,     /* a summary stands after the header */
    INDEXED_CAP_MEMPROF = 16,
    INDEXED_CAP_IDS = 32,
    INDEXED_CAP_TRACES = 64,
    INDEXED_CAP_BITMAP_WORDS = 128, /* each bitmap byte is widened to 8 bytes */
    INDEXED_CAP_VTABLES = 256,      /* the file has names of vtables, and its readers know value kind 2 */
    INDEXED_CAP_BITMAP_BYTES = 512, /* bitmaps are padded bytes with uniformity bits after them */
    INDEXED_CAP_BITMAP = 1024,      /* records have bitmaps, as words or as bytes */
    /* Test vectors in bitmaps are numbered as LLVM 19 does it, not as 18: llvm-cov goes by the version alone. */
    INDEXED_CAP_BITMAP_DENSE = 8192,
    /* Peculiarities of the LLVM releases that write these versions. */
    INDEXED_CAP_OLD_MIX = 2048, /* LLVM 13 to 16: another hash for the map of a name's records */
    INDEXED_CAP_NAME_MAP =
        32768, /* LLVM 13 to 16: names have the order of a hash map; later they are sorted */
    INDEXED_CAP_NO_PSEUDO = 4096, /* LLVM 13 to 15: the summary knows no pseudo counts */
    /* Bit 60 of a hash marks a context-sensitive record (LLVM 9). Earlier it was a bit like any other, and summaries
     * counted all records. */
    INDEXED_CAP_CS = 16384,
};

struct indexed_version {
    uint16_t version;
    uint16_t header_size; /* bytes */
    uint16_t caps;        /* INDEXED_CAP_* */
};

/* The row of a version, or NULL. */
const struct indexed_version *indexed_version_find(uint64_t version);
/* The lowest version, not below `version`, that has all of `caps`. */
uint32_t indexed_version_holding(uint32_t version, unsigned caps);
/* The highest version, not above `version`, that has none of `caps`. */
uint32_t indexed_version_lacking(uint32_t version, unsigned caps);

/* A summary is the number of fields, the number of cutoffs, the fields, and three words for each cutoff. */
#define INDEXED_SUMMARY_FIELDS 6u

#endif

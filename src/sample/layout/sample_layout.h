/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers in LLVM's binary formats of sample profiles (docs/formats/sample.md), for readers and writers. */
#ifndef SAMPLE_LAYOUT_H
#define SAMPLE_LAYOUT_H

#include <stdint.h>

/* The magic is a ULEB128 number: "SPROF42" in the seven bytes above a byte that names the format. */
#define SAMPLE_MAGIC_TOP ((uint64_t)0x5350524f463432 << 8)
#define SAMPLE_MAGIC_BINARY (SAMPLE_MAGIC_TOP | 0xff)
#define SAMPLE_MAGIC_COMPACT (SAMPLE_MAGIC_TOP | 0x02)
#define SAMPLE_MAGIC_EXTBINARY (SAMPLE_MAGIC_TOP | 0x04)
/* The bytes of such a number. */
#define SAMPLE_MAGIC_BYTES 9u

/* The version of the binary formats that is written. */
#define SAMPLE_VERSION 103u

/* The largest line offset of a body line. */
#define SAMPLE_MAX_LINE 0xffffu

/* Types of sections of the extensible binary format. */
enum {
    SAMPLE_SECTION_SUMMARY = 1,
    SAMPLE_SECTION_NAMES = 2,
    SAMPLE_SECTION_SYMBOLS = 3,
    SAMPLE_SECTION_OFFSETS = 4,
    SAMPLE_SECTION_METADATA = 5,
    SAMPLE_SECTION_CONTEXTS = 6,
    SAMPLE_SECTION_FUNCTIONS = 32,
    SAMPLE_SECTION_TYPES = 33 /* above all that are known */
};

/* Flags of sections: low ones of all, high ones of one type. */
#define SAMPLE_FLAG_COMPRESSED ((uint64_t)1)
#define SAMPLE_FLAG_FLAT ((uint64_t)2) /* functions in which nothing is inlined */
#define SAMPLE_SUMMARY_PARTIAL ((uint64_t)1 << 32)
#define SAMPLE_SUMMARY_CONTEXTS ((uint64_t)2 << 32)
#define SAMPLE_SUMMARY_FS ((uint64_t)4 << 32)
#define SAMPLE_SUMMARY_PREINLINED ((uint64_t)16 << 32)
#define SAMPLE_SUMMARY_VTABLES ((uint64_t)32 << 32)
#define SAMPLE_NAMES_MD5 ((uint64_t)1 << 32)
#define SAMPLE_NAMES_FIXED ((uint64_t)2 << 32)
#define SAMPLE_NAMES_UNIQUE ((uint64_t)4 << 32)
#define SAMPLE_NAMES_SPANS ((uint64_t)8 << 32)    /* version 104 */
#define SAMPLE_SYMBOLS_HASHES ((uint64_t)1 << 32) /* version 104 */
#define SAMPLE_OFFSETS_ORDERED ((uint64_t)1 << 32)
#define SAMPLE_OFFSETS_SPANS ((uint64_t)2 << 32) /* version 104 */
#define SAMPLE_METADATA_PROBES ((uint64_t)1 << 32)
#define SAMPLE_METADATA_ATTRIBUTES ((uint64_t)2 << 32)

/* An entry of the table of sections: type, flags, offset, size, each of 8 bytes, little-endian. */
#define SAMPLE_SECTION_ENTRY 32u

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the reader knows of each raw version, made from raw_layout.h. */
#ifndef INSTR_RAW_VERSIONS_H
#define INSTR_RAW_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instr/raw_layout.h"

#define RAW_NONE 0xffffu

/* A field of the data record: its offset, RAW_NONE where the version has no such field. */
struct raw_record_layout {
    uint16_t size;
    uint16_t name_ref, func_hash, name_size, name_ptr;
    uint16_t counter_ptr, uniform_ptr, bitmap_ptr, function_ptr, values;
    uint16_t num_counters, sites, num_bitmap_bytes;
    uint16_t kinds; /* most entries the array of site counts can have */
};

/* What a version does in its own way. */
enum {
    RAW_CAP_NAME_POINTERS = 1,   /* names are plain bytes that records point to; no value data in version 1 */
    RAW_CAP_ABSOLUTE = 2,        /* counter pointers are addresses; later they are relative to the record */
    RAW_CAP_VALUE_DATA = 4,      /* value data follows */
    RAW_CAP_IDS = 8,             /* binary ids */
    RAW_CAP_IDS_PADDED = 16,     /* ... each padded to 8 bytes */
    RAW_CAP_MAYBE_RELATIVE = 32, /* development builds wrote relative counter pointers under this number */
    RAW_CAP_NAMES_UNPADDED = 64, /* nothing after the names belongs to the profile */
};

struct raw_version {
    uint32_t version;
    uint16_t header_size;
    uint16_t caps;
    uint16_t header[RAW_HEADER_FIELD_COUNT]; /* offset; 0 = the version has no such field */
    struct raw_record_layout record[2];      /* 64-bit, 32-bit */
};

/* The row of a version, or NULL. */
const struct raw_version *raw_version_find(uint64_t version);
/* The newest version there is a row for. */
uint32_t raw_version_newest(void);
/* Dotted path of a header field, for messages. */
const char *raw_header_field_path(enum raw_header_field field);

#endif

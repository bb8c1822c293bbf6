/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Each raw version as a row of a const table, with the offsets that the lists of raw_layout.h give. A new version is
 * a row of raw_versions.c and of runtime/rt_layout.c, and a list in raw_layout.h if its header or records changed. */
#ifndef INSTR_RAW_VERSIONS_H
#define INSTR_RAW_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instr/layout/raw_layout.h"

/* The offset of a field that a version does not have. At offset 0 is always the first field of a record: name_size with
 * RAW_CAP_NAME_POINTERS, else name_ref. */
#define RAW_NONE 0u

/* Offsets of the fields of a data record, or RAW_NONE; docs/formats/raw.md explains the fields. */
struct raw_record_layout {
    uint16_t size; /* bytes of a record */
    uint16_t name_ref, func_hash, name_size, name_ptr;
    uint16_t counter_ptr, uniform_ptr, bitmap_ptr, function_ptr, values;
    uint16_t num_counters, sites, offload_device_wave_size, num_bitmap_bytes;
    uint16_t kinds; /* entries of the array of site counts */
};

/* Differences between versions with equal fields. */
enum {
    RAW_CAP_NAME_POINTERS = 1,   /* records point to names, which are not compressed; there is no name_ref */
    RAW_CAP_ABSOLUTE = 2,        /* counter pointers are addresses, not distances from their record */
    RAW_CAP_IDS_PADDED = 4,      /* each binary id is padded to 8 bytes */
    RAW_CAP_MAYBE_RELATIVE = 8,  /* development versions wrote distances under this number */
    RAW_CAP_NAMES_UNPADDED = 16, /* the profile ends after the last name, without padding */
    RAW_CAP_BITMAP_DENSE = 32,   /* as INDEXED_CAP_BITMAP_DENSE */
};

struct raw_version {
    uint32_t version;
    uint16_t header_size;                    /* bytes, with magic and version */
    uint16_t caps;                           /* RAW_CAP_* */
    uint16_t header[RAW_HEADER_FIELD_COUNT]; /* offset of each word; 0 = the version has no such word */
    struct raw_record_layout record[2];      /* of programs with pointers of 64 bits, of 32 bits */
};

/* The row of a version, or NULL. */
const struct raw_version *raw_version_find(uint64_t version);
/* The newest version there is a row for. */
uint32_t raw_version_newest(void);
/* Dotted path of a header field, for messages. */
const char *raw_header_field_path(enum raw_header_field field);

#endif

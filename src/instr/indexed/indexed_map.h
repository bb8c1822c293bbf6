/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the parts of an indexed profile, by its header and the sizes at the start of the parts. */
#ifndef INSTR_INDEXED_MAP_H
#define INSTR_INDEXED_MAP_H

#include "base/byte_map.h"
#include "instr/layout/indexed_layout.h"

/* Names of the parts. */
#define PART_HEADER "header"
#define PART_SUMMARY "summary"
#define PART_CS_SUMMARY "cs_summary"
#define PART_FUNCTIONS "functions"
#define PART_BUCKETS "buckets"
#define PART_MEMPROF "memprof"
#define PART_IDS "binary_ids"
#define PART_VTABLE_NAMES "vtable_names"
#define PART_TRACES "traces"

/* A summary as it is stored. */
struct stored_summary {
    uint64_t at, size; /* size 0: missing, or it does not fit */
    uint64_t n_fields, n_cutoffs;
};

struct indexed_places {
    const struct indexed_version *version;
    uint64_t variant;
    struct stored_summary summary, cs_summary;
    uint64_t payload, hash_offset, n_buckets; /* n_buckets is 0 if the buckets do not fit */
    uint64_t memprof, memprof_size;           /* 0: none */
};

/* Finds and adds the parts that fit in the file. A damaged header has none: places->version is NULL. False: an
 * allocation failed. */
bool indexed_map_find(struct indexed_places *places, struct byte_map *parts, const uint8_t *data,
                      size_t n) MUST_USE;
/* The map of an intact file, for its row in read/formats.c; `profiles` is not used. */
struct raw_profiles;
bool indexed_map(struct byte_map *map, const struct raw_profiles *profiles, const uint8_t *data,
                 size_t n) MUST_USE;

#endif

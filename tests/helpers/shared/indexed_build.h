/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Indexed profiles of every version, written from the specification of the format alone: nothing of src/instr is used.
 * Records go where the specification says; the summary is all zeros, since readers pass over it. */
#ifndef HELPERS_SHARED_INDEXED_BUILD_H
#define HELPERS_SHARED_INDEXED_BUILD_H

#include "helpers/shared/raw_build.h"

#define IB_NEWEST 14u
#define IB_MOST_KEYS 8u
#define IB_MEMPROF ((uint64_t)1 << 62)

struct ib_record {
    uint64_t hash;
    const uint64_t *counts;
    size_t n_counts;
    const uint8_t *bitmap; /* from version 11 */
    size_t n_bitmap;
    const uint8_t *uniformity; /* version 14 */
    size_t n_uniformity;
    const struct rb_site *sites[RB_KINDS]; /* from version 3; with the values as stored */
    uint16_t n_sites[RB_KINDS];
};

struct ib_key {
    const char *name;
    const struct ib_record *records; /* version 1: the first of them */
    size_t n_records;
};

struct ib_trace {
    uint64_t weight;
    const uint64_t *ids;
    size_t n;
};

struct ib_profile {
    unsigned version;
    uint64_t variant;
    const struct ib_key *keys; /* at most IB_MOST_KEYS */
    size_t n_keys;
    size_t n_buckets;           /* a power of two; 0 means 1 */
    const struct rb_bytes *ids; /* from version 9 */
    size_t n_ids;
    struct rb_bytes vtable_names;  /* from version 12: the blob */
    const struct ib_trace *traces; /* from version 10, with the variant bit */
    size_t n_traces;
    uint64_t stream_size;
    /* With the variant bit: appends a MemProf section, which needs its offset in the file. */
    void (*memprof)(struct rb_file *file, void *context);
    void *memprof_context;
};

/* Offsets of the parts. */
struct ib_places {
    size_t summary, cs_summary, payload, buckets, memprof, ids, vtables, traces, end;
    size_t items[IB_MOST_KEYS]; /* of each key: hash, key length, data length, key, data */
    size_t data[IB_MOST_KEYS];
};

void ib_append(struct rb_file *file, const struct ib_profile *p, struct ib_places *places);

#endif

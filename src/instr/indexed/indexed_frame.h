/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A record of the table of functions as it stands in the file: checked, and not copied. indexed_read.c makes records
 * of a profile of it; indexed_frames_read lists all of a file for readers that look at few of them. */
#ifndef INSTR_INDEXED_FRAME_H
#define INSTR_INDEXED_FRAME_H

#include "instr/indexed/indexed_reader.h"
#include "instr/model/value_data.h"

/* The pointers point into the file. Numbers are little-endian and stand at any address. */
struct indexed_frame {
    uint64_t hash;
    const uint8_t *counts; /* 8 bytes each; at least one */
    const uint8_t *bitmap; /* a byte each; in versions 11 to 13 the first one of a word each */
    const uint8_t *uniformity;
    uint32_t n_counts, n_bitmap, n_uniformity;
    bool bitmap_in_words;
    bool dense; /* how the test vectors of the bitmap are numbered */
};

/* Reads the record at the cursor, and moves the cursor after it. APF_MALFORMED. */
int indexed_frame_read(struct cursor *c, const struct indexed_version *version, struct indexed_frame *frame,
                       struct value_block *values, struct apf_error *error);

/* Copies the bytes of the bitmap. NULL: the allocation failed. */
const uint8_t *indexed_frame_bitmap(const struct indexed_frame *frame, struct arena *arena);
/* Refuses an item of the table whose records have 0 bytes. `at`: where their number stands. */
int indexed_expect_records(uint64_t n, uint64_t at, struct apf_error *error);

/* A name in the table of functions, which points into the file. LLVM stores all records without a known name under the
 * empty one. */
struct indexed_name {
    uint64_t id;
    struct apf_str text;
};

/* What indexed_frames_read calls with the number of names of a file, which fit in it, and with each record and its
 * name. Another code than APF_OK ends the walk. */
struct indexed_frame_visitor {
    indexed_table_fn *begin;
    int (*record)(void *user, const struct indexed_name *name, const struct indexed_frame *frame,
                  struct apf_error *error);
    void *user;
};
/* Reads the header, the binary ids and all records of the file of a reader whose first four members are set. Names are
 * not compared with their ids; values, names of vtables, traces and memory profiles are not read. */
int indexed_frames_read(struct indexed_reader *r, const struct indexed_frame_visitor *visitor,
                        struct apf_error *error);

#endif

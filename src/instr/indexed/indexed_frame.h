/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A record of the table of functions as it stands in the file: checked, and not copied. indexed_read.c makes records
 * of a profile of it; indexed_frames.h has those of a whole file. */
#ifndef INSTR_INDEXED_FRAME_H
#define INSTR_INDEXED_FRAME_H

#include "base/arena.h"
#include "instr/layout/indexed_layout.h"
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

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads ValueProfData, the block of profiled values after a record, which is the same in raw and indexed files. */
#ifndef INSTR_VALUE_DATA_H
#define INSTR_VALUE_DATA_H

#include <anyprof/instr.h>

#include "base/arena.h"
#include "base/cursor.h"

/* One block, checked as a whole. The pointers point into the file. */
struct value_block {
    uint32_t n_sites[APF_VALUE_KINDS];
    const uint8_t *site_counts[APF_VALUE_KINDS]; /* a byte for each site: its number of values */
    const uint8_t *pairs[APF_VALUE_KINDS];       /* a value and a count, 8 bytes each, site by site */
    uint64_t n_pairs[APF_VALUE_KINDS];
};

/* Reads the block at the cursor and moves the cursor after it. `kinds`: number of kinds that may occur. */
int value_block_read(struct cursor *c, unsigned kinds, struct value_block *out, struct apf_error *error);
/* Makes an array of sites from a block, one kind after the other, in the arena; *sites is NULL if there are none. */
int value_block_sites(const struct value_block *b, bool swap, struct arena *arena, struct apf_site **sites,
                      struct apf_error *error);

#endif

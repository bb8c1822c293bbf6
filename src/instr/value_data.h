/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ValueProfData: the block of profiled values behind a record, the same in raw and indexed files. */
#ifndef INSTR_VALUE_DATA_H
#define INSTR_VALUE_DATA_H

#include <anyprof/instr.h>

#include "base/arena.h"
#include "base/cursor.h"

/* One block, checked as a whole; the pointers go into the file. */
struct value_block {
    uint32_t n_sites[APF_VALUE_KINDS];
    const uint8_t *site_counts[APF_VALUE_KINDS]; /* n_sites bytes: values of each site */
    const uint8_t *pairs[APF_VALUE_KINDS];       /* value, count: 16 bytes each, site by site */
    uint64_t n_pairs[APF_VALUE_KINDS];
};

/* Reads the block at the cursor and passes it. `kinds`: how many kinds may occur. */
int value_block_read(struct cursor *c, unsigned kinds, struct value_block *out, struct apf_error *error);
/* Turns a block into sites, all kinds one after the other, in the arena; *sites is NULL when there are none. */
int value_block_sites(const struct value_block *b, bool swap, struct arena *arena, struct apf_site **sites,
                      struct apf_error *error);

#endif

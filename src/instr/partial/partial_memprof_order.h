/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order in which the lists of a memory profile are written. Of one input that is the order of its file, which the
 * last merge may keep. Of several it depends on nothing but what is in the lists, which themselves have the order in
 * which threads added entries. */
#ifndef INSTR_PARTIAL_MEMPROF_ORDER_H
#define INSTR_PARTIAL_MEMPROF_ORDER_H

#include "instr/model/memprof_model.h"

/* Lists of a memory profile, in the order in which they are written: what an entry refers to is in a list before it. */
enum memprof_list {
    FRAMES,
    NODES, /* also the root, which is not written */
    FUNCTIONS,
    STRINGS,
    ALLOCS,
    SITES,
    CALLEES,
    DATA,
    LOCATIONS,
    COLD,
    COLD_HASHES,
    MEMPROF_LISTS
};

/* Of each list the entries in their order, and the place of each entry in it. */
struct memprof_order {
    const struct apf_memprof *memprof;
    size_t n[MEMPROF_LISTS];
    uint32_t *sorted[MEMPROF_LISTS], *places[MEMPROF_LISTS];
};

/* Sorts the lists of a profile in which each entry is there once. memprof_order_close must follow, also after a
 * failure. */
int memprof_order_open(struct memprof_order *o, const struct apf_memprof *m, struct apf_error *error);
void memprof_order_close(struct memprof_order *o);

#endif

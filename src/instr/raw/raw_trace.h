/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the one trace of a raw file from the timestamps of its functions. */
#ifndef INSTR_RAW_TRACE_H
#define INSTR_RAW_TRACE_H

#include "base/arena.h"
#include "base/vec.h"

#include <anyprof/instr.h>

/* A function that ran. */
struct raw_seen {
    uint64_t timestamp, id;
};

struct raw_seen_list {
    VEC(struct raw_seen) list;
};

/* The timestamp that a stored one means, 0 = never ran. With byte coverage the stored one starts as all ones. */
static inline uint64_t raw_timestamp(uint64_t stored)
{
    return stored == UINT64_MAX ? 0 : stored;
}

/* Makes the trace of a list of functions: their ids in the order in which they first ran, by timestamp and then id. The
 * ids are in the arena; the list is sorted. */
int raw_trace_make(struct raw_seen_list *seen, struct arena *arena, struct apf_trace *trace,
                   struct apf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the timestamps of a raw file to its one trace. */
#ifndef INSTR_RAW_TRACE_H
#define INSTR_RAW_TRACE_H

#include "base/arena.h"
#include "base/vec.h"

#include <anyprof/instr.h>

struct raw_seen {
    uint64_t timestamp, id;
};

struct raw_seen_list {
    VEC(struct raw_seen) list;
};

/* What a timestamp in the file means: 0 = never ran. Byte coverage starts as all ones. */
static inline uint64_t raw_timestamp(uint64_t stored)
{
    return stored == UINT64_MAX ? 0 : stored;
}

/* Functions in the order in which they first ran (by timestamp, then id), in the arena; sorts the list.
 * trace->n is 0 when nothing ran. */
int raw_trace_make(struct raw_seen_list *seen, struct arena *arena, struct apf_trace *trace,
                   struct apf_error *error);

#endif

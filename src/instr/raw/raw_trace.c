/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/raw/raw_trace.h"

#include "base/error.h"
#include "base/sort.h"

static bool seen_before(const void *context, const void *a, const void *b)
{
    const struct raw_seen *x = (const struct raw_seen *)a, *y = (const struct raw_seen *)b;
    (void)context;
    return x->timestamp != y->timestamp ? x->timestamp < y->timestamp : x->id < y->id;
}

int raw_trace_make(struct raw_seen_list *seen, struct arena *arena, struct apf_trace *trace,
                   struct apf_error *error)
{
    size_t n = seen->list.n;
    uint64_t *ids = arena_array(arena, n, sizeof *ids);
    if (!ids || !SORT_VEC(&seen->list, seen_before, NULL))
        return error_memory(error);
    for (size_t i = 0; i < n; i++)
        ids[i] = seen->list.data[i].id;
    trace->weight = 1;
    trace->ids = ids;
    trace->n = n;
    return APF_OK;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lists of values that instrumented code meets: targets of indirect calls, sizes of memory operations, tables of
 * virtual functions. Programs that profile none link none of this: the references from elsewhere are weak. */
#ifndef RT_VALUES_H
#define RT_VALUES_H

#include "rt_image.h"

/* The image's own nodes, which compilers reserve for each site. */
extern struct aprt_node __start___llvm_prf_vnds[] RT_WEAK RT_HIDDEN;
extern struct aprt_node __stop___llvm_prf_vnds[] RT_WEAK RT_HIDDEN;

/* How many: whole ones, as the section may end with a part of one. */
static inline size_t aprt_values_room(void)
{
    return ((uintptr_t)__stop___llvm_prf_vnds - (uintptr_t)__start___llvm_prf_vnds) /
           sizeof(struct aprt_node);
}

/* Behind the last node of the image's own that was handed out, in the order of their addresses. */
RT_HIDDEN RT_WEAK const struct aprt_node *aprt_values_end(void);

/* How many of these were handed out. */
RT_HIDDEN RT_WEAK size_t aprt_values_taken(void);

/* Counts are 0 again; the values stay. */
RT_HIDDEN RT_WEAK void aprt_values_reset(void);

/* What could not be recorded, since there was no node left: how often. */
RT_HIDDEN RT_WEAK extern uint32_t aprt_values_lost;

/* Most values of a site; 0: nothing is recorded. 24 at first, as compiler-rt has it where nodes are static. */
RT_HIDDEN RT_WEAK extern unsigned aprt_values_limit;

/* Zeroed memory that is never given back; NULL: there is none. Programs with an operating system have it, for more
 * nodes, and for lists that the compiler left to the runtime. */
RT_HIDDEN RT_WEAK void *aprt_memory_take(size_t size);

/* Counts a value of a site. */
RT_HIDDEN RT_WEAK void aprt_values_meet(uint64_t value, const void *record, uint32_t site, uint64_t count);

/* What compilers call. */
RT_HIDDEN void __llvm_profile_instrument_target(uint64_t value, void *record, uint32_t site);
RT_HIDDEN void __llvm_profile_instrument_target_value(uint64_t value, void *record, uint32_t site,
                                                      uint64_t count);
RT_HIDDEN void __llvm_profile_instrument_memop(uint64_t size, void *record, uint32_t site);

#endif

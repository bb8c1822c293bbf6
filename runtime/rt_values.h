/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lists of values that instrumented code profiles: targets of indirect calls, sizes of memory operations,
 * vtables. Programs that profile no values link none of this: references from elsewhere are weak. */
#ifndef RT_VALUES_H
#define RT_VALUES_H

#include "rt_image.h"

/* The image's own nodes, which compilers reserve for each site. */
extern struct aprt_node __start___llvm_prf_vnds[] RT_WEAK RT_HIDDEN;
extern struct aprt_node __stop___llvm_prf_vnds[] RT_WEAK RT_HIDDEN;

/* The number of the image's own nodes; the section may end with part of a node. */
static inline size_t aprt_values_room(void)
{
    return ((uintptr_t)__stop___llvm_prf_vnds - (uintptr_t)__start___llvm_prf_vnds) /
           sizeof(struct aprt_node);
}

/* The end of the image's own nodes that are in use; they are used in the order of their addresses. */
RT_HIDDEN RT_WEAK const struct aprt_node *aprt_values_end(void);

/* The number of the image's own nodes that are in use. */
RT_HIDDEN RT_WEAK size_t aprt_values_used(void);

/* Sets all counts to 0; the values stay. */
RT_HIDDEN RT_WEAK void aprt_values_reset(void);

/* How often a value was not recorded for lack of a node. */
RT_HIDDEN RT_WEAK extern uint32_t aprt_values_lost;

/* The limit of values per site; 0: nothing is recorded. Initially 24, as in compiler-rt with static nodes. */
RT_HIDDEN RT_WEAK extern unsigned aprt_values_limit;

/* Zeroed memory that is never freed, or NULL. Defined in programs with an operating system, for more nodes and for
 * lists that the compiler left to the runtime. */
RT_HIDDEN RT_WEAK void *aprt_memory_permanent(size_t size);

/* Counts a value of a site. */
RT_HIDDEN RT_WEAK void aprt_values_add(uint64_t value, const void *record, uint32_t site, uint64_t count);

/* Called by instrumented code. */
RT_HIDDEN void __llvm_profile_instrument_target(uint64_t value, void *record, uint32_t site);
RT_HIDDEN void __llvm_profile_instrument_target_value(uint64_t value, void *record, uint32_t site,
                                                      uint64_t count);
RT_HIDDEN void __llvm_profile_instrument_memop(uint64_t size, void *record, uint32_t site);

#endif

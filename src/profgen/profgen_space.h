/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From addresses of a process to those for which the program is linked. */
#ifndef PROFGEN_PROFGEN_SPACE_H
#define PROFGEN_PROFGEN_SPACE_H

#include <anyprof/perf.h>

#include "base/compiler.h"
#include "profgen/profgen_counts.h"

/* A mapping of n bytes. Its addresses minus `bias` are those that the program is linked for. */
struct profgen_mapping {
    uint64_t start, n, bias;
};

struct profgen_space;
/* Finds what is mapped at an address, and makes it `ours` or `other`, as far as it does not depend on the order in
 * which addresses are looked up. */
typedef int profgen_look_up_fn(void *user, struct profgen_space *s, uint64_t address,
                               struct apf_error *error);

/* What is known of the address space of a process: two mappings, each the last one of its kind that was looked up. */
struct profgen_space {
    struct profgen_mapping ours;  /* of the program */
    struct profgen_mapping other; /* of another file, or the one address at which nothing is mapped */
    profgen_look_up_fn *look_up;
    void *user;
};

static inline bool profgen_mapping_has(const struct profgen_mapping *m, uint64_t address)
{
    return address - m->start < m->n;
}

static inline uint64_t profgen_outside(uint64_t address)
{
    return address >= PROFGEN_KERNEL ? PROFGEN_KERNEL : PROFGEN_OUTSIDE;
}

/* Translates an address in one of two mappings; false: it is in neither. *to is as in profgen_space_translate. */
static inline bool profgen_mapping_translate(const struct profgen_mapping *ours,
                                             const struct profgen_mapping *other, uint64_t address,
                                             uint64_t *to)
{
    const bool is_ours = profgen_mapping_has(ours, address);
    *to = is_ours ? address - ours->bias : profgen_outside(address);
    return is_ours || profgen_mapping_has(other, address);
}

/* Forgets what was found: the process is another one, or has other mappings. */
void profgen_space_forget(struct profgen_space *s);
/* *to: an address of the program; PROFGEN_OUTSIDE: it is in another file, PROFGEN_KERNEL: in the kernel. */
int profgen_space_translate(struct profgen_space *s, uint64_t address, uint64_t *to, struct apf_error *error);
/* Translates n branches to as many pairs. */
int profgen_space_branches(struct profgen_space *s, const struct apf_perf_branch *branches, size_t n,
                           struct address_pair *to, struct apf_error *error);

#endif

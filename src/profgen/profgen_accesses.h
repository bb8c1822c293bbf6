/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accesses to data: which instructions have read a vtable, and so which types their objects have. */
#ifndef PROFGEN_PROFGEN_ACCESSES_H
#define PROFGEN_PROFGEN_ACCESSES_H

#include "base/arena.h"
#include "object/pair_counts.h"
#include "profgen/profgen_program.h"

/* The vtable of a type. */
struct profgen_vtable {
    uint64_t start, end;
    struct apf_str name;
};

/* All zero = empty. */
struct profgen_accesses {
    /* by the address of the instruction, and the number of the vtable */
    struct pair_counts counts;
    VEC(struct profgen_vtable) vtables; /* by address */
    VEC(struct elf_segment) segments;   /* of the program */
    struct arena arena;
    bool opened;
    uint64_t n;         /* accesses; of them: */
    uint64_t elsewhere; /* not to a vtable of the program */
    uint64_t unplaced;  /* by instructions that no function has; known once a profile was made */
};

struct profgen_access_options {
    uint64_t max_bytes, max_records;
    uint32_t pid; /* only accesses of this process; 0: of all */
    bool ignore_build_id;
};

/* Reads a recording of perf whose samples have the addresses of data, or the text that `perf report -D` makes of it. An
 * address in no mapping of the program is taken as it is. APF_NOT_RECORDED: the input has no
 * accesses, or they are of another build of the program. */
int profgen_accesses_read(struct profgen_accesses *a, const struct profgen_program *p,
                          const struct apf_input *input, const struct profgen_access_options *options,
                          struct apf_error *error);
void profgen_accesses_free(struct profgen_accesses *a);

#endif

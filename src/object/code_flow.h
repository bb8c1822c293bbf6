/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Basic blocks of functions, found in their code as BOLT finds them. */
#ifndef OBJECT_CODE_FLOW_H
#define OBJECT_CODE_FLOW_H

#include "object/code_reader.h"

/* A function of a program. */
struct code_function {
    uint64_t address, size; /* of its code, without padding */
    uint64_t end;           /* of the padding */
    struct apf_str name;
    bool is_skipped; /* it shall count as code that cannot be followed */
};

/* All functions of a program by address; their numbers are their places in the list. */
struct code_functions {
    const struct elf_file *elf;
    struct code_function *list;
    size_t n;
};

struct flow_block {
    uint32_t start, last; /* offsets of the block and of its last instruction */
    uint32_t runs_to;     /* number of the last block that fall-through from this block reaches */
    uint8_t flags;
};
#define FLOW_FALLS 1u /* the next block is a successor of this block */
#define FLOW_CALLS 2u /* the last instruction is a call */
#define FLOW_ENTRY 4u /* entered from elsewhere: the beginning, another entry point, a landing pad */
#define FLOW_OPEN 8u  /* the last instruction is an indirect jump whose targets are not known */

enum flow_result {
    FLOW_RAN,      /* through these blocks */
    FLOW_IN_STUB,  /* in the procedure linkage table, which has no blocks */
    FLOW_TORN,     /* control cannot fall through the range, or part of it is no code */
    FLOW_JUMPED,   /* the range continues after an indirect jump whose targets are not known */
    FLOW_NOT_KNOWN /* the function has code that could not be followed */
};

/* A run of code: offsets in a function. */
struct flow_run {
    uint64_t from, to;
    bool may_continue; /* the run may have begun with the return of a call, whose block is the one before */
    bool is_return;    /* the run certainly began with a return */
};

struct code_flow;

/* Makes the blocks of n functions, whose ascending numbers are in `hit`; others are looked at if they may refer into
 * the middle of these. The functions must stay as long as *result. */
int code_flow_open(struct code_flow **result, const struct code_functions *functions,
                   struct code_reader *reader, const uint32_t *hit, size_t n, struct apf_error *error);
void code_flow_close(struct code_flow *c);
/* The blocks that a run goes through in a function: *n of them from *result on, either none or at least two. */
enum flow_result code_flow_run(const struct code_flow *c, uint32_t function, const struct flow_run *run,
                               const struct flow_block **result, size_t *n);
/* The number of all blocks, and the number of one block; the blocks of a function follow each other. */
size_t code_flow_n_blocks(const struct code_flow *c);
size_t code_flow_number(const struct code_flow *c, const struct flow_block *block);
/* All blocks of a function; NULL: they are not known, or the function is a stub. */
const struct flow_block *code_flow_blocks(const struct code_flow *c, uint32_t function, size_t *n);
/* Bytes of code of a function, without padding; 0: the function was not in `hit`. */
uint64_t code_flow_size(const struct code_flow *c, uint32_t function);
/* Counts the indirect jumps whose targets are not known. */
uint64_t code_flow_open_jumps(const struct code_flow *c);

#endif

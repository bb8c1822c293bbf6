/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of code_flow_open while it finds blocks. For flow_*.c and code_flow.c only. */
#ifndef OBJECT_FLOW_MODEL_H
#define OBJECT_FLOW_MODEL_H

#include "base/search.h"
#include "base/vec.h"
#include "object/code_flow.h"

/* Marks of code bytes. */
#define MARK_STEP 1u         /* an instruction begins here */
#define MARK_LABEL 2u        /* a block begins here */
#define MARK_ENTRY 4u        /* the block is entered from elsewhere */
#define MARK_CALL 8u         /* the instruction is a call */
#define MARK_END 16u         /* the instruction ends a block */
#define MARK_CONDITIONAL 32u /* a conditional branch; to another function with MARK_LEAVES */
#define MARK_LEAVES 64u
#define MARK_JUMP 128u     /* a jump within the function */
#define MARK_RETURN 256u   /* a return */
#define MARK_INDIRECT 512u /* an indirect jump */
#define MARK_OPEN 1024u    /* an indirect jump whose targets are not known */
#define MARK_DATA 2048u    /* data refers to it: an unknown jump may go there */
#define MARK_EPILOGUE                                                                                        \
    4096u /* the instruction removes something from the stack, as functions do at their end */

/* A symbol of a section. */
struct flow_symbol {
    uint64_t address, size;
    uint8_t type, binding;
    bool is_private; /* a label of the assembler */
};

enum flow_state { FLOW_IS_STUB, FLOW_IS_KNOWN, FLOW_IS_BROKEN };

struct flow_function {
    uint64_t address, size;
    size_t marks; /* place of its first byte in c->marks */
    size_t first_branch, n_branches;
    size_t first_block, n_blocks;
    uint32_t function; /* its number in c->functions */
    bool is_wanted;    /* else only its references to other functions are */
    enum flow_state state;
};

/* A branch within a function. */
struct flow_branch {
    uint32_t from, to;
};

/* An indirect jump with a table, or that leaves the function. */
struct flow_site {
    uint64_t table;            /* 0: it leaves */
    uint32_t function, offset; /* function: place in c->list */
    uint32_t from;             /* offset of the first instruction that computes the target */
    bool is_relative;
};

/* A relocation: the place has the address of code. */
struct flow_pointer {
    uint64_t to;
    uint64_t from; /* the place, if it is in code; else 0 */
    bool is_dynamic;
};

/* A reference from a function to the inside of another one. */
struct flow_reference {
    uint64_t to;
    uint32_t from; /* place of the referring function in c->list */
};

struct flow_table {
    uint64_t address;
    uint32_t function; /* the first one with a jump through it */
    bool is_relative;  /* entries of 4 bytes, from the table; else addresses of 8 */
    size_t first_target, n_targets;
};

struct flow_section {
    uint64_t address;
    const uint8_t *data;
    size_t n;
    bool is_writable, is_stubs, is_frames;
};

struct code_flow {
    const struct code_functions *functions;
    struct code_reader *reader;
    VEC(struct flow_function) list;    /* by number and address */
    VEC(struct flow_symbol) symbols;   /* by address */
    VEC(struct flow_section) sections; /* by address */
    VEC(struct flow_branch) branches;  /* of each function by offset */
    VEC(struct flow_site) sites;       /* by function and offset */
    VEC(struct flow_table) tables;     /* by address, when all are known */
    VEC(uint64_t) targets;             /* of each table ascending, each once */
    VEC(struct flow_reference) references;
    VEC(struct flow_pointer) pointers;
    VEC(uint64_t)
    addresses, distances; /* places in data with an address of code, or with the distance to it */
    bool is_strict;       /* the program keeps the relocations of its code */
    VEC(uint16_t) marks;
    VEC(struct flow_block) blocks;
    uint64_t open_jumps;
    /* bytes of call site tables that may still be read: many functions can share a table */
    uint64_t pad_bytes;
};

/* An instruction in which flow_find_table looks for the value of a register. */
struct flow_step {
    struct instruction_flow flow;
    uint32_t offset;
};
struct flow_steps {
    VEC(struct flow_step) list;
    size_t budget; /* how many steps find_writer may still look at */
};

/* The function in c->list that contains the address; NULL: none. */
static inline struct flow_function *flow_find(const struct code_flow *c, uint64_t address)
{
    size_t at;
    SEARCH(at, 0, c->list.n, c->list.data[at].address <= address);
    struct flow_function *f = at ? &c->list.data[at - 1] : NULL;
    return f && address - f->address < f->size ? f : NULL;
}

/* Marks an offset where a block begins. */
static inline void flow_label(struct code_flow *c, struct flow_function *f, uint64_t offset, bool is_entry)
{
    if (f->state == FLOW_IS_KNOWN)
        c->marks.data[f->marks + offset] |= (uint16_t)(MARK_LABEL | (is_entry ? MARK_ENTRY : 0));
}

/* Marks an offset that data refers to. */
static inline void flow_refer(struct code_flow *c, struct flow_function *f, uint64_t offset)
{
    if (f->state == FLOW_IS_KNOWN)
        c->marks.data[f->marks + offset] |= MARK_DATA;
}

/* flow_decode.c */

/* Marks the instructions of a function. False: allocation failed. */
bool flow_decode(struct code_flow *c, struct flow_function *f, struct flow_steps *steps) MUST_USE;

/* flow_tables.c */

enum flow_jump { FLOW_JUMP_OPEN, FLOW_JUMP_AWAY, FLOW_JUMP_TO, FLOW_JUMP_TABLE };
/* Finds where the indirect jump at the end of the steps goes: `site` gets the address of a table, or of code. */
enum flow_jump flow_find_table(struct code_flow *c, struct flow_function *f, struct flow_steps *steps,
                               struct flow_site *site);
bool flow_add_site(struct code_flow *c, const struct flow_site *site) MUST_USE;
/* Adds the table at an address that code of the function computes, if there is one of distances. */
bool flow_add_table(struct code_flow *c, const struct flow_function *f, uint64_t address) MUST_USE;
/* Reads the targets of all tables, and marks them. */
bool flow_read_tables(struct code_flow *c) MUST_USE;
bool flow_table_has(const struct code_flow *c, uint64_t table, uint64_t target);
int flow_read_sections(struct code_flow *c, struct apf_error *error);
/* The section whose bytes contain the address; NULL: none. */
const struct flow_section *flow_find_section(const struct code_flow *c, uint64_t address);

/* flow_relocations.c */

/* Reads what relocations say of code. */
bool flow_read_relocations(struct code_flow *c) MUST_USE;
/* Whether a place in data has a relocation of that kind. */
bool flow_is_relocated(const struct code_flow *c, uint64_t place, bool is_relative);
/* Marks the places in code that relocations refer to. */
void flow_mark_pointers(struct code_flow *c);

/* flow_landing_pads.c */

/* Marks the places where functions catch exceptions. */
void flow_mark_landing_pads(struct code_flow *c);

#endif

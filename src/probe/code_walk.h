/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walks the code of a program with its probes: section by section, symbol by symbol, instruction by instruction. */
#ifndef PROBE_CODE_WALK_H
#define PROBE_CODE_WALK_H

#include "object/disassembler.h"
#include "probe/probe_model.h"

struct code_symbol {
    uint64_t address;
    const char *name;
    uint32_t section;
};

struct code_walk {
    const struct apf_probes *probes; /* probes of a file */
    uint64_t max_bytes;              /* of a section that has to be inflated */
    struct disassembler *disassembler;
    struct arena arena;
    struct arena_mark before;          /* state of the arena before a section is loaded */
    VEC(struct elf_section) sections;  /* sections of code, by number */
    VEC(struct code_symbol) symbols;   /* symbols of these sections, by section, address and name */
    uint32_t *by_section;              /* objects: the placed probes by section and address */
    const struct elf_section *section; /* the present section */
    const uint8_t *data;               /* its contents */
    size_t n;
    size_t next_symbol, behind; /* numbers of the next symbol and of the first one of a later section */
    const char *name;           /* of the present symbol */
    size_t at, end;             /* offsets of its next instruction and of the next symbol */
    const uint32_t *list;       /* the section's probes by address */
    size_t n_list;
    size_t next; /* the first probe that was not reached yet */
};

/* One instruction, or bytes that cannot be decoded, and the probes reached. At the end of a symbol `instruction` is not
 * set, and probes there belong to the next symbol. */
struct code_step {
    uint64_t address;
    struct instruction instruction;
    size_t inside; /* places in walk->list: the first probe inside the instruction before, */
    size_t first;  /* the first one at this address, */
    size_t behind; /* and the first one after it */
};

/* Flags are the disassembler's. APF_UNSUPPORTED: sections alone, or a processor that Capstone does not know. */
int code_walk_open(struct code_walk *w, const struct apf_probes *probes, uint32_t flags, uint64_t max_bytes,
                   struct apf_error *error);
void code_walk_close(struct code_walk *w);
/* Moves to section `i` of w->sections. */
int code_walk_section(struct code_walk *w, size_t i, struct apf_error *error);
/* Moves to the next symbol of the section; false: none. Of symbols at one address the last one has the code. */
bool code_walk_symbol(struct code_walk *w);
/* Reads the next instruction of the symbol. False: none. */
bool code_walk_step(struct code_walk *w, struct code_step *step);

static inline uint64_t code_walk_address(const struct code_walk *w, size_t place)
{
    return w->probes->probes.data[w->list[place]].address;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The code of a program with its probes: section by section, in them symbol by symbol, instruction by instruction. */
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
    const struct apf_probes *probes; /* of a file */
    uint64_t max_bytes;              /* of a section that has to be inflated */
    struct disassembler *disassembler;
    struct arena arena;
    struct arena_mark before;          /* the contents of a section */
    VEC(struct elf_section) sections;  /* of code, in the order of their numbers */
    VEC(struct code_symbol) symbols;   /* of these sections, by section, address and name */
    uint32_t *by_section;              /* objects: the placed probes by section and address */
    const struct elf_section *section; /* the one being walked */
    const uint8_t *data;               /* what it holds */
    size_t n;
    size_t next_symbol, behind; /* numbers of symbols: the next one, and the first one of a later section */
    const char *name;           /* of the symbol being walked */
    size_t at, end;             /* offsets: its next instruction, and the next symbol */
    const uint32_t *list;       /* the section's probes by address */
    size_t n_list;
    size_t next; /* the first of them that was not come to */
};

/* One instruction, or what cannot be decoded; and the probes come to. All but `instruction` also tell of the end of a
 * symbol, with no probes at it: they are the next one's. */
struct code_step {
    uint64_t address;
    struct instruction instruction;
    size_t inside; /* places in walk->list: the first probe inside of the instruction before, */
    size_t first;  /* the first one at this address, */
    size_t behind; /* and the first one behind it */
};

/* Flags are the disassembler's. APF_UNSUPPORTED: sections alone, or a processor that Capstone does not know. */
int code_walk_open(struct code_walk *w, const struct apf_probes *probes, uint32_t flags, uint64_t max_bytes,
                   struct apf_error *error);
void code_walk_close(struct code_walk *w);
/* Goes to the section `i` of w->sections. */
int code_walk_section(struct code_walk *w, size_t i, struct apf_error *error);
/* Goes to the next symbol of the section; false: there is none. Of symbols at one address the last one has the code. */
bool code_walk_symbol(struct code_walk *w);
/* The next instruction of the symbol. False: there is none. */
bool code_walk_step(struct code_walk *w, struct code_step *step);

static inline uint64_t code_walk_address(const struct code_walk *w, size_t place)
{
    return w->probes->probes.data[w->list[place]].address;
}

#endif

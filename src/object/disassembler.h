/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions, through Capstone: the only place that calls it. */
#ifndef OBJECT_DISASSEMBLER_H
#define OBJECT_DISASSEMBLER_H

#include <stdbool.h>

#include "object/elf_file.h"

struct disassembler;

/* What an instruction does with the flow of control; of a return whether it is one at all depends on the registers on
 * some processors, where only the usual ones are known as such: x86, AArch64 and ARM are told apart fully. */
enum instruction_kind { INSTRUCTION_PLAIN, INSTRUCTION_CALL, INSTRUCTION_BRANCH, INSTRUCTION_RETURN };

struct instruction {
    const char *mnemonic,
        *operands;              /* until the next one is decoded; operands may be "". Unknown: both NULL */
    uint32_t size;              /* bytes; 0: unknown, and so is where the next one begins */
    enum instruction_kind kind; /* with DISASSEMBLER_KINDS */
};

/* Flags. */
#define DISASSEMBLER_INTEL 1u /* x86: Intel's syntax, not AT&T's */
#define DISASSEMBLER_KINDS 2u /* tell the kinds, which takes longer */

/* APF_UNSUPPORTED where Capstone does not know the processor. */
int disassembler_open(struct disassembler **result, const struct elf_facts *facts, uint32_t flags,
                      struct apf_error *error);
void disassembler_close(struct disassembler *d);
/* What a symbol says about the code from it on: on ARM, mapping symbols switch between ARM and Thumb. */
void disassembler_symbol(struct disassembler *d, const char *name);
/* The instruction at the beginning of n bytes, n > 0. As for LLVM, the prefix `lock` of x86 is an instruction of its
 * own. */
struct instruction disassembler_next(struct disassembler *d, const uint8_t *p, size_t n, uint64_t address);

/* ---- where control goes, of x86-64 and AArch64 ---- */

/* What of an instruction tells where an indirect jump goes. */
enum instruction_shape {
    SHAPE_OTHER,
    SHAPE_LOAD,        /* a register from memory */
    SHAPE_LOAD_SIGNED, /* one of 64 bits from memory of 32 */
    SHAPE_ADDRESS,     /* the address of memory into one of 64 bits */
    SHAPE_ADD,         /* one to another one, of 64 bits */
    SHAPE_STOP,        /* no branch, but nothing is run behind it */
    SHAPE_COUNTING     /* a branch on x86's counter: loop, jrcxz */
};

/* Registers of general use are numbers, whatever part of them is meant. */
#define NO_REGISTER UINT8_MAX

struct instruction_flow {
    uint64_t target; /* of a direct branch or call */
    int64_t memory;  /* the displacement of an operand in memory, or, if it is relative, the address itself */
    uint32_t writes; /* a bit for each register */
    uint8_t to, from; /* registers of loads and sums; of a jump through a register `from` */
    uint8_t base, index, scale;
    uint8_t shape;
    bool direct, conditional;
    bool has_memory, is_relative; /* to where the instruction is */
    bool has_segment;
};

/* Of the instruction that was decoded last, with DISASSEMBLER_KINDS; all zero but for the registers where it is
 * unknown, or one of another processor. */
struct instruction_flow disassembler_flow(const struct disassembler *d);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions, through Capstone: the only place that calls it. */
#ifndef OBJECT_DISASSEMBLER_H
#define OBJECT_DISASSEMBLER_H

#include <stdbool.h>

#include "object/elf_file.h"

struct disassembler;

/* How an instruction changes the flow of control. Complete for x86, AArch64 and ARM; on some other processors a return
 * is a jump through a register, and only the usual registers count as a return. */
enum instruction_kind { INSTRUCTION_PLAIN, INSTRUCTION_CALL, INSTRUCTION_BRANCH, INSTRUCTION_RETURN };

struct instruction {
    const char *mnemonic,
        *operands; /* until the next decoding; operands may be "". Unknown instruction: both NULL */
    uint32_t size; /* bytes; 0: unknown, like the address of the next instruction */
    enum instruction_kind kind; /* with DISASSEMBLER_KINDS */
    /* AArch64, with DISASSEMBLER_KINDS: Capstone does not know the word, which may well be a newer instruction; the
     * kind and the flow are known nevertheless */
    bool is_newer;
};

/* Flags. */
#define DISASSEMBLER_INTEL 1u /* x86: Intel's syntax, not AT&T's */
#define DISASSEMBLER_KINDS 2u /* find the kinds, which takes longer */

/* APF_UNSUPPORTED where Capstone does not know the processor. */
int disassembler_open(struct disassembler **result, const struct elf_facts *facts, uint32_t flags,
                      struct apf_error *error);
void disassembler_close(struct disassembler *d);
/* Applies a symbol to the code from its address on: on ARM, mapping symbols switch between ARM and Thumb. */
void disassembler_symbol(struct disassembler *d, const char *name);
/* The instruction at the beginning of n bytes, n > 0. As for LLVM, the prefix `lock` of x86 is an instruction of its
 * own. */
struct instruction disassembler_next(struct disassembler *d, const uint8_t *p, size_t n, uint64_t address);

/* ---- where control goes (x86-64 and AArch64) ---- */

/* Instructions that compute the target of an indirect jump, and those that end or count. */
enum instruction_pattern {
    PATTERN_OTHER,
    PATTERN_LOAD,        /* a register from memory */
    PATTERN_LOAD_SIGNED, /* a register of 64 bits from memory of 32 */
    PATTERN_ADDRESS,     /* the address of memory into a register of 64 bits */
    PATTERN_ADD,         /* a register to another register, of 64 bits */
    PATTERN_STOP,        /* no branch, but nothing runs after it */
    PATTERN_COUNTING,    /* a branch on x86's counter: loop, jrcxz */
    PATTERN_POP          /* x86: pop, leave */
};

/* Registers of general use are numbers, whatever part of them is meant. */
#define NO_REGISTER UINT8_MAX

struct instruction_flow {
    uint64_t target;  /* the target of a direct branch or call */
    int64_t memory;   /* the displacement of an operand in memory, or, if is_relative, the address itself */
    uint32_t writes;  /* a bit for each register */
    uint8_t to, from; /* registers of loads and sums; a jump through a register sets `from` */
    uint8_t base, index, scale;
    uint8_t pattern;
    bool direct, conditional;
    bool has_memory, is_relative; /* the operand is relative to the instruction */
    bool has_segment;
};

/* The flow of the instruction that was decoded last, with DISASSEMBLER_KINDS. All zero (registers: NO_REGISTER) where
 * the instruction is unknown, or the processor is neither x86-64 nor AArch64. */
struct instruction_flow disassembler_flow(const struct disassembler *d);

#endif

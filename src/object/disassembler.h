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

#endif

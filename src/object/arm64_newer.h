/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AArch64: instructions that are newer than Capstone: atomic ones of version 8.1, pointer authentication, SVE. */
#ifndef OBJECT_ARM64_NEWER_H
#define OBJECT_ARM64_NEWER_H

#include "object/disassembler.h"

struct arm64_newer {
    bool is_known; /* the word is in a group of encodings that has instructions */
    enum instruction_kind kind;
    bool conditional; /* a branch to `target`; other branches and calls go to a register */
    uint64_t target;
};

/* What a word at an address is that Capstone does not know, by the top level of the encodings (Arm Architecture
 * Reference Manual, C4.1) and the branches that have been added since version 8.0. */
struct arm64_newer arm64_newer(uint32_t word, uint64_t address);

#endif

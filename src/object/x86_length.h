/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions of x86: lengths of those that Capstone does not know, or whose length it gets wrong, and of
 * those that do nothing, and of common ones. */
#ifndef OBJECT_X86_LENGTH_H
#define OBJECT_X86_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of an instruction with a VEX or EVEX prefix or an opcode of three bytes (new instructions have these
 * forms, from which the length follows), or of UD1, the trap of clang's sanitizers, which has operands. 0: another
 * instruction, or it does not fit in n bytes. */
size_t x86_length(const uint8_t *p, size_t n, bool is_64_bit);

/* The length of an instruction of x86-64 that is common and no branch, call, return or trap: much faster than decoding
 * it. 0: it may be another one, or does not fit in n bytes. */
size_t x86_common_length(const uint8_t *p, size_t n);

/* The length of an instruction of x86-64 that does nothing, of any form; 0: another instruction. */
size_t x86_nop_length(const uint8_t *p, size_t n);

#endif

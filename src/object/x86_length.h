/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long x86 instructions are that Capstone does not know, or takes for shorter ones. */
#ifndef OBJECT_X86_LENGTH_H
#define OBJECT_X86_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of an instruction that has a VEX or EVEX prefix or an opcode of three bytes: new ones are of these, and
 * their length follows from their form; or of UD1, the trap of clang's sanitizers, which has operands. 0: it is none of
 * them, or does not fit in n bytes. */
size_t x86_length(const uint8_t *p, size_t n, bool is_64_bit);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions of a program by their addresses. */
#ifndef OBJECT_CODE_READER_H
#define OBJECT_CODE_READER_H

#include "object/disassembler.h"

struct code_reader;

/* APF_UNSUPPORTED where Capstone does not know the processor. */
int code_reader_open(struct code_reader **result, const struct elf_file *elf, struct apf_error *error);
void code_reader_close(struct code_reader *c);
/* The bytes of code from an address on, *n at most; NULL: no code is there. */
const uint8_t *code_reader_bytes(const struct code_reader *c, uint64_t address, uint64_t *n);
/* Decodes the instruction at an address; `bytes` are the n bytes from the address on. */
struct instruction code_reader_decode(struct code_reader *c, const uint8_t *bytes, uint64_t n,
                                      uint64_t address);
/* Where control goes after the instruction that was decoded last. */
struct instruction_flow code_reader_flow(const struct code_reader *c);
/* Whether the instruction at an address may be a branch, call, return or trap: false where the first bytes of one of
 * x86-64 or AArch64 show that it is none. */
bool code_may_branch(const struct code_reader *c, uint64_t address);
/* Whether a return is at an address. */
bool code_is_return(struct code_reader *c, uint64_t address);

#endif

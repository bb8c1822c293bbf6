/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PROGRAMS_PROGRAM_VERSION_H
#define PROGRAMS_PROGRAM_VERSION_H

#include "object/elf_file.h"

/* Finds the word that an instrumented program writes into the headers of its raw profiles: version and variant bits.
 * *found: the program has the word; false also for a damaged symbol table. APF_OK or APF_NO_MEMORY. */
int program_version_word(const struct elf_file *elf, uint64_t *word, bool *found, struct apf_error *error);

#endif

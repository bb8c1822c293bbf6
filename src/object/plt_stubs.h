/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stubs of the procedure linkage table, and the functions that they jump to. */
#ifndef OBJECT_PLT_STUBS_H
#define OBJECT_PLT_STUBS_H

#include "object/elf_file.h"

/* A stub, or the code before the first stub of a section, which has neither a symbol nor a resolver. Texts are valid
 * while the file is open. */
struct plt_stub {
    uint64_t address, size, section_end;
    const char *symbol;  /* the function that the stub jumps to; NULL: it has no symbol */
    uint64_t resolver;   /* where the function begins that chooses the one to jump to; 0: none chooses */
    const char *section; /* the name of the section */
};

/* Calls `each` for the stubs of x86-64 and AArch64 programs, and for the code before the first stub of a section. Other
 * code of these sections has no name. A result other than APF_OK ends the walk and is returned; for APF_NO_MEMORY the
 * error is filled in. */
int plt_stubs(const struct elf_file *elf, int (*each)(void *user, const struct plt_stub *stub), void *user,
              struct apf_error *error);

#endif

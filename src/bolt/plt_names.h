/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What BOLT calls the stubs of the procedure linkage table: printf@PLT. */
#ifndef BOLT_PLT_NAMES_H
#define BOLT_PLT_NAMES_H

#include <stdbool.h>
#include <string.h>

#include "object/elf_file.h"

struct plt_stub {
    uint64_t address, size, section_end;
    const char *name; /* in the arena */
};

/* How the name of the code in front of the first stub of a section begins. */
#define PLT_FRONT "__BOLT_PSEUDO_"
static inline bool plt_is_front(struct apf_str name)
{
    return name.n >= sizeof PLT_FRONT - 1 && memcmp(name.p, PLT_FRONT, sizeof PLT_FRONT - 1) == 0;
}

/* Calls `each` for the stubs of x86-64 and AArch64 programs, and for the code before the first one of a section. What
 * else stands there has no name. Another value than APF_OK ends it, and is returned. */
int plt_stubs(const struct elf_file *elf, struct arena *arena,
              int (*each)(void *user, const struct plt_stub *stub), void *user, struct apf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adding a section that is not loaded to a file, or taking one away, so that everything else stays where it is. libelf
 * would lay out the file anew, and programs that BOLT wrote do not survive that. */
#ifndef OBJECT_ELF_PUT_H
#define OBJECT_ELF_PUT_H

#include <stddef.h>
#include <stdint.h>

#include <anyprof/io.h>

/* A section by its name. */
struct elf_put {
    const char *name;
    uint32_t type;
    const void *data; /* n bytes, which get alignment 1; NULL: to take away */
    size_t n;
};

/* Writes the file with the section, or without it. To add, its bytes, a new table of section names and a new table of
 * section headers are appended, and of the ELF header e_shoff, e_shnum and e_shstrndx are changed. To take away, its
 * header becomes an unused one, and its bytes 0. A section of that name that is there is taken away before one is
 * added. APF_BAD_ELF: it is no ELF file, or its headers lie outside. APF_UNSUPPORTED: the bytes to take away are
 * loaded, another section's, or the names of sections, or another section is linked to the one that is to go.
 * APF_UNKNOWN_SECTION: there is nothing to take away. */
int elf_put_section(const uint8_t *file, size_t n, const struct elf_put *put, const struct apf_output *output,
                    struct apf_error *error);

#endif

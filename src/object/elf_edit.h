/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds a section that is not loaded to a file, or removes one; everything else keeps its place. libelf would lay out
 * the file anew, which breaks programs that BOLT wrote. */
#ifndef OBJECT_ELF_EDIT_H
#define OBJECT_ELF_EDIT_H

#include <stddef.h>
#include <stdint.h>

#include <anyprof/io.h>

/* A section by its name. */
struct elf_edit {
    const char *name;
    uint32_t type;
    const void *data; /* n bytes, which get alignment 1; NULL: remove the section */
    size_t n;
};

/* Writes the file with the section, or without it. Adding appends the bytes, a new table of section names and a new
 * table of section headers, and changes e_shoff, e_shnum and e_shstrndx of the ELF header. Removing makes the header an
 * unused one, and the bytes 0. A present section of that name is removed before one is added. APF_BAD_ELF: it is no ELF
 * file, or its headers lie outside. APF_UNSUPPORTED: the section to remove is loaded, its bytes belong to another
 * section or are the names of sections, or another section is linked to this one. APF_UNKNOWN_SECTION: there is no
 * section to remove. */
int elf_edit_section(const uint8_t *file, size_t n, const struct elf_edit *edit,
                     const struct apf_output *output, struct apf_error *error);

#endif

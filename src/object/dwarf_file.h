/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* DWARF through libdw, with the checks that libdw does not make. */
#ifndef OBJECT_DWARF_FILE_H
#define OBJECT_DWARF_FILE_H

#include <elfutils/libdw.h>

#include "base/vec.h"
#include "object/elf_file.h"

/* Bytes that a text may be in. */
struct dwarf_bytes {
    uintptr_t start, end;
};

/* All zero = closed. */
struct dwarf_file {
    const struct elf_file *elf;
    Dwarf *dwarf;                  /* NULL: the file has no DWARF that libdw can read */
    VEC(struct dwarf_bytes) texts; /* in their order; none overlap */
    /* The bytes that texts may still have together, as any number of entries can share a text; UINT64_MAX after a text
     * was refused. NULL: no limit. */
    uint64_t *left;
};

/* Checks that libdw may read the file: libdw bounds neither sections that share bytes nor the size of inflated ones. */
int dwarf_check_sections(const struct elf_file *elf, uint64_t max_bytes, struct apf_error *error);
/* Opens a file that dwarf_check_sections accepts, and that stays open. libdw inflates its sections in place. */
int dwarf_file_open(struct dwarf_file *d, const struct elf_file *elf, struct apf_error *error);
void dwarf_file_close(struct dwarf_file *d);
/* The text of an attribute; NULL: there is none, or it does not end in its section, which libdw does not check. */
const char *dwarf_file_text(const struct dwarf_file *d, Dwarf_Attribute *attribute);
/* The text of an attribute of an entry, or of the entry that it is a copy of. */
const char *dwarf_file_name(const struct dwarf_file *d, Dwarf_Die *die, unsigned name);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* DWARF through libdw: what must be looked at before libdw trusts it. */
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
    Dwarf *dwarf;                  /* NULL: there is none that libdw can read */
    VEC(struct dwarf_bytes) texts; /* in their order; none overlap */
    /* Any number of entries can share a text. NULL, or the bytes that texts may still have together; UINT64_MAX when
     * that was too little, and a text was not given. */
    uint64_t *left;
};

/* Whether libdw may read the file: it reads sections however many lie over the same bytes, and inflates them without
 * asking how far they grow. */
int dwarf_check_sections(const struct elf_file *elf, uint64_t max_bytes, struct apf_error *error);
/* Opens a file for which that is so, and which stays open. It inflates its sections in place. */
int dwarf_file_open(struct dwarf_file *d, const struct elf_file *elf, struct apf_error *error);
void dwarf_file_close(struct dwarf_file *d);
/* The text of an attribute; NULL: none, or one that does not end in its section, at which libdw does not look. */
const char *dwarf_file_text(const struct dwarf_file *d, Dwarf_Attribute *attribute);
/* The same of an entry's attribute, or that of the entry it is a copy of. */
const char *dwarf_file_name(const struct dwarf_file *d, Dwarf_Die *die, unsigned name);

#endif

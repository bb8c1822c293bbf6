/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An ELF image with the debug sections of a file, unpacked. */
#ifndef OBJECT_DWARF_IMAGE_H
#define OBJECT_DWARF_IMAGE_H

#include "object/dwarf_file.h"

/* Fills in d->image, d->elf and d->sections. Without .debug_info and .debug_str all stay empty. Unless d->of_split, the
 * sections of split DWARF (.dwo) are left out of a file that has others, too; of sections with one name the first
 * counts, as in libdw. */
int dwarf_image_make(struct dwarf_file *d, const struct elf_file *elf, uint64_t max_bytes,
                     struct apf_error *error);

#endif

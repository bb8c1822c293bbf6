/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes object files with given sections, through libelf. */
#ifndef OBJECT_ELF_WRITE_H
#define OBJECT_ELF_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anyprof/io.h>

#include "object/elf_file.h"

/* Target of the object. */
struct elf_target {
    uint32_t bits, machine; /* 32 or 64; the number of the ELF header */
    uint32_t flags;         /* of the ELF header: e_flags */
    bool big_endian;
};

/* A section that linkers keep out of memory. */
struct elf_new_section {
    const char *name;
    uint32_t type; /* SHT_* */
    const void *data;
    size_t n;
    const char *group; /* signature that the sections of a group share; NULL: in no group */
    bool comdat;       /* linkers keep the first group with this signature */
};

/* e_flags of an open file. */
uint32_t elf_header_flags(const struct elf_file *elf);
/* APF_LIMIT when n sections are certainly too many; an early check for callers. */
int elf_check_sections(size_t n, struct apf_error *error);
/* Writes an object that needs no executable stack. APF_LIMIT: more sections than an ELF header can count. */
int elf_write_object(const struct elf_target *target, const struct elf_new_section *sections, size_t n,
                     const struct apf_output *output, struct apf_error *error);

#endif

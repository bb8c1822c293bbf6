/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An open ELF file: shared by the files that read it. */
#ifndef OBJECT_ELF_MODEL_H
#define OBJECT_ELF_MODEL_H

#include <gelf.h>

#include "base/error.h"
#include "base/file.h"
#include "object/elf_file.h"

/* Section headers may put any number of sections over the same bytes, and there any number of compressed streams. What
 * reading takes is bounded by the size of the file all the same: each section that is read is counted once. */
struct elf_account {
    uint64_t stored;   /* bytes that sections may still have in the file */
    uint64_t unpacked; /* bytes that they may still inflate to */
    uint8_t taken[];   /* of each section: ELF_TAKEN_... */
};
#define ELF_TAKEN_STORED 1u
#define ELF_TAKEN_UNPACKED 2u

/* A section of strings, which ends with a zero. */
struct elf_strings {
    const char *p;
    size_t n;
    uint64_t left; /* bytes that the names taken from it may still have: any number can share one */
};

struct elf_file {
    Elf *elf;
    const uint8_t *data; /* NULL: it is read through fd */
    uint64_t size;
    int fd;
    struct file_bytes bytes; /* what was read whole */
    struct elf_facts facts;
    struct elf_strings names; /* of sections; p is NULL when there are none */
    struct elf_account *account;
};

/* Facts of the section headers, found before libelf, which trusts their number, sees the file. */
struct elf_layout {
    uint64_t headers; /* their offset */
    uint64_t n;
    uint32_t header_bytes;
    uint32_t names; /* number of the section of names */
};

/* Whether the file is an ELF file, all of whose section headers are in it. */
int elf_check(const struct elf_file *f, struct elf_layout *layout, struct apf_error *error);

/* An error about a section; its number ends the message. */
int elf_section_error(struct apf_error *error, int code, struct error_at at, uint32_t section,
                      const char *detail);
/* An error about a section without numbers to compare. */
int elf_section_wrong(struct apf_error *error, const char *where, uint64_t offset, uint32_t section,
                      const char *detail);
/* A call to libelf failed, before which errno was 0, about a section that is in the file. */
int elf_read_failed(struct apf_error *error, uint64_t offset, uint32_t section);

/* Finds a section that is in the file, and counts it. */
int elf_take(const struct elf_file *f, uint32_t index, GElf_Shdr *header, struct apf_error *error);
/* A section of strings. */
int elf_strings_open(const struct elf_file *f, uint32_t index, struct elf_strings *strings,
                     struct apf_error *error);
/* A name, and its place: the number of the section that has it, or of its table, and the offset in the file. */
struct elf_name {
    const char *p;
    size_t n;
    uint64_t at;
    uint32_t section;
};
/* The string at an offset. */
int elf_strings_take(struct elf_strings *strings, uint64_t offset, struct elf_name *name,
                     struct apf_error *error);

#endif

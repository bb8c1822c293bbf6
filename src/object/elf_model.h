/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The open ELF file, for elf_*.c only. */
#ifndef OBJECT_ELF_MODEL_H
#define OBJECT_ELF_MODEL_H

#include <gelf.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/vec.h"
#include "object/elf_file.h"

/* A large section that was read from the file. */
struct elf_copy {
    const uint8_t *data;
    uint32_t section;
};

/* What was read so far. Any number of sections may overlap, and so may compressed streams in them. The size of the file
 * still bounds the reading: each section that is read is counted once. */
struct elf_account {
    uint64_t stored;   /* bytes that sections may still have in the file */
    uint64_t unpacked; /* bytes that sections may still inflate to */
    /* Large sections are not read by libelf, which would fault in each small page of them. */
    VEC(struct elf_copy) copies;
    struct arena copied;
    uint8_t counted[]; /* for each section: ELF_COUNTED_... */
};
#define ELF_COUNTED_STORED 1u
#define ELF_COUNTED_UNPACKED 2u

/* A section of strings, which ends with a zero. */
struct elf_strings {
    const char *p;
    size_t n;
    uint64_t left; /* bytes that names read from the section may still have: any number can share one */
};

struct elf_file {
    Elf *elf;
    const uint8_t *data; /* NULL: the file is read through fd */
    uint64_t size;
    int fd;
    struct file_bytes bytes; /* the input, where it was read whole */
    struct elf_facts facts;
    struct elf_strings names; /* names of sections; p is NULL when there are none */
    struct elf_account *account;
};

/* Facts of the section headers, checked before libelf, which trusts their number, opens the file. */
struct elf_layout {
    uint64_t headers; /* offset of the table */
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
/* Reports that a call to libelf about a section failed; errno was 0 before the call. */
int elf_read_failed(struct apf_error *error, uint64_t offset, uint32_t section);

/* Finds a section that lies in the file, and counts its bytes in the account. */
int elf_find_section(const struct elf_file *f, uint32_t index, GElf_Shdr *header, struct apf_error *error);
/* Opens a section of strings. */
int elf_strings_open(const struct elf_file *f, uint32_t index, struct elf_strings *strings,
                     struct apf_error *error);
/* A name, and the place that errors name: the section and the offset in the file of the entry that has the name. */
struct elf_name {
    const char *p;
    size_t n;
    uint64_t at;
    uint32_t section;
};
/* Reads the string at an offset of the section. */
int elf_strings_read(struct elf_strings *strings, uint64_t offset, struct elf_name *name,
                     struct apf_error *error);

#endif

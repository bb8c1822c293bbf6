/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ELF files, through libelf: the only place that calls it. */
#ifndef OBJECT_ELF_FILE_H
#define OBJECT_ELF_FILE_H

#include <stdbool.h>

#include <anyprof/error.h>

struct elf_file;

/* Facts of the ELF header. */
struct elf_facts {
    uint32_t bits, machine;
    bool big_endian;
};

/* A section; data is borrowed from the file's bytes and NULL for those without any. */
struct elf_section {
    const char *name;
    uint64_t address, size, flags;
    uint32_t type, index;
};

/* Opens an image that the caller keeps until elf_file_close. APF_MALFORMED when it is no ELF file. */
int elf_file_open(struct elf_file **elf, const void *data, size_t n, struct apf_error *error);
void elf_file_close(struct elf_file *elf);
const struct elf_facts *elf_file_facts(const struct elf_file *elf);
/* Calls `each` for every section with a readable header; non-zero ends the walk. */
void elf_file_sections(const struct elf_file *elf, int (*each)(void *user, const struct elf_section *section),
                       void *user);
/* The bytes of a section, borrowed; false when it has none or they lie outside the file. */
bool elf_file_bytes(const struct elf_file *elf, uint32_t index, const uint8_t **data, size_t *n);
/* The GNU build id: borrowed bytes, n == 0 when there is none. */
struct apf_str elf_file_build_id(const struct elf_file *elf);

#endif

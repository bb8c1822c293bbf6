/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ELF files, through libelf: the only place that calls it. */
#ifndef OBJECT_ELF_FILE_H
#define OBJECT_ELF_FILE_H

#include <stdbool.h>
#include <string.h>

#include <anyprof/io.h>

#include "base/arena.h"

struct elf_file;
struct Elf; /* libelf's */

/* Facts of the ELF header. */
struct elf_facts {
    uint32_t bits, machine;
    bool big_endian;
    bool relocatable; /* an object: addresses are offsets in sections */
};

struct elf_section {
    const char *name;
    uint64_t address, size, flags, offset;
    uint32_t type, index;
    uint32_t link, info;
};

/* A symbol of .symtab. */
struct elf_symbol {
    const char *name; /* never NULL; n bytes and a zero */
    size_t n;
    uint64_t value, size; /* for functions without the bit that selects the instruction set */
    uint32_t section;     /* its index; ELF_UNDEFINED, or ELF_NO_SECTION: absolute or common */
    uint8_t type, binding;
};
#define ELF_UNDEFINED 0u
#define ELF_NO_SECTION UINT32_MAX

/* A relocation of a section: the field at `offset` becomes `value` (of the symbol) + addend. */
struct elf_relocation {
    const char *name; /* of the symbol; never NULL */
    uint64_t offset, value;
    int64_t addend;
    uint32_t type;
    uint32_t section; /* the symbol's, as in elf_symbol */
    bool in_place;    /* the addend is in the section; `addend` is 0 */
};

/* A section that belongs to a group. */
struct elf_member {
    const char *signature; /* name of the group's symbol; never NULL */
    uint32_t section;
    bool comdat; /* linkers keep one group with this signature */
};

/* Opens an image that the caller keeps until elf_file_close. APF_BAD_ELF when it is no ELF file, or
 * its section headers or their names are not in it. */
int elf_file_open(struct elf_file **elf, const void *data, size_t n, struct apf_error *error);
/* Opens an input of any kind, of at most max_bytes. A regular file is read as sections are asked for; other inputs are
 * read whole, and unpacked. */
int elf_file_open_input(struct elf_file **elf, const struct apf_input *input, uint64_t max_bytes,
                        struct apf_error *error);
void elf_file_close(struct elf_file *elf);
/* Bytes of the whole file. */
uint64_t elf_file_size(const struct elf_file *elf);
const struct elf_facts *elf_file_facts(const struct elf_file *elf);
/* The handle for libdw, which reads sections through it, and inflates compressed ones in place. */
struct Elf *elf_file_libelf(const struct elf_file *elf);
/* Calls `each` for every section with a readable header; a result that is not 0 ends the walk and is returned. */
int elf_file_sections(const struct elf_file *elf, int (*each)(void *user, const struct elf_section *section),
                      void *user);
/* Finds a section by its number; false when there is none. */
bool elf_file_section(const struct elf_file *elf, uint32_t index, struct elf_section *section);
/* The functions below read sections. The sections that are read from one file, each counted once, have together at most
 * as many bytes as the file (APF_BAD_ELF, as for sections outside the file), and inflate to at most deflate_budget
 * (APF_LIMIT). The messages end with the number of the section.
 *
 * * * A result of `each` that is not 0 ends the walk and is returned; for APF_NO_MEMORY the error is filled in. */

/* Calls `each` for every section that is in a group. */
int elf_file_groups(const struct elf_file *elf, int (*each)(void *user, const struct elf_member *member),
                    void *user, struct apf_error *error);
/* The bytes of a section as they are in the file, borrowed. A section without bytes is empty. */
int elf_file_bytes(const struct elf_file *elf, uint32_t index, const uint8_t **data, size_t *n,
                   struct apf_error *error);
/* The contents of a section: its bytes, or for a compressed section the inflated bytes, in the arena, at most
 * max_bytes. Empty after an error. */
int elf_file_contents(const struct elf_file *elf, uint32_t index, uint64_t max_bytes, struct arena *arena,
                      const uint8_t **data, size_t *n, struct apf_error *error);
/* The size of a section's contents, and a copy of them into as many bytes, for callers that place them. */
int elf_file_contents_size(const struct elf_file *elf, uint32_t index, uint64_t max_bytes, size_t *n,
                           struct apf_error *error);
int elf_file_copy_contents(const struct elf_file *elf, uint32_t index, uint64_t max_bytes, uint8_t *to,
                           struct apf_error *error);
/* Calls `each` for the symbols of .symtab, in its order. Symbols may share names; APF_BAD_ELF when the names have
 * together more than 16 times the bytes of the file and 1 MiB. */
int elf_file_symbols(const struct elf_file *elf, int (*each)(void *user, const struct elf_symbol *symbol),
                     void *user, struct apf_error *error);
/* Whether a section is code that is loaded, and has its bytes in the file: that of debug information alone has not. */
bool elf_has_code(const struct elf_section *section);
/* Whether a section holds relocations; they are of the section `info`. */
bool elf_is_relocations(const struct elf_section *section);
/* Calls `each` for the relocations in a section of relocations, in their order. */
int elf_file_relocations(const struct elf_file *elf, uint32_t index,
                         int (*each)(void *user, const struct elf_relocation *relocation), void *user,
                         struct apf_error *error);
/* A part of a program that is loaded. */
struct elf_segment {
    uint64_t address, size, offset, alignment;
    bool executable;
};
int elf_file_segments(const struct elf_file *elf, int (*each)(void *user, const struct elf_segment *segment),
                      void *user, struct apf_error *error);
/* Whether it is a library, or a program that may be loaded anywhere. */
bool elf_file_is_movable(const struct elf_file *elf);
/* The GNU build id: borrowed bytes, n == 0 when there is none. */
struct apf_str elf_file_build_id(const struct elf_file *elf);

#endif

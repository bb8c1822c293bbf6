/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ELF files of either size and byte order, made from the ELF specification alone. */
#ifndef HELPERS_SHARED_ELF_BUILD_H
#define HELPERS_SHARED_ELF_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct eb_section {
    const char *name;
    uint32_t type;
    uint64_t flags, address;
    uint32_t link, info;
    uint64_t entry_size;
    const void *data;
    size_t n;
};

struct eb_symbol {
    const char *name;
    uint64_t value, size;
    uint8_t info; /* binding << 4 | type */
    uint16_t section;
};

struct eb_file {
    unsigned bits; /* 32 or 64 */
    bool big_endian;
    uint16_t type, machine;
    const struct eb_section *sections; /* their numbers begin at 1 */
    size_t n_sections;
    const struct eb_symbol *symbols; /* their numbers begin at 1; .symtab and .strtab follow the sections */
    size_t n_symbols;
};

struct eb_bytes {
    uint8_t *data;
    size_t n;
    size_t section_headers; /* their offset, from the header of section 0 on */
};

/* The bytes of the file; the caller frees them. */
struct eb_bytes eb_build(const struct eb_file *file);

/* The bytes of an integer in the file's byte order. */
void eb_store(uint8_t *to, uint64_t v, size_t bytes, bool big_endian);

/* Bytes from text such as "bab4ff04 01 00": hexadecimal digits and blanks. Returns their number. */
size_t hex_bytes(uint8_t *to, size_t room, const char *text);

#endif

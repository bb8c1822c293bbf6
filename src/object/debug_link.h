/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a program says about other files that have its debug information. */
#ifndef OBJECT_DEBUG_LINK_H
#define OBJECT_DEBUG_LINK_H

#include "object/elf_file.h"

/* Bytes of the longest build id by which files are searched for. */
#define DEBUG_MOST_ID 64u

/* .gnu_debuglink, which objcopy --add-gnu-debuglink and eu-strip write. */
struct debug_link {
    /* Of a file, without directories, terminated; n == 0: there is no link that may be followed. */
    struct apf_str name;
    uint32_t crc; /* of the whole file */
    bool unsafe;  /* there is a link, but it is damaged, or names more than a file */
};

/* .gnu_debugaltlink, or .debug_sup of DWARF 5, which dwz writes. */
struct debug_alternate_link {
    struct apf_str path; /* terminated; n == 0: there is none that may be followed */
    struct apf_str id;   /* of the file, debug_id_of */
};

/* What debug information, symbols and probes an ELF file has itself. */
struct debug_contents {
    bool dwarf, symbols;
    bool probes; /* .pseudo_probe and .pseudo_probe_desc */
};

/* The texts are borrowed from the file. */
struct debug_link debug_link_of(const struct elf_file *elf);
struct debug_alternate_link debug_alternate_link_of(const struct elf_file *elf);
struct debug_contents debug_contents_of(const struct elf_file *elf);
/* The build id, or the checksum in .debug_sup of a file that others share, which takes its place; n == 0: neither. */
struct apf_str debug_id_of(const struct elf_file *elf);

#endif

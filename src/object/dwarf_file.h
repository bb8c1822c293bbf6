/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* DWARF through libdw, with the checks that libdw does not make. libdw gets an image of the sections that are used
 * here, unpacked: it bounds neither sections that share bytes nor the size of inflated ones, and may not know zstd. */
#ifndef OBJECT_DWARF_FILE_H
#define OBJECT_DWARF_FILE_H

#include <elfutils/libdw.h>

#include "base/vec.h"
#include "object/elf_file.h"

/* libdw passes over everything in an entry to find the next one, so that deep trees take long. No compiler nests scopes
 * like this; what is deeper is not read. */
#define DWARF_MOST_DEPTH 512u

/* The sections that are read. */
enum dwarf_section {
    DWARF_INFO,
    DWARF_TYPES,
    DWARF_ABBREV,
    DWARF_STR,
    DWARF_LINE_STR,
    DWARF_STR_OFFSETS,
    DWARF_ADDR,
    DWARF_RANGES,
    DWARF_RNGLISTS,
    DWARF_LINE,
    DWARF_CU_INDEX,
    DWARF_SECTIONS
};

struct dwarf_bytes {
    const uint8_t *data;
    size_t n;
};

/* Where a unit of a package (.dwp) begins and ends in .debug_info, and its parts of other sections begin. */
struct dwarf_parts {
    uint64_t info, end;
    uint64_t abbrev, str_offsets, rnglists;
};

/* Any number of entries can share a text or a list of ranges. This is what they may read together, of the program and
 * of all files with its split DWARF. */
struct dwarf_budget {
    uint64_t texts, ranges; /* bytes that are left */
    const char *refused;    /* what would have taken more; NULL: nothing */
    const char *where;      /* for the error */
};

/* All zero = closed. */
struct dwarf_file {
    Dwarf *dwarf; /* NULL: the file has no DWARF that libdw can read */
    struct Elf *elf;
    uint8_t *image;
    struct dwarf_bytes sections[DWARF_SECTIONS];
    VEC(struct dwarf_parts) parts; /* of a package, by their places */
    bool swap;
    /* Set by the caller before the file is opened; of_split: split DWARF is wanted, of a file that has its skeletons,
     * too, as with -gsplit-dwarf=single. */
    struct dwarf_budget *budget;
    bool of_split;
    /* The file that entries of this one refer to; NULL: there is none. */
    const struct dwarf_file *alternate;
};

/* A budget for a program of so many bytes. */
struct dwarf_budget dwarf_budget_start(uint64_t size);
/* Adds what entries may read because of another file of so many bytes. */
void dwarf_budget_add(struct dwarf_budget *budget, uint64_t size);

/* The error for a budget that was refused, or APF_OK. */
int dwarf_budget_check(const struct dwarf_budget *budget, struct apf_error *error);

/* Opens a file; nothing of it is needed any more after that. Sections may unpack to max_bytes. APF_LIMIT, too, where
 * libdw would take more than its share of memory and time: it reads the table of abbreviations again for each unit. */
int dwarf_file_open(struct dwarf_file *d, const struct elf_file *elf, uint64_t max_bytes,
                    struct apf_error *error);
void dwarf_file_close(struct dwarf_file *d);
/* Lets entries refer to another open file with the same budget, which dwz has moved them to, and which must stay. */
void dwarf_file_use_alternate(struct dwarf_file *d, const struct dwarf_file *alternate);
/* The text of an attribute; NULL: there is none, or it does not end in its section, which libdw does not check. */
const char *dwarf_file_text(const struct dwarf_file *d, Dwarf_Attribute *attribute);
/* Finds an attribute of an entry, or of the entry that it is a copy of, also in the other file; false: neither has it.
 */
bool dwarf_file_attribute(const struct dwarf_file *d, const Dwarf_Die *die, unsigned name,
                          Dwarf_Attribute *attribute);
/* The text of such an attribute. */
const char *dwarf_file_name(const struct dwarf_file *d, const Dwarf_Die *die, unsigned name);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds split DWARF: in a package, or in the .dwo files that skeleton units name. */
#ifndef OBJECT_DWARF_SPLIT_H
#define OBJECT_DWARF_SPLIT_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "object/dwarf_unit.h"

struct split_file;

/* The files with the split DWARF of a program. The members before `files` are set by the caller, all else zero. */
struct dwarf_split {
    const char *program; /* its path; NULL: there is none */
    const char *debug;   /* path of the file that has the skeletons, if it is another one; NULL */
    const char *package; /* path of the package; NULL: PROGRAM.dwp and DEBUG.dwp */
    uint64_t max_bytes;  /* limit of the unpacked sections of a file */
    struct dwarf_budget *budget;
    bool keeps_files; /* units stay valid; otherwise those of one .dwo file until the next one is opened */
    VEC(struct split_file *) files;
    struct hash_index index; /* of the files by what they are */
    struct split_file *packages[2], *last;
    bool searched;    /* for packages */
    uint32_t n_other; /* units that were not found, though a file for them was, as that of another build */
    struct arena arena;
};

/* Finds the unit of a skeleton, with its addresses; *found is false where there is none, and *name then what was looked
 * for: NULL if `skeleton` names no file. Only regular files are read; a damaged one has no units, unless it is the
 * package that the caller has named, which is an error then, as that it is missing. */
int dwarf_split_find(struct dwarf_split *s, const struct dwarf_unit *skeleton, struct dwarf_unit *unit,
                     bool *found, const char **name, struct apf_error *error);
void dwarf_split_free(struct dwarf_split *s);

#endif

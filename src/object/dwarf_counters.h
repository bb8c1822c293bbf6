/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What lightweight instrumentation leaves in the DWARF: in each function a variable __profc_NAME for its counters, and
 * from LLVM 23 on __profbm_NAME for its bitmap, with annotations. */
#ifndef OBJECT_DWARF_COUNTERS_H
#define OBJECT_DWARF_COUNTERS_H

#include "object/elf_file.h"

/* Such a variable. Texts are valid during the call that tells of it. */
struct dwarf_counters {
    bool is_bitmap;           /* it is a __profbm_ */
    bool has_address;         /* of the variable */
    bool has_function;        /* its function has an address */
    bool has_hash, has_count; /* annotations that are there; function_name may be NULL */
    const char *function_name;
    uint64_t hash;
    uint64_t count; /* counters; bits of a bitmap */
    uint64_t address;
    const char *linkage_name; /* of the function, or its name; NULL: none */
    const char *directory;    /* "": none, or the file's name has one */
    const char *file;         /* where the function is declared; NULL: unknown */
    uint64_t line;            /* 0: unknown */
};

/* How to read, and what was not there. */
struct dwarf_counters_walk {
    uint64_t max_bytes;  /* that sections may unpack to */
    const char *program; /* its path, to find .dwo files by; NULL: there is none */
    bool places;         /* what is not needed for counting, too: linkage_name to line */
    bool
        no_debug_info; /* that libdw can read; there may be some that is compressed in another way than it knows */
    bool is_compressed;
    uint32_t n_missing; /* units whose DWARF is in files that cannot be read */
    char missing[128];  /* the name of the first of these */
};

/* Calls `each` for all of them, in the order of the DWARF. What it returns ends the walk unless it is 0, and is
 * returned; of APF_NO_MEMORY the error is filled in. Damage ends the unit that it is in. Split DWARF is read from the
 * .dwo files, which must be regular files. Compressed sections of the program are inflated in place. */
int dwarf_counters_read(const struct elf_file *elf, struct dwarf_counters_walk *walk,
                        int (*each)(void *user, const struct dwarf_counters *counters), void *user,
                        struct apf_error *error);

#endif

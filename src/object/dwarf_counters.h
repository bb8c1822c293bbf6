/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads what lightweight instrumentation leaves in the DWARF: in each function a variable __profc_NAME for its
 * counters, and from LLVM 23 on __profbm_NAME for its bitmap, with annotations. */
#ifndef OBJECT_DWARF_COUNTERS_H
#define OBJECT_DWARF_COUNTERS_H

#include "object/elf_file.h"

/* A variable for counters or a bitmap. Texts are valid during the call of `each`. */
struct dwarf_counters {
    bool is_bitmap;           /* the name begins with __profbm_ */
    bool has_address;         /* the variable has an address */
    bool has_function;        /* the function of the variable has an address */
    bool has_hash, has_count; /* annotations that are present; function_name may be NULL */
    const char *function_name;
    uint64_t hash;
    uint64_t count; /* number of counters, or of bits of a bitmap */
    uint64_t address;
    const char *linkage_name; /* linkage name of the function, else its name; NULL: none */
    const char *directory;    /* "": none, or the file's name has one */
    const char *file;         /* where the function is declared; NULL: unknown */
    uint64_t line;            /* 0: unknown */
};

/* Options of the caller, and what was not found. */
struct dwarf_counters_walk {
    uint64_t max_bytes;  /* limit of the unpacked sections */
    const char *program; /* its path, to find .dwo files by; NULL: there is none */
    bool places;         /* also fill in linkage_name to line, which correlation does not need */
    bool no_debug_info;  /* none that libdw can read */
    uint32_t n_missing;  /* number of units whose DWARF is in files that cannot be read */
    char missing[128];   /* the name of the first such file */
};

/* Calls `each` for all variables, in the order of the DWARF. A result of `each` that is not 0 ends the walk and is
 * returned; for APF_NO_MEMORY the error is filled in. Damage ends the unit. Split DWARF is read from the .dwo files,
 * which must be regular files. Compressed sections of the program are inflated in place. */
int dwarf_counters_read(const struct elf_file *elf, struct dwarf_counters_walk *walk,
                        int (*each)(void *user, const struct dwarf_counters *counters), void *user,
                        struct apf_error *error);

#endif

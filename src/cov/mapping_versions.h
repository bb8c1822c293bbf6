/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The versions of coverage mappings, and what they have. */
#ifndef COV_MAPPING_VERSIONS_H
#define COV_MAPPING_VERSIONS_H

#include <stddef.h>
#include <stdint.h>

enum {
    MAPPING_REFS =
        1, /* functions name themselves by the MD5 of their names, else by the address of the name */
    MAPPING_COVFUN = 2,    /* functions are in a section of their own, and lists of files may be compressed */
    MAPPING_DIRECTORY = 4, /* the first file of a list is the directory of the others */
};

struct mapping_version {
    uint32_t version; /* as it is called; the stored number is one less */
    unsigned caps;    /* MAPPING_* */
};

/* The version with a stored number; NULL: it is newer than all that are known. */
const struct mapping_version *mapping_version_find(uint32_t stored);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each version of LLVM's binary formats of sample profiles has, and what each type of section is. A new version,
 * a new type of section or a new flag is a row in sample_versions.c. */
#ifndef SAMPLE_VERSIONS_H
#define SAMPLE_VERSIONS_H

#include <anyprof/sample.h>

/* sample_version.caps */
#define SAMPLE_CAP_SUMMARY 1u /* a summary comes first */
#define SAMPLE_CAP_NAMES 2u   /* functions have numbers of a table of names, instead of names */
#define SAMPLE_CAP_INLINED 4u /* ... and inlined functions */
#define SAMPLE_CAP_SPANS 8u   /* flags say that tables are spans of hashes in breadth-first order */

struct sample_version {
    uint32_t format;  /* enum apf_sample_format */
    uint32_t version; /* as in the file */
    uint32_t caps;    /* SAMPLE_CAP_* */
};

/* The row of a version of a format; NULL: unknown. */
const struct sample_version *sample_version_of(uint32_t format, uint64_t version);
/* The version of a format that is nearest to an unknown one: the next newer one, or else the newest one. */
uint32_t sample_version_near(uint32_t format, uint64_t version);

/* A flag of a type of section with LLVM's word for it, and what is not read if it is set. */
struct sample_section_flag {
    uint64_t type; /* SAMPLE_SECTION_*; SAMPLE_SECTION_ANY: of all types */
    uint64_t bit;
    uint64_t hidden_by;   /* LLVM does not print the word if this bit is set, too */
    const char *word;     /* NULL: LLVM 22 has none */
    const char *unread;   /* what such a section is, if it is not read; NULL: it is read */
    uint32_t unread_caps; /* ... in versions with these capabilities; others ignore the bit */
};

#define SAMPLE_SECTION_ANY UINT64_MAX

/* The flags of a section in the order in which LLVM prints their words: number i, or NULL after the last one. */
const struct sample_section_flag *sample_section_flag(uint64_t type, unsigned i);

struct sample_section_type {
    uint64_t type;
    const char *name;  /* as llvm-profdata prints it */
    const char *part;  /* in maps of files */
    const char *where; /* in errors */
};

/* The row of a type of section; for unknown types a row with LLVM's name for these, whose type is
 * SAMPLE_SECTION_ANY. */
const struct sample_section_type *sample_section_type_of(uint64_t type);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of what sample profiles are written as: the forms, with what each has a place for, and the releases of LLVM
 * and GCC, with the forms and features that each one reads. A new release is one more row; code asks rows for
 * capabilities, never for numbers of versions. */
#ifndef SAMPLE_RELEASES_H
#define SAMPLE_RELEASES_H

#include <stdbool.h>

#include <anyprof/sample_write.h>

#include "sample/layout/gcc_layout.h"

/* What a profile may have, a form may have a place for, and a release may know. */
#define SAMPLE_HAS_INLINED 1u        /* functions that are inlined in others */
#define SAMPLE_HAS_CHECKSUMS 2u      /* of functions at the top level, with pseudo probes */
#define SAMPLE_HAS_INNER_METADATA 4u /* checksums or attributes of inlined functions */
#define SAMPLE_HAS_ATTRIBUTES 8u     /* of functions at the top level */
#define SAMPLE_HAS_CONTEXTS 16u
#define SAMPLE_HAS_VTABLES 32u
#define SAMPLE_HAS_HASHES 64u        /* names of which only the hash is known */
#define SAMPLE_HAS_INNER_HASHES 128u /* ... with inlined functions, or asked for with those */
#define SAMPLE_HAS_SYMBOLS 256u      /* the list of all functions */
#define SAMPLE_HAS_FS 512u           /* the flag that discriminators are flow-sensitive */
#define SAMPLE_HAS_PARTIAL 1024u     /* the flag of partial profiles */
#define SAMPLE_HAS_FILES 2048u
#define SAMPLE_HAS_TIMES 4096u
#define SAMPLE_HAS_WIDE_PLACES 8192u     /* line offsets or discriminators above 65535 */
#define SAMPLE_HAS_DISCRIMINATORS 16384u /* discriminators of lines and calls */
/* !Flat at functions in which nothing is inlined: not of a profile, but of texts that are written or read */
#define SAMPLE_HAS_FLAT_MARKS 32768u
#define SAMPLE_HAS_TARGETS                                                                                   \
    65536u /* not of a profile, either, but of releases that read targets of calls rightly */
#define SAMPLE_N_FEATURES 17u /* how many bits there are */

enum sample_form {
    SAMPLE_FORM_TEXT,
    SAMPLE_FORM_BINARY,
    SAMPLE_FORM_COMPACT,
    SAMPLE_FORM_EXT,       /* extbinary, in the layout of LLVM 14 and later */
    SAMPLE_FORM_EXT_OLD,   /* ... of LLVM 10 to 13: without the section of contexts */
    SAMPLE_FORM_EXT_NAMED, /* ... of LLVM 13: contexts are names; no other release reads it */
    SAMPLE_FORM_EXT_SPLIT, /* ... with sections of their own for functions in which nothing is inlined */
    SAMPLE_FORM_GCC_LLVM,  /* GCC's version 4.07, which only LLVM reads */
    SAMPLE_FORM_GCC_1,
    SAMPLE_FORM_GCC_2,
    SAMPLE_FORM_GCC_3A,
    SAMPLE_FORM_GCC_3B,
    SAMPLE_FORM_GCC_3,
    SAMPLE_FORM_COUNT
};

/* How an extbinary file stores checksums and attributes; files with other metadata than a release knows are unreadable
 * for it. */
enum sample_metadata {
    SAMPLE_METADATA_NONE,
    SAMPLE_METADATA_TOP,  /* of functions at the top level only: LLVM 12 and 13 */
    SAMPLE_METADATA_INNER /* of inlined functions, too */
};

struct sample_form_row {
    const char *name;
    uint32_t format;  /* enum apf_sample_format */
    uint32_t version; /* as apf_sample_info.version */
    const char *variant;
    uint32_t layout; /* enum apf_sample_layout */
    uint32_t holds;  /* SAMPLE_HAS_* */
    enum sample_metadata metadata;
};
const struct sample_form_row *sample_form_row(enum sample_form form);
/* The form of a format and layout (APF_SAMPLE_LAYOUT_AUTO: the usual one); SAMPLE_FORM_COUNT: there is none. */
enum sample_form sample_form_find(uint32_t format, uint32_t layout);
/* Whether a format (0: any) has a layout; every one has APF_SAMPLE_LAYOUT_AUTO. */
bool sample_layout_fits(uint32_t format, uint32_t layout);
/* The form in which a GCC profile with this version and variant (apf_sample_info.layout) was read. */
enum sample_form sample_form_of_gcc(uint32_t version, const char *variant);

struct sample_release {
    const char *name;
    uint32_t reads; /* a bit for each enum sample_form */
    uint32_t knows; /* SAMPLE_HAS_*: features that it uses where the form has them */
    enum sample_metadata metadata;
    enum sample_form usual;     /* the form that is preferred */
    bool names_descend;         /* its tools write functions of equal totals by name descending */
    enum gcc_suffixes suffixes; /* what GCC ignores of names */
    /* what its llvm-profdata writes by default; SAMPLE_FORM_COUNT: the usual form */
    enum sample_form written;
    /* Discriminators of its programs are three numbers: the lower 8 bits are that of the source, the next 7 how often
     * an instruction stands for one of the source, the rest the number of a copy of the code. */
    bool packs_discriminators;
};
/* The releases of a kind of target. */
unsigned sample_release_count(enum apf_sample_target_kind kind);
const struct sample_release *sample_release_row(enum apf_sample_target_kind kind, unsigned release);
/* The row of a target; of APF_SAMPLE_FOR_AUTO the newest release of LLVM, which prefers the form that
 * most releases read. */
const struct sample_release *sample_target_row(const struct apf_sample_target *target);
/* Whether a target is one that apf_sample_target_parse makes. */
bool sample_target_known(const struct apf_sample_target *target);
/* Whether a release reads a form with these features, be it that it ignores some. */
bool sample_release_reads(const struct sample_release *row, enum sample_form form, uint32_t features);
/* The releases of a kind that do: bit i is release i. */
uint64_t sample_readers(enum apf_sample_target_kind kind, enum sample_form form, uint32_t features);

#endif

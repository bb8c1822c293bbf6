/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing profiles for GCC's -fauto-profile, in every layout. */
#ifndef SAMPLE_GCC_WRITE_H
#define SAMPLE_GCC_WRITE_H

#include "base/file.h"
#include "sample/layout/sample_releases.h"
#include "sample/model/sample_profile.h"

struct sample_gcc_options {
    const struct gcc_layout *layout;
    /* for tools that ask for it: compilers read the order of their host, and all hosts are little */
    bool big_endian;
    /* discriminators are dropped: a line has the largest count of its places, as GCC up to 12 needs it, and
     * the functions inlined at one line are added up */
    bool plain_lines;
    bool no_targets;            /* targets of calls are left out, as GCC 10 and 11 need it */
    enum gcc_suffixes suffixes; /* names lose these, and functions that become equal are added up */
    bool constructors;          /* see gcc_name_constructor */
};

/* What a compiler needs; `release` is a release of GCC. */
struct sample_gcc_options sample_gcc_options_for(const struct sample_release *release);

/* What was left out or changed, in numbers of things. Nothing else is. */
struct sample_gcc_losses {
    uint64_t contexts; /* functions that were added to those of their name, without their callers */
    /* functions at the top level without a name: only its hash is known, or it is empty or has NULs */
    uint64_t functions;
    uint64_t inlined; /* inlined functions, likewise, or beyond 16 bits; with what is inlined in them */
    uint64_t targets; /* call targets, likewise */
    uint64_t lines;   /* counts of places beyond 16 bits */
    /* sum of the counts of all lines that these functions and places have, at most 2^64-1 */
    uint64_t samples;
    uint64_t discriminators; /* lines and inlined functions that lost theirs (plain_lines) */
    uint64_t misread;        /* call targets that the compiler would misread (no_targets) */
    uint64_t suffixes;       /* names that were changed: suffixes, constructors */
    uint64_t files;          /* names whose source file the layout does not hold */
    uint64_t times;          /* functions whose first time the layout does not hold */
    /* functions with a checksum: with pseudo probes, whose lines GCC would misunderstand */
    uint64_t checksums;
    uint64_t attributes; /* functions with attributes */
    uint64_t vtables;    /* counts of vtables */
    uint64_t symbols;    /* names of the list of all functions */
    uint64_t totals;     /* functions, inlined ones also, whose total was not the sum of their counts */
};

/* Writes a sealed profile. *losses is filled in. A failure to write is reported by file_out_close. */
int sample_gcc_write(const struct apf_sample *s, const struct sample_gcc_options *o, struct file_out *out,
                     struct sample_gcc_losses *losses, struct apf_error *error);

#endif

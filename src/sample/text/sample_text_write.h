/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes profiles as text, byte for byte as llvm-profdata 22 does where that is read back as it was. */
#ifndef SAMPLE_TEXT_WRITE_H
#define SAMPLE_TEXT_WRITE_H

#include "base/file.h"
#include "sample/model/sample_profile.h"

/* What is not in a text that was written, or is read back otherwise. Names cannot be escaped: what has a name that
 * would be read as something else is left out. */
struct sample_text_losses {
    uint64_t functions; /* at the top level, left out because of their names, or those of their callers */
    uint64_t inlined;   /* functions left out with what is inlined in them */
    uint64_t targets;   /* call targets left out */
    uint64_t vtables;   /* ... vtables */
    /* Names of which only the hash is known are numbers in text. They are read as hashes if all functions at the top
     * level have such a name or hash, and else as names. */
    uint64_t hashes;    /* hashes that are read back as names */
    uint64_t decimals;  /* names that are numbers, and are read back as hashes */
    uint64_t numbered;  /* inlined functions with such a name or hash: a file with one is not read by LLVM */
    uint64_t checksums; /* functions with a checksum in a profile without probes, which is not written */
    uint64_t times;     /* functions whose time of the first sample is lost */
    uint64_t files;     /* names whose source file is lost: functions of one name become one */
    uint64_t symbols;   /* names of the list of all functions */
    uint32_t flags;     /* APF_SAMPLE_* that text cannot hold */
};

struct sample_text_write_options {
    bool flat;                         /* --split-layout: marks functions in which nothing is inlined */
    struct sample_text_losses *losses; /* NULL, or filled in */
    bool top_metadata;                 /* none of inlined functions, as LLVM 12 and 13 read it */
    bool names_descend; /* functions of equal totals are written by name descending, as LLVM 13 does */
};

/* Writes a sealed profile. A failed write ends the work early, with APF_OK; file_out_close reports it. */
int sample_text_write(const struct apf_sample *s, const struct sample_text_write_options *o,
                      struct file_out *out, struct apf_error *error);

#endif

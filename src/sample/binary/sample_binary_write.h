/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a sample profile in one of LLVM's binary formats. Everything is sized before the first byte is written, so
 * that the output may be a pipe: a first pass through the same code counts bytes. */
#ifndef SAMPLE_BINARY_WRITE_H
#define SAMPLE_BINARY_WRITE_H

#include "base/file.h"
#include "sample/layout/sample_releases.h"
#include "sample/model/sample_profile.h"

struct sample_binary_options {
    enum sample_form
        form;           /* one of those of APF_SAMPLE_BINARY, APF_SAMPLE_COMPACT and APF_SAMPLE_EXTBINARY */
    bool names_descend; /* functions of equal totals are written by name descending, as LLVM 13 does */
    /* For extbinary only. */
    bool compress;   /* all sections */
    bool md5;        /* names as hashes; always so if one is known by its hash only */
    bool partial;    /* says that the profile is partial, as APF_SAMPLE_PARTIAL of the profile does */
    bool vtables;    /* with a place for types of objects, even if there are none */
    bool no_vtables; /* without types of objects, which readers before LLVM 22 do not expect */
    bool no_symbols; /* without the list of all functions */
};

struct sample_binary_losses {
    /* Left out, because readers would refuse them: lines with an offset above SAMPLE_MAX_LINE, with their targets,
     * vtables there, and functions with such an offset in their context. */
    uint64_t lines, vtables, functions;
    uint64_t hashed_names;  /* names that are there as hashes */
    uint64_t decimal_names; /* names that are decimal numbers, and are read back as hashes */
};

/* Writes a sealed profile that is no sum, or of which no two functions differ only by their checksums. What the form
 * has no place for (sample_form_row) is left out without a word; of a context-sensitive profile, for which the form has
 * no place, the functions are written without their contexts, so the caller adds them up first.
 *
 * APF_NOT_REPRESENTABLE: a name has a byte 0. A failed write is reported by file_out_close. */
int sample_binary_write(const struct apf_sample *s, const struct sample_binary_options *options,
                        struct file_out *out, struct sample_binary_losses *losses, struct apf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses and writes one line of fdata. */
#ifndef BOLT_FDATA_LINE_H
#define BOLT_FDATA_LINE_H

#include <stdbool.h>

#include <anyprof/bolt.h>

#include "base/vec.h"

/* Place and kind of a fault in a line, for errors. */
struct fdata_fault {
    const char *p;
    const char *where, *detail;
};

/* Added to the first digit of a location in a memory record. */
#define FDATA_MEMORY_DIGIT 3u

/* A vector, see base/vec.h. */
struct fdata_text {
    char *data;
    size_t n, capacity;
};

/* Parses the line [p, end), without its line feed. The names of the record point into it. False: the fault is filled
 * in. */
bool fdata_line_parse(struct apf_fdata_record *record, const char *p, const char *end, bool no_lbr,
                      struct fdata_fault *fault);
/* Parses only the text of a line, which ends before the counts; the counts of the record stay unchanged. */
bool fdata_text_parse(struct apf_fdata_record *record, const char *p, const char *end, bool no_lbr,
                      struct fdata_fault *fault);
/* The text of a record, in the one form that equal records share: one blank between the fields, small hexadecimal
 * digits without leading zeros. Replaces the contents of `text`. False: allocation failed. */
bool fdata_text_make(struct fdata_text *text, const struct apf_fdata_record *record);
/* Whether a name may stand in a line without escapes. */
bool fdata_name_is_good(struct apf_str name);
/* Writes a name without its escapes, at most as many bytes, and returns their number. */
size_t fdata_name_unescape(char *to, struct apf_str name);

#endif

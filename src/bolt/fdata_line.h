/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One line of fdata, taken apart and made. */
#ifndef BOLT_FDATA_LINE_H
#define BOLT_FDATA_LINE_H

#include <stdbool.h>

#include <anyprof/bolt.h>

#include "base/vec.h"

/* Where a line is wrong, and how; for errors. */
struct fdata_fault {
    const char *p;
    const char *where, *detail;
};

/* The first digit of a location in a memory record is so much more. */
#define FDATA_MEMORY_DIGIT 3u

/* A vector, see base/vec.h. */
struct fdata_text {
    char *data;
    size_t n, capacity;
};

/* The line [p, end), without its line feed. The names of the record point into it. False: the fault says why. */
bool fdata_line_parse(struct apf_fdata_record *record, const char *p, const char *end, bool no_lbr,
                      struct fdata_fault *fault);
/* The same of its text alone: the line up to the counts, which stay as they are. */
bool fdata_text_parse(struct apf_fdata_record *record, const char *p, const char *end, bool no_lbr,
                      struct fdata_fault *fault);
/* The text of a record, in the one form that equal records share: one blank between the fields, small hexadecimal
 * digits without leading zeros. Replaces what is in `text`. False: allocation failed. */
bool fdata_text_make(struct fdata_text *text, const struct apf_fdata_record *record);
/* Whether a name may stand in a line as it is. */
bool fdata_name_is_good(struct apf_str name);

#endif

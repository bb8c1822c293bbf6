/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For the files that check raw profiles; nobody else. */
#ifndef INSTR_RAW_CHECK_H
#define INSTR_RAW_CHECK_H

#include "instr/check.h"
#include "instr/file_parts.h"
#include "instr/raw_read.h"

/* The bytes of a section that a record claims. */
struct raw_claim {
    uint64_t at, size; /* in the section */
    uint64_t record;   /* its number */
    uint64_t name_ref, hash;
};

struct raw_claims {
    VEC(struct raw_claim) list;
};

/* One profile of the file. */
struct raw_checker {
    struct check *c;
    struct apf_instr *instr; /* NULL: the reader refuses the file */
    struct raw_part part;
    struct symbols names; /* where the reader refuses the file */
    struct raw_claims counters, bitmaps;
    VEC(struct raw_record) records; /* good ones that have values */
    struct check_tally zero_records, unused;
    uint64_t number; /* of the profile, from 0 */
    bool damaged;    /* a record is not what it should be: what values belong to what is not known */
};

/* Data records, and what they claim of the other sections. */
void raw_check_records(struct raw_checker *k);
/* Value data; *end is where it ends, as far as that can be seen. */
void raw_check_values(struct raw_checker *k, uint64_t *end);

#endif

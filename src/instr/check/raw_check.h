/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For the files that check raw profiles; nobody else. */
#ifndef INSTR_RAW_CHECK_H
#define INSTR_RAW_CHECK_H

#include "base/sort.h"
#include "instr/check/check_formats.h"
#include "instr/model/byte_map.h"
#include "instr/raw/raw_reader.h"

/* The bytes of a section that a record claims. */
struct raw_claim {
    uint64_t at, size; /* in the section */
    uint64_t record;   /* its number */
    uint64_t name_ref, hash;
};

struct raw_claims {
    VEC(struct raw_claim) list;
};

/* Virtual tables of the whole file: the ids of their names, with where these are. */
struct raw_check_ids {
    VEC(struct sort_key) list;
};

/* What the records of any version may be as large as. */
#define RAW_MOST_RECORD 128u

/* One profile of the file. */
struct raw_checker {
    struct check *c;
    struct check_profile *profile;
    struct raw_reader *reader; /* reads what is intact; NULL: the reader of the file has read all of it */
    struct raw_profile raw;
    struct raw_claims counters, bitmaps, names;
    VEC(struct raw_record) records; /* good ones that have values */
    struct check_tally zero_records, padding;
    bool used[RAW_MOST_RECORD]; /* bytes of a record that fields have */
    struct raw_check_ids *vtables;
    uint64_t number; /* of the profile, from 0 */
    bool damaged;    /* a record is not what it should be: what values belong to what is not known */
    bool has_values; /* all that are announced are there */
};

/* Data records, and what they claim of the other sections. */
void raw_check_records(struct raw_checker *k);
/* Value data; *end is where it ends, as far as that can be seen. */
void raw_check_values(struct raw_checker *k, uint64_t *end);
/* The records of virtual tables; and, of the whole file, names without such a record and the reverse. */
void raw_check_vtables(struct raw_checker *k);
void raw_check_vtable_names(struct check *c, const struct check_profile *p, struct raw_check_ids *vtables,
                            uint64_t names_at);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of the checks of raw profiles; for their files only. */
#ifndef INSTR_RAW_CHECK_H
#define INSTR_RAW_CHECK_H

#include "base/byte_map.h"
#include "base/sort.h"
#include "instr/check/check_formats.h"
#include "instr/raw/raw_reader.h"

/* The bytes of a section that a record claims. */
struct raw_claim {
    uint64_t at, size; /* in the section */
    uint64_t record;   /* number of the record */
    uint64_t name_ref, hash;
};

struct raw_claims {
    VEC(struct raw_claim) list;
};

/* Virtual tables of the whole file: the ids and offsets of their names. */
struct raw_check_ids {
    VEC(struct sort_key) list;
};

/* The largest size of a record in any version. */
#define RAW_MOST_RECORD 128u

/* One profile of the file. */
struct raw_checker {
    struct check *c;
    struct check_profile *profile;
    struct raw_reader *reader; /* reads the intact part; NULL: the reader accepted the file */
    struct raw_profile raw;
    struct raw_claims counters, bitmaps, names;
    VEC(struct raw_record) records; /* intact records with values */
    struct check_tally zero_records, padding;
    bool used[RAW_MOST_RECORD]; /* bytes of a record that belong to fields */
    struct raw_check_ids *vtables;
    uint64_t number; /* of the profile, from 0 */
    bool damaged;    /* a record is wrong, so that the owners of values are unknown */
    bool has_values; /* all announced values are there */
};

/* Checks the data records and their claims on other sections. */
void raw_check_records(struct raw_checker *k);
/* Checks value data; *end is the offset after it, as far as known. */
void raw_check_values(struct raw_checker *k, uint64_t *end);
/* Check the records of virtual tables and, for the whole file, names without such a record and the reverse. */
void raw_check_vtables(struct raw_checker *k);
void raw_check_vtable_names(struct check *c, const struct check_profile *p, struct raw_check_ids *vtables,
                            uint64_t names_at);

#endif

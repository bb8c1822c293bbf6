/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The raw format as read/formats.h wants it, and what the fast path of the merge must know of a file that was read. */
#ifndef INSTR_RAW_FORMAT_H
#define INSTR_RAW_FORMAT_H

#include "base/byte_map.h"
#include "instr/raw/raw_profile.h"

/* A profile of a file that was read, and its records in the result. */
struct raw_profile_info {
    struct raw_profile raw;
    uint64_t end;                   /* offset after its value data */
    size_t first_record, n_records; /* in the records of the result */
    bool skipped_records;           /* some data records were all zero and are not in the result */
    bool values_missing;            /* value data that the records announce was never written */
};

struct raw_profiles {
    VEC(struct raw_profile_info) list;
};

/* The functions of the raw format's row in read/formats.c. raw_read adds the profiles of the file to
 * options->profiles, which raw_map gets. */
bool raw_begins(const uint8_t *data, size_t n);
void raw_glance(struct apf_instr_info *info, const uint8_t *data, size_t n);
int raw_read(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
             struct apf_error *error);
int raw_salvage(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                struct apf_salvage *salvage, struct apf_error *error);
bool raw_map(struct byte_map *map, const struct raw_profiles *profiles, const uint8_t *data,
             size_t n) MUST_USE;

/* The number of sites that the first n_records records of a file may announce without value data. */
uint64_t raw_empty_sites_limit(uint64_t n_records);
/* Counts the quirks that opening and probing a profile found. */
void raw_count_quirks(uint64_t quirks[QUIRK_COUNT], const struct raw_profile *raw);

/* Binary ids, copied into an arena that the caller sets. */
struct raw_id_list {
    struct arena *arena;
    VEC(struct apf_str) ids;
};
/* Adds a copy of a binary id to a list; the callback for raw_profile_ids, with a struct raw_id_list as user. */
int raw_copy_id(void *user, const uint8_t *p, uint64_t n);

#endif

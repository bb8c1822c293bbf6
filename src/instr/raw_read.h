/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading a raw file whole, and what the fast path of the merge needs to know of it afterwards. */
#ifndef INSTR_RAW_READ_H
#define INSTR_RAW_READ_H

#include "instr/raw_part.h"

/* One profile of the file and where its records are in the result. */
struct raw_part_info {
    struct raw_part part;
    uint64_t end; /* behind its value data */
    size_t first_record, n_records;
    bool skipped_records; /* some data records were all zero */
    bool values_missing;
};

struct raw_parts {
    VEC(struct raw_part_info) list;
};

/* How many sites may be announced without value data by the first n_records records of a file. */
uint64_t raw_empty_sites_limit(uint64_t n_records);
/* Notes in the profile's quirks what opening and probing a part has found out. */
void raw_note_quirks(uint64_t quirks[QUIRK_COUNT], const struct raw_part *part);
/* Adds a part's binary ids to a list, as raw_part_ids' callback: user is a struct raw_id_list. */
struct raw_id_list {
    struct arena *arena;
    VEC(struct apf_str) ids;
};
int raw_collect_id(void *user, const uint8_t *p, uint64_t n);

#endif

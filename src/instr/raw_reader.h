/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of reading a raw file: raw_read.c takes all of them, raw_salvage.c those that it can. */
#ifndef INSTR_RAW_READER_H
#define INSTR_RAW_READER_H

#include "instr/raw_read.h"
#include "instr/raw_targets.h"
#include "instr/raw_trace.h"

struct raw_reader {
    struct apf_instr *instr;
    const struct read_options *options;
    struct raw_parts *parts;
    struct raw_id_list ids;
    struct raw_seen_list seen;
    struct raw_targets targets;
    uint64_t counters_left, bitmap_left, names_left; /* entries that records of this part may still claim */
    uint64_t records_left;                           /* that profiles of this file may still announce */
    uint64_t name_budget;                            /* what its names may still inflate to */
    struct apf_site *empty_sites;                    /* n_empty of them, for whoever has no value data */
    size_t n_empty;
    uint64_t empty_claimed; /* sites without value data in the whole file */
    uint32_t next_symbol;   /* probably that of the next record */
};

/* To read n bytes into an empty profile. */
struct raw_reader raw_reader_make(struct apf_instr *instr, size_t n, const struct read_options *options);
/* Completes the profile, if `code` is APF_OK, and drops what was needed. */
int raw_reader_finish(struct raw_reader *r, int code, struct apf_error *error);
/* Notes in the profile what a part is like. */
void raw_reader_note_part(struct apf_instr *instr, const struct raw_part *part);
/* Takes the binary ids of a part, and completes it where its metadata is in its program. */
int raw_reader_begin_part(struct raw_reader *r, struct raw_part *part, struct apf_error *error);
/* Before the first record of a part. */
int raw_reader_begin_records(struct raw_reader *r, struct raw_part_info *info, struct apf_error *error);
/* Adds the i-th record of a part to the profile. What its spans say must be there. */
int raw_reader_record(struct raw_reader *r, struct raw_part_info *info, uint64_t i, struct raw_record *rec,
                      struct apf_error *error);
/* Reads the block of values at the cursor, which is that of the record. */
int raw_reader_sites(struct raw_reader *r, struct record *record, struct cursor *c, struct apf_error *error);
/* Gives the sites that are announced, without values, to the records of a part from its from-th on. */
int raw_reader_empty_sites(struct raw_reader *r, struct raw_part_info *info, size_t from,
                           struct apf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of reading a raw file. raw_read goes through all of them; raw_salvage and the check of a file that the
 * reader refuses go through those that the damage leaves possible. For each profile: raw_reader_add_profile, ..._begin,
 * ..._begin_records, ..._record for each record, ..._sites or ..._empty_sites. */
#ifndef INSTR_RAW_READER_H
#define INSTR_RAW_READER_H

#include "instr/raw/raw_format.h"
#include "instr/raw/raw_targets.h"
#include "instr/raw/raw_trace.h"

struct raw_reader {
    struct apf_instr *instr; /* the result */
    const struct read_options *options;
    struct raw_id_list ids;     /* of all profiles */
    struct raw_seen_list seen;  /* functions with a timestamp, of all profiles */
    struct raw_targets targets; /* of the profile that is read; its caller frees those of the one before */
    /* Counters, bitmap bytes and bytes of names that further records of this profile may claim. */
    uint64_t counters_left, bitmap_left, names_left;
    uint64_t records_left;        /* records that further profiles of the file may announce */
    uint64_t name_budget;         /* bytes that further names of the file may inflate to */
    struct apf_site *empty_sites; /* an array of n_empty sites, shared by all records without value data */
    size_t n_empty;
    uint64_t empty_claimed; /* sites without value data, of all profiles */
    uint32_t next_symbol;   /* probably the symbol of the next record */
};

/* A reader of a file of n bytes into an empty profile. */
struct raw_reader raw_reader_make(struct apf_instr *instr, size_t n, const struct read_options *options);
/* Completes the result if `code`, which it returns, is APF_OK. Frees the reader. */
int raw_reader_finish(struct raw_reader *r, int code, struct apf_error *error);
/* Adds what a profile's header says to what the result says of the file. */
void raw_reader_add_profile(struct apf_instr *instr, const struct raw_profile *raw);
/* Copies the binary ids of a profile, and correlates it if it is bare. */
int raw_reader_begin(struct raw_reader *r, struct raw_profile *raw, struct apf_error *error);
/* Prepares for the records of a profile, and probes it. */
int raw_reader_begin_records(struct raw_reader *r, struct raw_profile_info *info, struct apf_error *error);
/* Adds record i of a profile to the result. The bytes of its spans must lie inside the file. */
int raw_reader_record(struct raw_reader *r, struct raw_profile_info *info, uint64_t i, struct raw_record *rec,
                      struct apf_error *error);
/* Reads the block of value data at the cursor into a record. */
int raw_reader_sites(struct raw_reader *r, struct record *record, struct cursor *c, struct apf_error *error);
/* Gives the records of a profile from `from` on the sites that they announce, without values. */
int raw_reader_empty_sites(struct raw_reader *r, struct raw_profile_info *info, size_t from,
                           struct apf_error *error);

#endif

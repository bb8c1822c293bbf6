/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fast path: raw files of one binary are added as whole blocks.
 *
 * A shape is the part that all raw profiles of one binary share: everything but counters, bitmaps, value data and the
 * addresses that move with the load address. Everything in the first file of a binary is checked and its shape is
 * learnt; then it is added as further files are: each is compared with the shape byte by byte and added with one vector
 * addition. Files that do not fit, or could overflow, take the general path, and the result is the same. */
#ifndef INSTR_SHAPES_H
#define INSTR_SHAPES_H

#include "instr/layout/releases.h"
#include "instr/raw/raw_format.h"
#include "instr/raw/raw_trace.h"
#include "instr/sums/sum_table.h"

struct shapes;
struct shape_scratch;

/* Data of a file that was added. */
struct shape_added {
    uint64_t n_profiles, n_records, n_counters;
    uint64_t sum_of_counts;     /* saturating, without the weight */
    struct release_clues clues; /* of all profiles in it */
    uint64_t quirks[QUIRK_COUNT];
    struct raw_seen_list seen; /* timestamps; the caller empties it */
    struct raw_id_list ids;    /* the caller sets its arena */
    uint64_t input;            /* input_member of it, set by the caller */
    uint64_t max_records;      /* set by the caller; the general path refuses files with more functions */
};

struct shapes *shapes_new(void);
void shapes_free(struct shapes *s);
/* Memory for one thread, reused from file to file. */
struct shape_scratch *shape_scratch_new(void);
void shape_scratch_free(struct shape_scratch *scratch);

/* Adds a raw file if every profile in it has a known shape and no sum can overflow: *added. Else changes nothing. May
 * be called from several threads. */
int shapes_add(struct shapes *s, struct shape_scratch *scratch, const uint8_t *data, size_t n,
               uint64_t weight, struct shape_added *out, bool *added, struct apf_error *error);
/* The sorted digests (structure_digest) of all records of the file that was added last with this memory. They are in
 * memory of its shape or, if it has several, in the arena. NULL: an allocation failed. */
const uint64_t *shapes_last_roster(const struct shape_scratch *scratch, struct arena *arena);
/* Called before shapes are learnt from a file with this first profile. True: the caller learns them, calls
 * shapes_learn_end, and says whether that was of use. False: another thread has learnt from a similar file, so that the
 * file may be known now, or learning was of no use before. */
bool shapes_learn_begin(struct shapes *s, const struct raw_profile *first);
void shapes_learn_end(struct shapes *s, const struct raw_profile *first, bool added);
/* Learns the shapes of a file that was read, as far as they suit the fast path; its bytes must be valid. `symbols` maps
 * numbers of the profile's names to those of the merge. */
int shapes_learn(struct shapes *s, const struct raw_profiles *parts, const struct apf_instr *instr,
                 const uint32_t *symbols, struct apf_error *error);
/* Must be called before sums are read. False: an allocation failed. */
bool shapes_settle(struct shapes *s) MUST_USE;
/* The sums of the i-th shape; NULL past the last one. Must not be called while files are being added. */
const struct sum *shapes_sums(struct shapes *s, size_t i, size_t *n);

#endif

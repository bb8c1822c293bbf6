/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of the checks of indexed profiles; for their files only. */
#ifndef INSTR_INDEXED_CHECK_H
#define INSTR_INDEXED_CHECK_H

#include "base/cursor.h"
#include "instr/check/check_formats.h"
#include "instr/indexed/indexed_map.h"
#include "instr/indexed/indexed_reader.h"

struct indexed_checker {
    struct check *c;
    struct check_profile *profile;
    const uint8_t *data;
    size_t n;
    struct indexed_reader reader; /* reads single items of a file that the reader refuses */
    struct indexed_places places;
    uint64_t payload;      /* offset of the functions, found even after damaged summaries */
    VEC(uint64_t) damaged; /* offsets of sections with an error, whose ends are unknown */
    struct byte_map parts;
};

/* A cursor over the whole file, at any offset. */
static inline struct cursor indexed_cursor(const struct indexed_checker *k, uint64_t at)
{
    struct cursor c = cursor_make(k->data, k->n, HOST_BIG_ENDIAN);
    cursor_skip(&c, at);
    return c;
}

/* Records the offset of a section with an error: its bytes are not unclaimed, wherever it ends. */
static inline void indexed_check_damaged(struct indexed_checker *k, uint64_t at)
{
    if (!VEC_PUSH(&k->damaged, at))
        check_memory(k->c);
}

/* Reports bytes that belong to no part. */
void indexed_check_unclaimed(struct indexed_checker *k, uint64_t at, uint64_t n);
/* Checks the table of functions: payload and buckets. */
void indexed_check_table(struct indexed_checker *k);
/* Findings about the records of all items. */
struct indexed_tallies {
    struct check_tally unsorted, wide, slack, padding, kinds;
};
void indexed_check_records(struct indexed_checker *k, struct cursor *data, struct apf_str name,
                           struct indexed_tallies *tallies);
void indexed_report_tallies(struct indexed_checker *k, const struct indexed_tallies *tallies);
/* Compares the summaries with the records. */
void indexed_check_summaries(struct indexed_checker *k);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For the files that check indexed profiles; nobody else. */
#ifndef INSTR_INDEXED_CHECK_H
#define INSTR_INDEXED_CHECK_H

#include "base/cursor.h"
#include "instr/check.h"
#include "instr/indexed_parts.h"

struct indexed_checker {
    struct check *c;
    struct apf_instr *instr; /* NULL: the reader refuses the file */
    const uint8_t *data;
    size_t n;
    struct indexed_places places;
    struct file_parts parts;
};

/* A cursor over the whole file, at an offset that may be anywhere. */
static inline struct cursor indexed_cursor(const struct indexed_checker *k, uint64_t at)
{
    struct cursor c = cursor_make(k->data, k->n, HOST_BIG_ENDIAN);
    cursor_skip(&c, at);
    return c;
}

/* The functions: payload and buckets. */
void indexed_check_table(struct indexed_checker *k);
/* Records of one name, the data of an item. */
struct indexed_tallies {
    struct check_tally unsorted, wide, slack, padding, kinds;
};
void indexed_check_records(struct indexed_checker *k, struct cursor *data, struct apf_str name,
                           struct indexed_tallies *tallies);
void indexed_tell_tallies(struct indexed_checker *k, const struct indexed_tallies *tallies);
/* The summaries against the records. */
void indexed_check_summaries(struct indexed_checker *k);

#endif

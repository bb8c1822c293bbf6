/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of reading an indexed file. indexed_read.c goes through all of them; indexed_salvage.c, the lookup and the
 * check use some. */
#ifndef INSTR_INDEXED_READER_H
#define INSTR_INDEXED_READER_H

#include "base/cursor.h"
#include "instr/layout/indexed_layout.h"
#include "instr/model/disk_table.h"
#include "instr/model/profile.h"

struct indexed_reader {
    struct apf_instr *instr;
    const struct read_options *options;
    const uint8_t *data;
    size_t n;
    const struct indexed_version *version;
};

/* The first step, which finds the version. Only the header need be in memory. */
int indexed_read_header(struct indexed_reader *r, struct apf_error *error);
/* Skips the summaries that the file has. *start: the offset after them. */
int indexed_skip_summaries(const struct indexed_reader *r, uint64_t *start, struct apf_error *error);
/* The size of a summary at offset `at` by its first two words; `left`, at least 16, is the size of the file from there
 * on. */
int indexed_measure_summary(uint64_t *size, uint64_t n_fields, uint64_t n_cutoffs, uint64_t at, uint64_t left,
                            struct apf_error *error);
/* The table of functions: dotted paths for errors. */
extern const struct disk_table_kind indexed_functions;
/* Called with the number of items of the table, which fit in the file, and with each item. Another code than APF_OK
 * ends the walk. */
typedef int indexed_table_fn(void *user, uint64_t n_items, struct apf_error *error);
typedef int indexed_item_fn(void *user, const struct disk_item *item, struct apf_error *error);
/* Goes through the items of the table of functions, which begins at an offset. They are read one after the other and
 * not through the buckets, for LLVM's order. Bytes between items could not be told from items, so there are none. */
int indexed_walk_table(struct indexed_reader *r, uint64_t start, indexed_table_fn *begin, indexed_item_fn *fn,
                       void *user, struct apf_error *error);
/* Reports that record number n, at an offset, is one too many. */
int indexed_too_many(const struct indexed_reader *r, uint64_t at, uint64_t n, struct apf_error *error);
/* Reads an item of the table of functions: a name and the records of all its hashes. */
int indexed_read_item(struct indexed_reader *r, const struct disk_item *item, struct apf_error *error);
/* Reads the records of one item, without its name; the cursor has exactly their data. */
int indexed_read_records(struct indexed_reader *r, struct cursor *data, uint64_t id, struct apf_error *error);
/* Read the sections after the table, if the file has them. */
int indexed_read_ids(struct indexed_reader *r, struct apf_error *error);
int indexed_read_vtable_names(struct indexed_reader *r, struct apf_error *error);
int indexed_read_traces(struct indexed_reader *r, struct apf_error *error);
int indexed_read_memprof(struct indexed_reader *r, struct apf_error *error);

#endif

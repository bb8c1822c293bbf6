/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of reading an indexed file, for indexed_read.c, which takes all of them, and others that take some:
 * indexed_salvage.c and lookup_indexed.c. */
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

/* First of all: everything else goes by the version. Of the data no more than the header need be there. */
int indexed_read_header(struct indexed_reader *r, struct apf_error *error);
/* Passes a summary; nobody needs it, since it can be computed. */
int indexed_skip_summary(struct cursor *c, struct apf_error *error);
/* Both, as far as the file has them. *start: what lies behind them. */
int indexed_skip_summaries(const struct indexed_reader *r, uint64_t *start, struct apf_error *error);
/* The table of functions: paths for messages. */
extern const struct disk_table_kind indexed_functions;
/* Reads an item of the table of functions: a name and the records of all its hashes. */
int indexed_read_item(struct indexed_reader *r, const struct disk_item *item, struct apf_error *error);
/* The records of one item, without a name; the cursor has their data and no more. */
int indexed_read_records(struct indexed_reader *r, struct cursor *data, uint64_t id, struct apf_error *error);
/* The sections behind the table, those that the file has. */
int indexed_read_ids(struct indexed_reader *r, struct apf_error *error);
int indexed_read_vtable_names(struct indexed_reader *r, struct apf_error *error);
int indexed_read_traces(struct indexed_reader *r, struct apf_error *error);
int indexed_read_memprof(struct indexed_reader *r, struct apf_error *error);

#endif

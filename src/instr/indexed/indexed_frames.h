/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All records of an indexed file as they stand in it, for readers that look at few of them. */
#ifndef INSTR_INDEXED_FRAMES_H
#define INSTR_INDEXED_FRAMES_H

#include "instr/indexed/indexed_frame.h"
#include "instr/indexed/indexed_reader.h"

/* A name in the table of functions, which points into the file. LLVM stores all records without a known name under the
 * empty one. */
struct indexed_name {
    uint64_t id;
    struct apf_str text;
};

/* What indexed_frames_read calls first with the number of names, which is checked against the size of the file, and
 * then with each record and its name. Another code than APF_OK ends the walk. */
struct indexed_frame_visitor {
    indexed_table_fn *begin;
    int (*record)(void *user, const struct indexed_name *name, const struct indexed_frame *frame,
                  struct apf_error *error);
    void *user;
};
/* Reads the header, the binary ids and all records of the file of a reader whose first four members are set. Names are
 * not compared with their ids; values, names of vtables, traces and memory profiles are not read. */
int indexed_frames_read(struct indexed_reader *r, const struct indexed_frame_visitor *visitor,
                        struct apf_error *error);

#endif

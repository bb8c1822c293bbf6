/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of the reader of indexed profiles, for who does not read all of a file. */
#ifndef INSTR_INDEXED_READ_H
#define INSTR_INDEXED_READ_H

#include "base/cursor.h"
#include "instr/indexed_layout.h"
#include "instr/profile.h"

/* Checks the header, of which the first n bytes are there (all of it, if the file has it), and notes what it says. */
int indexed_read_header(struct apf_instr *instr, const uint8_t *data, size_t n,
                        const struct indexed_version **version, struct apf_error *error);
/* Adds the records of one item of the table, without a name; the cursor has its data and no more. */
int indexed_read_records(struct apf_instr *instr, const struct indexed_version *version,
                         const struct read_options *options, struct cursor *data, uint64_t id,
                         struct apf_error *error);

#endif

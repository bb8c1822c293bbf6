/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads text profiles. */
#ifndef INSTR_TEXT_READ_H
#define INSTR_TEXT_READ_H

#include "instr/model/profile.h"

/* The functions of the row of the text format in read/formats.c: every text begins so that no other reader knows. */
bool text_begins(const uint8_t *data, size_t n);
int text_read(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
              struct apf_error *error);
int text_salvage(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                 struct apf_salvage *salvage, struct apf_error *error);

/* Whether the first lines of a text are those of a profile: a word of the header, or a name and a hash, or, if the hash
 * is wrong, two numbers after it. */
bool text_read_begins(const uint8_t *data, size_t n);
/* Whether a text has nothing but comments and blank lines. */
bool text_read_is_bare(const uint8_t *data, size_t n);
/* Continues after an error from offset `from`, at most n, where a record begins on line `line`. */
int text_read_from(struct apf_instr *instr, const uint8_t *data, size_t n, size_t from, uint64_t line,
                   const struct read_options *options, struct apf_error *error);

#endif

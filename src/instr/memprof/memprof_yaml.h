/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory profiles in YAML, as llvm-profdata shows and reads them. */
#ifndef INSTR_MEMPROF_YAML_H
#define INSTR_MEMPROF_YAML_H

#include "instr/model/memprof_model.h"
#include "instr/model/profile.h"

/* Whether a text file begins as YAML does: with a line of three dashes. */
bool memprof_yaml_begins(const uint8_t *data, size_t n);
/* The same, and it has one of the keys that such a file has, near its beginning. */
bool memprof_yaml_is(const uint8_t *data, size_t n);
/* The reader of files that hold a memory profile and no counts, as read/formats.h has it. */
int memprof_yaml_read_profile(struct apf_instr *instr, const uint8_t *data, size_t n,
                              const struct read_options *options, struct apf_error *error);
int memprof_yaml_read(struct apf_memprof **memprof, const uint8_t *data, size_t n,
                      const struct read_options *options, struct apf_error *error);

#endif

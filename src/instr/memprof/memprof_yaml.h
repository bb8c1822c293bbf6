/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads memory profiles in YAML, as llvm-profdata shows and reads them. */
#ifndef INSTR_MEMPROF_YAML_H
#define INSTR_MEMPROF_YAML_H

#include "instr/model/memprof_model.h"
#include "instr/model/profile.h"

/* Whether a text file begins as YAML does, and is no profile of BOLT. */
bool memprof_yaml_begins(const uint8_t *data, size_t n);
/* Whether a file begins as YAML and has a key of a memory profile near its start. */
bool memprof_yaml_is(const uint8_t *data, size_t n);
/* The function of the row of memory profiles without counts in read/formats.c. */
int memprof_yaml_read_profile(struct apf_instr *instr, const uint8_t *data, size_t n,
                              const struct read_options *options, struct apf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the MemProf section of an indexed profile. */
#ifndef INSTR_MEMPROF_READ_H
#define INSTR_MEMPROF_READ_H

#include "instr/model/memprof_model.h"
#include "instr/model/profile.h"

/* Reads the section at offset `start` of the file data[0 .. n); the section holds offsets in the file. */
int memprof_read(struct apf_memprof **memprof, const uint8_t *data, size_t n, uint64_t start,
                 const struct read_options *options, struct apf_error *error);

#endif

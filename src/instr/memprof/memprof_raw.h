/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The head of a raw memory profile: the magic, in the byte order of the machine that wrote it, and the version. */
#ifndef INSTR_MEMPROF_RAW_H
#define INSTR_MEMPROF_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct apf_error;

struct memprof_raw_head {
    uint64_t version;
    bool big_endian;
};

bool memprof_raw_begins(const uint8_t *data, size_t n);
/* Reads the head of a file that memprof_raw_begins accepts. */
int memprof_raw_head_read(struct memprof_raw_head *head, const uint8_t *data, size_t n,
                          struct apf_error *error);

#endif

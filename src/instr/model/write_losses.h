/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a writer left out of its output. */
#ifndef INSTR_WRITE_LOSSES_H
#define INSTR_WRITE_LOSSES_H

#include <stdint.h>

struct write_losses {
    uint64_t values;       /* value sites whose kind the version cannot hold */
    uint64_t bitmaps;      /* records without their bitmap */
    uint64_t uniformity;   /* records without their uniformity bits */
    uint64_t records;      /* records that the format cannot hold */
    uint64_t sparse;       /* records left out by sparse output */
    uint64_t traces;       /* temporal traces */
    uint64_t ids;          /* binary ids */
    uint64_t vtable_names; /* also those that were not asked for */
    uint64_t memprof;      /* functions without their memory profile */
    uint64_t memprof_data; /* data access profiles, and data known as cold, without their memory profile */
    uint64_t variants;     /* variant bits that the target does not know */
    uint64_t written;      /* variant bits that were written */
};

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A MemProf section of every version, written from the description of the format alone: nothing of src/instr is used.
 *
 * Its frames are a, b and c; its stacks, from the innermost frame on, are a b, a c b, and b. The function MB_FIRST has
 * contexts of the first two, MB_SECOND has call sites of the third one and of the second, the former with two callees.
 * Version 4 has data access profiles too. */
#ifndef HELPERS_SHARED_MEMPROF_BUILD_H
#define HELPERS_SHARED_MEMPROF_BUILD_H

#include "helpers/shared/indexed_build.h"

#define MB_NEWEST 4u
#define MB_FIRST 0x1111111111111111u
#define MB_SECOND 0x2222222222222222u
#define MB_CALLEES {0x77, 0xffffffffffffffff}
#define MB_LITERAL 0xabcdef0123456789u
#define MB_COLD_HASH 99u

struct mb_frame {
    uint64_t function;
    uint32_t line, column;
    uint8_t is_inline;
};
extern const struct mb_frame mb_frames[3];

struct mb_section {
    unsigned version;
    const uint64_t *schema; /* field ids */
    size_t n_schema;
    /* Offsets in the file. */
    size_t start, words, summary, schema_at, frames, frame_table, stacks, stack_table, records, record_table,
        first, second, data, end;
};

/* The value of a field in the i-th context, as many bits as it has. */
uint64_t mb_value(uint64_t field, unsigned i);
unsigned mb_bytes(uint64_t field);
/* For ib_profile.memprof; the context is a struct mb_section. */
void mb_append(struct rb_file *file, void *section);

#endif

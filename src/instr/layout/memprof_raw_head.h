/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The head of a raw memory profile: the magic, in the byte order of the machine that wrote it, and the version. */
#ifndef INSTR_MEMPROF_RAW_HEAD_H
#define INSTR_MEMPROF_RAW_HEAD_H

#include "base/cursor.h"
#include "base/error.h"

struct memprof_raw_head {
    uint64_t version;
    bool big_endian;
};

/* Reads a head whose magic the caller has recognised. */
static inline int memprof_raw_head_read(struct memprof_raw_head *head, const uint8_t *data, size_t n,
                                        struct apf_error *error)
{
    head->big_endian = n > 0 && data[0] == 0xff; /* 0xff is the highest byte of the magic */
    struct cursor c = cursor_make(data, n, head->big_endian != (bool)HOST_BIG_ENDIAN);
    cursor_skip(&c, 8);
    head->version = cursor_u64(&c);
    struct error_at at = {"memprof_raw.header", 0, n, 16};
    return c.failed ? error_at(error, APF_TRUNCATED, at, NULL) : APF_OK;
}

#endif

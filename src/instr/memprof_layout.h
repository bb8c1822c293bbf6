/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the versions of the MemProf section consist of. */
#ifndef INSTR_MEMPROF_LAYOUT_H
#define INSTR_MEMPROF_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <anyprof/memprof.h>

#include "base/endian.h"

#define MEMPROF_MAX_VERSION 4u

enum {
    MEMPROF_CAP_MARK = 1,        /* the version is in front */
    MEMPROF_CAP_LISTS = 2,       /* records have the frames of stacks themselves */
    MEMPROF_CAP_FRAME_TABLE = 4, /* frames in a hash table, by id */
    MEMPROF_CAP_STACK_TABLE = 8, /* call stacks too */
    MEMPROF_CAP_ARRAYS = 16,     /* both in arrays, by number */
    MEMPROF_CAP_DATA = 32,       /* a summary, callees of call sites, data access profiles */
    MEMPROF_CAP_FEW_FIELDS =
        64 /* writers store only what compilers look at, unless they are told otherwise */
};

/* MEMPROF_CAP_* of a version up to MEMPROF_MAX_VERSION. */
static inline unsigned memprof_caps(unsigned version)
{
    static const uint8_t caps[MEMPROF_MAX_VERSION + 1] = {
        MEMPROF_CAP_LISTS | MEMPROF_CAP_FRAME_TABLE,
        MEMPROF_CAP_MARK | MEMPROF_CAP_LISTS | MEMPROF_CAP_FRAME_TABLE,
        MEMPROF_CAP_MARK | MEMPROF_CAP_FRAME_TABLE | MEMPROF_CAP_STACK_TABLE | MEMPROF_CAP_FEW_FIELDS,
        MEMPROF_CAP_MARK | MEMPROF_CAP_ARRAYS | MEMPROF_CAP_FEW_FIELDS,
        MEMPROF_CAP_MARK | MEMPROF_CAP_ARRAYS | MEMPROF_CAP_DATA | MEMPROF_CAP_FEW_FIELDS};
    return caps[version];
}

/* The version of a section by its first word; of version 0 that is an offset, which lies behind the three words that it
 * is one of. False: it is none that is known. */
static inline bool memprof_version_of(uint64_t word, uint64_t start, unsigned *version)
{
    *version = word <= MEMPROF_MAX_VERSION ? (unsigned)word : 0;
    return *version || word >= start + 24;
}

#define MEMPROF_SUMMARY_WORDS 6u

/* A frame as it is stored, in all versions, and as its id is made of it. */
#define MEMPROF_FRAME_BYTES 17u
static inline void memprof_frame_store(uint8_t *to, const struct apf_memprof_frame *f)
{
    store64le(to, f->function);
    store32le(to + 8, f->line_offset);
    store32le(to + 12, f->column);
    to[16] = (uint8_t)f->is_inline;
}

#endif

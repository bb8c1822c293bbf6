/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layout of the MemProf section of indexed profiles: the capabilities of each version, and how a frame is stored.
 * */
#ifndef INSTR_MEMPROF_LAYOUT_H
#define INSTR_MEMPROF_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <anyprof/memprof.h>

#include "base/endian.h"

#define MEMPROF_MAX_VERSION 4u

enum {
    MEMPROF_CAP_MARK = 1,        /* the section begins with its version */
    MEMPROF_CAP_LISTS = 2,       /* records hold the frame ids of their call stacks */
    MEMPROF_CAP_FRAME_TABLE = 4, /* frames are in a hash table, by id */
    MEMPROF_CAP_STACK_TABLE = 8, /* call stacks are in a hash table, by id */
    MEMPROF_CAP_ARRAYS = 16,     /* frames and call stacks are in arrays, by number */
    MEMPROF_CAP_DATA = 32,       /* there are a summary, callees of call sites and data access profiles */
    MEMPROF_CAP_FEW_FIELDS =
        64, /* LLVM writes only the fields that compilers use, unless an option asks for all */
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

/* Finds the version of a section from its first word. A section of version 0 has no version word and begins with three
 * offsets, so that its first word is at least start + 24. False: the version is unknown. */
static inline bool memprof_version_of(uint64_t word, uint64_t start, unsigned *version)
{
    *version = word <= MEMPROF_MAX_VERSION ? (unsigned)word : 0;
    return *version || word >= start + 24;
}

#define MEMPROF_SUMMARY_WORDS 6u

/* A frame is stored as these bytes in all versions, and its id is a hash of them. */
#define MEMPROF_FRAME_BYTES 17u
static inline void memprof_frame_store(uint8_t *to, const struct apf_memprof_frame *f)
{
    store64le(to, f->function);
    store32le(to + 8, f->line_offset);
    store32le(to + 12, f->column);
    to[16] = (uint8_t)f->is_inline;
}

#endif

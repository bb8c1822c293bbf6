/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a partial profile, block by block. Memory does not grow with the file. */
#ifndef PARTIAL_PARTIAL_READ_H
#define PARTIAL_PARTIAL_READ_H

#include <anyprof/io.h>

#include "base/cursor.h"
#include "base/file_stream.h"
#include "base/vec.h"
#include "partial/partial_format.h"

struct partial_reader {
    struct cursor c; /* the records of the block that are left */
    /* For errors: the offset in the file of the block. Offsets of `c` are in the unpacked block. */
    uint64_t at;
    struct file_stream stream;
    VEC(uint8_t) stored, unpacked;
    void *zstd;
    bool undecided; /* a partial sample profile follows what is read */
    struct apf_slice slice;
    uint8_t section;    /* of the block */
    uint32_t n_records; /* of the block, that are left */
    uint64_t end;       /* offset of the next block */
    uint64_t n_blocks, checksums;
};

/* Whether bytes begin as a partial profile. */
bool partial_is(const uint8_t *p, size_t n);
/* Whether they begin as one of this kind. */
bool partial_is_of(const uint8_t *p, size_t n, enum partial_kind kind);
/* Whether bytes that begin as a partial profile begin as a slice of one. */
static inline bool partial_is_slice(const void *p)
{
    return load16le((const uint8_t *)p + PARTIAL_SLICE_AT + 2) != 0;
}
/* If bytes begin as an undecided one, what names of its inputs say: enum apf_family, or both, or 0. Else 0. */
uint32_t partial_names(const uint8_t *p, size_t n);
/* The section of the block that begins at *at in the bytes of a partial profile that was read; false: none does. *at
 * becomes where the next block begins; the first one begins at PARTIAL_HEADER_BYTES. */
bool partial_pass_block(const uint8_t *p, size_t n, size_t *at, uint8_t *section);
/* Opens a partial profile of a kind, PARTIAL_INSTR or PARTIAL_SAMPLE, and reads its header; an undecided one is of each
 * kind. partial_reader_close must follow, also after a failure. APF_UNRECOGNIZED_FORMAT: it is of the other kind;
 * APF_BAD_PARTIAL, APF_UNSUPPORTED_VERSION, APF_LIMIT, APF_IO. */
int partial_open(struct partial_reader *r, const struct apf_input *input, enum partial_kind kind,
                 uint64_t max_bytes, struct apf_error *error);
void partial_reader_close(struct partial_reader *r);

/* Goes to the next record of the section, which the caller then reads from r->c; *more is false if there is none. The
 * record before it must have been read to its end, and sections in order: records of lower sections are an error. */
int partial_next(struct partial_reader *r, uint8_t section, bool *more, struct apf_error *error);
/* Passes the records of lower sections: what follows is of `section`, or of a higher one. */
int partial_skip(struct partial_reader *r, uint8_t section, struct apf_error *error);
/* Reads the last section, and checks that all of the file was read. */
int partial_end(struct partial_reader *r, struct apf_error *error);
/* APF_BAD_PARTIAL if a read of the present record has failed; `where` is the name of the field. */
int partial_check(const struct partial_reader *r, const char *where, struct apf_error *error);
/* APF_BAD_PARTIAL at the present record. */
int partial_wrong(const struct partial_reader *r, const char *where, const char *what,
                  struct apf_error *error);
/* A number below `end`; another one fails the cursor, and 0 is returned. */
static inline uint64_t partial_read_below(struct cursor *c, uint64_t end)
{
    const uint64_t v = cursor_uleb128(c);
    c->failed |= v >= end;
    return c->failed ? 0 : v;
}
/* A number of at most 32 bits. */
static inline uint32_t partial_read_small(struct cursor *c)
{
    return (uint32_t)partial_read_below(c, (uint64_t)UINT32_MAX + 1);
}
/* A text after its number of bytes, in the block. */
struct apf_str partial_read_text(struct partial_reader *r);

#endif

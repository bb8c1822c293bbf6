/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a partial profile, record by record. Memory does not grow with the file. */
#ifndef PARTIAL_PARTIAL_WRITE_H
#define PARTIAL_PARTIAL_WRITE_H

#include "base/file.h"
#include "base/leb128.h"
#include "base/vec.h"
#include "partial/partial_format.h"

/* What packs blocks; made when the first one is packed. */
struct partial_packer {
    VEC(uint8_t) packed;
    void *zstd;
};

/* It must not be moved. */
struct partial_writer {
    struct file_out *out; /* the caller's, which reports its failures itself */
    VEC(uint8_t) records; /* of the block that is being made */
    struct partial_packer own;
    /* its own or, set after partial_begin, that of another one which outlives it */
    struct partial_packer *packer;
    uint32_t n_records;
    uint8_t section;
    bool no_memory, too_large; /* later records are dropped; partial_finish reports it */
    uint64_t n_blocks, checksums;
};

/* Writes the header; `kind` is enum partial_kind or of partial_undecided_kind, slice.n is from 1 to APF_MOST_SLICES.
 * partial_writer_close must follow. */
void partial_begin(struct partial_writer *w, struct file_out *out, uint32_t kind, struct apf_slice slice);
/* What follows is of this section, which must not be lower than the one before. */
void partial_section(struct partial_writer *w, uint8_t section);
/* Ends a record. */
void partial_end_record(struct partial_writer *w);
/* Writes the last section. APF_NO_MEMORY; APF_NOT_REPRESENTABLE: a record is larger than PARTIAL_RECORD_BYTES. */
int partial_finish(struct partial_writer *w, struct apf_error *error);
void partial_writer_close(struct partial_writer *w);

/* Room for the next n bytes of a record, of which partial_took says how many were used; NULL: there is no memory. */
uint8_t *partial_room(struct partial_writer *w, size_t n);
static inline void partial_took(struct partial_writer *w, size_t n)
{
    w->records.n += n;
}

/* These append to the present record: a number as LEB128, one of 8 bytes, bytes, bytes after their number. */
static inline void partial_number(struct partial_writer *w, uint64_t v)
{
    uint8_t *to = partial_room(w, ULEB128_MAX);
    if (to)
        partial_took(w, uleb128_store(to, v));
}
void partial_fixed(struct partial_writer *w, uint64_t v);
void partial_bytes(struct partial_writer *w, const void *p, size_t n);
void partial_text(struct partial_writer *w, struct apf_str text);

#endif

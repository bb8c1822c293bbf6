/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "partial/partial_write.h"

#include <zstd.h>

#include "base/error.h"

/* Fast, and half the size: counts are small numbers, and hashes do not pack. */
#define PACK_LEVEL 1

void partial_begin(struct partial_writer *w, struct file_out *out, uint32_t kind, struct apf_slice slice)
{
    uint8_t head[PARTIAL_HEADER_BYTES] = PARTIAL_MAGIC;
    *w = (struct partial_writer){.out = out, .packer = &w->own};
    store32le(head + 8, PARTIAL_VERSION | kind << 16);
    store32le(head + PARTIAL_SLICE_AT, slice.number | (slice.n - 1) << 16);
    store64le(head + 16, partial_checksum(head, 16, NULL, 0));
    file_out_write(out, head, sizeof head);
}

uint8_t *partial_room(struct partial_writer *w, size_t n)
{
    w->no_memory |= !w->no_memory && !VEC_RESERVE(&w->records, n);
    return w->no_memory ? NULL : w->records.data + w->records.n;
}

void partial_fixed(struct partial_writer *w, uint64_t v)
{
    uint8_t *to = partial_room(w, 8);
    if (to) {
        store64le(to, v);
        partial_took(w, 8);
    }
}

void partial_bytes(struct partial_writer *w, const void *p, size_t n)
{
    uint8_t *to = partial_room(w, n);
    if (to && n) {
        memcpy(to, p, n);
        partial_took(w, n);
    }
}

void partial_text(struct partial_writer *w, struct apf_str text)
{
    partial_number(w, text.n);
    partial_bytes(w, text.p, text.n);
}

/* Packs the records if that makes them smaller. *n: the bytes of the result. */
static const uint8_t *pack(struct partial_writer *w, enum partial_packing *packing, size_t *n)
{
    struct partial_packer *p = w->packer;
    const size_t room = ZSTD_compressBound(w->records.n);
    p->packed.n = 0;
    *packing = PARTIAL_PLAIN;
    *n = w->records.n;
    if (!p->zstd)
        p->zstd = ZSTD_createCCtx();
    if (!p->zstd || !VEC_RESERVE(&p->packed, room)) {
        w->no_memory = true;
        return w->records.data;
    }
    const size_t packed =
        ZSTD_compressCCtx(p->zstd, p->packed.data, room, w->records.data, w->records.n, PACK_LEVEL);
    w->no_memory |= ZSTD_isError(packed) != 0; /* no other error is possible */
    if (w->no_memory || packed >= w->records.n)
        return w->records.data;
    *packing = PARTIAL_ZSTD;
    *n = packed;
    return p->packed.data;
}

static void write_block(struct partial_writer *w)
{
    uint8_t head[PARTIAL_HEAD_BYTES] = {0};
    enum partial_packing packing;
    size_t n;
    if (!w->n_records || w->no_memory || w->too_large)
        return;
    const uint8_t *stored = pack(w, &packing, &n);
    head[0] = w->section;
    head[1] = (uint8_t)packing;
    store32le(head + 4, (uint32_t)n);
    store32le(head + 8, (uint32_t)w->records.n);
    store32le(head + 12, w->n_records);
    const uint64_t checksum = partial_checksum(head, 16, stored, n);
    store64le(head + 16, checksum);
    file_out_write(w->out, head, sizeof head);
    file_out_write(w->out, stored, n);
    w->n_blocks++;
    w->checksums += checksum;
    w->n_records = 0;
    w->records.n = 0;
}

void partial_section(struct partial_writer *w, uint8_t section)
{
    write_block(w);
    w->section = section;
}

void partial_end_record(struct partial_writer *w)
{
    w->n_records++;
    w->too_large |= w->records.n > PARTIAL_RECORD_BYTES;
    if (w->records.n >= PARTIAL_BLOCK_BYTES)
        write_block(w);
}

int partial_finish(struct partial_writer *w, struct apf_error *error)
{
    partial_section(w, PARTIAL_LAST_SECTION);
    const uint64_t n_blocks = w->n_blocks, checksums = w->checksums;
    partial_number(w, n_blocks);
    partial_fixed(w, checksums);
    partial_end_record(w);
    write_block(w);
    if (w->too_large)
        return error_plain(error, APF_NOT_REPRESENTABLE, "partial.record", "a record is larger than 1 GiB");
    return w->no_memory ? error_memory(error) : APF_OK;
}

void partial_writer_close(struct partial_writer *w)
{
    VEC_FREE(&w->records);
    VEC_FREE(&w->own.packed);
    ZSTD_freeCCtx(w->own.zstd);
    w->own.zstd = NULL;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---- blocks ---- */

/* A block for one user, empty. */
static struct perf_block *take_block(struct perf_blocks *blocks)
{
    struct perf_block *b = blocks->unused;
    if (b)
        blocks->unused = b->next;
    else
        b = malloc(sizeof *b);
    if (!b)
        return NULL;
    b->users = 1;
    b->n = b->at = 0;
    blocks->n_used++;
    return b;
}

void perf_block_release(struct perf_blocks *blocks, struct perf_block *block)
{
    if (!block || --block->users)
        return;
    block->next = blocks->unused;
    blocks->unused = block;
    blocks->n_used--;
}

void perf_blocks_free(struct perf_blocks *blocks)
{
    while (blocks->unused) {
        struct perf_block *next = blocks->unused->next;
        free(blocks->unused);
        blocks->unused = next;
    }
}

/* ---- records ---- */

void perf_stream_begin(struct perf_stream *s, struct perf_blocks *blocks, bool swap, uint64_t n,
                       uint64_t max_unpacked)
{
    s->blocks = blocks;
    s->swap = swap;
    s->left = n;
    s->max_unpacked = max_unpacked;
}

void perf_stream_close(struct perf_stream *s)
{
    perf_block_release(s->blocks, s->stored);
    perf_block_release(s->blocks, s->unpacked);
    s->stored = s->unpacked = NULL;
    decompress_close(s->zstd);
    s->zstd = NULL;
    perf_source_close(&s->source);
}

/* perf 6.16 and later lose the size of compressed records that would be too long for its field once they are filled up
 * to a multiple of 8: then it is 0, and they are not filled up. */
static uint16_t long_piece(uint64_t n_data)
{
    return n_data > 65535 - 7 - 16 && n_data <= 65535 - 16 ? (uint16_t)(16 + n_data) : 0;
}

/* Takes the next record of a block; false: it is not complete. */
static bool take_record(struct perf_stream *s, struct perf_block *b, struct perf_raw *raw, bool *broken)
{
    const uint8_t *p = b ? b->bytes + b->at : NULL;
    size_t left = b ? b->n - b->at : 0;
    if (left < PERF_HEADER_BYTES)
        return false;
    *raw = (struct perf_raw){p, load32(p, s->swap), load16(p + 4, s->swap), load16(p + 6, s->swap), b};
    if (raw->n == 0 && raw->type == PERF_RECORD_COMPRESSED2) {
        if (left < 16)
            return false;
        raw->n = long_piece(load64(p + 8, s->swap));
    }
    *broken = raw->n < PERF_HEADER_BYTES;
    if (*broken || raw->n > left)
        return false;
    b->at += raw->n;
    return true;
}

/* Replaces a block by one that begins with what is left of it. */
static int renew_block(struct perf_stream *s, struct perf_block **block, struct apf_error *error)
{
    struct perf_block *old = *block, *b = take_block(s->blocks);
    if (!b)
        return error_memory(error);
    if (old && old->n > old->at) {
        b->n = old->n - old->at;
        memcpy(b->bytes, old->bytes + old->at, b->n);
    }
    perf_block_release(s->blocks, old);
    *block = b;
    return APF_OK;
}

/* Reads more of the file after what is left of the present block. *got is 0 at the end. */
static int refill(struct perf_stream *s, size_t *got, struct apf_error *error)
{
    *got = 0;
    int code = renew_block(s, &s->stored, error);
    if (code != APF_OK)
        return code;
    size_t room = PERF_BLOCK_BYTES - s->stored->n;
    room = s->left < room ? (size_t)s->left : room;
    if (room)
        code = perf_source_read(&s->source, s->stored->bytes + s->stored->n, room, got, error);
    s->stored->n += *got;
    s->left -= s->left == UINT64_MAX ? 0 : *got;
    return code;
}

/* Whether a block ends inside a record. */
static bool has_rest(const struct perf_block *b)
{
    return b && b->n > b->at;
}

static int end_stream(struct perf_stream *s, enum apf_perf_end end)
{
    s->end = end;
    s->end_at = s->source.at - (s->stored ? s->stored->n - s->stored->at : 0);
    s->piece = s->piece_end = NULL;
    s->pending = false;
    s->last = true;
    if (s->stored)
        s->stored->at = s->stored->n;
    if (s->unpacked)
        s->unpacked->at = s->unpacked->n;
    s->left = 0;
    return APF_END;
}

/* Passes data that follow a record and are not counted in its size. */
static int pass_data(struct perf_stream *s, uint64_t n, bool *whole, struct apf_error *error)
{
    uint64_t there = s->stored->n - s->stored->at, step = n < there ? n : there;
    uint64_t most = UINT64_MAX - s->source.at;
    bool reached;
    *whole = true;
    s->stored->at += (size_t)step;
    n -= step;
    if (n == 0)
        return APF_OK;
    most = s->left < most ? s->left : most;
    step = n < most ? n : most;
    s->left -= s->left == UINT64_MAX ? 0 : step;
    int code = perf_source_go(&s->source, s->source.at + step, &reached, error);
    *whole = reached && step == n;
    return code;
}

static uint64_t data_after(const struct perf_stream *s, const struct perf_raw *raw)
{
    if (raw->type == PERF_RECORD_AUXTRACE && raw->n >= 16)
        return load64(raw->p + 8, s->swap);
    return raw->type == PERF_RECORD_HEADER_TRACING_DATA && raw->n >= 12 ? load32(raw->p + 8, s->swap) : 0;
}

/* ---- compressed records ---- */

/* The compressed bytes of a record: the rest of it, or as many as it says. False: it is of another kind. */
static bool find_piece(struct perf_stream *s, const struct perf_raw *raw)
{
    uint64_t n = raw->n - PERF_HEADER_BYTES;
    const uint8_t *p = raw->p + PERF_HEADER_BYTES;
    if (raw->type == PERF_RECORD_COMPRESSED2 && n >= 8) {
        uint64_t said = load64(p, s->swap);
        p += 8;
        n = said < n - 8 ? said : n - 8;
    } else if (raw->type != PERF_RECORD_COMPRESSED) {
        return false;
    }
    s->piece = p;
    s->piece_end = p + n;
    s->pending = true;
    s->n_packed += n;
    return true;
}

/* Unpacks more of the present piece into the unpacked block. Only a full block is replaced, so that what is left of it
 * is not copied for every piece, which may be small. */
static int unpack(struct perf_stream *s, bool *damaged, struct apf_error *error)
{
    size_t got = 1;
    bool done = !s->last;
    int code = s->zstd ? APF_OK : decompress_open(&s->zstd, COMPRESSION_ZSTD, error);
    if (code == APF_OK && (!s->unpacked || s->unpacked->n == PERF_BLOCK_BYTES))
        code = renew_block(s, &s->unpacked, error);
    while (code == APF_OK && (s->piece < s->piece_end || got || !done) && s->unpacked->n < PERF_BLOCK_BYTES) {
        code = decompress_step(s->zstd, &s->piece, s->piece_end, s->last, s->unpacked->bytes + s->unpacked->n,
                               PERF_BLOCK_BYTES - s->unpacked->n, &got, &done, error);
        s->unpacked->n += got;
        s->n_unpacked += got;
        done |= !s->last; /* it is said of the last bytes only */
    }
    s->pending = got != 0;
    *damaged = code == APF_DECOMPRESS_FAILED || code == APF_UNSUPPORTED;
    bool unfinished = code == APF_TRUNCATED; /* perf does not end the stream */
    return *damaged || unfinished ? APF_OK : code;
}

/* The next record of the unpacked ones. *there: there is one; else the present piece is unpacked, or the stream has
 * ended (APF_END). */
static int next_unpacked(struct perf_stream *s, struct perf_raw *raw, bool *there, struct apf_error *error)
{
    bool broken = false, damaged = false;
    *there = true;
    for (;;) {
        if (take_record(s, s->unpacked, raw, &broken)) {
            bool packed = raw->type == PERF_RECORD_COMPRESSED || raw->type == PERF_RECORD_COMPRESSED2;
            return packed ? end_stream(s, APF_PERF_END_DAMAGED) : APF_OK;
        }
        if (broken)
            return end_stream(s, APF_PERF_END_BROKEN);
        if (damaged)
            return end_stream(s, APF_PERF_END_DAMAGED);
        if (s->piece == s->piece_end && !s->pending)
            break;
        if (s->n_unpacked > s->max_unpacked || s->n_unpacked > decompress_bound(s->n_packed))
            return end_stream(s, APF_PERF_END_ENDLESS);
        int code = unpack(s, &damaged, error);
        if (code != APF_OK)
            return code;
    }
    *there = false;
    return APF_OK;
}

/* ---- the next record ---- */

static size_t count_zeros(const uint8_t *p, size_t n)
{
    size_t zeros = 0;
    while (zeros < n && p[zeros] == 0)
        zeros++;
    return zeros;
}

/* The place of the table of features, which perf fills in last, and their first one: records of build ids. */
static bool are_features(const uint8_t *p, size_t n, bool swap)
{
    const size_t zeros = count_zeros(p, n), table = zeros / 16 * 16;
    return table && n - table >= PERF_HEADER_BYTES && load32(p + table, swap) == 0 &&
           load16(p + table + 4, swap) & PERF_MISC_CPUMODE && load16(p + table + 6, swap) > PERF_HEADER_BYTES;
}

/* Whether the records of a recorder that was killed end here: what follows are zeros up to the end of the file, or
 * features, which it was writing. */
static bool is_after_records(struct perf_stream *s, size_t at, struct apf_error *error)
{
    const struct perf_block *b = s->stored; /* records that wait may be in it, too: it does not change */
    uint8_t bytes[8192];
    const size_t left = b->n - at, n = left < sizeof bytes ? left : sizeof bytes;
    size_t got = 0;
    memcpy(bytes, b->bytes + at, n);
    if (left == n && perf_source_read(&s->source, bytes + n, sizeof bytes - n, &got, error) != APF_OK)
        return false;
    if (are_features(bytes, n + got, s->swap))
        return true;
    bool zeros = count_zeros(b->bytes + at, left) == left && count_zeros(bytes, n + got) == n + got;
    got = left == n ? got : 1;
    while (zeros && got) {
        if (perf_source_read(&s->source, bytes, sizeof bytes, &got, error) != APF_OK)
            return false;
        zeros = count_zeros(bytes, got) == got;
    }
    return zeros;
}

/* Passes what is no record, if the recorder was killed there. False: it is damage. */
static bool pass_unfinished(struct perf_stream *s, struct apf_error *error)
{
    if (!s->unfinished || !is_after_records(s, s->stored->at, error))
        return false;
    s->stored->n = s->stored->at;
    return true;
}

/* At the end of the file. APF_OK: compressed bytes, so few that more was waited for, are to be unpacked first. */
static int end_file(struct perf_stream *s)
{
    if (s->zstd && !s->last) {
        s->last = s->pending = true;
        return APF_OK;
    }
    const bool more = s->left != 0 && s->left != UINT64_MAX;
    const bool cut = more || has_rest(s->stored) || has_rest(s->unpacked);
    return end_stream(s, cut ? APF_PERF_END_CUT : APF_PERF_END_WHOLE);
}

/* The next record of the file that is not compressed; or, if s->pending is set, something to unpack. */
static int next_stored(struct perf_stream *s, struct perf_raw *raw, struct apf_error *error)
{
    bool broken = false, whole = true;
    size_t got = 1;
    int code = APF_OK;
    while (code == APF_OK && !take_record(s, s->stored, raw, &broken)) {
        if (broken)
            return pass_unfinished(s, error) ? end_file(s) : end_stream(s, APF_PERF_END_BROKEN);
        if (got == 0)
            return end_file(s);
        code = refill(s, &got, error);
    }
    if (code != APF_OK || find_piece(s, raw))
        return code;
    raw->block->users++;
    uint64_t n = data_after(s, raw);
    if (n)
        code = pass_data(s, n, &whole, error);
    if (code == APF_OK && whole)
        return APF_OK;
    perf_block_release(s->blocks, raw->block);
    return code != APF_OK ? code : end_stream(s, APF_PERF_END_CUT);
}

int perf_stream_next(struct perf_stream *s, struct perf_raw *raw, struct apf_error *error)
{
    bool there = false;
    int code = APF_OK;
    do {
        if (s->unpacked || s->pending)
            code = next_unpacked(s, raw, &there, error);
        if (code == APF_OK && there) {
            raw->block->users++;
            return APF_OK;
        }
        if (code == APF_OK)
            code = next_stored(s, raw, error);
    } while (code == APF_OK && s->pending);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compressed files that lie whole in memory. */
#include "base/decompress.h"

#include <stdbool.h>
#include <stdlib.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "base/deflate.h"
#include "base/endian.h"
#include "base/error.h"

#define FIRST_ROOM ((uint64_t)64 << 10)
#define BOUND_SLACK ((uint64_t)64 << 20)

static const char *const format_names[] = {"", "gzip", "zstd"};
static const char *const content_where[] = {"", "gzip.content", "zstd.content"};

uint64_t decompress_bound(uint64_t n)
{
    uint64_t bound;
    bool wraps =
        MUL_OVERFLOWS(n, (uint64_t)DEFLATE_MAX_RATIO, &bound) || ADD_OVERFLOWS(bound, BOUND_SLACK, &bound);
    return wraps ? UINT64_MAX : bound;
}

/* The buffer of a file's content, and the size it may grow to. */
struct room {
    struct apf_buffer *out;
    uint64_t limit, max_bytes;
    enum compression kind;
};

static int grow_buffer(const struct room *r, uint64_t capacity, struct apf_error *error)
{
    /* One byte more than the limit shows that the content exceeds it. */
    if (capacity > r->limit && r->limit < SIZE_MAX)
        capacity = r->limit + 1;
    void *grown = capacity <= SIZE_MAX ? realloc(r->out->data, (size_t)capacity) : NULL;
    if (!grown)
        return error_memory(error);
    r->out->data = grown;
    r->out->capacity = (size_t)capacity;
    return APF_OK;
}

static int check_size(const struct room *r, struct apf_error *error)
{
    bool bomb = r->limit < r->max_bytes;
    struct error_at at = {bomb ? content_where[r->kind] : "file.size", NO_OFFSET, r->out->n, r->limit};
    if (r->out->n <= r->limit)
        return APF_OK;
    return error_at(error, APF_LIMIT, at, "%s",
                    bomb ? "it unpacks to more than 1032 times its size and 64 MiB"
                         : "unpacked it is larger than the limit for one input");
}

/* Makes room for at least one more byte. */
static int make_room(const struct room *r, struct apf_error *error)
{
    int code = check_size(r, error);
    if (code == APF_OK && r->out->n == r->out->capacity)
        code = grow_buffer(r, 2 * (uint64_t)r->out->capacity, error);
    return code;
}

static int unpack_stream(struct decompressor *d, const struct room *r, const uint8_t *src, size_t n,
                         size_t *proven, struct apf_error *error)
{
    struct apf_buffer *out = r->out;
    const uint8_t *end = src + n;
    bool done = false;
    int code = APF_OK;
    while (code == APF_OK && !done) {
        size_t got = 0;
        code = make_room(r, error);
        if (code == APF_OK)
            code = decompress_step(d, &src, end, true, (uint8_t *)out->data + out->n, out->capacity - out->n,
                                   &got, &done, error);
        out->n += got;
        if (code == APF_OK && !decompress_inside(d))
            *proven = out->n;
    }
    return code == APF_OK ? check_size(r, error) : code;
}

/* ---- whole zstd frames ---- */

/* A frame that lies whole in memory is unpacked in one call, straight into the file's buffer. The piecewise decoder
 * would keep the last bytes of the content a second time, up to 128 MiB of them for each thread. */

struct frame {
    uint64_t size;    /* in the file */
    uint64_t content; /* upper bound on the size of the content */
};

/* The bytes of a frame before its first block (RFC 8878, 3.1.1.1). `descriptor` is the byte after the magic. */
static size_t frame_header_size(uint8_t descriptor)
{
    static const uint8_t dictionary_sizes[] = {0, 1, 2, 4}, content_sizes[] = {0, 2, 4, 8};
    bool single_segment = descriptor >> 5 & 1;
    size_t content_size = content_sizes[descriptor >> 6];
    return 5 + (single_segment ? (content_size ? content_size : 1) : 1 + content_size) +
           dictionary_sizes[descriptor & 3];
}

/* Steps over the blocks from *at on (RFC 8878, 3.1.1.2). False if they do not end inside the n bytes. */
static bool measure_blocks(const uint8_t *p, size_t n, uint64_t *at, uint64_t *content)
{
    enum { LAST = 1, RLE = 1, COMPRESSED = 2 };
    uint32_t head = 0;
    while (!(head & LAST)) {
        if (*at > n || n - *at < 3)
            return false;
        head = (uint32_t)p[*at] | (uint32_t)p[*at + 1] << 8 | (uint32_t)p[*at + 2] << 16;
        uint32_t size = head >> 3;
        *content += (head >> 1 & 3) == COMPRESSED ? ZSTD_BLOCKSIZE_MAX : size;
        *at += 3 + ((head >> 1 & 3) == RLE ? 1 : size);
    }
    return true;
}

/* False if the frame does not end inside the n bytes, of which there are at least 5. */
static bool measure_frame(struct frame *f, const uint8_t *p, size_t n)
{
    enum { SKIPPABLE_HEADER = 8, CHECKSUM_FLAG = 4, CHECKSUM = 4 };
    bool skippable = (p[0] & 0xf0) == 0x50;
    uint64_t content = 0;
    uint64_t at = frame_header_size(p[4]);
    if (skippable && n < SKIPPABLE_HEADER)
        return false;
    if (skippable)
        at = SKIPPABLE_HEADER + (uint64_t)load32le(p + 4);
    else if (!measure_blocks(p, n, &at, &content))
        return false;
    else if (p[4] & CHECKSUM_FLAG)
        at += CHECKSUM;
    *f = (struct frame){at, content};
    return at <= n;
}

/* Appends the content of a frame to *r->out. APF_DECOMPRESS_FAILED, which leaves *error unset: zstd finds damage. */
static int unpack_frame(ZSTD_DCtx *zstd, const struct room *r, const struct frame *f, const uint8_t *src,
                        struct apf_error *error)
{
    struct apf_buffer *out = r->out;
    uint64_t capacity = out->n + f->content;
    int code = capacity > out->capacity ? grow_buffer(r, capacity, error) : APF_OK;
    if (code != APF_OK)
        return code;
    uint64_t room = out->capacity > r->limit ? r->limit + 1 : out->capacity;
    size_t got = ZSTD_decompressDCtx(zstd, (uint8_t *)out->data + out->n, (size_t)(room - out->n), src,
                                     (size_t)f->size);
    bool too_large = room > r->limit && ZSTD_getErrorCode(got) == ZSTD_error_dstSize_tooSmall;
    if (ZSTD_isError(got) && !too_large)
        return APF_DECOMPRESS_FAILED;
    out->n = too_large ? (size_t)room : out->n + got;
    return check_size(r, error);
}

/* Where a file is damaged that could not be unpacked in whole frames: the piecewise decoder finds the block. What it
 * unpacks is dropped, and so is what *out holds beyond the `proven` bytes. */
static int find_damage(struct apf_buffer *out, size_t proven, const uint8_t *src, size_t n,
                       struct apf_error *error)
{
    size_t kept = proven < FIRST_ROOM ? (size_t)FIRST_ROOM : proven;
    void *less = kept < out->capacity ? realloc(out->data, kept) : NULL;
    if (less) {
        out->data = less;
        out->capacity = kept;
    }
    struct decompressor *d;
    const uint8_t *end = src + n;
    uint8_t dropped[4096];
    size_t got;
    bool done = false;
    int code = decompress_open(&d, COMPRESSION_ZSTD, error);
    while (code == APF_OK && !done)
        code = decompress_step(d, &src, end, true, dropped, sizeof dropped, &got, &done, error);
    decompress_close(d);
    return code == APF_OK ? error_plain(error, APF_DECOMPRESS_FAILED, "zstd.frame", "damaged") : code;
}

static int unpack_frames(const struct room *r, const uint8_t *src, size_t n, size_t *proven,
                         struct apf_error *error)
{
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    struct frame f;
    size_t at = 0;
    int code = zstd ? APF_OK : error_memory(error);
    while (code == APF_OK && n - at > 4 && compression_of(src + at, n - at) == COMPRESSION_ZSTD) {
        code =
            measure_frame(&f, src + at, n - at) ? unpack_frame(zstd, r, &f, src + at, error) : APF_TRUNCATED;
        if (code == APF_OK) {
            at += (size_t)f.size;
            *proven = r->out->n;
        }
    }
    ZSTD_freeDCtx(zstd);
    if (code == APF_OK ? bytes_zero(src + at, n - at)
                       : code != APF_TRUNCATED && code != APF_DECOMPRESS_FAILED)
        return code;
    return find_damage(r->out, *proven, src, n, error);
}

int decompress_zstd(const uint8_t *src, size_t n, uint8_t *dst, size_t m)
{
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    size_t got = zstd ? ZSTD_decompressDCtx(zstd, dst, m, src, n) : 0;
    int code = !zstd || ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation ? APF_NO_MEMORY
               : ZSTD_isError(got) || got != m                                 ? APF_DECOMPRESS_FAILED
                                                                               : APF_OK;
    ZSTD_freeDCtx(zstd);
    return code;
}

/* ---- whole files ---- */

static int unpack(const struct room *r, const uint8_t *src, size_t n, size_t *proven, struct apf_error *error)
{
    if (r->kind == COMPRESSION_ZSTD)
        return unpack_frames(r, src, n, proven, error);
    struct decompressor *d;
    int code = decompress_open(&d, r->kind, error);
    if (code == APF_OK)
        code = unpack_stream(d, r, src, n, proven, error);
    decompress_close(d);
    return code;
}

int decompress(struct apf_buffer *out, const uint8_t *src, size_t n, uint64_t max_bytes,
               struct apf_error *error)
{
    size_t proven;
    return decompress_proven(out, src, n, max_bytes, &proven, error);
}

int decompress_proven(struct apf_buffer *out, const uint8_t *src, size_t n, uint64_t max_bytes,
                      size_t *proven, struct apf_error *error)
{
    uint64_t bound = decompress_bound(n);
    struct room r = {out, bound < max_bytes ? bound : max_bytes, max_bytes, compression_of(src, n)};
    int code = APF_OK;
    *proven = 0;
    out->n = 0;
    if (out->capacity < FIRST_ROOM) /* the content is usually several times the input */
        code = grow_buffer(&r, FIRST_ROOM + 4 * (uint64_t)n, error);
    if (code == APF_OK)
        code = unpack(&r, src, n, proven, error);
    enum compression inner = code == APF_OK ? compression_of(out->data, out->n) : COMPRESSION_NONE;
    if (inner != COMPRESSION_NONE)
        code = error_plain(error, APF_UNSUPPORTED, content_where[r.kind],
                           "the file is compressed twice: %s inside %s; unpack it once", format_names[inner],
                           format_names[r.kind]);
    if (code != APF_TRUNCATED && code != APF_DECOMPRESS_FAILED) /* other errors do not concern the stream */
        *proven = 0;
    if (code == APF_OK)
        *proven = out->n;
    else
        out->n = 0;
    return code;
}

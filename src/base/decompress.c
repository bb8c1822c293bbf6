/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/decompress.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST /* what is read is not written to */
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/deflate.h"
#include "base/endian.h"
#include "base/error.h"

#define FIRST_ROOM ((uint64_t)64 << 10)
#define BOUND_SLACK ((uint64_t)64 << 20)

/* A file at work. */
struct unpacker {
    const uint8_t *src;
    size_t n, at;   /* its size, and how much of it was used */
    size_t *proven; /* bytes of the content of streams that are whole */
    struct apf_buffer *out;
    uint64_t limit, max_bytes;
    enum compression kind;
};

static const char *const names[] = {"", "gzip", "zstd"};
static const char *const stream[] = {"", "gzip.stream", "zstd.frame"};
static const char *const behind[] = {"", "gzip.end", "zstd.end"};
static const char *const content[] = {"", "gzip.content", "zstd.content"};

/* ---- which bytes begin a stream ---- */

/* Whether a stream may begin here; of one that is cut off inside its magic the first byte must do. */
static enum compression begins(const uint8_t *p, size_t n)
{
    static const uint8_t gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd},
                         skip[] = {0x2a, 0x4d, 0x18};
    size_t n_zstd = n < sizeof zstd ? n : sizeof zstd;
    if (n == 0)
        return COMPRESSION_NONE;
    if (memcmp(p, gzip, n < sizeof gzip ? n : sizeof gzip) == 0)
        return COMPRESSION_GZIP;
    if (memcmp(p, zstd, n_zstd) == 0 || ((p[0] & 0xf0) == 0x50 && memcmp(p + 1, skip, n_zstd - 1) == 0))
        return COMPRESSION_ZSTD;
    return COMPRESSION_NONE;
}

enum compression compression_of(const uint8_t *p, size_t n)
{
    enum compression kind = begins(p, n);
    return n >= (kind == COMPRESSION_GZIP ? 2 : 4) ? kind : COMPRESSION_NONE;
}

uint64_t decompress_bound(uint64_t n)
{
    uint64_t bound;
    bool wraps =
        MUL_OVERFLOWS(n, (uint64_t)DEFLATE_MAX_RATIO, &bound) || ADD_OVERFLOWS(bound, BOUND_SLACK, &bound);
    return wraps ? UINT64_MAX : bound;
}

/* ---- room ---- */

static int grow(struct unpacker *u, uint64_t capacity, struct apf_error *error)
{
    /* One byte more than is allowed shows that there is more. */
    if (capacity > u->limit && u->limit < SIZE_MAX)
        capacity = u->limit + 1;
    void *grown = capacity <= SIZE_MAX ? realloc(u->out->data, (size_t)capacity) : NULL;
    if (!grown)
        return error_memory(error);
    u->out->data = grown;
    u->out->capacity = (size_t)capacity;
    return APF_OK;
}

static int check_size(const struct unpacker *u, struct apf_error *error)
{
    bool bomb = u->limit < u->max_bytes;
    struct error_at at = {bomb ? content[u->kind] : "file.size", NO_OFFSET, u->out->n, u->limit};
    if (u->out->n <= u->limit)
        return APF_OK;
    return error_at(error, APF_TOO_LARGE, at, "%s",
                    bomb ? "it unpacks to more than 1032 times its size and 64 MiB"
                         : "unpacked it is larger than the limit for one input");
}

/* Room for at least one more byte. */
static int make_room(struct unpacker *u, struct apf_error *error)
{
    int code = check_size(u, error);
    if (code == APF_OK && u->out->n == u->out->capacity)
        code = grow(u, 2 * (uint64_t)u->out->capacity, error);
    return code;
}

/* ---- gzip ---- */

static uInt at_most(size_t n)
{
    return n < UINT_MAX ? (uInt)n : UINT_MAX;
}

static int gzip_failed(const struct unpacker *u, const z_stream *z, int result, struct apf_error *error)
{
    if (result == Z_MEM_ERROR)
        return error_memory(error);
    if (result == Z_BUF_ERROR)
        return error_place(error, APF_TRUNCATED, stream[u->kind], u->at, "the compressed data end too early");
    return error_place(error, APF_DECOMPRESS_FAILED, stream[u->kind], u->at, z->msg ? z->msg : "damaged");
}

static int gzip_member(struct unpacker *u, z_stream *z, struct apf_error *error)
{
    int result = inflateReset(z);
    while (result == Z_OK) {
        int code = make_room(u, error);
        if (code != APF_OK)
            return code;
        uInt in = at_most(u->n - u->at), room = at_most(u->out->capacity - u->out->n);
        z->next_in = u->src + u->at;
        z->avail_in = in;
        z->next_out = (Bytef *)u->out->data + u->out->n;
        z->avail_out = room;
        result = inflate(z, Z_NO_FLUSH); /* Z_BUF_ERROR: nothing left to read, and nothing came out */
        u->at += in - z->avail_in;
        u->out->n += room - z->avail_out;
    }
    return result == Z_STREAM_END ? APF_OK : gzip_failed(u, z, result, error);
}

/* ---- zstd ---- */

static int zstd_failed(const struct unpacker *u, size_t result, struct apf_error *error)
{
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
        return error_memory(error);
    case ZSTD_error_frameParameter_windowTooLarge:
        return error_place(error, APF_UNSUPPORTED, stream[u->kind], u->at,
                           "it needs more than 128 MiB of memory to unpack (made with --long=28 or more)");
    case ZSTD_error_dictionary_wrong:
        return error_place(error, APF_UNSUPPORTED, stream[u->kind], u->at, "it needs a dictionary");
    default:
        return error_place(error, APF_DECOMPRESS_FAILED, stream[u->kind], u->at, ZSTD_getErrorName(result));
    }
}

/* Blocks are handed over one by one, as the library asks for them, so that an error has a place. */
static int zstd_frame(struct unpacker *u, ZSTD_DCtx *z, struct apf_error *error)
{
    size_t wanted = ZSTD_initDStream(z), before = u->out->n;
    uint64_t announced = ZSTD_getFrameContentSize(u->src + u->at, u->n - u->at);
    while (wanted && !ZSTD_isError(wanted)) {
        int code = make_room(u, error);
        if (code != APF_OK)
            return code;
        size_t left = u->n - u->at;
        ZSTD_inBuffer in = {u->src + u->at, wanted < left ? wanted : left, 0};
        ZSTD_outBuffer out = {u->out->data, u->out->capacity, u->out->n};
        wanted = ZSTD_decompressStream(z, &out, &in);
        if (!ZSTD_isError(wanted) && wanted && left == 0 && out.pos == u->out->n)
            return error_place(error, APF_TRUNCATED, stream[u->kind], u->at,
                               "the compressed data end too early");
        u->at += ZSTD_isError(wanted) ? 0 : in.pos;
        u->out->n = out.pos;
    }
    if (wanted)
        return zstd_failed(u, wanted, error);
    /* The library does not compare them when the last block is empty. */
    struct error_at at = {stream[u->kind], u->at, u->out->n - before, announced};
    if (announced < ZSTD_CONTENTSIZE_ERROR && at.found != announced)
        return error_at(error, APF_DECOMPRESS_FAILED, at,
                        "the content has another size than the header says");
    return APF_OK;
}

/* ---- files ---- */

/* Whether there is another stream. */
static int more(const struct unpacker *u, bool *another, struct apf_error *error)
{
    const uint8_t *p = u->src + u->at;
    size_t left = u->n - u->at, zeros = 0;
    *another = begins(p, left) == u->kind;
    while (!*another && zeros < left && p[zeros] == 0)
        zeros++;
    return *another || zeros == left
               ? APF_OK
               : error_place(error, APF_DECOMPRESS_FAILED, behind[u->kind], u->at + zeros,
                             "there are other bytes behind the compressed data");
}

/* Behind a stream that is whole. */
static int next_stream(struct unpacker *u, bool *another, struct apf_error *error)
{
    *u->proven = u->out->n;
    return more(u, another, error);
}

static int unpack_gzip(struct unpacker *u, struct apf_error *error)
{
    z_stream z = {0};
    bool another = true;
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) /* 16: with the header and trailer of gzip */
        return error_memory(error);
    int code = APF_OK;
    while (code == APF_OK && another) {
        code = gzip_member(u, &z, error);
        if (code == APF_OK)
            code = next_stream(u, &another, error);
    }
    inflateEnd(&z);
    return code;
}

static int unpack_zstd(struct unpacker *u, struct apf_error *error)
{
    ZSTD_DCtx *z = ZSTD_createDCtx();
    bool another = true;
    int code = z ? APF_OK : error_memory(error);
    while (code == APF_OK && another) {
        code = zstd_frame(u, z, error);
        if (code == APF_OK)
            code = next_stream(u, &another, error);
    }
    ZSTD_freeDCtx(z);
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
    struct unpacker u = {
        src, n, 0, proven, out, bound < max_bytes ? bound : max_bytes, max_bytes, compression_of(src, n)};
    int code = APF_OK;
    *proven = 0;
    out->n = 0;
    if (out->capacity < FIRST_ROOM) /* several times the input is usual, and less is no loss */
        code = grow(&u, FIRST_ROOM + 4 * (uint64_t)n, error);
    if (code == APF_OK)
        code = u.kind == COMPRESSION_GZIP ? unpack_gzip(&u, error) : unpack_zstd(&u, error);
    if (code == APF_OK)
        code = check_size(&u, error);
    enum compression inner = code == APF_OK ? compression_of(out->data, out->n) : COMPRESSION_NONE;
    if (inner != COMPRESSION_NONE)
        code = error_plain(error, APF_UNSUPPORTED, content[u.kind],
                           "the file is compressed twice: %s inside %s; unpack it once", names[inner],
                           names[u.kind]);
    if (code != APF_TRUNCATED && code != APF_DECOMPRESS_FAILED) /* other errors are not of one stream */
        *proven = 0;
    if (code == APF_OK)
        *proven = out->n;
    else
        out->n = 0;
    return code;
}

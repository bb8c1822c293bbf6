/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/unpack.h"

#include <limits.h>
#include <stdlib.h>

#define ZLIB_CONST /* what is read is not written to */
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/error.h"

struct unpack {
    enum compression kind;
    z_stream gzip;
    ZSTD_DCtx *zstd;
    uint64_t offset; /* bytes that were taken */
    bool inside;     /* of a stream: more of it must come */
    bool padding;    /* behind the last stream: only zeros may come */
};

int unpack_open(struct unpack **result, enum compression kind, struct apf_error *error)
{
    struct unpack *u = calloc(1, sizeof *u);
    *result = NULL;
    if (!u)
        return error_memory(error);
    u->kind = kind;
    bool good;
    if (kind == COMPRESSION_GZIP)
        good = inflateInit2(&u->gzip, 16 + MAX_WBITS) == Z_OK; /* 16: with the header and trailer of gzip */
    else
        good = (u->zstd = ZSTD_createDCtx()) != NULL;
    if (!good) {
        free(u);
        return error_memory(error);
    }
    *result = u;
    return APF_OK;
}

void unpack_close(struct unpack *u)
{
    if (!u)
        return;
    if (u->kind == COMPRESSION_GZIP)
        inflateEnd(&u->gzip);
    ZSTD_freeDCtx(u->zstd);
    free(u);
}

static int gzip_step(struct unpack *u, const uint8_t **src, const uint8_t *end, uint8_t *to, size_t room,
                     size_t *got, struct apf_error *error)
{
    size_t n = (size_t)(end - *src);
    uInt in = n < UINT_MAX ? (uInt)n : UINT_MAX, out = room < UINT_MAX ? (uInt)room : UINT_MAX;
    u->gzip.next_in = *src;
    u->gzip.avail_in = in;
    u->gzip.next_out = to;
    u->gzip.avail_out = out;
    int result =
        inflate(&u->gzip, Z_NO_FLUSH); /* Z_BUF_ERROR: it could not go on, which is for the caller to see */
    u->offset += in - u->gzip.avail_in;
    *src += in - u->gzip.avail_in;
    *got = out - u->gzip.avail_out;
    u->inside = result != Z_STREAM_END;
    if (result == Z_MEM_ERROR)
        return error_memory(error);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return error_place(error, APF_DECOMPRESS_FAILED, "gzip.stream", u->offset,
                           u->gzip.msg ? u->gzip.msg : "damaged");
    return APF_OK;
}

static int zstd_step(struct unpack *u, const uint8_t **src, const uint8_t *end, uint8_t *to, size_t room,
                     size_t *got, struct apf_error *error)
{
    ZSTD_inBuffer in = {*src, (size_t)(end - *src), 0};
    ZSTD_outBuffer out = {to, room, 0};
    size_t wanted = ZSTD_decompressStream(u->zstd, &out, &in);
    if (ZSTD_isError(wanted)) {
        ZSTD_ErrorCode why = ZSTD_getErrorCode(wanted);
        if (why == ZSTD_error_memory_allocation)
            return error_memory(error);
        bool large = why == ZSTD_error_frameParameter_windowTooLarge;
        return error_place(
            error, large ? APF_UNSUPPORTED : APF_DECOMPRESS_FAILED, "zstd.frame", u->offset,
            large ? "it needs more than 128 MiB of memory to unpack (made with --long=28 or more)"
                  : ZSTD_getErrorName(wanted));
    }
    u->offset += in.pos;
    *src += in.pos;
    *got = out.pos;
    u->inside = wanted != 0;
    return APF_OK;
}

/* Between streams: whether another one begins, or zeros that fill the file up. */
static int begin(struct unpack *u, const uint8_t **src, const uint8_t *end, struct apf_error *error)
{
    bool first = u->offset == 0, gzip = u->kind == COMPRESSION_GZIP;
    u->padding = u->padding || (!first && **src == 0);
    while (u->padding && *src < end && **src == 0) {
        ++*src;
        u->offset++;
    }
    if (*src == end)
        return APF_OK;
    bool another =
        gzip ? **src == 0x1f : **src == 0x28 || (**src & 0xf0) == 0x50; /* or an error as it goes on */
    if (u->padding || !another)
        return error_place(error, APF_DECOMPRESS_FAILED, gzip ? "gzip.end" : "zstd.end", u->offset,
                           "there are other bytes behind the compressed data");
    u->inside = true;
    if (gzip && !first)
        inflateReset(&u->gzip);
    return APF_OK;
}

int unpack_step(struct unpack *u, const uint8_t **src, const uint8_t *end, bool last, uint8_t *to,
                size_t room, size_t *got, bool *done, struct apf_error *error)
{
    int code = APF_OK;
    const uint8_t *before = *src;
    *got = 0;
    *done = false;
    if (!u->inside && *src < end)
        code = begin(u, src, end, error);
    if (code == APF_OK && u->inside)
        code = u->kind == COMPRESSION_GZIP ? gzip_step(u, src, end, to, room, got, error)
                                           : zstd_step(u, src, end, to, room, got, error);
    if (code != APF_OK || *got || *src != before || !last)
        return code;
    *done = true;
    return u->inside
               ? error_place(error, APF_TRUNCATED, u->kind == COMPRESSION_GZIP ? "gzip.stream" : "zstd.frame",
                             u->offset, "the compressed data end too early")
               : APF_OK;
}

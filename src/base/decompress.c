/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/decompress.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST /* declares inputs const */
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/error.h"

#define HEAD_MAX 18 /* bytes of the longest header of a zstd frame */

enum state { BETWEEN, INSIDE, PADDING }; /* PADDING: zeros may follow the last stream */

struct decompressor {
    enum compression kind;
    enum state state;
    z_stream gzip;
    ZSTD_DCtx *zstd;
    size_t wanted;             /* bytes that zstd asks for next */
    uint64_t announced, given; /* bytes of a zstd frame's content: by its header, and so far */
    uint64_t offset;           /* in the compressed file, without the bytes in `head` */
    uint8_t head[HEAD_MAX];    /* bytes that were read ahead, to see whether a stream begins */
    size_t n_head;
};

static const char *const stream_where[] = {"", "gzip.stream", "zstd.frame"};
static const char *const after_streams[] = {"", "gzip.end", "zstd.end"};

/* ---- which bytes begin a stream ---- */

/* The kind of the stream that begins at p. A stream that is cut off inside its magic is known by its first byte. */
static enum compression stream_kind(const uint8_t *p, size_t n)
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
    enum compression kind = stream_kind(p, n);
    return n >= (kind == COMPRESSION_GZIP ? 2 : 4) ? kind : COMPRESSION_NONE;
}

/* ---- the decoders ---- */

static int start_stream(struct decompressor *d, enum compression kind, struct apf_error *error)
{
    struct decompressor nothing = {.kind = kind};
    *d = nothing;
    if (kind == COMPRESSION_ZSTD)
        return (d->zstd = ZSTD_createDCtx()) ? APF_OK : error_memory(error);
    /* 16: with the header and trailer of gzip */
    return inflateInit2(&d->gzip, 16 + MAX_WBITS) == Z_OK ? APF_OK : error_memory(error);
}

int decompress_open(struct decompressor **result, enum compression kind, struct apf_error *error)
{
    struct decompressor *d = malloc(sizeof *d);
    int code = d ? start_stream(d, kind, error) : error_memory(error);
    if (code != APF_OK) {
        free(d);
        d = NULL;
    }
    *result = d;
    return code;
}

void decompress_close(struct decompressor *d)
{
    if (!d)
        return;
    inflateEnd(&d->gzip); /* has no effect when it was not initialized */
    ZSTD_freeDCtx(d->zstd);
    free(d);
}

bool decompress_inside(const struct decompressor *d)
{
    return d->state == INSIDE;
}

static uInt at_most(size_t n)
{
    return n < UINT_MAX ? (uInt)n : UINT_MAX;
}

/* The input and the output of a decoder. */
struct span {
    const uint8_t *in;
    size_t n;
    uint8_t *to;
    size_t room;
    size_t used, got; /* set by the decoder */
};

static int gzip_step(struct decompressor *d, struct span *s, struct apf_error *error)
{
    z_stream *z = &d->gzip;
    uInt in = at_most(s->n), room = at_most(s->room);
    z->next_in = s->in;
    z->avail_in = in;
    z->next_out = s->to;
    z->avail_out = room;
    int result = inflate(z, Z_NO_FLUSH); /* Z_BUF_ERROR: it could not go on, which decompress_step sees */
    s->used = in - z->avail_in;
    s->got = room - z->avail_out;
    d->offset += s->used;
    if (result == Z_MEM_ERROR)
        return error_memory(error);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return error_place(error, APF_DECOMPRESS_FAILED, stream_where[d->kind], d->offset,
                           z->msg ? z->msg : "damaged");
    if (result == Z_STREAM_END)
        d->state = BETWEEN;
    return APF_OK;
}

static int zstd_failed(const struct decompressor *d, size_t result, struct apf_error *error)
{
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
        return error_memory(error);
    case ZSTD_error_frameParameter_windowTooLarge:
        return error_place(error, APF_UNSUPPORTED, stream_where[d->kind], d->offset,
                           "it needs more than 128 MiB of memory to unpack (made with --long=28 or more)");
    case ZSTD_error_dictionary_wrong:
        return error_place(error, APF_UNSUPPORTED, stream_where[d->kind], d->offset, "it needs a dictionary");
    default:
        return error_place(error, APF_DECOMPRESS_FAILED, stream_where[d->kind], d->offset,
                           ZSTD_getErrorName(result));
    }
}

/* The decoder gets the blocks one by one, as the library asks for them, so that an error has an offset. */
static int zstd_step(struct decompressor *d, struct span *s, struct apf_error *error)
{
    ZSTD_inBuffer in = {s->in, d->wanted < s->n ? d->wanted : s->n, 0};
    ZSTD_outBuffer out = {s->to, s->room, 0};
    size_t wanted = ZSTD_decompressStream(d->zstd, &out, &in);
    if (ZSTD_isError(wanted))
        return zstd_failed(d, wanted, error);
    s->used = in.pos;
    s->got = out.pos;
    d->offset += in.pos;
    d->given += out.pos;
    d->wanted = wanted;
    if (wanted)
        return APF_OK;
    d->state = BETWEEN;
    /* The library does not compare the sizes when the last block is empty. */
    struct error_at at = {stream_where[d->kind], d->offset, d->given, d->announced};
    return d->announced < ZSTD_CONTENTSIZE_ERROR && d->given != d->announced
               ? error_at(error, APF_DECOMPRESS_FAILED, at, "the size of the content differs from the header")
               : APF_OK;
}

/* Reads ahead to see whether another stream begins; with too few bytes, decides nothing yet. Bytes that did not come in
 * pieces are given back, so that blocks of zstd stay whole. */
static void begin_stream(struct decompressor *d, const uint8_t **src, const uint8_t *end, bool last)
{
    const uint8_t *before = d->n_head == 0 ? *src : NULL;
    while (d->n_head < HEAD_MAX && *src < end)
        d->head[d->n_head++] = *(*src)++;
    if (d->n_head == 0 || (d->n_head < HEAD_MAX && !last))
        return;
    d->state = stream_kind(d->head, d->n_head) == d->kind ? INSIDE : PADDING;
    if (d->kind == COMPRESSION_GZIP) {
        inflateReset(&d->gzip);
    } else {
        d->wanted = ZSTD_initDStream(d->zstd);
        d->announced = ZSTD_getFrameContentSize(d->head, d->n_head);
        d->given = 0;
    }
    if (before) {
        *src = before;
        d->n_head = 0;
    }
}

static int pass_zeros(struct decompressor *d, struct span *s, struct apf_error *error)
{
    while (s->used < s->n && s->in[s->used] == 0)
        s->used++;
    d->offset += s->used;
    return s->used == s->n ? APF_OK
                           : error_place(error, APF_DECOMPRESS_FAILED, after_streams[d->kind], d->offset,
                                         "other bytes follow the compressed data");
}

int decompress_step(struct decompressor *d, const uint8_t **src, const uint8_t *end, bool last, uint8_t *to,
                    size_t room, size_t *got, bool *done, struct apf_error *error)
{
    const uint8_t *before = *src;
    int code = APF_OK;
    *done = false;
    if (d->state == BETWEEN)
        begin_stream(d, src, end, last);
    bool ahead = d->n_head > 0; /* these bytes come first */
    struct span s = {ahead ? d->head : *src, ahead ? d->n_head : (size_t)(end - *src), to, room, 0, 0};
    if (d->state == PADDING)
        code = pass_zeros(d, &s, error);
    else if (d->state == INSIDE)
        code = d->kind == COMPRESSION_GZIP ? gzip_step(d, &s, error) : zstd_step(d, &s, error);
    *got = s.got;
    if (ahead)
        memmove(d->head, d->head + s.used, d->n_head -= s.used);
    else
        *src += s.used;
    if (code != APF_OK || s.used || s.got || *src != before || !last)
        return code;
    *done = true;
    return d->state == INSIDE ? error_place(error, APF_TRUNCATED, stream_where[d->kind], d->offset,
                                            "the compressed data end too early")
                              : APF_OK;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export/gzip_out.h"

#include "base/error.h"

#define LEVEL                                                                                                \
    3 /* numbers of locations, which most bytes are, become hardly smaller with 6, in three times the time */
#define WINDOW_OF_GZIP (15 + 16) /* the largest window; zlib writes gzip's header and trailer with 16 more */
#define MEMORY_LEVEL 8           /* zlib's default */
#define PIECE ((size_t)1 << 14)

int gzip_open(struct gzip_out *g, struct file_out *out, struct apf_error *error)
{
    memset(&g->z, 0, sizeof g->z);
    g->out = out;
    g->n = 0;
    if (deflateInit2(&g->z, LEVEL, Z_DEFLATED, WINDOW_OF_GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return error_memory(error);
    return APF_OK;
}

/* Compresses what the buffer holds. deflate fails only if it is called wrongly. */
static void compress_buffer(struct gzip_out *g, int flush)
{
    uint8_t piece[PIECE];
    g->z.next_in = g->buffer;
    g->z.avail_in = (uInt)g->n;
    g->n = 0;
    do {
        g->z.next_out = piece;
        g->z.avail_out = sizeof piece;
        (void)deflate(&g->z, flush);
        (void)file_out_write(g->out, piece, sizeof piece - g->z.avail_out);
    } while (g->z.avail_out == 0);
}

void gzip_append(struct gzip_out *g, const void *p, size_t n)
{
    const uint8_t *from = (const uint8_t *)p;
    while (n) {
        const size_t room = sizeof g->buffer - g->n, part = n < room ? n : room;
        memcpy(g->buffer + g->n, from, part);
        g->n += part;
        from += part;
        n -= part;
        if (g->n == sizeof g->buffer)
            compress_buffer(g, Z_NO_FLUSH);
    }
}

void gzip_close(struct gzip_out *g)
{
    compress_buffer(g, Z_FINISH);
    (void)deflateEnd(&g->z);
}

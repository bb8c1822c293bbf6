/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/file_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define BUFFER ((size_t)256 << 10)

static size_t n_source(const struct file_stream *s)
{
    return (size_t)(s->source_end - s->source);
}

/* Reads up to n bytes of the file; *got is 0 at the end only. */
static int read_some(struct file_stream *s, uint8_t *to, size_t n, size_t *got, struct apf_error *error)
{
    *got = 0;
    while (s->fd >= 0) {
        ssize_t step = read(s->fd, to, n);
        if (step < 0 && errno == EINTR)
            continue;
        if (step < 0)
            return error_errno(error, errno, "file.read");
        *got = (size_t)step;
        break;
    }
    return APF_OK;
}

/* Reads more bytes after those that are left at the beginning of the buffer. */
static int refill(struct file_stream *s, bool *last, struct apf_error *error)
{
    size_t left = n_source(s), got = 0;
    *last = s->fd < 0;
    if (*last)
        return APF_OK;
    if (left)
        memmove(s->buffer, s->source, left);
    int code = read_some(s, s->buffer + left, BUFFER - left, &got, error);
    s->source = s->buffer;
    s->source_end = s->buffer + left + got;
    *last = got == 0;
    return code;
}

static int unpack_some(struct file_stream *s, uint8_t *to, size_t n, size_t *got, struct apf_error *error)
{
    bool last = s->fd < 0, done = false;
    *got = 0;
    while (*got == 0 && !done) {
        int code = n_source(s) == 0 ? refill(s, &last, error) : APF_OK;
        if (code == APF_OK)
            code =
                decompress_step(s->decompressor, &s->source, s->source_end, last, to, n, got, &done, error);
        if (code != APF_OK)
            return code;
    }
    return APF_OK;
}

static int count_bytes(struct file_stream *s, size_t n, struct apf_error *error)
{
    s->total += n;
    struct error_at at = {"file.size", NO_OFFSET, s->total, s->max_bytes};
    return s->total > s->max_bytes ? error_at(error, APF_LIMIT, at, "larger than the limit for one input")
                                   : APF_OK;
}

int file_stream_read(struct file_stream *s, uint8_t *to, size_t n, size_t *got, struct apf_error *error)
{
    int code = APF_OK;
    if (s->decompressor) {
        code = unpack_some(s, to, n, got, error);
    } else if (n_source(s)) {
        *got = n < n_source(s) ? n : n_source(s);
        memcpy(to, s->source, *got);
        s->source += *got;
    } else {
        code = read_some(s, to, n, got, error);
    }
    return code == APF_OK ? count_bytes(s, *got, error) : code;
}

const uint8_t *file_stream_take(struct file_stream *s, size_t *n)
{
    const uint8_t *p = s->source;
    if (s->decompressor || s->buffer)
        return NULL;
    *n = n_source(s);
    s->source = s->source_end;
    s->total += *n;
    return p;
}

/* ---- opening ---- */

static int open_fd(struct file_stream *s, const char *path, struct apf_error *error)
{
    struct stat st;
    s->close_fd = strcmp(path, "-") != 0;
    s->fd = s->close_fd ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (s->fd < 0)
        return error_errno(error, errno, "file.open");
    if (fstat(s->fd, &st) != 0)
        return error_errno(error, errno, "file.stat");
    return S_ISDIR(st.st_mode) ? error_errno(error, EISDIR, "file.open") : APF_OK;
}

/* Reads the first bytes, which say whether the input is packed. Bytes of a pipe may come one by one. */
static int look_at(struct file_stream *s, struct apf_error *error)
{
    bool last = false;
    int code = APF_OK;
    while (code == APF_OK && !last && n_source(s) < 4)
        code = refill(s, &last, error);
    enum compression kind = compression_of(s->source, n_source(s));
    return code == APF_OK && kind != COMPRESSION_NONE ? decompress_open(&s->decompressor, kind, error) : code;
}

int file_stream_open(struct file_stream *s, const struct apf_input *input, uint64_t max_bytes,
                     struct apf_error *error)
{
    *s = (struct file_stream){.fd = -1, .max_bytes = max_bytes};
    struct error_at at = {"file.size", NO_OFFSET, input->n, max_bytes};
    if (!input->path && input->n > max_bytes)
        return error_at(error, APF_LIMIT, at, "larger than the limit for one input");
    int code = APF_OK;
    if (!input->path) {
        s->source = (const uint8_t *)(input->n ? input->data : "");
        s->source_end = s->source + input->n;
    } else {
        s->source = s->source_end = s->buffer = malloc(BUFFER);
        code = s->buffer ? open_fd(s, input->path, error) : error_memory(error);
    }
    return code == APF_OK ? look_at(s, error) : code;
}

void file_stream_close(struct file_stream *s)
{
    if (s->fd >= 0 && s->close_fd)
        close(s->fd); /* nothing was written through it */
    decompress_close(s->decompressor);
    free(s->buffer);
    *s = (struct file_stream){.fd = -1};
}

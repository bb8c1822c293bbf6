/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/file_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* ---- bytes ---- */

/* Reads up to n bytes; *got is 0 at the end only. */
static int read_some(struct file_lines *l, uint8_t *to, size_t n, size_t *got, struct apf_error *error)
{
    *got = 0;
    while (l->fd >= 0) {
        ssize_t step = read(l->fd, to, n);
        if (step < 0 && errno == EINTR)
            continue;
        if (step < 0)
            return error_errno(error, errno, "file.read");
        *got = (size_t)step;
        break;
    }
    return APF_OK;
}

/* Reads more packed bytes after those that are left. */
static int refill_packed(struct file_lines *l, bool *last, struct apf_error *error)
{
    size_t left = (size_t)(l->source_end - l->source), got = 0;
    *last = l->fd < 0;
    if (*last || left)
        return APF_OK;
    int code = read_some(l, l->packed, FILE_LINES_LONGEST, &got, error);
    l->source = l->packed;
    l->source_end = l->packed + got;
    *last = got == 0;
    return code;
}

static int unpack_some(struct file_lines *l, uint8_t *to, size_t n, size_t *got, struct apf_error *error)
{
    bool last, done = false;
    *got = 0;
    while (*got == 0 && !done) {
        int code = refill_packed(l, &last, error);
        if (code == APF_OK)
            code =
                decompress_step(l->decompressor, &l->source, l->source_end, last, to, n, got, &done, error);
        if (code != APF_OK)
            return code;
    }
    return APF_OK;
}

/* Reads more text after the rest of the buffer; *got is 0 only at the end of the text. */
static int refill_text(struct file_lines *l, size_t *got, struct apf_error *error)
{
    size_t left = (size_t)(l->end - l->p);
    *got = 0;
    if (!l->decompressor && l->fd < 0)
        return APF_OK;
    if (left)
        memmove(l->text, l->p, left);
    l->p = (const char *)l->text;
    l->end = l->p + left;
    size_t room = FILE_LINES_LONGEST - left;
    int code = l->decompressor ? unpack_some(l, l->text + left, room, got, error)
                               : read_some(l, l->text + left, room, got, error);
    l->end += *got;
    l->total += *got;
    struct error_at at = {"file.size", NO_OFFSET, l->total, l->max_bytes};
    if (code == APF_OK && l->total > l->max_bytes)
        return error_at(error, APF_LIMIT, at, "larger than the limit for one input");
    return code;
}

/* ---- opening ---- */

static int open_fd(struct file_lines *l, const char *path, struct apf_error *error)
{
    struct stat st;
    l->close_fd = strcmp(path, "-") != 0;
    l->fd = l->close_fd ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (l->fd < 0)
        return error_errno(error, errno, "file.open");
    if (fstat(l->fd, &st) != 0)
        return error_errno(error, errno, "file.stat");
    return S_ISDIR(st.st_mode) ? error_errno(error, EISDIR, "file.open") : APF_OK;
}

/* Reads the first bytes, which say whether the input is packed. Bytes of a pipe may come one by one. */
static int look_at(struct file_lines *l, struct apf_error *error)
{
    size_t got = 1;
    int code = APF_OK;
    while (code == APF_OK && got && l->end - l->p < 4)
        code = refill_text(l, &got, error);
    enum compression kind = compression_of((const uint8_t *)l->p, (size_t)(l->end - l->p));
    if (code != APF_OK || kind == COMPRESSION_NONE)
        return code;
    if (l->text) { /* the buffers change places */
        uint8_t *packed = l->text;
        l->text = l->packed;
        l->packed = packed;
    }
    l->source = (const uint8_t *)l->p;
    l->source_end = (const uint8_t *)l->end;
    l->p = l->end = NULL;
    l->total = 0;
    l->text = malloc(FILE_LINES_LONGEST);
    return l->text ? decompress_open(&l->decompressor, kind, error) : error_memory(error);
}

int file_lines_open(struct file_lines *l, const struct apf_input *input, uint64_t max_bytes,
                    struct apf_error *error)
{
    *l = (struct file_lines){.fd = -1, .max_bytes = max_bytes};
    struct error_at at = {"file.size", NO_OFFSET, input->n, max_bytes};
    if (!input->path && input->n > max_bytes)
        return error_at(error, APF_LIMIT, at, "larger than the limit for one input");
    int code = APF_OK;
    if (!input->path) {
        l->p = input->n ? input->data : "";
        l->end = l->p + input->n;
    } else {
        l->text = malloc(FILE_LINES_LONGEST);
        code = l->text ? open_fd(l, input->path, error) : error_memory(error);
    }
    return code == APF_OK ? look_at(l, error) : code;
}

void file_lines_close(struct file_lines *l)
{
    if (l->fd >= 0 && l->close_fd)
        close(l->fd); /* nothing was written through it */
    decompress_close(l->decompressor);
    free(l->text);
    free(l->packed);
    *l = (struct file_lines){.fd = -1};
}

/* ---- lines ---- */

int file_lines_wrong(const struct file_lines *l, const char *p, int code, const char *where,
                     const char *detail, struct apf_error *error)
{
    uint64_t column = (uint64_t)(p - l->line) + 1;
    error_set_column(error, code, where, l->offset + column - 1,
                     l->number < UINT32_MAX ? (uint32_t)l->number : UINT32_MAX, (uint32_t)column, detail);
    return code;
}

/* The result at the end of the text, or of the room for a line. */
static int no_line_feed(struct file_lines *l, struct apf_error *error)
{
    l->n = (size_t)(l->end - l->p);
    if (l->n == 0)
        return APF_END;
    if (l->n == FILE_LINES_LONGEST)
        return file_lines_wrong(l, l->line, APF_LIMIT, "text.line", "a line has more than 1048575 bytes",
                                error);
    return file_lines_wrong(l, l->end, APF_BAD_SAMPLES, "text.line",
                            "the last line has no end: the text may have been cut off", error);
}

int file_lines_next(struct file_lines *l, struct apf_error *error)
{
    size_t searched = 0;
    l->offset += l->line ? l->n + 1 : 0;
    l->number++;
    for (;;) {
        size_t there = (size_t)(l->end - l->p), got = 0;
        const char *feed = there > searched ? memchr(l->p + searched, '\n', there - searched) : NULL;
        l->line = l->p;
        if (feed) {
            l->n = (size_t)(feed - l->p);
            l->p = feed + 1;
            return APF_OK;
        }
        searched = there;
        int code = there < FILE_LINES_LONGEST ? refill_text(l, &got, error) : APF_OK;
        l->line = l->p;
        if (code != APF_OK)
            return code;
        if (there == FILE_LINES_LONGEST || got == 0)
            return no_line_feed(l, error);
    }
}

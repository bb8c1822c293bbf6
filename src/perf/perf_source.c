/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_source.h"

#include <stdlib.h>

#include "base/error.h"

/* Opens a regular file that is not packed. *opened: it is one. */
static int open_file(struct perf_source *s, const struct apf_input *input, uint64_t max_bytes, bool *opened,
                     struct apf_error *error)
{
    uint8_t head[4];
    size_t got = 0;
    int code = file_open_regular(input, &s->fd, error);
    if (code == APF_OK && s->fd >= 0)
        code = file_read_at(s->fd, 0, head, sizeof head, &got, error);
    *opened = s->fd >= 0 && code == APF_OK && compression_of(head, got) == COMPRESSION_NONE;
    if (*opened)
        return file_size_regular(s->fd, max_bytes, &s->size, error);
    file_close_regular(s->fd);
    s->fd = -1;
    return code;
}

int perf_source_open(struct perf_source *s, const struct apf_input *input, uint64_t max_bytes,
                     struct apf_error *error)
{
    *s = (struct perf_source){.fd = -1, .size = UINT64_MAX, .stream = {.fd = -1}};
    bool opened = false;
    size_t n = 0;
    int code = open_file(s, input, max_bytes, &opened, error);
    if (code != APF_OK)
        return code;
    if (!opened) {
        code = file_stream_open(&s->stream, input, max_bytes, error);
        s->data = code == APF_OK ? file_stream_take(&s->stream, &n) : NULL;
        s->size = s->data ? n : s->size;
    }
    s->seekable = opened || s->data;
    return code;
}

void perf_source_close(struct perf_source *s)
{
    file_close_regular(s->fd);
    file_stream_close(&s->stream);
    free(s->held);
    *s = (struct perf_source){.fd = -1, .stream = {.fd = -1}};
}

/* Reads bytes of a seekable source. */
static int read_at(const struct perf_source *s, uint64_t offset, uint8_t *to, size_t n, size_t *got,
                   struct apf_error *error)
{
    uint64_t left = offset < s->size ? s->size - offset : 0;
    if (s->fd >= 0)
        return file_read_at(s->fd, offset, to, n, got, error);
    *got = n < left ? n : (size_t)left;
    if (*got)
        memcpy(to, s->data + offset, *got);
    return APF_OK;
}

int perf_source_read(struct perf_source *s, uint8_t *to, size_t n, size_t *got, struct apf_error *error)
{
    int code = APF_OK;
    size_t step = 1;
    *got = 0;
    if (s->seekable)
        code = read_at(s, s->at, to, n, got, error);
    while (!s->seekable && code == APF_OK && step && *got < n) {
        code = file_stream_read(&s->stream, to + *got, n - *got, &step, error);
        *got += code == APF_OK ? step : 0;
    }
    s->at += *got;
    return code;
}

int perf_source_go(struct perf_source *s, uint64_t offset, bool *reached, struct apf_error *error)
{
    uint8_t passed[4096];
    size_t got = 1;
    int code = APF_OK;
    *reached = s->seekable ? offset <= s->size : offset >= s->at;
    if (s->seekable)
        s->at = offset < s->size ? offset : s->size;
    while (!s->seekable && code == APF_OK && got && s->at < offset) {
        uint64_t left = offset - s->at;
        code = perf_source_read(s, passed, left < sizeof passed ? (size_t)left : sizeof passed, &got, error);
    }
    *reached = *reached && s->at == offset;
    return code;
}

int perf_source_hold(struct perf_source *s, uint64_t end, struct apf_error *error)
{
    size_t room = 0, got = 1;
    int code = APF_OK;
    free(s->held);
    s->held = NULL;
    s->n_held = 0;
    s->held_at = s->at;
    while (code == APF_OK && got && s->at < end && s->n_held < PERF_LARGEST_TABLE) {
        if (s->n_held == room && !vec_grow(&s->held, &room, s->n_held, 4096, 1))
            return error_memory(error);
        uint64_t left = end - s->at;
        size_t n = room - s->n_held;
        code = perf_source_read(s, s->held + s->n_held, left < n ? (size_t)left : n, &got, error);
        s->n_held += code == APF_OK ? got : 0;
    }
    return code;
}

int perf_source_table(const struct perf_source *s, uint64_t offset, uint64_t n, struct arena *arena,
                      const uint8_t **p, struct apf_error *error)
{
    uint64_t start = s->seekable ? 0 : s->held_at, size = s->seekable ? s->size : s->n_held;
    size_t got = 0;
    *p = NULL;
    if (n == 0) /* where it is may be anything */
        offset = start;
    if (n > PERF_LARGEST_TABLE || offset < start || offset - start > size || n > size - (offset - start))
        return APF_OK;
    uint8_t *to = arena_bytes(arena, (size_t)n);
    if (!to)
        return error_memory(error);
    *p = to;
    if (!s->seekable) {
        if (n)
            memcpy(to, s->held + (offset - start), (size_t)n);
        return APF_OK;
    }
    int code = read_at(s, offset, to, (size_t)n, &got, error);
    if (got < n)
        *p = NULL; /* the file has become shorter */
    return code;
}

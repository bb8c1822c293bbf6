/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/name_blob.h"

#include <stdlib.h>
#include <string.h>

#include "base/deflate.h"
#include "base/error.h"
#include "base/leb128.h"

#define SEPARATOR 1

static int too_short(struct apf_error *error, const char *where, const struct cursor *c, uint64_t size)
{
    struct error_at at = {where, cursor_offset(c), size, cursor_left(c)};
    return error_bound(error, APF_MALFORMED, at, "names run past the end of their section");
}

/* The text of one chunk: in the file, or inflated into the arena. */
static int chunk_text(struct cursor *c, uint64_t *budget, const char *where, struct arena *arena,
                      const uint8_t **text, uint64_t *n, bool *in_file, struct apf_error *error)
{
    struct cursor start = *c;
    uint64_t size = cursor_uleb128(c);
    uint64_t packed = cursor_uleb128(c);
    if (c->failed)
        return too_short(error, where, &start, 0);
    *n = size;
    *in_file = packed == 0;
    if (packed == 0) {
        *text = cursor_bytes(c, size);
        return *text ? APF_OK : too_short(error, where, c, size);
    }
    const uint8_t *stream = cursor_bytes(c, packed);
    if (!stream)
        return too_short(error, where, c, packed);
    struct error_at at = {where, cursor_offset(&start), size, packed};
    if (size / DEFLATE_MAX_RATIO > packed)
        return error_at(error, APF_UNCOMPRESS_FAILED, at, "impossible size");
    if (size > *budget) {
        at.expected = *budget;
        return error_at(error, APF_LIMIT, at, "larger than the limit for inflated data");
    }
    *budget -= size;
    uint8_t *inflated = arena_bytes(arena, size ? size : 1);
    if (!inflated)
        return error_memory(error);
    int code = deflate_expand(stream, packed, inflated, size);
    if (code != APF_OK)
        return code == APF_NO_MEMORY ? error_memory(error) : error_at(error, code, at, NULL);
    *text = inflated;
    return APF_OK;
}

static int split(const char *text, uint64_t n, bool copy, uint64_t offset, const char *where,
                 struct symbols *out, struct apf_error *error)
{
    const char *end = text + n;
    for (;;) {
        const char *stop = text < end ? (const char *)memchr(text, SEPARATOR, (size_t)(end - text)) : NULL;
        size_t length = (size_t)((stop ? stop : end) - text);
        if (length == 0) {
            struct error_at at = {where, offset, 0, 1};
            return error_bound(error, APF_MALFORMED, at, "symbol name is empty");
        }
        int code = symbols_add(out, text, length, copy, NULL, NULL, error);
        if (code != APF_OK || !stop)
            return code;
        text = stop + 1;
    }
}

int name_blob_read(struct cursor *c, uint64_t n, uint64_t *budget, const char *where, struct symbols *out,
                   struct apf_error *error)
{
    struct cursor blob = cursor_sub(c, n);
    if (blob.failed)
        return too_short(error, where, c, n);
    while (cursor_left(&blob)) {
        const uint8_t *text = NULL;
        uint64_t size = 0, at = cursor_offset(&blob);
        bool in_file = true;
        int code = chunk_text(&blob, budget, where, &out->text, &text, &size, &in_file, error);
        if (code == APF_OK)
            code = split((const char *)text, size, in_file, at, where, out, error);
        if (code != APF_OK)
            return code;
        while (cursor_left(&blob) && *blob.p == 0)
            blob.p++; /* padding of the linker between the parts of several objects */
    }
    return APF_OK;
}

int name_blob_strings(struct cursor *c, uint64_t n, uint64_t *budget, const char *where, struct arena *arena,
                      struct name_list *list, struct apf_error *error)
{
    struct cursor blob = cursor_sub(c, n);
    if (blob.failed)
        return too_short(error, where, c, n);
    while (cursor_left(&blob)) {
        const uint8_t *text = NULL;
        uint64_t size = 0;
        bool in_file = true;
        int code = chunk_text(&blob, budget, where, arena, &text, &size, &in_file, error);
        if (code != APF_OK)
            return code;
        for (uint64_t from = 0, to = 0; to <= size; to++) {
            struct apf_str s = {(const char *)text + from, to - from};
            if (to < size && text[to] != SEPARATOR)
                continue;
            if (!VEC_PUSH(list, s))
                return error_memory(error);
            from = to + 1;
        }
        while (cursor_left(&blob) && *blob.p == 0)
            blob.p++;
    }
    return APF_OK;
}

int name_blob_write(struct name_blob *out, const struct apf_str *names, size_t n, bool compress,
                    struct apf_error *error)
{
    out->data = NULL;
    out->n = 0;
    if (n == 0)
        return APF_OK;
    size_t size = n - 1;
    for (size_t i = 0; i < n; i++)
        size += names[i].n;
    size_t room = compress ? deflate_bound(size) : 0;
    char *joined = malloc(size + 1);
    uint8_t *blob = malloc(2 * ULEB128_MAX + (compress ? room : size));
    if (!joined || !blob) {
        free(joined);
        free(blob);
        return error_memory(error);
    }
    char *p = joined;
    for (size_t i = 0; i < n; i++) {
        if (i)
            *p++ = SEPARATOR;
        memcpy(p, names[i].p, names[i].n);
        p += names[i].n;
    }
    uint8_t *packed = compress ? malloc(room) : NULL;
    int code = compress && !packed ? error_memory(error) : APF_OK;
    if (code == APF_OK && compress && !deflate_compress((const uint8_t *)joined, size, packed, &room))
        code = error_memory(error); /* room is enough for anything */
    if (code == APF_OK) {
        size_t head = uleb128_put(blob, size);
        head += uleb128_put(blob + head, compress ? room : 0);
        memcpy(blob + head, compress ? (const void *)packed : joined, compress ? room : size);
        out->data = blob;
        out->n = head + (compress ? room : size);
        blob = NULL;
    }
    free(packed);
    free(joined);
    free(blob);
    return code;
}

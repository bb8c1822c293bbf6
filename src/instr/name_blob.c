/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/name_blob.h"

#include <stdlib.h>
#include <string.h>

#include "base/deflate.h"
#include "base/error.h"
#include "base/leb128.h"
#include "base/md5.h"

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
        const char *stop =
            text < end ? (const char *)memchr(text, NAME_SEPARATOR, (size_t)(end - text)) : NULL;
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
            if (to < size && text[to] != NAME_SEPARATOR)
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

/* ---- what is damaged ---- */

struct name_search {
    bool (*wanted)(const void *user, uint64_t id);
    const void *user;
    struct symbols *out;
    struct name_salvage *found;
};

/* The last piece is looked at too when it was cut off: it may end where the text did. */
static int pick(struct name_search *s, const char *text, size_t n, struct apf_error *error)
{
    const char *end = text + n;
    while (text < end) {
        const char *stop = (const char *)memchr(text, NAME_SEPARATOR, (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        uint64_t id = md5_name_ref(text, length);
        bool last_is_empty = stop && stop + 1 == end && !s->found->cut;
        s->found->broken = s->found->broken || length == 0 || last_is_empty;
        if (length && s->wanted(s->user, id)) {
            int code = symbols_add_id(s->out, id, text, length, true, NULL, error);
            if (code != APF_OK)
                return code;
            s->found->found++;
        }
        text += length + 1;
    }
    return APF_OK;
}

/* The text of a compressed chunk, of which `left` bytes are there. */
static int pick_packed(struct name_search *s, const uint8_t *stream, size_t left, uint64_t size,
                       struct apf_error *error)
{
    size_t got = 0;
    bool whole = false;
    uint8_t *text = malloc(size ? size : 1);
    int code = text ? deflate_expand_part(stream, left, text, size, &got, &whole) : APF_NO_MEMORY;
    if (code == APF_OK) {
        s->found->broken = s->found->broken || (!whole && !s->found->cut);
        code = pick(s, (const char *)text, got, error);
    } else {
        code = error_memory(error);
    }
    free(text);
    return code;
}

/* One chunk; the cursor ends where the bytes do. */
static int pick_chunk(struct name_search *s, struct cursor *c, uint64_t *budget, bool short_of,
                      struct apf_error *error)
{
    struct name_salvage *found = s->found;
    uint64_t size = cursor_uleb128(c);
    uint64_t packed = cursor_uleb128(c);
    uint64_t n = packed ? packed : size, left = cursor_left(c);
    bool possible = size && size / DEFLATE_MAX_RATIO <= packed && size <= *budget;
    if (c->failed || (packed && !possible) || (!packed && !size) || (n > left && !short_of)) {
        /* A number that goes on to the end of what is there is no damage of its own. */
        *(c->failed && short_of && left < ULEB128_MAX ? &found->cut : &found->broken) = true;
        return APF_OK;
    }
    found->cut = n > left;
    if (found->cut)
        n = left;
    const uint8_t *p = cursor_bytes(c, n);
    if (!packed)
        return pick(s, (const char *)p, n, error);
    *budget -= size;
    return pick_packed(s, p, n, size, error);
}

int name_blob_salvage(struct cursor *c, uint64_t n, uint64_t budget,
                      bool (*wanted)(const void *user, uint64_t id), const void *user, struct symbols *out,
                      struct name_salvage *found, struct apf_error *error)
{
    struct name_search s = {wanted, user, out, found};
    bool short_of = n > cursor_left(c);
    struct cursor blob = cursor_sub(c, short_of ? cursor_left(c) : n);
    int code = APF_OK;
    while (code == APF_OK && !found->cut && !found->broken && cursor_left(&blob)) {
        code = pick_chunk(&s, &blob, &budget, short_of, error);
        while (cursor_left(&blob) && *blob.p == 0)
            blob.p++;
    }
    found->cut = found->cut || short_of;
    return code;
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
            *p++ = NAME_SEPARATOR;
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

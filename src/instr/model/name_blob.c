/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/name_blob.h"

#include <stdlib.h>
#include <string.h>

#include "base/deflate.h"
#include "base/error.h"
#include "base/leb128.h"
#include "base/md5.h"

static int add_names(const char *text, uint64_t n, bool copy, uint64_t offset, const char *where,
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
        return name_chunk_short(error, where, c, n);
    while (cursor_left(&blob)) {
        const uint8_t *text = NULL;
        uint64_t size = 0, at = cursor_offset(&blob);
        bool in_file = true;
        int code = name_chunk_read(&blob, budget, where, &out->text, &text, &size, &in_file, error);
        if (code == APF_OK)
            code = add_names((const char *)text, size, in_file, at, where, out, error);
        if (code != APF_OK)
            return code;
        name_chunk_pass_padding(&blob);
    }
    return APF_OK;
}

/* ---- damaged names ---- */

/* The arguments of name_blob_salvage. */
struct name_search {
    bool (*wanted)(const void *user, uint64_t id);
    const void *user;
    struct symbols *out;
    struct name_salvage *found;
};

/* Adds the wanted names of a text. The piece after the last separator may be a name that was cut off, or a whole one:
 * its id decides. */
static int salvage_names(struct name_search *s, const char *text, size_t n, struct apf_error *error)
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

/* Inflates a chunk, of which the file has `left` bytes, as far as possible. */
static int salvage_packed(struct name_search *s, const uint8_t *stream, size_t left, uint64_t size,
                          struct apf_error *error)
{
    size_t got = 0;
    bool whole = false;
    uint8_t *text = malloc(size ? size : 1);
    int code = text ? deflate_expand_part(stream, left, text, size, &got, &whole) : APF_NO_MEMORY;
    if (code == APF_OK) {
        s->found->broken = s->found->broken || (!whole && !s->found->cut);
        code = salvage_names(s, (const char *)text, got, error);
    } else {
        code = error_memory(error);
    }
    free(text);
    return code;
}

/* Reads one chunk. `is_cut`: the blob continues after the end of the cursor. */
static int salvage_chunk(struct name_search *s, struct cursor *c, uint64_t *budget, bool is_cut,
                         struct apf_error *error)
{
    struct name_salvage *found = s->found;
    uint64_t size = cursor_uleb128(c);
    uint64_t packed = cursor_uleb128(c);
    uint64_t n = packed ? packed : size, left = cursor_left(c);
    bool possible = size && size / DEFLATE_MAX_RATIO <= packed && size <= *budget;
    if (c->failed || (packed && !possible) || (!packed && !size) || (n > left && !is_cut)) {
        /* A number that runs up to the end of a cut blob is cut, not broken. */
        *(c->failed && is_cut && left < ULEB128_MAX ? &found->cut : &found->broken) = true;
        return APF_OK;
    }
    found->cut = n > left;
    if (found->cut)
        n = left;
    const uint8_t *p = cursor_bytes(c, n);
    if (!packed)
        return salvage_names(s, (const char *)p, n, error);
    *budget -= size;
    return salvage_packed(s, p, n, size, error);
}

int name_blob_salvage(struct cursor *c, uint64_t n, uint64_t budget,
                      bool (*wanted)(const void *user, uint64_t id), const void *user, struct symbols *out,
                      struct name_salvage *found, struct apf_error *error)
{
    struct name_search s = {wanted, user, out, found};
    bool is_cut = n > cursor_left(c);
    struct cursor blob = cursor_sub(c, is_cut ? cursor_left(c) : n);
    int code = APF_OK;
    while (code == APF_OK && !found->cut && !found->broken && cursor_left(&blob)) {
        code = salvage_chunk(&s, &blob, &budget, is_cut, error);
        name_chunk_pass_padding(&blob);
    }
    found->cut = found->cut || is_cut;
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
        code = error_memory(error); /* `room` fits any result, so nothing else can fail */
    if (code == APF_OK) {
        size_t head = uleb128_store(blob, size);
        head += uleb128_store(blob + head, compress ? room : 0);
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

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/name_chunks.h"

#include "base/deflate.h"
#include "base/error.h"
#include "base/vec.h"

int name_chunk_short(struct apf_error *error, const char *where, const struct cursor *c, uint64_t size)
{
    struct error_at at = {where, cursor_offset(c), size, cursor_left(c)};
    return error_bound(error, APF_MALFORMED, at, "names run past the end of their section");
}

int name_chunk_read(struct cursor *c, uint64_t *budget, const char *where, struct arena *arena,
                    const uint8_t **text, uint64_t *n, bool *in_file, struct apf_error *error)
{
    struct cursor start = *c;
    uint64_t size = cursor_uleb128(c);
    uint64_t packed = cursor_uleb128(c);
    if (c->failed)
        return name_chunk_short(error, where, &start, 0);
    *n = size;
    *in_file = packed == 0;
    if (packed == 0) {
        *text = cursor_bytes(c, size);
        return *text ? APF_OK : name_chunk_short(error, where, c, size);
    }
    const uint8_t *stream = cursor_bytes(c, packed);
    if (!stream)
        return name_chunk_short(error, where, c, packed);
    struct error_at at = {where, cursor_offset(&start), size, packed};
    if (size / DEFLATE_MAX_RATIO > packed)
        return error_at(error, APF_UNCOMPRESS_FAILED, at, "impossible inflated size");
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

int name_chunks_strings(struct cursor *c, uint64_t n, uint64_t *budget, const char *where,
                        struct arena *arena, struct name_list *list, struct apf_error *error)
{
    struct cursor blob = cursor_sub(c, n);
    if (blob.failed)
        return name_chunk_short(error, where, c, n);
    while (cursor_left(&blob)) {
        const uint8_t *text = NULL;
        uint64_t size = 0;
        bool in_file = true;
        int code = name_chunk_read(&blob, budget, where, arena, &text, &size, &in_file, error);
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
        name_chunk_pass_padding(&blob);
    }
    return APF_OK;
}

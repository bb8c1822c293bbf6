/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Frames and call stacks of MemProf sections. */
#include <stdlib.h>

#include "base/error.h"
#include "instr/memprof_read.h"

#define WORD_BYTES 4u
#define NO_ENTRY HASH_INDEX_NONE

static const char frames_path[] = "indexed.memprof.frames", stacks_path[] = "indexed.memprof.call_stacks";

/* Stacks share what they have in common, which a few bytes can repeat many times. */
static int charge(struct memprof_reader *r, uint64_t depth, uint64_t at, struct apf_error *error)
{
    struct error_at place = {stacks_path, at, depth, r->budget / 8};
    if (depth > r->budget / 8)
        return error_at(error, APF_LIMIT, place,
                        "stacks are longer than the limit for what data may unpack to");
    r->budget -= 8 * depth;
    return APF_OK;
}

static uint32_t keep_frame(struct memprof_reader *r, const uint8_t *p)
{
    struct apf_memprof_frame f = {load64le(p), load32le(p + 8), load32le(p + 12), p[16] != 0, 0};
    return memprof_frame_number(r->m, &f);
}

/* ---- ids ---- */

static uint32_t find_id(const struct hash_index *index, const uint64_t *ids, uint64_t id)
{
    if (!index->n)
        return NO_ENTRY;
    uint64_t hash = hash_index_mix(index, id, 0);
    size_t pos = hash_index_first(index, hash);
    uint32_t e;
    while ((e = hash_index_next(index, hash, &pos)) != HASH_INDEX_NONE && ids[e] != id)
        continue;
    return e;
}

/* The next number of an id; it must be new. */
static int add_id(struct hash_index *index, const uint64_t *ids, size_t n, uint64_t id, uint64_t at,
                  const char *where, struct apf_error *error)
{
    if (n >= MEMPROF_MOST || !hash_index_reserve(index, 1))
        return error_memory(error);
    if (find_id(index, ids, id) != NO_ENTRY)
        return memprof_bad(error, where, at, id, 0, "an id a second time");
    hash_index_add(index, hash_index_mix(index, id, 0), (uint32_t)n);
    return APF_OK;
}

/* ---- versions 0 to 2 ---- */

static int frame_item(struct memprof_reader *r, uint64_t key, uint64_t at, struct cursor *data,
                      struct apf_error *error)
{
    const uint8_t *p = cursor_bytes(data, MEMPROF_FRAME_BYTES);
    if (!p)
        return memprof_bad(error, frames_path, cursor_offset(data), cursor_left(data), MEMPROF_FRAME_BYTES,
                           "frame is cut off");
    int code = add_id(&r->by_frame_id, r->frame_ids.data, r->frame_ids.n, key, at, frames_path, error);
    if (code != APF_OK)
        return code;
    uint32_t number = keep_frame(r, p);
    if (!VEC_PUSH(&r->frame_ids, key) || !VEC_PUSH(&r->frames, number))
        return error_memory(error);
    return memprof_check(r->m, frames_path, at, error);
}

int memprof_read_frame_table(struct memprof_reader *r, uint64_t payload, uint64_t table,
                             struct apf_error *error)
{
    struct memprof_table t = {frames_path, payload, table, false, frame_item};
    return memprof_read_table(r, &t, error);
}

/* The n ids of frames at p, the innermost first. */
static int build_stack(struct memprof_reader *r, const uint8_t *p, uint64_t n, uint64_t at, uint32_t *stack,
                       struct apf_error *error)
{
    uint32_t node = 0;
    int code = charge(r, n, at, error);
    for (uint64_t i = n; code == APF_OK && i-- > 0;) {
        uint64_t id = load64le(p + 8 * i);
        uint32_t e = find_id(&r->by_frame_id, r->frame_ids.data, id);
        if (e == NO_ENTRY) {
            struct error_at place = {frames_path, at + 8 * i, id, 0};
            return error_at(error, APF_HASH_MISMATCH, place, "memprof frame not found for frame id %llu",
                            (unsigned long long)id);
        }
        node = memprof_node_number(r->m, node, r->frames.data[e]);
    }
    *stack = node;
    return code == APF_OK ? memprof_check(r->m, stacks_path, at, error) : code;
}

int memprof_read_stack(struct memprof_reader *r, struct cursor *c, uint32_t *stack, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), n = cursor_u64(c), left = cursor_left(c) / 8;
    const uint8_t *p = cursor_array(c, n, 8);
    if (!p)
        return memprof_bad(error, stacks_path, at, n, left, "more frames than fit in the record");
    return build_stack(r, p, n, at + 8, stack, error);
}

static int stack_item(struct memprof_reader *r, uint64_t key, uint64_t at, struct cursor *data,
                      struct apf_error *error)
{
    uint64_t from = cursor_offset(data), n = cursor_left(data) / 8;
    uint32_t stack = 0;
    const uint8_t *p = cursor_array(data, n, 8);
    int code = add_id(&r->by_stack_id, r->stack_ids.data, r->stack_ids.n, key, at, stacks_path, error);
    if (code == APF_OK)
        code = build_stack(r, p, n, from, &stack, error);
    if (code == APF_OK && (!VEC_PUSH(&r->stack_ids, key) || !VEC_PUSH(&r->stacks, stack)))
        return error_memory(error);
    return code;
}

int memprof_read_stack_table(struct memprof_reader *r, uint64_t payload, uint64_t table,
                             struct apf_error *error)
{
    struct memprof_table t = {stacks_path, payload, table, true, stack_item};
    return memprof_read_table(r, &t, error);
}

/* ---- versions 3 and 4 ---- */

int memprof_read_arrays(struct memprof_reader *r, uint64_t frames, uint64_t words, uint64_t records,
                        struct apf_error *error)
{
    if (words < frames || words > r->n || (words - frames) % MEMPROF_FRAME_BYTES)
        return memprof_bad(error, frames_path, frames, words, r->n,
                           "frames do not fill the space up to the call stacks");
    if (records < words || records > r->n || (records - words) % WORD_BYTES)
        return memprof_bad(error, stacks_path, words, records, r->n,
                           "call stacks do not fill the space up to the records");
    uint64_t n = (words - frames) / MEMPROF_FRAME_BYTES;
    if (!VEC_RESERVE(&r->frames, n))
        return error_memory(error);
    for (uint64_t i = 0; i < n; i++)
        r->frames.data[r->frames.n++] = keep_frame(r, r->data + frames + MEMPROF_FRAME_BYTES * i);
    r->words = r->data + words;
    r->words_at = words;
    r->n_words = (records - words) / WORD_BYTES;
    r->word_nodes = calloc(r->n_words + 1, sizeof *r->word_nodes);
    return r->word_nodes ? memprof_check(r->m, frames_path, frames, error) : error_memory(error);
}

static uint32_t word(const struct memprof_reader *r, uint64_t i)
{
    return load32le(r->words + WORD_BYTES * i);
}

static int bad_word(const struct memprof_reader *r, uint64_t i, uint64_t found, uint64_t expected,
                    const char *detail, struct apf_error *error)
{
    return memprof_bad(error, stacks_path, r->words_at + WORD_BYTES * i, found, expected, detail);
}

/* Walks the n words of a stack from word i on, outwards, until one whose node is known, or the end: that node, and the
 * words in front of it in r->path. Each word is walked once in the life of the reader, and so is at one depth only. */
static int walk_words(struct memprof_reader *r, uint64_t i, uint32_t n, uint32_t *known,
                      struct apf_error *error)
{
    *known = 0;
    r->path.n = 0;
    for (uint32_t left = n; left > 0; left--, i++) {
        if (i < r->n_words && word(r, i) >> 31)
            i += (uint32_t)-word(r, i); /* to what it has in common with another one */
        if (i >= r->n_words)
            return bad_word(r, r->n_words, left, 0, "a call stack runs past the end", error);
        if (word(r, i) >= r->frames.n)
            return bad_word(r, i, word(r, i), r->frames.n, "number of a frame that is not there", error);
        *known = r->word_nodes[i];
        if (*known && r->m->nodes.data[*known].depth != left)
            return bad_word(r, i, left, r->m->nodes.data[*known].depth, "call stacks contradict each other",
                            error);
        if (*known)
            break;
        if (!VEC_PUSH(&r->path, i))
            return error_memory(error);
    }
    return APF_OK;
}

static int find_words(struct memprof_reader *r, uint64_t id, uint64_t at, uint32_t *stack,
                      struct apf_error *error)
{
    uint32_t node = 0;
    if (id >= r->n_words)
        return memprof_bad(error, "indexed.memprof.record.call_stack", at, id, r->n_words,
                           "number of a call stack that is not there");
    uint32_t n = word(r, id);
    if (n > r->n_words)
        return bad_word(r, id, n, r->n_words, "a call stack is longer than all of them", error);
    int code = charge(r, n, r->words_at + WORD_BYTES * id, error);
    if (code == APF_OK)
        code = walk_words(r, id + 1, n, &node, error);
    if (code != APF_OK)
        return code;
    while (r->path.n) {
        uint64_t i = r->path.data[--r->path.n];
        node = memprof_node_number(r->m, node, r->frames.data[word(r, i)]);
        r->word_nodes[i] = node;
    }
    *stack = node;
    return memprof_check(r->m, stacks_path, at, error);
}

int memprof_find_stack(struct memprof_reader *r, uint64_t id, uint64_t at, uint32_t *stack,
                       struct apf_error *error)
{
    if (r->words)
        return find_words(r, id, at, stack, error);
    uint32_t e = find_id(&r->by_stack_id, r->stack_ids.data, id);
    if (e == NO_ENTRY) {
        struct error_at place = {stacks_path, at, id, 0};
        return error_at(error, APF_HASH_MISMATCH, place,
                        "memprof call stack not found for call stack id %llu", (unsigned long long)id);
    }
    *stack = r->stacks.data[e];
    return charge(r, r->m->nodes.data[*stack].depth, at, error);
}

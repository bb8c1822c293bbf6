/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/memprof/memprof_stacks.h"

#include <stdlib.h>

#include "instr/model/disk_table.h"

#define WORD_BYTES 4u

static const char frames_path[] = "indexed.memprof.frames", stacks_path[] = "indexed.memprof.call_stacks";

/* ---- tables ---- */

static int read_item(struct memprof_reader *r, const struct memprof_table *t, const struct disk_item *item,
                     struct apf_error *error)
{
    if (item->n_key != sizeof(uint64_t))
        return error_out_of_bounds(error, APF_MALFORMED, t->where, item->at + 8, item->n_key,
                                   sizeof(uint64_t), "key does not have 8 bytes");
    uint64_t key = load64le(r->data + item->key);
    if (key != item->hash)
        return error_out_of_bounds(error, APF_MALFORMED, t->where, item->at, item->hash, key,
                                   "hash of a key differs from the key");
    struct cursor data = cursor_make_at(r->data + item->data, item->n_data, item->data, HOST_BIG_ENDIAN);
    int code = t->item(r, key, item->at, &data, error);
    if (code == APF_OK && cursor_left(&data))
        return error_out_of_bounds(error, APF_MALFORMED, t->where, cursor_offset(&data), cursor_left(&data),
                                   0, "data of an item are longer than their content");
    return code;
}

int memprof_read_table(struct memprof_reader *r, const struct memprof_table *t, struct apf_error *error)
{
    struct disk_table_kind kind = {t->where, r->start, t->where, t->where,      t->where,
                                   t->where, t->where, t->where, APF_MALFORMED, t->fixed_keys};
    struct file_pages bytes = file_pages_of(r->data, r->n);
    struct disk_table table = {.kind = &kind, .pages = &bytes, .payload = t->payload, .end = t->buckets};
    int code = disk_table_open(&table, error);
    if (code == APF_OK)
        code = disk_table_check_items(&table, error);
    if (code != APF_OK)
        return code;
    struct disk_walk walk = disk_walk_from(&table, t->payload);
    for (uint64_t i = 0; code == APF_OK && i < table.n_items; i++) {
        struct disk_item item;
        code = disk_walk_next(&walk, &item, error);
        if (code == APF_OK)
            code = read_item(r, t, &item, error);
    }
    return code;
}

/* ---- frames and stacks ---- */

/* Subtracts the frames of a stack from the budget: since stacks share frames, a small file can hold very many. */
static int charge_stack(struct memprof_reader *r, uint64_t depth, uint64_t at, struct apf_error *error)
{
    struct error_at place = {stacks_path, at, depth, r->budget / 8};
    if (depth > r->budget / 8)
        return error_at(error, APF_LIMIT, place, "call stacks are longer than the limit for unpacked data");
    r->budget -= 8 * depth;
    return APF_OK;
}

static uint32_t parse_frame(struct memprof_reader *r, const uint8_t *p)
{
    struct apf_memprof_frame f = {load64le(p), load32le(p + 8), load32le(p + 12), p[16] != 0, 0};
    return memprof_frame_number(r->m, &f);
}

/* ---- ids ---- */

static uint32_t find_id(const struct hash_index *index, const uint64_t *ids, uint64_t id)
{
    uint32_t e;
    HASH_INDEX_FIND(e, index, hash_index_mix(index, id, 0), ids[e] == id);
    return e;
}

/* Adds the id that is about to become ids[n] to its index. */
static int add_id(struct hash_index *index, const uint64_t *ids, size_t n, uint64_t id, uint64_t at,
                  const char *where, struct apf_error *error)
{
    if (!hash_index_reserve(index, 1))
        return hash_index_error(index, error);
    if (find_id(index, ids, id) != HASH_INDEX_NONE)
        return error_out_of_bounds(error, APF_MALFORMED, where, at, id, 0, "repeated id");
    hash_index_add(index, hash_index_mix(index, id, 0), (uint32_t)n);
    return APF_OK;
}

/* ---- versions 0 to 2 ---- */

static int read_frame_item(struct memprof_reader *r, uint64_t key, uint64_t at, struct cursor *data,
                           struct apf_error *error)
{
    const uint8_t *p = cursor_bytes(data, MEMPROF_FRAME_BYTES);
    if (!p)
        return error_out_of_bounds(error, APF_MALFORMED, frames_path, cursor_offset(data), cursor_left(data),
                                   MEMPROF_FRAME_BYTES, "frame is cut off");
    int code = add_id(&r->by_frame_id, r->frame_ids.data, r->frame_ids.n, key, at, frames_path, error);
    if (code != APF_OK)
        return code;
    uint32_t number = parse_frame(r, p);
    if (!VEC_PUSH(&r->frame_ids, key) || !VEC_PUSH(&r->frames, number))
        return error_memory(error);
    return memprof_check(r->m, frames_path, at, error);
}

int memprof_read_frame_table(struct memprof_reader *r, uint64_t payload, uint64_t table,
                             struct apf_error *error)
{
    struct memprof_table t = {frames_path, payload, table, false, read_frame_item};
    return memprof_read_table(r, &t, error);
}

/* Makes the stack of the n frame ids at p, the innermost first. */
static int make_stack(struct memprof_reader *r, const uint8_t *p, uint64_t n, uint64_t at, uint32_t *stack,
                      struct apf_error *error)
{
    uint32_t node = 0;
    int code = charge_stack(r, n, at, error);
    for (uint64_t i = n; code == APF_OK && i-- > 0;) {
        uint64_t id = load64le(p + 8 * i);
        uint32_t e = find_id(&r->by_frame_id, r->frame_ids.data, id);
        if (e == HASH_INDEX_NONE) {
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
        return error_out_of_bounds(error, APF_MALFORMED, stacks_path, at, n, left,
                                   "more frames than fit in the record");
    return make_stack(r, p, n, at + 8, stack, error);
}

static int read_stack_item(struct memprof_reader *r, uint64_t key, uint64_t at, struct cursor *data,
                           struct apf_error *error)
{
    uint64_t from = cursor_offset(data), n = cursor_left(data) / 8;
    uint32_t stack = 0;
    const uint8_t *p = cursor_array(data, n, 8);
    int code = add_id(&r->by_stack_id, r->stack_ids.data, r->stack_ids.n, key, at, stacks_path, error);
    if (code == APF_OK)
        code = make_stack(r, p, n, from, &stack, error);
    if (code == APF_OK && (!VEC_PUSH(&r->stack_ids, key) || !VEC_PUSH(&r->stacks, stack)))
        return error_memory(error);
    return code;
}

int memprof_read_stack_table(struct memprof_reader *r, uint64_t payload, uint64_t table,
                             struct apf_error *error)
{
    struct memprof_table t = {stacks_path, payload, table, true, read_stack_item};
    return memprof_read_table(r, &t, error);
}

/* ---- versions 3 and 4 ---- */

int memprof_read_arrays(struct memprof_reader *r, uint64_t frames, uint64_t words, uint64_t records,
                        struct apf_error *error)
{
    if (words < frames || words > r->n || (words - frames) % MEMPROF_FRAME_BYTES)
        return error_out_of_bounds(error, APF_MALFORMED, frames_path, frames, words, r->n,
                                   "frames do not fill the space up to the call stacks");
    if (records < words || records > r->n || (records - words) % WORD_BYTES)
        return error_out_of_bounds(error, APF_MALFORMED, stacks_path, words, records, r->n,
                                   "call stacks do not fill the space up to the records");
    uint64_t n = (words - frames) / MEMPROF_FRAME_BYTES;
    if (!VEC_RESERVE(&r->frames, n))
        return error_memory(error);
    for (uint64_t i = 0; i < n; i++)
        r->frames.data[r->frames.n++] = parse_frame(r, r->data + frames + MEMPROF_FRAME_BYTES * i);
    r->words = r->data + words;
    r->words_at = words;
    r->n_words = (records - words) / WORD_BYTES;
    r->word_nodes = calloc(r->n_words + 1, sizeof *r->word_nodes);
    return r->word_nodes ? memprof_check(r->m, frames_path, frames, error) : error_memory(error);
}

static uint32_t read_word(const struct memprof_reader *r, uint64_t i)
{
    return load32le(r->words + WORD_BYTES * i);
}

static int report_word(const struct memprof_reader *r, uint64_t i, uint64_t found, uint64_t expected,
                       const char *detail, struct apf_error *error)
{
    return error_out_of_bounds(error, APF_MALFORMED, stacks_path, r->words_at + WORD_BYTES * i, found,
                               expected, detail);
}

/* Walks outwards over the n words of a stack from word i on, up to a word whose node is known, or to the end. *known is
 * that node or 0, and r->path lists the words before it. Each word is walked once in the life of the reader, since it
 * then has a node. */
static int walk_words(struct memprof_reader *r, uint64_t i, uint32_t n, uint32_t *known,
                      struct apf_error *error)
{
    *known = 0;
    r->path.n = 0;
    for (uint32_t left = n; left > 0; left--, i++) {
        if (i < r->n_words && read_word(r, i) >> 31)
            i += (uint32_t)-read_word(r, i); /* the distance to the frames shared with another stack */
        if (i >= r->n_words)
            return report_word(r, r->n_words, left, 0, "a call stack runs past the end", error);
        if (read_word(r, i) >= r->frames.n)
            return report_word(r, i, read_word(r, i), r->frames.n, "number of an unknown frame", error);
        *known = r->word_nodes[i];
        if (*known && r->m->nodes.data[*known].depth != left)
            return report_word(r, i, left, r->m->nodes.data[*known].depth,
                               "call stacks contradict each other", error);
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
        return error_out_of_bounds(error, APF_MALFORMED, "indexed.memprof.record.call_stack", at, id,
                                   r->n_words, "number of an unknown call stack");
    uint32_t n = read_word(r, id);
    if (n > r->n_words)
        return report_word(r, id, n, r->n_words, "a call stack is longer than the array", error);
    int code = charge_stack(r, n, r->words_at + WORD_BYTES * id, error);
    if (code == APF_OK)
        code = walk_words(r, id + 1, n, &node, error);
    if (code != APF_OK)
        return code;
    while (r->path.n) {
        uint64_t i = r->path.data[--r->path.n];
        node = memprof_node_number(r->m, node, r->frames.data[read_word(r, i)]);
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
    if (e == HASH_INDEX_NONE) {
        struct error_at place = {stacks_path, at, id, 0};
        return error_at(error, APF_HASH_MISMATCH, place,
                        "memprof call stack not found for call stack id %llu", (unsigned long long)id);
    }
    *stack = r->stacks.data[e];
    return charge_stack(r, r->m->nodes.data[*stack].depth, at, error);
}

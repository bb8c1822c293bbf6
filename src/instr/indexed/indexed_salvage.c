/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the intact parts of a damaged indexed file: items of the hash table, each proven by the hash of its name, and
 * the sections after the table.
 *
 * Items follow each other from the end of the summaries. The end of a damaged item is unknown, but the array of buckets
 * says where others begin; the hashes of their names prove that it is right. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "instr/indexed/indexed_format.h"
#include "instr/indexed/indexed_reader.h"

/* The limit on reading items in vain, at wrong offsets of buckets: together they may have this many times the file's
 * size. */
#define LOOK_FACTOR 16u

struct walk {
    struct indexed_reader reader;
    struct apf_salvage *salvage;
    uint64_t array;     /* offset of the buckets by the header */
    uint64_t limit;     /* items end before this offset */
    uint64_t begin;     /* offset after the summaries; 0: unknown */
    uint64_t end;       /* offset after the last item that was read */
    uint64_t n_kept;    /* items */
    uint64_t n_items;   /* number of items that the table had */
    bool items_known;   /* n_items is known */
    uint64_t look_left; /* bytes of items that may still be read */
    struct hash_index names;
    size_t records_before, names_before; /* state before the last kept item */
    uint64_t last_end;
};

/* ---- items ---- */

static bool has_name(const struct walk *w, uint64_t id)
{
    const struct symbol *list = w->reader.instr->symbols->list.data;
    uint64_t hash = hash_index_mix(&w->names, id, 0);
    uint32_t e;
    HASH_INDEX_FIND(e, &w->names, hash, list[e].id == id);
    return e != HASH_INDEX_NONE;
}

/* Keeps an item if it is intact; a repeated name counts once. */
static int salvage_item(struct walk *w, const struct disk_item *item, struct apf_error *error)
{
    struct apf_instr *instr = w->reader.instr;
    size_t records = instr->records.n, names = instr->symbols->list.n;
    struct arena_mark arrays = arena_mark(&instr->arena), text = arena_mark(&instr->symbols->text);
    uint64_t size = item->n_key + item->n_data;
    if (!hash_index_reserve(&w->names, 1))
        return error_memory(error);
    if (size > w->look_left)
        return error_plain(error, APF_MALFORMED, "indexed.table", NULL);
    w->look_left -= size;
    int code = indexed_read_item(&w->reader, item, error);
    bool twice = code == APF_OK && has_name(w, instr->symbols->list.data[names].id);
    if (code != APF_OK || twice) {
        instr->records.n = records;
        instr->symbols->list.n = names;
        arena_rewind(&instr->arena, arrays);
        arena_rewind(&instr->symbols->text, text);
        return code;
    }
    uint64_t id = instr->symbols->list.data[names].id;
    hash_index_add(&w->names, hash_index_mix(&w->names, id, 0), (uint32_t)names);
    w->records_before = records;
    w->names_before = names;
    w->n_kept++;
    w->end = w->last_end = item->data + item->n_data;
    return APF_OK;
}

/* Drops the last kept item if a hole may have cut it: zeros where an item should begin may be a hole that the file
 * system left, and it may begin with zeros at the end of the item before. */
static void drop_before_hole(struct walk *w, uint64_t at)
{
    struct apf_instr *instr = w->reader.instr;
    const uint8_t *data = w->reader.data;
    uint64_t end = at;
    if (align8(at) == w->array) /* the padding of the table */
        return;
    for (unsigned i = 0; i < DISK_ITEM_HEAD; i++)
        if (at + i >= w->reader.n || data[at + i])
            return;
    while (end > w->begin && data[end - 1] == 0)
        end--;
    if (!w->n_kept || end >= w->last_end)
        return;
    instr->records.n = w->records_before;
    instr->symbols->list.n = w->names_before; /* the index keeps the name, so that no other item gets it */
    w->last_end = 0;
    w->n_kept--;
}

/* Keeps items from offset `from` on, bucket by bucket, up to the first damaged one. */
static int salvage_items(struct walk *w, uint64_t from, struct apf_error *error)
{
    struct file_pages bytes = file_pages_of(w->reader.data, w->reader.n);
    struct disk_table table = {
        .kind = &indexed_functions, .pages = &bytes, .payload = w->begin, .end = w->limit};
    struct disk_walk walk = disk_walk_from(&table, from);
    struct disk_item item;
    int code = APF_OK;
    uint64_t at = from; /* offset of the damage */
    while (code == APF_OK) {
        code = disk_walk_next(&walk, &item, error);
        at = walk.at;
        if (code == APF_OK && (code = salvage_item(w, &item, error)) != APF_OK)
            at = item.at;
    }
    if (code == APF_NO_MEMORY || code == APF_LIMIT)
        return code;
    bool between = walk.left == 0 && at == walk.at; /* the next bucket is missing */
    if (between && from == w->begin && align8(at) == w->array && !w->items_known) {
        w->items_known = true;
        w->n_items = w->n_kept;
    }
    drop_before_hole(w, at);
    w->end = at > w->end ? at : w->end;
    return APF_OK;
}

/* ---- where items begin ---- */

struct places {
    VEC(uint64_t) list;
};

/* Lists the offsets of buckets that are in the file. */
static bool find_places(struct walk *w, struct places *places)
{
    const struct indexed_reader *r = &w->reader;
    uint64_t header = r->version->header_size;
    struct cursor c = cursor_make(r->data, r->n, HOST_BIG_ENDIAN);
    cursor_skip(&c, w->array);
    uint64_t buckets = cursor_u64(&c), items = cursor_u64(&c);
    bool ok = !w->begin || VEC_PUSH(&places->list, w->begin);
    if (c.failed || w->array < header || !buckets || buckets & (buckets - 1) ||
        items > (w->array - header) / DISK_ITEM_HEAD)
        return ok;
    w->n_items = items;
    w->items_known = true;
    for (uint64_t i = 0; ok && i < buckets && cursor_left(&c) >= 8; i++) {
        uint64_t at = cursor_u64(&c);
        if (at >= header && at < w->limit)
            ok = VEC_PUSH(&places->list, at);
    }
    size_t n = places->list.n;
    ok = ok && VEC_RESERVE(&places->list, n);
    if (ok && n)
        sort_numbers(places->list.data, places->list.data + n, n);
    return ok;
}

static int salvage_table(struct walk *w, struct apf_error *error)
{
    struct places places = {0};
    int code = find_places(w, &places) ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < places.list.n; i++)
        if (places.list.data[i] >= w->end)
            code = salvage_items(w, places.list.data[i], error);
    VEC_FREE(&places.list);
    hash_index_free(&w->names);
    w->salvage->lost_known = w->items_known && w->n_items >= w->n_kept;
    w->salvage->lost_functions = w->salvage->lost_known ? w->n_items - w->n_kept : 0;
    return code;
}

/* ---- sections after the table ---- */

static int salvage_sections(struct indexed_reader *r, struct apf_salvage *s, struct apf_error *error)
{
    static const struct {
        int (*read)(struct indexed_reader *r, struct apf_error *error);
        uint32_t lost;
    } sections[] = {{indexed_read_ids, APF_LOST_BINARY_IDS},
                    {indexed_read_vtable_names, APF_LOST_VTABLE_NAMES},
                    {indexed_read_traces, APF_LOST_TRACES},
                    {indexed_read_memprof, APF_LOST_MEMPROF}};
    struct apf_instr_info *info = &r->instr->info;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        int code = sections[i].read(r, error);
        if (code == APF_NO_MEMORY)
            return code;
        s->lost_sections |= code != APF_OK ? sections[i].lost : 0;
    }
    if (s->lost_sections & APF_LOST_BINARY_IDS)
        info->n_binary_ids = 0;
    if (s->lost_sections & APF_LOST_VTABLE_NAMES)
        symbols_free(r->instr->vtables);
    if (s->lost_sections & APF_LOST_TRACES)
        info->n_traces = info->trace_stream_size = 0;
    if (s->lost_sections & APF_LOST_MEMPROF)
        info->variant &= ~APF_VARIANT_MEMPROF;
    return APF_OK;
}

int indexed_salvage(struct apf_instr *instr, const uint8_t *data, size_t n,
                    const struct read_options *options, struct apf_salvage *salvage, struct apf_error *error)
{
    struct walk w = {.reader = {instr, options, data, n, NULL}, .salvage = salvage};
    if (indexed_read_header(&w.reader, NULL) != APF_OK)
        return APF_OK;
    w.array = load64le(data + INDEXED_HASH_OFFSET_AT);
    w.look_left = n > UINT64_MAX / LOOK_FACTOR ? UINT64_MAX : LOOK_FACTOR * (uint64_t)n;
    w.limit = w.array > w.reader.version->header_size && w.array < n ? w.array : n;
    if (indexed_skip_summaries(&w.reader, &w.begin, NULL) != APF_OK || w.begin >= w.limit)
        w.begin = 0;
    int code = salvage_table(&w, error);
    return code == APF_OK ? salvage_sections(&w.reader, salvage, error) : code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds functions in the hash table of an indexed profile, of which only the bucket of a name is read. */
#include <string.h>

#include "base/endian.h"
#include "base/error.h"
#include "base/search.h"
#include "instr/lookup/lookup_model.h"
#include "instr/model/name_blob.h"

#define DEEP_BUCKET 16u /* writers make longer ones only by chance */

static int read_word(struct lookup_indexed *t, uint64_t offset, uint64_t *word, const char *where,
                     struct apf_error *error)
{
    uint8_t bytes[8] = {0};
    int code = file_pages_read(&t->pages, offset, bytes, sizeof bytes, where, error);
    *word = load64le(bytes);
    return code;
}

/* ---- opening ---- */

/* Moves *at after a summary. */
static int skip_summary(struct lookup_indexed *t, uint64_t *at, struct apf_error *error)
{
    uint64_t n_fields = 0, n_cutoffs = 0, size = 0;
    int code = read_word(t, *at, &n_fields, "indexed.summary", error);
    if (code == APF_OK)
        code = read_word(t, *at + 8, &n_cutoffs, "indexed.summary", error);
    if (code == APF_OK)
        code = indexed_measure_summary(&size, n_fields, n_cutoffs, *at, t->pages.size - *at, error);
    *at += size;
    return code;
}

int lookup_indexed_open(struct apf_lookup *l, struct apf_error *error)
{
    struct lookup_indexed *t = &l->indexed;
    uint8_t header[INDEXED_MOST_HEADER] = {0};
    size_t n = t->pages.size < sizeof header ? (size_t)t->pages.size : sizeof header;
    struct indexed_reader reader = {l->scratch, &l->options, header, n, NULL};
    int code = file_pages_read(&t->pages, 0, header, n, "indexed.header", error);
    if (code == APF_OK)
        code = indexed_read_header(&reader, error);
    if (code != APF_OK)
        return code;
    t->version = reader.version;
    const struct apf_instr_info *info = &l->scratch->info;
    l->info.format = info->format;
    l->info.version = info->version;
    l->info.variant = info->variant;
    t->table.kind = &indexed_functions;
    t->table.pages = &t->pages;
    t->table.payload = t->version->header_size;
    t->table.end = load64le(header + INDEXED_HASH_OFFSET_AT);
    if (t->version->caps & INDEXED_CAP_VTABLES)
        t->vtables_at = load64le(header + INDEXED_VTABLES_AT);
    t->walks = t->pages.size / DISK_ITEM_HEAD;
    l->names_left = t->table.end;
    if (t->version->caps & INDEXED_CAP_SUMMARY)
        code = skip_summary(t, &t->table.payload, error);
    if (code == APF_OK && t->version->caps & INDEXED_CAP_SUMMARY && info->variant & APF_VARIANT_CS)
        code = skip_summary(t, &t->table.payload, error);
    if (code == APF_OK)
        code = disk_table_open(&t->table, error);
    l->info.n_names = t->table.n_items;
    return code;
}

void lookup_indexed_close(struct lookup_indexed *t)
{
    file_pages_close(&t->pages);
    VEC_FREE(&t->buffer);
    VEC_FREE(&t->listed);
}

/* ---- looking up ---- */

/* Reads bytes of the file into the buffer. */
static int read_bytes(struct lookup_indexed *t, uint64_t offset, uint64_t n, const char *where,
                      struct apf_error *error)
{
    t->buffer.n = 0;
    if (n > t->pages.size)
        return error_mismatch(error, APF_TRUNCATED, where, offset, n, t->pages.size, "it does not fit");
    if (!VEC_RESERVE(&t->buffer, (size_t)n))
        return error_memory(error);
    return file_pages_read(&t->pages, offset, t->buffer.data, (size_t)n, where, error);
}

/* A cursor over n bytes of the buffer, which were read from an offset of the file. */
static struct cursor cursor_at(const struct lookup_indexed *t, uint64_t n, uint64_t offset)
{
    return cursor_make_at(t->buffer.data, (size_t)n, offset, HOST_BIG_ENDIAN);
}

static int same_key(struct lookup_indexed *t, const struct disk_item *item, const struct apf_str *name,
                    bool *same, struct apf_error *error)
{
    *same = !name || item->n_key == name->n;
    if (!name || !*same || name->n == 0)
        return APF_OK;
    int code = read_bytes(t, item->key, item->n_key, "indexed.table.item", error);
    *same = code == APF_OK && memcmp(t->buffer.data, name->p, name->n) == 0;
    return code;
}

/* Searches one bucket. *gave_up: the walk was too long, and nothing is known. */
static int find_in_bucket(struct lookup_indexed *t, uint64_t at, uint64_t id, const struct apf_str *name,
                          struct disk_item *item, bool *found, bool *gave_up, struct apf_error *error)
{
    unsigned n;
    int code = disk_table_bucket(&t->table, at, &n, error);
    at += 2;
    for (unsigned i = 0; code == APF_OK && i < n && !*found; i++) {
        *gave_up = i >= DEEP_BUCKET && t->walks == 0;
        if (*gave_up)
            return APF_OK;
        t->walks -= i >= DEEP_BUCKET;
        code = disk_table_item(&t->table, at, item, error);
        if (code == APF_OK && item->hash == id)
            code = same_key(t, item, name, found, error);
        at = item->data + item->n_data;
    }
    return code;
}

static int find_in_buckets(struct lookup_indexed *t, uint64_t id, const struct apf_str *name,
                           struct disk_item *item, bool *found, bool *gave_up, struct apf_error *error)
{
    const struct disk_table *d = &t->table;
    uint64_t slot = disk_table_slot(d, id), at = 0;
    int code = read_word(t, slot, &at, "indexed.table.buckets", error);
    if (code == APF_OK && at && (at < d->payload || at > d->end || d->end - at < 2))
        return error_mismatch(error, APF_TRUNCATED, "indexed.table.buckets", slot, at,
                              at < d->payload ? d->payload : d->end - 2, "bucket lies outside the table");
    return code == APF_OK && at ? find_in_bucket(t, at, id, name, item, found, gave_up, error) : code;
}

/* Lists all items, one after the other, as the reader of whole files reads them. */
static int list_items(struct lookup_indexed *t, struct apf_error *error)
{
    struct disk_walk walk = disk_walk_from(&t->table, t->table.payload);
    int code = APF_OK;
    t->listed.n = 0; /* a list that an error cut short is dropped */
    for (uint64_t i = 0; code == APF_OK && i < t->table.n_items; i++) {
        struct disk_item item;
        code = disk_walk_next(&walk, &item, error);
        struct sort_key key = {item.hash, item.at};
        if (code == APF_OK && !VEC_PUSH(&t->listed, key))
            code = error_memory(error);
    }
    if (code != APF_OK)
        return code;
    if (!VEC_RESERVE(&t->listed, t->listed.n))
        return error_memory(error);
    sort_keys(t->listed.data, ENTRY_AT(t->listed.data, t->listed.n), t->listed.n);
    t->has_list = true;
    return APF_OK;
}

static int find_in_list(struct lookup_indexed *t, uint64_t id, const struct apf_str *name,
                        struct disk_item *item, bool *found, struct apf_error *error)
{
    const struct sort_key *list = t->listed.data;
    size_t i;
    int code = APF_OK;
    SEARCH(i, 0, t->listed.n, list[i].key < id);
    for (; code == APF_OK && i < t->listed.n && list[i].key == id && !*found; i++) {
        code = disk_table_item(&t->table, list[i].value, item, error);
        if (code == APF_OK)
            code = same_key(t, item, name, found, error);
    }
    return code;
}

int lookup_indexed_find(struct lookup_indexed *t, uint64_t id, const struct apf_str *name,
                        struct disk_item *item, bool *found, struct apf_error *error)
{
    bool gave_up = t->has_list;
    int code = APF_OK;
    *found = false;
    if (!gave_up)
        code = find_in_buckets(t, id, name, item, found, &gave_up, error);
    if (code != APF_OK || !gave_up)
        return code;
    if (!t->has_list)
        code = list_items(t, error);
    return code == APF_OK ? find_in_list(t, id, name, item, found, error) : code;
}

int lookup_indexed_records(struct apf_lookup *l, const struct disk_item *item, uint64_t id,
                           struct apf_error *error)
{
    struct lookup_indexed *t = &l->indexed;
    int code = read_bytes(t, item->data, item->n_data, "indexed.table.item", error);
    if (code != APF_OK)
        return code;
    struct cursor c = cursor_at(t, item->n_data, item->data);
    struct indexed_reader reader = {l->scratch, &l->options, NULL, 0, t->version};
    return indexed_read_records(&reader, &c, id, error);
}

int lookup_indexed_key(struct lookup_indexed *t, const struct disk_item *item, struct apf_str *name,
                       struct apf_error *error)
{
    int code = read_bytes(t, item->key, item->n_key, "indexed.table.item", error);
    name->p = (const char *)t->buffer.data;
    name->n = code == APF_OK ? (size_t)item->n_key : 0;
    return code;
}

int lookup_indexed_name(struct apf_lookup *l, const struct disk_item *item, struct apf_str *name,
                        struct apf_error *error)
{
    struct lookup_indexed *t = &l->indexed;
    if (item->n_key > l->names_left)
        return error_mismatch(error, APF_TRUNCATED, "indexed.table.item.key_size", item->key - 16,
                              item->n_key, l->names_left,
                              "names overlap: together they are larger than the file");
    int code = read_bytes(t, item->key, item->n_key, "indexed.table.item", error);
    if (code != APF_OK)
        return code;
    l->names_left -= item->n_key;
    char *copy = arena_text(&l->names, t->buffer.data, (size_t)item->n_key);
    if (!copy)
        return error_memory(error);
    name->p = copy;
    name->n = (size_t)item->n_key;
    return APF_OK;
}

/* Reads all names of vtables, which are few, when the first one is needed. */
static int read_vtables(struct apf_lookup *l, struct apf_error *error)
{
    struct lookup_indexed *t = &l->indexed;
    uint64_t size = 0, budget = profile_name_budget(&l->options, t->pages.size);
    t->has_vtables = true;
    if (t->vtables_at == 0)
        return APF_OK;
    if (t->vtables_at > t->pages.size || t->pages.size - t->vtables_at < 8)
        return error_mismatch(error, APF_TRUNCATED, "indexed.header.vtable_names_offset", INDEXED_VTABLES_AT,
                              t->vtables_at, t->pages.size - 8, "it lies outside the file");
    int code = read_word(t, t->vtables_at, &size, "indexed.header.vtable_names_offset", error);
    if (code == APF_OK)
        code = read_bytes(t, t->vtables_at + 8, size, "indexed.vtable_names.size", error);
    if (code != APF_OK || size == 0)
        return code;
    struct cursor c = cursor_at(t, size, t->vtables_at + 8);
    return name_blob_read(&c, size, &budget, "indexed.vtable_names", l->scratch->vtables, error);
}

int lookup_indexed_vtable(struct apf_lookup *l, uint64_t id, struct apf_str *name, struct apf_error *error)
{
    int code = l->indexed.has_vtables ? APF_OK : read_vtables(l, error);
    *name = symbols_name(l->scratch->vtables, id);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/disk_table.h"

#include "base/endian.h"
#include "base/error.h"

#define FIXED_KEY 8u

/* Whether n bytes from an offset on are in the payload. */
static bool is_inside(const struct disk_table *t, uint64_t at, uint64_t n)
{
    return at <= t->end && n <= t->end - at;
}

/* The largest power of two that is not above n, at least 1. */
static uint64_t round_to_power(uint64_t n)
{
    while (n & (n - 1))
        n &= n - 1;
    return n ? n : 1;
}

int disk_table_open(struct disk_table *t, struct apf_error *error)
{
    const struct disk_table_kind *kind = t->kind;
    uint64_t size = t->pages->size;
    uint8_t head[16] = {0};
    if (t->end < t->payload)
        return error_out_of_bounds(error, kind->cut, kind->place, kind->place_at, t->end, t->payload,
                                   "hash table lies outside the file");
    if (t->end > size || size - t->end < sizeof head) {
        struct error_at at = {kind->place, kind->place_at, t->end,
                              size < sizeof head ? 0 : size - sizeof head};
        return error_bound(
            error, kind->cut, at,
            "hash table lies outside the file, which has %llu bytes: it is cut off, unless this "
            "place is wrong",
            (unsigned long long)size);
    }
    int code = file_pages_read(t->pages, t->end, head, sizeof head, kind->num_buckets, error);
    if (code != APF_OK)
        return code;
    t->n_buckets = load64le(head);
    t->n_items = load64le(head + 8);
    if (!t->n_buckets || t->n_buckets & (t->n_buckets - 1)) {
        struct error_at at = {kind->num_buckets, t->end, t->n_buckets, round_to_power(t->n_buckets)};
        return error_at(error, APF_MALFORMED, at, "number of buckets is not a power of two");
    }
    uint64_t room = (size - t->end - sizeof head) / sizeof(uint64_t);
    if (t->n_buckets > room)
        return error_out_of_bounds(error, APF_MALFORMED, kind->num_buckets, t->end, t->n_buckets, room,
                                   "more buckets than fit in the file");
    return APF_OK;
}

int disk_table_check_items(const struct disk_table *t, struct apf_error *error)
{
    uint64_t most = (t->end - t->payload) / DISK_ITEM_HEAD;
    if (t->n_items > most)
        return error_out_of_bounds(error, t->kind->cut, t->kind->num_entries, t->end + 8, t->n_items, most,
                                   "more entries than fit in the table");
    return APF_OK;
}

int disk_table_bucket(const struct disk_table *t, uint64_t at, unsigned *n, struct apf_error *error)
{
    uint8_t count[2] = {0};
    *n = 0;
    if (!is_inside(t, at, sizeof count))
        return error_out_of_bounds(error, t->kind->cut, t->kind->bucket, at, at < t->end ? t->end - at : 0,
                                   sizeof count, "no room for another bucket");
    int code = file_pages_read(t->pages, at, count, sizeof count, t->kind->bucket, error);
    *n = load16le(count);
    return code;
}

int disk_table_item(const struct disk_table *t, uint64_t at, struct disk_item *item, struct apf_error *error)
{
    const struct disk_table_kind *kind = t->kind;
    const size_t n_head = kind->fixed_keys ? DISK_ITEM_HEAD - 8 : DISK_ITEM_HEAD;
    const struct disk_item none = {.at = at};
    uint8_t head[DISK_ITEM_HEAD] = {0};
    *item = none;
    if (!is_inside(t, at, n_head))
        return error_out_of_bounds(error, kind->cut, kind->item, at, at < t->end ? t->end - at : 0, n_head,
                                   "no room for another item");
    int code = file_pages_read(t->pages, at, head, n_head, kind->item, error);
    if (code != APF_OK)
        return code;
    item->hash = load64le(head);
    item->n_key = kind->fixed_keys ? FIXED_KEY : load64le(head + 8);
    item->n_data = load64le(head + n_head - 8);
    uint64_t key = at + n_head;
    if (!is_inside(t, key, item->n_key))
        return error_out_of_bounds(error, kind->cut, kind->key_size, at + 8, item->n_key, t->end - key,
                                   "name runs past the end of the table");
    item->key = key;
    item->data = key + item->n_key;
    if (!is_inside(t, item->data, item->n_data))
        return error_out_of_bounds(error, kind->cut, kind->data_size, at + n_head - 8, item->n_data,
                                   t->end - item->data, "records run past the end of the table");
    return APF_OK;
}

int disk_walk_next(struct disk_walk *w, struct disk_item *item, struct apf_error *error)
{
    int code = APF_OK;
    if (w->left == 0) {
        struct error_at empty = {w->table->kind->bucket, w->at, 0, 1};
        unsigned n;
        code = disk_table_bucket(w->table, w->at, &n, error);
        if (code == APF_OK && n == 0)
            return error_at(error, APF_MALFORMED, empty, "empty bucket in the table");
        if (code != APF_OK)
            return code;
        w->bucket = w->at;
        w->left = n;
        w->at += 2;
    }
    code = disk_table_item(w->table, w->at, item, error);
    if (code != APF_OK)
        return code;
    w->at = item->data + item->n_data;
    w->left--;
    return APF_OK;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads LLVM's hash table on disk (llvm/Support/OnDiskHashTable.h), which holds the functions of an indexed profile,
 * and the frames, stacks and records of its MemProf section.
 *
 * The payload comes first: the buckets that are not empty, one after the other, each a 16-bit number of items and the
 * items. An item is a 64-bit hash, the size of its key (not in tables whose keys all have 8 bytes), the size of its
 * data, the key and the data. After the payload stand the number of buckets (a power of two), the number of items, and
 * the offset of each bucket, 0 for an empty one.
 *
 * LLVM's tools read the items one after the other, as disk_walk does; compilers start at the bucket of a name. */
#ifndef INSTR_DISK_TABLE_H
#define INSTR_DISK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <anyprof/error.h>

#include "base/file_pages.h"

#define DISK_ITEM_HEAD 24u /* bytes of the three numbers before a key */

/* The properties of one kind of table. The strings are dotted paths for errors. */
struct disk_table_kind {
    const char *place; /* the header word that holds the offset of the table */
    uint64_t place_at; /* offset of that word */
    const char *num_buckets, *num_entries, *bucket, *item, *key_size, *data_size;
    int cut;         /* the code of an error when something does not fit: APF_TRUNCATED or APF_MALFORMED */
    bool fixed_keys; /* keys have 8 bytes, and items do not store the size */
};

struct disk_table {
    const struct disk_table_kind *kind;
    struct file_pages *pages; /* the whole file, or its bytes in memory */
    uint64_t payload;         /* where the first bucket begins */
    uint64_t end;             /* where the payload ends and the number of buckets stands */
    uint64_t n_buckets, n_items;
};

struct disk_item {
    uint64_t at; /* offset in the file */
    uint64_t hash;
    uint64_t key, n_key;   /* offset in the file, bytes */
    uint64_t data, n_data; /* offset in the file, bytes */
};

/* Sets n_buckets and n_items of a table whose other fields the caller has set. Refuses a table that lies outside the
 * file or whose array of buckets does not fit. n_items is unchecked: see disk_table_check_items. */
int disk_table_open(struct disk_table *t, struct apf_error *error);
/* The offset of the entry for a hash in the array of buckets. */
static inline uint64_t disk_table_slot(const struct disk_table *t, uint64_t hash)
{
    return t->end + 16 + 8 * (hash & (t->n_buckets - 1));
}
/* Reads the number of items of the bucket at an offset. */
int disk_table_bucket(const struct disk_table *t, uint64_t at, unsigned *n, struct apf_error *error);
/* Reads the item at an offset and checks that key and data end before the payload does. After a failure, item->key is 0
 * unless the key fits. */
int disk_table_item(const struct disk_table *t, uint64_t at, struct disk_item *item, struct apf_error *error);

/* A walk over the items, one after the other. */
struct disk_walk {
    const struct disk_table *table;
    uint64_t at;     /* offset of the next item or, if `left` is 0, of the next bucket */
    uint64_t bucket; /* offset of the bucket of the last item */
    unsigned left;   /* number of items of that bucket that follow */
};

/* Checks that n_items items fit in the payload. */
int disk_table_check_items(const struct disk_table *t, struct apf_error *error);
/* A walk that begins with the bucket at an offset. */
static inline struct disk_walk disk_walk_from(const struct disk_table *t, uint64_t at)
{
    struct disk_walk w = {t, at, at, 0};
    return w;
}
/* Reads the next item. The walk does not know its end: the caller stops after n_items items. An empty bucket is an
 * error. After a failure `at` is the offset of the bucket or item that cannot be read. */
int disk_walk_next(struct disk_walk *w, struct disk_item *item, struct apf_error *error);

#endif

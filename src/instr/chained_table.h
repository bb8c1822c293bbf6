/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order of items in LLVM's hash tables, on disk and in its writer's memory, which their history decides. */
#ifndef INSTR_CHAINED_TABLE_H
#define INSTR_CHAINED_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anyprof/error.h>

#include "base/arena.h"
#include "base/compiler.h"

/* Items are numbers 0 .. n - 1, here in the order of the file, bucket by bucket. */
struct chained_table {
    uint32_t *order;
    uint32_t *counts; /* items of each bucket */
    size_t n_buckets;
};

/* Inserts n items with these hashes in their order, growing as LLVM's generator grows, and ends at the size it ends at.
 * The table is in the arena; false when memory is out. */
bool chained_table_make(struct chained_table *t, const uint64_t *hashes, size_t n,
                        struct arena *arena) MUST_USE;

/* The order in which LLVM's hash map of the records of one name is walked, when they are inserted in the order of
 * `hashes`: order[i] is the number of the i-th. */
bool hash_map_order(const uint64_t *hashes, size_t n, bool old_mix, uint32_t *order) MUST_USE;
/* The same for the maps that hold names, inserted in their order. LLVM 17 gave them another hash. */
enum string_hash { STRING_HASH_DJB, STRING_HASH_XXH3 };
bool string_map_order(const struct apf_str *names, size_t n, enum string_hash hash, uint32_t *order) MUST_USE;

#endif

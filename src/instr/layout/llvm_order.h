/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order in which LLVM's writer stores the items of its hash tables. The order depends on how a table grew, so these
 * functions repeat the insertions. */
#ifndef INSTR_LLVM_ORDER_H
#define INSTR_LLVM_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anyprof/error.h>

#include "base/arena.h"
#include "base/compiler.h"

/* A table on disk, whose items are the numbers 0 .. n - 1. */
struct llvm_table {
    uint32_t *order;  /* the items in the order of the file, bucket by bucket */
    uint32_t *counts; /* number of items of each bucket */
    size_t n_buckets;
};

/* Inserts n items with these hashes in their order; the table grows as LLVM's generator grows and ends with the same
 * number of buckets. The arrays are in the arena. False: allocation failed. */
bool llvm_table_make(struct llvm_table *t, const uint64_t *hashes, size_t n, struct arena *arena) MUST_USE;

/* The order in which LLVM walks the hash map of a name's records, when the records were inserted in the order of
 * `hashes`: order[i] is the number of the i-th record of the walk. False: allocation failed. */
bool llvm_hash_map_order(const uint64_t *hashes, size_t n, bool old_mix, uint32_t *order) MUST_USE;
enum string_hash { STRING_HASH_DJB, STRING_HASH_XXH3 }; /* up to LLVM 16, and from 17 on */
/* The order in which LLVM walks a map of names that were inserted in the order of `names`. False: allocation failed. */
bool llvm_string_map_order(const struct apf_str *names, size_t n, enum string_hash hash,
                           uint32_t *order) MUST_USE;

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts, and pairs of numbers, each of which has a number, from 0 on, in the order in which they came. */
#ifndef EXPORT_NUMBERED_H
#define EXPORT_NUMBERED_H

#include <anyprof/error.h>

#include "base/hash_index.h"
#include "base/text_memo.h"
#include "base/text_set.h"
#include "base/vec.h"

/* All zero: empty. */
struct numbered_texts {
    struct text_set set;
    struct text_memo memo; /* of texts that stay in place */
};

struct number_pair {
    uint64_t a, b;
};
struct numbered_pairs {
    struct hash_index index;
    VEC(struct number_pair) list;
};

/* text_set_add. A text that stays in place until the table is freed is read once, however often it comes. */
int numbered_texts_add(struct numbered_texts *table, struct apf_str text, bool stays, uint32_t *number,
                       struct apf_error *error);
void numbered_texts_free(struct numbered_texts *table);
/* Sets the number of a pair, which is added if it is new: then the number is what list.n was. */
int numbered_pairs_add(struct numbered_pairs *table, uint64_t a, uint64_t b, uint32_t *number,
                       struct apf_error *error);
void numbered_pairs_free(struct numbered_pairs *table);

#endif

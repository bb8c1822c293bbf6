/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A set of texts, each of which has a number, from 0 on, in the order in which they came. */
#ifndef BASE_TEXT_SET_H
#define BASE_TEXT_SET_H

#include <anyprof/error.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"

/* All zero: empty. */
struct text_set {
    struct arena arena; /* copies of the texts, with a 0 after each */
    VEC(struct apf_str) list;
    struct hash_index index;
};

/* Sets the number of a text, which is added if it is new: then the number is what list.n was, and list.data may move.
 * APF_LIMIT, APF_NO_MEMORY. */
int text_set_add(struct text_set *set, struct apf_str text, uint32_t *number, struct apf_error *error);
/* The number of a text, or HASH_INDEX_NONE. */
uint32_t text_set_find(const struct text_set *set, struct apf_str text);
void text_set_free(struct text_set *set);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers of texts, by where these are: a text that stays in place, and is met again and again, is read once, however
 * long it is. A memo must not outlive the texts: at their places might be others. */
#ifndef BASE_TEXT_MEMO_H
#define BASE_TEXT_MEMO_H

#include <anyprof/error.h>

#include "base/hash_index.h"
#include "base/vec.h"

struct text_memo_entry {
    struct apf_str text;
    uint32_t number;
};

/* All zero: empty. */
struct text_memo {
    struct hash_index index;
    VEC(struct text_memo_entry) list;
};

/* The number of a text, or HASH_INDEX_NONE. */
uint32_t text_memo_find(const struct text_memo *memo, struct apf_str text);
/* Notes the number of a text that was not found. False: an allocation failed. */
bool text_memo_add(struct text_memo *memo, struct apf_str text, uint32_t number);
void text_memo_free(struct text_memo *memo);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A word counter: small, but with what a profile of a real program holds: static functions of one name in several
 * files, indirect calls, copies of varying size, a switch, recursion. */
#ifndef EXAMPLE_WORDS_H
#define EXAMPLE_WORDS_H

#include <stddef.h>

struct word {
    struct word *next;
    char *text;
    size_t length;
    unsigned long count;
};

struct word_table {
    struct word **buckets;
    size_t n_buckets, n_words;
};

typedef int word_order(const struct word *a, const struct word *b);

int words_init(struct word_table *table);
int words_add(struct word_table *table, const char *text, size_t length);
struct word **words_list(const struct word_table *table);
void words_free(struct word_table *table);

word_order *order_named(const char *name);
void order_words(struct word **words, size_t n, word_order *order);

#endif

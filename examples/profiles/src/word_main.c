/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

enum letter_kind { SPACE, LETTER, DIGIT, OTHER };

/* Static, and also the name of a function in word_table.c. */
static enum letter_kind hash(int c)
{
    switch (c) {
    case ' ':
    case '\t':
    case '\n':
        return SPACE;
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return DIGIT;
    default:
        return (c | 32) >= 'a' && (c | 32) <= 'z' ? LETTER : OTHER;
    }
}

/* Words of a made-up text: the same seed gives the same text. */
static int fill(struct word_table *table, unsigned seed, unsigned n_letters)
{
    static const char letters[] = "eeeeeetttaaoiinnsshrdlu  ,.0123 \n";
    char word[24];
    size_t length = 0;

    for (unsigned i = 0; i < n_letters; ++i) {
        char c;

        seed = seed * 1103515245u + 12345u;
        c = letters[(seed >> 16) % (sizeof letters - 1)];
        if (hash(c) == LETTER && length < sizeof word) {
            word[length++] = c;
        } else if (length) {
            if (words_add(table, word, length))
                return -1;
            length = 0;
        }
    }
    return 0;
}

static unsigned long depth(unsigned n)
{
    return n < 2 ? n : depth(n - 1) + depth(n - 2);
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 20000;
    word_order *order = order_named(argc > 3 ? argv[3] : "count");
    struct word_table table;
    struct word **list;

    if (words_init(&table) || fill(&table, seed, n))
        return 1;
    list = words_list(&table);
    if (!list)
        return 1;
    order_words(list, table.n_words, order);
    for (size_t i = 0; i < 5 && list[i]; ++i)
        printf("%6lu %s\n", list[i]->count, list[i]->text);
    printf("%zu words, %lu\n", table.n_words, depth(seed % 16));
    free(list);
    words_free(&table);
    return 0;
}

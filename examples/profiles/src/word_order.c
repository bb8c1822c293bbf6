/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "words.h"

#include <string.h>

static int by_text(const struct word *a, const struct word *b)
{
    return strcmp(a->text, b->text);
}

static int by_count(const struct word *a, const struct word *b)
{
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return by_text(a, b);
}

static int by_length(const struct word *a, const struct word *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return by_text(a, b);
}

/* A function that is never called, as every real program has some. */
static int by_reverse(const struct word *a, const struct word *b)
{
    return by_text(b, a);
}

word_order *order_named(const char *name)
{
    switch (name[0]) {
    case 't':
        return by_text;
    case 'l':
        return by_length;
    case 'r':
        return by_reverse;
    default:
        return by_count;
    }
}

static void swap(struct word **a, struct word **b)
{
    struct word *c = *a;

    *a = *b;
    *b = c;
}

void order_words(struct word **words, size_t n, word_order *order)
{
    size_t last = 0;

    if (n < 2)
        return;
    swap(&words[0], &words[n / 2]);
    for (size_t i = 1; i < n; ++i)
        if (order(words[i], words[0]) < 0)
            swap(&words[++last], &words[i]);
    swap(&words[0], &words[last]);
    order_words(words, last, order);
    order_words(words + last + 1, n - last - 1, order);
}

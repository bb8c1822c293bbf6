/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t hash(const char *text, size_t length)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < length; ++i)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

static int grow(struct word_table *table)
{
    size_t n = table->n_buckets * 2;
    struct word **buckets = calloc(n, sizeof *buckets);

    if (!buckets)
        return -1;
    for (size_t i = 0; i < table->n_buckets; ++i) {
        for (struct word *word = table->buckets[i], *next; word; word = next) {
            size_t slot = hash(word->text, word->length) % n;

            next = word->next;
            word->next = buckets[slot];
            buckets[slot] = word;
        }
    }
    free(table->buckets);
    table->buckets = buckets;
    table->n_buckets = n;
    return 0;
}

static struct word *create(const char *text, size_t length)
{
    struct word *word = malloc(sizeof *word);

    if (!word)
        return NULL;
    word->text = malloc(length + 1);
    if (!word->text) {
        free(word);
        return NULL;
    }
    /* A copy of a size that varies: the profile learns which sizes are common. */
    memcpy(word->text, text, length);
    word->text[length] = 0;
    word->length = length;
    word->count = 1;
    return word;
}

int words_init(struct word_table *table)
{
    table->n_buckets = 16;
    table->n_words = 0;
    table->buckets = calloc(table->n_buckets, sizeof *table->buckets);
    return table->buckets ? 0 : -1;
}

int words_add(struct word_table *table, const char *text, size_t length)
{
    size_t slot = hash(text, length) % table->n_buckets;
    struct word *word;

    for (word = table->buckets[slot]; word; word = word->next) {
        if (word->length == length && !memcmp(word->text, text, length)) {
            ++word->count;
            return 0;
        }
    }
    if (table->n_words >= table->n_buckets && grow(table))
        return -1;
    word = create(text, length);
    if (!word)
        return -1;
    slot = hash(text, length) % table->n_buckets;
    word->next = table->buckets[slot];
    table->buckets[slot] = word;
    ++table->n_words;
    return 0;
}

struct word **words_list(const struct word_table *table)
{
    struct word **list = malloc((table->n_words + 1) * sizeof *list);
    size_t n = 0;

    if (!list)
        return NULL;
    for (size_t i = 0; i < table->n_buckets; ++i)
        for (struct word *word = table->buckets[i]; word; word = word->next)
            list[n++] = word;
    list[n] = NULL;
    return list;
}

void words_free(struct word_table *table)
{
    for (size_t i = 0; i < table->n_buckets; ++i) {
        for (struct word *word = table->buckets[i], *next; word; word = next) {
            next = word->next;
            free(word->text);
            free(word);
        }
    }
    free(table->buckets);
}

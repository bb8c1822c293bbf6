/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/sort.h"

#include <string.h>

#include <anyprof/error.h>

#include "base/endian.h"
#include "base/search.h"

int sort_compare_bytes(const void *a, size_t na, const void *b, size_t nb)
{
    size_t n = na < nb ? na : nb;
    int order = n && a != b ? memcmp(a, b, n) : 0; /* long names are compared with themselves */
    return order ? order : (na > nb) - (na < nb);
}

/* Insertion sort of short runs, then merges of doubling width between the two buffers. */
#define RUN 12

static ALWAYS_INLINE void sort_run(uint8_t *items, uint8_t *hold, size_t n, size_t size, sort_before *before,
                                   const void *ctx)
{
    for (size_t i = 1; i < n; i++) {
        size_t j = i;
        while (j > 0 && before(ctx, items + i * size, items + (j - 1) * size))
            j--;
        if (j == i)
            continue;
        memcpy(hold, items + i * size, size);
        memmove(items + (j + 1) * size, items + j * size, (i - j) * size);
        memcpy(items + j * size, hold, size);
    }
}

static ALWAYS_INLINE void merge_runs(uint8_t *out, const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                                     size_t size, sort_before *before, const void *ctx)
{
    while (na && nb) {
        bool second = before(ctx, b, a);
        memcpy(out, second ? b : a, size);
        out += size;
        if (second) {
            b += size;
            nb--;
        } else {
            a += size;
            na--;
        }
    }
    if (na)
        memcpy(out, a, na * size);
    if (nb)
        memcpy(out + na * size, b, nb * size);
}

static ALWAYS_INLINE void merge_sort(uint8_t *items, uint8_t *scratch, size_t n, size_t size,
                                     sort_before *before, const void *context)
{
    uint8_t *from = items, *to = scratch;
    for (size_t i = 0; i < n; i += RUN)
        sort_run(from + i * size, to, n - i < RUN ? n - i : RUN, size, before, context);
    for (size_t width = RUN; width < n; width *= 2) {
        for (size_t i = 0; i < n; i += 2 * width) {
            size_t na = n - i < width ? n - i : width;
            size_t nb = n - i - na < width ? n - i - na : width;
            merge_runs(to + i * size, from + i * size, na, from + (i + na) * size, nb, size, before, context);
        }
        uint8_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != items && n)
        memcpy(items, from, n * size);
}

/* Items of the sizes that most lists have are copied without calls. */
void sort_merge(void *items, void *scratch, size_t n, size_t size, sort_before *before, const void *context)
{
    if (size == 16)
        merge_sort(items, scratch, n, 16, before, context);
    else if (size == 24)
        merge_sort(items, scratch, n, 24, before, context);
    else if (size == 32)
        merge_sort(items, scratch, n, 32, before, context);
    else
        merge_sort(items, scratch, n, size, before, context);
}

#define MOST_BITS 11u
#define RADIX_WORTH ((size_t)64) /* items; fewer are sorted faster by comparisons */

/* Items begin with the number they are sorted by. Sorts digit by digit from the last one, and skips digits that all
 * items share. Inlined where the size of an item and the bits of a digit, at most MOST_BITS, are known. */
static ALWAYS_INLINE void radix_sort(uint8_t *items, uint8_t *scratch, size_t n, size_t size, unsigned bits)
{
    size_t starts[(size_t)1 << MOST_BITS];
    const size_t digits = (size_t)1 << bits;
    uint8_t *from = items, *to = scratch;
    uint64_t differ = 0;
    for (size_t i = 1; i < n; i++)
        differ |= load64(items + i * size, false) ^ load64(items, false);
    for (unsigned shift = 0; shift < 64; shift += bits) {
        if ((differ >> shift & (digits - 1)) == 0)
            continue;
        memset(starts, 0, digits * sizeof *starts);
        for (size_t i = 0; i < n; i++)
            starts[load64(from + i * size, false) >> shift & (digits - 1)]++;
        for (size_t digit = 0, at = 0; digit < digits; digit++) {
            size_t here = starts[digit];
            starts[digit] = at;
            at += here;
        }
        for (size_t i = 0; i < n; i++) {
            const uint8_t *item = from + i * size;
            memcpy(to + size * starts[load64(item, false) >> shift & (digits - 1)]++, item, size);
        }
        uint8_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != items && n)
        memcpy(items, from, n * size);
}

static bool number_before(const void *context, const void *a, const void *b)
{
    (void)context;
    const uint64_t *x = a, *y = b;
    return *x < *y;
}

void sort_numbers(uint64_t *numbers, uint64_t *scratch, size_t n)
{
    if (n < RADIX_WORTH)
        sort_merge(numbers, scratch, n, sizeof *numbers, number_before, NULL);
    else
        radix_sort((uint8_t *)numbers, (uint8_t *)scratch, n, sizeof *numbers, MOST_BITS);
}

bool sort_has_number(const uint64_t *numbers, size_t n, uint64_t number)
{
    size_t at;
    SEARCH(at, 0, n, numbers[at] < number);
    return at < n && numbers[at] == number;
}

static bool key_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct sort_key *)a)->key < ((const struct sort_key *)b)->key;
}

void sort_keys(struct sort_key *keys, struct sort_key *scratch, size_t n)
{
    if (n < RADIX_WORTH)
        sort_merge(keys, scratch, n, sizeof *keys, key_before, NULL);
    else
        radix_sort((uint8_t *)keys, (uint8_t *)scratch, n, sizeof *keys, MOST_BITS);
}

/* Names share long beginnings (namespaces, directories), so they are sorted eight bytes at a time: by the bytes at some
 * depth, then each group that is still equal by the next eight. A group on the list is sorted up to its depth. */
#define CHUNK 8u
#define MOST_GROUPS 1024u
#define SMALL_GROUP 8u

struct group {
    size_t from, n, depth;
};

static uint64_t chunk_at(const struct sort_name *s, size_t depth)
{
    uint8_t bytes[CHUNK] = {0};
    size_t left = s->n - depth;
    if (LIKELY(left >= CHUNK))
        return load64(s->p + depth, !HOST_BIG_ENDIAN);
    memcpy(bytes, s->p + depth, left);
    return load64(bytes, !HOST_BIG_ENDIAN);
}

/* Bytes of the chunk, plus one when the name continues: of equal chunks the shorter name is the smaller. */
static size_t chunk_size(const struct sort_name *s, size_t depth)
{
    size_t left = s->n - depth;
    return left < CHUNK + 1 ? left : CHUNK + 1;
}

static bool prefix_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct sort_name *)a)->prefix < ((const struct sort_name *)b)->prefix;
}

static void sort_prefixes(struct sort_name *names, struct sort_name *scratch, size_t n)
{
    if (n < RADIX_WORTH)
        sort_merge(names, scratch, n, sizeof *names, prefix_before, NULL);
    else
        radix_sort((uint8_t *)names, (uint8_t *)scratch, n, sizeof *names, 8);
}

static bool size_before(const void *context, const void *pa, const void *pb)
{
    const struct sort_name *a = pa, *b = pb;
    size_t depth = *(const size_t *)context;
    return chunk_size(a, depth) < chunk_size(b, depth);
}

static bool rest_before(const void *context, const void *pa, const void *pb)
{
    const struct sort_name *a = pa, *b = pb;
    size_t depth = *(const size_t *)context;
    int order = sort_compare_bytes(a->p + depth, a->n - depth, b->p + depth, b->n - depth);
    return order < 0;
}

/* Sorts a group by its next chunk and lists the groups of names that are equal so far and continue. A group that does
 * not fit on the list is sorted completely at once. */
static size_t sort_group(struct sort_name *names, struct sort_name *scratch, struct group g,
                         struct group *list, size_t n_list)
{
    struct sort_name *s = names + g.from;
    for (size_t i = 0; i < g.n; i++) {
        if (i + FETCH_AHEAD < g.n)
            PREFETCH(s[i + FETCH_AHEAD].p + g.depth);
        s[i].prefix = chunk_at(&s[i], g.depth);
    }
    sort_prefixes(s, scratch + g.from, g.n);
    for (size_t i = 0, end; i < g.n; i = end) {
        bool ends = false; /* one of the names ends here */
        for (end = i; end < g.n && s[end].prefix == s[i].prefix; end++)
            ends |= chunk_size(&s[end], g.depth) <= CHUNK;
        size_t first = i, depth = g.depth + CHUNK;
        if (ends && end - i > 1)
            sort_merge(s + i, scratch + g.from, end - i, sizeof *s, size_before, &g.depth);
        while (first < end && chunk_size(&s[first], g.depth) <= CHUNK)
            first++;
        struct group next = {g.from + first, end - first, depth};
        if (next.n > SMALL_GROUP && n_list < MOST_GROUPS)
            list[n_list++] = next;
        else if (next.n > 1)
            sort_merge(s + first, scratch + next.from, next.n, sizeof *s, rest_before, &depth);
    }
    return n_list;
}

void sort_names(struct sort_name *names, struct sort_name *scratch, size_t n)
{
    struct group list[MOST_GROUPS] = {{0, n, 0}};
    size_t n_list = n > 1;
    while (n_list) {
        struct group next = list[--n_list];
        n_list = sort_group(names, scratch, next, list, n_list);
    }
}

bool sort_text_before(const void *context, const void *a, const void *b)
{
    const struct apf_str *x = a, *y = b;
    (void)context;
    return sort_compare_bytes(x->p, x->n, y->p, y->n) < 0;
}

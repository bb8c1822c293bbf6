/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/sort.h"

#include <string.h>

#include "base/endian.h"

int sort_compare_bytes(const void *a, size_t na, const void *b, size_t nb)
{
    size_t n = na < nb ? na : nb;
    int order = n ? memcmp(a, b, n) : 0;
    return order ? order : (na > nb) - (na < nb);
}

/* Insertion sort of short runs, then merges of doubling width between the two buffers. */
#define RUN 12

static void sort_run(uint8_t *items, uint8_t *hold, size_t n, size_t size, sort_before *before,
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

static void merge(uint8_t *out, const uint8_t *a, size_t na, const uint8_t *b, size_t nb, size_t size,
                  sort_before *before, const void *ctx)
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

void sort_merge(void *items, void *scratch, size_t n, size_t size, sort_before *before, const void *context)
{
    uint8_t *from = (uint8_t *)items, *to = (uint8_t *)scratch;
    for (size_t i = 0; i < n; i += RUN)
        sort_run(from + i * size, to, n - i < RUN ? n - i : RUN, size, before, context);
    for (size_t width = RUN; width < n; width *= 2) {
        for (size_t i = 0; i < n; i += 2 * width) {
            size_t na = n - i < width ? n - i : width;
            size_t nb = n - i - na < width ? n - i - na : width;
            merge(to + i * size, from + i * size, na, from + (i + na) * size, nb, size, before, context);
        }
        uint8_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != items && n)
        memcpy(items, from, n * size);
}

static bool name_before(const void *context, const void *pa, const void *pb)
{
    const struct sort_name *a = (const struct sort_name *)pa, *b = (const struct sort_name *)pb;
    (void)context;
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    int order = sort_compare_bytes(a->p, a->n, b->p, b->n);
    return order ? order < 0 : a->index < b->index;
}

static uint64_t prefix_of(const char *p, size_t n)
{
    uint8_t bytes[8] = {0};
    if (n)
        memcpy(bytes, p, n < 8 ? n : 8);
    return load64(bytes, !HOST_BIG_ENDIAN);
}

void sort_names(struct sort_name *names, struct sort_name *scratch, size_t n)
{
    for (size_t i = 0; i < n; i++)
        names[i].prefix = prefix_of(names[i].p, names[i].n);
    sort_merge(names, scratch, n, sizeof *names, name_before, NULL);
}

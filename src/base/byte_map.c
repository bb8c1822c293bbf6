/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/byte_map.h"

#include <string.h>

#include "base/endian.h"
#include "base/sort.h"

bool byte_map_add(struct byte_map *map, const char *name, uint64_t at, uint64_t size, uint64_t profile)
{
    struct byte_span span = {name, at, size, profile};
    return size == 0 || VEC_PUSH(&map->list, span);
}

static bool span_before(const void *context, const void *a, const void *b)
{
    const struct byte_span *x = a, *y = b;
    (void)context;
    return x->at < y->at;
}

/* Padding between sections is shorter than the alignment of 8 bytes. */
#define MOST_PADDING 7u

static bool add_gap(struct byte_map *map, const uint8_t *data, uint64_t from, uint64_t to, bool last,
                    uint64_t profile)
{
    bool padding = (last || to - from <= MOST_PADDING) && bytes_zero(data + from, to - from);
    return byte_map_add(map, padding ? PART_PADDING : PART_UNCLAIMED, from, to - from, profile);
}

bool byte_map_fill(struct byte_map *map, const uint8_t *data, uint64_t n)
{
    if (!SORT_VEC(&map->list, span_before, NULL))
        return false;
    uint64_t end = 0, profile = 0;
    bool done = true;
    for (size_t i = 0, given = map->list.n; done && i < given; i++) {
        struct byte_span span = map->list.data[i];
        if (span.at > end)
            done = add_gap(map, data, end, span.at, false, profile);
        profile = span.profile;
        if (span.at + span.size > end)
            end = span.at + span.size;
    }
    return done && (end >= n || add_gap(map, data, end, n, true, profile)) &&
           SORT_VEC(&map->list, span_before, NULL);
}

const struct byte_span *byte_map_find(const struct byte_map *map, const char *name)
{
    for (size_t i = 0; i < map->list.n; i++)
        if (strcmp(map->list.data[i].name, name) == 0)
            return &map->list.data[i];
    return NULL;
}

void byte_map_free(struct byte_map *map)
{
    VEC_FREE(&map->list);
}

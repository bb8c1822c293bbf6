/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/span_map.h"

#include "base/arena.h"
#include "base/search.h"
#include "base/sort.h"

bool span_map_add(struct span_map *map, uint64_t low, uint64_t high, uint32_t item)
{
    struct span span = {low, high, item};
    return low >= high || VEC_PUSH(&map->spans, span);
}

/* A stack of the spans that have begun and not ended; the winning span is last. */
struct open_spans {
    const struct span **data;
    size_t n;
};

/* The caller reserved two steps for each span. */
static void add_step(struct span_map *map, uint64_t address, uint32_t item)
{
    if (map->steps.n && map->steps.data[map->steps.n - 1].address == address)
        map->steps.n--;
    struct span_step step = {address, item};
    map->steps.data[map->steps.n++] = step;
}

static void close_until(struct span_map *map, struct open_spans *open, uint64_t address)
{
    while (open->n && open->data[open->n - 1]->high <= address) {
        uint64_t end = open->data[open->n - 1]->high;
        while (open->n && open->data[open->n - 1]->high <= end)
            open->n--;
        add_step(map, end, open->n ? open->data[open->n - 1]->item : SPAN_MAP_NONE);
    }
}

bool span_map_finish(struct span_map *map)
{
    struct arena scratch = {0};
    size_t n = map->spans.n;
    struct sort_key *keys = arena_array(&scratch, 2 * n, sizeof *keys);
    struct open_spans open = {arena_array(&scratch, n, sizeof *open.data), 0};
    bool fits = keys && open.data && VEC_RESERVE(&map->steps, 2 * n);
    for (size_t i = 0; fits && i < n; i++) {
        keys[i].key = map->spans.data[i].low;
        keys[i].value = i;
    }
    if (fits)
        sort_keys(keys, keys + n, n);
    for (size_t i = 0; fits && i < n; i++) {
        const struct span *span = &map->spans.data[keys[i].value];
        close_until(map, &open, span->low);
        open.data[open.n++] = span;
        add_step(map, span->low, span->item);
    }
    if (fits)
        close_until(map, &open, UINT64_MAX);
    arena_free(&scratch);
    VEC_FREE(&map->spans);
    return fits;
}

/* ---- where the first one wins ---- */

/* The next place from `i` on whose addresses have no item; `next` is made shorter for the next time. */
static size_t find_free(size_t *next, size_t i)
{
    size_t found = i;
    while (next[found] != found)
        found = next[found];
    while (next[i] != found) {
        size_t after = next[i];
        next[i] = found;
        i = after;
    }
    return found;
}

/* Makes the steps of all ends of spans, each once, without items; n: two for each span. */
static void add_ends(struct span_map *map, struct sort_key *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct span *span = &map->spans.data[i / 2];
        keys[i] = (struct sort_key){i % 2 ? span->high : span->low, i};
    }
    sort_keys(keys, keys + n, n);
    for (size_t i = 0; i < n; i++)
        add_step(map, keys[i].key, SPAN_MAP_NONE);
}

bool span_map_finish_first(struct span_map *map)
{
    struct arena scratch = {0};
    const size_t n = 2 * map->spans.n;
    struct sort_key *keys = arena_array(&scratch, 2 * n, sizeof *keys);
    size_t *next = arena_array(&scratch, n + 1, sizeof *next); /* of the last step, nothing is known */
    bool fits = keys && next && VEC_RESERVE(&map->steps, n);
    if (fits)
        add_ends(map, keys, n);
    for (size_t i = 0; fits && i <= map->steps.n; i++)
        next[i] = i;
    for (size_t i = 0; fits && i < map->spans.n; i++) {
        const struct span *span = &map->spans.data[i];
        size_t at;
        SEARCH(at, 0, map->steps.n, map->steps.data[at].address < span->low);
        for (at = find_free(next, at); at < map->steps.n && map->steps.data[at].address < span->high;
             at = find_free(next, at)) {
            map->steps.data[at].item = span->item;
            next[at] = at + 1;
        }
    }
    arena_free(&scratch);
    VEC_FREE(&map->spans);
    return fits;
}

uint32_t span_map_find(const struct span_map *map, uint64_t address)
{
    size_t low; /* the first step above the address */
    SEARCH(low, 0, map->steps.n, map->steps.data[low].address <= address);
    return low ? map->steps.data[low - 1].item : SPAN_MAP_NONE;
}

void span_map_free(struct span_map *map)
{
    VEC_FREE(&map->spans);
    VEC_FREE(&map->steps);
}

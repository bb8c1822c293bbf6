/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Of spans that overlap, each address has the one that was added first, or the one that begins last. */
#include "helpers/shared/unit.h"

#include "object/span_map.h"

#define ADDRESSES 60u
#define MOST_SPANS 24u

struct spans {
    struct span list[MOST_SPANS];
    uint32_t n;
};

/* Spans of which some are empty, and of which none is at the last address. */
static struct spans make_spans(uint64_t *chance)
{
    struct spans made = {.n = 0};
    *chance = *chance * 6364136223846793005u + 1442695040888963407u;
    made.n = (uint32_t)(*chance >> 40) % (MOST_SPANS + 1);
    for (uint32_t i = 0; i < made.n; i++) {
        *chance = *chance * 6364136223846793005u + 1442695040888963407u;
        const uint64_t low = (*chance >> 33) % ADDRESSES, n = (*chance >> 50) % 16;
        made.list[i] = (struct span){low, low + n < ADDRESSES ? low + n : ADDRESSES, i};
    }
    return made;
}

static bool is_in(const struct span *span, uint64_t address)
{
    return address >= span->low && address < span->high;
}

static uint32_t first_of(const struct spans *spans, uint64_t address)
{
    for (uint32_t i = 0; i < spans->n; i++)
        if (is_in(&spans->list[i], address))
            return i;
    return SPAN_MAP_NONE;
}

static uint32_t latest_of(const struct spans *spans, uint64_t address)
{
    uint32_t found = SPAN_MAP_NONE;
    for (uint32_t i = 0; i < spans->n; i++)
        if (is_in(&spans->list[i], address) &&
            (found == SPAN_MAP_NONE || spans->list[i].low >= spans->list[found].low))
            found = i;
    return found;
}

static void check(bool finish(struct span_map *map), uint32_t expected(const struct spans *, uint64_t))
{
    uint64_t chance = 1;
    for (int round = 0; round < 400; round++) {
        const struct spans spans = make_spans(&chance);
        struct span_map map = {.spans = {0}};
        for (uint32_t i = 0; i < spans.n; i++)
            assert_true(span_map_add(&map, spans.list[i].low, spans.list[i].high, i));
        assert_true(finish(&map));
        for (uint64_t address = 0; address <= ADDRESSES; address++)
            assert_int_equal(span_map_find(&map, address), expected(&spans, address));
        span_map_free(&map);
    }
}

static void test_first(void **state)
{
    (void)state;
    check(span_map_finish_first, first_of);
}

static void test_latest(void **state)
{
    (void)state;
    check(span_map_finish, latest_of);
}

TEST_FILE(span_map)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first), cmocka_unit_test(test_latest)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges that are counted by their ends give the same counts as counting item by item. */
#include "helpers/shared/unit.h"

#include <anyprof/bolt.h>

#include "object/range_counts.h"

#define ITEMS 50

static void test_as_item_by_item(void **state)
{
    struct arena arena = {0};
    struct range_counts ranges;
    uint64_t expected[ITEMS] = {0}, chance = 1;
    (void)state;
    assert_true(range_counts_open(&ranges, &arena, ITEMS));
    for (int i = 0; i < 500; i++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        size_t first = (chance >> 33) % ITEMS, end = (chance >> 40) % (ITEMS + 1);
        uint64_t count = (chance >> 50) % 1000;
        range_counts_add(&ranges, first, end, count);
        for (size_t k = first; k < end; k++)
            expected[k] += count;
    }
    range_counts_settle(&ranges, APF_FDATA_MOST);
    for (size_t i = 0; i < ITEMS; i++)
        assert_int_equal(range_counts_at(&ranges, i), expected[i]);
    arena_free(&arena);
}

/* Sums have 128 bits while they are made: the counts after a large one are exact. */
static void test_most(void **state)
{
    struct arena arena = {0};
    struct range_counts ranges;
    (void)state;
    assert_true(range_counts_open(&ranges, &arena, 5));
    for (int i = 0; i < 5; i++)
        range_counts_add(&ranges, 1, 3, APF_FDATA_MOST);
    range_counts_add(&ranges, 0, 5, 7);
    range_counts_add(&ranges, 3, 4, APF_FDATA_MOST - 7);
    range_counts_add(&ranges, 2, 2, 9);
    range_counts_add(&ranges, 3, 1, 9);
    range_counts_settle(&ranges, APF_FDATA_MOST);
    assert_int_equal(range_counts_at(&ranges, 0), 7);
    assert_int_equal(range_counts_at(&ranges, 1), APF_FDATA_MOST);
    assert_int_equal(range_counts_at(&ranges, 2), APF_FDATA_MOST);
    assert_int_equal(range_counts_at(&ranges, 3), APF_FDATA_MOST);
    assert_int_equal(range_counts_at(&ranges, 4), 7);
    arena_free(&arena);
}

static void test_none(void **state)
{
    struct arena arena = {0};
    struct range_counts ranges;
    (void)state;
    assert_true(range_counts_open(&ranges, &arena, 0));
    range_counts_add(&ranges, 0, 0, 1);
    range_counts_settle(&ranges, APF_FDATA_MOST);
    assert_false(range_counts_open(&ranges, &arena, SIZE_MAX));
    arena_free(&arena);
}

TEST_FILE(range_counts)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_item_by_item), cmocka_unit_test(test_most),
                                       cmocka_unit_test(test_none)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs over steps: counted by their ends, the same as step by step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <anyprof/bolt.h>

#include "bolt/run_counts.h"

#define STEPS 50

static void test_as_step_by_step(void **state)
{
    struct arena arena = {0};
    struct run_counts runs;
    uint64_t expected[STEPS] = {0}, chance = 1;
    (void)state;
    assert_true(run_counts_open(&runs, &arena, STEPS));
    for (int i = 0; i < 500; i++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        size_t first = (chance >> 33) % STEPS, end = (chance >> 40) % (STEPS + 1);
        uint64_t count = (chance >> 50) % 1000;
        run_counts_add(&runs, first, end, count);
        for (size_t k = first; k < end; k++)
            expected[k] += count;
    }
    run_counts_settle(&runs);
    for (size_t i = 0; i < STEPS; i++)
        assert_int_equal(run_counts_at(&runs, i), expected[i]);
    arena_free(&arena);
}

/* Sums have 128 bits while they are made: what comes behind a large one is exact. */
static void test_most(void **state)
{
    struct arena arena = {0};
    struct run_counts runs;
    (void)state;
    assert_true(run_counts_open(&runs, &arena, 5));
    for (int i = 0; i < 5; i++)
        run_counts_add(&runs, 1, 3, APF_FDATA_MOST);
    run_counts_add(&runs, 0, 5, 7);
    run_counts_add(&runs, 3, 4, APF_FDATA_MOST - 7);
    run_counts_add(&runs, 2, 2, 9);
    run_counts_add(&runs, 3, 1, 9);
    run_counts_settle(&runs);
    assert_int_equal(run_counts_at(&runs, 0), 7);
    assert_int_equal(run_counts_at(&runs, 1), APF_FDATA_MOST);
    assert_int_equal(run_counts_at(&runs, 2), APF_FDATA_MOST);
    assert_int_equal(run_counts_at(&runs, 3), APF_FDATA_MOST);
    assert_int_equal(run_counts_at(&runs, 4), 7);
    arena_free(&arena);
}

static void test_none(void **state)
{
    struct arena arena = {0};
    struct run_counts runs;
    (void)state;
    assert_true(run_counts_open(&runs, &arena, 0));
    run_counts_add(&runs, 0, 0, 1);
    run_counts_settle(&runs);
    assert_false(run_counts_open(&runs, &arena, SIZE_MAX));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_step_by_step), cmocka_unit_test(test_most),
                                       cmocka_unit_test(test_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

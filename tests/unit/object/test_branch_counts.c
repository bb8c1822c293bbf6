/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Equal samples are one with their sum, in the order in which they came first; too many are a limit. */
#include "helpers/shared/unit.h"

#include <anyprof/error.h>

#include "object/branch_counts.h"

static void add(struct branch_counts *c, struct branch_sample sample)
{
    assert_int_equal(branch_counts_reserve(c, 1, NULL), APF_OK);
    branch_counts_add(c, &sample);
}

static void test_sums(void **state)
{
    struct branch_counts c = {.index = {0}};
    (void)state;
    add(&c, (struct branch_sample){1, 2, 3, 4, 10, 1});
    add(&c, (struct branch_sample){1, 2, 3, 5, 20, 2}); /* of another kind */
    add(&c, (struct branch_sample){1, 2, 4, 4, 30, 3});
    add(&c, (struct branch_sample){1, 2, 3, 4, 40, 4});
    assert_int_equal(c.list.n, 3);
    assert_int_equal(c.list.data[0].count, 50);
    assert_int_equal(c.list.data[0].mispredictions, 5);
    assert_int_equal(c.list.data[1].count, 20);
    assert_int_equal(c.list.data[2].to, 4);
    add(&c, (struct branch_sample){1, 2, 3, 4, BRANCH_COUNT_MOST - 49, 0});
    assert_int_equal(c.list.data[0].count, BRANCH_COUNT_MOST);
    branch_counts_finish(&c);
    assert_int_equal(c.list.n, 3);
    branch_counts_free(&c);
}

static void test_too_many(void **state)
{
    struct branch_counts c = {.index = {0}};
    struct apf_error error;
    (void)state;
    assert_int_equal(branch_counts_reserve(&c, (size_t)1 << 31, &error), APF_LIMIT);
    branch_counts_free(&c);
}

TEST_FILE(branch_counts)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_too_many)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of pairs: sums that saturate, contexts that differ, and the order. */
#include "helpers/shared/unit.h"

#include "object/pair_counts.h"

static uint64_t find_count(const struct pair_counts *c, uint64_t a, uint64_t b, uint32_t context)
{
    uint64_t found = 0;
    for (size_t i = 0; i < c->list.n; i++) {
        const struct address_pair *pair = &c->list.data[i].pair;
        if (pair->a == a && pair->b == b && pair->context == context) {
            assert_int_equal(found, 0); /* each is there once */
            found = c->list.data[i].count;
        }
    }
    return found;
}

static void test_sums(void **state)
{
    static const struct address_pair pairs[] = {{1, 2, 0}, {1, 2, 1}, {2, 1, 0}, {1, 2, 0}};
    struct pair_counts c = {.list = {NULL, 0, 0}};
    (void)state;
    assert_int_equal(pair_counts_add(&c, pairs, COUNT(pairs), 7, NULL), APF_OK);
    assert_int_equal(c.list.n, 3);
    assert_int_equal(find_count(&c, 1, 2, 0), 14);
    assert_int_equal(find_count(&c, 1, 2, 1), 7);
    assert_int_equal(find_count(&c, 2, 1, 0), 7);
    assert_int_equal(pair_counts_add(&c, pairs, 1, UINT64_MAX - 20, NULL), APF_OK);
    assert_int_equal(find_count(&c, 1, 2, 0), UINT64_MAX - 6);
    assert_int_equal(pair_counts_add(&c, pairs, 1, 6, NULL), APF_OK);
    assert_int_equal(pair_counts_add(&c, pairs, 2, 1, NULL), APF_OK);
    assert_true(find_count(&c, 1, 2, 0) == UINT64_MAX);
    assert_int_equal(find_count(&c, 1, 2, 1), 8);
    pair_counts_free(&c);
}

/* More pairs at once than are added in one go. */
static void test_many(void **state)
{
    enum { MANY = 5 * PAIR_COUNTS_BATCH + 3 };
    static struct address_pair pairs[MANY];
    struct pair_counts c = {.list = {NULL, 0, 0}};
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        pairs[i] = (struct address_pair){i % 50, i % 7, (uint32_t)(i % 3)};
    assert_int_equal(pair_counts_add(&c, pairs, MANY, 2, NULL), APF_OK);
    for (size_t i = 0; i < MANY; i++) {
        uint64_t same = 0;
        for (size_t k = 0; k < MANY; k++)
            same +=
                pairs[k].a == pairs[i].a && pairs[k].b == pairs[i].b && pairs[k].context == pairs[i].context;
        assert_int_equal(find_count(&c, pairs[i].a, pairs[i].b, pairs[i].context), 2 * same);
    }
    pair_counts_free(&c);
}

static void test_order(void **state)
{
    static const struct address_pair pairs[] = {
        {5, 1, 1}, {UINT64_MAX, 0, 0}, {5, 9, 0}, {5, 2, 0}, {1, 3, 2}};
    static const size_t order[] = {3, 2, 1, 0, 4};
    struct pair_counts c = {.list = {NULL, 0, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++)
        assert_int_equal(pair_counts_add(&c, &pairs[i], 1, i, NULL), APF_OK);
    assert_int_equal(pair_counts_sort(&c, NULL), APF_OK);
    assert_int_equal(c.list.n, COUNT(order));
    for (size_t i = 0; i < COUNT(order); i++)
        assert_int_equal(c.list.data[i].count, order[i]);
    pair_counts_free(&c);
    c = (struct pair_counts){.list = {NULL, 0, 0}};
    assert_int_equal(pair_counts_sort(&c, NULL), APF_OK);
    pair_counts_free(&c);
}

TEST_FILE(pair_counts)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_order)};
    return RUN_TESTS(tests);
}

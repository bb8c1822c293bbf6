/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of pairs: sums that saturate, contexts that differ, and the order. */
#include "helpers/shared/unit.h"

#include <stdlib.h>

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
    static const struct pair_count pairs[] = {{{1, 2, 0}, 7}, {{1, 2, 1}, 5}, {{2, 1, 0}, 3}, {{1, 2, 0}, 6}};
    static const struct pair_count most[] = {{{1, 2, 0}, UINT64_MAX - 20}, {{1, 2, 0}, 7}, {{1, 2, 1}, 1}};
    struct pair_counts c = {.list = {NULL, 0, 0}};
    (void)state;
    assert_false(pair_counts_any(&c));
    assert_int_equal(pair_counts_add(&c, pairs, COUNT(pairs), NULL), APF_OK);
    assert_true(pair_counts_any(&c));
    assert_int_equal(pair_counts_sort(&c, NULL), APF_OK);
    assert_int_equal(c.list.n, 3);
    assert_int_equal(find_count(&c, 1, 2, 0), 13);
    assert_int_equal(find_count(&c, 1, 2, 1), 5);
    assert_int_equal(find_count(&c, 2, 1, 0), 3);
    assert_int_equal(pair_counts_add(&c, most, 1, NULL), APF_OK); /* to pairs that are sorted */
    assert_int_equal(pair_counts_sort(&c, NULL), APF_OK);
    assert_int_equal(c.list.n, 3);
    assert_true(find_count(&c, 1, 2, 0) == UINT64_MAX - 7);
    assert_int_equal(pair_counts_add(&c, most, COUNT(most), NULL), APF_OK);
    assert_int_equal(pair_counts_sort(&c, NULL), APF_OK);
    assert_true(find_count(&c, 1, 2, 0) == UINT64_MAX);
    assert_int_equal(find_count(&c, 1, 2, 1), 6);
    pair_counts_free(&c);
}

/* More pairs at once than are added in one go. */
static void test_many(void **state)
{
    enum { MANY = 5 * PAIR_COUNTS_BATCH + 3 };
    static struct pair_count pairs[MANY];
    struct pair_counts c = {.list = {NULL, 0, 0}};
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        pairs[i] = (struct pair_count){{i % 50, i % 7, (uint32_t)(i % 3)}, i};
    assert_int_equal(pair_counts_add(&c, pairs, MANY, NULL), APF_OK);
    assert_int_equal(pair_counts_sort(&c, NULL), APF_OK);
    for (size_t i = 0; i < MANY; i++) {
        const struct address_pair *a = &pairs[i].pair;
        uint64_t sum = 0;
        for (size_t k = 0; k < MANY; k++) {
            const struct address_pair *b = &pairs[k].pair;
            sum += a->a == b->a && a->b == b->b && a->context == b->context ? pairs[k].count : 0;
        }
        assert_int_equal(find_count(&c, a->a, a->b, a->context), sum);
    }
    pair_counts_free(&c);
}

static void test_order(void **state)
{
    static const struct pair_count pairs[] = {
        {{5, 1, 1}, 0}, {{UINT64_MAX, 0, 0}, 1}, {{5, 9, 0}, 2}, {{5, 2, 0}, 3}, {{1, 3, 2}, 4}};
    static const size_t order[] = {3, 2, 1, 0, 4};
    struct pair_counts c = {.list = {NULL, 0, 0}};
    (void)state;
    assert_int_equal(pair_counts_add(&c, pairs, COUNT(pairs), NULL), APF_OK);
    assert_int_equal(pair_counts_sort(&c, NULL), APF_OK);
    assert_int_equal(c.list.n, COUNT(order));
    for (size_t i = 0; i < COUNT(order); i++)
        assert_int_equal(c.list.data[i].count, order[i]);
    pair_counts_free(&c);
    c = (struct pair_counts){.list = {NULL, 0, 0}};
    assert_int_equal(pair_counts_sort(&c, NULL), APF_OK);
    pair_counts_free(&c);
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair_count *x = a, *y = b;
    return x->pair.a != y->pair.a ? (x->pair.a > y->pair.a) - (x->pair.a < y->pair.a)
                                  : (x->pair.b > y->pair.b) - (x->pair.b < y->pair.b);
}

/* Pairs without contexts, of addresses from `base` to base + span, some of which are near to the first one. */
static void check_span(uint64_t base, uint64_t span, size_t n)
{
    static struct pair_count pairs[200];
    struct pair_counts c = {.list = {NULL, 0, 0}};
    uint64_t random = 7;
    for (size_t i = 0; i < n; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        pairs[i] =
            (struct pair_count){{base + i, base + (random >> 33) % (span < 999 ? span : 999), 0}, i + 1};
    }
    pairs[1].pair.b = base + span;
    pairs[2].pair = (struct address_pair){base + span, base, 0};
    assert_int_equal(pair_counts_add(&c, pairs, n, NULL), APF_OK);
    assert_int_equal(pair_counts_sort(&c, NULL), APF_OK);
    qsort(pairs, n, sizeof *pairs, compare_pairs);
    assert_int_equal(c.list.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(c.list.data[i].pair.a == pairs[i].pair.a && c.list.data[i].pair.b == pairs[i].pair.b);
        assert_int_equal(c.list.data[i].pair.context, 0);
        assert_true(c.list.data[i].count == pairs[i].count);
    }
    pair_counts_free(&c);
}

static void test_spans(void **state)
{
    static const uint64_t bases[] = {0, 0x401000, (uint64_t)5 << 32, UINT64_MAX - UINT32_MAX - 1};
    (void)state;
    for (size_t i = 0; i < COUNT(bases); i++)
        for (size_t n = 3; n < 200; n += 97) { /* sorted by comparisons, and by digits */
            check_span(bases[i], 1000, n);
            check_span(bases[i], UINT32_MAX, n);
            check_span(bases[i], (uint64_t)UINT32_MAX + 1, n);
            check_span(bases[i], UINT64_MAX - bases[i], n);
        }
}

TEST_FILE(pair_counts)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_order), cmocka_unit_test(test_spans)};
    return RUN_TESTS(tests);
}

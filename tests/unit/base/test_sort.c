/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

/* 0, 1, around the length of a run (12) and of merges, and not powers of two. */
static const size_t sizes[] = {0,  1,  2,  11, 12, 13, 23,  24,  25,  36,
                               37, 47, 48, 49, 96, 97, 100, 191, 193, 1000};
#define SIZES (sizeof sizes / sizeof *sizes)

static void *block(size_t n)
{
    void *p = malloc(n ? n : 1);
    assert_non_null(p);
    return p;
}

struct item {
    uint32_t key;
    uint32_t place; /* where it was */
    char odd[5];    /* no power of two */
};

struct counter {
    size_t *calls;
};

static bool item_before(const void *context, const void *a, const void *b)
{
    ++*((const struct counter *)context)->calls;
    return ((const struct item *)a)->key < ((const struct item *)b)->key;
}

/* The place of each item: the number of lower items, and of equal ones before it. */
static void check_items(const struct item *before, const struct item *after, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t rank = 0;
        for (size_t k = 0; k < n; k++)
            rank += before[k].key < before[i].key || (before[k].key == before[i].key && k < i);
        assert_int_equal(after[rank].place, i);
        assert_int_equal(after[rank].key, before[i].key);
        assert_memory_equal(after[rank].odd, before[i].odd, sizeof before[i].odd);
    }
}

static void sort_items(size_t n, uint32_t keys, int pattern)
{
    struct item *items = (struct item *)block(n * sizeof *items);
    struct item *before = (struct item *)block(n * sizeof *items);
    struct item *scratch = (struct item *)block(n * sizeof *items);
    uint64_t random = n;
    memset(before, 0, n * sizeof *items);
    for (size_t i = 0; i < n; i++) {
        uint32_t key = pattern == 0 ? (uint32_t)next_random(&random) : (uint32_t)(pattern > 0 ? i : n - i);
        before[i].key = key % keys;
        before[i].place = (uint32_t)i;
        memset(before[i].odd, (int)(i % 100), sizeof before[i].odd);
    }
    if (n)
        memcpy(items, before, n * sizeof *items);
    size_t calls = 0;
    struct counter counter = {&calls};
    sort_merge(items, scratch, n, sizeof *items, item_before, &counter);
    check_items(before, items, n);
    assert_true(calls <= n * 24); /* n log n, not n^2 */
    free(scratch);
    free(before);
    free(items);
}

static void test_merge(void **state)
{
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        for (int pattern = -1; pattern <= 1; pattern++) {
            sort_items(sizes[s], UINT32_MAX, pattern);
            sort_items(sizes[s], 7, pattern); /* many are equal: the order must stay */
            sort_items(sizes[s], 1, pattern);
        }
    }
}

static bool byte_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return *(const uint8_t *)a < *(const uint8_t *)b;
}

static void test_every_permutation(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 5 * 5 * 5 * 5 * 5; code++) {
        uint8_t items[5], scratch[5], counts[5] = {0};
        for (unsigned i = 0, rest = code; i < 5; i++, rest /= 5)
            counts[items[i] = (uint8_t)(rest % 5)]++;
        sort_merge(items, scratch, 5, 1, byte_before, NULL);
        size_t at = 0;
        for (uint8_t v = 0; v < 5; v++)
            for (uint8_t k = 0; k < counts[v]; k++)
                assert_int_equal(items[at++], v);
    }
}

static void test_nothing_to_sort(void **state)
{
    (void)state;
    sort_merge(NULL, NULL, 0, 8, byte_before, NULL);
    sort_names(NULL, NULL, 0);
}

static void test_compare_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *a;
        size_t na;
        const char *b;
        size_t nb;
        int sign;
    } cases[] = {
        {"", 0, "", 0, 0},
        {"", 0, "a", 1, -1},
        {"a", 1, "b", 1, -1},
        {"a", 1, "a", 1, 0},
        {"a", 1, "ab", 2, -1},
        {"ab", 2, "b", 1, -1},
        {"z", 1, "\x80", 1, -1}, /* bytes are unsigned */
        {"\x7f", 1, "\xff", 1, -1},
        {"a", 1, "a\0", 2, -1},
        {"a\0", 2, "a\1", 2, -1},
        {"a\0b", 3, "a\0c", 3, -1},
        {"abcdefghi", 9, "abcdefghj", 9, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int order = sort_compare_bytes(cases[i].a, cases[i].na, cases[i].b, cases[i].nb);
        int back = sort_compare_bytes(cases[i].b, cases[i].nb, cases[i].a, cases[i].na);
        assert_int_equal((order > 0) - (order < 0), cases[i].sign);
        assert_int_equal((back > 0) - (back < 0), -cases[i].sign);
    }
    assert_int_equal(sort_compare_bytes(NULL, 0, NULL, 0), 0);
}

/* The oracle: bytes one by one; equal names stay in their order. */
static bool name_first(const struct sort_name *names, size_t ia, size_t ib)
{
    const struct sort_name *a = &names[ia], *b = &names[ib];
    for (uint32_t i = 0; i < a->n && i < b->n; i++)
        if (a->p[i] != b->p[i])
            return (uint8_t)a->p[i] < (uint8_t)b->p[i];
    return a->n != b->n ? a->n < b->n : ia < ib;
}

static void check_names(const struct sort_name *before, const struct sort_name *after, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t rank = 0;
        for (size_t k = 0; k < n; k++)
            rank += name_first(before, k, i);
        assert_int_equal(after[rank].index, before[i].index);
        assert_ptr_equal(after[rank].p, before[i].p);
        assert_int_equal(after[rank].n, before[i].n);
    }
}

/* Names of up to 12 letters from a small alphabet with the extremes: many are equal, many are prefixes of others, and
 * many differ only after the eighth byte. */
static void test_names(void **state)
{
    (void)state;
    static const char alphabet[] = {0, 1, 'a', 'a', 'a', 'b', '\x7f', '\x80', '\xff'};
    static char text[1000][12];
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s];
        struct sort_name *names = (struct sort_name *)block(n * sizeof *names);
        struct sort_name *before = (struct sort_name *)block(n * sizeof *names);
        struct sort_name *scratch = (struct sort_name *)block(n * sizeof *names);
        uint64_t random = s;
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < sizeof text[i]; k++)
                text[i][k] = k < 7 && i % 2 ? 'a' : alphabet[next_random(&random) % sizeof alphabet];
            /* The index distinguishes equal names; it descends, since it is no sort key. */
            before[i] = (struct sort_name){next_random(&random), text[i],
                                           (uint32_t)(next_random(&random) % 13), (uint32_t)(n - i)};
        }
        if (n)
            memcpy(names, before, n * sizeof *names);
        sort_names(names, scratch, n);
        check_names(before, names, n);
        free(scratch);
        free(before);
        free(names);
    }
}

/* More groups of equal beginnings than the sort keeps on its list. */
static void test_many_groups(void **state)
{
    (void)state;
    enum { GROUPS = 2500, EACH = 10, N = GROUPS * EACH };
    static char text[N][24];
    struct sort_name *names = (struct sort_name *)block(N * sizeof *names);
    struct sort_name *scratch = (struct sort_name *)block(N * sizeof *names);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t mixed = i * 7919 % N;
        snprintf(text[i], sizeof text[i], "%08ushared__%06u", mixed / EACH, mixed % EACH / 2);
        names[i] = (struct sort_name){0, text[i], (uint32_t)strlen(text[i]), i};
    }
    sort_names(names, scratch, N);
    for (size_t i = 1; i < N; i++) {
        int order = strcmp(names[i - 1].p, names[i].p);
        assert_true(order < 0 || (order == 0 && names[i - 1].index < names[i].index));
    }
    free(scratch);
    free(names);
}

/* Numbers of every width, against a count of the smaller ones. */
static void test_numbers(void **state)
{
    (void)state;
    static uint64_t numbers[500], before[500], scratch[500];
    uint64_t random = 1;
    for (unsigned shift = 0; shift < 64; shift += 9) {
        for (size_t i = 0; i < 500; i++)
            before[i] = numbers[i] = next_random(&random) >> shift;
        sort_numbers(numbers, scratch, 500);
        for (size_t i = 0; i < 500; i++) {
            size_t smaller = 0, equal = 0;
            for (size_t k = 0; k < 500; k++) {
                smaller += before[k] < numbers[i];
                equal += before[k] == numbers[i];
            }
            assert_in_range(i, smaller, smaller + equal - 1);
        }
    }
    sort_numbers(NULL, NULL, 0);
}

static void test_known_order(void **state)
{
    (void)state;
    static const char *const sorted[] = {"",         "B",         "_Z1av",     "_Z1avX",   "a", "ab",
                                         "abcdefgh", "abcdefgh0", "abcdefgha", "abcdefgi", "b", "\x7f",
                                         "\x80",     "\xc3\xa4",  "\xff",      "\xff\xff"};
    enum { N = sizeof sorted / sizeof *sorted };
    struct sort_name names[N], scratch[N];
    for (uint32_t i = 0; i < N; i++) {
        uint32_t k = i * 7 % N; /* mixed: 7 and 16 have no common divisor */
        names[i] = (struct sort_name){0, sorted[k], (uint32_t)strlen(sorted[k]), k};
    }
    sort_names(names, scratch, N);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(names[i].index, i);
}

TEST_FILE(sort)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),           cmocka_unit_test(test_every_permutation),
        cmocka_unit_test(test_nothing_to_sort), cmocka_unit_test(test_compare_bytes),
        cmocka_unit_test(test_names),           cmocka_unit_test(test_known_order),
        cmocka_unit_test(test_many_groups),     cmocka_unit_test(test_numbers),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "helpers/shared/fault.h"

struct id {
    uint64_t name, hash;
};

static uint32_t find(const struct hash_index *h, const struct id *ids, struct id want)
{
    uint64_t hash = hash_index_mix(h, want.name, want.hash);
    uint32_t e;
    HASH_INDEX_FIND(e, h, hash, ids[e].name == want.name && ids[e].hash == want.hash);
    return e;
}

static void fill_and_look_up(size_t n)
{
    struct id *ids = (struct id *)malloc(n * sizeof *ids);
    assert_non_null(ids);
    struct hash_index h = {0};
    for (size_t i = 0; i < n; i++) {
        /* Both orders of each pair of small numbers: (1, 2) and (2, 1) are different. */
        ids[i] = (struct id){i % 317, i / 317};
        assert_true(hash_index_reserve(&h, 1));
        assert_int_equal(find(&h, ids, ids[i]), HASH_INDEX_NONE);
        hash_index_add(&h, hash_index_mix(&h, ids[i].name, ids[i].hash), (uint32_t)i);
    }
    assert_int_equal(h.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(find(&h, ids, ids[i]), i);
        struct id absent = {ids[i].name + 317, ids[i].hash};
        assert_int_equal(find(&h, ids, absent), HASH_INDEX_NONE);
    }
    hash_index_free(&h);
    free(ids);
}

static void test_many(void **state)
{
    (void)state;
    fill_and_look_up(100000);
}

/* What is cleared keeps its memory, unless that is of a larger use before. */
static void test_clear(void **state)
{
    struct hash_index h = {0};
    (void)state;
    hash_index_clear(&h);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(hash_index_reserve(&h, i ? 100000 : 4));
        const uint64_t key = h.key, hash = hash_index_mix(&h, 7, 0);
        hash_index_add(&h, hash, 0);
        hash_index_clear(&h);
        assert_int_equal(h.slots == NULL, i);
        assert_int_equal(h.n, 0);
        assert_int_equal(h.key, key);
        size_t pos = hash_index_first(&h, hash);
        assert_int_equal(hash_index_next(&h, hash, &pos), HASH_INDEX_NONE);
    }
    hash_index_free(&h);
}

static void test_empty(void **state)
{
    (void)state;
    struct hash_index h = {0};
    struct id none = {1, 2};
    assert_int_equal(find(&h, NULL, none), HASH_INDEX_NONE); /* before anything was reserved */
    assert_true(hash_index_reserve(&h, 0));
    assert_int_equal(find(&h, NULL, none), HASH_INDEX_NONE);
    assert_int_equal(h.n, 0);
    hash_index_free(&h);
    hash_index_free(&h);
    assert_int_equal(find(&h, NULL, none), HASH_INDEX_NONE);
    assert_true(hash_index_reserve(&h, 1)); /* usable again */
    hash_index_add(&h, hash_index_mix(&h, 1, 2), 0);
    assert_int_equal(find(&h, &none, none), 0);
    hash_index_free(&h);
}

/* Each entry of a tag is given exactly once, also when the chain goes around the end of the slots and the table has
 * grown in between, and never one of another tag. */
static void test_equal_tags(void **state)
{
    (void)state;
    enum { N = 300 };
    static const uint64_t hashes[] = {
        0xffffffff00000000, /* begins at the last slot of every size */
        0x0000000000000000,
        0x0000000100000000,
        0x80000000ffffffff,
    };
    struct hash_index h = {0};
    for (uint32_t e = 0; e < N; e++) {
        assert_true(hash_index_reserve(&h, 1));
        hash_index_add(&h, hashes[e % 4] | (e % 4 == 3 ? 0 : e), e); /* the low half does not matter */
    }
    for (uint32_t k = 0; k < 4; k++) {
        bool seen[N] = {false};
        size_t count = 0;
        size_t pos = hash_index_first(&h, hashes[k]);
        for (uint32_t e; (e = hash_index_next(&h, hashes[k], &pos)) != HASH_INDEX_NONE; count++) {
            assert_in_range(e, 0, N - 1);
            assert_int_equal(e % 4, k);
            assert_false(seen[e]);
            seen[e] = true;
        }
        assert_int_equal(count, N / 4);
    }
    size_t pos = hash_index_first(&h, (uint64_t)2 << 32);
    assert_int_equal(hash_index_next(&h, (uint64_t)2 << 32, &pos), HASH_INDEX_NONE);
    hash_index_free(&h);
}

static void test_first_and_last_entry(void **state)
{
    (void)state;
    struct hash_index h = {0};
    assert_true(hash_index_reserve(&h, 2));
    hash_index_add(&h, 0, 0); /* the slot must differ from a free one */
    hash_index_add(&h, 0, UINT32_MAX - 1);
    size_t pos = hash_index_first(&h, 0);
    assert_int_equal(hash_index_next(&h, 0, &pos), 0);
    assert_int_equal(hash_index_next(&h, 0, &pos), UINT32_MAX - 1);
    assert_int_equal(hash_index_next(&h, 0, &pos), HASH_INDEX_NONE);
    hash_index_free(&h);
}

static void test_reserve(void **state)
{
    (void)state;
    struct hash_index h = {0};
    assert_true(hash_index_reserve(&h, 1000));
    assert_true(h.mask + 1 >= 2000); /* at most half full */
    assert_int_equal(h.mask & (h.mask + 1), 0);
    const uint64_t *slots = h.slots;
    uint64_t key = h.key;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(hash_index_reserve(&h, 1));
        hash_index_add(&h, hash_index_mix(&h, i, 0), i);
    }
    assert_ptr_equal(h.slots, slots);
    assert_int_equal(h.key, key); /* a new key would lose the entries */
    assert_true(hash_index_reserve(&h, 1000000));
    assert_int_equal(h.key, key);
    hash_index_free(&h);
}

static void test_reserve_too_much(void **state)
{
    (void)state;
    struct hash_index h = {0};
    static const size_t too_many[] = {SIZE_MAX, SIZE_MAX / 2, ((size_t)1 << 30) + 1, UINT32_MAX};
    fault_reset();
    for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++) {
        struct apf_error error;
        assert_false(hash_index_reserve(&h, too_many[i]));
        assert_int_equal(hash_index_error(&h, &error), APF_LIMIT);
        assert_int_equal(error.code, APF_LIMIT);
        assert_int_equal(error.found, too_many[i]);
        assert_int_equal(error.expected, (size_t)1 << 30);
    }
    assert_int_equal(fault_count(FAULT_MEMORY), 0);
    assert_true(hash_index_reserve(&h, 1));
    hash_index_add(&h, 0, 0);
    assert_false(hash_index_reserve(&h, SIZE_MAX)); /* the sum wraps to 0 */
    assert_int_equal(hash_index_error(&h, NULL), APF_LIMIT);
    assert_false(hash_index_reserve(&h, (size_t)1 << 30));
    assert_int_equal(hash_index_error(&h, NULL), APF_LIMIT);
    assert_true(hash_index_reserve(&h, 1));
    assert_int_equal(hash_index_error(&h, NULL), APF_NO_MEMORY); /* what failed was something else */
    hash_index_free(&h);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct hash_index h = {0};
    fault_fail(FAULT_MEMORY, 1, ENOMEM);
    assert_false(hash_index_reserve(&h, 1));
    assert_int_equal(hash_index_error(&h, NULL), APF_NO_MEMORY);
    assert_true(fault_hit());
    assert_null(h.slots);
    fault_reset();
    static struct id ids[8];
    assert_true(hash_index_reserve(&h, 8));
    for (uint32_t i = 0; i < 8; i++) {
        ids[i] = (struct id){i, ~(uint64_t)i};
        hash_index_add(&h, hash_index_mix(&h, ids[i].name, ids[i].hash), i);
    }
    fault_fail(FAULT_MEMORY, 1, ENOMEM);
    assert_false(hash_index_reserve(&h, 1));
    assert_true(fault_hit());
    assert_int_equal(h.n, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(find(&h, ids, ids[i]), i); /* nothing is lost */
    hash_index_free(&h);
}

static void test_keys_differ(void **state)
{
    (void)state;
    struct hash_index a = {0}, b = {0};
    assert_true(hash_index_reserve(&a, 1));
    assert_true(hash_index_reserve(&b, 1));
    assert_int_not_equal(a.key, 0);
    assert_int_not_equal(a.key, b.key);
    assert_int_not_equal(hash_index_mix(&a, 1, 2), hash_index_mix(&b, 1, 2));
    hash_index_free(&a);
    hash_index_free(&b);
}

static void test_without_random_bits(void **state)
{
    (void)state;
    fault_fail(FAULT_RANDOM, 1, EAGAIN);
    struct hash_index h = {0};
    assert_true(hash_index_reserve(&h, 1));
    assert_true(fault_hit());
    assert_int_not_equal(h.key, 0);
    hash_index_free(&h);
    fault_fail(FAULT_RANDOM, 1, EAGAIN);
    fill_and_look_up(1000);
    assert_true(fault_hit());
    fault_reset();
}

TEST_FILE(hash_index)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_clear),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_equal_tags),
        cmocka_unit_test(test_first_and_last_entry),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_reserve_too_much),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_keys_differ),
        cmocka_unit_test(test_without_random_bits),
    };
    return RUN_TESTS(tests);
}

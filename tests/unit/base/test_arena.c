/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "helpers/shared/fault.h"

static void test_zero_is_empty(void **state)
{
    (void)state;
    struct arena a = {0};
    arena_free(&a);
    arena_free(&a);
    assert_int_equal(a.used, 0);
    assert_null(a.chunks);
}

static void test_pieces(void **state)
{
    (void)state;
    enum { N = 5000 };
    static uint8_t *pieces[N];
    static size_t sizes[N];
    struct arena a = {0};
    uint64_t random = 1;
    for (size_t i = 0; i < N; i++) {
        /* Mostly small; each hundredth is larger than any chunk so far. */
        sizes[i] = (size_t)(next_random(&random) % (i % 100 ? 200 : 60000));
        pieces[i] = (uint8_t *)(i % 2 ? arena_alloc(&a, sizes[i]) : arena_bytes(&a, sizes[i]));
        assert_non_null(pieces[i]);
        if (i % 2)
            assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        memset(pieces[i], (int)(i % 251), sizes[i]);
    }
    size_t used = 0;
    for (size_t i = 0; i < N; i++) {
        used += sizes[i];
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(pieces[i][k], i % 251);
    }
    assert_in_range(a.used, used, used + 16 * N);
    arena_free(&a);
    assert_int_equal(a.used, 0);
    assert_null(a.p);
    assert_non_null(arena_alloc(&a, 1)); /* usable again */
    arena_free(&a);
}

static void test_zero_sizes_differ(void **state)
{
    (void)state;
    struct arena a = {0};
    void *p[6] = {arena_alloc(&a, 0), arena_alloc(&a, 0),    arena_bytes(&a, 0),
                  arena_bytes(&a, 0), arena_array(&a, 0, 8), arena_zeros(&a, 8, 0)};
    uint8_t *last = (uint8_t *)arena_bytes(&a, 1);
    for (size_t i = 0; i < 6; i++) {
        assert_non_null(p[i]);
        assert_ptr_not_equal(p[i], last);
        for (size_t k = 0; k < i; k++)
            assert_ptr_not_equal(p[i], p[k]);
    }
    arena_free(&a);
}

static void test_chunks_grow(void **state)
{
    (void)state;
    struct arena a = {0};
    fault_reset();
    for (size_t i = 0; i < ((size_t)64 << 20) / 16; i++)
        assert_non_null(arena_alloc(&a, 16));
    /* 1 KiB, four times as much each up to 1 MiB, from 2 MiB on 16 MiB: not one for each piece. */
    assert_int_equal(fault_count(FAULT_MEMORY), 7 + 4);
    assert_int_equal(a.used, (size_t)64 << 20);
    arena_free(&a);
}

static void test_splice(void **state)
{
    (void)state;
    struct arena to = {0}, from = {0}, empty = {0};
    char *mine = arena_text(&to, "mine", 4), *other = arena_text(&from, "other", 5);
    size_t used = to.used + from.used;
    arena_splice(&to, &from);
    arena_splice(&to, &empty);
    assert_int_equal(to.used, used);
    assert_int_equal(from.used, 0);
    assert_ptr_equal(arena_text(&to, "next", 4), mine + 5); /* the open chunk goes on */
    arena_free(&from);                                      /* nothing of it is left */
    assert_string_equal(other, "other");
    assert_non_null(arena_text(&from, "again", 5));
    arena_free(&from);
    assert_string_equal(mine, "mine");
    arena_splice(&empty, &to); /* into an empty one */
    assert_string_equal(other, "other");
    assert_null(to.chunks);
    arena_free(&empty);
}

static void test_rewind(void **state)
{
    (void)state;
    struct arena a = {0};
    char *kept = arena_text(&a, "kept", 4);
    struct arena_mark mark = arena_mark(&a);
    char *first = arena_text(&a, "in the same chunk", 17);
    arena_rewind(&a, mark);
    assert_ptr_equal(arena_text(&a, "again", 5), first);
    mark = arena_mark(&a);
    size_t used = a.used;
    assert_int_equal(used, 5 + 6);
    assert_non_null(arena_alloc(&a, (size_t)1 << 20)); /* one that stands alone */
    arena_rewind(&a, mark);
    assert_int_equal(a.used, used);
    /* After several new chunks the last one stays, and is used again. */
    for (size_t i = 0; i < 10000; i++)
        assert_non_null(arena_alloc(&a, 100));
    arena_rewind(&a, mark);
    size_t open = (size_t)(a.end - a.p);
    assert_in_range(open, (size_t)768 << 10, (size_t)1 << 20);
    fault_reset();
    memset(arena_alloc(&a, 100), 1, 100);
    for (size_t i = 100; i + 116 < open; i += 112)
        memset(arena_alloc(&a, 112), 1, 112);
    assert_int_equal(fault_count(FAULT_MEMORY), 0);
    assert_string_equal(kept, "kept");
    arena_free(&a);
    /* A size that repeatedly does not fit in a chunk allocates memory once. */
    kept = arena_text(&a, "kept", 4);
    fault_reset();
    for (size_t round = 0; round < 100; round++) {
        mark = arena_mark(&a);
        for (size_t i = 0; i < ((size_t)12 << 20) / 1024; i++)
            assert_non_null(arena_alloc(&a, 1024));
        assert_int_equal(a.used, 5 + ((size_t)12 << 20)); /* no gap where a chunk begins */
        arena_rewind(&a, mark);
    }
    assert_int_equal(fault_count(FAULT_MEMORY), 7);
    assert_string_equal(kept, "kept");
    arena_free(&a);
    mark = arena_mark(&a); /* of an empty one */
    assert_non_null(arena_alloc(&a, 5000));
    assert_non_null(arena_alloc(&a, 10));
    arena_rewind(&a, mark);
    assert_non_null(arena_alloc(&a, 10));
    arena_free(&a);
}

/* Repeated rewinding to the beginning: one chunk stays for reuse. */
static void test_rewind_to_nothing(void **state)
{
    (void)state;
    const struct arena_mark nothing = {0};
    struct arena a = {0};
    arena_rewind(&a, nothing);
    assert_non_null(arena_alloc(&a, 5000)); /* stands alone */
    arena_rewind(&a, nothing);
    assert_null(a.chunks);
    uint8_t *kept = NULL;
    for (unsigned round = 0; round < 5; round++) {
        uint8_t *first = (uint8_t *)arena_alloc(&a, 100), *last = first;
        for (unsigned i = 0; i < 1000; i++) {
            last = (uint8_t *)arena_alloc(&a, 100);
            memset(last, 1, 100);
        }
        assert_true(round == 0 || first == kept);
        arena_rewind(&a, nothing);
        assert_int_equal(a.used, 0);
        kept = a.p;
        assert_true(kept <= last && last < a.end); /* the newest chunk */
    }
    arena_free(&a);
}

static void test_large_one_stands_alone(void **state)
{
    (void)state;
    struct arena a = {0};
    uint8_t *first = (uint8_t *)arena_alloc(&a, 16);
    size_t before = a.used;
    uint8_t *large = (uint8_t *)arena_alloc(&a, (size_t)10 << 20);
    assert_non_null(large);
    assert_int_equal((uintptr_t)large % 16, 0);
    large[0] = large[((size_t)10 << 20) - 1] = 1;
    assert_int_equal((uintptr_t)large % ((size_t)2 << 20), 0); /* where a large page can begin */
    assert_int_equal(a.used - before, (size_t)10 << 20);
    assert_ptr_equal(arena_alloc(&a, 16), first + 16); /* the open chunk goes on */
    arena_free(&a);
}

static void test_overflow(void **state)
{
    (void)state;
    struct arena a = {0};
    /* volatile: the compiler would warn of sizes that no object can have. */
    volatile size_t most = SIZE_MAX, half = SIZE_MAX / 2 + 1;
    assert_null(arena_array(&a, most, 2));
    assert_null(arena_array(&a, half, 2)); /* wraps to 0 */
    assert_null(arena_zeros(&a, half, 4));
    assert_null(arena_alloc(&a, most));
    assert_null(arena_alloc(&a, most - 15));
    assert_null(arena_bytes(&a, most));
    assert_null(arena_text(&a, "", most));
    assert_int_equal(a.used, 0);
    assert_non_null(arena_alloc(&a, 8));
    assert_null(arena_alloc(&a, most)); /* also when a chunk is open */
    assert_null(arena_alloc(&a, most - 7));
    arena_free(&a);
}

static void test_zeros_and_text(void **state)
{
    (void)state;
    struct arena a = {0};
    memset(arena_alloc(&a, 1000), 0xff, 1000);
    uint32_t *zeros = (uint32_t *)arena_zeros(&a, 100, sizeof *zeros);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(zeros[i], 0);
    char *text = arena_text(&a, "a\0bc", 3);
    assert_memory_equal(text, "a\0b", 4);
    assert_string_equal(arena_text(&a, NULL, 0), "");
    uint64_t *array = (uint64_t *)arena_array(&a, 3, sizeof *array);
    assert_int_equal((uintptr_t)array % 16, 0);
    array[2] = 1;
    arena_free(&a);
}

static void test_adopt(void **state)
{
    (void)state;
    struct arena a = {0}, other = {0};
    uint8_t *small = malloc(100), *large = malloc(100000), *larger = malloc(200000);
    assert_true(small && large && larger);
    arena_adopt(&a, small, 100); /* freed: too small to be of use */
    assert_null(a.chunks);
    arena_adopt(&a, large, 100000);
    uint8_t *first = arena_bytes(&a, 1000);
    assert_in_range((uintptr_t)first, (uintptr_t)large, (uintptr_t)large + 99000);
    arena_adopt(&other, larger, 200000);
    arena_splice(&a, &other); /* the larger free part is that of `other` */
    uint8_t *second = arena_bytes(&a, 150000);
    assert_in_range((uintptr_t)second, (uintptr_t)larger, (uintptr_t)larger + 50000);
    memset(first, 1, 1000);
    memset(second, 2, 150000);
    uint8_t *tiny = malloc(2000);
    assert_non_null(tiny);
    arena_adopt(&a, tiny, 2000); /* the open chunk stays open */
    assert_ptr_equal(arena_bytes(&a, 1), second + 150000);
    arena_free(&a);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct arena a = {0};
    fault_fail(FAULT_MEMORY, 1, ENOMEM);
    assert_null(arena_alloc(&a, 16));
    assert_true(fault_hit());
    assert_int_equal(a.used, 0);
    fault_reset();
    uint8_t *p = (uint8_t *)arena_alloc(&a, 16);
    assert_non_null(p);
    fault_fail(FAULT_MEMORY, 1, ENOMEM);
    assert_null(arena_zeros(&a, 1, 100000));
    assert_true(fault_hit());
    assert_ptr_equal(arena_alloc(&a, 16), p + 16); /* what was there is as it was */
    fault_fail(FAULT_MEMORY, 1, ENOMEM);
    assert_null(arena_text(&a, p, 100000));
    fault_reset();
    arena_free(&a);
}

TEST_FILE(arena)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero_is_empty),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_zero_sizes_differ),
        cmocka_unit_test(test_chunks_grow),
        cmocka_unit_test(test_splice),
        cmocka_unit_test(test_rewind),
        cmocka_unit_test(test_rewind_to_nothing),
        cmocka_unit_test(test_large_one_stands_alone),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_zeros_and_text),
        cmocka_unit_test(test_adopt),
        cmocka_unit_test(test_no_memory),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <errno.h>

#include "base/vec.h"
#include "helpers/shared/fault.h"

static void test_push(void **state)
{
    (void)state;
    VEC(uint64_t) v = {0};
    fault_reset();
    for (uint64_t i = 0; i < 100000; i++)
        assert_true(VEC_PUSH(&v, i * i));
    assert_int_equal(v.n, 100000);
    assert_true(v.capacity >= v.n);
    assert_true(v.capacity <= 2 * v.n);
    assert_in_range(fault_count(FAULT_MEMORY), 10, 40); /* grows by half, not by one */
    for (uint64_t i = 0; i < 100000; i++)
        assert_int_equal(v.data[i], i * i);
    VEC_FREE(&v);
    assert_null(v.data);
    assert_int_equal(v.n, 0);
    assert_int_equal(v.capacity, 0);
    assert_true(VEC_PUSH(&v, 1)); /* usable again */
    VEC_FREE(&v);
    VEC_FREE(&v);
}

static void test_reserve(void **state)
{
    (void)state;
    VEC(uint32_t) v = {0};
    size_t none = 0;
    assert_true(VEC_RESERVE(&v, none)); /* needs nothing */
    assert_null(v.data);
    assert_true(VEC_RESERVE(&v, 1000));
    assert_int_equal(v.n, 0);
    assert_true(v.capacity >= 1000);
    fault_fail(FAULT_MEMORY, 1, ENOMEM); /* none of the pushes asks for memory */
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(VEC_PUSH(&v, i));
    assert_false(fault_hit());
    fault_reset();
    VEC_FREE(&v);
}

static void test_first_capacity(void **state)
{
    (void)state;
    VEC(char) v = {0};
    assert_true(VEC_PUSH(&v, 'a'));
    assert_int_equal(v.capacity, 8);
    for (int i = 0; i < 8; i++)
        assert_true(VEC_PUSH(&v, 'b'));
    assert_int_equal(v.capacity, 12);
    VEC_FREE(&v);
}

struct wide {
    uint64_t words[8];
};

static void test_limits(void **state)
{
    (void)state;
    VEC(struct wide) v = {0};
    assert_true(VEC_PUSH(&v, ((struct wide){{1, 2, 3, 4, 5, 6, 7, 8}})));
    struct wide *data = v.data;
    size_t capacity = v.capacity;
    fault_reset();
    static const size_t too_many[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 64, SIZE_MAX / 2 + 1,
                                      VEC_MAX_BYTES / 64};
    for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++) {
        assert_false(VEC_RESERVE(&v, too_many[i]));
        assert_int_equal(v.n, 1);
        assert_int_equal(v.capacity, capacity);
        assert_ptr_equal(v.data, data);
    }
    assert_int_equal(fault_count(FAULT_MEMORY), 0); /* refused before asking */
    VEC_FREE(&v);
}

/* The last growth goes to the limit, not beyond it. */
static void test_growth_ends_at_the_limit(void **state)
{
    (void)state;
    void *data = NULL;
    size_t capacity = VEC_MAX_BYTES / 8 - 1;
    fault_fail(FAULT_MEMORY, 1, ENOMEM);
    assert_false(vec_grow(&data, &capacity, capacity, 1, 8));
    assert_true(fault_hit()); /* allowed, though there is no such memory */
    assert_int_equal(capacity, VEC_MAX_BYTES / 8 - 1);
    fault_reset();
    assert_false(vec_grow(&data, &capacity, VEC_MAX_BYTES / 8, 1, 8));
    assert_int_equal(fault_count(FAULT_MEMORY), 0);
}

static void test_failed_growth_changes_nothing(void **state)
{
    (void)state;
    VEC(uint16_t) v = {0};
    fault_fail(FAULT_MEMORY, 1, ENOMEM);
    assert_false(VEC_PUSH(&v, 1));
    assert_true(fault_hit());
    assert_null(v.data);
    assert_int_equal(v.n, 0);
    assert_int_equal(v.capacity, 0);
    fault_reset();
    for (uint16_t i = 0; i < 8; i++)
        assert_true(VEC_PUSH(&v, i));
    uint16_t *data = v.data;
    fault_fail(FAULT_MEMORY, 1, ENOMEM);
    assert_false(VEC_PUSH(&v, 8));
    assert_true(fault_hit());
    assert_ptr_equal(v.data, data);
    assert_int_equal(v.n, 8);
    assert_int_equal(v.capacity, 8);
    for (uint16_t i = 0; i < 8; i++)
        assert_int_equal(v.data[i], i);
    assert_true(VEC_PUSH(&v, 8)); /* and it can go on */
    assert_int_equal(v.data[8], 8);
    VEC_FREE(&v);
}

TEST_FILE(vec)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_first_capacity),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_growth_ends_at_the_limit),
        cmocka_unit_test(test_failed_growth_changes_nothing),
    };
    return RUN_TESTS(tests);
}

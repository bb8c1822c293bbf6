/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <stdio.h>
#include <string.h>

#include "instr/model/symbols.h"

static void push(struct symbols *s, uint64_t id, const char *name, uint32_t number)
{
    struct apf_error error;
    uint32_t entry = 0;
    assert_int_equal(symbols_push(s, id, name, strlen(name), &entry, &error), APF_OK);
    assert_int_equal(entry, number);
}

static void check_name(const struct symbols *s, uint64_t id, const char *name)
{
    struct apf_str found = symbols_name(s, id);
    assert_int_equal(found.n, strlen(name));
    assert_memory_equal(found.p, name, found.n);
}

static void test_pushed_names_are_found(void **state)
{
    (void)state;
    struct symbols s = {0};
    struct apf_error error;
    char name[16];
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "f%u", (unsigned)i);
        push(&s, 7919u * (uint64_t)i, name, i);
    }
    assert_int_equal(symbols_index(&s, &error), APF_OK);
    assert_int_equal(symbols_index(&s, &error), APF_OK); /* nothing to do */
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(symbols_find(&s, 7919u * (uint64_t)i), i);
    assert_int_equal(symbols_find(&s, 1), HASH_INDEX_NONE);
    check_name(&s, 7919u * 999u, "f999");
    symbols_free(&s);
}

static void test_more_after_the_index(void **state)
{
    (void)state;
    struct symbols s = {0};
    struct apf_error error;
    uint32_t entry = 0;
    push(&s, 1, "one", 0);
    assert_int_equal(symbols_index(&s, &error), APF_OK);
    assert_int_equal(symbols_add_id(&s, 2, "two", 3, true, &entry, &error), APF_OK);
    assert_int_equal(entry, 1);
    push(&s, 3, "three", 2);
    assert_int_equal(symbols_index(&s, &error), APF_OK);
    assert_int_equal(symbols_find(&s, 1), 0);
    assert_int_equal(symbols_find(&s, 2), 1);
    assert_int_equal(symbols_find(&s, 3), 2);
    symbols_free(&s);
}

static void test_equal_and_colliding_names(void **state)
{
    (void)state;
    struct symbols s = {0};
    struct apf_error error;
    push(&s, 5, "same", 0);
    push(&s, 5, "same", 1);
    push(&s, 6, "next", 2);
    assert_int_equal(symbols_index(&s, &error), APF_OK);
    assert_int_equal(symbols_find(&s, 5), 0); /* the first */
    assert_int_equal(symbols_find(&s, 6), 2);
    push(&s, 5, "other", 3);
    assert_int_equal(symbols_index(&s, &error), APF_MALFORMED);
    assert_string_equal(error.where, "names");
    symbols_free(&s);
}

static void test_hints(void **state)
{
    (void)state;
    struct symbols s = {0};
    struct apf_error error;
    push(&s, 10, "a", 0);
    push(&s, 11, "b", 1);
    assert_int_equal(symbols_index(&s, &error), APF_OK);
    assert_int_equal(symbols_find_near(&s, 11, 1), 1);
    assert_int_equal(symbols_find_near(&s, 11, 0), 1); /* a wrong one does no harm */
    assert_int_equal(symbols_find_near(&s, 10, 2), 0); /* after the last */
    assert_int_equal(symbols_find_near(&s, 10, HASH_INDEX_NONE), 0);
    assert_int_equal(symbols_find_near(&s, 12, 0), HASH_INDEX_NONE);
    symbols_free(&s);
}

TEST_FILE(symbols)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pushed_names_are_found),
        cmocka_unit_test(test_more_after_the_index),
        cmocka_unit_test(test_equal_and_colliding_names),
        cmocka_unit_test(test_hints),
    };
    return RUN_TESTS(tests);
}

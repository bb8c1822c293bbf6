/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers of texts: those of any bytes, which are copied, and stay. */
#include <stdio.h>

#include "base/text_set.h"
#include "helpers/shared/unit.h"

static uint32_t add(struct text_set *set, const char *bytes, size_t n)
{
    uint32_t number = HASH_INDEX_NONE;
    assert_int_equal(text_set_add(set, (struct apf_str){bytes, n}, &number, NULL), APF_OK);
    return number;
}

static void test_numbers(void **state)
{
    struct text_set set = {.list = {NULL, 0, 0}};
    char text[] = "first";
    (void)state;
    assert_int_equal(text_set_find(&set, (struct apf_str){"first", 5}), HASH_INDEX_NONE);
    assert_int_equal(add(&set, text, 5), 0);
    assert_int_equal(add(&set, NULL, 0), 1);
    assert_int_equal(add(&set, "a\0b", 3), 2);
    assert_int_equal(add(&set, "a\0c", 3), 3);
    text[0] = 'x'; /* the set has a copy */
    assert_int_equal(add(&set, "first", 5), 0);
    assert_int_equal(add(&set, "", 0), 1);
    assert_int_equal(add(&set, "a\0b", 3), 2);
    assert_int_equal(set.list.n, 4);
    assert_string_equal(set.list.data[0].p, "first");
    assert_string_equal(set.list.data[1].p, "");
    assert_int_equal(text_set_find(&set, (struct apf_str){"a\0c", 3}), 3);
    assert_int_equal(text_set_find(&set, (struct apf_str){"a", 1}), HASH_INDEX_NONE);
    text_set_free(&set);
    assert_int_equal(add(&set, "again", 5), 0);
    text_set_free(&set);
}

/* The list moves only for a new text: callers hand it out. */
static void test_list(void **state)
{
    struct text_set set = {.list = {NULL, 0, 0}};
    char text[16];
    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        const int n = snprintf(text, sizeof text, "%u", i);
        assert_int_equal(add(&set, text, (size_t)n), i);
        const struct apf_str *list = set.list.data;
        assert_int_equal(add(&set, "0", 1), 0);
        assert_ptr_equal(set.list.data, list);
    }
    text_set_free(&set);
}

/* The numbers stay when the table and the memory grow. */
static void test_many(void **state)
{
    struct text_set set = {.list = {NULL, 0, 0}};
    char text[16];
    (void)state;
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 20000; i++) {
            const int n = snprintf(text, sizeof text, "%u", i * 7919u);
            assert_int_equal(add(&set, text, (size_t)n), i);
        }
    assert_int_equal(set.list.n, 20000);
    assert_string_equal(set.list.data[3].p, "23757");
    text_set_free(&set);
}

TEST_FILE(text_set)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_list),
                                       cmocka_unit_test(test_many)};
    return RUN_TESTS(tests);
}

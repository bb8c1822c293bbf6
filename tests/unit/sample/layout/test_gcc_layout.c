/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layouts that a version word may mean. */
#include <string.h>

#include "sample/layout/gcc_layout.h"

#include "helpers/shared/unit.h"

static void check_candidates(uint32_t word, bool summary, const char *expected)
{
    char names[64] = "";
    size_t n;
    const struct gcc_layout *list = gcc_layout_candidates(word, summary, &n);
    for (size_t i = 0; i < n; i++) {
        strcat(names, i ? " " : "");
        strcat(names, list[i].name);
        strcat(names, list[i].caps & GCC_CAP_MISLABELLED ? "!" : "");
        assert_int_equal(list[i].word, word);
    }
    assert_string_equal(names, expected);
    assert_true((list == NULL) == (n == 0));
}

static void test_candidates(void **state)
{
    (void)state;
    check_candidates(1, false, "1");
    check_candidates(2, false, "2 1!");
    check_candidates(3, false, "3a");
    check_candidates(3, true, "3 3b");
    check_candidates(GCC_WORD_704, false, "704 2! 3a!");
    check_candidates(GCC_WORD_704, true, "3! 3b!");
    /* No such file exists: what the word means fails at the tag. */
    check_candidates(1, true, "1");
    check_candidates(2, true, "2");
    check_candidates(0, false, "");
    check_candidates(4, true, "");
}

static void test_names(void **state)
{
    static const char *const names[] = {"1", "704", "2", "3a", "3b", "3"};
    static const uint32_t words[] = {1, 0x3430372a, 2, 3, 3, 3};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct gcc_layout *layout = gcc_layout_named(names[i]);
        assert_non_null(layout);
        assert_string_equal(layout->name, names[i]);
        assert_int_equal(layout->word, words[i]);
        assert_int_equal(layout->caps & GCC_CAP_MISLABELLED, 0);
    }
    assert_null(gcc_layout_named("4"));
    assert_null(gcc_layout_named(""));
    assert_int_equal(gcc_layout_newest(), 3);
}

TEST_FILE(gcc_layout)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_names),
    };
    return RUN_TESTS(tests);
}

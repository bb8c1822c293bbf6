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

/* What the releases refuse that read a layout under its own version word, and nothing under another one. */
static void test_refusals(void **state)
{
    static const struct {
        const char *name;
        uint32_t refusals;
    } rows[] = {
        {"1", GCC_CAP_NEEDS_MODULES | GCC_CAP_NEEDS_WORKING_SET},
        {"704", 0},
        {"2", GCC_CAP_NO_NAME_0},
        {"3a", GCC_CAP_NO_NAME_0 | GCC_CAP_NEEDS_MODULES | GCC_CAP_NO_REPEATS | GCC_CAP_DEVELOPMENT},
        {"3b", GCC_CAP_NO_NAME_0 | GCC_CAP_NEEDS_MODULES | GCC_CAP_NO_REPEATS | GCC_CAP_DEVELOPMENT},
        {"3", GCC_CAP_NO_NAME_0 | GCC_CAP_NEEDS_MODULES | GCC_CAP_NO_REPEATS},
    };
    const uint32_t all = GCC_CAP_NO_NAME_0 | GCC_CAP_NEEDS_MODULES | GCC_CAP_NEEDS_WORKING_SET |
                         GCC_CAP_NO_REPEATS | GCC_CAP_DEVELOPMENT;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(gcc_layout_named(rows[i].name)->caps & all, rows[i].refusals);
    for (int summary = 0; summary < 2; summary++) {
        size_t n;
        const struct gcc_layout *list = gcc_layout_candidates(GCC_WORD_704, summary != 0, &n);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(list[i].caps & all, 0);
    }
}

TEST_FILE(gcc_layout)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_refusals),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which files are sample profiles as text. */
#include "helpers/shared/unit.h"

#include <stdlib.h>
#include <string.h>

#include "sample/text/sample_text_read.h"

static void test_begins(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool begins;
    } cases[] = {
        {"foo:1:2\n", true},
        {"foo:1:2", true},
        {"\n#c\n\r\nfoo:1:2\n", true},
        {"[a:1 @ b]:1:2\r\n", true},
        {"ns::A<int, 3>::f(int):50:6\n", true},
        {"123\n", true},
        {"123\n 1: 2\n", true},
        {":5\n", true},
        {"", false},
        {"\n", false},
        {"# c\n", false},
        {" foo:1:2\n", false},
        {"  \nfoo:1:2\n", false},
        {" # c\nfoo:1:2\n", false},
        {"foo\n", false},
        {"foo:1\n", false},
        {"foo:1:x\n", false},
        {"foo:1:18446744073709551616\n", false},
        {"foo:1:2 \n", false},
        {"foo::2\n", false},
        /* instrumentation profiles */
        {":ir\nfoo\n1\n1\n5\n", false},
        {"# IR level Instrumentation Flag\n:ir\nfoo:1:2\n1\n1\n5\n", false},
        {"foo\n# Func Hash:\n10\n# Num Counters:\n1\n", false},
        {"a.c:foo\n10\n1\n5\n", false},
        {"123\n# Func Hash:\n10\n# Num Counters:\n1\n", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(sample_text_begins((const uint8_t *)cases[i].text, strlen(cases[i].text)),
                         cases[i].begins);
    static const char magic[] = "adcg*704\0";
    assert_false(sample_text_begins((const uint8_t *)magic, sizeof magic));
}

/* A line of any length is read, but only the first bytes decide what a file is. */
static void test_long_first_line(void **state)
{
    (void)state;
    size_t n = SAMPLE_TEXT_SNIFFED_BYTES + 100;
    char *text = (char *)malloc(n);
    const struct sample_read_options options = {.max_records = 9, .max_depth = 9};
    struct apf_sample *s = sample_new();
    assert_non_null(text);
    memset(text, 'x', n);
    memcpy(text + n - 5, ":5:6\n", 5);
    assert_false(sample_text_begins((const uint8_t *)text, n));
    assert_int_equal(sample_text_read(s, (const uint8_t *)text, n, &options, NULL), APF_OK);
    sample_free(s);
    assert_true(sample_text_begins((const uint8_t *)text + 200, n - 200));
    memcpy(text + 50, ":5:6\n", 5);
    assert_true(sample_text_begins((const uint8_t *)text, n));
    free(text);
}

TEST_FILE(sample_text_begins)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begins),
        cmocka_unit_test(test_long_first_line),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Markers in comments: which lines, and which branches, they leave out. */
#include <stdio.h>
#include <string.h>

#include "cov/exclusions.h"
#include "helpers/shared/unit.h"

static void expect_ranges(const struct line_ranges *got, const char *text)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&buffer);
    struct file_out *out;
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    line_ranges_write(out, got->list.data, got->list.n);
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    assert_int_equal(buffer.n, strlen(text));
    if (buffer.n)
        assert_memory_equal(buffer.data, text, buffer.n);
    apf_buffer_free(&buffer);
}

static void expect(const char *text, const char *lines, const char *branches)
{
    const struct source_text source = {.there = true, .bytes = {text, strlen(text)}};
    struct excluded_lines e = {.lines = {{NULL, 0, 0}}};
    assert_true(excluded_lines_find(&e, &source));
    expect_ranges(&e.lines, lines);
    expect_ranges(&e.branches, branches);
    excluded_lines_free(&e);
}

static void test_markers(void **state)
{
    (void)state;
    expect("", "", "");
    expect("a\nb\n", "", "");
    expect("a // LCOV_EXCL_LINE\nb\nc /* GCOVR_EXCL_LINE */", "1, 3", "");
    expect("a\n// LCOV_EXCL_START\nb\nc\n// LCOV_EXCL_STOP\nd\n", "2-4", "");
    expect("a\n// GCOV_EXCL_START\nb\n", "2-3", ""); /* to the end */
    expect("a // LCOV_EXCL_BR_LINE\n// LCOV_EXCL_BR_START\nb\n// LCOV_EXCL_BR_STOP\nc\n", "", "1-3");
    expect("// LCOV_EXCL_STOP LCOV_EXCL_START\nb LCOV_EXCL_LINE\n", "1-2", "");
    expect("XCOV_EXCL_LINE\n_EXCL_LINE\nLCOV_EXCL_\nLCOV_EXCL", "", "");
}

/* Expects markers without counterparts, as "1 START, 3 BR_STOP". */
static void expect_unpaired(const char *text, const char *wanted)
{
    const struct source_text source = {.there = true, .bytes = {text, strlen(text)}};
    struct excluded_lines e = {.lines = {{NULL, 0, 0}}};
    char got[200] = "";
    assert_true(excluded_lines_find(&e, &source));
    for (size_t i = 0; i < e.unpaired.n; i++) {
        const struct unpaired_marker *m = &e.unpaired.data[i];
        const size_t n = strlen(got);
        snprintf(got + n, sizeof got - n, "%s%d %s%s", i ? ", " : "", (int)m->line, m->branches ? "BR_" : "",
                 m->stops ? "STOP" : "START");
    }
    assert_string_equal(got, wanted);
    excluded_lines_free(&e);
}

static void test_unpaired(void **state)
{
    (void)state;
    expect_unpaired("LCOV_EXCL_START\nLCOV_EXCL_STOP\nLCOV_EXCL_LINE\n", "");
    expect_unpaired("a\nLCOV_EXCL_START\n", "2 START");
    expect_unpaired("a\nLCOV_EXCL_STOP LCOV_EXCL_START\n", "2 STOP, 2 START");
    expect_unpaired("LCOV_EXCL_START\nLCOV_EXCL_START\nLCOV_EXCL_STOP\n", "1 START");
    expect_unpaired("LCOV_EXCL_BR_START\nLCOV_EXCL_START\nLCOV_EXCL_BR_STOP\n", "2 START");
    expect_unpaired("LCOV_EXCL_START\nLCOV_EXCL_BR_START\nLCOV_EXCL_STOP\nLCOV_EXCL_BR_STOP\n", "");
    expect_unpaired(
        "LCOV_EXCL_START\nLCOV_EXCL_BR_STOP\nLCOV_EXCL_BR_START\nLCOV_EXCL_STOP\nLCOV_EXCL_STOP\n",
        "2 BR_STOP, 3 BR_START, 5 STOP");
}

static void test_find(void **state)
{
    struct line_ranges r = {.list = {NULL, 0, 0}};
    (void)state;
    assert_null(line_ranges_find(&r, 1));
    for (uint64_t line = 1; line < 100; line++)
        assert_true(line % 10 < 3 || line_ranges_add(&r, 0, line));
    for (uint64_t line = 1; line < 120; line++) {
        const struct line_range *found = line_ranges_find(&r, line);
        assert_int_equal(found != NULL, line < 100 && line % 10 >= 3);
        assert_true(!found || (found->first <= line && line <= found->last));
    }
    VEC_FREE(&r.list);
}

TEST_FILE(exclusions)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_markers), cmocka_unit_test(test_unpaired),
                                       cmocka_unit_test(test_find)};
    return RUN_TESTS(tests);
}

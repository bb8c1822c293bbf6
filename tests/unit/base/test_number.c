/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <string.h>

#include "base/number.h"
#include "base/text_scan.h"

struct number_case {
    const char *text;
    bool ok;
    uint64_t value;
};

#define UNTOUCHED 0xdeadbeefdeadbeefu

static void check(bool (*parse)(const char *, size_t, uint64_t *), const struct number_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t v = UNTOUCHED;
        bool ok = parse(cases[i].text, strlen(cases[i].text), &v);
        if (ok != cases[i].ok || v != (ok ? cases[i].value : UNTOUCHED))
            fail_msg("\"%s\": %d, %llu", cases[i].text, ok, (unsigned long long)v);
    }
}

static void test_decimal(void **state)
{
    (void)state;
    static const struct number_case cases[] = {
        {"", false, 0},
        {"0", true, 0},
        {"00", true, 0},
        {"7", true, 7},
        {"0123", true, 123},
        {"00000000000000000000000000000001", true, 1},
        {"18446744073709551615", true, UINT64_MAX},
        {"018446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0}, /* the addition wraps */
        {"18446744073709551620", false, 0}, /* the multiplication wraps */
        {"99999999999999999999", false, 0},
        {"100000000000000000000", false, 0},
        {"184467440737095516150", false, 0},
        {"+1", false, 0},
        {"-1", false, 0},
        {"-0", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1\n", false, 0},
        {"1\r", false, 0},
        {"\t1", false, 0},
        {"1_000", false, 0},
        {"1,000", false, 0},
        {"1.0", false, 0},
        {"1e3", false, 0},
        {"a", false, 0},
        {"1a", false, 0},
        {"0x1", false, 0},
        {"/", false, 0},
        {":", false, 0},
        {"\xd9\xa1", false, 0}, /* an Arabic 1 */
    };
    check(number_decimal, cases, sizeof cases / sizeof *cases);
}

static void test_auto(void **state)
{
    (void)state;
    static const struct number_case cases[] = {
        {"", false, 0},
        {"0", true, 0},
        {"9", true, 9},
        {"1234567890", true, 1234567890},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"0x0", true, 0},
        {"0x", false, 0},
        {"0X", false, 0},
        {"0xffffffffffffffff", true, UINT64_MAX},
        {"0XFFFFFFFFFFFFFFFF", true, UINT64_MAX},
        {"0x5cF8c24cDb18bDaC", true, 0x5cf8c24cdb18bdac},
        {"0x00000000000000000000000000ff", true, 255},
        {"0x10000000000000000", false, 0},
        {"0xg", false, 0},
        {"0x-1", false, 0},
        {"0x 1", false, 0},
        {"0x0x1", false, 0},
        {"0b", false, 0},
        {"0B", false, 0},
        {"0b0", true, 0},
        {"0b101", true, 5},
        {"0B11", true, 3},
        {"0b1111111111111111111111111111111111111111111111111111111111111111", true, UINT64_MAX},
        {"0b10000000000000000000000000000000000000000000000000000000000000000", false, 0},
        {"0b2", false, 0},
        {"0o17", true, 15},
        {"0o", false, 0},
        {"0o8", false, 0},
        {"0O17", false, 0}, /* LLVM knows only the small letter */
        {"017", true, 15},
        {"00", true, 0},
        {"000", true, 0},
        {"08", false, 0},
        {"019", false, 0},
        {"01777777777777777777777", true, UINT64_MAX},
        {"02000000000000000000000", false, 0},
        {"0a", false, 0},
        {"0 ", false, 0},
        {"1a", false, 0},
        {"ff", false, 0},
        {"-0x1", false, 0},
        {"+1", false, 0},
        {" 0x1", false, 0},
    };
    check(number_auto, cases, sizeof cases / sizeof *cases);
}

static void test_length_is_a_limit(void **state)
{
    (void)state;
    uint64_t v = 0;
    assert_true(number_decimal("1234", 2, &v));
    assert_int_equal(v, 12);
    assert_true(number_auto("0xabc", 3, &v));
    assert_int_equal(v, 10);
    assert_true(number_auto("0x", 1, &v));
    assert_int_equal(v, 0);
    assert_false(number_decimal("1\0002", 3, &v));
    assert_false(number_decimal(NULL, 0, &v));
    assert_false(number_auto(NULL, 0, &v));
}

static void test_text_is_found(void **state)
{
    (void)state;
    static const char line[] = "ababc abc";
    struct text_scan at = {line, line + sizeof line - 1};
    assert_true(scan_after(&at, "abc"));
    assert_ptr_equal(at.p, line + 5);
    assert_true(scan_after(&at, "abc"));
    assert_true(scan_at_end(&at));
    assert_false(scan_after(&at, "c"));
    at.p = line;
    at.end = line + 4; /* a text that goes on after the end is not there */
    assert_false(scan_after(&at, "abc"));
    assert_ptr_equal(at.p, line);
}

static void test_end_is_trimmed(void **state)
{
    (void)state;
    static const char line[] = "a b \t\r ";
    struct text_scan at = {line, line + sizeof line - 1}, blank = {line + 3, line + sizeof line - 1};
    scan_trim(&at);
    assert_ptr_equal(at.end, line + 3);
    scan_trim(&blank);
    assert_true(scan_at_end(&blank));
}

TEST_FILE(number)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimal),           cmocka_unit_test(test_auto),
        cmocka_unit_test(test_length_is_a_limit), cmocka_unit_test(test_text_is_found),
        cmocka_unit_test(test_end_is_trimmed),
    };
    return RUN_TESTS(tests);
}

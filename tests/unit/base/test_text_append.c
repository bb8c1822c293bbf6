/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/text_append.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/shared/unit.h"

static void check_number(uint64_t v)
{
    char decimal[32], hex[32];
    uint8_t text[DECIMAL_MAX];
    size_t n = (size_t)snprintf(decimal, sizeof decimal, "%" PRIu64, v);
    assert_int_equal(decimal_digits(v), n);
    assert_int_equal(decimal_store(text, v), n);
    assert_memory_equal(text, decimal, n);
    n = (size_t)snprintf(hex, sizeof hex, "%" PRIx64, v);
    assert_int_equal(hex_digits(v), n);
    assert_int_equal(hex_store(text, v), n);
    assert_memory_equal(text, hex, n);
}

static void test_numbers(void **state)
{
    (void)state;
    uint64_t power = 1, random = 3;
    for (unsigned i = 0; i < 20; i++, power *= 10)
        for (uint64_t d = 0; d < 3; d++)
            check_number(power - 1 + d);
    for (unsigned i = 0; i < 64; i++) {
        check_number((uint64_t)1 << i);
        check_number(((uint64_t)1 << i) - 1);
        check_number(next_random(&random) >> i);
    }
    check_number(UINT64_MAX);
}

/* The written text, as a string in a buffer of the caller. */
static void test_columns(void **state)
{
    (void)state;
    static const char odd[] = "a\tb\x7f\x01"
                              "c\xc3\xa9";
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct file_out *out;
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    text_decimal(out, 7, 3);
    text_hex(out, 0xabc, 2);
    text_append(out, "|");
    text_blanks(out, 0);
    text_share(out, 1, 3, 4);
    text_share(out, 0, 0, 0);
    text_share(out, 2, 2, 0);
    text_share(out, UINT64_MAX, UINT64_MAX, 0);
    text_append(out, "|");
    text_name(out, (struct apf_str){odd, sizeof odd - 1});
    text_name(out, (struct apf_str){NULL, 0});
    text_blanks(out, 130);
    text_append(out, "|");
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    static const char expected[] = "  7abc|  33.30.0100.0100.0|a\\x09b\\x7f\\x01c\xc3\xa9";
    assert_int_equal(buffer.n, sizeof expected - 1 + 131);
    assert_memory_equal(buffer.data, expected, sizeof expected - 1);
    for (size_t i = 0; i < 130; i++)
        assert_int_equal(((char *)buffer.data)[sizeof expected - 1 + i], ' ');
    apf_buffer_free(&buffer);
}

/* Writes the name after `before` other characters, which decide in which of the words that are looked at it is. */
static void check_name(const char *name, const char *expected, size_t before)
{
    char given[64], wanted[64];
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct file_out *out;
    snprintf(given, sizeof given, "%.*s%s", (int)before, "abcdefghijklmnopqrst", name);
    snprintf(wanted, sizeof wanted, "%.*s%s", (int)before, "abcdefghijklmnopqrst", expected);
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    text_name(out, (struct apf_str){given, strlen(given)});
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    assert_int_equal(buffer.n, strlen(wanted));
    assert_memory_equal(buffer.data, wanted, buffer.n);
    apf_buffer_free(&buffer);
    char escaped[64];
    size_t length = apf_text_escape((struct apf_str){given, strlen(given)}, escaped, sizeof escaped);
    assert_int_equal(length, strlen(wanted));
    assert_string_equal(escaped, wanted);
}

/* What a terminal obeys is escaped, its neighbours and unfinished characters are not. */
static void test_names(void **state)
{
    static const char *const names[][2] = {{"\xc2\x9b\x33\x31m", "\\xc2\\x9b31m"},
                                           {"\xc2\x80\xc2\x9f\xc2\xa0", "\\xc2\\x80\\xc2\\x9f\xc2\xa0"},
                                           {"\xe2\x80\x8d\xe2\x80\x8e", "\xe2\x80\x8d\\xe2\\x80\\x8e"},
                                           {"\xe2\x80\x8f\xe2\x80\x90", "\\xe2\\x80\\x8f\xe2\x80\x90"},
                                           {"\xe2\x80\xa9\xe2\x80\xaa", "\xe2\x80\xa9\\xe2\\x80\\xaa"},
                                           {"\xe2\x80\xae\xe2\x80\xaf", "\\xe2\\x80\\xae\xe2\x80\xaf"},
                                           {"\xe2\x81\xa5\xe2\x81\xa6", "\xe2\x81\xa5\\xe2\\x81\\xa6"},
                                           {"\xe2\x81\xa9\xe2\x81\xaa", "\\xe2\\x81\\xa9\xe2\x81\xaa"},
                                           {"\xd8\x9b\xd8\x9c\xd8\x9d", "\xd8\x9b\\xd8\\x9c\xd8\x9d"},
                                           {"\xc2", "\xc2"},
                                           {"\xd8", "\xd8"},
                                           {"\xe2\x80", "\xe2\x80"},
                                           {"\x9b", "\x9b"},
                                           {"\xe4\xb8\xad\xc3\x9b", "\xe4\xb8\xad\xc3\x9b"}};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t before = 0; before < 20; before++)
            check_name(names[i][0], names[i][1], before);
}

/* A text is cut before the first character that does not fit, and its whole length is returned. */
static void test_cut(void **state)
{
    static const struct apf_str text = {"ab\tc", 4};
    static const char *const kept[] = {"", "", "a", "ab", "ab", "ab", "ab", "ab\\x09", "ab\\x09c"};
    char to[16];
    (void)state;
    for (size_t size = 0; size < COUNT(kept); size++) {
        memset(to, 'z', sizeof to);
        assert_int_equal(apf_text_escape(text, to, size), 7);
        if (size)
            assert_string_equal(to, kept[size]);
        assert_int_equal(to[size], 'z');
    }
}

TEST_FILE(text_append)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_names), cmocka_unit_test(test_cut)};
    return RUN_TESTS(tests);
}

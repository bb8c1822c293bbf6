/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strings of any bytes in JSON. */
#include "helpers/shared/json_written.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static struct json_written written;

/* A string with these bytes gives that text between the quotes, as a value and as a key. */
static void check_string(const char *bytes, size_t n, const char *want)
{
    char text[512];
    json_written_begin(&written, 0);
    json_bytes(&written.w, bytes, n);
    snprintf(text, sizeof text, "\"%s\"\n", want);
    json_written_check(&written, text);
    json_written_begin(&written, 0);
    json_object_begin(&written.w);
    json_key_bytes(&written.w, bytes, n);
    json_u64(&written.w, 1);
    json_object_end(&written.w);
    snprintf(text, sizeof text, "{\"%s\":1}\n", want);
    json_written_check(&written, text);
}

static void test_escapes(void **state)
{
    (void)state;
    check_string("", 0, "");
    check_string(NULL, 0, "");
    check_string("plain /text/ <main>", 19, "plain /text/ <main>");
    check_string("\"", 1, "\\\"");
    check_string("\\", 1, "\\\\");
    check_string("a\"b\\c", 5, "a\\\"b\\\\c");
    check_string("\\udc80", 6, "\\\\udc80"); /* text that looks like an escape */
    check_string("\0", 1, "\\u0000");
    check_string("a\0b", 3, "a\\u0000b");
    check_string("\n\r\t\b\f\x1b\x1f", 7, "\\u000a\\u000d\\u0009\\u0008\\u000c\\u001b\\u001f");
    check_string(" ~\x7f", 3, " ~\\u007f");
    check_string("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", 8, "\\u0080\\u009b\\u009f\xc2\xa0");
    check_string("\xd8\x9c\xe2\x80\xae\xe2\x81\xa6_", 9, "\\u061c\\u202e\\u2066_"); /* marks of direction */
}

static void test_utf8(void **state)
{
    (void)state;
    static const char *const kept[] = {
        "\xc3\xa4",         "\xc2\xa0",       "\xdf\xbf",         "\xe0\xa0\x80",     "\xe2\x82\xac",
        "\xec\xbf\xbf",     "\xed\x80\x80",   "\xed\x9f\xbf", /* the last one below the surrogates */
        "\xee\x80\x80",     "\xef\xbf\xbf",   "\xf0\x90\x80\x80", "\xf0\x9f\x98\x80", "\xf3\xbf\xbf\xbf",
        "\xf4\x8f\xbf\xbf", "a\xe2\x80\xa8_", /* a line separator is plain text in JSON */
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        check_string(kept[i], strlen(kept[i]), kept[i]);
}

static void test_other_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *want;
    } cases[] = {
        {"\x80", "\\udc80"},
        {"\xff\xfe", "\\udcff\\udcfe"},
        {"a\xe4_", "a\\udce4_"},   /* Latin-1 */
        {"\xc3", "\\udcc3"},       /* cut off */
        {"\xc3\"", "\\udcc3\\\""}, /* what follows is not swallowed */
        {"\xe2\x82", "\\udce2\\udc82"},
        {"\xe2\x82z", "\\udce2\\udc82z"},
        {"\xf0\x9f\x98", "\\udcf0\\udc9f\\udc98"},
        {"\xf0\x9f\x98\xc3\xa4", "\\udcf0\\udc9f\\udc98\xc3\xa4"},
        {"\xc0\x80", "\\udcc0\\udc80"}, /* longer than need be */
        {"\xc1\xbf", "\\udcc1\\udcbf"},
        {"\xe0\x9f\xbf", "\\udce0\\udc9f\\udcbf"},
        {"\xf0\x8f\xbf\xbf", "\\udcf0\\udc8f\\udcbf\\udcbf"},
        {"\xed\xa0\x80", "\\udced\\udca0\\udc80"}, /* a surrogate: U+D800 ... */
        {"\xed\xb2\x80", "\\udced\\udcb2\\udc80"}, /* ... and U+DC80, the escape itself */
        {"\xed\xbf\xbf", "\\udced\\udcbf\\udcbf"},
        {"\xf4\x90\x80\x80", "\\udcf4\\udc90\\udc80\\udc80"}, /* above U+10FFFF */
        {"\xf5\x80\x80\x80", "\\udcf5\\udc80\\udc80\\udc80"},
        {"\xf8\x88\x80\x80\x80", "\\udcf8\\udc88\\udc80\\udc80\\udc80"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_string(cases[i].bytes, strlen(cases[i].bytes), cases[i].want);
}

/* The string for readers that refuse lone surrogates: without the bytes that need them. */
static void test_text(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *want;
        bool is_text;
    } cases[] = {
        {"", "", true},
        {"a\"b", "a\\\"b", true},
        {"\xc3\xa4\x1b", "\xc3\xa4\\u001b", true},
        {"\xef\xbf\xbd", "\xef\xbf\xbd", true}, /* U+FFFD itself */
        {"a\xe4_", "a\\ufffd_", false},
        {"\xe2\x82", "\\ufffd\\ufffd", false},
        {"\xed\xb2\x80", "\\ufffd\\ufffd\\ufffd", false},
        {"good\xff", "good\\ufffd", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        size_t n = strlen(cases[i].bytes);
        json_written_begin(&written, 0);
        json_array_begin(&written.w);
        json_text(&written.w, cases[i].bytes, n);
        json_bytes(&written.w, "\xff", 1); /* the next one is not changed by it */
        json_object_begin(&written.w);
        json_key_text(&written.w, cases[i].bytes, n);
        json_bytes(&written.w, "\xff", 1);
        json_object_end(&written.w);
        json_array_end(&written.w);
        snprintf(text, sizeof text, "[\"%s\",\"\\udcff\",{\"%s\":\"\\udcff\"}]\n", cases[i].want,
                 cases[i].want);
        json_written_check(&written, text);
        assert_true(utf8_valid((struct apf_str){cases[i].bytes, n}) == cases[i].is_text);
    }
    assert_true(utf8_valid((struct apf_str){NULL, 0}));
}

static void test_digits(void **state)
{
    (void)state;
    json_written_begin(&written, 0);
    json_array_begin(&written.w);
    json_digits(&written.w, NULL, 0);
    json_digits(&written.w, "\0\x1f\xa0\xff", 4);
    json_array_end(&written.w);
    json_written_check(&written, "[\"\",\"001fa0ff\"]\n");
    json_written_begin(&written, 0);
    json_object_begin(&written.w);
    json_digits(&written.w, "\0", 1);
    json_written_misused(&written, "a value without a key");
}

static unsigned hex_value(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Converts the text of a string back to bytes, by the rules in json_write.h. */
static size_t unescape(uint8_t *out, const char *text, size_t n)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] != '\\') {
            out[m++] = (uint8_t)text[i];
        } else if (text[i + 1] != 'u') {
            out[m++] = (uint8_t)text[++i];
        } else {
            unsigned v = 0;
            for (size_t k = 2; k < 6; k++)
                v = v * 16 + hex_value(text[i + k]);
            i += 5;
            bool is_byte = v >= 0xdc00;
            if (v >= 0x800 && !is_byte)
                out[m++] = (uint8_t)(0xe0 | v >> 12);
            if (v >= 0x80 && !is_byte)
                out[m++] = (uint8_t)(v < 0x800 ? 0xc0 | v >> 6 : 0x80 | (v >> 6 & 0x3f));
            out[m++] = (uint8_t)(is_byte ? v - 0xdc00 : v < 0x80 ? v : 0x80 | (v & 0x3f));
        }
    }
    return m;
}

/* Every string of up to two bytes, and many longer ones made of the bytes at which the rules change. */
static void test_reversible(void **state)
{
    (void)state;
    static const uint8_t edges[] = {0,    0x1f, 0x20, '"',  '\\', 'u',  0x7f, 0x80, 0x8f,
                                    0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe2,
                                    0xed, 0xef, 0xf0, 0xf3, 0xf4, 0xf5, 0xff};
    uint64_t random = 1;
    for (unsigned i = 0; i < 65536 + 50000; i++) {
        uint8_t bytes[8], back[64];
        size_t n = 2;
        bytes[0] = (uint8_t)(i >> 8);
        bytes[1] = (uint8_t)i;
        if (i >= 65536) {
            n = (size_t)(next_random(&random) % 9);
            for (size_t k = 0; k < n; k++)
                bytes[k] = edges[next_random(&random) % sizeof edges];
        }
        json_written_begin(&written, 0);
        json_bytes(&written.w, bytes, n);
        assert_int_equal(json_finish(&written.w, NULL), APF_OK);
        const char *text = (const char *)written.text.data;
        for (size_t k = 0; k + 1 < written.text.n; k++)
            assert_true((uint8_t)text[k] >= 0x20 && text[k] != 0x7f);
        assert_int_equal(unescape(back, text + 1, written.text.n - 3), n);
        if (n)
            assert_memory_equal(back, bytes, n);
    }
    apf_buffer_free(&written.text);
}

static void test_long_string(void **state)
{
    (void)state;
    static char text[20000];
    memset(text, 'x', sizeof text);
    json_written_begin(&written, 0);
    json_bytes(&written.w, text, sizeof text);
    assert_int_equal(json_finish(&written.w, NULL), APF_OK);
    assert_int_equal(written.text.n, sizeof text + 3);
    assert_memory_equal((const char *)written.text.data + 1, text, sizeof text);
    apf_buffer_free(&written.text);
}

TEST_FILE(json_strings)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escapes),     cmocka_unit_test(test_utf8),   cmocka_unit_test(test_other_bytes),
        cmocka_unit_test(test_text),        cmocka_unit_test(test_digits), cmocka_unit_test(test_reversible),
        cmocka_unit_test(test_long_string),
    };
    return RUN_TESTS(tests);
}

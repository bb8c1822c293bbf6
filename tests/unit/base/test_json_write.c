/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "base/utf8.h"

static struct apf_buffer got;
static struct json_writer w;

static void begin(unsigned indent)
{
    apf_buffer_free(&got);
    json_start(&w, apf_buffer_write, &got, indent);
}

static void check_text(const char *want, size_t n)
{
    struct apf_error e;
    assert_false(json_failed(&w));
    assert_int_equal(json_finish(&w, &e), APF_OK);
    if (got.n != n || memcmp(got.data, want, n) != 0)
        fail_msg("got  %.*s\nwant %.*s", (int)got.n, (const char *)got.data, (int)n, want);
    apf_buffer_free(&got);
}

static void check(const char *want)
{
    check_text(want, strlen(want));
}

static void check_misused(const char *what)
{
    struct apf_error e;
    char message[240];
    assert_true(json_failed(&w));
    assert_int_equal(json_finish(&w, &e), APF_ARGUMENT);
    assert_int_equal(e.code, APF_ARGUMENT);
    assert_string_equal(e.where, "json.structure");
    snprintf(message, sizeof message, "invalid argument: %s", what);
    assert_string_equal(e.message, message);
    apf_buffer_free(&got);
}

static void write_sample(void)
{
    json_object_begin(&w);
    json_key(&w, "schema");
    json_cstring(&w, "anyprof.report");
    json_key(&w, "empty object");
    json_object_begin(&w);
    json_object_end(&w);
    json_key(&w, "empty array");
    json_array_begin(&w);
    json_array_end(&w);
    json_key(&w, "list");
    json_array_begin(&w);
    json_u64(&w, 1);
    json_i64(&w, -2);
    json_hex(&w, 0x5cf8c24cdb18bdac);
    json_array_begin(&w);
    json_bool(&w, true);
    json_bool(&w, false);
    json_array_end(&w);
    json_object_begin(&w);
    json_key(&w, "a");
    json_none(&w);
    json_key(&w, "b");
    json_double(&w, 0.25);
    json_object_end(&w);
    json_array_end(&w);
    json_key(&w, "last");
    json_u64(&w, 0);
    json_object_end(&w);
}

static void test_compact(void **state)
{
    (void)state;
    begin(0);
    write_sample();
    check("{\"schema\":\"anyprof.report\",\"empty object\":{},\"empty array\":[],"
          "\"list\":[1,-2,\"0x5cf8c24cdb18bdac\",[true,false],{\"a\":null,\"b\":0.25}],\"last\":0}\n");
}

static void test_indented(void **state)
{
    (void)state;
    begin(2);
    write_sample();
    check("{\n"
          "  \"schema\": \"anyprof.report\",\n"
          "  \"empty object\": {},\n"
          "  \"empty array\": [],\n"
          "  \"list\": [\n"
          "    1,\n"
          "    -2,\n"
          "    \"0x5cf8c24cdb18bdac\",\n"
          "    [\n"
          "      true,\n"
          "      false\n"
          "    ],\n"
          "    {\n"
          "      \"a\": null,\n"
          "      \"b\": 0.25\n"
          "    }\n"
          "  ],\n"
          "  \"last\": 0\n"
          "}\n");
}

/* Entries of long lists stand on one line, with all that is in them. */
static void write_lines(unsigned indent)
{
    begin(indent);
    json_array_begin(&w);
    for (unsigned i = 0; i < 2; i++) {
        json_line_object(&w);
        json_key(&w, "i");
        json_u64(&w, i);
        json_key(&w, "list");
        json_array_begin(&w);
        json_u64(&w, 1);
        json_line_object(&w);
        json_object_end(&w);
        json_array_end(&w);
        json_object_end(&w);
    }
    json_array_begin(&w);
    json_none(&w);
    json_array_end(&w);
    json_array_end(&w);
}

static void test_lines(void **state)
{
    (void)state;
    write_lines(2);
    check("[\n"
          "  {\"i\": 0, \"list\": [1, {}]},\n"
          "  {\"i\": 1, \"list\": [1, {}]},\n"
          "  [\n"
          "    null\n"
          "  ]\n"
          "]\n");
    write_lines(0);
    check("[{\"i\":0,\"list\":[1,{}]},{\"i\":1,\"list\":[1,{}]},[null]]\n");
}

static void test_single_values(void **state)
{
    (void)state;
    begin(0);
    json_none(&w);
    check("null\n");
    begin(4);
    json_array_begin(&w);
    json_array_end(&w);
    check("[]\n");
    begin(4);
    json_object_begin(&w);
    json_object_end(&w);
    check("{}\n");
    begin(4);
    json_cstring(&w, "");
    check("\"\"\n");
}

static void test_numbers(void **state)
{
    (void)state;
    begin(0);
    json_array_begin(&w);
    json_u64(&w, 0);
    json_u64(&w, 9007199254740993);
    json_u64(&w, INT64_MAX);
    json_u64(&w, (uint64_t)INT64_MAX + 1);
    json_u64(&w, UINT64_MAX);
    json_i64(&w, 0);
    json_i64(&w, INT64_MAX);
    json_i64(&w, -1);
    json_i64(&w, INT64_MIN);
    json_hex(&w, 0);
    json_hex(&w, 0xabcdef0123456789);
    json_hex(&w, UINT64_MAX);
    json_array_end(&w);
    check("[0,9007199254740993,9223372036854775807,\"9223372036854775808\",\"18446744073709551615\","
          "0,9223372036854775807,-1,-9223372036854775808,"
          "\"0x0\",\"0xabcdef0123456789\",\"0xffffffffffffffff\"]\n");
    begin(0);
    json_array_begin(&w);
    json_double(&w, 0);
    json_double(&w, -0.0);
    json_double(&w, 1.0 / 3);
    json_double(&w, 1e300);
    json_double(&w, -5e-324);
    json_array_end(&w);
    check("[0,-0,0.3333333333333333,1e+300,-5e-324]\n");
}

/* A string with these bytes gives that text between the quotes, as a value and as a key. */
static void check_string(const char *bytes, size_t n, const char *want)
{
    char text[512];
    begin(0);
    json_bytes(&w, bytes, n);
    snprintf(text, sizeof text, "\"%s\"\n", want);
    check(text);
    begin(0);
    json_object_begin(&w);
    json_key_bytes(&w, bytes, n);
    json_u64(&w, 1);
    json_object_end(&w);
    snprintf(text, sizeof text, "{\"%s\":1}\n", want);
    check(text);
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

/* For readers that refuse lone surrogates: the same, but for those bytes. */
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
        char text[64];
        size_t n = strlen(cases[i].bytes);
        begin(0);
        json_array_begin(&w);
        json_text(&w, cases[i].bytes, n);
        json_bytes(&w, "\xff", 1); /* the next one is not changed by it */
        json_array_end(&w);
        snprintf(text, sizeof text, "[\"%s\",\"\\udcff\"]\n", cases[i].want);
        check(text);
        assert_true(utf8_valid((struct apf_str){cases[i].bytes, n}) == cases[i].is_text);
    }
    assert_true(utf8_valid((struct apf_str){NULL, 0}));
}

static void test_digits(void **state)
{
    (void)state;
    begin(0);
    json_array_begin(&w);
    json_digits(&w, NULL, 0);
    json_digits(&w, "\0\x1f\xa0\xff", 4);
    json_array_end(&w);
    check("[\"\",\"001fa0ff\"]\n");
    begin(0);
    json_object_begin(&w);
    json_digits(&w, "\0", 1);
    check_misused("a value without a key");
}

static unsigned hex_value(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* What a reader does: the text of one string back to bytes, by the rules in json_write.h. */
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
            if (v >= 0x80 && v < 0x100)
                out[m++] = (uint8_t)(0xc0 | v >> 6);
            out[m++] = (uint8_t)(v >= 0xdc00 ? v - 0xdc00 : v < 0x80 ? v : 0x80 | (v & 0x3f));
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
        begin(0);
        json_bytes(&w, bytes, n);
        assert_int_equal(json_finish(&w, NULL), APF_OK);
        const char *text = (const char *)got.data;
        for (size_t k = 0; k + 1 < got.n; k++)
            assert_true((uint8_t)text[k] >= 0x20 && text[k] != 0x7f);
        assert_int_equal(unescape(back, text + 1, got.n - 3), n);
        if (n)
            assert_memory_equal(back, bytes, n);
    }
    apf_buffer_free(&got);
}

static void open_levels(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (i % 3 == 0) {
            json_array_begin(&w);
        } else {
            json_object_begin(&w);
            json_key(&w, "k");
        }
    }
}

static void test_depth(void **state)
{
    (void)state;
    /* All 64 levels, of mixed kinds, remembered correctly. */
    begin(0);
    open_levels(JSON_MAX_DEPTH);
    assert_int_equal(w.depth, 64);
    json_none(&w);
    for (unsigned i = JSON_MAX_DEPTH; i-- > 0;) {
        if (i % 3 == 0)
            json_array_end(&w);
        else
            json_object_end(&w);
        assert_false(json_failed(&w));
    }
    assert_int_equal(json_finish(&w, NULL), APF_OK);
    size_t arrays = 0, objects = 0, closed = 0;
    for (size_t i = 0; i < got.n; i++) {
        char c = ((const char *)got.data)[i];
        arrays += c == '[';
        objects += c == '{';
        closed += c == ']' || c == '}';
    }
    assert_int_equal(arrays, 22);
    assert_int_equal(objects, 42);
    assert_int_equal(closed, 64);

    struct apf_error e;
    for (int object = 0; object <= 1; object++) {
        begin(0);
        open_levels(JSON_MAX_DEPTH);
        if (object)
            json_object_begin(&w);
        else
            json_array_begin(&w);
        assert_true(json_failed(&w));
        json_array_end(&w);
        assert_int_equal(json_finish(&w, &e), APF_LIMIT);
        assert_int_equal(e.code, APF_LIMIT);
        assert_int_equal(e.found, 65);
        assert_int_equal(e.expected, 64);
        assert_string_equal(e.where, "json.depth");
    }
    apf_buffer_free(&got);
}

static void test_misuse(void **state)
{
    (void)state;
    begin(0);
    assert_int_equal(json_finish(&w, NULL), APF_ARGUMENT); /* NULL: the code alone */
    begin(0);
    struct apf_error e;
    assert_int_equal(json_finish(&w, &e), APF_ARGUMENT);
    assert_string_equal(e.message, "invalid argument: an empty document");

    begin(0);
    json_object_begin(&w);
    json_u64(&w, 1);
    check_misused("a value without a key");
    begin(0);
    json_object_begin(&w);
    json_array_begin(&w);
    check_misused("a value without a key");
    begin(0);
    json_object_begin(&w);
    json_key(&w, "a");
    json_key(&w, "b");
    check_misused("a key without a value");
    begin(0);
    json_object_begin(&w);
    json_key(&w, "a");
    json_object_end(&w);
    check_misused("a key without a value");
    begin(0);
    json_key(&w, "a");
    check_misused("a key outside of an object");
    begin(0);
    json_array_begin(&w);
    json_key(&w, "a");
    check_misused("a key outside of an object");
    begin(0);
    json_array_begin(&w);
    json_object_end(&w);
    check_misused("an end without its beginning");
    begin(0);
    json_object_begin(&w);
    json_array_end(&w);
    check_misused("an end without its beginning");
    begin(0);
    json_array_end(&w);
    check_misused("an end without its beginning");
    begin(0);
    json_u64(&w, 1);
    json_u64(&w, 2);
    check_misused("a second document");
    begin(0);
    json_object_begin(&w);
    json_object_end(&w);
    json_object_begin(&w);
    check_misused("a second document");
    begin(0);
    json_array_begin(&w);
    assert_int_equal(json_finish(&w, &e), APF_ARGUMENT);
    assert_string_equal(e.message, "invalid argument: a document that does not end");

    static const double bad[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin(0);
        json_array_begin(&w);
        json_double(&w, bad[i]);
        check_misused("a number that is not finite");
    }
}

static void test_first_failure_stays(void **state)
{
    (void)state;
    begin(0);
    json_array_begin(&w);
    json_key(&w, "wrong");
    size_t n = w.n;
    write_sample();
    json_double(&w, (double)NAN);
    json_array_end(&w);
    assert_int_equal(w.n, n); /* nothing is written any more */
    check_misused("a key outside of an object");
}

struct counter {
    uint64_t bytes, calls, fail_at;
    size_t largest;
};

static int count(void *user, const void *p, size_t n)
{
    struct counter *c = (struct counter *)user;
    (void)p;
    c->bytes += n;
    if (n > c->largest)
        c->largest = n;
    return ++c->calls == c->fail_at ? EDQUOT : 0;
}

/* Much text through a small buffer: an array of n equal objects. */
static void write_many(struct counter *c, uint64_t n)
{
    json_start(&w, count, c, 0);
    json_array_begin(&w);
    for (uint64_t i = 0; i < n && !json_failed(&w); i++) {
        json_object_begin(&w);
        json_key(&w, "guid");
        json_hex(&w, 0x1234567890abcdef);
        json_object_end(&w);
    }
    json_array_end(&w);
}

static void test_much(void **state)
{
    (void)state;
    struct counter c = {0, 0, 0, 0};
    write_many(&c, 1000000);
    assert_int_equal(json_finish(&w, NULL), APF_OK);
    assert_int_equal(c.bytes,
                     1000000u * 30 - 1 + 3); /* {"guid":"0x1234567890abcdef"} and commas; [, ] and \n */
    assert_int_equal(c.largest, sizeof w.buffer);
    assert_int_equal(c.calls, (c.bytes + sizeof w.buffer - 1) / sizeof w.buffer);
}

static void test_long_string(void **state)
{
    (void)state;
    static char text[20000];
    memset(text, 'x', sizeof text);
    begin(0);
    json_bytes(&w, text, sizeof text);
    assert_int_equal(json_finish(&w, NULL), APF_OK);
    assert_int_equal(got.n, sizeof text + 3);
    assert_memory_equal((const char *)got.data + 1, text, sizeof text);
    apf_buffer_free(&got);
}

static void test_write_fails(void **state)
{
    (void)state;
    for (uint64_t k = 1; k <= 4; k++) {
        struct counter c = {0, 0, k, 0};
        struct apf_error e;
        write_many(&c, 450); /* three buffers and a rest */
        assert_int_equal(json_failed(&w), k < 4);
        assert_int_equal(json_finish(&w, &e), APF_IO);
        assert_int_equal(e.code, APF_IO);
        assert_int_equal(e.sys_errno, EDQUOT);
        assert_string_equal(e.where, "json.write");
        assert_int_equal(c.calls, k); /* never called again */
    }
}

TEST_FILE(json_write)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compact),     cmocka_unit_test(test_indented),
        cmocka_unit_test(test_lines),       cmocka_unit_test(test_single_values),
        cmocka_unit_test(test_numbers),     cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_utf8),        cmocka_unit_test(test_other_bytes),
        cmocka_unit_test(test_text),        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_reversible),  cmocka_unit_test(test_depth),
        cmocka_unit_test(test_misuse),      cmocka_unit_test(test_first_failure_stays),
        cmocka_unit_test(test_much),        cmocka_unit_test(test_long_string),
        cmocka_unit_test(test_write_fails),
    };
    return RUN_TESTS(tests);
}

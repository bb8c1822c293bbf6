/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reader of JSON: accepted documents, and line, column and reason of each refusal. */
#include "helpers/shared/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_fields.h"
#include "base/json_read.h"
#include "base/json_write.h"

static struct json_reader r;
static struct apf_error error;

static void begin(const char *text, size_t n)
{
    memset(&error, 0, sizeof error);
    json_read_start(&r, text, n, &error);
}

/* The first string of an array. */
static void check_string(const char *json, const char *want, size_t n)
{
    begin(json, strlen(json));
    json_read_array(&r);
    assert_true(json_read_more(&r));
    struct apf_str got = json_read_string(&r);
    if (json_read_failed(&r) || got.n != n || memcmp(got.p, want, n) != 0)
        fail_msg("%s: %s, got %.*s", json, error.message, (int)got.n, got.p);
    assert_false(json_read_more(&r));
    assert_int_equal(json_read_finish(&r), APF_OK);
}

static void test_strings(void **state)
{
    (void)state;
    check_string("[\"\"]", "", 0);
    check_string(" [ \"plain\" ]\n", "plain", 5);
    check_string("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "\"\\/\b\f\n\r\t", 8);
    check_string("[\"a\\u0041b\\u00e9\\u20AC\\ud83d\\ude00c\"]",
                 "aAb\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"
                 "c",
                 13);
    check_string("[\"x\\u0000y\"]", "x\0y", 3);
    check_string("[\"\\udc80\\udcff\"]", "\x80\xff", 2);
    check_string("[\"\xc3\xa9\"]", "\xc3\xa9", 2);
}

/* Strings of every byte and pair of bytes survive writing by json_write.h and reading. */
static void test_all_bytes(void **state)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct json_writer w;
    uint8_t bytes[3];
    (void)state;
    for (unsigned i = 0; i < 0x10000; i++) {
        bytes[0] = (uint8_t)(i >> 8);
        bytes[1] = (uint8_t)i;
        bytes[2] = (uint8_t)(i * 7);
        out.n = 0;
        json_start(&w, apf_buffer_write, &out, 0);
        json_bytes(&w, bytes, 3);
        assert_int_equal(json_finish(&w, NULL), APF_OK);
        begin(out.data, out.n);
        struct apf_str got = json_read_string(&r);
        assert_int_equal(got.n, 3);
        assert_memory_equal(got.p, bytes, 3);
        assert_int_equal(json_read_finish(&r), APF_OK);
    }
    apf_buffer_free(&out);
}

static void check_number(const char *json, uint64_t want)
{
    begin(json, strlen(json));
    uint64_t got = json_read_u64(&r, UINT64_MAX);
    assert_int_equal(json_read_finish(&r), APF_OK);
    assert_true(got == want);
}

static void test_numbers(void **state)
{
    (void)state;
    check_number("0", 0);
    check_number("18446744073709551615", UINT64_MAX);
    check_number("\"18446744073709551615\"", UINT64_MAX);
    check_number("\"0xFfffffffffffffff\"", UINT64_MAX);
    check_number(" \"0x0\" ", 0);
}

static void test_signed_numbers(void **state)
{
    static const struct {
        const char *json;
        int64_t want;
    } good[] = {{"0", 0},
                {"-0", 0},
                {"-1", -1},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"\"-0x8000000000000000\"", INT64_MIN},
                {"\"0x7fffffffffffffff\"", INT64_MAX},
                {"\"-17\"", -17}};
    static const char *const bad[] = {"9223372036854775808",
                                      "-9223372036854775809",
                                      "\"0x8000000000000000\"",
                                      "-1.5",
                                      "\"--1\"",
                                      "\"-\"",
                                      "\"\"",

                                      "1e3",
                                      "true"};
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        begin(good[i].json, strlen(good[i].json));
        assert_true(json_read_i64(&r) == good[i].want);
        assert_int_equal(json_read_finish(&r), APF_OK);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        begin(bad[i], strlen(bad[i]));
        assert_int_equal(json_read_i64(&r), 0);
        assert_int_equal(json_read_finish(&r), APF_BAD_JSON);
        assert_int_equal(error.column, 1);
    }
}

#define POINT_KEYS(KEY)                                                                                      \
    KEY(points, x) KEY(points, y) KEY(points, name) KEY(points, on) KEY(points, of) KEY(points, in)
JSON_KEYS(point_keys, POINT_KEYS);

static void begin_fields(struct json_fields *f, const char *json)
{
    begin(json, strlen(json));
    json_fields_read(f, &r, point_keys);
    (void)json_read_finish(&r);
}

/* Fields in any order, among unknown ones; missing and null fields keep their defaults. */
static void test_fields(void **state)
{
    struct arena arena = {0};
    struct json_fields f, inner;
    (void)state;
    begin_fields(&f, " {\"on\": true, \"z\": [{\"x\": 9}], \"name\": \"a\\u0000b\", \"of\": [3, 4],"
                     "\"y\": \"-0x2\", \"x\" : 7, \"in\": {\"y\": 1, \"x\": null} }");
    assert_int_equal(json_fields_u64(&f, points_x, 7), 7);
    assert_int_equal(json_fields_i64(&f, points_y), -2);
    assert_true(json_fields_flag(&f, points_on));
    struct apf_str name = json_fields_text(&f, points_name, &arena);
    assert_true(json_fields_list(&f, points_of));
    for (uint64_t i = 3; json_read_more(&r); i++)
        assert_int_equal(json_read_u64(&r, UINT64_MAX), i);
    json_fields_object(&f, points_in, &inner, point_keys);
    assert_int_equal(json_fields_u64(&inner, points_y, 1), 1);
    assert_false(json_fields_has(&inner, points_x));
    assert_int_equal(json_fields_u64_or(&inner, points_x, 1, 5), 5);
    assert_false(json_fields_flag(&inner, points_on));
    assert_false(json_fields_list(&inner, points_of));
    assert_int_equal(json_fields_text(&inner, points_name, NULL).n, 0);
    json_fields_object(&inner, points_in, &inner, point_keys);
    assert_false(json_fields_has(&inner, points_y));
    assert_int_equal(json_fields_u64(&f, points_x, 7), 7); /* a second time */
    assert_int_equal(r.code, APF_OK);
    assert_int_equal(name.n, 3);
    assert_memory_equal(name.p, "a\0b", 3);
    VEC_FREE(&r.text);
    arena_free(&arena);
}

static void test_wrong_fields(void **state)
{
    struct json_fields f;
    (void)state;
    begin_fields(&f, "{\"x\": null, \"z\": 1, \"z\": 2, \"x\": 1}");
    assert_string_equal(error.message,
                        "JSON with an error: this key occurs twice [line 1, column 29, json.points.x]");
    begin_fields(&f, "[]");
    assert_string_equal(error.message, "JSON with an error: an object was expected [line 1, column 1, json]");
    assert_int_equal(json_fields_u64(&f, points_x, 7), 0);
    begin_fields(&f, "\n {\"y\": 8}");
    assert_int_equal(r.code, APF_OK);
    assert_int_equal(json_fields_u64(&f, points_y, 7), 0);
    assert_string_equal(error.message,
                        "JSON with an error: the number is too large [line 2, column 8, json.points.y]");
    begin_fields(&f, "\n {\"y\": 8}");
    assert_int_equal(json_fields_u64(&f, points_x, 7), 0);
    assert_string_equal(error.message,
                        "JSON with an error: a number is missing [line 2, column 2, json.points.x]");
    assert_int_equal(json_fields_u64(&f, points_y, 9), 0); /* the first error stays */
    assert_int_equal(error.column, 2);
    begin_fields(&f, "{\"name\": 1, \"in\": []}");
    assert_int_equal(json_fields_text(&f, points_name, NULL).n, 0);
    assert_string_equal(error.message,
                        "JSON with an error: a string was expected [line 1, column 10, json.points.name]");
    begin_fields(&f, "{\"x\": 1, \"name\": [}");
    assert_string_equal(error.message,
                        "JSON with an error: a value was expected [line 1, column 19, json.points.name]");
}

/* The same calls for every document: an array of numbers, of which "skip" is a key to be passed over. */
static int read_sample(const char *json, size_t n)
{
    struct apf_str key;
    begin(json, n);
    json_read_object(&r);
    while (json_read_key(&r, &key))
        if (key.n == 1 && key.p[0] == 'n')
            for (json_read_array(&r); json_read_more(&r);)
                json_read_u64(&r, 1000);
        else if (key.n == 1 && key.p[0] == 'b')
            (void)json_read_bool(&r);
        else if (key.n == 1 && key.p[0] == 's')
            (void)json_read_string(&r);
        else
            json_read_skip(&r);
    return json_read_finish(&r);
}

static void test_skipping(void **state)
{
    static const char good[] =
        "{\"n\": [1, 2], \"x\": {\"a\": [[], {}, [1.5e-3, -0, true, false, null, \"\\n\"]], "
        "\"b\": {\"c\": {}}}, \"b\" : true, \"y\": 12E+3, \"s\": \"\"}";
    (void)state;
    assert_int_equal(read_sample(good, sizeof good - 1), APF_OK);
    for (size_t n = 0; n < sizeof good - 1; n++) {
        assert_int_equal(read_sample(good, n), APF_BAD_JSON);
        assert_true(error.offset <= n);
        assert_int_equal(error.line, 1);
        assert_int_equal(error.column, error.offset + 1);
    }
}

static void test_depth(void **state)
{
    char json[300] = "{\"x\":";
    (void)state;
    for (unsigned depth = JSON_MAX_DEPTH; depth <= JSON_MAX_DEPTH + 1; depth++) {
        size_t n = 5;
        memset(json + n, '[', depth);
        memset(json + n + depth, ']', depth);
        json[n + 2 * depth] = '}';
        int code = read_sample(json, n + 2 * depth + 1);
        assert_int_equal(code, depth == JSON_MAX_DEPTH ? APF_OK : APF_BAD_JSON);
    }
    assert_int_equal(error.column, 6 + JSON_MAX_DEPTH);
}

static const struct {
    const char *json;
    uint32_t line, column;
    const char *why;
} wrongs[] = {
    {"", 1, 1, "the document ends here"},
    {"[]", 1, 1, "an object was expected"},
    {"{}{}", 1, 3, "more text follows the document"},
    {"{,}", 1, 2, "a string was expected"},
    {"{\"n\": [1],}", 1, 11, "a string was expected"},
    {"{\"n\": [1,]}", 1, 10, "a number was expected"},
    {"{\"n\": [1 2]}", 1, 10, "a comma or ']' was expected"},
    {"{\"n\": [1} ", 1, 9, "a comma or ']' was expected"},
    {"{\"b\": true \"n\": []}", 1, 12, "a comma or '}' was expected"},
    {"{\"n\" []}", 1, 6, "a colon was expected"},
    {"{\n\"n\":\n  [1,\n   1001]}", 4, 4, "the number is too large"},
    {"{\"n\": [-1]}", 1, 8, "this is no whole number from 0 to 2^64-1"},
    {"{\"n\": [1.5]}", 1, 8, "this is no whole number from 0 to 2^64-1"},
    {"{\"n\": [1e3]}", 1, 8, "this is no whole number from 0 to 2^64-1"},
    {"{\"n\": [18446744073709551616]}", 1, 8, "this is no whole number from 0 to 2^64-1"},
    {"{\"n\": [\"010z\"]}", 1, 8, "this is no whole number from 0 to 2^64-1"},
    {"{\"n\": [\"0x\"]}", 1, 8, "this is no whole number from 0 to 2^64-1"},
    {"{\"n\": [01]}", 1, 8, "a number was expected"},
    {"{\"n\": [+1]}", 1, 8, "a number was expected"},
    {"{\"n\": 1}", 1, 7, "an array was expected"},
    {"{\"b\": nil}", 1, 7, "true or false was expected"},
    {"{\"x\": tru}", 1, 7, "a value was expected"},
    {"{\"x\": 1.}", 1, 7, "a value was expected"},
    {"{\"s\": 'a'}", 1, 7, "a string was expected"},
    {"{\"s\": \"\\x\"}", 1, 8, "there is no such escape"},
    {"{\"s\": \"\\u12g4\"}", 1, 8, "four hexadecimal digits were expected"},
    {"{\"s\": \"\\ud800\"}", 1, 8, "half of a surrogate pair"},
    {"{\"s\": \"\\udc00\"}", 1, 8, "half of a surrogate pair"},
    {"{\"s\": \"\\ud800\\u0041\"}", 1, 8, "half of a surrogate pair"},
    {"{\"s\": \"\x01\"}", 1, 8, "a control character in a string"},
    {"{\"s\": \"a\nb\"}", 1, 9, "a control character in a string"},
    {"{\"s\": \"\xff\"}", 1, 8, "this string is no UTF-8"},
    {"{\"\xc3\xa9\xe2\x82\xac\": 'a'}", 1, 8, "a value was expected"},
};

static void test_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(wrongs); i++) {
        char want[200];
        assert_int_equal(read_sample(wrongs[i].json, strlen(wrongs[i].json)), APF_BAD_JSON);
        snprintf(want, sizeof want, "JSON with an error: %s [line %u, column %u, json]", wrongs[i].why,
                 (unsigned)wrongs[i].line, (unsigned)wrongs[i].column);
        if (strcmp(error.message, want) != 0)
            fail_msg("%s: %s, not %s", wrongs[i].json, error.message, want);
        assert_int_equal(error.line, wrongs[i].line);
        assert_int_equal(error.column, wrongs[i].column);
    }
}

static void test_is_object(void **state)
{
    static const char *const objects[] = {"{}", "{\"", " \t\r\n{ \n\"a"};
    static const char *const others[] = {"", " ", "{", "{ ", "{a", "[{}]", "a{\"", "{1", "\xef\xbb\xbf{\""};
    (void)state;
    for (size_t i = 0; i < COUNT(objects); i++)
        assert_true(json_read_is_object(objects[i], strlen(objects[i])));
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(json_read_is_object(others[i], strlen(others[i])));
    assert_false(json_read_is_object(NULL, 0));
}

TEST_FILE(json_read)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_strings),  cmocka_unit_test(test_all_bytes),
                                       cmocka_unit_test(test_numbers),  cmocka_unit_test(test_signed_numbers),
                                       cmocka_unit_test(test_fields),   cmocka_unit_test(test_wrong_fields),
                                       cmocka_unit_test(test_skipping), cmocka_unit_test(test_depth),
                                       cmocka_unit_test(test_wrong),    cmocka_unit_test(test_is_object)};
    return RUN_TESTS(tests);
}

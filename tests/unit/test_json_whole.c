/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON read with one more key: what is in it, and where errors are, is as without. */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "helpers/shared/unit.h"
#include "probe/json_whole.h"

/* Errors have the words and the place that jansson says of the text alone. */
static void test_errors(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "{",
        "{ ",
        "\n\n{\n",
        "{x",
        "{,}",
        "{}x",
        "{} {}",
        "x",
        "\"text\"",
        "1",
        "}",
        "]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1,,}",
        "{\"a\":[1,2}",
        "{\"a\":[1,2]",
        "{\"a\":tru}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":\"\\q\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\\u0000\":1}",
        "{\"a\":01}",
        "{\"a\":1e}",
        "{\"a\":-}",
        "{\"a\":99999999999999999999}",
        "{\"a\":\"b",
        "{\"a\":\"b\\",
        "{\"\\\"",
        "\n {\"a\"\n:\n x}",
        "{\n\"a\": 1 2}",
        "{\"longer than others, by far\": \"a\tb\"}",
        "{\"a\":\"\x80\"}",
        "{\"\xc3\xbc\": \"\xe2\x82\xac\" x}",
        "{\"a\":{\"b\":{\"c\":}}}",
        "{ \"a\" ; 1}",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct apf_error error;
        json_error_t why;
        json_t *json;
        size_t n = strlen(texts[i]);
        assert_null(json_loadb(texts[i], n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &why));
        assert_int_equal(json_whole_load(&json, texts[i], n, &error), APF_BAD_JSON);
        assert_null(json);
        assert_int_equal(error.line, why.line);
        assert_int_equal(error.column, why.column);
        assert_int_equal(error.offset, why.position);
        assert_non_null(strstr(error.message, why.text));
    }
}

static void assert_same(const char *text, size_t n)
{
    json_t *expected = json_loadb(text, n, JSON_ALLOW_NUL, NULL), *json;
    assert_non_null(expected);
    assert_int_equal(json_whole_load(&json, text, n, NULL), APF_OK);
    assert_int_equal(json_object_size(json), json_object_size(expected) + 1);
    assert_int_equal(json_object_update(expected, json), 0); /* all that differs is the key */
    assert_true(json_equal(json, expected));
    const char *key;
    json_t *value;
    json_object_foreach(expected, key, value) assert_true(key[0] != '~' || json_integer_value(value) == 0);
    json_decref(json);
    json_decref(expected);
}

/* Tokens of every length around where jansson's buffer grows. */
static void test_lengths(void **state)
{
    char text[400];
    (void)state;
    for (unsigned n = 0; n < 300; n++) {
        int bytes = snprintf(
            text, sizeof text, " { \"%.*s\\\"\": [1, -2.5, null, \"\\u00fc\"]}", (int)n,
            "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"
            "lmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuv"
            "wxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefg"
            "hijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
        assert_same(text, (size_t)bytes);
    }
    assert_same("{}", 2);
    assert_same("{ } \n", 5);
}

/* No object, and not looked at. */
static void test_array(void **state)
{
    json_t *json = NULL;
    (void)state;
    assert_int_equal(json_whole_load(&json, " [1,", 4, NULL), APF_OK);
    assert_null(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_array),
    };
    return RUN_TESTS(tests);
}

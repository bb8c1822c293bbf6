/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares the reader of JSON with jansson: both accept the same documents and damaged copies, except for values that
 * only our reader can hold, and read the same strings. */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/json_read.h"
#include "helpers/shared/unit.h"

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

/* Values that only our reader can hold: bytes as lone low surrogates, large numbers, NUL in a key. */
static bool only_ours(const json_error_t *why)
{
    enum json_error_code code = json_error_code(why);
    return code == json_error_numeric_overflow || code == json_error_null_byte_in_key ||
           strncmp(why->text, "invalid Unicode '\\uDC", 21) == 0;
}

static int read_ours(const char *text, size_t n)
{
    struct json_reader r;
    json_read_start(&r, text, n, NULL);
    json_read_skip(&r);
    return json_read_finish(&r);
}

/* Both accept it, or neither. Returns whether they do. */
static bool compare(const char *text, size_t n)
{
    json_error_t why;
    json_t *theirs = json_loadb(text, n, JSON_ALLOW_NUL | JSON_DECODE_ANY, &why);
    bool good = theirs != NULL;
    int code = read_ours(text, n);
    json_decref(theirs);
    if ((code == APF_OK) != good && !(code == APF_OK && only_ours(&why)))
        fail_msg("ours %d, jansson %s: %.*s", code, good ? "accepts" : why.text, (int)n, text);
    return good;
}

static void test_wrong(void **state)
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
        "}",
        "]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1,,}",
        "{\"a\":[1,2}",
        "{\"a\":[1,2]",
        "{\"a\":tru}",
        "{\"a\":\"\\q\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":01}",
        "{\"a\":1e}",
        "{\"a\":-}",
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
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_false(compare(texts[i], strlen(texts[i])));
}

static void damage(char *text, size_t n)
{
    static const char bytes[] = "\"\\{}[]:,0123456789abcdefu-+.eE \n\t\xc3\xa9\xed\xa0\x80\xf4\xff\x01/";
    for (uint32_t changes = 1 + random_below(3); changes > 0; changes--)
        text[random_below((uint32_t)n)] = bytes[random_below(sizeof bytes - 1)];
}

static void test_damaged(void **state)
{
    static const char *const texts[] = {
        "{\"n\": [1, 2], \"x\": {\"a\": [[], {}, [1.5e-3, -0, true, false, null, \"\\n\"]], \"b\": {}}}",
        "[\"a\\u0041b\\u00e9\\u20AC\\ud83d\\ude00c\", \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\", \"\\\\\\/\"]",
        "{\"schema\": \"s/1\", \"nodes\": [{\"guid\": \"0x1f\"}, {\"guid\": 18, \"up\": 0}], \"p\": null}",
        " [0, -1, 12E+3, 0.25, 1e0, -0.0, 9223372036854775807] ",
    };
    unsigned accepted = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        char copy[200];
        size_t n = strlen(texts[i]);
        assert_true(compare(texts[i], n));
        for (size_t k = 0; k < n; k++)
            compare(texts[i], k);
        for (unsigned round = 0; round < 20000; round++) {
            memcpy(copy, texts[i], n);
            damage(copy, n);
            accepted += compare(copy, n);
        }
    }
    assert_in_range(accepted, 2000, 78000); /* else it compares nothing */
}

/* The strings of an array. */
static bool compare_strings(const char *text, size_t n)
{
    json_t *theirs = json_loadb(text, n, JSON_ALLOW_NUL, NULL);
    struct json_reader r;
    if (!theirs)
        return false;
    json_read_start(&r, text, n, NULL);
    json_read_array(&r);
    for (size_t i = 0; i < json_array_size(theirs); i++) {
        const json_t *entry = json_array_get(theirs, i);
        assert_true(json_read_more(&r));
        if (!json_is_string(entry)) {
            json_read_skip(&r);
            continue;
        }
        struct apf_str ours = json_read_string(&r);
        assert_int_equal(ours.n, json_string_length(entry));
        assert_memory_equal(ours.p, json_string_value(entry), ours.n);
    }
    assert_false(json_read_more(&r));
    assert_int_equal(json_read_finish(&r), APF_OK);
    json_decref(theirs);
    return true;
}

static void test_strings(void **state)
{
    static const char text[] = "[\"a\\u0041b\\u00e9\\u20AC\\ud83d\\ude00c\", \"\\\"\\\\\\/\\b\\f\\n\\r\\t\", "
                               "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\", \"\\u0000\\uffff\\udbff\\udfff\"]";
    unsigned compared = 0;
    (void)state;
    for (unsigned round = 0; round < 50000; round++) {
        char copy[sizeof text];
        memcpy(copy, text, sizeof text);
        if (round)
            damage(copy + 1, sizeof text - 3);
        compared += compare_strings(copy, sizeof text - 1);
    }
    assert_in_range(compared, 5000, 45000);
}

TEST_FILE(json_oracle)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_strings),
    };
    return RUN_TESTS(tests);
}

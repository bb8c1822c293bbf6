/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/json_written.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct json_written written;

static void write_sample(void)
{
    json_object_begin(&written.w);
    json_key(&written.w, "schema");
    json_cstring(&written.w, "anyprof.report");
    json_key(&written.w, "empty object");
    json_object_begin(&written.w);
    json_object_end(&written.w);
    json_key(&written.w, "empty array");
    json_array_begin(&written.w);
    json_array_end(&written.w);
    json_key(&written.w, "list");
    json_array_begin(&written.w);
    json_u64(&written.w, 1);
    json_i64(&written.w, -2);
    json_hex(&written.w, 0x5cf8c24cdb18bdac);
    json_array_begin(&written.w);
    json_bool(&written.w, true);
    json_bool(&written.w, false);
    json_array_end(&written.w);
    json_object_begin(&written.w);
    json_key(&written.w, "a");
    json_none(&written.w);
    json_key(&written.w, "b");
    json_double(&written.w, 0.25);
    json_object_end(&written.w);
    json_array_end(&written.w);
    json_key(&written.w, "last");
    json_u64(&written.w, 0);
    json_object_end(&written.w);
}

static void test_compact(void **state)
{
    (void)state;
    json_written_begin(&written, 0);
    write_sample();
    json_written_check(
        &written,
        "{\"schema\":\"anyprof.report\",\"empty object\":{},\"empty array\":[],"
        "\"list\":[1,-2,\"0x5cf8c24cdb18bdac\",[true,false],{\"a\":null,\"b\":0.25}],\"last\":0}\n");
}

static void test_indented(void **state)
{
    (void)state;
    json_written_begin(&written, 2);
    write_sample();
    json_written_check(&written, "{\n"
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
    json_written_begin(&written, indent);
    json_array_begin(&written.w);
    for (unsigned i = 0; i < 2; i++) {
        json_line_object(&written.w);
        json_key(&written.w, "i");
        json_u64(&written.w, i);
        json_key(&written.w, "list");
        json_array_begin(&written.w);
        json_u64(&written.w, 1);
        json_line_object(&written.w);
        json_object_end(&written.w);
        json_array_end(&written.w);
        json_object_end(&written.w);
    }
    json_array_begin(&written.w);
    json_none(&written.w);
    json_array_end(&written.w);
    json_array_end(&written.w);
}

static void test_lines(void **state)
{
    (void)state;
    write_lines(2);
    json_written_check(&written, "[\n"
                                 "  {\"i\": 0, \"list\": [1, {}]},\n"
                                 "  {\"i\": 1, \"list\": [1, {}]},\n"
                                 "  [\n"
                                 "    null\n"
                                 "  ]\n"
                                 "]\n");
    write_lines(0);
    json_written_check(&written, "[{\"i\":0,\"list\":[1,{}]},{\"i\":1,\"list\":[1,{}]},[null]]\n");
}

static void test_single_values(void **state)
{
    (void)state;
    json_written_begin(&written, 0);
    json_none(&written.w);
    json_written_check(&written, "null\n");
    json_written_begin(&written, 4);
    json_array_begin(&written.w);
    json_array_end(&written.w);
    json_written_check(&written, "[]\n");
    json_written_begin(&written, 4);
    json_object_begin(&written.w);
    json_object_end(&written.w);
    json_written_check(&written, "{}\n");
    json_written_begin(&written, 4);
    json_cstring(&written.w, "");
    json_written_check(&written, "\"\"\n");
}

static void test_numbers(void **state)
{
    (void)state;
    json_written_begin(&written, 0);
    json_array_begin(&written.w);
    json_u64(&written.w, 0);
    json_u64(&written.w, 9007199254740992); /* 2^53 */
    json_u64(&written.w, 9007199254740993);
    json_u64(&written.w, INT64_MAX);
    json_u64(&written.w, (uint64_t)INT64_MAX + 1);
    json_u64(&written.w, UINT64_MAX);
    json_i64(&written.w, 0);
    json_i64(&written.w, INT64_MAX);
    json_i64(&written.w, -1);
    json_i64(&written.w, -9007199254740992);
    json_i64(&written.w, -9007199254740993);
    json_i64(&written.w, INT64_MIN);
    json_hex(&written.w, 0);
    json_hex(&written.w, 0xabcdef0123456789);
    json_hex(&written.w, UINT64_MAX);
    json_hash(&written.w, 0);
    json_hash(&written.w, 0xbcdef0123456789);
    json_hash(&written.w, UINT64_MAX);
    json_double(&written.w, 9007199254740992);
    json_double(&written.w, 9007199254740994);
    json_double(&written.w, -9007199254740994);
    json_array_end(&written.w);
    json_written_check(
        &written,
        "[0,9007199254740992,\"9007199254740993\",\"9223372036854775807\",\"9223372036854775808\","
        "\"18446744073709551615\",0,\"9223372036854775807\",-1,-9007199254740992,\"-9007199254740993\","
        "\"-9223372036854775808\",\"0x0\",\"0xabcdef0123456789\",\"0xffffffffffffffff\","
        "\"0x0000000000000000\",\"0x0bcdef0123456789\",\"0xffffffffffffffff\",9007199254740992,"
        "\"9007199254740994\",\"-9007199254740994\"]\n");
    json_written_begin(&written, 0);
    json_array_begin(&written.w);
    json_double(&written.w, 0);
    json_double(&written.w, -0.0);
    json_double(&written.w, 1.0 / 3);
    json_double(&written.w, 18446744073709551616.0);
    json_double(&written.w, -5e-324);
    json_array_end(&written.w);
    json_written_check(&written, "[0,-0,0.3333333333333333,\"18446744073709551616\",-5e-324]\n");
}

static void open_levels(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (i % 3 == 0) {
            json_array_begin(&written.w);
        } else {
            json_object_begin(&written.w);
            json_key(&written.w, "k");
        }
    }
}

static void test_depth(void **state)
{
    (void)state;
    /* All 64 levels, of mixed kinds, remembered correctly. */
    json_written_begin(&written, 0);
    open_levels(JSON_MAX_DEPTH);
    assert_int_equal(written.w.depth, 64);
    json_none(&written.w);
    for (unsigned i = JSON_MAX_DEPTH; i-- > 0;) {
        if (i % 3 == 0)
            json_array_end(&written.w);
        else
            json_object_end(&written.w);
        assert_false(json_failed(&written.w));
    }
    assert_int_equal(json_finish(&written.w, NULL), APF_OK);
    size_t arrays = 0, objects = 0, closed = 0;
    for (size_t i = 0; i < written.text.n; i++) {
        char c = ((const char *)written.text.data)[i];
        arrays += c == '[';
        objects += c == '{';
        closed += c == ']' || c == '}';
    }
    assert_int_equal(arrays, 22);
    assert_int_equal(objects, 42);
    assert_int_equal(closed, 64);

    struct apf_error e;
    for (int object = 0; object <= 1; object++) {
        json_written_begin(&written, 0);
        open_levels(JSON_MAX_DEPTH);
        if (object)
            json_object_begin(&written.w);
        else
            json_array_begin(&written.w);
        assert_true(json_failed(&written.w));
        json_array_end(&written.w);
        assert_int_equal(json_finish(&written.w, &e), APF_LIMIT);
        assert_int_equal(e.code, APF_LIMIT);
        assert_int_equal(e.found, 65);
        assert_int_equal(e.expected, 64);
        assert_string_equal(e.where, "json.depth");
    }
    apf_buffer_free(&written.text);
}

static void test_misuse(void **state)
{
    (void)state;
    json_written_begin(&written, 0);
    assert_int_equal(json_finish(&written.w, NULL), APF_ARGUMENT); /* NULL: the code alone */
    json_written_begin(&written, 0);
    struct apf_error e;
    assert_int_equal(json_finish(&written.w, &e), APF_ARGUMENT);
    assert_string_equal(e.message, "invalid argument: an empty document");

    json_written_begin(&written, 0);
    json_object_begin(&written.w);
    json_u64(&written.w, 1);
    json_written_misused(&written, "a value without a key");
    json_written_begin(&written, 0);
    json_object_begin(&written.w);
    json_array_begin(&written.w);
    json_written_misused(&written, "a value without a key");
    json_written_begin(&written, 0);
    json_object_begin(&written.w);
    json_key(&written.w, "a");
    json_key(&written.w, "b");
    json_written_misused(&written, "a key without a value");
    json_written_begin(&written, 0);
    json_object_begin(&written.w);
    json_key(&written.w, "a");
    json_object_end(&written.w);
    json_written_misused(&written, "a key without a value");
    json_written_begin(&written, 0);
    json_key(&written.w, "a");
    json_written_misused(&written, "a key outside of an object");
    json_written_begin(&written, 0);
    json_array_begin(&written.w);
    json_key(&written.w, "a");
    json_written_misused(&written, "a key outside of an object");
    json_written_begin(&written, 0);
    json_array_begin(&written.w);
    json_object_end(&written.w);
    json_written_misused(&written, "an end without its beginning");
    json_written_begin(&written, 0);
    json_object_begin(&written.w);
    json_array_end(&written.w);
    json_written_misused(&written, "an end without its beginning");
    json_written_begin(&written, 0);
    json_array_end(&written.w);
    json_written_misused(&written, "an end without its beginning");
    json_written_begin(&written, 0);
    json_u64(&written.w, 1);
    json_u64(&written.w, 2);
    json_written_misused(&written, "a second document");
    json_written_begin(&written, 0);
    json_object_begin(&written.w);
    json_object_end(&written.w);
    json_object_begin(&written.w);
    json_written_misused(&written, "a second document");
    json_written_begin(&written, 0);
    json_array_begin(&written.w);
    assert_int_equal(json_finish(&written.w, &e), APF_ARGUMENT);
    assert_string_equal(e.message, "invalid argument: a document that does not end");

    static const double bad[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_written_begin(&written, 0);
        json_array_begin(&written.w);
        json_double(&written.w, bad[i]);
        json_written_misused(&written, "a number that is not finite");
    }
}

static void test_first_failure_stays(void **state)
{
    (void)state;
    json_written_begin(&written, 0);
    json_array_begin(&written.w);
    json_key(&written.w, "wrong");
    size_t n = written.w.n;
    write_sample();
    json_double(&written.w, (double)NAN);
    json_array_end(&written.w);
    assert_int_equal(written.w.n, n); /* nothing is written any more */
    json_written_misused(&written, "a key outside of an object");
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
    json_start(&written.w, count, c, 0);
    json_array_begin(&written.w);
    for (uint64_t i = 0; i < n && !json_failed(&written.w); i++) {
        json_object_begin(&written.w);
        json_key(&written.w, "guid");
        json_hex(&written.w, 0x1234567890abcdef);
        json_object_end(&written.w);
    }
    json_array_end(&written.w);
}

static void test_much(void **state)
{
    (void)state;
    struct counter c = {0, 0, 0, 0};
    write_many(&c, 1000000);
    assert_int_equal(json_finish(&written.w, NULL), APF_OK);
    assert_int_equal(c.bytes,
                     1000000u * 30 - 1 + 3); /* {"guid":"0x1234567890abcdef"} and commas; [, ] and \n */
    assert_int_equal(c.largest, sizeof written.w.buffer);
    assert_int_equal(c.calls, (c.bytes + sizeof written.w.buffer - 1) / sizeof written.w.buffer);
}

static void test_write_fails(void **state)
{
    (void)state;
    for (uint64_t k = 1; k <= 4; k++) {
        struct counter c = {0, 0, k, 0};
        struct apf_error e;
        write_many(&c, 450); /* three buffers and a rest */
        assert_int_equal(json_failed(&written.w), k < 4);
        assert_int_equal(json_finish(&written.w, &e), APF_IO);
        assert_int_equal(e.code, APF_IO);
        assert_int_equal(e.sys_errno, EDQUOT);
        assert_string_equal(e.where, "json.write");
        assert_int_equal(c.calls, k); /* never called again */
    }
}

TEST_FILE(json_write)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compact), cmocka_unit_test(test_indented),
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_single_values),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_misuse),  cmocka_unit_test(test_first_failure_stays),
        cmocka_unit_test(test_much),    cmocka_unit_test(test_write_fails),
    };
    return RUN_TESTS(tests);
}

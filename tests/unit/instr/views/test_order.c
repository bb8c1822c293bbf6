/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Orders that llvm-profdata 22 has printed; many more are compared in oracle/parity_order.py. */
#include "helpers/shared/unit.h"

#include <math.h>
#include <string.h>

#include <anyprof/compare.h>

#include "instr/views/order.h"

static void test_logarithm(void **state)
{
    (void)state;
    for (uint32_t v = 1; v < 1u << 18; v++)
        assert_true(order_log2(v) == (float)log2((double)v));
    for (unsigned bit = 18; bit < 32; bit++)
        for (uint32_t v = (1u << bit) - 3; v < (1u << bit) + 4; v++)
            assert_true(order_log2(v) == (float)log2((double)v));
    assert_true(order_log2(UINT32_MAX) == 32);
}

static void orders(const char *text, uint32_t n_test_traces, const char *want, uint32_t area)
{
    struct apf_input input = apf_input_memory(text, strlen(text), NULL);
    struct apf_order_options options = {.size = sizeof options, .n_test_traces = n_test_traces};
    struct apf_instr *instr = NULL;
    struct apf_order *order = NULL;
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_error error;
    size_t n = 0;
    assert_int_equal(apf_instr_open(&instr, &input, NULL, &error), APF_OK);
    assert_int_equal(apf_order_new(&order, instr, &options, &error), APF_OK);
    assert_int_equal(apf_order_area(order), area);
    const uint64_t *ids = apf_order_ids(order, &n);
    assert_true(n == 0 || ids);
    assert_int_equal(apf_order_print(order, &output, &error), APF_OK);
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    const char *comment = strstr(buffer.data, "-order_file.\n");
    assert_non_null(comment);
    assert_string_equal(comment + sizeof "-order_file.\n" - 1, want);
    apf_buffer_free(&buffer);
    apf_order_free(order);
    apf_instr_close(instr);
}

#define RECORD(name) name "\n1\n1\n1\n\n"

static void test_known(void **state)
{
    (void)state;
    orders(RECORD("a"), 0, "", 0);
    orders(":ir\n:temporal_prof_traces\n1\n1\n1\n,\n" RECORD("a"), 0, "", 0);
    /* The output of llvm-profdata-22 for these traces. */
    orders(":ir\n:temporal_prof_traces\n8\n8\n1\nf4,f0,f1,f2,\n1\nf4,\n1\nf2,f3,f1,f3,\n1\nf3,f2,\n1\n,\n1\n,"
           "\n1\n"
           "f4,f4,f2,f4,\n1\nf4,f4,\n" RECORD("f0") RECORD("f1") RECORD("f2") RECORD("f3") RECORD("f4"),
           0, "f3\nf2\nf4\nf0\nf1\n", 0);
    orders(":ir\n:temporal_prof_traces\n3\n3\n2\na,b,file.c;y,semi;,;lead\n2\na,b,a,c\n1\na\n" RECORD("a")
               RECORD("b") RECORD("file.c;y") RECORD("semi;") RECORD(";lead"),
           2, "a\nb\n# file.c\ny\nsemi;\nlead\n", 4);
}

static void test_too_few(void **state)
{
    (void)state;
    static const char text[] = ":ir\n:temporal_prof_traces\n1\n1\n1\na\n" RECORD("a");
    struct apf_input input = apf_input_memory(text, sizeof text - 1, NULL);
    struct apf_order_options options = {.size = sizeof options, .n_test_traces = 1};
    struct apf_instr *instr = NULL;
    struct apf_order *order = NULL;
    struct apf_error error;
    assert_int_equal(apf_instr_open(&instr, &input, NULL, &error), APF_OK);
    assert_int_equal(apf_order_new(&order, instr, &options, &error), APF_ARGUMENT);
    assert_string_equal(error.where, "order.n_test_traces");
    assert_null(order);
    apf_instr_close(instr);
}

/* An apf_name_fn. */
static struct apf_str show_name(void *user, struct apf_str name)
{
    (void)user;
    return name.p[0] == 'a'   ? (struct apf_str){"shown a", 7}
           : name.p[0] == 'b' ? (struct apf_str){"two\nlines", 9}
                              : name;
}

/* What is shown is a comment, which has one line, so that it never is a symbol. */
static void test_shown(void **state)
{
    (void)state;
    static const char text[] =
        ":ir\n:temporal_prof_traces\n1\n1\n1\na,b,c,f;a\n" RECORD("a") RECORD("b") RECORD("c") RECORD("f;a");
    const struct apf_input input = apf_input_memory(text, sizeof text - 1, NULL);
    const struct apf_order_options options = {.size = sizeof options};
    struct apf_instr *instr = NULL;
    struct apf_order *order = NULL;
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    output.show_name = show_name;
    assert_int_equal(apf_instr_open(&instr, &input, NULL, NULL), APF_OK);
    assert_int_equal(apf_order_new(&order, instr, &options, NULL), APF_OK);
    assert_int_equal(apf_order_print(order, &output, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    assert_non_null(strstr(buffer.data, "\n# shown a\na\n"));
    assert_non_null(strstr(buffer.data, "\n# f\n# shown a\na\n"));
    assert_non_null(strstr(buffer.data, "\nb\n"));
    assert_non_null(strstr(buffer.data, "\nc\n"));
    assert_null(strstr(buffer.data, "two"));
    apf_buffer_free(&buffer);
    apf_order_free(order);
    apf_instr_close(instr);
}

TEST_FILE(order)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_logarithm), cmocka_unit_test(test_known),
                                       cmocka_unit_test(test_too_few), cmocka_unit_test(test_shown)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unsymbolized profiles: every form of a line, and every error with its line and column. */
#include "helpers/shared/profgen_memory.h"

#include <stdio.h>
#include <string.h>

struct bad {
    const char *text, *message;
    unsigned line, column; /* 0: the error is not at a place */
};

#define EARLY "ends too early"
#define NUMBER "expected a number of ranges or branches"
#define RANGE "expected START-END:COUNT"
#define ORDER "expected a range that ends at its start or after it"
#define BRANCH "expected FROM->TO:COUNT"
#define BRACKETS "expected a context in brackets"
#define CHAIN "expected [0xADDRESS @ ...]"
#define NAMES "expected [NAME:LINE @ NAME]"

static const struct bad bad[] = {
    {"1\n", EARLY, 0, 0},
    {"0\n", EARLY, 0, 0},
    {"2\n1-2:3\n", EARLY, 0, 0},
    {"0\n1\n", EARLY, 0, 0},
    {"[]\n", EARLY, 0, 0},
    {"0\n0", "the last line has no end", 2, 2},
    {"\n", NUMBER, 1, 1},
    {"x\n", NUMBER, 1, 1},
    {"1x\n", NUMBER, 1, 2},
    {"-1\n", NUMBER, 1, 1},
    {"1 \n", NUMBER, 1, 2},
    {"18446744073709551616\n", NUMBER, 1, 20},
    {"0\n\n", NUMBER, 2, 1},
    {"0\n0\n\n", NUMBER, 3, 1},
    {"1\n\n", RANGE, 2, 1},
    {"1\n1\n", RANGE, 2, 2},
    {"1\n1-\n", RANGE, 2, 3},
    {"1\n1-2\n", RANGE, 2, 4},
    {"1\n1-2:\n", RANGE, 2, 5},
    {"1\n1-2:x\n", RANGE, 2, 5},
    {"1\n1-2:3 \n", RANGE, 2, 6},
    {"1\n1->2:3\n", RANGE, 2, 3},
    {"1\n0x1-2:3\n", RANGE, 2, 2},
    {"1\n11112222333344445-2:3\n", RANGE, 2, 17},
    {"1\n1-2:18446744073709551616\n", RANGE, 2, 24},
    {"2\n1-2:3\n2-1:3\n", ORDER, 3, 6},
    {"1\n0-ffffffffffdfefff:3\n", ORDER, 2, 21}, /* the last address */
    {"0\n1\n1-2:3\n", BRANCH, 3, 2},
    {"0\n1\n1->2\n", BRANCH, 3, 5},
    {"0\n  1\n  1->2:3:4\n", BRANCH, 3, 9},
    {"[\n", BRACKETS, 1, 1},
    {"[0x1\n", BRACKETS, 1, 1},
    {"[] \n", BRACKETS, 1, 1},
    {"0\n0\n [x]y\n", BRACKETS, 3, 2},
};

static const struct bad bad_chains[] = {
    {"[1]\n0\n0\n", CHAIN, 1, 2},       {"[0x]\n0\n0\n", CHAIN, 1, 4},
    {"[0x1 @ ]\n0\n0\n", CHAIN, 1, 8},  {"[0x1 @ 2]\n0\n0\n", CHAIN, 1, 8},
    {"[0x1@0x2]\n0\n0\n", CHAIN, 1, 5}, {"[main:1 @ f]\n0\n0\n", CHAIN, 1, 2},
    {"[ 0x1]\n0\n0\n", CHAIN, 1, 2},
};

static const struct bad bad_names[] = {
    {"[ @ f]\n0\n0\n", NAMES, 1, 2},
    {"[:4]\n0\n0\n", NAMES, 1, 2},
    {"[f:1 @ g:2:3]\n0\n0\n", NAMES, 1, 8}, /* written without the 3, it would be read as g at 2 */
};

static void check_bad(const struct apf_input *program, const struct bad *b)
{
    struct pm_made m;
    pm_count(&m, program, APF_PROFGEN_RAW, b->text, NULL);
    if (m.code != APF_BAD_SAMPLES || !strstr(m.error.message, b->message) || m.error.line != b->line ||
        m.error.column != b->column)
        fail_msg("%.40s: %d: %s", b->text, m.code, m.error.message);
    assert_string_equal(m.raw, "");
    pm_free(&m);
}

static void test_errors(void **state)
{
    struct apf_input probed = pm_probed(), lined = pm_lined();
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        check_bad(&probed, &bad[i]);
        check_bad(&lined, &bad[i]);
    }
    for (size_t i = 0; i < COUNT(bad_chains); i++)
        check_bad(&probed, &bad_chains[i]);
    for (size_t i = 0; i < COUNT(bad_names); i++)
        check_bad(&lined, &bad_names[i]);
}

/* A context of n frames, and one of n - 1. */
static void print_contexts(char *text, size_t room, const char *frame, unsigned n)
{
    size_t used = 0;
    for (unsigned context = 0; context < 2; context++) {
        used += (size_t)snprintf(text + used, room - used, "[");
        for (unsigned i = context; i < n; i++)
            used += (size_t)snprintf(text + used, room - used, "%s%s", i > context ? " @ " : "", frame);
        used += (size_t)snprintf(text + used, room - used, "]\n0\n0\n");
    }
    assert_true(used < room);
}

static void test_longest(void **state)
{
    static char text[40000];
    struct apf_input probed = pm_probed(), lined = pm_lined();
    struct bad chain = {text, "a context of more than 998 calls", 1, 7991},
               names = {text, "a context of more than 999 frames", 1, 6995};
    (void)state;
    print_contexts(text, sizeof text, "0x143", 998);
    pm_check_raw(&probed, APF_PROFGEN_RAW, text, NULL, "");
    print_contexts(text, sizeof text, "0x143", 999);
    check_bad(&probed, &chain);
    print_contexts(text, sizeof text, "f:10", 999);
    pm_check_raw(&lined, APF_PROFGEN_RAW, text, NULL, "");
    print_contexts(text, sizeof text, "f:10", 1000);
    check_bad(&lined, &names);
}

/* Sums, repeated sections and contexts, blanks before lines; what is written is sorted. */
static void test_forms(void **state)
{
    struct apf_input probed = pm_probed();
    struct apf_profgen_options absolute = {.size = sizeof absolute, .flags = APF_PROFGEN_ABSOLUTE};
    (void)state;
    pm_check_raw(&probed, APF_PROFGEN_RAW, "", NULL, "0\n0\n");
    pm_check_raw(&probed, APF_PROFGEN_RAW, "0\n0\n", NULL, "0\n0\n");
    pm_check_raw(
        &probed, APF_PROFGEN_RAW,
        " 2\n\t130-140:3\n 120-125:18446744073709551615\n1\n1->A:4\n2\n130-140:5\n120-125:1\n1\n1->a:6\n",
        NULL, "2\n120-125:18446744073709551615\n130-140:8\n1\n1->a:10\n");
    pm_check_raw(&probed, APF_PROFGEN_RAW, "1\n201120-201129:1\n0\n", &absolute, "1\n201120-201129:1\n0\n");
    pm_check_raw(
        &probed, APF_PROFGEN_RAW,
        "[0x169 @ 0x143]\n  1\n  120-129:1\n  0\n[]\n  0\n  1\n  1->2:3\n[0x169]\n1\n1-1:1\n0\n"
        "[0x169 @ 0x143]\n  1\n  120-129:4\n  0\n",
        NULL, "[]\n  0\n  1\n  1->2:3\n[0x169]\n  1\n  1-1:1\n  0\n[0x169 @ 0x143]\n  1\n  120-129:5\n  0\n");
}

/* Names may have colons and blanks; the last frame has no place. */
static void test_named(void **state)
{
    struct apf_input lined = pm_lined();
    (void)state;
    pm_check_raw(&lined, APF_PROFGEN_RAW,
                 "[main:0 @ top:4.2 @ a:b:7 @ c d]\n1\n1-2:3\n0\n[x]\n0\n1\n1->2:3\n[]\n0\n1\n1->2:9\n"
                 "[main:1.0 @ top:5]\n1\n1-2:3\n0\n",
                 NULL,
                 "[]\n  0\n  1\n  1->2:9\n[main:0 @ top:4.2 @ a:b:7 @ c d]\n  1\n  1-2:3\n  0\n"
                 "[main:1 @ top]\n  1\n  1-2:3\n  0\n[x]\n  0\n  1\n  1->2:3\n");
}

/* Several files add up; after a profile was made nothing can be read. */
static void test_several(void **state)
{
    static const char text[] = "1\n120-129:1\n0\n";
    struct apf_input program = pm_probed(), inputs[2];
    struct apf_profgen *g;
    struct apf_buffer raw = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&raw);
    struct apf_error error;
    (void)state;
    inputs[0] = inputs[1] = apf_input_memory(text, sizeof text - 1, "text");
    assert_int_equal(apf_profgen_open(&g, &program, NULL, NULL), APF_OK);
    assert_int_equal(apf_profgen_read(g, APF_PROFGEN_RAW, inputs, 2, NULL), APF_OK);
    assert_int_equal(apf_profgen_read(g, APF_PROFGEN_RAW, inputs, 2, NULL), APF_OK);
    assert_int_equal(apf_profgen_write_raw(g, &output, NULL), APF_OK);
    assert_int_equal(raw.n, strlen("1\n120-129:4\n0\n"));
    assert_memory_equal(raw.data, "1\n120-129:4\n0\n", raw.n);
    assert_int_equal(apf_profgen_read(g, APF_PROFGEN_RAW, inputs, 1, &error), APF_ARGUMENT);
    apf_buffer_free(&raw);
    apf_profgen_close(g);
    inputs[1].n -= 3;
    assert_int_equal(apf_profgen_open(&g, &program, NULL, NULL), APF_OK);
    assert_int_equal(apf_profgen_read(g, APF_PROFGEN_RAW, inputs, 2, &error), APF_BAD_SAMPLES);
    assert_int_equal(error.input, 1);
    /* Of counts that are not whole nothing is made. */
    assert_int_equal(apf_profgen_read(g, APF_PROFGEN_RAW, inputs, 1, &error), APF_ARGUMENT);
    assert_int_equal(apf_profgen_write_raw(g, &output, &error), APF_ARGUMENT);
    apf_profgen_close(g);
}

/* A wrong call does no harm; a profile is made once. */
static void test_calls(void **state)
{
    static const char text[] = "1\n120-129:1\n0\n";
    struct apf_input program = pm_probed(), input = apf_input_memory(text, sizeof text - 1, "text");
    enum apf_profgen_input unknown;
    struct apf_profgen *g;
    struct apf_sample *s;
    struct apf_error error;
    (void)state;
    assert_int_equal(apf_profgen_open(&g, &program, NULL, NULL), APF_OK);
    memset(&unknown, 5, sizeof unknown);
    assert_int_equal(apf_profgen_read(g, unknown, &input, 1, &error), APF_ARGUMENT);
    assert_int_equal(apf_profgen_read(g, APF_PROFGEN_RAW, &input, 1, &error), APF_OK);
    assert_int_equal(apf_profgen_make(g, &s, &error), APF_OK);
    apf_sample_close(s);
    assert_int_equal(apf_profgen_make(g, &s, &error), APF_ARGUMENT);
    assert_null(s);
    apf_profgen_close(g);
}

TEST_FILE(profgen_raw)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_errors),  cmocka_unit_test(test_longest),
                                       cmocka_unit_test(test_forms),   cmocka_unit_test(test_named),
                                       cmocka_unit_test(test_several), cmocka_unit_test(test_calls)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much may be lost, and the first input that was. */
#include "inputs/inputs_verdict.h"

#include <string.h>

#include "helpers/shared/number_merge.h"
#include "helpers/shared/unit.h"

static struct apf_error error;

static const struct apf_tolerance any = {APF_FAIL_ANY, 0}, all = {APF_FAIL_ALL, 0}, warn = {APF_FAIL_WARN, 0},
                                  half = {APF_FAIL_SHARE, APF_LOSS_ALL / 2},
                                  whole = {APF_FAIL_SHARE, APF_LOSS_ALL};

/* Merges texts that are separated by '|'. */
static void begin(struct number_merge *m, const char *texts, const struct apf_tolerance *tolerance)
{
    struct number_options o = {
        .common = {.size = sizeof(struct apf_options), .threads = 1, .flags = APF_FLAG_SALVAGE},
        .tolerance = tolerance};
    assert_int_equal(number_merge_open(m, &o, &error), APF_OK);
    for (const char *p = texts; p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL) {
        struct apf_input input = apf_input_memory(p, strcspn(p, "|"), "an input");
        assert_int_equal(number_merge_add(m, &input, 1, &error), APF_OK);
    }
}

static void test_verdicts(void **state)
{
    (void)state;
    static const struct {
        const char *texts;
        int any, all, warn, half, whole;
    } rows[] = {
        {"a 1\n", 0, 0, 0, 0, 0},
        {"a 1\n|?", APF_INVALID_PROFILE, 0, 0, 0, 0},
        {"a 1\n|?|?", APF_INVALID_PROFILE, 0, 0, APF_INVALID_PROFILE, 0},
        {"a 1\n||", 0, 0, 0, APF_INVALID_PROFILE, 0}, /* empty ones are lost only with a share */
        {"a 1\n|a 1|a 1", 0, 0, 0, APF_INVALID_PROFILE, 0},
        {"|", APF_EMPTY_PROFILE, APF_EMPTY_PROFILE, 0, APF_EMPTY_PROFILE, 0},
        {"|?", APF_INVALID_PROFILE, APF_INVALID_PROFILE, 0, APF_INVALID_PROFILE, 0},
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct number_merge m;
        begin(&m, rows[i].texts, NULL);
        assert_int_equal(inputs_verdict(&m.inputs, &any), rows[i].any);
        assert_int_equal(inputs_verdict(&m.inputs, &all), rows[i].all);
        assert_int_equal(inputs_verdict(&m.inputs, &warn), rows[i].warn);
        assert_int_equal(inputs_verdict(&m.inputs, &half), rows[i].half);
        assert_int_equal(inputs_verdict(&m.inputs, &whole), rows[i].whole);
        number_merge_close(&m);
    }
    struct number_merge none = {0};
    assert_int_equal(inputs_verdict(&none.inputs, &any), APF_OK);
}

/* Partial profiles may say that they are of any number of inputs. */
static void test_large_numbers(void **state)
{
    (void)state;
    struct number_merge m;
    begin(&m, "a 1\n|?|?|a 1", NULL);
    for (size_t i = 0; i < m.inputs.list.n; i++)
        m.inputs.list.data[i].n_inputs = INPUTS_MOST;
    assert_int_equal(inputs_count_all(&m.inputs, &error), APF_OK);
    const struct input_counts *c = &m.inputs.counts;
    assert_true(c->n_inputs == INPUTS_MOST && c->n_rejected == INPUTS_MOST && c->n_merged == INPUTS_MOST);
    assert_int_equal(inputs_verdict(&m.inputs, &any), APF_INVALID_PROFILE);
    assert_int_equal(inputs_verdict(&m.inputs, &half), APF_INVALID_PROFILE);
    number_merge_close(&m);
    assert_true(inputs_sum(1, 2) == 3 && inputs_sum(INPUTS_MOST - 1, 1) == INPUTS_MOST);
    assert_true(inputs_sum(1, UINT64_MAX) == INPUTS_MOST && inputs_sum(UINT64_MAX, 1) == INPUTS_MOST);
}

/* A result without anything of the salvaged inputs. */
static void test_void(void **state)
{
    (void)state;
    struct number_merge m;
    begin(&m, "a 1|?", NULL);
    assert_int_equal(inputs_verdict(&m.inputs, &all), APF_OK);
    m.is_void = true;
    assert_int_equal(inputs_verdict(&m.inputs, &all), APF_INVALID_PROFILE);
    struct apf_input input = apf_input_memory("a 1\n", 4, NULL);
    assert_int_equal(number_merge_add(&m, &input, 1, &error), APF_OK);
    assert_int_equal(inputs_verdict(&m.inputs, &all), APF_OK);
    number_merge_close(&m);
}

static void test_refusals(void **state)
{
    (void)state;
    struct number_merge m;
    begin(&m, "a 1\n||a 3|?|?", NULL);
    assert_int_equal(inputs_refuse_losses(&m.inputs, &error), APF_INVALID_PROFILE);
    assert_int_equal(error.input, 3); /* the first that was rejected, not the first that is empty */
    assert_string_equal(error.file, "an input");
    assert_string_equal(error.message,
                        "too many inputs are lost: 4 of 5; the first: malformed instrumentation "
                        "profile data");
    assert_int_equal(inputs_refuse_nothing(&m.inputs, &error), APF_OK);
    assert_int_equal(inputs_judge(&m.inputs, &all), APF_OK); /* from now on the caller decides */
    assert_int_equal(inputs_refuse_losses(&m.inputs, &error), APF_OK);
    inputs_outdate(&m.inputs);
    assert_int_equal(inputs_refuse_losses(&m.inputs, NULL), APF_INVALID_PROFILE);
    number_merge_close(&m);
    begin(&m, "a 1\n|a 3|", &half); /* a tolerance of the merge holds whatever the caller asks */
    assert_int_equal(inputs_judge(&m.inputs, NULL), APF_INVALID_PROFILE);
    assert_int_equal(inputs_refuse_losses(&m.inputs, &error), APF_INVALID_PROFILE);
    assert_int_equal(error.input, 1); /* the one that was salvaged */
    assert_non_null(
        strstr(error.message, "too many inputs are lost: 2 of 3; the first: truncated profile data"));
    number_merge_close(&m);
    begin(&m, "", NULL);
    assert_int_equal(inputs_refuse_nothing(&m.inputs, &error), APF_EMPTY_PROFILE);
    number_merge_close(&m);
}

static void test_tolerance(void **state)
{
    (void)state;
    const struct apf_tolerance unknown = {APF_FAIL_SHARE + 1, 0};
    assert_int_equal(inputs_tolerance_check(NULL, &error), APF_OK);
    assert_int_equal(inputs_tolerance_check(&half, &error), APF_OK);
    assert_int_equal(inputs_tolerance_check(&unknown, &error), APF_ARGUMENT);
    assert_int_equal(error.subject, APF_SUBJECT_OPTION);
}

TEST_FILE(inputs_verdict)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_verdicts), cmocka_unit_test(test_large_numbers),
                                       cmocka_unit_test(test_void), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_tolerance)};
    return RUN_TESTS(tests);
}

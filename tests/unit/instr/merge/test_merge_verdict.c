/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tolerance for lost inputs: every mode and share with every mix of good, bad and empty inputs. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/merge.h>

#include "helpers/shared/unit.h"

#define SHARE(per_cent) APF_FAIL_SHARE, (uint32_t)((per_cent) * 1000000.0 + 0.5)

static struct apf_merge *merge_of(unsigned good, unsigned bad, unsigned empty)
{
    static const char *const texts[] = {"foo\n1\n1\n1\n", "foo\nx\n", ""};
    const unsigned n[] = {good, bad, empty};
    struct apf_merge *m;
    struct apf_error error;
    struct apf_input *inputs = calloc(good + bad + empty + 1u, sizeof *inputs);
    size_t at = 0;
    assert_non_null(inputs);
    for (unsigned k = 0; k < 3; k++)
        for (unsigned i = 0; i < n[k]; i++, at++)
            inputs[at] = apf_input_memory(texts[k], strlen(texts[k]), NULL);
    assert_int_equal(apf_merge_new(&m, NULL, &error), APF_OK);
    assert_int_equal(apf_merge_add(m, inputs, at, &error), APF_OK);
    assert_int_equal(apf_merge_stats(m)->n_merged, good);
    assert_int_equal(apf_merge_stats(m)->n_rejected, bad);
    assert_int_equal(apf_merge_stats(m)->n_empty, empty);
    free(inputs);
    return m;
}

static const struct {
    unsigned good, bad, empty;
    int mode;
    uint32_t max_loss;
    int verdict;
} rows[] = {
    /* Any: what is bad counts, what is empty does not, unless nothing else is there. */
    {1, 0, 0, APF_FAIL_ANY, 0, APF_OK},
    {1, 1, 0, APF_FAIL_ANY, 0, APF_INVALID_PROFILE},
    {9, 1, 0, APF_FAIL_ANY, 0, APF_INVALID_PROFILE},
    {0, 1, 0, APF_FAIL_ANY, 0, APF_INVALID_PROFILE},
    {1, 0, 5, APF_FAIL_ANY, 0, APF_OK},
    {1, 1, 1, APF_FAIL_ANY, 0, APF_INVALID_PROFILE},
    {0, 0, 1, APF_FAIL_ANY, 0, APF_EMPTY_PROFILE},
    {0, 0, 3, APF_FAIL_ANY, 0, APF_EMPTY_PROFILE},
    {0, 1, 1, APF_FAIL_ANY, 0, APF_INVALID_PROFILE},
    /* All: something must be left. */
    {1, 0, 0, APF_FAIL_ALL, 0, APF_OK},
    {1, 1, 0, APF_FAIL_ALL, 0, APF_OK},
    {1, 9, 9, APF_FAIL_ALL, 0, APF_OK},
    {0, 1, 0, APF_FAIL_ALL, 0, APF_INVALID_PROFILE},
    {0, 3, 0, APF_FAIL_ALL, 0, APF_INVALID_PROFILE},
    {0, 0, 2, APF_FAIL_ALL, 0, APF_EMPTY_PROFILE},
    {0, 1, 1, APF_FAIL_ALL, 0, APF_INVALID_PROFILE},
    /* Warn: never. */
    {1, 0, 0, APF_FAIL_WARN, 0, APF_OK},
    {1, 1, 1, APF_FAIL_WARN, 0, APF_OK},
    {0, 2, 0, APF_FAIL_WARN, 0, APF_OK},
    {0, 0, 2, APF_FAIL_WARN, 0, APF_OK},
    {0, 1, 1, APF_FAIL_WARN, 0, APF_OK},
    /* Shares: exactly at the limit is allowed; empty inputs are lost, too. */
    {1, 0, 0, SHARE(0), APF_OK},
    {99, 1, 0, SHARE(0), APF_INVALID_PROFILE},
    {99, 0, 1, SHARE(0), APF_INVALID_PROFILE},
    {99, 1, 0, SHARE(1), APF_OK},
    {99, 0, 1, SHARE(1), APF_OK},
    {98, 1, 1, SHARE(2), APF_OK},
    {97, 2, 1, SHARE(2), APF_INVALID_PROFILE},
    {99, 1, 0, SHARE(0.999999), APF_INVALID_PROFILE},
    {199, 1, 0, SHARE(0.5), APF_OK},
    {198, 2, 0, SHARE(0.5), APF_INVALID_PROFILE},
    {2, 1, 0, SHARE(33.333333), APF_INVALID_PROFILE}, /* nothing is rounded */
    {2, 1, 0, SHARE(33.333334), APF_OK},
    {1, 2, 0, SHARE(66.666666), APF_INVALID_PROFILE},
    {1, 2, 0, SHARE(66.666667), APF_OK},
    {1, 99, 0, SHARE(98.999999), APF_INVALID_PROFILE},
    {1, 99, 0, SHARE(99), APF_OK},
    {0, 1, 0, SHARE(99.999999), APF_INVALID_PROFILE},
    {0, 0, 1, SHARE(99.999999), APF_EMPTY_PROFILE},
    /* 100 % is never exceeded. */
    {1, 99, 0, SHARE(100), APF_OK},
    {0, 1, 0, SHARE(100), APF_OK},
    {0, 0, 1, SHARE(100), APF_OK},
    {0, 2, 2, SHARE(100), APF_OK},
    /* No input, no loss. */
    {0, 0, 0, APF_FAIL_ANY, 0, APF_OK},
    {0, 0, 0, APF_FAIL_ALL, 0, APF_OK},
    {0, 0, 0, APF_FAIL_WARN, 0, APF_OK},
    {0, 0, 0, SHARE(0), APF_OK},
};

static void test_verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct apf_tolerance t = {rows[i].mode, rows[i].max_loss};
        struct apf_merge *m = merge_of(rows[i].good, rows[i].bad, rows[i].empty);
        int verdict = apf_merge_verdict(m, &t);
        if (verdict != rows[i].verdict)
            fail_msg("row %zu (%u good, %u bad, %u empty, mode %d, %u): %d, not %d", i, rows[i].good,
                     rows[i].bad, rows[i].empty, t.mode, t.max_loss, verdict, rows[i].verdict);
        apf_merge_free(m);
    }
}

/* Inputs that contradict each other are bad ones, too, and may become good again. */
static void test_contradictions(void **state)
{
    (void)state;
    static const char *const texts[] = {":ir\na\n1\n1\n1\n", ":fe\nb\n1\n1\n1\n"};
    struct apf_tolerance any = {APF_FAIL_ANY, 0}, all = {APF_FAIL_ALL, 0}, half = {SHARE(50)},
                         third = {SHARE(33.4)};
    struct apf_merge *m;
    struct apf_input inputs[2];
    struct apf_error error;
    for (size_t i = 0; i < 2; i++)
        inputs[i] = apf_input_memory(texts[i], strlen(texts[i]), NULL);
    assert_int_equal(apf_merge_new(&m, NULL, &error), APF_OK);
    assert_int_equal(apf_merge_add(m, inputs, 2, &error), APF_OK);
    assert_int_equal(apf_merge_verdict(m, &any), APF_INVALID_PROFILE);
    assert_int_equal(apf_merge_verdict(m, &all), APF_OK);
    assert_int_equal(apf_merge_verdict(m, &half), APF_OK);
    assert_int_equal(apf_merge_verdict(m, &third), APF_INVALID_PROFILE);
    assert_int_equal(apf_merge_add(m, inputs, 1, &error), APF_OK);
    assert_int_equal(apf_merge_verdict(m, &third), APF_OK); /* one of three */
    apf_merge_free(m);
}

TEST_FILE(merge_verdict)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_verdicts),
                                       cmocka_unit_test(test_contradictions)};
    return RUN_TESTS(tests);
}

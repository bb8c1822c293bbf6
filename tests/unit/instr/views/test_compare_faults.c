/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every allocation of overlap, order and diff fails in turn: the error is that memory is out, and nothing leaks. */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <string.h>

#include <anyprof/compare.h>

#include "helpers/shared/fault.h"

static const char texts[2][400] = {
    ":ir\n:temporal_prof_traces\n2\n2\n1\nf,g,x.c:h,f\n1\ng,f\n"
    "f\n1\n2\n3\n4\n1\n0\n1\n3\nz:5\ny:6\nx:1\n\nf\n1\n2\n3\n4\n1\n0\n1\n2\nx:5\ny:6\n\nf\n2\n1\n7\n\n"
    "x.c:h\n1\n1\n1\n\ng\n1\n1\n2\n\n",
    ":ir\nf\n1\n2\n5\n4\n1\n0\n1\n3\nz:5\ny:9\nx:1\n\nf\n3\n1\n7\n\nx.c;h\n1\n1\n1\n\nk\n1\n1\n2\n\n"};
static struct apf_instr *pair[2];

typedef int attempt_fn(const struct apf_output *output, struct apf_error *e);

static int try_overlap(const struct apf_output *output, struct apf_error *e)
{
    return apf_overlap_print(pair[0], pair[1], NULL, output, NULL, e);
}

static int try_order(const struct apf_output *output, struct apf_error *e)
{
    struct apf_order_options options = {.size = sizeof options, .n_test_traces = 1};
    struct apf_order *order = NULL;
    int code = apf_order_new(&order, pair[0], &options, e);
    assert_true((code == APF_OK) == (order != NULL));
    if (code == APF_OK)
        code = apf_order_print(order, output, e);
    apf_order_free(order);
    return code;
}

static int try_diff_of(uint32_t flags, const struct apf_output *output, struct apf_error *e)
{
    struct apf_diff_options options = {.size = sizeof options, .flags = flags};
    struct apf_diff *diff = NULL;
    int code = apf_diff_new(&diff, pair[0], pair[1], &options, e);
    assert_true((code == APF_OK) == (diff != NULL));
    if (code == APF_OK)
        code = apf_diff_print(diff, output, e);
    apf_diff_free(diff);
    return code;
}

static int try_diff(const struct apf_output *output, struct apf_error *e)
{
    return try_diff_of(0, output, e);
}

static int try_json(const struct apf_output *output, struct apf_error *e)
{
    return try_diff_of(APF_DIFF_JSON, output, e);
}

/* How many allocations of a kind failed. */
static unsigned sweep_kind(attempt_fn *attempt, enum fault_call call)
{
    for (unsigned k = 1;; k++) {
        struct apf_buffer buffer = {NULL, 0, 0};
        struct apf_output output = apf_output_buffer(&buffer);
        struct apf_error e;
        fault_fail(call, k, ENOMEM);
        int code = attempt(&output, &e);
        bool hit = fault_hit();
        fault_reset();
        apf_buffer_free(&buffer);
        if (!hit) {
            assert_int_equal(code, APF_OK);
            return k - 1;
        }
        assert_true(code == APF_NO_MEMORY || (code == APF_IO && e.sys_errno == ENOMEM));
        assert_int_equal(e.code, code);
    }
}

static void sweep(attempt_fn *attempt, unsigned least)
{
    assert_true(sweep_kind(attempt, FAULT_MEMORY) + sweep_kind(attempt, FAULT_ARENA) >= least);
}

static int setup(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct apf_input input = apf_input_memory(texts[i], strlen(texts[i]), NULL);
        if (apf_instr_open(&pair[i], &input, NULL, NULL) != APF_OK)
            return -1;
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fault_reset();
    apf_instr_close(pair[0]);
    apf_instr_close(pair[1]);
    return 0;
}

static void test_overlap(void **state)
{
    (void)state;
    sweep(try_overlap, 10);
}

static void test_order(void **state)
{
    (void)state;
    sweep(try_order, 20);
}

static void test_diff(void **state)
{
    (void)state;
    sweep(try_diff, 15);
    sweep(try_json, 15);
}

TEST_FILE(compare_faults)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_overlap), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_diff)};
    return RUN_TESTS_WITH(tests, setup, teardown);
}

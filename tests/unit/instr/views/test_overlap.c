/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers of the overlap, computed by hand; the text beside llvm-profdata is in oracle/parity_overlap.py. */
#include "helpers/shared/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/compare.h>

static struct apf_instr *open_text(const char *text)
{
    struct apf_input input = apf_input_memory(text, strlen(text), NULL);
    struct apf_instr *instr = NULL;
    struct apf_error error;
    assert_int_equal(apf_instr_open(&instr, &input, NULL, &error), APF_OK);
    return instr;
}

static struct apf_overlap overlap_of(const char *base, const char *test,
                                     const struct apf_overlap_options *options)
{
    struct apf_instr *a = open_text(base), *b = open_text(test);
    struct apf_overlap o = {.size = sizeof o};
    struct apf_error error;
    assert_int_equal(apf_overlap_print(a, b, options, NULL, &o, &error), APF_OK);
    apf_instr_close(a);
    apf_instr_close(b);
    return o;
}

static void near(double got, double want)
{
    assert_true(fabs(got - want) < 1e-12);
}

static void test_counters(void **state)
{
    (void)state;
    /* 100 and 1000 counts: 0.3, 0.2 of f in common, g changed its hash, h its number of counters, i is new. */
    struct apf_overlap o =
        overlap_of("f\n1\n2\n30\n40\n\ng\n1\n1\n20\n\nh\n1\n1\n10\n\n",
                   "f\n1\n2\n400\n200\n\ng\n2\n1\n100\n\nh\n1\n2\n50\n50\n\ni\n1\n1\n200\n\n", NULL);
    assert_int_equal(o.zero, APF_OVERLAP_COMPARED);
    near(o.base.edges, 100);
    near(o.test.edges, 1000);
    assert_int_equal(o.base.n, 3);
    assert_int_equal(o.test.n, 4);
    assert_int_equal(o.overlap.n, 1);
    near(o.overlap.edges, 0.3 + 0.2);
    assert_int_equal(o.mismatch.n, 2);
    near(o.mismatch.edges, 0.1 + 0.1);
    assert_int_equal(o.unique.n, 1);
    near(o.unique.edges, 0.2);
}

static void test_values(void **state)
{
    (void)state;
    struct apf_overlap o =
        overlap_of(":ir\nf\n1\n1\n8\n2\n0\n2\n3\na:10\nb:20\nc:10\n0\n1\n1\n1\n7:4\n\n",
                   ":ir\nf\n1\n1\n8\n2\n0\n2\n2\nc:50\na:10\n1\nd:40\n1\n1\n1\n7:9\n\n", NULL);
    near(o.base.values[APF_VALUE_INDIRECT_CALL], 40);
    near(o.test.values[APF_VALUE_INDIRECT_CALL], 100);
    near(o.overlap.values[APF_VALUE_INDIRECT_CALL], 0.1 + 0.25); /* of a and c */
    near(o.overlap.values[APF_VALUE_MEMOP_SIZE], 1);
    near(o.overlap.values[APF_VALUE_VTABLE], 0);
    near(o.overlap.edges, 1);
}

/* A function without counts overlaps whatever its shape is. Records that come repeatedly are joined in the base. */
static void test_rules(void **state)
{
    (void)state;
    struct apf_overlap o =
        overlap_of("f\n1\n1\n3\n\nf\n1\n1\n5\n\ng\n1\n1\n2\n\n", "f\n1\n1\n8\n\ng\n2\n3\n0\n0\n0\n\n", NULL);
    near(o.base.edges, 10);
    assert_int_equal(o.overlap.n, 2);
    assert_int_equal(o.mismatch.n, 0);
    near(o.overlap.edges, 0.8);
}

static void test_contexts(void **state)
{
    (void)state;
    static const char text[] = ":csir\nf\n1\n1\n3\n\nf\n1152921504606846977\n1\n5\n\n";
    struct apf_overlap_options options = {.size = sizeof options, .flags = APF_OVERLAP_CS};
    struct apf_overlap o = overlap_of(text, text, NULL);
    near(o.base.edges, 3);
    near(o.overlap.edges, 1 + 5.0 / 3); /* as in LLVM: only the sums are of one kind */
    o = overlap_of(text, text, &options);
    near(o.base.edges, 5);
    assert_int_equal(o.base.n, 1);
}

static void test_nothing(void **state)
{
    (void)state;
    assert_int_equal(overlap_of("f\n1\n1\n0\n\n", "f\n1\n1\n1\n\n", NULL).zero, APF_OVERLAP_BASE_ZERO);
    assert_int_equal(overlap_of("f\n1\n1\n1\n\n", "f\n1\n1\n0\n\n", NULL).zero, APF_OVERLAP_TEST_ZERO);
    assert_int_equal(overlap_of("f\n1\n1\n0\n\n", "f\n1\n1\n0\n\n", NULL).zero, APF_OVERLAP_BASE_ZERO);
}

/* Many hashes of one name, and many repetitions: neither may be quadratic. */
static void test_many(void **state)
{
    (void)state;
    enum { MANY = 60000, LINE = 40 };
    char *text = test_malloc((size_t)MANY * LINE);
    size_t n = 0;
    for (unsigned i = 0; i < MANY; i++)
        n += (size_t)snprintf(text + n, LINE, "f\n%u\n1\n1\n\n", i % 30000);
    struct apf_overlap o = overlap_of(text, text, NULL);
    assert_int_equal(o.overlap.n, MANY);
    near(o.base.edges, MANY);
    assert_true(fabs(o.overlap.edges - 1) <
                1e-9); /* each of the second's is 1 / 60000, of the first's 2 / 60000 */
    test_free(text);
}

TEST_FILE(overlap)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counters), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_rules),    cmocka_unit_test(test_contexts),
                                       cmocka_unit_test(test_nothing),  cmocka_unit_test(test_many)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Differences between two profiles: pairs, effects computed by hand, names, order, JSON. */
#include "helpers/shared/unit.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include <anyprof/compare.h>

struct compared {
    struct apf_instr *instr[2];
    struct apf_diff *diff;
    size_t n;
    const struct apf_diff_totals *totals;
};

static void compare(struct compared *c, const char *a, const char *b, uint32_t flags, const char *function)
{
    const char *texts[2] = {a, b};
    struct apf_diff_options options = {.size = sizeof options, .flags = flags, .names = {"a", "b"}};
    struct apf_error error;
    if (function) {
        options.function.p = function;
        options.function.n = strlen(function);
    }
    for (unsigned i = 0; i < 2; i++) {
        struct apf_input input = apf_input_memory(texts[i], strlen(texts[i]), NULL);
        assert_int_equal(apf_instr_open(&c->instr[i], &input, NULL, &error), APF_OK);
    }
    assert_int_equal(apf_diff_new(&c->diff, c->instr[0], c->instr[1], &options, &error), APF_OK);
    c->n = apf_diff_totals(c->diff)->differ;
    assert_null(apf_diff_function(c->diff, c->n));
    c->totals = apf_diff_totals(c->diff);
}

static void release(struct compared *c)
{
    apf_diff_free(c->diff);
    apf_instr_close(c->instr[0]);
    apf_instr_close(c->instr[1]);
}

static void near(double got, double want)
{
    assert_true(fabs(got - want) < 1e-12);
}

static void is(const struct apf_diff_function *f, const char *name, uint32_t changes, double effect)
{
    struct apf_str have = f->side[changes & APF_DIFF_ONLY_B ? 1 : 0].name;
    assert_int_equal(have.n, strlen(name));
    assert_memory_equal(have.p, name, have.n);
    assert_int_equal(f->changes, changes);
    near(f->effect, effect);
}

static void test_effects(void **state)
{
    (void)state;
    struct compared c;
    /* 100 and 1000 counts. */
    compare(&c, "f\n1\n2\n30\n30\n\ng\n1\n1\n20\n\nh\n1\n1\n5\n\ni\n1\n1\n5\n\nj\n1\n1\n10\n\n",
            "f\n1\n2\n400\n100\n\ng\n2\n1\n100\n\nh\n1\n2\n50\n50\n\nk\n1\n1\n200\n\nj\n1\n1\n100\n\n", 0,
            NULL);
    assert_int_equal(c.n, 5);
    is(apf_diff_function(c.diff, 0), "f", APF_DIFF_COUNTS, (0.1 + 0.2) / 2);
    is(apf_diff_function(c.diff, 1), "g", APF_DIFF_HASH, (0.2 + 0.1) / 2);
    is(apf_diff_function(c.diff, 2), "k", APF_DIFF_ONLY_B, 0.1);
    is(apf_diff_function(c.diff, 3), "h", APF_DIFF_COUNTERS, (0.05 + 0.1) / 2);
    is(apf_diff_function(c.diff, 4), "i", APF_DIFF_ONLY_A, 0.025);
    assert_int_equal(apf_diff_function(c.diff, 1)->side[0].hash, 1);
    assert_int_equal(apf_diff_function(c.diff, 1)->side[1].hash, 2);
    assert_int_equal(apf_diff_function(c.diff, 3)->side[1].n_counts, 2);
    assert_int_equal(apf_diff_function(c.diff, 0)->side[1].count, 500);
    near(apf_diff_function(c.diff, 0)->side[1].share, 0.5);
    assert_int_equal(c.totals->differ, 5);
    assert_int_equal(c.totals->equal, 1); /* j: a tenth of both */
    assert_int_equal(c.totals->functions[0], 5);
    assert_int_equal(c.totals->functions[1], 5);
    near(c.totals->counts[0], 100);
    near(c.totals->counts[1], 1000);
    near(c.totals->difference, 0.5);
    assert_int_equal(c.totals->changes[0].n, 1);
    near(c.totals->changes[0].effect, 0.025);
    release(&c);
}

static void test_absolute(void **state)
{
    (void)state;
    struct compared c;
    static const char a[] = "f\n1\n2\n30\n30\n\n", b[] = "f\n1\n2\n60\n60\n\n";
    compare(&c, a, b, 0, NULL);
    assert_int_equal(c.n, 0);
    near(c.totals->difference, 0);
    release(&c);
    compare(&c, a, b, APF_DIFF_ABSOLUTE, NULL);
    assert_int_equal(c.n, 1);
    is(apf_diff_function(c.diff, 0), "f", APF_DIFF_COUNTS, 60.0 / 180);
    release(&c);
    /* Not lost in the rounding of floating point. */
    compare(&c, "f\n1\n1\n9007199254740993\n\n", "f\n1\n1\n9007199254740992\n\n", APF_DIFF_ABSOLUTE, NULL);
    assert_int_equal(c.n, 1);
    assert_int_equal(apf_diff_function(c.diff, 0)->changes, APF_DIFF_COUNTS);
    release(&c);
    /* Equal shares, though thirds have no exact form. */
    compare(&c, "f\n1\n3\n1\n1\n1\n\n", "f\n1\n3\n7\n7\n7\n\n", 0, NULL);
    assert_int_equal(c.n, 0);
    release(&c);
}

static void test_nothing(void **state)
{
    (void)state;
    struct compared c;
    compare(&c, "f\n1\n1\n0\n\ng\n1\n1\n0\n\n", "f\n2\n1\n0\n\n", 0, NULL);
    near(c.totals->difference, 0);
    is(apf_diff_function(c.diff, 0), "f", APF_DIFF_HASH, 0);
    is(apf_diff_function(c.diff, 1), "g", APF_DIFF_ONLY_A, 0);
    release(&c);
    compare(&c, "f\n1\n1\n0\n\n", "f\n1\n1\n5\n\n", 0, NULL);
    near(c.totals->difference, 1);
    release(&c);
}

#define STRUCTURE(count, bitmap, site) ":ir\nf\n1\n1\n" count "\n" bitmap "2\n0\n1\n" site "1\n1\n1\n8:4\n\n"

static void test_structure(void **state)
{
    (void)state;
    struct compared c;
    compare(&c, STRUCTURE("1", "$1\n0x5\n", "2\nx:6\ny:2\n"), STRUCTURE("1", "$1\n0x3\n", "2\ny:6\nz:2\n"), 0,
            NULL);
    is(apf_diff_function(c.diff, 0), "f", APF_DIFF_BITS | APF_DIFF_VALUES, 0);
    assert_int_equal(apf_diff_function(c.diff, 0)->bits_changed, 2);
    near(apf_diff_function(c.diff, 0)->values_moved, 0.5); /* 6 + 4 + 2 of 2 * 12 */
    release(&c);
    compare(&c, STRUCTURE("1", "$1\n0x5\n", "1\nx:6\n"),
            ":ir\nf\n1\n1\n1\n$2\n0x5\n0x0\n2\n0\n2\n0\n0\n1\n1\n0\n\n", 0, NULL);
    is(apf_diff_function(c.diff, 0), "f", APF_DIFF_BITMAP | APF_DIFF_SITES, 0);
    release(&c);
    compare(&c, "f\n1\n1\n18446744073709551615\n\ng\n1\n1\n1\n\n",
            "f\n1\n1\n18446744073709551614\n\ng\n1\n1\n1\n\n", 0, NULL);
    is(apf_diff_function(c.diff, 0), "f", APF_DIFF_PSEUDO, 0);
    release(&c);
}

/* The same values in another order, or one in two parts, are the same. */
static void test_equal_values(void **state)
{
    (void)state;
    struct compared c;
    compare(&c, ":ir\nf\n1\n1\n1\n1\n0\n1\n2\nx:6\ny:2\n\n", ":ir\nf\n1\n1\n1\n1\n0\n1\n3\ny:2\nx:3\nx:3\n\n",
            0, NULL);
    assert_int_equal(c.n, 0);
    release(&c);
}

static void test_hashes(void **state)
{
    (void)state;
    struct compared c;
    /* Of those without a partner the largest ones belong together: 2 and 5, 1 and 4. */
    compare(&c, "f\n1\n1\n10\n\nf\n2\n1\n20\n\nf\n3\n1\n70\n\n",
            "f\n3\n1\n70\n\nf\n4\n1\n10\n\nf\n5\n1\n15\n\nf\n6\n1\n5\n\n", 0, NULL);
    assert_int_equal(c.n, 3);
    is(apf_diff_function(c.diff, 0), "f", APF_DIFF_HASH, 0.175);
    assert_int_equal(apf_diff_function(c.diff, 0)->side[0].hash, 2);
    assert_int_equal(apf_diff_function(c.diff, 0)->side[1].hash, 5);
    is(apf_diff_function(c.diff, 1), "f", APF_DIFF_HASH, 0.1);
    assert_int_equal(apf_diff_function(c.diff, 1)->side[1].hash, 4);
    is(apf_diff_function(c.diff, 2), "f", APF_DIFF_ONLY_B, 0.025);
    assert_int_equal(c.totals->equal, 1);
    release(&c);
}

static void test_names(void **state)
{
    (void)state;
    static const char a[] =
        ":ir\nx.c:f\n1\n1\n1\n\ng.llvm.123\n1\n1\n1\n\nt.llvm.1\n1\n1\n1\n\nt.llvm.2\n1\n1\n1\n\n",
                      b[] =
                          ":ir\nx.c;f\n1\n1\n1\n\ng.llvm.77\n2\n1\n1\n\nt\n1\n1\n1\n\ng.llvm.x\n1\n1\n1\n\n";
    struct compared c;
    compare(&c, a, b, 0, NULL);
    /* Two functions may be t: neither is paired with it. */
    assert_int_equal(c.totals->changes[10].n, 2);
    assert_int_equal(c.totals->changes[0].n, 2);
    assert_int_equal(c.totals->changes[1].n, 2);
    is(apf_diff_function(c.diff, 0), "g.llvm.123", APF_DIFF_NAME | APF_DIFF_HASH, 0.25);
    is(apf_diff_function(c.diff, c.n - 1), "x.c:f", APF_DIFF_NAME, 0);
    release(&c);
    compare(&c, a, b, APF_DIFF_EXACT_NAMES, NULL);
    assert_int_equal(c.totals->changes[10].n, 0);
    assert_int_equal(c.totals->changes[0].n, 4);
    release(&c);
}

static void test_filter(void **state)
{
    (void)state;
    struct compared c;
    compare(&c, "foo\n1\n1\n3\n\nbar\n1\n1\n1\n\n", "foo\n1\n1\n1\n\nbar\n1\n1\n1\n\n", 0, "ba");
    assert_int_equal(c.n, 1);
    is(apf_diff_function(c.diff, 0), "bar", APF_DIFF_COUNTS, 0.125);
    near(c.totals->difference, 0.125);
    assert_int_equal(c.totals->functions[0], 1);
    near(c.totals->counts[0], 4);
    release(&c);
}

static void test_contexts(void **state)
{
    (void)state;
    static const char a[] = ":csir\nf\n1\n1\n3\n\nf\n1152921504606846977\n2\n5\n1\n\n",
                      b[] = ":csir\nf\n1\n1\n9\n\nf\n1152921504606846977\n2\n4\n2\n\n";
    struct compared c;
    compare(&c, a, b, 0, NULL);
    assert_int_equal(c.n, 0);
    assert_int_equal(c.totals->equal, 1);
    release(&c);
    compare(&c, a, b, APF_DIFF_CS, NULL);
    assert_int_equal(c.n, 1);
    near(c.totals->difference, 1.0 / 6);
    release(&c);
}

static void test_json(void **state)
{
    (void)state;
    struct compared c;
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_error error;
    compare(&c, "f\n1\n1\n3\n\ng\n1\n1\n1\n\n", "f\n16\n1\n1\n\n", APF_DIFF_JSON, NULL);
    assert_int_equal(apf_diff_print(c.diff, &output, &error), APF_OK);
    json_t *root = json_loadb(buffer.data, buffer.n, 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "schema")), "anyprof-diff/1");
    near(json_number_value(json_object_get(root, "difference")), 1);
    json_t *f = json_array_get(json_object_get(root, "functions"), 0);
    assert_string_equal(json_string_value(json_object_get(f, "function")), "f");
    assert_string_equal(json_string_value(json_object_get(json_object_get(f, "b"), "hash")),
                        "0x0000000000000010");
    near(json_number_value(json_object_get(f, "effect")), 0.875);
    f = json_array_get(json_object_get(root, "functions"), 1);
    assert_true(json_is_null(json_object_get(f, "b")));
    assert_string_equal(json_string_value(json_array_get(json_object_get(f, "changes"), 0)), "only_in_a");
    json_decref(root);
    apf_buffer_free(&buffer);
    release(&c);
}

TEST_FILE(profile_diff)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_effects),      cmocka_unit_test(test_absolute),
                                       cmocka_unit_test(test_nothing),      cmocka_unit_test(test_structure),
                                       cmocka_unit_test(test_equal_values), cmocka_unit_test(test_hashes),
                                       cmocka_unit_test(test_names),        cmocka_unit_test(test_filter),
                                       cmocka_unit_test(test_contexts),     cmocka_unit_test(test_json)};
    return RUN_TESTS(tests);
}

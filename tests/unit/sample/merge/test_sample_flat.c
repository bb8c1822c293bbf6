/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_flat.h"

#include "sample/model/sample_share.h"

#include "helpers/shared/sample_change.h"
#include "helpers/shared/unit.h"

static int flatten(const struct apf_sample *from, const void *how, struct apf_sample **to,
                   struct sample_losses *losses, struct apf_error *error)
{
    (void)how;
    return sample_flatten(from, to, losses, error);
}

/* The result of llvm-profdata-22. */
static void test_nested(void **state)
{
    (void)state;
    EXPECT_CHANGE(flatten, NULL,
                  "main:1000:3\n 1: 100\n 4: 50 foo:50\n 2: foo:600\n  1: 400\n  3: bar:150\n   1: 150\n"
                  " 2: qux:7\n  1: 7\nfoo:20:9\n 1: 20\n",
                  "main:800:100\n 1: 100\n 2: 407 foo:400 qux:7\n 4: 50 foo:50\n"
                  "foo:620:420\n 1: 420\n 3: 150 bar:150\nbar:150:150\n 1: 150\nqux:7:7\n 1: 7\n");
    EXPECT_CHANGE(flatten, NULL, "foo:20:9\n 1: 20\n", "foo:20:20\n 1: 20\n");
    EXPECT_CHANGE(flatten, NULL, "foo:20:9\n", "foo:20:1\n");
    EXPECT_CHANGE(flatten, NULL, "foo:0:9\n", "foo:0:0\n");
}

/* A total that is less than those of the inlined functions: it never falls below 0 on the way. By llvm-profdata-22. */
static void test_totals(void **state)
{
    (void)state;
    EXPECT_CHANGE(flatten, NULL, "f:10:1\n 1: a:20\n  1: 3\n 2: a:1\n  1: 1\n 2: b:2\n  1: 7\n",
                  "a:21:4\n 1: 4\nf:8:3\n 1: 3 a:3\n 2: 8 b:7 a:1\nb:2:7\n 1: 7\n");
    EXPECT_CHANGE(flatten, NULL, "f:10:1\n 1: b:5\n 1: z:20\n  1: 3\n",
                  "z:20:3\n 1: 3\nb:5:1\nf:3:4\n 1: 4 z:3 b:1\n");
}

static void test_contexts(void **state)
{
    (void)state;
    EXPECT_CHANGE(flatten, NULL,
                  "[m:1 @ f]:9:1\n 1: 9\n 2: in:4\n  1: 4\n  !Attributes: 2\n !Attributes: 1\n"
                  "[f]:5:3\n 1: 2\n 2: in:1\n  1: 1\n !Attributes: 2\n[k:4 @ g]:1:1\n",
                  "f:14:4\n 1: 11\n 2: in:5\n  1: 5\n  !Attributes: 2\ng:1:1\n");
}

/* What the function's own profile has already is not added again, but it was called. */
static void test_duplicates(void **state)
{
    (void)state;
    EXPECT_CHANGE(flatten, NULL,
                  "f:100:1\n 1: g:60\n  1: 40\n  2: h:20\n   1: 20\n  !Attributes: 5\n"
                  "g:60:40\n 1: 40\n 2: h:20\n  1: 20\n",
                  "f:80:40\n 1: 40 g:40\ng:60:40\n 1: 40\n 2: 20 h:20\nh:20:20\n 1: 20\n");
}

static void test_extras(void **state)
{
    (void)state;
    EXPECT_CHANGE(flatten, NULL,
                  "f:9:1\n 1: 1\n 2: g:3\n  1: 3\n  1: vtables v:2\n  !CFGChecksum: 7\n  !Attributes: 1\n"
                  " !CFGChecksum: 9\n !Attributes: 2\n",
                  "f:9:1\n 1: 1\n 2: 3 g:3\n !CFGChecksum: 9\n !Attributes: 2\n"
                  "g:3:3\n 1: 3\n 1: vtables v:2\n !CFGChecksum: 7\n !Attributes: 1\n");
}

/* Functions with a count that was cut are marked, so that the merge reports them. */
static void test_saturation(void **state)
{
    struct apf_sample *flat,
        *s = sample_from_notes("f:18446744073709551615:1\n 1: 18446744073709551600\n 2: g:9\n  1: 9\n"
                               "g:7:1\n 1: 18446744073709551610\n");
    struct sample_losses losses = {0};
    (void)state;
    assert_int_equal(sample_flatten(s, &flat, &losses, NULL), APF_OK);
    for (size_t i = 0; i < flat->top.n; i++) {
        const struct sample_node *f = &flat->nodes.data[flat->top.data[i]];
        bool cut = *flat->names.list.data[f->name].p == 'g';
        assert_int_equal((f->state & SAMPLE_SATURATED) != 0, cut);
    }
    sample_losses_free(&losses);
    sample_share_free(flat);
    sample_free(s);
}

/* Instances of one function with different checksums: votes decide, and what has none is added. */
static void test_conflict(void **state)
{
    struct sample_losses losses = {0};
    (void)state; /* the helper gives a function total % 4 votes */
    expect_change(flatten, NULL,
                  "f:103:1\n 1: 1\n 2: g:3\n  1: 3\n  !CFGChecksum: 7\n 3: g:6\n  1: 5\n  !CFGChecksum: 8\n"
                  " 4: g:1\n  1: 1\n  !CFGChecksum: 8\n 5: g:4\n  1: 2\n !CFGChecksum: 9\n",
                  "f:100:1\n 1: 1\n 2: 3 g:3\n 3: 5 g:5\n 4: 1 g:1\n 5: 2 g:2\n !CFGChecksum: 9\n"
                  "g:11:8\n 1: 8\n !CFGChecksum: 8\n",
                  &losses, __FILE__, __LINE__);
    assert_int_equal(losses.list.n, 1);
    assert_int_equal(losses.functions, 1);
    assert_int_equal(losses.samples, 3);
    assert_int_equal(losses.list.data[0].checksum, 7);
    sample_losses_free(&losses);
}

static void test_orders(void **state)
{
    static const struct sample_random nested = {.functions = 9,
                                                .names = 7,
                                                .depth = 4,
                                                .checksums = 2,
                                                .hashes = 20,
                                                .attributes = true,
                                                .vtables = true,
                                                .huge = true};
    static const struct sample_random contexts = {
        .functions = 12, .names = 5, .depth = 2, .frames = 3, .checksums = 2, .attributes = true};
    (void)state;
    change_in_any_order(flatten, NULL, &nested);
    change_in_any_order(flatten, NULL, &contexts);
}

static void test_faults(void **state)
{
    (void)state;
    change_with_faults(flatten, NULL,
                       "f:9:1\n 1: 1\n 2: g:3\n  1: 3\n  1: vtables v:2\n  !CFGChecksum: 7\n"
                       " !CFGChecksum: 9\ng:4:1\n 1: 1 f:2 g:1\n !CFGChecksum: 8\n");
    change_with_faults(flatten, NULL, "[f:1 @ g]:9:1\n 1: 1 x:2\n !CFGChecksum: 7\n[g]:4:1\n");
}

TEST_FILE(sample_flat)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested),     cmocka_unit_test(test_totals), cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_duplicates), cmocka_unit_test(test_extras), cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_saturation), cmocka_unit_test(test_orders), cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}

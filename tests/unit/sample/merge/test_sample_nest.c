/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_nest.h"

#include <stdio.h>

#include "sample/model/sample_share.h"

#include "helpers/shared/sample_change.h"
#include "helpers/shared/unit.h"

static const bool merged_base = true;

static int nest(const struct apf_sample *from, const void *how, struct apf_sample **to,
                struct sample_losses *losses, struct apf_error *error)
{
    return sample_nest(from, how != NULL, to, losses, error);
}

/* The results of llvm-profdata-22. */
static void test_nest(void **state)
{
    static const char text[] = "[main]:1000:1\n 1: 700\n 2: 300 foo:300\n"
                               "[main:2 @ foo]:500:50\n 1: 300\n 3: 200 bar:150 qux:50\n"
                               "[main:2 @ foo:3 @ bar]:100:10\n 1: 60\n[zed:1 @ bar]:37:37\n 1: 37\n";
    (void)state;
    EXPECT_CHANGE(nest, NULL, text,
                  "main:1150:1\n 1: 700\n 2: foo:450\n  1: 300\n  3: 50 qux:50\n  3: bar:100\n   1: 60\n"
                  "bar:37:37\n 1: 37\n");
    EXPECT_CHANGE(nest, &merged_base, text,
                  "main:1150:1\n 1: 700\n 2: foo:450\n  1: 300\n  3: 50 qux:50\n  3: bar:100\n   1: 60\n"
                  "   !Attributes: 4\n  !Attributes: 4\n"
                  "foo:450:50\n 1: 300\n 3: 50 qux:50\n 3: bar:100\n  1: 60\n  !Attributes: 4\n"
                  "bar:137:47\n 1: 97\n");
}

/* A function whose caller has no profile is one without a context; so is one whose caller's caller has one. */
static void test_gap(void **state)
{
    (void)state;
    EXPECT_CHANGE(nest, NULL, "[a:1 @ b:2 @ c]:9:2\n 1: 9\n[a]:5:1\n 1: 5 b:5\n[c]:2:1\n 2: 2\n",
                  "c:11:3\n 1: 9\n 2: 2\na:5:1\n 1: 5 b:5\n");
}

/* Several calls of one place; a line that keeps targets stays, also with the count 0; what is not called stays. */
static void test_calls(void **state)
{
    (void)state;
    EXPECT_CHANGE(
        nest, NULL,
        "[m]:100:1\n 1: 50 a:30 b:15 c:5\n 2: 10 a:20 d:3\n 3: 4\n 4: 0\n"
        "[m:1 @ a]:7:1\n[m:1 @ b]:6:1\n[m:2 @ a]:5:1\n[m:3 @ z]:4:1\n[m:4 @ z]:3:1\n[m:9 @ z]:2:1\n",
        "m:72:1\n 1: 5 c:5\n 2: 0 d:3\n 3: 4\n 1: a:7\n 1: b:6\n 2: a:5\n 3: z:4\n 4: z:3\n"
        " 9: z:2\n");
    /* targets with the count 0 do not keep it, as in LLVM */
    EXPECT_CHANGE(nest, NULL, "[m]:100:1\n 5: 9 a:9 d:0\n 6: 2 e:2\n[m:5 @ a]:7:1\n",
                  "m:98:1\n 6: 2 e:2\n 5: a:7\n");
    /* the largest place */
    EXPECT_CHANGE(nest, NULL, "[m]:100:1\n 1: 50 a:30\n 4294967295.4294967295: 7 z:7\n[m:1 @ a]:7:1\n",
                  "m:77:1\n 1: 20\n 4294967295.4294967295: 7 z:7\n 1: a:7\n");
}

/* A total never falls below 0, and heads of inlined functions are 0. */
static void test_totals(void **state)
{
    (void)state;
    EXPECT_CHANGE(nest, NULL, "[m:1 @ a]:7:1\n 1: 1\n[m]:3:1\n 1: 50 a:30\n",
                  "m:0:1\n 1: 20\n 1: a:7\n  1: 1\n");
}

/* What is inlined already stays, and joins the function that is nested at its place. */
static void test_inlined(void **state)
{
    (void)state;
    EXPECT_CHANGE(nest, NULL,
                  "[m]:30:1\n 1: a:5\n  1: 2\n 2: b:4\n  1: 4\n[m:1 @ a]:7:3\n 1: 1\n 2: c:6\n  1: 6\n",
                  "m:37:1\n 1: a:12\n  1: 3\n  2: c:6\n   1: 6\n 2: b:4\n  1: 4\n");
}

/* Attributes of all contexts of a function are or-ed; checksums that differ are decided. */
/* With bases, those have all samples of a context, and what was inlined at its place. */
static void test_inlined_bases(void **state)
{
    (void)state;
    EXPECT_CHANGE(nest, &merged_base,
                  "[main]:100:10\n 1: 50\n 1: foo:40\n  2: 40\n[main:1 @ foo]:30:3\n 2: 7\n 3: 23\n",
                  "main:130:10\n 1: 50\n 1: foo:70\n  2: 47\n  3: 23\n  !Attributes: 4\n"
                  "foo:70:3\n 2: 47\n 3: 23\n");
}

static void test_metadata(void **state)
{
    struct sample_losses losses = {0};
    (void)state; /* the helper gives a function total % 4 votes */
    expect_change(nest, NULL,
                  "[m:1 @ a]:7:1\n 1: 1\n !CFGChecksum: 5\n !Attributes: 1\n"
                  "[k:1 @ a]:6:1\n 1: 2\n !CFGChecksum: 5\n !Attributes: 2\n"
                  "[j:1 @ a]:1:1\n 1: 4\n !CFGChecksum: 6\n[a]:0:0\n",
                  "a:13:2\n 1: 3\n !CFGChecksum: 5\n !Attributes: 3\n", &losses, __FILE__, __LINE__);
    assert_int_equal(losses.functions, 1);
    assert_int_equal(losses.samples, 1);
    sample_losses_free(&losses);
}

/* A profile with a chain of calls, `depth` of them, and a function inlined in the last one. */
static struct apf_sample *chain(unsigned depth)
{
    struct apf_sample *s = sample_new();
    uint32_t context = SAMPLE_NONE, node, name;
    s->info.flags = APF_SAMPLE_CONTEXTS;
    for (unsigned i = 0; i <= depth; i++) {
        char text[16];
        struct apf_str f = {text, (size_t)snprintf(text, sizeof text, "f%u", i)};
        assert_int_equal(sample_names_add(&s->names, f, SAMPLE_NONE, true, &name, NULL), APF_OK);
        assert_int_equal(sample_contexts_add(&s->contexts, context, i, name, &context, NULL), APF_OK);
        assert_int_equal(sample_top(s, context, &node, NULL), APF_OK);
    }
    assert_int_equal(sample_inlined(s, node, 1, name, &node, NULL), APF_OK);
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    return s;
}

static void test_depth(void **state)
{
    struct apf_error error;
    struct sample_losses losses = {0};
    struct apf_sample *nested;
    (void)state;
    for (unsigned depth = SAMPLE_MAX_DEPTH - 1; depth <= SAMPLE_MAX_DEPTH; depth++) {
        struct apf_sample *s = chain(depth);
        int code = sample_nest(s, false, &nested, &losses, &error);
        assert_int_equal(code, depth < SAMPLE_MAX_DEPTH ? APF_OK : APF_LIMIT);
        assert_true(code == APF_OK ? nested->top.n == 1 && nested->nodes.n == depth + 2 : !nested);
        sample_share_free(nested);
        sample_free(s);
    }
}

static void test_orders(void **state)
{
    static const struct sample_random like = {.functions = 20,
                                              .names = 4,
                                              .depth = 2,
                                              .frames = 4,
                                              .hashes = 20,
                                              .attributes = true,
                                              .vtables = true,
                                              .huge = true};
    static const struct sample_random probes = {
        .functions = 20, .names = 3, .depth = 1, .frames = 3, .checksums = 2, .attributes = true};
    (void)state;
    change_in_any_order(nest, NULL, &like);
    change_in_any_order(nest, &merged_base, &like);
    change_in_any_order(nest, NULL, &probes);
    change_in_any_order(nest, &merged_base, &probes);
}

static void test_faults(void **state)
{
    (void)state;
    change_with_faults(nest, &merged_base,
                       "[m]:30:1\n 1: 4 a:5\n 2: b:4\n  1: 4\n[m:1 @ a]:7:3\n 1: 1 x:1 y:1\n 1: vtables v:1\n"
                       "[m:1 @ a:2 @ c]:5:1\n[k:1 @ a]:3:1\n !CFGChecksum: 3\n");
}

TEST_FILE(sample_nest)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nest),     cmocka_unit_test(test_gap),     cmocka_unit_test(test_calls),
        cmocka_unit_test(test_totals),   cmocka_unit_test(test_inlined), cmocka_unit_test(test_inlined_bases),
        cmocka_unit_test(test_metadata), cmocka_unit_test(test_depth),   cmocka_unit_test(test_orders),
        cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}

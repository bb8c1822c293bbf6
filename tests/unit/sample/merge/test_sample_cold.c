/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_cold.h"

#include "sample/model/sample_share.h"

#include "helpers/shared/sample_change.h"
#include "helpers/shared/unit.h"

static struct sample_cold_result last;

static int trim(const struct apf_sample *from, const void *how, struct apf_sample **to,
                struct sample_losses *losses, struct apf_error *error)
{
    return sample_trim_cold(from, how, to, &last, losses, error);
}

static const char text[] = "[main]:1000:1\n 1: 700\n 2: 300 foo:300\n"
                           "[main:2 @ foo]:500:50\n 1: 300\n 3: 200 bar:150\n"
                           "[main:2 @ foo:3 @ bar]:100:10\n 1: 60\n[zed:1 @ bar]:37:37\n 1: 37\n";
#define HOT "[main]:1000:1\n 1: 700\n 2: 300 foo:300\n[main:2 @ foo]:500:50\n 1: 300\n 3: 200 bar:150\n"

/* The results of llvm-profdata-22 with --profile-summary-cold-count=200. */
static void test_modes(void **state)
{
    static const struct sample_cold merged = {200, 1, true, false, false},
                                    trimmed = {200, 1, false, true, false},
                                    both = {200, 1, true, true, false}, two = {200, 2, true, false, false},
                                    less = {137, 1, true, true, false}, none = {0, 1, true, true, false};
    (void)state;
    EXPECT_CHANGE(trim, &merged, text, HOT "[bar]:137:47\n 1: 97\n");
    assert_int_equal(last.merged, 2);
    assert_int_equal(last.trimmed, 0);
    EXPECT_CHANGE(trim, &trimmed, text, HOT);
    assert_int_equal(last.trimmed, 2);
    assert_int_equal(last.samples, 137);
    EXPECT_CHANGE(trim, &both, text, HOT);
    assert_int_equal(last.merged, 2);
    assert_int_equal(last.trimmed, 1);
    assert_int_equal(last.samples, 137);
    EXPECT_CHANGE(trim, &two, text, HOT "[foo:3 @ bar]:100:10\n 1: 60\n[zed:1 @ bar]:37:37\n 1: 37\n");
    assert_int_equal(last.merged, 1);
    EXPECT_CHANGE(trim, &less, text, HOT "[bar]:137:47\n 1: 97\n");
    EXPECT_CHANGE(trim, &none, text, text);
}

/* Cold functions join a hot one of their last frames, whatever their sum; cold ones without callers are cold, too. */
static void test_base(void **state)
{
    static const struct sample_cold both = {100, 1, true, true, false};
    (void)state;
    EXPECT_CHANGE(
        trim, &both,
        "[a]:100:1\n 1: 1\n[a:1 @ b]:90:2\n 1: 2\n !Attributes: 1\n[b]:9:4\n 1: 4\n !Attributes: 2\n"
        "[a:1 @ a]:7:8\n 1: 8\n",
        "[a]:107:9\n 1: 9\n");
    assert_int_equal(last.merged, 2);
    assert_int_equal(last.trimmed, 1);
    assert_int_equal(last.samples, 99);
    /* Attributes are those of functions that keep their whole context. */
    static const struct sample_cold merged = {100, 1, true, false, false};
    EXPECT_CHANGE(trim, &merged,
                  "[a:1 @ b]:90:2\n 1: 2\n !Attributes: 1\n[b]:9:4\n 1: 4\n !Attributes: 2\n"
                  "[a:1 @ c]:8:2\n !Attributes: 1\n",
                  "[b]:99:6\n 1: 6\n !Attributes: 2\n[c]:8:2\n");
}

/* The counts of lines decide, of functions without their contexts. */
static void test_threshold(void **state)
{
    struct apf_sample *s = sample_from_notes("[a]:1:1\n 1: 500000\n 2: 500000\n[b:1 @ a]:1:1\n 1: 500000\n"
                                             "[c]:1:1\n 1: 3\n 2: 1\n");
    uint64_t threshold;
    (void)state;
    assert_int_equal(sample_cold_threshold(s, 999999, &threshold, NULL), APF_OK);
    assert_int_equal(threshold, 3);
    assert_int_equal(sample_cold_threshold(s, 600000, &threshold, NULL), APF_OK);
    assert_int_equal(threshold, 1000000);
    sample_free(s);
    s = sample_from_notes("[a]:1:1\n");
    assert_int_equal(sample_cold_threshold(s, 999999, &threshold, NULL), APF_OK);
    assert_int_equal(threshold, 0);
    sample_free(s);
}

/* Votes decide about checksums; the helper gives a function total % 4 votes. */
static void test_conflict(void **state)
{
    static const struct sample_cold merged = {100, 1, true, false, false};
    struct sample_losses losses = {0};
    (void)state;
    expect_change(trim, &merged,
                  "[a:1 @ f]:9:1\n !CFGChecksum: 1\n[b:1 @ f]:6:1\n !CFGChecksum: 2\n[c:1 @ f]:1:1\n",
                  "[f]:7:2\n !CFGChecksum: 2\n", &losses, __FILE__, __LINE__);
    assert_int_equal(losses.functions, 1);
    assert_int_equal(losses.samples, 9);
    sample_losses_free(&losses);
}

/* The context of a loss is one of the result, also if the function that it is about was trimmed. */
static void test_conflict_contexts(void **state)
{
    static const struct sample_cold trimmed = {100, 1, true, true, false};
    struct sample_losses losses = {0};
    struct apf_sample *to,
        *from = sample_from_notes("[main]:1000:1\n[a:1 @ g]:9:1\n[a:1 @ f]:9:1\n !CFGChecksum: 1\n"
                                  "[b:1 @ f]:6:1\n !CFGChecksum: 2\n");
    struct sample_cold_result result;
    (void)state;
    assert_int_equal(sample_trim_cold(from, &trimmed, &to, &result, &losses, NULL), APF_OK);
    assert_int_equal(losses.list.n, 1);
    const struct sample_context *context = &to->contexts.list.data[losses.list.data[0].context];
    assert_int_equal(to->names.list.data[context->name].n, 1);
    assert_int_equal(*to->names.list.data[context->name].p, 'f');
    sample_losses_free(&losses);
    sample_share_free(to);
    sample_free(from);
}

static void test_orders(void **state)
{
    static const struct sample_random like = {.functions = 30,
                                              .names = 4,
                                              .depth = 2,
                                              .frames = 4,
                                              .hashes = 20,
                                              .attributes = true,
                                              .vtables = true};
    static const struct sample_random probes = {
        .functions = 30, .names = 3, .depth = 1, .frames = 3, .checksums = 2, .attributes = true};
    static const struct sample_cold ways[] = {{500, 1, true, false, false},
                                              {500, 1, false, true, false},
                                              {800, 1, true, true, false},
                                              {800, 2, true, true, false}};
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        change_in_any_order(trim, &ways[i], &like);
        change_in_any_order(trim, &ways[i], &probes);
    }
}

static void test_faults(void **state)
{
    static const struct sample_cold both = {100, 2, true, true, false};
    (void)state;
    change_with_faults(trim, &both,
                       "[a]:100:1\n 1: 1 x:1\n[a:1 @ b]:90:2\n 1: 2\n !CFGChecksum: 1\n[b]:9:4\n 1: 4\n"
                       "[a:1 @ c:2 @ b]:7:8\n 1: 8\n 1: vtables v:1\n[d:1 @ c:2 @ b]:7:8\n 1: i:1\n");
}

TEST_FILE(sample_cold)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_conflict_contexts),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}

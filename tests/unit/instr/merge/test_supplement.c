/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges that a sample profile corrects: exact counts, some of which llvm-profdata-22 has also made. */
#include "helpers/shared/supplement_merge.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "helpers/shared/fault.h"
#include "helpers/shared/report_read.h"
#include "instr/merge/merge.h"
#include "instr/merge/supplement.h"

static struct apf_error error;

static const char three[] = ":ir\nfoo\n1\n3\n0\n0\n0\nbar.c;stat\n2\n3\n50\n20\n10\nhot\n3\n1\n100000\n";
static const struct row three_rows[] = {
    {"foo", 5000, 5000, 0}, {"hot", 9000, 9000, 0}, {"stat", 900, 900, 0}};

/* The thresholds are those of the summary: here, 10 is the largest cold count. */
static void test_summary(void **state)
{
    static const struct samples s = {three_rows, COUNT(three_rows), 900, 3, 0};
    struct apf_merge *m = supplement_merge(three, &s, &from_one);
    (void)state;
    CHECK(m, "foo", 1, HOT, 0, 0);
    CHECK(m, "bar.c;stat", 2, 50, 20, 10);
    CHECK(m, "hot", 3, 100000);
    const struct apf_merge_stats *stats = apf_merge_stats(m);
    assert_int_equal(stats->supplemented, 3);
    assert_int_equal(stats->supplement_hot, 1);
    assert_int_equal(stats->supplement_warm, 0);
    assert_int_equal(stats->supplement_scaled, 0);
    assert_int_equal(stats->supplement_hot_count, 100000);
    assert_int_equal(stats->supplement_cold_count, 10);
    assert_int_equal(stats->supplement_hot_samples, 900);
    assert_int_equal(stats->supplement_warm_samples, 3);
    apf_merge_free(m);
}

/* A threshold of the caller's. Hot functions become three times the hot threshold, warm ones of the cold one. */
static void test_scaled(void **state)
{
    const struct apf_supplement_options options = {sizeof options, 1, 200000, 0.7};
    static const struct samples hot = {three_rows, COUNT(three_rows), 900, 3, 0},
                                warm = {three_rows, COUNT(three_rows), 901, 3, 0},
                                cold = {three_rows, COUNT(three_rows), 2000, 901, 0};
    struct apf_merge *m = supplement_merge(three, &hot, &options);
    (void)state;
    CHECK(m, "foo", 1, HOT, 0, 0);
    CHECK(m, "bar.c;stat", 2, 300000, 120000, 60000);
    CHECK(m, "hot", 3, 300000);
    assert_int_equal(apf_merge_stats(m)->supplement_scaled, 2);
    assert_int_equal(supplement_apply_to(m, &warm, &options), APF_OK); /* in place of the other */
    CHECK(m, "bar.c;stat", 2, 600000, 240000, 120000);
    assert_int_equal(supplement_apply_to(m, &cold, &options), APF_OK);
    CHECK(m, "bar.c;stat", 2, 50, 20, 10);
    CHECK(m, "foo", 1, HOT, 0, 0);
    assert_int_equal(apf_merge_stats(m)->supplemented, 3);
    apf_merge_free(m);
}

/* A function that already has more than three times the threshold stays. */
static void test_large_enough(void **state)
{
    const struct apf_supplement_options options = {sizeof options, 1, 100, 0.7};
    static const struct row rows[] = {{"warm", 5, 5, 0}};
    static const struct samples s = {rows, 1, 10, 5, 0};
    struct apf_merge *m = supplement_merge(":ir\nwarm\n1\n2\n100\n99\n", &s, &options);
    (void)state;
    CHECK(m, "warm", 1, 300, 297);
    apf_merge_free(m);
    m = supplement_merge(":ir\nwarm\n1\n2\n101\n99\n", &s, &options);
    CHECK(m, "warm", 1, 101, 99); /* not cold */
    apf_merge_free(m);
}

/* Shares of zeros are compared as LLVM's numbers of type float. */
static void test_zero_share(void **state)
{
    static const char text[] =
        ":ir\nseven\n1\n10\n1\n0\n0\n0\n0\n0\n0\n0\n2\n3\n"
        "eight\n1\n10\n1\n0\n0\n0\n0\n0\n0\n0\n0\n3\nnine\n1\n9\n3\n3\n3\n3\n3\n3\n3\n3\n3\n";
    static const struct row rows[] = {{"seven", 0, 9, 0}, {"eight", 9, 0, 0}, {"nine", 9, 9, 0}};
    static const struct samples s = {rows, COUNT(rows), 10, 1, 0};
    const struct apf_supplement_options usual = {sizeof usual, 10, 3, 0.7};
    struct apf_merge *m = supplement_merge(text, &s, &usual);
    (void)state;
    CHECK(m, "seven", 1, 3, 0, 0, 0, 0, 0, 0, 0, 6, 9);
    CHECK(m, "eight", 1, WARM, 0, 0, 0, 0, 0, 0, 0, 0, 3);
    CHECK(m, "nine", 1, 3, 3, 3, 3, 3, 3, 3, 3, 3); /* fewer than 10 counters */
    const struct apf_supplement_options less = {sizeof less, 10, 3, 0.69}, more = {sizeof more, 9, 3, 1};
    assert_int_equal(supplement_apply_to(m, &s, &less), APF_OK);
    CHECK(m, "seven", 1, WARM, 0, 0, 0, 0, 0, 0, 0, 2, 3);
    assert_int_equal(supplement_apply_to(m, &s, &more), APF_OK);
    CHECK(m, "eight", 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 9);
    CHECK(m, "nine", 1, 9, 9, 9, 9, 9, 9, 9, 9, 9);
    apf_merge_free(m);
}

/* Without options, they are LLVM's. */
static void test_usual(void **state)
{
    static const char text[] =
        ":ir\nten\n1\n10\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\nnine\n1\n9\n0\n0\n0\n0\n0\n0\n0\n0\n0\n"
        "some\n1\n10\n0\n0\n0\n0\n0\n0\n0\n1\n1\n1\nmore\n1\n10\n0\n0\n0\n0\n0\n0\n0\n0\n1\n1\n"
        "big\n1\n1\n1000\n";
    static const struct row rows[] = {
        {"ten", 9, 9, 0}, {"nine", 9, 9, 0}, {"some", 9, 9, 0}, {"more", 9, 9, 0}};
    static const struct samples s = {rows, COUNT(rows), 9, 1, 0};
    struct apf_merge *m = supplement_merge(text, &s, NULL);
    (void)state;
    CHECK(m, "ten", 1, HOT, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    CHECK(m, "nine", 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    CHECK(m, "some", 1, 0, 0, 0, 0, 0, 0, 0, 3000, 3000, 3000);
    CHECK(m, "more", 1, HOT, 0, 0, 0, 0, 0, 0, 0, 1, 1);
    apf_merge_free(m);
}

/* Values are scaled like counters, and with a result that needs more than 64 bits on the way; those of marked functions
 * stay. A count that is cut is a finding. */
static void test_values(void **state)
{
    static const char text[] =
        ":ir\nbig\n1\n1\n6000000000\nfoo\n1\n2\n4\n2\n2\n0\n1\n2\nbig:9223372036854775808\n"
        "foo:4611686018427387904\n1\n1\n1\n8:7\nzero\n1\n1\n0\n1\n0\n1\n1\nfoo:5\n";
    static const struct row rows[] = {{"foo", 9, 9, 0}, {"zero", 9, 9, 0}};
    static const struct samples s = {rows, COUNT(rows), 9, 1, 0}, warm = {rows, COUNT(rows), 10, 1, 0};
    const struct apf_supplement_options one = {sizeof one, 1, 4, 0.7}, two = {sizeof two, 1, 5, 0.7};
    struct found found = {0};
    struct apf_merge *m = supplement_merge_found(&found, text);
    (void)state;
    assert_int_equal(supplement_apply_to(m, &s, &one), APF_OK);
    CHECK(m, "foo", 1, 18000000000, 9000000000);
    struct apf_record r = supplement_record(m, "foo", 1);
    assert_int_equal(r.sites[0][0].values[0].count, UINT64_MAX);
    assert_int_equal(r.sites[0][0].values[1].count, UINT64_MAX);
    assert_int_equal(r.sites[1][0].values[0].count, 31500000000);
    assert_int_equal(r.flags & APF_RECORD_SATURATED, APF_RECORD_SATURATED);
    assert_int_equal(found.n, 1);
    assert_int_equal(found.overflows, 1);
    assert_int_equal(apf_merge_stats(m)->saturated, 1);
    CHECK(m, "zero", 1, HOT);
    r = supplement_record(m, "zero", 1);
    assert_int_equal(r.sites[0][0].values[0].count, 5);
    assert_int_equal(supplement_apply_to(m, &warm, &two), APF_OK); /* 15 / 4 */
    CHECK(m, "foo", 1, 15, 7);
    CHECK(m, "zero", 1, WARM);
    assert_int_equal(supplement_record(m, "foo", 1).sites[0][0].values[0].count, UINT64_MAX);
    assert_int_equal(supplement_record(m, "foo", 1).sites[0][0].values[1].count, 17293822569102704640u);
    assert_int_equal(apf_merge_stats(m)->supplement_warm, 1);
    apf_merge_free(m);
}

/* LLVM's product wraps; here the largest count is the limit. */
static void test_largest(void **state)
{
    static const char text[] =
        ":ir\nbig\n1\n1\n18446744073709551000\nfoo\n1\n3\n1000\n20000000000000000\n5\n";
    static const struct row rows[] = {{"foo", 9, 9, 0}, {"big", 9, 9, 0}};
    static const struct samples s = {rows, COUNT(rows), 9, 1, 0};
    struct apf_merge *m = supplement_merge(text, &s, &from_one);
    (void)state;
    assert_int_equal(apf_merge_stats(m)->saturated, 0);
    CHECK(m, "foo", 1, 922337, 18446744073709551613u, 4611);
    CHECK(m, "big", 1, 18446744073709551613u);
    apf_merge_free(m);
    /* Three times as much is 2^64-1, which would be a mark. */
    m = supplement_merge(":ir\nbig\n1\n1\n6148914691236517205\nfoo\n1\n2\n1\n1\n", &s, &from_one);
    CHECK(m, "foo", 1, 18446744073709551613u, 18446744073709551613u);
    CHECK(m, "big", 1, 18446744073709551613u);
    assert_int_equal(apf_merge_stats(m)->saturated, 0);
    apf_merge_free(m);
}

static void test_scale(void **state)
{
    static const struct {
        uint64_t count, n, d, limit, want;
        bool cut;
    } cases[] = {
        {7, 300, 50, UINT64_MAX, 42, false},
        {0, UINT64_MAX, 1, UINT64_MAX, 0, false},
        {1, UINT64_MAX, UINT64_MAX, UINT64_MAX, 1, false},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, false},
        {UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, false},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, true},
        {UINT64_MAX - 2, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, UINT64_MAX - 3, false},
        {(uint64_t)1 << 63, 6, 4, UINT64_MAX, (uint64_t)3 << 62, false},
        {(uint64_t)1 << 63, 8, 4, UINT64_MAX, UINT64_MAX, true},
        {(uint64_t)1 << 63, 6, 4, 100, 100, true},
        {10, 10, 1, 99, 99, true},
        {10000000000000000000u, 3, 7, UINT64_MAX, 4285714285714285714u, false},
        {12345678901234567890u, 9876543210987654321u, 11111111111111111111u, UINT64_MAX,
         10973936802331961570u, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        bool cut = false;
        assert_int_equal(supplement_scale(cases[i].count, cases[i].n, cases[i].d, cases[i].limit, &cut),
                         cases[i].want);
        assert_int_equal(cut, cases[i].cut);
    }
}

/* Functions with several hashes stay, with or without the bit of context-sensitive records, and local functions of
 * their names are not among several. All records count for the summary. */
static void test_hashes(void **state)
{
    static const char text[] =
        ":csir\nfoo\n1\n1\n0\nfoo\n1152921504606846977\n1\n0\na.c;st\n1\n1\n0\na.c;st\n2\n1\n0\n"
        "b.c;st\n1\n1\n0\nonly\n1152921504606846977\n1\n0\nbig\n1152921504606846977\n1\n70\n";
    static const struct row rows[] = {{"foo", 9, 9, 0}, {"st", 9, 9, 0}, {"only", 9, 9, 0}};
    static const struct samples s = {rows, COUNT(rows), 9, 1, 0};
    struct apf_merge *m = supplement_merge(text, &s, &from_one);
    (void)state;
    CHECK(m, "foo", 1, 0);
    CHECK(m, "foo", 1152921504606846977, 0);
    CHECK(m, "a.c;st", 1, 0);
    CHECK(m, "a.c;st", 2, 0);
    CHECK(m, "b.c;st", 1, HOT);
    CHECK(m, "only", 1152921504606846977, HOT);
    assert_int_equal(apf_merge_stats(m)->supplement_hot_count, 70);
    assert_int_equal(apf_merge_stats(m)->supplemented, 2);
    apf_merge_free(m);
}

/* Functions that are marked already are not cold. */
static void test_marked_before(void **state)
{
    static const char text[] =
        ":ir\nhot\n1\n2\n18446744073709551615\n0\nwarm\n1\n2\n18446744073709551614\n12\n";
    static const struct row rows[] = {{"hot", 9, 9, 0}, {"warm", 9, 9, 0}};
    static const struct samples s = {rows, COUNT(rows), 9, 1, 0};
    struct apf_merge *m = supplement_merge(text, &s, &from_one);
    (void)state;
    CHECK(m, "hot", 1, HOT, 0);
    CHECK(m, "warm", 1, WARM, 12);
    assert_int_equal(apf_merge_stats(m)->supplement_hot, 0);
    apf_merge_free(m);
}

/* What an inlined function has counts for it, or for the nearest function around it that there is; only its own entries
 * are entries. */
static void test_inlined(void **state)
{
    static const char text[] =
        ":ir\nmain\n1\n1\n0\na.c;st\n1\n1\n0\nouter\n1\n1\n0\ncallee\n1\n1\n0\nbig\n1\n1\n9\n";
    static const struct row rows[] = {{"main", 10, 10, 0},    {"absent", 500, 30, 1}, {"st", 20, 5, 2},
                                      {"absent", 7, 40, 3},   {"absent", 600, 11, 1}, {"gone", 900, 900, 0},
                                      {"callee", 50, 1, 1},   {"outer", 5, 99, 0},    {"callee", 60, 2, 1},
                                      {"absent", 70, 100, 2}, {"absent", 80, 101, 2}, {"st", 30, 6, 0}};
    static const struct {
        uint64_t cold;
        uint64_t main, st, outer, callee;
    } want[] = {{30, HOT, HOT, HOT, HOT}, {31, 0, HOT, HOT, HOT}, {50, 0, HOT, HOT, HOT},
                {51, 0, 0, HOT, HOT},     {99, 0, 0, HOT, HOT},   {100, 0, 0, 0, HOT},
                {110, 0, 0, 0, HOT},      {111, 0, 0, 0, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(want); i++) {
        struct samples s = {rows, COUNT(rows), 0, want[i].cold, 0};
        struct apf_merge *m = supplement_merge(text, &s, &from_one);
        CHECK(m, "main", 1, want[i].main);
        CHECK(m, "a.c;st", 1, want[i].st);
        CHECK(m, "outer", 1, want[i].outer);
        CHECK(m, "callee", 1, want[i].callee);
        apf_merge_free(m);
    }
}

/* Sums of entries do not wrap. */
static void test_entries(void **state)
{
    static const struct row rows[] = {{"foo", UINT64_MAX - 3, 0, 0}, {"foo", 5, 0, 0}};
    static const struct samples s = {rows, COUNT(rows), UINT64_MAX, 1, 0};
    struct apf_merge *m = supplement_merge(":ir\nfoo\n1\n1\n0\n", &s, &from_one);
    (void)state;
    CHECK(m, "foo", 1, HOT);
    apf_merge_free(m);
}

/* A sample profile without counts: its thresholds are 0, and so every function of it is hot, as in LLVM. */
static void test_no_counts(void **state)
{
    static const struct row rows[] = {{"foo", 0, 0, 0}};
    static const struct samples s = {rows, COUNT(rows), 0, 0, 0};
    struct apf_merge *m = supplement_merge(":ir\nfoo\n1\n1\n0\nbar\n1\n1\n0\n", &s, &from_one);
    (void)state;
    CHECK(m, "foo", 1, HOT);
    CHECK(m, "bar", 1, 0);
    apf_merge_free(m);
}

/* ---- merges ---- */

/* The sums are corrected, in whatever order and by however many threads they were made; what is added later counts. */
static void test_order(void **state)
{
    static const char *const parts[] = {":ir\nfoo\n1\n2\n1\n0\nbig\n1\n1\n60000\n", ":ir\nfoo\n1\n2\n2\n3\n",
                                        ":ir\nbig\n1\n1\n40000\nbar\n1\n2\n0\n0\n"};
    static const struct row rows[] = {{"foo", 9, 9, 0}, {"bar", 8, 8, 0}};
    static const struct samples s = {rows, COUNT(rows), 9, 1, 0};
    const struct apf_supplement_options options = {sizeof options, 1, 3, 0.7};
    static const unsigned orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}};
    (void)state;
    for (size_t i = 0; i < COUNT(orders); i++)
        for (unsigned before = 0; before < 2; before++) {
            struct apf_merge *m = merge_start(0, (uint32_t)i + 1);
            if (before)
                assert_int_equal(supplement_apply_to(m, &s, &options), APF_OK);
            for (size_t k = 0; k < 3; k++)
                merge_text(m, "a", parts[orders[i][k]], 0);
            if (!before)
                assert_int_equal(supplement_apply_to(m, &s, &options), APF_OK);
            CHECK(m, "foo", 1, 300000, 300000);
            CHECK(m, "bar", 1, WARM, 0);
            CHECK(m, "big", 1, 100000);
            merge_text(m, "b", parts[1], 0);
            CHECK(m, "foo", 1, 5, 6); /* the sums were not corrected */
            CHECK(m, "bar", 1, WARM, 0);
            apf_merge_free(m);
        }
}

/* What is written is what the view has. */
static void test_written(void **state)
{
    static const struct samples s = {three_rows, COUNT(three_rows), 900, 3, 0};
    static const char want[] =
        "# IR level Instrumentation Flag\n:ir\nbar.c;stat\n# Func Hash:\n2\n# Num Counters:\n3\n"
        "# Counter Values:\n50\n20\n10\n\nfoo\n# Func Hash:\n1\n# Num Counters:\n3\n"
        "# Counter Values:\n18446744073709551615\n0\n0\n\nhot\n# Func Hash:\n3\n# Num Counters:\n1\n"
        "# Counter Values:\n100000\n\n";
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_write_options options = {.size = sizeof options, .format = APF_FORMAT_TEXT};
    struct apf_merge *m = supplement_merge(three, &s, &from_one);
    (void)state;
    assert_int_equal(apf_merge_write(m, &options, &output, &error), APF_OK);
    assert_int_equal(buffer.n, sizeof want - 1);
    assert_memory_equal(buffer.data, want, buffer.n);
    apf_buffer_free(&buffer);
    apf_merge_free(m);
}

static void test_report(void **state)
{
    static const struct samples s = {three_rows, COUNT(three_rows), 900, 3, 0};
    static const struct entry rows[] = {
        {"result.supplement.functions", "3"},    {"result.supplement.marked_hot", "1"},
        {"result.supplement.marked_warm", "0"},  {"result.supplement.scaled", "0"},
        {"result.supplement.ambiguous", "0"},    {"result.supplement.hot_count", "100000"},
        {"result.supplement.cold_count", "10"},  {"result.supplement.hot_samples", "900"},
        {"result.supplement.warm_samples", "3"}, {"result.sum_of_counts", "100080"},
    };
    struct apf_merge *m = supplement_merge(three, &s, &from_one);
    (void)state;
    assert_int_equal(merge_write_for(m, "auto", 0), APF_OK);
    json_t *root = report_of(m, NULL);
    EXPECT_ENTRIES(root, rows);
    json_decref(root);
    apf_merge_free(m);
    m = merge_start(0, 1);
    merge_text(m, "a", three, 0);
    assert_int_equal(merge_write_for(m, "auto", 0), APF_OK);
    root = report_of(m, NULL);
    expect_entry(root, "result.supplement", "null");
    json_decref(root);
    apf_merge_free(m);
}

static void test_arguments(void **state)
{
    struct apf_supplement_function functions[3] = {{0}};
    struct apf_supplement given = {sizeof given, functions, 3, 9, 1, 0};
    const struct apf_supplement_options small = {0};
    struct apf_merge *m = merge_start(0, 1);
    (void)state;
    merge_text(m, "a", three, 0);
    functions[1].depth = 2;
    assert_int_equal(apf_merge_supplement(m, &given, NULL, &error), APF_ARGUMENT);
    assert_string_equal(error.where, "apf_supplement.functions");
    functions[1].depth = 1;
    functions[2].depth = 2;
    assert_int_equal(apf_merge_supplement(m, &given, NULL, &error), APF_OK);
    functions[0].depth = 1;
    assert_int_equal(apf_merge_supplement(m, &given, NULL, &error), APF_ARGUMENT);
    functions[0].depth = 0;
    assert_int_equal(apf_merge_supplement(m, &given, &small, &error), APF_ARGUMENT);
    given.size = 0;
    assert_int_equal(apf_merge_supplement(m, &given, NULL, &error), APF_ARGUMENT);
    given = (struct apf_supplement){.size = sizeof given};
    assert_int_equal(apf_merge_supplement(m, &given, NULL, &error), APF_OK);
    CHECK(m, "foo", 1, 0, 0, 0);
    apf_merge_free(m);
}

/* Inputs that are removed would be lost with their counts. */
static void test_removed_inputs(void **state)
{
    struct apf_supplement given = {.size = sizeof given};
    struct apf_merge_options options = {.size = sizeof options, .flags = APF_MERGE_REMOVE_INPUTS};
    struct apf_merge *m;
    (void)state;
    options.output = temp_path("out");
    assert_int_equal(apf_merge_new(&m, &options, &error), APF_OK);
    assert_int_equal(apf_merge_supplement(m, &given, NULL, &error), APF_ARGUMENT);
    assert_string_equal(error.where, "merge.supplement");
    apf_merge_free(m);
}

/* Every allocation fails in turn; then the same merge can be tried again. */
static void check_faults(enum fault_call call, unsigned least)
{
    static const struct row rows[] = {{"st", 9, 9, 0}, {"foo", 9, 9, 0}, {"bar", 9, 9, 1}, {"qq", 9, 9, 2}};
    static const struct samples s = {rows, COUNT(rows), 9, 1, 1};
    static const char text[] =
        ":ir\na.c;st.__uniq.1\n1\n1\n0\nb.c;st.__uniq.1\n1\n1\n0\nc.c;x\n1\n1\n0\nfoo\n1\n1\n0\n"
        "bar\n1\n1\n1\n1\n0\n1\n1\nfoo:3\nbig\n1\n1\n1\n";
    for (unsigned at = 1;; at++) {
        struct apf_merge *m = merge_start(0, 1);
        struct apf_instr *view;
        merge_text(m, "a", text, 0);
        fault_fail(call, at, ENOMEM);
        int code = supplement_apply_to(m, &s, &from_one);
        if (code == APF_OK)
            code = apf_merge_view(m, &view, &error);
        bool hit = fault_hit();
        fault_reset();
        assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
        assert_int_equal(supplement_apply_to(m, &s, &from_one), APF_OK);
        CHECK(m, "foo", 1, HOT);
        CHECK(m, "bar", 1, 3);
        apf_merge_free(m);
        if (!hit) {
            assert_true(at > least);
            return;
        }
    }
}

static void test_faults(void **state)
{
    (void)state;
    check_faults(FAULT_MEMORY, 10);
    check_faults(FAULT_ARENA, 8);
}

TEST_FILE(supplement)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary),      cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_large_enough), cmocka_unit_test(test_zero_share),
        cmocka_unit_test(test_usual),        cmocka_unit_test(test_values),
        cmocka_unit_test(test_largest),      cmocka_unit_test(test_scale),
        cmocka_unit_test(test_hashes),       cmocka_unit_test(test_marked_before),
        cmocka_unit_test(test_inlined),      cmocka_unit_test(test_entries),
        cmocka_unit_test(test_no_counts),    cmocka_unit_test(test_order),
        cmocka_unit_test(test_written),      cmocka_unit_test(test_report),
        cmocka_unit_test(test_arguments),    TEST_WITH_DIR(test_removed_inputs),
        cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}

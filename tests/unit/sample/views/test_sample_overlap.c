/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What overlap prints of sample profiles. The expected texts are those of llvm-profdata-22, except where the comment of
 * a test says so; with random profiles they are compared in tests/oracle. */
#include "helpers/shared/sample_random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_views.h>

#include "helpers/shared/fault.h"

static const char p1[] = "main:100:1\n"
                         " 1: 10\n"
                         " 2.1: 5\n"
                         " 3: 0\n"
                         " 4: foo:20\n"
                         "  1: 7\n"
                         "  5: deep:5\n"
                         "   1: 5\n"
                         " 4: bar:3\n"
                         "  1: 3\n"
                         " 9: late:9\n"
                         "  2: 9\n"
                         "hot:5000:2\n"
                         " 1: 5000\n"
                         "same:12:1\n"
                         " 3: 12\n"
                         "gone:40:4\n"
                         " 1: 40\n";
static const char p2[] = "main:90:1\n"
                         " 1: 20\n"
                         " 2: 5\n"
                         " 3: 0\n"
                         " 4: foo:20\n"
                         "  1: 14\n"
                         "  5: deep:5\n"
                         "   1: 1\n"
                         "   2: 1\n"
                         "  6: deep:5\n"
                         "   1: 3\n"
                         " 4: baz:3\n"
                         "  1: 3\n"
                         "hot:700:2\n"
                         " 1: 700\n"
                         " 2: 1\n"
                         "same:12:1\n"
                         " 3: 12\n"
                         "fresh:40:4\n"
                         " 1: 40\n";
static const char c1[] = "[a]:10:1\n"
                         " 1: 10\n"
                         "[a:1 @ b]:5:1\n"
                         " 1: 5\n"
                         " 2: 1\n"
                         "[a:1.2 @ b]:7:1\n"
                         " 1: 7\n";
static const char c2[] = "[a]:4:1\n"
                         " 1: 4\n"
                         "[a:1 @ b]:9:1\n"
                         " 1: 9\n"
                         "[c:1 @ b]:7:1\n"
                         " 1: 7\n";
#define TITLES                                                                                               \
    "Function-level details:\nBase weight    Test weight    Similarity   Overlap   Base unique   "           \
    "Test unique   Base samples   Test samples   Function name\n"
static const char program[] = "Profile overlap information for base_profile: p1 and test_profile: p2\n"
                              "Program level:\n"
                              "  Whole program profile similarity: 85.260%\n"
                              "  Whole program sample overlap: 14.145%\n"
                              "    percentage of samples unique in base profile: 1.120%\n"
                              "    percentage of samples unique in test profile: 6.625%\n"
                              "    total samples in base profile: 5091\n"
                              "    total samples in test profile: 800\n"
                              "  Function overlap: 60.000%\n"
                              "    overlap functions: 3\n"
                              "    functions unique in base profile: 1\n"
                              "    functions unique in test profile: 1\n"
                              "  Hot-function overlap: 20.000%\n"
                              "    overlap hot functions: 1\n"
                              "    hot functions unique in base profile: 1\n"
                              "    hot functions unique in test profile: 3\n"
                              "  Hot-block overlap: 11.111%\n"
                              "    overlap hot blocks: 1\n"
                              "    hot blocks unique in base profile: 1\n"
                              "    hot blocks unique in test profile: 7\n";
static const char lines[] = "98.21%         87.62%         89.28%       14.00%    0.00%         0.14%        "
                            " 5000           701            hot\n"
                            "0.77%          5.88%          43.38%       26.47%    43.59%        25.53%       "
                            " 39             47             main\n"
                            "0.24%          1.50%          98.74%       100.00%   0.00%         0.00%        "
                            " 12             12             same\n"
                            "0.00%          5.00%          0.00%        0.00%     0.00%         100.00%      "
                            " 0              40             fresh\n";
static const char similar[] = "0.77%          5.88%          43.38%       26.47%    43.59%        25.53%     "
                              "   39             47             main\n";
static const char named[] = "0.77%          5.88%          43.38%       26.47%    43.59%        25.53%       "
                            " 39             47             main\n"
                            "0.24%          1.50%          98.74%       100.00%   0.00%         0.00%        "
                            " 12             12             same\n";
static const char large[] = "98.21%         87.62%         89.28%       14.00%    0.00%         0.14%        "
                            " 5000           701            hot\n"
                            "0.00%          5.00%          0.00%        0.00%     0.00%         100.00%      "
                            " 0              40             fresh\n";
static const char contexts[] = "Profile overlap information for base_profile: c1 and test_profile: c2\n"
                               "Program level:\n"
                               "  Whole program profile similarity: 48.305%\n"
                               "  Whole program sample overlap: 26.471%\n"
                               "    percentage of samples unique in base profile: 34.783%\n"
                               "    percentage of samples unique in test profile: 35.000%\n"
                               "    total samples in base profile: 23\n"
                               "    total samples in test profile: 20\n"
                               "  Function overlap: 50.000%\n"
                               "    overlap functions: 2\n"
                               "    functions unique in base profile: 1\n"
                               "    functions unique in test profile: 1\n"
                               "  Hot-function overlap: 33.333%\n"
                               "    overlap hot functions: 1\n"
                               "    hot functions unique in base profile: 0\n"
                               "    hot functions unique in test profile: 2\n"
                               "  Hot-block overlap: 33.333%\n"
                               "    overlap hot blocks: 1\n"
                               "    hot blocks unique in base profile: 0\n"
                               "    hot blocks unique in test profile: 2\n";
static const char context_lines[] = "43.48%         20.00%         76.52%       40.00%    0.00%         "
                                    "0.00%         10             4              a\n"
                                    "26.09%         45.00%         67.57%       50.00%    16.67%        "
                                    "0.00%         6              9              a:1 @ b\n"
                                    "0.00%          35.00%         0.00%        0.00%     0.00%         "
                                    "100.00%       0              7              c:1 @ b\n";

static struct apf_sample_overlap *overlap_of(const struct apf_sample *a, const struct apf_sample *b,
                                             struct apf_sample_overlap_options options)
{
    struct apf_sample_overlap *overlap;
    struct apf_error error;
    options.size = sizeof options;
    if (apf_sample_overlap_new(&overlap, a, b, &options, &error) != APF_OK)
        fail_msg("%s", error.message);
    return overlap;
}

static struct apf_sample_overlap_options with_names(const char *a, const char *b)
{
    struct apf_sample_overlap_options options = {.value_cutoff = UINT64_MAX, .names = {a, b}};
    return options;
}

/* Compares two texts, and what is printed with these parts. */
static void check(const char *a, const char *b, const struct apf_sample_overlap_options *options,
                  const char *head, const char *titles, const char *rows)
{
    struct apf_sample *pair[2] = {sample_of_text(a), sample_of_text(b)};
    struct apf_sample_overlap *overlap = overlap_of(pair[0], pair[1], *options);
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    char *want = malloc(strlen(head) + strlen(titles) + strlen(rows) + 1);
    assert_non_null(want);
    sprintf(want, "%s%s%s", head, titles, rows);
    /* The overlap keeps nothing of the profiles. */
    apf_sample_close(pair[0]);
    apf_sample_close(pair[1]);
    assert_int_equal(apf_sample_overlap_print(overlap, &output, NULL), APF_OK);
    sample_assert_text(&out, want);
    free(want);
    apf_buffer_free(&out);
    apf_sample_overlap_free(overlap);
}

static void test_lines(void **state)
{
    struct apf_sample_overlap_options options = with_names("p1", "p2");
    (void)state;
    check(p1, p2, &options, program, "", "");
    options.value_cutoff = 0;
    check(p1, p2, &options, program, TITLES, lines);
    options.value_cutoff = 40;
    check(p1, p2, &options, program, TITLES, large);
    options = with_names("p1", "p2");
    options.similarity_cutoff = 500000;
    check(p1, p2, &options, program, TITLES, similar);
    options = with_names("p1", "p2");
    options.function.p = "a";
    options.function.n = 1;
    check(p1, p2, &options, program, TITLES, named);
}

static void test_contexts(void **state)
{
    struct apf_sample_overlap_options options = with_names("c1", "c2");
    (void)state;
    options.value_cutoff = 0;
    check(c1, c2, &options, contexts, TITLES, context_lines);
}

static void test_nothing(void **state)
{
    struct apf_sample_overlap_options options = with_names("a", "b");
    (void)state;
    check("f:0:0\n", "f:0:0\n 1: 0\n", &options, "Sum of sample counts for profile a is 0.\n",
          "Sum of sample counts for profile b is 0.\n", "");
    check("f:0:0\n 1: 1\n", "f:9:9\n 1: 0\n", &options, "Sum of sample counts for profile b is 0.\n", "", "");
    check("f:9:9\n", "f:0:0\n 1: 1\n", &options, "Sum of sample counts for profile a is 0.\n", "", "");
}

/* Numbers that are computed by hand. */
static void test_totals(void **state)
{
    struct apf_sample *a = sample_of_text("foo:30:1\n 1: 10\n 2: bar:20\n  1: 20\nzed:7:0\n 1: 7\n");
    struct apf_sample *b = sample_of_text("foo:6:1\n 1: 3\n 2: bar:2\n  1: 2\n  2: qux:1\n   1: 1\n");
    struct apf_sample_overlap_options options = with_names(NULL, NULL);
    (void)state;
    options.value_cutoff = 0;
    struct apf_sample_overlap *overlap = overlap_of(a, b, options);
    const struct apf_sample_overlap_totals *t = apf_sample_overlap_totals(overlap);
    /* Shares: 1/3 and 2/3 of 30; 1/2, 1/3 and 1/6 of 6. D = 1/6 + 1/3 + 1/6, inside 2/3, weights 30/37 and 1. */
    double similarity = (2.0 / 3) * (1 - 7.0 / 37) * (30.0 / 37 + 1) / 2;
    assert_true(t->similarity - similarity < 1e-12 && similarity - t->similarity < 1e-12);
    assert_true(t->overlap - 5.0 / 38 < 1e-12 && 5.0 / 38 - t->overlap < 1e-12);
    assert_int_equal(t->samples[0], 37);
    assert_int_equal(t->samples[1], 6);
    assert_int_equal(t->unique[0], 7);
    assert_int_equal(t->unique[1], 1);
    assert_int_equal(t->functions.both, 1);
    assert_int_equal(t->functions.base, 1);
    assert_int_equal(t->functions.test, 0);
    assert_int_equal(t->hot_functions.both, 1);
    assert_int_equal(t->hot_lines.both, 2);
    assert_int_equal(t->hot_lines.base, 1);
    assert_int_equal(t->hot_count[0], 7);
    const struct apf_sample_overlap_function *f = apf_sample_overlap_function(overlap, 0);
    assert_int_equal(f->name.n, 3);
    assert_memory_equal(f->name.p, "foo", 3);
    assert_int_equal(f->samples[0], 30);
    assert_int_equal(f->samples[1], 6);
    assert_null(apf_sample_overlap_function(overlap, 1));
    apf_sample_overlap_free(overlap);
    apf_sample_close(a);
    apf_sample_close(b);
}

static void check_conflict(const char *a, const char *b, int want, const char *message)
{
    struct apf_sample *pair[2] = {sample_of_text(a), sample_of_text(b)};
    for (unsigned i = 0; i < 2; i++) {
        struct apf_sample_overlap *overlap;
        struct apf_error error;
        assert_int_equal(apf_sample_overlap_new(&overlap, pair[i], pair[!i], NULL, &error), want);
        assert_null(overlap);
        assert_string_equal(error.message, message);
    }
    apf_sample_close(pair[0]);
    apf_sample_close(pair[1]);
}

static void test_conflicts(void **state)
{
    (void)state;
    check_conflict("f:1:1\n 1: 1\n", "f:1:1\n 1: 1\n !CFGChecksum: 1\n", APF_SAMPLE_PROBE_CONFLICT,
                   "cannot compare probe-based profile with non-probe-based profile");
    check_conflict("f:1:1\n 1: 1\n", "[f]:1:1\n 1: 1\n", APF_SAMPLE_CONTEXT_CONFLICT,
                   "cannot compare CS profile with non-CS profile");
}

/* A name and its hash are the same function, which llvm-profdata does not know: it finds an overlap of 0 %. The name is
 * shown, wherever it comes from. */
static void test_hashes(void **state)
{
    struct apf_sample *names = sample_of_text("foo:3:0\n 1: 1\n 2: bar:2\n  1: 2\n");
    struct apf_sample *hashes = sample_of_functions(
        "{\"hash\":\"0x5cf8c24cdb18bdac\",\"total\":3,\"lines\":[{\"line\":1,\"count\":1}],\"inlined\":["
        "{\"depth\":1,\"line\":2,\"hash\":\"0xe413754a191db537\",\"total\":2,"
        "\"lines\":[{\"line\":1,\"count\":2}]}]}");
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct apf_sample_overlap_options options = {.value_cutoff = 0};
        struct apf_sample_overlap *overlap = overlap_of(i ? names : hashes, i ? hashes : names, options);
        const struct apf_sample_overlap_function *f = apf_sample_overlap_function(overlap, 0);
        assert_true(apf_sample_overlap_totals(overlap)->similarity >= 1);
        assert_true(f->overlap >= 1);
        assert_int_equal(f->name.n, 3);
        assert_memory_equal(f->name.p, "foo", 3);
        apf_sample_overlap_free(overlap);
    }
    apf_sample_close(names);
    sample_free(hashes);
}

/* Source files count where both profiles have them, or tell two functions of one name apart. */
static void test_files(void **state)
{
#define LINES "\"total\":1,\"lines\":[{\"line\":1,\"count\":1}]"
    static const char *const texts[] = {
        "{\"name\":\"f\"," LINES "},{\"name\":\"g\"," LINES "}",
        "{\"name\":\"f\",\"file\":\"x.c\"," LINES "},{\"name\":\"g\",\"file\":\"x.c\"," LINES "},"
        "{\"name\":\"g\",\"file\":\"y.c\"," LINES "}",
        "{\"name\":\"f\",\"file\":\"z.c\"," LINES "},{\"name\":\"g\",\"file\":\"y.c\"," LINES "}"};
    static const struct {
        unsigned a, b;
        uint64_t both, base, test;
    } cases[] = {{0, 1, 1, 1, 2}, {1, 2, 1, 2, 1}, {0, 2, 2, 0, 0}, {1, 1, 3, 0, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct apf_sample *a = sample_of_functions(texts[cases[i].a]),
                          *b = sample_of_functions(texts[cases[i].b]);
        struct apf_sample_overlap *overlap = overlap_of(a, b, with_names(NULL, NULL));
        const struct apf_sample_common *functions = &apf_sample_overlap_totals(overlap)->functions;
        assert_int_equal(functions->both, cases[i].both);
        assert_int_equal(functions->base, cases[i].base);
        assert_int_equal(functions->test, cases[i].test);
        apf_sample_overlap_free(overlap);
        sample_free(a);
        sample_free(b);
    }
}

/* Of a profile with itself everything overlaps; of two, what is unique in one is unique the other way round. */
static void test_random(void **state)
{
    uint64_t chance = 8;
    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        struct sample_wish wish = {.contexts = i % 2, .probes = i % 3 == 0, .all = i % 4 == 0};
        struct apf_sample *pair[2] = {sample_random(&wish, &chance), sample_random(&wish, &chance)};
        struct apf_sample_overlap *overlap = overlap_of(pair[0], pair[0], with_names(NULL, NULL));
        const struct apf_sample_overlap_totals *t = apf_sample_overlap_totals(overlap), *u;
        if (t->samples[0]) {
            assert_true(t->similarity >= 1 && t->similarity <= 1);
            assert_true(t->overlap >= 1 && t->overlap <= 1);
            assert_int_equal(t->unique[0] + t->unique[1], 0);
            assert_int_equal(t->functions.both, pair[0]->info.n_functions);
            assert_int_equal(t->functions.base + t->functions.test, 0);
            assert_int_equal(t->hot_lines.base + t->hot_lines.test, 0);
        }
        apf_sample_overlap_free(overlap);
        overlap = overlap_of(pair[0], pair[1], with_names(NULL, NULL));
        struct apf_sample_overlap *back = overlap_of(pair[1], pair[0], with_names(NULL, NULL));
        t = apf_sample_overlap_totals(overlap);
        u = apf_sample_overlap_totals(back);
        assert_true(t->similarity - u->similarity < 1e-9 && u->similarity - t->similarity < 1e-9);
        assert_true(!(t->overlap < u->overlap) && !(t->overlap > u->overlap));
        assert_int_equal(t->unique[0], u->unique[1]);
        assert_int_equal(t->functions.base, u->functions.test);
        assert_int_equal(t->hot_lines.base, u->hot_lines.test);
        apf_sample_overlap_free(overlap);
        apf_sample_overlap_free(back);
        sample_free(pair[0]);
        sample_free(pair[1]);
    }
}

static void test_deep(void **state)
{
    enum { DEPTH = SAMPLE_MAX_DEPTH, ENTRY = 120 };
    char *text = malloc((size_t)DEPTH * ENTRY + 100);
    size_t n = (size_t)sprintf(text, "{\"name\":\"f\",\"total\":1,\"inlined\":[");
    (void)state;
    for (unsigned i = 1; i <= DEPTH; i++)
        n += (size_t)sprintf(text + n,
                             "%s{\"depth\":%u,\"line\":%u,\"name\":\"g\",\"total\":1,\"lines\":[{\"line\":1,"
                             "\"count\":1}]}",
                             i > 1 ? "," : "", i, i);
    sprintf(text + n, "]}");
    struct apf_sample *s = sample_of_functions(text);
    struct apf_sample_overlap *overlap = overlap_of(s, s, with_names(NULL, NULL));
    assert_true(apf_sample_overlap_totals(overlap)->similarity >= 1);
    assert_int_equal(apf_sample_overlap_totals(overlap)->samples[0], DEPTH);
    apf_sample_overlap_free(overlap);
    sample_free(s);
    free(text);
}

static struct apf_sample *fault_pair[2];

static int try_overlap(void)
{
    struct apf_sample_overlap_options options = {.size = sizeof options, .names = {"a", "b"}};
    struct apf_sample_overlap *overlap;
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    int code = apf_sample_overlap_new(&overlap, fault_pair[0], fault_pair[1], &options, NULL);
    assert_true((code == APF_OK) == (overlap != NULL));
    if (code == APF_OK)
        code = apf_sample_overlap_print(overlap, &output, NULL);
    apf_sample_overlap_free(overlap);
    apf_buffer_free(&out);
    return code;
}

static void sweep(enum fault_call call, unsigned least)
{
    for (unsigned at = 1;; at++) {
        fault_fail(call, at, ENOMEM);
        int code = try_overlap();
        bool hit = fault_hit();
        fault_reset();
        assert_true(hit ? code == APF_NO_MEMORY || code == APF_IO : code == APF_OK);
        if (!hit) {
            assert_true(at > least);
            return;
        }
    }
}

static void test_faults(void **state)
{
    static const char *const texts[][2] = {{p1, p2}, {c1, c2}};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        fault_pair[0] = sample_of_text(texts[i][0]);
        fault_pair[1] = sample_of_text(texts[i][1]);
        sweep(FAULT_MEMORY, 20);
        sweep(FAULT_ARENA, 2);
        apf_sample_close(fault_pair[0]);
        apf_sample_close(fault_pair[1]);
    }
}

TEST_FILE(sample_overlap)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),  cmocka_unit_test(test_contexts),  cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_totals), cmocka_unit_test(test_conflicts), cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_files),  cmocka_unit_test(test_random),    cmocka_unit_test(test_deep),
        cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}

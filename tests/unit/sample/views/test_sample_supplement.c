/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What sample profiles say about instrumentation profiles: the numbers of LLVM's FunctionSamples. */
#include "helpers/shared/sample_random.h"

#include <errno.h>
#include <string.h>

#include <anyprof/sample_views.h>

#include "base/md5.h"
#include "helpers/shared/fault.h"
#include "sample/model/sample_summary.h"

struct want {
    const char *name;
    uint64_t entries, hottest;
    uint32_t depth;
};

static struct apf_supplement *supplement_of(struct apf_sample *s)
{
    struct apf_supplement *made;
    assert_int_equal(apf_sample_supplement_new(&made, s, NULL), APF_OK);
    assert_int_equal(made->size, sizeof *made);
    apf_sample_close(s); /* nothing of it is needed */
    return made;
}

static void check(const struct apf_supplement *made, const struct want *want, size_t n)
{
    assert_int_equal(made->n_functions, n);
    for (size_t i = 0; i < n; i++) {
        const struct apf_supplement_function *f = &made->functions[i];
        assert_int_equal(f->hash, md5_name_ref(want[i].name, strlen(want[i].name)));
        assert_int_equal(f->entries, want[i].entries);
        assert_int_equal(f->hottest, want[i].hottest);
        assert_int_equal(f->depth, want[i].depth);
    }
}

/* Entries are those of the first line, or of the callees that come first; heads do not count. Lines of callees are not
 * lines of the function. */
static void test_nested(void **state)
{
    static const struct want want[] = {
        {"foo", 1000, 5000, 0},   {"bar", 1000, 1000, 1}, {"goo", 3000, 3000, 2}, {"bar", 10000, 10000, 1},
        {"goo", 30000, 30000, 2}, {"main", 13, 6, 0},     {"a", 5, 5, 1},         {"b", 8, 8, 1},
        {"empty", 0, 0, 0},       {"total", 1, 0, 0}};
    struct apf_supplement *made = supplement_of(sample_of_text(
        "foo:12345:999\n 1: 1000\n 2.1: 1000\n 15: 5000\n 4: bar:4000\n  1: 1000\n  2: goo:3000\n   1: 3000\n"
        " 8: bar:40000\n  1: 10000\n  2: goo:30000\n   1: 30000\n"
        "main:20:7\n 2: 6\n 2: a:5\n  1: 5\n 2: b:8\n  1: 8\nempty:0:9\ntotal:9:0\n"));
    (void)state;
    check(made, want, COUNT(want));
    assert_int_equal(made->unique_names, 0);
    /* 44,000 of 52,019 samples are 30000, 10000 and so on; 99 % of them are in counts of 1000 and more */
    assert_int_equal(made->hot_count, 1000);
    assert_int_equal(made->cold_count, 5);
    apf_sample_supplement_free(made);
    apf_sample_supplement_free(NULL);
}

/* Profiles with contexts count entries, unless they are 0. */
static void test_contexts(void **state)
{
    static const struct want want[] = {{"main", 5, 50, 0}, {"foo", 44, 40, 0}, {"foo", 9, 40, 0}};
    struct apf_supplement *made =
        supplement_of(sample_of_text("[main]:100:0\n 1: 5\n 2: 50\n[main:1 @ foo]:20000:44\n 1: 7\n 3: 40\n"
                                     "[main:2 @ foo]:20000:0\n 0: 9\n 3: 40\n"));
    (void)state;
    check(made, want, COUNT(want));
    apf_sample_supplement_free(made);
}

/* Names of functions that are only inlined do not count; callers in contexts do. */
static void test_unique(void **state)
{
    static const struct {
        const char *text;
        uint32_t unique;
    } cases[] = {
        {"foo:1:1\n 1: 1\n 2: bar.__uniq.3:1\n  1: 1\n", 0},
        {"foo:1:1\n 1: 1\nbar.__uniq.3:1:1\n 1: 1\n", 1},
        {"bar.__uniq:1:1\n 1: 1\n", 0},
        {"[bar.__uniq.3:1 @ foo]:1:1\n 1: 1\n", 1},
        {"[bar:1 @ foo]:1:1\n 1: 1 x.__uniq.3:1\n", 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct apf_supplement *made = supplement_of(sample_of_text(cases[i].text));
        assert_int_equal(made->unique_names, cases[i].unique);
        apf_sample_supplement_free(made);
    }
}

/* Hashes are used as they are; that names are unique is a flag of such a file. */
static void test_hashes(void **state)
{
    (void)state;
    for (unsigned unique = 0; unique < 2; unique++) {
        struct apf_sample *s = sample_of_text("6699318081062747564:9:1\n 1: 9\n");
        s->info.flags |= unique ? APF_SAMPLE_UNIQUE : 0;
        struct apf_supplement *made = supplement_of(s);
        static const struct want want[] = {{"foo", 9, 9, 0}};
        check(made, want, 1);
        assert_int_equal(made->unique_names, unique);
        apf_sample_supplement_free(made);
    }
}

/* The summary in the file decides, if it has rows for both thresholds. */
static void test_stored(void **state)
{
    struct sample_summary_row rows[] = {{500000, 700, 1}, {990000, 70, 2}, {999999, 7, 3}};
    struct sample_summary stored = {.total = 1, .rows = rows, .n_rows = 3};
    (void)state;
    for (unsigned n = 1; n <= 3; n++) {
        struct apf_sample *s = sample_of_text("foo:9:1\n 1: 9\n 2: 1000\n");
        struct apf_supplement *made;
        stored.n_rows = n;
        s->stored = &stored;
        assert_int_equal(apf_sample_supplement_new(&made, s, NULL), APF_OK);
        assert_int_equal(made->hot_count, n == 3 ? 70 : 1000);
        assert_int_equal(made->cold_count, n == 3 ? 7 : 9);
        apf_sample_supplement_free(made);
        s->stored = NULL;
        apf_sample_close(s);
    }
}

static void test_empty(void **state)
{
    struct apf_sample *s = sample_new();
    (void)state;
    assert_int_equal(sample_complete(s, NULL), APF_OK);
    struct apf_supplement *made = supplement_of(s);
    check(made, NULL, 0);
    assert_int_equal(made->hot_count, 0);
    apf_sample_supplement_free(made);
}

static void test_faults(void **state)
{
    struct apf_sample *s = sample_of_text("[a:1 @ b]:1:1\n 1: 1\n[c]:1:1\n 2: 3\n");
    (void)state;
    for (unsigned at = 1;; at++) {
        struct apf_supplement *made;
        fault_fail(FAULT_MEMORY, at, ENOMEM);
        int code = apf_sample_supplement_new(&made, s, NULL);
        bool hit = fault_hit();
        fault_reset();
        assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
        assert_true((made != NULL) == (code == APF_OK));
        apf_sample_supplement_free(made);
        if (!hit) {
            assert_true(at > 5);
            break;
        }
    }
    apf_sample_close(s);
}

TEST_FILE(sample_supplement)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nested), cmocka_unit_test(test_contexts),
                                       cmocka_unit_test(test_unique), cmocka_unit_test(test_hashes),
                                       cmocka_unit_test(test_stored), cmocka_unit_test(test_empty),
                                       cmocka_unit_test(test_faults)};
    return RUN_TESTS(tests);
}

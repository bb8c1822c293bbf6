/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What changed from one sample profile to another. The expected numbers are computed by hand. */
#include "helpers/shared/sample_random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_views.h>

#include "helpers/shared/fault.h"

static struct apf_sample_diff *diff_of(const struct apf_sample *a, const struct apf_sample *b,
                                       struct apf_sample_diff_options options)
{
    struct apf_sample_diff *diff;
    struct apf_error error;
    options.size = sizeof options;
    options.names[0] = options.names[0] ? options.names[0] : "a";
    options.names[1] = options.names[1] ? options.names[1] : "b";
    if (apf_sample_diff_new(&diff, a, b, &options, &error) != APF_OK)
        fail_msg("%s", error.message);
    return diff;
}

/* Two text profiles and their diff. */
struct compared {
    struct apf_sample *a, *b;
    struct apf_sample_diff *diff;
    const struct apf_sample_diff_totals *totals;
};

static struct compared compare_texts(const char *a, const char *b, uint32_t flags)
{
    struct apf_sample_diff_options options = {.flags = flags};
    struct compared c = {sample_of_text(a), sample_of_text(b), NULL, NULL};
    c.diff = diff_of(c.a, c.b, options);
    c.totals = apf_sample_diff_totals(c.diff);
    return c;
}

static void end(struct compared *c)
{
    apf_sample_diff_free(c->diff);
    apf_sample_close(c->a);
    apf_sample_close(c->b);
}

static void near(double got, double want)
{
    if (got - want > 1e-12 || want - got > 1e-12)
        fail_msg("%.17g, not %.17g", got, want);
}

static const struct apf_sample_diff_function *function_of(const struct compared *c, const char *name)
{
    for (size_t i = 0; i < c->totals->differ; i++) {
        const struct apf_sample_diff_function *f = apf_sample_diff_function(c->diff, i);
        const struct apf_str text = f->side[f->side[0].name.text.p ? 0 : 1].name.text;
        if (text.n == strlen(name) && memcmp(text.p, name, text.n) == 0)
            return f;
    }
    fail_msg("no %s", name);
    return NULL;
}

static const char old[] = "main:100:5\n 1: 40\n 2: 10 f:6 g:4\n 2: vtables v:1 \n 3: helper:30\n  1: 30\n"
                          "helper:10:3\n 1: 5\n 2: 5\ngone:10:1\n 1: 10\n";
static const char new[] = "main:1000:50\n 1: 200\n 2: 300 f:100 h:100\n 3: helper:100\n  1: 100\n"
                          "helper:300:30\n 1: 250\n 2: 50\nfresh:100:1\n 1: 100\n";
/* Of 100 and 1000 samples: main has 40 + 10 and 200 + 300, helper 35 + 5 and 350 + 50, of which 30 and 100 are inlined
 * in main. */
static const char text[] =
    "A: a: functions 3, samples 100, inlined 30.000%\n"
    "B: b: functions 3, samples 1000, inlined 10.000%\n"
    "\n"
    "  effect      in A      in B  function\n"
    " 20.000%   50.000%   50.000%  main: lines 40.000%, targets 50.000%, vtables 100.000%\n"
    "  5.000%    0.000%   10.000%  fresh: only in B\n"
    "  5.000%   10.000%    0.000%  gone: only in A\n"
    "  0.000%   40.000%   40.000%  helper: callers 50.000% (inlined 75.000% -> 25.000%)\n"
    "\n"
    "  effect functions\n"
    "  5.000%         1  only in A\n"
    "  5.000%         1  only in B\n"
    " 20.000%         1  samples moved between lines\n"
    " 20.000%         1  different call targets\n"
    " 20.000%         1  different vtables\n"
    "  0.000%         1  different callers\n"
    "\n"
    "difference: 30.000% of the samples moved; functions that differ: 4, equal: 0\n";

static void check_text(const struct apf_sample_diff *diff, const char *want)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_sample_diff_print(diff, &output, NULL), APF_OK);
    sample_assert_text(&out, want);
    apf_buffer_free(&out);
}

static void test_everything(void **state)
{
    struct compared c = compare_texts(old, new, 0);
    (void)state;
    check_text(c.diff, text);
    near(c.totals->difference, 0.3);
    near(c.totals->samples[1], 1000);
    near(c.totals->inlined[0], 0.3);
    const struct apf_sample_diff_function *f = function_of(&c, "main");
    assert_int_equal(f->changes, APF_SAMPLE_DIFF_LINES | APF_SAMPLE_DIFF_TARGETS | APF_SAMPLE_DIFF_VTABLES);
    near(f->lines_moved, 0.4);   /* 40 and 10 of 50, 200 and 300 of 500 */
    near(f->targets_moved, 0.5); /* f 6 and g 4 of 10, f 100 and h 100 of 200 */
    near(f->vtables_moved, 1);
    assert_int_equal(f->side[0].samples, 50);
    assert_int_equal(f->side[1].head, 50);
    assert_int_equal(f->side[0].n_lines, 2);
    assert_int_equal(f->side[1].n_vtables, 0);
    f = function_of(&c, "helper");
    assert_int_equal(f->changes, APF_SAMPLE_DIFF_CALLERS);
    near(f->callers_moved, 0.5);
    near(f->side[0].inlined, 0.75);
    assert_int_equal(f->side[0].n_callers, 1);
    assert_null(apf_sample_diff_function(c.diff, 4));
    end(&c);
}

static const char json[] =
    "{\n  \"schema\": \"anyprof-sample-diff/1\",\n  \"generator\": {\n    \"name\": \"anyprof\",\n"
    "    \"version\": \"0.1.0\"\n  },\n"
    "  \"a\": {\n    \"path\": \"a\",\n    \"path_hex\": null,\n    \"functions\": 1,\n    \"samples\": "
    "100,\n"
    "    \"inlined\": 0.3,\n    \"stale\": 0\n  },\n"
    "  \"b\": {\n    \"path\": \"b\",\n    \"path_hex\": null,\n    \"functions\": 1,\n    \"samples\": "
    "1000,\n"
    "    \"inlined\": 0.1,\n    \"stale\": 0\n  },\n"
    "  \"absolute\": true,\n  \"lines_compared\": true,\n  \"callers_compared\": true,\n"
    "  \"difference\": 0.32727272727272727,\n  \"equal\": 0,\n  \"differ\": 1,\n  \"totals\": {\n"
    "    \"only_in_a\": {\"functions\": 0, \"effect\": 0},\n"
    "    \"only_in_b\": {\"functions\": 0, \"effect\": 0},\n"
    "    \"checksum\": {\"functions\": 0, \"effect\": 0},\n"
    "    \"share\": {\"functions\": 1, \"effect\": 0.32727272727272727},\n"
    "    \"lines\": {\"functions\": 0, \"effect\": 0},\n"
    "    \"targets\": {\"functions\": 0, \"effect\": 0},\n"
    "    \"vtables\": {\"functions\": 0, \"effect\": 0},\n"
    "    \"callers\": {\"functions\": 1, \"effect\": 0.32727272727272727},\n"
    "    \"attributes\": {\"functions\": 0, \"effect\": 0},\n"
    "    \"name\": {\"functions\": 0, \"effect\": 0}\n  },\n  \"not_listed\": 0,\n  \"functions\": [\n"
    "    {\"function\": \"helper\", \"effect\": 0.32727272727272727, \"changes\": [\"share\", \"callers\"], "
    "\"lines_moved\": 0, \"targets_moved\": 0, \"vtables_moved\": 0, \"callers_moved\": 0.5, "
    "\"a\": {\"name\": \"helper\", \"hash\": \"0xb5c46dfb7bd6e5fd\", \"samples\": 40, \"share\": 0.4, "
    "\"inlined\": 0.75, \"head\": 3, \"checksum\": null, \"checksums\": 0, \"lines\": 2, \"lone_lines\": 0, "
    "\"targets\": 0, \"vtables\": 0, \"callers\": 1, \"attributes\": []}, "
    "\"b\": {\"name\": \"helper\", \"hash\": \"0xb5c46dfb7bd6e5fd\", \"samples\": 400, \"share\": 0.4, "
    "\"inlined\": 0.25, \"head\": 30, \"checksum\": null, \"checksums\": 0, \"lines\": 2, "
    "\"lone_lines\": 0, \"targets\": 0, \"vtables\": 0, \"callers\": 1, \"attributes\": []}}\n"
    "  ]\n}\n";

/* As JSON, without shares, of one function. */
static void test_json(void **state)
{
    struct apf_sample_diff_options options = {.flags = APF_SAMPLE_DIFF_JSON | APF_SAMPLE_DIFF_ABSOLUTE,
                                              .function = {"elpe", 4}};
    struct apf_sample *a = sample_of_text(old), *b = sample_of_text(new);
    struct apf_sample_diff *diff = diff_of(a, b, options);
    (void)state;
    check_text(diff, json);
    apf_sample_diff_free(diff);
    apf_sample_close(a);
    apf_sample_close(b);
}

/* A run that is three times as long is the same, and so is one whose functions are inlined elsewhere, but for that. */
static void test_same(void **state)
{
    struct compared c = compare_texts("f:30:1\n 1: 7 g:3\n 2: 3\ng:1:1\n 1: 9\n",
                                      "f:90:3\n 1: 21 g:9\n 2: 9\ng:3:3\n 1: 27\n", 0);
    (void)state;
    assert_int_equal(c.totals->differ, 0);
    assert_int_equal(c.totals->equal, 2);
    near(c.totals->difference, 0);
    end(&c);
    c = compare_texts("f:1:1\n 1: 5\n 2: g:9\n  1: 9\n  2: h:4\n   3: 4\nh:0:0\n 3: 4\n",
                      "f:1:1\n 1: 5\ng:1:1\n 1: 9\nk:0:0\n 1: h:8\n  3: 8\n", 0);
    near(c.totals->difference, 0);
    assert_int_equal(c.totals->equal, 1);
    const struct apf_sample_diff_function *f = function_of(&c, "h");
    assert_int_equal(f->changes, APF_SAMPLE_DIFF_CALLERS);
    near(f->callers_moved, 1);
    near(f->side[0].inlined, 0.5);
    near(f->side[1].inlined, 1);
    end(&c);
    c = compare_texts("f:1:1\n 1: 5\n", "f:1:1\n 1: 10\n", APF_SAMPLE_DIFF_ABSOLUTE);
    near(c.totals->difference, 1.0 / 3);
    assert_int_equal(function_of(&c, "f")->changes, APF_SAMPLE_DIFF_SHARE);
    end(&c);
}

/* Lines of a function of another checksum are not compared; the function is stale. */
static void test_checksums(void **state)
{
    static const char a[] =
        "f:1:1\n 1: 60\n !CFGChecksum: 1\ng:1:1\n 1: 30\n 2: f:10\n  2: 10\n  !CFGChecksum: 9\n"
        " !CFGChecksum: 2\n";
    static const char b[] =
        "f:1:1\n 1: 60\n !CFGChecksum: 3\ng:1:1\n 1: 40\n !CFGChecksum: 2\n !Attributes: 2\n";
    struct compared c = compare_texts(a, b, 0);
    const struct apf_sample_diff_function *f = function_of(&c, "f");
    (void)state;
    assert_int_equal(f->changes, APF_SAMPLE_DIFF_CHECKSUM | APF_SAMPLE_DIFF_SHARE | APF_SAMPLE_DIFF_CALLERS);
    near(f->effect, (0.7 + 0.6) / 2);
    assert_int_equal(f->side[0].checksum, 1); /* of 60 samples, not 9 of 10 */
    assert_int_equal(f->side[0].n_checksums, 2);
    assert_int_equal(f->side[1].checksum, 3);
    near(f->lines_moved, 0);
    near(c.totals->stale[0], 0.7);
    near(c.totals->stale[1], 0.6);
    assert_int_equal(function_of(&c, "g")->changes, APF_SAMPLE_DIFF_SHARE | APF_SAMPLE_DIFF_ATTRIBUTES);
    check_text(
        c.diff,
        "A: a: functions 2, samples 100, inlined 10.000%\n"
        "B: b: functions 2, samples 100, inlined 0.000%\n"
        "\n"
        "  effect      in A      in B  function\n"
        " 65.000%   70.000%   60.000%  f: checksum 0x0000000000000001 -> 0x0000000000000003, in A 2 "
        "checksums, "
        "colder, callers 14.286% (inlined 14.286% -> 0.000%)\n"
        "  5.000%   30.000%   40.000%  g: hotter, attributes 0 -> 2\n"
        "\n"
        "  effect functions\n"
        " 65.000%         1  different checksum\n"
        " 70.000%         2  hotter or colder\n"
        " 65.000%         1  different callers\n"
        "  5.000%         1  different attributes\n"
        "\n"
        "stale: functions with another checksum have 70.000% of the samples of A, 60.000% of those of B\n"
        "difference: 70.000% of the samples moved; functions that differ: 2, equal: 0\n");
    end(&c);
}

/* Probes and lines have nothing in common but the functions, contexts and inlined copies not even the callers. */
static void test_kinds(void **state)
{
    struct compared c = compare_texts("f:1:1\n 1: 60\n !CFGChecksum: 1\ng:1:1\n 1: 40\n !CFGChecksum: 1\n",
                                      "[m:3 @ f]:1:1\n 7: 6 x:3\n[g]:1:1\n 9: 4\n", 0);
    (void)state;
    assert_int_equal(c.totals->lines_compared, 0);
    assert_int_equal(c.totals->callers_compared, 0);
    assert_int_equal(c.totals->equal, 2);
    near(c.totals->difference, 0);
    check_text(c.diff, "A: a: functions 2, samples 100, inlined 0.000%\n"
                       "B: b: functions 2, samples 10, inlined 60.000%\n"
                       "only one profile has probes: lines, targets and checksums are not compared\n"
                       "only one profile has contexts: callers are not compared\n"
                       "\n"
                       "difference: 0.000% of the samples moved; functions that differ: 0, equal: 2\n");
    end(&c);
    /* Contexts are added up, and say by which functions one is called. */
    c = compare_texts("[m:3 @ f]:1:1\n 7: 6\n[k:3 @ f]:1:1\n 7: 2\n", "[k:3 @ f]:1:1\n 7: 8\n", 0);
    const struct apf_sample_diff_function *f = function_of(&c, "f");
    assert_int_equal(f->changes, APF_SAMPLE_DIFF_CALLERS);
    near(f->callers_moved, 0.75);
    assert_int_equal(f->side[0].n_callers, 2);
    end(&c);
}

/* Suffixes that depend on the build are passed over where that is unambiguous, also of call targets. */
static void test_names(void **state)
{
    static const char a[] =
        "f.llvm.123:1:1\n 1: 5 g.__uniq.77.part.0:5\nx.llvm.1:1:1\n 1: 1\nsame:1:1\n 1: 1\n";
    static const char b[] =
        "f.llvm.9:1:1\n 1: 5 g:5\nx.llvm.2:1:1\n 1: 1\nx.llvm.3:1:1\n 1: 1\nsame:1:1\n 1: 1\n";
    struct compared c = compare_texts(a, b, APF_SAMPLE_DIFF_ABSOLUTE);
    (void)state;
    const struct apf_sample_diff_function *f = function_of(&c, "f.llvm.123");
    assert_int_equal(f->changes, APF_SAMPLE_DIFF_NAME);
    assert_memory_equal(f->side[1].name.text.p, "f.llvm.9", 8);
    assert_int_equal(c.totals->changes[0].n, 1); /* x.llvm.1 is one of two */
    assert_int_equal(c.totals->changes[1].n, 2);
    assert_int_equal(c.totals->equal, 1);
    end(&c);
    c = compare_texts(a, b, APF_SAMPLE_DIFF_ABSOLUTE | APF_SAMPLE_DIFF_EXACT_NAMES);
    assert_int_equal(c.totals->changes[0].n, 2);
    assert_int_equal(c.totals->changes[1].n, 3);
    end(&c);
}

/* A hash is the function whose name has it; one that neither profile can name is shown. */
static void test_hashes(void **state)
{
    struct apf_sample *a = sample_of_functions(
        "{\"hash\":\"0x5cf8c24cdb18bdac\",\"total\":3,\"lines\":[{\"line\":1,\"count\":1}]},"
        "{\"hash\":5,\"total\":3,\"lines\":[{\"line\":1,\"count\":3}]}");
    struct apf_sample *b = sample_of_text("foo:3:0\n 1: 2\n");
    struct apf_sample_diff_options options = {.max_functions = 1};
    struct apf_sample_diff *diff = diff_of(a, b, options);
    (void)state;
    check_text(diff, "A: a: functions 2, samples 4, inlined 0.000%\n"
                     "B: b: functions 1, samples 2, inlined 0.000%\n"
                     "\n"
                     "  effect      in A      in B  function\n"
                     " 37.500%   75.000%    0.000%  (function 0x0000000000000005): only in A\n"
                     "... and 1 more\n"
                     "\n"
                     "  effect functions\n"
                     " 37.500%         1  only in A\n"
                     " 37.500%         1  hotter or colder\n"
                     "\n"
                     "difference: 75.000% of the samples moved; functions that differ: 2, equal: 0\n");
    assert_memory_equal(apf_sample_diff_function(diff, 1)->side[0].name.text.p, "foo", 3);
    apf_sample_diff_free(diff);
    sample_free(a);
    apf_sample_close(b);
}

/* Of a profile with itself nothing differs; effects add up; a diff read backwards has the same difference. */
static void test_random(void **state)
{
    uint64_t chance = 9;
    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        struct sample_wish wish = {.contexts = i % 2, .probes = i % 3 == 0, .all = i % 4 == 0};
        struct sample_wish other = {.contexts = i % 5 == 0, .probes = i % 7 == 0, .all = i % 4 == 0};
        struct apf_sample *pair[2] = {sample_random(&wish, &chance), sample_random(&other, &chance)};
        struct apf_sample_diff_options options = {.flags = i % 3 ? 0 : APF_SAMPLE_DIFF_ABSOLUTE};
        struct apf_sample_diff *diff = diff_of(pair[0], pair[0], options);
        const struct apf_sample_diff_totals *t = apf_sample_diff_totals(diff), *u;
        assert_int_equal(t->differ, 0);
        near(t->difference, 0);
        apf_sample_diff_free(diff);
        diff = diff_of(pair[0], pair[1], options);
        struct apf_sample_diff *back = diff_of(pair[1], pair[0], options);
        double sum = 0;
        t = apf_sample_diff_totals(diff);
        u = apf_sample_diff_totals(back);
        for (size_t k = 0; k < t->differ; k++) {
            const struct apf_sample_diff_function *f = apf_sample_diff_function(diff, k);
            assert_true(k == 0 || f->effect <= apf_sample_diff_function(diff, k - 1)->effect);
            assert_true(f->lines_moved <= 1 + 1e-12 && f->callers_moved <= 1 + 1e-12);
            sum += f->effect;
        }
        assert_true(sum - t->difference < 1e-9 && t->difference - sum < 1e-9);
        assert_true(u->difference - t->difference < 1e-9 && t->difference - u->difference < 1e-9);
        assert_true(t->difference <= 1 + 1e-9);
        assert_int_equal(t->differ, u->differ);
        apf_sample_diff_free(diff);
        apf_sample_diff_free(back);
        sample_free(pair[0]);
        sample_free(pair[1]);
    }
}

/* A function that is inlined in many others, and one line of many copies: not quadratic. */
static void test_many(void **state)
{
    enum { MANY = 30000, ENTRY = 60 };
    char *many = malloc((size_t)MANY * ENTRY);
    size_t n = 0;
    (void)state;
    for (unsigned i = 0; i < MANY; i++)
        n += (size_t)snprintf(many + n, ENTRY, "f%u:1:1\n %u: g:1\n  1: 1\n", MANY - i, i % 100);
    struct compared c = compare_texts(many, many, 0);
    assert_int_equal(c.totals->equal, MANY + 1);
    near(c.totals->samples[0], MANY);
    end(&c);
    free(many);
}

static struct apf_sample *fault_pair[2];
static uint32_t fault_flags;

static int try_diff(void)
{
    struct apf_sample_diff_options options = {
        .size = sizeof options, .flags = fault_flags, .names = {"a", "b"}};
    struct apf_sample_diff *diff;
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    int code = apf_sample_diff_new(&diff, fault_pair[0], fault_pair[1], &options, NULL);
    assert_true((code == APF_OK) == (diff != NULL));
    if (code == APF_OK)
        code = apf_sample_diff_print(diff, &output, NULL);
    apf_sample_diff_free(diff);
    apf_buffer_free(&out);
    return code;
}

static void sweep(enum fault_call call, unsigned least)
{
    for (unsigned at = 1;; at++) {
        fault_fail(call, at, ENOMEM);
        int code = try_diff();
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
    (void)state;
    fault_pair[0] = sample_of_text(old);
    fault_pair[1] = sample_of_text(new);
    for (fault_flags = 0; fault_flags <= APF_SAMPLE_DIFF_JSON; fault_flags += APF_SAMPLE_DIFF_JSON) {
        sweep(FAULT_MEMORY, 30);
        sweep(FAULT_ARENA, 1);
    }
    apf_sample_close(fault_pair[0]);
    apf_sample_close(fault_pair[1]);
}

static void test_arguments(void **state)
{
    struct apf_sample *s = sample_of_text(old);
    struct apf_sample_diff_options options = {.size = sizeof options, .flags = 1u << 20};
    struct apf_sample_diff *diff;
    struct apf_error error;
    (void)state;
    assert_int_equal(apf_sample_diff_new(&diff, s, s, &options, &error), APF_ARGUMENT);
    assert_null(diff);
    assert_string_equal(error.where, "apf_sample_diff_options.flags");
    apf_sample_close(s);
}

TEST_FILE(sample_diff)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything), cmocka_unit_test(test_json),      cmocka_unit_test(test_same),
        cmocka_unit_test(test_checksums),  cmocka_unit_test(test_kinds),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_hashes),     cmocka_unit_test(test_random),    cmocka_unit_test(test_many),
        cmocka_unit_test(test_faults),     cmocka_unit_test(test_arguments),
    };
    return RUN_TESTS(tests);
}

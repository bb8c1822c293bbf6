/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges through the public interface. */
#include <stdio.h>
#include <string.h>

#include <anyprof/sample_merge.h>

#include "helpers/shared/fault.h"
#include "helpers/shared/sample_notes.h"
#include "helpers/shared/unit.h"

#define MOST 16u

struct text {
    const char *text, *name;
    uint64_t weight;
};

/* Findings as text, one a line. */
struct found {
    char text[4000];
    int stop_at; /* the finding with this number, from 1, stops the merge */
    int n;
};

static int collect(void *user, const struct apf_diag *d)
{
    struct found *f = (struct found *)user;
    size_t n = strlen(f->text);
    snprintf(f->text + n, sizeof f->text - n, "%u %d %.*s: %.*s: %s\n", d->severity, (int)d->input,
             (int)d->source.n, d->source.p ? d->source.p : "", (int)d->function.n,
             d->function.p ? d->function.p : "", d->error->message);
    return ++f->n == f->stop_at;
}

static struct apf_options common_of(struct found *found)
{
    struct apf_options common = {.size = sizeof common, .threads = 1, .diag = collect, .user = found};
    return common;
}

static struct apf_input input_of(const struct text *text)
{
    struct apf_input input = apf_input_memory(text->text, strlen(text->text), text->name);
    input.weight = text->weight;
    return input;
}

/* A merge of inputs with options, of which NULL are the defaults. */
static struct apf_sample_merge *merge(const struct text *texts, size_t n,
                                      const struct apf_sample_merge_options *options)
{
    struct apf_sample_merge *m;
    struct apf_input inputs[MOST];
    assert_int_equal(apf_sample_merge_new(&m, options, NULL), APF_OK);
    for (size_t i = 0; i < n; i++)
        inputs[i] = input_of(&texts[i]);
    assert_int_equal(apf_sample_merge_add(m, inputs, n, NULL), APF_OK);
    return m;
}

static const struct apf_sample *view_of(struct apf_sample_merge *m)
{
    const struct apf_sample *view;
    assert_int_equal(apf_sample_merge_view(m, &view, NULL), APF_OK);
    return view;
}

/* Fails the test unless the view of a merge is this text. */
static void check(const struct text *texts, size_t n, const struct apf_sample_merge_options *options,
                  const char *expected)
{
    struct apf_sample_merge *m = merge(texts, n, options);
    EXPECT_NOTES(view_of(m), expected);
    apf_sample_merge_free(m);
}

/* ---- what goes together ---- */

static void test_add(void **state)
{
    static const struct text texts[] = {{"foo:10:1\n 1: 7 bar:3\n", "a", 2}, {"foo:1:1\n 2: 1\n", "b", 0}};
    (void)state;
    struct apf_sample_merge *m = merge(texts, 2, NULL);
    const struct apf_sample *view = view_of(m);
    EXPECT_NOTES(view, "foo:21:3\n 1: 14 bar:6\n 2: 1\n");
    const struct apf_sample_info *info = apf_sample_info(view);
    assert_int_equal(info->format, APF_SAMPLE_MERGED);
    assert_int_equal(info->n_functions, 1);
    assert_int_equal(info->n_lines, 2);
    assert_int_equal(info->n_names, 2);
    assert_int_equal(info->flags, 0);
    assert_string_equal(info->layout, "");
    const struct apf_sample_input_result *r = apf_sample_merge_input(m, 0);
    assert_int_equal(r->code, APF_OK);
    assert_int_equal(r->weight, 2);
    assert_memory_equal(r->name.p, "a", 2);
    assert_int_equal(r->info.format, APF_SAMPLE_TEXT);
    assert_int_equal(r->info.n_functions, 1);
    assert_int_equal(r->sum_of_counts, 7);
    assert_null(r->error);
    assert_null(r->salvage);
    assert_int_equal(apf_sample_merge_input(m, 1)->weight, 1);
    assert_null(apf_sample_merge_input(m, 2));
    const struct apf_sample_merge_stats *s = apf_sample_merge_stats(m);
    assert_int_equal(s->n_inputs, 2);
    assert_int_equal(s->n_merged, 2);
    assert_int_equal(s->n_functions, 1);
    assert_int_equal(apf_sample_merge_verdict(m, NULL), APF_OK);
    /* The view is dropped by the next input, and the sum is not. */
    struct apf_input more = input_of(&texts[1]);
    assert_int_equal(apf_sample_merge_add(m, &more, 1, NULL), APF_OK);
    EXPECT_NOTES(view_of(m), "foo:22:4\n 1: 14 bar:6\n 2: 2\n");
    apf_sample_close((struct apf_sample *)view_of(m)); /* the view belongs to the merge */
    apf_sample_merge_free(m);
}

#define PLAIN "f:1:1\n 1: 1\n"
#define PROBES "f:2:1\n 1: 2\n !CFGChecksum: 9\n"
#define CONTEXTS "[f]:4:1\n 1: 4\n"
#define BOTH "[f]:8:1\n 1: 8\n !CFGChecksum: 9\n"

/* The kind with most weight wins, whatever came first; the others are named. */
static void test_classes(void **state)
{
    static const struct text texts[] = {
        {PLAIN, "plain", 2}, {PROBES, "probes", 3}, {CONTEXTS, "contexts", 4}, {BOTH, "both", 4}};
    struct found found = {.n = 0};
    struct apf_options common = common_of(&found);
    const struct apf_sample_merge_options options = {.size = sizeof options, .options = &common};
    (void)state;
    struct apf_sample_merge *m = merge(texts, 4, &options);
    EXPECT_NOTES(view_of(m), "[f]:16:4\n 1: 16\n"); /* equal weights: the lower class */
    assert_string_equal(found.text,
                        "2 0 plain: : cannot merge CS profile with non-CS profile\n"
                        "2 1 probes: : cannot merge probe-based profile with non-probe-based profile\n"
                        "2 3 both: : cannot merge probe-based profile with non-probe-based profile\n");
    assert_int_equal(apf_sample_merge_input(m, 0)->code, APF_SAMPLE_CONTEXT_CONFLICT);
    assert_int_equal(apf_sample_merge_input(m, 0)->error->code, APF_SAMPLE_CONTEXT_CONFLICT);
    assert_int_equal(apf_sample_merge_input(m, 0)->info.n_functions, 1);
    assert_int_equal(apf_sample_merge_input(m, 1)->code, APF_SAMPLE_PROBE_CONFLICT);
    assert_int_equal(apf_sample_merge_input(m, 2)->code, APF_OK);
    assert_int_equal(apf_sample_merge_input(m, 3)->code, APF_SAMPLE_PROBE_CONFLICT);
    assert_int_equal(apf_sample_merge_stats(m)->n_rejected, 3);
    assert_int_equal(apf_sample_merge_stats(m)->n_merged, 1);
    assert_int_equal(apf_sample_merge_verdict(m, NULL), APF_INVALID_PROFILE);
    assert_int_equal(apf_sample_merge_verdict(m, &any_loss), APF_OK);
    /* More of another kind: those are accepted, and the former winner is rejected. */
    struct apf_input more = input_of(&texts[1]);
    assert_int_equal(apf_sample_merge_add(m, &more, 1, NULL), APF_OK);
    EXPECT_NOTES(view_of(m), "f:12:6\n 1: 12\n !CFGChecksum: 9\n");
    assert_int_equal(apf_sample_info(view_of(m))->flags, APF_SAMPLE_PROBES);
    assert_int_equal(apf_sample_merge_input(m, 1)->code, APF_OK);
    assert_null(apf_sample_merge_input(m, 1)->error);
    assert_int_equal(apf_sample_merge_input(m, 2)->code, APF_SAMPLE_PROBE_CONFLICT);
    assert_int_equal(apf_sample_merge_input(m, 3)->code, APF_SAMPLE_CONTEXT_CONFLICT);
    assert_int_equal(apf_sample_merge_stats(m)->n_merged, 2);
    apf_sample_merge_free(m);
}

static void test_bad_inputs(void **state)
{
    static const struct text texts[] = {
        {PLAIN, "good", 0}, {"f:1:1\n 1: x\n", "bad", 0}, {"", "empty", 0}, {"\xff\xff\xff", "odd", 0}};
    struct found found = {.n = 0};
    struct apf_options common = common_of(&found);
    const struct apf_sample_merge_options options = {.size = sizeof options, .options = &common};
    (void)state;
    struct apf_sample_merge *m = merge(texts, 4, &options);
    EXPECT_NOTES(view_of(m), PLAIN);
    assert_int_equal(apf_sample_merge_input(m, 1)->code, APF_BAD_SAMPLE_TEXT);
    assert_int_equal(apf_sample_merge_input(m, 1)->error->line, 2);
    assert_int_equal(apf_sample_merge_input(m, 1)->info.format, APF_SAMPLE_TEXT);
    assert_int_equal(apf_sample_merge_input(m, 1)->info.n_functions, 0);
    assert_int_equal(apf_sample_merge_input(m, 2)->code, APF_EMPTY_PROFILE);
    assert_int_equal(apf_sample_merge_input(m, 3)->code, APF_SAMPLE_UNRECOGNIZED);
    assert_int_equal(found.n, 3);
    const struct apf_sample_merge_stats *s = apf_sample_merge_stats(m);
    assert_int_equal(s->n_merged, 1);
    assert_int_equal(s->n_rejected, 2);
    assert_int_equal(s->n_empty, 1);
    const struct apf_tolerance half = {APF_FAIL_SHARE, 50000000}, most = {APF_FAIL_SHARE, 75000000};
    assert_int_equal(apf_sample_merge_verdict(m, &half), APF_INVALID_PROFILE);
    assert_int_equal(apf_sample_merge_verdict(m, &most), APF_OK);
    apf_sample_merge_free(m);
    m = merge(texts + 2, 1, NULL);
    assert_int_equal(apf_sample_merge_verdict(m, NULL), APF_EMPTY_PROFILE);
    EXPECT_NOTES(view_of(m), "");
    apf_sample_merge_free(m);
}

static void test_salvage(void **state)
{
    static const struct text texts[] = {{"f:1:1\n 1: 1\ng:2:1\n 1: 2\nh:3:1\n 1: x\n", "cut", 3},
                                        {"f:x:1\n", "lost", 0}};
    struct found found = {.n = 0};
    struct apf_options common = common_of(&found);
    common.flags = APF_FLAG_SALVAGE;
    const struct apf_sample_merge_options options = {.size = sizeof options, .options = &common};
    (void)state;
    struct apf_sample_merge *m = merge(texts, 2, &options);
    EXPECT_NOTES(view_of(m), "g:6:3\n 1: 6\nf:3:3\n 1: 3\n");
    const struct apf_sample_input_result *r = apf_sample_merge_input(m, 0);
    assert_int_equal(r->code, APF_OK);
    assert_non_null(r->salvage);
    assert_int_equal(r->salvage->functions, 2);
    assert_int_equal(r->salvage->error.line, 6);
    assert_string_equal(r->salvage->error.file, "cut");
    assert_int_equal(apf_sample_merge_input(m, 1)->code, APF_SAMPLE_UNRECOGNIZED);
    const struct apf_sample_merge_stats *s = apf_sample_merge_stats(m);
    assert_int_equal(s->n_salvaged, 1);
    assert_int_equal(s->salvaged_functions, 2);
    assert_int_equal(s->n_merged, 0);
    assert_int_equal(s->n_rejected, 1);
    assert_non_null(strstr(found.text,
                           "1 0 cut: : damaged, and only what is intact was taken: 2 functions, how "
                           "many are lost is not known\n"));
    apf_sample_merge_free(m);
}

/* Findings of functions: by input, then in the order of output. */
static void test_findings(void **state)
{
    static const struct text texts[] = {
        {"foo:1000:1\n 1: 1000\n !CFGChecksum: 111\nzed:1:1\n !CFGChecksum: 1\n", "a", 1},
        {"foo:10:2\n 1: 10\n 2: in:4\n  !CFGChecksum: 5\n !CFGChecksum: 222\n"
         "abc:18446744073709551615:1\n !CFGChecksum: 1\n",
         "b", 2},
        {"foo:30:4\n 2: in:7\n  !CFGChecksum: 6\n !CFGChecksum: 222\nzed:18446744073709551615:1\n"
         " 1: x:1\n  1: 9223372036854775807\n !CFGChecksum: 1\n",
         "c", 3},
    };
    struct found found = {.n = 0};
    struct apf_options common = common_of(&found);
    const struct apf_sample_merge_options options = {.size = sizeof options, .options = &common};
    (void)state;
    struct apf_sample_merge *m = merge(texts, 3, &options);
    assert_int_equal(found.n, 0);
    (void)view_of(m);
    assert_string_equal(
        found.text,
        "1 0 a: foo: Function hash mismatch [111 here, 222 in other inputs; 1000 samples]\n"
        "1 1 b: foo: Function hash mismatch [5 here, 6 in other inputs; 8 samples, of in, which is inlined]\n"
        "1 0 a: zed: Counter overflow [the sum of all inputs is cut; this is the first one]\n"
        "1 1 b: abc: Counter overflow [the sum of all inputs is cut; this is the first one]\n");
    const struct apf_sample_merge_stats *s = apf_sample_merge_stats(m);
    assert_int_equal(s->checksum_mismatches, 1);
    assert_int_equal(s->inlined_mismatches, 1);
    assert_int_equal(s->mismatch_samples, 1008);
    assert_int_equal(s->saturated, 2);
    int n = found.n;
    (void)view_of(m); /* once only */
    assert_int_equal(found.n, n);
    apf_sample_merge_free(m);
    /* A callback can stop it. */
    for (int stop = 1; stop <= 4; stop++) {
        const struct apf_sample *view;
        struct apf_error error;
        found.n = 0;
        found.stop_at = stop;
        m = merge(texts, 3, &options);
        assert_int_equal(apf_sample_merge_view(m, &view, &error), APF_STOPPED);
        assert_null(view);
        apf_sample_merge_free(m);
    }
}

/* ---- properties ---- */

/* 6699318081062747564 is the hash of foo, 16434608426314478903 that of bar. */
static void test_names(void **state)
{
    static const struct text texts[] = {{"6699318081062747564:5:1\n 1: 5 16434608426314478903:2\n", "md5", 0},
                                        {"foo:1:1\n", "names", 0}};
    static const struct apf_str bar = {"bar", 3}, more = {"x", 1};
    (void)state;
    struct apf_sample_merge *m = merge(texts, 1, NULL);
    EXPECT_NOTES(view_of(m), texts[0].text);
    assert_int_equal(apf_sample_info(view_of(m))->flags, APF_SAMPLE_MD5);
    assert_int_equal(apf_sample_info(view_of(m))->n_hashes, 2);
    apf_sample_merge_free(m);
    m = merge(texts, 2, NULL);
    EXPECT_NOTES(view_of(m), "foo:6:2\n 1: 5 16434608426314478903:2\n");
    assert_int_equal(apf_sample_info(view_of(m))->flags, APF_SAMPLE_MD5);
    assert_int_equal(apf_sample_info(view_of(m))->n_hashes, 1);
    assert_int_equal(apf_sample_merge_add_names(m, &more, 1, NULL), APF_OK);
    assert_int_equal(apf_sample_merge_add_names(m, &bar, 1, NULL), APF_OK);
    EXPECT_NOTES(view_of(m), "foo:6:2\n 1: 5 bar:2\n");
    assert_int_equal(apf_sample_info(view_of(m))->flags, 0);
    assert_int_equal(apf_sample_info(view_of(m))->n_names, 2);
    apf_sample_merge_free(m);
}

/* Names of rejected inputs do not count, but they are known. */
static void test_other_names(void **state)
{
    static const struct text texts[] = {{"6699318081062747564:5:1\n", "md5", 2},
                                        {"foo:1:1\n 1: 1 a.__uniq.1:1\n !CFGChecksum: 1\n", "probes", 1}};
    (void)state;
    struct apf_sample_merge *m = merge(texts, 2, NULL);
    EXPECT_NOTES(view_of(m), "foo:10:2\n");
    assert_int_equal(apf_sample_info(view_of(m))->flags, 0);
    assert_int_equal(apf_sample_info(view_of(m))->n_names, 1);
    apf_sample_merge_free(m);
    m = merge(texts + 1, 1, NULL);
    assert_int_equal(apf_sample_info(view_of(m))->flags, APF_SAMPLE_PROBES | APF_SAMPLE_UNIQUE);
    apf_sample_merge_free(m);
}

static void test_symbols(void **state)
{
    static const struct text texts[] = {{"42:5:1\n 1: 5 6699318081062747564:2\n", "a", 0}};
    static const struct apf_str names[] = {{"zed", 3}, {"foo", 3}, {"abc", 3}, {"foo", 3}};
    const struct apf_sample_merge_options options = {
        .size = sizeof options, .symbols = names, .n_symbols = 4};
    (void)state;
    struct apf_sample_merge *m = merge(texts, 1, &options);
    const struct apf_sample *view = view_of(m);
    EXPECT_NOTES(view, "42:5:1\n 1: 5 foo:2\n");
    assert_int_equal(apf_sample_info(view)->n_symbols, 3);
    assert_true(view->has_symbols);
    assert_memory_equal(view->symbols.data[0].p, "abc", 3);
    assert_memory_equal(view->symbols.data[1].p, "foo", 3);
    assert_memory_equal(view->symbols.data[2].p, "zed", 3);
    apf_sample_merge_free(m);
}

/* ---- options ---- */

static const char contexts[] = "[main]:1000:1\n 1: 700\n 2: 300 foo:300\n"
                               "[main:2 @ foo]:500:50\n 1: 300\n 3: 200 bar:150 qux:50\n"
                               "[main:2 @ foo:3 @ bar]:100:10\n 1: 60\n[zed:1 @ bar]:37:37\n 1: 37\n";

static void test_conversions(void **state)
{
    static const struct text texts[] = {{contexts, "a", 0}};
    static const struct text nested[] = {{"main:5:1\n 1: 2\n 2: foo:3\n  1: 3\n", "a", 0}};
    struct apf_sample_merge_options options = {.size = sizeof options, .conversion = APF_SAMPLE_NESTED};
    (void)state;
    check(texts, 1, &options,
          "main:1150:1\n 1: 700\n 2: foo:450\n  1: 300\n  3: 50 qux:50\n  3: bar:100\n   1: 60\n"
          "bar:37:37\n 1: 37\n");
    check(nested, 1, &options, nested[0].text); /* without contexts it changes nothing */
    options.flags = APF_SAMPLE_MERGE_BASE;
    check(texts, 1, &options,
          "main:1150:1\n 1: 700\n 2: foo:450\n  1: 300\n  3: 50 qux:50\n  3: bar:100\n   1: 60\n"
          "   !Attributes: 4\n  !Attributes: 4\n"
          "foo:450:50\n 1: 300\n 3: 50 qux:50\n 3: bar:100\n  1: 60\n  !Attributes: 4\n"
          "bar:137:47\n 1: 97\n");
    options.flags = 0;
    options.conversion = APF_SAMPLE_FLAT;
    check(texts, 1, &options,
          "main:1000:1\n 1: 700\n 2: 300 foo:300\nfoo:500:50\n 1: 300\n 3: 200 bar:150 qux:50\n"
          "bar:137:47\n 1: 97\n");
    check(nested, 1, &options, "main:5:2\n 1: 2\n 2: 3 foo:3\nfoo:3:3\n 1: 3\n");
}

static void test_cold(void **state)
{
    static const struct text texts[] = {{contexts, "a", 0}};
    struct apf_sample_merge_options options = {.size = sizeof options,
                                               .flags = APF_SAMPLE_MERGE_COLD | APF_SAMPLE_MERGE_COLD_COUNT,
                                               .cold_count = 200,
                                               .conversion = APF_SAMPLE_NESTED};
    (void)state;
    struct apf_sample_merge *m = merge(texts, 1, &options);
    EXPECT_NOTES(view_of(m), "main:1200:1\n 1: 700\n 2: foo:500\n  1: 300\n  3: 200 bar:150 qux:50\n"
                             "bar:137:47\n 1: 97\n");
    const struct apf_sample_merge_stats *s = apf_sample_merge_stats(m);
    assert_int_equal(s->cold_count, 200);
    assert_int_equal(s->cold_merged, 2);
    apf_sample_merge_free(m);
    options.conversion = APF_SAMPLE_AS_IT_IS;
    options.cold_frames = 2;
    check(texts, 1, &options,
          "[main]:1000:1\n 1: 700\n 2: 300 foo:300\n[main:2 @ foo]:500:50\n 1: 300\n 3: 200 bar:150 qux:50\n"
          "[foo:3 @ bar]:100:10\n 1: 60\n[zed:1 @ bar]:37:37\n 1: 37\n");
    /* By the summary: no line is colder than 97 at the last cutoff, and 200 is the coldest one at 600000. */
    options.flags = APF_SAMPLE_MERGE_TRIM_COLD;
    options.cold_frames = 0;
    m = merge(texts, 1, &options);
    EXPECT_NOTES(view_of(m), "[main]:1000:1\n 1: 700\n 2: 300 foo:300\n"
                             "[main:2 @ foo]:500:50\n 1: 300\n 3: 200 bar:150 qux:50\n"
                             "[main:2 @ foo:3 @ bar]:100:10\n 1: 60\n");
    assert_int_equal(apf_sample_merge_stats(m)->cold_count, 97);
    assert_int_equal(apf_sample_merge_stats(m)->cold_trimmed, 1);
    assert_int_equal(apf_sample_merge_stats(m)->cold_samples, 37);
    apf_sample_merge_free(m);
    /* Without contexts functions are left out, too. */
    static const struct text plain[] = {{"f:5:1\n 1: 5\ng:100:1\n 1: 100\n", "a", 0}};
    options.flags |= APF_SAMPLE_MERGE_COLD_COUNT;
    options.cold_count = 6;
    check(plain, 1, &options, "g:100:1\n 1: 100\n");
    options.flags = APF_SAMPLE_MERGE_COLD | APF_SAMPLE_MERGE_COLD_COUNT;
    check(plain, 1, &options, "g:100:1\n 1: 100\nf:5:1\n 1: 5\n");
    options.flags = APF_SAMPLE_MERGE_TRIM_COLD;
    options.cold_cutoff = 600000;
    m = merge(texts, 1, &options);
    assert_int_equal(apf_sample_merge_stats(m)->cold_count, 0); /* no view yet */
    (void)view_of(m);
    assert_int_equal(apf_sample_merge_stats(m)->cold_count, 300);
    apf_sample_merge_free(m);
}

static int without_foo(void *user, struct apf_str name)
{
    (void)user;
    for (size_t i = 0; i + 3 <= name.n; i++)
        if (memcmp(name.p + i, "foo", 3) == 0)
            return 0;
    return 1;
}

static void test_filter_and_remaps(void **state)
{
    static const struct text texts[] = {{contexts, "a", 0}};
    static const struct apf_name_change remaps[] = {{{"qux", 3}, {"new", 3}}, {{"main", 4}, {"zed", 3}}};
    const struct apf_sample_merge_options options = {
        .size = sizeof options, .remaps = remaps, .n_remaps = 2, .filter = without_foo};
    (void)state;
    struct apf_sample_merge *m = merge(texts, 1, &options);
    EXPECT_NOTES(view_of(m), "[zed]:1000:1\n 1: 700\n 2: 300 foo:300\n[zed:1 @ bar]:37:37\n 1: 37\n");
    const struct apf_sample_merge_stats *s = apf_sample_merge_stats(m);
    assert_int_equal(s->names, 4);
    assert_int_equal(s->filtered, 2);
    assert_int_equal(s->remapped, 1);
    assert_int_equal(s->remapped_merged, 0);
    apf_sample_merge_free(m);
}

static void test_discriminators(void **state)
{
    static const struct text texts[] = {{"f:9:1\n 1.768: 4\n 1.1: 5\n", "a", 0}};
    struct apf_sample_merge_options options = {.size = sizeof options, .pass = APF_SAMPLE_PASS_BASE};
    (void)state;
    check(texts, 1, &options, "f:9:1\n 1.1: 5\n 1.768: 4\n");
    options.flags = APF_SAMPLE_MERGE_FS;
    check(texts, 1, &options, "f:9:1\n 1: 4\n 1.1: 5\n");
    struct apf_sample_merge *m = merge(texts, 1, &options);
    assert_int_equal(apf_sample_info(view_of(m))->flags, APF_SAMPLE_FS);
    apf_sample_merge_free(m);
}

static void test_wrong_options(void **state)
{
    static const struct {
        struct apf_sample_merge_options options;
        const char *where;
    } rows[] = {
        {{.size = 0}, "apf_sample_merge_options.size"},
        {{.size = sizeof rows->options, .flags = 1u << 20}, "apf_sample_merge_options.flags"},
        {{.size = sizeof rows->options, .pass = 9}, "apf_sample_read_options.pass"},
        {{.size = sizeof rows->options, .conversion = 3}, "apf_sample_merge_options.conversion"},
        {{.size = sizeof rows->options, .cold_cutoff = 1000001}, "apf_sample_merge_options.cold_cutoff"},
        {{.size = sizeof rows->options, .flags = APF_SAMPLE_MERGE_REMOVE_INPUTS}, "merge.output"},
        {{.size = sizeof rows->options,
          .flags = APF_SAMPLE_MERGE_REMOVE_INPUTS,
          .output = "x",
          .size_limit = 1},
         "apf_sample_merge_options.flags"},
        {{.size = sizeof rows->options,
          .flags = APF_SAMPLE_MERGE_REMOVE_INPUTS | APF_SAMPLE_MERGE_TRIM_COLD,
          .output = "x"},
         "apf_sample_merge_options.flags"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample_merge *m;
        struct apf_error error;
        assert_int_equal(apf_sample_merge_new(&m, &rows[i].options, &error), APF_ARGUMENT);
        assert_null(m);
        assert_string_equal(error.where, rows[i].where);
    }
}

/* ---- failures ---- */

static int attempt(struct apf_error *error)
{
    static const struct text texts[] = {{contexts, "a", 2},
                                        {"[main:2 @ foo]:7:1\n 1: 3 6699318081062747564:1\n", "b", 0},
                                        {"f:1:1\n !CFGChecksum: 1\n", "c", 0},
                                        {"bad:\n", "d", 0}};
    static const struct apf_name_change remaps[] = {{{"qux", 3}, {"new", 3}}};
    static const struct apf_str names[] = {{"zed", 3}, {"foo", 3}};
    struct found found = {.n = 0};
    struct apf_options common = common_of(&found);
    const struct apf_sample_merge_options options = {.size = sizeof options,
                                                     .options = &common,
                                                     .flags =
                                                         APF_SAMPLE_MERGE_COLD | APF_SAMPLE_MERGE_FIND_LOSSES,
                                                     .conversion = APF_SAMPLE_NESTED,
                                                     .remaps = remaps,
                                                     .n_remaps = 1,
                                                     .symbols = names,
                                                     .n_symbols = 2,
                                                     .filter = without_foo};
    struct apf_sample_merge *m;
    struct apf_input inputs[COUNT(texts)];
    const struct apf_sample *view;
    for (size_t i = 0; i < COUNT(texts); i++)
        inputs[i] = input_of(&texts[i]);
    int code = apf_sample_merge_new(&m, &options, error);
    if (code == APF_OK)
        code = apf_sample_merge_add(m, inputs, COUNT(inputs), error);
    if (code == APF_OK)
        code = apf_sample_merge_add_names(m, names, 2, error);
    if (code == APF_OK)
        code = apf_sample_merge_view(m, &view, error);
    if (code == APF_OK)
        code = apf_sample_merge_view(m, &view, error);
    apf_sample_merge_free(m);
    return code;
}

static void test_faults(void **state)
{
    static const enum fault_call calls[] = {FAULT_MEMORY, FAULT_ARENA};
    (void)state;
    for (size_t c = 0; c < COUNT(calls); c++) {
        bool hit = true;
        for (uint64_t at = 1; hit; at++) {
            struct apf_error error = {0};
            fault_fail(calls[c], at, 12);
            int code = attempt(&error);
            hit = fault_hit();
            fault_reset();
            assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
            assert_int_equal(error.code, code);
        }
    }
}

TEST_FILE(sample_merge)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_bad_inputs),
        cmocka_unit_test(test_salvage),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_other_names),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_cold),
        cmocka_unit_test(test_filter_and_remaps),
        cmocka_unit_test(test_discriminators),
        cmocka_unit_test(test_wrong_options),
        cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}

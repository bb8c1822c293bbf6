/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges through the public interface. */
#include <stdio.h>
#include <stdlib.h>
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

static struct apf_options common_of(struct found *found, uint32_t threads)
{
    struct apf_options common = {.size = sizeof common, .threads = threads};
    if (found) {
        common.diag = collect;
        common.user = found;
    }
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
    assert_int_equal(r->info->format, APF_SAMPLE_TEXT);
    assert_int_equal(r->info->n_functions, 1);
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
    struct apf_options common = common_of(&found, 1);
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
    assert_int_equal(apf_sample_merge_input(m, 0)->info->n_functions, 1);
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
    struct apf_options common = common_of(&found, 1);
    const struct apf_sample_merge_options options = {.size = sizeof options, .options = &common};
    (void)state;
    struct apf_sample_merge *m = merge(texts, 4, &options);
    EXPECT_NOTES(view_of(m), PLAIN);
    assert_int_equal(apf_sample_merge_input(m, 1)->code, APF_BAD_SAMPLE_TEXT);
    assert_int_equal(apf_sample_merge_input(m, 1)->error->line, 2);
    assert_int_equal(apf_sample_merge_input(m, 1)->info->format, APF_SAMPLE_TEXT);
    assert_int_equal(apf_sample_merge_input(m, 1)->info->n_functions, 0);
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
    struct apf_options common = common_of(&found, 1);
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
    struct apf_options common = common_of(&found, 1);
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

/* ---- any order, any number of threads, any grouping ---- */

static char *describe(const struct text *texts, const size_t *order, size_t n, uint32_t threads, size_t batch)
{
    struct apf_options common = common_of(NULL, threads);
    const struct apf_sample_merge_options options = {.size = sizeof options, .options = &common};
    struct apf_sample_merge *m;
    struct apf_input inputs[MOST];
    assert_int_equal(apf_sample_merge_new(&m, &options, NULL), APF_OK);
    for (size_t i = 0; i < n; i++)
        inputs[i] = input_of(&texts[order[i]]);
    for (size_t i = 0; i < n; i += batch)
        assert_int_equal(apf_sample_merge_add(m, inputs + i, n - i < batch ? n - i : batch, NULL), APF_OK);
    char *notes = sample_to_notes(view_of(m));
    const struct apf_sample_merge_stats *s = apf_sample_merge_stats(m);
    size_t size = strlen(notes) + 300;
    char *all = malloc(size);
    snprintf(all, size, "%s%llu %llu %llu %llu %llu %u %llu\n", notes, (unsigned long long)s->n_merged,
             (unsigned long long)s->checksum_mismatches, (unsigned long long)s->inlined_mismatches,
             (unsigned long long)s->mismatch_samples, (unsigned long long)s->saturated,
             apf_sample_info(view_of(m))->flags, (unsigned long long)apf_sample_info(view_of(m))->n_names);
    free(notes);
    apf_sample_merge_free(m);
    return all;
}

static void test_orders(void **state)
{
    static const struct sample_random kinds[] = {
        {.functions = 8, .names = 12, .depth = 3, .attributes = true, .vtables = true},
        {.functions = 8, .names = 6, .depth = 4, .checksums = 3, .attributes = true},
        {.functions = 8, .names = 5, .frames = 3, .hashes = 30},
        {.functions = 9, .names = 3, .frames = 2, .checksums = 2, .hashes = 50},
    };
    uint64_t random = 3;
    (void)state;
    for (unsigned round = 0; round < 10; round++) {
        struct text texts[12];
        size_t order[12], n = COUNT(texts);
        for (size_t i = 0; i < n; i++) {
            /* Most are of one kind. */
            size_t kind = i % 3 == 2 ? next_random(&random) % 4 : round % 4;
            char *notes = sample_random_notes(&kinds[kind], &random);
            struct apf_sample *s = sample_from_notes(notes);
            texts[i].text = sample_to_notes(s); /* the text reader adds targets of a line up differently */
            texts[i].name = "x";
            texts[i].weight = next_random(&random) % 3;
            order[i] = i;
            sample_free(s);
            free(notes);
        }
        char *first = describe(texts, order, n, 1, n);
        for (unsigned permutation = 0; permutation < 20; permutation++) {
            static const uint32_t threads[] = {1, 2, 8};
            for (size_t i = n; i > 1; i--) {
                size_t k = next_random(&random) % i, swap = order[i - 1];
                order[i - 1] = order[k];
                order[k] = swap;
            }
            char *other = describe(texts, order, n, threads[permutation % 3], 1 + permutation % n);
            assert_string_equal(other, first);
            free(other);
        }
        free(first);
        for (size_t i = 0; i < n; i++)
            free((char *)texts[i].text);
    }
}

/* The first input becomes the sum, also with functions that it has repeatedly. */
static void test_first_input(void **state)
{
    static const char a[] =
        "foo:10:1\n 1: bar:4\n  1: 4\n  !CFGChecksum: 5\n 1: bar:6\n  1: 6\n  !CFGChecksum: 5\n"
        " !CFGChecksum: 7\nfoo:1:1\n 2: 1\n !CFGChecksum: 7\n",
                      b[] = "foo:3:1\n 1: bar:3\n  1: 3\n  !CFGChecksum: 6\n !CFGChecksum: 7\n",
                      c[] = "foo:9:1\n 1: bar:2\n  1: 2\n  !CFGChecksum: 6\n 3: 7\n !CFGChecksum: 7\n";
    static const struct text texts[] = {{a, "a", 0}, {b, "b", 0}, {c, "c", 0}};
    static const size_t orders[][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(orders); i++)
        for (size_t batch = 1; batch <= 3; batch += 2) {
            char *all = describe(texts, orders[i], 3, 1, batch);
            assert_string_equal(all, "foo:23:4\n 2: 1\n 3: 7\n 1: bar:5\n  1: 5\n  !CFGChecksum: 6\n"
                                     " !CFGChecksum: 7\n3 0 1 10 0 1 2\n");
            free(all);
        }
}

/* ---- failures ---- */

static const char contexts[] = "[main]:1000:1\n 1: 700\n 2: 300 foo:300\n"
                               "[main:2 @ foo]:500:50\n 1: 300\n 3: 200 bar:150 qux:50\n"
                               "[main:2 @ foo:3 @ bar]:100:10\n 1: 60\n[zed:1 @ bar]:37:37\n 1: 37\n";

static int without_foo(void *user, struct apf_str name)
{
    (void)user;
    for (size_t i = 0; i + 3 <= name.n; i++)
        if (memcmp(name.p + i, "foo", 3) == 0)
            return 0;
    return 1;
}

static int attempt(struct apf_error *error)
{
    static const struct text texts[] = {{contexts, "a", 2},
                                        {"[main:2 @ foo]:7:1\n 1: 3 6699318081062747564:1\n", "b", 0},
                                        {"f:1:1\n !CFGChecksum: 1\n", "c", 0},
                                        {"bad:\n", "d", 0}};
    static const struct apf_name_change remaps[] = {{{"qux", 3}, {"new", 3}}};
    static const struct apf_str names[] = {{"zed", 3}, {"foo", 3}};
    struct found found = {.n = 0};
    struct apf_options common = common_of(&found, 1);
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
        cmocka_unit_test(test_add),         cmocka_unit_test(test_classes),
        cmocka_unit_test(test_bad_inputs),  cmocka_unit_test(test_salvage),
        cmocka_unit_test(test_findings),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_other_names), cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_orders),      cmocka_unit_test(test_first_input),
        cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}

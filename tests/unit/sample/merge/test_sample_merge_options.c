/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options of merges. */
#include <string.h>

#include <anyprof/sample_merge.h>

#include "helpers/shared/sample_notes.h"
#include "helpers/shared/unit.h"

#define MOST 4u

struct text {
    const char *text, *name;
    uint64_t weight;
};

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

TEST_FILE(sample_merge_options)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions),       cmocka_unit_test(test_cold),
        cmocka_unit_test(test_filter_and_remaps), cmocka_unit_test(test_discriminators),
        cmocka_unit_test(test_wrong_options),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The view of a merge as JSON: it depends on what was merged, not on rejected inputs, their order or other views. */
#include "helpers/shared/unit.h"

#include <stdio.h>
#include <string.h>

#include <anyprof/anyprof.h>

#include "helpers/shared/raw_build.h"

/* Profiles with targets that have no record, a trace, and targets of which only the id is known. `b` has its names in
 * another order than `a`. */
static char a[1000], b[1000];
static const char rejected[] = ":fe\nonly_here\n1\n1\n5\n1\n2\n1\n1\n_ZTV9only_here:3\n\nalone\n1\n1\n5\n";

static void make_texts(void)
{
    snprintf(a, sizeof a,
             ":ir\n:temporal_prof_traces\n1\n1\n1\nmain,a.c:g\n"
             "main\n1\n1\n5\n2\n0\n1\n5\na.c:g:9\nlate:8\nearly:7\n%llu:6\n%llu:5\n2\n1\n3\n_ZTV1z:3\n_ZTV1y:"
             "2\n%llu:1\n"
             "\na.c:g\n2\n1\n7\n\n",
             (unsigned long long)rb_id("a.c;g"), (unsigned long long)rb_id("only_here"),
             (unsigned long long)rb_id("_ZTV9only_here"));
    snprintf(b, sizeof b,
             ":ir\nother\n1\n1\n5\n2\n0\n1\n2\nearly:9\nlate:3\n2\n1\n2\n_ZTV1y:5\n_ZTV1x:2\n\n");
}

static void add_text(struct apf_merge *m, const char *text)
{
    struct apf_input input = apf_input_memory(text, strlen(text), NULL);
    assert_int_equal(apf_merge_add(m, &input, 1, NULL), APF_OK);
}

static struct apf_merge *merge_of(const char *const *texts, size_t n, const struct apf_merge_options *options)
{
    struct apf_merge *m;
    assert_int_equal(apf_merge_new(&m, options, NULL), APF_OK);
    for (size_t i = 0; i < n; i++)
        add_text(m, texts[i]);
    return m;
}

/* The view as JSON, terminated. */
static struct apf_buffer json_of(struct apf_merge *m)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_instr *view;
    assert_int_equal(apf_merge_view(m, &view, NULL), APF_OK);
    assert_int_equal(apf_instr_write_json(view, &output, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&out, "", 1), 0);
    return out;
}

static void expect_json(struct apf_merge *m, const struct apf_buffer *expected)
{
    struct apf_buffer out = json_of(m);
    assert_string_equal(out.data, expected->data);
    apf_buffer_free(&out);
    apf_merge_free(m);
}

static void test_order(void **state)
{
    const char *const there[] = {a, b}, *const back[] = {b, a};
    (void)state;
    make_texts();
    struct apf_merge *m = merge_of(there, 2, NULL);
    struct apf_buffer expected = json_of(m);
    const char *json = (const char *)expected.data;
    assert_non_null(strstr(json, "\"names\": []"));
    assert_non_null(strstr(json, "\"name\": \"late\""));
    assert_null(strstr(json, "only_here"));
    apf_merge_free(m);
    expect_json(merge_of(back, 2, NULL), &expected);
    apf_buffer_free(&expected);
}

/* Neither names of an input that was rejected nor those that a target asks for are names of the view. */
static void test_other_names(void **state)
{
    const char *const good[] = {a, b}, *const bad_first[] = {rejected, b, a},
                      *const bad_last[] = {a, b, rejected};
    struct apf_merge_options options = {.size = sizeof options, .tolerance = &any_loss};
    struct apf_buffer written = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&written);
    struct apf_write_options w = {.size = sizeof w, .target = {2, 0, 13}};
    struct apf_instr *view;
    (void)state;
    make_texts();
    struct apf_merge *m = merge_of(good, 2, NULL);
    struct apf_buffer expected = json_of(m);
    assert_int_equal(apf_merge_write(m, &w, &output, NULL), APF_OK);
    assert_int_equal(apf_merge_stats(m)->renamed, 1);
    assert_int_equal(apf_merge_view(m, &view, NULL), APF_OK);
    assert_int_equal(apf_instr_name(view, rb_id("a.c;g")).n, 0);
    assert_int_equal(apf_instr_name(view, rb_id("a.c:g")).n, 5);
    expect_json(m, &expected);
    m = merge_of(bad_first, 3, &options);
    assert_int_equal(apf_merge_view(m, &view, NULL), APF_OK);
    assert_int_equal(apf_merge_input(m, 0)->code, APF_LEVEL_CONFLICT);
    assert_int_equal(apf_instr_name(view, rb_id("only_here")).n, 0);
    assert_int_equal(apf_instr_name(view, rb_id("_ZTV9only_here")).n, 0);
    expect_json(m, &expected);
    expect_json(merge_of(bad_last, 3, &options), &expected);
    apf_buffer_free(&expected);
    apf_buffer_free(&written);
}

/* Names that the options make are the view's, with or without a record. */
static void test_changed_names(void **state)
{
    static const char text[] =
        ":ir\nmain\n1\n1\n5\n1\n0\n1\n2\n/old/a.c;g:9\n/old/a.c;h:8\n\n/old/a.c;g\n2\n1\n7\n";
    static const struct apf_name_change map = {{"/old/", 5}, {"/new/", 5}};
    const char *const texts[] = {text};
    struct apf_merge_options options = {.size = sizeof options, .prefix_maps = &map, .n_prefix_maps = 1};
    (void)state;
    struct apf_merge *m = merge_of(texts, 1, &options);
    struct apf_buffer out = json_of(m);
    const char *json = (const char *)out.data;
    assert_non_null(strstr(json, "\"name\": \"/new/a.c;g\", \"count\": 9"));
    assert_non_null(strstr(json, "\"name\": \"/new/a.c;h\", \"count\": 8"));
    assert_non_null(strstr(json, "{\"name\": \"/new/a.c;g\", \"hash\""));
    assert_null(strstr(json, "/old/"));
    apf_buffer_free(&out);
    apf_merge_free(m);
}

TEST_FILE(merge_json)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_other_names),
        cmocka_unit_test(test_changed_names),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Changes of names in a merge: remaps, prefix maps, the filter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/merge.h>

#include "helpers/shared/unit.h"

#define STR(text) {text, sizeof(text) - 1}

static const struct apf_merge_options plain = {.size = sizeof plain};

static struct apf_merge *new_merge(const struct apf_merge_options *options)
{
    struct apf_merge *m;
    assert_int_equal(apf_merge_new(&m, options, NULL), APF_OK);
    return m;
}

static void add(struct apf_merge *m, const char *text)
{
    struct apf_input input = apf_input_memory(text, strlen(text), "text");
    assert_int_equal(apf_merge_add(m, &input, 1, NULL), APF_OK);
}

/* The merge for a target, or as text for NULL; terminated. */
static struct apf_buffer written(struct apf_merge *m, const char *target, uint32_t flags)
{
    struct apf_buffer buffer = {0};
    struct apf_write_options options = {.size = sizeof options, .flags = flags};
    struct apf_output output = apf_output_buffer(&buffer);
    options.format = target ? APF_FORMAT_INDEXED : APF_FORMAT_TEXT;
    if (target)
        assert_int_equal(apf_target_parse(target, &options.target, NULL), APF_OK);
    assert_int_equal(apf_merge_write(m, &options, &output, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    buffer.n--;
    return buffer;
}

/* The text without its comments. */
static void expect_text(struct apf_merge *m, const char *expected)
{
    struct apf_buffer text = written(m, NULL, APF_WRITE_VTABLE_NAMES);
    char *to = text.data;
    for (const char *line = text.data, *next; *line; line = next) {
        next = line + strcspn(line, "\n") + 1;
        if (*line == '#')
            continue;
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    *to = '\0';
    assert_string_equal(text.data, expected);
    apf_buffer_free(&text);
}

/* ---- remaps ---- */

static void test_remaps(void **state)
{
    (void)state;
    static const struct apf_name_change remaps[] = {
        {STR("old"), STR("new")},    {STR("old"), STR("never")}, {STR("new"), STR("newer")},
        {STR("absent"), STR("foo")}, {STR("twin"), STR("main")},
    };
    struct apf_merge_options options = plain;
    options.remaps = remaps;
    options.n_remaps = sizeof remaps / sizeof *remaps;
    struct apf_merge *m = new_merge(&options);
    add(m, ":ir\nold\n1\n1\n5\n\nnew\n1\n1\n6\n\nmain\n2\n1\n1\n1\n0\n1\n2\nold:3\nnew:9\n\ntwin\n2\n1\n9\n"
           "1\n0\n1\n1\nold:1\n\nother\n7\n1\n1\n");
    /* Each name once; values keep the ids of the old ones: that of "old" has no record now, that of "new" has. */
    expect_text(m, ":ir\nmain\n2\n1\n10\n1\n0\n1\n2\nnew:9\n** External Symbol **:4\n\nnew\n1\n1\n5\n\n"
                   "newer\n1\n1\n6\n\nother\n7\n1\n1\n\n");
    const struct apf_merge_stats *s = apf_merge_stats(m);
    assert_int_equal(s->remapped, 3);
    assert_int_equal(s->remapped_merged, 1);
    assert_int_equal(s->renamed, 0);
    assert_int_equal(s->names, 4);
    assert_int_equal(s->filtered, 0);
    apf_merge_free(m);
}

/* The data of the options may be freed after the call. */
static void test_options_are_copied(void **state)
{
    (void)state;
    char from[] = "a", to[] = "b", old[] = "p/", new[] = "q/";
    struct apf_name_change remap = {{from, 1}, {to, 1}}, prefix = {{old, 2}, {new, 2}};
    struct apf_merge_options options = plain;
    options.remaps = &remap;
    options.prefix_maps = &prefix;
    options.n_remaps = options.n_prefix_maps = 1;
    struct apf_merge *m = new_merge(&options);
    from[0] = to[0] = old[0] = new[0] = '!';
    memset(&remap, 0, sizeof remap);
    memset(&prefix, 0, sizeof prefix);
    add(m, ":ir\na\n1\n1\n5\n\np/x;f\n1\n1\n6\n");
    expect_text(m, ":ir\nb\n1\n1\n5\n\nq/x;f\n1\n1\n6\n\n");
    apf_merge_free(m);
}

static void test_empty_names(void **state)
{
    (void)state;
    static const struct apf_name_change rows[] = {{STR(""), STR("x")}, {STR("x"), STR("")}};
    for (size_t i = 0; i < 2; i++) {
        struct apf_merge *m;
        struct apf_error error;
        struct apf_merge_options options = plain;
        options.remaps = &rows[i];
        options.n_remaps = 1;
        assert_int_equal(apf_merge_new(&m, &options, &error), APF_ARGUMENT);
        assert_string_equal(error.where, "merge.options.remaps");
        assert_null(m);
    }
}

/* ---- prefix maps ---- */

static const char with_paths[] =
    ":ir\n:temporal_prof_traces\n1\n1\n1\n/b/x.c;f,main,/c/x.c;f\n/b/x.c;f\n1\n1\n5\n\n/c/x.c;f\n1\n1\n6\n\n"
    "main\n1\n1\n1\n2\n0\n1\n2\n/b/x.c;f:5\n/c/x.c;f:6\n2\n1\n2\n/b/x.c;vt:9\nvt:1\n\n/b/x.c\n1\n1\n2\n\n"
    "/b/y:g\n1\n1\n3\n";

static void test_prefix_maps(void **state)
{
    (void)state;
    static const struct apf_name_change maps[] = {
        {STR("/b"), STR("/never")}, {STR("/b"), STR("/c")}, {STR("/b/x.c;f"), STR("beyond the path")}};
    struct apf_merge_options options = plain;
    options.prefix_maps = maps;
    options.n_prefix_maps = sizeof maps / sizeof *maps;
    struct apf_merge *m = new_merge(&options);
    add(m, with_paths);
    static const char expected[] =
        ":ir\n:temporal_prof_traces\n1\n1\n1\n/c/x.c;f,main,/c/x.c;f,\n\n/b/x.c\n1\n1\n2\n\n/c/"
        "x.c;f\n1\n1\n11\n\n"
        "/c/y:g\n1\n1\n3\n\nmain\n1\n1\n1\n2\n0\n1\n1\n/c/x.c;f:11\n2\n1\n2\n/c/x.c;vt:9\nvt:1\n\n";
    expect_text(m, expected);
    const struct apf_merge_stats *s = apf_merge_stats(m);
    assert_int_equal(s->remapped, 2);
    assert_int_equal(s->remapped_merged, 1);
    assert_int_equal(s->renamed, 0);
    /* Other views, and more inputs, change nothing of that: names that were made are not changed again. */
    struct apf_buffer first = written(m, "llvm-22", APF_WRITE_VTABLE_NAMES);
    struct apf_buffer old = written(m, "llvm-16", 0);
    assert_int_equal(s->remapped, 2);
    assert_int_equal(s->renamed, 1 + 1);
    struct apf_buffer second = written(m, "llvm-22", APF_WRITE_VTABLE_NAMES);
    assert_int_equal(first.n, second.n);
    assert_memory_equal(first.data, second.data, first.n);
    expect_text(m, expected);
    add(m, "/b/x.c;f\n1\n1\n100\n");
    struct apf_instr *view;
    assert_int_equal(apf_merge_view(m, &view, NULL), APF_OK);
    assert_int_equal(apf_instr_info(view)->n_vtable_names, 2);
    apf_buffer_free(&first);
    apf_buffer_free(&old);
    apf_buffer_free(&second);
    apf_merge_free(m);
}

/* A name that is made is changed by no other map, also when it is there already, and swapped paths stay apart. */
static void test_maps_apply_once(void **state)
{
    (void)state;
    static const struct apf_name_change maps[] = {{STR("a"), STR("b")}, {STR("b"), STR("a")}};
    struct apf_merge_options options = plain;
    options.prefix_maps = maps;
    options.n_prefix_maps = 2;
    struct apf_merge *m = new_merge(&options);
    add(m, ":ir\na;f\n1\n1\n1\n\nb;f\n1\n1\n2\n\nmain\n1\n1\n1\n1\n0\n1\n1\na;f:3\n");
    for (int i = 0; i < 3; i++) {
        expect_text(m, ":ir\na;f\n1\n1\n2\n\nb;f\n1\n1\n1\n\nmain\n1\n1\n1\n1\n0\n1\n1\nb;f:3\n\n");
        struct apf_buffer other = written(m, "llvm-13", 0);
        apf_buffer_free(&other);
    }
    apf_merge_free(m);
}

/* ---- the filter ---- */

struct asked {
    char names[8][16];
    size_t n;
};

static int keep(void *user, struct apf_str name)
{
    struct asked *asked = user;
    assert_true(asked->n < 8 && name.n < sizeof asked->names[0]);
    memcpy(asked->names[asked->n], name.p, name.n);
    asked->names[asked->n++][name.n] = '\0';
    return name.p[0] == 'm' || name.p[name.n - 1] == '1';
}

static void test_filter(void **state)
{
    (void)state;
    static const struct apf_name_change maps[] = {{STR("p"), STR("z")}};
    struct asked asked = {0};
    struct apf_merge_options options = plain;
    options.filter = keep;
    options.filter_user = &asked;
    options.prefix_maps = maps;
    options.n_prefix_maps = 1;
    struct apf_merge *m = new_merge(&options);
    add(m,
        ":ir\np;f1\n1\n1\n5\n\nmain\n1\n1\n1\n1\n0\n1\n2\ng2:3\np;f1:4\n\nmain\n2\n2\n3\n3\n\ng2\n1\n1\n7\n");
    expect_text(m, ":ir\nmain\n1\n1\n1\n1\n0\n1\n2\nz;f1:4\n** External Symbol **:3\n\nmain\n2\n2\n3\n3\n\n"
                   "z;f1\n1\n1\n5\n\n");
    assert_int_equal(asked.n, 3);
    assert_string_equal(asked.names[0], "g2");
    assert_string_equal(asked.names[1], "main");
    assert_string_equal(asked.names[2], "z;f1");
    assert_int_equal(apf_merge_stats(m)->names, 3);
    assert_int_equal(apf_merge_stats(m)->filtered, 1);
    assert_int_equal(apf_merge_stats(m)->n_functions, 3);
    apf_merge_free(m);
}

static int cannot_say(void *user, struct apf_str name)
{
    return name.p[0] == 'b' ? -1 : *(int *)user;
}

/* A filter that fails gives no answer; the next view asks again. */
static void test_filter_fails(void **state)
{
    (void)state;
    int answer = 1;
    struct apf_error error;
    struct apf_instr *view;
    struct apf_merge_options options = plain;
    options.filter = cannot_say;
    options.filter_user = &answer;
    struct apf_merge *m = new_merge(&options);
    add(m, ":ir\na\n1\n1\n5\n\nb\n1\n1\n5\n");
    assert_int_equal(apf_merge_view(m, &view, &error), APF_NO_MEMORY);
    assert_int_equal(error.code, APF_NO_MEMORY);
    assert_null(view);
    assert_int_equal(apf_merge_view(m, &view, &error), APF_NO_MEMORY);
    apf_merge_free(m);
}

static void test_filter_and_removal(void **state)
{
    (void)state;
    struct apf_merge *m;
    struct apf_error error;
    struct apf_merge_options options = plain;
    options.filter = keep;
    options.flags = APF_MERGE_REMOVE_INPUTS;
    options.output = "never";
    assert_int_equal(apf_merge_new(&m, &options, &error), APF_ARGUMENT);
    assert_string_equal(error.where, "merge.options.filter");
}

/* ---- order and threads ---- */

static void test_orders(void **state)
{
    (void)state;
    static const char *const texts[] = {
        with_paths,
        ":ir\n/b/x.c;f\n1\n1\n7\n1\n0\n1\n1\nmain:2\n\n/b/x.c;f\n2\n2\n1\n1\n",
        ":ir\n/c/x.c;f\n1\n2\n1\n1\n\nold\n1\n1\n4\n1\n0\n2\n1\n/b/"
        "x.c;f:1\n0\n\nmain\n1\n1\n2\n1\n0\n2\n0\n0\n",
        ":ir\n/c/x.c;f\n1\n1\n1\n\nnew\n1\n1\n8\n1\n0\n2\n1\n/c/x.c;f:1\n1\n/b/x.c;f:9\n",
    };
    static const unsigned orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}};
    static const struct apf_name_change remaps[] = {{STR("old"), STR("new")}},
                                        maps[] = {{STR("/b"), STR("/c")}};
    struct apf_buffer first = {0};
    for (unsigned i = 0; i < 12; i++) {
        struct apf_merge_options options = plain;
        struct apf_input inputs[4];
        options.remaps = remaps;
        options.prefix_maps = maps;
        options.n_remaps = options.n_prefix_maps = 1;
        struct apf_options common = {.size = sizeof common};
        options.options = &common;
        common.threads = i < 4 ? 1 : 4;
        options.flags = i < 8 ? 0 : APF_MERGE_GENERAL;
        struct apf_merge *m = new_merge(&options);
        for (unsigned k = 0; k < 4; k++)
            inputs[k] = apf_input_memory(texts[orders[i % 4][k]], strlen(texts[orders[i % 4][k]]), NULL);
        assert_int_equal(apf_merge_add(m, inputs, 4, NULL), APF_OK);
        struct apf_buffer now = written(m, "llvm-22", APF_WRITE_VTABLE_NAMES);
        assert_int_equal(apf_merge_stats(m)->remapped_merged, 3); /* one of them is left out then */
        assert_int_equal(apf_merge_stats(m)->count_mismatches, 1);
        if (i == 0) {
            first = now;
        } else {
            assert_int_equal(now.n, first.n);
            assert_memory_equal(now.data, first.data, first.n);
            apf_buffer_free(&now);
        }
        apf_merge_free(m);
    }
    apf_buffer_free(&first);
}

TEST_FILE(merge_rename)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remaps),          cmocka_unit_test(test_options_are_copied),
        cmocka_unit_test(test_empty_names),     cmocka_unit_test(test_prefix_maps),
        cmocka_unit_test(test_maps_apply_once), cmocka_unit_test(test_filter),
        cmocka_unit_test(test_filter_fails),    cmocka_unit_test(test_filter_and_removal),
        cmocka_unit_test(test_orders),
    };
    return RUN_TESTS(tests);
}

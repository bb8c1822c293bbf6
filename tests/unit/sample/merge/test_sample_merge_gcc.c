/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges of GCC's profiles: which version the sum has, and functions with and without source files. */
#include <string.h>

#include <anyprof/sample_merge.h>

#include "helpers/shared/fault.h"
#include "helpers/shared/unit.h"
#include "sample/model/sample_profile.h"

#define MOST 8u

/* Makes a merge of texts and its view; on failure *m is for apf_sample_merge_free, too. */
static int try_merge(struct apf_sample_merge **m, const char *const *texts, size_t n,
                     const struct apf_sample **view, struct apf_error *error)
{
    struct apf_options common = {.size = sizeof common, .threads = 1};
    const struct apf_sample_merge_options options = {.size = sizeof options, .options = &common};
    struct apf_input inputs[MOST];
    for (size_t i = 0; i < n; i++)
        inputs[i] = apf_input_memory(texts[i], strlen(texts[i]), "text");
    int code = apf_sample_merge_new(m, &options, error);
    if (code == APF_OK)
        code = apf_sample_merge_add(*m, inputs, n, error);
    return code == APF_OK ? apf_sample_merge_view(*m, view, error) : code;
}

static struct apf_sample_merge *merge(const char *const *texts, size_t n, const struct apf_sample **view)
{
    struct apf_sample_merge *m;
    assert_int_equal(try_merge(&m, texts, n, view, NULL), APF_OK);
    return m;
}

/* Profiles of GCC as JSON: a version, and functions of some source files. */
#define GCC_JSON(version, layout, functions)                                                                 \
    "{\"schema\": \"anyprof-sample/1\", \"source\": {\"kind\": \"gcc\", \"version\": " version               \
    ", \"layout\": " layout "}, \"functions\": [" functions "]}"
#define FUNCTION(file, count)                                                                                \
    "{\"name\": \"f\", " file "\"total\": " count ", \"lines\": [{\"line\": 1, \"count\": " count "}]}"
#define FILE_A "\"file\": \"a.c\", "

/* A merge is of GCC if all inputs are, and has the newest of their layouts. */
static void test_origin(void **state)
{
    static const char *const gcc[] = {GCC_JSON("3", "\"3a\"", FUNCTION("", "1")),
                                      GCC_JSON("1", "null", FUNCTION("", "1")),
                                      GCC_JSON("704", "null", FUNCTION("", "1")),
                                      GCC_JSON("2", "null", FUNCTION("", "1")), "f:1:1\n 1: 1\n"};
    static const struct {
        unsigned first, n; /* inputs */
        uint32_t version, origin;
        const char *layout;
    } rows[] = {{0, 4, 3, APF_SAMPLE_GCC, "3a"},    {1, 2, 1, APF_SAMPLE_GCC, "1"},
                {2, 1, 704, APF_SAMPLE_GCC, "704"}, {2, 2, 2, APF_SAMPLE_GCC, "2"},
                {1, 4, 2, APF_SAMPLE_MERGED, "2"},  {4, 1, 0, APF_SAMPLE_MERGED, ""}};
    const struct apf_sample *view;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample_merge *m = merge(gcc + rows[i].first, rows[i].n, &view);
        const struct apf_sample_info *info = apf_sample_info(view);
        assert_int_equal(info->version, rows[i].version);
        assert_int_equal(info->origin, rows[i].origin);
        assert_string_equal(info->layout, rows[i].layout);
        apf_sample_merge_free(m);
    }
}

/* A function without a source file is that with the file if there is only one, whatever came first. */
static void test_files(void **state)
{
    static const char *const texts[] = {GCC_JSON("2", "null", FUNCTION("", "1")),
                                        GCC_JSON("3", "\"3\"", FUNCTION(FILE_A, "2")),
                                        GCC_JSON("3", "\"3\"", FUNCTION("\"file\": \"\", ", "4")),
                                        GCC_JSON("3", "\"3\"", FUNCTION("\"file\": \"b.c\", ", "8"))};
    static const struct {
        unsigned first, n;
        uint64_t functions;
    } rows[] = {{0, 2, 1}, {0, 3, 2}, {0, 4, 4}, {1, 3, 3}};
    const struct apf_sample *view;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample_merge *m = merge(texts + rows[i].first, rows[i].n, &view);
        assert_int_equal(apf_sample_info(view)->n_functions, rows[i].functions);
        assert_int_equal(apf_sample_merge_stats(m)->remapped, 0);
        apf_sample_merge_free(m);
    }
    for (size_t i = 0; i < 2; i++) {
        const char *const pair[] = {texts[i], texts[1 - i]};
        struct apf_sample_merge *m = merge(pair, 2, &view);
        const struct sample_node *f = &view->nodes.data[view->top.data[0]];
        assert_int_equal(f->total, 3);
        assert_int_equal(view->names.files.list.data[view->names.list.data[f->name].file].n, 3);
        apf_sample_merge_free(m);
    }
}

/* The earliest known time stays. */
static void test_times(void **state)
{
    static const char *const texts[] = {GCC_JSON("3", "\"3\"", FUNCTION("\"first_time\": 9, ", "1")),
                                        GCC_JSON("3", "\"3\"", FUNCTION("\"first_time\": 5, ", "1")),
                                        GCC_JSON("3", "\"3\"", FUNCTION("\"first_time\": 7, ", "1")),
                                        GCC_JSON("3", "\"3\"", FUNCTION("", "1"))};
    const struct apf_sample *view;
    (void)state;
    struct apf_sample_merge *m = merge(texts, COUNT(texts), &view);
    assert_int_equal(view->nodes.data[view->top.data[0]].extra->first_time, 5);
    apf_sample_merge_free(m);
}

static void test_faults(void **state)
{
    static const enum fault_call calls[] = {FAULT_MEMORY, FAULT_ARENA};
    static const char *const texts[] = {GCC_JSON("2", "null", FUNCTION("", "1")),
                                        GCC_JSON("3", "\"3\"", FUNCTION(FILE_A, "2"))};
    (void)state;
    for (size_t c = 0; c < COUNT(calls); c++) {
        bool hit = true;
        for (uint64_t at = 1; hit; at++) {
            const struct apf_sample *view;
            struct apf_sample_merge *m;
            struct apf_error error = {0};
            fault_fail(calls[c], at, 12);
            int code = try_merge(&m, texts, 2, &view, &error);
            apf_sample_merge_free(m);
            hit = fault_hit();
            fault_reset();
            assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
            assert_int_equal(error.code, code);
        }
    }
}

TEST_FILE(sample_merge_gcc)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_origin),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}

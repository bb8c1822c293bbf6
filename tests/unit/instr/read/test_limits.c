/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The limits of an input, at, below and above what it has: the same in every format, and on both paths of the merge. */
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/open_memory.h"
#include "helpers/shared/raw_runs.h"

#include <string.h>

#define FUNCTIONS 3u

/* Opens a file with a limit on functions. */
static void open_limited(struct opened *o, const void *p, size_t n, uint64_t max_records)
{
    struct apf_options options = {.size = sizeof options, .max_records = max_records};
    open_memory_options(o, p, n, &options);
}

static void expect_records(const void *p, size_t n, uint64_t max_records, uint64_t records)
{
    struct opened o;
    open_limited(&o, p, n, max_records);
    assert_int_equal(o.code, APF_OK);
    assert_int_equal(apf_instr_info(o.instr)->n_records, records);
    opened_close(&o);
}

static void expect_limit(const void *p, size_t n, uint64_t max_records, const char *where)
{
    struct opened o;
    open_limited(&o, p, n, max_records);
    assert_int_equal(o.code, APF_LIMIT);
    assert_null(o.instr);
    assert_string_equal(o.error.where, where);
    opened_close(&o);
}

/* As many as there are are accepted, and one less is not; 0 means the default. */
static void check_limit(const void *p, size_t n, uint64_t records, const char *where)
{
    expect_records(p, n, 0, records);
    expect_records(p, n, UINT64_MAX, records);
    expect_records(p, n, records + 1, records);
    expect_records(p, n, records, records);
    expect_limit(p, n, records - 1, where);
    expect_limit(p, n, 1, where);
}

static void test_records_of_text(void **state)
{
    (void)state;
    static const char text[] = "a\n1\n1\n1\n\nb\n1\n1\n1\n\nc\n1\n1\n1\n";
    check_limit(text, sizeof text - 1, 3, "text.records");
}

static void test_records_of_indexed(void **state)
{
    (void)state;
    static const uint64_t counts[] = {7};
    static const struct ib_record records[] = {{.hash = 1, .counts = counts, .n_counts = 1},
                                               {.hash = 2, .counts = counts, .n_counts = 1}};
    static const struct ib_key keys[] = {{"a", records, 2}, {"b", records, 1}};
    for (unsigned version = 2; version <= IB_NEWEST; version++) { /* the records of one name count as well */
        struct rb_file file = {0};
        struct ib_profile p = {.version = version, .keys = keys, .n_keys = 2};
        ib_append(&file, &p, NULL);
        check_limit(file.data, file.n, 3, "indexed.records");
        rb_free(&file);
    }
}

static void test_records_of_raw(void **state)
{
    (void)state;
    struct runs r;
    for (unsigned version = 1; version <= RB_NEWEST; version++) {
        struct rb_file file = {0};
        make_runs(&r, 2, version, 8, version % 2);
        rb_append(&file, &r.profiles[0], NULL);
        check_limit(file.data, file.n, FUNCTIONS, "raw.header.num_data");
        /* The functions of all profiles in a file count together. */
        rb_append_zeros(&file, -file.n & 7);
        size_t second = file.n;
        rb_append(&file, &r.profiles[1], NULL);
        check_limit(file.data, file.n, 2 * FUNCTIONS, "raw.header.num_data");
        struct opened o;
        open_limited(&o, file.data, file.n, FUNCTIONS + 1);
        assert_int_equal(o.error.offset, second + rb_word_at(version, RB_NUM_DATA));
        assert_int_equal(o.error.found, FUNCTIONS);
        assert_int_equal(o.error.expected, 1);
        opened_close(&o);
        rb_free(&file);
        free_runs(&r);
    }
}

/* One file of a binary, another of another, and one of both, which the fast path could add. */
static void test_records_of_a_merge(void **state)
{
    (void)state;
    struct runs r;
    struct rb_file both = {0};
    make_runs(&r, 2, 10, 8, false);
    r.functions[1][0].hash ^= 1;
    for (size_t i = 0; i < 2; i++) {
        rb_append(&r.files[i], &r.profiles[i], NULL);
        rb_append(&both, &r.profiles[i], NULL);
        assert_int_equal(both.n % 8, 0);
    }
    struct apf_input inputs[] = {apf_input_memory(r.files[0].data, r.files[0].n, NULL),
                                 apf_input_memory(r.files[1].data, r.files[1].n, NULL),
                                 apf_input_memory(both.data, both.n, NULL)};
    for (uint32_t flags = 0; flags <= APF_MERGE_GENERAL; flags++)
        for (uint64_t limit = 2 * FUNCTIONS - 1; limit <= 2 * FUNCTIONS; limit++) {
            struct apf_merge_options options = {.size = sizeof options, .flags = flags};
            struct apf_merge *m = NULL;
            bool fits = limit == 2 * FUNCTIONS;
            struct apf_options common = {.size = sizeof common};
            options.options = &common;
            common.threads = 1;
            common.max_records = limit;
            assert_int_equal(apf_merge_new(&m, &options, NULL), APF_OK);
            assert_int_equal(apf_merge_add(m, inputs, 3, NULL), APF_OK);
            assert_int_equal(apf_merge_input(m, 1)->code, APF_OK);
            assert_int_equal(apf_merge_input(m, 2)->code, fits ? APF_OK : APF_LIMIT);
            assert_int_equal(apf_merge_stats(m)->n_fast, fits && flags == 0);
            apf_merge_free(m);
        }
    rb_free(&both);
    free_runs(&r);
}

/* A file as large as the limit is read, one byte more is not; in merges too. */
static void test_bytes(void **state)
{
    (void)state;
    static const char text[] = "a\n1\n1\n1\n";
    size_t n = sizeof text - 1;
    for (uint64_t limit = n - 1; limit <= n + 1; limit++) {
        struct apf_options options = {.size = sizeof options, .max_bytes = limit};
        struct apf_merge_options merge = {.size = sizeof merge, .options = &options};
        struct apf_input input = apf_input_memory(text, n, NULL);
        struct apf_merge *m = NULL;
        struct opened o;
        int code = limit < n ? APF_LIMIT : APF_OK;
        open_memory_options(&o, text, n, &options);
        assert_int_equal(o.code, code);
        if (code != APF_OK) {
            assert_string_equal(o.error.where, "file.size");
            assert_int_equal(o.error.found, n);
            assert_int_equal(o.error.expected, limit);
        }
        opened_close(&o);
        assert_int_equal(apf_merge_new(&m, &merge, NULL), APF_OK);
        assert_int_equal(apf_merge_add(m, &input, 1, NULL), APF_OK);
        assert_int_equal(apf_merge_input(m, 0)->code, code);
        apf_merge_free(m);
    }
}

TEST_FILE(limits)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_of_text), cmocka_unit_test(test_records_of_indexed),
        cmocka_unit_test(test_records_of_raw),  cmocka_unit_test(test_records_of_a_merge),
        cmocka_unit_test(test_bytes),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merging files in one call, and lost inputs without a decision of the caller. */
#include <string.h>
#include <sys/stat.h>

#include "helpers/shared/unit.h"

static void make(const char *name, const char *text)
{
    file_make(temp_path(name), text, strlen(text));
}

static uint64_t first_count(const char *path)
{
    struct apf_input input = apf_input_file(path);
    struct apf_instr *instr;
    struct apf_record record = {.size = sizeof record};
    assert_int_equal(apf_instr_open(&instr, &input, NULL, NULL), APF_OK);
    struct apf_str name = {"foo", 3};
    assert_int_equal(apf_instr_find(instr, name, 1, &record, NULL), APF_OK);
    uint64_t count = record.counts[0];
    apf_instr_close(instr);
    return count;
}

static void test_files(void **state)
{
    (void)state;
    struct apf_error e;
    struct stat st;
    make("a", "foo\n1\n1\n3\n");
    assert_int_equal(mkdir(temp_path("runs"), 0755), 0);
    make("runs/b", "foo\n1\n1\n10\n");
    make("runs/c", "foo\n1\n1\n100\n");
    const char *paths[] = {temp_path("a"), temp_path("runs")};
    const char *out = temp_path("out");
    assert_int_equal(apf_merge_files(paths, 2, NULL, NULL, out, &e), APF_OK);
    assert_int_equal(first_count(out), 113);
    assert_int_equal(apf_merge_files(paths, 1, "indexed-5", NULL, out, NULL), APF_OK);
    assert_int_equal(first_count(out), 3);

    const char *none = temp_path("none");
    assert_int_equal(apf_merge_files(paths, 1, "llvm-1", NULL, none, &e), APF_ARGUMENT);
    assert_int_equal(apf_merge_files(paths, 0, NULL, NULL, none, &e), APF_ARGUMENT);
    assert_int_equal(stat(none, &st), -1);
    const char *nowhere = temp_path("nowhere/out");
    assert_int_equal(apf_merge_files(paths, 1, NULL, NULL, nowhere, &e), APF_IO);
    assert_int_equal(e.subject, APF_SUBJECT_OUTPUT);
    assert_string_equal(e.file, nowhere);
}

/* Files that a directory has besides its profiles. */
static void test_skipped_files(void **state)
{
    (void)state;
    assert_int_equal(mkdir(temp_path("d"), 0755), 0);
    make("d/a", "foo\n1\n1\n3\n");
    make("d/a.bad", "foo\n1\n1\n10\n");
    make("d/a.live.1.profraw", "foo\n1\n1\n100\n");
    const char *directory = temp_path("d");
    const char *out = temp_path("d/out");
    for (unsigned i = 0; i < 2; i++) { /* the second time, the output is there */
        assert_int_equal(apf_merge_files(&directory, 1, NULL, NULL, out, NULL), APF_OK);
        assert_int_equal(first_count(out), 3);
    }
    struct apf_skipped skipped = {sizeof skipped, 7, 7, 7, 7, 7, 7, 7};
    char **paths;
    size_t n;
    assert_int_equal(apf_merge_paths(directory, NULL, out, &paths, &n, &skipped, NULL), APF_OK);
    assert_int_equal(n, 1);
    assert_string_equal(paths[0], temp_path("d/a"));
    assert_int_equal(skipped.n_output, 1);
    assert_int_equal(skipped.n_set_aside, 1);
    assert_int_equal(skipped.n_live, 1);
    assert_int_equal(skipped.n_others, 0);
    apf_paths_free(paths);
    assert_int_equal(apf_merge_paths(directory, NULL, NULL, &paths, &n, NULL, NULL), APF_OK);
    assert_int_equal(n, 2); /* the earlier output is a profile like others */
    apf_paths_free(paths);
    assert_int_equal(apf_merge_paths(out, NULL, out, &paths, &n, &skipped, NULL), APF_OK);
    assert_int_equal(n, 1); /* named, not found */
    assert_int_equal(skipped.n_output, 0);
    apf_paths_free(paths);
    skipped.size = 0;
    assert_int_equal(apf_merge_paths(out, NULL, out, &paths, &n, &skipped, NULL), APF_ARGUMENT);
}

static void test_lost_files(void **state)
{
    (void)state;
    static const struct apf_tolerance all = {APF_FAIL_ALL, 0}, third = {APF_FAIL_SHARE, APF_LOSS_ALL / 3},
                                      warn = {APF_FAIL_WARN, 0};
    struct apf_error e;
    struct stat st;
    make("a", "foo\n1\n1\n3\n");
    make("bad", "foo\nx\n");
    const char *paths[] = {temp_path("a"), temp_path("bad"), temp_path("missing")};
    const char *out = temp_path("out");
    assert_int_equal(apf_merge_files(paths, 3, NULL, NULL, out, &e), APF_INVALID_PROFILE);
    assert_string_equal(e.file, paths[1]);
    assert_int_equal(e.input, 1);
    assert_non_null(strstr(e.message, "too many inputs are lost: 2 of 3; the first: "));
    assert_int_equal(apf_merge_files(paths, 3, NULL, &third, out, NULL), APF_INVALID_PROFILE);
    assert_int_equal(apf_merge_files(paths + 2, 1, NULL, &all, out, &e), APF_INVALID_PROFILE);
    assert_string_equal(e.file, paths[2]);
    assert_int_equal(stat(out, &st), -1);
    assert_int_equal(apf_merge_files(paths, 3, NULL, &all, out, &e), APF_OK);
    assert_int_equal(first_count(out), 3);
    assert_int_equal(apf_merge_files(paths + 1, 2, NULL, &warn, out, &e), APF_INVALID_PROFILE);
    assert_string_equal(e.file, paths[1]);
    assert_int_equal(first_count(out), 3); /* not replaced by an empty profile */
}

/* Without a tolerance nothing may be lost, unless the caller has asked for a verdict; a tolerance always holds. */
static void test_write_refuses(void **state)
{
    (void)state;
    static const struct apf_tolerance any = {APF_FAIL_ANY, 0}, all = {APF_FAIL_ALL, 0};
    struct apf_input inputs[] = {apf_input_memory("foo\n1\n1\n1\n", 10, NULL),
                                 apf_input_memory("x\n", 2, "bad")};
    const struct {
        const struct apf_tolerance *tolerance;
        bool asks;
        int code;
    } rows[] = {{NULL, false, APF_INVALID_PROFILE}, {NULL, true, APF_OK},  {&any, false, APF_INVALID_PROFILE},
                {&any, true, APF_INVALID_PROFILE},  {&all, false, APF_OK}, {&all, true, APF_OK}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_merge_options options = {.size = sizeof options, .tolerance = rows[i].tolerance};
        struct apf_buffer buffer = {0};
        struct apf_output output = apf_output_buffer(&buffer);
        struct apf_error e;
        struct apf_merge *m;
        assert_int_equal(apf_merge_new(&m, &options, NULL), APF_OK);
        assert_int_equal(apf_merge_add(m, inputs, 2, NULL), APF_OK);
        if (rows[i].asks)
            assert_int_equal(apf_merge_verdict(m, NULL),
                             rows[i].tolerance == &all ? APF_OK : APF_INVALID_PROFILE);
        assert_int_equal(apf_merge_write(m, NULL, &output, &e), rows[i].code);
        assert_int_equal(buffer.n != 0, rows[i].code == APF_OK);
        if (rows[i].code != APF_OK)
            assert_string_equal(e.file, "bad");
        assert_string_equal(apf_merge_input(m, 1)->error->file, "bad");
        apf_buffer_free(&buffer);
        apf_merge_free(m);
    }
}

/* A verdict decides about the inputs that were there. */
static void test_early_verdict(void **state)
{
    (void)state;
    struct apf_input good = apf_input_memory("foo\n1\n1\n1\n", 10, NULL);
    struct apf_input bad = apf_input_memory("x\n", 2, "bad");
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_merge *m;
    assert_int_equal(apf_merge_new(&m, NULL, NULL), APF_OK);
    assert_int_equal(apf_merge_add(m, &good, 1, NULL), APF_OK);
    assert_int_equal(apf_merge_verdict(m, NULL), APF_OK);
    assert_int_equal(apf_merge_add(m, &bad, 1, NULL), APF_OK);
    assert_int_equal(apf_merge_write(m, NULL, &output, NULL), APF_INVALID_PROFILE);
    assert_int_equal(buffer.n, 0);
    assert_int_equal(apf_merge_verdict(m, NULL), APF_INVALID_PROFILE);
    assert_int_equal(apf_merge_write(m, NULL, &output, NULL), APF_OK);
    apf_buffer_free(&buffer);
    apf_merge_free(m);
}

/* Arrays of a caller with a newer, larger structure; what it has beyond this library's must not be set. */
static void test_larger_inputs(void **state)
{
    (void)state;
    struct {
        struct apf_input input;
        uint64_t added;
    } inputs[3];
    struct apf_error e;
    struct apf_merge *m;
    for (size_t i = 0; i < COUNT(inputs); i++) {
        inputs[i].input = apf_input_memory("foo\n1\n1\n1\n", 10, NULL);
        inputs[i].input.size = sizeof inputs[i];
        inputs[i].added = 0;
    }
    assert_int_equal(apf_merge_new(&m, NULL, NULL), APF_OK);
    assert_int_equal(apf_merge_add(m, &inputs[0].input, COUNT(inputs), &e), APF_OK);
    assert_int_equal(apf_merge_stats(m)->n_merged, COUNT(inputs));
    inputs[1].added = 1;
    assert_int_equal(apf_merge_add(m, &inputs[0].input, COUNT(inputs), &e), APF_ARGUMENT);
    assert_string_equal(e.where, "apf_input.size");
    assert_int_equal(e.input, 1);
    inputs[1].added = 0;
    inputs[2].input.size = sizeof(struct apf_input); /* not that of the others */
    assert_int_equal(apf_merge_add(m, &inputs[0].input, COUNT(inputs), &e), APF_ARGUMENT);
    assert_int_equal(e.input, 2);
    inputs[0].input.size = 0;
    assert_int_equal(apf_merge_add(m, &inputs[0].input, 1, &e), APF_ARGUMENT);
    assert_int_equal(apf_merge_stats(m)->n_inputs, COUNT(inputs)); /* nothing of these calls was added */
    struct apf_output output = {.path = temp_path("out")};
    assert_int_equal(apf_merge_write(m, NULL, &output, &e), APF_ARGUMENT);
    assert_string_equal(e.where, "apf_output.size");
    apf_merge_free(m);
}

TEST_FILE(merge_files)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(test_files),
        TEST_WITH_DIR(test_skipped_files),
        TEST_WITH_DIR(test_lost_files),
        cmocka_unit_test(test_write_refuses),
        cmocka_unit_test(test_early_verdict),
        TEST_WITH_DIR(test_larger_inputs),
    };
    return RUN_TESTS(tests);
}

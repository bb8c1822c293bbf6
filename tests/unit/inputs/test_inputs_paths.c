/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of a kind below a directory. tests/unit/instr/read/test_profile_paths.c has more, with profiles. */
#include "inputs/inputs_paths.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "helpers/shared/unit.h"
#include "inputs/inputs_files.h"

static struct apf_error error;

static bool begins_with_letter(const uint8_t *p, size_t n)
{
    return n >= 2 && p[0] >= 'a' && p[0] <= 'z' && p[1] == ' ';
}

static const char *const ends[] = {".number", NULL};
static const struct path_kind kind = {ends, begins_with_letter};

static int make_directory(void **state)
{
    static const struct {
        const char *name, *text;
    } files[] = {{"d/1.number", "?"},           {"d/2.number.gz", "?"}, {"d/3", "a 4\n"},  {"d/4", "other"},
                 {"d/5.live.9.profraw", "a 1"}, {"d/6.bad", "a 1"},     {"d/7", "b 100\n"}};
    temp_dir_make(state);
    assert_int_equal(mkdir(temp_path("d"), 0700), 0);
    for (unsigned i = 0; i < COUNT(files); i++)
        file_make(temp_path(files[i].name), files[i].text, strlen(files[i].text));
    return 0;
}

/* The last parts of paths, each followed by a blank. */
static void expect_names(char **paths, size_t n, const char *want)
{
    char got[200] = "";
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(got + at, sizeof got - at, "%s ", strrchr(paths[i], '/') + 1);
    assert_string_equal(got, want);
    apf_paths_free(paths);
}

static void test_kind(void **state)
{
    (void)state;
    char **paths;
    size_t n;
    struct apf_skipped skipped = {.size = sizeof skipped};
    assert_int_equal(inputs_paths_find(temp_path("d"), NULL, &kind, &paths, &n, &skipped, &error), APF_OK);
    expect_names(paths, n, "1.number 2.number.gz 3 5.live.9.profraw 6.bad 7 ");
    assert_int_equal(skipped.n_others, 1);
    assert_int_equal(
        inputs_paths_to_merge(temp_path("d"), NULL, &kind, temp_path("d/7"), &paths, &n, &skipped, &error),
        APF_OK);
    expect_names(paths, n, "1.number 2.number.gz 3 ");
    assert_int_equal(skipped.n_others, 1);
    assert_int_equal(skipped.n_output, 1);
    assert_int_equal(skipped.n_live, 1);
    assert_int_equal(skipped.n_set_aside, 1);
    /* A file that is named is an input, whatever it is. */
    assert_int_equal(
        inputs_paths_to_merge(temp_path("d/4"), NULL, &kind, temp_path("d/4"), &paths, &n, &skipped, &error),
        APF_OK);
    expect_names(paths, n, "4 ");
}

static void test_files(void **state)
{
    (void)state;
    struct inputs_files files = {0};
    const char *const names[] = {temp_path("d"), temp_path("d/4"), temp_path("none")};
    assert_int_equal(inputs_files_find(&files, names, 3, &kind, NULL, &error), APF_OK);
    assert_int_equal(files.inputs.n, 6);
    assert_int_equal(files.inputs.data[0].n_directory, strlen(names[0]));
    assert_string_equal(files.inputs.data[4].path, names[1]);
    assert_int_equal(files.inputs.data[4].n_directory, 0);
    assert_string_equal(files.inputs.data[5].path,
                        names[2]); /* reading it will report that it does not exist */
    inputs_files_free(&files);
    struct inputs_files none = {0};
    assert_int_equal(inputs_files_find(&none, names, 0, &kind, NULL, &error), APF_ARGUMENT);
    inputs_files_free(&none);
}

TEST_FILE(inputs_paths)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kind, make_directory, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_files, make_directory, temp_dir_remove)};
    return RUN_TESTS(tests);
}

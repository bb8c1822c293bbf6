/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges of files: outputs, inputs that lost something, and inputs that are removed. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anyprof/sample_merge.h>

#include "helpers/shared/fault_each.h"
#include "helpers/shared/sample_notes.h"
#include "helpers/shared/unit.h"

#define MOST 8u

struct log {
    char left_out[400]; /* inputs with APF_LEFT_OUT */
    char not_removed[400];
};

static int collect(void *user, const struct apf_diag *d)
{
    struct log *log = (struct log *)user;
    char *to = d->code == APF_LEFT_OUT ? log->left_out : d->code == APF_NOT_REMOVED ? log->not_removed : NULL;
    if (to)
        snprintf(to + strlen(to), 400 - strlen(to), "%d: %s\n", (int)d->input, d->error->message);
    return 0;
}

/* Makes a file for each text: a, b, ...; removes those after them. */
static void make_inputs(const char *const *texts, size_t n)
{
    char name[2] = "a";
    for (size_t i = 0; i < MOST; i++, name[0]++)
        if (i < n)
            file_make(temp_path(name), texts[i], strlen(texts[i]));
        else
            (void)unlink(temp_path(name));
}

static struct apf_sample_merge *merge_files(size_t n, struct apf_sample_merge_options o, uint32_t threads,
                                            struct log *log)
{
    static char paths[MOST][600];
    struct apf_options common = {.size = sizeof common, .threads = threads, .diag = collect, .user = log};
    struct apf_input inputs[MOST];
    struct apf_sample_merge *m;
    o.size = sizeof o;
    o.options = &common;
    o.tolerance = &any_loss;
    for (size_t i = 0; i < n; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%c", temp_dir, (char)('a' + (int)i));
        inputs[i] = apf_input_file(paths[i]);
    }
    assert_int_equal(apf_sample_merge_new(&m, &o, NULL), APF_OK);
    assert_int_equal(apf_sample_merge_add(m, inputs, n, NULL), APF_OK);
    return m;
}

static void expect_losses(const struct apf_sample_merge *m, size_t i, uint32_t known, uint64_t functions)
{
    const struct apf_sample_input_result *r = apf_sample_merge_input(m, i);
    assert_int_equal(r->losses_known, known);
    assert_int_equal(r->lost_functions, functions);
}

/* ---- inputs that lost something ---- */

/* By votes f/2 stays, and a/5 in it; in b, a/6 goes with f/1; g is in no conflict. */
static const char *const conflicts[] = {
    "f:9:1\n 1: 9\n 2: a:1\n  !CFGChecksum: 5\n !CFGChecksum: 2\n",
    "f:8:1\n 1: 8\n 2: a:1\n  !CFGChecksum: 6\n !CFGChecksum: 1\ng:1:1\n !CFGChecksum: 7\n",
    "f:7:1\n 1: 7\n 2: a:1\n  3: b:1\n   !CFGChecksum: 6\n  !CFGChecksum: 6\n !CFGChecksum: 2\n",
    "f:6:1\n 1: 6\n 2: a:2\n  !CFGChecksum: 5\n !CFGChecksum: 0\ng:1:1\n !CFGChecksum: 7\n",
    "h:1:1\n !CFGChecksum: 7\n",
    "f:1:1\n 2: a:2\n  !CFGChecksum: 5\n !CFGChecksum: 2\n"};

static void test_losses(void **state)
{
    (void)state;
    make_inputs(conflicts, COUNT(conflicts));
    for (uint32_t threads = 1; threads <= 3; threads++) {
        const struct apf_sample *view;
        struct log log = {"", ""};
        struct apf_sample_merge_options o = {.flags = APF_SAMPLE_MERGE_FIND_LOSSES};
        struct apf_sample_merge *m = merge_files(COUNT(conflicts), o, threads, &log);
        expect_losses(m, 0, 0, 0); /* before the view, nothing is known */
        assert_int_equal(apf_sample_merge_view(m, &view, NULL), APF_OK);
        expect_losses(m, 0, 1, 0);
        expect_losses(m, 1, 1, 1); /* f, with a */
        expect_losses(m, 2, 1, 1); /* a, with b */
        expect_losses(m, 3, 1, 0);
        expect_losses(m, 4, 1, 0);
        expect_losses(m, 5, 1, 0);
        assert_non_null(
            strstr(log.left_out, "1: merged, but for a part that does not go with the others: 1 "));
        assert_non_null(strstr(log.left_out, "\n2: merged"));
        assert_null(strstr(log.left_out, "0: merged"));
        assert_int_equal(apf_sample_merge_stats(m)->checksum_mismatches, 1);
        assert_int_equal(apf_sample_merge_stats(m)->inlined_mismatches, 1);
        apf_sample_merge_free(m);
    }
}

/* Functions f without a checksum become part of f/2, and their a/5 of its a/5, which loses to a/6: both have lost it,
 * whichever came first. */
static void test_losses_of_parts(void **state)
{
    static const char *const texts[] = {
        "f:9:1\n 1: 9\n 2: a:1\n  !CFGChecksum: 5\n !CFGChecksum: 0\ng:1:1\n !CFGChecksum: 7\n",
        "f:9:1\n 1: 9\n 2: a:1\n  !CFGChecksum: 5\n !CFGChecksum: 2\n",
        "f:8:1\n 1: 8\n 2: a:1\n  !CFGChecksum: 6\n !CFGChecksum: 2\n",
        "f:8:1\n 1: 8\n 2: a:1\n  !CFGChecksum: 6\n !CFGChecksum: 2\n",
        "f:8:1\n 1: 8\n 2: a:1\n  !CFGChecksum: 6\n !CFGChecksum: 2\n"};
    (void)state;
    for (size_t turn = 0; turn < COUNT(texts); turn++) {
        const char *turned[COUNT(texts)];
        const struct apf_sample *view;
        struct log log = {"", ""};
        struct apf_sample_merge_options o = {.flags = APF_SAMPLE_MERGE_FIND_LOSSES};
        for (size_t i = 0; i < COUNT(texts); i++)
            turned[(i + turn) % COUNT(texts)] = texts[i];
        make_inputs(turned, COUNT(texts));
        struct apf_sample_merge *m = merge_files(COUNT(texts), o, 1, &log);
        assert_int_equal(apf_sample_merge_view(m, &view, NULL), APF_OK);
        for (size_t i = 0; i < COUNT(texts); i++)
            expect_losses(m, (i + turn) % COUNT(texts), 1, i < 2);
        apf_sample_merge_free(m);
    }
}

/* Also of contexts, of names that are known by hash, and of salvaged files. */
static void test_losses_of_all_kinds(void **state)
{
    static const char *const texts[] = {
        "[m:1 @ foo]:9:1\n 1: 9\n !CFGChecksum: 1\n[foo]:1:1\n !CFGChecksum: 2\n",
        ("[m:1 @ 6699318081062747564]:8:1\n 1: 8\n !CFGChecksum: 2\n[6699318081062747564]:1:1\n"
         " !CFGChecksum: 2\n"),
        "[m:1 @ foo]:9:1\n 1: 9\n !CFGChecksum: 1\n",
        "[m:1 @ foo]:5:1\n 1: 5\n !CFGChecksum: 2\n[x]:1:1\n !CFGChecksum: 2\n[y]:1:1\n 1: x\n"};
    const struct apf_sample *view;
    struct log log = {"", ""};
    (void)state;
    make_inputs(texts, COUNT(texts));
    struct apf_sample_merge_options o = {.flags = APF_SAMPLE_MERGE_FIND_LOSSES};
    struct apf_options common = {.size = sizeof common, .flags = APF_FLAG_SALVAGE};
    struct apf_sample_merge *m;
    struct apf_input inputs[COUNT(texts)];
    char paths[COUNT(texts)][600];
    o.size = sizeof o;
    o.options = &common;
    for (size_t i = 0; i < COUNT(texts); i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%c", temp_dir, (char)('a' + (int)i));
        inputs[i] = apf_input_file(paths[i]);
        inputs[i].weight = i == 0 ? 2 : 1;
    }
    (void)log;
    assert_int_equal(apf_sample_merge_new(&m, &o, NULL), APF_OK);
    assert_int_equal(apf_sample_merge_add(m, inputs, COUNT(texts), NULL), APF_OK);
    assert_int_equal(apf_sample_merge_view(m, &view, NULL), APF_OK);
    assert_int_equal(apf_sample_merge_stats(m)->checksum_mismatches, 1);
    expect_losses(m, 0, 1, 0);
    expect_losses(m, 1, 1, 1);
    expect_losses(m, 2, 1, 0);
    assert_non_null(apf_sample_merge_input(m, 3)->salvage);
    expect_losses(m, 3, 1, 1);
    apf_sample_merge_free(m);
}

/* An input that is gone or another one now: its losses are not known. After other names or another layout has lost
 * something, those of no input are. */
static void test_losses_unknown(void **state)
{
    static const struct apf_name_change remaps[] = {{{"g", 1}, {"z", 1}}};
    const struct apf_sample *view;
    struct log log = {"", ""};
    struct apf_sample_merge_options o = {.flags = APF_SAMPLE_MERGE_FIND_LOSSES};
    (void)state;
    make_inputs(conflicts, 4);
    struct apf_sample_merge *m = merge_files(4, o, 1, &log);
    assert_int_equal(unlink(temp_path("a")), 0);
    file_make(temp_path("b"), "f:9:1\n 1: 9\n !CFGChecksum: 1\n", 27);
    file_make(temp_path("d"), "f:9:1\n 1: 9\n 2: q:1\n !CFGChecksum: 1\nk:1:1\n", 44);
    assert_int_equal(apf_sample_merge_view(m, &view, NULL), APF_OK);
    expect_losses(m, 0, 0, 0);
    expect_losses(m, 1, 0, 0);
    expect_losses(m, 2, 1, 1);
    expect_losses(m, 3, 0, 0);
    apf_sample_merge_free(m);
    make_inputs(conflicts, 4);
    o.remaps = remaps;
    o.n_remaps = 1;
    m = merge_files(4, o, 1, &log);
    assert_int_equal(apf_sample_merge_view(m, &view, NULL), APF_OK);
    expect_losses(m, 0, 0, 0);
    apf_sample_merge_free(m);
    o.n_remaps = 0;
    m = merge_files(1, o, 1, &log);
    assert_int_equal(apf_sample_merge_view(m, &view, NULL), APF_OK);
    expect_losses(m, 0, 1, 0);
    apf_sample_merge_free(m);
}

/* ---- outputs ---- */

static void expect_file(const char *path, const char *notes)
{
    struct apf_sample *s;
    struct apf_input input = apf_input_file(path);
    assert_int_equal(apf_sample_open(&s, &input, NULL, NULL), APF_OK);
    EXPECT_NOTES(s, notes);
    apf_sample_close(s);
}

static void test_write(void **state)
{
    static const char *const texts[] = {"f:9:1\n 1: 9\n", "f:1:1\n 1: 1\ng:1:1\n 1: 1\n", "bad:\n"};
    const struct apf_output output = apf_output_file(temp_path("out"));
    struct apf_sample_write_options w = {.size = sizeof w, .format = APF_SAMPLE_TEXT};
    struct apf_sample_write_result result = {.size = sizeof result};
    struct apf_sample_merge_options o = {.size = sizeof o};
    struct apf_error error;
    struct apf_sample_merge *m;
    struct log log = {"", ""};
    (void)state;
    make_inputs(texts, 3);
    m = merge_files(2, o, 1, &log);
    assert_int_equal(apf_sample_merge_write(m, &w, &output, &result, NULL), APF_OK);
    assert_int_equal(result.format, APF_SAMPLE_TEXT);
    assert_true(file_holds(temp_path("out"), "f:10:2\n 1: 10\ng:1:1\n 1: 1\n", 26));
    w.format = APF_SAMPLE_EXTBINARY;
    assert_int_equal(apf_sample_merge_write(m, &w, &output, NULL, NULL), APF_OK);
    expect_file(temp_path("out"), "f:10:2\n 1: 10\ng:1:1\n 1: 1\n");
    apf_sample_merge_free(m);
    /* What is lost without a tolerance: the first input that is, and nothing is written. */
    struct apf_input inputs[3];
    char paths[3][600];
    for (size_t i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%c", temp_dir, (char)('a' + (int)i));
        inputs[i] = apf_input_file(paths[i]);
    }
    assert_int_equal(unlink(temp_path("out")), 0);
    assert_int_equal(apf_sample_merge_new(&m, NULL, NULL), APF_OK);
    assert_int_equal(apf_sample_merge_add(m, inputs, 3, NULL), APF_OK);
    assert_int_equal(apf_sample_merge_write(m, &w, &output, &result, &error), APF_INVALID_PROFILE);
    assert_string_equal(error.file, paths[2]);
    assert_int_equal(access(temp_path("out"), F_OK), -1);
    assert_int_equal(apf_sample_merge_verdict(m, &any_loss), APF_OK); /* the caller decides */
    assert_int_equal(apf_sample_merge_write(m, &w, &output, &result, &error), APF_OK);
    expect_file(temp_path("out"), "f:10:2\n 1: 10\ng:1:1\n 1: 1\n");
    w.size = 0;
    assert_int_equal(apf_sample_merge_write(m, &w, &output, NULL, &error), APF_ARGUMENT);
    apf_sample_merge_free(m);
}

static void test_size_limit(void **state)
{
    static const char *const texts[] = {
        "f:9:1\n 1: 9\n 2: in:1\n  1: 1\ng:8:1\n 1: 8\nh:7:1\n 1: 7\ni:6:1\n"};
    const struct apf_output output = apf_output_file(temp_path("out"));
    struct apf_sample_write_options w = {.size = sizeof w, .format = APF_SAMPLE_TEXT};
    struct apf_sample_merge_options o = {.size = sizeof o, .size_limit = 27};
    struct apf_error error;
    struct log log = {"", ""};
    const struct apf_sample *view;
    (void)state;
    make_inputs(texts, 1); /* 58 bytes: round(4 * (27 / 58)^2) = 1, and f has 28 */
    struct apf_sample_merge *m = merge_files(1, o, 1, &log);
    assert_int_equal(apf_sample_merge_write(m, &w, &output, NULL, &error), APF_SAMPLE_TOO_LARGE);
    assert_int_equal(access(temp_path("out"), F_OK), -1);
    apf_sample_merge_free(m);
    o.size_limit = 28;
    m = merge_files(1, o, 1, &log);
    assert_int_equal(apf_sample_merge_write(m, &w, &output, NULL, NULL), APF_OK);
    assert_true(file_holds(temp_path("out"), "f:9:1\n 1: 9\n 2: in:1\n  1: 1\n", 28));
    assert_int_equal(apf_sample_merge_stats(m)->over_limit, 3);
    /* The view is whole, and without need nothing is left out. */
    assert_int_equal(apf_sample_merge_view(m, &view, NULL), APF_OK);
    EXPECT_NOTES(view, texts[0]);
    apf_sample_merge_free(m);
    o.size_limit = strlen(texts[0]);
    m = merge_files(1, o, 1, &log);
    assert_int_equal(apf_sample_merge_write(m, &w, &output, NULL, NULL), APF_OK);
    assert_true(file_holds(temp_path("out"), texts[0], strlen(texts[0])));
    assert_int_equal(apf_sample_merge_stats(m)->over_limit, 0);
    apf_sample_merge_free(m);
}

/* ---- inputs that are removed ---- */

static void test_remove(void **state)
{
    const struct apf_output output = apf_output_file(temp_path("out"));
    struct apf_sample_write_options w = {.size = sizeof w, .format = APF_SAMPLE_TEXT};
    struct apf_sample_merge_options o = {
        .flags = APF_SAMPLE_MERGE_REMOVE_INPUTS, .output = output.path, .size = sizeof o};
    struct log log = {"", ""};
    (void)state;
    make_inputs(conflicts, COUNT(conflicts));
    struct apf_sample_merge *m = merge_files(COUNT(conflicts), o, 2, &log);
    assert_int_equal(apf_sample_merge_write(m, &w, &output, NULL, NULL), APF_OK);
    static const bool stays[] = {false, true, true, false, false, false};
    for (size_t i = 0; i < COUNT(conflicts); i++) {
        char name[2] = {(char)('a' + (int)i), 0};
        assert_int_equal(access(temp_path(name), F_OK), stays[i] ? 0 : -1);
        assert_int_equal(apf_sample_merge_input(m, i)->removed, !stays[i]);
    }
    assert_int_equal(apf_sample_merge_stats(m)->n_removed, 4);
    assert_int_equal(apf_sample_merge_stats(m)->n_not_removed, 2);
    assert_non_null(strstr(log.not_removed, "1: merged, but not removed: left out: 1 function whose"));
    apf_sample_merge_free(m);
}

/* The output as an input keeps its counts, whatever the votes of the others. */
static void test_add_to_output(void **state)
{
    static const char old[] = "f:5:1\n 1: 5\n !CFGChecksum: 1\n";
    static const char *const texts[] = {"f:9:1\n 1: 9\n !CFGChecksum: 2\n",
                                        "f:9:1\n 1: 9\n !CFGChecksum: 2\n",
                                        "f:7:1\n 1: 7\n !CFGChecksum: 1\n"};
    char paths[4][600];
    struct apf_input inputs[4];
    struct apf_sample_write_options w = {.size = sizeof w, .format = APF_SAMPLE_TEXT};
    struct apf_sample_merge *m;
    (void)state;
    make_inputs(texts, 3);
    for (size_t i = 0; i < 4; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", temp_dir,
                 i == 3 ? "out" : (char[]){(char)('a' + (int)i), 0});
        inputs[i] = apf_input_file(paths[i]);
    }
    file_make(paths[3], old, strlen(old));
    const struct apf_output output = apf_output_file(paths[3]);
    const struct apf_sample_merge_options o = {
        .size = sizeof o, .flags = APF_SAMPLE_MERGE_REMOVE_INPUTS, .output = paths[3]};
    assert_int_equal(apf_sample_merge_new(&m, &o, NULL), APF_OK);
    assert_int_equal(apf_sample_merge_add(m, inputs, 4, NULL), APF_OK);
    assert_int_equal(apf_sample_merge_write(m, &w, &output, NULL, NULL), APF_OK);
    apf_sample_merge_free(m);
    expect_file(paths[3], "f:12:2\n 1: 12\n !CFGChecksum: 1\n");
    assert_int_equal(access(paths[0], F_OK), 0);
    assert_int_equal(access(paths[1], F_OK), 0);
    assert_int_equal(access(paths[2], F_OK), -1);
}

/* ---- directories ---- */

static void test_paths(void **state)
{
    static const char binary[] = "\xff\xe5\xd0\xb1\xf4\xc9\x94\xa8\x53\x67";
    static const char tar[] = "f:1:1\n\0 1: 1\n";
    char **paths;
    size_t n;
    struct apf_skipped skipped = {.size = sizeof skipped};
    (void)state;
    make_inputs(NULL, 0);
    (void)unlink(temp_path("out"));
    file_make(temp_path("a.txt"), "f:1:1\n", 6);
    file_make(temp_path("b"), binary, sizeof binary - 1);
    file_make(temp_path("c.afdo"), "?", 1);
    file_make(temp_path("d"), "no profile\n", 11);
    file_make(temp_path("e"), tar, sizeof tar - 1);
    file_make(temp_path("f.txt"), "f:1:1\n", 6);
    assert_int_equal(apf_sample_merge_paths(temp_dir, NULL, temp_path("f.txt"), &paths, &n, &skipped, NULL),
                     APF_OK);
    assert_int_equal(n, 3);
    assert_string_equal(strrchr(paths[0], '/'), "/a.txt");
    assert_string_equal(strrchr(paths[1], '/'), "/b");
    assert_string_equal(strrchr(paths[2], '/'), "/c.afdo");
    assert_int_equal(skipped.n_output, 1);
    assert_int_equal(skipped.n_others, 2);
    apf_paths_free(paths);
}

/* ---- failures ---- */

static int attempt(const char *path, struct apf_error *error)
{
    static const char *const texts[] = {"f:9:1\n 1: 9\n !CFGChecksum: 1\ng:1:1\n",
                                        "f:9:1\n 1: 9\n !CFGChecksum: 2\n"};
    struct apf_input inputs[2];
    struct apf_sample_merge *m;
    const struct apf_output output = apf_output_file(path);
    const struct apf_sample_write_options w = {.size = sizeof w, .format = APF_SAMPLE_TEXT};
    const struct apf_sample_merge_options o = {.size = sizeof o, .size_limit = 40};
    for (size_t i = 0; i < 2; i++)
        inputs[i] = apf_input_memory(texts[i], strlen(texts[i]), NULL);
    int code = apf_sample_merge_new(&m, &o, error);
    if (code == APF_OK)
        code = apf_sample_merge_add(m, inputs, 2, error);
    if (code == APF_OK)
        code = apf_sample_merge_write(m, &w, &output, NULL, error);
    apf_sample_merge_free(m);
    return code;
}

static void test_faults(void **state)
{
    (void)state;
    assert_true(fault_each(attempt, FAULT_MEMORY, 12, APF_NO_MEMORY) > 20);
    assert_true(fault_each(attempt, FAULT_ARENA, 12, APF_NO_MEMORY) > 5);
    assert_true(fault_each(attempt, FAULT_WRITE, 28, APF_IO) > 0);
    assert_true(fault_each(attempt, FAULT_RENAME, 5, APF_IO) > 0);
}

/* Files and directories in one call. */
static void test_one_call(void **state)
{
    static const char *const texts[] = {"f:3:1\n 1: 3\n", "f:4:1\n 1: 4\n", "bad\n"};
    (void)state;
    make_inputs(texts, COUNT(texts));
    assert_int_equal(mkdir(temp_path("runs"), 0755), 0);
    file_make(temp_path("runs/more"), "f:10:1\n 1: 10\n", 14);
    const char *paths[] = {temp_path("a"), temp_path("runs"), temp_path("c")}, *out = temp_path("out");
    struct apf_input input = apf_input_file(out);
    struct apf_sample *s;
    struct apf_error error;
    assert_int_equal(apf_sample_merge_files(paths, 2, "llvm-16", NULL, out, &error), APF_OK);
    assert_int_equal(apf_sample_open(&s, &input, NULL, NULL), APF_OK);
    assert_int_equal(apf_sample_info(s)->format, APF_SAMPLE_EXTBINARY);
    assert_int_equal(s->nodes.data[0].total, 13);
    apf_sample_close(s);
    assert_int_equal(apf_sample_merge_files(paths, 3, NULL, NULL, out, &error), APF_INVALID_PROFILE);
    assert_string_equal(error.file, paths[2]);
    assert_int_equal(apf_sample_merge_files(paths, 3, NULL, &any_loss, out, &error), APF_OK);
    assert_int_equal(apf_sample_merge_files(paths, 1, "gcc-99", NULL, out, &error), APF_ARGUMENT);
    assert_int_equal(apf_sample_merge_files(paths + 2, 1, NULL, &any_loss, out, &error), APF_INVALID_PROFILE);
    assert_int_equal(unlink(temp_path("runs/more")), 0);
    assert_int_equal(apf_sample_merge_files(paths + 1, 1, NULL, NULL, out, &error), APF_ARGUMENT);
    assert_non_null(strstr(error.message, "there is no profile to merge in "));
}

TEST_FILE(sample_merge_files)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(test_losses),
        TEST_WITH_DIR(test_losses_of_parts),
        TEST_WITH_DIR(test_losses_of_all_kinds),
        TEST_WITH_DIR(test_losses_unknown),
        TEST_WITH_DIR(test_write),
        TEST_WITH_DIR(test_size_limit),
        TEST_WITH_DIR(test_remove),
        TEST_WITH_DIR(test_add_to_output),
        TEST_WITH_DIR(test_paths),
        TEST_WITH_DIR(test_one_call),
        TEST_WITH_DIR(test_faults),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Removing inputs, as a program that embeds the library does it. tests/cli/delete_inputs*.sh has the rest. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anyprof/merge.h>

#include "helpers/shared/unit.h"

static char out[600]; /* the output */

static const struct apf_tolerance none_lost = {APF_FAIL_ANY, 0};

struct found {
    struct apf_diag last;
    struct apf_error error;
    unsigned n;
    int answer;
};

static int setup(void **state)
{
    temp_dir_make(state);
    snprintf(out, sizeof out, "%s/out", temp_dir);
    file_make(temp_path("a"), "foo\n1\n1\n5\n", 10);
    file_make(temp_path("b"), "foo\n1\n1\n70\n", 11);
    return 0;
}

static int collect_finding(void *user, const struct apf_diag *d)
{
    struct found *f = (struct found *)user;
    if (d->severity == APF_SEVERITY_NOTE)
        return 0;
    f->last = *d;
    f->error = *d->error;
    f->n++;
    return f->answer;
}

static int begin(struct apf_merge **m, uint32_t flags, const char *output, struct found *found,
                 struct apf_error *e)
{
    struct apf_merge_options o = {0};
    o.size = sizeof o;
    o.flags = flags;
    o.output = output;
    struct apf_options common = {.size = sizeof common};
    o.options = &common;
    common.diag = found ? collect_finding : NULL;
    common.user = found;
    common.threads = 1;
    return apf_merge_new(m, &o, e);
}

static void add(struct apf_merge *m, const char *name, uint64_t weight)
{
    struct apf_input input = {.size = sizeof(struct apf_input), .path = temp_path(name), .weight = weight};
    assert_int_equal(apf_merge_add(m, &input, 1, NULL), APF_OK);
}

static int write_to(struct apf_merge *m, const char *path, struct apf_error *e)
{
    struct apf_output output = apf_output_file(path);
    return apf_merge_write(m, NULL, &output, e);
}

static void holds(const char *name, uint64_t want)
{
    struct apf_input input = apf_input_file(temp_path(name));
    struct apf_str foo = {"foo", 3};
    struct apf_instr *instr;
    struct apf_record r = {.size = sizeof r};
    assert_int_equal(apf_instr_open(&instr, &input, NULL, NULL), APF_OK);
    assert_int_equal(apf_instr_find(instr, foo, 1, &r, NULL), APF_OK);
    assert_int_equal(r.counts[0], want);
    apf_instr_close(instr);
}

static bool there(const char *name)
{
    return access(temp_path(name), F_OK) == 0;
}

static void test_removal(void **state)
{
    (void)state;
    struct apf_merge *m;
    struct apf_error e;
    char data[] = "foo\n1\n1\n1000\n";
    struct apf_input memory = apf_input_memory(data, strlen(data), NULL);
    size_t open_before = open_files();
    assert_int_equal(begin(&m, APF_MERGE_REMOVE_INPUTS, out, NULL, &e), APF_OK);
    add(m, "a", 1);
    assert_int_equal(apf_merge_add(m, &memory, 1, &e), APF_OK);
    add(m, "b", 2);
    add(m, "b", 1);
    assert_true(there("a"));
    assert_int_equal(write_to(m, out, &e), APF_OK);
    const struct apf_merge_stats *s = apf_merge_stats(m);
    assert_int_equal(s->n_merged, 4);
    assert_int_equal(s->n_removed, 2);
    assert_int_equal(s->removed_bytes, 21);
    assert_int_equal(s->n_not_removed, 0);
    assert_int_equal(s->n_held, 0);
    assert_int_equal(dir_entries(temp_dir), 1);
    /* Once. */
    assert_int_equal(write_to(m, out, &e), APF_ARGUMENT);
    assert_string_equal(e.where, "merge.output");
    apf_merge_free(m);
    holds("out", 1215);
    assert_int_equal(dir_entries(temp_dir), 1);
    assert_int_equal(open_files(), open_before);
}

static void test_arguments(void **state)
{
    (void)state;
    struct apf_merge *m;
    struct apf_error e;
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output memory = apf_output_buffer(&buffer);
    assert_int_equal(begin(&m, APF_MERGE_REMOVE_INPUTS, NULL, NULL, &e), APF_ARGUMENT);
    assert_null(m);
    assert_int_equal(begin(&m, APF_MERGE_REMOVE_INPUTS, "-", NULL, &e), APF_ARGUMENT);
    assert_int_equal(begin(&m, APF_MERGE_REMOVE_INPUTS, temp_dir, NULL, &e), APF_ARGUMENT);
    assert_int_equal(begin(&m, APF_MERGE_REMOVE_INPUTS, temp_path("none/x"), NULL, &e), APF_IO);
    assert_int_equal(e.sys_errno, ENOENT);
    assert_null(m);
    assert_int_equal(begin(&m, APF_MERGE_REMOVE_INPUTS, out, NULL, &e), APF_OK);
    add(m, "a", 1);
    assert_int_equal(apf_merge_write(m, NULL, &memory, &e), APF_ARGUMENT);
    assert_int_equal(write_to(m, temp_path("other"), &e), APF_ARGUMENT);
    assert_true(there("a"));
    assert_false(there("other"));
    /* None of these calls changed the merge. */
    assert_int_equal(write_to(m, out, &e), APF_OK);
    assert_false(there("a"));
    apf_merge_free(m);
    /* Freed without having been written: nothing happened. */
    assert_int_equal(unlink(out), 0);
    assert_int_equal(begin(&m, APF_MERGE_REMOVE_INPUTS, out, NULL, &e), APF_OK);
    add(m, "b", 1);
    assert_int_equal(dir_entries(temp_dir), 2);
    apf_merge_free(m);
    assert_int_equal(dir_entries(temp_dir), 1);
    apf_buffer_free(&buffer);
}

/* An existing output must be an input, once. */
static void test_existing_output(void **state)
{
    (void)state;
    struct apf_merge *m;
    struct apf_error e;
    file_make(out, "foo\n1\n1\n100\n", 12);
    for (uint64_t weight = 0; weight < 3; weight++) {
        assert_int_equal(begin(&m, APF_MERGE_REMOVE_INPUTS, out, NULL, &e), APF_OK);
        add(m, "a", 1);
        if (weight)
            add(m, "out", weight);
        assert_int_equal(write_to(m, out, &e), weight == 1 ? APF_OK : APF_ARGUMENT);
        apf_merge_free(m);
        holds("out", weight ? 105 : 100);
        assert_true(there("a") == (weight != 1));
        if (weight)
            file_make(temp_path("a"), "foo\n1\n1\n5\n", 10);
    }
    assert_int_equal(dir_entries(temp_dir), 3);
}

static void test_findings(void **state)
{
    (void)state;
    struct apf_merge *m;
    struct apf_error e;
    struct found found = {0};
    assert_int_equal(begin(&m, APF_MERGE_REMOVE_INPUTS, out, &found, &e), APF_OK);
    add(m, "a", 1);
    add(m, "b", 1);
    file_make(temp_path("b"), "foo\n1\n1\n777\n", 12);
    assert_int_equal(write_to(m, out, &e), APF_OK);
    assert_int_equal(found.n, 1);
    assert_int_equal(found.last.code, APF_NOT_REMOVED);
    assert_int_equal(found.last.severity, APF_SEVERITY_WARNING);
    assert_int_equal(found.last.input, 1);
    assert_int_equal(found.error.code, APF_NOT_REMOVED);
    assert_int_equal(found.error.input, 1);
    assert_string_equal(found.error.where, "input.remove");
    assert_int_equal(apf_merge_stats(m)->n_removed, 1);
    assert_int_equal(apf_merge_stats(m)->n_not_removed, 1);
    assert_int_equal(apf_merge_stats(m)->n_undeletable, 0);
    apf_merge_free(m);
    assert_int_equal(dir_entries(temp_dir), 2);
    holds("out", 75);

    /* A callback that stops: the output exists, and the next merge knows the inputs that were not removed. */
    assert_int_equal(unlink(out), 0);
    file_make(temp_path("a"), "foo\n1\n1\n5\n", 10);
    file_make(temp_path("c"), "foo\n1\n1\n2000\n", 13);
    found.answer = 1;
    assert_int_equal(begin(&m, APF_MERGE_REMOVE_INPUTS, out, &found, &e), APF_OK);
    add(m, "a", 1);
    add(m, "b", 1);
    add(m, "c", 1);
    file_make(temp_path("a"), "", 0);
    assert_int_equal(write_to(m, out, &e), APF_STOPPED);
    apf_merge_free(m);
    holds("out", 2782);
    assert_true(there("b") && there("c") && there(".out.anyprof-merged"));
    found.answer = 0;
    for (int remove = 0; remove < 2; remove++) {
        assert_int_equal(begin(&m, remove ? APF_MERGE_REMOVE_INPUTS : 0, out, &found, &e), APF_OK);
        add(m, "out", 1); /* first: only then the others are known to be in it */
        add(m, "b", 1);
        add(m, "c", 1);
        assert_int_equal(apf_merge_stats(m)->n_held, 2);
        assert_int_equal(apf_merge_stats(m)->n_rejected, 0);
        assert_int_equal(apf_merge_verdict(m, &none_lost), APF_OK);
        assert_int_equal(apf_merge_input(m, 1)->code, APF_ALREADY_MERGED);
        assert_string_equal(apf_merge_input(m, 1)->error->where, "output.journal");
        assert_int_equal(write_to(m, out, &e), APF_OK);
        assert_int_equal(apf_merge_stats(m)->n_removed, remove ? 2 : 0);
        apf_merge_free(m);
        holds("out", 2782);
    }
    assert_int_equal(dir_entries(temp_dir), 2); /* and the empty one */
}

/* Nothing but what is in the output already: that is enough, and the output stays as it is. */
static void test_nothing_left(void **state)
{
    (void)state;
    struct apf_merge *m;
    struct apf_error e;
    struct found found = {0};
    struct stat before, after;
    found.answer = 1; /* stops after the renaming, when an input was changed */
    assert_int_equal(begin(&m, APF_MERGE_REMOVE_INPUTS, out, &found, &e), APF_OK);
    file_make(temp_path("0"), "foo\n1\n1\n1000\n", 13);
    add(m, "0", 1);
    add(m, "a", 1);
    add(m, "b", 1);
    file_make(temp_path("0"), "", 0);
    assert_int_equal(write_to(m, out, &e), APF_STOPPED);
    apf_merge_free(m);
    assert_int_equal(stat(out, &before), 0);
    assert_int_equal(begin(&m, APF_MERGE_REMOVE_INPUTS, out, NULL, &e), APF_OK);
    add(m, "a", 1);
    add(m, "b", 1);
    assert_int_equal(apf_merge_stats(m)->n_merged, 0);
    assert_int_equal(apf_merge_verdict(m, &none_lost), APF_OK);
    assert_int_equal(write_to(m, out, &e), APF_OK);
    assert_int_equal(apf_merge_stats(m)->n_removed, 2);
    apf_merge_free(m);
    assert_int_equal(stat(out, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    holds("out", 1075);
    assert_int_equal(dir_entries(temp_dir), 2);
}

/* Without the flag an output that was named is only watched. */
static void test_watched_output(void **state)
{
    (void)state;
    struct apf_merge *m;
    struct apf_error e;
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output memory = apf_output_buffer(&buffer);
    file_make(out, "foo\n1\n1\n100\n", 12);
    assert_int_equal(begin(&m, 0, out, NULL, &e), APF_OK);
    add(m, "out", 1);
    add(m, "a", 1);
    assert_int_equal(apf_merge_write(m, NULL, &memory, &e), APF_OK);
    file_make(out, "foo\n1\n1\n900\n", 12);
    file_make(temp_path("x"), "foo\n1\n1\n901\n", 12);
    assert_int_equal(rename(temp_path("x"), out), 0);
    assert_int_equal(write_to(m, out, &e), APF_OUTPUT_BUSY);
    assert_int_equal(e.code, APF_OUTPUT_BUSY);
    assert_int_equal(write_to(m, temp_path("other"), &e), APF_OK);
    apf_merge_free(m);
    holds("out", 901);
    holds("other", 105);
    /* Writing it several times does not count as a foreign change. */
    assert_int_equal(begin(&m, 0, out, NULL, &e), APF_OK);
    add(m, "out", 1);
    add(m, "a", 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(write_to(m, out, &e), APF_OK);
    file_make(out, "foo\n1\n1\n901\n", 12);
    assert_int_equal(apf_merge_write(m, NULL, &memory, &e), APF_OK);
    assert_int_equal(write_to(m, out, &e), APF_OUTPUT_BUSY);
    apf_merge_free(m);
    /* If it is no input, it is only replaced. */
    assert_int_equal(begin(&m, 0, out, NULL, &e), APF_OK);
    add(m, "a", 1);
    file_make(out, "foo\n1\n1\n902\n", 12);
    assert_int_equal(write_to(m, out, &e), APF_OK);
    apf_merge_free(m);
    holds("out", 5);
    assert_int_equal(dir_entries(temp_dir), 4);
    apf_buffer_free(&buffer);
}

/* While a merge that removes its inputs runs, other merges may not use the output as an input; replacing the output
 * stops the merge. */
static void test_at_the_same_time(void **state)
{
    (void)state;
    struct apf_merge *first, *second;
    struct apf_error e;
    struct apf_input input = apf_input_file(out);
    file_make(out, "foo\n1\n1\n100\n", 12);
    assert_int_equal(begin(&first, APF_MERGE_REMOVE_INPUTS, out, NULL, &e), APF_OK);
    add(first, "out", 1);
    add(first, "a", 1);
    assert_int_equal(begin(&second, APF_MERGE_REMOVE_INPUTS, out, NULL, &e), APF_OUTPUT_BUSY);
    assert_null(second);
    assert_int_equal(begin(&second, 0, out, NULL, &e), APF_OK);
    assert_int_equal(apf_merge_add(second, &input, 1, &e), APF_OUTPUT_BUSY);
    assert_int_equal(e.code, APF_OUTPUT_BUSY);
    assert_string_equal(e.where, "journal.open");
    assert_int_equal(e.subject, APF_SUBJECT_OUTPUT);
    apf_merge_free(second);
    assert_int_equal(begin(&second, 0, out, NULL, &e), APF_OK);
    add(second, "b", 1);
    assert_int_equal(write_to(second, out, &e), APF_OK);
    apf_merge_free(second);
    assert_int_equal(write_to(first, out, &e), APF_OUTPUT_BUSY);
    assert_string_equal(e.where, "output.identity");
    apf_merge_free(first);
    holds("out", 70);
    assert_int_equal(dir_entries(temp_dir), 3);
}

static int write_partial_to(struct apf_merge *m, const char *path, struct apf_error *e)
{
    struct apf_output output = apf_output_file(path);
    return apf_merge_write_partial(m, &output, e);
}

/* Into a partial profile, once, and not into slices. */
static void test_partial(void **state)
{
    (void)state;
    const uint32_t flags = APF_MERGE_REMOVE_INPUTS | APF_MERGE_PARTIAL | APF_MERGE_FORGET_INPUTS;
    struct apf_merge *m;
    struct apf_error e;
    const struct apf_output slices[2] = {apf_output_file(temp_path("s0")), apf_output_file(temp_path("s1"))};
    assert_int_equal(begin(&m, APF_MERGE_FORGET_INPUTS, NULL, NULL, &e), APF_ARGUMENT);
    assert_int_equal(begin(&m, flags, out, NULL, &e), APF_OK);
    add(m, "a", 1);
    add(m, "b", 1);
    assert_int_equal(apf_merge_write_slices(m, slices, 2, &e), APF_ARGUMENT);
    assert_string_equal(e.where, "merge.slice");
    const struct apf_output whole = apf_output_file(out);
    assert_int_equal(apf_merge_write(m, NULL, &whole, &e), APF_ARGUMENT); /* a profile may lose something */
    assert_string_equal(e.where, "merge.options.flags");
    const struct apf_buffer none = {NULL, 0, 0};
    assert_int_equal(apf_merge_write_undecided(m, &none, 0, &whole, &e), APF_ARGUMENT);
    assert_string_equal(e.where, "merge.undecided");
    assert_int_equal(write_partial_to(m, temp_path("s0"), &e), APF_ARGUMENT);
    assert_string_equal(e.where, "merge.output");
    assert_int_equal(write_partial_to(m, out, &e), APF_OK);
    assert_int_equal(apf_merge_stats(m)->n_removed, 2);
    assert_int_equal(write_partial_to(m, out, &e), APF_ARGUMENT);
    apf_merge_free(m);
    holds("out", 75);
    assert_int_equal(dir_entries(temp_dir), 1);
    assert_int_equal(begin(&m, 0, NULL, NULL, &e), APF_OK);
    add(m, "out", 1);
    assert_int_equal(apf_merge_input(m, 0)->n_inputs, 2);
    assert_int_equal(apf_merge_first_result(m, 0), 0);
    assert_int_equal(apf_merge_first_result(m, 1), 1);
    assert_int_equal(apf_merge_first_result(m, 2), 1);
    assert_int_equal(apf_merge_input(m, 0)->name.n, strlen(out));
    assert_null(apf_merge_input(m, 1));
    /* In slices it is no input of such a merge. */
    assert_int_equal(apf_merge_write_slices(m, slices, 2, &e), APF_OK);
    apf_merge_free(m);
    const struct apf_input inputs[2] = {apf_input_file(slices[0].path), apf_input_file(slices[1].path)};
    assert_int_equal(begin(&m, flags, temp_path("new"), NULL, &e), APF_OK);
    assert_int_equal(apf_merge_add(m, inputs, 2, &e), APF_ARGUMENT);
    assert_string_equal(e.where, "merge.slice");
    apf_merge_free(m);
    /* Without inputs there is nothing that a reader would accept. */
    assert_int_equal(begin(&m, APF_MERGE_PARTIAL, NULL, NULL, &e), APF_OK);
    assert_int_equal(write_partial_to(m, temp_path("none"), &e), APF_ARGUMENT);
    assert_string_equal(e.where, "merge.inputs");
    apf_merge_free(m);
}

TEST_FILE(merge_remove)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_removal, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_arguments, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_existing_output, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_findings, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_nothing_left, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_watched_output, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_at_the_same_time, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_partial, setup, temp_dir_remove),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The output of a merge of numbers, the inputs that are removed then, and the report. tests/cli/delete_inputs*.sh has
 * more, with instrumentation profiles. */
#include "inputs/inputs_output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_entry.h"
#include "helpers/shared/number_merge.h"
#include "helpers/shared/unit.h"
#include "inputs/inputs_report.h"

static struct apf_error error;

/* The last finding that is no note. */
struct found {
    struct apf_diag last;
    struct apf_error detail;
    unsigned n;
};

static int collect_finding(void *user, const struct apf_diag *d)
{
    struct found *f = (struct found *)user;
    if (d->severity == APF_SEVERITY_NOTE)
        return 0;
    f->last = *d;
    f->detail = *d->error;
    f->n++;
    return 0;
}

static void make(const char *name, const char *text)
{
    file_make(temp_path(name), text, strlen(text));
}

static bool holds(const char *name, const char *text)
{
    return file_holds(temp_path(name), text, strlen(text));
}

static bool exists(const char *name)
{
    return access(temp_path(name), F_OK) == 0;
}

static void begin(struct number_merge *m, struct found *f, bool remove, const char *output)
{
    struct number_options o = {.common = {.size = sizeof(struct apf_options),
                                          .threads = 1,
                                          .flags = APF_FLAG_SALVAGE,
                                          .diag = collect_finding,
                                          .user = f},
                               .tolerance = &any_loss,
                               .output = output,
                               .remove = remove};
    memset(f, 0, sizeof *f);
    assert_int_equal(number_merge_open(m, &o, &error), APF_OK);
}

static void add(struct number_merge *m, const char *name)
{
    assert_int_equal(number_merge_file(m, temp_path(name), &error), APF_OK);
}

static void test_written(void **state)
{
    (void)state;
    struct number_merge m;
    struct found f;
    make("x", "a 4\n");
    begin(&m, &f, false, NULL);
    add(&m, "x");
    assert_int_equal(m.inputs.output.state, OUTPUT_NONE);
    assert_int_equal(number_merge_write(&m, temp_path("out"), &error), APF_OK);
    assert_true(holds("out", "a 4\n"));
    assert_int_equal(m.inputs.output.state, OUTPUT_WRITTEN);
    assert_int_equal(number_merge_write(&m, temp_path("none/out"), &error), APF_IO);
    assert_int_equal(m.inputs.output.state, OUTPUT_FAILED);
    assert_int_equal(m.inputs.output.error.code, APF_IO);
    add(&m, "x");
    assert_int_equal(m.inputs.output.state, OUTPUT_NONE);
    assert_true(exists("x"));
    number_merge_close(&m);
}

/* Too much was lost: the old output stays. */
static void test_refused(void **state)
{
    (void)state;
    struct number_merge m;
    struct number_options o = {.common = {.size = sizeof(struct apf_options), .threads = 1}};
    make("x", "?");
    make("out", "old");
    assert_int_equal(number_merge_open(&m, &o, &error), APF_OK);
    add(&m, "x");
    assert_int_equal(number_merge_write(&m, temp_path("out"), &error), APF_INVALID_PROFILE);
    assert_true(holds("out", "old"));
    number_merge_close(&m);
}

/* Inputs are removed that the output holds as a whole. */
static void test_removed(void **state)
{
    (void)state;
    struct number_merge m;
    struct found f;
    make("whole", "a 4\n");
    make("damaged", "a 20");
    make("bad", "?");
    make("other", "b 1\n");
    begin(&m, &f, true, temp_path("out"));
    add(&m, "whole");
    add(&m, "damaged");
    add(&m, "bad");
    add(&m, "other");
    f.n = 0;
    assert_int_equal(number_merge_write(&m, temp_path("out"), &error), APF_OK);
    assert_true(holds("out", "a 24\n"));
    assert_false(exists("whole"));
    assert_true(exists("damaged") && exists("bad") && exists("other"));
    assert_int_equal(m.counts.n_removed, 1);
    assert_int_equal(m.counts.removed_bytes, 4);
    assert_int_equal(m.counts.n_not_removed, 1);
    assert_int_equal(m.counts.n_undeletable, 0);
    assert_true(m.kept.data[0].removed);
    assert_false(m.kept.data[1].removed);
    assert_int_equal(f.n, 1);
    assert_int_equal(f.last.code, APF_NOT_REMOVED);
    assert_int_equal(f.last.input, 1);
    assert_string_equal(f.detail.message,
                        "merged, but not removed: it is damaged, and only a part of it was merged");
    /* Only once: what was removed would be missing in a second output. */
    assert_int_equal(number_merge_write(&m, temp_path("out"), &error), APF_ARGUMENT);
    number_merge_close(&m);
    /* The next merge knows the input that stayed: it is in the output already. */
    make("more", "a 100\n");
    begin(&m, &f, true, temp_path("out"));
    add(&m, "out");
    add(&m, "damaged");
    add(&m, "more");
    assert_int_equal(m.kept.data[1].code, APF_ALREADY_MERGED);
    assert_int_equal(m.counts.n_held, 1);
    assert_int_equal(m.counts.n_merged, 2);
    f.n = 0;
    assert_int_equal(number_merge_write(&m, temp_path("out"), &error), APF_OK);
    assert_true(holds("out", "a 124\n"));
    assert_true(exists("damaged"));
    assert_false(exists("more"));
    assert_int_equal(f.n, 1);
    assert_int_equal(f.last.input, 1);
    assert_string_equal(f.detail.message,
                        "merged, but not removed: a part of it was left out when it was merged");
    number_merge_close(&m);
}

/* The room says of which inputs the result lacks a part. */
static void test_left_out(void **state)
{
    (void)state;
    struct number_merge m;
    struct found f;
    make("first", "a 4\n");
    make("second", "a 5\n");
    begin(&m, &f, true, temp_path("out"));
    m.lossy = 4;
    add(&m, "first");
    assert_int_equal(number_merge_write(&m, temp_path("out"), &error), APF_OK);
    assert_string_equal(f.detail.message, "merged, but not removed: a digit is left out");
    assert_true(exists("first"));
    number_merge_close(&m);
    unlink(temp_path("out"));
    begin(&m, &f, true, temp_path("out"));
    m.lossy = 4;
    add(&m, "second");
    assert_int_equal(number_merge_write(&m, temp_path("out"), &error), APF_OK);
    assert_string_equal(f.detail.message,
                        "merged, but not removed: it is not known whether a part of it was left out");
    assert_true(exists("second"));
    number_merge_close(&m);
}

/* The votes of the output: what is in it already stays. */
static void test_votes(void **state)
{
    (void)state;
    struct number_merge m;
    struct found f;
    make("out", "b 1\n");
    make("x", "a 1\n");
    make("y", "a 1\n");
    begin(&m, &f, true, temp_path("out"));
    add(&m, "x");
    add(&m, "y");
    assert_int_equal(m.result, 0);
    add(&m, "out");
    assert_int_equal(m.result, 1);
    assert_int_equal(m.counts.n_rejected, 2);
    number_merge_close(&m);
}

/* ---- the report ---- */

static void write_totals(const void *merge, struct json_writer *w)
{
    const struct number_merge *m = (const struct number_merge *)merge;
    json_entry_u64(w, "sum", m->sums[m->result]);
}

static void write_input(const void *merge, size_t i, struct json_writer *w)
{
    const struct number_merge *m = (const struct number_merge *)merge;
    json_entry_u64(w, "number", m->kept.data[i].number);
}

static char *report_of(const struct number_merge *m, const struct apf_tolerance *t)
{
    static const struct inputs_reporter reporter = {"numbers/1", write_totals, write_input};
    struct apf_buffer b = {0};
    struct apf_output output = apf_output_buffer(&b);
    assert_int_equal(inputs_report(&m->inputs, &reporter, t, &output, &error), APF_OK);
    char *text = malloc(b.n + 1);
    assert_non_null(text);
    size_t n = 0; /* without blanks and newlines */
    for (size_t i = 0; i < b.n; i++)
        if (((const char *)b.data)[i] > ' ')
            text[n++] = ((const char *)b.data)[i];
    text[n] = '\0';
    apf_buffer_free(&b);
    return text;
}

/* Whether a report has these texts, one after the other. */
static void expect_texts(char *text, const char *const *want, size_t n)
{
    const char *at = text;
    for (size_t i = 0; i < n; i++) {
        const char *found = strstr(at, want[i]);
        if (!found)
            fail_msg("no %s in %s", want[i], text);
        else
            at = found + strlen(want[i]);
    }
    free(text);
}

static void test_report(void **state)
{
    (void)state;
    struct number_merge m;
    struct found f;
    make("x", "a 4\n");
    make("y", "a 5");
    make("z", "?");
    make("e", "");
    begin(&m, &f, true, temp_path("out"));
    add(&m, "x");
    add(&m, "y");
    add(&m, "z");
    add(&m, "e");
    const struct apf_tolerance none = {APF_FAIL_ANY, 0}, half = {APF_FAIL_SHARE, 50500000};
    static const char *const before[] = {
        "{\"schema\":\"numbers/1\"",
        "\"verdict\":\"refused\",\"error\":null,\"failure_mode\":\"any\",\"max_loss\":null,",
        "\"sum\":9,\"inputs\":[{",
        "/x\",\"path_hex\":null,\"inputs\":1,\"verdict\":\"merged\",\"error\":null,\"number\":4,",
        "\"removed\":false},{",
    };
    expect_texts(report_of(&m, &none), before, COUNT(before));
    static const char *const share[] = {
        "\"verdict\":\"refused\",\"error\":null,\"failure_mode\":null,\"max_loss\":50.5,"};
    expect_texts(report_of(&m, &half), share, COUNT(share));
    assert_int_equal(number_merge_write(&m, temp_path("out"), &error), APF_OK);
    static const char *const after[] = {
        "\"verdict\":\"written\",\"error\":null,\"failure_mode\":\"warn\",\"max_loss\":null,",
        "\"sum\":9,\"inputs\":[",
        "/x\",\"path_hex\":null,\"inputs\":1,\"verdict\":\"merged\",\"error\":null,\"number\":4,",
        "\"removed\":true},{",
        "/y\",\"path_hex\":null,\"inputs\":1,\"verdict\":\"salvaged\",\"error\":{\"code\":\"TRUNCATED\"",
        "},\"number\":5,\"removed\":false},{",
        "/z\",\"path_hex\":null,\"inputs\":1,\"verdict\":\"rejected\",\"error\":{\"code\":\"MALFORMED\"",
        "},\"number\":0,\"removed\":false},{",
        "/e\",\"path_hex\":null,\"inputs\":1,\"verdict\":\"empty\",\"error\":null,\"number\":0,",
        "\"removed\":false}]}",
    };
    expect_texts(report_of(&m, &any_loss), after, COUNT(after));
    number_merge_close(&m);
    begin(&m, &f, false, NULL);
    add(&m, "y");
    static const char *const kept[] = {"\"verdict\":\"not_written\"", "\"failure_mode\":null",
                                       "\"removed\":null}]}"};
    expect_texts(report_of(&m, NULL), kept, COUNT(kept));
    number_merge_close(&m);
}

TEST_FILE(inputs_output)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_written), TEST_WITH_DIR(test_refused),
                                       TEST_WITH_DIR(test_removed), TEST_WITH_DIR(test_left_out),
                                       TEST_WITH_DIR(test_votes),   TEST_WITH_DIR(test_report)};
    return RUN_TESTS(tests);
}

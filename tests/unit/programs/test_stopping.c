/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A progress callback ends a call in the middle of a large input, of every format, and while the result is made and
 * written. */
#include "helpers/shared/unit.h"

#include <stdio.h>
#include <string.h>

#include <anyprof/anyprof.h>
#include <anyprof/merge.h>
#include <anyprof/sample_merge.h>
#include <anyprof/sample_write.h>

#define FUNCTIONS 20000u

/* Stops at the first report with as many inputs done; the reports up to there are counted. */
struct stop {
    uint64_t n_done;
    unsigned calls;
};

static int stop_at(void *user, const struct apf_progress *now)
{
    struct stop *s = (struct stop *)user;
    s->calls++;
    return now->n_done >= s->n_done;
}

static int never(void *user, const struct apf_progress *now)
{
    (void)now;
    ++*(unsigned *)user;
    return 0;
}

static struct apf_buffer text_of(bool samples)
{
    struct apf_buffer b = {NULL, 0, 0};
    char line[64];
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        const int n = snprintf(line, sizeof line, samples ? "f%u:9:9\n 1: 9\n" : "f%u\n1\n1\n9\n\n", i);
        assert_int_equal(apf_buffer_write(&b, line, (size_t)n), 0);
    }
    return b;
}

static struct apf_input input_of(const struct apf_buffer *b)
{
    return apf_input_memory(b->data, b->n, "large");
}

/* ---- instrumentation profiles ---- */

static struct apf_merge *merge_of(const struct apf_options *common)
{
    const struct apf_merge_options o = {.size = sizeof o, .options = common};
    struct apf_merge *m = NULL;
    assert_int_equal(apf_merge_new(&m, &o, NULL), APF_OK);
    return m;
}

/* Opening it, and adding it to a merge, stops in the middle; and goes on to the end if the callback lets it. */
static void check_instr(const struct apf_buffer *bytes)
{
    struct stop stop = {0, 0};
    unsigned calls = 0;
    struct apf_options o = {.size = sizeof o, .threads = 1, .progress = stop_at, .progress_user = &stop};
    const struct apf_input input = input_of(bytes);
    struct apf_instr *instr = NULL;
    struct apf_error error;
    assert_int_equal(apf_instr_open(&instr, &input, &o, &error), APF_STOPPED);
    assert_string_equal(error.where, "progress");
    assert_null(instr);
    struct apf_merge *m = merge_of(&o);
    assert_int_equal(apf_merge_add(m, &input, 1, &error), APF_STOPPED);
    assert_int_equal(apf_merge_add(m, &input, 1, &error), APF_ARGUMENT); /* it can only be freed */
    apf_merge_free(m);
    assert_int_equal(stop.calls, 2);
    o.progress = never;
    o.progress_user = &calls;
    assert_int_equal(apf_instr_open(&instr, &input, &o, &error), APF_OK);
    assert_int_equal(apf_instr_info(instr)->n_records, FUNCTIONS);
    assert_in_range(calls, 2, 1000);
    apf_instr_close(instr);
}

/* Writes the text as an indexed profile, and as JSON. */
static void make_others(const struct apf_buffer *text, struct apf_buffer *indexed, struct apf_buffer *json)
{
    const struct apf_input input = input_of(text);
    const struct apf_output to_indexed = apf_output_buffer(indexed), to_json = apf_output_buffer(json);
    struct apf_merge *m = merge_of(NULL);
    struct apf_instr *view = NULL;
    assert_int_equal(apf_merge_add(m, &input, 1, NULL), APF_OK);
    assert_int_equal(apf_merge_write(m, NULL, &to_indexed, NULL), APF_OK);
    assert_int_equal(apf_merge_view(m, &view, NULL), APF_OK);
    assert_int_equal(apf_instr_write_json(view, &to_json, NULL), APF_OK);
    apf_merge_free(m);
}

static void test_instr(void **state)
{
    (void)state;
    struct apf_buffer text = text_of(false), indexed = {NULL, 0, 0}, json = {NULL, 0, 0};
    make_others(&text, &indexed, &json);
    check_instr(&text);
    check_instr(&indexed);
    check_instr(&json);
    apf_buffer_free(&text);
    apf_buffer_free(&indexed);
    apf_buffer_free(&json);
}

/* The other thread's input is the large one: this thread waits, or has a small one. */
static void test_threads(void **state)
{
    (void)state;
    struct apf_buffer text = text_of(false);
    struct apf_input inputs[40];
    for (unsigned i = 0; i < COUNT(inputs); i++)
        inputs[i] = input_of(&text);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct stop stop = {3, 0};
        const struct apf_options o = {
            .size = sizeof o, .threads = threads, .progress = stop_at, .progress_user = &stop};
        struct apf_merge *m = merge_of(&o);
        struct apf_error error;
        assert_int_equal(apf_merge_add(m, inputs, COUNT(inputs), &error), APF_STOPPED);
        apf_merge_free(m);
    }
    apf_buffer_free(&text);
}

static void test_write(void **state)
{
    (void)state;
    struct apf_buffer text = text_of(false);
    const struct apf_input input = input_of(&text);
    const struct apf_output output = apf_output_file(temp_path("out"));
    unsigned calls = 0;
    struct stop stop = {1, 0};
    struct apf_options o = {.size = sizeof o, .progress = never, .progress_user = &calls};
    struct apf_merge *m = merge_of(&o);
    struct apf_instr *view;
    assert_int_equal(apf_merge_add(m, &input, 1, NULL), APF_OK);
    const unsigned before = calls;
    assert_int_equal(apf_merge_view(m, &view, NULL), APF_OK);
    assert_true(calls > before);
    apf_merge_free(m);
    o = (struct apf_options){.size = sizeof o, .progress = stop_at, .progress_user = &stop};
    m = merge_of(&o);
    stop.n_done = 2; /* not yet */
    assert_int_equal(apf_merge_add(m, &input, 1, NULL), APF_OK);
    stop.n_done = 1;
    assert_int_equal(apf_merge_write(m, NULL, &output, NULL), APF_STOPPED);
    assert_int_equal(apf_merge_view(m, &view, NULL), APF_STOPPED);
    assert_int_equal(dir_entries(temp_dir), 0);
    apf_merge_free(m);
    apf_buffer_free(&text);
}

/* ---- sample profiles ---- */

static void check_sample(const struct apf_buffer *bytes)
{
    struct stop stop = {0, 0};
    const struct apf_options o = {
        .size = sizeof o, .threads = 1, .progress = stop_at, .progress_user = &stop};
    const struct apf_sample_read_options read = {.size = sizeof read, .options = &o};
    const struct apf_sample_merge_options merge = {.size = sizeof merge, .options = &o};
    const struct apf_input input = input_of(bytes);
    struct apf_sample *sample = NULL;
    struct apf_sample_merge *m = NULL;
    struct apf_error error;
    assert_int_equal(apf_sample_open(&sample, &input, &read, &error), APF_STOPPED);
    assert_null(sample);
    assert_int_equal(apf_sample_merge_new(&m, &merge, NULL), APF_OK);
    assert_int_equal(apf_sample_merge_add(m, &input, 1, &error), APF_STOPPED);
    apf_sample_merge_free(m);
    assert_int_equal(stop.calls, 2);
}

static void write_as(const struct apf_sample *sample, const char *target, uint32_t format,
                     const struct apf_output *output)
{
    struct apf_sample_write_options o = {.size = sizeof o, .format = format};
    assert_int_equal(apf_sample_target_parse(target, &o.target, NULL), APF_OK);
    assert_int_equal(apf_sample_write(sample, &o, output, NULL, NULL), APF_OK);
}

static void test_sample(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        uint32_t format;
    } rows[] = {{"auto", APF_SAMPLE_BINARY}, {"auto", APF_SAMPLE_EXTBINARY}, {"gcc-12", APF_SAMPLE_GCC}};
    struct apf_buffer text = text_of(true);
    const struct apf_input input = input_of(&text);
    struct apf_sample *sample = NULL;
    check_sample(&text);
    assert_int_equal(apf_sample_open(&sample, &input, NULL, NULL), APF_OK);
    for (size_t i = 0; i <= COUNT(rows); i++) {
        struct apf_buffer other = {NULL, 0, 0};
        const struct apf_output output = apf_output_buffer(&other);
        if (i < COUNT(rows))
            write_as(sample, rows[i].target, rows[i].format, &output);
        else
            assert_int_equal(apf_sample_write_json(sample, &output, NULL), APF_OK);
        check_sample(&other);
        apf_buffer_free(&other);
    }
    apf_sample_close(sample);
    apf_buffer_free(&text);
}

TEST_FILE(stopping)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_instr), cmocka_unit_test(test_threads),
                                       TEST_WITH_DIR(test_write), cmocka_unit_test(test_sample)};
    return RUN_TESTS(tests);
}

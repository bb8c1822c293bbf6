/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Each allocation fails in turn, from the program that is opened to the profile that is written: out of memory is
 * reported, and no file is left. Where an allocation does not matter, the profile is the same. */
#include "helpers/shared/profgen_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_write.h>

#include "helpers/shared/fault_each.h"

#define MAPPED(path) "PERF_RECORD_MMAP2 100/100: [0x201000(0x1000) @ 0 08:01 1 1]: r-xp " path "\n"
#define STACK                                                                                                \
    " 0x201152/0x20113c/P 0x201148/0x20114d/P 0x201129/0x201148/P 0x201143/0x201120/P 0x201152/0x20113c/P "  \
    "0x20113f/0x20114a/P 0x201152/0x20113c/P 0x99/0x201130/P 0x201169/0x201130/P\n"
#define CALLED                                                                                               \
    "\t20113c\n\t20116e\n\t7f0000\n" STACK "\t201124\n\t201148\n\t201148\n\t20116e\n 0x201143/0x201120/P\n"
#define LINE_STACK                                                                                           \
    " 0x2011b8/0x201170/P 0x2011ad/0x2011af/P 0x2011bd/0x2011a4/P 0x20117a/0x2011bd/P 0x2011b8/0x201170/P "  \
    "0x201196/0x2011af/P 0x2011d9/0x201180/P 0x99/0x2011d0/P\n"
#define LINE_CALLED "\t201174\n\t2011bd\n\t2011de\n\t7f0000\n" LINE_STACK

struct scene {
    struct apf_input (*program)(void);
    enum apf_profgen_input kind;
    const char *text;
    size_t n; /* 0: of a text that ends with a zero */
    uint32_t flags;
    bool raw;
};

/* What is being made, and its bytes when nothing fails. */
static struct scene scene;
static struct apf_buffer expected;

static int write_output(struct apf_profgen *g, const struct apf_output *output, struct apf_error *error)
{
    struct apf_sample_write_options o = {.size = sizeof o, .format = APF_SAMPLE_TEXT};
    struct apf_sample_write_result result = {.size = sizeof result};
    struct apf_sample *s;
    if (scene.raw)
        return apf_profgen_write_raw(g, output, error);
    int code = apf_profgen_make(g, &s, error);
    if (code == APF_OK)
        code = apf_sample_write(s, &o, output, &result, error);
    apf_sample_close(s);
    return code;
}

static int make_output(const struct apf_output *output, struct apf_error *error)
{
    struct apf_input program = scene.program();
    struct apf_input input = apf_input_memory(scene.text, scene.n ? scene.n : strlen(scene.text), "samples");
    struct apf_profgen_options options = {.size = sizeof options, .flags = scene.flags};
    struct apf_error again;
    struct apf_profgen *g;
    int code = apf_profgen_open(&g, &program, &options, error);
    if (code == APF_OK)
        code = apf_profgen_read(g, scene.kind, &input, 1, error);
    if (code == APF_OK && (code = write_output(g, output, error)) != APF_OK) {
        struct apf_buffer b = {NULL, 0, 0};
        struct apf_output to_buffer = apf_output_buffer(&b);
        int second = write_output(g, &to_buffer, &again); /* nothing else comes of half of the counts */
        assert_true(second == APF_OK || second == APF_ARGUMENT || second == APF_NO_MEMORY);
        if (second == APF_OK && (b.n != expected.n || memcmp(b.data, expected.data, b.n) != 0))
            fail_msg("another profile after %s: %.*s", error->message, (int)b.n, (const char *)b.data);
        apf_buffer_free(&b);
    }
    apf_profgen_close(g);
    return code;
}

/* Like file_holds, but allocates nothing: an allocation of the test would be the one that fails. */
static bool is_expected(const char *path)
{
    static uint8_t bytes[1 << 14];
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    return n == expected.n && memcmp(bytes, expected.data, n) == 0;
}

static int attempt(const char *path, struct apf_error *error)
{
    struct apf_output output = apf_output_file(path);
    int code = make_output(&output, error);
    if (code == APF_OK && !is_expected(path))
        fail_msg("another profile, without an error");
    return code;
}

static void check_each(struct scene s)
{
    struct apf_output output = apf_output_buffer(&expected);
    scene = s;
    assert_int_equal(make_output(&output, NULL), APF_OK);
    assert_true(fault_each(attempt, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) > 20);
    fault_each(attempt, FAULT_ARENA, ENOMEM, APF_NO_MEMORY);
    apf_buffer_free(&expected);
    expected = (struct apf_buffer){NULL, 0, 0};
}

static struct scene of_text(struct apf_input (*program)(void), enum apf_profgen_input kind, const char *text,
                            uint32_t flags)
{
    return (struct scene){program, kind, text, 0, flags, false};
}

static void test_probes(void **state)
{
    static const char text[] = MAPPED("/x/mini") STACK "7\n" STACK;
    (void)state;
    check_each(of_text(pm_probed, APF_PROFGEN_PERF_SCRIPT, text, 0));
}

static void test_probe_contexts(void **state)
{
    (void)state;
    check_each(of_text(pm_probed, APF_PROFGEN_PERF_SCRIPT, MAPPED("/x/mini") CALLED, 0));
    check_each(of_text(pm_probed, APF_PROFGEN_PERF_SCRIPT, CALLED,
                       APF_PROFGEN_NO_PREINLINER | APF_PROFGEN_MERGE_COLD | APF_PROFGEN_TRIM_COLD));
    check_each(
        of_text(pm_probed, APF_PROFGEN_PERF_SCRIPT, CALLED, APF_PROFGEN_NO_NESTING | APF_PROFGEN_LINE_COST));
}

static void test_lines(void **state)
{
    (void)state;
    check_each(of_text(pm_lined, APF_PROFGEN_PERF_SCRIPT, MAPPED("/x/lines") LINE_STACK, 0));
}

static void test_line_contexts(void **state)
{
    (void)state;
    check_each(of_text(pm_lined, APF_PROFGEN_PERF_SCRIPT, MAPPED("/x/lines") LINE_CALLED, 0));
}

static void test_raw(void **state)
{
    static const char chains[] = "[]\n0\n1\n169->130:1\n[0x169]\n1\n13c-143:2\n1\n143->120:2\n"
                                 "[0x169 @ 0x143]\n1\n120-129:1\n1\n129->148:1\n",
                      names[] = "[main:0 @ top:4 @ mid]\n1\n1af-1b8:5\n1\n1b8->170:5\n"
                                "[main:0 @ top:4 @ mid:3 @ leaf]\n1\n170-17a:5\n0\n[]\n0\n1\n1d9->180:1\n";
    (void)state;
    check_each(of_text(pm_probed, APF_PROFGEN_RAW, chains, 0));
    check_each(of_text(pm_lined, APF_PROFGEN_RAW, names, 0));
}

static void test_raw_written(void **state)
{
    struct scene scenes[] = {of_text(pm_probed, APF_PROFGEN_PERF_SCRIPT, CALLED, 0),
                             of_text(pm_lined, APF_PROFGEN_PERF_SCRIPT, LINE_CALLED, 0)};
    (void)state;
    for (size_t i = 0; i < COUNT(scenes); i++) {
        scenes[i].raw = true;
        check_each(scenes[i]);
    }
}

/* As the program is called in recordings. */
static struct apf_input recorded_program(void)
{
    struct apf_input input = pm_probed();
    input.name = "/x/program";
    return input;
}

/* A recording with call stacks, a seed of the fuzz target. */
static void test_recording(void **state)
{
    static uint8_t bytes[4096];
    FILE *f = fopen("fuzz/corpus/profgen_perf/calls-0", "rb");
    (void)state;
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f)
        fclose(f);
    assert_true(n > 100 && n < sizeof bytes);
    check_each(
        (struct scene){recorded_program, APF_PROFGEN_PERF_DATA, (const char *)bytes + 1, n - 1, 0, true});
    check_each(
        (struct scene){recorded_program, APF_PROFGEN_PERF_DATA, (const char *)bytes + 1, n - 1, 0, false});
}

TEST_FILE(profgen_faults)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_probes),   TEST_WITH_DIR(test_probe_contexts),
                                       TEST_WITH_DIR(test_lines),    TEST_WITH_DIR(test_line_contexts),
                                       TEST_WITH_DIR(test_raw),      TEST_WITH_DIR(test_raw_written),
                                       TEST_WITH_DIR(test_recording)};
    return RUN_TESTS(tests);
}

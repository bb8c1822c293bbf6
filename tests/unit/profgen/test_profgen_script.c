/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text of perf script: every form of a line, mappings, call stacks, and what is odd. */
#include "helpers/shared/profgen_memory.h"

#include <stdio.h>
#include <string.h>

#define MAP(pid, place, offset, path)                                                                        \
    "PERF_RECORD_MMAP2 " pid ": [" place "(0x1000) @ " offset " 08:01 1 1]: r-xp " path "\n"
#define MAPPED MAP("100/100", "0x201000", "0", "/x/mini")
#define LOOP "0x201152/0x20113c/P/-/-/0 0x20113f/0x20114a/P/-/-/0" /* one range */
#define NO_SAMPLES                                                                                           \
    "Invalid perf script input! No line has branches; 'perf script --show-mmap-events -F ip,brstack' prints"
#define LOOPED "1\n14a-152:1\n2\n13f->14a:1\n152->13c:1\n"

static void check(const char *text, const char *raw)
{
    struct apf_input program = pm_probed();
    pm_check_raw(&program, APF_PROFGEN_PERF_SCRIPT, text, NULL, raw);
}

static void check_bad(const char *text, const char *message, unsigned line, unsigned column)
{
    struct apf_input program = pm_probed();
    struct pm_made m;
    pm_count(&m, &program, APF_PROFGEN_PERF_SCRIPT, text, NULL);
    if (m.code != APF_BAD_SAMPLES || !strstr(m.error.message, message) || m.error.line != line ||
        m.error.column != column)
        fail_msg("%s: %d: %s", text, m.code, m.error.message);
    pm_free(&m);
}

static void test_sample_lines(void **state)
{
    (void)state;
    check(MAPPED " 20113c  " LOOP "\n", LOOPED);
    check(MAPPED " " LOOP "\n", LOOPED);
    check(MAPPED LOOP "\n", LOOPED);
    check(MAPPED "\t 20113c\t  " LOOP "   \r\n", LOOPED);
    check(MAPPED "20113c " LOOP "\n\n\n", LOOPED);
    check(MAPPED " 0x201152/0x20113c 0x20113f/0x20114a\n", LOOPED);
    check(MAPPED " 0x201152/0x20113c/ 0x20113f/0x20114a/P/M/whatever=7/0x5\n", LOOPED);
    check(MAPPED " 0x201152/0x20113C/P 0x20113F/0x20114A/P\n", LOOPED);
    check(LOOP "\n", LOOPED); /* not mapped */
    check(MAPPED "3\n" LOOP "\n", "1\n14a-152:3\n2\n13f->14a:3\n152->13c:3\n");
    check(MAPPED "3\n4\n" LOOP "\n", "1\n14a-152:4\n2\n13f->14a:4\n152->13c:4\n");
}

static void test_repeats(void **state)
{
    struct apf_input program = pm_probed();
    struct pm_made m;
    (void)state;
    check(
        MAPPED "99999999999999999999\n" LOOP "\n" LOOP "\n",
        "1\n14a-152:18446744073709551615\n2\n13f->14a:18446744073709551615\n152->13c:18446744073709551615\n");
    pm_count(&m, &program, APF_PROFGEN_PERF_SCRIPT,
             MAPPED "9223372036854775808\n" LOOP "\n9223372036854775808\n" LOOP "\n",
             NULL); /* their sum is 2^64 */
    assert_int_equal(m.code, APF_OK);
    assert_true(m.funnel.stacks == UINT64_MAX && m.funnel.branches == UINT64_MAX &&
                m.funnel.ranges == UINT64_MAX);
    pm_free(&m);
    check_bad(MAPPED "0\n" LOOP "\n", NO_SAMPLES, 0, 0);
}

static void check_odd(const char *text, uint64_t bad_lines, uint64_t first, uint64_t bad_mappings,
                      const char *raw)
{
    struct apf_input program = pm_probed();
    struct pm_made m;
    pm_count(&m, &program, APF_PROFGEN_PERF_SCRIPT, text, NULL);
    assert_int_equal(m.code, APF_OK);
    assert_string_equal(m.raw, raw);
    assert_int_equal(m.funnel.bad_lines, bad_lines);
    assert_int_equal(m.funnel.first_bad_line, first);
    assert_int_equal(m.funnel.bad_mappings, bad_mappings);
    pm_free(&m);
}

/* What stands before a branch that cannot be read counts. */
static void test_odd_samples(void **state)
{
    (void)state;
    check_odd(MAPPED " " LOOP " 0x1/main 0x201129/0x201148\n", 1, 2, 0, LOOPED);
    check_odd(MAPPED " " LOOP "\nsomething else\n 0x1/\n", 2, 3, 0, LOOPED);
    check_odd(MAPPED " " LOOP " 0x1/0x2x/P\n", 1, 2, 0, LOOPED);
    check_odd(MAPPED " " LOOP " 0x11112222333344445/0x2\n", 1, 2, 0, LOOPED);
    check_odd(MAPPED " " LOOP " 201129/0x201148\n", 1, 2, 0, LOOPED);
    check_odd(MAPPED " zz " LOOP "\n " LOOP "\n", 1, 2, 0, LOOPED);
    check_odd(MAPPED " 20113c 20113c " LOOP "\n " LOOP "\n", 1, 2, 0, LOOPED);
}

/* ---- mappings ---- */

#define MOVED " 0x7f0000001152/0x7f000000113c/P 0x7f000000113f/0x7f000000114a/P\n"
#define TWICE MAPPED MAP("7/8", "0x7f0000001000", "0", "/x/mini")

static void test_mappings(void **state)
{
    struct apf_input program = pm_probed();
    struct apf_profgen_options of_7 = {.size = sizeof of_7, .pid = 7};
    (void)state;
    check("  perf 100 [001] 1.2: PERF_RECORD_MMAP -1/0: [0x7f0000001000(0x1000) @ 0]: x mini\n" MOVED,
          LOOPED);
    check(MAP("100/100", "0x7f0000001000", "0", "/a b/mini") MOVED, LOOPED);
    check(TWICE MOVED, LOOPED); /* the last one counts */
    pm_check_raw(&program, APF_PROFGEN_PERF_SCRIPT, TWICE MOVED, &of_7, LOOPED);
    pm_check_raw(&program, APF_PROFGEN_PERF_SCRIPT, TWICE MOVED MAPPED, &of_7, LOOPED);
    check(MAPPED MAP("100/100", "0x7f0000001000", "0", "/x/other") MAP("1/1", "0x50000", "0", "/mini/x") LOOP
          "\n",
          LOOPED);
    check(MAPPED MAP("1/1", "0x202000", "0x1000", "/x/mini") " " LOOP "\n", LOOPED); /* the next page of it */
}

static void test_odd_mappings(void **state)
{
    static const char *const odd[] = {
        "PERF_RECORD_MMAP2 100/100: [201000(0x1000) @ 0 08:01 1 1]: r-xp /x/mini\n",
        "PERF_RECORD_MMAP2 100: [0x201000(0x1000) @ 0 08:01 1 1 00000000]: r-xp /x/mini\n",
        "PERF_RECORD_MMAP2 100/100: [0x201000(0x1000) @ 0 08:01 1 1] r-xp /x/mini\n",
        "PERF_RECORD_MMAP2 100/100: [0x201000(0x1000) @ 0 08:01 1 1]: r-xp\n",
        "PERF_RECORD_MMAP2 100/100: [0x201000(0x1000 @ 0 08:01 1 1]: r-xp /x/mini\n",
        "PERF_RECORD_MMAP3 100/100: [0x201000(0x1000) @ 0 08:01 1 1]: r-xp /x/mini\n",
        "PERF_RECORD_MMAP2 100/100: [0x201000(0x1000) @ 7 08:01 1 1]: r-xp /x/mini]: \n",
        "PERF_RECORD_MMAP2 99999999999999999999/1: [0x201000(0x1000) @ 0 08:01 1 1]: r-xp /x/mini\n"};
    char text[400];
    (void)state;
    for (size_t i = 0; i < COUNT(odd); i++) {
        snprintf(text, sizeof text, "%s%s\n", odd[i], LOOP);
        check_odd(text, 0, 0, 1, LOOPED);
    }
    /* A short line, and one that begins with a digit, are no mappings. */
    check_odd("PERF_RECORD_MMAP 1/1: [0x1(0x1) @ 0]: x mini\n" LOOP "\n", 1, 1, 0, LOOPED);
    check_odd("1 " MAPPED LOOP "\n", 1, 1, 0, LOOPED);
}

static void test_bad_mappings(void **state)
{
    (void)state;
    check_bad(MAPPED MAP("1/1", "0x203000", "0x1000", "/x/mini") LOOP "\n",
              "Segment not loaded by consecutive mmaps", 2, 1);
    check_bad(MAPPED LOOP "\n" MAP("1/1", "0x5000", "0x3000", "/x/mini"),
              "Segment not loaded by consecutive mmaps", 3, 1);
    check_bad("", NO_SAMPLES, 0, 0);
    check_bad(MAPPED, NO_SAMPLES, 0, 0);
    check_bad(MAPPED LOOP, "the last line has no end", 2, 52);
}

/* ---- call stacks ---- */

#define CALLED " 0x201143/0x201120/P 0x201152/0x20113c/P\n" /* of leaf, from top */
#define FRAMES "\t201124\n\t201148\n\t20116e\n"
#define RAW_CALLED "[0x169]\n  1\n  13c-143:1\n  2\n  143->120:1\n  152->13c:1\n"

/* The first sample decides whether there are call stacks; a sample is the frames and the line after them. */
static void test_frames(void **state)
{
    static const char *const same[] = {
        MAPPED FRAMES CALLED,
        MAPPED "1\n" FRAMES CALLED,
        MAPPED "\n  201124\n  201148\n  20116e\n" CALLED,
        MAPPED "\t20114d\n\n" FRAMES CALLED,                           /* an empty line ends a call stack */
        MAPPED "\t20114d\n" MAPPED FRAMES CALLED,                      /* so does a mapping */
        MAPPED FRAMES CALLED LOOP "\n",                                /* no blank before */
        MAPPED FRAMES CALLED " 20113c " LOOP "\n",                     /* not a branch */
        MAPPED FRAMES CALLED " " LOOP "\n",                            /* no frames */
        MAPPED FRAMES CALLED FRAMES,                                   /* no branches */
        MAPPED FRAMES CALLED "\t11112222333344445\n\t201148\n" CALLED, /* not an address */
    };
    static const char *const ignored[] = {MAPPED "\t201124\n" LOOP "\n" FRAMES CALLED,
                                          MAPPED "\t201124\n 20113c " LOOP "\n" FRAMES CALLED};
    (void)state;
    for (size_t i = 0; i < COUNT(same); i++)
        check(same[i], RAW_CALLED);
    for (size_t i = 0; i < COUNT(ignored); i++)
        check(ignored[i], RAW_CALLED);
}

/* Where the first sample has no call stack, frames are not used. */
static void test_no_frames(void **state)
{
    (void)state;
    check(MAPPED " " LOOP "\n" FRAMES " " LOOP "\n", "1\n14a-152:2\n2\n13f->14a:2\n152->13c:2\n");
}

TEST_FILE(profgen_script)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample_lines), cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_odd_samples),  cmocka_unit_test(test_mappings),
        cmocka_unit_test(test_odd_mappings), cmocka_unit_test(test_bad_mappings),
        cmocka_unit_test(test_frames),       cmocka_unit_test(test_no_frames)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The synthetic example of the specification of llvm-profgen: its program, its samples, and what llvm-profgen 22 makes
 * of them. */
#include "helpers/shared/profgen_memory.h"

#include <stdio.h>
#include <string.h>

#define MAPPED "PERF_RECORD_MMAP2 100/100: [0x201000(0x1000) @ 0 08:01 1 1]: r-xp /x/mini\n"
#define FIRST                                                                                                \
    "0x201152/0x20113c/P/-/-/0  0x201148/0x20114d/P/-/-/0  0x201129/0x201148/P/-/-/0  "                      \
    "0x201143/0x201120/P/-/-/0  0x201152/0x20113c/P/-/-/0  0x20113f/0x20114a/P/-/-/0  "                      \
    "0x201152/0x20113c/P/-/-/0\n"
#define SECOND                                                                                               \
    "0x201143/0x201120/P/-/-/0  0x201152/0x20113c/P/-/-/0  0x20113f/0x20114a/P/-/-/0  "                      \
    "0x201169/0x201130/P/-/-/0\n"
#define LBR MAPPED "          20113c  " FIRST "          201120  " SECOND
#define HYBRID                                                                                               \
    MAPPED "\n\t          20113c\n\t          20116e\n\t    7f68c5788793\n " FIRST                           \
           "\n\t          201124\n\t          201148\n\t          20116e\n\t    7f68c5788793\n " SECOND

static const char lbr_profile[] =
    "top:18:1\n 1: 1\n 2: 4\n 4: 0\n 3: mid:13\n  1: 4\n  2: 2\n  3: 2 leaf:2\n"
    "  4: 2\n  5: 3\n  !CFGChecksum: 281547602941152\n"
    " !CFGChecksum: 281487861612543\nleaf:1:1\n 1: 1\n !CFGChecksum: 4294967295\n"
    "main:0:0\n 2: 1 top:1\n !CFGChecksum: 281479271677951\n";
static const char hybrid_profile[] =
    "top:17:1\n 1: 1\n 2: 4\n 4: 0\n 3: mid:12\n  1: 4\n  2: 2\n  4: 2\n  5: 3\n  3: leaf:1\n   1: 1\n"
    "   !CFGChecksum: 4294967295\n   !Attributes: 2\n  !CFGChecksum: 281547602941152\n  !Attributes: 3\n"
    " !CFGChecksum: 281487861612543\nmain:1:0\n 2: 1 top:1\n !CFGChecksum: 281479271677951\n";
static const char flat_profile[] =
    "[main:2 @ top:3 @ mid]:13:4\n 1: 4\n 2: 2\n 3: 2 leaf:2\n 4: 2\n 5: 3\n !CFGChecksum: 281547602941152\n"
    " !Attributes: 1\n[main:2 @ top]:9:1\n 1: 1\n 2: 4\n 3: 4 mid:4\n 4: 0\n !CFGChecksum: 281487861612543\n"
    "[main]:1:0\n 2: 1 top:1\n !CFGChecksum: 281479271677951\n"
    "[main:2 @ top:3 @ mid:3 @ leaf]:1:1\n 1: 1\n !CFGChecksum: 4294967295\n";

static const char lbr_raw[] =
    "7\n120-129:1\n130-13f:1\n13c-13f:1\n13c-143:2\n148-148:1\n14a-152:2\n14d-152:1\n"
    "6\n129->148:1\n13f->14a:2\n143->120:2\n148->14d:1\n152->13c:4\n169->130:1\n";
static const char hybrid_raw[] =
    "[]\n  0\n  1\n  169->130:1\n"
    "[0x169]\n  6\n  130-13f:1\n  13c-13f:1\n  13c-143:2\n  148-148:1\n  14a-152:2\n  14d-152:1\n"
    "  4\n  13f->14a:2\n  143->120:2\n  148->14d:1\n  152->13c:4\n"
    "[0x169 @ 0x143]\n  1\n  120-129:1\n  1\n  129->148:1\n";

static void test_branches(void **state)
{
    struct apf_input program = pm_probed();
    (void)state;
    pm_check(&program, APF_PROFGEN_PERF_SCRIPT, LBR, NULL, lbr_profile);
    pm_check_raw(&program, APF_PROFGEN_PERF_SCRIPT, LBR, NULL, lbr_raw);
    pm_check(&program, APF_PROFGEN_RAW, lbr_raw, NULL, lbr_profile);
    pm_check_raw(&program, APF_PROFGEN_RAW, lbr_raw, NULL, lbr_raw);
}

static void test_calls(void **state)
{
    struct apf_input program = pm_probed();
    struct apf_profgen_options flat = {.size = sizeof flat, .hot_count = 1};
    flat.flags = APF_PROFGEN_NO_PREINLINER | APF_PROFGEN_NO_NESTING;
    (void)state;
    pm_check(&program, APF_PROFGEN_PERF_SCRIPT, HYBRID, NULL, hybrid_profile);
    pm_check_raw(&program, APF_PROFGEN_PERF_SCRIPT, HYBRID, NULL, hybrid_raw);
    pm_check(&program, APF_PROFGEN_PERF_SCRIPT, HYBRID, &flat, flat_profile);
    pm_check(&program, APF_PROFGEN_RAW, hybrid_raw, NULL, hybrid_profile);
    pm_check(&program, APF_PROFGEN_RAW, hybrid_raw, &flat, flat_profile);
}

/* Without call stacks it is a sample that counts, in the functions that it is in. */
static void test_calls_ignored(void **state)
{
    struct apf_input program = pm_probed();
    struct apf_profgen_options ignoring = {.size = sizeof ignoring, .flags = APF_PROFGEN_IGNORE_CALLS};
    struct pm_made m;
    (void)state;
    pm_make(&m, &program, APF_PROFGEN_PERF_SCRIPT, HYBRID, &ignoring);
    assert_int_equal(m.code, APF_OK);
    assert_string_equal(m.raw, lbr_raw);
    assert_string_equal(m.profile, lbr_profile);
    assert_int_equal(m.funnel.calls_stacks, 2);
    assert_int_equal(m.funnel.stacks, 2);
    pm_free(&m);
}

/* "Prefixing a sample with a line `10` multiplies it (10 + 3 copies => 13)." */
static void test_repeats(void **state)
{
    struct apf_input program = pm_probed();
    (void)state;
    pm_check_raw(&program, APF_PROFGEN_PERF_SCRIPT,
                 MAPPED "10\n 20113c  0x201152/0x20113c/P/-/-/0 0x20113f/0x20114a/P/-/-/0\n"
                        " 20113c  0x201152/0x20113c/P/-/-/0 0x20113f/0x20114a/P/-/-/0\n2\n"
                        " 20113c  0x201152/0x20113c/P/-/-/0 0x20113f/0x20114a/P/-/-/0\n",
                 NULL, "1\n14a-152:13\n2\n13f->14a:13\n152->13c:13\n");
}

/* "Relocated load ... with addresses 0x7f0000001152 etc. works." */
static void test_relocated(void **state)
{
    static const char mapped[] =
        "PERF_RECORD_MMAP2 100/100: [0x7f0000001000(0x1000) @ 0 08:01 1 1]: r-xp /x/mini\n";
    char text[2048];
    size_t n = sizeof mapped - 1;
    struct apf_input program = pm_probed();
    (void)state;
    memcpy(text, mapped, n);
    for (const char *p = "          20113c  " FIRST "          201120  " SECOND; *p;) {
        bool moved = strncmp(p, "201", 3) == 0;
        n += (size_t)snprintf(text + n, sizeof text - n, moved ? "7f0000001" : "%c", *p);
        p += moved ? 3 : 1;
    }
    pm_check(&program, APF_PROFGEN_PERF_SCRIPT, text, NULL, lbr_profile);
}

/* "Branch `0x7f..100/0x201160` is kept as `1->160...`, `0x201158/0x7f..` is dropped, ranges next to it are not formed";
 * the address 1 counts from the base, too. */
static void test_outside(void **state)
{
    static const char text[] = MAPPED " 201160  0x201169/0x201130/P/-/-/0 0x7f0000000100/0x201160/P/-/-/0 "
                                      "0x201158/0x7f0000000000/P/-/-/0 0x201152/0x20113c/P/-/-/0\n";
    struct apf_input program = pm_probed();
    struct apf_profgen_options absolute = {.size = sizeof absolute, .flags = APF_PROFGEN_ABSOLUTE},
                               segment = {.size = sizeof segment, .flags = APF_PROFGEN_FIRST_SEGMENT};
    (void)state;
    pm_check_raw(&program, APF_PROFGEN_PERF_SCRIPT, text, NULL,
                 "1\n160-169:1\n3\nffffffffffdff001->160:1\n152->13c:1\n169->130:1\n");
    pm_check_raw(&program, APF_PROFGEN_PERF_SCRIPT, text, &absolute,
                 "1\n201160-201169:1\n3\n1->201160:1\n201152->20113c:1\n201169->201130:1\n");
    pm_check_raw(&program, APF_PROFGEN_PERF_SCRIPT, text, &segment,
                 "1\n1160-1169:1\n3\nffffffffffe00001->1160:1\n1152->113c:1\n1169->1130:1\n");
}

TEST_FILE(profgen_mini)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_branches),      cmocka_unit_test(test_calls),
                                       cmocka_unit_test(test_calls_ignored), cmocka_unit_test(test_repeats),
                                       cmocka_unit_test(test_relocated),     cmocka_unit_test(test_outside)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The last steps of profiles with contexts: what the preinliner decides, cold contexts, nesting. Expected profiles are
 * those of llvm-profgen 22 for the example of its specification, with the same options. */
#include "helpers/shared/profgen_memory.h"

static const char raw[] =
    "[]\n0\n1\n169->130:1\n[0x169]\n6\n130-13f:1\n13c-13f:1\n13c-143:2\n148-148:1\n14a-152:2\n14d-152:1\n4\n"
    "13f->14a:2\n143->120:2\n148->14d:1\n152->13c:4\n[0x169 @ 0x143]\n1\n120-129:1\n1\n129->148:1\n";

#define FLAT (APF_PROFGEN_NO_PREINLINER | APF_PROFGEN_NO_NESTING)

static const struct {
    struct apf_profgen_options options;
    const char *profile;
} cases[] = {
    {{.flags = APF_PROFGEN_NO_NESTING}, /* no nesting */
     "[top:3 @ mid]:13:4\n 1: 4\n 2: 2\n 3: 2 leaf:2\n 4: 2\n 5: 3\n !CFGChecksum: 281547602941152\n"
     " !Attributes: 3\n[top]:9:1\n 1: 1\n 2: 4\n 3: 4 mid:4\n 4: 0\n !CFGChecksum: 281487861612543\n"
     "[main]:1:0\n 2: 1 top:1\n !CFGChecksum: 281479271677951\n[top:3 @ mid:3 @ leaf]:1:1\n 1: 1\n"
     " !CFGChecksum: 4294967295\n !Attributes: 2\n"},
    {{.flags = APF_PROFGEN_NO_PREINLINER | APF_PROFGEN_MERGE_COLD}, /* no preinliner */
     "main:17:0\n 2: top:17\n  1: 1\n  2: 4\n  4: 0\n  3: mid:12\n   1: 4\n   2: 2\n   4: 2\n"
     "   5: 3\n   3: leaf:1\n    1: 1\n    !CFGChecksum: 4294967295\n"
     "   !CFGChecksum: 281547602941152\n   !Attributes: 1\n  !CFGChecksum: 281487861612543\n"
     " !CFGChecksum: 281479271677951\n"},
    {{.flags = FLAT | APF_PROFGEN_MERGE_COLD, .hot_count = 1 + 10}, /* cold contexts are merged */
     "[main:2 @ top:3 @ mid]:13:4\n 1: 4\n 2: 2\n 3: 2 leaf:2\n 4: 2\n 5: 3\n"
     " !CFGChecksum: 281547602941152\n !Attributes: 1\n[top]:9:1\n 1: 1\n 2: 4\n 3: 4 mid:4\n 4: 0\n"
     " !CFGChecksum: 281487861612543\n[leaf]:1:1\n 1: 1\n !CFGChecksum: 4294967295\n[main]:1:0\n"
     " 2: 1 top:1\n !CFGChecksum: 281479271677951\n"},
    {{.flags = FLAT | APF_PROFGEN_MERGE_COLD,
      .hot_count = 1 + 10,
      .cold_depth = 2}, /* two frames of them stay */
     "[main:2 @ top:3 @ mid]:13:4\n 1: 4\n 2: 2\n 3: 2 leaf:2\n 4: 2\n 5: 3\n"
     " !CFGChecksum: 281547602941152\n !Attributes: 1\n[main:2 @ top]:9:1\n 1: 1\n 2: 4\n"
     " 3: 4 mid:4\n 4: 0\n !CFGChecksum: 281487861612543\n[main]:1:0\n 2: 1 top:1\n"
     " !CFGChecksum: 281479271677951\n[mid:3 @ leaf]:1:1\n 1: 1\n !CFGChecksum: 4294967295\n"},
    {{.flags = FLAT | APF_PROFGEN_TRIM_COLD, .hot_count = 1 + 5}, /* cold contexts are left out */
     "[main:2 @ top:3 @ mid]:13:4\n 1: 4\n 2: 2\n 3: 2 leaf:2\n 4: 2\n 5: 3\n"
     " !CFGChecksum: 281547602941152\n !Attributes: 1\n[main:2 @ top]:9:1\n 1: 1\n 2: 4\n"
     " 3: 4 mid:4\n 4: 0\n !CFGChecksum: 281487861612543\n"},
    {{.flags = APF_PROFGEN_REPLAY | APF_PROFGEN_NO_NESTING}, /* what was inlined */
     "[top:3 @ mid]:13:4\n 1: 4\n 2: 2\n 3: 2 leaf:2\n 4: 2\n 5: 3\n !CFGChecksum: 281547602941152\n"
     " !Attributes: 3\n[top]:9:1\n 1: 1\n 2: 4\n 3: 4 mid:4\n 4: 0\n !CFGChecksum: 281487861612543\n"
     "[leaf]:1:1\n 1: 1\n !CFGChecksum: 4294967295\n[main]:1:0\n 2: 1 top:1\n"
     " !CFGChecksum: 281479271677951\n"},
    {{.flags = FLAT, .context_depth = 1 + 1, .hot_count = 1}, /* short contexts */
     "[top:3 @ mid]:13:4\n 1: 4\n 2: 2\n 3: 2 leaf:2\n 4: 2\n 5: 3\n !CFGChecksum: 281547602941152\n"
     " !Attributes: 1\n[main:2 @ top]:5:1\n 1: 1\n 2: 4\n 4: 0\n !CFGChecksum: 281487861612543\n"
     "[top]:4:0\n 3: 4 mid:4\n !CFGChecksum: 281487861612543\n[main]:1:0\n 2: 1 top:1\n"
     " !CFGChecksum: 281479271677951\n[mid:3 @ leaf]:1:1\n 1: 1\n !CFGChecksum: 4294967295\n"},
    {{.flags = APF_PROFGEN_MERGED_BASE}, /* functions also at the top level */
     "top:17:1\n 1: 1\n 2: 4\n 4: 0\n 3: mid:12\n  1: 4\n  2: 2\n  4: 2\n  5: 3\n  3: leaf:1\n"
     "   1: 1\n   !CFGChecksum: 4294967295\n   !Attributes: 6\n  !CFGChecksum: 281547602941152\n"
     "  !Attributes: 7\n !CFGChecksum: 281487861612543\nmid:12:4\n 1: 4\n 2: 2\n 4: 2\n 5: 3\n"
     " 3: leaf:1\n  1: 1\n  !CFGChecksum: 4294967295\n  !Attributes: 6\n"
     " !CFGChecksum: 281547602941152\n !Attributes: 3\nleaf:1:1\n 1: 1\n !CFGChecksum: 4294967295\n"
     " !Attributes: 2\nmain:1:0\n 2: 1 top:1\n !CFGChecksum: 281479271677951\n"},
};

static void test_options(void **state)
{
    struct apf_input program = pm_probed();
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct apf_profgen_options options = cases[i].options;
        options.size = sizeof options;
        pm_check(&program, APF_PROFGEN_RAW, raw, &options, cases[i].profile);
    }
}

/* Cold functions that are left out are counted. */
static void test_cold_counts(void **state)
{
    struct apf_input program = pm_probed();
    struct apf_profgen_options options = {
        .size = sizeof options, .flags = FLAT | APF_PROFGEN_TRIM_COLD, .hot_count = 1 + 5};
    struct pm_made m;
    (void)state;
    pm_make(&m, &program, APF_PROFGEN_RAW, raw, &options);
    assert_int_equal(m.code, APF_OK);
    assert_int_equal(m.funnel.contexts_cold, 2);        /* main and leaf */
    assert_int_equal(m.funnel.contexts_cold_counts, 2); /* once each */
    assert_int_equal(m.funnel.contexts_dropped, 0);
    pm_free(&m);
}

/* Counts are as large as they can be where ranges overlap. */
static void test_largest(void **state)
{
    struct apf_input program = pm_probed();
    (void)state;
    pm_check(&program, APF_PROFGEN_RAW, "2\n120-129:18446744073709551615\n120-128:18446744073709551615\n0\n",
             NULL,
             "leaf:18446744073709551615:18446744073709551615\n 1: 18446744073709551615\n"
             " !CFGChecksum: 4294967295\n");
}

TEST_FILE(profgen_contexts)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_options), cmocka_unit_test(test_cold_counts),
                                       cmocka_unit_test(test_largest)};
    return RUN_TESTS(tests);
}

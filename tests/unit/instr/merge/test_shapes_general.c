/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that must not take the fast path of the merge although they resemble files that may: each difference alone. */
#include "helpers/shared/merge_memory.h"
#include "helpers/shared/raw_runs.h"

#include <string.h>

/* ---- another binary ---- */

static void test_other_records(void **state)
{
    (void)state;
    for (unsigned what = 0; what < 8; what++) {
        struct runs r;
        make_runs(&r, 6, 10, 8, false);
        for (size_t i = 0; i < r.n; i++) /* a and b take turns: a b a b a b */
            if (i % 2) {
                struct rb_function *f = r.functions[i];
                f[0].hash ^= what == 0;
                f[2].name = what == 1 ? "a.c:other" : f[2].name;
                f[1].n_sites[1] = what == 2 ? 0 : f[1].n_sites[1];
                f[0].n_counts -= what == 3;
                f[0].n_bitmap -= what == 4;
                f[1].gap += what == 5;
                f[1].address += what == 6 ? 16 : 0;
                f[1].address = what == 7 ? 0 : f[1].address;
            }
        assert_int_equal(merge_runs(&r), 4); /* each is learnt once */
        for (size_t i = 0; i < r.n; i++)
            r.profiles[i].zlib = 1;
        assert_int_equal(merge_runs(&r), 4);
        free_runs(&r);
    }
}

/* Names that no record has are part of what is compared: the producers are judged by them. */
static void test_other_names(void **state)
{
    (void)state;
    static const char *const more[] = {"a.c;inline"};
    struct runs r;
    make_runs(&r, 6, 10, 8, false);
    for (size_t i = 1; i < r.n; i += 2) {
        r.profiles[i].more_names = more;
        r.profiles[i].n_more_names = 1;
    }
    assert_int_equal(merge_runs(&r), 4);
    free_runs(&r);
}

static void test_other_tables(void **state)
{
    (void)state;
    static const struct rb_vtable changed[4][2] = {
        {{"_ZTV1A", 0x8000, 0x20}, {"_ZTV1C", 0x8020, 0x10}}, /* name */
        {{"_ZTV1A", 0x8000, 0x20}, {"_ZTV1B", 0x8020, 0x18}}, /* size */
        {{"_ZTV1A", 0x8000, 0x20}, {"_ZTV1B", 0x8030, 0x10}}, /* address */
        {{"_ZTV1A", 0, 0x20}, {"_ZTV1B", 0x8020, 0x10}},      /* none */
    };
    for (size_t what = 0; what < COUNT(changed); what++)
        for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
            struct runs r;
            make_runs(&r, 6, 10, bytes, false);
            for (size_t i = 1; i < r.n; i += 2)
                r.profiles[i].vtables = changed[what];
            assert_int_equal(merge_runs(&r), 4);
            free_runs(&r);
        }
}

/* A header that says something else. */
static void test_other_headers(void **state)
{
    (void)state;
    for (unsigned what = 0; what < 6; what++) {
        struct runs r;
        make_runs(&r, 6, 10, 8, false);
        for (size_t i = 1; i < r.n; i += 2) {
            struct rb_profile *p = &r.profiles[i];
            p->version = what == 0 ? 9 : 10;
            p->bytes = what == 1 ? 4 : 8;
            p->big = what == 2;
            p->variant = what == 3 ? RB_IR : what == 4 ? RB_LOOP_ENTRIES : 0;
            p->distance = what == 5 ? 0x5000 : 0;
            p->load &= UINT32_MAX;
        }
        assert_int_equal(merge_runs(&r), 4);
        free_runs(&r);
    }
}

/* ---- counts ---- */

/* Sums that could pass the largest count. */
static void test_room(void **state)
{
    (void)state;
    static const uint64_t bit = (uint64_t)1 << 55;
    static uint64_t large[3];
    struct runs r;
    make_runs(&r, 8, 10, 8, false);
    for (size_t i = 0; i < r.n; i++) {
        large[0] = large[1] = bit;
        r.functions[i][1].counts = large;
        r.inputs[i].weight = 100;
    }
    /* 100 * 2^55 has place 5 times below 2^64 - 3; the one for which there is no place is learnt again. */
    assert_int_equal(merge_runs(&r), 6);
    free_runs(&r);
    /* A count above 2^56 is reported, which needs the general path. */
    make_runs(&r, 3, 10, 8, true);
    for (size_t i = 0; i < r.n; i++) {
        large[0] = 2 * bit + 1;
        r.functions[i][1].counts = large;
    }
    assert_int_equal(merge_runs(&r), 0);
    free_runs(&r);
}

static void test_pseudo_counts(void **state)
{
    (void)state;
    static const uint64_t hot[] = {UINT64_MAX}, warm[] = {UINT64_MAX - 1};
    for (unsigned v = 1; v <= RB_NEWEST; v++)
        for (unsigned what = 0; what < 4; what++) {
            struct runs r;
            make_runs(&r, 5, v, 8, v & 1);
            for (size_t i = 0; i < r.n; i++)
                if (what == 0 ? i == 0 : what == 1 ? i == 4 : i % 2)
                    r.functions[i][1].counts = what == 2 ? hot : warm;
            uint64_t fast = merge_runs(&r);
            assert_int_equal(fast, what == 0 ? 4 : what == 1 ? 3 : 2);
            free_runs(&r);
        }
}

/* Counts of values that pass 2^64 - 1 are cut there, and that is counted. */
static void test_large_values(void **state)
{
    (void)state;
    static const struct rb_pair pairs[] = {{0x1040, (uint64_t)1 << 61, false},
                                           {0xbad0, (uint64_t)3 << 61, false},
                                           {0xbad8, (uint64_t)1 << 61, false},
                                           {0x1000, 1, false}};
    static const struct rb_site sites[] = {{pairs, 4}, {pairs + 3, 1}},
                                small[] = {{pairs + 3, 1}, {pairs + 3, 1}};
    for (unsigned way = 0; way < 8; way++)
        for (size_t n = 1; n <= MOST_RUNS; n++) {
            struct runs r;
            make_runs(&r, n, 10, 8, false);
            for (size_t i = 0; i < r.n; i++) {
                r.functions[i][0].sites[0] = way & 4 ? small : sites;
                r.inputs[i].weight = way & 4 ? (uint64_t)1 << 61 : way & 1 ? 3 : 1;
                for (size_t k = 0; k < 3; k++)
                    r.counts[i][k] = 0;
            }
            r.profiles[0].no_values = way & 2;
            merge_runs(&r);
            free_runs(&r);
        }
}

static void test_uniform_counters(void **state)
{
    (void)state;
    for (unsigned what = 0; what < 2; what++) {
        struct runs r;
        make_runs(&r, 6, 11, 8, false);
        for (size_t i = 0; i < r.n; i++)
            r.profiles[i].uniform = what == 0 || i % 2;
        assert_int_equal(merge_runs(&r), what == 0 ? 0 : 2);
        free_runs(&r);
    }
}

/* ---- records ---- */

static void test_skipped_records(void **state)
{
    (void)state;
    struct runs r;
    make_runs(&r, 4, 10, 8, false);
    for (size_t i = 0; i < r.n; i++) {
        r.functions[i][3].zero = true;
        r.profiles[i].n_functions = 4;
    }
    assert_int_equal(merge_runs(&r), 0);
    free_runs(&r);
}

static void test_shared_counters(void **state)
{
    (void)state;
    struct runs r;
    make_runs(&r, 4, 10, 8, false);
    for (size_t i = 0; i < r.n; i++) {
        r.functions[i][3] = r.functions[i][1];
        r.functions[i][3].name = "twin";
        r.functions[i][3].same_as = 2;
        r.profiles[i].n_functions = 4;
    }
    assert_int_equal(merge_runs(&r), 0);
    free_runs(&r);
}

/* The same function twice, each time with counters of its own: both count. */
static void test_repeated_records(void **state)
{
    (void)state;
    struct runs r;
    make_runs(&r, 4, 10, 8, false);
    for (size_t i = 0; i < r.n; i++) {
        r.functions[i][3] = r.functions[i][1];
        r.profiles[i].n_functions = 4;
    }
    merge_runs(&r);
    free_runs(&r);
}

/* What the results say the counts add up to: of the counters of functions only, and cut at 2^64 - 1. */
static void test_sums(void **state)
{
    (void)state;
    static const uint64_t bit = (uint64_t)1 << 55; /* no more: the fast path takes them */
    static uint64_t large[600];
    for (size_t i = 0; i < COUNT(large); i++)
        large[i] = bit;
    static const struct {
        uint32_t n_counts, gap;
        bool big;
        uint64_t variant, sum; /* of callee; UINT64_MAX: of all */
    } cases[] = {
        {3, 0, false, 0, 3 * bit},       {3, 70, true, 0, 3 * bit},
        {400, 200, false, 0, 400 * bit}, {511, 9, true, 0, 511 * bit},
        {512, 0, false, 0, UINT64_MAX},  {600, 1, false, 0, UINT64_MAX},
        {2, 1, false, RB_BYTES, 0},      {40, 30, true, RB_TEMPORAL, 40 * bit},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        struct runs r;
        struct merged got;
        make_runs(&r, 4, 10, 8, cases[k].big);
        for (size_t i = 0; i < r.n; i++) {
            struct rb_function *f = &r.functions[i][1];
            f->counts = large;
            f->n_counts = cases[k].n_counts;
            f->gap = cases[k].gap;
            r.profiles[i].variant = cases[k].variant;
            r.inputs[i].weight = i + 1; /* is not in it */
        }
        assert_int_equal(merge_runs(&r), 3);
        merge_memory(&got, r.inputs, r.n, (struct merge_way){0, 1, 0});
        for (size_t i = 0; i < r.n; i++) {
            uint64_t sum = cases[k].sum + 321 * (i + 1) + 7;
            if (cases[k].variant & RB_BYTES)
                sum = 6; /* all counts but one are not 0 */
            assert_true(got.fates[i].sum_of_counts == (cases[k].sum == UINT64_MAX ? UINT64_MAX : sum));
            assert_int_equal(got.fates[i].n_counters, 5 + cases[k].n_counts);
        }
        merged_free(&got);
        free_runs(&r);
    }
}

/* Two profiles in one file, each with names that the other one lacks: none is missing; in a file of its own it is. */
static void test_names_of_the_other(void **state)
{
    (void)state;
    struct runs r;
    struct rb_file both = {0};
    struct merged want, got;
    make_runs(&r, 2, 10, 8, false);
    r.functions[0][1].unnamed = true;
    r.functions[1][2].unnamed = true;
    for (size_t i = 0; i < 2; i++) {
        rb_append(&r.files[i], &r.profiles[i], NULL);
        rb_append_zeros(&both, -both.n & 7);
        rb_append(&both, &r.profiles[i], NULL);
    }
    struct apf_input inputs[6];
    for (size_t i = 0; i < COUNT(inputs); i++) {
        const struct rb_file *f = i % 3 == 2 ? &both : &r.files[i % 3];
        inputs[i] = apf_input_memory(f->data, f->n, NULL);
    }
    merge_memory(&want, inputs, COUNT(inputs), (struct merge_way){APF_MERGE_GENERAL, 1, 0});
    merge_memory(&got, inputs, COUNT(inputs), (struct merge_way){0, 1, 0});
    EXPECT_SAME_MERGE(&want, &got);
    assert_int_equal(got.stats[0].n_fast, 2);
    for (size_t i = 0; i < COUNT(inputs); i++) {
        assert_int_equal(got.fates[i].n_findings, i % 3 != 2);
        if (i % 3 != 2)
            assert_string_equal(got.fates[i].findings[0].where, "quirk.NAMELESS");
    }
    merged_free(&want);
    merged_free(&got);
    rb_free(&both);
    free_runs(&r);
}

/* ---- values ---- */

/* Value data for another number of sites than the record announces: what is there counts; where the value data is
 * missing, the announced number does. */
static void test_announced_sites(void **state)
{
    (void)state;
    for (unsigned announced = 1; announced <= 4; announced++)
        for (unsigned missing = 0; missing < 32; missing++) {
            struct runs r;
            make_runs(&r, 5, 10, 8, false);
            for (size_t i = 0; i < r.n; i++) {
                r.functions[i][0].announced = announced;
                r.profiles[i].no_values = missing >> i & 1;
            }
            merge_runs(&r);
            free_runs(&r);
        }
}

/* Addresses of a 32-bit program that have more than 32 bits, and that are a function's if these are cut off. */
static void test_wide_addresses(void **state)
{
    (void)state;
    static const uint64_t high = (uint64_t)1 << 32;
    for (unsigned v = 4; v <= RB_NEWEST; v++) {
        struct runs r;
        struct rb_pair pairs[MOST_RUNS][2];
        struct rb_site sites[MOST_RUNS][2];
        make_runs(&r, 4, v, 4, false);
        for (size_t i = 0; i < r.n; i++) {
            pairs[i][0] = (struct rb_pair){high + 0x1040 + r.profiles[i].load, 5, true};
            pairs[i][1] = (struct rb_pair){high + 0x8008 + r.profiles[i].load, 5, true};
            sites[i][0] = sites[i][1] = (struct rb_site){pairs[i], 2};
            r.functions[i][0].sites[0] = r.functions[i][0].sites[2] = sites[i];
        }
        merge_runs(&r);
        free_runs(&r);
    }
}

/* Vtables at the end of the address space, where the program was loaded in some runs. */
static void test_vtables_at_the_end(void **state)
{
    (void)state;
    static const struct rb_pair low[] = {{4, 7, true}, {0, 2, true}, {0x8004, 1, false}, {0x8028, 1, false}};
    static const struct rb_site site = {low, 4};
    for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
        struct runs r;
        make_runs(&r, 5, 10, bytes, false);
        for (size_t i = 0; i < r.n; i++) {
            /* The second vtable lies across the end, or the first one. */
            r.profiles[i].load = i % 2 ? -(uint64_t)0x8028 : i == 4 ? -(uint64_t)0x8010 : 0x1000 * i;
            r.functions[i][0].sites[2] = &site;
            for (size_t f = 0; f < 3; f++)
                r.functions[i][f].address = 0;
        }
        merge_runs(&r);
        free_runs(&r);
    }
}

/* ---- damaged files ---- */

/* A file that is refused decides nothing, not even the kind of the profile. */
static void test_refused_first(void **state)
{
    (void)state;
    static const uint64_t variants[][2] = {
        {RB_BYTES, 0}, {0, RB_BYTES | RB_IR}, {RB_IR | RB_ENTRY_ONLY, RB_IR | RB_ENTRY_FIRST}};
    for (size_t k = 0; k < COUNT(variants); k++) {
        struct runs r;
        struct merged want, got;
        make_runs(&r, 4, 10, 8, false);
        for (size_t i = 0; i < r.n; i++) {
            r.profiles[i].variant = variants[k][i > 0];
            rb_append(&r.files[i], &r.profiles[i], NULL);
            r.inputs[i] = apf_input_memory(r.files[i].data, r.files[i].n, NULL);
        }
        r.inputs[0].n -= 24; /* its value data is cut */
        merge_memory(&want, r.inputs, r.n, (struct merge_way){APF_MERGE_GENERAL, 1, 0});
        assert_int_equal(want.stats[0].n_rejected, 1);
        assert_int_equal(want.stats[0].n_merged, 3);
        merge_memory(&got, r.inputs, r.n, (struct merge_way){0, 1, 0});
        EXPECT_SAME_MERGE(&want, &got);
        merged_free(&want);
        merged_free(&got);
        free_runs(&r);
    }
}

TEST_FILE(shapes_general)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_records),
        cmocka_unit_test(test_other_names),
        cmocka_unit_test(test_other_tables),
        cmocka_unit_test(test_other_headers),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_pseudo_counts),
        cmocka_unit_test(test_large_values),
        cmocka_unit_test(test_uniform_counters),
        cmocka_unit_test(test_skipped_records),
        cmocka_unit_test(test_shared_counters),
        cmocka_unit_test(test_repeated_records),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_names_of_the_other),
        cmocka_unit_test(test_announced_sites),
        cmocka_unit_test(test_wide_addresses),
        cmocka_unit_test(test_vtables_at_the_end),
        cmocka_unit_test(test_refused_first),
    };
    return RUN_TESTS(tests);
}

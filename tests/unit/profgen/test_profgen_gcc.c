/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What profiles for GCC are made of. Whole profiles are compared with create_gcov's by tests/oracle/profgen_gcc.py. */
#include <string.h>

#include <anyprof/profgen.h>

#include "profgen/profgen_gcc_hits.h"
#include "profgen/profgen_gcc_lines.h"
#include "profgen/profgen_gcc_places.h"
#include "profgen/profgen_gcc_producer.h"

#include "helpers/shared/unit.h"

static const struct sample_release *release_of(const char *target)
{
    struct apf_sample_target t;
    assert_int_equal(apf_sample_target_parse(target, &t, NULL), APF_OK);
    return sample_target_row(&t);
}

/* Instructions that begin no statement count only for lines that have no others, those that follow what is after a call
 * only for lines that stand elsewhere, too. Calls that were seen count for lines that did not run otherwise. */
static void test_lines(void **state)
{
    static const struct {
        uint64_t at, count;
        uint32_t of;
        enum profgen_gcc_role role;
    } added[] = {
        {7, 4688, 0, PROFGEN_GCC_OTHER},    {7, 937, 0, PROFGEN_GCC_STATEMENT},
        {7, 900, 0, PROFGEN_GCC_STATEMENT}, {8, 50, 0, PROFGEN_GCC_OTHER},
        {8, 60, 0, PROFGEN_GCC_CHANGES},    {7, 1, 1, PROFGEN_GCC_OTHER},
        {9, 5, 1, PROFGEN_GCC_RESUMES},     {9, 0, 1, PROFGEN_GCC_STATEMENT},
        {3, 10, 2, PROFGEN_GCC_RESUMES},    {3, 200, 2, PROFGEN_GCC_OTHER},
        {3, 9, 2, PROFGEN_GCC_RESUMES},     {4, 10, 2, PROFGEN_GCC_RESUMES},
        {4, 200, 2, PROFGEN_GCC_OTHER},     {4, 90, 2, PROFGEN_GCC_CHANGES},
        {4, 999, 2, PROFGEN_GCC_CALLED},    {5, 20, 2, PROFGEN_GCC_CALLED},
        {5, 30, 2, PROFGEN_GCC_CALLED},     {6, 40, 2, PROFGEN_GCC_CALLED},
        {6, 0, 2, PROFGEN_GCC_STATEMENT},
    };
    static const uint64_t expected[] = {937, 60, 1, 0, 10, 200, 30, 40};
    struct profgen_gcc_lines lines = {.list = {NULL, 0, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(added); i++)
        assert_int_equal(
            profgen_gcc_lines_add(&lines, added[i].of, added[i].at, added[i].count, added[i].role, NULL),
            APF_OK);
    assert_int_equal(lines.list.n, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_int_equal(profgen_gcc_line_count(&lines.list.data[i]), expected[i]);
    profgen_gcc_lines_free(&lines);
}

static void test_hits(void **state)
{
    struct profgen_hits hits = {.list = {NULL, 0, 0}};
    (void)state;
    assert_int_equal(profgen_hits_add(&hits, 0x1000, 1, 0, NULL), APF_OK);
    assert_int_equal(profgen_hits_add(&hits, 0x1000, 2, 70, NULL), APF_OK);
    assert_int_equal(profgen_hits_add(&hits, 0x2000, UINT64_MAX, 5, NULL), APF_OK);
    assert_int_equal(profgen_hits_add(&hits, 0x1000, 0, 60, NULL), APF_OK);
    assert_int_equal(profgen_hits_add(&hits, 0x2000, 9, 8, NULL), APF_OK);
    assert_int_equal(hits.list.n, 2);
    assert_int_equal(hits.list.data[0].count, 3);
    assert_int_equal(hits.list.data[0].time, 60);
    assert_int_equal(hits.list.data[1].count, UINT64_MAX);
    assert_int_equal(hits.list.data[1].time, 5);
    profgen_hits_free(&hits);
}

/* Clones are the function that they are copies of; other suffixes stay for GCC 16, which looks for them. */
static void test_names(void **state)
{
    static const struct {
        const char *name, *gcc_12, *gcc_16;
    } rows[] = {
        {"f", "f", "f"},
        {"f.constprop.0.isra.1.cold", "f", "f"},
        {"f.part.3", "f", "f"},
        {"main._omp_fn.0", "main", "main._omp_fn.0"},
        {"_ZN1aC4Ev", "_ZN1aC2Ev", "_ZN1aC2Ev"},
        {"_ZN1aD4Ev.cold", "_ZN1aD2Ev", "_ZN1aD2Ev"},
        {".cold", ".cold", ".cold"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sample_names names = {.list = {NULL, 0, 0}};
        struct apf_str text = {rows[i].name, strlen(rows[i].name)};
        uint32_t n;
        assert_int_equal(profgen_gcc_name(&names, release_of("gcc-12"), text, SAMPLE_NONE, &n, NULL), APF_OK);
        assert_true(text_is(sample_names_text(&names, n), rows[i].gcc_12));
        assert_int_equal(profgen_gcc_name(&names, release_of("gcc-16"), text, SAMPLE_NONE, &n, NULL), APF_OK);
        assert_true(text_is(sample_names_text(&names, n), rows[i].gcc_16));
        sample_names_free(&names);
    }
}

/* Of the discriminators of spec and docs: 65538 is copy 2 of 2, 99328 copy 3 and 4 times. */
static void test_discriminators(void **state)
{
    static const struct {
        uint32_t discriminator, gcc_12, gcc_13, gcc_16;
    } rows[] = {{0, 0, 0, 0}, {7, 0, 7, 7}, {300, 0, 300, 44}, {65538, 0, 65538, 2}, {99328, 0, 99328, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t at = sample_place(11, rows[i].discriminator);
        assert_int_equal(profgen_gcc_place_plain(release_of("gcc-12"), at), sample_place(11, rows[i].gcc_12));
        assert_int_equal(profgen_gcc_place_plain(release_of("gcc-15"), at), sample_place(11, rows[i].gcc_13));
        assert_int_equal(profgen_gcc_place_plain(release_of("gcc-16"), at), sample_place(11, rows[i].gcc_16));
    }
}

/* GCC up to 12 ignores discriminators, in which releases differ. */
static void test_producers(void **state)
{
    static const struct {
        const char *text;
        enum profgen_producer gcc_11, gcc_13;
    } rows[] = {
        {"", PROFGEN_PRODUCER_UNKNOWN, PROFGEN_PRODUCER_UNKNOWN},
        {"GNU AS 2.40", PROFGEN_PRODUCER_UNKNOWN, PROFGEN_PRODUCER_UNKNOWN},
        {"GNU C17 12.2.0 -mtune=generic -O2", PROFGEN_PRODUCER_SAME, PROFGEN_PRODUCER_OTHER},
        {"GNU C++14 5.4.0", PROFGEN_PRODUCER_SAME, PROFGEN_PRODUCER_OTHER},
        {"GNU GIMPLE 13.1.0 -O2", PROFGEN_PRODUCER_OTHER, PROFGEN_PRODUCER_SAME},
        {"GNU C11 130.2", PROFGEN_PRODUCER_OTHER, PROFGEN_PRODUCER_OTHER},
        {"GNU C", PROFGEN_PRODUCER_OTHER, PROFGEN_PRODUCER_OTHER},
        {"Debian clang version 16.0.6", PROFGEN_PRODUCER_OTHER, PROFGEN_PRODUCER_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(profgen_producer_of(rows[i].text, release_of("gcc-11")), rows[i].gcc_11);
        assert_int_equal(profgen_producer_of(rows[i].text, release_of("gcc-13")), rows[i].gcc_13);
    }
}

static void test_target(void **state)
{
    struct apf_profgen_options options = {.size = sizeof options, .target = {APF_SAMPLE_FOR_GCC, 99}};
    struct apf_input input = apf_input_file("absent");
    struct apf_profgen *profgen;
    struct apf_error error;
    (void)state;
    assert_int_equal(apf_profgen_open(&profgen, &input, &options, &error), APF_ARGUMENT);
    assert_string_equal(error.where, "apf_profgen_options.target");
    assert_int_equal(apf_sample_target_parse("gcc-16", &options.target, &error), APF_OK);
    assert_int_equal(apf_profgen_open(&profgen, &input, &options, &error), APF_IO);
}

TEST_FILE(profgen_gcc)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),  cmocka_unit_test(test_hits),
        cmocka_unit_test(test_names),  cmocka_unit_test(test_discriminators),
        cmocka_unit_test(test_target), cmocka_unit_test(test_producers),
    };
    return RUN_TESTS(tests);
}

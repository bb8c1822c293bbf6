/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing GCC's profiles: bytes of every layout. */
#include "sample/gcc/sample_gcc_write.h"

#include "helpers/shared/gcc_build.h"
#include "helpers/shared/gcc_memory.h"
#include "helpers/shared/sample_render.h"
#include "helpers/shared/unit.h"

static const struct sample_gcc_losses no_losses;

/* Written by autofdo 0.19: profile_merger --gcov_version=1. The working sets after it are its own. */
static const char golden[] = "\x61\x64\x63\x67\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xaa"
                             "\x0d\x00\x00\x00\x05\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"
                             "\x01\x00\x00\x00\x61\x64\x64\x00\x02\x00\x00\x00\x6d\x61\x69\x6e"
                             "\x00\x00\x00\x00\x01\x00\x00\x00\x6d\x75\x6c\x00\x02\x00\x00\x00"
                             "\x77\x6f\x72\x6b\x00\x00\x00\x00\x00\x00\x00\xac\x47\x00\x00\x00"
                             "\x03\x00\x00\x00\x84\x03\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00"
                             "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
                             "\x84\x03\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"
                             "\x02\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00"
                             "\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00"
                             "\x04\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"
                             "\x01\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x02\x00\x00\x00"
                             "\x02\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x01\x00\x00\x00"
                             "\x00\x00\x00\x00\x03\x00\x07\x00\x02\x00\x00\x00\x84\x03\x00\x00"
                             "\x00\x00\x00\x00\x07\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"
                             "\x58\x02\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x03\x00\x00\x00"
                             "\x00\x00\x00\x00\x2c\x01\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00"
                             "\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
                             "\x00\x00\x00\x00\x64\x00\x00\x00\x00\x00\x00\x00\x01\x00\x05\x00"
                             "\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"
                             "\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00"
                             "\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
                             "\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xae"
                             "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xaf\x80\x01\x00\x00";

/* What autofdo wrote is read and written again. */
static void test_golden(void **state)
{
    struct apf_buffer in = {NULL, 0, 0}, out = {NULL, 0, 0};
    struct sample_gcc_losses losses;
    struct sample_gcc_options o = gcc_options_of("1");
    (void)state;
    assert_int_equal(apf_buffer_write(&in, golden, sizeof golden - 1), 0);
    struct apf_sample *s = gcc_read_buffer(&in);
    assert_string_equal(sample_render(s),
                        "add:900:900\n 0: 900\nmain:1:1\n 2: 1 work:1\n"
                        "work:1014:1\n 2: 1\n 7.3: 900 add:600 mul:300\n 5: mul:100\n  0: 100\n"
                        " 5.1: add:13\n  0: 7\n  1: mul:6\n   0: 6\n");
    assert_int_equal(gcc_write_buffer(s, &o, &out, &losses, NULL), APF_OK);
    assert_int_equal(out.n, sizeof golden - 1 + 1536);
    assert_memory_equal(out.data, golden, sizeof golden - 1);
    assert_memory_equal(&losses, &no_losses, sizeof losses);
    sample_free(s);
    apf_buffer_free(&in);
    apf_buffer_free(&out);
}

static const char *const names[] = {"", "add", "main", "mul", "work"};
static const char *const files[] = {"src/a.c", "src/b.c"};
static const uint32_t name_files[] = {UINT32_MAX, 1, 0, UINT32_MAX, 0};
static const struct gb_line hot[] = {{0, 0, 900, NULL, 0}}, warm[] = {{0, 0, 100, NULL, 0}};
static const struct gb_node add_node = {1, hot, 1, NULL, 0}, mul_node = {3, warm, 1, NULL, 0};
static const struct gb_target to_work[] = {{4, 1}}, to_add[] = {{1, 600}, {3, 300}};
static const struct gb_line main_lines[] = {{2, 0, 1, to_work, 1}, {3, 0, 1, NULL, 0}};
static const struct gb_node main_node = {2, main_lines, 2, NULL, 0};
static const struct gb_line work_lines[] = {{2, 0, 1, NULL, 0},
                                            {3, 0, 1000, NULL, 0},
                                            {4, 0, 1000, NULL, 0},
                                            {7, 0, 900, to_add, 2},
                                            {65535, 65535, 1, NULL, 0}};
static const struct gb_call work_calls[] = {{5, 2, &mul_node}};
static const struct gb_node work_node = {4, work_lines, 5, work_calls, 1};
static const struct gb_function functions[] = {
    {900, &add_node, 0}, {1, &main_node, 801840661248321}, {0x123456789, &work_node, 5}};
/* Counts 1000, 1000, 900, 900, 100, 1, 1, 1, 1: their sum is 3904. */
static const uint64_t counts[] = {1000, 1000, 900, 900, 100, 1, 1, 1, 1};
static const struct gb_row rows[] = {
    {10000, 1000, 2},  {100000, 1000, 2}, {200000, 1000, 2}, {300000, 1000, 2},
    {400000, 1000, 2}, {500000, 1000, 2}, {600000, 900, 4},  {700000, 900, 4},
    {800000, 900, 4},  {900000, 900, 4},  {950000, 900, 4},  {990000, 100, 5},
    {999000, 100, 5},  {999900, 1, 9},    {999990, 1, 9},    {999999, 1, 9}};

/* Sets of the counts above: the fewest of them, from the first on, that make up k / 129 of the sum. */
static void make_sets(struct gb_set sets[128])
{
    for (uint64_t k = 1; k <= 128; k++) {
        uint64_t sum = 0;
        uint32_t n = 0;
        while (n == 0 || sum < 3904 * k / 129)
            sum += counts[n++];
        sets[k - 1].n = n;
        sets[k - 1].min = counts[n - 1];
    }
}

static struct gb_profile whole_profile(unsigned layout, bool big, const struct gb_set *sets)
{
    struct gb_profile p = {.layout = gb_layouts[layout],
                           .big = big,
                           .files = files,
                           .n_files = 2,
                           .names = names,
                           .name_files = name_files,
                           .n_names = 5,
                           .functions = functions,
                           .n_functions = 3,
                           .tail = GB_WORKING_SET,
                           /* 1 + 2 + 2 + 3 + 2 + 3, and 1 + 3 * 2 + 4 * 3 + 9 * 4 + 1 + 3 * 5 */
                           .names_length = 13,
                           .functions_length = 71,
                           .modules_length = layout < 2,
                           .summary = {3904, 1000, 0x123456789, 9, 3, rows, COUNT(rows)},
                           .sets = sets};
    return p;
}

/* Every layout byte for byte, in both orders; what was read from it is the same. */
static void test_layouts(void **state)
{
    struct gb_set sets[128];
    (void)state;
    make_sets(sets);
    assert_int_equal(sets[127].n, 5); /* 3873 */
    for (unsigned i = 0; i < 2 * GB_LAYOUTS; i++) {
        struct gb_profile p = whole_profile(i / 2, i % 2 != 0, sets);
        struct apf_buffer expected = {NULL, 0, 0}, out = {NULL, 0, 0};
        struct sample_gcc_losses losses;
        struct sample_gcc_options o = gcc_options_of(p.layout.name);
        o.big_endian = p.big;
        gb_append(&expected, &p);
        struct apf_sample *s = gcc_read_buffer(&expected);
        assert_int_equal(gcc_write_buffer(s, &o, &out, &losses, NULL), APF_OK);
        assert_int_equal(out.n, expected.n);
        assert_memory_equal(out.data, expected.data, out.n);
        assert_memory_equal(&losses, &no_losses, sizeof losses);
        sample_free(s);
        apf_buffer_free(&expected);
        apf_buffer_free(&out);
    }
}

static void test_empty(void **state)
{
    static const struct gb_row none[] = {{10000, 0, 0},  {100000, 0, 0}, {200000, 0, 0}, {300000, 0, 0},
                                         {400000, 0, 0}, {500000, 0, 0}, {600000, 0, 0}, {700000, 0, 0},
                                         {800000, 0, 0}, {900000, 0, 0}, {950000, 0, 0}, {990000, 0, 0},
                                         {999000, 0, 0}, {999900, 0, 0}, {999990, 0, 0}, {999999, 0, 0}};
    static const struct gb_summary nothing = {0, 0, 0, 0, 0, none, COUNT(none)};
    (void)state;
    for (unsigned i = 0; i < GB_LAYOUTS; i++) {
        struct gb_profile p = whole_profile(i, false, NULL);
        struct apf_buffer expected = {NULL, 0, 0}, out = {NULL, 0, 0};
        struct sample_gcc_losses losses;
        struct sample_gcc_options o = gcc_options_of(p.layout.name);
        struct apf_sample *s = sample_new();
        p.n_functions = p.n_files = 0;
        p.n_names = 1;
        p.names_length = 3;
        p.functions_length = 1;
        p.summary = nothing;
        gb_append(&expected, &p);
        assert_int_equal(gcc_write_buffer(s, &o, &out, &losses, NULL), APF_OK);
        assert_int_equal(out.n, i == 0 ? 1600 : expected.n); /* the mark of empty profiles in bug reports */
        assert_int_equal(out.n, expected.n);
        assert_memory_equal(out.data, expected.data, out.n);
        sample_free(s);
        apf_buffer_free(&expected);
        apf_buffer_free(&out);
    }
}

static void test_releases(void **state)
{
    static const struct {
        const char *target, *layout;
        bool plain_lines, no_targets;
        enum gcc_suffixes suffixes;
    } cases[] = {
        {"gcc-5", "1", true, false, GCC_SUFFIXES_ALL},   {"gcc-9", "1", true, false, GCC_SUFFIXES_ALL},
        {"gcc-10", "1", true, true, GCC_SUFFIXES_ALL},   {"gcc-11", "1", true, true, GCC_SUFFIXES_ALL},
        {"gcc-12", "2", true, false, GCC_SUFFIXES_ALL},  {"gcc-13", "2", false, false, GCC_SUFFIXES_ALL},
        {"gcc-15", "2", false, false, GCC_SUFFIXES_ALL}, {"gcc-16", "3", false, false, GCC_SUFFIXES_CLONES}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct apf_sample_target target;
        assert_int_equal(apf_sample_target_parse(cases[i].target, &target, NULL), APF_OK);
        struct sample_gcc_options o = sample_gcc_options_for(sample_target_row(&target));
        assert_string_equal(o.layout->name, cases[i].layout);
        assert_int_equal(o.plain_lines, cases[i].plain_lines);
        assert_int_equal(o.no_targets, cases[i].no_targets);
        assert_int_equal(o.suffixes, cases[i].suffixes);
        assert_true(o.constructors && !o.big_endian);
    }
}

TEST_FILE(sample_gcc_write)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_releases),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The output of show; the oracle suite parity_show.py compares all of it with LLVM's tool. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/show.h>

#include "base/text_append.h"
#include "helpers/shared/unit.h"

static struct apf_instr *open_text(const char *text)
{
    struct apf_instr *instr;
    struct apf_input input = apf_input_memory(text, strlen(text), "text");
    assert_int_equal(apf_instr_open(&instr, &input, NULL, NULL), APF_OK);
    return instr;
}

static void expect(struct apf_instr *instr, struct apf_instr_print_options options, const char *expected)
{
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    options.size = sizeof options;
    assert_int_equal(apf_instr_print(instr, &options, &output, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    assert_string_equal(buffer.data, expected);
    apf_buffer_free(&buffer);
}

static const char text[] =
    ":ir\nmain\n0x1f\n2\n100\n5\n1\n0\n3\n2\nfoo:3\nbar:6\n0\n1\nfoo:18446744073709551613\n\n"
    "foo\n10\n1\n7\n1\n1\n1\n2\n8:1\n70000:2\n";

#define TAIL                                                                                                 \
    "Total functions: 2\nMaximum function count: 100\nMaximum internal block count: 5\n"                     \
    "Total number of blocks: 3\nTotal count: 112\n"
#define LEVEL "Instrumentation level: IR  entry_first = 0  instrument_loop_entries = 0\n"

static void test_functions(void **state)
{
    (void)state;
    struct apf_instr *instr = open_text(text);
    struct apf_instr_print_options options = {.size = sizeof options,
                                              .flags = APF_INSTR_PRINT_ALL_FUNCTIONS |
                                                       APF_INSTR_PRINT_COUNTS | APF_INSTR_PRINT_IC_TARGETS |
                                                       APF_INSTR_PRINT_MEMOP_SIZES};
    expect(
        instr, options,
        "Counters:\n  main:\n    Hash: 0x000000000000001f\n    Counters: 2\n    Indirect Call Site Count: 3\n"
        "    Block counts: [100, 5]\n    Indirect Target Results:\n\t[  0, foo,          3 ] (33.33%)\n"
        "\t[  0, bar,          6 ] (66.67%)\n\t[  2, foo,         -3 ] (100.00%)\n"
        "  foo:\n    Hash: 0x000000000000000a\n    Counters: 1\n    Indirect Call Site Count: 0\n"
        "    Number of Memory Intrinsics Calls: 1\n    Block counts: [7]\n    Indirect Target Results:\n"
        "    Memory Intrinsic Size Results:\n\t[  0,    8,          1 ] (33.33%)\n"
        "\t[  0, 70000,          2 ] (66.67%)\n" LEVEL "Functions shown: 2\n" TAIL
        "Statistics for indirect call sites profile:\n  Total number of sites: 3\n"
        "  Total number of sites with values: 2\n  Total number of profiled values: 3\n"
        "  Value sites histogram:\n\tNumTargets, SiteCount\n\t1, 1\n\t2, 1\n"
        "Statistics for memory intrinsic calls sizes profile:\n  Total number of sites: 1\n"
        "  Total number of sites with values: 1\n  Total number of profiled values: 2\n"
        "  Value sites histogram:\n\tNumTargets, SiteCount\n\t2, 1\n");
    apf_instr_close(instr);
}

/* Any order, any number, repeated; also beyond all there is. */
static void test_cutoffs(void **state)
{
    (void)state;
    static const uint32_t cutoffs[] = {4294967295u, 990000, 1, 900000, 1, 123456, 1234567, 333333};
    struct apf_instr *instr = open_text(text);
    struct apf_instr_print_options options = {.size = sizeof options,
                                              .flags = APF_INSTR_PRINT_DETAILED_SUMMARY |
                                                       APF_INSTR_PRINT_HOT_FUNCTIONS,
                                              .cutoffs = cutoffs,
                                              .n_cutoffs = sizeof cutoffs / sizeof *cutoffs};
    expect(instr, options,
           LEVEL TAIL "# Hot count threshold: 5\nmain\nfoo\nDetailed summary:\n"
                      "0 blocks (0.00%) with count >= 0 account for 0.0001% of the total counts.\n"
                      "0 blocks (0.00%) with count >= 0 account for 0.0001% of the total counts.\n"
                      "1 blocks (33.33%) with count >= 100 account for 12.3456% of the total counts.\n"
                      "1 blocks (33.33%) with count >= 100 account for 33.3333% of the total counts.\n"
                      "1 blocks (33.33%) with count >= 100 account for 90% of the total counts.\n"
                      "3 blocks (100.00%) with count >= 5 account for 99% of the total counts.\n"
                      "3 blocks (100.00%) with count >= 5 account for 123.457% of the total counts.\n"
                      "3 blocks (100.00%) with count >= 5 account for 429497% of the total counts.\n");
    options.cutoffs = cutoffs + 2;
    options.n_cutoffs = 1;
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_error error;
    assert_int_equal(apf_instr_print(instr, &options, &output, &error), APF_ARGUMENT);
    assert_string_equal(error.where, "show.options.cutoffs");
    assert_int_equal(buffer.n, 0);
    apf_instr_close(instr);
}

/* Functions that are not shown as text go on to the lists. */
static void test_text_and_lists(void **state)
{
    (void)state;
    struct apf_instr *instr = open_text(text);
    struct apf_instr_print_options options = {.size = sizeof options,
                                              .flags = APF_INSTR_PRINT_TEXT | APF_INSTR_PRINT_COVERED,
                                              .function = {"fo", 2}};
    static const char foo[] =
        "foo\n# Func Hash:\n10\n# Num Counters:\n1\n# Counter Values:\n7\n# Num Value Kinds:\n1\n"
        "# ValueKind = IPVK_MemOPSize:\n1\n# NumValueSites:\n1\n2\n8:1\n70000:2\n\n";
    char expected[400];
    snprintf(expected, sizeof expected, ":ir\nmain\n%s", foo);
    expect(instr, options, expected);
    options.flags = APF_INSTR_PRINT_TEXT | APF_INSTR_PRINT_BELOW_CUTOFF;
    options.value_cutoff = 101;
    snprintf(expected, sizeof expected, ":ir\n  main: (Max = 100 Sum = 105)\n%s", foo);
    expect(instr, options, expected);
    options.flags = APF_INSTR_PRINT_TEXT;
    options.function.n = 0;
    expect(instr, options, ":ir\n");
    apf_instr_close(instr);
}

/* As printf, which rounds what is exactly half to the even digit. */
static void test_two_decimals(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (unsigned i = 0; i < 200000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        double v = (double)(random >> 40) / (double)(1u << (random & 31));
        static const double special[] = {0,
                                         0.005,
                                         0.015,
                                         0.125,
                                         0.375,
                                         1e-300,
                                         4.9e-324,
                                         100,
                                         99.995,
                                         1e15,
                                         1e16,
                                         9007199254740994,
                                         1.8446744073709552e21,
                                         0.5,
                                         2.5,
                                         1e-3};
        if (i < sizeof special / sizeof *special)
            v = special[i];
        char expected[64];
        struct apf_buffer buffer = {0};
        struct apf_output output = apf_output_buffer(&buffer);
        struct file_out *out;
        if (i >= 2000 && i % 100)
            continue;
        snprintf(expected, sizeof expected, "%.2f", v);
        assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
        text_fixed(out, v, 2, 0);
        assert_int_equal(file_out_close(out, true, NULL), APF_OK);
        assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
        assert_string_equal(buffer.data, expected);
        apf_buffer_free(&buffer);
    }
}

TEST_FILE(show)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions), cmocka_unit_test(test_cutoffs),
                                       cmocka_unit_test(test_text_and_lists),
                                       cmocka_unit_test(test_two_decimals)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What show prints of sample profiles. The expected texts are those of llvm-profdata-22, except where the comment of a
 * test says so; on real files and with random ones they are compared in tests/oracle. */
#include "helpers/shared/sample_random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_views.h>

#include "helpers/shared/fault.h"

static const char nested[] = "main:1000:1\n"
                             " 1: 700\n"
                             " 2.3: 300 foo:200 bar:100\n"
                             " 2.3: vtables _ZTV1B:4 _ZTV1A:3 \n"
                             " 9: 5 z:2 a:2 m:3\n"
                             " 10: inl:90\n"
                             "  1: 50\n"
                             "  3: deeper:40\n"
                             "   1: 40\n"
                             " 10: also:7\n"
                             " 10: vtables _ZTVx:1 \n"
                             "foo:20:9\n"
                             "zed:20:5\n"
                             " 1: 20\n";
static const char cs[] = "[main]:100:2\n"
                         " 1: 30\n"
                         " 2: zz:5\n"
                         "  1: 3\n"
                         "  !CFGChecksum: 5\n"
                         " !CFGChecksum: 78\n"
                         "[main:1 @ foo]:50:3\n"
                         " 1: 50\n"
                         " !CFGChecksum: 77\n"
                         "[main:2.5 @ foo:1 @ bar]:30:0\n"
                         " 4: 30\n"
                         " !CFGChecksum: 12\n"
                         "[foo]:9:4\n"
                         " 1: 7\n"
                         " !CFGChecksum: 77\n";
static const char odd[] = "b\\\"s\xffx\xe2\x82:18446744073709551615:5\n"
                          " 1: 9223372036854775809 ta\tb\x01:3\n"
                          " 70: x\xf0\x90\x80y\xed\xa0\x80:7\n"
                          "\x7f\xc2\x85:5:5\n";
static const char nested_shown[] = "Function: main: 1000, 1, 3 sampled lines\n"
                                   "Samples collected in the function's body {\n"
                                   "  1: 700\n"
                                   "  2.3: 300, calls: foo:200 bar:100\n"
                                   "  2.3: vtables: _ZTV1A:3 _ZTV1B:4 \n"
                                   "  9: 5, calls: m:3 a:2 z:2\n"
                                   "}\n"
                                   "Samples collected in inlined callsites {\n"
                                   "  10: inlined callee: also: 7, 0, 0 sampled lines\n"
                                   "    No samples collected in the function's body\n"
                                   "    No inlined callsites in this function\n"
                                   "  10: inlined callee: inl: 90, 0, 1 sampled lines\n"
                                   "    Samples collected in the function's body {\n"
                                   "      1: 50\n"
                                   "    }\n"
                                   "    Samples collected in inlined callsites {\n"
                                   "      3: inlined callee: deeper: 40, 0, 1 sampled lines\n"
                                   "        Samples collected in the function's body {\n"
                                   "          1: 40\n"
                                   "        }\n"
                                   "        No inlined callsites in this function\n"
                                   "    }\n"
                                   "  10: vtables: _ZTVx:1 \n"
                                   "}\n"
                                   "Function: foo: 20, 9, 0 sampled lines\n"
                                   "No samples collected in the function's body\n"
                                   "No inlined callsites in this function\n"
                                   "Function: zed: 20, 5, 1 sampled lines\n"
                                   "Samples collected in the function's body {\n"
                                   "  1: 20\n"
                                   "}\n"
                                   "No inlined callsites in this function\n";
static const char nested_json[] = "[\n"
                                  "  {\n"
                                  "    \"name\": \"main\",\n"
                                  "    \"total\": 1000,\n"
                                  "    \"head\": 1,\n"
                                  "    \"body\": [\n"
                                  "      {\n"
                                  "        \"line\": 1,\n"
                                  "        \"samples\": 700\n"
                                  "      },\n"
                                  "      {\n"
                                  "        \"line\": 2,\n"
                                  "        \"discriminator\": 3,\n"
                                  "        \"samples\": 300,\n"
                                  "        \"calls\": [\n"
                                  "          {\n"
                                  "            \"function\": \"foo\",\n"
                                  "            \"samples\": 200\n"
                                  "          },\n"
                                  "          {\n"
                                  "            \"function\": \"bar\",\n"
                                  "            \"samples\": 100\n"
                                  "          }\n"
                                  "        ]\n"
                                  "      },\n"
                                  "      {\n"
                                  "        \"line\": 9,\n"
                                  "        \"samples\": 5,\n"
                                  "        \"calls\": [\n"
                                  "          {\n"
                                  "            \"function\": \"m\",\n"
                                  "            \"samples\": 3\n"
                                  "          },\n"
                                  "          {\n"
                                  "            \"function\": \"a\",\n"
                                  "            \"samples\": 2\n"
                                  "          },\n"
                                  "          {\n"
                                  "            \"function\": \"z\",\n"
                                  "            \"samples\": 2\n"
                                  "          }\n"
                                  "        ]\n"
                                  "      }\n"
                                  "    ],\n"
                                  "    \"callsites\": [\n"
                                  "      {\n"
                                  "        \"line\": 10,\n"
                                  "        \"samples\": [\n"
                                  "          {\n"
                                  "            \"name\": \"also\",\n"
                                  "            \"total\": 7\n"
                                  "          }\n"
                                  "        ]\n"
                                  "      },\n"
                                  "      {\n"
                                  "        \"line\": 10,\n"
                                  "        \"samples\": [\n"
                                  "          {\n"
                                  "            \"name\": \"inl\",\n"
                                  "            \"total\": 90,\n"
                                  "            \"body\": [\n"
                                  "              {\n"
                                  "                \"line\": 1,\n"
                                  "                \"samples\": 50\n"
                                  "              }\n"
                                  "            ],\n"
                                  "            \"callsites\": [\n"
                                  "              {\n"
                                  "                \"line\": 3,\n"
                                  "                \"samples\": [\n"
                                  "                  {\n"
                                  "                    \"name\": \"deeper\",\n"
                                  "                    \"total\": 40,\n"
                                  "                    \"body\": [\n"
                                  "                      {\n"
                                  "                        \"line\": 1,\n"
                                  "                        \"samples\": 40\n"
                                  "                      }\n"
                                  "                    ]\n"
                                  "                  }\n"
                                  "                ]\n"
                                  "              }\n"
                                  "            ]\n"
                                  "          }\n"
                                  "        ]\n"
                                  "      }\n"
                                  "    ]\n"
                                  "  },\n"
                                  "  {\n"
                                  "    \"name\": \"foo\",\n"
                                  "    \"total\": 20,\n"
                                  "    \"head\": 9\n"
                                  "  },\n"
                                  "  {\n"
                                  "    \"name\": \"zed\",\n"
                                  "    \"total\": 20,\n"
                                  "    \"head\": 5,\n"
                                  "    \"body\": [\n"
                                  "      {\n"
                                  "        \"line\": 1,\n"
                                  "        \"samples\": 20\n"
                                  "      }\n"
                                  "    ]\n"
                                  "  }\n"
                                  "]\n";
static const char nested_hot[] =
    "2 out of 3 functions with profile (66.67%) are considered hot functions (max sample >= 20).\n"
    "1020 out of 1040 profile counts (98.08%) are from hot functions.\n"
    " Total sample (%)       Max sample        Entry sample    Function name\n"
    " 1000 (96.15%)          700               700             main\n"
    " 20 (1.92%)             20                20              zed\n";
static const char nested_top[] =
    "2 out of 3 functions with profile (66.67%) are considered hot functions (max sample >= 20).\n"
    "1020 out of 1040 profile counts (98.08%) are from hot functions.\n"
    " Total sample (%)       Max sample        Entry sample    Function name\n"
    " 1000 (96.15%)          700               700             main\n";
static const char cs_shown[] = "Function: main: CFG checksum 78\n"
                               "100, 2, 1 sampled lines\n"
                               "Samples collected in the function's body {\n"
                               "  1: 30\n"
                               "}\n"
                               "Samples collected in inlined callsites {\n"
                               "  2: inlined callee: zz: CFG checksum 5\n"
                               "5, 0, 1 sampled lines\n"
                               "    Samples collected in the function's body {\n"
                               "      1: 3\n"
                               "    }\n"
                               "    No inlined callsites in this function\n"
                               "}\n"
                               "Function: main:1 @ foo: CFG checksum 77\n"
                               "50, 3, 1 sampled lines\n"
                               "Samples collected in the function's body {\n"
                               "  1: 50\n"
                               "}\n"
                               "No inlined callsites in this function\n"
                               "Function: main:2.5 @ foo:1 @ bar: CFG checksum 12\n"
                               "30, 0, 1 sampled lines\n"
                               "Samples collected in the function's body {\n"
                               "  4: 30\n"
                               "}\n"
                               "No inlined callsites in this function\n"
                               "Function: foo: CFG checksum 77\n"
                               "9, 4, 1 sampled lines\n"
                               "Samples collected in the function's body {\n"
                               "  1: 7\n"
                               "}\n"
                               "No inlined callsites in this function\n";
static const char cs_summary[] =
    "Total functions: 3\n"
    "Maximum function count: 7\n"
    "Maximum internal block count: 0\n"
    "Total number of blocks: 4\n"
    "Total count: 120\n"
    "Detailed summary:\n"
    "1 blocks (25.00%) with count >= 57 account for 1% of the total counts.\n"
    "1 blocks (25.00%) with count >= 57 account for 10% of the total counts.\n"
    "1 blocks (25.00%) with count >= 57 account for 20% of the total counts.\n"
    "1 blocks (25.00%) with count >= 57 account for 30% of the total counts.\n"
    "1 blocks (25.00%) with count >= 57 account for 40% of the total counts.\n"
    "3 blocks (75.00%) with count >= 30 account for 50% of the total counts.\n"
    "3 blocks (75.00%) with count >= 30 account for 60% of the total counts.\n"
    "3 blocks (75.00%) with count >= 30 account for 70% of the total counts.\n"
    "3 blocks (75.00%) with count >= 30 account for 80% of the total counts.\n"
    "3 blocks (75.00%) with count >= 30 account for 90% of the total counts.\n"
    "3 blocks (75.00%) with count >= 30 account for 95% of the total counts.\n"
    "4 blocks (100.00%) with count >= 3 account for 99% of the total counts.\n"
    "4 blocks (100.00%) with count >= 3 account for 99.9% of the total counts.\n"
    "4 blocks (100.00%) with count >= 3 account for 99.99% of the total counts.\n"
    "4 blocks (100.00%) with count >= 3 account for 99.999% of the total counts.\n"
    "4 blocks (100.00%) with count >= 3 account for 99.9999% of the total counts.\n";
static const char cs_hot[] =
    "4 out of 4 functions with profile (100.00%) are considered hot functions (max sample >= 3).\n"
    "189 out of 189 profile counts (100.00%) are from hot functions.\n"
    " Total sample (%)       Max sample        Entry sample    Function name\n"
    " 100 (52.91%)           30                2               main\n"
    " 50 (26.46%)            50                3               main:1 @ foo\n"
    " 30 (15.87%)            30                30              main:2.5 @ foo:1 @ bar\n"
    " 9 (4.76%)              7                 4               foo\n";
static const char odd_shown[] = "Function: b\\\"s\xffx\xe2\x82: 18446744073709551615, 5, 1 sampled lines\n"
                                "Samples collected in the function's body {\n"
                                "  1: 9223372036854775809, calls: ta\tb\x01:3\n"
                                "}\n"
                                "Samples collected in inlined callsites {\n"
                                "  70: inlined callee: x\xf0\x90\x80y\xed\xa0\x80: 7, 0, 0 sampled lines\n"
                                "    No samples collected in the function's body\n"
                                "    No inlined callsites in this function\n"
                                "}\n"
                                "Function: \x7f\xc2\x85: 5, 5, 0 sampled lines\n"
                                "No samples collected in the function's body\n"
                                "No inlined callsites in this function\n";
static const char odd_json[] =
    "[\n"
    "  {\n"
    "    \"name\": \"b\\\\\\\"s\xef\xbf\xbdx\xef\xbf\xbd\",\n"
    "    \"total\": 18446744073709551615,\n"
    "    \"head\": 5,\n"
    "    \"body\": [\n"
    "      {\n"
    "        \"line\": 1,\n"
    "        \"samples\": 9223372036854775809,\n"
    "        \"calls\": [\n"
    "          {\n"
    "            \"function\": \"ta\\tb\\u0001\",\n"
    "            \"samples\": 3\n"
    "          }\n"
    "        ]\n"
    "      }\n"
    "    ],\n"
    "    \"callsites\": [\n"
    "      {\n"
    "        \"line\": 70,\n"
    "        \"samples\": [\n"
    "          {\n"
    "            \"name\": \"x\xef\xbf\xbdy\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\",\n"
    "            \"total\": 7\n"
    "          }\n"
    "        ]\n"
    "      }\n"
    "    ]\n"
    "  },\n"
    "  {\n"
    "    \"name\": \"\x7f\xc2\x85\",\n"
    "    \"total\": 5,\n"
    "    \"head\": 5\n"
    "  }\n"
    "]\n";
static const char odd_hot[] =
    "1 out of 2 functions with profile (50.00%) are considered hot functions (max sample >= "
    "9223372036854775809).\n"
    "18446744073709551615 out of 4 profile counts (461168601842738790400.00%) are from hot functions.\n"
    " Total sample (%)       Max sample        Entry sample    Function name\n"
    " 18446744073709551615 (461168601842738790400.00%) 9223372036854775809 9223372036854775809 "
    "b\\\"s\xffx\xe2\x82\n";
static const char md5_foo[] = "Function: 6699318081062747564: 20, 9, 0 sampled lines\n"
                              "No samples collected in the function's body\n"
                              "No inlined callsites in this function\n";
static const char nothing[] = "Function: : 0, 0, 0 sampled lines\n"
                              "No samples collected in the function's body\n"
                              "No inlined callsites in this function\n";

static void check(const struct apf_sample *s, const struct apf_sample_print_options *options,
                  const char *want)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_error error;
    if (apf_sample_print(s, options, &output, &error) != APF_OK)
        fail_msg("%s", error.message);
    sample_assert_text(&out, want);
    apf_buffer_free(&out);
}

/* Compares what follows the functions. */
static void check_tail(const struct apf_sample *s, const struct apf_sample_print_options *options,
                       const char *shown, const char *want)
{
    char *whole = malloc(strlen(shown) + strlen(want) + 1);
    assert_non_null(whole);
    sprintf(whole, "%s%s", shown, want);
    check(s, options, whole);
    free(whole);
}

static struct apf_sample_print_options with_flags(uint32_t flags)
{
    struct apf_sample_print_options options = {.size = sizeof options, .flags = flags};
    return options;
}

static struct apf_sample_print_options with_function(const char *function)
{
    struct apf_sample_print_options options = {.size = sizeof options};
    options.function.p = function;
    options.function.n = strlen(function);
    return options;
}

static void test_nested(void **state)
{
    struct apf_sample *s = sample_of_text(nested);
    struct apf_sample_print_options json = with_flags(APF_SAMPLE_PRINT_JSON);
    struct apf_sample_print_options hot = with_flags(APF_SAMPLE_PRINT_HOT_FUNCTIONS);
    struct apf_sample_print_options top = {.size = sizeof top, .topn = 1};
    (void)state;
    check(s, NULL, nested_shown);
    check(s, &json, nested_json);
    check_tail(s, &hot, nested_shown, nested_hot);
    check_tail(s, &top, nested_shown, nested_top);
    apf_sample_close(s);
}

static void test_contexts(void **state)
{
    struct apf_sample *s = sample_of_text(cs);
    struct apf_sample_print_options summary = with_flags(APF_SAMPLE_PRINT_DETAILED_SUMMARY);
    struct apf_sample_print_options hot = with_flags(APF_SAMPLE_PRINT_HOT_FUNCTIONS);
    (void)state;
    check(s, NULL, cs_shown);
    check_tail(s, &summary, cs_shown, cs_summary);
    check_tail(s, &hot, cs_shown, cs_hot);
    apf_sample_close(s);
}

/* Names that are no UTF-8, numbers of 64 bits, and the sum of totals, which wraps. */
static void test_odd(void **state)
{
    struct apf_sample *s = sample_of_text(odd);
    struct apf_sample_print_options json = with_flags(APF_SAMPLE_PRINT_JSON);
    struct apf_sample_print_options hot = with_flags(APF_SAMPLE_PRINT_HOT_FUNCTIONS);
    (void)state;
    check(s, NULL, odd_shown);
    check(s, &json, odd_json);
    check_tail(s, &hot, odd_shown, odd_hot);
    apf_sample_close(s);
}

/* Of a context-sensitive profile, all contexts of a function are shown, or one: llvm-profdata finds neither. A decimal
 * number finds a hash, which is how hashes are shown: llvm-profdata looks for a function of that name. */
static void test_function(void **state)
{
    static const char foo[] = "Function: main:1 @ foo: CFG checksum 77\n50, 3, 1 sampled lines\n"
                              "Samples collected in the function's body {\n  1: 50\n}\n"
                              "No inlined callsites in this function\n",
                      base[] = "Function: foo: CFG checksum 77\n9, 4, 1 sampled lines\n"
                               "Samples collected in the function's body {\n  1: 7\n}\n"
                               "No inlined callsites in this function\n",
                      bar[] = "Function: main:2.5 @ foo:1 @ bar: CFG checksum 12\n30, 0, 1 sampled lines\n"
                              "Samples collected in the function's body {\n  4: 30\n}\n"
                              "No inlined callsites in this function\n";
    struct apf_sample *s = sample_of_text(cs);
    struct apf_sample_print_options options = with_function("foo");
    (void)state;
    check_tail(s, &options, foo, base);
    options = with_function("main:1 @ foo");
    check(s, &options, foo);
    options = with_function("[main:2.5 @ foo:1 @ bar]");
    check(s, &options, bar);
    options = with_function("main:2 @ foo:1 @ bar");
    check(s, &options, nothing);
    apf_sample_close(s);
    s = sample_of_text(nested);
    options = with_function("none");
    check(s, &options, nothing);
    options = with_function("deeper"); /* inlined only */
    check(s, &options, nothing);
    apf_sample_close(s);
    s = sample_of_functions("{\"hash\":\"0x5cf8c24cdb18bdac\",\"total\":20,\"head\":9}");
    options = with_function("foo");
    check(s, &options, md5_foo);
    options = with_function("6699318081062747564");
    check(s, &options, md5_foo);
    sample_free(s);
}

/* An empty list is shown where llvm-profdata crashes: in a profile without one. */
static void test_symbols(void **state)
{
    struct apf_sample *s =
        sample_of_json("{\"schema\":\"anyprof-sample/1\",\"symbols\":[\"foo\",\"z z\",\"bar\",\"foo\"]}");
    struct apf_sample_print_options options = with_flags(APF_SAMPLE_PRINT_SYMBOLS);
    (void)state;
    check(s, &options, "======== Dump profile symbol list ========\nbar\nfoo\nz z\n");
    sample_free(s);
    s = sample_of_json("{\"schema\":\"anyprof-sample/1\"}");
    check(s, &options, "======== Dump profile symbol list ========\n");
    options.flags = APF_SAMPLE_PRINT_JSON | APF_SAMPLE_PRINT_HOT_FUNCTIONS;
    check(s, &options,
          "[]\n0 out of 0 functions with profile (-nan%) are considered hot functions (max sample >= 0).\n"
          "0 out of 0 profile counts (0.00%) are from hot functions.\n"
          " Total sample (%)       Max sample        Entry sample    Function name\n");
    sample_free(s);
}

/* The summary that a file has is shown as it is, unless cutoffs are asked for, which are sorted then. */
static void test_cutoffs(void **state)
{
    static const uint32_t cutoffs[] = {999999, 10, 650000};
    struct apf_sample_print_options options = with_flags(APF_SAMPLE_PRINT_DETAILED_SUMMARY);
    struct apf_sample *s = sample_of_json(
        "{\"schema\":\"anyprof-sample/1\",\"summary\":{\"total\":1000,\"max_count\":9,\"max_head\":8,"
        "\"counts\":7,\"functions\":6,\"rows\":[{\"cutoff\":990000,\"min_count\":5,\"counts\":3}]},"
        "\"functions\":[{\"name\":\"f\",\"total\":4,\"lines\":[{\"line\":1,\"count\":4},"
        "{\"line\":2,\"count\":1}]}]}");
    static const char shown[] =
        "Function: f: 4, 0, 2 sampled lines\nSamples collected in the function's body {\n"
        "  1: 4\n  2: 1\n}\nNo inlined callsites in this function\n";
    (void)state;
    check_tail(s, &options, shown,
               "Total functions: 6\nMaximum function count: 8\nMaximum internal block count: 0\n"
               "Total number of blocks: 7\nTotal count: 1000\nDetailed summary:\n"
               "3 blocks (42.86%) with count >= 5 account for 99% of the total counts.\n");
    options.flags = APF_SAMPLE_PRINT_HOT_FUNCTIONS;
    check_tail(s, &options, shown,
               "0 out of 1 functions with profile (0.00%) are considered hot functions (max sample >= 5).\n"
               "0 out of 4 profile counts (0.00%) are from hot functions.\n"
               " Total sample (%)       Max sample        Entry sample    Function name\n");
    options.flags = APF_SAMPLE_PRINT_DETAILED_SUMMARY;
    options.cutoffs = cutoffs;
    options.n_cutoffs = COUNT(cutoffs);
    check_tail(s, &options, shown,
               "Total functions: 1\nMaximum function count: 0\nMaximum internal block count: 0\n"
               "Total number of blocks: 2\nTotal count: 5\nDetailed summary:\n"
               "0 blocks (0.00%) with count >= 0 account for 0.001% of the total counts.\n"
               "1 blocks (50.00%) with count >= 4 account for 65% of the total counts.\n"
               "1 blocks (50.00%) with count >= 4 account for 99.9999% of the total counts.\n");
    sample_free(s);
}

static void test_arguments(void **state)
{
    struct apf_sample *s = sample_of_text(nested);
    struct apf_sample_print_options options = with_function("foo");
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_error error;
    (void)state;
    options.flags = APF_SAMPLE_PRINT_JSON;
    assert_int_equal(apf_sample_print(s, &options, &output, &error), APF_ARGUMENT);
    assert_string_equal(error.where, "apf_sample_print_options.function");
    options = with_flags(1u << 30);
    assert_int_equal(apf_sample_print(s, &options, &output, &error), APF_ARGUMENT);
    options.size = 0;
    assert_int_equal(apf_sample_print(s, &options, &output, &error), APF_ARGUMENT);
    assert_int_equal(out.n, 0);
    apf_buffer_free(&out);
    apf_sample_close(s);
}

/* Inlined as deep as a profile may be: the indentation is longer than any line of a usual one. */
static void test_deep(void **state)
{
    enum { DEPTH = SAMPLE_MAX_DEPTH, ENTRY = 80 };
    char *text = malloc((size_t)DEPTH * ENTRY + 100), line[60];
    size_t n = (size_t)sprintf(text, "{\"name\":\"f\",\"total\":1,\"inlined\":[");
    (void)state;
    for (unsigned i = 1; i <= DEPTH; i++)
        n += (size_t)sprintf(text + n, "%s{\"depth\":%u,\"line\":%u,\"name\":\"g\",\"total\":1}",
                             i > 1 ? "," : "", i, i);
    sprintf(text + n, "]}");
    struct apf_sample *s = sample_of_functions(text);
    for (uint32_t flags = 0; flags < 2; flags++) {
        struct apf_buffer out = {NULL, 0, 0};
        struct apf_output output = apf_output_buffer(&out);
        struct apf_sample_print_options options = with_flags(flags);
        assert_int_equal(apf_sample_print(s, &options, &output, NULL), APF_OK);
        snprintf(line, sizeof line,
                 flags ? "\"line\": %u," : " %u: inlined callee: g: 1, 0, 0 sampled lines\n", DEPTH);
        assert_int_equal(apf_buffer_write(&out, "", 1), 0);
        const char *found = strstr(out.data, line);
        assert_non_null(found);
        const char *begin = found;
        while (begin[-1] != '\n')
            begin--;
        /* 4 blanks for each level, and 2; of JSON 8, and 6 inside of "callsites" */
        assert_int_equal(found + !flags - begin, flags ? 8 * (DEPTH - 1) + 8 : 4 * (DEPTH - 1) + 2);
        apf_buffer_free(&out);
    }
    free(text);
    sample_free(s);
}

static const struct apf_sample *fault_sample;
static struct apf_sample_print_options fault_options;

static int try_print(void)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_error error;
    int code = apf_sample_print(fault_sample, &fault_options, &output, &error);
    apf_buffer_free(&out);
    return code;
}

static void sweep(enum fault_call call, unsigned least)
{
    for (unsigned at = 1;; at++) {
        fault_fail(call, at, ENOMEM);
        int code = try_print();
        bool hit = fault_hit();
        fault_reset();
        assert_true(hit ? code == APF_NO_MEMORY || code == APF_IO : code == APF_OK);
        if (!hit) {
            assert_true(at > least);
            return;
        }
    }
}

static void test_faults(void **state)
{
    static const uint32_t cutoff = 990000;
    struct apf_sample *profiles[] = {sample_of_text(nested), sample_of_text(cs)};
    (void)state;
    for (size_t i = 0; i < COUNT(profiles); i++) {
        fault_sample = profiles[i];
        fault_options = with_flags(APF_SAMPLE_PRINT_HOT_FUNCTIONS | APF_SAMPLE_PRINT_DETAILED_SUMMARY);
        sweep(FAULT_MEMORY, 10);
        sweep(FAULT_ARENA, 0);
        fault_options.flags |= APF_SAMPLE_PRINT_JSON;
        fault_options.cutoffs = &cutoff;
        fault_options.n_cutoffs = 1;
        sweep(FAULT_MEMORY, 10);
        sweep(FAULT_ARENA, 0);
        fault_options = with_function("main:1 @ foo");
        sweep(FAULT_MEMORY, 5);
        apf_sample_close(profiles[i]);
    }
}

TEST_FILE(sample_show)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested),    cmocka_unit_test(test_contexts), cmocka_unit_test(test_odd),
        cmocka_unit_test(test_function),  cmocka_unit_test(test_symbols),  cmocka_unit_test(test_cutoffs),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_deep),     cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}

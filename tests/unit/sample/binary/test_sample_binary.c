/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw binary of every version: files of LLVM's tools, and hand-made ones with each error. */
#include "sample/binary/sample_binary_read.h"
#include "sample/model/sample_summary.h"

#include "helpers/shared/sample_bytes.h"
#include "helpers/shared/sample_goldens.h"

#define RAW_REFUSED(b, code, where, offset, found, expected)                                                 \
    SAMPLE_REFUSED(sample_binary_read, (b).data, (b).n, code, "sample.binary." where, offset, found, expected)

#define WIDE (UINT64_C(1) << 32)

/* ---- files of LLVM ---- */

static void test_golden_raw(void **state)
{
    (void)state;
    struct apf_sample *s =
        sample_expect_text(sample_binary_read, golden_raw.data, golden_raw.n, NULL, GOLDEN_PLAIN);
    assert_int_equal(s->info.format, APF_SAMPLE_BINARY);
    assert_int_equal(s->info.version, 103);
    assert_int_equal(s->info.flags, 0);
    assert_int_equal(s->info.n_functions, 1);
    assert_int_equal(s->info.n_inlined, 1);
    assert_int_equal(s->info.n_names, 2);
    assert_int_equal(s->stored->total, 9);
    assert_int_equal(s->stored->max_count, 5);
    assert_int_equal(s->stored->max_head, 1);
    assert_int_equal(s->stored->n_counts, 2);
    assert_int_equal(s->stored->n_functions, 1);
    assert_int_equal(s->stored->n_rows, 16);
    assert_int_equal(s->stored->rows[2].cutoff, 200000);
    assert_int_equal(s->stored->rows[2].min_count, 5);
    assert_int_equal(s->stored->rows[15].n_counts, 2);
    assert_false(s->has_symbols);
    sample_free(s);
}

static void test_begins(void **state)
{
    (void)state;
    assert_true(sample_binary_begins(golden_raw.data, 9));
    assert_false(sample_binary_begins(golden_raw.data, 8));
    assert_false(sample_binary_begins(golden_compact.data, golden_compact.n));
    assert_false(sample_binary_begins(golden_md5.data, golden_md5.n));
    assert_true(sample_compact_begins(golden_compact.data, 9));
    assert_false(sample_compact_begins(golden_raw.data, golden_raw.n));
    assert_true(sample_ext_begins(golden_md5.data, 9));
    assert_false(sample_ext_begins(golden_md5.data, 8));
}

/* ---- versions ---- */

static void test_old_versions(void **state)
{
    struct sb b = {0};
    (void)state;
    sb_start(&b, 0xff, 100);
    sb_bytes(&b, "foo", 4);
    SB_NUMBERS(&b, 30, 5, 2, 1, 0, 10, 0, 70, 3, 20, 2);
    sb_bytes(&b, "bar", 4);
    sb_number(&b, 4);
    sb_bytes(&b, "baz", 4);
    sb_number(&b, 16);
    sb_bytes(&b, "bar", 4);
    SB_NUMBERS(&b, 1, 0, 0);
    struct apf_sample *s = sample_expect_text(sample_binary_read, b.data, b.n, NULL,
                                              "foo:30:5\n 1: 10\n 70.3: 20 baz:16 bar:4\nbar:1:0\n");
    assert_int_equal(s->info.version, 100);
    assert_null(s->stored);
    assert_int_equal(s->names.list.n, 3);
    sample_free(s);
    sb_free(&b);
    sb_start(&b, 0xff, 102);
    sb_names(&b, "bar foo");
    SB_NUMBERS(&b, 5, 1, 30, 1, 1, 0, 10, 1, 0, 10, 1, 2, 0, 0, 20, 0, 0);
    s = sample_expect_text(sample_binary_read, b.data, b.n, NULL, "foo:30:5\n 1: 10 bar:10\n 2: bar:20\n");
    assert_int_equal(s->info.version, 102);
    assert_null(s->stored);
    sample_free(s);
    sb_free(&b);
}

static void refuse_version(uint64_t version, uint64_t nearest)
{
    struct sb b = {0};
    sb_start(&b, 0xff, version);
    sb_number(&b, 0);
    RAW_REFUSED(b, APF_SAMPLE_VERSION, "version", 9, version, nearest);
    sb_free(&b);
}

static void test_unknown_versions(void **state)
{
    (void)state;
    refuse_version(0, 100); /* the next newer version */
    refuse_version(99, 100);
    refuse_version(101, 102);
    refuse_version(104, 103); /* the newest one */
    refuse_version(UINT64_MAX, 103);
    struct apf_error e;
    int code;
    struct sb b = {0};
    sb_start(&b, 0xff, 105);
    sample_free(sample_read_copy(sample_binary_read, b.data, b.n, NULL, &code, &e));
    assert_string_equal(e.message, "Unsupported sample profile format version [sample.binary.version at "
                                   "offset 9: found 105, expected at most 103]");
    sb_free(&b);
}

/* ---- what is added up and cut ---- */

/* A file of version 103 up to the names "bar foo". */
static struct sb file_start(uint64_t n_functions)
{
    struct sb b = {0};
    sb_start(&b, 0xff, 103);
    sb_summary(&b, n_functions);
    sb_names(&b, "bar foo");
    return b;
}

static void test_repeated(void **state)
{
    struct sb b = file_start(1);
    (void)state;
    /* foo twice, with lines and inlined functions in any order and repeatedly; sums are cut at 2^64-1 */
    SB_NUMBERS(&b, 1, 1, 10, 3);
    SB_NUMBERS(&b, 5, 0, 7, 1, 0, 1);
    SB_NUMBERS(&b, 2, 0, 1, 0);
    SB_NUMBERS(&b, 5, 0, 8, 2, 0, 2, 1, UINT64_MAX);
    SB_NUMBERS(&b, 2, 9, 0, 0, 3, 1, 1, 0, 3, 0, 0);
    SB_NUMBERS(&b, 9, 0, 0, 4, 1, 1, 0, UINT64_MAX, 0, 0);
    SB_NUMBERS(&b, UINT64_MAX, 1, 5, 1, 5, 0, 1, 1, 1, 1, 0);
    struct apf_sample *s =
        sample_expect_text(sample_binary_read, b.data, b.n, NULL,
                           "foo:15:18446744073709551615\n 2: 1\n 5: 16 foo:18446744073709551615 bar:3\n"
                           " 9: bar:7\n  1: 18446744073709551615\n");
    assert_int_equal(s->findings[SAMPLE_FINDING_REPEATED_FUNCTION], 1);
    assert_int_equal(s->n_saturated, 3);
    sample_free(s);
    sb_free(&b);
}

/* Line offsets of inlined functions, and all discriminators, are cut to 32 bits, as in LLVM. */
static void test_wide_places(void **state)
{
    struct sb b = file_start(1);
    (void)state;
    SB_NUMBERS(&b, 0, 1, 1, 2, 65535, (UINT64_C(1) << 32) + 7, 1, 0, 3, 0xffffffff, 2, 0, 1);
    SB_NUMBERS(&b, (UINT64_C(5) << 32) + 70000, UINT64_MAX, 0, 1, 0, 0);
    sample_free(sample_expect_text(sample_binary_read, b.data, b.n, NULL,
                                   "foo:1:0\n 3.4294967295: 2\n 65535.7: 1\n 70000.4294967295: bar:1\n"));
    struct sample_read_options o = sample_no_limits;
    o.fs = true;
    o.discriminator = 0xff;
    struct apf_sample *s = sample_expect_text(sample_binary_read, b.data, b.n, &o,
                                              "foo:1:0\n 3.255: 2\n 65535.7: 1\n 70000.255: bar:1\n");
    assert_int_equal(s->info.flags, APF_SAMPLE_FS);
    sample_free(s);
    o.fs = false; /* the mask is for flow-sensitive profiles */
    s = sample_expect_text(sample_binary_read, b.data, b.n, &o,
                           "foo:1:0\n 3.4294967295: 2\n 65535.7: 1\n 70000.4294967295: bar:1\n");
    assert_int_equal(s->info.flags, 0);
    sample_free(s);
    sb_free(&b);
}

/* Names that LLVM has printed from hashes are hashes again, if all functions have such names. */
static void test_decimal_names(void **state)
{
    struct sb b = {0};
    (void)state;
    sb_start(&b, 0xff, 103);
    sb_summary(&b, 1);
    sb_names(&b, "12 18446744073709551615 foo");
    SB_NUMBERS(&b, 0, 1, 3, 1, 1, 0, 3, 2, 0, 2, 2, 1, 0);
    struct apf_sample *s = sample_expect_text(sample_binary_read, b.data, b.n, NULL,
                                              "18446744073709551615:3:0\n 1: 3 12:2 foo:1\n");
    assert_int_equal(s->info.flags, APF_SAMPLE_MD5);
    assert_int_equal(s->info.n_hashes, 2);
    assert_int_equal(s->findings[SAMPLE_FINDING_DECIMAL_NAMES], 2);
    sample_free(s);
    SB_NUMBERS(&b, 0, 2, 1, 0, 0);
    s = sample_expect_text(sample_binary_read, b.data, b.n, NULL,
                           "18446744073709551615:3:0\n 1: 3 12:2 foo:1\nfoo:1:0\n");
    assert_int_equal(s->info.n_hashes, 0);
    assert_int_equal(s->findings[SAMPLE_FINDING_DECIMAL_NAMES], 0);
    sample_free(s);
    sb_free(&b);
}

/* A table of names in any order, with one of them twice and one empty. */
static void test_unsorted_names(void **state)
{
    struct sb b = {0};
    (void)state;
    sb_start(&b, 0xff, 103);
    sb_summary(&b, 3);
    sb_names(&b, "foo bar foo ");
    SB_NUMBERS(&b, 1, 0, 1, 0, 0, 1, 1, 2, 0, 0, 1, 2, 3, 0, 0, 1, 3, 9, 0, 0);
    struct apf_sample *s =
        sample_expect_text(sample_binary_read, b.data, b.n, NULL, ":9:1\nfoo:4:2\nbar:2:1\n");
    assert_int_equal(s->names.list.n, 3);
    sample_free(s);
    sb_free(&b);
}

/* ---- errors ---- */

static void test_summary_errors(void **state)
{
    struct sb b = {0};
    (void)state;
    sb_start(&b, 0xff, 103);
    SB_NUMBERS(&b, 0, 0, 0, 0, 0, 1, WIDE + 5, 1, 2, 0);
    struct apf_sample *s = sample_expect_text(sample_binary_read, b.data, b.n, NULL, "");
    assert_int_equal(s->stored->rows[0].cutoff, 5); /* LLVM keeps 32 bits of it */
    sample_free(s);
    b.n = 10;
    RAW_REFUSED(b, APF_SAMPLE_TRUNCATED, "summary", 10, 0, 1);
    SB_NUMBERS(&b, 1, 2, 3, 4);
    RAW_REFUSED(b, APF_SAMPLE_TRUNCATED, "summary", 14, 0, 1);
    SB_NUMBERS(&b, 5, 2, 1, 1, 1, 1, 1);
    RAW_REFUSED(b, APF_SAMPLE_TRUNCATED, "summary", 16, 2, 1); /* two cutoffs of 3 bytes do not fit into 5 */
    b.n -= 6;
    sb_number(&b, UINT64_MAX);
    RAW_REFUSED(b, APF_SAMPLE_TRUNCATED, "summary", 25, UINT64_MAX, 0);
    b.n -= 10;
    sb_number(&b, 1);
    sb_bytes(&b, "\1\1\x80", 3);
    RAW_REFUSED(b, APF_SAMPLE_TRUNCATED, "summary", 18, 1, 2);
    sb_bytes(&b, "\x80\x80\x80\x80\x80\x80\x80\x80\x02", 9); /* 65 bits */
    RAW_REFUSED(b, APF_SAMPLE_MALFORMED, "summary", 18, 10, 10);
    sb_free(&b);
}

static void test_name_errors(void **state)
{
    struct sb b = {0};
    (void)state;
    sb_start(&b, 0xff, 103);
    sb_summary(&b, 0);
    size_t at = b.n;
    RAW_REFUSED(b, APF_SAMPLE_TRUNCATED, "names", at, 0, 1);
    sb_number(&b, UINT64_C(1) << 60);
    RAW_REFUSED(b, APF_SAMPLE_TRUNCATED, "names", at + 9, UINT64_C(1) << 60, 0);
    b.n = at;
    sb_number(&b, 2);
    sb_bytes(&b, "ab\0cd", 5);
    RAW_REFUSED(b, APF_SAMPLE_TRUNCATED, "names", at + 4, 2, 3);
    b.n = at;
    sb_number(&b, 0);
    sample_free(sample_expect_text(sample_binary_read, b.data, b.n, NULL, ""));
    sb_number(&b, 1); /* head of a function: no name is left for it */
    SB_NUMBERS(&b, 0, 0, 0, 0);
    RAW_REFUSED(b, APF_SAMPLE_NAME_TABLE, "function", at + 2, 0, 0);
    sb_free(&b);
}

/* Appends numbers to a file of the names "bar foo", and expects an error. `at` is an offset after the names. */
#define FUNCTION_REFUSED(code, at, found, expected, ...)                                                     \
    do {                                                                                                     \
        struct sb file_ = file_start(1);                                                                     \
        size_t start_ = file_.n;                                                                             \
        SB_NUMBERS(&file_, __VA_ARGS__);                                                                     \
        RAW_REFUSED(file_, code, "function", start_ + (at), found, expected);                                \
        sb_free(&file_);                                                                                     \
    } while (0)

static void test_function_errors(void **state)
{
    (void)state;
    FUNCTION_REFUSED(APF_SAMPLE_TRUNCATED, 1, 0, 1, 7);
    FUNCTION_REFUSED(APF_SAMPLE_NAME_TABLE, 1, 2, 1, 7, 2, 0, 0, 0);
    FUNCTION_REFUSED(APF_SAMPLE_TRUNCATED, 2, 0, 1, 7, 1);
    FUNCTION_REFUSED(APF_SAMPLE_TRUNCATED, 4, 1, 0, 7, 1, 0, 1); /* number of lines: no byte is left */
    FUNCTION_REFUSED(APF_SAMPLE_TRUNCATED, 4, 2, 1, 7, 1, 0, 2, 0, 0, 0, 0, 0);
    FUNCTION_REFUSED(APF_SAMPLE_MALFORMED, 3, WIDE, UINT32_MAX, 7, 1, 0, WIDE, 0, 0, 0, 0);
    FUNCTION_REFUSED(APF_SAMPLE_LINE_OFFSET, 4, 65536, 65535, 7, 1, 0, 1, 65536, 0, 0, 0, 0);
    FUNCTION_REFUSED(APF_SAMPLE_TRUNCATED, 8, 2, 1, 7, 1, 0, 1, 1, 0, 0, 2, 0, 0, 0);
    FUNCTION_REFUSED(APF_SAMPLE_MALFORMED, 12, WIDE, UINT32_MAX, 7, 1, 0, 1, 1, 0, 0, WIDE, 0);
    FUNCTION_REFUSED(APF_SAMPLE_NAME_TABLE, 8, 9, 1, 7, 1, 0, 1, 1, 0, 0, 1, 9, 1, 0);
    FUNCTION_REFUSED(APF_SAMPLE_TRUNCATED, 8, 0, 1, 7, 1, 0, 1, 1, 0, 0, 0);
    FUNCTION_REFUSED(APF_SAMPLE_TRUNCATED, 5, 1, 0, 7, 1, 0, 0, 1, 1, 0, 0, 0);
    FUNCTION_REFUSED(APF_SAMPLE_MALFORMED, 4, WIDE, UINT32_MAX, 7, 1, 0, 0, WIDE);
    FUNCTION_REFUSED(APF_SAMPLE_NAME_TABLE, 7, 2, 1, 7, 1, 0, 0, 1, 1, 0, 2, 0, 0, 0);
    FUNCTION_REFUSED(APF_SAMPLE_TRUNCATED, 10, 0, 1, 7, 1, 0, 0, 1, 1, 0, 1, 0, 0);
}

static void test_old_function_errors(void **state)
{
    struct sb b = {0};
    (void)state;
    sb_start(&b, 0xff, 100);
    sb_bytes(&b, "foo", 3);
    RAW_REFUSED(b, APF_SAMPLE_TRUNCATED, "function", 10, 3, 4);
    sb_bytes(&b, "", 1);
    SB_NUMBERS(&b, WIDE, 0, 0);
    RAW_REFUSED(b, APF_SAMPLE_MALFORMED, "function", 14, WIDE, UINT32_MAX);
    b.n = 14;
    SB_NUMBERS(&b, 0, WIDE, 0);
    RAW_REFUSED(b, APF_SAMPLE_MALFORMED, "function", 15, WIDE, UINT32_MAX);
    b.n = 14;
    SB_NUMBERS(&b, 0, 0, 1, 65536, 0, 0, 0);
    RAW_REFUSED(b, APF_SAMPLE_LINE_OFFSET, "function", 17, 65536, 65535);
    b.n = 14;
    SB_NUMBERS(&b, 0, 0, 1, 1, 0, 0, 1);
    RAW_REFUSED(b, APF_SAMPLE_TRUNCATED, "function", 21, 1, 0);
    sb_bytes(&b, "xy", 2);
    RAW_REFUSED(b, APF_SAMPLE_TRUNCATED, "function", 21, 2, 3);
    sb_bytes(&b, "", 1);
    RAW_REFUSED(b, APF_SAMPLE_TRUNCATED, "function", 24, 0, 1);
    sb_free(&b);
}

/* ---- limits ---- */

/* A function in which functions are inlined in each other, as deep as asked for. */
static struct sb nested(uint64_t depth)
{
    struct sb b = file_start(1);
    SB_NUMBERS(&b, 1, 1, 1, 0);
    for (uint64_t i = 0; i < depth; i++)
        SB_NUMBERS(&b, 1, 1, 0, 0, 1, 0);
    sb_number(&b, 0);
    return b;
}

static void test_depth(void **state)
{
    struct sb b = nested(SAMPLE_MAX_DEPTH);
    struct apf_error e;
    int code;
    (void)state;
    struct apf_sample *s = sample_read_copy(sample_binary_read, b.data, b.n, NULL, &code, &e);
    assert_int_equal(code, APF_OK);
    assert_int_equal(s->info.max_depth, SAMPLE_MAX_DEPTH);
    sample_free(s);
    sb_free(&b);
    b = nested(300000);
    s = sample_read_copy(sample_binary_read, b.data, b.n, NULL, &code, &e);
    assert_int_equal(code, APF_LIMIT);
    assert_string_equal(e.where, "sample.binary.function");
    assert_int_equal(e.found, SAMPLE_MAX_DEPTH + 1);
    assert_int_equal(e.expected, SAMPLE_MAX_DEPTH);
    sample_free(s);
    sb_free(&b);
}

static void test_max_records(void **state)
{
    struct sb b = nested(2);
    struct apf_error e;
    struct sample_read_options o = sample_no_limits;
    int code;
    (void)state;
    o.max_records = 3;
    sample_free(sample_read_copy(sample_binary_read, b.data, b.n, &o, &code, &e));
    assert_int_equal(code, APF_OK);
    o.max_records = 2;
    sample_free(sample_read_copy(sample_binary_read, b.data, b.n, &o, &code, &e));
    assert_int_equal(code, APF_LIMIT);
    assert_int_equal(e.found, 3);
    assert_int_equal(e.expected, 2);
    sb_free(&b);
}

/* ---- salvage ---- */

static void test_progress(void **state)
{
    struct sb b = file_start(3);
    size_t start = b.n;
    (void)state;
    SB_NUMBERS(&b, 1, 0, 5, 0, 0, 2, 1, 6, 0, 0, 3, 2);
    sample_expect_progress(sample_binary_read, b.data, b.n, 2, start + 10, 3);
    sample_expect_progress(sample_binary_read, b.data, start + 4, 0, start, 3);
    sample_expect_progress(sample_binary_read, b.data, start - 1, 0, 0, 3);
    sb_free(&b);
}

/* ---- damage in general ---- */

static void test_sweeps(void **state)
{
    struct sb b = {0};
    (void)state;
    sample_sweep(sample_binary_read, golden_raw.data, golden_raw.n);
    sb_start(&b, 0xff, 100);
    sb_bytes(&b, "foo", 4);
    SB_NUMBERS(&b, 30, 5, 1, 70, 3, 20, 1);
    sb_bytes(&b, "bar\0\4", 5);
    sample_sweep(sample_binary_read, b.data, b.n);
    sb_free(&b);
}

static void test_faults(void **state)
{
    struct sb b = {0};
    (void)state;
    sample_read_faults(sample_binary_read, golden_raw.data, golden_raw.n);
    sb_start(&b, 0xff, 100);
    sb_bytes(&b, "12", 3);
    SB_NUMBERS(&b, 30, 5, 1, 70, 3, 20, 1);
    sb_bytes(&b, "bar\0\4", 5);
    sample_read_faults(sample_binary_read, b.data, b.n);
    sb_free(&b);
}

TEST_FILE(sample_binary)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_raw),      cmocka_unit_test(test_begins),
        cmocka_unit_test(test_old_versions),    cmocka_unit_test(test_unknown_versions),
        cmocka_unit_test(test_repeated),        cmocka_unit_test(test_wide_places),
        cmocka_unit_test(test_decimal_names),   cmocka_unit_test(test_unsorted_names),
        cmocka_unit_test(test_summary_errors),  cmocka_unit_test(test_name_errors),
        cmocka_unit_test(test_function_errors), cmocka_unit_test(test_old_function_errors),
        cmocka_unit_test(test_depth),           cmocka_unit_test(test_max_records),
        cmocka_unit_test(test_progress),        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}

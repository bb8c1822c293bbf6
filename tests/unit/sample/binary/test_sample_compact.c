/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compact binary: files of LLVM's tools, and hand-made ones with each error. */
#include "sample/binary/sample_binary_read.h"

#include "helpers/shared/sample_bytes.h"
#include "helpers/shared/sample_goldens.h"

#define COMPACT_REFUSED(b, code, where, offset, found, expected)                                             \
    SAMPLE_REFUSED(sample_compact_read, (b).data, (b).n, code, "sample.compact." where, offset, found,       \
                   expected)

static void test_golden_compact(void **state)
{
    (void)state;
    static const char text[] = "14758615255017094680:9:1\n 1: 4 4014738744300571210:3\n"
                               " 2.1: 4014738744300571210:5\n  1: 5\n";
    struct apf_sample *s =
        sample_expect_text(sample_compact_read, golden_compact.data, golden_compact.n, NULL, text);
    assert_int_equal(s->info.format, APF_SAMPLE_COMPACT);
    assert_int_equal(s->info.flags, APF_SAMPLE_MD5);
    assert_int_equal(s->info.n_hashes, 2);
    assert_int_equal(s->stored->n_rows, 16);
    sample_free(s);
}

/* ---- hand-made files ---- */

/* Hashes 1000 and 2000, two functions and their table; offsets[i] is that of function i. */
static struct sb compact_file(uint64_t offsets[2], size_t *table)
{
    struct sb b = {0};
    sb_start(&b, 2, 103);
    sb_summary(&b, 2);
    SB_NUMBERS(&b, 2, 1000, 2000);
    *table = b.n;
    sb_word(&b, 0);
    offsets[0] = b.n;
    SB_NUMBERS(&b, 1, 0, 5, 0, 0);
    offsets[1] = b.n;
    SB_NUMBERS(&b, 2, 1, 6, 0, 0);
    sb_set_word(&b, *table, b.n);
    SB_NUMBERS(&b, 2, 0, offsets[0], 1, offsets[1]);
    return b;
}

static void test_compact_table(void **state)
{
    uint64_t at[2];
    size_t table;
    struct sb b = compact_file(at, &table);
    (void)state;
    sample_free(sample_expect_text(sample_compact_read, b.data, b.n, NULL, "2000:6:2\n1000:5:1\n"));
    /* a function without an entry is not read, and of two entries of a name the last one counts */
    b.n -= 5;
    SB_NUMBERS(&b, 1, 0, at[0]);
    sample_free(sample_expect_text(sample_compact_read, b.data, b.n, NULL, "1000:5:1\n"));
    b.n -= 3;
    SB_NUMBERS(&b, 3, 1, at[1], 0, 5, 0, at[0]);
    sample_free(sample_expect_text(sample_compact_read, b.data, b.n, NULL, "2000:6:2\n1000:5:1\n"));
    sb_free(&b);
}

static void test_compact_errors(void **state)
{
    uint64_t at[2];
    size_t table;
    struct sb b = compact_file(at, &table);
    size_t entries = b.n - 5;
    (void)state;
    sb_set_word(&b, table, b.n + 1);
    COMPACT_REFUSED(b, APF_SAMPLE_TRUNCATED, "table_offset", table, b.n + 1, b.n);
    sb_set_word(&b, table, table);
    COMPACT_REFUSED(b, APF_SAMPLE_TRUNCATED, "table_offset", table, table, table + 8);
    sb_set_word(&b, table, b.n);
    COMPACT_REFUSED(b, APF_SAMPLE_TRUNCATED, "table", b.n, 0, 1);
    sb_set_word(&b, table, entries);
    b.n = entries;
    SB_NUMBERS(&b, 2, 0, at[0], 2, at[1]);
    COMPACT_REFUSED(b, APF_SAMPLE_NAME_TABLE, "table", entries + 3, 2, 1);
    b.n = entries;
    SB_NUMBERS(&b, 2, 0, at[0], 1);
    COMPACT_REFUSED(b, APF_SAMPLE_TRUNCATED, "table", entries + 1, 2, 1);
    b.n = entries;
    SB_NUMBERS(&b, 1, 0, 200);
    COMPACT_REFUSED(b, APF_SAMPLE_TRUNCATED, "function", entries, 200, b.n - 1);
    b.n = entries;
    SB_NUMBERS(&b, 1, 0, 0); /* the magic is no function */
    COMPACT_REFUSED(b, APF_SAMPLE_NAME_TABLE, "function", 9, 103, 1);
    b.n = table + 7;
    COMPACT_REFUSED(b, APF_SAMPLE_TRUNCATED, "table_offset", table, 7, 8);
    sb_free(&b);
    sb_start(&b, 2, 103);
    sb_summary(&b, 2);
    SB_NUMBERS(&b, 2, 5, 0);
    COMPACT_REFUSED(b, APF_SAMPLE_MALFORMED, "names", b.n - 1, 0, 1);
    sb_free(&b);
}

/* Entries that lead to the same bytes would multiply the work, and the counts. */
static void test_compact_overlap(void **state)
{
    struct sb b = {0};
    (void)state;
    sb_start(&b, 2, 103);
    sb_summary(&b, 2);
    sb_number(&b, 100);
    for (uint64_t i = 1; i <= 100; i++)
        sb_number(&b, i);
    size_t table = b.n;
    sb_word(&b, 0);
    size_t function = b.n;
    SB_NUMBERS(&b, 1, 0, 5, 50);
    for (uint64_t i = 0; i < 50; i++)
        SB_NUMBERS(&b, 1, 0, 1, 0);
    sb_number(&b, 0);
    sb_set_word(&b, table, b.n);
    sb_number(&b, 100);
    for (uint64_t i = 0; i < 100; i++)
        SB_NUMBERS(&b, i, function);
    size_t length = 205, reads = b.n / length;
    COMPACT_REFUSED(b, APF_SAMPLE_MALFORMED, "function", function, length, b.n - reads * length);
    sb_free(&b);
}

static void refuse_version(uint64_t version)
{
    struct sb b = {0};
    sb_start(&b, 2, version);
    sb_number(&b, 0);
    COMPACT_REFUSED(b, APF_SAMPLE_VERSION, "version", 9, version, 103);
    sb_free(&b);
}

static void test_compact_versions(void **state)
{
    (void)state;
    refuse_version(0);
    refuse_version(102);
    refuse_version(104);
}

static void test_compact_progress(void **state)
{
    uint64_t at[2];
    size_t table;
    struct sb b = compact_file(at, &table);
    (void)state;
    b.data[at[1] + 1] = 9;
    sample_expect_progress(sample_compact_read, b.data, b.n, 1, at[1], 2);
    b.data[at[1] + 1] = 1;
    sample_expect_progress(sample_compact_read, b.data, b.n - 1, 2, at[1] + 5, 2); /* the table is cut off */
    sample_expect_progress(sample_compact_read, b.data, at[1] + 3, 1, at[1], 2);   /* a function is cut off */
    sb_set_word(&b, table, 1);
    sample_expect_progress(sample_compact_read, b.data, b.n, 0, 0, 2);
    sb_free(&b);
}

/* ---- damage in general ---- */

static void test_compact_sweeps(void **state)
{
    uint64_t at[2];
    size_t table;
    struct sb b = compact_file(at, &table);
    (void)state;
    sample_sweep(sample_compact_read, golden_compact.data, golden_compact.n);
    sample_sweep(sample_compact_read, b.data, b.n);
    sb_free(&b);
}

static void test_compact_faults(void **state)
{
    (void)state;
    sample_read_faults(sample_compact_read, golden_compact.data, golden_compact.n);
}

TEST_FILE(sample_compact)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_compact),   cmocka_unit_test(test_compact_table),
        cmocka_unit_test(test_compact_errors),   cmocka_unit_test(test_compact_overlap),
        cmocka_unit_test(test_compact_versions), cmocka_unit_test(test_compact_progress),
        cmocka_unit_test(test_compact_sweeps),   cmocka_unit_test(test_compact_faults),
    };
    return RUN_TESTS(tests);
}

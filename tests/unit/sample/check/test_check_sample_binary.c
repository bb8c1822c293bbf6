/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of raw and compact binary sample profiles. */
#include "helpers/shared/check_memory.h"
#include "helpers/shared/sample_bytes.h"
#include "helpers/shared/sample_goldens.h"

static struct checked now; /* what was found last */

#define NOWHERE UINT64_MAX
#define FOUND(...) EXPECT_CHECKED(&now, __VA_ARGS__)
#define NO_MORE() EXPECT_NO_MORE(&now)

static void look(const struct sb *b)
{
    check_memory_bytes(&now, b->data, b->n);
}

/* Functions a, b and c, each of 9 bytes, with one line. */
#define FUNCTION_BYTES 9
static void append_functions(struct sb *b)
{
    for (uint64_t i = 0; i < 3; i++)
        SB_NUMBERS(b, 1, i, i + 5, 1, 1, 0, i + 5, 0, 0);
}

#define SUMMARY_AT 10 /* after magic and version */

static void raw(void **state)
{
    (void)state;
    struct sb b = {0};
    sb_start(&b, 0xff, 103);
    SB_NUMBERS(&b, 18, 7, 1, 3, 3, 0);
    size_t names = b.n, functions = names + 7;
    sb_names(&b, "a b c");
    append_functions(&b);
    look(&b);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 3);
    b.data[SUMMARY_AT + 1] = 8;
    b.data[names + 1] = 'z';
    look(&b);
    FOUND(WARNING, INCONSISTENT, "sample.binary.summary.max_count", SUMMARY_AT + 1, 8, 7);
    FOUND(NOTE, NOTE, "sample.binary.names.order", names + 3, 1, 0);
    NO_MORE();
    b.data[SUMMARY_AT + 1] = 7;
    b.data[names + 1] = 'a';
    b.data[functions + FUNCTION_BYTES + 1] =
        9; /* a name that is not there, in a function that ends where it should */
    look(&b);
    FOUND(ERROR, SAMPLE_NAME_TABLE, "sample.binary.function", functions + FUNCTION_BYTES + 1, 9, 2);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 2);
    b.data[functions + FUNCTION_BYTES + 1] = 0; /* once more a */
    look(&b);
    FOUND(NOTE, NOTE, "sample.binary.function.repeated", functions + FUNCTION_BYTES, 0, 0);
    FOUND(NOTE, NOTE, "sample.binary.names.unused", names + 3, 1, 0);
    FOUND(WARNING, INCONSISTENT, "sample.binary.summary.max_count", SUMMARY_AT + 1, 7, 11);
    FOUND(WARNING, INCONSISTENT, "sample.binary.summary.max_head", SUMMARY_AT + 2, 1, 2);
    FOUND(WARNING, INCONSISTENT, "sample.binary.summary.num_counts", SUMMARY_AT + 3, 3, 2);
    FOUND(WARNING, INCONSISTENT, "sample.binary.summary.num_functions", SUMMARY_AT + 4, 3, 2);
    NO_MORE();
    sb_free(&b);
    check_memory_bytes(&now, golden_raw.data, golden_raw.n);
    NO_MORE();
}

/* Version 100 has neither summary nor table. */
static void oldest(void **state)
{
    (void)state;
    struct sb b = {0};
    sb_start(&b, 0xff, 100);
    size_t at = b.n;
    sb_bytes(&b, "f", 2);
    SB_NUMBERS(&b, 3, 9, 1, 70, 0, 4, 0);
    look(&b);
    FOUND(NOTE, NOTE, "sample.binary.function.total", at, 3, 4);
    FOUND(NOTE, NOTE, "sample.binary.function.head", at, 9, 3);
    NO_MORE();
    b.n--;
    look(&b);
    FOUND(ERROR, SAMPLE_TRUNCATED, "sample.binary.function", at + 5, 1, 0);
    NO_MORE();
    sb_free(&b);
}

/* ---- compact ---- */

struct compact {
    struct sb b;
    size_t functions, table;
};

/* `entries` are numbers of names with offsets from the first function. */
static struct compact make_compact(const uint64_t (*entries)[2], size_t n)
{
    struct compact c = {.functions = 0};
    sb_start(&c.b, 2, 103);
    SB_NUMBERS(&c.b, 18, 7, 1, 3, 3, 0);
    SB_NUMBERS(&c.b, 3, 77, 78, 79);
    c.functions = c.b.n + 8;
    c.table = c.functions + 3 * FUNCTION_BYTES;
    sb_word(&c.b, c.table);
    append_functions(&c.b);
    sb_number(&c.b, n);
    for (size_t i = 0; i < n; i++)
        SB_NUMBERS(&c.b, entries[i][0], entries[i][1] + c.functions);
    return c;
}

static void compact(void **state)
{
    static const uint64_t good[][2] = {{2, 18}, {0, 0}, {1, 9}}, lacking[][2] = {{2, 18}, {0, 0}},
                          wrong[][2] = {{2, 18}, {0, 9}, {1, 0}},
                          twice[][2] = {{0, 9}, {2, 18}, {0, 0}, {1, 9}};
    (void)state;
    struct compact c = make_compact(good, COUNT(good));
    look(&c.b);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 3);
    sb_bytes(&c.b, "xy", 2);
    look(&c.b);
    FOUND(WARNING, INCONSISTENT, "sample.compact.unclaimed", c.b.n - 2, 2, 0);
    NO_MORE();
    sb_free(&c.b);
    c = make_compact(lacking, COUNT(lacking));
    look(&c.b);
    FOUND(WARNING, INCONSISTENT, "sample.compact.function.unlisted", c.functions + 9, 9, 0);
    FOUND(NOTE, NOTE, "sample.compact.names.unused", 16, 1, 0);
    FOUND(WARNING, INCONSISTENT, "sample.compact.summary.total", SUMMARY_AT, 18, 12);
    FOUND(WARNING, INCONSISTENT, "sample.compact.summary.num_counts", SUMMARY_AT + 3, 3, 2);
    FOUND(WARNING, INCONSISTENT, "sample.compact.summary.num_functions", SUMMARY_AT + 4, 3, 2);
    NO_MORE();
    sb_free(&c.b);
    c = make_compact(wrong, COUNT(wrong));
    look(&c.b);
    FOUND(ERROR, INCONSISTENT, "sample.compact.table.entry", c.table + 3, 1, 0);
    FOUND(ERROR, INCONSISTENT, "sample.compact.table.entry", c.table + 5, 0, 1);
    NO_MORE();
    sb_free(&c.b);
    c = make_compact(twice, COUNT(twice));
    look(&c.b);
    FOUND(WARNING, INCONSISTENT, "sample.compact.table.repeated", c.table + 5, c.functions, c.functions + 9);
    NO_MORE();
    sb_free(&c.b);
    check_memory_bytes(&now, golden_compact.data, golden_compact.n);
    NO_MORE();
}

static void damaged_compact(void **state)
{
    static const uint64_t good[][2] = {{2, 18}, {0, 0}, {1, 9}};
    (void)state;
    struct compact c = make_compact(good, COUNT(good));
    c.b.data[c.functions + 1] = 7;
    look(&c.b);
    FOUND(ERROR, SAMPLE_NAME_TABLE, "sample.compact.function", c.functions + 1, 7, 2);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 2);
    c.b.data[c.functions + 1] = 0;
    c.b.data[c.b.n - 1] = 0x7f; /* the offset of the last entry, after the end of the file */
    look(&c.b);
    FOUND(ERROR, SAMPLE_TRUNCATED, "sample.compact.function", c.table, 0x7f, c.b.n - 1);
    NO_MORE();
    sb_free(&c.b);
}

TEST_FILE(check_sample_binary)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw),
        cmocka_unit_test(oldest),
        cmocka_unit_test(compact),
        cmocka_unit_test(damaged_compact),
    };
    return RUN_TESTS(tests);
}

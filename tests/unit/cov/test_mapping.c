/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mappings of functions: regions of each kind, what is refused, and the values of expressions. */
#include <errno.h>
#include <string.h>

#include "cov/evaluate.h"
#include "cov/mapping.h"
#include "helpers/shared/fault.h"
#include "helpers/shared/unit.h"

/* Two files, the second one expanded in the first; the expression 0 is counter 0 - counter 1. */
static const uint8_t whole[] = {2,    0,    1,                      /* files */
                                1,    0x01, 0x05,                   /* expressions */
                                5,                                  /* regions of file 0 */
                                0x01, 10,   1,    5, 2,             /* counter 0, 10:1 to 15:2 */
                                0x0c, 1,    3,    0, 9,             /* expansion of file 1, 11:3 to 11:9 */
                                0x20, 0x05, 0x02, 1, 4,    0,    8, /* branch: counter 1, expression 0 */
                                0x10, 1,    0,    1, 0,             /* skipped lines 13 and 14 */
                                0x02, 0,    5,    1, 0x86, 0x80, 0x80,
                                0x80, 0x08,              /* a gap with the expression */
                                1,                       /* region of file 1 */
                                0x05, 3,    1,    0, 4}; /* counter 1 */

static int decode(struct mapping *m, const uint8_t *p, size_t n)
{
    struct apf_error error;
    const int code = mapping_decode(m, p, n, 2, &error);
    if (code == APF_BAD_COVERAGE)
        assert_true(strncmp(error.where, "mapping.", 8) == 0);
    return code;
}

/* As an array of bytes at an odd address. */
static struct counts counts_of(const uint64_t *values, size_t n, bool swap)
{
    static uint8_t bytes[1 + 2 * sizeof *values];
    for (size_t i = 0; i < n; i++) {
        const uint64_t v = swap ? swap64(values[i]) : values[i];
        memcpy(bytes + 1 + 8 * i, &v, sizeof v);
    }
    return (struct counts){bytes + 1, n, swap};
}

static void test_regions(void **state)
{
    struct mapping m = {.files = {NULL, 0, 0}};
    static const uint64_t values[] = {10, 3};
    const struct counts counts = counts_of(values, 2, true);
    enum counters_verdict verdict;
    (void)state;
    assert_int_equal(decode(&m, whole, sizeof whole), APF_OK);
    assert_int_equal(m.regions.n, 6);
    assert_true(mapping_evaluate(&m, &counts, false, &verdict));
    assert_int_equal(verdict, COUNTERS_OK);
    const struct region *r = m.regions.data;
    assert_int_equal(r[0].kind, REGION_CODE);
    assert_int_equal(r[0].line, 10);
    assert_int_equal(r[0].end_line, 15);
    assert_int_equal(r[0].count, 10);
    assert_int_equal(r[1].kind, REGION_EXPANSION);
    assert_int_equal(r[1].expanded, 1);
    assert_int_equal(r[1].count, 3); /* that of the first region of its file */
    assert_int_equal(r[2].kind, REGION_BRANCH);
    assert_int_equal(r[2].count, 3);
    assert_int_equal(r[2].false_count, 7);
    assert_int_equal(r[3].kind, REGION_SKIPPED);
    assert_int_equal(r[3].column, 1); /* whole lines */
    assert_int_equal(r[3].end_column, UINT32_MAX);
    assert_int_equal(r[4].kind, REGION_GAP);
    assert_int_equal(r[4].end_column, 6);
    assert_int_equal(r[4].count, 7);
    assert_int_equal(r[5].file, 1);
    assert_int_equal(m.starts.data[1], 5);
    mapping_free(&m);
}

/* Cut off anywhere, it is an error; with any other byte, it is an error or a mapping, and never more. */
static void test_damage(void **state)
{
    struct mapping m = {.files = {NULL, 0, 0}};
    uint8_t bytes[sizeof whole];
    (void)state;
    for (size_t n = 0; n < sizeof whole; n++)
        assert_int_equal(decode(&m, whole, n), APF_BAD_COVERAGE);
    for (size_t i = 0; i < sizeof whole; i++)
        for (unsigned v = 0; v < 256; v++) {
            memcpy(bytes, whole, sizeof whole);
            bytes[i] = (uint8_t)v;
            const int code = decode(&m, bytes, sizeof bytes);
            assert_true(code == APF_OK || code == APF_BAD_COVERAGE);
            for (size_t k = 0; code == APF_OK && k < m.regions.n; k++) {
                assert_in_range(m.regions.data[k].file, 0, m.files.n - 1);
                if (m.regions.data[k].kind == REGION_EXPANSION)
                    assert_in_range(m.regions.data[k].expanded, 0, m.files.n - 1);
            }
        }
    mapping_free(&m);
}

/* One file with a region of expression 0, and n expressions of two words each. */
static int with_expressions_of(struct mapping *m, const uint8_t *words, uint8_t n, uint8_t tag)
{
    uint8_t bytes[300] = {1, 0};
    const uint8_t region[] = {1, tag, 1, 1, 0, 2}; /* which refers to expression 0 */
    size_t used = 2;
    bytes[used++] = n;
    memcpy(bytes + used, words, 2 * (size_t)n);
    used += 2 * (size_t)n;
    memcpy(bytes + used, region, sizeof region);
    return decode(m, bytes, used + sizeof region);
}

static int with_expressions(struct mapping *m, const uint8_t *words, uint8_t n)
{
    return with_expressions_of(m, words, n, COUNTER_ADD);
}

static void test_expressions(void **state)
{
    struct mapping m = {.files = {NULL, 0, 0}};
    static const uint64_t values[] = {1};
    const struct counts one = {(const uint8_t *)values, 1, false}, none = {(const uint8_t *)values, 0, false},
                        absent = {NULL, 0, false};
    enum counters_verdict verdict;
    uint8_t words[120];
    (void)state;
    /* each is the sum of the next one twice: 2^59 steps if they were not evaluated once */
    for (uint8_t i = 0; i < 60; i++)
        words[2 * i] = words[2 * i + 1] = i < 31 ? (uint8_t)((i + 1) << 2 | COUNTER_ADD) : 0x01;
    assert_int_equal(with_expressions(&m, words, 60), APF_OK);
    assert_true(mapping_evaluate(&m, &one, false, &verdict));
    assert_int_equal(verdict, COUNTERS_OK);
    assert_true(m.regions.data[0].count == (uint64_t)1 << 32);
    assert_true(mapping_evaluate(&m, &none, false, &verdict));
    assert_int_equal(verdict, COUNTERS_MISSING);
    assert_true(mapping_evaluate(&m, &absent, false, &verdict)); /* all counters are 0 */
    assert_int_equal(verdict, COUNTERS_OK);
    assert_int_equal(m.regions.data[0].count, 0);
    /* 0 - 1, and the sums of the largest number with 1 */
    static const uint8_t below[] = {0x00, 0x01}, above[] = {0x01, 0x05};
    static const uint64_t extreme[] = {UINT64_MAX, 1};
    const struct counts large = counts_of(extreme, 2, false);
    for (unsigned saturates = 0; saturates < 2; saturates++) {
        assert_int_equal(with_expressions_of(&m, below, 1, COUNTER_SUBTRACT), APF_OK);
        assert_true(mapping_evaluate(&m, &one, saturates != 0, &verdict));
        assert_true(m.regions.data[0].count == (saturates ? 0 : UINT64_MAX));
        assert_int_equal(with_expressions(&m, above, 1), APF_OK);
        assert_true(mapping_evaluate(&m, &large, saturates != 0, &verdict));
        assert_true(m.regions.data[0].count == (saturates ? UINT64_MAX : 0));
    }
    /* in a circle, of one and of two */
    static const uint8_t circles[2][4] = {{0x03, 0x01, 0, 0}, {0x07, 0x01, 0x03, 0x01}};
    for (uint8_t i = 0; i < 2; i++) {
        assert_int_equal(with_expressions(&m, circles[i], (uint8_t)(i + 1)), APF_OK);
        assert_true(mapping_evaluate(&m, &one, false, &verdict));
        assert_int_equal(verdict, COUNTERS_CYCLE);
    }
    static const uint8_t outside[] = {0x0b, 0x01};
    assert_int_equal(with_expressions(&m, outside, 1), APF_BAD_COVERAGE);
    mapping_free(&m);
}

static void test_dummies(void **state)
{
    static const uint8_t dummy[] = {1, 3, 0, 1, 0, 1, 1, 1, 1};
    uint8_t other[sizeof dummy];
    (void)state;
    assert_true(mapping_is_dummy(dummy, sizeof dummy));
    static const uint8_t changes[][2] = {{0, 2}, {2, 1}, {3, 2}, {4, 1}};
    for (size_t i = 0; i < COUNT(changes); i++) {
        memcpy(other, dummy, sizeof dummy);
        other[changes[i][0]] = changes[i][1];
        assert_false(mapping_is_dummy(other, sizeof dummy));
    }
    assert_false(mapping_is_dummy(dummy, 3));
}

static void test_faults(void **state)
{
    const struct counts absent = {NULL, 0, false};
    enum counters_verdict verdict;
    (void)state;
    for (uint64_t at = 1;; at++) {
        struct mapping m = {.files = {NULL, 0, 0}};
        struct apf_error error;
        fault_fail(FAULT_MEMORY, at, ENOMEM);
        const int code = mapping_decode(&m, whole, sizeof whole, 2, &error);
        const bool evaluated = code == APF_OK && mapping_evaluate(&m, &absent, false, &verdict);
        const bool hit = fault_hit();
        fault_reset();
        mapping_free(&m);
        assert_int_equal(evaluated, !hit);
        assert_true(code == APF_OK || code == APF_NO_MEMORY);
        if (!hit)
            return;
    }
}

TEST_FILE(mapping)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_regions), cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_expressions), cmocka_unit_test(test_dummies),
                                       cmocka_unit_test(test_faults)};
    return RUN_TESTS(tests);
}

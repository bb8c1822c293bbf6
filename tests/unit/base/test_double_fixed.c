/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C library of the test (in the "C" locale) is the oracle. */
#include "helpers/shared/unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/double_text.h"

static void same(double v)
{
    char want[DOUBLE_FIXED_MAX + 1], got[DOUBLE_FIXED_MAX + 1];
    for (unsigned decimals = 0; decimals <= DOUBLE_FIXED_DECIMALS; decimals++) {
        int length = snprintf(want, sizeof want, "%.*f", (int)decimals, v);
        assert_in_range(length, 1, DOUBLE_FIXED_MAX);
        memset(got, '#', sizeof got);
        size_t n = double_fixed(got, v, decimals);
        assert_int_equal(n, length);
        assert_memory_equal(got, want, n);
        assert_int_equal(got[n], '#');
    }
}

static void test_known(void **state)
{
    (void)state;
    static const double cases[] = {0.0,
                                   0.5,
                                   1.5,
                                   2.5,
                                   0.0005,
                                   0.0015,
                                   0.125,
                                   0.0625,
                                   0.03125,
                                   0.375,
                                   99.9995,
                                   100.0,
                                   999.9996,
                                   1e15,
                                   4503599627370495.5,
                                   1e16,
                                   1e22,
                                   1e23,
                                   1e300,
                                   DBL_MAX,
                                   DBL_MIN,
                                   4.9e-324,
                                   1.0 / 3,
                                   0.99951,
                                   0.9995,
                                   0.00049,
                                   9999999,
                                   18446744073709551616.0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same(cases[i]);
    char out[DOUBLE_FIXED_MAX];
    assert_int_equal(double_fixed(out, -1.0, 3), 0);
    assert_int_equal(double_fixed(out, (double)INFINITY, 3), 0);
    assert_int_equal(double_fixed(out, (double)NAN, 3), 0);
    assert_int_equal(double_fixed(out, 1.0, 4), 0);
}

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ (*state >> 29);
}

static void test_random(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (unsigned i = 0; i < 30000; i++) {
        uint64_t bits = next(&seed);
        double v;
        if (i % 3 == 0) { /* all halves in the range of percentages, including ties */
            bits &= UINT64_MAX >> 1;
            memcpy(&v, &bits, sizeof v);
            if (!isfinite(v))
                continue;
        } else if (i % 3 == 1) {
            v = (double)(bits >> 20) / 1e11;
        } else {
            v = (double)(bits >> 40) / 4096.0;
        }
        same(v);
    }
}

static void same_exponent(double v)
{
    char want[64], got[DOUBLE_EXPONENT_MAX + 1];
    int length = snprintf(want, sizeof want, "%e", v);
    memset(got, '#', sizeof got);
    size_t n = double_exponent(got, v);
    assert_int_equal(n, length);
    assert_memory_equal(got, want, n);
    assert_int_equal(got[n], '#');
}

static void test_exponent(void **state)
{
    (void)state;
    static const double cases[] = {
        0,        1,        9,        10,       999999,    1234567, 12345678,     12345675,
        12345665, 99999994, 99999995, 99999996, 999999950, 1e15,    4294967296.0, DBL_MAX};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same_exponent(cases[i]);
    uint64_t seed = 2;
    for (unsigned i = 0; i < 30000; i++)
        same_exponent((double)(float)(uint32_t)(next(&seed) >> (32 + i % 30)));
    char out[DOUBLE_EXPONENT_MAX];
    assert_int_equal(double_exponent(out, -1), 0);
}

TEST_FILE(double_fixed)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_exponent)};
    return RUN_TESTS(tests);
}

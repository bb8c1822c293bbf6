/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C library of the test (in the "C" locale) is the oracle: what it reads back, and its digits. */
#include "helpers/shared/unit.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_text.h"

static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void text_of(char text[DOUBLE_TEXT_MAX + 1], double v)
{
    char room[DOUBLE_TEXT_MAX + 1];
    memset(room, '#', sizeof room);
    size_t n = double_text(room, v);
    assert_in_range(n, 1, DOUBLE_TEXT_MAX);
    assert_int_equal(room[DOUBLE_TEXT_MAX], '#');
    memcpy(text, room, n);
    text[n] = '\0';
}

static void test_known(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1.0, "1"},
        {-1.0, "-1"},
        {10.0, "10"},
        {100000.0, "100000"},
        {0.1, "0.1"},
        {0.5, "0.5"},
        {-2.5, "-2.5"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3.0, "0.3333333333333333"},
        {2.0 / 3.0, "0.6666666666666666"},
        {99.99, "99.99"},
        {123456.789, "123456.789"},
        {0.001, "0.001"},
        {0.0001, "0.0001"},
        {0.00012345678901234567, "0.00012345678901234567"},
        {0.00001, "1e-05"},
        {0.000012345, "1.2345e-05"},
        {1e16, "10000000000000000"},
        {12345678901234567.0, "12345678901234568"},
        {1e17, "1e+17"},
        {1.5e17, "1.5e+17"},
        {1e22, "1e+22"},
        {1e23, "1e+23"}, /* the double below it is nearer to 1e23 than any other, and ends in ...2 */
        {9007199254740991.0, "9007199254740991"},
        {9007199254740992.0, "9007199254740992"},
        {9007199254740994.0, "9007199254740994"},
        {18446744073709551616.0, "1.8446744073709552e+19"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {-DBL_MAX, "-1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {2.225073858507201e-308, "2.225073858507201e-308"}, /* the largest without the implied bit */
        {5e-324, "5e-324"},
        {-5e-324, "-5e-324"},
        {1e-323, "1e-323"},
        {5.684341886080801e-14, "5.684341886080801e-14"}, /* 2^-44: two texts of 16 digits are equally near */
        {4.35, "4.35"},
        {1.7800590868057611e-307, "1.7800590868057611e-307"},
        {-1.7800590868057611e-307, "-1.7800590868057611e-307"}, /* as long as it gets */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[DOUBLE_TEXT_MAX + 1];
        text_of(text, cases[i].v);
        assert_string_equal(text, cases[i].text);
    }
}

static void test_not_finite(void **state)
{
    (void)state;
    char text[DOUBLE_TEXT_MAX];
    assert_int_equal(double_text(text, (double)INFINITY), 0);
    assert_int_equal(double_text(text, -(double)INFINITY), 0);
    assert_int_equal(double_text(text, (double)NAN), 0);
    assert_int_equal(double_text(text, double_of(0xfff0000000000001)), 0);
}

/* Only the digits of a number, without the zeros at its ends. */
static void digits_of(char *out, const char *text)
{
    size_t n = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n || *text != '0'))
            out[n++] = *text;
    while (n && out[n - 1] == '0')
        n--;
    out[n] = '\0';
}

static void check(double v)
{
    char text[DOUBLE_TEXT_MAX + 1], digits[DOUBLE_TEXT_MAX + 1], oracle[64], oracle_digits[64];
    text_of(text, v);
    if (bits_of(strtod(text, NULL)) != bits_of(v))
        fail_msg("%s is not %.17g", text, v);
    digits_of(digits, text);
    int precision = 1;
    for (;; precision++) {
        snprintf(oracle, sizeof oracle, "%.*e", precision - 1, v);
        if (bits_of(strtod(oracle, NULL)) == bits_of(v))
            break;
    }
    digits_of(oracle_digits, oracle);
    /* Below a power of two the nearest number of some length may not read back, while one above it does. */
    bool power = (bits_of(v) & (((uint64_t)1 << 52) - 1)) == 0;
    if (power ? strlen(digits) > strlen(oracle_digits) : strcmp(digits, oracle_digits) != 0)
        fail_msg("%s, but %s is as short and nearer", text, oracle);
    const char *e = strchr(text, 'e'), *oracle_e = strchr(oracle, 'e');
    int exponent = atoi(oracle_e + 1);
    if (e)
        assert_string_equal(e, oracle_e);
    assert_int_equal(e != NULL, exponent < -4 || exponent >= 17);
}

static void test_any_bits(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (unsigned i = 0; i < 40000; i++) {
        double v = double_of(next_random(&random));
        if (isfinite(v))
            check(v);
    }
}

/* Small, large and halfway mantissas with every exponent. */
static void test_every_exponent(void **state)
{
    (void)state;
    static const uint64_t mantissas[] = {0, 1, 2, ((uint64_t)1 << 52) - 1, (uint64_t)1 << 51};
    for (uint64_t exponent = 0; exponent < 0x7ff; exponent++)
        for (size_t m = 0; m < sizeof mantissas / sizeof *mantissas; m++)
            if (exponent || mantissas[m])
                check(double_of(exponent << 52 | mantissas[m]));
}

/* What reports hold: percentages and ratios. */
static void test_decimal_fractions(void **state)
{
    (void)state;
    for (unsigned i = 1; i < 100000; i += 7) {
        char text[DOUBLE_TEXT_MAX + 1], want[32];
        double v = i / 1000.0;
        text_of(text, v);
        snprintf(want, sizeof want, "%.5g", v);
        assert_string_equal(text, want);
        check(v);
    }
}

static void check_copy(const char *printed, const char *want)
{
    char out[32];
    size_t n = double_copy_printed(out, printed);
    assert_int_equal(n, strlen(want));
    assert_memory_equal(out, want, n);
}

static void test_separators(void **state)
{
    (void)state;
    check_copy("-12.5e-07", "-12.5e-07");
    check_copy("12,5", "12.5");
    check_copy("1\331\25325e+17", "1.25e+17"); /* as in ps_AF */
    check_copy("17", "17");
}

/* A locale with a comma, made by the C library's own tool: few systems have one installed. */
static bool make_locale(const char *name)
{
    static const char source[] = "LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"<U002E>\"\n"
                                 "grouping 3;3\nEND LC_NUMERIC\n";
    char command[1200];
    file_make(temp_path("source"), source, sizeof source - 1);
    snprintf(command, sizeof command, "localedef -c -i %s %s >%s 2>&1", temp_path("source"), temp_path(name),
             temp_path("log"));
    (void)!system(command); /* it has warnings: there is one category */
    return setenv("LOCPATH", temp_dir, 1) == 0 && setlocale(LC_ALL, name);
}

static void test_locale(void **state)
{
    static const double some[] = {0,         1234567.5,          0.1,     1.0 / 3, 5e-324,
                                  0.1 + 0.2, 9007199254740993.0, DBL_MAX, DBL_MIN, DBL_EPSILON};
    uint64_t random = 1;
    (void)state;
    if (!make_locale("comma"))
        skip(); /* no localedef, or no LOCPATH */
    for (size_t i = 0; i < 2000 + COUNT(some); i++) {
        double v = i < COUNT(some) ? some[i] : fabs(double_of(next_random(&random)));
        char text[2][DOUBLE_TEXT_MAX + 1], fixed[2][DOUBLE_FIXED_MAX], exponent[2][DOUBLE_EXPONENT_MAX];
        size_t n_fixed[2], n_exponent[2];
        if (!isfinite(v))
            continue;
        for (int k = 0; k < 2; k++) {
            char separator[8];
            assert_non_null(setlocale(LC_ALL, k ? "C" : "comma"));
            snprintf(separator, sizeof separator, "%.1f", 0.5);
            assert_string_equal(separator, k ? "0.5" : "0,5");
            text_of(text[k], v);
            n_fixed[k] = double_fixed(fixed[k], v, 3);
            n_exponent[k] = double_exponent(exponent[k], v);
        }
        assert_string_equal(text[0], text[1]);
        assert_int_equal(n_fixed[0], n_fixed[1]);
        assert_memory_equal(fixed[0], fixed[1], n_fixed[0]);
        assert_int_equal(n_exponent[0], n_exponent[1]);
        assert_memory_equal(exponent[0], exponent[1], n_exponent[0]);
    }
}

TEST_FILE(double_text)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_any_bits),
        cmocka_unit_test(test_every_exponent),
        cmocka_unit_test(test_decimal_fractions),
        cmocka_unit_test(test_separators),
        TEST_WITH_DIR(test_locale),
    };
    return RUN_TESTS(tests);
}

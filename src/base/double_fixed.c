/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/double_fixed.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/decimal.h"

#define MANTISSA_BITS 52
#define EXPONENT_MASK 0x7ffu
#define EXPONENT_BIAS 1075 /* of mantissas that are whole numbers */
#define EXPONENT_DIGITS 6u /* decimals of %e */

/* v = mantissa * 2^exponent; false: it is negative or not finite. */
static bool take_apart(double v, uint64_t *mantissa, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    unsigned stored = (unsigned)(bits >> MANTISSA_BITS) & EXPONENT_MASK;
    *mantissa = bits & (((uint64_t)1 << MANTISSA_BITS) - 1);
    *exponent = (int)(stored ? stored : 1) - EXPONENT_BIAS;
    if (stored)
        *mantissa |= (uint64_t)1 << MANTISSA_BITS;
    return stored != EXPONENT_MASK && (bits >> 63 == 0 || v == 0);
}

/* Changes no bytes behind the digits. */
static size_t put_decimal(char *out, uint64_t v)
{
    uint8_t digits[DECIMAL_MAX];
    unsigned n = decimal_put(digits, v);
    memcpy(out, digits, n);
    return n;
}

/* The digits of m * 2^shift, which is below 2^1024. */
static size_t put_shifted(char *out, uint64_t m, unsigned shift)
{
    enum { BASE = 1000000000, DIGITS = 9, STEP = 29, MOST = 35 };
    uint32_t limbs[MOST] = {0}; /* least significant first */
    size_t n = 0;
    for (; m; m /= BASE)
        limbs[n++] = (uint32_t)(m % BASE);
    while (shift) {
        unsigned step = shift < STEP ? shift : STEP;
        uint64_t carry = 0;
        for (size_t i = 0; i < n; i++) {
            carry += (uint64_t)limbs[i] << step;
            limbs[i] = (uint32_t)(carry % BASE);
            carry /= BASE;
        }
        if (carry)
            limbs[n++] = (uint32_t)carry;
        shift -= step;
    }
    size_t at = put_decimal(out, n ? limbs[n - 1] : 0);
    for (size_t i = n > 1 ? n - 1 : 0; i-- > 0;) {
        uint8_t digits[DECIMAL_MAX];
        decimal_put(digits, (uint64_t)BASE + limbs[i]); /* the 1 in front keeps zeros */
        memcpy(out + at, digits + 1, DIGITS);
        at += DIGITS;
    }
    return at;
}

/* m / 2^shift, rounded. */
static uint64_t shift_down(uint64_t m, unsigned shift)
{
    if (shift >= 64)
        return 0; /* m is below 2^63: less than a half */
    uint64_t half = shift ? (uint64_t)1 << (shift - 1) : 0;
    uint64_t whole = m >> shift, rest = m - (whole << shift);
    bool up = shift && (rest > half || (rest == half && whole % 2));
    return whole + up;
}

size_t double_fixed(char *out, double v, unsigned decimals)
{
    static const uint64_t powers[DOUBLE_FIXED_DECIMALS + 1] = {1, 10, 100, 1000};
    uint64_t mantissa;
    int exponent;
    if (decimals > DOUBLE_FIXED_DECIMALS || !take_apart(v, &mantissa, &exponent))
        return 0;
    uint64_t power = powers[decimals];
    size_t n;
    if (exponent >= 0) {
        n = put_shifted(out, mantissa, (unsigned)exponent);
        mantissa = 0;
    } else {
        mantissa = shift_down(mantissa * power, (unsigned)-exponent); /* below 2^53 * 1000 */
        n = put_decimal(out, mantissa / power);
    }
    if (decimals) {
        uint8_t digits[DECIMAL_MAX];
        decimal_put(digits, power + mantissa % power);
        digits[0] = '.';
        memcpy(out + n, digits, decimals + 1);
        n += decimals + 1;
    }
    return n;
}

size_t double_exponent(char *out, double v)
{
    char all[DOUBLE_FIXED_MAX] = {0};
    char kept[EXPONENT_DIGITS + 1];
    size_t n = double_fixed(all, v, 0);
    if (n == 0)
        return 0;
    memset(kept, '0', sizeof kept);
    memcpy(kept, all, n < sizeof kept ? n : sizeof kept);
    unsigned exponent = (unsigned)n - 1;
    if (n > sizeof kept) {
        size_t rest = sizeof kept, at = sizeof kept;
        int order = (all[rest] > '5') - (all[rest] < '5');
        while (order == 0 && ++rest < n)
            order = all[rest] > '0';
        bool up = order > 0 || (order == 0 && kept[at - 1] % 2); /* '0' is even */
        while (up && at > 0) {
            at--;
            up = kept[at] == '9';
            kept[at] = up ? '0' : (char)(kept[at] + 1);
        }
        if (up) { /* they were nines */
            kept[0] = '1';
            exponent++;
        }
    }
    out[0] = kept[0];
    out[1] = '.';
    memcpy(out + 2, kept + 1, EXPONENT_DIGITS);
    memcpy(out + 2 + EXPONENT_DIGITS, exponent < 10 ? "e+0" : "e+", 3);
    size_t end = 2 + EXPONENT_DIGITS + (exponent < 10 ? 3 : 2);
    return end + put_decimal(out + end, exponent);
}

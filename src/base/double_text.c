/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* R. G. Burger and R. K. Dybvig, "Printing Floating-Point Numbers Quickly and Accurately" (1996), the free-format
 * algorithm with exact integers: v = r / s, and every number between v - low / s and v + high / s reads back as v. */
#include "base/double_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The largest numbers are below 2^1088: s for the smallest doubles, and what is compared with it times 10. */
#define LIMBS 36

struct big {
    uint32_t limb[LIMBS]; /* least significant first */
    unsigned n;           /* how many are in use */
};

struct fraction {
    struct big r, s, low, high;
    bool inclusive; /* the ends of the interval read back as v, too: ties go to the even one */
};

#define MOST_DIGITS 17

struct digits {
    char d[MOST_DIGITS];
    int n;
    int point; /* v = 0.ddd * 10^point */
};

static struct big big_make(uint64_t v, unsigned shift)
{
    struct big b = {{0}, 0};
    unsigned first = shift / 32, bits = shift % 32;
    b.limb[first] = (uint32_t)(v << bits);
    b.limb[first + 1] = (uint32_t)(v >> (32 - bits));
    b.limb[first + 2] = bits ? (uint32_t)(v >> (64 - bits)) : 0;
    b.n = first + 3;
    while (b.n && !b.limb[b.n - 1])
        b.n--;
    return b;
}

static void big_times10(struct big *b)
{
    uint64_t carry = 0;
    for (unsigned i = 0; i < b->n; i++) {
        carry += (uint64_t)b->limb[i] * 10;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        b->limb[b->n++] = (uint32_t)carry;
}

static struct big big_plus(const struct big *a, const struct big *b)
{
    struct big sum = {{0}, a->n > b->n ? a->n : b->n};
    uint64_t carry = 0;
    for (unsigned i = 0; i < sum.n; i++) {
        carry += (uint64_t)a->limb[i] + b->limb[i];
        sum.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        sum.limb[sum.n++] = (uint32_t)carry;
    return sum;
}

/* a -= b, which is not larger. */
static void big_minus(struct big *a, const struct big *b)
{
    uint64_t borrow = 0;
    for (unsigned i = 0; i < a->n; i++) {
        uint64_t d = (uint64_t)a->limb[i] - b->limb[i] - borrow;
        a->limb[i] = (uint32_t)d;
        borrow = d >> 63;
    }
    while (a->n && !a->limb[a->n - 1])
        a->n--;
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (unsigned i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* Does the upper end of the interval reach 1 ... */
static bool reaches_one(const struct fraction *f)
{
    struct big top = big_plus(&f->r, &f->high);
    int order = big_compare(&top, &f->s);
    return f->inclusive ? order >= 0 : order > 0;
}

/* ... and the lower one 0? */
static bool reaches_zero(const struct fraction *f)
{
    int order = big_compare(&f->r, &f->low);
    return f->inclusive ? order <= 0 : order < 0;
}

static void times10(struct fraction *f)
{
    big_times10(&f->r);
    big_times10(&f->low);
    big_times10(&f->high);
}

/* v = mantissa * 2^exponent with its interval. */
static struct fraction fraction_make(uint64_t mantissa, int exponent, bool edge)
{
    /* Below a power of two the doubles lie half as far apart as above it. */
    unsigned more = edge ? 2 : 1;
    unsigned up = exponent > 0 ? (unsigned)exponent : 0, down = exponent < 0 ? (unsigned)-exponent : 0;
    struct fraction f;
    f.r = big_make(mantissa, up + more);
    f.s = big_make(1, down + more);
    f.low = big_make(1, up);
    f.high = big_make(1, up + more - 1);
    f.inclusive = mantissa % 2 == 0;
    return f;
}

static struct digits generate(struct fraction *f)
{
    struct digits out = {{0}, 0, 0};
    for (; reaches_one(f); out.point++)
        big_times10(&f->s);
    for (;;) {
        times10(f);
        if (out.n == 0 && !reaches_one(f)) {
            out.point--; /* a 0 right behind the point */
            continue;
        }
        unsigned d = 0;
        for (; big_compare(&f->r, &f->s) >= 0; d++)
            big_minus(&f->r, &f->s);
        bool down = reaches_zero(f), up = reaches_one(f);
        if (down && up) {
            struct big twice = big_plus(&f->r, &f->r);
            int order = big_compare(&twice, &f->s);
            down = order < 0 || (order == 0 && d % 2 == 0);
        }
        out.d[out.n++] = (char)('0' + (d + (up && !down)));
        if (down || up)
            return out;
    }
}

static size_t put_exponent(char *out, int exponent)
{
    size_t n = 0;
    unsigned e = (unsigned)(exponent < 0 ? -exponent : exponent);
    out[n++] = 'e';
    out[n++] = exponent < 0 ? '-' : '+';
    if (e >= 100)
        out[n++] = (char)('0' + e / 100);
    out[n++] = (char)('0' + e / 10 % 10);
    out[n++] = (char)('0' + e % 10);
    return n;
}

/* The layout of %.17g. */
static size_t put_digits(char *out, const struct digits *digits)
{
    size_t n = 0;
    int exponent = digits->point - 1;
    bool scientific = exponent < -4 || exponent >= 17;
    int point = scientific ? 1 : digits->point; /* before which digit the point stands */
    if (point <= 0) {
        out[n++] = '0';
        out[n++] = '.';
        for (int i = point; i < 0; i++)
            out[n++] = '0';
        memcpy(out + n, digits->d, (size_t)digits->n);
        return n + (size_t)digits->n;
    }
    for (int i = 0; i < digits->n || i < point; i++) {
        if (i == point)
            out[n++] = '.';
        out[n++] = i < digits->n ? digits->d[i] : '0';
    }
    return scientific ? n + put_exponent(out + n, exponent) : n;
}

size_t double_text(char *out, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint64_t mantissa = bits & (((uint64_t)1 << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    size_t n = 0;
    if (exponent == 0x7ff)
        return 0;
    if (bits >> 63)
        out[n++] = '-';
    if (mantissa == 0 && exponent == 0) {
        out[n++] = '0';
        return n;
    }
    bool edge = mantissa == 0 && exponent > 1;
    if (exponent)
        mantissa |= (uint64_t)1 << 52;
    else
        exponent = 1;
    struct fraction f = fraction_make(mantissa, exponent - 1075, edge);
    struct digits digits = generate(&f);
    return n + put_digits(out + n, &digits);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cursor.h, and what it stands on: endian.h and leb128.h. */
#include "helpers/shared/unit.h"

#include <string.h>

#include "base/cursor.h"
#include "base/leb128.h"

static const uint8_t counting[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

/* swap: the data is big-endian here when the host is little-endian, and the other way round. */
static struct cursor little(const void *p, size_t n)
{
    return cursor_make(p, n, HOST_BIG_ENDIAN);
}

static struct cursor big(const void *p, size_t n)
{
    return cursor_make(p, n, !HOST_BIG_ENDIAN);
}

static void test_loads(void **state)
{
    (void)state;
    const uint8_t *odd = counting + 1; /* no alignment is needed */
    assert_int_equal(load16(odd, HOST_BIG_ENDIAN), 0x0302);
    assert_int_equal(load16(odd, !HOST_BIG_ENDIAN), 0x0203);
    assert_int_equal(load32(odd, HOST_BIG_ENDIAN), 0x05040302);
    assert_int_equal(load32(odd, !HOST_BIG_ENDIAN), 0x02030405);
    assert_int_equal(load64(odd, HOST_BIG_ENDIAN), 0x0908070605040302);
    assert_int_equal(load64(odd, !HOST_BIG_ENDIAN), 0x0203040506070809);
    assert_int_equal(load32le(odd), 0x05040302);
    assert_int_equal(load64le(odd), 0x0908070605040302);
    uint8_t out[13] = {0};
    store32le(out + 1, 0x05040302);
    store64le(out + 5, 0x0908070605040302);
    assert_memory_equal(out, "\0\2\3\4\5\2\3\4\5\6\7\x8\x9", 13);
}

static void test_align(void **state)
{
    (void)state;
    assert_int_equal(align8(0), 0);
    assert_int_equal(align8(1), 8);
    assert_int_equal(align8(8), 8);
    assert_int_equal(align8(9), 16);
    assert_int_equal(align8(UINT64_MAX - 7), UINT64_MAX - 7);
    assert_int_equal(pad8(0), 0);
    assert_int_equal(pad8(1), 7);
    assert_int_equal(pad8(7), 1);
    assert_int_equal(pad8(8), 0);
}

static void test_reads(void **state)
{
    (void)state;
    struct cursor c = little(counting, sizeof counting);
    assert_int_equal(cursor_left(&c), 16);
    assert_int_equal(cursor_offset(&c), 0);
    assert_int_equal(cursor_u8(&c), 1);
    assert_int_equal(cursor_u16(&c), 0x0302);
    assert_int_equal(cursor_u32(&c), 0x07060504);
    assert_int_equal(cursor_u64(&c), 0x0f0e0d0c0b0a0908);
    assert_int_equal(cursor_left(&c), 1);
    assert_int_equal(cursor_offset(&c), 15);
    assert_int_equal(cursor_u8(&c), 16);
    assert_int_equal(cursor_left(&c), 0);
    assert_false(c.failed);

    c = big(counting, sizeof counting);
    assert_int_equal(cursor_u16(&c), 0x0102);
    assert_int_equal(cursor_u32(&c), 0x03040506);
    assert_int_equal(cursor_u64(&c), 0x0708090a0b0c0d0e);
}

/* The bytes may be a part of a file, however far from its beginning. */
static void test_origin(void **state)
{
    (void)state;
    struct cursor c = cursor_make_at(counting, sizeof counting, UINT64_MAX - 20, HOST_BIG_ENDIAN);
    assert_true(cursor_offset(&c) == UINT64_MAX - 20);
    assert_int_equal(cursor_left(&c), 16);
    assert_int_equal(cursor_u64(&c), 0x0807060504030201);
    assert_true(cursor_offset(&c) == UINT64_MAX - 12);
    assert_null(cursor_bytes(&c, 9));
    assert_true(c.failed && cursor_offset(&c) == UINT64_MAX - 12);
}

static void test_error_sticks(void **state)
{
    (void)state;
    struct cursor c = little(counting, 7);
    assert_int_equal(cursor_u32(&c), 0x04030201);
    assert_int_equal(cursor_u32(&c), 0); /* three bytes are left */
    assert_true(c.failed);
    assert_int_equal(cursor_offset(&c), 4); /* where the read began */
    assert_int_equal(cursor_u8(&c), 0);     /* would fit */
    assert_int_equal(cursor_u16(&c), 0);
    assert_int_equal(cursor_u64(&c), 0);
    assert_int_equal(cursor_uleb128(&c), 0);
    assert_null(cursor_bytes(&c, 0));
    assert_null(cursor_array(&c, 0, 4));
    cursor_skip(&c, 1);
    assert_true(cursor_sub(&c, 1).failed);
    assert_true(c.failed);
    assert_int_equal(cursor_offset(&c), 4);
}

static void test_each_width_one_short(void **state)
{
    (void)state;
    for (size_t width = 1; width <= 8; width *= 2) {
        struct cursor c = little(counting, width - 1);
        uint64_t v = width == 1   ? cursor_u8(&c)
                     : width == 2 ? cursor_u16(&c)
                     : width == 4 ? cursor_u32(&c)
                                  : cursor_u64(&c);
        assert_int_equal(v, 0);
        assert_true(c.failed);
        assert_int_equal(cursor_offset(&c), 0);
    }
}

static void test_bytes_and_skip(void **state)
{
    (void)state;
    struct cursor c = little(counting, sizeof counting);
    assert_ptr_equal(cursor_bytes(&c, 5), counting);
    cursor_skip(&c, 2);
    assert_int_equal(cursor_offset(&c), 7);
    assert_non_null(cursor_bytes(&c, 0));
    assert_ptr_equal(cursor_bytes(&c, 9), counting + 7);
    assert_false(c.failed);
    assert_non_null(cursor_bytes(&c, 0)); /* also at the end */
    assert_false(c.failed);
    assert_null(cursor_bytes(&c, 1));
    assert_true(c.failed);

    c = little(counting, sizeof counting);
    assert_null(cursor_bytes(&c, UINT64_MAX));
    assert_true(c.failed);
    assert_int_equal(cursor_offset(&c), 0);
}

static void test_no_data(void **state)
{
    (void)state;
    struct cursor c = little(NULL, 0);
    assert_int_equal(cursor_left(&c), 0);
    assert_int_equal(cursor_offset(&c), 0);
    assert_non_null(cursor_bytes(&c, 0)); /* NULL is what failure gives */
    assert_non_null(cursor_array(&c, 0, 8));
    struct cursor sub = cursor_sub(&c, 0);
    assert_false(sub.failed);
    assert_false(c.failed);
    assert_int_equal(cursor_u8(&c), 0);
    assert_true(c.failed);
}

static void test_array(void **state)
{
    (void)state;
    struct cursor c = little(counting, sizeof counting);
    assert_ptr_equal(cursor_array(&c, 3, 4), counting);
    assert_int_equal(cursor_offset(&c), 12);
    assert_ptr_equal(cursor_array(&c, 1, 4), counting + 12);
    assert_false(c.failed);

    c = little(counting, sizeof counting);
    assert_null(cursor_array(&c, 5, 4));
    assert_true(c.failed);
    assert_int_equal(cursor_offset(&c), 0);
    /* Products that wrap to 0, 8 and 16. */
    static const struct {
        uint64_t count;
        size_t size;
    } wraps[] = {
        {(uint64_t)1 << 61, 8}, {((uint64_t)1 << 61) + 1, 8}, {((uint64_t)1 << 60) + 1, 16}, {UINT64_MAX, 1}};
    for (size_t i = 0; i < sizeof wraps / sizeof *wraps; i++) {
        c = little(counting, sizeof counting);
        assert_null(cursor_array(&c, wraps[i].count, wraps[i].size));
        assert_true(c.failed);
    }
}

static void test_sub(void **state)
{
    (void)state;
    struct cursor c = little(counting, sizeof counting);
    cursor_skip(&c, 2);
    struct cursor sub = cursor_sub(&c, 3);
    assert_int_equal(cursor_offset(&c), 5);
    assert_int_equal(cursor_left(&sub), 3);
    assert_int_equal(cursor_offset(&sub), 2); /* still an offset in the file */
    assert_int_equal(cursor_u16(&sub), 0x0403);
    assert_int_equal(cursor_u16(&sub), 0);
    assert_true(sub.failed);
    assert_false(c.failed); /* the caller checks the inner cursor */

    struct cursor swapped = big(counting, sizeof counting);
    sub = cursor_sub(&swapped, 2);
    assert_int_equal(cursor_u16(&sub), 0x0102);

    struct cursor too_long = cursor_sub(&c, 12);
    assert_true(too_long.failed);
    assert_true(c.failed);
    assert_int_equal(cursor_offset(&c), 5);
    assert_int_equal(cursor_u8(&too_long), 0);
}

struct leb_case {
    const char *bytes;
    size_t n;
    uint64_t value;
    size_t used; /* 0: fails */
};

static void test_uleb128(void **state)
{
    (void)state;
    static const struct leb_case cases[] = {
        {"\0", 1, 0, 1},
        {"\x7f", 1, 127, 1},
        {"\x80\x01", 2, 128, 2},
        {"\xe5\x8e\x26", 3, 624485, 3},
        {"\x05\xff", 2, 5, 1}, /* what is after it does not matter */
        {"\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 9, UINT64_MAX >> 1, 9},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX, 10},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10, (uint64_t)1 << 63, 10},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 10, 0, 0}, /* bit 64 */
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10, 0, 0},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03", 10, 0, 0},
        {"\x85\x00", 2, 5, 2}, /* padded, as linkers and assemblers do */
        {"\x85\x80\x80\x80\x00", 5, 5, 5},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x80\x80\x00", 13, UINT64_MAX,
         13}, /* also beyond 64 bits */
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, 0, 11},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, 0, 0}, /* bit 70 */
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12, 0, 0},
        {"", 0, 0, 0},
        {"\x80", 1, 0, 0}, /* ends within */
        {"\xff\xff\xff", 3, 0, 0},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 11, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cursor c = little(cases[i].bytes, cases[i].n);
        assert_int_equal(cursor_uleb128(&c), cases[i].value);
        assert_int_equal(cursor_offset(&c), cases[i].used);
        assert_int_equal(c.failed, cases[i].used == 0);
    }
}

static void test_uleb128_round_trip(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        for (int d = -1; d <= 1; d++) {
            uint64_t v = ((uint64_t)1 << bit) + (uint64_t)(int64_t)d;
            uint8_t out[ULEB128_MAX];
            size_t n = uleb128_store(out, v);
            size_t want = 1;
            for (uint64_t rest = v >> 7; rest; rest >>= 7)
                want++;
            assert_int_equal(n, want);
            struct cursor c = little(out, n);
            assert_int_equal(cursor_uleb128(&c), v);
            assert_int_equal(cursor_left(&c), 0);
            assert_false(c.failed);
        }
    }
    uint8_t out[ULEB128_MAX];
    assert_int_equal(uleb128_store(out, 0), 1);
    assert_int_equal(out[0], 0);
    assert_int_equal(uleb128_store(out, 624485), 3);
    assert_memory_equal(out, "\xe5\x8e\x26", 3);
    assert_int_equal(uleb128_store(out, UINT64_MAX), 10);
    assert_memory_equal(out, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
}

TEST_FILE(cursor)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),          cmocka_unit_test(test_align),
        cmocka_unit_test(test_reads),          cmocka_unit_test(test_origin),
        cmocka_unit_test(test_error_sticks),   cmocka_unit_test(test_each_width_one_short),
        cmocka_unit_test(test_bytes_and_skip), cmocka_unit_test(test_no_data),
        cmocka_unit_test(test_array),          cmocka_unit_test(test_sub),
        cmocka_unit_test(test_uleb128),        cmocka_unit_test(test_uleb128_round_trip),
    };
    return RUN_TESTS(tests);
}

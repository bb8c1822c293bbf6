/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <stdlib.h>
#include <string.h>

#include <anyprof/error.h>

#include "base/deflate.h"

/* A block of memory of exactly n bytes, so that AddressSanitizer sees one byte too many. */
static uint8_t *block(size_t n)
{
    uint8_t *p = (uint8_t *)malloc(n ? n : 1);
    assert_non_null(p);
    return p;
}

static uint8_t *packed(const uint8_t *src, size_t n, size_t *m)
{
    *m = deflate_bound(n);
    uint8_t *out = block(*m);
    assert_true(deflate_compress(src, n, out, m));
    assert_in_range(*m, 8, deflate_bound(n));
    return out;
}

static void round_trip(const uint8_t *src, size_t n)
{
    size_t m;
    uint8_t *z = packed(src, n, &m), *back = block(n);
    assert_int_equal(deflate_expand(z, m, back, n), APF_OK);
    if (n)
        assert_memory_equal(back, src, n);
    assert_true(n <= m * DEFLATE_MAX_RATIO);
    free(back);
    free(z);
}

static void test_round_trips(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 100, 65535, 65536, 3000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *p = block(sizes[i]);
        memset(p, 'x', sizes[i]);
        round_trip(p, sizes[i]); /* near the greatest ratio */
        fill_bytes(p, sizes[i], i);
        round_trip(p, sizes[i]); /* grows */
        free(p);
    }
}

/* A stream made by another implementation (Python's zlib.compress(b"foo\1bar", 9)). */
static const uint8_t foo_bar[] = {0x78, 0xda, 0x4b, 0xcb, 0xcf, 0x67, 0x4c, 0x4a,
                                  0x2c, 0x02, 0x00, 0x09, 0xf4, 0x02, 0x7b};

static void test_known_stream(void **state)
{
    (void)state;
    uint8_t out[7];
    assert_int_equal(deflate_expand(foo_bar, sizeof foo_bar, out, sizeof out), APF_OK);
    assert_memory_equal(out, "foo\1bar", 7);
    size_t m;
    uint8_t *z = packed((const uint8_t *)"foo\1bar", 7, &m);
    assert_int_equal(m, sizeof foo_bar);
    assert_memory_equal(z, foo_bar, sizeof foo_bar);
    free(z);
}

static void test_wrong_size(void **state)
{
    (void)state;
    uint8_t out[8];
    for (size_t m = 0; m <= sizeof out; m++)
        assert_int_equal(deflate_expand(foo_bar, sizeof foo_bar, out, m),
                         m == 7 ? APF_OK : APF_UNCOMPRESS_FAILED);
}

static void test_zero_size(void **state)
{
    (void)state;
    size_t m;
    uint8_t *empty = packed(NULL, 0, &m);
    uint8_t guard = 0x5a;
    assert_int_equal(deflate_expand(empty, m, NULL, 0), APF_OK);
    assert_int_equal(deflate_expand(empty, m, &guard, 0), APF_OK);
    assert_int_equal(deflate_expand(empty, m, &guard, 1), APF_UNCOMPRESS_FAILED);
    free(empty);
    /* A stream of one byte is not a stream of none. */
    uint8_t *one = packed((const uint8_t *)"a", 1, &m);
    assert_int_equal(deflate_expand(one, m, &guard, 0), APF_UNCOMPRESS_FAILED);
    assert_int_equal(guard, 0x5a);
    assert_int_equal(deflate_expand(one, m, &guard, 1), APF_OK);
    assert_int_equal(guard, 'a');
    free(one);
    assert_int_equal(deflate_expand(foo_bar, 0, &guard, 1), APF_UNCOMPRESS_FAILED); /* no stream at all */
    assert_int_equal(deflate_expand(foo_bar, 0, &guard, 0), APF_UNCOMPRESS_FAILED);
}

static void test_damaged(void **state)
{
    (void)state;
    uint8_t out[7];
    for (size_t n = 0; n < sizeof foo_bar; n++) {
        uint8_t *prefix = block(n);
        memcpy(prefix, foo_bar, n);
        assert_int_equal(deflate_expand(prefix, n, out, sizeof out), APF_UNCOMPRESS_FAILED);
        free(prefix);
    }
    /* Header, data and checksum are all checked: the only bit that may change is none. */
    size_t accepted = 0;
    for (size_t bit = 0; bit < 8 * sizeof foo_bar; bit++) {
        uint8_t bad[sizeof foo_bar];
        memcpy(bad, foo_bar, sizeof bad);
        bad[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (deflate_expand(bad, sizeof bad, out, sizeof out) == APF_OK) {
            accepted++;
            assert_memory_equal(out, "foo\1bar", 7); /* a bit of padding */
        }
    }
    assert_in_range(accepted, 0, 7);
}

static void test_bytes_behind_are_left(void **state)
{
    (void)state;
    uint8_t out[7], more[sizeof foo_bar + 3] = {0};
    memcpy(more, foo_bar, sizeof foo_bar);
    assert_int_equal(deflate_expand(more, sizeof more, out, sizeof out), APF_OK); /* as LLVM does */
    assert_memory_equal(out, "foo\1bar", 7);
}

static void test_compress_without_room(void **state)
{
    (void)state;
    uint8_t src[1000], out[1100];
    fill_bytes(src, sizeof src, 1);
    size_t m = 10;
    assert_false(deflate_compress(src, sizeof src, out, &m));
    assert_int_equal(m, 10);
    m = sizeof out;
    assert_true(deflate_compress(src, sizeof src, out, &m));
}

TEST_FILE(deflate)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_known_stream),
        cmocka_unit_test(test_wrong_size),
        cmocka_unit_test(test_zero_size),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_bytes_behind_are_left),
        cmocka_unit_test(test_compress_without_room),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compressed files: complete ones, several streams, damage, and limits of memory. */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "base/decompress.h"
#include "base/error.h"
#include "helpers/shared/fault.h"

#define NO_LIMIT UINT64_MAX
#define FIRST_ROOM (64u << 10)

/* Bytes in a block of exactly their size, so that AddressSanitizer sees one byte too many. */
struct bytes {
    uint8_t *p;
    size_t n;
};

static struct bytes bytes_of(const void *p, size_t n)
{
    struct bytes b = {(uint8_t *)malloc(n ? n : 1), n};
    assert_non_null(b.p);
    if (n)
        memcpy(b.p, p, n);
    return b;
}

/* ---- making compressed files ---- */

static struct bytes gzip(const void *p, size_t n)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, n) + 100;
    uint8_t *out = (uint8_t *)malloc(room);
    assert_non_null(out);
    z.next_in = (Bytef *)(uintptr_t)p;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    struct bytes result = bytes_of(out, z.total_out);
    deflateEnd(&z);
    free(out);
    return result;
}

/* With a checksum, as the zstd command makes it. */
static struct bytes zstd(const void *p, size_t n)
{
    size_t room = ZSTD_compressBound(n);
    uint8_t *out = (uint8_t *)malloc(room);
    ZSTD_CCtx *z = ZSTD_createCCtx();
    assert_non_null(out);
    assert_non_null(z);
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1)));
    size_t m = ZSTD_compress2(z, out, room, p, n);
    assert_false(ZSTD_isError(m));
    struct bytes result = bytes_of(out, m);
    ZSTD_freeCCtx(z);
    free(out);
    return result;
}

typedef struct bytes compress_fn(const void *p, size_t n);

/* Frees both. */
static struct bytes joined(struct bytes a, struct bytes b)
{
    struct bytes result = {(uint8_t *)malloc(a.n + b.n + 1), a.n + b.n};
    assert_non_null(result.p);
    memcpy(result.p, a.p, a.n);
    memcpy(result.p + a.n, b.p, b.n);
    result.p = (uint8_t *)realloc(result.p, result.n ? result.n : 1);
    free(a.p);
    free(b.p);
    return result;
}

#define TEXT "main\n# a profile of text that repeats itself, repeats itself, repeats itself\n10\n2\n1\n2\n"
static const char text[] = TEXT, twice[] = TEXT TEXT;
#define TEXT_SIZE (sizeof text - 1)

/* ---- checking ---- */

/* The code of unpacking in pieces of `step` bytes; what is unpacked must be the first bytes of `want`. */
static int unpack_pieces(struct bytes packed, size_t step, const void *want, size_t n, struct apf_error *e)
{
    struct decompressor *d;
    const uint8_t *p = packed.p, *all = packed.p + packed.n, *end = p;
    uint8_t to[1000];
    size_t total = 0, got = 0;
    bool done = false;
    int code = decompress_open(&d, compression_of(packed.p, packed.n), e);
    while (code == APF_OK && !done) {
        if (p == end && got == 0)
            end += (size_t)(all - end) < step ? (size_t)(all - end) : step;
        code = decompress_step(d, &p, end, end == all, to, 1 + step % sizeof to, &got, &done, e);
        assert_in_range(got, 0, n - total);
        if (got)
            assert_memory_equal(to, (const uint8_t *)want + total, got);
        total += got;
    }
    assert_true(code != APF_OK || total == n);
    decompress_close(d);
    return code;
}

static const size_t pieces[] = {1, 2, 3, 17, 18, 19, 999, 100000};

/* Unpacks, frees. */
static void check_good(struct bytes packed, const void *want, size_t n)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error e;
    assert_int_not_equal(compression_of(packed.p, packed.n), COMPRESSION_NONE);
    if (decompress(&out, packed.p, packed.n, NO_LIMIT, &e) != APF_OK)
        fail_msg("%s", e.message);
    assert_int_equal(out.n, n);
    assert_non_null(out.data);
    if (n)
        assert_memory_equal(out.data, want, n);
    for (size_t i = 0; i < COUNT(pieces); i++)
        if (unpack_pieces(packed, pieces[i], want, n, &e) != APF_OK)
            fail_msg("in pieces of %zu: %s", pieces[i], e.message);
    apf_buffer_free(&out);
    free(packed.p);
}

/* Expects this error; frees. */
static void check_bad(struct bytes packed, int code, const char *where, uint64_t offset)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error e;
    assert_int_equal(decompress(&out, packed.p, packed.n, NO_LIMIT, &e), code);
    assert_int_equal(e.code, code);
    assert_string_equal(e.where, where);
    assert_int_equal(e.offset, offset);
    assert_int_equal(out.n, 0);
    for (size_t i = 0; i < COUNT(pieces) && !strstr(where, "content"); i++) {
        assert_int_equal(unpack_pieces(packed, pieces[i], twice, sizeof twice - 1, &e), code);
        assert_string_equal(e.where, where);
        assert_int_equal(e.offset, offset);
    }
    apf_buffer_free(&out);
    free(packed.p);
}

/* ---- tests ---- */

static void test_magic(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        enum compression kind;
    } rows[] = {
        {"", 0, COMPRESSION_NONE},
        {"\x1f", 1, COMPRESSION_NONE},
        {"\x1f\x8b", 2, COMPRESSION_GZIP},
        {"\x1f\x8c\x08\x00", 4, COMPRESSION_NONE},
        {"\x28\xb5\x2f", 3, COMPRESSION_NONE},
        {"\x28\xb5\x2f\xfd", 4, COMPRESSION_ZSTD},
        {"\x50\x2a\x4d\x18", 4, COMPRESSION_ZSTD},
        {"\x5f\x2a\x4d\x18", 4, COMPRESSION_ZSTD},
        {"\x60\x2a\x4d\x18", 4, COMPRESSION_NONE},
        {"\x4f\x2a\x4d\x18", 4, COMPRESSION_NONE},
        {"\x27\xb5\x2f\xfd", 4, COMPRESSION_NONE}, /* zstd 0.7 */
        {"\x81rforpl\xff", 8, COMPRESSION_NONE},
        {"PK\x03\x04", 4, COMPRESSION_NONE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bytes b = bytes_of(rows[i].bytes, rows[i].n);
        if (compression_of(b.p, b.n) != rows[i].kind)
            fail_msg("row %zu", i);
        free(b.p);
    }
    assert_int_equal(compression_of(NULL, 0), COMPRESSION_NONE);
}

static void test_round_trips(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 3, 100, 65535, 65536, 65537, 3000000};
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct bytes random = bytes_of(NULL, 0), same = bytes_of(NULL, 0);
        random.p = (uint8_t *)realloc(random.p, sizes[i] + 1);
        same.p = (uint8_t *)realloc(same.p, sizes[i] + 1);
        fill_bytes(random.p, sizes[i], i);
        memset(same.p, 'x', sizes[i]);
        check_good(gzip(random.p, sizes[i]), random.p, sizes[i]);
        check_good(zstd(random.p, sizes[i]), random.p, sizes[i]);
        check_good(gzip(same.p, sizes[i]), same.p, sizes[i]);
        check_good(zstd(same.p, sizes[i]), same.p, sizes[i]);
        free(random.p);
        free(same.p);
    }
}

/* The buffer is used again, also for a file whose content is smaller than what is in it. */
static void test_buffer_is_used_again(void **state)
{
    struct apf_buffer out = {NULL, 0, 0};
    static uint8_t large[300000];
    (void)state;
    fill_bytes(large, sizeof large, 3);
    struct bytes first = gzip(large, sizeof large), second = zstd(text, TEXT_SIZE);
    assert_int_equal(decompress(&out, first.p, first.n, NO_LIMIT, NULL), APF_OK);
    const void *data = out.data;
    size_t capacity = out.capacity;
    assert_int_equal(decompress(&out, second.p, second.n, NO_LIMIT, NULL), APF_OK);
    assert_ptr_equal(out.data, data);
    assert_int_equal(out.capacity, capacity);
    assert_int_equal(out.n, TEXT_SIZE);
    assert_memory_equal(out.data, text, TEXT_SIZE);
    apf_buffer_free(&out);
    free(first.p);
    free(second.p);
}

/* Several streams, as pigz, bgzip, pzstd and `cat` make them. */
static void test_several_streams(void **state)
{
    static const char end_of_bgzip[] =
        "\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";
    static const char skip[] = "\x53\x2a\x4d\x18\x05\0\0\0any b", skip_nothing[] = "\x50\x2a\x4d\x18\0\0\0\0";
    /* with its head, 2^32 bytes */
    static const char huge[] = "\x5d\x2a\x4d\x18\xf8\xff\xff\xff any bytes";
    (void)state;
    for (size_t cut = 0; cut <= TEXT_SIZE; cut += 10) {
        check_good(joined(gzip(text, cut), gzip(text + cut, TEXT_SIZE - cut)), text, TEXT_SIZE);
        check_good(joined(zstd(text, cut), zstd(text + cut, TEXT_SIZE - cut)), text, TEXT_SIZE);
    }
    check_good(joined(gzip(text, TEXT_SIZE), bytes_of(end_of_bgzip, 28)), text, TEXT_SIZE);
    check_good(bytes_of(end_of_bgzip, 28), "", 0);
    check_good(joined(bytes_of(skip, 13), zstd(text, TEXT_SIZE)), text, TEXT_SIZE);
    check_good(joined(zstd(text, TEXT_SIZE), bytes_of(skip, 13)), text, TEXT_SIZE);
    check_good(joined(bytes_of(skip_nothing, 8), joined(bytes_of(skip, 13), zstd(text, TEXT_SIZE))), text,
               TEXT_SIZE);
    check_good(bytes_of(skip, 13), "", 0);
    check_bad(bytes_of(skip, 12), APF_TRUNCATED, "zstd.frame", 12);
    check_bad(bytes_of(huge, 18), APF_TRUNCATED, "zstd.frame", 18);
}

static void check_behind(compress_fn *compress, compress_fn *other, const char *end, const char *frame)
{
    struct bytes whole = compress(text, TEXT_SIZE);
    size_t n = whole.n;
    uint8_t first = whole.p[0];
    free(whole.p);
    for (size_t zeros = 1; zeros < 600; zeros += 99) {
        static const uint8_t zero[600];
        check_good(joined(compress(text, TEXT_SIZE), bytes_of(zero, zeros)), text, TEXT_SIZE);
        check_bad(joined(compress(text, TEXT_SIZE), joined(bytes_of(zero, zeros), bytes_of("x", 1))),
                  APF_DECOMPRESS_FAILED, end, n + zeros);
        /* After zeros no other stream is searched for. */
        check_bad(joined(compress(text, TEXT_SIZE), joined(bytes_of(zero, zeros), compress(text, 3))),
                  APF_DECOMPRESS_FAILED, end, n + zeros);
    }
    check_bad(joined(compress(text, TEXT_SIZE), bytes_of("x", 1)), APF_DECOMPRESS_FAILED, end, n);
    check_bad(joined(compress(text, TEXT_SIZE), other(text, TEXT_SIZE)), APF_DECOMPRESS_FAILED, end, n);
    /* The beginning of another stream. */
    check_bad(joined(compress(text, TEXT_SIZE), bytes_of(&first, 1)), APF_TRUNCATED, frame, n + 1);
    whole = joined(compress(text, TEXT_SIZE), compress(text, TEXT_SIZE));
    whole.p[n + 1] ^= 1;
    check_bad(whole, APF_DECOMPRESS_FAILED, end, n);
}

static void test_bytes_behind(void **state)
{
    (void)state;
    check_behind(gzip, zstd, "gzip.end", "gzip.stream");
    check_behind(zstd, gzip, "zstd.end", "zstd.frame");
}

static void test_compressed_twice(void **state)
{
    (void)state;
    compress_fn *const kinds[] = {gzip, zstd};
    static const char *const where[] = {"gzip.content", "zstd.content"};
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 2; k++) {
            struct bytes inner = kinds[i](text, TEXT_SIZE);
            check_bad(kinds[k](inner.p, inner.n), APF_UNSUPPORTED, where[k], NO_OFFSET);
            free(inner.p);
        }
    }
}

/* Cut anywhere: the error is that the data end too early, at the cut. */
static void check_cuts(compress_fn *compress, const char *where)
{
    struct bytes whole = compress(text, TEXT_SIZE);
    for (size_t n = 4; n < whole.n; n++)
        check_bad(bytes_of(whole.p, n), APF_TRUNCATED, where, n);
    free(whole.p);
}

static void test_cuts(void **state)
{
    (void)state;
    check_cuts(gzip, "gzip.stream");
    check_cuts(zstd, "zstd.frame");
}

/* Each bit changed: either an error that has its place in the file, or one of few bits that mean nothing, because the
 * content is the same. */
static void check_flips(compress_fn *compress, size_t most)
{
    struct bytes whole = compress(text, TEXT_SIZE);
    size_t same = 0;
    for (size_t bit = 0; bit < 8 * whole.n; bit++) {
        struct bytes b = bytes_of(whole.p, whole.n);
        struct apf_buffer out = {NULL, 0, 0};
        struct apf_error e;
        b.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
        int code = APF_DECOMPRESS_FAILED;
        e.offset = 0;
        if (compression_of(b.p, b.n) != COMPRESSION_NONE)
            code = decompress(&out, b.p, b.n, NO_LIMIT, &e);
        if (code == APF_OK) {
            assert_int_equal(out.n, TEXT_SIZE);
            assert_memory_equal(out.data, text, TEXT_SIZE);
            same++;
        } else {
            assert_true(code == APF_DECOMPRESS_FAILED || code == APF_TRUNCATED || code == APF_UNSUPPORTED);
            assert_true(e.offset <= b.n);
            assert_true(out.n == 0);
        }
        apf_buffer_free(&out);
        free(b.p);
    }
    assert_in_range(same, 1, most);
    free(whole.p);
}

static void test_flips(void **state)
{
    (void)state;
    check_flips(gzip,
                1 + 6 * 8 + 7); /* "probably text", time, extra flags, system; filling of the last byte */
    check_flips(zstd, 8);       /* reserved bits */
}

static void test_bad_checksums(void **state)
{
    (void)state;
    struct bytes g = gzip(text, TEXT_SIZE), z = zstd(text, TEXT_SIZE);
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error e;
    g.p[g.n - 8] ^= 1;
    assert_int_equal(decompress(&out, g.p, g.n, NO_LIMIT, &e), APF_DECOMPRESS_FAILED);
    assert_non_null(
        strstr(e.message, "failed to unpack a compressed file: incorrect data check [gzip.stream at "));
    assert_in_range(e.offset, g.n - 8, g.n);
    g.p[g.n - 8] ^= 1;
    g.p[g.n - 1] ^= 1;
    assert_int_equal(decompress(&out, g.p, g.n, NO_LIMIT, &e), APF_DECOMPRESS_FAILED);
    assert_non_null(strstr(e.message, "incorrect length check"));
    z.p[z.n - 4] ^= 1;
    assert_int_equal(decompress(&out, z.p, z.n, NO_LIMIT, &e), APF_DECOMPRESS_FAILED);
    assert_non_null(strstr(e.message, "checksum"));
    assert_in_range(e.offset, 6, z.n - 4);
    free(g.p);
    free(z.p);
    apf_buffer_free(&out);
}

/* A block in the middle: the place of the error is where it begins, or the one before it. */
static void test_place_in_zstd(void **state)
{
    (void)state;
    uint8_t b[] = {0x28,       0xb5, 0x2f, 0xfd, 0x20, 8,         /* 8 bytes, without a checksum */
                   4 << 3,     0,    0,    'a',  'b',  'c', 'd',  /* stored */
                   5 | 4 << 3, 0,    0,    'a',  'b',  'c', 'd'}; /* last, compressed, and damaged */
    for (int kind = 0; kind < 2; kind++) {
        struct apf_buffer out = {NULL, 0, 0};
        struct apf_error e;
        assert_int_equal(decompress(&out, b, sizeof b, NO_LIMIT, &e), APF_DECOMPRESS_FAILED);
        assert_string_equal(e.where, "zstd.frame");
        assert_in_range(e.offset, 9, 16);
        b[13] = 7; /* of a kind that does not exist */
        apf_buffer_free(&out);
    }
}

static void test_what_zstd_cannot_do(void **state)
{
    static const uint8_t window_128m[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3, 1, 0, 0};
    static const uint8_t window_256m[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 18 << 3, 1, 0, 0};
    static const uint8_t dictionary[] = {0x28, 0xb5, 0x2f, 0xfd, 1, 17 << 3, 77, 1, 0, 0};
    (void)state;
    check_good(bytes_of(window_128m, sizeof window_128m), "", 0);
    check_bad(bytes_of(dictionary, sizeof dictionary), APF_UNSUPPORTED, "zstd.frame", 5);
    struct bytes b = bytes_of(window_256m, sizeof window_256m);
    struct apf_error e;
    assert_int_equal(unpack_pieces(b, 1000, "", 0, &e), APF_UNSUPPORTED);
    assert_int_equal(e.offset, 5);
    free(b.p);
}

/* A file that lies whole in memory is unpacked without a second copy of its last bytes, whatever window its header asks
 * for. */
static void test_large_window(void **state)
{
    enum { BLOCKS = 3, BLOCK = 128 << 10 };
    uint8_t b[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, /* a window of 2 GiB */
                   2,    0,    16,   'x',  2, 0,       16, 'x', 3, 0, 16, 'x'};
    struct apf_buffer out = {NULL, 0, 0};
    (void)state;
    assert_int_equal(decompress(&out, b, sizeof b, NO_LIMIT, NULL), APF_OK);
    assert_int_equal(out.n, BLOCKS * BLOCK);
    for (size_t i = 0; i < out.n; i++)
        assert_int_equal(((const uint8_t *)out.data)[i], 'x');
    apf_buffer_free(&out);
}

static void test_limit(void **state)
{
    (void)state;
    compress_fn *const kinds[] = {gzip, zstd};
    static uint8_t content[200000];
    fill_bytes(content, sizeof content, 5);
    for (size_t i = 0; i < 2; i++) {
        static const size_t sizes[] = {0, 1, 1000, 65536, sizeof content};
        for (size_t k = 0; k < COUNT(sizes); k++) {
            struct bytes b = kinds[i](content, sizes[k]);
            struct apf_buffer out = {NULL, 0, 0};
            struct apf_error e;
            assert_int_equal(decompress(&out, b.p, b.n, sizes[k], &e), APF_OK);
            assert_int_equal(out.n, sizes[k]);
            for (int used = 0; sizes[k] && used < 2;
                 used++) { /* also with a buffer that is larger than the limit */
                assert_int_equal(decompress(&out, b.p, b.n, sizes[k] - 1, &e), APF_LIMIT);
                assert_string_equal(e.where, "file.size");
                assert_int_equal(e.found, sizes[k]);
                assert_int_equal(e.expected, sizes[k] - 1);
                apf_buffer_free(&out);
            }
            free(b.p);
            apf_buffer_free(&out);
        }
    }
}

/* Blocks of 4 bytes that stand for 128 KiB each. */
static void test_bomb(void **state)
{
    enum { BLOCKS = 600 };
    static uint8_t b[6 + 4 * BLOCKS] = {0x28, 0xb5, 0x2f, 0xfd, 0, 10 << 3};
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error e;
    uint64_t bound = 1032 * (uint64_t)sizeof b + (64 << 20);
    (void)state;
    for (size_t i = 0; i < BLOCKS; i++) {
        uint32_t head = (uint32_t)(i == BLOCKS - 1) | 1 << 1 | (128u << 10) << 3;
        uint8_t block[4] = {(uint8_t)head, (uint8_t)(head >> 8), (uint8_t)(head >> 16), 'x'};
        memcpy(b + 6 + 4 * i, block, 4);
    }
    assert_int_equal(decompress_bound(sizeof b), bound);
    assert_int_equal(decompress(&out, b, sizeof b, NO_LIMIT, &e), APF_LIMIT);
    assert_string_equal(e.where, "zstd.content");
    assert_int_equal(e.found, bound + 1);
    assert_int_equal(e.expected, bound);
    assert_int_equal(out.capacity, bound + 1);
    assert_int_equal(decompress_bound(UINT64_MAX / 1000), UINT64_MAX);
    assert_int_equal(decompress_bound(UINT64_MAX / 1032), UINT64_MAX);
    apf_buffer_free(&out);
}

/* The size of the content in a header does not change the allocated memory. */
static void test_false_sizes(void **state)
{
    static const uint8_t b[] = {0x28, 0xb5, 0x2f, 0xfd, 0xc0, 18 << 3, 0, 0, 0, 0, 0, 1, 0, 0, /* 1 TiB */
                                1,    0,    0};
    uint8_t small_window[sizeof b];
    struct apf_buffer out = {NULL, 0, 0};
    (void)state;
    check_bad(bytes_of(b, sizeof b), APF_UNSUPPORTED, "zstd.frame", 5);
    memcpy(small_window, b, sizeof b);
    small_window[5] = 0;
    assert_int_equal(decompress(&out, small_window, sizeof b, NO_LIMIT, NULL), APF_DECOMPRESS_FAILED);
    assert_int_equal(out.capacity, FIRST_ROOM);
    apf_buffer_free(&out);
}

static void test_no_memory(void **state)
{
    (void)state;
    compress_fn *const kinds[] = {gzip, zstd};
    static uint8_t content[400000];
    memset(content, 'x', sizeof content);
    for (size_t i = 0; i < 2; i++) {
        struct bytes b = kinds[i](content, sizeof content);
        uint64_t k = 1;
        for (;; k++) {
            struct apf_buffer out = {NULL, 0, 0};
            struct apf_error e;
            fault_fail(FAULT_MEMORY, k, ENOMEM);
            int code = decompress(&out, b.p, b.n, NO_LIMIT, &e);
            bool hit = fault_hit();
            fault_reset();
            assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
            assert_int_equal(out.n, hit ? 0 : sizeof content);
            apf_buffer_free(&out);
            if (!hit)
                break;
        }
        /* The buffer of 64 KiB and a little is doubled three times for gzip, which has a state besides, and grown once
         * for a frame of zstd. */
        assert_int_equal(k, kinds[i] == gzip ? 6 : 3);
        free(b.p);
    }
}

TEST_FILE(decompress)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_magic),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_buffer_is_used_again),
        cmocka_unit_test(test_several_streams),
        cmocka_unit_test(test_bytes_behind),
        cmocka_unit_test(test_compressed_twice),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_bad_checksums),
        cmocka_unit_test(test_place_in_zstd),
        cmocka_unit_test(test_what_zstd_cannot_do),
        cmocka_unit_test(test_large_window),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_bomb),
        cmocka_unit_test(test_false_sizes),
        cmocka_unit_test(test_no_memory),
    };
    return RUN_TESTS(tests);
}

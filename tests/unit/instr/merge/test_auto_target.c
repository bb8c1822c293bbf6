/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The target of front-end profiles: what the hashes of raw files show about the compiler that will use them.
 * LLVM 19 to 21 and 22 write the same raw version, but ask for hashes in their own ways: whole, or cut to 60 bits. */
#include <string.h>

#include <anyprof/merge.h>

#include "helpers/shared/raw_build.h"
#include "helpers/shared/unit.h"

#define SMALL 0x618ull                     /* two parts of control flow: every release makes the same of it */
#define SMALL_TEN 0x20820820820a618ull     /* ten parts */
#define PART_TOO_LARGE 0x2a18ull           /* no release has a part of this number */
#define NO_PART 0x18018ull                 /* nor 0 */
#define WHOLE_DIGEST 0xf123456789abcdefull /* as up to LLVM 21 */
#define CUT_DIGEST 0x0123456789abcdefull   /* as from 22; one in 16 of the others looks so */

#define MOST 9

/* A raw file with a function for each hash. */
static struct rb_file raw_file(unsigned version, const uint64_t *hashes, size_t n, bool bitmap)
{
    static const char *const names[MOST] = {"main", "foo", "bar", "a", "b", "c", "d", "e", "f"};
    static const uint64_t counts[] = {3};
    static const uint8_t bits[] = {5};
    struct rb_function functions[MOST] = {{0}};
    struct rb_profile p = {0};
    struct rb_file file = {0};
    for (size_t i = 0; i < n; i++) {
        functions[i].name = names[i];
        functions[i].hash = hashes[i];
        functions[i].counts = counts;
        functions[i].n_counts = 1;
        functions[i].address = 0x1000 + 16 * i;
        functions[i].bitmap = bitmap ? bits : NULL;
        functions[i].n_bitmap = bitmap ? 1 : 0;
    }
    p.version = version;
    p.bytes = 8;
    p.functions = functions;
    p.n_functions = n;
    rb_append(&file, &p, NULL);
    return file;
}

/* The version of the merge of the files, each `times` times; the first time a file's shape is learnt, then it is
 * added in the fast way, which must know as much. */
static uint32_t written_version(const char *target, const struct rb_file *files, size_t n, unsigned times,
                                struct apf_merge_stats *stats)
{
    struct apf_write_options write = {0};
    struct apf_merge_options options = {.tolerance = &any_loss};
    struct apf_output output = apf_output_file(NULL);
    struct apf_buffer out = {0};
    struct apf_merge *merge;
    struct apf_error error;
    options.size = sizeof options;
    assert_int_equal(apf_merge_new(&merge, &options, &error), APF_OK);
    for (size_t i = 0; i < n * times; i++) {
        struct apf_input input = apf_input_file(NULL);
        input.data = files[i % n].data;
        input.n = files[i % n].n;
        assert_int_equal(apf_merge_add(merge, &input, 1, &error), APF_OK);
    }
    output.write = apf_buffer_write;
    output.user = &out;
    write.size = sizeof write;
    assert_int_equal(apf_target_parse(target, &write.target, &error), APF_OK);
    assert_int_equal(apf_merge_write(merge, &write, &output, &error), APF_OK);
    *stats = *apf_merge_stats(merge);
    uint32_t version = stats->version;
    assert_true(times < 3 || apf_merge_stats(merge)->n_fast > 0);
    assert_int_equal(((const uint8_t *)out.data)[8], version);
    apf_buffer_free(&out);
    apf_merge_free(merge);
    return version;
}

static uint32_t auto_version(const struct rb_file *files, size_t n, unsigned times, uint64_t *cannot_read)
{
    struct apf_merge_stats stats;
    uint32_t version = written_version("auto", files, n, times, &stats);
    *cannot_read = stats.cannot_read;
    assert_int_equal(stats.other_hash_scheme, 0);
    return version;
}

static void test_hashes(void **state)
{
    static const struct {
        unsigned raw;
        uint64_t hashes[3];
        size_t n;
        uint32_t version;
        bool some_cannot_read;
    } rows[] = {
        {10, {0}, 1, 12, false},
        /* Nothing to choose by: all that may have made it read 12. */
        {10, {SMALL, SMALL_TEN, 24}, 3, 12, false},
        {10, {SMALL, WHOLE_DIGEST}, 2, 12, false},
        {10, {CUT_DIGEST, WHOLE_DIGEST}, 2, 12, false},
        {10, {SMALL, CUT_DIGEST}, 2, 13, true},
        {10, {PART_TOO_LARGE}, 1, 13, true},
        {10, {NO_PART}, 1, 13, true},
        {9, {CUT_DIGEST}, 1, 11, false},
        {8, {SMALL}, 1, 7, false}, /* LLVM 14 may have made it */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned times = 1; times <= 3; times++) {
            uint64_t cannot_read;
            struct rb_file file = raw_file(rows[i].raw, rows[i].hashes, rows[i].n, false);
            assert_int_equal(auto_version(&file, 1, times, &cannot_read), rows[i].version);
            assert_int_equal(cannot_read != 0, rows[i].some_cannot_read);
            rb_free(&file);
        }
}

/* A small program beside a large one of the same compiler does not decide. */
static void test_small_beside_large(void **state)
{
    static const uint64_t small[] = {SMALL}, whole[] = {24, SMALL, WHOLE_DIGEST},
                          cut[] = {24, SMALL, CUT_DIGEST};
    (void)state;
    for (unsigned order = 0; order < 2; order++)
        for (unsigned times = 1; times <= 3; times++) {
            uint64_t cannot_read;
            struct rb_file files[2];
            files[order] = raw_file(10, small, 1, false);
            files[1 - order] = raw_file(10, whole, 3, false);
            assert_int_equal(auto_version(files, 2, times, &cannot_read), 12);
            assert_true(cannot_read == 0);
            rb_free(&files[1 - order]);
            files[1 - order] = raw_file(10, cut, 3, false);
            assert_int_equal(auto_version(files, 2, times, &cannot_read), 13);
            assert_true(cannot_read != 0);
            rb_free(&files[0]);
            rb_free(&files[1]);
        }
}

/* llvm-cov reads the bits of conditions as LLVM 18 numbered them in version 11, as 19 does from 12. */
static void test_bitmaps(void **state)
{
    static const uint64_t whole[] = {WHOLE_DIGEST}, small[] = {SMALL}, cut[] = {CUT_DIGEST};
    static const struct {
        unsigned raw;
        const uint64_t *hashes;
        uint32_t version;
    } rows[] = {{9, whole, 11},  {9, small, 11}, {10, whole, 12},
                {10, small, 12}, {10, cut, 13},  {11, cut, 14}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned times = 1; times <= 2; times++) {
            uint64_t cannot_read;
            struct rb_file file = raw_file(rows[i].raw, rows[i].hashes, 1, true);
            assert_int_equal(auto_version(&file, 1, times, &cannot_read), rows[i].version);
            rb_free(&file);
        }
}

/* A release that reads version 11, too, gets bitmaps of LLVM 18 in it, in which their numbering is right. */
static void test_bitmap_target(void **state)
{
    static const uint64_t whole[] = {WHOLE_DIGEST}, small[] = {SMALL}, *const hashes[] = {whole, small};
    static const struct {
        unsigned raw;
        const char *target;
        uint32_t version, small_version; /* with hashes that are digests, and without */
        uint64_t misread;
    } rows[] = {
        {9, "llvm-22", 11, 11, 0},     {9, "llvm-19", 11, 11, 0},     {9, "llvm-18", 11, 11, 0},
        {9, "llvm-17", 10, 10, 0},     {9, "indexed-12", 12, 12, 1},  {9, "indexed-11", 11, 11, 0},
        {10, "llvm-22", 12, 13, 0},    {10, "llvm-19", 12, 12, 0},    {10, "llvm-18", 11, 11, 1},
        {10, "indexed-11", 11, 11, 1}, {10, "indexed-12", 12, 12, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned times = 1; times <= 6; times++) {
            struct apf_merge_stats stats;
            unsigned is_small = times % 2;
            struct rb_file file = raw_file(rows[i].raw, hashes[is_small], 1, true);
            assert_int_equal(written_version(rows[i].target, &file, 1, times, &stats),
                             is_small ? rows[i].small_version : rows[i].version);
            assert_int_equal(stats.bitmap_numbering, rows[i].misread);
            assert_int_equal(stats.numbering_mismatches, 0);
            rb_free(&file);
        }
}

/* Merges the files whose numbers are the digits of `order`. The i-th function must have the bitmap bits[i]; NULL: none.
 * Sets *flags to all flags of the records. Returns the number of bitmaps that were left out for their numbering. */
static uint64_t merge_bitmaps(const struct rb_file *files, const char *order, bool general, size_t n,
                              const uint8_t *const *bits, uint32_t *flags)
{
    struct apf_merge_options options = {.size = sizeof options, .tolerance = &any_loss};
    struct apf_instr *view;
    struct apf_merge *merge;
    struct apf_error error;
    options.flags = general ? APF_MERGE_GENERAL : 0;
    assert_int_equal(apf_merge_new(&merge, &options, &error), APF_OK);
    for (; *order; order++) {
        struct apf_input input = apf_input_file(NULL);
        input.data = files[*order - '0'].data;
        input.n = files[*order - '0'].n;
        assert_int_equal(apf_merge_add(merge, &input, 1, &error), APF_OK);
    }
    assert_int_equal(apf_merge_view(merge, &view, &error), APF_OK);
    assert_int_equal(apf_instr_info(view)->n_records, n);
    *flags = 0;
    for (size_t i = 0; i < n; i++) {
        struct apf_record r = {.size = sizeof r};
        assert_int_equal(apf_instr_record(view, i, &r, &error), APF_OK);
        assert_int_equal(r.n_bitmap, bits[i] ? 1 : 0);
        assert_true(!bits[i] || *r.bitmap == *bits[i]);
        assert_true(bits[i] || !r.flags);
        *flags |= r.flags;
    }
    uint64_t n_left_out = apf_merge_stats(merge)->numbering_mismatches;
    apf_merge_free(merge);
    return n_left_out;
}

/* Of two numberings in one merge the one of more bitmaps stays; a record without a bitmap has no say. */
static void test_two_numberings(void **state)
{
    static const uint64_t hashes[] = {SMALL, SMALL_TEN};
    static const uint8_t five = 5;
    static const uint8_t *const both[] = {&five, &five}, *const one[] = {NULL, &five}; /* foo, main */
    static const struct {
        const char *orders[3];
        bool second; /* whether foo has a bitmap, too */
        uint32_t flags;
        uint64_t left_out;
    } rows[] = {
        /* 0: LLVM 18, 1: LLVM 19 or later, 2: LLVM 18 without bitmaps, 3: LLVM 18, only main */
        {{"00", "000", "0"}, true, APF_RECORD_SPARSE_BITMAP, 0},
        {{"01", "10", "011"}, true, APF_RECORD_DENSE_BITMAP, 2},
        {{"001", "010", "100"}, true, APF_RECORD_SPARSE_BITMAP, 2},
        {{"0011", "1100", "0101"}, true, APF_RECORD_DENSE_BITMAP, 2},
        {{"21", "12", "121"}, true, APF_RECORD_DENSE_BITMAP, 0},
        {{"31", "13", "331"}, true, APF_RECORD_DENSE_BITMAP, 1},
        {{"32", "23", "323"}, false, APF_RECORD_SPARSE_BITMAP, 0},
    };
    struct rb_file files[] = {raw_file(9, hashes, 2, true), raw_file(10, hashes, 2, true),
                              raw_file(9, hashes, 2, false), raw_file(9, hashes, 1, true)};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < 6; k++) {
            uint32_t flags;
            const uint8_t *const *bits = rows[i].second ? both : one;
            assert_int_equal(merge_bitmaps(files, rows[i].orders[k / 2], k % 2, 2, bits, &flags),
                             rows[i].left_out);
            assert_int_equal(flags, rows[i].flags);
        }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        rb_free(&files[i]);
}

/* That many digests fit in 60 bits by chance is not believed: LLVM 22 has made them, and no other. */
static void test_many_digests(void **state)
{
    uint64_t hashes[MOST], cannot_read;
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        hashes[i] = CUT_DIGEST + i * 0x10000;
    for (unsigned times = 1; times <= 3; times++) {
        struct rb_file file = raw_file(10, hashes, MOST, false);
        assert_int_equal(auto_version(&file, 1, times, &cannot_read), 13);
        assert_true(cannot_read == 0);
        rb_free(&file);
    }
}

/* For a release, the newest version that it reads and whose hashes are made as the inputs' were. */
static void test_release_target(void **state)
{
    static const uint64_t small[] = {SMALL}, whole[] = {WHOLE_DIGEST}, cut[] = {CUT_DIGEST};
    static const struct {
        unsigned raw;
        const uint64_t *hashes;
        const char *target;
        uint32_t version, other_scheme;
    } rows[] = {
        {10, cut, "llvm-22", 13, 0},   {10, small, "llvm-22", 13, 0}, {10, whole, "llvm-22", 12, 0},
        {8, whole, "llvm-22", 12, 0},  {7, whole, "llvm-16", 9, 0},   {10, whole, "indexed-13", 13, 1},
        {11, cut, "llvm-19", 12, 1},   {11, cut, "llvm-23", 14, 0},   {10, whole, "llvm-13", 7, 0},
        {11, small, "llvm-19", 12, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct apf_merge_stats stats;
        struct rb_file file = raw_file(rows[i].raw, rows[i].hashes, 1, false);
        assert_int_equal(written_version(rows[i].target, &file, 1, 1, &stats), rows[i].version);
        assert_int_equal(stats.other_hash_scheme, rows[i].other_scheme);
        assert_int_equal(stats.bitmap_numbering, 0);
        rb_free(&file);
    }
    struct apf_merge_stats stats;
    struct rb_file file = raw_file(10, whole, 1, true);
    written_version("llvm-18", &file, 1, 1, &stats);
    assert_int_equal(stats.bitmap_numbering, 1);
    written_version("llvm-19", &file, 1, 1, &stats);
    assert_int_equal(stats.bitmap_numbering, 0);
    rb_free(&file);
}

TEST_FILE(auto_target)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes),         cmocka_unit_test(test_small_beside_large),
        cmocka_unit_test(test_bitmaps),        cmocka_unit_test(test_bitmap_target),
        cmocka_unit_test(test_two_numberings), cmocka_unit_test(test_many_digests),
        cmocka_unit_test(test_release_target),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof-link-options: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc */
/* How much memory raw files can ask for: never much more than they have bytes, whatever their numbers say. */
#include "helpers/shared/open_memory.h"

#include <stdlib.h>
#include <string.h>

#define MIB ((uint64_t)1 << 20)

/* Bytes allocated since the last reset, freed ones included. */
static struct {
    uint64_t total, largest;
    uint64_t calls;
} asked;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static void count_bytes(uint64_t n)
{
    asked.total += n;
    asked.largest = n > asked.largest ? n : asked.largest;
    asked.calls++;
}

void *__wrap_malloc(size_t n)
{
    count_bytes(n);
    return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    count_bytes((uint64_t)n * size);
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    count_bytes(n);
    return __real_realloc(p, n);
}

/* Opens a file and closes it; the code. What the test itself allocates is not counted. */
static int open_counted(const struct rb_file *file, struct apf_error *error)
{
    struct apf_instr *instr = NULL;
    struct apf_input input = apf_input_memory(file->data, file->n, NULL);
    struct apf_options options = {.size = sizeof options};
    memset(&asked, 0, sizeof asked);
    int code = apf_instr_open(&instr, &input, &options, error);
    if (instr)
        apf_instr_close(instr);
    return code;
}

static const uint64_t one[] = {6};
static const struct rb_function plain = {.name = "f", .hash = 5, .counts = one, .n_counts = 1};

/* Counts that do not fit in the file, however they are multiplied: nothing but the handle is allocated. */
static void test_counts_that_do_not_fit(void **state)
{
    (void)state;
    static const enum rb_word words[] = {RB_IDS_SIZE,     RB_NUM_DATA,   RB_PAD_BEFORE,  RB_NUM_COUNTERS,
                                         RB_PAD_COUNTERS, RB_NUM_BITMAP, RB_PAD_BITMAP,  RB_NUM_UNIFORM,
                                         RB_PAD_UNIFORM,  RB_NAMES_SIZE, RB_NUM_VTABLES, RB_VNAMES_SIZE};
    for (unsigned v = 1; v <= RB_NEWEST; v++)
        for (size_t w = 0; w < COUNT(words); w++)
            for (unsigned shift = 16; shift <= 64; shift++) {
                struct rb_profile p = {.version = v, .bytes = 8, .functions = &plain, .n_functions = 1};
                struct rb_file file = {0};
                struct apf_error error;
                size_t word = rb_word_at(v, words[w]);
                rb_append(&file, &p, NULL);
                if (word != RB_ABSENT) {
                    rb_put(&file, word, 8, shift < 64 ? (uint64_t)1 << shift : ~(uint64_t)7);
                    assert_int_equal(open_counted(&file, &error), APF_BAD_HEADER);
                    assert_true(asked.total < 2048);
                    assert_true(asked.calls <= 2);
                }
                rb_free(&file);
            }
}

/* The same for counts inside names and value data; some memory for what was good before them is needed. */
static void test_counts_inside(void **state)
{
    (void)state;
    static const struct rb_pair pair = {1, 1, false};
    static const struct rb_site site = {&pair, 1};
    struct rb_function f = plain;
    f.sites[1] = &site;
    f.n_sites[1] = 1;
    for (unsigned what = 0; what < 4; what++) {
        struct rb_profile p = {.version = 10, .bytes = 8, .functions = &f, .n_functions = 1};
        struct rb_file file = {0};
        struct rb_places at;
        struct apf_error error;
        rb_append(&file, &p, &at);
        if (what == 0) /* names of 2^34 bytes, deflated */
            memcpy(file.data + at.names, "\x80\x80\x80\x80\x40\x01x", 7);
        else if (what == 1) /* plain */
            memcpy(file.data + at.names, "\x80\x80\x80\x80\x40\0x", 7);
        else if (what == 2) /* sites */
            rb_put(&file, at.values + 12, 4, 0x7fffffff);
        else /* kinds */
            rb_put(&file, at.values + 4, 4, 0x7fffffff);
        if (what < 2)
            rb_put(&file, rb_word_at(10, RB_NAMES_SIZE), 8, 8);
        assert_true(open_counted(&file, &error) != APF_OK);
        assert_true(asked.total < 32768);
        rb_free(&file);
    }
}

/* Records that all name the same counters and bitmap bytes. */
static void test_shared_counters(void **state)
{
    (void)state;
    enum { RECORDS = 2000, COUNTS = 8000 };
    static uint64_t counts[COUNTS];
    static uint8_t bits[COUNTS];
    static struct rb_function f[RECORDS];
    for (unsigned i = 0; i < RECORDS; i++) {
        f[i].name = "f";
        f[i].counts = counts;
        f[i].n_counts = COUNTS;
        f[i].same_as = i ? 1 : 0;
    }
    struct rb_profile p = {.version = 10, .bytes = 8, .functions = f, .n_functions = RECORDS};
    struct rb_file file = {0};
    struct rb_places at;
    struct apf_error error;
    rb_append(&file, &p, &at); /* 200 KB, and 128 MB if it were read */
    assert_int_equal(open_counted(&file, &error), APF_MALFORMED);
    assert_string_equal(error.where, "raw.record.num_counters");
    assert_int_equal(error.offset, at.data + 8 * 64);
    assert_true(asked.total < 2 * MIB);
    rb_free(&file);
    /* Bitmap bytes: one bitmap, to which all records point. */
    for (unsigned i = 0; i < RECORDS; i++) {
        f[i].n_counts = 1;
        f[i].bitmap = bits;
        f[i].n_bitmap = i ? 0 : COUNTS;
    }
    rb_append(&file, &p, &at);
    for (unsigned i = 1; i < RECORDS; i++) {
        size_t record = at.data + 64 * i;
        rb_put(&file, record + rb_field_at(10, 8, RB_BITMAP_BYTES), 4, COUNTS);
        rb_put(&file, record + rb_field_at(10, 8, RB_BITMAP_PTR), 8,
               rb_get(&file, at.data + rb_field_at(10, 8, RB_BITMAP_PTR), 8) - 64 * i);
    }
    for (unsigned i = 0; i < RECORDS; i++) /* counters of their own, so that those are not what is refused */
        f[i].same_as = 0;
    assert_int_equal(open_counted(&file, &error), APF_MALFORMED);
    assert_true(asked.total < 2 * MIB);
    rb_free(&file);
}

/* Versions 1 and 2: records that point to long names, each different, inside the same bytes. */
static void test_overlapping_names(void **state)
{
    (void)state;
    enum { RECORDS = 4000, LENGTH = 100000 };
    static char name[LENGTH + 1];
    static struct rb_function f[RECORDS];
    memset(name, 'n', LENGTH);
    for (unsigned i = 0; i < RECORDS; i++) {
        f[i] = plain;
        f[i].name = i ? "x" : name;
    }
    for (unsigned v = 1; v <= 2; v++) {
        struct rb_profile p = {.version = v, .bytes = 8, .functions = f, .n_functions = RECORDS};
        struct rb_file file = {0};
        struct rb_places at;
        struct apf_error error;
        rb_append(&file, &p, &at);
        size_t size = rb_field_at(v, 8, RB_RECORD_SIZE);
        uint64_t first = rb_get(&file, at.data + rb_field_at(v, 8, RB_NAME_PTR), 8);
        for (unsigned i = 1; i < RECORDS; i++) {
            rb_put(&file, at.data + i * size + rb_field_at(v, 8, RB_NAME_PTR), 8, first + i);
            rb_put(&file, at.data + i * size + rb_field_at(v, 8, RB_NAME_SIZE), 4, LENGTH - i);
        }
        /* 300 KB, and 400 MB of names if they were all read. */
        assert_int_equal(open_counted(&file, &error), APF_MALFORMED);
        assert_string_equal(error.where, "raw.record.name");
        assert_true(asked.total < 4 * MIB);
        rb_free(&file);
    }
}

/* Sites that are announced, but not there, in each of many profiles. */
static void test_missing_sites(void **state)
{
    (void)state;
    struct rb_profile p = {.version = 10, .bytes = 8, .functions = &plain, .n_functions = 1};
    struct rb_file file = {0};
    struct apf_error error;
    for (unsigned i = 0; i < 500; i++) {
        struct rb_places at;
        rb_append(&file, &p, &at);
        for (unsigned k = 0; k < 3; k++)
            rb_put(&file, at.data + rb_field_at(10, 8, RB_SITES) + 2 * k, 2, 65535);
    }
    /* 100 KB; a table of empty sites for each profile would take 1.5 GB. */
    assert_int_equal(open_counted(&file, &error), APF_TRUNCATED);
    assert_string_equal(error.where, "raw.record.num_value_sites");
    assert_true(asked.total < 64 * MIB);
    rb_free(&file);
}

/* What a good file may ask for. */
static void test_good_file(void **state)
{
    (void)state;
    enum { RECORDS = 5000 };
    static struct rb_function f[RECORDS];
    static char names[RECORDS][16];
    static uint64_t counts[4] = {1, 2, 3, 4};
    for (unsigned i = 0; i < RECORDS; i++) {
        for (unsigned k = 0, n = i; k < 6; k++, n /= 10)
            names[i][k] = (char)('0' + n % 10);
        f[i] = plain;
        f[i].name = names[i];
        f[i].counts = counts;
        f[i].n_counts = 1;
    }
    struct rb_profile p = {.version = 10, .bytes = 8, .functions = f, .n_functions = RECORDS, .zlib = 1};
    struct rb_file file = {0};
    struct apf_error error;
    rb_append(&file, &p, NULL);
    assert_int_equal(open_counted(&file, &error), APF_OK);
    assert_true(asked.total < 8 * (uint64_t)file.n);
    rb_free(&file);
}

TEST_FILE(raw_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_that_do_not_fit), cmocka_unit_test(test_counts_inside),
        cmocka_unit_test(test_shared_counters),        cmocka_unit_test(test_overlapping_names),
        cmocka_unit_test(test_missing_sites),          cmocka_unit_test(test_good_file),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Single functions of a file: the pages that are read, and a file that is cut while it is open. */
#include "helpers/shared/lookup_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define MANY 20000u

static struct apf_buffer large; /* MANY functions, made once */

static void make_large(void)
{
    struct apf_merge *m = NULL;
    struct apf_output output = apf_output_buffer(&large);
    struct apf_write_options w = {.size = sizeof w, .format = APF_FORMAT_INDEXED};
    w.target.kind = APF_TARGET_INDEXED;
    w.target.version = 12;
    if (large.n)
        return;
    assert_int_equal(apf_merge_new(&m, NULL, NULL), APF_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        char name[40];
        uint64_t counts[5] = {i, 1, 2, 3, 4};
        struct apf_record r = {.size = sizeof r, .hash = i + 1, .counts = counts, .n_counts = 5};
        r.name.p = name;
        r.name.n = (size_t)snprintf(name, sizeof name, "function_number_%u", (unsigned)i);
        assert_int_equal(apf_merge_add_record(m, &r, 1, NULL), APF_OK);
    }
    assert_int_equal(apf_merge_write(m, &w, &output, NULL), APF_OK);
    apf_merge_free(m);
}

static uint64_t word_at(const uint8_t *p, size_t at)
{
    uint64_t v = 0;
    for (unsigned i = 8; i-- > 0;)
        v = v << 8 | p[at + i];
    return v;
}

static void keep_page(uint8_t *kept, const uint8_t *from, size_t n, size_t at)
{
    size_t first = at / PAGE * PAGE, end = first + PAGE < n ? first + PAGE : n;
    memcpy(kept + first, from + first, end - first);
}

/* Of the file only the pages of the header and its summary, of the table's size, of a name's bucket and of what is in
 * that are as they were; the rest is garbage. */
static void test_reads_little(void **state)
{
    static const char name[] = "function_number_1234";
    (void)state;
    make_large();
    const uint8_t *data = large.data;
    uint8_t *garbage = malloc(large.n);
    assert_non_null(garbage);
    memset(garbage, 0xa5, large.n);
    size_t table = (size_t)word_at(data, 32);
    size_t slot = table + 16 + 8 * (size_t)(rb_id(name) & (word_at(data, table) - 1));
    size_t bucket = (size_t)word_at(data, slot);
    keep_page(garbage, data, large.n, 0);
    keep_page(garbage, data, large.n, table);
    keep_page(garbage, data, large.n, table + 15);
    keep_page(garbage, data, large.n, slot);
    keep_page(garbage, data, large.n, bucket);
    keep_page(garbage, data, large.n, bucket + 500); /* some items of 120 bytes */
    const char *path = temp_path("garbage");
    file_make(path, garbage, large.n);
    struct opened o;
    open_memory(&o, garbage, large.n, 0);
    assert_int_not_equal(o.code, APF_OK);
    opened_close(&o);
    struct apf_lookup *l = lookup_open_path(path);
    lookup_expect(l, name, 1235, APF_OK, 1234);
    const struct apf_lookup_info *info = apf_lookup_info(l);
    assert_in_range(info->reads, 3, 6);
    assert_in_range(info->read_bytes, 3 * PAGE - 100, 6 * PAGE);
    uint64_t before = info->reads;
    lookup_expect(l, name, 1235, APF_OK, 1234); /* the pages are still there */
    lookup_expect(l, name, 1236, APF_HASH_MISMATCH, 0);
    assert_int_equal(info->reads, before);
    apf_lookup_close(l);
    free(garbage);
}

/* All names are found, with so many reads as there are names and buckets at most. */
static void test_all_of_many(void **state)
{
    struct opened o;
    (void)state;
    make_large();
    const char *path = temp_path("large");
    file_make(path, large.data, large.n);
    open_memory(&o, large.data, large.n, 0);
    struct apf_lookup *l = lookup_open_path(path);
    assert_int_equal(lookup_check_all(l, o.instr), MANY);
    assert_in_range(apf_lookup_info(l)->reads, large.n / PAGE, 6 * (uint64_t)MANY);
    apf_lookup_close(l);
    opened_close(&o);
}

/* A long name and a long record, which are no part of one page. */
static void test_long_record(void **state)
{
    enum { NAME = 10000, COUNTS = 50000 };
    static uint64_t counts[COUNTS];
    static char name[NAME];
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_write_options w = {.size = sizeof w, .format = APF_FORMAT_INDEXED};
    struct apf_merge *m = NULL;
    struct apf_record r = {.size = sizeof r};
    (void)state;
    for (unsigned i = 0; i < COUNTS; i++)
        counts[i] = i * 3 + 1;
    memset(name, 'x', sizeof name);
    struct apf_record record = {
        .size = sizeof record, .name = {name, NAME}, .hash = 9, .counts = counts, .n_counts = COUNTS};
    assert_int_equal(apf_merge_new(&m, NULL, NULL), APF_OK);
    assert_int_equal(apf_merge_add_record(m, &record, 1, NULL), APF_OK);
    assert_int_equal(apf_merge_write(m, &w, &output, NULL), APF_OK);
    apf_merge_free(m);
    const char *path = temp_path("long");
    file_make(path, out.data, out.n);
    struct apf_lookup *l = lookup_open_path(path);
    assert_int_equal(apf_lookup_find(l, record.name, 9, &r, NULL), APF_OK);
    assert_int_equal(r.n_counts, COUNTS);
    assert_memory_equal(r.counts, counts, sizeof counts);
    name[NAME - 1] = 'y';
    assert_int_equal(apf_lookup_find(l, record.name, 9, &r, NULL), APF_UNKNOWN_FUNCTION);
    apf_lookup_close(l);
    apf_buffer_free(&out);
}

/* A file that is cut while it is open: an error, and no signal. */
static void test_cut_while_open(void **state)
{
    size_t cut = 0, good = 0;
    (void)state;
    make_large();
    const char *path = temp_path("shrinks");
    file_make(path, large.data, large.n);
    struct apf_lookup *l = lookup_open_path(path);
    lookup_expect(l, "function_number_5", 6, APF_OK, 5);
    assert_int_equal(truncate(path, (off_t)(large.n / 2)), 0);
    for (unsigned i = 0; i < 1000; i++) {
        char name[40];
        struct apf_record r = {.size = sizeof r};
        struct apf_error error;
        snprintf(name, sizeof name, "function_number_%u", i * 7);
        int code = apf_lookup_find(l, lookup_name(name), i * 7 + 1, &r, &error);
        cut += code == APF_TRUNCATED;
        good += code == APF_OK;
        assert_true(code == APF_OK || code == APF_TRUNCATED);
    }
    assert_int_equal(cut + good, 1000);
    assert_true(cut > 900); /* the buckets are at the end */
    apf_lookup_close(l);
}

static void test_not_there(void **state)
{
    struct apf_input input = apf_input_file(temp_path("none"));
    struct apf_lookup *l = (struct apf_lookup *)state; /* anything but NULL */
    struct apf_error error;
    size_t open_before = open_files();
    assert_int_equal(apf_lookup_open(&l, &input, NULL, &error), APF_IO);
    assert_null(l);
    input.path = temp_dir;
    assert_int_equal(apf_lookup_open(&l, &input, NULL, &error), APF_IO);
    file_make(temp_path("empty"), "", 0);
    input.path = temp_path("empty");
    assert_int_equal(apf_lookup_open(&l, &input, NULL, &error), APF_EMPTY_PROFILE);
    file_make(temp_path("limit"), "f\n1\n1\n1\n", 8);
    input.path = temp_path("limit");
    struct apf_options options = {.size = sizeof options, .max_bytes = 7};
    assert_int_equal(apf_lookup_open(&l, &input, &options, &error), APF_LIMIT);
    assert_int_equal(open_files(), open_before);
}

static int free_large(void **state)
{
    (void)state;
    apf_buffer_free(&large);
    return 0;
}

TEST_FILE(lookup_files)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(test_reads_little),   TEST_WITH_DIR(test_all_of_many), TEST_WITH_DIR(test_long_record),
        TEST_WITH_DIR(test_cut_while_open), TEST_WITH_DIR(test_not_there),
    };
    return RUN_TESTS_WITH(tests, NULL, free_large);
}

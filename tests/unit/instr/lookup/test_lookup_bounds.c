/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looking up in tables that no writer makes: buckets of very many items, and items over the same bytes. What is read
 * and kept is bounded by the size of the file, however often one asks. */
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/lookup_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE ((size_t)4096)
#define MANY 20000u
#define ASKED 3000u

static void append_number(struct rb_file *file, unsigned bytes, uint64_t v)
{
    size_t at = file->n;
    rb_append_zeros(file, bytes);
    rb_put(file, at, bytes, v);
}

/* The header of a file of version 2, and then a table. */
static void begin(struct rb_file *file)
{
    static const uint64_t counts[] = {1};
    static const struct ib_record records[] = {{.hash = 1, .counts = counts, .n_counts = 1}};
    static const struct ib_key key = {"x", records, 1};
    struct ib_profile p = {.version = 2, .keys = &key, .n_keys = 1};
    struct ib_places at;
    ib_append(file, &p, &at);
    file->n = at.payload;
}

static void finish(struct rb_file *file, uint64_t n_items, const uint64_t *slots, size_t n_slots)
{
    rb_append_zeros(file, (8 - file->n % 8) % 8);
    rb_put(file, 32, 8, file->n);
    append_number(file, 8, n_slots);
    append_number(file, 8, n_items);
    for (size_t i = 0; i < n_slots; i++)
        append_number(file, 8, slots[i]);
}

/* One counter, which is `count`. */
static void add_item(struct rb_file *file, uint64_t id, const char *name, uint64_t count)
{
    append_number(file, 8, id);
    append_number(file, 8, strlen(name));
    append_number(file, 8, 24);
    rb_append_bytes(file, name, strlen(name));
    append_number(file, 8, 1);
    append_number(file, 8, 1);
    append_number(file, 8, count);
}

static const char *name_of(unsigned i)
{
    static char name[40];
    snprintf(name, sizeof name, "function_number_%u", i);
    return name;
}

/* A bucket with all there is, to which every slot leads. */
static void make_chain(struct rb_file *file)
{
    uint64_t slots[8];
    begin(file);
    for (unsigned i = 0; i < 8; i++)
        slots[i] = file->n;
    append_number(file, 2, MANY);
    for (unsigned i = 0; i < MANY; i++)
        add_item(file, rb_id(name_of(i)), name_of(i), i);
    finish(file, MANY, slots, 8);
}

static struct apf_lookup *open_file_of(const char *path, const struct rb_file *file)
{
    if (!path)
        return lookup_open_bytes(file->data, file->n);
    file_make(path, file->data, file->n);
    return lookup_open_path(path);
}

static void expect_target(struct apf_lookup *l, uint64_t id, const char *want)
{
    struct apf_str name;
    assert_int_equal(apf_lookup_name(l, id, &name, NULL), APF_OK);
    assert_int_equal(name.n, strlen(want));
    assert_true(name.n == 0 || memcmp(name.p, want, name.n) == 0);
}

/* However many are asked for, the file is not read more than some few times; and what is said stays right. */
static void test_long_bucket(void **state)
{
    struct rb_file file = {0};
    struct apf_record r = {.size = sizeof r};
    struct apf_error error;
    (void)state;
    make_chain(&file);
    struct apf_lookup *l = open_file_of(temp_path("chain"), &file);
    for (unsigned i = 0; i < ASKED; i++) {
        expect_target(l, (uint64_t)i * 0x9E3779B97F4A7C15u + 3, "");
        expect_target(l, rb_id(name_of(MANY - 1 - i)), name_of(MANY - 1 - i));
    }
    /* Each page is read when the bucket is walked and when all is listed, and one for each name that is found. */
    assert_in_range(apf_lookup_info(l)->reads, file.n / PAGE, 6 * file.n / PAGE + 2 * ASKED);
    for (unsigned i = 0; i < MANY; i += 97) {
        assert_int_equal(apf_lookup_find(l, lookup_name(name_of(i)), 1, &r, NULL), APF_OK);
        assert_int_equal(r.counts[0], i);
    }
    assert_int_equal(apf_lookup_find(l, lookup_name("none"), 1, &r, &error), APF_UNKNOWN_FUNCTION);
    apf_lookup_close(l);
    rb_free(&file);
}

/* Damage in such a table is said once all of it has to be read, each time. */
static void test_damaged_chain(void **state)
{
    struct rb_file file = {0};
    struct apf_str name;
    struct apf_error error;
    int code = APF_OK;
    (void)state;
    make_chain(&file);
    uint64_t last = rb_id(name_of(MANY - 1)), walks = 0, table = rb_get(&file, 32, 8);
    size_t end = (size_t)rb_get(&file, table + 16, 8) + 2;
    for (unsigned i = 0; i < MANY; i++)
        end += 48 + strlen(name_of(i));
    rb_put(&file, table + 8, 8, MANY + 1); /* one more than there are */
    struct apf_lookup *l = open_file_of(NULL, &file);
    for (; code == APF_OK && walks < 10; walks++)
        code = apf_lookup_name(l, walks + 2, &name, &error);
    assert_in_range(walks, 3, 5);
    assert_in_range(table - end, 2, 7); /* zeros */
    assert_int_equal(code, APF_MALFORMED);
    assert_string_equal(error.where, "indexed.table.bucket");
    assert_int_equal(error.offset, end);
    assert_int_equal(apf_lookup_name(l, last, &name, &error), APF_MALFORMED);
    assert_int_equal(name.n, 0);
    apf_lookup_close(l);
    rb_free(&file);
}

/* A name is kept once, also one that is not known. */
static void test_kept_once(void **state)
{
    struct rb_file file = {0};
    struct apf_str first, again;
    struct apf_record r = {.size = sizeof r};
    (void)state;
    make_chain(&file);
    struct apf_lookup *l = open_file_of(temp_path("once"), &file);
    assert_int_equal(apf_lookup_find(l, lookup_name(name_of(1)), 1, &r, NULL), APF_OK);
    assert_int_equal(apf_lookup_name(l, rb_id(name_of(9)), &first, NULL), APF_OK);
    expect_target(l, 5, "");
    uint64_t reads = apf_lookup_info(l)->reads;
    for (unsigned i = 0; i < 100; i++) {
        expect_target(l, 5, "");
        assert_int_equal(apf_lookup_name(l, rb_id(name_of(9)), &again, NULL), APF_OK);
        assert_ptr_equal(again.p, first.p);
    }
    assert_int_equal(apf_lookup_info(l)->reads, reads);
    assert_int_equal(apf_lookup_find(l, lookup_name(name_of(2)), 1, &r, NULL), APF_OK);
    expect_target(l, rb_id(name_of(9)), name_of(9));
    apf_lookup_close(l);
    rb_free(&file);
}

/* Buckets of one item each, 32 bytes apart, whose names all run to the end. */
static void test_overlapping_names(void **state)
{
    enum { ITEMS = 64, APART = 32 };
    struct rb_file file = {0};
    uint64_t slots[ITEMS];
    struct apf_str name;
    struct apf_error error;
    struct apf_record r = {.size = sizeof r};
    (void)state;
    begin(&file);
    size_t start = file.n, end = start + ITEMS * APART + 2000;
    for (unsigned i = 0; i < ITEMS; i++) {
        size_t at = file.n;
        slots[i] = at;
        append_number(&file, 2, 1);
        append_number(&file, 8, ITEMS + i);
        append_number(&file, 8, end - (at + 26));
        append_number(&file, 8, 0);
        rb_append_zeros(&file, APART - 26);
    }
    rb_append_zeros(&file, 2000);
    assert_int_equal(file.n, end);
    finish(&file, ITEMS, slots, ITEMS);
    struct apf_lookup *l = open_file_of(NULL, &file);
    for (unsigned lookup = 0; lookup < 2; lookup++) {
        uint64_t got = 0;
        unsigned i = 0;
        int code = APF_OK;
        for (; i < ITEMS; i++) {
            code = apf_lookup_name(l, ITEMS + i, &name, &error);
            if (code != APF_OK)
                break;
            got += name.n;
        }
        assert_int_equal(i, 1); /* the first has nearly all there is */
        assert_int_equal(got, end - start - 26);
        assert_int_equal(code, APF_TRUNCATED);
        assert_string_equal(error.where, "indexed.table.item.key_size");
        assert_int_equal(error.offset, slots[1] + 10);
        assert_int_equal(error.found, end - slots[1] - 26);
        assert_int_equal(error.expected, rb_get(&file, 32, 8) - got);
        assert_int_equal(apf_lookup_find(l, lookup_name("none"), 1, &r, &error), APF_UNKNOWN_FUNCTION);
    }
    apf_lookup_close(l);
    rb_free(&file);
}

TEST_FILE(lookup_bounds)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_long_bucket), cmocka_unit_test(test_damaged_chain),
                                       TEST_WITH_DIR(test_kept_once),
                                       cmocka_unit_test(test_overlapping_names)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The string that names are kept in. */
#include <stdlib.h>
#include <string.h>

#include "base/deflate.h"
#include "instr/model/name_blob.h"

#include "helpers/shared/unit.h"

static int read_blob(const void *data, size_t n, struct symbols *out, struct apf_error *error)
{
    uint8_t *exact = malloc(n ? n : 1); /* so that a read after the end is seen */
    assert_non_null(exact);
    memcpy(exact, data, n);
    struct cursor c = cursor_make(exact, n, false);
    uint64_t budget = deflate_budget(n, (uint64_t)1 << 30);
    int code = name_blob_read(&c, n, &budget, "test.names", out, error);
    free(exact);
    return code;
}

static void test_round_trip(void **state)
{
    static const struct apf_str names[] = {{"main", 4}, {"a.c;f", 5}, {"_ZTV1A", 6}};
    struct apf_error error;
    (void)state;
    for (unsigned compress = 0; compress < 2; compress++) {
        struct name_blob blob;
        struct symbols s = {0};
        assert_int_equal(name_blob_write(&blob, names, 3, compress, &error), APF_OK);
        assert_int_equal(read_blob(blob.data, blob.n, &s, &error), APF_OK);
        assert_int_equal(s.list.n, 3);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(s.list.data[i].n, names[i].n);
            assert_memory_equal(s.list.data[i].p, names[i].p, names[i].n);
        }
        symbols_free(&s);
        free(blob.data);
    }
}

/* Parts of several objects, with the linker's zeros between them. */
static void test_chunks(void **state)
{
    static const char blob[] = "\x03\x00"
                               "a\1b"
                               "\0\0\0"
                               "\x01\x00"
                               "c"
                               "\0";
    struct symbols s = {0};
    struct apf_error error;
    (void)state;
    assert_int_equal(read_blob(blob, sizeof blob - 1, &s, &error), APF_OK);
    assert_int_equal(s.list.n, 3);
    assert_memory_equal(s.list.data[2].p, "c", 1);
    symbols_free(&s);
}

static void test_damage(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        int code;
    } rows[] = {
        {"\x04\x00"
         "abc",
         5, APF_MALFORMED},             /* longer than what is left */
        {"\x00\x00", 2, APF_MALFORMED}, /* an empty name */
        {"\x03\x00"
         "a\1\1",
         5, APF_MALFORMED},         /* an empty name between others */
        {"\x80", 1, APF_MALFORMED}, /* a size that does not end */
        {"\x03\x09"
         "abc",
         5, APF_MALFORMED}, /* a stream longer than what is left */
        {"\x03\x03"
         "abc",
         5, APF_UNCOMPRESS_FAILED}, /* no stream */
        {"\xff\xff\xff\x7f\x01"
         "a",
         6, APF_UNCOMPRESS_FAILED},
    };
    struct apf_error error;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct symbols s = {0};
        assert_int_equal(read_blob(rows[i].bytes, rows[i].n, &s, &error), rows[i].code);
        assert_string_equal(error.where, "test.names");
        symbols_free(&s);
    }
}

/* Ten million letters in ten thousand bytes: refused before an allocation. */
static void test_growth(void **state)
{
    struct apf_str name = {NULL, 10000000};
    struct name_blob blob;
    struct symbols s = {0};
    struct apf_error error;
    (void)state;
    char *letters = malloc(name.n);
    assert_non_null(letters);
    memset(letters, 'a', name.n);
    name.p = letters;
    assert_int_equal(name_blob_write(&blob, &name, 1, true, &error), APF_OK);
    assert_true(blob.n < 20000);
    assert_int_equal(read_blob(blob.data, blob.n, &s, &error), APF_LIMIT);
    assert_int_equal(error.found, name.n);
    assert_int_equal(s.text.used, 0);
    symbols_free(&s);
    free(blob.data);
    free(letters);
}

TEST_FILE(name_blob)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_growth),
    };
    return RUN_TESTS(tests);
}

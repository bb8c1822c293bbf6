/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rule for structures that begin with their size. */
#include "helpers/shared/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"

#define WHERE "known.size"

struct known {
    size_t size;
    uint64_t a, b;
};
struct older {
    size_t size;
    uint64_t a;
};
struct newer {
    size_t size;
    uint64_t a, b, c;
};

static void test_options(void **state)
{
    (void)state;
    struct apf_error e;
    struct known o = {1, 2, 3};
    assert_int_equal(options_read(&o, sizeof o, NULL, WHERE, &e), APF_OK);
    assert_true(o.size == sizeof o && o.a == 0 && o.b == 0);
    struct older older = {sizeof older, 7};
    o.b = 5;
    assert_int_equal(options_read(&o, sizeof o, &older, WHERE, &e), APF_OK);
    assert_true(o.size == sizeof o && o.a == 7 && o.b == 0);
    struct newer newer = {sizeof newer, 8, 9, 0};
    assert_int_equal(options_read(&o, sizeof o, &newer, WHERE, &e), APF_OK);
    assert_true(o.size == sizeof o && o.a == 8 && o.b == 9);
    memset(&newer.c, 1, sizeof newer.c);
    assert_int_equal(options_read(&o, sizeof o, &newer, WHERE, &e), APF_ARGUMENT);
    assert_string_equal(e.where, WHERE);
    assert_non_null(strstr(e.message, sizeof o == 24 ? "byte 24" : "byte "));
}

static void test_unset_sizes(void **state)
{
    (void)state;
    static const size_t bad[] = {0, 1, sizeof(size_t) - 1, 65537, SIZE_MAX};
    struct known o;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct apf_error e;
        struct known from = {bad[i], 0, 0};
        assert_int_equal(options_read(&o, sizeof o, &from, WHERE, &e), APF_ARGUMENT);
        assert_string_equal(e.where, WHERE);
        assert_int_equal(options_read(&o, sizeof o, &from, WHERE, NULL), APF_ARGUMENT);
        assert_int_equal(result_check(&from, WHERE, &e), APF_ARGUMENT);
    }
    struct known only_size = {sizeof(size_t), 5, 6};
    assert_int_equal(options_read(&o, sizeof o, &only_size, WHERE, NULL), APF_OK);
    assert_true(o.a == 0 && o.b == 0);
    assert_int_equal(result_check(NULL, WHERE, NULL), APF_OK);
}

static void test_results(void **state)
{
    (void)state;
    struct known found = {0, 10, 20};
    struct older older = {sizeof older, 1};
    struct newer newer = {sizeof newer, 1, 2, 3};
    result_fill(NULL, sizeof found, &found);
    result_fill(&older, sizeof found, &found);
    assert_true(older.size == sizeof older && older.a == 10);
    result_fill(&newer, sizeof found, &found);
    assert_true(newer.size == sizeof newer && newer.a == 10 && newer.b == 20 && newer.c == 0);
}

static void test_files_of_errors(void **state)
{
    (void)state;
    struct apf_input input = apf_input_file("a.profraw");
    struct apf_error e = {0};
    assert_int_equal(file_error(&e, error_errno(&e, 2, "file.open"), &input, 3), APF_IO);
    assert_string_equal(e.file, "a.profraw");
    assert_int_equal(e.input, 3);
    input.name = "other";
    file_error(&e, APF_IO, &input, 4); /* a callee has named the file already */
    assert_string_equal(e.file, "a.profraw");
    file_error(&e, error_memory(&e), &input, 1);
    assert_string_equal(e.file, "");
    error_output(&e, error_errno(&e, 13, "output.open"), "out");
    assert_string_equal(e.file, "out");
    file_error(&e, APF_IO, &input, 1); /* the error is about the output */
    assert_string_equal(e.file, "out");
    error_output(&e, error_errno(&e, 13, "output.open"), NULL);
    assert_string_equal(e.file, "");
    file_error(NULL, APF_IO, &input, 1);

    char name[400];
    memset(name, 'x', sizeof name);
    memcpy(name + sizeof name - 5, "end", 4);
    name[sizeof name - 1] = '\0';
    input.name = name;
    file_error(&e, error_errno(&e, 2, "file.open"), &input, 0);
    assert_int_equal(strlen(e.file), 255);
    assert_memory_equal(e.file, "...x", 4);
    name[255] = '\0';
    file_error(&e, error_errno(&e, 2, "file.open"), &input, 0);
    assert_string_equal(e.file, name);
}

TEST_FILE(options)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_unset_sizes),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_files_of_errors),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of source files: joined as LLVM does, and those of Windows, with '/'. */
#include <string.h>

#include "cov/file_names.h"
#include "helpers/shared/unit.h"

static void test_join(void **state)
{
    static const struct {
        const char *directory, *name;
        enum names_style style;
        const char *joined;
    } rows[] = {
        {"/b", "a.c", NAMES_OF_UNIX, "/b/a.c"},
        {"/b/", "../x/./a.c", NAMES_BY_DRIVE, "/x/a.c"},
        {"/b", "/x/../a.c", NAMES_BY_DRIVE, "/x/../a.c"},
        {"", "./a.c", NAMES_OF_UNIX, "a.c"},
        {NULL, "./a.c", NAMES_OF_UNIX, "./a.c"},
        {"", "", NAMES_BY_DRIVE, ""},
        {"/b", "w\\a.c", NAMES_BY_DRIVE, "/b/w\\a.c"},
        {"C:\\b", "C:\\s\\a.c", NAMES_OF_UNIX, "C:\\b/C:\\s\\a.c"},
        {"C:\\b", "C:\\s\\a.c", NAMES_BY_DRIVE, "C:/s/a.c"},
        {"C:\\b\\", "..\\s\\.\\a.c", NAMES_BY_DRIVE, "C:/s/a.c"},
        {"C:\\b", "..\\..\\..\\a.c", NAMES_BY_DRIVE, "C:/a.c"},
        {"d:/b", "s/a.c", NAMES_BY_DRIVE, "d:/b/s/a.c"},
        {"/b", "C:\\a.c", NAMES_BY_DRIVE, "C:/a.c"},
        {NULL, "C:\\b\\..", NAMES_BY_DRIVE, "C:/b/.."},
        {".", "w\\a.c", NAMES_OF_WINDOWS, "w/a.c"},
        {".", "\\\\server\\a.c", NAMES_OF_WINDOWS, "//server/a.c"},
        {"C:", "a.c", NAMES_BY_DRIVE, "C:/a.c"},
    };
    struct arena arena = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct apf_str directory = {rows[i].directory,
                                          rows[i].directory ? strlen(rows[i].directory) : 0};
        const struct apf_str name = {rows[i].name, strlen(rows[i].name)};
        const struct apf_str joined = file_names_join(&arena, directory, name, rows[i].style);
        assert_int_equal(joined.n, strlen(rows[i].joined));
        assert_memory_equal(joined.p, rows[i].joined, joined.n);
    }
    arena_free(&arena);
}

static void test_begin(void **state)
{
    const struct apf_str path = {"C:/src/a.c", 10};
    (void)state;
    assert_true(file_names_begin(path, "C:\\src\\", 7));
    assert_true(file_names_begin(path, "C:/src/", 7));
    assert_true(file_names_begin(path, NULL, 0));
    assert_false(file_names_begin(path, "C:\\sra", 6));
    assert_false(file_names_begin(path, "C:/src/a.cc", 11));
    assert_false(file_names_begin((struct apf_str){"C:\\", 3}, "C:/", 3));
}

TEST_FILE(file_names)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_join), cmocka_unit_test(test_begin)};
    return RUN_TESTS(tests);
}

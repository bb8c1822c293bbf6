/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of pages: each is one that every file system and link can hold, and no two are equal. */
#include <stdio.h>
#include <string.h>

#include "cov/page_names.h"
#include "helpers/shared/unit.h"

static const char *add(struct page_names *names, const char *source)
{
    return page_names_add(names, (struct apf_str){source, strlen(source)});
}

static void test_names(void **state)
{
    struct page_names names = {.list = {NULL, 0, 0}};
    (void)state;
    assert_string_equal(add(&names, "src/a.c"), "src-a.c");
    assert_string_equal(add(&names, "src-a.c"), "src_a.c");
    assert_string_equal(add(&names, "SRC/A.C"), "SRC-A.C-3"); /* where capitals are small letters */
    assert_string_equal(add(&names, "Index"), "Index-4");
    assert_string_equal(add(&names, "../.."), "_.-..");
    assert_string_equal(add(&names, ".htaccess"), "_htaccess");
    assert_string_equal(add(&names, "<b>\"%2f\n.c"), "_b___2f_.c");
    assert_string_equal(add(&names, ""), "-8");
    assert_string_equal(add(&names, "C:/w/c.c"), "C_-w-c.c");
    assert_string_equal(page_names_path(&names, "dir", "x"), "dir/x.html");
    page_names_free(&names);
}

static const char *add_text(struct page_names *names, const char *source, size_t n)
{
    return page_names_text(names, "dir", (struct apf_str){source, n});
}
#define ADD_TEXT(source) add_text(&names, source, sizeof(source) - 1)

/* Paths of texts stay below the directory. */
static void test_texts(void **state)
{
    struct page_names names = {.exact = true};
    static char deep[3000], wide[3000];
    (void)state;
    assert_string_equal(ADD_TEXT("/src/a.c"), "dir/coverage/src/a.c.txt");
    assert_string_equal(ADD_TEXT("src/a.c"), "dir/coverage/src/a.c-2.txt"); /* which is the same */
    assert_string_equal(ADD_TEXT("/src/A.c"), "dir/coverage/src/A.c.txt");
    assert_string_equal(ADD_TEXT("/src//./b/../a.h"), "dir/coverage/src/a.h.txt");
    assert_string_equal(ADD_TEXT("../../a.c"), "dir/coverage/__/__/a.c.txt");
    assert_string_equal(ADD_TEXT("/../../b.c"), "dir/coverage/b.c.txt");
    assert_string_equal(ADD_TEXT("a/../../../b.c"), "dir/coverage/__/__/b.c.txt");
    assert_string_equal(ADD_TEXT("C:/w/c.c"), "dir/coverage/w/c.c.txt");
    assert_string_equal(ADD_TEXT("x/.."), "dir/coverage/x/__.txt");
    assert_string_equal(ADD_TEXT(""), "dir/coverage/.txt");
    assert_string_equal(ADD_TEXT("a\0b/c\0d"), "dir/coverage/a_b/c_d.txt");
    memset(wide, 'w', sizeof wide);
    memset(deep, '/', sizeof deep);
    for (size_t i = 1; i < sizeof deep; i += 2)
        deep[i] = 'd';
    const char *path = add_text(&names, wide, sizeof wide);
    assert_true(strlen(path) < sizeof "dir/coverage/.txt" + 240);
    path = add_text(&names, deep, sizeof deep);
    assert_true(strlen(path) < 2100);
    page_names_free(&names);
}

/* Long names, and many with one name, stay short and different. */
static void test_many(void **state)
{
    enum { N = 300 };
    struct page_names names = {.list = {NULL, 0, 0}};
    char source[1000];
    (void)state;
    for (unsigned i = 0; i < N; i++) {
        memset(source, 'x', sizeof source);
        (void)snprintf(source, 20, "%u", i); /* at the beginning, which is cut off */
        source[strlen(source)] = 'y';
        const char *name = page_names_add(&names, (struct apf_str){source, sizeof source});
        assert_true(name && strlen(name) < 210);
        for (uint32_t k = 0; k + 1 < names.list.n; k++)
            assert_string_not_equal(names.list.data[k], name);
    }
    page_names_free(&names);
}

TEST_FILE(page_names)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_many)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unified diffs: which lines they add, what is refused, and which source files they are about. */
#include <string.h>

#include "base/hash_index.h"
#include "cov/patch.h"
#include "cov/patch_files.h"
#include "helpers/shared/unit.h"

static int read_text(struct patch *p, const char *text, struct apf_error *error)
{
    memset(p, 0, sizeof *p);
    return patch_read(p, (struct apf_str){text, strlen(text)}, error);
}

/* Whether the file with that number has this name and these lines, "1-2, 5". */
static void expect_file(const struct patch *p, size_t i, const char *name, const char *lines)
{
    struct apf_buffer text = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&text);
    struct file_out *out;
    assert_true(i < p->files.n);
    const struct patch_file *file = &p->files.data[i];
    const struct apf_str got = patch_file_name(file);
    assert_int_equal(got.n, strlen(name));
    assert_memory_equal(got.p, name, got.n);
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    line_ranges_write(out, p->added.list.data + file->first, file->n);
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    assert_int_equal(text.n, strlen(lines));
    assert_memory_equal(text.data, lines, text.n);
    apf_buffer_free(&text);
}

static void test_git(void **state)
{
    static const char text[] =
        "commit 0123\nAuthor: A\n\n    --- a line of the message\n\n"
        "diff --git a/src/a.c b/src/a.c\nindex 1..2 100644\n--- a/src/a.c\n+++ b/src/a.c\n"
        "@@ -1,3 +1,4 @@ int f(void)\n one\n-two\n+2\n+--- not a file\n three\n"
        "@@ -10 +11,2 @@\n-- gone\n+++ plus\n+x\n\\ No newline at end of file\n"
        "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n"
        "diff --git a/gone.c b/gone.c\ndeleted file mode 100644\n--- a/gone.c\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-gone\n"
        "diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n"
        "diff --git a/made.c b/made.c\nnew file mode 100644\n--- /dev/null\n+++ b/made.c\n"
        "@@ -0,0 +1,2 @@\n+a\n+b\n";
    struct patch p;
    (void)state;
    assert_int_equal(read_text(&p, text, NULL), APF_OK);
    assert_int_equal(p.files.n, 2);
    expect_file(&p, 0, "src/a.c", "2-3, 11-12");
    expect_file(&p, 1, "made.c", "1-2");
    patch_free(&p);
}

/* Without git's letters, also where directories are called like them. */
static void test_plain(void **state)
{
    static const char text[] = "--- a/util.c\n+++ a/util.c\n@@ -0,0 +1 @@\n+x\n"
                               "--- /dev/null\n+++ b/made.c\n@@ -0,0 +1 @@\n+x\n"
                               "--- i/x.c\n+++ w/x.c\n@@ -0,0 +1 @@\n+x\n";
    struct patch p;
    (void)state;
    assert_int_equal(read_text(&p, text, NULL), APF_OK);
    assert_int_equal(p.files.n, 3);
    expect_file(&p, 0, "a/util.c", "1");
    expect_file(&p, 1, "made.c", "1");
    expect_file(&p, 2, "x.c", "1");
    patch_free(&p);
}

static void test_others(void **state)
{
    static const char text[] =
        "Index: lib/b.c\n====\n--- lib/b.c\t(revision 4)\r\n+++ lib/b.c\t(working copy)\r\n"
        "@@ -1,2 +1,3 @@\r\n one\r\n+new\r\n\r\n" /* a context line whose blank was cut off */
        "--- \"a/t\\303\\244b\\t.c\"\n+++ \"b/t\\303\\244b\\t.c\"\n@@ -0,0 +7 @@\n+x\n";
    struct patch p;
    (void)state;
    assert_int_equal(read_text(&p, text, NULL), APF_OK);
    assert_int_equal(p.files.n, 2);
    expect_file(&p, 0, "lib/b.c", "2");
    expect_file(&p, 1, "t\303\244b\t.c", "7");
    patch_free(&p);
    assert_int_equal(read_text(&p, "\n \n", NULL), APF_OK); /* nothing has changed */
    assert_int_equal(p.files.n, 0);
    patch_free(&p);
}

static void test_damage(void **state)
{
    static const char *const texts[] = {
        "no diff\n", "diff -r a/x b/x\n1c1\n< a\n---\n> b\n", "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n+b\n",
        "*** a/x\n--- b/x\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n",
        "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n",
        "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\ndiff --git a/y b/y\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n+one\n+two\n", "--- a/x\n+++ b/x\n@@ -1 @@\n",
        "--- a/x\n+++ b/x\n@@ -1,x +1 @@\n", "diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n",
        "diff --cc x\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n",
        "--- a/x\n+++ b/x\n@@ -1 +1000000000000 @@\n",
        /* a series */
        "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+b\n"};
    struct patch p;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct apf_error error;
        assert_int_equal(read_text(&p, texts[i], &error), APF_BAD_PATCH);
        assert_int_equal(error.code, APF_BAD_PATCH);
        patch_free(&p);
    }
}

/* The number of the source file that "b/" and a name is; UINT32_MAX: none. */
static uint32_t find(const struct patch_files *f, const char *name)
{
    const struct patch_file file = {.name = {name, strlen(name)}, .prefixed = strncmp(name, "b/", 2) == 0};
    return patch_files_find(f, &file);
}

static void test_files(void **state)
{
    static const char *const names[] = {"/r/lib/src/a.c", "/r/src/a.c", "/r/b/main.c", "rel.c"};
    static const uint32_t files[] = {0, 1, 2, 3};
    struct text_set t = {.list = {NULL, 0, 0}};
    struct patch_files f = {.names = NULL};
    struct patch p;
    uint32_t number;
    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(text_set_add(&t, (struct apf_str){names[i], strlen(names[i])}, &number, NULL),
                         APF_OK);
    assert_true(patch_files_make(&f, &t, files, 4));
    assert_int_equal(find(&f, "b/src/a.c"), 1); /* the shorter one */
    assert_int_equal(find(&f, "src/a.c"), 1);
    assert_int_equal(find(&f, "lib/src/a.c"), 0);
    assert_int_equal(find(&f, "b/main.c"), 2); /* also where "b" is a directory */
    assert_int_equal(find(&f, "rel.c"), 3);
    assert_int_equal(find(&f, "c/src/a.c"), HASH_INDEX_NONE);
    assert_int_equal(find(&f, "rc/a.c"), HASH_INDEX_NONE);
    assert_int_equal(read_text(&p, "--- a/src/a.c\n+++ b/src/a.c\n@@ -0,0 +1 @@\n+x\n", NULL), APF_OK);
    patch_files_set_root(&f, (struct apf_str){"/r/lib", 6}, &p);
    assert_int_equal(find(&f, "b/src/a.c"), 0); /* the one in the root */
    assert_int_equal(find(&f, "b/main.c"), HASH_INDEX_NONE);
    patch_files_set_root(&f, (struct apf_str){"/elsewhere", 10}, &p);
    assert_int_equal(find(&f, "b/src/a.c"), 1);
    patch_free(&p);
    patch_files_free(&f);
    text_set_free(&t);
}

TEST_FILE(patch)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_git), cmocka_unit_test(test_plain),
                                       cmocka_unit_test(test_others), cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_files)};
    return RUN_TESTS(tests);
}

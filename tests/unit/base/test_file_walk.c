/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anyprof/io.h>

#include "base/file.h"

static void make(const char *name)
{
    file_make(temp_path(name), name, strlen(name));
}

static void make_dir(const char *name)
{
    assert_int_equal(mkdir(temp_path(name), 0777), 0);
}

static void make_link(const char *to, const char *name)
{
    assert_int_equal(symlink(to, temp_path(name)), 0);
}

/* Expands `path` and compares with names below the directory. */
static void check(const char *path, const char *const *names, size_t count)
{
    char **paths;
    size_t n;
    struct apf_error e;
    assert_int_equal(apf_paths_expand(path, NULL, &paths, &n, NULL, &e), APF_OK);
    assert_int_equal(n, count);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(paths[i], temp_path(names[i]));
    assert_non_null(paths);
    apf_paths_free(paths);
}

static void test_tree(void **state)
{
    (void)state;
    /* Sorted as bytes of whole paths: '.' and '-' come before '/', bytes from 0x80 last. */
    static const char *const sorted[] = {"B",   "a-x", "a.x", "a/1",  "a/10", "a/2",      "a/b/c/d/e",
                                         "a/z", "a0",  "b",   "\x7f", "\x80", "\xc3\xa4", "\xff"};
    make_dir("a");
    make_dir("a/b");
    make_dir("a/b/c");
    make_dir("a/b/c/d");
    make_dir("empty");
    enum { N = sizeof sorted / sizeof *sorted };
    for (size_t i = 0; i < N; i++)
        make(sorted[i * 5 % N]);
    check(temp_dir, sorted, N);
    static const char *const below_a[] = {"a/1", "a/10", "a/2", "a/b/c/d/e", "a/z"};
    check(temp_path("a"), below_a, 5);
    check(temp_path("a/"), below_a, 5); /* no second slash */
    check(temp_path("empty"), NULL, 0);
}

static void test_many(void **state)
{
    (void)state;
    enum { N = 1500 };
    static char names[N][32];
    static const char *sorted[N];
    for (size_t i = 0; i < 10; i++) {
        snprintf(names[0], sizeof names[0], "%zu", i);
        make_dir(names[0]);
    }
    for (size_t i = 0; i < N; i++) {
        size_t mixed = i * 7 % N;
        snprintf(names[mixed], sizeof names[mixed], "%zu/%03zu", mixed / 150, mixed % 150);
        sorted[mixed] = names[mixed];
        make(names[mixed]);
    }
    check(temp_dir, sorted, N);
}

/* Expands `path`, and returns how many links lead out of it. */
static uint64_t count_links(const char *path)
{
    char **paths;
    size_t n;
    struct apf_skipped skipped = {.size = sizeof skipped};
    assert_int_equal(apf_paths_expand(path, NULL, &paths, &n, &skipped, NULL), APF_OK);
    apf_paths_free(paths);
    assert_int_equal(skipped.n_excluded, 0);
    return skipped.n_links;
}

/* Links are not followed: what is in the tree is found under its own name, what is out of it does not belong to it. */
static void test_links(void **state)
{
    (void)state;
    make_dir("real");
    make("real/file");
    make_dir("tree");
    make_dir("tree/below");
    make("tree/below/deep");
    make("tree/plain");
    make_link("plain", "tree/to-plain"); /* counts once */
    make_link("below/deep", "tree/to-deep");
    make_link("to-deep", "tree/to-link");
    make_link("below", "tree/to-below");
    make_link("..", "tree/below/up");
    make_link(".", "tree/to-itself"); /* would never end */
    make_link("missing", "tree/dangling");
    make_link("loop", "tree/loop");
    static const char *const found[] = {"tree/below/deep", "tree/plain"};
    check(temp_path("tree"), found, 2);
    assert_int_equal(count_links(temp_path("tree")), 0);
    make_link("../real/file", "tree/to-file");
    make_link("../real", "tree/to-dir");
    make_link("../..", "tree/below/top");
    make_link("to-dir/file", "tree/through");
    make_link("/dev/null", "tree/null");
    check(temp_path("tree"), found, 2);
    assert_int_equal(count_links(temp_path("tree")), 4);
    /* Given by name, a link to a directory is that directory. */
    static const char *const below[] = {"tree/to-dir/file"};
    check(temp_path("tree/to-dir"), below, 1);
    static const char *const itself[] = {"tree/to-file"};
    check(temp_path("tree/to-file"), itself, 1);
    assert_int_equal(count_links(temp_path("tree/to-file")), 0);
}

/* Links to a directory, of which one may be listed before it. */
static void test_many_links_to_one(void **state)
{
    (void)state;
    static const char *const names[] = {"top/a", "top/b", "top/y", "top/z"};
    make_dir("top");
    make_dir("top/m");
    make("top/m/file");
    for (size_t i = 0; i < 4; i++)
        make_link("m", names[i]);
    static const char *const found[] = {"top/m/file"};
    check(temp_path("top"), found, 1);
    assert_int_equal(count_links(temp_path("top")), 0);
}

/* ---- names ---- */

static int include_short(void *user, struct apf_str name)
{
    (void)user;
    return name.n == 1;
}

static int include_fails(void *user, struct apf_str name)
{
    (void)user;
    (void)name;
    return -1;
}

static void test_include(void **state)
{
    (void)state;
    char **paths = NULL;
    size_t n;
    struct apf_skipped skipped = {.size = sizeof skipped};
    struct apf_paths_options options = {.size = sizeof options, .include = include_short};
    make_dir("d");
    make_dir("d/long");
    make("d/a");
    make("d/name");
    make("d/long/b");
    make("d/long/other");
    make_link("name", "d/l"); /* to a file in the tree, although it is left out */
    make_link("nothing", "d/x");
    make_link("/dev/null", "d/y");
    make_link("/dev/null", "d/not wanted");
    assert_int_equal(mkfifo(temp_path("d/z"), 0600), 0);
    assert_int_equal(apf_paths_expand(temp_path("d"), &options, &paths, &n, &skipped, NULL), APF_OK);
    assert_int_equal(n, 2);
    assert_string_equal(paths[1], temp_path("d/long/b"));
    assert_int_equal(skipped.n_excluded, 2);
    assert_int_equal(skipped.n_links, 0);
    assert_int_equal(skipped.n_no_files, 3);
    apf_paths_free(paths);
    assert_int_equal(apf_paths_expand(temp_path("d/name"), &options, &paths, &n, NULL, NULL), APF_OK);
    assert_int_equal(n, 1); /* given by name */
    apf_paths_free(paths);
    options.include = include_fails;
    assert_int_equal(apf_paths_expand(temp_path("d"), &options, &paths, &n, NULL, NULL), APF_NO_MEMORY);
    options.size = 0;
    assert_int_equal(apf_paths_expand(temp_path("d"), &options, &paths, &n, NULL, NULL), APF_ARGUMENT);
}

/* More directories than a small table has room for, each twice. */
static void test_many_links(void **state)
{
    (void)state;
    enum { N = 300 };
    static char names[2 * N][40];
    static const char *sorted[N];
    make_dir("links");
    make_dir("dirs");
    for (size_t i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "dirs/%03zu", i);
        make_dir(names[i]);
        snprintf(names[i], sizeof names[i], "dirs/%03zu/file", i);
        make(names[i]);
        sorted[i] = names[i];
        snprintf(names[N + i], sizeof names[N + i], "links/%03zu", i);
        make_link(temp_path("dirs"), names[N + i]);
    }
    check(temp_dir, sorted, N);
}

static void test_what_is_no_file(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(temp_path("fifo"), 0600), 0);
    make_link("/dev/null", "null");
    make("file");
    static const char *const found[] = {"file"};
    check(temp_dir, found, 1);
    /* Given by name, it is meant. */
    static const char *const fifo[] = {"fifo"};
    check(temp_path("fifo"), fifo, 1);
}

static void test_single(void **state)
{
    (void)state;
    char **paths;
    size_t n;
    make("file");
    static const char *const found[] = {"file"};
    check(temp_path("file"), found, 1);
    assert_int_equal(apf_paths_expand("-", NULL, &paths, &n, NULL, NULL), APF_OK); /* standard input */
    assert_int_equal(n, 1);
    assert_string_equal(paths[0], "-");
    apf_paths_free(paths);
    apf_paths_free(NULL);
}

static void check_fails(const char *path, int sys_errno, const char *where)
{
    char **paths = NULL;
    size_t n = 77;
    struct apf_error e;
    assert_int_equal(apf_paths_expand(path, NULL, &paths, &n, NULL, &e), APF_IO);
    assert_int_equal(e.sys_errno, sys_errno);
    assert_string_equal(e.where, where);
    assert_null(paths);
    assert_int_equal(n, 77);
}

static void test_missing(void **state)
{
    (void)state;
    make("file");
    make_link("missing", "dangling");
    make_link("loop", "loop");
    check_fails(temp_path("missing"), ENOENT, "file.stat");
    check_fails(temp_path("dangling"), ENOENT, "file.stat");
    check_fails(temp_path("loop"), ELOOP, "file.stat");
    check_fails(temp_path("file/below"), ENOTDIR, "file.stat");
    check_fails("", ENOENT, "file.stat");
}

/* Checks for a child process, whose assertions would be lost. */
static bool gives(const char *path, const char *const *names, size_t count)
{
    char **paths;
    size_t n;
    if (apf_paths_expand(temp_path(path), NULL, &paths, &n, NULL, NULL) != APF_OK || n != count)
        return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(paths[i], temp_path(names[i])) != 0)
            return false;
    apf_paths_free(paths);
    return true;
}

static void expand_closed(void)
{
    static const char *const all[] = {"all/file", "all/no-enter/hidden", "all/no-list"};
    static const char *const linked[] = {"linked/file", "linked/no-enter/hidden", "linked/no-list"};
    if (!gives("all", all, 3))
        _exit(2);
    if (!gives("all/no-enter", all + 1, 1))
        _exit(3);
    if (!gives("all/no-list", all + 2, 1))
        _exit(4);
    if (!gives("linked", linked, 3))
        _exit(5);
}

/* A file without permission stays in the list, so that reading it fails; the other files are listed, too. */
static void test_closed_directories(void **state)
{
    (void)state;
    make_dir("all");
    make("all/file");
    make_dir("all/no-list");
    make("all/no-list/hidden");
    make_dir("all/no-enter");
    make("all/no-enter/hidden");
    make_link("all", "linked");
    assert_int_equal(chmod(temp_path("all/no-list"), 0311), 0);
    assert_int_equal(chmod(temp_path("all/no-enter"), 0644), 0);
    as_nobody(expand_closed);
    assert_int_equal(chmod(temp_path("all/no-enter"), 0755), 0);
    assert_int_equal(chmod(temp_path("all/no-list"), 0755), 0);
}

static void test_roles(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        enum apf_path_role role;
    } rows[] = {
        {".o.anyprof-merged", APF_PATH_OURS},
        {"d/.o.anyprof-tmp01234567", APF_PATH_OURS},
        {"./.a b.anyprof-merged", APF_PATH_OURS},
        {"d/.mpi-1.anyprof-part", APF_PATH_OURS},
        {".mpi.anyprof-lock", APF_PATH_OURS},
        {"mpi.anyprof-part", APF_PATH_ANY},
        {"o.anyprof-merged", APF_PATH_ANY},
        {".anyprof-merged", APF_PATH_ANY},
        {".o.anyprof-merged/x", APF_PATH_ANY},
        {".o.anyprof-merge2", APF_PATH_ANY},
        {".o.anyprof-tmp0123456", APF_PATH_ANY},
        {"", APF_PATH_ANY},
        {"/", APF_PATH_ANY},
        {"d/default.profraw.bad", APF_PATH_SET_ASIDE},
        {"default.profraw.bad.7", APF_PATH_SET_ASIDE},
        {"default.profraw.bad.x", APF_PATH_ANY},
        {"default.profraw.bad.", APF_PATH_ANY},
        {".bad", APF_PATH_ANY},
        {".bad.1", APF_PATH_ANY},
        {"a.bad/x.profraw", APF_PATH_ANY},
        {"bad", APF_PATH_ANY},
        {"d/app.live.12.profraw", APF_PATH_LIVE},
        {"app.live.12", APF_PATH_LIVE},
        {"a.live.b.live.12.profraw", APF_PATH_LIVE},
        {"app.live.profraw", APF_PATH_ANY},
        {"app.live.12x.profraw", APF_PATH_ANY},
        {"app.live.12.old.profraw", APF_PATH_ANY},
        {".live.12.profraw", APF_PATH_ANY},
        {"app.live.", APF_PATH_ANY},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(apf_path_role(rows[i].path), rows[i].role);
}

TEST_FILE(file_walk)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(test_tree),
        TEST_WITH_DIR(test_many),
        TEST_WITH_DIR(test_links),
        TEST_WITH_DIR(test_many_links_to_one),
        TEST_WITH_DIR(test_include),
        TEST_WITH_DIR(test_many_links),
        TEST_WITH_DIR(test_what_is_no_file),
        TEST_WITH_DIR(test_single),
        TEST_WITH_DIR(test_missing),
        TEST_WITH_DIR(test_closed_directories),
        cmocka_unit_test(test_roles),
    };
    return RUN_TESTS(tests);
}

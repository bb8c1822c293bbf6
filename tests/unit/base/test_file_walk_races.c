/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Directories that are deep, or change while they are read. */
#include "helpers/shared/fault.h"
#include "helpers/shared/unit.h"

#include <errno.h>
#include <fcntl.h>
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

/* ---- deep trees ---- */

/* Makes `depth` directories with names of 100 bytes, one in the other, and a file `name` in each tenth. */
static void make_deep(const char *top, unsigned depth)
{
    char name[101];
    memset(name, 'd', 100);
    name[100] = '\0';
    int fd = open(temp_path(top), O_RDONLY | O_DIRECTORY);
    for (unsigned i = 0; i < depth; i++) {
        assert_int_equal(mkdirat(fd, name, 0777), 0);
        int next = openat(fd, name, O_RDONLY | O_DIRECTORY);
        assert_true(next >= 0);
        close(fd);
        fd = next;
        int file = i % 10 == 9 ? openat(fd, "file", O_WRONLY | O_CREAT, 0666) : -1;
        assert_true(file < 0 || write(file, "content", 7) == 7);
        if (file >= 0)
            close(file);
    }
    close(fd);
}

/* Removes it again, from below, which the removal of the temporary directory may not manage. */
static void remove_deep(const char *top, unsigned depth)
{
    char name[101];
    memset(name, 'd', 100);
    name[100] = '\0';
    for (; depth > 0; depth--) {
        int fd = open(temp_path(top), O_RDONLY | O_DIRECTORY);
        for (unsigned i = 0; i < depth - 1; i++) {
            int next = openat(fd, name, O_RDONLY | O_DIRECTORY);
            close(fd);
            fd = next;
        }
        int last = openat(fd, name, O_RDONLY | O_DIRECTORY);
        unlinkat(last, "file", 0);
        close(last);
        assert_int_equal(unlinkat(fd, name, AT_REMOVEDIR), 0);
        close(fd);
    }
}

/* Paths that are longer than the system allows in one call are listed and read. */
static void test_deep_tree(void **state)
{
    (void)state;
    enum { DEPTH = 120 };
    char **paths;
    size_t n;
    struct apf_error e;
    make_dir("deep");
    make_deep("deep", DEPTH);
    const char *top = temp_path("deep");
    assert_int_equal(apf_paths_expand(top, NULL, &paths, &n, NULL, &e), APF_OK);
    assert_int_equal(n, DEPTH / 10);
    assert_true(strlen(paths[0]) > (size_t)DEPTH * 101);
    for (size_t i = 0; i < n; i++) {
        struct apf_input found = apf_input_found(top, paths[i]), named = apf_input_file(paths[i]);
        struct file_bytes f = {0};
        assert_int_equal(found.n_directory, strlen(top));
        assert_int_equal(file_read(&f, &found, UINT64_MAX, &e), APF_OK);
        assert_int_equal(f.n, 7);
        assert_int_equal(file_read(&f, &named, UINT64_MAX, &e), APF_OK);
        assert_int_equal(f.n, 7);
        file_bytes_free(&f);
    }
    apf_paths_free(paths);
    remove_deep("deep", DEPTH);
}

/* Of a tree that is too deep, one directory is an input, which cannot be read; the rest is listed. */
static void test_too_deep_tree(void **state)
{
    (void)state;
    enum { DEPTH = 200, READ = 160 };
    char **paths;
    size_t n, unreadable = 0;
    struct apf_error e;
    make_dir("deep");
    make_deep("deep", DEPTH);
    make("deep/e");
    const char *top = temp_path("deep");
    assert_int_equal(apf_paths_expand(top, NULL, &paths, &n, NULL, &e), APF_OK);
    assert_int_equal(n, READ / 10 + 2);
    for (size_t i = 0; i < n; i++) {
        struct apf_input input = apf_input_found(top, paths[i]);
        struct file_bytes f = {0};
        int code = file_read(&f, &input, UINT64_MAX, &e);
        unreadable += code == APF_IO && e.sys_errno == ENAMETOOLONG;
        assert_true(code == APF_OK || code == APF_IO);
        file_bytes_free(&f);
    }
    assert_int_equal(unreadable, 1);
    apf_paths_free(paths);
    remove_deep("deep", DEPTH);
}

/* ---- links that are put into a tree while it is read ---- */

struct swap {
    const char *dir, *away, *to; /* dir is moved away, and becomes a link */
    unsigned open, calls;        /* open: the one that will fail */
};

/* An apf_name_filter_fn, called while a directory is read. */
static int swap_directory(void *user, struct apf_str name)
{
    struct swap *s = (struct swap *)user;
    (void)name;
    if (s->calls++ == 0) {
        assert_int_equal(rename(temp_path(s->dir), temp_path(s->away)), 0);
        make_link(s->to, s->dir);
    }
    return 1;
}

static void check_swapped(const char *dir, const char *const *names, size_t count)
{
    char **paths;
    size_t n;
    struct swap swap = {dir, "away", temp_path("outside"), 0, 0};
    struct apf_paths_options options = {.size = sizeof options, .include = swap_directory, .user = &swap};
    assert_int_equal(apf_paths_expand(temp_path("tree"), &options, &paths, &n, NULL, NULL), APF_OK);
    assert_true(swap.calls > 0);
    assert_int_equal(n, count);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(paths[i], temp_path(names[i]));
    apf_paths_free(paths);
}

/* A directory becomes a link before it is opened, while it is read, and while one below it is read. */
static void test_swapped_directories(void **state)
{
    (void)state;
    static const char *const dirs[] = {"tree/later", "tree/a", "tree/a/b"};
    static const char *const found[][4] = {
        {"tree/a/1"}, {"tree/a/1", "tree/later/2"}, {"tree/a/b/3", "tree/a/c/4", "tree/later/2"}};
    static const size_t counts[] = {1, 2, 3};
    make_dir("outside");
    make_dir("outside/c");
    make("outside/secret");
    make("outside/c/secret");
    for (size_t i = 0; i < 3; i++) {
        make_dir("tree");
        make_dir("tree/a");
        make_dir("tree/later");
        make("tree/later/2");
        if (i < 2)
            make("tree/a/1");
        if (i == 2) {
            make_dir("tree/a/b");
            make_dir("tree/a/c");
            make("tree/a/b/3");
            make("tree/a/c/4");
        }
        check_swapped(dirs[i], found[i], counts[i]);
        /* Neither does a file that was found lead out of the tree when it is read. */
        struct file_bytes f = {0};
        struct apf_error e;
        char path[4096];
        snprintf(path, sizeof path, "%s", temp_path(dirs[i]));
        snprintf(path + strlen(path), sizeof path - strlen(path), "/secret");
        struct apf_input input = apf_input_file(path);
        assert_int_equal(file_read(&f, &input, UINT64_MAX, &e), APF_OK);
        input.n_directory = strlen(temp_path("tree"));
        assert_int_equal(file_read(&f, &input, UINT64_MAX, &e), APF_IO);
        file_bytes_free(&f);
        assert_int_equal(rename(temp_path("tree"), temp_path(i == 0 ? "old0" : i == 1 ? "old1" : "old2")), 0);
        if (i < 2)
            assert_int_equal(rename(temp_path("away"), temp_path(i == 0 ? "gone0" : "gone1")), 0);
    }
}

/* As swap_directory, but it only moves the directory, makes another in it, and later one open fails. */
static int move_directory(void *user, struct apf_str name)
{
    struct swap *s = (struct swap *)user;
    if (name.n == 1 && ++s->calls == 1)
        assert_int_equal(rename(temp_path(s->dir), temp_path(s->away)), 0);
    if (name.n == 1 && s->calls == 2) {
        make_dir("away/c");
        make("away/c/wrong");
        fault_fail(FAULT_OPEN, s->open, EACCES);
    }
    return 1;
}

/* A directory to which there is no way back: nothing else stands for its name. */
static void test_no_way_back(void **state)
{
    (void)state;
    make_dir("tree");
    make_dir("tree/a");
    make_dir("tree/a/c");
    make("tree/a/c/right");
    make_dir("tree/a/b");
    make("tree/a/b/1");
    make_dir("tree/a/b/d");
    make("tree/a/b/d/2");
    for (unsigned k = 1; k <= 12; k++) {
        char **paths = NULL;
        size_t n = 0;
        struct swap swap = {"tree/a/b", "away", NULL, k, 0};
        struct apf_paths_options options = {.size = sizeof options, .include = move_directory, .user = &swap};
        assert_int_equal(apf_paths_expand(temp_path("tree"), &options, &paths, &n, NULL, NULL), APF_OK);
        bool hit = fault_hit();
        fault_reset();
        assert_int_equal(swap.calls, 2);
        for (size_t i = 0; i < n; i++)
            assert_string_not_equal(paths[i], temp_path("tree/a/c/wrong"));
        if (!hit)
            assert_int_equal(n, 3);
        apf_paths_free(paths);
        assert_int_equal(unlink(temp_path("away/c/wrong")), 0);
        assert_int_equal(rmdir(temp_path("away/c")), 0);
        assert_int_equal(rename(temp_path("away"), temp_path("tree/a/b")), 0);
    }
}

/* A file that was found and became a pipe is not waited for. */
static void test_swapped_for_pipe(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    struct apf_error e;
    make_dir("tree");
    assert_int_equal(mkfifo(temp_path("tree/file"), 0666), 0);
    char *top = file_directory(temp_path("tree/file"));
    struct apf_input input = apf_input_found(top, temp_path("tree/file"));
    alarm(10);
    assert_int_equal(file_read(&f, &input, UINT64_MAX, &e), APF_IO);
    alarm(0);
    assert_int_equal(e.sys_errno, ENXIO);
    file_bytes_free(&f);
    free(top);
}

/* A file that was found and became a link is not read. */
static void test_swapped_file(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    struct apf_error e;
    make_dir("tree");
    make("outside");
    make_link("../outside", "tree/file");
    char *top = file_directory(temp_path("tree/file"));
    struct apf_input input = apf_input_found(top, temp_path("tree/file"));
    assert_int_equal(file_read(&f, &input, UINT64_MAX, &e), APF_IO);
    assert_int_equal(e.sys_errno, ELOOP);
    input.n_directory = 0;
    assert_int_equal(file_read(&f, &input, UINT64_MAX, &e), APF_OK);
    file_bytes_free(&f);
    free(top);
}

TEST_FILE(file_walk_races)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(test_deep_tree),           TEST_WITH_DIR(test_too_deep_tree),
        TEST_WITH_DIR(test_swapped_directories), TEST_WITH_DIR(test_no_way_back),
        TEST_WITH_DIR(test_swapped_file),        TEST_WITH_DIR(test_swapped_for_pipe),
    };
    return RUN_TESTS(tests);
}

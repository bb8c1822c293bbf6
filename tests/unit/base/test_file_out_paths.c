/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof-link-options: -Wl,--wrap=fchmod */
/* Outputs that become files: through links, their permissions, and refused paths. */
#include "helpers/shared/out_path.h"
#include "helpers/shared/unit.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mode_t mode_before_fchmod;

int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);

int __wrap_fchmod(int fd, mode_t mode)
{
    struct stat st;
    if (fstat(fd, &st) == 0)
        mode_before_fchmod = st.st_mode;
    return __real_fchmod(fd, mode);
}

static void check_refused(const char *path, int sys_errno)
{
    struct apf_error e;
    struct file_out *out;
    assert_int_equal(open_path(&out, path, &e), APF_IO);
    assert_int_equal(e.code, APF_IO);
    assert_int_equal(e.sys_errno, sys_errno);
    assert_string_equal(e.where, "output.open");
}

static void test_relative_path(void **state)
{
    (void)state;
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(temp_dir), 0);
    int code = write_path("out", "x", 1, NULL);
    int again = write_path("./out", "y", 1, NULL);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(code, APF_OK);
    assert_int_equal(again, APF_OK);
    assert_true(file_holds(temp_path("out"), "y", 1));
    assert_int_equal(dir_entries(temp_dir), 1);
}

static void test_modes(void **state)
{
    (void)state;
    static const struct {
        mode_t mask;
        unsigned mode;
    } fresh[] = {{022, 0644}, {027, 0640}, {077, 0600}, {0, 0666}};
    const char *path = temp_path("new");
    for (size_t i = 0; i < sizeof fresh / sizeof *fresh; i++) {
        mode_t before = umask(fresh[i].mask);
        int code = write_path(path, "x", 1, NULL);
        umask(before);
        assert_int_equal(code, APF_OK);
        assert_int_equal(file_mode(path), fresh[i].mode);
        assert_int_equal(unlink(path), 0);
    }
    static const struct {
        unsigned old, mode;
    } kept[] = {{0600, 0600}, {0640, 0640}, {0666, 0666}, {0755, 0755}, {0200, 0200}, {06755, 0755}};
    path = temp_path("old");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        file_make(path, "old", 3);
        assert_int_equal(chmod(path, kept[i].old), 0);
        mode_t before = umask(077);
        int code = write_path(path, "x", 1, NULL);
        umask(before);
        assert_int_equal(code, APF_OK);
        assert_int_equal(file_mode(path), kept[i].mode);
        assert_int_equal(unlink(path), 0);
    }
}

/* The file never has more permissions than the old one, also not between its creation and fchmod. */
static void test_private_from_the_start(void **state)
{
    (void)state;
    const char *path = temp_path("secret");
    file_make(path, "x", 1);
    assert_int_equal(chmod(path, 0600), 0);
    mode_before_fchmod = 0;
    mode_t before = umask(0);
    int code = write_path(path, "y", 1, NULL);
    umask(before);
    assert_int_equal(code, APF_OK);
    assert_int_equal(mode_before_fchmod, S_IFREG | 0600);
}

static void test_links_are_followed(void **state)
{
    (void)state;
    assert_int_equal(mkdir(temp_path("a"), 0777), 0);
    assert_int_equal(mkdir(temp_path("b"), 0777), 0);
    file_make(temp_path("b/file"), "old", 3);
    assert_int_equal(chmod(temp_path("b/file"), 0640), 0);
    assert_int_equal(symlink("../b/second", temp_path("a/first")), 0);
    assert_int_equal(symlink("file", temp_path("b/second")), 0);
    assert_int_equal(write_path(temp_path("a/first"), "new", 3, NULL), APF_OK);
    assert_true(is_link(temp_path("a/first")));
    assert_true(is_link(temp_path("b/second")));
    assert_false(is_link(temp_path("b/file")));
    assert_true(file_holds(temp_path("b/file"), "new", 3));
    assert_int_equal(file_mode(temp_path("b/file")), 0640);
    assert_int_equal(dir_entries(temp_path("a")), 1);
    assert_int_equal(dir_entries(temp_path("b")), 2);

    assert_int_equal(symlink(temp_path("b/file"), temp_path("absolute")), 0);
    assert_int_equal(write_path(temp_path("absolute"), "newer", 5, NULL), APF_OK);
    assert_true(is_link(temp_path("absolute")));
    assert_true(file_holds(temp_path("b/file"), "newer", 5));

    /* Through a link to a directory, too. */
    assert_int_equal(symlink("b", temp_path("c")), 0);
    assert_int_equal(write_path(temp_path("c/file"), "newest", 6, NULL), APF_OK);
    assert_true(is_link(temp_path("c")));
    assert_true(file_holds(temp_path("b/file"), "newest", 6));
}

static void test_dangling_links(void **state)
{
    (void)state;
    assert_int_equal(mkdir(temp_path("b"), 0777), 0);
    assert_int_equal(symlink("b/fresh", temp_path("link")), 0);
    struct file_out *out;
    assert_int_equal(open_path(&out, temp_path("link"), NULL), APF_OK);
    assert_int_equal(dir_entries(temp_path("b")), 1); /* the temporary file is beside the target */
    assert_true(file_out_write(out, "x", 1));
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    assert_true(is_link(temp_path("link")));
    assert_true(file_holds(temp_path("b/fresh"), "x", 1));

    /* A chain: none of its links is replaced. */
    assert_int_equal(symlink("two", temp_path("one")), 0);
    assert_int_equal(symlink(temp_path("b/three"), temp_path("two")), 0);
    assert_int_equal(symlink("four", temp_path("b/three")), 0);
    assert_int_equal(write_path(temp_path("one"), "y", 1, NULL), APF_OK);
    assert_true(is_link(temp_path("one")));
    assert_true(is_link(temp_path("two")));
    assert_true(is_link(temp_path("b/three")));
    assert_true(file_holds(temp_path("b/four"), "y", 1));

    assert_int_equal(symlink("missing/file", temp_path("nowhere")), 0);
    check_refused(temp_path("nowhere"), ENOENT);
    assert_int_equal(symlink("loop2", temp_path("loop1")), 0);
    assert_int_equal(symlink("loop1", temp_path("loop2")), 0);
    check_refused(temp_path("loop1"), ELOOP);
    assert_true(is_link(temp_path("loop1")));
    assert_true(is_link(temp_path("loop2")));
}

static void test_long_names(void **state)
{
    (void)state;
    char name[NAME_MAX + 2];
    memset(name, 'n', sizeof name);
    for (size_t n = NAME_MAX - 14; n <= NAME_MAX; n++) {
        name[n] = '\0';
        assert_int_equal(write_path(temp_path(name), name, n, NULL), APF_OK);
        assert_true(file_holds(temp_path(name), name, n));
        name[n] = 'n';
    }
    assert_int_equal(dir_entries(temp_dir), 15);
    name[NAME_MAX + 1] = '\0';
    check_refused(temp_path(name), ENAMETOOLONG);
    assert_int_equal(dir_entries(temp_dir), 15);
}

static void test_refused_paths(void **state)
{
    (void)state;
    check_refused("", ENOENT);
    check_refused(temp_dir, EISDIR);
    check_refused(temp_path("missing/out"), ENOENT);
    check_refused(temp_path("missing/"), ENOENT);
    file_make(temp_path("file"), "x", 1);
    check_refused(temp_path("file/"), ENOTDIR);
    check_refused(temp_path("file/out"), ENOTDIR);
    struct file_out *out;
    assert_int_equal(open_path(&out, "", NULL), APF_IO);
    assert_true(file_holds(temp_path("file"), "x", 1));
    assert_int_equal(dir_entries(temp_dir), 1);
}

static const char *the_path;
static int the_errno;

static void must_be_refused(void)
{
    struct file_out *out;
    struct apf_error e;
    if (open_path(&out, the_path, &e) != APF_IO || e.sys_errno != the_errno)
        _exit(2);
}

static void test_read_only(void **state)
{
    (void)state;
    /* The directory would allow to replace it. */
    file_make(temp_path("file"), "keep", 4);
    assert_int_equal(chmod(temp_path("file"), 0444), 0);
    the_path = temp_path("file");
    the_errno = EACCES;
    as_nobody(must_be_refused);
    assert_true(file_holds(the_path, "keep", 4));
    assert_int_equal(dir_entries(temp_dir), 1);

    assert_int_equal(mkdir(temp_path("closed"), 0555), 0);
    the_path = temp_path("closed/new");
    as_nobody(must_be_refused);
    assert_int_equal(dir_entries(temp_path("closed")), 0);
}

TEST_FILE(file_out_paths)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(test_relative_path),          TEST_WITH_DIR(test_modes),
        TEST_WITH_DIR(test_private_from_the_start), TEST_WITH_DIR(test_links_are_followed),
        TEST_WITH_DIR(test_dangling_links),         TEST_WITH_DIR(test_long_names),
        TEST_WITH_DIR(test_refused_paths),          TEST_WITH_DIR(test_read_only),
    };
    return RUN_TESTS(tests);
}

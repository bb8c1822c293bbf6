/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Identifies files, and removes those that are unchanged. */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_identity.h"

static int setup(void **state)
{
    temp_dir_make(state);
    file_make(temp_path("file"), "abc", 3);
    return 0;
}

static struct file_identity look(const char *name)
{
    struct file_identity id;
    assert_int_equal(file_look(&id, temp_path(name), false), 0);
    return id;
}

static void set_time(const char *name, long seconds, long nanoseconds)
{
    struct timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    assert_int_equal(utimensat(AT_FDCWD, temp_path(name), times, 0), 0);
}

static void test_identity(void **state)
{
    (void)state;
    set_time("file", 1000, 5);
    struct file_identity id = look("file"), other;
    struct stat st;
    assert_int_equal(stat(temp_path("file"), &st), 0);
    assert_true(id.regular);
    assert_int_equal(id.size, 3);
    assert_int_equal(id.inode, st.st_ino);
    assert_int_equal(id.device, st.st_dev);
    assert_int_equal(id.seconds, 1000);
    assert_int_equal(id.nanoseconds, 5);
    assert_true(file_identity_same(&id, &id));

    set_time("file", 1000, 6);
    other = look("file");
    assert_false(file_identity_same(&id, &other));
    set_time("file", 1001, 5);
    other = look("file");
    assert_false(file_identity_same(&id, &other));
    set_time("file", 1000, 5);
    other = look("file");
    assert_true(file_identity_same(&id, &other));
    assert_int_equal(truncate(temp_path("file"), 4), 0);
    set_time("file", 1000, 5);
    other = look("file");
    assert_false(file_identity_same(&id, &other));
    file_make(temp_path("copy"), "abc", 3);
    set_time("copy", 1000, 5);
    other = look("copy");
    assert_false(file_identity_same(&id, &other));
    other = id;
    other.device++;
    assert_false(file_identity_same(&id, &other));

    /* A file that is not regular equals no file, not even itself. */
    assert_int_equal(symlink("file", temp_path("link")), 0);
    other = look("link");
    assert_false(other.regular);
    assert_false(file_identity_same(&other, &other));
    assert_int_equal(file_look(&other, temp_path("link"), true), 0);
    assert_true(other.regular);
    assert_int_equal(file_look(&other, temp_dir, false), 0);
    assert_false(other.regular);
    assert_int_equal(file_look(&other, temp_path("none"), false), ENOENT);
    assert_false(other.regular);
}

static void test_digests(void **state)
{
    static uint8_t bytes[100000];
    static const size_t sizes[] = {0, 1, 240, 241, 32767, 32768, 32769, 65536, sizeof bytes};
    (void)state;
    fill_bytes(bytes, sizeof bytes, 1);
    struct file_digest none = file_digest_bytes(NULL, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct file_digest whole = file_digest_bytes(bytes, sizes[i]), read;
        uint64_t size = 77;
        file_make(temp_path("x"), bytes, sizes[i]);
        int fd = open(temp_path("x"), O_RDWR);
        assert_int_equal(lseek(fd, 0, SEEK_END), sizes[i]); /* from the beginning, wherever it is */
        assert_int_equal(file_digest_fd(&read, &size, fd), 0);
        assert_int_equal(size, sizes[i]);
        assert_true(file_digest_same(&whole, &read));
        assert_true(file_digest_same(&whole, &none) == (sizes[i] == 0));
        close(fd);
    }
    struct file_digest a = {1, 2}, b = {1, 3}, c = {2, 2};
    uint64_t size;
    assert_false(file_digest_same(&a, &b));
    assert_false(file_digest_same(&a, &c));
    /* The numbers of the algorithm do not change: a journal may be read by a later version of the program. */
    assert_int_equal(none.low, 0x6001c324468d497f);
    assert_int_equal(none.high, 0x99aa06d3014798d8);
    int fd = open(temp_dir, O_RDONLY);
    assert_int_equal(file_digest_fd(&a, &size, fd), EISDIR);
    close(fd);
}

static void check_absolute(const char *path, const char *want)
{
    char *got = file_absolute(path);
    assert_non_null(got);
    assert_string_equal(got, want);
    free(got);
}

static void test_paths(void **state)
{
    char before[PATH_MAX], real[PATH_MAX], want[2 * PATH_MAX];
    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(realpath(temp_dir, real));
    assert_int_equal(mkdir(temp_path("sub"), 0777), 0);
    assert_int_equal(symlink("sub", temp_path("link")), 0);
    assert_int_equal(symlink("nowhere", temp_path("dangling")), 0);
    assert_int_equal(chdir(temp_dir), 0);
    strcpy(want, real);
    strcat(want, "/file");
    check_absolute("file", want);
    check_absolute("./file", want);
    check_absolute("sub/../file", want);
    check_absolute("link/../file", want); /* of the directory, as the system sees it */
    strcpy(want, real);
    strcat(want, "/sub/none");
    check_absolute("link/none", want);
    strcpy(want, real);
    strcat(want, "/dangling"); /* the last part stays as it is */
    check_absolute("dangling", want);
    check_absolute("/none", "/none");
    assert_null(file_absolute("none/file"));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(chdir(before), 0);

    static const char *const rows[][2] = {{"a", "."}, {"a/b", "a/"}, {"/a", "/"}, {"/a/b", "/a/"}, {"", "."}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *got = file_directory(rows[i][0]);
        assert_string_equal(got, rows[i][1]);
        free(got);
    }
}

static void check_removal(const char *name, const struct file_identity *id, enum file_removal want,
                          int want_errno)
{
    int sys_errno = 77;
    assert_int_equal(file_remove(temp_path(name), id, &sys_errno), want);
    assert_int_equal(sys_errno, want_errno);
}

static void test_removal(void **state)
{
    (void)state;
    struct file_identity id = look("file"), other = id;
    other.nanoseconds++;
    check_removal("file", &other, FILE_CHANGED, 0);
    assert_int_equal(link(temp_path("file"), temp_path("hard")), 0);
    assert_int_equal(symlink("file", temp_path("link")), 0);
    check_removal("link", &id, FILE_LINK, 0);
    assert_int_equal(mkdir(temp_path("sub"), 0777), 0);
    check_removal("sub", &id, FILE_LINK, 0);
    check_removal("file", &id, FILE_REMOVED, 0);
    check_removal("file", &id, FILE_GONE, ENOENT);
    check_removal("hard/below", &id, FILE_GONE, ENOTDIR);
    check_removal("hard", &id, FILE_REMOVED, 0);
    assert_int_equal(dir_entries(temp_dir), 2);
    char name[NAME_MAX + 2];
    memset(name, 'n', sizeof name);
    name[NAME_MAX + 1] = '\0';
    check_removal(name, &id, FILE_KEPT, ENAMETOOLONG);
}

static void test_sync(void **state)
{
    (void)state;
    assert_int_equal(file_sync_directory(temp_path("file")), 0);
    assert_int_equal(file_sync_directory("file"), 0);
    assert_int_equal(file_sync_directory("/"), 0);
    assert_int_equal(file_sync_directory(temp_path("none/file")), ENOENT);
    assert_int_equal(file_sync_directory(temp_path("file/below")), ENOTDIR);
    assert_int_equal(file_sync(temp_path("file")), 0);
    assert_int_equal(file_sync(temp_path("none")), ENOENT);
}

TEST_FILE(file_identity)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_identity, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_digests, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_paths, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_removal, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_sync, setup, temp_dir_remove),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof-link-options: -Wl,--wrap=open,--wrap=open64 */
/* Outputs in directories that others can write to, and over files that belong to others. */
#define _DEFAULT_SOURCE 1 /* setgroups */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <anyprof/io.h>

#define OWNER 54321
#define GROUP 12345
#define NOBODY 65534

static char victim[600]; /* an attacker makes the next temporary file a link to this path; "": no attack */
static unsigned planted;

int __real_open(const char *path, int flags, ...);
int __real_open64(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

/* An attacker knows the name of the temporary file, and is faster. */
static void plant(const char *path, int flags)
{
    if (!(flags & O_CREAT) || !*victim || planted == 3)
        return;
    planted++;
    (void)unlink(
        path); /* a link of an earlier output: names come again where memory does, as with ThreadSanitizer */
    assert_int_equal(symlink(victim, path), 0);
}

static unsigned mode_of(va_list args, int flags)
{
    return flags & O_CREAT ? va_arg(args, unsigned) : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    unsigned mode = mode_of(args, flags);
    va_end(args);
    plant(path, flags);
    return __real_open(path, flags, mode);
}

int __wrap_open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    unsigned mode = mode_of(args, flags);
    va_end(args);
    plant(path, flags);
    return __real_open64(path, flags, mode);
}

static int write_path(const char *path, const char *text)
{
    struct apf_output output = apf_output_file(path);
    return apf_output_write(&output, text, strlen(text), NULL);
}

/* A link under the temporary file's name is never written through, and never takes the output's place. */
static void test_planted_links(void **state)
{
    (void)state;
    struct stat st;
    file_make(temp_path("victim"), "precious", 8);
    static const char *const to[] = {"victim", "new"}; /* an existing target, and a missing one */
    for (size_t i = 0; i < COUNT(to); i++) {
        strcpy(victim, temp_path(to[i]));
        planted = 0;
        assert_int_equal(write_path(temp_path("out"), "profile"), APF_OK);
        assert_int_equal(planted, 3);
        assert_true(file_holds(temp_path("victim"), "precious", 8));
        assert_int_equal(lstat(temp_path("new"), &st), -1);
        assert_int_equal(lstat(temp_path("out"), &st), 0);
        assert_true(S_ISREG(st.st_mode));
        assert_true(file_holds(temp_path("out"), "profile", 7));
        assert_int_equal(unlink(temp_path("out")), 0);
    }
    victim[0] = '\0';
}

static void check_owner(const char *path, unsigned owner, unsigned group, unsigned mode)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_uid, owner);
    assert_int_equal(st.st_gid, group);
    assert_int_equal(st.st_mode & 07777, mode);
}

static bool is_root(void)
{
    if (geteuid() == 0)
        return true;
    print_message("skipped: not root, owners cannot be changed\n");
    return false;
}

static void test_owner_is_kept(void **state)
{
    (void)state;
    const char *path = temp_path("out");
    if (!is_root())
        skip();
    file_make(path, "old", 3);
    assert_int_equal(chmod(path, 0664), 0);
    assert_int_equal(chown(path, OWNER, GROUP), 0);
    assert_int_equal(write_path(path, "new"), APF_OK);
    assert_true(file_holds(path, "new", 3));
    check_owner(path, OWNER, GROUP, 0664);
}

/* A process of another user, and in `group` beside its own (0: in none), writes the file. */
static void write_as_nobody(const char *path, gid_t group)
{
    int status;
    assert_int_equal(chmod(temp_dir, 0777), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (setgroups(group != 0, &group) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(1);
        _exit(write_path(path, "new") == APF_OK ? 0 : 2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void test_group(void **state)
{
    (void)state;
    static const struct {
        gid_t group; /* of the process */
        unsigned owner, mode, new_group, new_mode;
    } rows[] = {
        {GROUP, OWNER, 0666, GROUP, 0666},
        {GROUP, OWNER, 0660, GROUP, 0660},
        /* The group cannot be kept: its permissions become those of all others. */
        {0, NOBODY, 0664, NOBODY, 0644},
        {0, NOBODY, 0660, NOBODY, 0600},
        {0, NOBODY, 0646, NOBODY, 0646},
        {0, OWNER, 0676, NOBODY, 0666},
    };
    const char *path = temp_path("out");
    if (!is_root())
        skip();
    for (size_t i = 0; i < COUNT(rows); i++) {
        file_make(path, "old", 3);
        assert_int_equal(chown(path, rows[i].owner, GROUP), 0);
        assert_int_equal(chmod(path, rows[i].mode), 0);
        write_as_nobody(path, rows[i].group);
        assert_true(file_holds(path, "new", 3));
        check_owner(path, NOBODY, rows[i].new_group, rows[i].new_mode);
        assert_int_equal(unlink(path), 0);
    }
}

/* It is a new file: other names of the old one keep that. */
static void test_hard_links(void **state)
{
    (void)state;
    file_make(temp_path("out"), "old", 3);
    assert_int_equal(link(temp_path("out"), temp_path("other")), 0);
    assert_int_equal(write_path(temp_path("out"), "new"), APF_OK);
    assert_true(file_holds(temp_path("out"), "new", 3));
    assert_true(file_holds(temp_path("other"), "old", 3));
}

TEST_FILE(file_out_owner)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(test_planted_links),
        TEST_WITH_DIR(test_owner_is_kept),
        TEST_WITH_DIR(test_group),
        TEST_WITH_DIR(test_hard_links),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof-link-options: -Wl,--wrap=fchmod,--wrap=fsync,--wrap=rename */
/* Outputs: what is at the path before, during and after writing. test_file_faults.c has the calls that fail. */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

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

/* What was made to last, and when the file took its name: f a file, d a directory, r the renaming. */
static char order[16];
static int fail_sync;  /* the errno of fsync for ... */
static char fail_kind; /* ... f or d */

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

static void note(char c)
{
    size_t n = strlen(order);
    if (n + 1 < sizeof order)
        order[n] = c;
}

int __wrap_fsync(int fd)
{
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    char kind = S_ISDIR(st.st_mode) ? 'd' : 'f';
    note(kind);
    if (kind != fail_kind)
        return __real_fsync(fd);
    errno = fail_sync;
    return -1;
}

int __wrap_rename(const char *from, const char *to)
{
    note('r');
    return __real_rename(from, to);
}

static int setup(void **state)
{
    temp_dir_make(state);
    memset(order, 0, sizeof order);
    fail_kind = 0;
    return 0;
}

static int open_out(struct file_out **out, const char *path, struct apf_error *e)
{
    struct apf_output output = {path, NULL, NULL, 0};
    return file_out_open(out, &output, e);
}

static int write_path(const char *path, const void *p, size_t n, struct apf_error *e)
{
    struct file_out *out;
    int code = open_out(&out, path, e);
    if (code != APF_OK)
        return code;
    file_out_write(out, p, n);
    return file_out_close(out, true, e);
}

static void check_refused(const char *path, int sys_errno)
{
    struct apf_error e;
    struct file_out *out;
    assert_int_equal(open_out(&out, path, &e), APF_IO);
    assert_int_equal(e.code, APF_IO);
    assert_int_equal(e.sys_errno, sys_errno);
    assert_string_equal(e.where, "output.open");
}

static bool is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static void test_new_file(void **state)
{
    (void)state;
    size_t open_before = open_files();
    struct file_out *out;
    const char *path = temp_path("out");
    assert_int_equal(open_out(&out, path, NULL), APF_OK);
    assert_true(file_out_write(out, "hello ", 6));
    assert_true(file_out_write(out, NULL, 0));
    assert_true(file_out_write(out, "world", 5));
    assert_int_equal(access(path, F_OK), -1); /* not before it is complete */
    assert_int_equal(dir_entries(temp_dir), 1);
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    assert_true(file_holds(path, "hello world", 11));
    assert_int_equal(dir_entries(temp_dir), 1);
    assert_int_equal(open_files(), open_before);

    assert_int_equal(write_path(temp_path("empty"), NULL, 0, NULL), APF_OK);
    assert_true(file_holds(temp_path("empty"), NULL, 0));
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

/* Sizes around those of the buffer, in pieces of many sizes. */
static void test_pieces(void **state)
{
    (void)state;
    static uint8_t bytes[400000];
    static const size_t totals[] = {1, 65535, 65536, 65537, 131072, 131073, sizeof bytes};
    static const size_t pieces[] = {1, 1000, 65535, 65536, 65537, sizeof bytes, 0};
    fill_bytes(bytes, sizeof bytes, 1);
    const char *path = temp_path("out");
    for (size_t t = 0; t < sizeof totals / sizeof *totals; t++) {
        for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
            struct file_out *out;
            uint64_t random = p;
            assert_int_equal(open_out(&out, path, NULL), APF_OK);
            for (size_t done = 0; done < totals[t];) {
                size_t n = pieces[p] ? pieces[p] : (size_t)(next_random(&random) % 100000);
                if (n > totals[t] - done)
                    n = totals[t] - done;
                assert_true(file_out_write(out, bytes + done, n));
                done += n;
            }
            assert_int_equal(file_out_close(out, true, NULL), APF_OK);
            assert_true(file_holds(path, bytes, totals[t]));
        }
    }
    assert_int_equal(dir_entries(temp_dir), 1);
}

static void test_old_file_until_the_end(void **state)
{
    (void)state;
    struct file_out *out;
    static uint8_t bytes[200000];
    const char *path = temp_path("out");
    file_make(path, "old", 3);
    int reader = open(path, O_RDONLY);
    assert_int_equal(open_out(&out, path, NULL), APF_OK);
    assert_true(file_out_write(out, bytes, sizeof bytes));
    assert_true(file_holds(path, "old", 3));
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    assert_true(file_holds(path, bytes, sizeof bytes));
    char old[4];
    assert_int_equal(read(reader, old, sizeof old), 3); /* who has it open keeps the whole old file */
    assert_memory_equal(old, "old", 3);
    close(reader);
    assert_int_equal(dir_entries(temp_dir), 1);
}

static void test_not_kept(void **state)
{
    (void)state;
    struct file_out *out;
    struct apf_error e;
    static uint8_t bytes[200000];
    size_t open_before = open_files();
    assert_int_equal(open_out(&out, temp_path("new"), NULL), APF_OK);
    file_out_write(out, bytes, sizeof bytes);
    assert_int_equal(dir_entries(temp_dir), 1);
    assert_int_equal(file_out_close(out, false, &e), APF_OK);
    assert_int_equal(dir_entries(temp_dir), 0);

    file_make(temp_path("old"), "old", 3);
    assert_int_equal(open_out(&out, temp_path("old"), NULL), APF_OK);
    file_out_write(out, bytes, sizeof bytes);
    assert_int_equal(file_out_close(out, false, NULL), APF_OK);
    assert_true(file_holds(temp_path("old"), "old", 3));
    assert_int_equal(dir_entries(temp_dir), 1);
    assert_int_equal(open_files(), open_before);
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

/* The file is never open to more people than the old one, also not between its creation and fchmod. */
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
    assert_int_equal(open_out(&out, temp_path("link"), NULL), APF_OK);
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
    assert_int_equal(open_out(&out, "", NULL), APF_IO);
    assert_true(file_holds(temp_path("file"), "x", 1));
    assert_int_equal(dir_entries(temp_dir), 1);
}

static const char *the_path;
static int the_errno;

static void must_be_refused(void)
{
    struct file_out *out;
    struct apf_error e;
    if (open_out(&out, the_path, &e) != APF_IO || e.sys_errno != the_errno)
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

static void test_devices(void **state)
{
    (void)state;
    static uint8_t bytes[200000];
    assert_int_equal(write_path("/dev/null", bytes, sizeof bytes, NULL), APF_OK);
    struct stat st;
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(symlink("/dev/null", temp_path("null")), 0);
    assert_int_equal(write_path(temp_path("null"), bytes, sizeof bytes, NULL), APF_OK);
    assert_true(is_link(temp_path("null")));
    assert_int_equal(dir_entries(temp_dir), 1);
}

static void test_full_device(void **state)
{
    (void)state;
    static uint8_t bytes[200000];
    assert_int_equal(symlink("/dev/full", temp_path("full")), 0);
    static const size_t sizes[] = {1, 65536, sizeof bytes};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct apf_error e;
        struct file_out *out;
        assert_int_equal(open_out(&out, temp_path("full"), &e), APF_OK);
        assert_int_equal(file_out_write(out, bytes, sizes[i]),
                         sizes[i] < 65536); /* what is small is buffered */
        file_out_write(out, "more", 4);
        assert_int_equal(file_out_close(out, true, &e), APF_IO);
        assert_int_equal(e.code, APF_IO);
        assert_int_equal(e.sys_errno, ENOSPC);
        assert_string_equal(e.where, "output.write");
        assert_string_equal(e.message, "No space left on device");
        assert_int_equal(dir_entries(temp_dir), 1);
        assert_int_equal(open_out(&out, temp_path("full"), &e), APF_OK);
        file_out_write(out, bytes, sizes[i]);
        assert_int_equal(file_out_close(out, false, &e), APF_OK);
    }
    assert_true(is_link(temp_path("full")));
}

/* A file system that takes no more: the real thing for regular files that needs no privilege. */
static void test_file_size_limit(void **state)
{
    (void)state;
    static uint8_t bytes[300000];
    struct rlimit old, small;
    struct apf_error e;
    file_make(temp_path("out"), "old", 3);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 100000;
    struct sigaction ignore, before;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    assert_int_equal(sigaction(SIGXFSZ, &ignore, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int code = write_path(temp_path("out"), bytes, sizeof bytes, &e);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(sigaction(SIGXFSZ, &before, NULL), 0);
    assert_int_equal(code, APF_IO);
    assert_int_equal(e.sys_errno, EFBIG);
    assert_true(file_holds(temp_path("out"), "old", 3));
    assert_int_equal(dir_entries(temp_dir), 1);
}

static void test_fifo(void **state)
{
    (void)state;
    const char *path = temp_path("fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(write_path(path, "through", 7, NULL), APF_OK);
    char got[16];
    assert_int_equal(read(reader, got, sizeof got), 7);
    assert_memory_equal(got, "through", 7);
    close(reader);
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    assert_int_equal(dir_entries(temp_dir), 1);
}

static void test_standard_output(void **state)
{
    (void)state;
    struct file_out *out;
    int fd = open(temp_path("stdout"), O_WRONLY | O_CREAT | O_TRUNC, 0600), saved = dup(STDOUT_FILENO);
    assert_true(fd >= 0 && saved >= 0);
    assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
    int opened = open_out(&out, "-", NULL);
    bool wrote = opened == APF_OK && file_out_write(out, "one", 3);
    int closed = opened == APF_OK ? file_out_close(out, true, NULL) : opened;
    int dropped = open_out(&out, "-", NULL);
    if (dropped == APF_OK) {
        file_out_write(out, "two", 3); /* still in the buffer */
        dropped = file_out_close(out, false, NULL);
    }
    ssize_t after = write(STDOUT_FILENO, "!", 1); /* it is not ours to close */
    assert_int_equal(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
    close(saved);
    close(fd);
    assert_int_equal(opened, APF_OK);
    assert_true(wrote);
    assert_int_equal(closed, APF_OK);
    assert_int_equal(dropped, APF_OK);
    assert_int_equal(after, 1);
    assert_true(file_holds(temp_path("stdout"), "one!", 4));
    assert_int_equal(dir_entries(temp_dir), 1); /* and no file named - */
    assert_int_equal(access("-", F_OK), -1);
}

static void test_output_is_input(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    struct file_out *out;
    static uint8_t bytes[100000], twice[200000];
    fill_bytes(bytes, sizeof bytes, 5);
    memcpy(twice, bytes, sizeof bytes);
    memcpy(twice + sizeof bytes, bytes, sizeof bytes);
    const char *path = temp_path("both");
    file_make(path, bytes, sizeof bytes);
    struct apf_input input = {path, NULL, 0, NULL, 0};
    assert_int_equal(open_out(&out, path, NULL), APF_OK); /* opened first: the input is still whole */
    assert_int_equal(file_read(&f, &input, UINT64_MAX, NULL), APF_OK);
    assert_int_equal(f.n, sizeof bytes);
    assert_true(file_out_write(out, f.data, f.n));
    assert_true(file_out_write(out, f.data, f.n));
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    assert_true(file_holds(path, twice, sizeof twice));
    file_bytes_free(&f);
}

static int write_synced(const char *path, struct apf_error *e)
{
    struct apf_output output = {path, NULL, NULL, APF_OUTPUT_SYNC};
    struct file_out *out;
    int code = file_out_open(&out, &output, e);
    if (code != APF_OK)
        return code;
    file_out_write(out, "bytes", 5);
    return file_out_close(out, true, e);
}

static void test_sync(void **state)
{
    (void)state;
    struct apf_error e;
    const char *path = temp_path("out");
    assert_int_equal(write_path(path, "old", 3, NULL), APF_OK);
    assert_string_equal(order, "r");
    memset(order, 0, sizeof order);
    assert_int_equal(write_synced(path, &e), APF_OK);
    assert_string_equal(order, "frd");
    assert_true(file_holds(path, "bytes", 5));
    /* File systems that cannot make directories last need not. */
    fail_kind = 'd';
    fail_sync = EINVAL;
    assert_int_equal(write_synced(path, &e), APF_OK);

    assert_int_equal(write_path(path, "old", 3, NULL), APF_OK);
    fail_sync = EIO;
    assert_int_equal(write_synced(path, &e), APF_IO);
    assert_string_equal(e.where, "output.sync"); /* behind the renaming */
    assert_int_equal(e.sys_errno, EIO);
    assert_true(file_holds(path, "bytes", 5));
    fail_kind = 'f';
    assert_int_equal(write_path(path, "old", 3, NULL), APF_OK);
    assert_int_equal(write_synced(path, &e), APF_IO);
    assert_string_equal(e.where, "output.write");
    assert_true(file_holds(path, "old", 3));
    assert_int_equal(dir_entries(temp_dir), 1);
    /* What is written directly is not synchronised. */
    assert_int_equal(write_synced("/dev/null", &e), APF_OK);
}

/* Sealed, its bytes and their digest are settled, and it has no name yet. */
static void test_seal(void **state)
{
    (void)state;
    struct apf_output output = {temp_path("out"), NULL, NULL, APF_OUTPUT_SYNC};
    static uint8_t bytes[200000];
    struct file_out *out;
    struct apf_error e;
    fill_bytes(bytes, sizeof bytes, 8);
    struct file_digest want = file_digest_bytes(bytes, sizeof bytes), digest;
    for (int keep = 0; keep < 2; keep++) {
        uint64_t size = 0;
        assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
        for (size_t i = 0; i < sizeof bytes; i += 1000)
            assert_true(file_out_write(out, bytes + i, 1000));
        assert_int_equal(file_out_seal(out, &size, &digest, NULL), APF_OK);
        assert_string_equal(order, "f");
        assert_int_equal(size, sizeof bytes);
        assert_true(file_digest_same(&digest, &want));
        assert_int_equal(access(output.path, F_OK), -1);
        assert_int_equal(file_out_close(out, keep, NULL), APF_OK);
        assert_string_equal(order, keep ? "frd" : "f");
        memset(order, 0, sizeof order);
    }
    assert_true(file_holds(output.path, bytes, sizeof bytes));
    fail_kind = 'f';
    fail_sync = ENOSPC;
    uint64_t size;
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    assert_int_equal(file_out_seal(out, &size, &digest, &e), APF_IO);
    assert_int_equal(e.sys_errno, ENOSPC);
    assert_int_equal(file_out_close(out, false, NULL), APF_OK);
    assert_true(file_holds(output.path, bytes, sizeof bytes));
}

static void test_two_at_once(void **state)
{
    (void)state;
    struct file_out *a, *b;
    const char *path = temp_path("out");
    assert_int_equal(open_out(&a, path, NULL), APF_OK);
    assert_int_equal(open_out(&b, path, NULL), APF_OK);
    assert_int_equal(dir_entries(temp_dir), 2);
    assert_true(file_out_write(a, "aaa", 3));
    assert_true(file_out_write(b, "b", 1));
    assert_int_equal(file_out_close(b, true, NULL), APF_OK);
    assert_true(file_holds(path, "b", 1));
    assert_int_equal(file_out_close(a, true, NULL), APF_OK);
    assert_true(file_holds(path, "aaa", 3)); /* the last one, whole */
    assert_int_equal(dir_entries(temp_dir), 1);
}

struct taker {
    struct apf_buffer got;
    unsigned calls, fail_at;
};

static int take(void *user, const void *p, size_t n)
{
    struct taker *t = (struct taker *)user;
    if (++t->calls == t->fail_at)
        return 77;
    return apf_buffer_write(&t->got, p, n);
}

static void test_callback(void **state)
{
    (void)state;
    struct taker t = {{NULL, 0, 0}, 0, 0};
    struct apf_output output = {NULL, take, &t, 0};
    struct file_out *out;
    static uint8_t bytes[300000];
    fill_bytes(bytes, sizeof bytes, 6);
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    for (size_t i = 0; i < sizeof bytes; i += 1000)
        assert_true(file_out_write(out, bytes + i, 1000));
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    assert_int_equal(t.got.n, sizeof bytes);
    assert_memory_equal(t.got.data, bytes, sizeof bytes);
    assert_in_range(t.calls, 5, 6); /* buffered */
    apf_buffer_free(&t.got);

    /* Nothing written: not called. */
    t.calls = 0;
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    assert_int_equal(t.calls, 0);
}

static void test_callback_fails(void **state)
{
    (void)state;
    static uint8_t bytes[65536];
    for (unsigned k = 1; k <= 3; k++) {
        struct taker t = {{NULL, 0, 0}, 0, k};
        struct apf_output output = {NULL, take, &t, 0};
        struct file_out *out;
        struct apf_error e;
        assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
        for (unsigned i = 1; i <= 5; i++)
            assert_int_equal(file_out_write(out, bytes, sizeof bytes), i < k);
        assert_false(file_out_write(out, "x", 1));
        assert_false(file_out_write(out, "", 0));
        assert_int_equal(file_out_close(out, true, &e), APF_IO);
        assert_int_equal(e.sys_errno, 77);
        assert_string_equal(e.where, "output.write");
        assert_int_equal(t.calls, k); /* never asked again */
        assert_int_equal(t.got.n, (k - 1) * sizeof bytes);
        apf_buffer_free(&t.got);
    }
    /* The failure comes with the last bytes, from the buffer; or not at all when nobody wants them. */
    for (int keep = 0; keep <= 1; keep++) {
        struct taker t = {{NULL, 0, 0}, 0, 1};
        struct apf_output output = {NULL, take, &t, 0};
        struct file_out *out;
        assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
        assert_true(file_out_write(out, "small", 5));
        assert_int_equal(file_out_close(out, keep, NULL), keep ? APF_IO : APF_OK);
        assert_int_equal(t.calls, keep);
    }
}

/* The same in one call, for what is in memory already. */
static void test_written_at_once(void **state)
{
    (void)state;
    struct taker t = {{NULL, 0, 0}, 0, 1};
    struct apf_output output = {temp_path("out"), NULL, NULL, 0}, taker = {NULL, take, &t, 0};
    struct apf_error e;
    assert_int_equal(apf_output_write(&output, "first", 5, &e), APF_OK);
    assert_true(file_holds(output.path, "first", 5));
    assert_int_equal(apf_output_write(&output, NULL, 0, &e), APF_OK);
    assert_true(file_holds(output.path, "", 0));
    output.path = temp_path("none/out");
    assert_int_equal(apf_output_write(&output, "x", 1, &e), APF_IO);
    assert_int_equal(e.sys_errno, ENOENT);
    assert_string_equal(e.where, "output.open");
    assert_int_equal(apf_output_write(&taker, "x", 1, &e), APF_IO);
    assert_int_equal(e.sys_errno, 77);
    assert_int_equal(dir_entries(temp_dir), 1);
}

static void test_buffer(void **state)
{
    (void)state;
    struct apf_buffer b = {NULL, 0, 0};
    static uint8_t bytes[100000];
    fill_bytes(bytes, sizeof bytes, 8);
    assert_int_equal(apf_buffer_write(&b, NULL, 0), 0);
    assert_null(b.data);
    size_t done = 0;
    for (size_t n = 0; done + n <= sizeof bytes; done += n, n++)
        assert_int_equal(apf_buffer_write(&b, bytes + done, n), 0);
    assert_int_equal(b.n, done);
    assert_memory_equal(b.data, bytes, done);
    assert_in_range(b.capacity, b.n, 2 * b.n);
    volatile size_t most = SIZE_MAX; /* volatile: the compiler would warn of such a size */
    assert_int_equal(apf_buffer_write(&b, NULL, most), ENOMEM);
    assert_int_equal(apf_buffer_write(&b, NULL, most - done + 1), ENOMEM); /* the sum wraps to 0 */
    assert_int_equal(b.n, done);
    assert_memory_equal(b.data, bytes, done);
    apf_buffer_free(&b);
    assert_null(b.data);
    assert_int_equal(b.n, 0);
    assert_int_equal(b.capacity, 0);
    apf_buffer_free(&b);
    apf_buffer_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_new_file, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_relative_path, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_pieces, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_old_file_until_the_end, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_not_kept, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_modes, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_private_from_the_start, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_links_are_followed, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_dangling_links, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_long_names, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_refused_paths, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_read_only, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_devices, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_full_device, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_file_size_limit, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_fifo, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_standard_output, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_output_is_input, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_sync, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_seal, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_two_at_once, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_callback, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_callback_fails, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_written_at_once, setup, temp_dir_remove),
        cmocka_unit_test(test_buffer),
    };
    return RUN_TESTS(tests);
}

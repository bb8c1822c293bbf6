/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof-link-options: -Wl,--wrap=fsync,--wrap=rename */
/* Outputs that become files: the file at the path before, during and after writing. test_file_out_paths.c tests which
 * path that is, test_file_out_direct.c outputs that are written directly, test_file_faults.c failing calls. */
#include "helpers/shared/out_path.h"
#include "helpers/shared/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The order of synchronising and renaming: f a file, d a directory, r the renaming. */
static char order[16];
static int fail_sync;  /* the errno of fsync for ... */
static char fail_kind; /* ... f or d */

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

static void record_step(char c)
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
    record_step(kind);
    if (kind != fail_kind)
        return __real_fsync(fd);
    errno = fail_sync;
    return -1;
}

int __wrap_rename(const char *from, const char *to)
{
    record_step('r');
    return __real_rename(from, to);
}

static int setup(void **state)
{
    temp_dir_make(state);
    memset(order, 0, sizeof order);
    fail_kind = 0;
    return 0;
}

static void test_new_file(void **state)
{
    (void)state;
    size_t open_before = open_files();
    struct file_out *out;
    const char *path = temp_path("out");
    assert_int_equal(open_path(&out, path, NULL), APF_OK);
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
            assert_int_equal(open_path(&out, path, NULL), APF_OK);
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
    assert_int_equal(open_path(&out, path, NULL), APF_OK);
    assert_true(file_out_write(out, bytes, sizeof bytes));
    assert_true(file_holds(path, "old", 3));
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    assert_true(file_holds(path, bytes, sizeof bytes));
    char old[4];
    assert_int_equal(read(reader, old, sizeof old), 3); /* an open descriptor keeps the whole old file */
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
    assert_int_equal(open_path(&out, temp_path("new"), NULL), APF_OK);
    file_out_write(out, bytes, sizeof bytes);
    assert_int_equal(dir_entries(temp_dir), 1);
    assert_int_equal(file_out_close(out, false, &e), APF_OK);
    assert_int_equal(dir_entries(temp_dir), 0);

    file_make(temp_path("old"), "old", 3);
    assert_int_equal(open_path(&out, temp_path("old"), NULL), APF_OK);
    file_out_write(out, bytes, sizeof bytes);
    assert_int_equal(file_out_close(out, false, NULL), APF_OK);
    assert_true(file_holds(temp_path("old"), "old", 3));
    assert_int_equal(dir_entries(temp_dir), 1);
    assert_int_equal(open_files(), open_before);
}

/* A full file system: a real failure for regular files that needs no privilege. */
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
    struct apf_input input = apf_input_file(path);
    assert_int_equal(open_path(&out, path, NULL), APF_OK); /* opened first: the input is still whole */
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
    struct apf_output output = {.size = sizeof(struct apf_output), .path = path, .flags = APF_OUTPUT_SYNC};
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
    assert_string_equal(e.where, "output.sync"); /* after the renaming */
    assert_int_equal(e.sys_errno, EIO);
    assert_true(file_holds(path, "bytes", 5));
    fail_kind = 'f';
    assert_int_equal(write_path(path, "old", 3, NULL), APF_OK);
    assert_int_equal(write_synced(path, &e), APF_IO);
    assert_string_equal(e.where, "output.write");
    assert_true(file_holds(path, "old", 3));
    assert_int_equal(dir_entries(temp_dir), 1);
    /* Direct outputs are not synchronised. */
    assert_int_equal(write_synced("/dev/null", &e), APF_OK);
}

/* Sealed, its bytes and their digest are settled, and it has no name yet. */
static void test_seal(void **state)
{
    (void)state;
    struct apf_output output = {
        .size = sizeof(struct apf_output), .path = temp_path("out"), .flags = APF_OUTPUT_SYNC};
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
    assert_int_equal(open_path(&a, path, NULL), APF_OK);
    assert_int_equal(open_path(&b, path, NULL), APF_OK);
    assert_int_equal(dir_entries(temp_dir), 2);
    assert_true(file_out_write(a, "aaa", 3));
    assert_true(file_out_write(b, "b", 1));
    assert_int_equal(file_out_close(b, true, NULL), APF_OK);
    assert_true(file_holds(path, "b", 1));
    assert_int_equal(file_out_close(a, true, NULL), APF_OK);
    assert_true(file_holds(path, "aaa", 3)); /* the last one, whole */
    assert_int_equal(dir_entries(temp_dir), 1);
}

TEST_FILE(file_out)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_new_file, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_pieces, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_old_file_until_the_end, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_not_kept, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_file_size_limit, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_output_is_input, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_sync, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_seal, setup, temp_dir_remove),
        cmocka_unit_test_setup_teardown(test_two_at_once, setup, temp_dir_remove),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outputs that are written directly: devices, pipes, standard output, callbacks. */
#include "helpers/shared/out_path.h"
#include "helpers/shared/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
        assert_int_equal(open_path(&out, temp_path("full"), &e), APF_OK);
        assert_int_equal(file_out_write(out, bytes, sizes[i]),
                         sizes[i] < 65536); /* what is small is buffered */
        file_out_write(out, "more", 4);
        assert_int_equal(file_out_close(out, true, &e), APF_IO);
        assert_int_equal(e.code, APF_IO);
        assert_int_equal(e.sys_errno, ENOSPC);
        assert_string_equal(e.where, "output.write");
        assert_string_equal(e.message, "No space left on device");
        assert_int_equal(dir_entries(temp_dir), 1);
        assert_int_equal(open_path(&out, temp_path("full"), &e), APF_OK);
        file_out_write(out, bytes, sizes[i]);
        assert_int_equal(file_out_close(out, false, &e), APF_OK);
    }
    assert_true(is_link(temp_path("full")));
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
    int opened = open_path(&out, "-", NULL);
    bool wrote = opened == APF_OK && file_out_write(out, "one", 3);
    int closed = opened == APF_OK ? file_out_close(out, true, NULL) : opened;
    int dropped = open_path(&out, "-", NULL);
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

struct taker {
    struct apf_buffer got;
    unsigned calls, fail_at;
};

static int append_output(void *user, const void *p, size_t n)
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
    struct apf_output output = apf_output_callback(append_output, &t);
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
        struct apf_output output = apf_output_callback(append_output, &t);
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
    /* The failure comes with the last bytes, from the buffer, or not at all if the output is discarded. */
    for (int keep = 0; keep <= 1; keep++) {
        struct taker t = {{NULL, 0, 0}, 0, 1};
        struct apf_output output = apf_output_callback(append_output, &t);
        struct file_out *out;
        assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
        assert_true(file_out_write(out, "small", 5));
        assert_int_equal(file_out_close(out, keep, NULL), keep ? APF_IO : APF_OK);
        assert_int_equal(t.calls, keep);
    }
}

/* One call writes bytes that are in memory. */
static void test_written_at_once(void **state)
{
    (void)state;
    struct taker t = {{NULL, 0, 0}, 0, 1};
    struct apf_output output = apf_output_file(temp_path("out")),
                      taker = apf_output_callback(append_output, &t);
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

/* The position is the number of bytes, whether they were buffered, written at once, or stored in place. */
static void test_position(void **state)
{
    (void)state;
    static uint8_t bytes[3 * FILE_OUT_BUFFER];
    struct file_out *out;
    uint64_t expected = 0;
    assert_int_equal(open_path(&out, "/dev/null", NULL), APF_OK);
    assert_int_equal(file_out_position(out), 0);
    static const size_t sizes[] = {0, 1, FILE_OUT_BUFFER - 2, 1, 5, sizeof bytes, FILE_OUT_BUFFER, 7};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        assert_true(file_out_write(out, bytes, sizes[i]));
        file_out_room(out, 1000)[0] = 'x';
        out->p++;
        expected += sizes[i] + 1;
        assert_int_equal(file_out_position(out), expected);
    }
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
}

TEST_FILE(file_out_direct)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(test_devices),
        TEST_WITH_DIR(test_full_device),
        TEST_WITH_DIR(test_fifo),
        TEST_WITH_DIR(test_standard_output),
        TEST_WITH_DIR(test_callback),
        TEST_WITH_DIR(test_callback_fails),
        TEST_WITH_DIR(test_written_at_once),
        cmocka_unit_test(test_buffer),
        cmocka_unit_test(test_position),
    };
    return RUN_TESTS(tests);
}

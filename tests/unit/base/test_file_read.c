/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "helpers/shared/fault.h"

static int teardown(void **state)
{
    fault_reset();
    return temp_dir_remove(state);
}

static struct apf_input input_of(const char *path)
{
    struct apf_input input = apf_input_file(path);
    return input;
}

static int read_path(struct file_bytes *f, const char *path, uint64_t max_bytes, struct apf_error *e)
{
    struct apf_input input = input_of(path);
    return file_read(f, &input, max_bytes, e);
}

static void check_failed(const struct file_bytes *f, const struct apf_error *e, int sys_errno,
                         const char *where)
{
    assert_int_equal(e->code, APF_IO);
    assert_int_equal(e->sys_errno, sys_errno);
    assert_string_equal(e->where, where);
    assert_null(f->data);
    assert_int_equal(f->n, 0);
}

static void check_too_large(const struct file_bytes *f, const struct apf_error *e, uint64_t limit)
{
    assert_int_equal(e->code, APF_LIMIT);
    assert_string_equal(e->where, "file.size");
    assert_int_equal(e->offset, UINT64_MAX);
    assert_true(e->found > limit);
    assert_int_equal(e->expected, limit);
    assert_null(f->data);
    assert_int_equal(f->n, 0);
}

/* A pipe with a process that writes n bytes of fill_bytes(seed 7) to it; returns the end to read. */
static int feeder(size_t n, pid_t *pid)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    *pid = fork();
    assert_true(*pid >= 0);
    if (*pid == 0) {
        uint8_t *p = (uint8_t *)malloc(n ? n : 1);
        close(fds[0]);
        fill_bytes(p, n, 7);
        size_t done = 0;
        while (done < n) {
            ssize_t got = write(fds[1], p + done, n - done);
            if (got < 0)
                break;
            done += (size_t)got;
        }
        free(p); /* valgrind looks at children, too */
        _exit(done < n);
    }
    close(fds[1]);
    return fds[0];
}

static void check_filled(const struct file_bytes *f, size_t n)
{
    uint8_t *want = (uint8_t *)malloc(n + 1);
    assert_non_null(want);
    fill_bytes(want, n, 7);
    assert_int_equal(f->n, n);
    assert_memory_equal(f->data, want, n);
    free(want);
}

static void test_regular_file(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    struct apf_error e;
    static uint8_t bytes[3000001];
    fill_bytes(bytes, sizeof bytes, 1);
    size_t open_before = open_files();
    /* Larger, then smaller ones through the same buffer. */
    static const size_t sizes[] = {sizeof bytes, 5, 0, 1, 70000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        file_make(temp_path("in"), bytes, sizes[i]);
        assert_int_equal(read_path(&f, temp_path("in"), UINT64_MAX, &e), APF_OK);
        assert_int_equal(f.n, sizes[i]);
        assert_non_null(f.data);
        if (sizes[i])
            assert_memory_equal(f.data, bytes, sizes[i]);
    }
    assert_int_equal(open_files(), open_before);
    file_bytes_free(&f);
    assert_null(f.owned);
    assert_null(f.data);
    file_bytes_free(&f);
}

static void test_donated_bytes(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    struct arena arena = {0};
    static uint8_t bytes[3000000];
    fill_bytes(bytes, sizeof bytes, 3);
    file_make(temp_path("in"), bytes, sizeof bytes);
    fault_reset();
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(read_path(&f, temp_path("in"), UINT64_MAX, NULL), APF_OK);
        assert_memory_equal(f.data, bytes, sizeof bytes);
        uint64_t allocations = fault_count(FAULT_MEMORY);
        file_bytes_donate(&f, &arena);
        assert_null(f.data);
        assert_int_equal(f.n, 0);
        assert_int_equal(f.stored, sizeof bytes);
        memset(arena_alloc(&arena, 2900000), 1, 2900000);
        assert_int_equal(fault_count(FAULT_MEMORY), allocations);
    }
    file_bytes_donate(&f, &arena); /* nothing is left to give */
    file_bytes_free(&f);
    arena_free(&arena);
}

static void test_known_size_is_one_read(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    uint8_t bytes[100000];
    fill_bytes(bytes, sizeof bytes, 2);
    file_make(temp_path("in"), bytes, sizeof bytes);
    fault_reset();
    assert_int_equal(read_path(&f, temp_path("in"), UINT64_MAX, NULL), APF_OK);
    assert_int_equal(fault_count(FAULT_READ), 2); /* the second one sees the end */
    assert_int_equal(fault_count(FAULT_MEMORY), 1);
    assert_int_equal(read_path(&f, temp_path("in"), UINT64_MAX, NULL), APF_OK);
    assert_int_equal(fault_count(FAULT_MEMORY), 1); /* the buffer is used again */
    file_bytes_free(&f);
}

static void test_symbolic_link(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    file_make(temp_path("in"), "abc", 3);
    assert_int_equal(symlink("in", temp_path("link")), 0);
    assert_int_equal(read_path(&f, temp_path("link"), 3, NULL), APF_OK);
    assert_int_equal(f.n, 3);
    assert_memory_equal(f.data, "abc", 3);
    file_bytes_free(&f);
}

/* Files that say they are empty and are not. */
static void test_size_is_not_known(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    struct stat st;
    assert_int_equal(stat("/proc/self/status", &st), 0);
    assert_int_equal(st.st_size, 0);
    assert_int_equal(read_path(&f, "/proc/self/status", UINT64_MAX, NULL), APF_OK);
    assert_true(f.n > 100);
    assert_memory_equal(f.data, "Name:", 5);
    file_bytes_free(&f);
}

static void test_devices(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    struct apf_error e;
    assert_int_equal(read_path(&f, "/dev/null", 100, &e), APF_OK);
    assert_int_equal(f.n, 0);
    assert_int_equal(read_path(&f, "/dev/zero", 5000000, &e), APF_LIMIT); /* and it ends */
    check_too_large(&f, &e, 5000000);
    file_bytes_free(&f);
}

static void read_stdin(size_t n)
{
    struct file_bytes f = {0};
    pid_t pid;
    int status, saved = dup(STDIN_FILENO), fd = feeder(n, &pid);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    close(fd);
    int code = read_path(&f, "-", UINT64_MAX, NULL);
    assert_int_not_equal(fcntl(STDIN_FILENO, F_GETFD), -1); /* it is not ours to close */
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    } else {
        close(STDIN_FILENO);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(code, APF_OK);
    check_filled(&f, n);
    file_bytes_free(&f);
}

static void test_standard_input(void **state)
{
    (void)state;
    read_stdin(0);
    read_stdin(1);
    read_stdin(((size_t)1 << 20) - 1); /* around the first step of the buffer */
    read_stdin((size_t)1 << 20);
    read_stdin(((size_t)1 << 20) + 1);
    read_stdin(7000017);
}

static void test_fifo(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    int status;
    assert_int_equal(mkfifo(temp_path("fifo"), 0600), 0);
    const char *path = temp_path("fifo");
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        file_make(path, "through a pipe", 14);
        _exit(0);
    }
    assert_int_equal(read_path(&f, path, 14, NULL), APF_OK);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(f.n, 14);
    assert_memory_equal(f.data, "through a pipe", 14);
    file_bytes_free(&f);
}

static void test_no_file(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    struct apf_error e;
    assert_int_equal(read_path(&f, temp_dir, UINT64_MAX, &e), APF_IO);
    check_failed(&f, &e, EISDIR, "file.open");
    assert_string_equal(e.message, "Is a directory");
    assert_int_equal(read_path(&f, temp_path("missing"), UINT64_MAX, &e), APF_IO);
    check_failed(&f, &e, ENOENT, "file.open");
    assert_int_equal(read_path(&f, "", UINT64_MAX, &e), APF_IO);
    check_failed(&f, &e, ENOENT, "file.open");
    file_make(temp_path("file"), "x", 1);
    assert_int_equal(read_path(&f, temp_path("file/below"), UINT64_MAX, &e), APF_IO);
    check_failed(&f, &e, ENOTDIR, "file.open");
    /* After a failure the content of an earlier read is not returned. */
    assert_int_equal(read_path(&f, temp_path("file"), UINT64_MAX, &e), APF_OK);
    assert_int_equal(read_path(&f, temp_path("missing"), UINT64_MAX, NULL), APF_IO);
    assert_null(f.data);
    assert_int_equal(f.n, 0);
    file_bytes_free(&f);
}

static void test_limit(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    struct apf_error e;
    file_make(temp_path("in"), "0123456789", 10);
    const char *path = temp_path("in");
    assert_int_equal(read_path(&f, path, 10, &e), APF_OK);
    assert_int_equal(f.n, 10);
    fault_reset();
    assert_int_equal(read_path(&f, path, 9, &e), APF_LIMIT);
    check_too_large(&f, &e, 9);
    assert_int_equal(e.found, 10);
    assert_int_equal(fault_count(FAULT_READ), 0); /* known before */
    assert_int_equal(read_path(&f, path, 0, &e), APF_LIMIT);
    check_too_large(&f, &e, 0);

    pid_t pid;
    int status, saved = dup(STDIN_FILENO), fd = feeder(1000, &pid);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    close(fd);
    int code = read_path(&f, "-", 999, &e);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(code, APF_LIMIT);
    check_too_large(&f, &e, 999);
    file_bytes_free(&f);
}

static void test_memory_input(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    struct apf_error e;
    char data[] = "bytes";
    struct apf_input input = apf_input_memory(data, 5, NULL);
    assert_int_equal(file_read(&f, &input, 5, &e), APF_OK);
    assert_ptr_equal(f.data, data); /* borrowed, not copied */
    assert_int_equal(f.n, 5);
    assert_null(f.owned);
    assert_int_equal(file_read(&f, &input, 4, &e), APF_LIMIT);
    check_too_large(&f, &e, 4);
    assert_int_equal(e.found, 5);
    struct apf_input empty = {.size = sizeof(struct apf_input)};
    assert_int_equal(file_read(&f, &empty, 0, &e), APF_OK);
    assert_int_equal(f.n, 0);
    file_bytes_free(&f); /* leaves data alone */
    assert_string_equal(data, "bytes");
}

/* Compressed by other programs: Python's gzip, and a stored block from the specification. */
static const char packed_text[] = "abcabcabc\n";
static const uint8_t packed_gzip[] = {0x1f, 0x8b, 0x08, 0,    0,    0,    0,    0,    2,
                                      3,    0x4b, 0x4c, 0x4a, 0x4e, 0x04, 0x23, 0x2e, 0,
                                      0x8d, 0xb3, 0xfd, 0x21, 0x0a, 0,    0,    0};
static const uint8_t packed_zstd[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x0a, 0x51, 0,   0,   'a',
                                      'b',  'c',  'a',  'b',  'c',  'a',  'b',  'c', '\n'};

static void check_unpacked(const struct file_bytes *f, enum compression compression)
{
    assert_int_equal(f->compression, compression);
    assert_int_equal(f->n, 10);
    assert_memory_equal(f->data, packed_text, 10);
}

/* From files, standard input and memory; the limit is for both sizes. */
static void test_compressed(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    struct apf_error e;
    struct apf_input memory = apf_input_memory(packed_gzip, sizeof packed_gzip, NULL);
    file_make(temp_path("gz"), packed_gzip, sizeof packed_gzip);
    file_make(temp_path("zst"), packed_zstd, sizeof packed_zstd);
    file_make(temp_path("plain"), packed_text, 10);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(read_path(&f, temp_path("gz"), UINT64_MAX, &e), APF_OK);
        check_unpacked(&f, COMPRESSION_GZIP);
        assert_int_equal(read_path(&f, temp_path("zst"), UINT64_MAX, &e), APF_OK);
        check_unpacked(&f, COMPRESSION_ZSTD);
        assert_int_equal(file_read(&f, &memory, UINT64_MAX, &e), APF_OK);
        check_unpacked(&f, COMPRESSION_GZIP);
        assert_int_equal(read_path(&f, temp_path("plain"), 10, &e), APF_OK);
        check_unpacked(&f, COMPRESSION_NONE);
        assert_ptr_equal(f.data, f.owned);
    }
    int saved = dup(STDIN_FILENO), fd = open(temp_path("zst"), O_RDONLY);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    close(fd);
    assert_int_equal(read_path(&f, "-", UINT64_MAX, &e), APF_OK);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    check_unpacked(&f, COMPRESSION_ZSTD);
    assert_int_equal(file_read(&f, &memory, sizeof packed_gzip, &e), APF_OK);
    assert_int_equal(file_read(&f, &memory, sizeof packed_gzip - 1, &e), APF_LIMIT);
    check_too_large(&f, &e, sizeof packed_gzip - 1);
    memory.n--;
    assert_int_equal(file_read(&f, &memory, UINT64_MAX, &e), APF_TRUNCATED);
    assert_string_equal(e.where, "gzip.stream");
    assert_null(f.data);
    assert_int_equal(f.n, 0);
    assert_int_equal(file_read_packed(&f, &memory, UINT64_MAX, &e), APF_OK);
    assert_int_equal(file_unpack(&f, UINT64_MAX, &e), APF_TRUNCATED);
    assert_int_equal(f.n, memory.n); /* as it is */
    file_bytes_free(&f);
    assert_null(f.unpacked.data);
}

static void test_names(void **state)
{
    (void)state;
    struct apf_input named = {.size = sizeof(struct apf_input), .path = "path", .name = "name"},
                     path = apf_input_file("path");
    struct apf_input memory = apf_input_memory("x", 1, NULL), input_stdin = apf_input_file("-");
    assert_string_equal(file_name(&named).p, "name");
    assert_int_equal(file_name(&named).n, 4);
    assert_string_equal(file_name(&path).p, "path");
    assert_string_equal(file_name(&memory).p, "<memory>");
    assert_int_equal(file_name(&memory).n, 8);
    assert_string_equal(file_name(&input_stdin).p, "-");
}

static void test_short_and_interrupted_reads(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    uint8_t bytes[5000];
    fill_bytes(bytes, sizeof bytes, 3);
    file_make(temp_path("in"), bytes, sizeof bytes);
    const char *path = temp_path("in");
    fault_reset();
    fault_short(7);
    assert_int_equal(read_path(&f, path, UINT64_MAX, NULL), APF_OK);
    assert_int_equal(fault_count(FAULT_READ), 5000 / 7 + 2);
    assert_int_equal(f.n, sizeof bytes);
    assert_memory_equal(f.data, bytes, sizeof bytes);
    for (uint64_t k = 1; k <= 3; k++) {
        fault_fail(FAULT_READ, k, EINTR);
        fault_short(2000);
        assert_int_equal(read_path(&f, path, UINT64_MAX, NULL), APF_OK);
        assert_true(fault_hit());
        assert_int_equal(f.n, sizeof bytes);
        assert_memory_equal(f.data, bytes, sizeof bytes);
    }
    file_bytes_free(&f);
}

static void test_each_failing_call(void **state)
{
    (void)state;
    struct file_bytes f = {0};
    struct apf_error e;
    uint8_t bytes[5000];
    fill_bytes(bytes, sizeof bytes, 4);
    file_make(temp_path("in"), bytes, sizeof bytes);
    const char *path = temp_path("in");
    size_t open_before = open_files();
    uint64_t k = 1;
    for (;; k++) {
        fault_fail(FAULT_READ, k, EIO);
        fault_short(2000);
        int code = read_path(&f, path, UINT64_MAX, &e);
        if (!fault_hit())
            break;
        assert_int_equal(code, APF_IO);
        check_failed(&f, &e, EIO, "file.read");
    }
    assert_int_equal(k, 5); /* 2000, 2000, 1000, end */
    fault_fail(FAULT_OPEN, 1, EMFILE);
    assert_int_equal(read_path(&f, path, UINT64_MAX, &e), APF_IO);
    check_failed(&f, &e, EMFILE, "file.open");
    fault_fail(FAULT_CLOSE, 1, EIO); /* nothing is lost by it */
    assert_int_equal(read_path(&f, path, UINT64_MAX, &e), APF_OK);
    assert_int_equal(f.n, sizeof bytes);
    file_bytes_free(&f);

    /* No memory at the start, and while a file of unknown size grows; a read after it works. */
    for (k = 1;; k++) {
        fault_fail(FAULT_MEMORY, k, ENOMEM);
        int code = read_path(&f, "/proc/self/status", UINT64_MAX, &e);
        if (!fault_hit())
            break;
        assert_int_equal(code, APF_NO_MEMORY);
        assert_int_equal(e.code, APF_NO_MEMORY);
        assert_null(f.data);
        assert_int_equal(f.n, 0);
        file_bytes_free(&f);
    }
    assert_int_equal(k, 3);
    assert_int_equal(open_files(), open_before);
    file_bytes_free(&f);
}

TEST_FILE(file_read)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_regular_file, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_donated_bytes, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_known_size_is_one_read, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_symbolic_link, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_size_is_not_known, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_devices, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_standard_input, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_fifo, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_no_file, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_limit, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_memory_input, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_compressed, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_names, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_short_and_interrupted_reads, temp_dir_make, teardown),
        cmocka_unit_test_setup_teardown(test_each_failing_call, temp_dir_make, teardown),
    };
    return RUN_TESTS(tests);
}

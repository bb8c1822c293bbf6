/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outputs whose k-th call fails, for every k: the old file stays, nothing else is left, nothing leaks. */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "helpers/shared/fault.h"

static uint8_t bytes[200000];
#define PIECE 1000

static int setup(void **state)
{
    temp_dir_make(state);
    fill_bytes(bytes, sizeof bytes, 1);
    file_make(temp_path("out"), "old", 3);
    assert_int_equal(symlink("out", temp_path("link")), 0);
    return 0;
}

static int teardown(void **state)
{
    fault_reset();
    return temp_dir_remove(state);
}

static int write_all(struct apf_error *e)
{
    struct apf_output output = apf_output_file(temp_path("link"));
    struct file_out *out;
    int code = file_out_open(&out, &output, e);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < sizeof bytes; i += PIECE)
        file_out_write(out, bytes + i, PIECE);
    return file_out_close(out, true, e);
}

static void check_untouched(void)
{
    assert_true(file_holds(temp_path("out"), "old", 3));
    assert_int_equal(dir_entries(temp_dir), 2);
}

static void check_written(void)
{
    assert_true(file_holds(temp_path("out"), bytes, sizeof bytes));
    assert_int_equal(dir_entries(temp_dir), 2);
}

/* Makes each call of a kind fail in turn; returns how many there are. */
static uint64_t sweep(enum fault_call call, int sys_errno, int code, const char *where)
{
    size_t open_before = open_files();
    for (uint64_t k = 1;; k++) {
        struct apf_error e;
        fault_fail(call, k, sys_errno);
        int got = write_all(&e);
        bool hit = fault_hit();
        fault_reset();
        assert_int_equal(open_files(), open_before);
        if (!hit) {
            assert_int_equal(got, APF_OK);
            check_written();
            return k - 1;
        }
        assert_int_equal(got, code);
        assert_int_equal(e.code, code);
        assert_int_equal(e.sys_errno, code == APF_IO ? sys_errno : 0);
        assert_string_equal(e.where, where);
        assert_int_equal(e.subject, code == APF_IO ? APF_SUBJECT_OUTPUT : APF_SUBJECT_INPUT);
        check_untouched();
    }
}

static void test_write(void **state)
{
    (void)state;
    assert_int_equal(sweep(FAULT_WRITE, ENOSPC, APF_IO, "output.write"), 4); /* 200000 bytes through 65536 */
}

static void test_close(void **state)
{
    (void)state;
    assert_int_equal(sweep(FAULT_CLOSE, EIO, APF_IO, "output.write"), 1);
}

static void test_rename(void **state)
{
    (void)state;
    assert_int_equal(sweep(FAULT_RENAME, EACCES, APF_IO, "output.write"), 1);
}

static void test_open(void **state)
{
    (void)state;
    assert_int_equal(sweep(FAULT_OPEN, EMFILE, APF_IO, "output.open"), 1);
}

static void test_memory(void **state)
{
    (void)state;
    /* The handle, the path, the path with its link followed, the name of the temporary file. */
    assert_int_equal(sweep(FAULT_MEMORY, ENOMEM, APF_NO_MEMORY, "memory"), 4);
}

static void test_first_failure_is_reported(void **state)
{
    (void)state;
    struct apf_error e;
    struct file_out *out;
    struct apf_output output = apf_output_file(temp_path("out"));
    fault_fail(FAULT_WRITE, 1, EDQUOT);
    assert_int_equal(file_out_open(&out, &output, &e), APF_OK);
    assert_false(file_out_write(out, bytes, sizeof bytes));
    uint64_t writes = fault_count(FAULT_WRITE);
    fault_fail(FAULT_CLOSE, 1, EIO);
    assert_false(file_out_write(out, bytes, sizeof bytes));
    assert_int_equal(file_out_close(out, true, &e), APF_IO);
    assert_true(fault_hit());
    assert_int_equal(writes, 1);
    assert_int_equal(fault_count(FAULT_WRITE), 0); /* not tried again */
    assert_int_equal(fault_count(FAULT_RENAME), 0);
    assert_int_equal(e.sys_errno, EDQUOT);
    check_untouched();
}

/* Discarding an output reports no failure. */
static void test_failures_of_what_is_dropped(void **state)
{
    (void)state;
    for (int call = FAULT_WRITE; call <= FAULT_CLOSE; call++) {
        struct apf_error e;
        struct file_out *out;
        struct apf_output output = apf_output_file(temp_path("out"));
        fault_fail((enum fault_call)call, 1, EIO);
        assert_int_equal(file_out_open(&out, &output, &e), APF_OK);
        file_out_write(out, bytes, sizeof bytes);
        assert_int_equal(file_out_close(out, false, &e), APF_OK);
        assert_true(fault_hit());
        check_untouched();
    }
}

static void test_short_and_interrupted_writes(void **state)
{
    (void)state;
    fault_reset();
    fault_short(777);
    assert_int_equal(write_all(NULL), APF_OK);
    assert_true(fault_count(FAULT_WRITE) > 200000 / 777);
    check_written();
    for (uint64_t k = 1; k <= 4; k++) {
        file_make(temp_path("out"), "old", 3);
        fault_fail(FAULT_WRITE, k, EINTR);
        assert_int_equal(write_all(NULL), APF_OK);
        assert_true(fault_hit());
        check_written();
    }
}

/* After names that exist another one is tried. */
static void test_taken_names(void **state)
{
    (void)state;
    for (uint64_t k = 1; k <= 3; k++) {
        fault_fail(FAULT_OPEN, k, EEXIST);
        assert_int_equal(write_all(NULL), APF_OK);
        assert_int_equal(fault_count(FAULT_OPEN), k == 1 ? 2 : 1);
        check_written();
    }
}

static void test_buffer_without_memory(void **state)
{
    (void)state;
    struct apf_buffer b = {NULL, 0, 0};
    assert_int_equal(apf_buffer_write(&b, "abc", 3), 0);
    const void *data = b.data;
    fault_fail(FAULT_MEMORY, 1, ENOMEM);
    assert_int_equal(apf_buffer_write(&b, bytes, sizeof bytes), ENOMEM);
    assert_true(fault_hit());
    assert_ptr_equal(b.data, data);
    assert_int_equal(b.n, 3);
    assert_memory_equal(b.data, "abc", 3);
    assert_int_equal(apf_buffer_write(&b, "d", 1), 0);
    assert_memory_equal(b.data, "abcd", 4);
    apf_buffer_free(&b);

    /* As an output, too. */
    struct apf_output output = apf_output_buffer(&b);
    struct file_out *out;
    struct apf_error e;
    assert_int_equal(file_out_open(&out, &output, &e), APF_OK);
    fault_fail(FAULT_MEMORY, 1, ENOMEM);
    assert_false(file_out_write(out, bytes, sizeof bytes));
    assert_int_equal(file_out_close(out, true, &e), APF_NO_MEMORY);
    assert_null(b.data);
}

static void test_paths_without_memory(void **state)
{
    (void)state;
    assert_int_equal(mkdir(temp_path("sub"), 0777), 0);
    file_make(temp_path("sub/x"), "", 0);
    size_t open_before = open_files();
    uint64_t k = 1;
    for (;; k++) {
        char **paths = NULL;
        size_t n = 77;
        struct apf_error e;
        fault_fail(FAULT_MEMORY, k, ENOMEM);
        int code = apf_paths_expand(temp_dir, NULL, &paths, &n, NULL, &e);
        bool hit = fault_hit();
        fault_reset();
        assert_int_equal(open_files(), open_before);
        if (!hit) {
            assert_int_equal(code, APF_OK);
            assert_int_equal(n, 2); /* the link is no file */
            apf_paths_free(paths);
            break;
        }
        assert_int_equal(code, APF_NO_MEMORY);
        assert_int_equal(e.code, APF_NO_MEMORY);
        assert_null(paths);
        assert_int_equal(n, 77);
    }
    assert_true(k >= 5); /* two arrays, the arena, the result and the scratch of sorting it */
}

TEST_FILE(file_faults)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_write, setup, teardown),
        cmocka_unit_test_setup_teardown(test_close, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rename, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_first_failure_is_reported, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failures_of_what_is_dropped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_short_and_interrupted_writes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_taken_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_buffer_without_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_paths_without_memory, setup, teardown),
    };
    return RUN_TESTS(tests);
}

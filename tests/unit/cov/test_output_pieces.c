/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outputs in pieces: their order, large ones, pieces that fail, outputs that fail, and failing allocations. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cov/output_pieces.h"
#include "helpers/shared/fault.h"
#include "helpers/shared/unit.h"

#define PIECES 200u
#define LARGE ((size_t)3 << 20) /* more than a piece has room for before its turn */

struct plan {
    size_t fails; /* the first piece that fails; SIZE_MAX: none */
    bool large;   /* some pieces are */
};

/* How many bytes a piece has. */
static size_t size_of(const struct plan *p, size_t piece)
{
    return p->large && piece % 61 == 3 ? LARGE : piece * 7919 % 3000;
}

/* Of struct pieces. */
static int write_piece(void *context, size_t piece, unsigned thread, struct file_out *out,
                       struct apf_error *error)
{
    const struct plan *p = (const struct plan *)context;
    char line[64];
    (void)thread;
    for (size_t i = 0; i < size_of(p, piece) && !out->sys_errno;) {
        const int n = snprintf(line, sizeof line, "piece %zu, byte %zu\n", piece, i);
        (void)file_out_write(out, line, (size_t)n);
        i += (size_t)n;
    }
    return piece >= p->fails ? error_plain(error, APF_BAD_COVERAGE, "piece", "%zu", piece) : APF_OK;
}

static int write_all(const struct plan *p, uint32_t threads, struct apf_buffer *buffer,
                     struct apf_error *error)
{
    struct plan plan = *p;
    const struct pieces pieces = {PIECES, threads, write_piece, &plan};
    const struct apf_output output = apf_output_buffer(buffer);
    struct file_out *out;
    const int code = file_out_open(&out, &output, error);
    return code == APF_OK ? file_out_finish(out, pieces_write(&pieces, out, error), error) : code;
}

static void test_order(void **state)
{
    struct apf_error error;
    (void)state;
    for (unsigned large = 0; large < 2; large++) {
        const struct plan plan = {SIZE_MAX, large != 0};
        struct apf_buffer one = {NULL, 0, 0};
        assert_int_equal(write_all(&plan, 1, &one, &error), APF_OK);
        assert_true(one.n > (large ? LARGE : 1000));
        for (uint32_t threads = 2; threads <= 8; threads++) {
            struct apf_buffer many = {NULL, 0, 0};
            assert_int_equal(write_all(&plan, threads, &many, &error), APF_OK);
            assert_int_equal(many.n, one.n);
            assert_memory_equal(many.data, one.data, one.n);
            apf_buffer_free(&many);
        }
        apf_buffer_free(&one);
    }
}

/* The error is that of the first piece that fails, whatever the threads do. */
static void test_failing_pieces(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 8; threads++)
        for (size_t fails = 0; fails < PIECES; fails += 37) {
            const struct plan plan = {fails, fails % 2 != 0};
            struct apf_buffer buffer = {NULL, 0, 0};
            struct apf_error error;
            char expected[32];
            assert_int_equal(write_all(&plan, threads, &buffer, &error), APF_BAD_COVERAGE);
            snprintf(expected, sizeof expected, "%zu", fails);
            assert_non_null(strstr(error.message, expected));
            apf_buffer_free(&buffer);
        }
}

/* An apf_write_fn that fails after some bytes. */
static int write_some(void *user, const void *p, size_t n)
{
    size_t *left = (size_t *)user;
    (void)p;
    if (n > *left)
        return ENOSPC;
    *left -= n;
    return 0;
}

static void test_failing_output(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct plan plan = {SIZE_MAX, true};
        size_t left = LARGE + LARGE / 2;
        const struct pieces pieces = {PIECES, threads, write_piece, &plan};
        const struct apf_output output = apf_output_callback(write_some, &left);
        struct apf_error error;
        struct file_out *out;
        assert_int_equal(file_out_open(&out, &output, &error), APF_OK);
        assert_int_equal(pieces_write(&pieces, out, &error), APF_OK);
        assert_int_equal(file_out_close(out, true, &error), APF_IO);
        assert_int_equal(error.sys_errno, ENOSPC);
    }
}

static void test_faults(void **state)
{
    const struct plan plan = {SIZE_MAX, false};
    (void)state;
    for (uint64_t at = 1;; at++) {
        struct apf_buffer buffer = {NULL, 0, 0};
        struct apf_error error;
        fault_fail(FAULT_MEMORY, at, ENOMEM);
        const int code = write_all(&plan, 2, &buffer, &error);
        const bool hit = fault_hit();
        fault_reset();
        /* a failed growth of the result is an output that failed */
        assert_true(hit ? code == APF_NO_MEMORY || code == APF_IO : code == APF_OK);
        apf_buffer_free(&buffer);
        if (!hit)
            break;
    }
}

TEST_FILE(output_pieces)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_failing_pieces),
                                       cmocka_unit_test(test_failing_output), cmocka_unit_test(test_faults)};
    return RUN_TESTS(tests);
}

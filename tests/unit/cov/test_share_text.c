/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shares are rounded, but what is not all is not 100 per cent. */
#include <stdio.h>
#include <string.h>

#include "cov/share_text.h"
#include "helpers/shared/unit.h"

static void expect(uint64_t covered, uint64_t n, const char *text)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&buffer);
    const struct apf_cov_share share = {n, covered};
    struct file_out *out;
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    share_write(out, &share);
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    assert_int_equal(buffer.n, strlen(text));
    assert_memory_equal(buffer.data, text, buffer.n);
    apf_buffer_free(&buffer);
}

static void test_shares(void **state)
{
    (void)state;
    expect(0, 0, "-");
    expect(0, 3, "0.00%");
    expect(1, 3, "33.33%");
    expect(2, 3, "66.67%");
    expect(3, 3, "100.00%");
    expect(999999, 1000000, "99.99%");
    expect(1, 1000, "0.10%");
    expect(UINT64_MAX - 1, UINT64_MAX, "99.99%");
    expect(UINT64_MAX / 2 + 1, UINT64_MAX, "50.00%");
    for (unsigned i = 0; i <= 100; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%u.00%%", i);
        expect(i, 100, text);
        expect(43 * i, 4300, text);
    }
}

TEST_FILE(share_text)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares)};
    return RUN_TESTS(tests);
}

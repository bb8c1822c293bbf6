/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts of dump_gcov. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sample/gcc/gcc_dump.h"
#include "sample/gcc/sample_gcc_read.h"

#include "helpers/shared/fault.h"
#include "helpers/shared/gcc_build.h"
#include "helpers/shared/unit.h"

static const struct sample_read_options defaults = {
    .max_bytes = 1u << 30, .max_records = 1u << 28, .max_depth = SAMPLE_MAX_DEPTH};

static const char *const names[] = {"", "f", "g", "h", "a\x1b[31m"};
static const char *const files[] = {"b.c"};
static const uint32_t name_files[] = {UINT32_MAX, 0, UINT32_MAX, 0, UINT32_MAX};
static const struct gb_line leaf_lines[] = {{4, 2, 6, NULL, 0}};
static const struct gb_node leaf = {3, leaf_lines, 1, NULL, 0};
static const struct gb_line g_lines[] = {{0, 0, 6, NULL, 0}}, one_line[] = {{0, 0, 1, NULL, 0}};
static const struct gb_call g_calls[] = {{1, 0, &leaf}};
static const struct gb_node g = {2, g_lines, 1, g_calls, 1}, one_g = {2, one_line, 1, NULL, 0},
                            one_h = {3, one_line, 1, NULL, 0};
static const struct gb_target targets[] = {{1, 3}, {2, 4}, {3, 3}};
static const struct gb_line f_lines[] = {
    {0, 0, 5, NULL, 0}, {1, 1, 7, targets, 3}, {65535, 65535, 2, NULL, 0}};
static const struct gb_call f_calls[] = {{2, 3, &one_h}, {2, 0, &g}, {2, 3, &one_g}};
static const struct gb_node f = {1, f_lines, 3, f_calls, 3}, nothing = {2, NULL, 0, NULL, 0},
                            same_h = {3, leaf_lines, 1, NULL, 0}, same_a = {4, leaf_lines, 1, NULL, 0};
static const struct gb_function functions[] = {
    {9, &nothing, 0}, {2, &same_h, 77}, {1, &same_a, 0}, {3, &f, 0}};

static struct apf_sample *read_profile(unsigned layout)
{
    struct gb_profile p = {.layout = gb_layouts[layout],
                           .files = files,
                           .n_files = 1,
                           .names = names,
                           .name_files = name_files,
                           .n_names = 5,
                           .functions = functions,
                           .n_functions = 4};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_sample *s = sample_new();
    gb_append(&buffer, &p);
    assert_int_equal(sample_gcc_read(s, buffer.data, buffer.n, &defaults, NULL), APF_OK);
    apf_buffer_free(&buffer);
    return s;
}

static int dump_buffer(const struct apf_sample *s, bool with_files, struct apf_buffer *buffer,
                       struct apf_error *error)
{
    struct apf_output output = apf_output_buffer(buffer);
    struct sample_gcc_dump_options o = {with_files};
    struct file_out *out;
    int code = file_out_open(&out, &output, error);
    return code == APF_OK ? file_out_finish(out, sample_gcc_dump(s, &o, out, error), error) : code;
}

static void check(unsigned layout, bool with_files, const char *expected)
{
    struct apf_sample *s = read_profile(layout);
    struct apf_buffer buffer = {NULL, 0, 0};
    assert_int_equal(dump_buffer(s, with_files, &buffer, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    assert_string_equal((const char *)buffer.data, expected);
    apf_buffer_free(&buffer);
    sample_free(s);
}

/* As dump_gcov 0.19 prints layout 1, but for the control character, which it writes as it is. */
static void test_text(void **state)
{
    (void)state;
    check(0, false,
          "f total:28 head:3\n  0: 5\n  1.1: 7  g:4  h:3  f:3\n  65535.65535: 2\n"
          "  2: g total:12\n    0: 6\n    1: h total:6\n      4.2: 6\n"
          "  2.3: g total:1\n    0: 1\n  2.3: h total:1\n    0: 1\n"
          "a\\x1b[31m total:6 head:1\n  4.2: 6\nh total:6 head:2\n  4.2: 6\n");
}

static void test_files(void **state)
{
    (void)state;
    check(
        5, true,
        "f:b.c total:28 head:3 timestamp: 0\n  0: 5\n  1.1: 7  g::4  h:b.c:3  f:b.c:3\n  65535.65535: 2\n"
        "  2: g: total:12\n    0: 6\n    1: h:b.c total:6\n      4.2: 6\n"
        "  2.3: g: total:1\n    0: 1\n  2.3: h:b.c total:1\n    0: 1\n"
        "a\\x1b[31m: total:6 head:1 timestamp: 0\n  4.2: 6\nh:b.c total:6 head:2 timestamp: 77\n  4.2: 6\n");
}

static void test_hashes(void **state)
{
    struct apf_sample *s = sample_new();
    struct apf_buffer buffer = {NULL, 0, 0};
    uint32_t name, context, node;
    (void)state;
    assert_int_equal(sample_names_add_hash(&s->names, UINT64_MAX, &name, NULL), APF_OK);
    assert_int_equal(sample_contexts_base(&s->contexts, name, &context, NULL), APF_OK);
    assert_int_equal(sample_top(s, context, &node, NULL), APF_OK);
    s->nodes.data[node].total = 1;
    assert_int_equal(dump_buffer(s, false, &buffer, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    assert_string_equal((const char *)buffer.data, "18446744073709551615 total:1 head:0\n");
    apf_buffer_free(&buffer);
    sample_free(s);
}

static void test_memory_faults(void **state)
{
    struct apf_sample *s = read_profile(5);
    unsigned k = 1;
    (void)state;
    for (bool hit = true; hit; k++) {
        struct apf_buffer buffer = {NULL, 0, 0};
        struct apf_error error;
        fault_fail(FAULT_MEMORY, k, ENOMEM);
        int code = dump_buffer(s, true, &buffer, &error);
        hit = fault_hit();
        fault_reset();
        apf_buffer_free(&buffer);
        if (hit)
            assert_true(code == APF_NO_MEMORY || (code == APF_IO && error.sys_errno == ENOMEM));
        else
            assert_int_equal(code, APF_OK);
    }
    assert_in_range(k, 8, 40);
    sample_free(s);
}

TEST_FILE(gcc_dump)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_memory_faults),
    };
    return RUN_TESTS(tests);
}

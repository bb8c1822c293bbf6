/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any bytes as code in a table of Markdown: nothing ends the code, the cell or the line. */
#include <string.h>

#include "helpers/shared/unit.h"
#include "page/markdown.h"

static struct apf_buffer written(void (*write)(struct file_out *, struct apf_str), const char *bytes,
                                 size_t n)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&buffer);
    struct file_out *out;
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    write(out, (struct apf_str){bytes, n});
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    return buffer;
}

static void expect(void (*write)(struct file_out *, struct apf_str), const char *bytes, size_t n,
                   const char *text)
{
    struct apf_buffer buffer = written(write, bytes, n);
    assert_int_equal(buffer.n, strlen(text));
    assert_memory_equal(buffer.data, text, buffer.n);
    apf_buffer_free(&buffer);
}

static void test_code(void **state)
{
    (void)state;
    expect(markdown_code, "src/a.c", 7, "`src/a.c`");
    expect(markdown_code, "<b>@x #1", 8, "`<b>@x #1`");
    expect(markdown_code, "a|b", 3, "`a\\|b`");
    expect(markdown_code, "a\\|b", 4, "`a\\\\\\|b`");     /* a\|b: the bar of an even number ends a cell */
    expect(markdown_code, "a\\\\|b", 5, "`a\\\\\\|b`");   /* a\\|b */
    expect(markdown_code, "a`b``c", 6, "``` a`b``c ```"); /* more backquotes than in it */
    expect(markdown_code, "a\nb\033\377", 5, "`a\357\277\275b\357\277\275\357\277\275`");
}

static void test_text(void **state)
{
    (void)state;
    expect(markdown_text, "hotter, edited (20 %)", 21, "hotter, edited (20 %)");
    expect(markdown_text, "no such file: a/b.c", 19, "`no such file: a/b.c`"); /* hosts make links of paths */
    expect(markdown_text, "", 0, "");
}

/* Of long ones the middle is left out, between two characters. */
static void test_long(void **state)
{
    char bytes[401];
    (void)state;
    for (size_t i = 0; i < 400; i++)
        bytes[i] = i % 2 ? '\244' : '\303';
    bytes[400] = 'c';
    struct apf_buffer buffer = written(markdown_code, bytes, 401);
    const char *text = (const char *)buffer.data;
    assert_in_range(buffer.n, 200, 210);
    assert_memory_equal(text + 1 + 120, "\342\200\246\303\244", 5);
    assert_memory_equal(text + buffer.n - 2, "c`", 2);
    apf_buffer_free(&buffer);
}

/* The most backquotes in a row of `text`, and how often there are so many. */
static size_t most_in_row(struct apf_buffer text, size_t *times)
{
    size_t most = 0, row = 0;
    *times = 0;
    for (size_t i = 0; i < text.n; i++) {
        row = ((const char *)text.data)[i] == '`' ? row + 1 : 0;
        *times = row > most ? 1 : *times + (row == most && row);
        most = row > most ? row : most;
    }
    return most;
}

/* Whatever the text, the longest rows of backquotes are those at both ends, and every bar has a backslash before it. */
static void test_fences(void **state)
{
    static const char alphabet[] = {'`', '|', '\\', 'a'};
    (void)state;
    for (unsigned i = 0; i < 1u << 16; i++) {
        char bytes[8];
        size_t times;
        for (unsigned k = 0; k < 8; k++)
            bytes[k] = alphabet[i >> 2 * k & 3];
        struct apf_buffer buffer = written(markdown_code, bytes, 8);
        (void)most_in_row(buffer, &times);
        assert_int_equal(times, 2);
        for (size_t k = 0, slashes = 0; k < buffer.n; k++) {
            const char c = ((const char *)buffer.data)[k];
            if (c == '|')
                assert_int_equal(slashes % 2, 1);
            slashes = c == '\\' ? slashes + 1 : 0;
        }
        apf_buffer_free(&buffer);
    }
}

TEST_FILE(markdown)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_code), cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_long), cmocka_unit_test(test_fences)};
    return RUN_TESTS(tests);
}

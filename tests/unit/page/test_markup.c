/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any bytes as text of a page: no markup is left, and what XML cannot hold is replaced. */
#include <string.h>

#include "helpers/shared/unit.h"
#include "page/markup.h"

static void expect(const char *bytes, size_t n, const char *text)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&buffer);
    struct file_out *out;
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    markup_text(out, (struct apf_str){bytes, n});
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
    assert_int_equal(buffer.n, strlen(text));
    if (buffer.n)
        assert_memory_equal(buffer.data, text, buffer.n);
    apf_buffer_free(&buffer);
}

static void test_text(void **state)
{
    (void)state;
    expect("", 0, "");
    expect("plain\ttext \303\244", 13, "plain\ttext \303\244");
    expect("<a href=\"x\">&'</a>", 18, "&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;");
    expect("a\0b\033c\177", 6, "a\357\277\275b\357\277\275c\357\277\275");
    expect("\377\303(", 3, "\357\277\275\357\277\275(");
    expect("a\342\200\256b\342\201\246", 8, "a\357\277\275b\357\277\275"); /* U+202E, U+2066 */
    expect("\302\205", 2, "\357\277\275");                                 /* U+0085 */
    expect("\357\277\277x\355\240\200", 7,
           "\357\277\275x\357\277\275\357\277\275\357\277\275"); /* U+FFFF, a surrogate */
}

/* No byte, alone or after another one, leaves a character that begins markup. */
static void test_pairs(void **state)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    (void)state;
    for (unsigned i = 0; i < 0x10000; i++) {
        const char bytes[2] = {(char)(i >> 8), (char)i};
        const struct apf_output output = apf_output_buffer(&buffer);
        struct file_out *out;
        buffer.n = 0;
        assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
        markup_text(out, (struct apf_str){bytes, 2});
        assert_int_equal(file_out_close(out, true, NULL), APF_OK);
        for (size_t k = 0; k < buffer.n; k++)
            assert_null(memchr("<>\"'\033", ((const uint8_t *)buffer.data)[k], 6));
    }
    apf_buffer_free(&buffer);
}

TEST_FILE(markup)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_pairs)};
    return RUN_TESTS(tests);
}

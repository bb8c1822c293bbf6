/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What reaches a terminal: bytes that it would obey are escaped, however the output is divided into writes. */
#include "helpers/shared/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_terminal.h"

/* Stores a text in two pieces; `got` has room for 100 bytes. */
static void store_pieces(const char *text, size_t n, size_t cut, char *got)
{
    struct file_terminal t = {{0}, 0};
    const uint8_t *p = (const uint8_t *)text;
    uint8_t *to = (uint8_t *)got;
    to += file_terminal_store(&t, p, cut, to);
    to += file_terminal_store(&t, p + cut, n - cut, to);
    to += file_terminal_end(&t, to);
    *to = '\0';
}

static void test_escapes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"", ""},
        {"plain:1\n\tb", "plain:1\n\tb"},
        {"a\033]0;title\007b\r", "a\\x1b]0;title\\x07b\\x0d"},
        {"\xc2\x9b", "\\xc2\\x9b"},
        {"e\xe2\x80\xaey \xd8\x9c", "e\\xe2\\x80\\xaey \\xd8\\x9c"},
        {"\xe2\x80\xe2\x81\xa6\xc2", "\xe2\\x80\\xe2\\x81\\xa6\xc2"},
        {"\x9b\x41\x80\xff\xa0\xf0\x9f\x98\x80\xf0\x9f\x9b",
         "\\x9b\x41\\x80\xff\xa0\xf0\x9f\x98\x80\xf0\x9f\x9b"},
        {"\xc3\xbc \xe2\x82\xac \xe2\x80\x93", "\xc3\xbc \xe2\x82\xac \xe2\x80\x93"},
        {"\xc2\x1b\xe2\x1b", "\xc2\\x1b\xe2\\x1b"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t n = strlen(rows[i].text);
        for (size_t cut = 0; cut <= n; cut++) {
            char got[100];
            store_pieces(rows[i].text, n, cut, got);
            assert_string_equal(got, rows[i].shown);
        }
    }
}

/* A file that is not regular is written directly; only terminals change the bytes. */
static void test_outputs(void **state)
{
    (void)state;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    const char *path = master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0 ? ptsname(master) : NULL;
    if (!path)
        skip();
    struct apf_output output = apf_output_file(path);
    struct apf_error error;
    char got[100];
    assert_int_equal(apf_output_write(&output, "a\033[2Jb\n\xc2", 8, &error), APF_OK);
    ssize_t n = 0;
    for (ssize_t more; n < 10 || got[n - 1] != (char)0xc2; n += more) { /* it comes in pieces */
        more = read(master, got + n, sizeof got - (size_t)n);
        assert_true(more > 0);
    }
    assert_memory_equal(got, "a\\x1b[2Jb", 9);
    assert_int_equal(got[n - 1], (char)0xc2);
    close(master);
}

TEST_FILE(file_terminal)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_outputs),
    };
    return RUN_TESTS(tests);
}

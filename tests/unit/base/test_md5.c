/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <string.h>

#include <md5.h> /* libmd */

#include "base/endian.h"
#include "base/md5.h"

/* The ids of names in llvm-profdata and clang, and the test strings of RFC 1321. */
static void test_name_refs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t ref;
    } cases[] = {
        {"foo", 0x5cf8c24cdb18bdac},
        {"main", 0xdb956436e78dd5fa},
        {"", 0x04b2008fd98c1dd4},
        {"a", 0xa8b6f1c0b975c10c},
        {"abc", 0xb04fd23c98500190},
        {"abcdefghijklmnopqrstuvwxyz", 0x00e49261d7d3fcc3},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         0x55c9e32ba2f4ed57},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(md5_name_ref(cases[i].name, strlen(cases[i].name)), cases[i].ref);
}

static void test_any_bytes(void **state)
{
    (void)state;
    assert_int_equal(md5_name_ref("file.c:foo", 10), md5_name_ref("file.c:foobar", 10));
    assert_int_not_equal(md5_name_ref("a\0b", 3), md5_name_ref("a\0c", 3));
    assert_int_equal(md5_name_ref("\xff\x80\0", 3), 0xc66388ffa5e53d1c);
}

/* Sizes on both sides of those where the padding needs a block of its own, and names at every alignment. */
static void test_sizes(void **state)
{
    (void)state;
    uint8_t bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37 + 11);
    for (size_t n = 0; n < sizeof bytes; n++) {
        const uint8_t *p = bytes + (sizeof bytes - n) % 8;
        size_t m = n < 8 ? n : n - 8;
        uint8_t digest[MD5_DIGEST_LENGTH];
        MD5_CTX whole;
        MD5Init(&whole);
        MD5Update(&whole, p, m);
        MD5Final(digest, &whole);
        uint8_t bytes_of[MD5_BYTES];
        md5_bytes(p, m, bytes_of);
        assert_int_equal(md5_name_ref(p, m), load64le(digest));
        assert_memory_equal(bytes_of, digest, sizeof digest);
    }
}

TEST_FILE(md5)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_name_refs),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_sizes),
    };
    return RUN_TESTS(tests);
}

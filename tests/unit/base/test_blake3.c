/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The official test vectors of BLAKE3: bytes 0, 1, ... 250, 0, ..., of lengths around blocks and chunks. */
#include "base/blake3.h"
#include "helpers/shared/unit.h"

static void test_vectors(void **state)
{
    static const struct {
        size_t n;
        uint64_t id; /* the first 8 bytes, from the last one on */
    } rows[] = {{0, 0xa6a1f9f5b94913af},    {1, 0xf1611bf1dfde3a2d},    {1023, 0xb93edaee70891010},
                {1024, 0x06a495f039472142}, {1025, 0xb327eb47ae7802d0}, {2048, 0x2ad27c8c02b676e7},
                {3073, 0x812f010195b42471}, {8192, 0x4ffe8e4c4892e7aa}};
    static uint8_t bytes[8192];
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i % 251);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(blake3_id(bytes, rows[i].n), rows[i].id);
}

TEST_FILE(blake3)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/md5.h"

#include <string.h>

#include <md5.h> /* libmd */

#include "base/endian.h"

/* Makes the blocks of MD5 itself: the name, the byte 0x80, zeros, and the size in bits. MD5Update and MD5Final would do
 * the same byte by byte, which takes half as long as the hashing of a short name. */
static void find_state(const void *name, size_t n, uint32_t state[4])
{
    uint8_t last[2 * MD5_BLOCK_LENGTH] = {0};
    const uint8_t *p = (const uint8_t *)name;
    size_t rest = n % MD5_BLOCK_LENGTH;
    for (size_t i = 0; i < n / MD5_BLOCK_LENGTH; i++, p += MD5_BLOCK_LENGTH)
        MD5Transform(state, p);
    if (rest)
        memcpy(last, p, rest);
    last[rest] = 0x80;
    size_t used = rest + 1 + sizeof(uint64_t) <= MD5_BLOCK_LENGTH ? MD5_BLOCK_LENGTH : sizeof last;
    store64le(last + used - sizeof(uint64_t), 8 * (uint64_t)n);
    MD5Transform(state, last);
    if (used == sizeof last)
        MD5Transform(state, last + MD5_BLOCK_LENGTH);
}

#define INITIAL_STATE {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}

uint64_t md5_name_ref(const void *name, size_t n)
{
    uint32_t state[4] = INITIAL_STATE;
    find_state(name, n, state);
    return state[0] | (uint64_t)state[1] << 32;
}

void md5_bytes(const void *name, size_t n, uint8_t digest[MD5_BYTES])
{
    uint32_t state[4] = INITIAL_STATE;
    find_state(name, n, state);
    for (unsigned i = 0; i < MD5_BYTES; i++)
        digest[i] = (uint8_t)(state[i / 4] >> i % 4 * 8);
}

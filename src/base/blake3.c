/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* After the specification: https://github.com/BLAKE3-team/BLAKE3-specs. Chunks of 1024 bytes are the leaves of a binary
 * tree, whose left sides are complete. */
#include "base/blake3.h"

#include <stdbool.h>
#include <string.h>

#include "base/endian.h"

#define BLOCK_BYTES 64u
#define CHUNK_BYTES 1024u
#define ROUNDS 7u
#define MOST_LEVELS 54u /* 2^64 bytes in chunks */

enum { CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT = 8 };

static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t rotate_word(uint32_t v, unsigned n)
{
    return v >> n | v << (32 - n);
}

static void mix_words(uint32_t *s, unsigned a, unsigned b, unsigned c, unsigned d, uint32_t x, uint32_t y)
{
    s[a] = s[a] + s[b] + x;
    s[d] = rotate_word(s[d] ^ s[a], 16);
    s[c] = s[c] + s[d];
    s[b] = rotate_word(s[b] ^ s[c], 12);
    s[a] = s[a] + s[b] + y;
    s[d] = rotate_word(s[d] ^ s[a], 8);
    s[c] = s[c] + s[d];
    s[b] = rotate_word(s[b] ^ s[c], 7);
}

/* Replaces a chaining value by the first 8 words of its compression with a block. */
static void compress_block(uint32_t cv[8], const uint32_t block[16], uint64_t counter, uint32_t n,
                           uint32_t flags)
{
    static const uint8_t moves[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
    uint32_t s[16], m[16], next[16];
    memcpy(s, cv, 8 * sizeof *s);
    memcpy(s + 8, start, 4 * sizeof *s);
    s[12] = (uint32_t)counter;
    s[13] = (uint32_t)(counter >> 32);
    s[14] = n;
    s[15] = flags;
    memcpy(m, block, sizeof m);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < 4; i++)
            mix_words(s, i, 4 + i, 8 + i, 12 + i, m[2 * i], m[2 * i + 1]);
        for (unsigned i = 0; i < 4; i++)
            mix_words(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[8 + 2 * i], m[9 + 2 * i]);
        for (unsigned i = 0; i < 16; i++)
            next[i] = m[moves[i]];
        memcpy(m, next, sizeof m);
    }
    for (unsigned i = 0; i < 8; i++)
        cv[i] = s[i] ^ s[8 + i];
}

static void hash_chunk(uint32_t cv[8], const uint8_t *p, size_t n, uint64_t number, uint32_t root)
{
    memcpy(cv, start, sizeof start);
    for (size_t at = 0; at == 0 || at < n; at += BLOCK_BYTES) {
        uint8_t bytes[BLOCK_BYTES] = {0};
        uint32_t block[16];
        size_t left = n - at < BLOCK_BYTES ? n - at : BLOCK_BYTES;
        bool last = at + left == n;
        if (left)
            memcpy(bytes, p + at, left);
        for (unsigned i = 0; i < 16; i++)
            block[i] = load32le(bytes + (size_t)4 * i);
        compress_block(cv, block, number, (uint32_t)left,
                       (at == 0 ? CHUNK_START : 0u) | (last ? CHUNK_END | root : 0u));
    }
}

/* Replaces the right side by the parent of both sides. */
static void hash_parent(const uint32_t left[8], uint32_t right[8], uint32_t root)
{
    uint32_t block[16];
    memcpy(block, left, 8 * sizeof *left);
    memcpy(block + 8, right, 8 * sizeof *right);
    memcpy(right, start, sizeof start);
    compress_block(right, block, 0, BLOCK_BYTES, PARENT | root);
}

uint64_t blake3_id(const void *p, size_t n)
{
    const uint8_t *bytes = p;
    uint32_t cv[8], left[MOST_LEVELS][8];
    unsigned n_left = 0;
    uint64_t chunks = 0;
    for (; n - (size_t)chunks * CHUNK_BYTES > CHUNK_BYTES; n_left++) {
        hash_chunk(cv, bytes + chunks * CHUNK_BYTES, CHUNK_BYTES, chunks, 0);
        chunks++;
        for (uint64_t even = chunks; even % 2 == 0; even /= 2)
            hash_parent(left[--n_left], cv, 0);
        memcpy(left[n_left], cv, sizeof cv);
    }
    size_t at = (size_t)chunks * CHUNK_BYTES;
    hash_chunk(cv, n ? bytes + at : bytes, n - at, chunks, n_left ? 0 : ROOT);
    while (n_left--)
        hash_parent(left[n_left], cv, n_left ? 0 : ROOT);
    return (uint64_t)cv[1] << 32 | cv[0];
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial profiles whose frame is right. The input of the target is a list of blocks, for which the frame is made with
 * its checksums, so that these do not keep wrong records from their readers: for each block its section, the number of
 * its records and that of its bytes (2 bytes each, the most significant first), and its bytes. */
#ifndef FUZZ_PARTIAL_H
#define FUZZ_PARTIAL_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fuzz_profile.h"

#define PARTIAL_HEADER 24u
#define PARTIAL_HEAD 24u
#define PARTIAL_LAST_SECTION 255u

static inline void partial_store(uint8_t *to, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = (uint8_t)(v >> 8 * i);
}

static inline uint64_t partial_checksum(const uint8_t *head, const uint8_t *p, size_t n)
{
    return XXH3_64bits_withSeed(head, 16, n ? XXH3_64bits(p, n) : 0);
}

/* What is made of blocks. */
struct partial_frame {
    struct apf_buffer file;
    uint64_t n_blocks, checksums;
};

static inline void partial_add_block(struct partial_frame *f, uint8_t section, uint32_t n_records,
                                     const uint8_t *p, size_t n)
{
    uint8_t head[PARTIAL_HEAD] = {section};
    partial_store(head + 4, n, 4);
    partial_store(head + 8, n, 4);
    partial_store(head + 12, n_records, 4);
    const uint64_t sum = partial_checksum(head, p, n);
    partial_store(head + 16, sum, 8);
    REQUIRE(apf_buffer_write(&f->file, head, sizeof head) == 0 && apf_buffer_write(&f->file, p, n) == 0);
    f->n_blocks += section != PARTIAL_LAST_SECTION;
    f->checksums += section != PARTIAL_LAST_SECTION ? sum : 0;
}

/* `kind`: of the profiles, a number of the format. */
static inline struct apf_buffer partial_make_file(const uint8_t *data, size_t size, uint8_t kind)
{
    struct partial_frame f = {.file = {NULL, 0, 0}};
    uint8_t header[PARTIAL_HEADER] = {0x93, 'A', 'P', 'F', '\r', '\n', 0x1a, '\n', 1, 0, kind}, end[18];
    partial_store(header + 16, partial_checksum(header, NULL, 0), 8);
    REQUIRE(apf_buffer_write(&f.file, header, sizeof header) == 0);
    while (size >= 5) {
        const uint32_t n_records = (uint32_t)data[1] << 8 | data[2];
        size_t n = (size_t)data[3] << 8 | data[4];
        n = n < size - 5 ? n : size - 5;
        partial_add_block(&f, data[0], n_records, data + 5, n);
        data += 5 + n;
        size -= 5 + n;
    }
    size_t used = 0;
    uint64_t blocks = f.n_blocks;
    for (; blocks >= 128; blocks >>= 7)
        end[used++] = (uint8_t)(blocks | 128);
    end[used++] = (uint8_t)blocks;
    partial_store(end + used, f.checksums, 8);
    partial_add_block(&f, PARTIAL_LAST_SECTION, 1, end, used + 8);
    return f.file;
}

#endif

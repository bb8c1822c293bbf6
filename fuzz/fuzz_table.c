/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hash table of indexed profiles, after a valid header and summary. The input: a byte that chooses the version;
 * a byte whose lowest bits say whether name hashes are corrected (1), the buckets are made here (2), and the profile
 * is IR (4), with context (8), and whose other bits are the number of items; two bytes for the offset of the buckets,
 * if they are not made here; then the items. */
#include "fuzz_profile.h"

#define HEAD 4u
#define VERSIONS 14u
#define FIRST_WITH_SUMMARY 4u
#define SUMMARY_FIELDS 6u
#define ITEM_HEAD 24u
#define IR ((uint64_t)1 << 56)
#define CS ((uint64_t)1 << 57)

static const uint8_t header_sizes[VERSIONS + 1] = {0, 40, 40, 40, 40, 40, 40, 40, 48, 56, 64, 64, 72, 72, 72};

static void add_word(struct apf_buffer *file, uint64_t v)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(v >> 8 * i);
    REQUIRE(apf_buffer_write(file, bytes, sizeof bytes) == 0);
}

static void add_words(struct apf_buffer *file, size_t n, uint64_t v)
{
    while (n--)
        add_word(file, v);
}

static void store_u64(uint8_t *p, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t get(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

/* Corrects the hashes. An item is the hash of a key, the sizes of the key and of the records, then both; a bucket is
 * the number of its items and the items. */
static void correct_hashes(uint8_t *p, size_t n)
{
    size_t at = 0;
    while (n - at > 2) {
        uint64_t items = get(p + at, 2);
        at += 2;
        if (!items)
            return;
        for (; items && n - at >= ITEM_HEAD; items--) {
            uint8_t *item = p + at;
            uint64_t key = get(item + 8, 8), data = get(item + 16, 8);
            at += ITEM_HEAD;
            if (key > n - at || data > n - at - key)
                return;
            store_u64(item, fuzz_id(p + at, (size_t)key));
            at += (size_t)(key + data);
        }
    }
}

static void add_summary(struct apf_buffer *file)
{
    add_word(file, SUMMARY_FIELDS);
    add_words(file, 1 + SUMMARY_FIELDS, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_buffer file = {NULL, 0, 0};
    if (size < HEAD)
        return -1;
    uint32_t version = 1 + data[0] % VERSIONS;
    bool made = data[1] & 2;
    uint64_t variant = (data[1] & 4 ? IR : 0) | (data[1] & 8 ? IR | CS : 0);
    REQUIRE(apf_buffer_write(&file, "\xfflprofi\x81", 8) == 0);
    add_word(&file, version | variant);
    add_words(&file, header_sizes[version] / 8 - 2u, 0);
    if (version >= FIRST_WITH_SUMMARY)
        add_summary(&file);
    if (version >= FIRST_WITH_SUMMARY && variant & CS)
        add_summary(&file);
    size_t start = file.n;
    REQUIRE(apf_buffer_write(&file, data + HEAD, size - HEAD) == 0);
    if (data[1] & 1)
        correct_hashes((uint8_t *)file.data + start, file.n - start);
    store_u64((uint8_t *)file.data + 32, made ? file.n : start + get(data + 2, 2));
    if (made) {
        add_word(&file, 1);
        add_word(&file, data[1] >> 4);
        add_word(&file, start);
    }
    fuzz_file(file.data, file.n);
    apf_buffer_free(&file);
    return 0;
}

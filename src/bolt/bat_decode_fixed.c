/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of numbers of fixed width: BOLT 15 to 17. One table holds all fragments; after it a list names the cold ones
 * and their functions. */
#include "base/error.h"
#include "base/search.h"
#include "bolt/bat_model.h"

#define RECORD_HEAD 12u
#define ENTRY_BYTES 8u
#define PAIR_BYTES 16u
#define BRANCH_BIT ((uint32_t)1 << 31)

/* Pairs of a cold fragment and the hot one it belongs to. */
struct pairs {
    const uint8_t *data;
    uint32_t n;
    bool swap;
};

static int report_truncated(const struct cursor *c, const char *where, struct apf_error *error)
{
    return error_place(error, APF_BAD_BAT, where, cursor_offset(c), "the table ends within it");
}

static uint64_t pair_address(const struct pairs *pairs, uint32_t i)
{
    return load64(pairs->data + (size_t)i * PAIR_BYTES, pairs->swap);
}

/* The pair of a cold address; pairs->n: the address is not cold. */
static uint32_t find_pair(const struct pairs *pairs, uint64_t address)
{
    uint32_t low;
    SEARCH(low, 0, pairs->n, pair_address(pairs, low) < address);
    return low < pairs->n && pair_address(pairs, low) == address ? low : pairs->n;
}

/* Skips the fragments up to the pairs, and checks that the table is complete. */
static int find_pairs(struct cursor c, struct pairs *pairs, struct cursor *rest, struct apf_error *error)
{
    uint32_t n = cursor_u32(&c);
    for (uint32_t i = 0; i < n && !c.failed; i++) {
        cursor_skip(&c, sizeof(uint64_t));
        (void)cursor_array(&c, cursor_u32(&c), ENTRY_BYTES);
    }
    if (c.failed)
        return report_truncated(&c, "bat.functions", error);
    pairs->n = cursor_u32(&c);
    pairs->swap = c.swap;
    pairs->data = cursor_array(&c, pairs->n, PAIR_BYTES);
    if (!pairs->data)
        return report_truncated(&c, "bat.cold_functions", error);
    for (uint32_t i = 1; i < pairs->n; i++)
        if (pair_address(pairs, i - 1) >= pair_address(pairs, i))
            return error_place(error, APF_BAD_BAT, "bat.cold_functions",
                               (uint64_t)(pairs->data - c.base) + (uint64_t)i * PAIR_BYTES,
                               "addresses of cold fragments do not ascend");
    *rest = c;
    return APF_OK;
}

static int read_fragment(struct apf_bat *bat, struct cursor *c, bool cold, struct apf_error *error)
{
    struct apf_bat_fragment f = {.offset = cursor_offset(c), .is_cold = cold};
    f.address = cursor_u64(c);
    f.n_entries = cursor_u32(c);
    f.first_entry = (uint32_t)bat->entries.n;
    f.function = cold ? APF_BAT_NONE : (uint32_t)bat->fragments.n;
    f.bytes = RECORD_HEAD + (uint64_t)f.n_entries * ENTRY_BYTES;
    if (bat->entries.n + f.n_entries >= APF_BAT_NONE)
        return error_plain(error, APF_LIMIT, "bat.entries", "too many entries");
    for (uint32_t i = 0; i < f.n_entries; i++) {
        struct apf_bat_entry e = {.offset = (uint32_t)cursor_offset(c), .bytes = ENTRY_BYTES};
        e.output = cursor_u32(c);
        e.input = cursor_u32(c);
        e.flags = e.input & BRANCH_BIT ? APF_BAT_ENTRY_BRANCH : 0;
        e.input &= ~BRANCH_BIT;
        if (!VEC_PUSH(&bat->entries, e))
            return error_memory(error);
    }
    if (!VEC_PUSH(&bat->fragments, f))
        return error_memory(error);
    return APF_OK;
}

/* Reads the hot fragments, or the cold ones. */
static int read_fragments(struct apf_bat *bat, struct cursor c, const struct pairs *pairs, bool cold,
                          struct apf_error *error)
{
    uint32_t n = cursor_u32(&c);
    int code = APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < n; i++) {
        struct cursor head = c;
        uint64_t address = cursor_u64(&head);
        if ((find_pair(pairs, address) < pairs->n) == cold)
            code = read_fragment(bat, &c, cold, error);
        else
            cursor_skip(&c, RECORD_HEAD + (uint64_t)cursor_u32(&head) * ENTRY_BYTES);
    }
    return code;
}

static uint32_t find_hot(const struct apf_bat *bat, uint64_t address)
{
    uint32_t low;
    SEARCH(low, 0, bat->info.n_hot, bat->fragments.data[low].address < address);
    bool found = low < bat->info.n_hot && bat->fragments.data[low].address == address;
    return found ? low : APF_BAT_NONE;
}

int bat_decode_fixed(struct apf_bat *bat, struct cursor *c, struct apf_error *error)
{
    struct pairs pairs;
    struct cursor rest;
    int code = find_pairs(*c, &pairs, &rest, error);
    if (code == APF_OK)
        code = read_fragments(bat, *c, &pairs, false, error);
    bat->info.n_hot = (uint32_t)bat->fragments.n;
    if (code == APF_OK)
        code = read_fragments(bat, *c, &pairs, true, error);
    bat->info.n_cold = (uint32_t)bat->fragments.n - bat->info.n_hot;
    for (size_t i = bat->info.n_hot; code == APF_OK && i < bat->fragments.n; i++) {
        struct apf_bat_fragment *f = &bat->fragments.data[i];
        const uint8_t *pair = pairs.data + (size_t)find_pair(&pairs, f->address) * PAIR_BYTES;
        f->function = find_hot(bat, load64(pair + sizeof(uint64_t), pairs.swap));
    }
    *c = rest;
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/value_data.h"

#include <string.h>

#include "base/error.h"

/* Reads one kind: header, one byte for each site, padding, pairs. `c` ends where the block ends. */
static int read_kind(struct cursor *c, unsigned kinds, struct value_block *out, struct apf_error *error)
{
    uint64_t at = cursor_offset(c);
    uint64_t room = cursor_left(c);
    uint32_t kind = cursor_u32(c);
    uint32_t n = cursor_u32(c);
    if (!c->failed && kind >= kinds)
        return error_out_of_bounds(error, APF_MALFORMED, "value_data.kind", at, kind, kinds - 1,
                                   "value kind is invalid");
    const uint8_t *counts = cursor_bytes(c, n);
    cursor_skip(c, pad8((uint64_t)n));
    uint64_t pairs = 0;
    for (uint32_t i = 0; !c->failed && i < n; i++)
        pairs += counts[i];
    const uint8_t *values = cursor_array(c, pairs, 16);
    if (c->failed)
        return error_out_of_bounds(error, APF_MALFORMED, "value_data.kind.size", at,
                                   8 + align8(n) + 16 * pairs, room,
                                   "value profile address is greater than total size");
    if (out->site_counts[kind])
        return error_mismatch(error, APF_MALFORMED, "value_data.kind", at, kind, kind + 1,
                              "value kind is invalid");
    out->n_sites[kind] = n;
    out->site_counts[kind] = counts;
    out->pairs[kind] = values;
    out->n_pairs[kind] = pairs;
    return APF_OK;
}

int value_block_read(struct cursor *c, unsigned kinds, struct value_block *out, struct apf_error *error)
{
    struct cursor block = *c;
    uint64_t at = cursor_offset(c), left = cursor_left(c);
    memset(out, 0, sizeof *out);
    uint32_t total = cursor_u32(&block);
    uint32_t n_kinds = cursor_u32(&block);
    if (block.failed) {
        struct error_at place = {"value_data.total_size", at, left, 8};
        return error_at(error, APF_TRUNCATED, place, NULL);
    }
    if (total > left) {
        struct error_at place = {"value_data.total_size", at, total, left};
        return error_at(error, APF_TOO_LARGE, place, "the block is larger than what is left");
    }
    if (total < 8)
        return error_out_of_bounds(error, APF_MALFORMED, "value_data.total_size", at, total, 8, NULL);
    if (n_kinds > kinds)
        return error_out_of_bounds(error, APF_MALFORMED, "value_data.num_kinds", at + 4, n_kinds, kinds,
                                   "number of value profile kinds is invalid");
    if (total % 8)
        return error_mismatch(error, APF_MALFORMED, "value_data.total_size", at, total, align8(total),
                              "total size is not multiples of quardword");
    block.end = c->p + total;
    for (uint32_t k = 0; k < n_kinds; k++) {
        int code = read_kind(&block, kinds, out, error);
        if (code != APF_OK)
            return code;
    }
    c->p += total; /* skips bytes after the last kind, as LLVM does */
    return APF_OK;
}

int value_block_sites(const struct value_block *b, bool swap, struct arena *arena, struct apf_site **sites,
                      struct apf_error *error)
{
    size_t n_sites = 0, n_pairs = 0;
    *sites = NULL;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        n_sites += b->n_sites[k];
        n_pairs += b->n_pairs[k];
    }
    if (n_sites == 0)
        return APF_OK;
    struct apf_site *site = arena_array(arena, n_sites, sizeof *site);
    struct apf_value *value = arena_array(arena, n_pairs, sizeof *value);
    if (!site || !value)
        return error_memory(error);
    *sites = site;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        const uint8_t *p = b->pairs[k];
        for (uint32_t i = 0; i < b->n_sites[k]; i++, site++) {
            site->values = value;
            site->n = b->site_counts[k][i];
            for (size_t j = 0; j < site->n; j++, value++, p += 16) {
                value->value = load64(p, swap);
                value->count = load64(p + 8, swap);
            }
        }
    }
    return APF_OK;
}

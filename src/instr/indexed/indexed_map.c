/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/indexed/indexed_map.h"

#include <string.h>

#include "base/cursor.h"
#include "instr/model/profile.h"

struct finder {
    struct indexed_places *places;
    struct byte_map *parts;
    const uint8_t *data;
    size_t n;
};

static struct cursor cursor_from(const struct finder *f, uint64_t at)
{
    struct cursor c = cursor_make(f->data, f->n, HOST_BIG_ENDIAN);
    cursor_skip(&c, at);
    return c;
}

static uint64_t header_word(const struct finder *f, unsigned at)
{
    return load64le(f->data + at);
}

static struct stored_summary find_summary(const struct finder *f, uint64_t at)
{
    struct stored_summary s = {at, 0, 0, 0};
    struct cursor c = cursor_from(f, at);
    s.n_fields = cursor_u64(&c);
    s.n_cutoffs = cursor_u64(&c);
    (void)cursor_array(&c, s.n_fields, 8);
    (void)cursor_array(&c, s.n_cutoffs, 24);
    s.size = c.failed ? 0 : cursor_offset(&c) - at;
    return s;
}

static bool find_summaries(struct finder *f)
{
    struct indexed_places *p = f->places;
    uint64_t at = p->version->header_size;
    p->payload = at;
    if (!(p->version->caps & INDEXED_CAP_SUMMARY))
        return true;
    p->summary = find_summary(f, at);
    p->payload += p->summary.size;
    if (p->summary.size && p->variant & APF_VARIANT_CS) {
        p->cs_summary = find_summary(f, p->payload);
        p->payload += p->cs_summary.size;
    }
    return byte_map_add(f->parts, PART_SUMMARY, at, p->summary.size, 0) &&
           byte_map_add(f->parts, PART_CS_SUMMARY, p->cs_summary.at, p->cs_summary.size, 0);
}

static bool find_table(struct finder *f)
{
    struct indexed_places *p = f->places;
    p->hash_offset = header_word(f, INDEXED_HASH_OFFSET_AT);
    if (p->hash_offset < p->payload)
        return true;
    struct cursor c = cursor_from(f, p->hash_offset);
    uint64_t n_buckets = cursor_u64(&c);
    cursor_skip(&c, 8); /* items */
    if (!cursor_array(&c, n_buckets, 8))
        return true;
    p->n_buckets = n_buckets;
    return byte_map_add(f->parts, PART_FUNCTIONS, p->payload, p->hash_offset - p->payload, 0) &&
           byte_map_add(f->parts, PART_BUCKETS, p->hash_offset, 16 + 8 * n_buckets, 0);
}

/* Finds a section that begins with its size in bytes, which does not include that word. */
static bool find_sized(struct finder *f, unsigned cap, unsigned offset_at, const char *name)
{
    uint64_t at = f->places->version->caps & cap ? header_word(f, offset_at) : 0;
    struct cursor c = cursor_from(f, at);
    uint64_t size = cursor_u64(&c);
    cursor_skip(&c, size);
    return at == 0 || c.failed || byte_map_add(f->parts, name, at, 8 + size, 0);
}

static bool find_traces(struct finder *f)
{
    struct indexed_places *p = f->places;
    if (!(p->version->caps & INDEXED_CAP_TRACES) || !(p->variant & APF_VARIANT_TEMPORAL))
        return true;
    uint64_t at = header_word(f, INDEXED_TRACES_AT);
    struct cursor c = cursor_from(f, at);
    uint64_t n = cursor_u64(&c);
    cursor_skip(&c, 8); /* stream size */
    for (uint64_t i = 0; i < n && !c.failed; i++) {
        cursor_skip(&c, 8); /* weight */
        (void)cursor_array(&c, cursor_u64(&c), 8);
    }
    return c.failed || byte_map_add(f->parts, PART_TRACES, at, cursor_offset(&c) - at, 0);
}

/* Finds the MemProf section, which does not state its size: it reaches to the next part. */
static bool find_memprof(struct finder *f)
{
    struct indexed_places *p = f->places;
    if (!(p->version->caps & INDEXED_CAP_MEMPROF) || !(p->variant & APF_VARIANT_MEMPROF))
        return true;
    uint64_t at = header_word(f, INDEXED_MEMPROF_AT), end = f->n;
    if (at < p->version->header_size || at >= f->n)
        return true;
    for (size_t i = 0; i < f->parts->list.n; i++) {
        uint64_t other = f->parts->list.data[i].at;
        if (other > at && other < end)
            end = other;
    }
    p->memprof = at;
    p->memprof_size = end - at;
    return byte_map_add(f->parts, PART_MEMPROF, at, end - at, 0);
}

bool indexed_map_find(struct indexed_places *places, struct byte_map *parts, const uint8_t *data, size_t n)
{
    struct finder f = {places, parts, data, n};
    memset(places, 0, sizeof *places);
    uint64_t word = n >= INDEXED_UNUSED_AT ? header_word(&f, 8) : 0;
    places->version = indexed_version_find(word & UINT32_MAX);
    places->variant = word & VARIANT_BITS;
    if (!places->version || n < places->version->header_size) {
        places->version = NULL;
        return true;
    }
    return byte_map_add(parts, PART_HEADER, 0, places->version->header_size, 0) && find_summaries(&f) &&
           find_table(&f) && find_sized(&f, INDEXED_CAP_IDS, INDEXED_IDS_AT, PART_IDS) &&
           find_sized(&f, INDEXED_CAP_VTABLES, INDEXED_VTABLES_AT, PART_VTABLE_NAMES) && find_traces(&f) &&
           find_memprof(&f);
}

bool indexed_map(struct byte_map *map, const struct raw_profiles *profiles, const uint8_t *data, size_t n)
{
    struct indexed_places places;
    (void)profiles;
    return indexed_map_find(&places, map, data, n) && byte_map_fill(map, data, n);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_profile.h"

#include "rt_elf.h"
#include "rt_write.h"

#include <string.h>

/* A cursor whose error sticks. */
struct reader {
    const uint8_t *at;
    size_t left;
    int damaged;
};

static const uint8_t *read_bytes(struct reader *r, uint64_t n)
{
    const uint8_t *at = r->at;
    if (r->damaged || n > r->left) {
        r->damaged = 1;
        return NULL;
    }
    r->at += n;
    r->left -= (size_t)n;
    return at;
}

/* Reads an array of `n` items of `size` bytes and the padding after it. */
static const uint8_t *read_section(struct reader *r, uint64_t n, size_t size, uint64_t padding)
{
    if (size == 0 || n > r->left / size)
        r->damaged = 1;
    const uint8_t *at = read_bytes(r, r->damaged ? 0 : n * size);
    (void)read_bytes(r, padding);
    return at;
}

static const uint8_t *read_padded(struct reader *r, uint64_t n, size_t size)
{
    return read_section(r, n, size, n > r->left ? 0 : aprt_pad8((size_t)n * size));
}

int aprt_profile_values(const struct aprt_layout *layout, const uint8_t *record, const uint8_t **at,
                        size_t left, struct aprt_kind_lists kinds[RT_MOST_KINDS])
{
    struct reader r = {*at, left, 0};
    memset(kinds, 0, RT_MOST_KINDS * sizeof kinds[0]);
    if (aprt_record_sites(layout, record) == 0)
        return 1;
    const uint8_t *head = read_bytes(&r, 8);
    uint64_t size = head ? aprt_u32(head) : 0;
    if (size < 8 || size % 8 || size - 8 > r.left)
        return 0;
    r.left = (size_t)size - 8;
    uint32_t n_kinds = aprt_u32(head + 4);
    for (; n_kinds && !r.damaged; n_kinds--) {
        head = read_bytes(&r, 8);
        uint32_t kind = head ? aprt_u32(head) : RT_MOST_KINDS, sites = head ? aprt_u32(head + 4) : 0;
        if (kind >= layout->kinds || kinds[kind].lengths || sites == 0 ||
            sites != aprt_u16(record + layout->sites + 2 * kind))
            return 0;
        const uint8_t *lengths = read_padded(&r, sites, 1);
        uint64_t pairs = 0;
        for (uint32_t i = 0; lengths && i < sites; i++)
            pairs += lengths[i];
        kinds[kind] = (struct aprt_kind_lists){lengths, read_section(&r, pairs, 16, 0), sites};
    }
    for (uint32_t kind = 0; kind < layout->kinds; kind++) {
        if (aprt_u16(record + layout->sites + 2 * kind) != kinds[kind].sites)
            return 0;
    }
    *at = r.at;
    return !r.damaged && r.left == 0;
}

/* --- the same program ----------------------------------------------------------------------------------------- */

struct comparison {
    const uint8_t *at;
    size_t left;
};

static int compare_bytes(void *context, const void *bytes, size_t n)
{
    struct comparison *c = context;
    if (n > c->left || memcmp(c->at, bytes, n) != 0)
        return 1;
    c->at += n;
    c->left -= n;
    return 0;
}

static int same_ids(const struct aprt_profile *p, const struct aprt_image *image)
{
    struct comparison c = {p->ids, (size_t)p->words[RAW_BINARY_IDS_SIZE]};
    struct aprt_out out = {.write = compare_bytes, .context = &c};
    aprt_write_binary_ids(&out, image->layout);
    return out.code == 0 && c.left == 0;
}

static int same_bytes(const uint8_t *a, uint64_t n_a, const uint8_t *b, size_t n_b)
{
    return n_a == n_b && (n_b == 0 || memcmp(a, b, n_b) == 0);
}

/* Compares everything but the records. */
static int same_parts(const struct aprt_profile *p, const struct aprt_image *image)
{
    return p->version == image->version && p->words[RAW_NUM_DATA] == image->num_data &&
           p->counters_size == image->counters_size && p->words[RAW_NUM_BITMAP_BYTES] == image->bitmap_size &&
           !p->words[RAW_NUM_UNIFORM] &&
           same_bytes(p->names, p->words[RAW_NAMES_SIZE], image->names, image->names_size) &&
           p->words[RAW_NUM_VTABLES] == image->vtables_size / RAW_VTABLE_SIZE(sizeof(void *)) &&
           same_bytes(p->vtable_names, p->words[RAW_VNAMES_SIZE], image->vtable_names,
                      image->vtable_names_size) &&
           same_ids(p, image);
}

static int same_sites(const struct aprt_layout *layout, const uint8_t *a, const uint8_t *b)
{
    a += layout->sites;
    b += layout->sites;
    return aprt_u32(a) == aprt_u32(b) && (layout->kinds < 3 || aprt_u16(a + 4) == aprt_u16(b + 4));
}

/* Returns whether pointers of two records point to the same offset of their sections, which begin at start_a and
 * start_b. */
static int same_place(const uint8_t *a, uint64_t start_a, const uint8_t *b, uintptr_t start_b)
{
    return aprt_pointer(a) - (uintptr_t)start_a == aprt_pointer(b) - start_b;
}

static int same_record(const struct aprt_profile *p, const uint8_t *a, const struct aprt_image *image,
                       const uint8_t *b)
{
    const struct aprt_layout *layout = image->layout;
    uintptr_t start = layout->relative ? (uintptr_t)image->data : 0;
    unsigned at = layout->func_hash, counters = layout->counter_ptr, n = layout->num_counters;
    if (aprt_u64(a) != aprt_u64(b) || aprt_u64(a + at) != aprt_u64(b + at) ||
        aprt_u32(a + n) != aprt_u32(b + n) || !same_sites(layout, a, b) ||
        !same_place(a + counters, p->words[RAW_COUNTERS_DELTA], b + counters,
                    (uintptr_t)image->counters - start))
        return 0;
    if (!layout->num_bitmap_bytes)
        return 1;
    uint32_t bitmap = aprt_u32(b + layout->num_bitmap_bytes);
    return aprt_u32(a + layout->num_bitmap_bytes) == bitmap &&
           (bitmap == 0 || same_place(a + layout->bitmap_ptr, p->words[RAW_BITMAP_DELTA],
                                      b + layout->bitmap_ptr, (uintptr_t)image->bitmap - start));
}

/* --- one profile ---------------------------------------------------------------------------------------------- */

/* The offset in its section that a pointer of record i points to; `delta` is the header's. */
static uint64_t section_offset(const struct aprt_layout *layout, const uint8_t *record, unsigned pointer,
                               uint64_t delta, size_t i)
{
    return (uintptr_t)(aprt_pointer(record + pointer) - delta +
                       (layout->relative ? i * layout->record_size : 0));
}

/* Returns whether the counters and the bitmap of the record are inside their sections; otherwise LLVM's readers
 * refuse the whole file. */
static int record_fits(const struct aprt_profile *p, const uint8_t *record, size_t i)
{
    const struct aprt_layout *layout = p->layout;
    size_t entry = p->version & RT_BYTE_COVERAGE ? 1 : 8;
    uint64_t n = aprt_u32(record + layout->num_counters), size = p->counters_size;
    uint64_t at = section_offset(layout, record, layout->counter_ptr, p->words[RAW_COUNTERS_DELTA], i);
    if (n == 0 || at > size || n > (size - at) / entry)
        return 0;
    n = layout->num_bitmap_bytes ? aprt_u32(record + layout->num_bitmap_bytes) : 0;
    size = p->words[RAW_NUM_BITMAP_BYTES];
    at = n ? section_offset(layout, record, layout->bitmap_ptr, p->words[RAW_BITMAP_DELTA], i) : 0;
    return at <= size && n <= size - at;
}

/* Checks the records and reads their value data, the last part of a profile. Records equal to the image's need no
 * check, since those have been checked. */
static void read_records(struct reader *r, struct aprt_profile *p, const struct aprt_image *image)
{
    struct aprt_kind_lists kinds[RT_MOST_KINDS];
    const uint8_t *record = p->data;
    p->values = r->damaged ? NULL : r->at;
    for (uint64_t i = 0; i < p->words[RAW_NUM_DATA] && !r->damaged; i++) {
        const uint8_t *before = r->at;
        if (p->same_program)
            p->same_program = same_record(p, record, image, image->data + (size_t)i * p->layout->record_size);
        if ((!p->same_program && !record_fits(p, record, (size_t)i)) ||
            (aprt_record_sites(p->layout, record) &&
             !aprt_profile_values(p->layout, record, &r->at, r->left, kinds)))
            r->damaged = 1;
        r->left -= (size_t)(r->at - before);
        record += p->layout->record_size;
    }
}

static void read_profile(struct reader *r, struct aprt_profile *p, const struct aprt_image *image)
{
    const uint8_t *head = read_bytes(r, 16);
    if (r->damaged || aprt_u64(head) != aprt_magic() ||
        !(p->layout = aprt_layout_of(aprt_u64(head + 8) & RT_FORMAT_BITS))) {
        r->damaged = 1;
        return;
    }
    p->version = aprt_u64(head + 8);
    head = read_bytes(r, p->layout->words * 8);
    for (size_t i = 0; head && i < p->layout->words; i++)
        p->words[p->layout->header[i]] = aprt_u64(head + 8 * i);
    const uint64_t *w = p->words;
    size_t counter = p->version & RT_BYTE_COVERAGE ? 1 : 8;
    p->ids = read_bytes(r, w[RAW_BINARY_IDS_SIZE]);
    p->data = read_section(r, w[RAW_NUM_DATA], p->layout->record_size, w[RAW_PAD_BEFORE_COUNTERS]);
    p->counters = read_section(r, w[RAW_NUM_COUNTERS], counter, w[RAW_PAD_AFTER_COUNTERS]);
    p->counters_size = (size_t)w[RAW_NUM_COUNTERS] * counter;
    p->bitmap = read_section(r, w[RAW_NUM_BITMAP_BYTES], 1, w[RAW_PAD_AFTER_BITMAP]);
    (void)read_section(r, w[RAW_NUM_UNIFORM], 8, w[RAW_PAD_AFTER_UNIFORM]);
    p->names = read_padded(r, w[RAW_NAMES_SIZE], 1);
    p->vtables = read_padded(r, w[RAW_NUM_VTABLES], RAW_VTABLE_SIZE(sizeof(void *)));
    p->vtable_names = read_padded(r, w[RAW_VNAMES_SIZE], 1);
    p->same_program = image && !r->damaged && same_parts(p, image);
    read_records(r, p, image);
}

enum aprt_next aprt_profile_next(struct aprt_profile *profile, const struct aprt_image *image,
                                 const uint8_t *file, size_t size, size_t at)
{
    struct reader r = {file + at, size - at, 0};
    while (r.left && *r.at == 0)
        (void)read_bytes(&r, 1);
    if (!r.left)
        return RT_NEXT_NONE;
    *profile = (struct aprt_profile){.offset = (size_t)(r.at - file)};
    read_profile(&r, profile, image);
    profile->end = r.at;
    profile->size = (size_t)(r.at - file) - profile->offset;
    return r.damaged ? RT_NEXT_DAMAGED : RT_NEXT_FOUND;
}

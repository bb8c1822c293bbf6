/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a profile has a shape. */
#include "instr/raw_shape_state.h"

#include <string.h>

/* Header words that say how the file is laid out; addresses and distances are looked at elsewhere. */
static bool same_header(const struct raw_part *a, const struct raw_part *b)
{
    static const enum raw_header_field fields[] = {
        RAW_NUM_DATA,         RAW_PAD_BEFORE_COUNTERS, RAW_NUM_COUNTERS,    RAW_PAD_AFTER_COUNTERS,
        RAW_NUM_BITMAP_BYTES, RAW_PAD_AFTER_BITMAP,    RAW_NUM_UNIFORM,     RAW_NAMES_SIZE,
        RAW_NUM_VTABLES,      RAW_VNAMES_SIZE,         RAW_VALUE_KIND_LAST,
    };
    if (a->version_word != b->version_word || a->pointer_bytes != b->pointer_bytes || a->swap != b->swap)
        return false;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (a->field[fields[i]] != b->field[fields[i]])
            return false;
    /* Relative distances do not move; those to a section that is not there mean nothing. */
    if (a->relative && a->field[RAW_COUNTERS_DELTA] != b->field[RAW_COUNTERS_DELTA])
        return false;
    return !a->bitmap.size || a->field[RAW_BITMAP_DELTA] == b->field[RAW_BITMAP_DELTA];
}

/* The function pointers of the records, where they can be compared along with the rest: host-order words. */
static size_t pointer_word(const struct raw_part *part)
{
    uint16_t at = part->record->function_ptr;
    return at == RAW_NONE || part->pointer_bytes != 8 || part->swap ? SIZE_MAX : at / 8u;
}

/* How far the first function that has an address moved; false when none has. */
static bool find_slide(const uint8_t *a, const uint8_t *b, size_t n, size_t size, uint64_t *slide)
{
    for (size_t i = 0; i < n; i++, a += size, b += size)
        if (load64(a, false)) {
            *slide = load64(b, false) - load64(a, false);
            return true;
        }
    return false;
}

/* All words but those the mask leaves out; function pointers, at word `pointer`, must have moved by `slide`, and null
 * must be null. Inlined where the number of words is known, so that the loop over them is unrolled. */
static inline bool equal_records(const uint8_t *a, const uint8_t *b, const uint64_t *mask, size_t n,
                                 size_t words, size_t pointer, uint64_t slide)
{
    for (size_t i = 0; i < n; i++, a += 8 * words, b += 8 * words) {
        uint64_t differ = 0;
        for (size_t w = 0; w < words; w++)
            differ |= (load64(a + 8 * w, false) ^ load64(b + 8 * w, false)) & mask[w];
        if (pointer < words) {
            uint64_t then = load64(a + 8 * pointer, false), now = load64(b + 8 * pointer, false);
            differ |= now ^ (then ? then + slide : 0);
            differ |= (now == 0) ^ (then == 0);
        }
        if (differ)
            return false;
    }
    return true;
}

/* *slide is filled in, and *known set, when the function pointers were compared. */
static bool same_records(const struct raw_shape *s, const struct raw_part *part, bool *known, uint64_t *slide)
{
    size_t words = s->reference.record->size / 8u, n = s->reference.field[RAW_NUM_DATA];
    const uint8_t *a = s->data, *b = part->file + part->data.at;
    size_t pointer = pointer_word(part);
    if (pointer != SIZE_MAX)
        *known = find_slide(a + 8 * pointer, b + 8 * pointer, n, 8 * words, slide);
    switch (words) {
    case 6: /* versions 5 to 8 */
        return equal_records(a, b, s->mask, n, 6, pointer, *slide);
    case 8: /* versions 9 and 10 */
        return equal_records(a, b, s->mask, n, 8, pointer, *slide);
    default:
        return equal_records(a, b, s->mask, n, words, pointer, *slide);
    }
}

/* True when the pointers at `p` and `reference` (every `stride` bytes) differ by one constant; null stays null.
 * *slide and *known carry the constant from call to call. */
static bool slid(const struct raw_part *part, const uint8_t *reference, const uint8_t *p, size_t n,
                 size_t stride, bool *known, uint64_t *slide)
{
    uint64_t mask = raw_part_last_pointer(part);
    for (size_t i = 0; i < n; i++, p += stride, reference += stride) {
        uint64_t a = raw_part_pointer(part, reference), b = raw_part_pointer(part, p);
        if (!a != !b)
            return false;
        if (!a)
            continue;
        if (!*known) {
            *known = true;
            *slide = (b - a) & mask;
        }
        if (((b - a) & mask) != *slide)
            return false;
    }
    return true;
}

static bool slid_by(const struct raw_shape *s, const struct raw_part *part, uint16_t field, uint64_t by)
{
    bool known = true;
    by &= raw_part_last_pointer(part);
    return field == RAW_NONE || slid(part, s->data + field, part->file + part->data.at + field,
                                     part->field[RAW_NUM_DATA], part->record->size, &known, &by);
}

/* What same_records has not looked at. */
static bool same_addresses(const struct raw_shape *s, const struct raw_part *part, bool *known,
                           uint64_t *slide)
{
    const struct raw_record_layout *r = part->record;
    const uint64_t *now = part->field, *then = s->reference.field;
    if (!part->relative &&
        !slid_by(s, part, r->counter_ptr, now[RAW_COUNTERS_DELTA] - then[RAW_COUNTERS_DELTA]))
        return false;
    if (!slid_by(s, part, r->name_ptr, now[RAW_NAMES_DELTA] - then[RAW_NAMES_DELTA]))
        return false;
    if (r->function_ptr != RAW_NONE && !*known &&
        !slid(part, s->data + r->function_ptr, part->file + part->data.at + r->function_ptr,
              now[RAW_NUM_DATA], r->size, known, slide))
        return false;
    return slid(part, s->vtables + 8, part->file + part->vtables.at + 8, now[RAW_NUM_VTABLES],
                RAW_VTABLE_SIZE(part->pointer_bytes), known, slide);
}

/* Hash and size of each vtable; that its address moved with the others was looked at. */
static bool same_vtables(const struct raw_shape *s, const struct raw_part *part)
{
    unsigned size = RAW_VTABLE_SIZE(part->pointer_bytes), end = 8 + part->pointer_bytes;
    const uint8_t *a = s->vtables, *b = part->file + part->vtables.at;
    for (uint64_t i = 0; i < part->field[RAW_NUM_VTABLES]; i++, a += size, b += size)
        if (memcmp(a, b, 8) != 0 || memcmp(a + end, b + end, 4) != 0)
            return false;
    return !raw_targets_wrap(part);
}

static bool same_bytes(const uint8_t *a, const struct raw_part *part, const struct raw_section *section)
{
    return section->size == 0 || memcmp(a, part->file + section->at, section->size) == 0;
}

bool shape_matches(const struct raw_shape *s, struct raw_part *part, uint64_t *slide)
{
    if (part->version->caps & RAW_CAP_MAYBE_RELATIVE)
        part->relative = s->reference.relative; /* else the probe of all records would be needed */
    part->no_timestamps = s->reference.no_timestamps;
    bool known = false;
    *slide = 0;
    return same_header(&s->reference, part) && same_records(s, part, &known, slide) &&
           same_bytes(s->names, part, &part->names) &&
           same_bytes(s->vtable_names, part, &part->vtable_names) && same_addresses(s, part, &known, slide) &&
           same_vtables(s, part);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a profile has a shape. */
#include "instr/merge/shape_state.h"

#include <string.h>

/* Compares the header words that define the layout; addresses and distances are compared elsewhere. */
static bool same_header(const struct raw_profile *a, const struct raw_profile *b)
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
    /* Relative distances do not move; those to a missing section mean nothing. */
    if (a->relative && a->field[RAW_COUNTERS_DELTA] != b->field[RAW_COUNTERS_DELTA])
        return false;
    return !a->bitmap.size || a->field[RAW_BITMAP_DELTA] == b->field[RAW_BITMAP_DELTA];
}

/* The word of the function pointers, if they are host-order words that can be compared along with the rest. */
static size_t pointer_word(const struct raw_profile *part)
{
    uint16_t at = part->record->function_ptr;
    return at == RAW_NONE || part->pointer_bytes != 8 || part->swap ? SIZE_MAX : at / 8u;
}

/* Finds how far the first function with an address moved; false: none has one. */
static bool find_slide(const uint8_t *a, const uint8_t *b, size_t n, size_t size, uint64_t *slide)
{
    for (size_t i = 0; i < n; i++, a += size, b += size)
        if (load64(a, false)) {
            *slide = load64(b, false) - load64(a, false);
            return true;
        }
    return false;
}

#define MOST_PAIRS 4u
/* The number of records that are compared without a branch. */
#define COMPARED_RECORDS 16u

/* The bits of the mask in which pair number p of two records differs. */
static inline word_pair pair_difference(const uint8_t *a, const uint8_t *b, word_pair mask, size_t p)
{
    return (load_pair(a + 16 * p) ^ load_pair(b + 16 * p)) & mask;
}

/* The bits in which a function's address is not the reference's, moved by `slide`; null must stay null. */
static inline uint64_t pointer_difference(const uint8_t *a, const uint8_t *b, uint64_t slide)
{
    uint64_t then = load64(a, false), now = load64(b, false);
    return (now ^ (then ? then + slide : 0)) | ((now == 0) ^ (then == 0));
}

/* Compares the bits of the mask in all words, and the function pointers at word `pointer`. Inlined where the number of
 * pairs, 3 or 4, and the mask are known, so that all values stay in registers and the comparison runs as fast as memory
 * is read. */
static ALWAYS_INLINE bool equal_pairs(const uint8_t *a, const uint8_t *b, const uint64_t *mask, size_t n,
                                      size_t pairs, size_t pointer, uint64_t slide)
{
    const word_pair none = {0, 0};
    word_pair bits[MOST_PAIRS] = {none, none, none, none};
    memcpy(bits, mask, pairs * sizeof *bits);
    for (size_t i = 0; i < n;) {
        size_t end = n - i < COMPARED_RECORDS ? n : i + COMPARED_RECORDS;
        word_pair differ = none;
        uint64_t moved = 0;
        for (; i < end; i++, a += 16 * pairs, b += 16 * pairs) {
            differ |= pair_difference(a, b, bits[0], 0) | pair_difference(a, b, bits[1], 1) |
                      pair_difference(a, b, bits[2], 2);
            if (pairs == MOST_PAIRS)
                differ |= pair_difference(a, b, bits[3], 3);
            if (pointer < 2 * pairs)
                moved |= pointer_difference(a + 8 * pointer, b + 8 * pointer, slide);
        }
        if (differ[0] | differ[1] | moved)
            return false;
    }
    return true;
}

/* Compares records of any number of words. */
static bool equal_words(const uint8_t *a, const uint8_t *b, const uint64_t *mask, size_t n, size_t words,
                        size_t pointer, uint64_t slide)
{
    for (size_t i = 0; i < n; i++, a += 8 * words, b += 8 * words) {
        uint64_t differ = pointer < words ? pointer_difference(a + 8 * pointer, b + 8 * pointer, slide) : 0;
        for (size_t w = 0; w < words; w++)
            differ |= (load64(a + 8 * w, false) ^ load64(b + 8 * w, false)) & mask[w];
        if (differ)
            return false;
    }
    return true;
}

/* Compares the records. If the function pointers were compared, sets *slide and *known. */
static bool same_records(const struct shape *s, const struct raw_profile *part, bool *known, uint64_t *slide)
{
    size_t words = s->reference.record->size / 8u, n = s->reference.field[RAW_NUM_DATA];
    const uint8_t *a = s->data, *b = part->file + part->data.at;
    size_t pointer = pointer_word(part);
    if (pointer != SIZE_MAX)
        *known = find_slide(a + 8 * pointer, b + 8 * pointer, n, 8 * words, slide);
    switch (words) {
    case 6: /* versions 5 to 8 */
        return equal_pairs(a, b, s->mask, n, 3, pointer, *slide);
    case 8: /* versions 9 and 10 */
        return equal_pairs(a, b, s->mask, n, 4, pointer, *slide);
    default:
        return equal_words(a, b, s->mask, n, words, pointer, *slide);
    }
}

/* True when the pointers at `p` and `reference` (every `stride` bytes) differ by one constant; null stays null.
 * *slide and *known carry the constant from call to call. */
static bool is_slid(const struct raw_profile *part, const uint8_t *reference, const uint8_t *p, size_t n,
                    size_t stride, bool *known, uint64_t *slide)
{
    uint64_t mask = raw_profile_last_pointer(part);
    for (size_t i = 0; i < n; i++, p += stride, reference += stride) {
        uint64_t a = raw_profile_pointer(part, reference), b = raw_profile_pointer(part, p);
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

static bool slid_by(const struct shape *s, const struct raw_profile *part, uint16_t field, uint64_t by)
{
    bool known = true;
    by &= raw_profile_last_pointer(part);
    return field == RAW_NONE || is_slid(part, s->data + field, part->file + part->data.at + field,
                                        part->field[RAW_NUM_DATA], part->record->size, &known, &by);
}

/* Compares the addresses that same_records has not compared. */
static bool same_addresses(const struct shape *s, const struct raw_profile *part, bool *known,
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
        !is_slid(part, s->data + r->function_ptr, part->file + part->data.at + r->function_ptr,
                 now[RAW_NUM_DATA], r->size, known, slide))
        return false;
    return is_slid(part, s->vtables + 8, part->file + part->vtables.at + 8, now[RAW_NUM_VTABLES],
                   RAW_VTABLE_SIZE(part->pointer_bytes), known, slide);
}

/* Compares hash and size of each vtable; same_addresses has compared the addresses. */
static bool same_vtables(const struct shape *s, const struct raw_profile *part)
{
    unsigned size = RAW_VTABLE_SIZE(part->pointer_bytes), end = 8 + part->pointer_bytes;
    const uint8_t *a = s->vtables, *b = part->file + part->vtables.at;
    for (uint64_t i = 0; i < part->field[RAW_NUM_VTABLES]; i++, a += size, b += size)
        if (memcmp(a, b, 8) != 0 || memcmp(a + end, b + end, 4) != 0)
            return false;
    return !raw_targets_wrap(part);
}

static bool same_bytes(const uint8_t *a, const struct raw_profile *part, const struct raw_section *section)
{
    return section->size == 0 || memcmp(a, part->file + section->at, section->size) == 0;
}

bool shape_matches(const struct shape *s, struct raw_profile *part, uint64_t *slide)
{
    if (part->version->caps & RAW_CAP_MAYBE_RELATIVE)
        part->relative = s->reference.relative; /* without it all records would have to be probed */
    part->no_timestamps = s->reference.no_timestamps;
    bool known = false;
    *slide = 0;
    return same_header(&s->reference, part) && same_records(s, part, &known, slide) &&
           same_bytes(s->names, part, &part->names) &&
           same_bytes(s->vtable_names, part, &part->vtable_names) && same_addresses(s, part, &known, slide) &&
           same_vtables(s, part);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the raw version of an image's objects. Objects of clang's front-end instrumentation do not state it, but each
 * version lays out its records in another way, and only one layout makes sense of a section. */
#include "rt_image.h"

#define FIELD_U64(C, name) uint64_t name;
#define FIELD_U32(C, name) uint32_t name;
#define FIELD_U16(C, name) uint16_t name;
#define FIELD_POINTER(C, name) uintptr_t name;
#define FIELD_SITES(C, n) uint16_t sites[n];
#define RECORD(V)                                                                                            \
    struct record_##V {                                                                                      \
        _Alignas(8) RAW_RECORD_##V(FIELD_U64, FIELD_POINTER, FIELD_U32, FIELD_U16, FIELD_SITES, )            \
    };
RECORD(V4)
RECORD(V9)
RECORD(V10)
RECORD(V11)

#define WORD(C, name) RAW_##name,
#define PINNED __attribute__((unused)) /* if ANYPROF_RT_RAW_VERSION selects another version */
PINNED static const uint8_t header_v7[] = {RAW_HEADER_V7(WORD, )};
PINNED static const uint8_t header_v9[] = {RAW_HEADER_V9(WORD, )};
PINNED static const uint8_t header_v10[] = {RAW_HEADER_V10(WORD, )};
PINNED static const uint8_t header_v11[] = {RAW_HEADER_V11(WORD, )};

#define AT(V, field) offsetof(struct record_##V, field)
#define ROW(number, V, head, n_kinds, is_relative, bitmap, bitmap_bytes)                                     \
    {.version = number,                                                                                      \
     .record_size = sizeof(struct record_##V),                                                               \
     .func_hash = AT(V, func_hash),                                                                          \
     .counter_ptr = AT(V, counter_ptr),                                                                      \
     .bitmap_ptr = bitmap,                                                                                   \
     .function_ptr = AT(V, function_ptr),                                                                    \
     .values = AT(V, values),                                                                                \
     .num_counters = AT(V, num_counters),                                                                    \
     .sites = AT(V, sites),                                                                                  \
     .num_bitmap_bytes = bitmap_bytes,                                                                       \
     .kinds = n_kinds,                                                                                       \
     .relative = is_relative,                                                                                \
     .padded = is_relative,                                                                                  \
     .words = sizeof head,                                                                                   \
     .header = head}

/* The first layout that fits is chosen. Versions 9 and 10 without bitmaps and vtables differ in the header's number
 * only, and 10 has more readers; where there are no records at all (they are found by correlation), every version
 * fits. ANYPROF_RT_RAW_VERSION selects one; the others are not built in. A rule compares the rows with
 * src/instr/layout/raw_versions.c. */
/* Not written: 1, 2, 3, 4, 5, 6; of LLVM 12 and older, or of development versions only. */
static const struct aprt_layout layouts[] = {
#if !defined(ANYPROF_RT_RAW_VERSION) || ANYPROF_RT_RAW_VERSION == 10
    ROW(10, V10, header_v10, 3, 1, AT(V10, bitmap_ptr), AT(V10, num_bitmap_bytes)),
#endif
#if !defined(ANYPROF_RT_RAW_VERSION) || ANYPROF_RT_RAW_VERSION == 11
    ROW(11, V11, header_v11, 3, 1, AT(V11, bitmap_ptr), AT(V11, num_bitmap_bytes)),
#endif
#if !defined(ANYPROF_RT_RAW_VERSION) || ANYPROF_RT_RAW_VERSION == 9
    ROW(9, V9, header_v9, 2, 1, AT(V9, bitmap_ptr), AT(V9, num_bitmap_bytes)),
#endif
#if !defined(ANYPROF_RT_RAW_VERSION) || ANYPROF_RT_RAW_VERSION == 8
    ROW(8, V4, header_v7, 2, 1, 0, 0),
#endif
#if !defined(ANYPROF_RT_RAW_VERSION) || ANYPROF_RT_RAW_VERSION == 7
    ROW(7, V4, header_v7, 2, 0, 0, 0),
#endif
};

const struct aprt_layout *aprt_layout_of(uint64_t format)
{
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        if (layouts[i].version == format)
            return &layouts[i];
    }
    return NULL;
}

/* How many bytes of a section the records claim, and the highest end. */
struct claims {
    size_t bytes, end;
};

/* Claims n bytes at `offset`, which may be "negative". 0: they are not inside the section. */
static int claim_bytes(struct claims *claims, uintptr_t offset, size_t n, size_t section)
{
    if (n > section || offset > section - n)
        return 0;
    claims->bytes += n;
    claims->end = offset + n > claims->end ? offset + n : claims->end;
    return 1;
}

/* Returns whether the layout makes sense of each record: a function has a counter, its counters and bitmap are inside
 * their sections, and all functions together have no more counters than the section (they may have fewer: linkers
 * leave holes). Bitmaps that no record claims mean that the number of bitmap bytes is at another offset. */
static int layout_fits(const struct aprt_layout *layout, struct aprt_image *image)
{
    size_t size = layout->record_size, entry = aprt_counter_size(image), sites = 0, indexed = 0;
    size_t counters_size = image->counters_size, most = counters_size / entry;
    struct claims counters = {0, 0}, bitmaps = {0, 0};
    const uint8_t *record = image->data;
    /* Added to a pointer, `base` gives an offset into the counters: the address from which pointers count, minus the
     * start of the counters. */
    uintptr_t base = (layout->relative ? (uintptr_t)record : 0) - (uintptr_t)image->counters;
    uintptr_t bitmap = (uintptr_t)image->counters - (uintptr_t)image->bitmap;
    /* The linker leaves out the padding of the last record. */
    size_t n = (image->data_size + size - 1) / size;
    if (n * size - image->data_size > 4)
        return 0;
    for (size_t i = 0; i < n; i++, record += size, base += layout->relative ? size : 0) {
        __builtin_prefetch(record + 1024); /* hardware prefetchers stop at page boundaries */
        size_t wants = aprt_u32(record + layout->num_counters);
        if (wants - 1 >= most || !claim_bytes(&counters, aprt_pointer(record + layout->counter_ptr) + base,
                                              wants * entry, counters_size))
            return 0;
        size_t more = aprt_record_sites(layout, record);
        if (RT_SITE_INDEX && more && image->with_sites)
            image->with_sites[indexed++] = (uint32_t)i;
        sites += more;
        wants = layout->num_bitmap_bytes ? aprt_u32(record + layout->num_bitmap_bytes) : 0;
        if (wants && !claim_bytes(&bitmaps, aprt_pointer(record + layout->bitmap_ptr) + base + bitmap, wants,
                                  image->bitmap_size))
            return 0;
    }
    image->num_data = n;
    image->num_sites = sites;
    image->num_with_sites = indexed;
    image->counters_used = counters.end;
    image->bitmap_used = bitmaps.end;
    return counters.bytes <= counters_size && (n == 0 || (bitmaps.bytes != 0) == (image->bitmap_size != 0));
}

enum aprt_found aprt_layout_choose(struct aprt_image *image, uint64_t said)
{
    uint64_t format = said & RT_FORMAT_BITS;
    enum aprt_found found = format ? RT_NEW_VERSION : RT_NO_LAYOUT;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        const struct aprt_layout *layout = &layouts[i];
        if (format && format != layout->version)
            continue;
        found = RT_NO_LAYOUT;
        image->version = (said & ~RT_FORMAT_BITS) | layout->version;
        if (layout_fits(layout, image)) {
            image->layout = layout;
            return RT_FOUND;
        }
    }
    return found;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sections of an instrumented image, and how a raw version lays them out. Part of the freestanding core: includes
 * stdint and stddef only. */
#ifndef RT_IMAGE_H
#define RT_IMAGE_H

#include "instr/layout/raw_layout.h"

#include <stddef.h>
#include <stdint.h>

/* Hidden: each executable and each shared library has its own copy of the runtime, for its own sections. */
#define RT_HIDDEN __attribute__((visibility("hidden")))
#define RT_WEAK __attribute__((weak))

/* Large objects are placed after all others, so that small variables share pages: each page that a tiny program
 * touches is a part of its run time. Common symbols cannot be static. */
#define RT_LARGE __attribute__((common))

/* Whether a weak symbol is defined; `address` is a function or &object. gold resolves hidden undefined symbols of
 * position-independent images to the start of the image, where the ELF header is. */
extern const char aprt_image_start[] __asm__("__ehdr_start") RT_WEAK RT_HIDDEN;
#define RT_LINKED(address) ((uintptr_t)(address) != 0 && (uintptr_t)(address) != (uintptr_t)aprt_image_start)

/* Bits of the version word. */
#define RT_FORMAT_BITS UINT64_C(0xffffffff)
#define RT_BYTE_COVERAGE (UINT64_C(1) << 60)
#define RT_TEMPORAL (UINT64_C(1) << 63)

/* A raw version, of this target's pointer width. Offsets are from the start of a record; 0: the version does not have
 * the field (offset 0 is the name's hash). */
struct aprt_layout {
    uint8_t version, record_size, func_hash, counter_ptr, bitmap_ptr, function_ptr, values, num_counters,
        sites, num_bitmap_bytes, kinds;
    uint8_t relative; /* CounterPtr and BitmapPtr are relative to the record */
    uint8_t padded;   /* binary ids and counters are padded to 8 bytes (since 8) */
    uint8_t words;    /* number of header words after the version word: enum raw_header_field */
    const uint8_t *header;
};

/* The sections of one image. An absent section has size 0. */
struct aprt_image {
    const struct aprt_layout *layout;
    uint64_t version; /* the version word as it is written */
    const uint8_t *data;
    uint8_t *counters, *bitmap;
    const uint8_t *names, *vtables, *vtable_names;
    size_t data_size, counters_size, bitmap_size, names_size, vtables_size, vtable_names_size;
    size_t num_data;  /* rounded up: the linker may leave out the padding of the last record */
    size_t num_sites; /* value sites of all records */
    /* The indices of the records that have value sites; NULL: there is no such index, all records have to be
     * examined. */
    uint32_t *with_sites;
    size_t num_with_sites;
    unsigned site_changes; /* how often the program has changed the number of sites of a record */
    /* Where the counts are: in the sections above, in continuous mode's file, or in a copy that is written. */
    uint8_t *counters_now, *bitmap_now;
    struct aprt_node *const
        *lists_copy; /* one for each site, in the order of the records; NULL: the live ones */
    size_t pad_before_counters, pad_after_counters,
        pad_after_bitmap;              /* as written; 0: up to the next 8 bytes */
    size_t counters_used, bitmap_used; /* up to the end of the last counter or bitmap byte of a record */
    size_t counters_room, bitmap_room; /* size of the sections, which rt_live.c enlarges */
    const struct aprt_node *nodes_end; /* end of the live nodes that are written; NULL: all used nodes */
};

/* A node of a list of values, as compilers lay it out. */
struct aprt_node {
    uint64_t value, count;
    struct aprt_node *next;
};

enum { RT_MOST_VALUES = 255 }; /* per site: the format has a byte for the number */

enum aprt_found {
    RT_FOUND,
    RT_NO_LAYOUT,   /* the records are of no known raw version, or of several */
    RT_NEW_VERSION, /* the objects state a version that is not known */
};

/* Objects that were compiled for continuous mode add these to the addresses of their counters and bitmaps. */
extern intptr_t __llvm_profile_counter_bias RT_WEAK RT_HIDDEN;
extern intptr_t __llvm_profile_bitmap_bias RT_WEAK RT_HIDDEN;

/* Fills an image from the linker's section bounds. The first call examines each record; later ones are cheap. */
RT_HIDDEN enum aprt_found aprt_image_find(struct aprt_image *image);

/* Chooses the layout that fits the sections; `said` is the version word of the objects, or 0 if they have none. */
RT_HIDDEN enum aprt_found aprt_layout_choose(struct aprt_image *image, uint64_t said);

/* The layout of a raw version; NULL: not known, or not built in. */
RT_HIDDEN const struct aprt_layout *aprt_layout_of(uint64_t format);

/* Offset of the value lists in a record. 0: not determined yet; RT_NO_VALUES: the layout is not known. */
RT_HIDDEN extern uint8_t aprt_values_at;
enum { RT_NO_VALUES = 255 };

/* Sets aprt_values_at. */
RT_HIDDEN void aprt_values_find(void);

static inline uint64_t aprt_u64(const uint8_t *at)
{
    uint64_t v;
    __builtin_memcpy(&v, at, sizeof v);
    return v;
}

static inline void aprt_set_u64(uint8_t *at, uint64_t v)
{
    __builtin_memcpy(at, &v, sizeof v);
}

static inline void aprt_add_u64(uint8_t *at, uint64_t v)
{
    aprt_set_u64(at, aprt_u64(at) + v);
}

static inline uint32_t aprt_u32(const uint8_t *at)
{
    uint32_t v;
    __builtin_memcpy(&v, at, sizeof v);
    return v;
}

static inline uint16_t aprt_u16(const uint8_t *at)
{
    uint16_t v;
    __builtin_memcpy(&v, at, sizeof v);
    return v;
}

static inline uintptr_t aprt_pointer(const uint8_t *at)
{
    uintptr_t v;
    __builtin_memcpy(&v, at, sizeof v);
    return v;
}

/* The number of value sites of a record. */
static inline size_t aprt_record_sites(const struct aprt_layout *layout, const uint8_t *record)
{
    const uint8_t *at = record + layout->sites;
    size_t sites = (size_t)aprt_u16(at) + aprt_u16(at + 2);
    return layout->kinds > 2 ? sites + aprt_u16(at + 4) : sites;
}

#ifdef ANYPROF_RT_HOSTED
/* Returns whether this image is a shared library, which may be unloaded. */
RT_HIDDEN int aprt_image_is_library(void);

/* Called after the program has changed the number of sites of a record; `more` may be "negative". */
RT_HIDDEN void aprt_image_change_sites(size_t more);

enum { RT_SITE_INDEX = 1 };
#else
enum { RT_SITE_INDEX = 0 }; /* the core has no memory for the index of records with sites */
#endif

/* The number of records to examine for value sites. */
static inline size_t aprt_site_records(const struct aprt_image *image)
{
    return RT_SITE_INDEX && image->with_sites ? image->num_with_sites : image->num_data;
}

static inline const uint8_t *aprt_site_record(const struct aprt_image *image, size_t i)
{
    return image->data +
           (RT_SITE_INDEX && image->with_sites ? image->with_sites[i] : i) * image->layout->record_size;
}

static inline size_t aprt_counter_size(const struct aprt_image *image)
{
    return image->version & RT_BYTE_COVERAGE ? 1 : 8;
}

static inline size_t aprt_pad8(size_t n)
{
    return -n & 7;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw profiles of every version, pointer width and byte order, written from the specification of the format alone:
 * nothing of src/instr is used, so that reader and builder do not share a mistake.
 *
 * * A test declares a struct rb_profile and appends it to a struct rb_file, which may hold several; it keeps the
 * offsets of all parts, for tests that damage them. */
#ifndef HELPERS_SHARED_RAW_BUILD_H
#define HELPERS_SHARED_RAW_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Variant bits of the version word. */
#define RB_LOOP_ENTRIES ((uint64_t)1 << 55)
#define RB_IR ((uint64_t)1 << 56)
#define RB_CS ((uint64_t)1 << 57)
#define RB_ENTRY_FIRST ((uint64_t)1 << 58)
#define RB_CORRELATE ((uint64_t)1 << 59)
#define RB_BYTES ((uint64_t)1 << 60)
#define RB_ENTRY_ONLY ((uint64_t)1 << 61)
#define RB_TEMPORAL ((uint64_t)1 << 63)

#define RB_KINDS 3
#define RB_NEWEST 11u

/* A value of a site. Targets and vtables are addresses that move with the program, unless `fixed`. */
struct rb_pair {
    uint64_t value, count;
    bool fixed;
};

struct rb_site {
    const struct rb_pair *pairs;
    unsigned n; /* at most 255 */
};

struct rb_function {
    const char *name; /* its id is the MD5 of it */
    uint64_t hash;
    const uint64_t *counts;
    uint32_t n_counts;
    uint64_t address; /* at link time; 0: not recorded */
    const uint8_t *bitmap;
    uint32_t n_bitmap;
    const uint64_t *uniform; /* n_counts of them, where the profile has uniform counters */
    uint64_t timestamp;      /* of a temporal profile */
    const struct rb_site *sites[RB_KINDS];
    uint16_t n_sites[RB_KINDS];
    uint32_t gap;       /* unowned counter entries before its own */
    uint32_t same_as;   /* 1 + number of the function whose counters it uses */
    bool unnamed;       /* its name is not in the names section (from version 3) */
    bool zero;          /* a record of zeros, padding between objects: nothing else counts */
    uint32_t announced; /* sites of kind 0 that the record announces, when not as many as there are; + 1 */
};

struct rb_vtable {
    const char *name;
    uint64_t address;
    uint32_t size;
};

struct rb_bytes {
    const void *p;
    size_t n;
};

struct rb_profile {
    unsigned version;
    unsigned bytes; /* of a pointer: 8 or 4 */
    bool big;       /* byte order */
    uint64_t variant;
    const struct rb_function *functions;
    size_t n_functions;
    const struct rb_vtable *vtables;
    size_t n_vtables;
    const struct rb_bytes *ids;
    size_t n_ids;
    const char *const *more_names; /* of functions that have no record */
    size_t n_more_names;
    unsigned chunks;      /* parts of the names section; 0 means 1. Zeros lie between them */
    unsigned zlib;        /* 0: plain names, 1: compressed, 2: every other chunk */
    uint64_t load;        /* where the program was loaded: added to every address */
    int64_t distance;     /* from version 8: counters minus data; 0: some positive number */
    unsigned pad_before;  /* zeros between data and counters (version 5 to 11) */
    unsigned pad_more;    /* additional zeros after the counters, as on Darwin */
    unsigned kinds;       /* ValueKindLast + 1; 0: what the version's newest producer writes */
    bool relative;        /* version 7 with the counter pointers of version 8 */
    bool cut_to_32;       /* 64-bit Windows: distances and relative pointers are cut to 32 bits */
    bool no_values;       /* the announced value data is not written */
    bool no_padding;      /* nothing after the counters (LLVM 10 to 16) */
    bool no_timestamps;   /* temporal byte coverage of function entries, which has no timestamps */
    bool uniform;         /* there are uniform counters (version 11) */
    unsigned value_slack; /* bytes more that each value block has than it needs, a multiple of 8 */
};

/* Offsets of the parts of a profile in the file. */
struct rb_places {
    size_t start, ids, data, counters, bitmap, uniform, names, vtables, vtable_names, values, end;
};

struct rb_file {
    uint8_t *data;
    size_t n, capacity;
    bool big;
};

/* Header words, by the names of the specification. */
enum rb_word {
    RB_IDS_SIZE,
    RB_NUM_DATA,
    RB_PAD_BEFORE,
    RB_NUM_COUNTERS,
    RB_PAD_COUNTERS,
    RB_NUM_BITMAP,
    RB_PAD_BITMAP,
    RB_NUM_UNIFORM,
    RB_PAD_UNIFORM,
    RB_UNIFORM_DELTA,
    RB_NAMES_SIZE,
    RB_COUNTERS_DELTA,
    RB_BITMAP_DELTA,
    RB_NAMES_DELTA,
    RB_NUM_VTABLES,
    RB_VNAMES_SIZE,
    RB_KIND_LAST,
    RB_VALUE_SIZE,
    RB_VALUE_DELTA,
    RB_WORDS
};

/* Fields of the data record. */
enum rb_field {
    RB_NAME_SIZE,
    RB_NUM_COUNTS,
    RB_NAME_REF,
    RB_FUNC_HASH,
    RB_NAME_PTR,
    RB_COUNTER_PTR,
    RB_UNIFORM_PTR,
    RB_BITMAP_PTR,
    RB_FUNCTION_PTR,
    RB_VALUES,
    RB_SITES,
    RB_WAVE_SIZE,
    RB_BITMAP_BYTES,
    RB_RECORD_SIZE, /* no field: the size of the record */
    RB_FIELDS
};

#define RB_ABSENT ((size_t)-1)

/* Offset in the header; RB_ABSENT where the version has no such word. */
size_t rb_word_at(unsigned version, enum rb_word word);
size_t rb_header_size(unsigned version);
/* Offset in the record; RB_ABSENT where the version has no such field. */
size_t rb_field_at(unsigned version, unsigned bytes, enum rb_field field);
/* The number of kinds of values in records of the version's newest producer. */
unsigned rb_kinds(unsigned version);
/* First 8 bytes of the name's MD5, as a little-endian number. */
uint64_t rb_id(const char *name);

/* Appends a profile to a file, which begins all zero. `places` may be NULL. Fails the test when an allocation fails. */
void rb_append(struct rb_file *file, const struct rb_profile *p, struct rb_places *places);
void rb_append_bytes(struct rb_file *file, const void *p, size_t n);
void rb_append_zeros(struct rb_file *file, size_t n);
void rb_free(struct rb_file *file);

/* A number of `bytes` bytes in the byte order of the profile that was appended last. */
void rb_put(struct rb_file *file, size_t at, unsigned bytes, uint64_t v);
uint64_t rb_get(const struct rb_file *file, size_t at, unsigned bytes);

#endif

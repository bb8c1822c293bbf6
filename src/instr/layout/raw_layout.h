/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fields of raw profiles, version by version: the only place where they are listed.
 *
 * Self-contained (stdint and stddef only), so that a profile runtime can include it and nothing else of src/.
 * Sources: the format changed with LLVM 3.8 (2), 3.9 (4), 10 (5), 13 (7), 14 (8), 18 (9), 19 (10) and 23 (11);
 * 3 and 6 existed in development versions only. */
#ifndef INSTR_RAW_LAYOUT_H
#define INSTR_RAW_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* Every field a header can have, each a 64-bit word: name, dotted path for messages. */
#define RAW_HEADER_FIELDS(X)                                                                                 \
    X(BINARY_IDS_SIZE, "raw.header.binary_ids_size")                                                         \
    X(NUM_DATA, "raw.header.num_data")                                                                       \
    X(PAD_BEFORE_COUNTERS, "raw.header.padding_before_counters")                                             \
    X(NUM_COUNTERS, "raw.header.num_counters")                                                               \
    X(PAD_AFTER_COUNTERS, "raw.header.padding_after_counters")                                               \
    X(NUM_BITMAP_BYTES, "raw.header.num_bitmap_bytes")                                                       \
    X(PAD_AFTER_BITMAP, "raw.header.padding_after_bitmap")                                                   \
    X(NUM_UNIFORM, "raw.header.num_uniform_counters")                                                        \
    X(PAD_AFTER_UNIFORM, "raw.header.padding_after_uniform_counters")                                        \
    X(UNIFORM_DELTA, "raw.header.uniform_counters_delta")                                                    \
    X(NAMES_SIZE, "raw.header.names_size")                                                                   \
    X(COUNTERS_DELTA, "raw.header.counters_delta")                                                           \
    X(BITMAP_DELTA, "raw.header.bitmap_delta")                                                               \
    X(NAMES_DELTA, "raw.header.names_delta")                                                                 \
    X(NUM_VTABLES, "raw.header.num_vtables")                                                                 \
    X(VNAMES_SIZE, "raw.header.vtable_names_size")                                                           \
    X(VALUE_KIND_LAST, "raw.header.value_kind_last")                                                         \
    X(VALUE_DATA_SIZE, "raw.header.value_data_size")                                                         \
    X(VALUE_DATA_DELTA, "raw.header.value_data_delta")

enum raw_header_field {
#define RAW_FIELD_ENUM(name, path) RAW_##name,
    RAW_HEADER_FIELDS(RAW_FIELD_ENUM)
#undef RAW_FIELD_ENUM
        RAW_HEADER_FIELD_COUNT
};

/* Header words in file order, after the magic and the version word: X(C, word). C is any argument that X needs. */
#define RAW_HEADER_V1(X, C)                                                                                  \
    X(C, NUM_DATA) X(C, NUM_COUNTERS) X(C, NAMES_SIZE) X(C, COUNTERS_DELTA) X(C, NAMES_DELTA)
#define RAW_HEADER_V2(X, C)                                                                                  \
    RAW_HEADER_V1(X, C) X(C, VALUE_KIND_LAST) X(C, VALUE_DATA_SIZE) X(C, VALUE_DATA_DELTA)
#define RAW_HEADER_V4(X, C) RAW_HEADER_V1(X, C) X(C, VALUE_KIND_LAST)
#define RAW_HEADER_V5(X, C)                                                                                  \
    X(C, NUM_DATA)                                                                                           \
    X(C, PAD_BEFORE_COUNTERS)                                                                                \
    X(C, NUM_COUNTERS)                                                                                       \
    X(C, PAD_AFTER_COUNTERS) X(C, NAMES_SIZE) X(C, COUNTERS_DELTA) X(C, NAMES_DELTA) X(C, VALUE_KIND_LAST)
#define RAW_HEADER_V6(X, C) RAW_HEADER_V5(X, C) X(C, BINARY_IDS_SIZE)
#define RAW_HEADER_V7(X, C) X(C, BINARY_IDS_SIZE) RAW_HEADER_V5(X, C)
/* The words of versions 9 and later up to the bitmap section, and those of versions 10 and later from the names on. */
#define RAW_HEADER_TO_BITMAP(X, C)                                                                           \
    X(C, BINARY_IDS_SIZE)                                                                                    \
    X(C, NUM_DATA)                                                                                           \
    X(C, PAD_BEFORE_COUNTERS)                                                                                \
    X(C, NUM_COUNTERS) X(C, PAD_AFTER_COUNTERS) X(C, NUM_BITMAP_BYTES) X(C, PAD_AFTER_BITMAP)
#define RAW_HEADER_FROM_NAMES(X, C)                                                                          \
    X(C, NAMES_SIZE)                                                                                         \
    X(C, COUNTERS_DELTA)                                                                                     \
    X(C, BITMAP_DELTA) X(C, NAMES_DELTA) X(C, NUM_VTABLES) X(C, VNAMES_SIZE) X(C, VALUE_KIND_LAST)
#define RAW_HEADER_V9(X, C)                                                                                  \
    RAW_HEADER_TO_BITMAP(X, C)                                                                               \
    X(C, NAMES_SIZE) X(C, COUNTERS_DELTA) X(C, BITMAP_DELTA) X(C, NAMES_DELTA) X(C, VALUE_KIND_LAST)
#define RAW_HEADER_V10(X, C) RAW_HEADER_TO_BITMAP(X, C) RAW_HEADER_FROM_NAMES(X, C)
#define RAW_HEADER_V11(X, C)                                                                                 \
    RAW_HEADER_TO_BITMAP(X, C)                                                                               \
    X(C, NUM_UNIFORM) X(C, PAD_AFTER_UNIFORM) X(C, UNIFORM_DELTA) RAW_HEADER_FROM_NAMES(X, C)

/* Fields of a data record in file order, as U64(C, field), U32(C, field), U16(C, field), PTR(C, field) or SITES(C,
 * kinds). PTR is as wide as the program's pointers; SITES is an array of 16-bit numbers, one for each kind. The struct
 * rules of C give the offsets. */
#define RAW_RECORD_V1(U64, PTR, U32, U16, SITES, C)                                                          \
    U32(C, name_size) U32(C, num_counters) U64(C, func_hash) PTR(C, name_ptr) PTR(C, counter_ptr)
#define RAW_RECORD_V2(U64, PTR, U32, U16, SITES, C)                                                          \
    U32(C, name_size)                                                                                        \
    U32(C, num_counters)                                                                                     \
    U64(C, func_hash)                                                                                        \
    PTR(C, name_ptr) PTR(C, counter_ptr) PTR(C, function_ptr) PTR(C, values) SITES(C, 1)
#define RAW_RECORD_V4(U64, PTR, U32, U16, SITES, C)                                                          \
    U64(C, name_ref)                                                                                         \
    U64(C, func_hash)                                                                                        \
    PTR(C, counter_ptr) PTR(C, function_ptr) PTR(C, values) U32(C, num_counters) SITES(C, 2)
#define RAW_RECORD_V9(U64, PTR, U32, U16, SITES, C)                                                          \
    U64(C, name_ref)                                                                                         \
    U64(C, func_hash)                                                                                        \
    PTR(C, counter_ptr)                                                                                      \
    PTR(C, bitmap_ptr)                                                                                       \
    PTR(C, function_ptr) PTR(C, values) U32(C, num_counters) SITES(C, 2) U32(C, num_bitmap_bytes)
#define RAW_RECORD_V10(U64, PTR, U32, U16, SITES, C)                                                         \
    U64(C, name_ref)                                                                                         \
    U64(C, func_hash)                                                                                        \
    PTR(C, counter_ptr)                                                                                      \
    PTR(C, bitmap_ptr)                                                                                       \
    PTR(C, function_ptr) PTR(C, values) U32(C, num_counters) SITES(C, 3) U32(C, num_bitmap_bytes)
#define RAW_RECORD_V11(U64, PTR, U32, U16, SITES, C)                                                         \
    U64(C, name_ref)                                                                                         \
    U64(C, func_hash)                                                                                        \
    PTR(C, counter_ptr)                                                                                      \
    PTR(C, uniform_ptr)                                                                                      \
    PTR(C, bitmap_ptr)                                                                                       \
    PTR(C, function_ptr)                                                                                     \
    PTR(C, values) U32(C, num_counters) SITES(C, 3) U16(C, offload_device_wave_size) U32(C, num_bitmap_bytes)

/* A vtable record: u64 name hash, pointer, u32 size. */
#define RAW_VTABLE_SIZE(pointer_bytes) ((pointer_bytes) == 8 ? 24u : 16u)

#endif

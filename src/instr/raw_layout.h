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

/* Header words in file order, after the magic and the version word. */
#define RAW_HEADER_V1(X) X(NUM_DATA) X(NUM_COUNTERS) X(NAMES_SIZE) X(COUNTERS_DELTA) X(NAMES_DELTA)
#define RAW_HEADER_V2(X) RAW_HEADER_V1(X) X(VALUE_KIND_LAST) X(VALUE_DATA_SIZE) X(VALUE_DATA_DELTA)
#define RAW_HEADER_V4(X) RAW_HEADER_V1(X) X(VALUE_KIND_LAST)
#define RAW_HEADER_V5(X)                                                                                     \
    X(NUM_DATA)                                                                                              \
    X(PAD_BEFORE_COUNTERS)                                                                                   \
    X(NUM_COUNTERS) X(PAD_AFTER_COUNTERS) X(NAMES_SIZE) X(COUNTERS_DELTA) X(NAMES_DELTA) X(VALUE_KIND_LAST)
#define RAW_HEADER_V6(X) RAW_HEADER_V5(X) X(BINARY_IDS_SIZE)
#define RAW_HEADER_V7(X) X(BINARY_IDS_SIZE) RAW_HEADER_V5(X)
#define RAW_HEADER_V9(X)                                                                                     \
    X(BINARY_IDS_SIZE)                                                                                       \
    X(NUM_DATA)                                                                                              \
    X(PAD_BEFORE_COUNTERS)                                                                                   \
    X(NUM_COUNTERS)                                                                                          \
    X(PAD_AFTER_COUNTERS)                                                                                    \
    X(NUM_BITMAP_BYTES)                                                                                      \
    X(PAD_AFTER_BITMAP)                                                                                      \
    X(NAMES_SIZE) X(COUNTERS_DELTA) X(BITMAP_DELTA) X(NAMES_DELTA) X(VALUE_KIND_LAST)
#define RAW_HEADER_V10(X)                                                                                    \
    X(BINARY_IDS_SIZE)                                                                                       \
    X(NUM_DATA)                                                                                              \
    X(PAD_BEFORE_COUNTERS)                                                                                   \
    X(NUM_COUNTERS)                                                                                          \
    X(PAD_AFTER_COUNTERS)                                                                                    \
    X(NUM_BITMAP_BYTES)                                                                                      \
    X(PAD_AFTER_BITMAP)                                                                                      \
    X(NAMES_SIZE)                                                                                            \
    X(COUNTERS_DELTA) X(BITMAP_DELTA) X(NAMES_DELTA) X(NUM_VTABLES) X(VNAMES_SIZE) X(VALUE_KIND_LAST)
#define RAW_HEADER_V11(X)                                                                                    \
    X(BINARY_IDS_SIZE)                                                                                       \
    X(NUM_DATA)                                                                                              \
    X(PAD_BEFORE_COUNTERS)                                                                                   \
    X(NUM_COUNTERS)                                                                                          \
    X(PAD_AFTER_COUNTERS)                                                                                    \
    X(NUM_BITMAP_BYTES)                                                                                      \
    X(PAD_AFTER_BITMAP)                                                                                      \
    X(NUM_UNIFORM)                                                                                           \
    X(PAD_AFTER_UNIFORM)                                                                                     \
    X(UNIFORM_DELTA)                                                                                         \
    X(NAMES_SIZE)                                                                                            \
    X(COUNTERS_DELTA) X(BITMAP_DELTA) X(NAMES_DELTA) X(NUM_VTABLES) X(VNAMES_SIZE) X(VALUE_KIND_LAST)

/* Data records in file order: U64(field) U32(field) U16(field) PTR(field) SITES(how many kinds). PTR is as wide as
 * the program's pointers; the struct rules of C give the offsets. */
#define RAW_RECORD_V1(U64, PTR, U32, U16, SITES)                                                             \
    U32(name_size) U32(num_counters) U64(func_hash) PTR(name_ptr) PTR(counter_ptr)
#define RAW_RECORD_V2(U64, PTR, U32, U16, SITES)                                                             \
    U32(name_size)                                                                                           \
    U32(num_counters)                                                                                        \
    U64(func_hash)                                                                                           \
    PTR(name_ptr) PTR(counter_ptr) PTR(function_ptr) PTR(values) SITES(1)
#define RAW_RECORD_V4(U64, PTR, U32, U16, SITES)                                                             \
    U64(name_ref)                                                                                            \
    U64(func_hash)                                                                                           \
    PTR(counter_ptr) PTR(function_ptr) PTR(values) U32(num_counters) SITES(2)
#define RAW_RECORD_V9(U64, PTR, U32, U16, SITES)                                                             \
    U64(name_ref)                                                                                            \
    U64(func_hash)                                                                                           \
    PTR(counter_ptr)                                                                                         \
    PTR(bitmap_ptr) PTR(function_ptr) PTR(values) U32(num_counters) SITES(2) U32(num_bitmap_bytes)
#define RAW_RECORD_V10(U64, PTR, U32, U16, SITES)                                                            \
    U64(name_ref)                                                                                            \
    U64(func_hash)                                                                                           \
    PTR(counter_ptr)                                                                                         \
    PTR(bitmap_ptr) PTR(function_ptr) PTR(values) U32(num_counters) SITES(3) U32(num_bitmap_bytes)
#define RAW_RECORD_V11(U64, PTR, U32, U16, SITES)                                                            \
    U64(name_ref)                                                                                            \
    U64(func_hash)                                                                                           \
    PTR(counter_ptr)                                                                                         \
    PTR(uniform_ptr)                                                                                         \
    PTR(bitmap_ptr)                                                                                          \
    PTR(function_ptr)                                                                                        \
    PTR(values) U32(num_counters) SITES(3) U16(offload_device_wave_size) U32(num_bitmap_bytes)

#define RAW_RECORD_LAYOUTS(X) X(V1) X(V2) X(V4) X(V9) X(V10) X(V11)

/* A vtable record: u64 name hash, pointer, u32 size. */
#define RAW_VTABLE_SIZE(pointer_bytes) ((pointer_bytes) == 8 ? 24u : 16u)

#endif

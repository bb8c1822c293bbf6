/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/raw_versions.h"

/* The records as C structs, once for each pointer width: offsetof gives the offsets. */
#define FIELD_U64(name) uint64_t name;
#define FIELD_U32(name) uint32_t name;
#define FIELD_U16(name) uint16_t name;
#define FIELD_SITES(n) uint16_t sites[n];
#define RECORD_STRUCTS(V)                                                                                    \
    struct record64_##V {                                                                                    \
        _Alignas(8) RAW_RECORD_##V(FIELD_U64, FIELD_U64, FIELD_U32, FIELD_U16, FIELD_SITES)                  \
    };                                                                                                       \
    struct record32_##V {                                                                                    \
        _Alignas(8) RAW_RECORD_##V(FIELD_U64, FIELD_U32, FIELD_U32, FIELD_U16, FIELD_SITES)                  \
    };
RAW_RECORD_LAYOUTS(RECORD_STRUCTS)

#define AT64(V, field) offsetof(struct record64_##V, field)
#define AT32(V, field) offsetof(struct record32_##V, field)

#define RECORD_V1(B, A)                                                                                      \
    {.size = sizeof(struct record##B##_V1),                                                                  \
     .name_ref = RAW_NONE,                                                                                   \
     .name_size = A(V1, name_size),                                                                          \
     .num_counters = A(V1, num_counters),                                                                    \
     .func_hash = A(V1, func_hash),                                                                          \
     .name_ptr = A(V1, name_ptr),                                                                            \
     .counter_ptr = A(V1, counter_ptr),                                                                      \
     .uniform_ptr = RAW_NONE,                                                                                \
     .bitmap_ptr = RAW_NONE,                                                                                 \
     .function_ptr = RAW_NONE,                                                                               \
     .values = RAW_NONE,                                                                                     \
     .sites = RAW_NONE,                                                                                      \
     .num_bitmap_bytes = RAW_NONE,                                                                           \
     .kinds = 0}
#define RECORD_V2(B, A)                                                                                      \
    {.size = sizeof(struct record##B##_V2),                                                                  \
     .name_ref = RAW_NONE,                                                                                   \
     .name_size = A(V2, name_size),                                                                          \
     .num_counters = A(V2, num_counters),                                                                    \
     .func_hash = A(V2, func_hash),                                                                          \
     .name_ptr = A(V2, name_ptr),                                                                            \
     .counter_ptr = A(V2, counter_ptr),                                                                      \
     .uniform_ptr = RAW_NONE,                                                                                \
     .bitmap_ptr = RAW_NONE,                                                                                 \
     .function_ptr = A(V2, function_ptr),                                                                    \
     .values = A(V2, values),                                                                                \
     .sites = A(V2, sites),                                                                                  \
     .num_bitmap_bytes = RAW_NONE,                                                                           \
     .kinds = 1}
#define RECORD_LATER(V, B, A, uniform, bitmap, bitmap_bytes, n)                                              \
    {.size = sizeof(struct record##B##_##V),                                                                 \
     .name_ref = A(V, name_ref),                                                                             \
     .name_size = RAW_NONE,                                                                                  \
     .num_counters = A(V, num_counters),                                                                     \
     .func_hash = A(V, func_hash),                                                                           \
     .name_ptr = RAW_NONE,                                                                                   \
     .counter_ptr = A(V, counter_ptr),                                                                       \
     .uniform_ptr = uniform,                                                                                 \
     .bitmap_ptr = bitmap,                                                                                   \
     .function_ptr = A(V, function_ptr),                                                                     \
     .values = A(V, values),                                                                                 \
     .sites = A(V, sites),                                                                                   \
     .num_bitmap_bytes = bitmap_bytes,                                                                       \
     .kinds = n}
#define RECORD_V4(B, A) RECORD_LATER(V4, B, A, RAW_NONE, RAW_NONE, RAW_NONE, 2)
#define RECORD_V9(B, A) RECORD_LATER(V9, B, A, RAW_NONE, A(V9, bitmap_ptr), A(V9, num_bitmap_bytes), 2)
#define RECORD_V10(B, A) RECORD_LATER(V10, B, A, RAW_NONE, A(V10, bitmap_ptr), A(V10, num_bitmap_bytes), 3)
#define RECORD_V11(B, A)                                                                                     \
    RECORD_LATER(V11, B, A, A(V11, uniform_ptr), A(V11, bitmap_ptr), A(V11, num_bitmap_bytes), 3)

/* The headers as C structs of words; a field that is absent from a version has offset 0 in the table below. */
#define WORD(name) uint64_t RAW_##name##_word;
#define HEADER_STRUCT(V)                                                                                     \
    struct header_##V {                                                                                      \
        uint64_t magic, version;                                                                             \
        RAW_HEADER_##V(WORD)                                                                                 \
    };
HEADER_STRUCT(V1)
HEADER_STRUCT(V2)
HEADER_STRUCT(V4)
HEADER_STRUCT(V5)
HEADER_STRUCT(V6)
HEADER_STRUCT(V7)
HEADER_STRUCT(V9)
HEADER_STRUCT(V10)
HEADER_STRUCT(V11)

#define IN_V(V, name) [RAW_##name] = offsetof(struct header_##V, RAW_##name##_word),
#define IN_V1(name) IN_V(V1, name)
#define IN_V2(name) IN_V(V2, name)
#define IN_V4(name) IN_V(V4, name)
#define IN_V5(name) IN_V(V5, name)
#define IN_V6(name) IN_V(V6, name)
#define IN_V7(name) IN_V(V7, name)
#define IN_V9(name) IN_V(V9, name)
#define IN_V10(name) IN_V(V10, name)
#define IN_V11(name) IN_V(V11, name)

#define ROW(number, H, R, bits)                                                                              \
    {                                                                                                        \
        .version = number, .header_size = sizeof(struct header_##H), .caps = bits,                           \
        .header = {RAW_HEADER_##H(IN_##H)}, .record = {                                                      \
            RECORD_##R(64, AT64),                                                                            \
            RECORD_##R(32, AT32)                                                                             \
        }                                                                                                    \
    }

/* A header field's offset is never below 16, so 0 means "absent". */
static const struct raw_version versions[] = {
    ROW(1, V1, V1, RAW_CAP_NAME_POINTERS | RAW_CAP_ABSOLUTE | RAW_CAP_NAMES_UNPADDED),
    ROW(2, V2, V2, RAW_CAP_NAME_POINTERS | RAW_CAP_ABSOLUTE | RAW_CAP_VALUE_DATA),
    ROW(3, V2, V4, RAW_CAP_ABSOLUTE | RAW_CAP_VALUE_DATA),
    ROW(4, V4, V4, RAW_CAP_ABSOLUTE | RAW_CAP_VALUE_DATA),
    ROW(5, V5, V4, RAW_CAP_ABSOLUTE | RAW_CAP_VALUE_DATA),
    ROW(6, V6, V4, RAW_CAP_ABSOLUTE | RAW_CAP_VALUE_DATA | RAW_CAP_IDS),
    ROW(7, V7, V4, RAW_CAP_ABSOLUTE | RAW_CAP_VALUE_DATA | RAW_CAP_IDS | RAW_CAP_MAYBE_RELATIVE),
    ROW(8, V7, V4, RAW_CAP_VALUE_DATA | RAW_CAP_IDS | RAW_CAP_IDS_PADDED),
    ROW(9, V9, V9, RAW_CAP_VALUE_DATA | RAW_CAP_IDS | RAW_CAP_IDS_PADDED),
    ROW(10, V10, V10, RAW_CAP_VALUE_DATA | RAW_CAP_IDS | RAW_CAP_IDS_PADDED),
    ROW(11, V11, V11, RAW_CAP_VALUE_DATA | RAW_CAP_IDS | RAW_CAP_IDS_PADDED),
};

#define N_VERSIONS (sizeof versions / sizeof *versions)

const struct raw_version *raw_version_find(uint64_t version)
{
    for (size_t i = 0; i < N_VERSIONS; i++)
        if (versions[i].version == version)
            return &versions[i];
    return NULL;
}

uint32_t raw_version_newest(void)
{
    return versions[N_VERSIONS - 1].version;
}

const char *raw_header_field_path(enum raw_header_field field)
{
    static const char *const paths[] = {
#define PATH(name, path) [RAW_##name] = path,
        RAW_HEADER_FIELDS(PATH)
#undef PATH
    };
    return paths[field];
}

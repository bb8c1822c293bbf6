/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/layout/raw_versions.h"

/* One row for each version: its number, the lists of its header and of its records in raw_layout.h, and its caps. */
#define VERSIONS(ROW)                                                                                        \
    ROW(1, V1, V1, RAW_CAP_NAME_POINTERS | RAW_CAP_ABSOLUTE | RAW_CAP_NAMES_UNPADDED)                        \
    ROW(2, V2, V2, RAW_CAP_NAME_POINTERS | RAW_CAP_ABSOLUTE)                                                 \
    ROW(3, V2, V4, RAW_CAP_ABSOLUTE)                                                                         \
    ROW(4, V4, V4, RAW_CAP_ABSOLUTE)                                                                         \
    ROW(5, V5, V4, RAW_CAP_ABSOLUTE)                                                                         \
    ROW(6, V6, V4, RAW_CAP_ABSOLUTE)                                                                         \
    ROW(7, V7, V4, RAW_CAP_ABSOLUTE | RAW_CAP_MAYBE_RELATIVE)                                                \
    ROW(8, V7, V4, RAW_CAP_IDS_PADDED)                                                                       \
    ROW(9, V9, V9, RAW_CAP_IDS_PADDED)                                                                       \
    ROW(10, V10, V10, RAW_CAP_IDS_PADDED | RAW_CAP_BITMAP_DENSE)                                             \
    ROW(11, V11, V11, RAW_CAP_IDS_PADDED | RAW_CAP_BITMAP_DENSE)

/* Header and records of each version as C structs, the records once for each pointer width: offsetof gives the offsets
 * of their members. */
#define WORD(C, name) uint64_t RAW_##name##_word;
#define FIELD_U64(C, name) uint64_t name;
#define FIELD_U32(C, name) uint32_t name;
#define FIELD_U16(C, name) uint16_t name;
#define FIELD_SITES(C, n) uint16_t sites[n];
#define STRUCTS(number, H, R, bits)                                                                          \
    struct header_##number {                                                                                 \
        uint64_t magic, version;                                                                             \
        RAW_HEADER_##H(WORD, )                                                                               \
    };                                                                                                       \
    struct record64_##number {                                                                               \
        _Alignas(8) RAW_RECORD_##R(FIELD_U64, FIELD_U64, FIELD_U32, FIELD_U16, FIELD_SITES, )                \
    };                                                                                                       \
    struct record32_##number {                                                                               \
        _Alignas(8) RAW_RECORD_##R(FIELD_U64, FIELD_U32, FIELD_U32, FIELD_U16, FIELD_SITES, )                \
    };
VERSIONS(STRUCTS)

#define WORD_AT(S, name) [RAW_##name] = offsetof(struct S, RAW_##name##_word),
#define FIELD_AT(S, name) .name = offsetof(struct S, name),
#define SITES_AT(S, n) .sites = offsetof(struct S, sites), .kinds = n,
#define RECORD_AT(R, S)                                                                                      \
    {.size = sizeof(struct S), RAW_RECORD_##R(FIELD_AT, FIELD_AT, FIELD_AT, FIELD_AT, SITES_AT, S)}
#define TABLE_ROW(number, H, R, bits)                                                                        \
    {.version = number,                                                                                      \
     .header_size = sizeof(struct header_##number),                                                          \
     .caps = bits,                                                                                           \
     .header = {RAW_HEADER_##H(WORD_AT, header_##number)},                                                   \
     .record = {RECORD_AT(R, record64_##number), RECORD_AT(R, record32_##number)}},

static const struct raw_version versions[] = {VERSIONS(TABLE_ROW)};

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

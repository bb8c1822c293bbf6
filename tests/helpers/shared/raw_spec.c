/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of the specification of raw profiles, column by column. */
#include "helpers/shared/raw_build.h"

/* Columns: versions 1 | 2, 3 | 4 | 5 | 6 | 7, 8 | 9 | 10 | 11; 0 = absent. */
static const uint8_t words[RB_WORDS][9] = {
    [RB_IDS_SIZE] = {0, 0, 0, 0, 80, 16, 16, 16, 16},
    [RB_NUM_DATA] = {16, 16, 16, 16, 16, 24, 24, 24, 24},
    [RB_PAD_BEFORE] = {0, 0, 0, 24, 24, 32, 32, 32, 32},
    [RB_NUM_COUNTERS] = {24, 24, 24, 32, 32, 40, 40, 40, 40},
    [RB_PAD_COUNTERS] = {0, 0, 0, 40, 40, 48, 48, 48, 48},
    [RB_NUM_BITMAP] = {0, 0, 0, 0, 0, 0, 56, 56, 56},
    [RB_PAD_BITMAP] = {0, 0, 0, 0, 0, 0, 64, 64, 64},
    [RB_NUM_UNIFORM] = {0, 0, 0, 0, 0, 0, 0, 0, 72},
    [RB_PAD_UNIFORM] = {0, 0, 0, 0, 0, 0, 0, 0, 80},
    [RB_UNIFORM_DELTA] = {0, 0, 0, 0, 0, 0, 0, 0, 88},
    [RB_NAMES_SIZE] = {32, 32, 32, 48, 48, 56, 72, 72, 96},
    [RB_COUNTERS_DELTA] = {40, 40, 40, 56, 56, 64, 80, 80, 104},
    [RB_BITMAP_DELTA] = {0, 0, 0, 0, 0, 0, 88, 88, 112},
    [RB_NAMES_DELTA] = {48, 48, 48, 64, 64, 72, 96, 96, 120},
    [RB_NUM_VTABLES] = {0, 0, 0, 0, 0, 0, 0, 104, 128},
    [RB_VNAMES_SIZE] = {0, 0, 0, 0, 0, 0, 0, 112, 136},
    [RB_KIND_LAST] = {0, 56, 56, 72, 72, 80, 104, 120, 144},
    [RB_VALUE_SIZE] = {0, 64, 0, 0, 0, 0, 0, 0, 0},
    [RB_VALUE_DELTA] = {0, 72, 0, 0, 0, 0, 0, 0, 0},
};
static const uint8_t header_sizes[9] = {56, 80, 64, 80, 88, 88, 112, 128, 152};
static const uint8_t header_columns[RB_NEWEST + 1] = {0, 0, 1, 1, 2, 3, 4, 5, 5, 6, 7, 8};

#define NONE 255
/* Columns: versions 1 | 2 | 3 to 8 | 9 | 10 | 11, each with 64 and with 32 bits. */
static const uint8_t fields[RB_FIELDS][6][2] = {
    [RB_NAME_SIZE] = {{0, 0}, {0, 0}, {NONE, NONE}, {NONE, NONE}, {NONE, NONE}, {NONE, NONE}},
    [RB_NUM_COUNTS] = {{4, 4}, {4, 4}, {40, 28}, {48, 32}, {48, 32}, {56, 36}},
    [RB_NAME_REF] = {{NONE, NONE}, {NONE, NONE}, {0, 0}, {0, 0}, {0, 0}, {0, 0}},
    [RB_FUNC_HASH] = {{8, 8}, {8, 8}, {8, 8}, {8, 8}, {8, 8}, {8, 8}},
    [RB_NAME_PTR] = {{16, 16}, {16, 16}, {NONE, NONE}, {NONE, NONE}, {NONE, NONE}, {NONE, NONE}},
    [RB_COUNTER_PTR] = {{24, 20}, {24, 20}, {16, 16}, {16, 16}, {16, 16}, {16, 16}},
    [RB_UNIFORM_PTR] = {{NONE, NONE}, {NONE, NONE}, {NONE, NONE}, {NONE, NONE}, {NONE, NONE}, {24, 20}},
    [RB_BITMAP_PTR] = {{NONE, NONE}, {NONE, NONE}, {NONE, NONE}, {24, 20}, {24, 20}, {32, 24}},
    [RB_FUNCTION_PTR] = {{NONE, NONE}, {32, 24}, {24, 20}, {32, 24}, {32, 24}, {40, 28}},
    [RB_VALUES] = {{NONE, NONE}, {40, 28}, {32, 24}, {40, 28}, {40, 28}, {48, 32}},
    [RB_SITES] = {{NONE, NONE}, {48, 32}, {44, 32}, {52, 36}, {52, 36}, {60, 40}},
    [RB_WAVE_SIZE] = {{NONE, NONE}, {NONE, NONE}, {NONE, NONE}, {NONE, NONE}, {NONE, NONE}, {66, 46}},
    [RB_BITMAP_BYTES] = {{NONE, NONE}, {NONE, NONE}, {NONE, NONE}, {56, 40}, {60, 44}, {68, 48}},
    [RB_RECORD_SIZE] = {{32, 24}, {56, 40}, {48, 40}, {64, 48}, {64, 48}, {72, 56}},
};
static const uint8_t record_columns[RB_NEWEST + 1] = {0, 0, 1, 2, 2, 2, 2, 2, 2, 3, 4, 5};
static const uint8_t kinds[RB_NEWEST + 1] = {0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3};

size_t rb_word_at(unsigned version, enum rb_word word)
{
    unsigned at = words[word][header_columns[version]];
    return at ? at : RB_ABSENT;
}

size_t rb_header_size(unsigned version)
{
    return header_sizes[header_columns[version]];
}

size_t rb_field_at(unsigned version, unsigned bytes, enum rb_field field)
{
    unsigned at = fields[field][record_columns[version]][bytes == 4];
    return at == NONE ? RB_ABSENT : at;
}

unsigned rb_kinds(unsigned version)
{
    return kinds[version];
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/layout/indexed_layout.h"

/* The capabilities that each version added; releases.c lists the LLVM releases that write the versions. */
#define CAPS_1 (INDEXED_CAP_MAX_COUNT | OLD)
#define CAPS_2 (CAPS_1 | INDEXED_CAP_COUNT_FIELD)
#define CAPS_3 (CAPS_2 | INDEXED_CAP_VALUES)
#define CAPS_4 (INDEXED_CAP_COUNT_FIELD | INDEXED_CAP_VALUES | INDEXED_CAP_SUMMARY)
#define CAPS_5 (CAPS_4 | INDEXED_CAP_CS)
#define CAPS_8 (CAPS_5 | INDEXED_CAP_MEMPROF)
#define CAPS_9 (CAPS_8 | INDEXED_CAP_IDS)
#define CAPS_10 (CAPS_9 | INDEXED_CAP_TRACES)
#define CAPS_11 (CAPS_10 | INDEXED_CAP_BITMAP | INDEXED_CAP_BITMAP_WORDS)
#define CAPS_12 (CAPS_11 | INDEXED_CAP_VTABLES | INDEXED_CAP_BITMAP_DENSE)
#define CAPS_14 ((CAPS_12 & ~INDEXED_CAP_BITMAP_WORDS) | INDEXED_CAP_BITMAP_BYTES)
#define MAPS (INDEXED_CAP_OLD_MIX | INDEXED_CAP_NAME_MAP)
#define OLD (MAPS | INDEXED_CAP_NO_PSEUDO)

/* Versions 5, 6, 7 and 13 changed how front ends compute hashes, not the layout. */
static const struct indexed_version versions[] = {
    {1, 40, CAPS_1},        {2, 40, CAPS_2},       {3, 40, CAPS_3},       {4, 40, CAPS_4 | OLD},
    {5, 40, CAPS_5 | OLD},  {6, 40, CAPS_5 | OLD}, {7, 40, CAPS_5 | OLD}, {8, 48, CAPS_8 | OLD},
    {9, 56, CAPS_9 | MAPS}, {10, 64, CAPS_10},     {11, 64, CAPS_11},     {12, 72, CAPS_12},
    {13, 72, CAPS_12},      {14, 72, CAPS_14},
};

uint32_t indexed_version_holding(uint32_t version, unsigned caps)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i].version >= version && (versions[i].caps & caps) == caps)
            return versions[i].version;
    return INDEXED_MAX_VERSION;
}

uint32_t indexed_version_lacking(uint32_t version, unsigned caps)
{
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i].version <= version && !(versions[i].caps & caps))
            found = versions[i].version;
    return found;
}

const struct indexed_version *indexed_version_find(uint64_t version)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i].version == version)
            return &versions[i];
    return NULL;
}

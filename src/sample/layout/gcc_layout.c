/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/layout/gcc_layout.h"

#include <string.h>

#define BYTES GCC_CAP_BYTE_STRINGS
#define V3A (GCC_CAP_BYTE_STRINGS | GCC_CAP_FILES)
#define V3B (V3A | GCC_CAP_SUMMARY)
#define V3 (V3B | GCC_CAP_TIMES)
#define WRONG GCC_CAP_MISLABELLED

/* Rows of one version word and with or without a summary stand together, the likeliest one first. autofdo 0.19 writes
 * version 2 with the strings of version 1; later ones write their newest layout with the word of 704 if no version was
 * asked for, since they test whether the word is at least 2 or 3. */
static const struct gcc_layout layouts[] = {
    {"1", "", 1, 1, GCC_CAP_OLD_MODULES},
    {"704", "", GCC_WORD_704, 704, GCC_CAP_OLD_MODULES | GCC_CAP_ALIASES},
    {"2", "2", GCC_WORD_704, 704, BYTES | WRONG},
    {"3a", "3a", GCC_WORD_704, 704, V3A | WRONG},
    {"3", "3", GCC_WORD_704, 704, V3 | WRONG},
    {"3b", "3b", GCC_WORD_704, 704, V3B | WRONG},
    {"2", "", 2, 2, BYTES},
    {"1", "1", 2, 2, GCC_CAP_OLD_MODULES | WRONG},
    {"3a", "3a", 3, 3, V3A},
    {"3", "3", 3, 3, V3},
    {"3b", "3b", 3, 3, V3B},
};
#define N_LAYOUTS (sizeof layouts / sizeof *layouts)

static const struct gcc_release releases[] = {
    {5, 11, "1", true, GCC_SUFFIXES_ALL},
    {12, 12, "2", true, GCC_SUFFIXES_ALL},
    {13, 15, "2", false, GCC_SUFFIXES_ALL},
    {16, 16, "3", false, GCC_SUFFIXES_CLONES},
};
#define N_RELEASES (sizeof releases / sizeof *releases)

static bool is_candidate(const struct gcc_layout *layout, uint32_t word, bool summary)
{
    return layout->word == word && ((layout->caps & GCC_CAP_SUMMARY) != 0) == summary;
}

const struct gcc_layout *gcc_layout_candidates(uint32_t word, bool summary, size_t *n)
{
    const struct gcc_layout *other = NULL;
    for (size_t i = 0; i < N_LAYOUTS; i++) {
        size_t end = i;
        while (end < N_LAYOUTS && is_candidate(&layouts[end], word, summary))
            end++;
        *n = end - i;
        if (*n)
            return &layouts[i];
        if (!other && layouts[i].word == word)
            other = &layouts[i];
    }
    *n = other != NULL;
    return other;
}

const struct gcc_layout *gcc_layout_named(const char *name)
{
    for (size_t i = 0; i < N_LAYOUTS; i++)
        if (!(layouts[i].caps & GCC_CAP_MISLABELLED) && strcmp(layouts[i].name, name) == 0)
            return &layouts[i];
    return NULL;
}

uint32_t gcc_layout_newest(void)
{
    return layouts[N_LAYOUTS - 1].word;
}

const struct gcc_release *gcc_release_find(uint32_t major)
{
    for (size_t i = 0; i < N_RELEASES; i++)
        if (releases[i].first <= major && major <= releases[i].last)
            return &releases[i];
    return NULL;
}

uint32_t gcc_release_newest(void)
{
    return releases[N_RELEASES - 1].last;
}

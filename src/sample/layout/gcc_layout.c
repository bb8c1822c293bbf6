/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/layout/gcc_layout.h"

#include <string.h>

#define V2 GCC_CAP_BYTE_STRINGS
#define V3A (V2 | GCC_CAP_FILES)
#define V3B (V3A | GCC_CAP_SUMMARY)
#define V3 (V3B | GCC_CAP_TIMES)
#define WRONG GCC_CAP_MISLABELLED
/* What the releases refuse that read a version word. */
#define WORD_1 (GCC_CAP_NEEDS_MODULES | GCC_CAP_NEEDS_WORKING_SET)
#define WORD_2 GCC_CAP_NO_NAME_0
#define WORD_3 (WORD_2 | GCC_CAP_NEEDS_MODULES | GCC_CAP_NO_REPEATS)

/* Rows of one version word and with or without a summary stand together, the likeliest one first. autofdo 0.19 writes
 * version 2 with the strings of version 1; later ones write their newest layout with the word of 704 if no version was
 * asked for, since they test whether the word is at least 2 or 3. */
static const struct gcc_layout layouts[] = {
    {"1", "", 1, 1, GCC_CAP_OLD_MODULES | WORD_1},
    {"704", "", GCC_WORD_704, 704, GCC_CAP_OLD_MODULES | GCC_CAP_ALIASES},
    {"2", "2", GCC_WORD_704, 704, V2 | WRONG},
    {"3a", "3a", GCC_WORD_704, 704, V3A | WRONG},
    {"3", "3", GCC_WORD_704, 704, V3 | WRONG},
    {"3b", "3b", GCC_WORD_704, 704, V3B | WRONG},
    {"2", "", 2, 2, V2 | WORD_2},
    {"1", "1", 2, 2, GCC_CAP_OLD_MODULES | WRONG},
    {"3a", "3a", 3, 3, V3A | WORD_3 | GCC_CAP_DEVELOPMENT},
    {"3", "3", 3, 3, V3 | WORD_3},
    {"3b", "3b", 3, 3, V3B | WORD_3 | GCC_CAP_DEVELOPMENT},
};
#define N_LAYOUTS (sizeof layouts / sizeof *layouts)

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

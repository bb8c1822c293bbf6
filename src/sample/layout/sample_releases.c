/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/layout/sample_releases.h"

#include <string.h>

#include "base/error.h"

/* ---- forms ---- */

#define INLINED (SAMPLE_HAS_INLINED | SAMPLE_HAS_DISCRIMINATORS)
#define LINES (INLINED | SAMPLE_HAS_WIDE_PLACES)
#define TEXT                                                                                                 \
    (LINES | SAMPLE_HAS_CHECKSUMS | SAMPLE_HAS_INNER_METADATA | SAMPLE_HAS_ATTRIBUTES |                      \
     SAMPLE_HAS_CONTEXTS | SAMPLE_HAS_VTABLES | SAMPLE_HAS_FLAT_MARKS)
#define EXT_OLD                                                                                              \
    (LINES | SAMPLE_HAS_CHECKSUMS | SAMPLE_HAS_HASHES | SAMPLE_HAS_INNER_HASHES | SAMPLE_HAS_SYMBOLS |       \
     SAMPLE_HAS_FS | SAMPLE_HAS_PARTIAL | SAMPLE_HAS_VTABLES)
/* Contexts are found by their text: hashes of it say nothing. */
#define EXT_NAMED                                                                                            \
    ((EXT_OLD | SAMPLE_HAS_ATTRIBUTES | SAMPLE_HAS_CONTEXTS) & ~(SAMPLE_HAS_HASHES | SAMPLE_HAS_INNER_HASHES))
#define EXT_SPLIT (EXT_OLD | SAMPLE_HAS_INNER_METADATA | SAMPLE_HAS_ATTRIBUTES)
#define EXT (EXT_SPLIT | SAMPLE_HAS_CONTEXTS)
#define COMPACT (LINES | SAMPLE_HAS_HASHES | SAMPLE_HAS_INNER_HASHES)
#define GCC_3 (INLINED | SAMPLE_HAS_FILES | SAMPLE_HAS_TIMES)

/* The columns are the members of struct sample_form_row in order. */
static const struct sample_form_row forms[SAMPLE_FORM_COUNT] = {
    [SAMPLE_FORM_TEXT] = {"text", APF_SAMPLE_TEXT, 0, "", APF_SAMPLE_LAYOUT_AUTO, TEXT, SAMPLE_METADATA_NONE},
    [SAMPLE_FORM_BINARY] = {"raw binary", APF_SAMPLE_BINARY, 103, "", APF_SAMPLE_LAYOUT_AUTO, LINES,
                            SAMPLE_METADATA_NONE},
    [SAMPLE_FORM_COMPACT] = {"compact binary", APF_SAMPLE_COMPACT, 103, "", APF_SAMPLE_LAYOUT_AUTO, COMPACT,
                             SAMPLE_METADATA_NONE},
    [SAMPLE_FORM_EXT] = {"extbinary", APF_SAMPLE_EXTBINARY, 103, "", APF_SAMPLE_LAYOUT_USUAL, EXT,
                         SAMPLE_METADATA_INNER},
    [SAMPLE_FORM_EXT_OLD] = {"extbinary as of LLVM 13", APF_SAMPLE_EXTBINARY, 103, "", APF_SAMPLE_LAYOUT_OLD,
                             EXT_OLD, SAMPLE_METADATA_TOP},
    [SAMPLE_FORM_EXT_NAMED] = {"extbinary with contexts as of LLVM 13", APF_SAMPLE_EXTBINARY, 103, "",
                               APF_SAMPLE_LAYOUT_OLD, EXT_NAMED, SAMPLE_METADATA_TOP},
    [SAMPLE_FORM_EXT_SPLIT] = {"split extbinary", APF_SAMPLE_EXTBINARY, 103, "", APF_SAMPLE_LAYOUT_SPLIT,
                               EXT_SPLIT, SAMPLE_METADATA_INNER},
    [SAMPLE_FORM_GCC_LLVM] = {"GCC's version 4.07", APF_SAMPLE_GCC, 704, "704", APF_SAMPLE_LAYOUT_GCC_LLVM,
                              INLINED, SAMPLE_METADATA_NONE},
    [SAMPLE_FORM_GCC_1] = {"GCC's version 1", APF_SAMPLE_GCC, 1, "1", APF_SAMPLE_LAYOUT_GCC_1, INLINED,
                           SAMPLE_METADATA_NONE},
    [SAMPLE_FORM_GCC_2] = {"GCC's version 2", APF_SAMPLE_GCC, 2, "2", APF_SAMPLE_LAYOUT_GCC_2, INLINED,
                           SAMPLE_METADATA_NONE},
    [SAMPLE_FORM_GCC_3A] = {"GCC's version 3 of January 2026 (3a)", APF_SAMPLE_GCC, 3, "3a",
                            APF_SAMPLE_LAYOUT_GCC_3A, INLINED | SAMPLE_HAS_FILES, SAMPLE_METADATA_NONE},
    [SAMPLE_FORM_GCC_3B] = {"GCC's version 3 of February 2026 (3b)", APF_SAMPLE_GCC, 3, "3b",
                            APF_SAMPLE_LAYOUT_GCC_3B, INLINED | SAMPLE_HAS_FILES, SAMPLE_METADATA_NONE},
    [SAMPLE_FORM_GCC_3] = {"GCC's version 3", APF_SAMPLE_GCC, 3, "3", APF_SAMPLE_LAYOUT_GCC_3, GCC_3,
                           SAMPLE_METADATA_NONE},
};

const struct sample_form_row *sample_form_row(enum sample_form form)
{
    return &forms[form];
}

enum sample_form sample_form_find(uint32_t format, uint32_t layout)
{
    unsigned i = 0;
    while (i < SAMPLE_FORM_COUNT &&
           (forms[i].format != format || (layout != APF_SAMPLE_LAYOUT_AUTO && forms[i].layout != layout)))
        i++;
    return (enum sample_form)i;
}

bool sample_layout_fits(uint32_t format, uint32_t layout)
{
    bool fits = layout == APF_SAMPLE_LAYOUT_AUTO;
    for (unsigned i = 0; i < SAMPLE_FORM_COUNT; i++)
        fits |= forms[i].layout == layout && (!format || forms[i].format == format);
    return fits;
}

enum sample_form sample_form_of_gcc(uint32_t version, const char *variant)
{
    enum sample_form found = SAMPLE_FORM_COUNT;
    for (unsigned i = 0; i < SAMPLE_FORM_COUNT; i++) {
        if (forms[i].format != APF_SAMPLE_GCC)
            continue;
        if (variant && *variant && strcmp(forms[i].variant, variant) == 0)
            return (enum sample_form)i;
        if (forms[i].version == version)
            found = (enum sample_form)i;
    }
    return found;
}

/* ---- releases ---- */

#define BIT(form) (1u << (SAMPLE_FORM_##form))
#define R38 BIT(TEXT) | BIT(GCC_LLVM)
#define R39 R38 | BIT(BINARY)
#define R7 R39 | BIT(COMPACT)
#define R10 R7 | BIT(EXT_OLD)
#define R12 R10 | BIT(EXT_SPLIT)
#define R13 R12 | BIT(EXT_NAMED)
#define R14 R12 | BIT(EXT)
#define R17 R39 | BIT(EXT_OLD) | BIT(EXT_SPLIT) | BIT(EXT)

/* No LLVM has a use for files and times. */
#define K38 LINES | SAMPLE_HAS_TARGETS
#define K7 K38 | SAMPLE_HAS_HASHES
#define K10 K7 | SAMPLE_HAS_SYMBOLS
#define K11 K10 | SAMPLE_HAS_PARTIAL
#define K12 K11 | SAMPLE_HAS_CHECKSUMS
#define K13 K12 | SAMPLE_HAS_CONTEXTS | SAMPLE_HAS_ATTRIBUTES | SAMPLE_HAS_FS
#define K14 K13 | SAMPLE_HAS_INNER_METADATA
#define K17 K14 | SAMPLE_HAS_INNER_HASHES
#define K22 K17 | SAMPLE_HAS_VTABLES | SAMPLE_HAS_FLAT_MARKS

#define NONE SAMPLE_METADATA_NONE
#define TOP SAMPLE_METADATA_TOP
#define INNER SAMPLE_METADATA_INNER
/* The order of names of functions with equal totals; that of LLVM 13 was checked. */
#define UP false
#define DOWN true
#define KEEP GCC_SUFFIXES_KEEP
#define ALL GCC_SUFFIXES_ALL
#define CLONES GCC_SUFFIXES_CLONES
/* What llvm-profdata of the release writes by default. */
#define RAW SAMPLE_FORM_BINARY
#define USUAL SAMPLE_FORM_COUNT

/* The columns are the members of struct sample_release in order. LLVM up to 3.6 reads only text without indentation and
 * the version 100 of raw binary, which have no inlined functions and are not written. Extbinary is preferred from 13
 * on, where it was checked; the version 103 of raw binary is the same in all releases. */
static const struct sample_release llvm[] = {
    {"3.4", 0, 0, NONE, SAMPLE_FORM_TEXT, DOWN, KEEP, USUAL, false},
    {"3.5", 0, 0, NONE, SAMPLE_FORM_TEXT, DOWN, KEEP, USUAL, false},
    {"3.6", 0, 0, NONE, SAMPLE_FORM_TEXT, DOWN, KEEP, USUAL, false},
    {"3.7", BIT(GCC_LLVM), K38, NONE, SAMPLE_FORM_GCC_LLVM, DOWN, KEEP, USUAL, false},
    {"3.8", R38, K38, NONE, SAMPLE_FORM_TEXT, DOWN, KEEP, USUAL, false},
    {"3.9", R39, K38, NONE, SAMPLE_FORM_BINARY, DOWN, KEEP, USUAL, false},
    {"4", R39, K38, NONE, SAMPLE_FORM_BINARY, DOWN, KEEP, RAW, false},
    {"5", R39, K38, NONE, SAMPLE_FORM_BINARY, DOWN, KEEP, RAW, false},
    {"6", R39, K38, NONE, SAMPLE_FORM_BINARY, DOWN, KEEP, RAW, false},
    {"7", R7, K7, NONE, SAMPLE_FORM_BINARY, DOWN, KEEP, RAW, false},
    {"8", R7, K7, NONE, SAMPLE_FORM_BINARY, DOWN, KEEP, RAW, false},
    {"9", R7, K7, NONE, SAMPLE_FORM_BINARY, DOWN, KEEP, RAW, false},
    {"10", R10, K10, NONE, SAMPLE_FORM_BINARY, DOWN, KEEP, RAW, false},
    {"11", R10, K11, NONE, SAMPLE_FORM_BINARY, DOWN, KEEP, RAW, false},
    {"12", R12, K12, TOP, SAMPLE_FORM_BINARY, DOWN, KEEP, RAW, false},
    {"13", R13, K13, TOP, SAMPLE_FORM_EXT_OLD, DOWN, KEEP, RAW, false},
    {"14", R14, K14, INNER, SAMPLE_FORM_EXT, UP, KEEP, RAW, false},
    {"15", R14, K14, INNER, SAMPLE_FORM_EXT, UP, KEEP, RAW, false},
    {"16", R14, K14, INNER, SAMPLE_FORM_EXT, UP, KEEP, RAW, false},
    {"17", R17, K17, INNER, SAMPLE_FORM_EXT, UP, KEEP, USUAL, false},
    {"18", R17, K17, INNER, SAMPLE_FORM_EXT, UP, KEEP, USUAL, false},
    {"19", R17, K17, INNER, SAMPLE_FORM_EXT, UP, KEEP, USUAL, false},
    {"20", R17, K17, INNER, SAMPLE_FORM_EXT, UP, KEEP, USUAL, false},
    {"21", R17, K17, INNER, SAMPLE_FORM_EXT, UP, KEEP, USUAL, false},
    {"22", R17, K22, INNER, SAMPLE_FORM_EXT, UP, KEEP, USUAL, false},
    {"23", R17, K22, INNER, SAMPLE_FORM_EXT, UP, KEEP, USUAL, false},
};

/* The newest release, but what no other release needs is not preferred: LLVM 10 to 23 read this form. */
static const struct sample_release newest_llvm = {"23", R17,  K22,   INNER, SAMPLE_FORM_EXT_OLD,
                                                  UP,   KEEP, USUAL, false};

/* GCC up to 12 ignores discriminators of lines, and calls with a discriminator never match. GCC 10 and 11 store the
 * target of an indirect call in another order than they read it: 11 takes its count for a number of targets, and reads
 * that far beyond them, until it crashes; neither finds the target. */
#define G10 SAMPLE_HAS_INLINED
#define G5 G10 | SAMPLE_HAS_TARGETS
#define G13 G5 | SAMPLE_HAS_DISCRIMINATORS
#define G16 G13 | SAMPLE_HAS_FILES | SAMPLE_HAS_TIMES

static const struct sample_release gcc[] = {
    {"5", BIT(GCC_1), G5, NONE, SAMPLE_FORM_GCC_1, UP, ALL, USUAL, false},
    {"6", BIT(GCC_1), G5, NONE, SAMPLE_FORM_GCC_1, UP, ALL, USUAL, false},
    {"7", BIT(GCC_1), G5, NONE, SAMPLE_FORM_GCC_1, UP, ALL, USUAL, false},
    {"8", BIT(GCC_1), G5, NONE, SAMPLE_FORM_GCC_1, UP, ALL, USUAL, false},
    {"9", BIT(GCC_1), G5, NONE, SAMPLE_FORM_GCC_1, UP, ALL, USUAL, false},
    {"10", BIT(GCC_1), G10, NONE, SAMPLE_FORM_GCC_1, UP, ALL, USUAL, false},
    {"11", BIT(GCC_1), G10, NONE, SAMPLE_FORM_GCC_1, UP, ALL, USUAL, false},
    {"12", BIT(GCC_2), G5, NONE, SAMPLE_FORM_GCC_2, UP, ALL, USUAL, false},
    {"13", BIT(GCC_2), G13, NONE, SAMPLE_FORM_GCC_2, UP, ALL, USUAL, false},
    {"14", BIT(GCC_2), G13, NONE, SAMPLE_FORM_GCC_2, UP, ALL, USUAL, false},
    {"15", BIT(GCC_2), G13, NONE, SAMPLE_FORM_GCC_2, UP, ALL, USUAL, false},
    {"16", BIT(GCC_3), G16, NONE, SAMPLE_FORM_GCC_3, UP, CLONES, USUAL, true},
};

struct release_list {
    const char *prefixes[3]; /* of names of targets; NULL ends them */
    const struct sample_release *rows;
    unsigned n;
};

#define N(rows) ((unsigned)(sizeof(rows) / sizeof *(rows)))

/* In the order of enum apf_sample_target_kind. */
static const struct release_list lists[] = {
    {{NULL}, &newest_llvm, 1},
    {{"llvm-", "clang-", ""}, llvm, N(llvm)},
    {{"gcc-", NULL}, gcc, N(gcc)},
};

unsigned sample_release_count(enum apf_sample_target_kind kind)
{
    return lists[kind].n;
}

const struct sample_release *sample_release_row(enum apf_sample_target_kind kind, unsigned release)
{
    return &lists[kind].rows[release];
}

bool sample_target_known(const struct apf_sample_target *target)
{
    return target->kind < N(lists) && target->release < lists[target->kind].n;
}

const struct sample_release *sample_target_row(const struct apf_sample_target *target)
{
    return &lists[target->kind].rows[target->release];
}

#define METADATA (SAMPLE_HAS_CHECKSUMS | SAMPLE_HAS_ATTRIBUTES | SAMPLE_HAS_INNER_METADATA)
/* Features that a reader must know where they are stored. */
#define NEEDED (METADATA | SAMPLE_HAS_CONTEXTS | SAMPLE_HAS_VTABLES | SAMPLE_HAS_FLAT_MARKS)

bool sample_release_reads(const struct sample_release *row, enum sample_form form, uint32_t features)
{
    uint32_t stored = features & forms[form].holds;
    bool metadata = stored & METADATA;
    bool as_known =
        !metadata || forms[form].metadata == SAMPLE_METADATA_NONE || forms[form].metadata == row->metadata;
    return row->reads >> form & 1 && as_known && !(stored & ~row->knows & NEEDED);
}

uint64_t sample_readers(enum apf_sample_target_kind kind, enum sample_form form, uint32_t features)
{
    uint64_t set = 0;
    for (unsigned i = 0; i < sample_release_count(kind); i++)
        if (sample_release_reads(sample_release_row(kind, i), form, features))
            set |= (uint64_t)1 << i;
    return set;
}

uint32_t apf_sample_target_default(const struct apf_sample_target *target)
{
    enum sample_form form = sample_target_known(target) ? sample_target_row(target)->written : USUAL;
    return form == USUAL ? 0 : forms[form].format;
}

const char *apf_sample_release_name(uint32_t kind, uint32_t release)
{
    struct apf_sample_target target = {kind, release};
    return kind != APF_SAMPLE_FOR_AUTO && sample_target_known(&target) ? sample_target_row(&target)->name
                                                                       : NULL;
}

/* ---- targets ---- */

/* Whether a text is the name of a release ("16"), or the name with further numbers after it ("16.0.6"). */
static bool is_release(const char *text, const char *name)
{
    size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && (text[n] == '\0' || text[n] == '.');
}

/* Finds the release with a name in a list. Of "3.9", not of "3". */
static bool find_release(const struct release_list *list, const char *text, uint32_t *release)
{
    for (unsigned i = 0; i < list->n; i++)
        if (is_release(text, list->rows[i].name)) {
            *release = i;
            return true;
        }
    return false;
}

int apf_sample_target_parse(const char *text, struct apf_sample_target *target, struct apf_error *error)
{
    target->kind = APF_SAMPLE_FOR_AUTO;
    target->release = 0;
    if (strcmp(text, "auto") == 0)
        return APF_OK;
    for (unsigned kind = APF_SAMPLE_FOR_LLVM; kind < N(lists); kind++)
        for (unsigned i = 0; i < N(lists[kind].prefixes) && lists[kind].prefixes[i]; i++) {
            const char *prefix = lists[kind].prefixes[i];
            if (strncmp(text, prefix, strlen(prefix)) == 0 &&
                find_release(&lists[kind], text + strlen(prefix), &target->release)) {
                target->kind = kind;
                return APF_OK;
            }
        }
    unsigned first = 0;
    while (!llvm[first].reads) /* nothing that is written is for these */
        first++;
    int code = error_plain(error, APF_ARGUMENT, "target",
                           "unknown target '%.60s'; use auto, llvm-N (%s to %s) or gcc-N (%s to %s); "
                           "indexed-N is for instrumentation profiles; clang-16 and 16 mean llvm-16",
                           text, llvm[first].name, llvm[N(llvm) - 1].name, gcc[0].name, gcc[N(gcc) - 1].name);
    return error_subject(error, code, APF_SUBJECT_OPTION);
}

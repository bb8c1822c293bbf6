/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/layout/releases.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "instr/layout/indexed_layout.h"
#include "instr/layout/raw_versions.h"

#define V39 APF_VARIANT_IR
#define V9 (V39 | APF_VARIANT_CS)
#define V12 (V9 | APF_VARIANT_ENTRY_FIRST)
#define V14 (V12 | APF_VARIANT_DEBUG_CORRELATE | APF_VARIANT_BYTE_COVERAGE | APF_VARIANT_ENTRY_ONLY)
#define V15 (V14 | APF_VARIANT_MEMPROF)
#define V17 (V15 | APF_VARIANT_TEMPORAL)
#define V20 (V17 | APF_VARIANT_LOOP_ENTRIES)

/* The columns are the members of struct release in order. */
static const struct release rows[] = {
    {"3.5", 1, 1, 0, ':', 0, 0, 0, 0, 0},     {"3.6", 1, 2, 0, ':', 0, 0, 0, 0, 0},
    {"3.7", 1, 2, 0, ':', 0, 0, 0, 0, 0},     {"3.8", 2, 3, 1, ':', 0, 0, 0, 0, 0},
    {"3.9", 4, 4, 1, ':', V39, 0, 0, 0, 0},   {"4", 4, 4, 1, ':', V39, 0, 0, 0, 0},
    {"5", 4, 4, 2, ':', V39, 0, 0, 0, 0},     {"6", 4, 5, 2, ':', V39, 0, 0, 0, 0},
    {"7", 4, 5, 2, ':', V39, 0, 0, 0, 0},     {"8", 4, 5, 2, ':', V39, 0, 0, 0, 0},
    {"9", 4, 5, 2, ':', V9, 0, 0, 0, 0},      {"10", 5, 5, 2, ':', V9, 0, 0, 0, 0},
    {"11", 5, 6, 2, ':', V9, 0, 0, 0, 0},     {"12", 5, 7, 2, ':', V12, 0, 0, 0, 0},
    {"13", 7, 7, 2, ':', V12, 0, 0, 0, 0},    {"14", 8, 7, 2, ':', V14, 0, 0, 0, 0},
    {"15", 8, 8, 2, ':', V15, 0, 0, 0, 19},   {"16", 8, 9, 2, ':', V15, 0, 0, 0, 25},
    {"17", 8, 10, 2, ':', V17, 0, 0, 0, 25},  {"18", 9, 11, 2, ';', V17, 0, 0, 0, 25},
    {"19", 10, 12, 3, ';', V17, 0, 3, 0, 27}, {"20", 10, 12, 3, ';', V20, 1, 3, 3, 27},
    {"21", 10, 12, 3, ';', V20, 2, 4, 3, 27}, {"22", 10, 13, 3, ';', V20, 2, 4, 3, 27},
    {"23", 11, 14, 3, ';', V20, 2, 4, 3, 27},
};

#define N_ROWS ((unsigned)(sizeof rows / sizeof *rows))

/* Front-end hashes of releases 22 and later fit in 60 bits. */
#define HASH_60_BITS (((uint64_t)1 << 60) - 1)
#define FIRST_60_BIT_SCHEME 4u
/* If 8 digests fit in 60 bits, they are of the 60-bit scheme: digests of 64 bits all fit once in 2^32 profiles. */
#define MANY_DIGESTS 8u

unsigned release_count(void)
{
    return N_ROWS;
}

const struct release *release_row(unsigned release)
{
    return &rows[release];
}

uint32_t apf_format_newest(uint32_t format)
{
    return format == APF_FORMAT_RAW       ? raw_version_newest()
           : format == APF_FORMAT_INDEXED ? INDEXED_MAX_VERSION
                                          : 0;
}

const char *apf_release_name(uint32_t release)
{
    return release < N_ROWS ? rows[release].name : NULL;
}

unsigned release_newest(uint64_t set)
{
    unsigned newest = 0;
    for (unsigned i = 0; i < N_ROWS; i++)
        if (set >> i & 1)
            newest = i;
    return newest;
}

uint64_t releases_too_old(uint64_t set, uint32_t indexed_version)
{
    uint64_t old = 0;
    for (unsigned i = 0; i < N_ROWS; i++)
        if (set >> i & 1 && rows[i].indexed_version < indexed_version)
            old |= (uint64_t)1 << i;
    return old;
}

uint32_t releases_read_all(uint64_t set)
{
    uint32_t version = INDEXED_MAX_VERSION;
    for (unsigned i = 0; i < N_ROWS; i++)
        if (set >> i & 1 && rows[i].indexed_version < version)
            version = rows[i].indexed_version;
    return version;
}

bool release_reads(unsigned release, uint32_t indexed_version)
{
    return rows[release].indexed_version >= indexed_version;
}

bool release_reads_memprof(unsigned release, uint32_t memprof_version)
{
    const struct release *row = &rows[release];
    return row->memprof_fields && row->memprof_first <= memprof_version &&
           memprof_version <= row->memprof_last;
}

/* ---- hash schemes and separators ---- */

/* The lowest indexed version of each hash scheme. */
static const uint32_t schemes[] = {1, 5, 6, 7, 13};

unsigned hash_scheme(uint32_t indexed_version)
{
    unsigned scheme = 0;
    for (unsigned i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (schemes[i] <= indexed_version)
            scheme = i;
    return scheme;
}

uint32_t hash_scheme_lowest(uint32_t indexed_version)
{
    return schemes[hash_scheme(indexed_version)];
}

uint32_t hash_scheme_highest(uint32_t indexed_version)
{
    unsigned next = hash_scheme(indexed_version) + 1;
    return next < sizeof schemes / sizeof *schemes ? schemes[next] - 1 : INDEXED_MAX_VERSION;
}

/* A hash that is no digest consists of up to ten numbers of 6 bits: the kinds, counted from 1, of the parts of the
 * control flow. */
#define HASH_PART_BITS 6u
#define HASH_PARTS_KNOWN 32u

bool hash_is_digest(uint64_t hash)
{
    bool digest = (hash & ~HASH_60_BITS) != 0;
    for (; hash && !digest; hash >>= HASH_PART_BITS) {
        uint64_t part = hash & ((1u << HASH_PART_BITS) - 1);
        digest = part == 0 || part > HASH_PARTS_KNOWN;
    }
    return digest;
}

uint64_t releases_without_digests(uint64_t set)
{
    uint64_t whole = 0;
    for (unsigned i = 0; i < N_ROWS; i++)
        if (set >> i & 1 && hash_scheme(rows[i].indexed_version) < FIRST_60_BIT_SCHEME)
            whole |= (uint64_t)1 << i;
    return whole ? whole : set;
}

char separator_of_version(uint32_t indexed_version)
{
    unsigned i = 0;
    while (i + 1 < N_ROWS && rows[i].indexed_version < indexed_version)
        i++;
    return rows[i].separator;
}

/* The position of "-[" or "+[", which begins the name of an Objective-C method (also inside the name of a block) and
 * after which colons are part of the name. n when there is none. */
static size_t method_start(const char *name, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (name[i] == '[' && (name[i - 1] == '-' || name[i - 1] == '+'))
            return i - 1;
    return n;
}

/* Finds the separator of names up to LLVM 17, a colon. Paths can have colons (a drive, a directory) and mangled names
 * cannot, so the separator is the last colon; "::" is part of a name that is not mangled. */
static size_t split_at_colon(const char *name, size_t n)
{
    size_t end = method_start(name, n);
    while (end > 0 && name[end - 1] != ':')
        end--;
    if (end < 2 || end == n || name[end - 2] == ':' || name[end] == '\\' || name[end] == '/')
        return 0;
    return end - 1;
}

size_t local_name_split(const char *name, size_t n, char separator)
{
    const char *p = n ? memchr(name, separator, n) : NULL; /* LLVM splits at the first semicolon */
    if (p && separator == ':')
        return split_at_colon(name, n);
    return !p || p == name || p + 1 == name + n ? 0 : (size_t)(p - name);
}

size_t local_name_file(const char *name, size_t n)
{
    const size_t at = local_name_split(name, n, ';');
    return at ? at : local_name_split(name, n, ':');
}

/* ---- producers ---- */

/* Whether a name is one of Rust's: _RNv... and the like, or _ZN...17h, 16 digits, and E. */
static bool is_of_rust(struct apf_str name)
{
    static const char kinds[] = "CMXYNI0123456789"; /* of the paths that a function can have, or a version */
    enum { HASH = 20 };                             /* bytes of "17h", the digits, and E */
    if (name.n > 2 && name.p[0] == '_' && name.p[1] == 'R')
        return memchr(kinds, name.p[2], sizeof kinds - 1) != NULL;
    if (name.n < 3 + HASH || memcmp(name.p, "_ZN", 3) != 0)
        return false;
    const char *hash = name.p + name.n - HASH;
    bool is_hash = memcmp(hash, "17h", 3) == 0 && hash[HASH - 1] == 'E';
    for (unsigned i = 3; i < HASH - 1; i++)
        is_hash &= (hash[i] >= '0' && hash[i] <= '9') || (hash[i] >= 'a' && hash[i] <= 'f');
    return is_hash;
}

void release_clues_hash(struct release_clues *c, uint64_t hash, struct apf_str name)
{
    if (is_of_rust(name))
        return;
    c->hash_bits |= hash;
    c->digests += hash_is_digest(hash);
}

void release_clues_name(struct release_clues *c, const char *name, size_t n)
{
    if (local_name_split(name, n, ';'))
        c->semicolons = true;
    else if (!c->colons && local_name_split(name, n, ':'))
        c->colons = true;
}

void release_clues_join(struct release_clues *to, const struct release_clues *from)
{
    to->hash_bits |= from->hash_bits;
    to->digests += from->digests;
    to->semicolons |= from->semicolons;
    to->colons |= from->colons;
    if (to->max_kinds < from->max_kinds)
        to->max_kinds = from->max_kinds;
}

static uint32_t version_of(const struct release *row, const struct release_clues *c)
{
    return c->format == APF_FORMAT_RAW ? row->raw_version : row->indexed_version;
}

static bool may_have_made(const struct release *row, const struct release_clues *c)
{
    char separator = c->semicolons ? ';' : c->colons ? ':' : '\0';
    if (version_of(row, c) != c->version || c->variant & ~row->variants || c->max_kinds > row->value_kinds)
        return false;
    if (separator && c->variant & APF_VARIANT_IR && row->separator != separator)
        return false;
    if (c->variant & APF_VARIANT_IR)
        return true;
    bool narrow = hash_scheme(row->indexed_version) >= FIRST_60_BIT_SCHEME;
    return c->hash_bits & ~HASH_60_BITS ? !narrow : narrow || c->digests < MANY_DIGESTS;
}

uint64_t releases_that_made(const struct release_clues *c)
{
    uint64_t set = 0;
    if (c->format != APF_FORMAT_RAW && c->format != APF_FORMAT_INDEXED)
        return 0;
    for (unsigned i = 0; i < N_ROWS; i++)
        if (may_have_made(&rows[i], c))
            set |= (uint64_t)1 << i;
    /* Where features contradict each other (a vendor's compiler, a development version, text merged by hand), the
     * version alone decides. */
    for (unsigned i = 0; !set && i < N_ROWS; i++)
        if (version_of(&rows[i], c) == c->version)
            set |= (uint64_t)1 << i;
    return set;
}

/* ---- readers ---- */

/* Variant bits that change how a raw profile stores counts: a reader that ignores one reads wrong counts. */
#define RAW_STORAGE (APF_VARIANT_BYTE_COVERAGE | APF_VARIANT_TEMPORAL | APF_VARIANT_DEBUG_CORRELATE)

uint64_t releases_that_read(const struct release_clues *c, uint32_t memprof_version)
{
    uint64_t set = 0;
    for (unsigned i = 0; i < N_ROWS; i++) {
        bool reads = false;
        if (c->format == APF_FORMAT_RAW)
            reads = rows[i].raw_version == c->version && !(c->variant & RAW_STORAGE & ~rows[i].variants);
        else if (c->format == APF_FORMAT_INDEXED)
            reads = rows[i].indexed_version >= c->version && rows[i].value_kinds >= c->max_kinds &&
                    !(c->variant & ~rows[i].variants) &&
                    (memprof_version == APF_MEMPROF_NO_VERSION || release_reads_memprof(i, memprof_version));
        if (reads)
            set |= (uint64_t)1 << i;
    }
    return set;
}

/* ---- targets ---- */

static int report_target(const char *text, struct apf_error *error)
{
    int code = error_plain(error, APF_ARGUMENT, "target",
                           "unknown target '%.60s'; use auto, llvm-N (%s to %s) or indexed-N (1 to %u); "
                           "gcc-N is for sample profiles; clang-16 and 16 mean llvm-16",
                           text, rows[0].name, rows[N_ROWS - 1].name, INDEXED_MAX_VERSION);
    return error_subject(error, code, APF_SUBJECT_OPTION);
}

/* Whether a text is the name of a release ("16"), or the name with further numbers after it ("16.0.6"). */
static bool is_release_name(const char *text, const char *name)
{
    size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && (text[n] == '\0' || text[n] == '.');
}

/* What may be the name of a release: "16" in "llvm-16", "clang-16" and "16". */
static const char *release_in(const char *text)
{
    static const char *const prefixes[] = {"llvm-", "clang-"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
            return text + strlen(prefixes[i]);
    return text;
}

int apf_target_parse(const char *text, struct apf_target *target, struct apf_error *error)
{
    uint64_t version;
    memset(target, 0, sizeof *target);
    if (strcmp(text, "auto") == 0)
        return APF_OK;
    for (unsigned i = 0; i < N_ROWS; i++)
        if (is_release_name(release_in(text), rows[i].name)) {
            target->kind = APF_TARGET_RELEASE;
            target->release = i;
            target->version = rows[i].indexed_version;
            return APF_OK;
        }
    if (strncmp(text, "indexed-", 8) == 0 && number_decimal(text + 8, strlen(text + 8), &version) &&
        indexed_version_find(version)) {
        target->kind = APF_TARGET_INDEXED;
        target->version = (uint32_t)version;
        return APF_OK;
    }
    return report_target(text, error);
}

struct target_choice target_choose(const struct apf_target *target)
{
    struct target_choice c = {target->version, separator_of_version(target->version), 0, 0};
    /* Several releases may write one version. The output has the separator of the oldest release that reads it, and may
     * have the variant bits of the newest release that writes it. */
    for (unsigned i = 0; i < N_ROWS; i++) {
        bool match = target->kind == APF_TARGET_RELEASE ? i == target->release
                                                        : rows[i].indexed_version == target->version;
        if (match) {
            c.separator = target->kind == APF_TARGET_RELEASE ? rows[i].separator : c.separator;
            c.value_kinds = rows[i].value_kinds;
            c.variants = rows[i].variants;
        }
    }
    return c;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GCC's profiles: the header, the sections around the functions, and what releases of GCC make of the functions. */
#include "sample/check/sample_gcc_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "sample/gcc/gcc_parse.h"
#include "sample/gcc/sample_gcc_read.h"

#define VERSION_AT 4u
#define UNUSED_AT 8u
#define TAG_AT 12u

static uint64_t read_counter(struct cursor *c)
{
    uint64_t low = cursor_u32(c);
    return low | (uint64_t)cursor_u32(c) << 32;
}

bool sample_gcc_has(const struct sample_gcc_checker *g, uint32_t cap)
{
    return (g->layout->caps & cap) != 0;
}

/* ---- the header ---- */

/* Finds what the releases do that read this layout. */
static void find_releases(struct sample_gcc_checker *g)
{
    enum sample_form form = sample_form_of_gcc(g->layout->version, g->layout->variant);
    unsigned n = sample_gcc_has(g, GCC_CAP_MISLABELLED) ? 0 : sample_release_count(APF_SAMPLE_FOR_GCC);
    for (unsigned i = 0; i < n; i++) {
        const struct sample_release *row = sample_release_row(APF_SAMPLE_FOR_GCC, i);
        if (!sample_release_reads(row, form, 0))
            continue;
        bool plain = !(row->knows & SAMPLE_HAS_DISCRIMINATORS);
        g->release = row;
        g->some_plain |= plain;
        g->all_plain = plain && (g->all_plain || !g->n_releases);
        g->n_releases++;
    }
}

static void check_header(struct sample_gcc_checker *g)
{
    struct check *c = g->k->c;
    uint32_t unused = load32(g->k->data + UNUSED_AT, g->swap);
    if (sample_gcc_has(g, GCC_CAP_MISLABELLED))
        check_with_numbers(c, APF_SEVERITY_ERROR, APF_SAMPLE_VERSION,
                           check_spot("sample.gcc.version", VERSION_AT, g->layout->word,
                                      gcc_layout_named(g->layout->name)->word),
                           "the version is that of another layout: compilers misread the profile");
    else if (sample_gcc_has(g, GCC_CAP_DEVELOPMENT))
        check_place(c, APF_SEVERITY_ERROR, APF_SAMPLE_VERSION, "sample.gcc.version", VERSION_AT,
                    "a layout that only development versions of GCC 16 read, under the version of GCC 16");
    if (unused)
        check_at(c, g->release ? APF_SEVERITY_NOTE : APF_SEVERITY_ERROR,
                 g->release ? APF_NOTE : APF_INCONSISTENT,
                 check_spot("sample.gcc.header.unused", UNUSED_AT, unused, 0),
                 g->release ? "a word that GCC ignores" : "a word that must be 0 for LLVM");
    if (g->swap != HOST_BIG_ENDIAN)
        check_place(c, APF_SEVERITY_NOTE, APF_NOTE, "sample.gcc.magic", 0,
                    "in big-endian order: compilers on little-endian machines refuse the profile");
}

/* ---- names ---- */

static struct apf_str read_string(struct sample_gcc_checker *g)
{
    uint64_t n = cursor_u32(&g->c);
    struct apf_str text = {NULL, 0};
    n = sample_gcc_has(g, GCC_CAP_BYTE_STRINGS) ? n : 4 * n;
    const char *p = (const char *)cursor_bytes(&g->c, n), *end = p && n ? memchr(p, 0, n) : NULL;
    text.p = p ? p : "";
    text.n = p ? end ? (size_t)(end - p) : n : 0;
    return text;
}

/* Reads the names; false: they are damaged. */
static bool read_names(struct sample_gcc_checker *g)
{
    g->names_at = cursor_offset(&g->c);
    cursor_skip(&g->c, 4);
    g->names_length = cursor_u32(&g->c);
    uint32_t n_files = sample_gcc_has(g, GCC_CAP_FILES) ? cursor_u32(&g->c) : 0;
    for (uint32_t i = 0; i < n_files && !g->c.failed; i++)
        (void)read_string(g);
    uint32_t n = cursor_u32(&g->c);
    for (uint32_t i = 0; i < n && !g->c.failed && g->k->c->code == APF_OK; i++) {
        struct sample_gcc_name name = {.at = cursor_offset(&g->c)};
        name.text = read_string(g);
        if (sample_gcc_has(g, GCC_CAP_FILES))
            cursor_skip(&g->c, 4); /* the number of its file */
        if (!VEC_PUSH(&g->names, name))
            check_memory(g->k->c);
    }
    return !g->c.failed;
}

/* Lengths are in words, also where strings are not, and nothing reads them. */
static void check_length(struct sample_gcc_checker *g, const char *where, uint64_t at, uint64_t found,
                         uint64_t expected)
{
    if (found != (uint32_t)expected)
        check_at(g->k->c, APF_SEVERITY_NOTE, APF_NOTE, check_spot(where, at, found, expected),
                 "not the length of the section, which nothing reads");
}

static void check_names(struct sample_gcc_checker *g)
{
    const struct sample_gcc_name *names = g->names.data;
    struct sample_checker *k = g->k;
    uint64_t length = 1, n_used = k->s->findings[SAMPLE_FINDING_NAME_AT_0], n_unsorted = 0, first = 0;
    for (size_t i = 0; i < g->names.n; i++) {
        length += 1 + (names[i].text.n + 4) / 4;
        bool after = i && sort_compare_bytes(names[i - 1].text.p, names[i - 1].text.n, names[i].text.p,
                                             names[i].text.n) > 0;
        first = after && n_unsorted++ == 0 ? names[i].at : first;
    }
    check_length(g, "sample.gcc.names.length", g->names_at + 4, g->names_length, length);
    if (n_unsorted)
        check_with_numbers(k->c, APF_SEVERITY_NOTE, APF_NOTE,
                           check_spot("sample.gcc.names.order", first, n_unsorted, 0),
                           "names are not sorted");
    if (!g->names.n || (!names[0].text.n && !n_used))
        return;
    bool stops = n_used && g->release && sample_gcc_has(g, GCC_CAP_NO_NAME_0);
    uint32_t severity = stops ? APF_SEVERITY_ERROR : n_used ? APF_SEVERITY_WARNING : APF_SEVERITY_NOTE;
    sample_check_name(k, names[0].text);
    check_with_numbers(k->c, severity, n_used ? APF_BAD_SAMPLE_GCC : APF_NOTE,
                       check_spot("sample.gcc.names.first", names[0].at, n_used, 0),
                       stops    ? "uses of the name at index 0, which must be empty: GCC 12 and later stop"
                       : n_used ? "uses of the name at index 0, which must be empty"
                                : "the name at index 0 is not empty");
    check_no_function(k->c);
}

/* ---- the summary ---- */

/* Reads the summary, which has no length. Its rows are in the arena; false: damaged. */
static bool read_summary(struct sample_gcc_checker *g, struct arena *arena)
{
    struct sample_summary *summary = &g->summary;
    cursor_skip(&g->c, 4);
    g->summary_at = cursor_offset(&g->c);
    summary->total = read_counter(&g->c);
    summary->max_count = read_counter(&g->c);
    summary->max_head = read_counter(&g->c);
    summary->n_counts = read_counter(&g->c);
    summary->n_functions = read_counter(&g->c);
    uint64_t n = read_counter(&g->c);
    if (g->c.failed || n > cursor_left(&g->c) / GCC_ROW_BYTES)
        return false;
    summary->rows = arena_array(arena, n, sizeof *summary->rows);
    if (!summary->rows) {
        check_memory(g->k->c);
        return false;
    }
    summary->n_rows = n;
    for (uint64_t i = 0; i < n; i++) {
        summary->rows[i].cutoff = cursor_u32(&g->c);
        summary->rows[i].min_count = read_counter(&g->c);
        summary->rows[i].n_counts = read_counter(&g->c);
    }
    return !g->c.failed;
}

/* ---- what follows the functions ---- */

static void check_tail(struct sample_gcc_checker *g, uint64_t end)
{
    struct sample_checker *k = g->k;
    struct cursor c = cursor_make(k->data, k->n, g->swap);
    bool modules = sample_gcc_has(g, GCC_CAP_NEEDS_MODULES);
    bool working_set = sample_gcc_has(g, GCC_CAP_NEEDS_WORKING_SET);
    cursor_skip(&c, end);
    uint32_t tag = cursor_u32(&c), length = cursor_u32(&c);
    if (c.failed || tag != GCC_TAG_MODULES) {
        check_place(k->c, modules ? APF_SEVERITY_ERROR : APF_SEVERITY_NOTE,
                    modules ? APF_BAD_SAMPLE_GCC : APF_NOTE, "sample.gcc.modules", end,
                    working_set
                        ? "there is no section of modules, without which GCC 5 to 8 refuse the profile"
                    : modules ? "there is no section of modules, without which GCC 16 refuses the profile"
                              : "there is no section of modules, which nothing reads");
        if (end < k->n)
            sample_check_unclaimed(k, "sample.gcc.unclaimed", end, k->n - end);
        return;
    }
    if (length > 1) /* 0, or 1 as of autofdo 0.19 */
        check_length(g, "sample.gcc.modules.length", end + 4, length, 0);
    cursor_skip(&c, 4);
    uint64_t at = cursor_offset(&c);
    bool there = cursor_u32(&c) == GCC_TAG_WORKING_SET && !c.failed;
    if (!there && working_set)
        check_place(k->c, APF_SEVERITY_ERROR, APF_BAD_SAMPLE_GCC, "sample.gcc.working_set", at,
                    "there is no working set, without which GCC 5 to 8 refuse the profile");
    if (there) {
        length = cursor_u32(&c);
        cursor_skip(&c, GCC_WORKING_SETS * GCC_WORKING_SET_BYTES);
        if (c.failed)
            check_bound(k->c, working_set ? APF_SEVERITY_ERROR : APF_SEVERITY_WARNING, APF_SAMPLE_TRUNCATED,
                        check_spot("sample.gcc.working_set", at, k->n - at,
                                   8 + GCC_WORKING_SETS * GCC_WORKING_SET_BYTES),
                        "the working set is cut off");
        else
            check_length(g, "sample.gcc.working_set.length", at + 4, length,
                         GCC_WORKING_SETS * GCC_WORKING_SET_BYTES / 4);
        at = cursor_offset(&c);
    }
    if (at < k->n && !c.failed)
        sample_check_unclaimed(k, "sample.gcc.unclaimed", at, k->n - at);
}

/* Checks the length of the functions, which the profile shows if it has nothing repeatedly. */
static void check_functions_length(struct sample_gcc_checker *g)
{
    const struct apf_sample *s = g->k->s;
    uint64_t length = 1 + 2 * (uint64_t)s->top.n, at = cursor_offset(&g->c);
    cursor_skip(&g->c, 4);
    uint32_t found = cursor_u32(&g->c);
    bool exact = g->k->whole && !g->k->origins.again.n;
    for (size_t i = 0; i < s->nodes.n; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        exact = exact && !(f->state & (SAMPLE_GONE | SAMPLE_JOINED_LINES | SAMPLE_JOINED_TARGETS));
        length += 3 + 4 * (uint64_t)f->lines.n + f->callees.n + 5 * (uint64_t)f->targets.n;
    }
    if (exact && !g->c.failed)
        check_length(g, "sample.gcc.functions.length", at + 4, found, length);
}

void sample_gcc_check(struct sample_checker *k)
{
    struct sample_gcc_checker g = {.k = k};
    struct gcc_parsed parsed;
    struct arena arena = {0};
    g.layout = sample_gcc_layout(k->data, k->n, k->s->info.layout, &g.swap);
    if (!g.layout)
        return;
    g.c = cursor_make(k->data, k->n, g.swap);
    cursor_skip(&g.c, TAG_AT);
    find_releases(&g);
    check_header(&g);
    bool good = !sample_gcc_has(&g, GCC_CAP_SUMMARY) || read_summary(&g, &arena);
    good = good && read_names(&g) && k->c->code == APF_OK;
    if (good) {
        check_names(&g);
        check_functions_length(&g);
        if (k->whole && g.summary.rows)
            sample_gcc_check_summary(&g);
        sample_gcc_check_functions(&g);
    }
    if (good && k->whole) {
        if (gcc_parse(NULL, k->data, k->n, g.swap, g.layout, k->options, &parsed, NULL) == APF_NO_MEMORY)
            check_memory(k->c);
        else
            check_tail(&g, parsed.progress.end);
    }
    VEC_FREE(&g.names);
    arena_free(&arena);
}

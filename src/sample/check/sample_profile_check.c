/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks a profile of any format as a whole: its summary, names, flags, and list of functions. */
#include <stdlib.h>
#include <string.h>

#include "base/md5.h"
#include "base/search.h"
#include "base/sort.h"
#include "sample/check/sample_checker.h"

/* ---- the summary ---- */

#define N_NUMBERS 5u
#define ROW_NUMBERS 3u

static void check_number(struct sample_checker *k, enum sample_place place, const uint64_t *offset,
                         uint64_t found, uint64_t expected, const char *detail)
{
    struct error_at at = {sample_check_path(k, place), offset ? *offset : NO_OFFSET, found, expected};
    if (found != expected)
        sample_check_numbers(k, APF_SEVERITY_WARNING, APF_INCONSISTENT, at, detail);
}

void sample_check_summary(struct sample_checker *k, const struct sample_summary *stored,
                          const struct sample_summary *right, const uint64_t *offsets)
{
    const uint64_t *at = offsets;
    const struct {
        enum sample_place place;
        uint64_t found, expected;
        const char *detail;
    } rows[N_NUMBERS] = {
        {SAMPLE_AT_SUMMARY_TOTAL, stored->total, right->total, "not the sum of all counts"},
        {SAMPLE_AT_SUMMARY_MAX_COUNT, stored->max_count, right->max_count, "not the largest count"},
        {SAMPLE_AT_SUMMARY_MAX_HEAD, stored->max_head, right->max_head, "not the largest number of entries"},
        {SAMPLE_AT_SUMMARY_COUNTS, stored->n_counts, right->n_counts, "not the number of counts"},
        {SAMPLE_AT_SUMMARY_FUNCTIONS, stored->n_functions, right->n_functions, "not the number of functions"},
    };
    for (size_t i = 0; i < N_NUMBERS; i++)
        check_number(k, rows[i].place, at ? at + i : NULL, rows[i].found, rows[i].expected, rows[i].detail);
    at = at ? at + N_NUMBERS : NULL;
    for (size_t i = 0; i < stored->n_rows && i < right->n_rows; i++, at = at ? at + ROW_NUMBERS : NULL) {
        check_number(k, SAMPLE_AT_SUMMARY_MIN_COUNT, at ? at + 1 : NULL, stored->rows[i].min_count,
                     right->rows[i].min_count, "not the smallest count of a cutoff");
        check_number(k, SAMPLE_AT_SUMMARY_ROW, at ? at + 2 : NULL, stored->rows[i].n_counts,
                     right->rows[i].n_counts, "not the number of counts of a cutoff");
    }
}

/* Finds the offsets of the numbers of the summary in a file that has them as ULEB128. NULL: it does not, or allocation
 * failed; packed ones have the offset of their section. */
static uint64_t *find_offsets(struct sample_checker *k, size_t n_rows)
{
    size_t n = N_NUMBERS + ROW_NUMBERS * n_rows, at = 0;
    const uint8_t *end = k->data + k->n;
    if (k->summary_at >= k->n)
        return NULL;
    uint64_t *offsets = calloc(n, sizeof *offsets);
    const uint8_t *p = k->data + k->summary_at;
    if (!offsets)
        check_memory(k->c);
    for (size_t i = 0; offsets && i < n + 1; i++) {
        if (i != N_NUMBERS) /* the number of rows */
            offsets[at++] = k->summary_packed ? k->summary_at : (uint64_t)(p - k->data);
        while (p < end && *p & 0x80)
            p++;
        p += p < end;
    }
    return offsets;
}

bool sample_check_cutoffs(struct sample_checker *k, const struct sample_summary *stored,
                          const uint64_t *offsets, uint32_t *cutoffs)
{
    const uint64_t most = 1000000;
    uint64_t last = 0;
    for (size_t i = 0; cutoffs && i < stored->n_rows; i++) {
        uint64_t cutoff = stored->rows[i].cutoff;
        bool below = cutoff < last;
        struct error_at at = {sample_check_path(k, SAMPLE_AT_SUMMARY_CUTOFF),
                              offsets ? offsets[N_NUMBERS + ROW_NUMBERS * i] : NO_OFFSET, cutoff,
                              below ? last : most};
        if (below || cutoff > most) {
            sample_check_bound(k, APF_SEVERITY_WARNING, APF_INCONSISTENT, at,
                               "cutoffs do not ascend to a million");
            return false;
        }
        last = cutoff;
        cutoffs[i] = (uint32_t)cutoff;
    }
    return true;
}

/* Compares the stored summary, which compilers and tools trust. */
static void check_stored(struct sample_checker *k)
{
    const struct sample_summary *stored = k->s->stored;
    struct sample_summary right;
    struct arena arena = {0};
    if (!stored || !k->whole)
        return;
    uint64_t *offsets = find_offsets(k, stored->n_rows);
    uint32_t *cutoffs = malloc((stored->n_rows + 1) * sizeof *cutoffs);
    if (!cutoffs)
        check_memory(k->c);
    if (k->c->code == APF_OK) {
        bool good = sample_check_cutoffs(k, stored, offsets, cutoffs);
        if (sample_summary_compute(k->s, cutoffs, good ? stored->n_rows : 0, &arena, &right, NULL) == APF_OK)
            sample_check_summary(k, stored, &right, offsets);
        else
            check_memory(k->c);
    }
    free(cutoffs);
    free(offsets);
    arena_free(&arena);
}

/* ---- names ---- */

static bool has_suffix(struct apf_str name, const char *suffix, size_t n_suffix)
{
    for (size_t i = name.n; i-- > n_suffix;)
        if (name.p[i] == '.')
            return memcmp(name.p + i + 1 - n_suffix, suffix, n_suffix) == 0;
    return false;
}

/* Whether clang cuts a suffix off the names of functions that it looks for, which a name has: the last dot is that
 * after the suffix. */
static bool is_cut(struct apf_str name)
{
    return has_suffix(name, ".llvm.", 6) || has_suffix(name, ".part.", 6);
}

static void check_names(struct sample_checker *k)
{
    const struct apf_sample *s = k->s;
    uint8_t *seen = calloc(s->names.list.n + 1, 1);
    if (!seen)
        check_memory(k->c);
    for (size_t i = 0; seen && i < s->top.n && k->c->code == APF_OK; i++) {
        uint32_t name = s->nodes.data[s->top.data[i]].name;
        struct apf_str text = sample_names_text(&s->names, name);
        if (seen[name] || !text.p || s->info.format == APF_SAMPLE_GCC)
            continue;
        seen[name] = 1;
        if (!is_cut(text))
            continue;
        sample_check_node(k, s->top.data[i]);
        check_place(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, sample_check_path(k, SAMPLE_AT_NAME),
                    sample_check_offset(k, s->top.data[i]),
                    "clang looks for this function without the suffix of its name");
        check_no_function(k->c);
    }
    free(seen);
}

/* ---- flow-sensitive discriminators ---- */

static bool has_passes(const struct sample_node *f)
{
    const uint32_t base = 0xff; /* bits of the front end */
    for (uint32_t i = 0; i < f->lines.n; i++)
        if (sample_place_discriminator(f->lines.data[i].at) & ~base)
            return true;
    return sample_place_discriminator(f->at) & ~base;
}

static void check_fs(struct sample_checker *k)
{
    const struct apf_sample *s = k->s;
    bool found = s->nodes.n == 0;
    if (!(s->info.flags & APF_SAMPLE_FS))
        return;
    for (size_t i = 0; i < s->nodes.n && !found; i++)
        found = has_passes(&s->nodes.data[i]);
    if (!found)
        check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, sample_check_path(k, SAMPLE_AT_FLAGS), NO_OFFSET,
                    "flagged as flow-sensitive, but no discriminator has bits of a pass");
}

/* ---- the list of all functions ---- */

/* Compilers take a listed function without samples for cold; one with samples has them, listed or not. */
static void check_symbols(struct sample_checker *k)
{
    const struct apf_sample *s = k->s;
    size_t n = s->symbols.n;
    if (n == 0)
        return;
    uint64_t *hashes = malloc(2 * n * sizeof *hashes);
    if (!hashes) {
        check_memory(k->c);
        return;
    }
    for (size_t i = 0; i < n; i++)
        hashes[i] = md5_name_ref(s->symbols.data[i].p, s->symbols.data[i].n);
    sort_numbers(hashes, hashes + n, n);
    for (size_t i = 0; i < s->top.n; i++) {
        uint64_t hash = sample_names_hash(&s->names, s->nodes.data[s->top.data[i]].name);
        size_t at;
        SEARCH(at, 0, n, hashes[at] < hash);
        if (at == n || hashes[at] != hash)
            sample_check_note(k, SAMPLE_NOTE_UNLISTED, s->top.data[i], 0, 0);
    }
    free(hashes);
}

/* ---- all of it ---- */

void sample_profile_check(struct sample_checker *k)
{
    sample_nodes_check(k);
    check_names(k);
    check_fs(k);
    check_symbols(k);
    sample_check_notes(k);
    check_stored(k);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/coverage.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/text_bytes.h"

/* The mapping of a function is decoded for each of its source files. A function has one, and those that are included in
 * its body. */
#define MOST_NAMES 1024u

/* ---- one function ---- */

/* Of a file of a function: what of it markers leave out, because of the line where it is expanded. */
enum { EXCLUDED_NOTHING, EXCLUDED_BRANCHES, EXCLUDED_ALL, EXCLUDED_UNKNOWN };

/* What markers leave out of a region, for whose file that is known. */
static uint8_t excluded_part(const struct coverage *c, const struct cov_work *w, const struct region *r)
{
    const struct excluded_lines *e = exclusions_of(&c->exclusions, cov_file_name(w, r->file));
    const uint8_t outer = w->excluded.data[r->file];
    if (outer == EXCLUDED_ALL || (e && line_ranges_find(&e->lines, r->line)))
        return EXCLUDED_ALL;
    return e && line_ranges_find(&e->branches, r->line) ? EXCLUDED_BRANCHES : outer;
}

/* Finds what is left out of each file of the function, outer ones before inner ones: each is expanded once. */
static bool exclude_files(const struct coverage *c, struct cov_work *w)
{
    struct mapping *m = &w->mapping;
    const size_t n = m->files.n;
    w->excluded.n = m->scratch.n = 0;
    if (!VEC_RESERVE(&w->excluded, n) || !VEC_RESERVE(&m->scratch, 2 * n))
        return false;
    uint32_t *of = m->scratch.data, *trail = of + n; /* the expansion of each file */
    for (size_t i = 0; i < n; i++) {
        of[i] = UINT32_MAX;
        w->excluded.data[w->excluded.n++] = EXCLUDED_UNKNOWN;
    }
    for (size_t i = 0; i < m->regions.n; i++)
        if (m->regions.data[i].kind == REGION_EXPANSION)
            of[m->regions.data[i].expanded] = (uint32_t)i;
    for (uint32_t i = 0; i < n; i++) {
        size_t length = 0;
        uint32_t file = i;
        while (w->excluded.data[file] == EXCLUDED_UNKNOWN) {
            w->excluded.data[file] = EXCLUDED_NOTHING; /* also in a circle */
            trail[length++] = file;
            if (of[file] != UINT32_MAX)
                file = m->regions.data[of[file]].file;
        }
        while (length--)
            if (of[trail[length]] != UINT32_MAX)
                w->excluded.data[trail[length]] = excluded_part(c, w, &m->regions.data[of[trail[length]]]);
    }
    return true;
}

/* Marks what markers in the source leave out, also in what is expanded there; a branch that is left out counts as a
 * constant. */
static int mark_excluded(const struct coverage *c, struct cov_work *w, struct apf_error *error)
{
    if (!c->exclusions.files.n)
        return APF_OK;
    if (!exclude_files(c, w))
        return error_memory(error);
    for (size_t i = 0; i < w->mapping.regions.n; i++) {
        struct region *r = &w->mapping.regions.data[i];
        const uint8_t part = excluded_part(c, w, r);
        r->excluded = part == EXCLUDED_ALL;
        if (region_is_branch(r) && part != EXCLUDED_NOTHING)
            r->counter = r->false_counter = COUNTER_ZERO;
    }
    return APF_OK;
}

void coverage_begin_segments(const struct coverage *c, struct segments *s)
{
    s->spans.n = s->runs.n = 0;
    s->one_byte = c->one_byte;
    s->saturates = !c->strict;
}

int coverage_segments(const struct coverage *c, struct segments *s, uint32_t file, struct apf_error *error)
{
    const struct excluded_lines *e = exclusions_of(&c->exclusions, file);
    return segments_make(s) && (!e || segments_exclude(s, &e->lines)) ? APF_OK : error_memory(error);
}

/* Decodes a record. */
static int open_record(const struct coverage *c, const struct cov_object *o, const struct cov_record *record,
                       struct cov_work *w, struct apf_error *error)
{
    w->object = o;
    w->unit = &o->units.data[record->unit];
    const int code = mapping_decode(&w->mapping, record->mapping, record->size, w->unit->n, error);
    return code == APF_OK ? mark_excluded(c, w, error) : code;
}

/* Shows nothing as executed. */
static void forget_counts(struct cov_work *w)
{
    w->counts =
        (struct function_counts){.match = COUNTS_ABSENT, .numbering = MCDC_NONE, .slot = COUNTS_NOWHERE};
    mapping_clear(&w->mapping);
}

int coverage_open(const struct coverage *c, const struct cov_function *f, struct cov_work *w,
                  struct apf_error *error)
{
    const struct cov_object *o = &c->objects[f->object];
    enum counters_verdict verdict;
    int code = open_record(c, o, &o->records.data[f->record], w, error);
    if (code != APF_OK)
        return code;
    if (f->unknown || f->slot == COUNTS_NOWHERE) {
        forget_counts(w);
        return APF_OK;
    }
    c->again(c->user, f->slot, &w->counts);
    if (!mapping_evaluate(&w->mapping, &w->counts.counts, !c->strict, &verdict))
        code = error_memory(error);
    return code;
}

int coverage_decisions(struct cov_work *w, struct apf_error *error)
{
    size_t i = 0;
    while (i < w->mapping.regions.n && w->mapping.regions.data[i].kind != REGION_DECISION)
        i++;
    w->decisions.list.n = 0;
    if (i == w->mapping.regions.n)
        return APF_OK;
    if (!mcdc_find(&w->decisions, &w->mapping, w->counts.bitmap, w->counts.n_bitmap, w->counts.numbering))
        return error_memory(error);
    size_t n = 0;
    for (i = 0; i < w->decisions.list.n; i++)
        if (!w->decisions.list.data[i].region->excluded)
            w->decisions.list.data[n++] = w->decisions.list.data[i];
    w->decisions.list.n = n;
    return APF_OK;
}

/* Sets w->is_expanded. False: an allocation failed. */
static bool mark_expanded(struct cov_work *w)
{
    const struct mapping *m = &w->mapping;
    w->is_expanded.n = 0;
    if (!VEC_RESERVE(&w->is_expanded, m->files.n))
        return false;
    w->is_expanded.n = m->files.n;
    if (m->files.n)
        memset(w->is_expanded.data, 0, m->files.n);
    for (size_t i = 0; i < m->regions.n; i++)
        if (m->regions.data[i].kind == REGION_EXPANSION)
            w->is_expanded.data[m->regions.data[i].expanded] = 1;
    return true;
}

int cov_main_file(struct cov_work *w, uint32_t *main, struct apf_error *error)
{
    *main = UINT32_MAX;
    if (!mark_expanded(w))
        return error_memory(error);
    for (uint32_t i = 0; i < w->is_expanded.n && *main == UINT32_MAX; i++)
        if (!w->is_expanded.data[i])
            *main = i;
    return APF_OK;
}

/* Goes to the next expansion of a file that was not visited. False: there is none. */
static bool next_expansion(struct cov_work *w, struct cov_visit *visit, uint8_t *visited)
{
    const struct mapping *m = &w->mapping;
    for (; visit->region < m->starts.data[visit->file + 1]; visit->region++) {
        const struct region *r = &m->regions.data[visit->region];
        if (r->kind == REGION_EXPANSION && !visited[r->expanded]) {
            visited[r->expanded] = 1;
            return true;
        }
    }
    return false;
}

int coverage_files_below(struct cov_work *w, uint32_t file, struct apf_error *error)
{
    const struct mapping *m = &w->mapping;
    const size_t n = m->files.n;
    w->order.n = w->stack.n = 0;
    if (!VEC_RESERVE(&w->order, n) || !VEC_RESERVE(&w->stack, n) ||
        (n > w->visited.n && !VEC_RESERVE(&w->visited, n - w->visited.n)))
        return error_memory(error);
    uint8_t *visited = w->visited.data;
    while (w->visited.n < n)
        visited[w->visited.n++] = 0;
    visited[file] = 1;
    w->stack.data[w->stack.n++] = (struct cov_visit){file, m->starts.data[file]};
    while (w->stack.n) {
        struct cov_visit *visit = &w->stack.data[w->stack.n - 1];
        if (next_expansion(w, visit, visited)) {
            const uint32_t inner = m->regions.data[visit->region++].expanded;
            w->stack.data[w->stack.n++] = (struct cov_visit){inner, m->starts.data[inner]};
        } else {
            w->order.data[w->order.n++] = visit->file;
            w->stack.n--;
        }
    }
    for (size_t i = 0; i < w->order.n; i++)
        visited[w->order.data[i]] = 0;
    return APF_OK;
}

void cov_work_free(struct cov_work *w)
{
    mapping_free(&w->mapping);
    segments_free(&w->segments);
    mcdc_free(&w->decisions);
    VEC_FREE(&w->is_expanded);
    VEC_FREE(&w->visited);
    VEC_FREE(&w->excluded);
    VEC_FREE(&w->order);
    VEC_FREE(&w->stack);
}

/* ---- its summary ---- */

/* Counts the branches of the main file, and of what is expanded in it. */
static int count_branches(struct cov_work *w, uint32_t main, struct function_summary *s,
                          struct apf_error *error)
{
    const struct mapping *m = &w->mapping;
    struct apf_cov_share sides = {0, 0};
    const int code = coverage_files_below(w, main, error);
    for (size_t i = 0; code == APF_OK && i < w->order.n; i++)
        for (uint32_t k = m->starts.data[w->order.data[i]]; k < m->starts.data[w->order.data[i] + 1]; k++)
            if (region_is_branch(&m->regions.data[k]))
                branch_count_sides(&sides, &m->regions.data[k]);
    s->branches = (uint32_t)sides.n;
    s->covered_branches = (uint32_t)sides.covered;
    return code;
}

static int count_lines(const struct coverage *c, struct cov_work *w, uint32_t main,
                       struct function_summary *s, struct apf_error *error)
{
    coverage_begin_segments(c, &w->segments);
    bool ok = true;
    for (uint32_t i = w->mapping.starts.data[main]; i < w->mapping.starts.data[main + 1] && ok; i++) {
        const struct region *r = &w->mapping.regions.data[i];
        ok = !region_is_span(r) || segments_add(&w->segments, r);
    }
    const int code =
        ok ? coverage_segments(c, &w->segments, cov_file_name(w, main), error) : error_memory(error);
    if (code != APF_OK)
        return code;
    struct apf_cov_share lines = {0, 0};
    segments_count_lines(&w->segments, 0, &lines);
    s->lines = (uint32_t)lines.n;
    s->covered_lines = (uint32_t)lines.covered;
    return APF_OK;
}

static int count_conditions(struct cov_work *w, uint32_t main, struct function_summary *s,
                            struct apf_error *error)
{
    const int code = coverage_decisions(w, error);
    for (size_t i = 0; code == APF_OK && i < w->decisions.list.n; i++)
        if (w->decisions.list.data[i].region->file == main)
            mcdc_count(&w->decisions.list.data[i], &s->mcdc, &s->covered_mcdc);
    return code;
}

/* Sets what is kept of a function that was opened. */
static int summarize(const struct coverage *c, struct cov_work *w, struct cov_function *f,
                     struct apf_error *error)
{
    const struct mapping *m = &w->mapping;
    bool first = true, placed = false;
    uint32_t main;
    int code = cov_main_file(w, &main, error);
    if (code != APF_OK)
        return code;
    f->first_file = m->files.n ? cov_file_name(w, 0) : HASH_INDEX_NONE;
    for (size_t i = 0; i < m->regions.n; i++) {
        const struct region *r = &m->regions.data[i];
        if (!region_is_span(r))
            continue;
        if (first) {
            f->count = r->count;
            f->first_line = r->line;
        }
        first = false;
        if (!placed && r->file == main) {
            f->line = r->line;
            f->column = r->column;
            placed = true;
        }
        const bool counts = r->kind == REGION_CODE && !r->excluded;
        f->summary.regions += counts;
        f->summary.covered_regions += counts && r->count != 0;
    }
    if (!placed)
        return APF_OK;
    f->main_file = cov_file_name(w, main);
    code = count_lines(c, w, main, &f->summary, error);
    if (code == APF_OK)
        code = count_branches(w, main, &f->summary, error);
    return code == APF_OK ? count_conditions(w, main, &f->summary, error) : code;
}

/* ---- all functions ---- */

/* How many bytes of a name are that of the file before it, as local functions have it, and the separator. LLVM knows it
 * only if it is the whole path; here it may be the end of the path, which is what compilers are mostly given. */
static size_t local_prefix(const struct coverage *c, struct apf_str file, struct apf_str name)
{
    if (file.n && name.n > file.n && memcmp(name.p, file.p, file.n) == 0)
        return file.n + 1;
    for (size_t i = 1; i < name.n && i < file.n && !c->strict; i++)
        if ((name.p[i] == ':' || name.p[i] == ';') && file.p[file.n - i - 1] == '/' &&
            memcmp(name.p, file.p + file.n - i, i) == 0)
            return i + 1;
    return 0;
}

static struct apf_str shown_name(const struct coverage *c, const struct cov_work *w, struct apf_str name)
{
    const struct apf_str file =
        w->mapping.files.n ? c->files.list.data[cov_file_name(w, 0)] : (struct apf_str){NULL, 0};
    const size_t n = local_prefix(c, file, name);
    return (struct apf_str){name.p + n, name.n - n};
}

/* Finds the function with these files and this name, or adds that it will be the next one; *twin is its number, or
 * HASH_INDEX_NONE. */
static int find_twin(struct coverage *c, const struct cov_work *w, struct apf_str name, uint32_t *twin,
                     struct apf_error *error)
{
    const uint32_t n = (uint32_t)w->mapping.files.n;
    uint64_t identity = XXH3_64bits(name.p, name.n);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t words[2] = {identity, cov_file_name(w, i)};
        identity = XXH3_64bits(words, sizeof words);
    }
    if (!hash_index_reserve(&c->identities, 1) || !VEC_RESERVE(&c->identity_hashes, 1))
        return hash_index_error(&c->identities, error);
    const uint64_t hash = hash_index_mix(&c->identities, identity, 0);
    uint32_t e;
    HASH_INDEX_FIND(e, &c->identities, hash,
                    c->identity_hashes.data[e] == identity && text_equal(c->functions.data[e].name, name));
    *twin = e;
    if (e == HASH_INDEX_NONE) {
        hash_index_add(&c->identities, hash, (uint32_t)c->functions.n);
        c->identity_hashes.data[c->identity_hashes.n++] = identity;
    }
    return APF_OK;
}

/* Sorts pairs from one on, and keeps one of each. */
static bool sort_pairs(struct coverage *c, size_t first)
{
    const size_t n = c->pairs.n - first;
    if (n < 2)
        return true;
    if (!VEC_RESERVE(&c->pairs, n))
        return false;
    uint64_t *pairs = c->pairs.data + first;
    sort_numbers(pairs, pairs + n, n);
    c->pairs.n = first;
    for (size_t i = 0; i < n; i++)
        if (c->pairs.n == first || c->pairs.data[c->pairs.n - 1] != pairs[i])
            c->pairs.data[c->pairs.n++] = pairs[i];
    return true;
}

/* Notes that the function that was opened, with number `f`, has a part in its files. */
static int add_pairs(struct coverage *c, const struct cov_work *w, size_t f, struct apf_error *error)
{
    const size_t first = c->pairs.n;
    for (uint32_t i = 0; i < w->mapping.files.n; i++) {
        const uint64_t pair = (uint64_t)cov_file_name(w, i) << 32 | f;
        if (c->pairs.n > first && c->pairs.data[c->pairs.n - 1] == pair)
            continue; /* most are macros of the file itself */
        if (!VEC_PUSH(&c->pairs, pair))
            return error_memory(error);
    }
    return sort_pairs(c, first) ? APF_OK : error_memory(error);
}

/* Whether the function that was opened has more source files than a function can have. */
static int has_many_names(struct coverage *c, const struct cov_work *w, bool *many, struct apf_error *error)
{
    const size_t first = c->pairs.n;
    *many = false;
    if (w->mapping.files.n <= MOST_NAMES)
        return APF_OK;
    const int code = add_pairs(c, w, 0, error);
    *many = c->pairs.n - first > MOST_NAMES;
    c->pairs.n = first;
    return code;
}

/* Whether a marker leaves out all of the function that was opened: the first region of its main file. */
static int is_excluded(const struct coverage *c, struct cov_work *w, bool *excluded, struct apf_error *error)
{
    uint32_t main;
    *excluded = false;
    const int code = c->exclusions.files.n ? cov_main_file(w, &main, error) : APF_OK;
    if (code != APF_OK || !c->exclusions.files.n || main == UINT32_MAX)
        return code;
    for (uint32_t i = w->mapping.starts.data[main]; i < w->mapping.starts.data[main + 1]; i++) {
        const struct region *r = &w->mapping.regions.data[i];
        if (!region_is_span(r))
            continue;
        const struct excluded_lines *e = exclusions_of(&c->exclusions, cov_file_name(w, main));
        const struct line_range *range = e ? line_ranges_find(&e->lines, r->line) : NULL;
        *excluded = range && range->last >= r->end_line;
        break;
    }
    return APF_OK;
}

/* Decides whether a record is shown: *fit is why not. */
static int judge(struct coverage *c, const struct cov_object *o, const struct cov_record *record,
                 struct cov_work *w, enum apf_cov_fit *fit, struct apf_error *error)
{
    enum counters_verdict verdict = COUNTERS_OK;
    *fit = APF_COV_AMBIGUOUS;
    if (o->units.data[record->unit].ambiguous)
        return APF_OK;
    int code = open_record(c, o, record, w, error);
    *fit = APF_COV_DAMAGED;
    if (code != APF_OK)
        return code == APF_BAD_COVERAGE && !c->strict ? APF_OK : code;
    c->lookup(c->user, record->name, record->hash, &w->counts);
    bool no;
    code = has_many_names(c, w, &no, error);
    if (code != APF_OK || no)
        return code;
    code = is_excluded(c, w, &no, error);
    *fit = APF_COV_EXCLUDED;
    if (code != APF_OK || no)
        return code;
    /* a function without code here has no hash that could fit; LLVM calls that a mismatch, too */
    const bool dummy = record->hash == 0 && mapping_is_dummy(record->mapping, record->size);
    *fit = dummy && !c->strict ? APF_COV_UNUSED : APF_COV_MISMATCH;
    if (w->counts.match == COUNTS_MISMATCH)
        return APF_OK;
    const struct mapping *m = &w->mapping;
    const struct counts *counts = &w->counts.counts;
    *fit = APF_COV_UNUSED;
    if (m->regions.n == 1 && counter_is_zero(m->regions.data[0].counter) && counts->n && counts_at(counts, 0))
        return APF_OK;
    if (!mapping_evaluate(&w->mapping, counts, !c->strict, &verdict))
        return error_memory(error);
    *fit = verdict == COUNTERS_MISSING ? APF_COV_SHORT_COUNTERS
           : verdict == COUNTERS_CYCLE ? APF_COV_CIRCULAR
                                       : APF_COV_FITS;
    return APF_OK;
}

/* Notes that a function is not shown. */
static int lose(struct coverage *c, uint32_t object, uint32_t record, enum apf_cov_fit fit,
                struct apf_error *error)
{
    const struct cov_loss loss = {object, record, (uint8_t)fit};
    c->fits[fit]++;
    return VEC_PUSH(&c->losses, loss) ? APF_OK : error_memory(error);
}

/* Adds a function, or puts it in place of one whose counts are not known, of an object before. */
static int add_function(struct coverage *c, struct cov_work *w, struct cov_function *f, uint32_t twin,
                        struct apf_error *error)
{
    int code = summarize(c, w, f, error);
    if (code == APF_OK && twin != HASH_INDEX_NONE) {
        struct cov_function *before = &c->functions.data[twin];
        code = lose(c, before->object, before->record, APF_COV_DUPLICATE, error);
        *before = *f;
        return code;
    }
    if (code == APF_OK)
        code = add_pairs(c, w, c->functions.n, error);
    return code != APF_OK || VEC_PUSH(&c->functions, *f) ? code : error_memory(error);
}

static int add_record(struct coverage *c, uint32_t object, uint32_t number, struct cov_work *w,
                      struct apf_error *error)
{
    const struct cov_object *o = &c->objects[object];
    const struct cov_record *record = &o->records.data[number];
    struct cov_function f = {.object = object, .record = number, .main_file = HASH_INDEX_NONE};
    enum apf_cov_fit fit;
    uint32_t twin = HASH_INDEX_NONE;
    int code = judge(c, o, record, w, &fit, error);
    if (code != APF_OK)
        return code;
    f.fit = (uint8_t)fit;
    f.unknown = fit != APF_COV_FITS && fit <= LAST_UNKNOWN && !c->strict;
    if (fit != APF_COV_FITS && !f.unknown)
        return lose(c, object, number, fit, error);
    if (f.unknown)
        forget_counts(w);
    f.slot = w->counts.slot;
    f.name = shown_name(c, w, cov_names_text(&c->names, record->name));
    code = find_twin(c, w, f.name, &twin, error);
    if (code != APF_OK)
        return code;
    if (twin != HASH_INDEX_NONE && (f.unknown || !c->functions.data[twin].unknown))
        return lose(c, object, number, APF_COV_DUPLICATE, error);
    return add_function(c, w, &f, twin, error);
}

/* Drops the functions that are not wanted. Which of several objects a function is of is decided without them. */
static int filter_functions(struct coverage *c, struct apf_error *error)
{
    struct arena arena = {0};
    uint32_t *numbers = arena_array(&arena, c->functions.n, sizeof *numbers); /* new ones */
    size_t n = 0, n_pairs = 0;
    int code = numbers ? APF_OK : error_memory(error);
    for (size_t i = 0; i < c->functions.n && code == APF_OK; i++) {
        const int wanted = c->wants(c->user, &c->functions.data[i]);
        numbers[i] = wanted > 0 ? (uint32_t)n : HASH_INDEX_NONE;
        if (wanted > 0)
            c->functions.data[n++] = c->functions.data[i];
        code = wanted < 0 ? error_memory(error) : APF_OK;
    }
    for (size_t i = 0; i < c->pairs.n && code == APF_OK; i++) {
        const uint64_t pair = c->pairs.data[i];
        const uint32_t number = numbers[(uint32_t)pair];
        if (number != HASH_INDEX_NONE)
            c->pairs.data[n_pairs++] = pair >> 32 << 32 | number;
    }
    if (code == APF_OK) {
        c->functions.n = n;
        c->pairs.n = n_pairs;
    }
    arena_free(&arena);
    return code;
}

int coverage_load(struct coverage *c, struct apf_error *error)
{
    struct cov_work w = {.object = NULL};
    int code = APF_OK;
    for (uint32_t i = 0; i < c->n_objects && code == APF_OK; i++)
        for (uint32_t k = 0; k < c->objects[i].records.n && code == APF_OK; k++)
            code = add_record(c, i, k, &w, error);
    c->failed_program = code != APF_OK && w.object ? w.object->program : UINT32_MAX;
    cov_work_free(&w);
    if (code == APF_OK && c->wants)
        code = filter_functions(c, error);
    for (size_t i = 0; i < c->functions.n; i++)
        c->fits[c->functions.data[i].fit] += c->functions.data[i].unknown;
    return code != APF_OK || sort_pairs(c, 0) ? code : error_memory(error);
}

void coverage_free(struct coverage *c)
{
    file_names_free(&c->files);
    cov_names_free(&c->names);
    VEC_FREE(&c->functions);
    VEC_FREE(&c->identity_hashes);
    VEC_FREE(&c->pairs);
    VEC_FREE(&c->losses);
    exclusions_free(&c->exclusions);
    hash_index_free(&c->identities);
}

struct file_functions coverage_functions(const struct coverage *c, uint32_t file)
{
    size_t low;
    SEARCH(low, 0, c->pairs.n, c->pairs.data[low] >> 32 < file);
    struct file_functions f = {ENTRY_AT(c->pairs.data, low), 0};
    while (low + f.n < c->pairs.n && f.pairs[f.n] >> 32 == file)
        f.n++;
    return f;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/coverage.h"

#include <string.h>

#include "base/error.h"
#include "base/search.h"

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
    uint32_t *of = m->scratch.data, *trail = ENTRY_AT(of, n); /* the expansion of each file */
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

int coverage_open_record(const struct coverage *c, const struct cov_object *o,
                         const struct cov_record *record, struct cov_work *w, struct apf_error *error)
{
    w->object = o;
    w->unit = &o->units.data[record->unit];
    const int code = mapping_decode(&w->mapping, record->mapping, record->size, w->unit->n, error);
    return code == APF_OK ? mark_excluded(c, w, error) : code;
}

void coverage_forget_counts(struct cov_work *w)
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
    int code = coverage_open_record(c, o, &o->records.data[f->record], w, error);
    if (code != APF_OK)
        return code;
    if (f->unknown || f->slot == COUNTS_NOWHERE) {
        coverage_forget_counts(w);
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
    VEC_FREE(&w->names);
    VEC_FREE(&w->order);
    VEC_FREE(&w->stack);
}

void coverage_free(struct coverage *c)
{
    text_set_free(&c->files);
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

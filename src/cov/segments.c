/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/segments.h"

#include "base/heap.h"
#include "base/sort.h"
#include "cov/evaluate.h"

static uint64_t begin_of(const struct span *s)
{
    return source_place(s->line, s->column);
}

static uint64_t end_of(const struct span *s)
{
    return source_place(s->end_line, s->end_column);
}

/* By where they begin; of those that begin together, outer ones come first. */
static bool span_before(const void *context, const void *a, const void *b)
{
    const struct span *x = (const struct span *)a, *y = (const struct span *)b;
    (void)context;
    if (begin_of(x) != begin_of(y))
        return begin_of(x) < begin_of(y);
    return end_of(x) != end_of(y) ? end_of(x) > end_of(y) : x->kind < y->kind;
}

/* Whether the spans are sorted, as those of one function mostly are; *twins: some are at the same place. */
static bool is_sorted(const struct segments *s, bool *twins)
{
    *twins = false;
    for (size_t i = 1; i < s->spans.n; i++) {
        const struct span *x = &s->spans.data[i - 1], *y = &s->spans.data[i];
        if (begin_of(x) < begin_of(y))
            continue;
        if (begin_of(x) > begin_of(y) || end_of(x) < end_of(y) ||
            (end_of(x) == end_of(y) && x->kind > y->kind))
            return false;
        *twins |= end_of(x) == end_of(y);
    }
    return true;
}

/* Makes one span of those at the same place: of their first kind, with all counts of that kind. */
static void combine(struct segments *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->spans.n; i++) {
        const struct span *span = &s->spans.data[i];
        struct span *last = &s->spans.data[n ? n - 1 : 0];
        if (n == 0 || begin_of(last) != begin_of(span) || end_of(last) != end_of(span))
            s->spans.data[n++] = *span;
        else if (last->kind == span->kind)
            last->count = count_add(last->count, span->count, s->one_byte, s->saturates);
    }
    s->spans.n = n;
}

/* ---- runs ---- */

static uint64_t hash_run(const struct segments *s, size_t first)
{
    uint64_t hash = s->spans.n - first;
    for (size_t i = first; i < s->spans.n; i++) {
        const struct span *span = &s->spans.data[i];
        hash = hash_index_mix(&s->by_run, hash ^ begin_of(span), end_of(span) + span->kind);
    }
    return hash;
}

static bool same_places(const struct span *a, const struct span *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (begin_of(&a[i]) != begin_of(&b[i]) || end_of(&a[i]) != end_of(&b[i]) || a[i].kind != b[i].kind)
            return false;
    return true;
}

bool segments_end_run(struct segments *s, size_t first)
{
    const struct span_run run = {first, s->spans.n - first};
    uint32_t e;
    if (run.n == 0)
        return true;
    if (s->runs.n == 0)
        hash_index_clear(&s->by_run);
    if (!hash_index_reserve(&s->by_run, 1) || !VEC_RESERVE(&s->runs, 1))
        return false;
    const uint64_t hash = hash_run(s, first);
    struct span *spans = s->spans.data;
    HASH_INDEX_FIND(e, &s->by_run, hash,
                    s->runs.data[e].n == run.n &&
                        same_places(&spans[s->runs.data[e].first], &spans[first], run.n));
    if (e == HASH_INDEX_NONE) {
        hash_index_add(&s->by_run, hash, (uint32_t)s->runs.n);
        s->runs.data[s->runs.n++] = run;
        return true;
    }
    struct span *before = &spans[s->runs.data[e].first];
    for (size_t i = 0; i < run.n; i++)
        before[i].count = count_add(before[i].count, spans[first + i].count, s->one_byte, s->saturates);
    s->spans.n = first;
    return true;
}

/* ---- building ---- */

struct builder {
    struct segments *s;
    /* Whether some active region ends after one that began before it: then active regions are no stack, but a heap by
     * where they end, and the list has some that have ended, but for the last one. */
    bool crossed;
    uint32_t *ended, *heap; /* room for all regions, each */
    size_t n_heap;
};

#define NOWHERE UINT64_MAX

static const struct span *active_at(const struct builder *b, size_t i)
{
    return &b->s->spans.data[b->s->active.data[i]];
}

static const struct span *innermost(const struct builder *b)
{
    return active_at(b, b->s->active.n - 1);
}

/* A region begins at most two segments where it begins, and one where it ends; so does the one around those that end
 * together. */
#define MOST_SEGMENTS 4u

/* Begins a segment that has the count of a region. */
static inline void emit(struct builder *b, const struct span *region, uint64_t at, bool entry, bool skipped)
{
    const bool has_count = !skipped && region->kind != REGION_SKIPPED;
    if (!entry && !skipped && b->s->list.n) {
        const struct segment *last = &b->s->list.data[b->s->list.n - 1];
        if (last->has_count == has_count && last->count == region->count && !last->is_entry)
            return;
    }
    const struct segment segment = {.line = (uint32_t)(at >> 32),
                                    .column = (uint32_t)at,
                                    .has_count = has_count,
                                    .is_entry = entry,
                                    .is_gap = has_count && region->kind == REGION_GAP,
                                    .count = has_count ? region->count : 0};
    b->s->list.data[b->s->list.n++] = segment;
}

/* By where they end; with one end, by where they begin. */
static bool ends_before(const void *context, uint32_t x, uint32_t y)
{
    const struct span *spans = (const struct span *)context;
    const uint64_t end_x = end_of(&spans[x]), end_y = end_of(&spans[y]);
    return end_x != end_y ? end_x < end_y : x < y;
}

static void turn(uint32_t *numbers, size_t n)
{
    for (size_t low = 0; low + 1 < n; low++, n--) {
        const uint32_t moved = numbers[low];
        numbers[low] = numbers[n - 1];
        numbers[n - 1] = moved;
    }
}

/* Ends regions, which are sorted by where they end, before the place `at` where the next region begins. `outer` is the
 * innermost one that goes on, or NULL. */
static void complete(struct builder *b, const uint32_t *ended, size_t n, uint64_t at,
                     const struct span *outer)
{
    const struct span *spans = b->s->spans.data;
    for (size_t i = 1; i < n; i++) {
        const uint64_t before = end_of(&spans[ended[i - 1]]), end = end_of(&spans[ended[i]]);
        if (before == at)
            break;
        if (before == end)
            continue;
        size_t last = i;
        while (last + 1 < n && end_of(&spans[ended[last + 1]]) == end)
            last++;
        emit(b, &spans[ended[last]], before, false, false);
    }
    const struct span *last = &spans[ended[n - 1]];
    if (outer && end_of(last) != at)
        emit(b, outer, end_of(last), false, false);
    else if (!outer && (at == NOWHERE || at != end_of(last)))
        emit(b, last, end_of(last), false, true);
}

/* Ends those active regions that end at a place or before it, if they are a stack: the innermost ends first. */
static void end_nested(struct builder *b, uint64_t at)
{
    uint32_t *active = b->s->active.data;
    const size_t n = b->s->active.n;
    size_t first = n;
    while (first && end_of(active_at(b, first - 1)) <= at)
        first--;
    if (first == n)
        return;
    if (first + 1 == n) { /* as it mostly is */
        b->s->active.n = first;
        complete(b, active + first, 1, at, first ? innermost(b) : NULL);
        return;
    }
    turn(active + first, n - first);
    for (size_t i = first; i < n;) { /* those with one end by where they began */
        size_t end = i + 1;
        while (end < n && end_of(active_at(b, end)) == end_of(active_at(b, i)))
            end++;
        turn(active + i, end - i);
        i = end;
    }
    b->s->active.n = first;
    complete(b, active + first, n - first, at, first ? innermost(b) : NULL);
}

/* The same if they cross. */
static void end_crossed(struct builder *b, uint64_t at)
{
    const struct span *spans = b->s->spans.data;
    size_t n = 0;
    while (b->n_heap && end_of(&spans[b->heap[0]]) <= at)
        b->ended[n++] = heap_pop(b->heap, &b->n_heap, ends_before, spans);
    while (b->s->active.n && end_of(innermost(b)) <= at)
        b->s->active.n--;
    b->crossed = b->n_heap != 0;
    if (n)
        complete(b, b->ended, n, at, b->s->active.n ? innermost(b) : NULL);
}

static void end_regions(struct builder *b, uint64_t at)
{
    if (b->crossed)
        end_crossed(b, at);
    else
        end_nested(b, at);
}

/* Makes a region active. */
static void push_region(struct builder *b, size_t i)
{
    struct segments *s = b->s;
    const bool crosses = s->active.n && end_of(innermost(b)) < end_of(&s->spans.data[i]);
    s->active.data[s->active.n++] = (uint32_t)i;
    if (b->crossed)
        heap_push(b->heap, &b->n_heap, (uint32_t)i, ends_before, s->spans.data);
    for (size_t k = 0; crosses && !b->crossed && k < s->active.n; k++)
        heap_push(b->heap, &b->n_heap, s->active.data[k], ends_before, s->spans.data);
    b->crossed |= crosses;
}

static void add_region(struct builder *b, size_t i)
{
    struct segments *s = b->s;
    const struct span *region = &s->spans.data[i];
    const uint64_t at = begin_of(region);
    const bool is_last = i + 1 == s->spans.n;
    end_regions(b, at);
    if (at == end_of(region)) { /* it is empty */
        const bool skipped = is_last || region->kind == REGION_SKIPPED;
        emit(b, s->active.n ? innermost(b) : region, at, region->kind != REGION_GAP, skipped);
        if (skipped && s->active.n)
            emit(b, innermost(b), at, false, false);
        return;
    }
    if (is_last || begin_of(region + 1) != at)
        emit(b, region, at, region->kind != REGION_GAP, false);
    push_region(b, i);
}

/* Makes the list of spans that are sorted, each at a place of its own. */
static bool build(struct segments *s)
{
    const size_t n = s->spans.n;
    struct builder b = {.s = s};
    s->list.n = s->active.n = 0;
    if (!VEC_RESERVE(&s->active, 3 * n) || !VEC_RESERVE(&s->list, MOST_SEGMENTS * n))
        return false;
    b.ended = ENTRY_AT(s->active.data, n);
    b.heap = ENTRY_AT(b.ended, n);
    for (size_t i = 0; i < n; i++)
        add_region(&b, i);
    end_regions(&b, NOWHERE);
    s->spans.n = s->runs.n = 0;
    return true;
}

bool segments_make(struct segments *s)
{
    bool twins;
    const bool sorted = is_sorted(s, &twins);
    if (!sorted && !SORT_VEC(&s->spans, span_before, NULL))
        return false;
    if (!sorted || twins)
        combine(s);
    return build(s);
}

/* ---- excluded lines ---- */

static bool begins_region(const struct segment *s)
{
    return s->is_entry && s->has_count;
}

struct exclusion {
    const struct segments *from;
    size_t at;                   /* the next one */
    const struct segment *state; /* the last one before it, or NULL */
    struct segments to;
    bool ok;
};

static void keep(struct exclusion *e, struct segment s)
{
    e->ok = e->ok && VEC_PUSH(&e->to.list, s);
}

/* Goes to the first segment from a line on, with or without those before it. */
static void go_to(struct exclusion *e, uint64_t line, bool keeps)
{
    for (; e->at < e->from->list.n && e->from->list.data[e->at].line < line; e->at++) {
        e->state = &e->from->list.data[e->at];
        if (keeps)
            keep(e, *e->state);
    }
}

static bool has_count(const struct segment *s)
{
    return s && s->has_count;
}

/* Whether the line that comes next has no count because it begins with what the preprocessor skips. */
static bool begins_skipped(const struct exclusion *e, uint64_t line)
{
    const struct segment *list = e->from->list.data;
    size_t i = e->at;
    if (i == e->from->list.n || list[i].line != line || !list[i].is_entry || list[i].has_count)
        return false;
    while (i < e->from->list.n && list[i].line == line && !begins_region(&list[i]))
        i++;
    return i == e->from->list.n || list[i].line != line;
}

/* Leaves out the lines of a range: it begins as what the preprocessor skips, and what goes on after it begins anew. */
static void exclude(struct exclusion *e, const struct line_range *r)
{
    const struct segment skipped = {.line = (uint32_t)r->first, .column = 1, .is_entry = true};
    go_to(e, r->first, true);
    const size_t before = e->at;
    const bool counted = has_count(e->state);
    go_to(e, r->last + 1, false);
    if (!counted && before == e->at)
        return;
    keep(e, skipped);
    if (!has_count(e->state) || begins_skipped(e, r->last + 1) || r->last >= UINT32_MAX)
        return;
    const struct segment resumed = {.line = (uint32_t)(r->last + 1),
                                    .column = 1,
                                    .has_count = true,
                                    .is_entry = true,
                                    .count = e->state->count};
    keep(e, resumed);
}

bool segments_exclude(struct segments *s, const struct line_ranges *ranges)
{
    struct exclusion e = {.from = s, .ok = true};
    if (!ranges->list.n || !s->list.n)
        return true;
    for (size_t i = 0; i < ranges->list.n && e.ok; i++)
        exclude(&e, &ranges->list.data[i]);
    go_to(&e, UINT64_MAX, true);
    VEC_FREE(&s->list);
    s->list.data = e.to.list.data;
    s->list.n = e.to.list.n;
    s->list.capacity = e.to.list.capacity;
    return e.ok;
}

void segments_free(struct segments *s)
{
    VEC_FREE(&s->spans);
    VEC_FREE(&s->list);
    VEC_FREE(&s->active);
    VEC_FREE(&s->runs);
    hash_index_free(&s->by_run);
}

/* ---- lines ---- */

struct line_walk line_walk_from(const struct segments *s, uint64_t first)
{
    const struct segment *list = s->list.data;
    struct line_walk w = {list, list ? list + s->list.n : NULL, NULL, first};
    if (!first && list && s->list.n)
        w.line = list->line;
    for (; w.at < w.end && w.at->line < w.line; w.at++) /* of line 0, which no compiler writes */
        w.wrapped = w.at;
    return w;
}

bool line_walk_next(struct line_walk *w, struct line_run *run)
{
    const struct segment *s = w->at;
    size_t n = 0, n_starts = 0;
    if (s == w->end)
        return false;
    *run = (struct line_run){.line = w->line, .last = w->line, .segments = s};
    if (s->line > w->line)
        run->last = s->line - 1;
    bool entry = false;
    if (w->wrapped)
        run->count = w->wrapped->count;
    for (; s + n < w->end && s[n].line == w->line; n++) {
        if (!begins_region(&s[n]))
            continue;
        entry = true;
        if (s[n].is_gap)
            continue;
        n_starts++;
        if (s[n].count > run->count)
            run->count = s[n].count;
    }
    const bool skipped = n && !s->has_count && s->is_entry;
    run->n_segments = n;
    run->mapped = entry || (!skipped && ((w->wrapped && w->wrapped->has_count) || n_starts));
    if (!run->mapped)
        run->count = 0;
    if (n)
        w->wrapped = &s[n - 1];
    w->at = s + n;
    w->line = run->last + 1;
    return true;
}

void segments_count_lines(const struct segments *s, uint64_t first, struct apf_cov_share *lines)
{
    struct line_walk walk = line_walk_from(s, first);
    struct line_run run;
    while (line_walk_next(&walk, &run))
        if (run.mapped) {
            lines->n += run.last - run.line + 1;
            lines->covered += run.count ? run.last - run.line + 1 : 0;
        }
}

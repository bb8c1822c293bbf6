/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/mcdc.h"

#include <string.h>

#include "base/sort.h"

/* Decisions that wait for conditions at a time: more are no source code. */
#define MOST_OPEN 4096u
/* Paths of a decision. */
#define MOST_PATHS ((uint64_t)1 << 31)
/* Words of test vectors of a function, and words of two vectors that are compared. */
#define MOST_WORDS ((uint64_t)1 << 22)
#define MOST_COMPARED ((uint64_t)1 << 28)

struct open_decision {
    const struct region *region;
    const struct region **conditions;
    uint32_t n, n_positions; /* of conditions that were found; the next free position after 0 */
    uint64_t *ids;           /* a bit for each id that was found */
};

struct finder {
    struct decisions *d;
    VEC(struct open_decision) open;
    size_t n_conditions;          /* of the mapping */
    const struct region **owners; /* for each file, the decision in whose place it is expanded; NULL: none */
    bool failed;
};

static size_t words_of(uint32_t n)
{
    return ((size_t)n + 63) / 64;
}

static bool contains(const struct finder *f, const struct open_decision *d, const struct region *r)
{
    const struct region *outer = d->region;
    if (f->owners[r->file] == outer)
        return true;
    return r->file == outer->file &&
           source_place(r->line, r->column) >= source_place(outer->line, outer->column) &&
           source_place(r->end_line, r->end_column) <= source_place(outer->end_line, outer->end_column);
}

static void open_decision(struct finder *f, const struct region *r)
{
    struct open_decision d = {.region = r, .n_positions = 1};
    if (f->open.n == MOST_OPEN || r->n_conditions > f->n_conditions) {
        f->d->wrong = true;
        return;
    }
    d.conditions = arena_array(&f->d->arena, r->n_conditions, sizeof *d.conditions);
    d.ids = arena_zeros(&f->d->arena, words_of(r->n_conditions), sizeof *d.ids);
    f->failed |= !d.conditions || !d.ids || !VEC_PUSH(&f->open, d);
}

/* Ends a decision that has all of its conditions. */
static void close_decision(struct finder *f, size_t i)
{
    const struct open_decision *d = &f->open.data[i];
    const struct decision decision = {.region = d->region, .n_conditions = d->n, .conditions = d->conditions};
    f->failed |= !VEC_PUSH(&f->d->list, decision);
    memmove(&f->open.data[i], &f->open.data[i + 1], (f->open.n - i - 1) * sizeof *f->open.data);
    f->open.n--;
}

static void add_condition(struct finder *f, const struct region *r)
{
    const uint32_t id = (uint32_t)r->id;
    for (size_t i = 0; i < f->open.n; i++) {
        struct open_decision *d = &f->open.data[i];
        if (id >= d->region->n_conditions || vector_bit(d->ids, id) || !contains(f, d, r))
            continue;
        d->ids[id / 64] |= (uint64_t)1 << id % 64;
        /* without the id 0, the last condition has no position before it comes */
        if (id == 0)
            d->conditions[0] = r;
        else if (d->n_positions < d->region->n_conditions)
            d->conditions[d->n_positions++] = r;
        if (++d->n == d->region->n_conditions)
            close_decision(f, i);
        return;
    }
    f->d->wrong = true;
}

static void add_expansion(struct finder *f, const struct region *r)
{
    for (size_t i = 0; i < f->open.n; i++)
        if (contains(f, &f->open.data[i], r)) {
            f->owners[r->expanded] = f->open.data[i].region;
            return;
        }
}

static void find_all(struct finder *f, const struct mapping *m)
{
    for (size_t i = 0; i < m->regions.n; i++)
        f->n_conditions += m->regions.data[i].kind == REGION_CONDITION;
    for (size_t i = 0; i < m->regions.n && !f->failed; i++) {
        const struct region *r = &m->regions.data[i];
        if (r->kind == REGION_DECISION)
            open_decision(f, r);
        else if (r->kind == REGION_EXPANSION && f->open.n)
            add_expansion(f, r);
        else if (r->kind == REGION_CONDITION)
            add_condition(f, r);
    }
    f->d->wrong |= f->open.n != 0;
}

/* ---- test vectors ---- */

/* A way from a condition to another one, or to the end of the decision. */
struct edge {
    uint64_t base; /* the number of its first path among those into where it leads */
    uint32_t from; /* id */
    bool value;
};

/* The paths of a decision: numbers of those that lead to each condition. */
struct paths {
    struct decision *d;
    struct decisions *all;
    const struct region **by_id;
    uint32_t *positions; /* by id */
    uint64_t *widths;    /* by id: paths from the first condition */
    uint32_t *queue, *left;
    struct edge *ends; /* edges that end the decision, by their bases */
    uint32_t n_ends;
    struct edge *edges; /* into conditions */
    uint32_t *first;    /* by id, the first edge into it; edges lie in the order of ids */
    uint64_t n;         /* all paths */
    bool full;          /* no more vectors are kept */
    bool failed;
};

static bool make_paths(struct paths *p, struct decision *d, struct decisions *all)
{
    struct arena *a = &all->arena;
    const uint32_t n = d->n_conditions;
    *p = (struct paths){.d = d, .all = all};
    p->by_id = arena_array(a, n, sizeof *p->by_id);
    p->positions = arena_array(a, n, sizeof *p->positions);
    p->widths = arena_zeros(a, n, sizeof *p->widths);
    p->queue = arena_array(a, n, sizeof *p->queue);
    p->left = arena_zeros(a, (size_t)n + 1, sizeof *p->left);
    p->ends = arena_array(a, 4 * (size_t)n, sizeof *p->ends); /* half of it is scratch memory */
    p->edges = arena_array(a, 2 * (size_t)n, sizeof *p->edges);
    p->first = arena_zeros(a, (size_t)n + 1, sizeof *p->first);
    if (!p->by_id || !p->positions || !p->widths || !p->queue || !p->left || !p->ends || !p->edges ||
        !p->first)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        p->by_id[d->conditions[i]->id] = d->conditions[i];
        p->positions[d->conditions[i]->id] = i;
    }
    return true;
}

/* Counts the edges into each condition. False: an id is out of range. */
static bool count_edges(struct paths *p)
{
    const uint32_t n = p->d->n_conditions;
    for (uint32_t id = 0; id < n; id++)
        for (unsigned v = 0; v < 2; v++) {
            const int next = p->by_id[id]->next[v];
            if (next >= (int)n || next == 0)
                return false;
            if (next != NO_CONDITION)
                p->left[next]++;
        }
    for (uint32_t id = 0; id < n; id++)
        p->first[id + 1] = p->first[id] + p->left[id];
    return true;
}

static void add_edge(struct paths *p, uint32_t id, bool value, uint32_t *n_queue)
{
    const int next = p->by_id[id]->next[value];
    if (next == NO_CONDITION) {
        p->ends[p->n_ends++] = (struct edge){p->widths[id], id, value};
        return;
    }
    p->edges[p->first[next + 1] - p->left[next]] = (struct edge){p->widths[next], id, value};
    p->widths[next] += p->widths[id];
    if (--p->left[next] == 0)
        p->queue[(*n_queue)++] = (uint32_t)next;
}

/* While paths are counted, the base of an end is its width. */
static bool wider(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct edge *)a)->base > ((const struct edge *)b)->base;
}

/* Numbers all paths as clang does. False: they make no decision. */
static bool number_paths(struct paths *p)
{
    uint32_t n_queue = 1, done = 0;
    if (!count_edges(p))
        return false;
    p->widths[0] = 1;
    p->queue[0] = 0;
    for (; done < n_queue; done++) {
        add_edge(p, p->queue[done], false, &n_queue);
        add_edge(p, p->queue[done], true, &n_queue);
        if (p->widths[p->queue[done]] > MOST_PATHS)
            return false;
    }
    sort_merge(p->ends, p->ends + p->n_ends, p->n_ends, sizeof *p->ends, wider, NULL);
    for (uint32_t i = 0; i < p->n_ends; i++) {
        const uint64_t width = p->ends[i].base;
        p->ends[i].base = p->n;
        p->n += width;
    }
    return done == p->d->n_conditions && p->n <= MOST_PATHS;
}

/* The edge of a list, whose bases ascend, that has a path. */
static const struct edge *edge_with(const struct edge *edges, size_t n, uint64_t path)
{
    size_t low = 0;
    while (n > 1) {
        const size_t half = n / 2;
        if (edges[low + half].base <= path)
            low += half;
        n -= half;
    }
    return &edges[low];
}

static bool new_vector(struct paths *p, struct test_vector *v, uint64_t **known, uint64_t **value)
{
    const size_t words = words_of(p->d->n_conditions);
    if (2 * words > p->all->words_left) {
        p->all->wrong = p->full = true;
        return false;
    }
    p->all->words_left -= 2 * words;
    *known = arena_zeros(&p->all->arena, 2 * words, sizeof **known);
    *value = *known ? *known + words : NULL;
    v->known = *known;
    v->value = *value;
    p->failed |= !*known;
    return *known != NULL;
}

static void set_bit(uint64_t *bits, uint32_t position, bool value)
{
    bits[position / 64] |= (uint64_t)value << position % 64;
}

/* Finds the conditions of a path, from its end to its first one. */
static bool trace_dense(struct paths *p, uint64_t path, struct test_vector *v)
{
    uint64_t *known, *value;
    const struct edge *e = edge_with(p->ends, p->n_ends, path);
    if (!new_vector(p, v, &known, &value))
        return false;
    v->index = path;
    v->result = e->value;
    for (;;) {
        set_bit(known, p->positions[e->from], true);
        set_bit(value, p->positions[e->from], e->value);
        path -= e->base;
        const uint32_t first = p->first[e->from], n = p->first[e->from + 1] - first;
        if (n == 0)
            return true;
        e = edge_with(p->edges + first, n, path);
    }
}

/* Finds the path of a combination of conditions. False: no path has it. */
static bool trace_sparse(struct paths *p, uint64_t combination, struct test_vector *v)
{
    uint64_t *known, *value, trues = 0;
    int id = 0;
    if (!new_vector(p, v, &known, &value))
        return false;
    v->index = combination;
    while (id != NO_CONDITION) {
        const bool is_true = id < 64 && (combination >> id & 1);
        trues |= (uint64_t)is_true << id % 64;
        set_bit(known, p->positions[id], true);
        set_bit(value, p->positions[id], is_true);
        v->result = is_true;
        id = p->by_id[id]->next[is_true];
    }
    return trues == combination;
}

struct bitmap {
    const uint8_t *bits;
    size_t n; /* bytes */
    enum mcdc_numbering numbering;
};

/* By the result, and then by the index. */
static bool vector_before(const void *context, const void *a, const void *b)
{
    const struct test_vector *x = (const struct test_vector *)a, *y = (const struct test_vector *)b;
    (void)context;
    return x->result != y->result ? y->result : x->index < y->index;
}

/* Finds the vectors of which the bit is set, among n bits from `first` on. */
static bool find_vectors(struct paths *p, const struct bitmap *b, uint64_t first, uint64_t n)
{
    VEC(struct test_vector) found = {NULL, 0, 0};
    bool ok = true;
    for (uint64_t i = 0; ok && !p->full && i < n; i++) {
        const uint64_t bit = first + i;
        struct test_vector v;
        if (bit % 8 == 0 && !b->bits[bit / 8]) {
            i += 7;
            continue;
        }
        if (!(b->bits[bit / 8] >> bit % 8 & 1))
            continue;
        const bool is_path = b->numbering == MCDC_DENSE ? trace_dense(p, i, &v) : trace_sparse(p, i, &v);
        ok = !p->failed && (!is_path || VEC_PUSH(&found, v));
    }
    ok = ok && SORT_VEC(&found, vector_before, NULL);
    p->d->vectors = ok ? arena_array(&p->all->arena, found.n, sizeof *p->d->vectors) : NULL;
    if (p->d->vectors && found.n)
        memcpy(p->d->vectors, found.data, found.n * sizeof *found.data);
    p->d->n_vectors = (uint32_t)found.n;
    for (size_t i = 0; i < found.n; i++)
        p->d->n_false += !found.data[i].result;
    VEC_FREE(&found);
    return p->d->vectors != NULL;
}

/* ---- pairs ---- */

/* The only position at which conditions that both vectors have evaluated differ; UINT32_MAX: there is none, or more. */
static uint32_t difference(const struct test_vector *a, const struct test_vector *b, size_t words)
{
    uint32_t position = UINT32_MAX;
    for (size_t w = 0; w < words; w++) {
        const uint64_t bits = a->known[w] & b->known[w] & (a->value[w] ^ b->value[w]);
        if (bits && (position != UINT32_MAX || bits & (bits - 1)))
            return UINT32_MAX;
        if (bits)
            position = (uint32_t)(64 * w + LOW_ZEROS(bits));
    }
    return position;
}

/* Finds for each condition the first two vectors that show that it decides. */
static void find_pairs(struct decisions *all, struct decision *d)
{
    const size_t words = words_of(d->n_conditions);
    uint32_t left = d->n_conditions;
    uint64_t budget = all->compared_left / words;
    const uint64_t had = budget;
    for (uint32_t t = d->n_false; t < d->n_vectors && left; t++)
        for (uint32_t f = 0; f < d->n_false && left && budget; f++, budget--) {
            const uint32_t at = difference(&d->vectors[t], &d->vectors[f], words);
            if (at == UINT32_MAX || d->pairs[at][0])
                continue;
            d->pairs[at][0] = f + 1;
            d->pairs[at][1] = t + 1;
            left--;
        }
    all->compared_left -= (had - budget) * words;
}

/* Where the bits of a decision are. False: they are not in the bitmap. */
static bool find_bits(const struct paths *p, const struct bitmap *b, uint64_t *first, uint64_t *n)
{
    const uint64_t index = p->d->region->expanded;
    if (b->numbering == MCDC_DENSE) {
        *n = p->n;
        *first = index - p->n;
        return index >= p->n && index <= 8 * (uint64_t)b->n;
    }
    *n = p->d->n_conditions < 32 ? (uint64_t)1 << p->d->n_conditions : 0;
    *first = 8 * index;
    return b->numbering == MCDC_SPARSE && *n && *first + *n <= 8 * (uint64_t)b->n;
}

static bool judge(struct decisions *all, struct decision *d, const struct bitmap *b)
{
    struct paths p;
    uint64_t first, n;
    d->folded = arena_array(&all->arena, d->n_conditions, sizeof *d->folded);
    d->pairs = arena_zeros(&all->arena, d->n_conditions, sizeof *d->pairs);
    if (!d->folded || !d->pairs || !make_paths(&p, d, all))
        return false;
    for (uint32_t i = 0; i < d->n_conditions; i++)
        d->folded[i] =
            counter_is_zero(d->conditions[i]->counter) || counter_is_zero(d->conditions[i]->false_counter);
    if (!number_paths(&p)) {
        all->wrong = true;
        return true;
    }
    if (b->numbering == MCDC_NONE || b->n == 0)
        return true;
    if (!find_bits(&p, b, &first, &n)) {
        all->wrong = true;
        return true;
    }
    if (!find_vectors(&p, b, first, n))
        return false;
    find_pairs(all, d);
    return true;
}

bool mcdc_find(struct decisions *d, const struct mapping *m, const uint8_t *bitmap, size_t n,
               enum mcdc_numbering numbering)
{
    struct finder f = {.d = d};
    const struct bitmap b = {bitmap, n, numbering};
    static const struct arena_mark empty;
    d->list.n = 0;
    d->wrong = false;
    d->words_left = MOST_WORDS;
    d->compared_left = MOST_COMPARED;
    arena_rewind(&d->arena, empty);
    f.owners = arena_zeros(&d->arena, m->files.n, sizeof *f.owners);
    f.failed = !f.owners;
    if (!f.failed)
        find_all(&f, m);
    for (size_t i = 0; i < d->list.n && !f.failed; i++)
        f.failed = !judge(d, &d->list.data[i], &b);
    VEC_FREE(&f.open);
    return !f.failed;
}

void mcdc_free(struct decisions *d)
{
    VEC_FREE(&d->list);
    arena_free(&d->arena);
}

void mcdc_count(const struct decision *d, uint32_t *n, uint32_t *covered)
{
    for (uint32_t i = 0; i < d->n_conditions; i++) {
        *n += !d->folded[i];
        *covered += !d->folded[i] && d->pairs[i][0];
    }
}

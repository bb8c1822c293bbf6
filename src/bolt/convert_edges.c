/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/convert_edges.h"

#include "base/error.h"
#include "bolt/convert_flow.h"
#include "object/code_reader.h"

/* ---- the table ---- */

static uint64_t place_number(struct bolt_place p)
{
    return (uint64_t)p.function << 32 | p.offset;
}

bool bolt_edges_add(struct bolt_edges *e, struct bolt_place from, struct bolt_place to, uint64_t count,
                    uint64_t mispredictions)
{
    if (!hash_index_reserve(&e->index, 1))
        return false;
    uint64_t a = place_number(from), b = place_number(to), hash = hash_index_mix(&e->index, a, b);
    size_t pos = hash_index_first(&e->index, hash);
    for (uint32_t i; (i = hash_index_next(&e->index, hash, &pos)) != HASH_INDEX_NONE;) {
        struct bolt_edge *edge = &e->list.data[i];
        if (place_number(edge->from) != a || place_number(edge->to) != b)
            continue;
        edge->count = add_up_to(APF_FDATA_MOST, edge->count, count);
        edge->mispredictions = add_up_to(APF_FDATA_MOST, edge->mispredictions, mispredictions);
        return true;
    }
    struct bolt_edge edge = {from, to, count, mispredictions};
    if (e->list.n >= HASH_INDEX_NONE || !VEC_PUSH(&e->list, edge))
        return false;
    hash_index_add(&e->index, hash, (uint32_t)(e->list.n - 1));
    return true;
}

void bolt_edges_free(struct bolt_edges *e)
{
    VEC_FREE(&e->list);
    hash_index_free(&e->index);
}

/* ---- places ---- */

static const struct bolt_place outside = {BOLT_NONE, 0};

/* How many entries of a fragment are at or before an offset. */
static uint32_t entries_up_to(const struct apf_bat_entry *entries, uint32_t n, uint32_t offset)
{
    uint32_t low = 0;
    while (n) {
        uint32_t half = n / 2;
        bool before = entries[low + half].output <= offset;
        low = before ? low + half + 1 : low;
        n = before ? n - half - 1 : half;
    }
    return low;
}

/* The place in the input of an address in a function of the output. *as_it_is: the table has nothing at or before
 * it. */
static struct bolt_place translate(const struct conversion *c, uint32_t function, uint64_t address,
                                   bool is_source, bool *as_it_is)
{
    const struct bolt_function *f = &c->functions.list.data[function];
    struct bolt_place place = {f->owner, (uint32_t)(address - f->address)};
    *as_it_is = false;
    if (f->fragment == BOLT_NONE)
        return place;
    const struct apf_bat_fragment *fragment = &c->bat->fragments.data[f->fragment];
    const struct apf_bat_entry *entries = c->bat->entries.data + fragment->first_entry;
    uint32_t n = entries_up_to(entries, fragment->n_entries, place.offset);
    *as_it_is = n == 0;
    if (n)
        place.offset =
            is_source ? entries[n - 1].input : place.offset - entries[n - 1].output + entries[n - 1].input;
    return place;
}

/* ---- branches ---- */

/* Where the branch of a sample is. */
struct source {
    struct bolt_place place;
    bool is_return, as_it_is;
};

/* Whether an address that is in no function is in the program's code. */
static bool is_unnamed(const struct conversion *c, uint32_t function, uint64_t address)
{
    uint64_t n = 1;
    return function == BOLT_NONE && code_reader_bytes(c->code, address, &n);
}

/* A branch that one sample calls a return is one for all, as in perf2bolt. That matters only where the code does not
 * tell. */
static struct source find_source(const struct conversion *c, uint64_t branch, bool said_to_return)
{
    uint32_t function = bolt_find_function(&c->functions, branch);
    struct source source = {outside, said_to_return && branch, false};
    if (function != BOLT_NONE)
        source.place = translate(c, function, branch, true, &source.as_it_is);
    source.is_return = source.is_return || code_is_return(c->code, branch);
    return source;
}

/* Of all samples: in the order of their branches, so that each is looked up once, and its neighbours are in the
 * cache. */
static void find_sources(const struct conversion *c, struct sort_key *order, struct source *sources)
{
    const struct sample *samples = c->samples.data;
    size_t n = c->samples.n;
    for (size_t i = 0; i < n; i++)
        order[i] = (struct sort_key){samples[i].branch, i};
    sort_keys(order, order + n, n);
    for (size_t i = 0, end; i < n; i = end) {
        bool said_to_return = false;
        for (end = i; end < n && order[end].key == order[i].key; end++)
            said_to_return = said_to_return || samples[order[end].value].kind == SAMPLE_RETURN;
        struct source source = find_source(c, order[i].key, said_to_return);
        for (size_t k = i; k < end; k++)
            sources[order[k].value] = source;
    }
}

/* A return says nothing about the code it returns to but for the fall-through behind it. */
static bool take_branch(struct conversion *c, const struct sample *s, const struct source *from,
                        bool is_return)
{
    uint32_t function = bolt_find_function(&c->functions, s->from);
    struct bolt_place to = outside;
    bool as_it_is = false;
    count(&c->funnel.branches, s);
    if (is_return) {
        count(&c->funnel.returns, s);
        return true;
    }
    if (from->place.function == BOLT_NONE && function == BOLT_NONE) {
        count(&c->funnel.branches_outside, s);
        if (is_unnamed(c, BOLT_NONE, s->branch) || is_unnamed(c, BOLT_NONE, s->from))
            count(&c->funnel.branches_unnamed, s);
        return true;
    }
    if (function != BOLT_NONE)
        to = translate(c, function, s->from, false, &as_it_is);
    count(&c->funnel.branches_mapped, s);
    if (as_it_is || from->as_it_is)
        count(&c->funnel.untranslated, s);
    return bolt_edges_add(&c->edges, from->place, to, s->count, s->mispredictions);
}

/* ---- fall-throughs ---- */

/* What is run through, from block to block in the output, as the table has them. A run begins in the last block at or
 * before its start. */
static void add_run(struct conversion *c, const struct bolt_function *f, const struct sample *s,
                    uint32_t from, uint32_t to)
{
    const struct apf_bat_fragment *fragment = &c->bat->fragments.data[f->fragment];
    const struct apf_bat_entry *entries = c->bat->entries.data + fragment->first_entry;
    const uint32_t *before = c->blocks_before + fragment->first_entry;
    uint32_t start = entries_up_to(entries, fragment->n_entries, from);
    uint32_t end = entries_up_to(entries, fragment->n_entries, to);
    if (before[start] == before[0])
        count(&c->funnel.untranslated, s);
    else if (from < to && before[end] > before[start])
        range_counts_add(&c->runs, before[start] - 1, before[end] - 1, s->count);
}

static bool open_runs(struct conversion *c, struct arena *arena)
{
    size_t n = c->bat->entries.n;
    uint32_t n_blocks = 0;
    c->blocks_before = arena_array(arena, n + 1, sizeof *c->blocks_before);
    for (size_t i = 0; c->blocks_before && i < n; i++) {
        c->blocks_before[i] = n_blocks;
        n_blocks += !(c->bat->entries.data[i].flags & APF_BAT_BRANCH);
    }
    if (c->blocks_before)
        c->blocks_before[n] = n_blocks;
    return c->blocks_before && range_counts_open(&c->runs, arena, n_blocks);
}

static bool add_runs_of(struct conversion *c, const struct bolt_function *f)
{
    const struct apf_bat_fragment *fragment = &c->bat->fragments.data[f->fragment];
    const struct apf_bat_entry *entries = c->bat->entries.data + fragment->first_entry, *last = NULL;
    size_t step = c->blocks_before[fragment->first_entry];
    for (uint32_t i = 0; i < fragment->n_entries; i++) {
        if (entries[i].flags & APF_BAT_BRANCH)
            continue;
        struct bolt_place from = {f->owner, last ? last->input : 0}, to = {f->owner, entries[i].input};
        uint64_t n = last ? range_counts_at(&c->runs, step++) : 0;
        if (n && !bolt_edges_add(&c->edges, from, to, n, 0))
            return false;
        last = &entries[i];
    }
    return true;
}

static bool add_runs(struct conversion *c)
{
    range_counts_settle(&c->runs, APF_FDATA_MOST);
    for (size_t i = 0; i < c->functions.list.n; i++)
        if (c->functions.list.data[i].fragment != BOLT_NONE && !add_runs_of(c, &c->functions.list.data[i]))
            return false;
    return true;
}

static bool take_fall(struct conversion *c, const struct sample *s, bool is_return)
{
    uint32_t from = bolt_find_function(&c->functions, s->from), to = bolt_find_function(&c->functions, s->to);
    count(&c->funnel.falls, s);
    if (from == BOLT_NONE || to == BOLT_NONE) {
        count(&c->funnel.falls_outside, s);
        if (is_unnamed(c, from, s->from) || is_unnamed(c, to, s->to))
            count(&c->funnel.falls_unnamed, s);
        return true;
    }
    const struct bolt_function *f = &c->functions.list.data[from];
    if (from != to || s->from > s->to) {
        count(&c->funnel.falls_torn, s);
        return true;
    }
    if (f->fragment == BOLT_NONE)
        return convert_flow_put_off(c, s, is_return);
    count(&c->funnel.falls_mapped, s);
    /* Behind a return, the call before it is where the block is entered. Nothing returns to where a function begins. */
    uint32_t start = (uint32_t)(s->from - f->address), end = (uint32_t)(s->to - f->address);
    if (!is_return || start)
        add_run(c, f, s, start - is_return, end);
    return true;
}

/* ---- samples ---- */

static bool take_basic(struct conversion *c, const struct sample *s)
{
    uint32_t function = bolt_find_function(&c->functions, s->branch);
    bool as_it_is;
    count(&c->funnel.basic, s);
    if (function == BOLT_NONE) {
        count(&c->funnel.basic_outside, s);
        if (is_unnamed(c, function, s->branch))
            count(&c->funnel.basic_unnamed, s);
        return true;
    }
    count(&c->funnel.basic_mapped, s);
    struct bolt_place place = translate(c, function, s->branch, false, &as_it_is);
    if (as_it_is)
        count(&c->funnel.untranslated, s);
    return bolt_edges_add(&c->edges, place, outside, s->count, 0);
}

static bool take(struct conversion *c, const struct sample *s, const struct source *source)
{
    bool is_return = s->kind == SAMPLE_RETURN || s->kind == SAMPLE_FALL_RETURN;
    bool has_branch = s->kind == SAMPLE_TRACE || s->kind == SAMPLE_RETURN || s->kind == SAMPLE_BRANCH;
    if (has_branch)
        is_return = is_return || source->is_return;
    if (has_branch && !take_branch(c, s, source, is_return))
        return false;
    return s->kind == SAMPLE_BRANCH || take_fall(c, s, is_return);
}

static bool is_same(const struct sample *a, const struct sample *b)
{
    return a->branch == b->branch && a->from == b->from && a->to == b->to && a->kind == b->kind;
}

static bool add_sample(struct conversion *c, const struct sample *s)
{
    if (!hash_index_reserve(&c->sample_index, 1))
        return false;
    uint64_t hash = hash_index_mix(&c->sample_index, s->branch, s->from);
    hash = hash_index_mix(&c->sample_index, hash, s->to << 3 | (uint64_t)s->kind);
    size_t pos = hash_index_first(&c->sample_index, hash);
    for (uint32_t i; (i = hash_index_next(&c->sample_index, hash, &pos)) != HASH_INDEX_NONE;) {
        struct sample *known = &c->samples.data[i];
        if (!is_same(known, s))
            continue;
        known->count = add_up_to(APF_FDATA_MOST, known->count, s->count);
        known->mispredictions = add_up_to(APF_FDATA_MOST, known->mispredictions, s->mispredictions);
        return true;
    }
    if (c->samples.n >= HASH_INDEX_NONE || !VEC_PUSH(&c->samples, *s))
        return false;
    hash_index_add(&c->sample_index, hash, (uint32_t)(c->samples.n - 1));
    return true;
}

int convert_sample(void *user, const struct sample *s, struct apf_error *error)
{
    struct conversion *c = user;
    if ((s->kind == SAMPLE_BASIC) != c->basic) {
        count(&c->funnel.other_mode, s);
        return APF_OK;
    }
    return add_sample(c, s) ? APF_OK : error_memory(error);
}

/* In the order of their targets: those of one function then find its table and its edges in the cache. */
int convert_samples(struct conversion *c, struct apf_error *error)
{
    struct arena scratch = {0};
    size_t n = c->samples.n;
    struct sort_key *order = arena_array(&scratch, 2 * n, sizeof *order);
    c->funnel.different = n;
    struct source *sources = arena_array(&scratch, c->basic ? 0 : n, sizeof *sources);
    bool done = order && sources && (c->basic || open_runs(c, &scratch));
    hash_index_free(&c->sample_index);
    if (done && !c->basic)
        find_sources(c, order, sources);
    for (size_t i = 0; done && i < n; i++) {
        const struct sample *s = &c->samples.data[i];
        order[i] = (struct sort_key){c->basic ? s->branch : s->from, i};
    }
    if (done)
        sort_keys(order, order + n, n);
    for (size_t i = 0; done && i < n; i++) {
        const struct sample *s = &c->samples.data[order[i].value];
        done = c->basic ? take_basic(c, s) : take(c, s, &sources[order[i].value]);
    }
    done = done && (c->basic || add_runs(c));
    arena_free(&scratch);
    return done ? convert_flow(c, error) : error_memory(error);
}

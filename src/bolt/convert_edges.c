/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/convert_edges.h"

#include "base/error.h"
#include "base/search.h"
#include "object/code_reader.h"

/* ---- the table ---- */

static uint64_t place_number(struct bolt_place p)
{
    return (uint64_t)p.function << 32 | p.offset;
}

static bool is_same_edge(const struct bolt_edge *a, const struct bolt_edge *b)
{
    return place_number(a->from) == place_number(b->from) && place_number(a->to) == place_number(b->to);
}

int bolt_edges_add(struct bolt_edges *e, const struct bolt_edge *edge, struct apf_error *error)
{
    if (!hash_index_reserve(&e->index, 1))
        return hash_index_error(&e->index, error);
    uint64_t hash = hash_index_mix(&e->index, place_number(edge->from), place_number(edge->to));
    uint32_t i;
    HASH_INDEX_FIND(i, &e->index, hash, is_same_edge(&e->list.data[i], edge));
    if (i != HASH_INDEX_NONE) {
        struct bolt_edge *known = &e->list.data[i];
        known->count = add_up_to(APF_FDATA_MOST, known->count, edge->count);
        known->mispredictions = add_up_to(APF_FDATA_MOST, known->mispredictions, edge->mispredictions);
        return APF_OK;
    }
    if (!VEC_PUSH(&e->list, *edge))
        return error_memory(error);
    hash_index_add(&e->index, hash, (uint32_t)(e->list.n - 1));
    return APF_OK;
}

void bolt_edges_free(struct bolt_edges *e)
{
    VEC_FREE(&e->list);
    hash_index_free(&e->index);
}

/* ---- places ---- */

static const struct bolt_place outside = {BOLT_NONE, 0};

/* The number of entries of a fragment at or before an offset. */
static uint32_t entries_up_to(const struct apf_bat_entry *entries, uint32_t n, uint32_t offset)
{
    uint32_t at;
    SEARCH(at, 0, n, entries[at].output <= offset);
    return at;
}

/* The place in the input of an address in a function of the output. *as_it_is: the table has no entry at or before
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
    const struct apf_bat_entry *entries = ENTRY_AT(c->bat->entries.data, fragment->first_entry);
    uint32_t n = entries_up_to(entries, fragment->n_entries, place.offset);
    *as_it_is = n == 0;
    if (n)
        place.offset =
            is_source ? entries[n - 1].input : place.offset - entries[n - 1].output + entries[n - 1].input;
    return place;
}

/* ---- branches ---- */

/* The place of a sample's branch. */
struct source {
    struct bolt_place place;
    uint32_t function; /* that has it in the program; BOLT_NONE: none */
    bool is_return, as_it_is;
    bool is_wrong; /* the program has no branch there */
};

/* Whether an address is in the program's code, but in no function. */
static bool is_unnamed(const struct conversion *c, uint32_t function, uint64_t address)
{
    uint64_t n = 1;
    return function == BOLT_NONE && code_reader_bytes(c->code, address, &n);
}

/* Counts a sample in code of the program that is in no function. */
static void count_unnamed(struct conversion *c, uint64_t *counter, const struct branch_sample *s)
{
    count_sample(counter, s);
    count_sample(&c->funnel.in_program, s);
    count_sample(&c->funnel.lost[APF_BOLT_LOSS_NO_SYMBOL], s);
}

/* A branch that one sample marks as a return is a return in all samples, as in perf2bolt. The mark matters only where
 * the code does not show a return. */
static struct source find_source(const struct conversion *c, uint64_t branch, bool said_to_return)
{
    uint32_t function = bolt_find_function(&c->functions, branch);
    struct source source = {outside, function, said_to_return && branch, false, false};
    if (function != BOLT_NONE)
        source.place = translate(c, function, branch, true, &source.as_it_is);
    source.is_return = source.is_return || code_is_return(c->code, branch);
    source.is_wrong = function != BOLT_NONE && !code_may_branch(c->code, branch);
    return source;
}

/* Finds the sources of all samples in the order of their branches: each branch is looked up once, and its neighbours
 * are in the cache. */
static void find_sources(const struct conversion *c, struct sort_key *order, struct source *sources)
{
    const struct branch_sample *samples = c->samples.list.data;
    size_t n = c->samples.list.n;
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

/* A return makes no edge; only the fall-through after it counts. */
static int add_branch(struct conversion *c, const struct branch_sample *s, const struct source *from,
                      bool is_return, struct apf_error *error)
{
    uint32_t function = bolt_find_function(&c->functions, s->from);
    struct bolt_edge edge = {from->place, outside, s->count, s->mispredictions};
    bool as_it_is = false;
    count_sample(&c->funnel.branches, s);
    if (is_return) {
        count_sample(&c->funnel.returns, s);
        return APF_OK;
    }
    if (from->place.function == BOLT_NONE && function == BOLT_NONE) {
        count_sample(&c->funnel.branches_outside, s);
        if (is_unnamed(c, BOLT_NONE, s->branch) || is_unnamed(c, BOLT_NONE, s->from))
            count_unnamed(c, &c->funnel.branches_unnamed, s);
        return APF_OK;
    }
    tally_sample(c, from->function != BOLT_NONE ? from->function : function, s,
                 from->is_wrong ? APF_BOLT_LOSS_NO_BRANCH : APF_BOLT_LOSSES);
    if (function != BOLT_NONE)
        edge.to = translate(c, function, s->from, false, &as_it_is);
    count_sample(&c->funnel.branches_mapped, s);
    if (as_it_is || from->as_it_is)
        count_sample(&c->funnel.untranslated, s);
    return bolt_edges_add(&c->edges, &edge, error);
}

/* ---- fall-throughs ---- */

/* Counts the steps of a run between the blocks of the table. A run begins in the last block at or before its start. */
static void add_run(struct conversion *c, const struct bolt_function *f, const struct branch_sample *s,
                    uint32_t from, uint32_t to)
{
    const struct apf_bat_fragment *fragment = &c->bat->fragments.data[f->fragment];
    const struct apf_bat_entry *entries = ENTRY_AT(c->bat->entries.data, fragment->first_entry);
    const uint32_t *before = c->blocks_before + fragment->first_entry;
    uint32_t start = entries_up_to(entries, fragment->n_entries, from);
    uint32_t end = entries_up_to(entries, fragment->n_entries, to);
    if (before[start] == before[0])
        count_sample(&c->funnel.untranslated, s);
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
        n_blocks += !(c->bat->entries.data[i].flags & APF_BAT_ENTRY_BRANCH);
    }
    if (c->blocks_before)
        c->blocks_before[n] = n_blocks;
    return c->blocks_before && range_counts_open(&c->runs, arena, n_blocks);
}

static int add_runs_of(struct conversion *c, const struct bolt_function *f, struct apf_error *error)
{
    const struct apf_bat_fragment *fragment = &c->bat->fragments.data[f->fragment];
    const struct apf_bat_entry *entries = ENTRY_AT(c->bat->entries.data, fragment->first_entry), *last = NULL;
    size_t step = c->blocks_before[fragment->first_entry];
    int code = APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < fragment->n_entries; i++) {
        if (entries[i].flags & APF_BAT_ENTRY_BRANCH)
            continue;
        struct bolt_edge edge = {{f->owner, last ? last->input : 0}, {f->owner, entries[i].input}, 0, 0};
        edge.count = last ? range_counts_at(&c->runs, step++) : 0;
        if (edge.count)
            code = bolt_edges_add(&c->edges, &edge, error);
        last = &entries[i];
    }
    return code;
}

static int add_runs(struct conversion *c, struct apf_error *error)
{
    int code = APF_OK;
    range_counts_settle(&c->runs, APF_FDATA_MOST);
    for (size_t i = 0; code == APF_OK && i < c->functions.list.n; i++)
        if (c->functions.list.data[i].fragment != BOLT_NONE)
            code = add_runs_of(c, &c->functions.list.data[i], error);
    return code;
}

static int add_fall(struct conversion *c, const struct branch_sample *s, bool is_return,
                    struct apf_error *error)
{
    uint32_t from = bolt_find_function(&c->functions, s->from), to = bolt_find_function(&c->functions, s->to);
    count_sample(&c->funnel.falls, s);
    if (from == BOLT_NONE || to == BOLT_NONE) {
        count_sample(&c->funnel.falls_outside, s);
        if (is_unnamed(c, from, s->from) || is_unnamed(c, to, s->to))
            count_unnamed(c, &c->funnel.falls_unnamed, s);
        return APF_OK;
    }
    const struct bolt_function *f = &c->functions.list.data[from];
    if (from != to || s->from > s->to) {
        count_sample(&c->funnel.falls_inconsistent, s);
        tally_sample(c, from, s, APF_BOLT_LOSS_TORN);
        return APF_OK;
    }
    if (f->fragment == BOLT_NONE) {
        struct late_fall late = {(uint32_t)(s - c->samples.list.data), is_return};
        return VEC_PUSH(&c->late, late) ? APF_OK : error_memory(error);
    }
    count_sample(&c->funnel.falls_mapped, s);
    tally_sample(c, from, s, APF_BOLT_LOSSES);
    /* A run after a return begins in the block of the call before it. No call precedes the beginning of a function. */
    uint32_t start = (uint32_t)(s->from - f->address), end = (uint32_t)(s->to - f->address);
    if (!is_return || start)
        add_run(c, f, s, start - is_return, end);
    return APF_OK;
}

/* ---- samples ---- */

static int add_basic(struct conversion *c, const struct branch_sample *s, struct apf_error *error)
{
    uint32_t function = bolt_find_function(&c->functions, s->branch);
    bool as_it_is;
    count_sample(&c->funnel.basic, s);
    if (function == BOLT_NONE) {
        count_sample(&c->funnel.basic_outside, s);
        if (is_unnamed(c, function, s->branch))
            count_unnamed(c, &c->funnel.basic_unnamed, s);
        return APF_OK;
    }
    count_sample(&c->funnel.basic_mapped, s);
    tally_sample(c, function, s, APF_BOLT_LOSSES);
    struct bolt_edge edge = {outside, outside, s->count, 0};
    edge.from = translate(c, function, s->branch, false, &as_it_is);
    if (as_it_is)
        count_sample(&c->funnel.untranslated, s);
    return bolt_edges_add(&c->edges, &edge, error);
}

static int add_edges_of(struct conversion *c, const struct branch_sample *s, const struct source *source,
                        struct apf_error *error)
{
    bool is_return = s->kind == SAMPLE_RETURN || s->kind == SAMPLE_FALL_RETURN;
    bool has_branch = s->kind == SAMPLE_TRACE || s->kind == SAMPLE_RETURN || s->kind == SAMPLE_BRANCH;
    if (has_branch)
        is_return = is_return || source->is_return;
    int code = has_branch ? add_branch(c, s, source, is_return, error) : APF_OK;
    return code == APF_OK && s->kind != SAMPLE_BRANCH ? add_fall(c, s, is_return, error) : code;
}

int convert_sample(void *user, const struct branch_sample *s, struct apf_error *error)
{
    struct conversion *c = user;
    if ((s->kind == SAMPLE_BASIC) != c->basic) {
        count_sample(&c->funnel.other_mode, s);
        return APF_OK;
    }
    int code = branch_counts_reserve(&c->samples, 1, error);
    if (code == APF_OK)
        branch_counts_add(&c->samples, s);
    return code;
}

/* Converts the samples in the order of their targets, so that the table and the edges of a function stay in the
 * cache. */
int convert_samples(struct conversion *c, struct apf_error *error)
{
    struct arena scratch = {0};
    size_t n = c->samples.list.n;
    struct sort_key *order = arena_array(&scratch, 2 * n, sizeof *order);
    c->funnel.different = n;
    struct source *sources = arena_array(&scratch, c->basic ? 0 : n, sizeof *sources);
    int code = order && sources && (c->basic || open_runs(c, &scratch)) ? APF_OK : error_memory(error);
    branch_counts_finish(&c->samples);
    if (code == APF_OK && !c->basic)
        find_sources(c, order, sources);
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        const struct branch_sample *s = &c->samples.list.data[i];
        order[i] = (struct sort_key){c->basic ? s->branch : s->from, i};
    }
    if (code == APF_OK)
        sort_keys(order, order + n, n);
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        const struct branch_sample *s = &c->samples.list.data[order[i].value];
        code = c->basic ? add_basic(c, s, error) : add_edges_of(c, s, &sources[order[i].value], error);
    }
    if (code == APF_OK && !c->basic)
        code = add_runs(c, error);
    arena_free(&scratch);
    return code;
}

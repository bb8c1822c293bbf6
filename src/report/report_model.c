/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report/report_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/text_bytes.h"

/* The most value sites that are listed. */
#define MOST_SITES 500u
/* The most frames that are shown: more cannot be told apart. */
#define MOST_FRAMES 20000u

/* ---- names ---- */

/* Copies a name, and what it is shown as. False: allocation failed. */
static bool copy_name(struct apf_report *r, struct apf_str name, struct report_name *to)
{
    to->raw = (struct apf_str){arena_text(&r->arena, name.p, name.n), name.n};
    to->shown = to->raw;
    to->is_hash = false;
    if (!to->raw.p)
        return false;
    const struct apf_str shown = r->show_name ? r->show_name(r->user, to->raw) : to->raw;
    if (text_equal(shown, to->raw))
        return true;
    to->shown = (struct apf_str){arena_text(&r->arena, shown.p, shown.n), shown.n};
    return to->shown.p != NULL;
}

/* The number of a name with a hash, in an index with slots. */
static uint32_t find_name(const struct apf_report *r, struct apf_str name, uint64_t hash)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &r->by_name, hash, text_equal(r->names.data[e].raw, name));
    return e;
}

uint32_t report_find_name(const struct apf_report *r, struct apf_str name)
{
    return r->names.n ? find_name(r, name, hash_index_bytes(&r->by_name, name.p, name.n)) : HASH_INDEX_NONE;
}

uint32_t report_name(struct apf_report *r, struct apf_str name)
{
    struct report_name made;
    if (!hash_index_reserve(&r->by_name, 1) || !VEC_RESERVE(&r->names, 1))
        return HASH_INDEX_NONE;
    const uint64_t hash = hash_index_bytes(&r->by_name, name.p, name.n);
    uint32_t e = find_name(r, name, hash);
    if (e != HASH_INDEX_NONE)
        return e;
    if (!copy_name(r, name, &made))
        return HASH_INDEX_NONE;
    e = (uint32_t)r->names.n;
    hash_index_add(&r->by_name, hash, e);
    r->names.data[r->names.n++] = made;
    return e;
}

uint32_t report_name_staying(struct apf_report *r, struct text_memo *memo, struct apf_str name)
{
    uint32_t number = text_memo_find(memo, name);
    if (number != HASH_INDEX_NONE)
        return number;
    number = report_name(r, name);
    return number != HASH_INDEX_NONE && text_memo_add(memo, name, number) ? number : HASH_INDEX_NONE;
}

uint32_t report_hash_name(struct apf_report *r, uint64_t hash)
{
    char text[32];
    const int n = snprintf(text, sizeof text, "0x%016llx", (unsigned long long)hash);
    const uint32_t number = report_name(r, (struct apf_str){text, (size_t)n});
    if (number != HASH_INDEX_NONE)
        r->names.data[number].is_hash = true;
    return number;
}

/* ---- frames ---- */

uint32_t report_frame(struct report_tree *t, uint32_t parent, uint32_t name)
{
    uint32_t e;
    if (!hash_index_reserve(&t->by_frame, 1) || !VEC_RESERVE(&t->frames, 2))
        return HASH_INDEX_NONE;
    if (t->frames.n == 0)
        t->frames.data[t->frames.n++] = (struct report_frame){.name = HASH_INDEX_NONE};
    const uint64_t hash = hash_index_mix(&t->by_frame, parent, name);
    HASH_INDEX_FIND(e, &t->by_frame, hash,
                    t->frames.data[e].parent == parent && t->frames.data[e].name == name);
    if (e != HASH_INDEX_NONE)
        return e;
    const uint32_t depth = t->frames.data[parent].depth + 1;
    if (depth > REPORT_DEPTH) {
        t->n_deep++;
        return parent;
    }
    e = (uint32_t)t->frames.n;
    hash_index_add(&t->by_frame, hash, e);
    t->frames.data[t->frames.n++] = (struct report_frame){.name = name, .parent = parent, .depth = depth};
    return e;
}

/* Adds the totals of frames to those of their parents, which come before them. */
static void add_up_frames(struct report_tree *t)
{
    for (size_t i = 0; i < t->frames.n; i++)
        t->frames.data[i].total = t->frames.data[i].self;
    for (size_t i = t->frames.n; i-- > 1;) {
        struct report_frame *parent = &t->frames.data[t->frames.data[i].parent];
        parent->total = report_sum(parent->total, t->frames.data[i].total);
    }
}

/* Leaves out the smallest frames, if there are too many. A frame is not larger than its parent and comes after it, so
 * that no frame stays without its own. */
static int drop_small_frames(struct report_tree *t, struct apf_error *error)
{
    const size_t n = t->frames.n;
    if (n <= MOST_FRAMES)
        return APF_OK;
    uint64_t *totals = malloc(2 * n * sizeof *totals);
    uint32_t *numbers = malloc(n * sizeof *numbers);
    size_t kept = 0;
    if (totals && numbers) {
        for (size_t i = 0; i < n; i++)
            totals[i] = t->frames.data[i].total;
        sort_numbers(totals, totals + n, n);
        const uint64_t least = totals[n - MOST_FRAMES];
        size_t equals = 1; /* frames of that size there is room for, the first ones */
        while (equals < MOST_FRAMES && totals[n - MOST_FRAMES + equals] == least)
            equals++;
        for (size_t i = 0; i < n; i++)
            if (t->frames.data[i].total > least || (t->frames.data[i].total == least && equals && equals--)) {
                numbers[i] = (uint32_t)kept;
                t->frames.data[kept] = t->frames.data[i];
                t->frames.data[kept].parent = numbers[t->frames.data[i].parent];
                kept++;
            }
        t->n_small = n - kept;
        t->frames.n = kept;
    }
    const bool ok = totals && numbers;
    free(totals);
    free(numbers);
    return ok ? APF_OK : error_memory(error);
}

/* ---- functions ---- */

struct report_function *report_function_of(struct apf_report *r, uint32_t name)
{
    while (name != HASH_INDEX_NONE && r->function_of.n <= name)
        if (!VEC_PUSH(&r->function_of, HASH_INDEX_NONE))
            return NULL;
    if (name == HASH_INDEX_NONE)
        return NULL;
    if (r->function_of.data[name] == HASH_INDEX_NONE) {
        const struct report_function made = {.name = name};
        if (!VEC_PUSH(&r->functions, made))
            return NULL;
        r->function_of.data[name] = (uint32_t)r->functions.n - 1;
    }
    return &r->functions.data[r->function_of.data[name]];
}

/* ---- counts and sites ---- */

void report_count(struct apf_report *r, uint64_t count)
{
    r->powers[count ? 64 - (unsigned)__builtin_clzll(count) : 0]++;
    r->n_counts++;
    r->total = report_sum(r->total, count);
}

void report_add_value(struct report_site *site, uint64_t value, uint64_t count)
{
    size_t at = site->n_values < REPORT_VALUES ? (size_t)site->n_values : REPORT_VALUES;
    site->n_values++;
    site->total = report_sum(site->total, count);
    if (at == REPORT_VALUES && site->values[REPORT_VALUES - 1].count >= count)
        return;
    if (at == REPORT_VALUES)
        at--;
    for (; at && site->values[at - 1].count < count; at--)
        site->values[at] = site->values[at - 1];
    site->values[at] = (struct report_value){value, count};
}

static bool hotter_site(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct report_site *)a)->total > ((const struct report_site *)b)->total;
}

/* Keeps the hottest sites. */
static bool cut_sites(struct apf_report *r)
{
    if (!SORT_VEC(&r->sites, hotter_site, NULL))
        return false;
    if (r->sites.n > MOST_SITES)
        r->sites.n = MOST_SITES;
    return true;
}

bool report_add_site(struct apf_report *r, const struct report_site *site)
{
    if (site->total == 0)
        return true;
    r->n_sites++;
    return VEC_PUSH(&r->sites, *site) && (r->sites.n < 4 * MOST_SITES || cut_sites(r));
}

/* ---- the end ---- */

struct hotter_context {
    const struct report_name *names;
};

static bool hotter_function(const void *context, const void *a, const void *b)
{
    const struct report_function *x = (const struct report_function *)a,
                                 *y = (const struct report_function *)b;
    if (x->total != y->total)
        return x->total > y->total;
    const struct report_name *names = ((const struct hotter_context *)context)->names;
    const struct apf_str nx = names[x->name].raw, ny = names[y->name].raw;
    const int order = x->name == y->name ? 0 : sort_compare_bytes(nx.p, nx.n, ny.p, ny.n);
    return order ? order < 0 : x->hash < y->hash;
}

/* Finds how many functions hold which share of all counts. */
static void find_quantiles(struct apf_report *r)
{
    static const struct {
        const char *share;
        double part;
    } rows[REPORT_QUANTILES] = {{"50 %", 0.5}, {"90 %", 0.9}, {"99 %", 0.99}, {"99.9 %", 0.999}};
    double all = 0, sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < r->functions.n; i++)
        all += (double)r->functions.data[i].total;
    for (size_t q = 0; q < REPORT_QUANTILES; q++) {
        for (; n < r->functions.n && sum < rows[q].part * all; n++)
            sum += (double)r->functions.data[n].total;
        r->quantiles[q] = (struct report_quantile){rows[q].share, n};
    }
}

/* Finds functions of one name, which have several hashes. */
static bool find_twins(struct apf_report *r)
{
    uint32_t *firsts =
        (uint32_t *)calloc(r->names.n + 1, sizeof *firsts); /* of each name its first function, and 1 */
    if (!firsts)
        return false;
    for (size_t i = 0; i < r->functions.n; i++) {
        uint32_t *first = &firsts[r->functions.data[i].name];
        if (*first)
            r->has_twins = r->functions.data[*first - 1].is_twin = r->functions.data[i].is_twin = true;
        else
            *first = (uint32_t)i + 1;
    }
    free(firsts);
    return true;
}

int report_finish(struct apf_report *r, struct apf_error *error)
{
    const struct hotter_context context = {r->names.data};
    if (!SORT_VEC(&r->functions, hotter_function, &context) || !cut_sites(r) || !find_twins(r))
        return error_memory(error);
    for (size_t i = 0; i < r->functions.n; i++)
        r->n_cold += r->functions.data[i].total == 0 && !r->functions.data[i].is_marked;
    VEC_FREE(&r->function_of);
    find_quantiles(r);
    struct report_tree *const trees[] = {&r->stacks, &r->memory};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        add_up_frames(trees[i]);
        hash_index_free(&trees[i]->by_frame);
        const int code = drop_small_frames(trees[i], error);
        if (code != APF_OK)
            return code;
    }
    return APF_OK;
}

void apf_report_free(struct apf_report *r)
{
    if (!r)
        return;
    VEC_FREE(&r->facts);
    VEC_FREE(&r->files);
    VEC_FREE(&r->notes);
    VEC_FREE(&r->names);
    VEC_FREE(&r->functions);
    VEC_FREE(&r->function_of);
    VEC_FREE(&r->sites);
    VEC_FREE(&r->stacks.frames);
    VEC_FREE(&r->memory.frames);
    VEC_FREE(&r->calls);
    VEC_FREE(&r->comparison.list);
    VEC_FREE(&r->inputs);
    for (size_t i = 0; i < REPORT_PARTS; i++) {
        for (size_t k = 0; k < r->parts[i].tables.n; k++)
            VEC_FREE(&r->parts[i].tables.data[k].cells);
        VEC_FREE(&r->parts[i].tables);
    }
    hash_index_free(&r->by_name);
    hash_index_free(&r->stacks.by_frame);
    hash_index_free(&r->memory.by_frame);
    arena_free(&r->arena);
    free(r);
}

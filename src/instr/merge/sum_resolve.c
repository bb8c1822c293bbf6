/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/merge/sum_resolve.h"

#include <string.h>

#include "base/error.h"
#include "base/pulse.h"
#include "base/sort.h"
#include "instr/merge/sum_sites.h"

/* A sum and the number of its name among the symbols. */
struct named_sum {
    const struct sum *sum;
    uint32_t symbol;
};

/* The weight of the inputs that have a value of an aspect. */
struct vote {
    uint64_t value, weight;
};

struct resolver {
    struct apf_instr *view;
    const struct sum_resolve_input *in;
    struct apf_merge_stats *stats;
    struct named_sum *all;
    size_t n_all;
    struct sort_name *names, *scratch; /* index: number of the sum in `all` */
    size_t n_names;
    uint64_t sparse, dense;        /* weights of the bitmaps that are numbered in one way and the other */
    uint32_t other_bitmaps;        /* flag of the bitmaps that are left out; 0: none */
    VEC(const struct sum *) list;  /* all sums of one name, and scratch memory for sorting them */
    VEC(const struct sum *) group; /* all sums of one name and hash */
    VEC(struct vote) votes;        /* of the group, and scratch memory for sorting them */
    struct sum_sites sites;
};

/* ---- gathering and sorting ---- */

/* Aspects in which the sums of a group may differ. */
enum aspect { ASPECT_COUNTS, ASPECT_BITMAP, ASPECT_SITES }; /* + value kind */

static uint64_t aspect_of(const struct sum *s, unsigned aspect)
{
    if (aspect == ASPECT_COUNTS) /* a count that is a number is preferred to a mere "hot" */
        return (uint64_t)s->n_counts << 1 | !(s->flags & APF_RECORD_PSEUDO);
    return aspect == ASPECT_BITMAP ? s->n_bitmap : s->n_sites[aspect - ASPECT_SITES];
}

/* Orders by hash, then by structure, so that the order of findings depends only on the inputs. */
static bool sum_before(const void *context, const void *pa, const void *pb)
{
    const struct sum *a = *(const struct sum *const *)pa, *b = *(const struct sum *const *)pb;
    (void)context;
    if (a->hash != b->hash)
        return a->hash < b->hash;
    if (a->id != b->id)
        return a->id < b->id;
    for (unsigned aspect = 0; aspect < 2 + APF_VALUE_KINDS; aspect++)
        if (aspect_of(a, aspect) != aspect_of(b, aspect))
            return aspect_of(a, aspect) < aspect_of(b, aspect);
    return (a->flags & BITMAP_FLAGS) < (b->flags & BITMAP_FLAGS);
}

static int gather_names(struct resolver *r, struct apf_error *error)
{
    size_t n = 0;
    for (size_t i = 0; i < r->in->n_runs; i++)
        n += r->in->runs[i].n;
    if (n > UINT32_MAX)
        return error_plain(error, APF_TOO_LARGE, "merge.records", NULL);
    r->all = arena_array(r->in->scratch, n, sizeof *r->all);
    r->names = arena_array(r->in->scratch, n, sizeof *r->names);
    r->scratch = arena_array(r->in->scratch, n, sizeof *r->names);
    if (!r->all || !r->names || !r->scratch)
        return error_memory(error);
    struct named_sum *to = r->all;
    for (size_t i = 0; i < r->in->n_runs; i++)
        for (size_t k = 0; k < r->in->runs[i].n; k++, to++)
            to->sum = &r->in->runs[i].sums[k];
    r->n_all = n;
    return APF_OK;
}

/* The number of the present name of a sum; HASH_INDEX_NONE if no accepted input has the name. */
static uint32_t symbol_of(const struct resolver *r, const struct sum *s)
{
    const struct rename *rename = renames_find(r->in->keys, s->id);
    if (rename) /* the old name exists */
        return symbols_find(r->in->symbols, rename->to);
    uint32_t symbol = s->symbol != HASH_INDEX_NONE ? s->symbol : symbols_find(r->in->symbols, s->id);
    const struct symbol *name = symbol == HASH_INDEX_NONE ? NULL : &r->in->symbols->list.data[symbol];
    return name && name->n && name->flags & r->in->classes ? symbol : HASH_INDEX_NONE;
}

static int sort_list(struct resolver *r, struct apf_error *error)
{
    return SORT_VEC(&r->list, sum_before, NULL) ? APF_OK : error_memory(error);
}

/* Whether no earlier sum of the sorted list has an equal structure; several runs can have one. */
static bool is_new(const struct resolver *r, size_t i, size_t from)
{
    return i == from || sum_before(NULL, &r->list.data[i - 1], &r->list.data[i]);
}

static int count_nameless(struct resolver *r, struct apf_error *error)
{
    int code = sort_list(r, error);
    for (size_t i = 0; code == APF_OK && i < r->list.n; i++)
        r->stats->nameless += is_new(r, i, 0);
    return code;
}

/* Adds the weight of a sum that has a bitmap to that of its numbering. */
static void count_bitmap(struct resolver *r, const struct sum *s)
{
    bool cut = false;
    if (s->flags & APF_RECORD_SPARSE_BITMAP)
        r->sparse = sum_saturating(r->sparse, s->weight, 1, UINT64_MAX, &cut);
    if (s->flags & APF_RECORD_DENSE_BITMAP)
        r->dense = sum_saturating(r->dense, s->weight, 1, UINT64_MAX, &cut);
}

/* A profile can hold one numbering only: that of most bitmaps, or, among equals, the newer one. */
static void choose_numbering(struct resolver *r)
{
    if (r->sparse && r->dense)
        r->other_bitmaps = r->sparse > r->dense ? APF_RECORD_DENSE_BITMAP : APF_RECORD_SPARSE_BITMAP;
}

static int name_all(struct resolver *r, struct apf_error *error)
{
    for (size_t i = 0; i < r->n_all; i++) {
        if (i + FETCH_AHEAD < r->n_all && r->all[i + FETCH_AHEAD].sum->symbol != HASH_INDEX_NONE)
            PREFETCH(&r->in->symbols->list.data[r->all[i + FETCH_AHEAD].sum->symbol]);
        uint32_t symbol = symbol_of(r, r->all[i].sum);
        if (symbol == HASH_INDEX_NONE) {
            if (!VEC_PUSH(&r->list, r->all[i].sum))
                return error_memory(error);
            continue;
        }
        const struct symbol *name = &r->in->symbols->list.data[symbol];
        struct sort_name s = {0, name->p, name->n, (uint32_t)i};
        r->all[i].symbol = symbol;
        r->names[r->n_names++] = s;
        count_bitmap(r, r->all[i].sum);
    }
    choose_numbering(r);
    sort_names(r->names, r->scratch, r->n_names);
    return count_nameless(r, error);
}

/* ---- deciding between structures ---- */

/* Whether the bitmap of a sum is left out because of its numbering. */
static bool is_misnumbered(const struct resolver *r, const struct sum *s)
{
    return s->flags & r->other_bitmaps;
}

/* Counts a bitmap that is left out because of its numbering. */
static int record_misnumbered(struct resolver *r, const struct sum *s, uint32_t what, struct apf_error *error)
{
    r->stats->numbering_mismatches++;
    return lost_sums_add(r->in->lost, s, what) ? APF_OK : error_memory(error);
}

static bool vote_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct vote *)a)->value < ((const struct vote *)b)->value;
}

/* Finds the value of an aspect that most inputs, by weight, have; among equals the largest. Order does not matter.
 * Bitmaps that are left out have no vote on their size; without a vote, *best stays. */
static int majority_hash(struct resolver *r, unsigned aspect, uint64_t *best, struct apf_error *error)
{
    size_t n = r->group.n;
    bool cut = false;
    r->votes.n = 0;
    if (!VEC_RESERVE(&r->votes, 2 * n))
        return error_memory(error);
    struct vote *votes = r->votes.data;
    n = 0;
    for (size_t i = 0; i < r->group.n; i++) {
        const struct sum *s = r->group.data[i];
        struct vote vote = {aspect_of(s, aspect), s->weight};
        if (aspect != ASPECT_BITMAP || !is_misnumbered(r, s))
            votes[n++] = vote;
    }
    sort_merge(votes, votes + n, n, sizeof *votes, vote_before, NULL);
    uint64_t best_weight = 0;
    for (size_t i = 0, end; i < n; i = end) {
        uint64_t weight = 0;
        for (end = i; end < n && votes[end].value == votes[i].value; end++)
            weight = sum_saturating(weight, votes[end].weight, 1, UINT64_MAX, &cut);
        if (weight >= best_weight) {
            *best = votes[i].value;
            best_weight = weight;
        }
    }
    return APF_OK;
}

/* Keeps the sums that have the majority's number of counters. */
static int drop_minority(struct resolver *r, struct apf_error *error)
{
    uint64_t best = 0;
    size_t kept = 0;
    int code = majority_hash(r, ASPECT_COUNTS, &best, error);
    for (size_t i = 0; code == APF_OK && i < r->group.n; i++) {
        const struct sum *s = r->group.data[i];
        if (aspect_of(s, ASPECT_COUNTS) == best) {
            r->group.data[kept++] = s;
            continue;
        }
        r->stats->count_mismatches++;
        if (!lost_sums_add(r->in->lost, s, LOST_RECORD))
            return error_memory(error);
        code = s->n_counts == best >> 1
                   ? sum_report_pseudo(&r->in->findings, s, error)
                   : sum_report_sizes(&r->in->findings, APF_COUNT_MISMATCH, s, s->n_counts, best >> 1, error);
    }
    r->group.n = code == APF_OK ? kept : 0;
    return code;
}

/* Counts and reports what a sum loses because its structure differs from the winner's. */
static int record_lost(struct resolver *r, const struct sum *s, const struct sum *total,
                       struct apf_error *error)
{
    int code = APF_OK;
    bool misnumbered = is_misnumbered(r, s);
    uint32_t what = misnumbered || s->n_bitmap != total->n_bitmap ? LOST_BITMAP : 0;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        what |= s->n_sites[k] != total->n_sites[k] ? LOST_VALUES(k) : 0;
    if (misnumbered)
        code = record_misnumbered(r, s, what, error);
    else if (what && !lost_sums_add(r->in->lost, s, what))
        return error_memory(error);
    if (what & LOST_BITMAP && !misnumbered) {
        r->stats->bitmap_mismatches++;
        code =
            sum_report_sizes(&r->in->findings, APF_BITMAP_MISMATCH, s, s->n_bitmap, total->n_bitmap, error);
    }
    for (unsigned k = 0; code == APF_OK && k < APF_VALUE_KINDS; k++)
        if (what & LOST_VALUES(k)) {
            r->stats->site_mismatches++;
            code = sum_report_sizes(&r->in->findings, APF_VALUE_SITE_MISMATCH, s, s->n_sites[k],
                                    total->n_sites[k], error);
        }
    return code;
}

/* What is known of the numbering of the group's bitmaps of this size. */
static uint32_t bitmap_flags(const struct resolver *r, uint32_t n_bitmap)
{
    uint32_t flags = 0;
    for (size_t i = 0; i < r->group.n; i++)
        if (r->group.data[i]->n_bitmap == n_bitmap && !is_misnumbered(r, r->group.data[i]))
            flags |= r->group.data[i]->flags & BITMAP_FLAGS;
    return flags;
}

/* Makes an empty sum with the winner's structure. */
static int start_total(struct resolver *r, struct sum **out, struct apf_error *error)
{
    struct sum like = *r->group.data[0];
    uint64_t best[2 + APF_VALUE_KINDS] = {0};
    int code = APF_OK;
    for (unsigned a = ASPECT_BITMAP; code == APF_OK && a < 2 + APF_VALUE_KINDS; a++)
        code = majority_hash(r, a, &best[a], error);
    if (code != APF_OK)
        return code;
    like.n_bitmap = (uint32_t)best[ASPECT_BITMAP];
    like.flags = (like.flags & ~BITMAP_FLAGS) | bitmap_flags(r, like.n_bitmap);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        like.n_sites[k] = (uint32_t)best[ASPECT_SITES + k];
    *out = sum_empty(&like, &r->view->arena);
    return *out ? APF_OK : error_memory(error);
}

/* Combines a group to one sum; *out is the group's only member, or new. */
static int combine_sums(struct resolver *r, const struct sum **out, struct apf_error *error)
{
    struct sum *total = NULL;
    int code = r->group.n > 1 ? drop_minority(r, error) : APF_OK;
    if (code != APF_OK)
        return code;
    *out = r->group.data[0];
    if (r->group.n == 1)
        return code;
    code = start_total(r, &total, error);
    for (size_t i = 0; code == APF_OK && i < r->group.n; i++) {
        struct sum s = *r->group.data[i];
        code = record_lost(r, &s, total, error);
        if (is_misnumbered(r, &s))
            s.n_bitmap = 0;
        if (code == APF_OK)
            code = sum_add(total, &s, &r->view->arena, error);
    }
    *out = total;
    return code;
}

/* ---- the record ---- */

static int finish_uniform(struct resolver *r, const struct sum *s, struct record *out,
                          struct apf_error *error)
{
    const struct uniform_sum *u = s->uniform;
    if (!u || u->mixed)
        return APF_OK;
    struct record_extra *x = arena_zeros(&r->view->arena, 1, sizeof *x);
    if (!x)
        return error_memory(error);
    x->uniformity = u->bits;
    x->n_uniformity = u->n_bits;
    if (u->adds == s->adds) { /* every addition had uniform counters, whose sums decide */
        uint32_t n = (s->n_counts + 7) / 8;
        uint8_t *bits = arena_bytes(&r->view->arena, n);
        if (!bits)
            return error_memory(error);
        uniformity_bits(s->counts, u->counters, s->n_counts, bits);
        x->uniform = u->counters;
        x->uniformity = bits;
        x->n_uniformity = n;
    }
    out->extra = x;
    return APF_OK;
}

static int finish_record(struct resolver *r, const struct sum *s, struct first_seen seen, uint32_t symbol,
                         struct apf_error *error)
{
    struct record out = {0};
    out.id = r->in->symbols->list.data[symbol].id;
    out.symbol = symbol;
    out.hash = s->hash;
    out.counts = s->counts;
    out.n_counts = s->n_counts;
    out.flags = s->flags;
    int code = is_misnumbered(r, s) ? record_misnumbered(r, s, LOST_BITMAP, error) : APF_OK;
    if (is_misnumbered(r, s)) {
        out.flags &= ~BITMAP_FLAGS;
    } else {
        out.bitmap = s->bitmap;
        out.n_bitmap = s->n_bitmap;
    }
    memcpy(out.n_sites, s->n_sites, sizeof out.n_sites);
    out.rank = seen.rank;
    out.place = seen.place;
    r->view->info.n_counters += s->n_counts;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        if (s->n_sites[k] && r->view->max_kinds < k + 1)
            r->view->max_kinds = k + 1;
    if (code == APF_OK)
        code = sum_sites_finish(&r->sites, s, &out, error);
    if (code == APF_OK && out.flags & APF_RECORD_SATURATED) {
        r->stats->saturated++;
        code = sum_report_overflow(&r->in->findings, s, error);
    }
    if (code == APF_OK)
        code = finish_uniform(r, s, &out, error);
    if (code != APF_OK)
        return code;
    return VEC_PUSH(&r->view->records, out) ? APF_OK : error_memory(error);
}

/* ---- all of it ---- */

/* Makes one sum of each structure in the sorted list[from .. to); several runs can have a structure. */
static int gather_group(struct resolver *r, size_t from, size_t to, struct apf_error *error)
{
    int code = APF_OK;
    r->group.n = 0;
    if (!VEC_RESERVE(&r->group, to - from))
        return error_memory(error);
    for (size_t i = from, end; code == APF_OK && i < to; i = end) {
        for (end = i + 1; end < to && !is_new(r, end, from); end++)
            continue;
        const struct sum *only = r->list.data[i];
        struct sum *total = end - i > 1 ? sum_empty(only, &r->view->arena) : NULL;
        if (end - i > 1 && !total)
            return error_memory(error);
        for (size_t k = i; code == APF_OK && total && k < end; k++)
            code = sum_add(total, r->list.data[k], &r->view->arena, error);
        r->group.data[r->group.n++] = total ? total : only;
    }
    return code;
}

/* The id of a sum by the caller's rules alone. */
static uint64_t asked_id(const struct resolver *r, const struct sum *s)
{
    const struct rename *rename = renames_find(r->in->keys, s->id);
    return rename ? rename->asked : s->id;
}

/* Counts a sum that has the name `now`, and that goes with `first`. */
static void count_renames(struct resolver *r, const struct sum *s, const struct sum *first, uint64_t now)
{
    uint64_t own = asked_id(r, s), others = asked_id(r, first);
    r->stats->remapped += own != s->id;
    r->stats->renamed += now != own;
    r->stats->remapped_merged += s->id != first->id && own == others;
    r->stats->renamed_merged += own != others;
}

/* Resolves all sums of one hash of a name: list[from .. to). */
static int resolve_hash(struct resolver *r, uint32_t symbol, size_t from, size_t to, struct apf_error *error)
{
    const struct sum *total = NULL;
    uint64_t now = r->in->symbols->list.data[symbol].id;
    int code = gather_group(r, from, to, error);
    struct first_seen seen = first_seen_never(); /* also sums that are left out count */
    for (size_t i = 0; code == APF_OK && i < r->group.n; i++) {
        const struct sum *s = r->group.data[i];
        first_seen_min(&seen, sum_seen(s));
        if (r->in->keys->list.n)
            count_renames(r, s, r->group.data[0], now);
    }
    if (code == APF_OK)
        code = combine_sums(r, &total, error);
    return code == APF_OK ? finish_record(r, total, seen, symbol, error) : code;
}

/* Resolves the sums of one name, [from, to) of `names`: sorts them by hash and combines them hash by hash. */
static int resolve_name(struct resolver *r, size_t from, size_t to, struct apf_error *error)
{
    size_t n = to - from;
    uint32_t symbol = r->all[r->names[from].index].symbol;
    const struct sum *first = r->all[r->names[from].index].sum;
    if (n == 1) {
        if (r->in->keys->list.n)
            count_renames(r, first, first, r->in->symbols->list.data[symbol].id);
        return finish_record(r, first, sum_seen(first), symbol, error);
    }
    r->list.n = 0;
    if (!VEC_RESERVE(&r->list, n))
        return error_memory(error);
    for (size_t i = 0; i < n; i++)
        r->list.data[r->list.n++] = r->all[r->names[from + i].index].sum;
    int code = sort_list(r, error);
    for (size_t i = 0, end; code == APF_OK && i < n; i = end) {
        for (end = i + 1; end < n && r->list.data[end]->hash == r->list.data[i]->hash; end++)
            continue;
        code = resolve_hash(r, symbol, i, end, error);
    }
    return code;
}

/* Prefetches sums and symbols, which lie in another order than sorted names. */
static void fetch_ahead(const struct resolver *r, size_t i)
{
    if (i + 2 * FETCH_AHEAD < r->n_names)
        PREFETCH(&r->all[r->names[i + 2 * FETCH_AHEAD].index]);
    if (i + FETCH_AHEAD < r->n_names) {
        const struct named_sum *near = &r->all[r->names[i + FETCH_AHEAD].index];
        PREFETCH(near->sum);
        PREFETCH(&near->sum->symbol);
        PREFETCH(&r->in->symbols->list.data[near->symbol]);
    }
}

/* Resolves the sums of one name if the filter keeps it. */
static int resolve_if_kept(struct resolver *r, size_t from, size_t to, struct apf_error *error)
{
    const struct symbol *s = &r->in->symbols->list.data[r->all[r->names[from].index].symbol];
    struct apf_str name = {s->p, s->n};
    int keep = r->in->filter ? r->in->filter(r->in->filter_user, name) : 1;
    r->stats->names++;
    r->stats->filtered += keep == 0;
    if (keep < 0)
        return error_memory(error);
    return keep ? resolve_name(r, from, to, error) : APF_OK;
}

static int resolve_all(struct resolver *r, struct apf_error *error)
{
    uint64_t n = 0;
    int code = gather_names(r, error);
    if (code == APF_OK)
        code = name_all(r, error);
    if (code == APF_OK && !VEC_RESERVE(&r->view->records, r->n_names))
        code = error_memory(error);
    for (size_t i = 0; code == APF_OK && i < r->n_names;) {
        size_t end = i + 1;
        fetch_ahead(r, i);
        uint32_t symbol = r->all[r->names[i].index].symbol;
        while (end < r->n_names && r->all[r->names[end].index].symbol == symbol)
            end++;
        code = resolve_if_kept(r, i, end, error);
        if (code == APF_OK)
            code = pulse_check(r->in->pulse, n++, error);
        i = end;
    }
    return code;
}

int sum_resolve(struct apf_instr *view, const struct sum_resolve_input *in, struct apf_merge_stats *stats,
                struct apf_error *error)
{
    struct resolver r = {0};
    r.view = view;
    r.in = in;
    r.stats = stats;
    r.sites.arena = &view->arena;
    r.sites.renames = in->values;
    r.sites.stats = stats;
    struct arena_mark mark = arena_mark(in->scratch);
    int code = resolve_all(&r, error);
    view->info.n_records = view->records.n;
    arena_rewind(in->scratch, mark);
    VEC_FREE(&r.list);
    VEC_FREE(&r.group);
    VEC_FREE(&r.votes);
    VEC_FREE(&r.sites.values);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds a file by its shapes. */
#include "inputs/inputs_rosters.h"
#include "instr/merge/shape_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "instr/model/value_data.h"

/* Totals of all slots of a counter section, including timestamps and gaps. */
struct slots {
    uint64_t bits; /* OR of all slots: at least the largest one, and less than twice as large */
    uint64_t sum;  /* modulo 2^64 */
};

/* A profile of the present file, and what is known of it. */
struct matched {
    struct raw_profile part;
    struct shape *shape;
    uint64_t slide; /* its addresses minus the reference's */
    size_t first_value, first_count;
    bool values_missing;
    uint64_t largest; /* upper bound of the counts of values */
    struct slots slots;
};

struct shape_scratch {
    VEC(struct matched) parts;
    VEC(struct apf_value) values; /* of all sites of the file, site by site; ids in place of addresses */
    VEC(uint32_t) places;         /* of each value in the memo of its shape, or NOT_IN_MEMO */
    VEC(uint8_t) counts;          /* values of each site */
};

struct shape_scratch *shape_scratch_new(void)
{
    return calloc(1, sizeof(struct shape_scratch));
}

void shape_scratch_free(struct shape_scratch *scratch)
{
    if (!scratch)
        return;
    VEC_FREE(&scratch->parts);
    VEC_FREE(&scratch->values);
    VEC_FREE(&scratch->places);
    VEC_FREE(&scratch->counts);
    free(scratch);
}

/* The number of a site's values in the memo that are compared before the table is searched. */
#define MEMO_LOOKS 8u

/* The place of a value, an address of the reference, in the memo of its site: value number `j` of a file mostly is
 * number `j` there. */
static inline uint32_t find_in_memo(const struct shape *s, size_t site, uint64_t value, size_t j)
{
    uint32_t first = s->memo_at[site], n = s->memo_at[site + 1] - first;
    if (LIKELY(j < n && s->memo[first + j].address == value))
        return first + (uint32_t)j;
    for (uint32_t i = 0; i < n && i < MEMO_LOOKS; i++)
        if (s->memo[first + i].address == value)
            return first + i;
    return NOT_IN_MEMO;
}

/* Reads the values of one kind into the scratch memory, which has room; `site` is the number of the first site. Returns
 * the sum of the counts, which bounds the count of each value, since a site may have a value several times. */
static uint64_t read_pairs(struct shape_scratch *scratch, const struct matched *m,
                           const struct value_block *b, unsigned kind, size_t site)
{
    const struct shape *s = m->shape;
    bool cut = false, swap = m->part.swap, addresses = kind != APF_VALUE_MEMOP_SIZE;
    uint64_t sum = 0, mask = raw_profile_last_pointer(&m->part);
    const uint8_t *p = b->pairs[kind];
    struct apf_value *v = ENTRY_AT(scratch->values.data, scratch->values.n);
    uint32_t *place = ENTRY_AT(scratch->places.data, scratch->values.n);
    memcpy(ENTRY_AT(scratch->counts.data, scratch->counts.n), b->site_counts[kind], b->n_sites[kind]);
    scratch->counts.n += b->n_sites[kind];
    scratch->values.n += b->n_pairs[kind];
    for (uint32_t i = 0; i < b->n_sites[kind]; i++, site++)
        for (size_t j = 0; j < b->site_counts[kind][i]; j++, p += 16, v++, place++) {
            uint64_t value = load64(p, swap);
            bool known = !addresses || value <= mask; /* else the value is no address of the program */
            if (addresses)
                value = (value - m->slide) & mask;
            *place = known ? find_in_memo(s, site, value, j) : NOT_IN_MEMO;
            v->value = !known                  ? 0
                       : *place != NOT_IN_MEMO ? s->memo[*place].id
                                               : raw_targets_resolve(&s->targets, kind, value);
            v->count = load64(p + 8, swap);
            sum = sum_saturating(sum, v->count, 1, UINT64_MAX, &cut);
        }
    return sum;
}

/* Reads the values of a function into the scratch memory. */
static bool read_block(struct shape_scratch *scratch, struct matched *m, const struct value_block *b,
                       size_t site)
{
    uint64_t n_sites = 0, n_pairs = 0;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        n_sites += b->n_sites[k];
        n_pairs += b->n_pairs[k];
    }
    scratch->places.n = scratch->values.n;
    if (!VEC_RESERVE(&scratch->values, n_pairs) || !VEC_RESERVE(&scratch->places, n_pairs) ||
        !VEC_RESERVE(&scratch->counts, n_sites))
        return false;
    for (unsigned k = 0; k < APF_VALUE_KINDS; site += b->n_sites[k++]) {
        uint64_t sum = b->n_sites[k] ? read_pairs(scratch, m, b, k, site) : 0;
        m->largest = sum > m->largest ? sum : m->largest;
    }
    return true;
}

/* Checks the value data and reads it into the scratch memory. *fits is false when the general path must decide. */
static int read_values(struct shape_scratch *scratch, struct matched *m, uint64_t *end, bool *fits,
                       struct apf_error *error)
{
    const struct shape *s = m->shape;
    struct cursor c = cursor_make(m->part.file, m->part.file_size, m->part.swap);
    cursor_skip(&c, m->part.values_at);
    m->first_value = scratch->values.n;
    m->first_count = scratch->counts.n;
    m->values_missing = s->n_with_sites && raw_profile_values_missing(&m->part, m->part.values_at);
    for (size_t i = 0; i < s->n_with_sites && !m->values_missing; i++) {
        const struct shape_sites *f = &s->with_sites[i];
        struct value_block block;
        if (value_block_read(&c, APF_VALUE_KINDS, &block, NULL) != APF_OK ||
            memcmp(block.n_sites, f->n_sites, sizeof f->n_sites) != 0) {
            *fits = false;
            return APF_OK;
        }
        if (!read_block(scratch, m, &block, f->first))
            return error_memory(error);
    }
    *end = cursor_offset(&c);
    return APF_OK;
}

/* The sum of the counts of all functions, computed from the slots; their sum must not have passed 2^64. */
static uint64_t sum_of_counts(const struct matched *m)
{
    const struct raw_profile *part = &m->part;
    const struct shape *s = m->shape;
    uint64_t sum = m->slots.sum, most;
    bool cut = false;
    if (!MUL_OVERFLOWS(m->slots.bits, s->n_slots, &most)) {
        for (size_t r = 0; r < s->n_unowned; r++)
            for (uint64_t i = 0; i < s->unowned[r].n; i++)
                sum -= raw_profile_count(part, (s->unowned[r].first + i) * part->counter_bytes);
        return sum;
    }
    sum = 0;
    for (size_t f = 0; f < s->n_functions; f++) {
        uint64_t at = (uint64_t)(s->functions[f].counts - s->sums) * part->counter_bytes;
        for (uint64_t i = 0; i < s->functions[f].n_counts; i++, at += part->counter_bytes)
            sum = sum_saturating(sum, raw_profile_count(part, at), 1, UINT64_MAX, &cut);
    }
    return sum;
}

static struct shape *find_shape(struct shapes *s, struct raw_profile *part, uint64_t *slide)
{
    struct shape *candidates[MOST_CANDIDATES];
    pthread_mutex_lock(&s->lock);
    unsigned n = shapes_candidates(s, part, candidates);
    pthread_mutex_unlock(&s->lock);
    while (n-- > 0) /* the newest first: an older shape of the binary has no room left for larger sums */
        if (shape_matches(candidates[n], part, slide))
            return candidates[n];
    return NULL;
}

/* Matches every profile in the file; *fits is false as soon as one does not fit. */
static int match_file(struct shapes *s, struct shape_scratch *scratch, const uint8_t *data, size_t n,
                      bool *fits, struct apf_error *error)
{
    uint64_t at = 0, end = 0;
    int code = APF_OK;
    while (code == APF_OK && *fits && at < n) {
        struct matched m = {0};
        bool unaligned = false;
        *fits = raw_profile_open(&m.part, data, n, at, NULL) == APF_OK && !raw_profile_is_bare(&m.part);
        m.shape = *fits ? find_shape(s, &m.part, &m.slide) : NULL;
        *fits = m.shape != NULL;
        if (!*fits)
            return APF_OK;
        code = read_values(scratch, &m, &end, fits, error);
        if (code == APF_OK && *fits)
            *fits = raw_profile_next(&m.part, end, &at, &unaligned, NULL) == APF_OK;
        if (code == APF_OK && !VEC_PUSH(&scratch->parts, m))
            code = error_memory(error);
    }
    /* Another profile of the file may have missing names. */
    for (size_t i = 0; scratch->parts.n > 1 && i < scratch->parts.n; i++)
        *fits &= scratch->parts.data[i].shape->nameless == 0;
    return code;
}

/* Adds counts of this machine's byte order with weight 1. */
static struct slots add_counts(uint64_t *sums, const uint8_t *p, size_t n)
{
    word_pair bits = {0, 0}, sum = {0, 0};
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
        word_pair count = load_pair(p + 8 * i), total = load_pair((const uint8_t *)(sums + i)) + count;
        memcpy(sums + i, &total, sizeof total);
        bits |= count;
        sum += count;
    }
    struct slots all = {bits[0] | bits[1], sum[0] + sum[1]};
    if (i < n) {
        uint64_t count = load64(p + 8 * i, false);
        sums[i] += count;
        all.bits |= count;
        all.sum += count;
    }
    return all;
}

/* Adds the counters, multiplied by `times`, to the sums. */
static struct slots add_counters(struct shape *s, const struct raw_profile *part, uint64_t times)
{
    const uint8_t *p = part->file + part->counters.at;
    struct slots all = {0, 0};
    size_t n = s->n_slots;
    if (part->counter_bytes == 1) {
        all.bits = 1;
        for (size_t i = 0; i < n; i++) {
            s->sums[i] += p[i] == 0 ? times : 0;
            all.sum += p[i] == 0;
        }
    } else if (times == 1 && !part->swap) {
        all = add_counts(s->sums, p, n);
    } else {
        for (size_t i = 0; i < n; i++) {
            uint64_t count = load64(p + 8 * i, part->swap);
            s->sums[i] += count * times;
            all.bits |= count;
            all.sum += count;
        }
    }
    return all;
}

/* Claims a share of the room below the largest count, so that the sums cannot overflow. Claims are never returned. */
static bool claim_weight(struct shape *s, uint64_t largest, uint64_t weight)
{
    uint64_t product, bound;
    bool ok = largest <= COUNT_SUSPECT && !MUL_OVERFLOWS(largest, weight, &product) &&
              !ADD_OVERFLOWS(s->bound, product, &bound) && bound <= COUNT_MAX;
    if (ok)
        s->bound = bound;
    return ok;
}

/* Adds the counters if no sum can overflow; if counters turn out too large while they are added, subtracts them
 * again. */
static bool try_counters(struct matched *m, uint64_t weight)
{
    struct shape *s = m->shape;
    pthread_mutex_lock(&s->lock);
    m->slots = add_counters(s, &m->part, weight);
    bool fits = claim_weight(s, m->slots.bits > m->largest ? m->slots.bits : m->largest, weight);
    if (!fits)
        add_counters(s, &m->part, 0 - weight);
    pthread_mutex_unlock(&s->lock);
    return fits;
}

static void subtract_counters(struct matched *m, uint64_t weight)
{
    pthread_mutex_lock(&m->shape->lock);
    add_counters(m->shape, &m->part, 0 - weight);
    pthread_mutex_unlock(&m->shape->lock);
}

/* Adds the values of one site: those that the site's list has to the memo, the others to the list. */
static bool add_site(struct shape *s, size_t site, const struct apf_value *v, const uint32_t *place, size_t n,
                     uint64_t weight)
{
    bool ok = true, cut = false; /* never: see s->bound */
    for (size_t j = 0; ok && j < n; j++) {
        if (LIKELY(place[j] != NOT_IN_MEMO && s->memo_listed[place[j]])) {
            s->memo_sums[place[j]] += v[j].count * weight;
            continue;
        }
        ok = value_list_add(&s->sites[site], &s->arena, &v[j], 1, weight, &cut);
        if (place[j] != NOT_IN_MEMO)
            s->memo_listed[place[j]] = true;
    }
    return ok;
}

/* The first addition keeps the order and the repeated values of the file. */
static bool copy_site(struct shape *s, size_t site, const struct apf_value *v, const uint32_t *place,
                      size_t n, uint64_t weight)
{
    bool cut = false;
    for (size_t j = 0; j < n; j++)
        if (place[j] != NOT_IN_MEMO)
            s->memo_listed[place[j]] = true;
    return value_list_copy(&s->sites[site], &s->arena, v, n, weight, &cut);
}

static bool add_values(struct shape *s, const struct shape_scratch *scratch, const struct matched *m,
                       uint64_t weight)
{
    bool ok = true, cut = false;
    const struct apf_value *v = ENTRY_AT(scratch->values.data, m->first_value);
    const uint32_t *place = ENTRY_AT(scratch->places.data, m->first_value);
    const uint8_t *n = ENTRY_AT(scratch->counts.data, m->first_count);
    for (size_t i = 0; ok && s->adds == 1 && i < s->n_sites; i++)
        ok = value_list_normalise(&s->sites[i], &cut);
    for (size_t i = 0; ok && !m->values_missing && i < s->n_sites; i++) {
        ok = s->adds ? add_site(s, i, v, place, n[i], weight) : copy_site(s, i, v, place, n[i], weight);
        v = ENTRY_AT(v, n[i]);
        place = ENTRY_AT(place, n[i]);
    }
    return ok;
}

/* Adds the parts that cannot overflow, once all counters of the file are added. */
static int add_rest(const struct shape_scratch *scratch, const struct matched *m, uint64_t weight,
                    struct first_seen seen, uint64_t input, struct apf_error *error)
{
    struct shape *s = m->shape;
    bool cut = false;
    pthread_mutex_lock(&s->lock);
    const uint8_t *bits = m->part.file + m->part.bitmap.at;
    for (uint64_t i = 0; i < m->part.bitmap.size; i++)
        s->bitmap[i] |= bits[i];
    bool ok = add_values(s, scratch, m, weight);
    s->adds++;
    first_seen_min(&s->seen, seen);
    s->input = input < s->input ? input : s->input;
    s->weight = sum_saturating(s->weight, weight, 1, UINT64_MAX, &cut);
    pthread_mutex_unlock(&s->lock);
    return ok ? APF_OK : error_memory(error);
}

/* The rank that the general path would give, which reads all profiles of a file as one. */
static uint64_t rank_of_file(const struct shape_scratch *scratch)
{
    struct id_sequence ids = id_sequence_empty();
    for (size_t i = 0; i < scratch->parts.n; i++)
        id_sequence_join(&ids, &scratch->parts.data[i].shape->ids);
    return id_sequence_rank(&ids);
}

static int record_part(const struct matched *m, struct shape_added *out, struct apf_error *error)
{
    const struct shape *s = m->shape;
    bool unpadded = false;
    int code = raw_profile_ids(&m->part, raw_copy_id, &out->ids, &unpadded, error);
    for (size_t i = 0; code == APF_OK && s->timestamps && i < s->n_functions; i++) {
        if (s->timestamps[i] == UINT64_MAX)
            continue;
        const uint8_t *p = m->part.file + m->part.counters.at + s->timestamps[i];
        struct raw_seen seen = {raw_timestamp(load64(p, m->part.swap)), s->functions[i].id};
        if (seen.timestamp && !VEC_PUSH(&out->seen.list, seen))
            code = error_memory(error);
    }
    if (out->n_profiles++ == 0)
        out->clues = s->clues;
    else
        release_clues_join(&out->clues, &s->clues);
    out->n_records += s->n_functions;
    out->n_counters += s->n_counters;
    out->quirks[QUIRK_UNPADDED_IDS] += unpadded;
    out->quirks[QUIRK_NAMELESS] += s->nameless;
    out->quirks[QUIRK_MISSING_VALUE_DATA] += m->values_missing;
    out->quirks[QUIRK_UNALIGNED] += m->part.start % 8 != 0;
    out->quirks[QUIRK_MIXED_VERSIONS] += out->clues.version != m->part.version->version;
    raw_count_quirks(out->quirks, &s->reference);
    return code;
}

/* The limits of the general path on a file as a whole. */
static bool within_limits(const struct shape_scratch *scratch, uint64_t max_records)
{
    uint64_t records = 0, empty_sites = 0;
    for (size_t i = 0; i < scratch->parts.n; i++) {
        const struct matched *m = &scratch->parts.data[i];
        records += m->shape->n_functions;
        empty_sites += m->values_missing ? m->shape->n_sites : 0;
        if (records > max_records || empty_sites > raw_empty_sites_limit(records))
            return false;
    }
    return true;
}

int shapes_add(struct shapes *s, struct shape_scratch *scratch, const uint8_t *data, size_t n,
               uint64_t weight, struct shape_added *out, bool *added, struct apf_error *error)
{
    bool fits = true, cut = false;
    size_t counted = 0; /* number of profiles whose counters are in the sums */
    *added = false;
    scratch->parts.n = scratch->values.n = scratch->counts.n = 0;
    int code = match_file(s, scratch, data, n, &fits, error);
    fits = fits && within_limits(scratch, out->max_records);
    /* The ids are checked before anything is added. */
    for (size_t i = 0; code == APF_OK && fits && i < scratch->parts.n; i++)
        code = record_part(&scratch->parts.data[i], out, error);
    while (code == APF_OK && fits && counted < scratch->parts.n) {
        fits = try_counters(&scratch->parts.data[counted], weight);
        counted += fits;
    }
    if (code == APF_NO_MEMORY)
        return code;
    if (code != APF_OK || !fits) { /* the general path reports errors */
        while (counted > 0)
            subtract_counters(&scratch->parts.data[--counted], weight);
        return APF_OK;
    }
    struct first_seen seen = {rank_of_file(scratch), 0};
    for (size_t i = 0; code == APF_OK && i < scratch->parts.n; i++) {
        const struct matched *m = &scratch->parts.data[i];
        out->sum_of_counts = sum_saturating(out->sum_of_counts, sum_of_counts(m), 1, UINT64_MAX, &cut);
        code = add_rest(scratch, m, weight, seen, out->input, error);
        seen.place += m->shape->ids.n;
    }
    *added = true;
    return code;
}

/* Makes the roster of a shape, unless it is there. NULL: an allocation failed. */
static const uint64_t *roster_of(struct shape *s)
{
    pthread_mutex_lock(&s->lock);
    uint64_t *made = s->roster ? NULL : arena_array(&s->arena, s->n_functions, sizeof *made);
    uint64_t *scratch = made ? malloc((s->n_functions + 1) * sizeof *scratch) : NULL;
    for (size_t i = 0; scratch && i < s->n_functions; i++) {
        const struct sum *f = &s->functions[i];
        const struct sum_structure structure = {f->n_counts, f->n_bitmap, f->n_sites, f->flags};
        made[i] = structure_digest(f->id, f->hash, &structure);
    }
    if (scratch) {
        sort_numbers(made, scratch, s->n_functions);
        s->roster = made;
    }
    const uint64_t *roster = s->roster;
    pthread_mutex_unlock(&s->lock);
    free(scratch);
    return roster;
}

const uint64_t *shapes_last_roster(const struct shape_scratch *scratch, struct arena *arena)
{
    size_t n = 0, at = 0;
    if (scratch->parts.n == 1)
        return roster_of(scratch->parts.data[0].shape);
    for (size_t i = 0; i < scratch->parts.n; i++)
        n += scratch->parts.data[i].shape->n_functions;
    uint64_t *all = arena_array(arena, 2 * n, sizeof *all);
    for (size_t i = 0; all && i < scratch->parts.n; i++) {
        const struct shape *s = scratch->parts.data[i].shape;
        const uint64_t *roster = roster_of(scratch->parts.data[i].shape);
        if (!roster)
            return NULL;
        if (s->n_functions)
            memcpy(all + at, roster, s->n_functions * sizeof *all);
        at += s->n_functions;
    }
    if (all)
        sort_numbers(all, all + n, n);
    return all;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/raw_shape_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "instr/value_data.h"

/* A profile of the file at hand and what was found out about it. */
struct matched {
    struct raw_part part;
    struct raw_shape *shape;
    uint64_t slide; /* its addresses minus the reference's */
    size_t first_value, first_count;
    bool values_missing;
    uint64_t largest; /* no counter and no count of a value is larger */
};

struct shape_scratch {
    VEC(struct matched) parts;
    VEC(struct apf_value) values; /* of all sites of the file, site by site */
    VEC(uint8_t) counts;          /* values of each site */
};

/* ---- comparing ---- */

static uint64_t pointer_at(const struct raw_part *part, const uint8_t *p)
{
    return part->pointer_bytes == 8 ? load64(p, part->swap) : load32(p, part->swap);
}

static uint64_t pointer_mask(const struct raw_part *part)
{
    return part->pointer_bytes == 8 ? UINT64_MAX : UINT32_MAX;
}

/* Header words that say how the file is laid out; addresses and distances are looked at elsewhere. */
static bool same_header(const struct raw_part *a, const struct raw_part *b)
{
    static const enum raw_header_field fields[] = {
        RAW_NUM_DATA,         RAW_PAD_BEFORE_COUNTERS, RAW_NUM_COUNTERS,    RAW_PAD_AFTER_COUNTERS,
        RAW_NUM_BITMAP_BYTES, RAW_PAD_AFTER_BITMAP,    RAW_NUM_UNIFORM,     RAW_NAMES_SIZE,
        RAW_NUM_VTABLES,      RAW_VNAMES_SIZE,         RAW_VALUE_KIND_LAST,
    };
    if (a->version_word != b->version_word || a->pointer_bytes != b->pointer_bytes || a->swap != b->swap)
        return false;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (a->field[fields[i]] != b->field[fields[i]])
            return false;
    /* Relative distances do not move; those to a section that is not there mean nothing. */
    if (a->relative && a->field[RAW_COUNTERS_DELTA] != b->field[RAW_COUNTERS_DELTA])
        return false;
    return !a->bitmap.size || a->field[RAW_BITMAP_DELTA] == b->field[RAW_BITMAP_DELTA];
}

static bool same_records(const struct raw_shape *s, const uint8_t *data)
{
    size_t words = s->reference.record->size / 8u, n = s->reference.field[RAW_NUM_DATA];
    const uint8_t *a = s->data, *b = data;
    for (size_t i = 0; i < n; i++) {
        uint64_t differ = 0;
        for (size_t w = 0; w < words; w++, a += 8, b += 8)
            differ |= (load64(a, false) ^ load64(b, false)) & s->mask[w];
        if (differ)
            return false;
    }
    return true;
}

/* True when the pointers at `p` and `reference` (every `stride` bytes) differ by one constant; null stays null.
 * *slide and *known carry the constant from call to call. */
static bool slid(const struct raw_part *part, const uint8_t *reference, const uint8_t *p, size_t n,
                 size_t stride, bool *known, uint64_t *slide)
{
    uint64_t mask = pointer_mask(part);
    for (size_t i = 0; i < n; i++, p += stride, reference += stride) {
        uint64_t a = pointer_at(part, reference), b = pointer_at(part, p);
        if (!a != !b)
            return false;
        if (!a)
            continue;
        if (!*known) {
            *known = true;
            *slide = (b - a) & mask;
        }
        if (((b - a) & mask) != *slide)
            return false;
    }
    return true;
}

static bool slid_by(const struct raw_shape *s, const struct raw_part *part, uint16_t field, uint64_t by)
{
    bool known = true;
    by &= pointer_mask(part);
    return field == RAW_NONE || slid(part, s->data + field, part->file + part->data.at + field,
                                     part->field[RAW_NUM_DATA], part->record->size, &known, &by);
}

static bool same_addresses(const struct raw_shape *s, const struct raw_part *part, uint64_t *slide)
{
    const struct raw_record_layout *r = part->record;
    const uint64_t *now = part->field, *then = s->reference.field;
    bool known = false;
    *slide = 0;
    if (!part->relative &&
        !slid_by(s, part, r->counter_ptr, now[RAW_COUNTERS_DELTA] - then[RAW_COUNTERS_DELTA]))
        return false;
    if (!slid_by(s, part, r->name_ptr, now[RAW_NAMES_DELTA] - then[RAW_NAMES_DELTA]))
        return false;
    if (r->function_ptr != RAW_NONE &&
        !slid(part, s->data + r->function_ptr, part->file + part->data.at + r->function_ptr,
              now[RAW_NUM_DATA], r->size, &known, slide))
        return false;
    return slid(part, s->vtables + 8, part->file + part->vtables.at + 8, now[RAW_NUM_VTABLES],
                RAW_VTABLE_SIZE(part->pointer_bytes), &known, slide);
}

/* Hash and size of each vtable; that its address moved with the others was looked at. */
static bool same_vtables(const struct raw_shape *s, const struct raw_part *part)
{
    unsigned size = RAW_VTABLE_SIZE(part->pointer_bytes), end = 8 + part->pointer_bytes;
    const uint8_t *a = s->vtables, *b = part->file + part->vtables.at;
    for (uint64_t i = 0; i < part->field[RAW_NUM_VTABLES]; i++, a += size, b += size)
        if (memcmp(a, b, 8) != 0 || memcmp(a + end, b + end, 4) != 0)
            return false;
    return !raw_targets_wrap(part);
}

static bool same_bytes(const uint8_t *a, const struct raw_part *part, const struct raw_section *section)
{
    return section->size == 0 || memcmp(a, part->file + section->at, section->size) == 0;
}

static bool matches(const struct raw_shape *s, struct raw_part *part, uint64_t *slide)
{
    if (part->version->caps & RAW_CAP_MAYBE_RELATIVE)
        part->relative = s->reference.relative; /* else the probe of all records would be needed */
    part->no_timestamps = s->reference.no_timestamps;
    return same_header(&s->reference, part) && same_records(s, part->file + part->data.at) &&
           same_bytes(s->names, part, &part->names) &&
           same_bytes(s->vtable_names, part, &part->vtable_names) && same_addresses(s, part, slide) &&
           same_vtables(s, part);
}

/* ---- one file ---- */

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
    VEC_FREE(&scratch->counts);
    free(scratch);
}

/* The id of the j-th target of a site, an address of the reference's. */
static uint64_t resolve_target(const struct raw_shape *s, unsigned kind, size_t site, size_t j,
                               uint64_t address)
{
    size_t at = s->memo_at[site] + j;
    if (at < s->memo_at[site + 1] && s->memo[at].address == address)
        return s->memo[at].id;
    return raw_targets_resolve(&s->targets, kind, address);
}

/* Values of one kind, with ids in place of addresses; `site` is the number of its first site. What the counts of a
 * function's values add up to bounds those of each value, since a site may have one several times. */
static bool take_pairs(struct shape_scratch *scratch, struct matched *m, const struct value_block *b,
                       unsigned kind, size_t site)
{
    bool cut = false;
    uint64_t sum = 0;
    const uint8_t *p = b->pairs[kind];
    uint64_t mask = pointer_mask(&m->part);
    if (!VEC_RESERVE(&scratch->values, b->n_pairs[kind]) || !VEC_RESERVE(&scratch->counts, b->n_sites[kind]))
        return false;
    if (b->n_sites[kind])
        memcpy(scratch->counts.data + scratch->counts.n, b->site_counts[kind], b->n_sites[kind]);
    scratch->counts.n += b->n_sites[kind];
    for (uint32_t i = 0; i < b->n_sites[kind]; i++, site++)
        for (size_t j = 0; j < b->site_counts[kind][i]; j++, p += 16) {
            struct apf_value v = {load64(p, m->part.swap), load64(p + 8, m->part.swap)};
            if (kind != APF_VALUE_MEMOP_SIZE && v.value > mask)
                v.value = 0; /* no address of the program */
            else if (kind != APF_VALUE_MEMOP_SIZE)
                v.value = resolve_target(m->shape, kind, site, j, (v.value - m->slide) & mask);
            sum = sum_saturating(sum, v.count, 1, UINT64_MAX, &cut);
            scratch->values.data[scratch->values.n++] = v;
        }
    m->largest = sum > m->largest ? sum : m->largest;
    return true;
}

/* Checks the value data and takes it into the scratch memory. *fits is false when the general path must decide. */
static int take_values(struct shape_scratch *scratch, struct matched *m, uint64_t *end, bool *fits,
                       struct apf_error *error)
{
    const struct raw_shape *s = m->shape;
    struct cursor c = cursor_make(m->part.file, m->part.file_size, m->part.swap);
    cursor_skip(&c, m->part.values_at);
    m->first_value = scratch->values.n;
    m->first_count = scratch->counts.n;
    m->values_missing = s->n_with_sites && raw_part_values_missing(&m->part, m->part.values_at);
    for (size_t i = 0; i < s->n_with_sites && !m->values_missing; i++) {
        const struct shape_function *f = &s->functions[s->with_sites[i]];
        struct value_block block;
        if (value_block_read(&c, APF_VALUE_KINDS, &block, NULL) != APF_OK ||
            memcmp(block.n_sites, f->n_sites, sizeof f->n_sites) != 0) {
            *fits = false;
            return APF_OK;
        }
        size_t site = f->site;
        for (unsigned k = 0; k < APF_VALUE_KINDS; site += block.n_sites[k++])
            if (!take_pairs(scratch, m, &block, k, site))
                return error_memory(error);
    }
    *end = cursor_offset(&c);
    return APF_OK;
}

/* All bits that any counter has: at least as large as the largest counter, less than twice as large. */
static uint64_t largest_counter(const struct raw_part *part)
{
    const uint8_t *p = part->file + part->counters.at;
    uint64_t all = 0;
    if (part->counter_bytes == 1)
        return 1;
    for (uint64_t i = 0; i < part->field[RAW_NUM_COUNTERS]; i++)
        all |= load64(p + 8 * i, false);
    if (!part->swap)
        return all;
    all = 0;
    for (uint64_t i = 0; i < part->field[RAW_NUM_COUNTERS]; i++)
        all |= load64(p + 8 * i, true);
    return all;
}

static struct raw_shape *find(struct shapes *s, struct raw_part *part, uint64_t *slide)
{
    struct raw_shape *candidates[MOST_CANDIDATES];
    pthread_mutex_lock(&s->lock);
    unsigned n = shapes_candidates(s, part, candidates);
    pthread_mutex_unlock(&s->lock);
    while (n-- > 0) /* the newest first: an older one of the same binary has no room left for larger sums */
        if (matches(candidates[n], part, slide))
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
        *fits = raw_part_open(&m.part, data, n, at, NULL) == APF_OK;
        m.shape = *fits ? find(s, &m.part, &m.slide) : NULL;
        *fits = m.shape != NULL;
        if (!*fits)
            return APF_OK;
        m.largest = largest_counter(&m.part);
        *fits = m.largest <= COUNT_SUSPECT;
        if (*fits)
            code = take_values(scratch, &m, &end, fits, error);
        if (code == APF_OK && *fits)
            *fits = raw_part_next(&m.part, end, &at, &unaligned, NULL) == APF_OK;
        if (code == APF_OK && !VEC_PUSH(&scratch->parts, m))
            code = error_memory(error);
    }
    return code;
}

/* Takes a share of the room that is left below the largest count; the sums cannot overflow then. */
static bool claim(struct raw_shape *s, uint64_t largest, uint64_t weight)
{
    uint64_t product, bound;
    bool ok;
    pthread_mutex_lock(&s->lock);
    ok = !MUL_OVERFLOWS(largest, weight, &product) && !ADD_OVERFLOWS(s->bound, product, &bound) &&
         bound <= COUNT_MAX;
    if (ok)
        s->bound = bound;
    pthread_mutex_unlock(&s->lock);
    return ok;
}

static void add_counters(struct raw_shape *s, const struct raw_part *part, uint64_t weight)
{
    const uint8_t *p = part->file + part->counters.at;
    uint64_t *sums = s->sums;
    size_t n = s->n_slots;
    if (part->counter_bytes == 1) {
        for (size_t i = 0; i < n; i++)
            sums[i] += p[i] == 0 ? weight : 0;
    } else if (part->swap) {
        for (size_t i = 0; i < n; i++)
            sums[i] += load64(p + 8 * i, true) * weight;
    } else if (weight != 1) {
        for (size_t i = 0; i < n; i++)
            sums[i] += load64(p + 8 * i, false) * weight;
    } else {
        for (size_t i = 0; i < n; i++)
            sums[i] += load64(p + 8 * i, false);
    }
}

static bool add_values(struct raw_shape *s, const struct shape_scratch *scratch, const struct matched *m,
                       uint64_t weight)
{
    bool ok = true, cut = false;
    const struct apf_value *v = scratch->values.data + m->first_value;
    const uint8_t *n = scratch->counts.data + m->first_count;
    for (size_t i = 0; ok && s->adds == 1 && i < s->n_sites; i++)
        ok = value_list_normalise(&s->sites[i], &cut);
    for (size_t i = 0; ok && !m->values_missing && i < s->n_sites; i++) {
        if (s->adds)
            ok = value_list_add(&s->sites[i], &s->arena, v, n[i], weight, &cut);
        else
            ok = value_list_copy(&s->sites[i], &s->arena, v, n[i], weight, &cut);
        v += n[i];
    }
    return ok;
}

static int add_part(const struct shape_scratch *scratch, const struct matched *m, uint64_t weight,
                    struct apf_error *error)
{
    struct raw_shape *s = m->shape;
    bool cut = false;
    pthread_mutex_lock(&s->lock);
    add_counters(s, &m->part, weight);
    const uint8_t *bits = m->part.file + m->part.bitmap.at;
    for (uint64_t i = 0; i < m->part.bitmap.size; i++)
        s->bitmap[i] |= bits[i];
    bool ok = add_values(s, scratch, m, weight);
    s->adds++;
    s->weight = sum_saturating(s->weight, weight, 1, UINT64_MAX, &cut);
    pthread_mutex_unlock(&s->lock);
    return ok ? APF_OK : error_memory(error);
}

static int note_part(const struct matched *m, struct shape_added *out, struct apf_error *error)
{
    const struct raw_shape *s = m->shape;
    bool unpadded = false;
    int code = raw_part_ids(&m->part, raw_collect_id, &out->ids, &unpadded, error);
    for (size_t i = 0; code == APF_OK && i < s->n_functions; i++) {
        const struct shape_function *f = &s->functions[i];
        if (f->timestamp_at == UINT64_MAX)
            break; /* all functions of a profile have one, or none */
        const uint8_t *p = m->part.file + m->part.counters.at + f->timestamp_at;
        struct raw_seen seen = {raw_timestamp(load64(p, m->part.swap)), f->id};
        if (seen.timestamp && !VEC_PUSH(&out->seen.list, seen))
            code = error_memory(error);
    }
    if (out->n_profiles++ == 0)
        out->clues = s->clues;
    else
        release_clues_join(&out->clues, &s->clues);
    out->n_records += s->n_functions;
    out->quirks[QUIRK_UNPADDED_IDS] += unpadded;
    out->quirks[QUIRK_NAMELESS] += s->nameless;
    out->quirks[QUIRK_MISSING_VALUE_DATA] += m->values_missing;
    out->quirks[QUIRK_UNALIGNED] += m->part.start % 8 != 0;
    out->quirks[QUIRK_MIXED_VERSIONS] += out->clues.version != m->part.version->version;
    raw_note_quirks(out->quirks, &s->reference);
    return code;
}

int shapes_add(struct shapes *s, struct shape_scratch *scratch, const uint8_t *data, size_t n,
               uint64_t weight, struct shape_added *out, bool *added, struct apf_error *error)
{
    bool fits = true;
    size_t claimed = 0;
    *added = false;
    scratch->parts.n = scratch->values.n = scratch->counts.n = 0;
    int code = match_file(s, scratch, data, n, &fits, error);
    /* The ids are checked here too, before anything is added. */
    for (size_t i = 0; code == APF_OK && fits && i < scratch->parts.n; i++)
        code = note_part(&scratch->parts.data[i], out, error);
    while (code == APF_OK && fits && claimed < scratch->parts.n) {
        struct matched *m = &scratch->parts.data[claimed++];
        fits = claim(m->shape, m->largest,
                     weight); /* what others have claimed is not given back: it is only room */
    }
    if (code != APF_OK && code != APF_NO_MEMORY)
        fits = false; /* let the general path say what is wrong */
    if (code == APF_NO_MEMORY || !fits)
        return code == APF_NO_MEMORY ? code : APF_OK;
    for (size_t i = 0; code == APF_OK && i < scratch->parts.n; i++)
        code = add_part(scratch, &scratch->parts.data[i], weight, error);
    *added = true;
    return code;
}

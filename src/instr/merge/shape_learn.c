/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "instr/merge/shape_state.h"
#include "instr/model/name_blob.h"
#include "instr/model/value_data.h"

/* Shapes take memory for as long as the merge lasts; beyond this, new binaries take the general path. */
#define MOST_SHAPE_BYTES ((uint64_t)512 << 20)
/* No program has so many libraries. */
#define MOST_PARTS 64u

struct shapes *shapes_new(void)
{
    struct shapes *s = calloc(1, sizeof *s);
    if (!s || !hash_index_reserve(&s->index, 1)) { /* makes the key of the digests */
        free(s);
        return NULL;
    }
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->learnt, NULL);
    return s;
}

static void free_shape(struct shape *s)
{
    raw_targets_free(&s->targets);
    pthread_mutex_destroy(&s->lock);
    struct arena arena = s->arena; /* it holds the shape itself */
    arena_free(&arena);
}

void shapes_free(struct shapes *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->list.n; i++)
        free_shape(s->list.data[i]);
    VEC_FREE(&s->list);
    VEC_FREE(&s->learning);
    VEC_FREE(&s->useless);
    hash_index_free(&s->useless_index);
    hash_index_free(&s->index);
    pthread_cond_destroy(&s->learnt);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* ---- what a shape consists of ---- */

/* Copies a section of the file. */
static bool copy_section(struct shape *s, const struct raw_profile *part, const struct raw_section *section,
                         const uint8_t **to)
{
    uint8_t *copy = arena_alloc(&s->arena, section->size + 1);
    if (!copy)
        return false;
    memcpy(copy, part->file + section->at, section->size);
    *to = copy;
    return true;
}

static void clear_mask(uint8_t *mask, uint16_t at, unsigned bytes)
{
    if (at != RAW_NONE)
        memset(mask + at, 0, bytes);
}

/* Makes the mask: all bits of a record must be equal except live addresses, and counter and name pointers that are
 * addresses. */
static bool make_mask(struct shape *s)
{
    const struct raw_profile *part = &s->reference;
    const struct raw_record_layout *r = part->record;
    uint64_t *mask = arena_alloc(&s->arena, r->size);
    if (!mask)
        return false;
    memset(mask, 0xff, r->size);
    clear_mask((uint8_t *)mask, r->values, part->pointer_bytes);
    clear_mask((uint8_t *)mask, r->function_ptr, part->pointer_bytes);
    clear_mask((uint8_t *)mask, r->name_ptr, part->pointer_bytes);
    if (!part->relative)
        clear_mask((uint8_t *)mask, r->counter_ptr, part->pointer_bytes);
    s->mask = mask;
    return true;
}

/* Marks [at, at + n) as owned; false when a part of it has an owner already. */
static bool own_bytes(uint8_t *owned, uint64_t at, uint64_t n)
{
    for (uint64_t i = at; i < at + n; i++) {
        if (owned[i])
            return false;
        owned[i] = 1;
    }
    return true;
}

/* The slots that functions own while they are collected. */
struct taken {
    uint8_t *slots, *bits; /* a byte for each count and each byte of the bitmaps */
    struct shape_sites *with_sites;
    uint64_t *timestamps;
    const uint32_t *symbols;
};

/* Adds a function, whose sums are one run of slots that no other function shares. */
static bool add_function(struct shape *s, const struct raw_record *r, const struct record *from,
                         const struct taken *t)
{
    struct sum *f = &s->functions[s->n_functions];
    unsigned size = s->reference.counter_bytes;
    /* Value data may be for other sites than the record announces; without value data, the record counts. */
    if (memcmp(r->n_sites, from->n_sites, sizeof r->n_sites) != 0)
        return false;
    if (r->counters % size || !own_bytes(t->slots, r->counters / size, r->n_counters) ||
        !own_bytes(t->bits, r->bitmap, r->n_bitmap))
        return false;
    f->id = from->id;
    f->hash = r->hash;
    f->counts = s->sums + r->counters / size;
    f->n_counts = (uint32_t)r->n_counters;
    f->bitmap = s->bitmap + r->bitmap;
    f->n_bitmap = r->n_bitmap;
    f->flags = from->flags & SUM_FLAGS;
    memcpy(f->n_sites, from->n_sites, sizeof f->n_sites);
    f->symbol = from->symbol == HASH_INDEX_NONE ? from->symbol : t->symbols[from->symbol];
    t->timestamps[s->n_functions++] = r->timestamp_at;
    id_sequence_add(&s->ids, from->id);
    s->n_counters += r->n_counters;
    if (record_site_count(from)) {
        struct shape_sites *sites = &t->with_sites[s->n_with_sites++];
        memcpy(sites->n_sites, from->n_sites, sizeof sites->n_sites);
        sites->first = (uint32_t)s->n_sites;
        s->n_sites += record_site_count(from);
    }
    return s->n_sites <= UINT32_MAX;
}

/* Records the slots that belong to no function. */
static bool record_unowned(struct shape *s, const uint8_t *owned)
{
    VEC(struct slot_run) runs = {0};
    bool ok = true;
    for (uint64_t i = 0; ok && i < s->n_slots; i++) {
        struct slot_run run = {i, 0};
        while (i < s->n_slots && !owned[i])
            i++;
        run.n = i - run.first;
        ok = run.n == 0 || VEC_PUSH(&runs, run);
    }
    struct slot_run *copy = arena_array(&s->arena, runs.n, sizeof *copy);
    ok = ok && copy;
    if (ok && runs.n)
        memcpy(copy, runs.data, runs.n * sizeof *copy);
    s->unowned = copy;
    s->n_unowned = runs.n;
    VEC_FREE(&runs);
    return ok;
}

static bool gather_functions(struct shape *s, const struct raw_profile_info *info,
                             const struct apf_instr *instr, const struct taken *t, bool *suits)
{
    bool ok = raw_targets_reserve(&s->targets, info->n_records, NULL) == APF_OK;
    for (size_t i = 0; ok && *suits && i < info->n_records; i++) {
        struct raw_record r;
        const struct record *from = &instr->records.data[info->first_record + i];
        *suits = raw_profile_record(&s->reference, i, &r, NULL) == APF_OK && add_function(s, &r, from, t);
        s->nameless += instr->info.n_profiles == 1 && from->symbol == HASH_INDEX_NONE;
        if (r.timestamp_at != UINT64_MAX)
            s->timestamps = t->timestamps;
        ok = !r.function_ptr || raw_targets_add(&s->targets, r.function_ptr, from->id, NULL) == APF_OK;
    }
    ok = ok && record_unowned(s, t->slots);
    return ok;
}

static bool add_functions(struct shape *s, const struct raw_profile_info *info, const struct apf_instr *instr,
                          const uint32_t *symbols, bool *suits)
{
    size_t n = info->n_records;
    struct taken t = {calloc(s->n_slots + 1, 1), calloc(s->reference.bitmap.size + 1, 1),
                      arena_array(&s->arena, n, sizeof *t.with_sites),
                      arena_array(&s->arena, n, sizeof *t.timestamps), symbols};
    s->functions = arena_zeros(&s->arena, n, sizeof *s->functions);
    s->sums = arena_zeros(&s->arena, s->n_slots, sizeof *s->sums);
    s->bitmap = arena_zeros(&s->arena, s->reference.bitmap.size + 1, 1);
    s->with_sites = t.with_sites;
    bool ok = t.slots && t.bits && t.with_sites && t.timestamps && s->functions && s->sums && s->bitmap &&
              gather_functions(s, info, instr, &t, suits);
    free(t.slots);
    free(t.bits);
    return ok;
}

/* Assigns its sites to each function, once their number is known. */
static bool add_sites(struct shape *s)
{
    struct value_list *next = s->sites = arena_zeros(&s->arena, s->n_sites, sizeof *s->sites);
    for (size_t i = 0; next && i < s->n_functions; i++) {
        if (sum_site_count(&s->functions[i]))
            s->functions[i].sites = next;
        next += sum_site_count(&s->functions[i]);
    }
    return s->sites != NULL;
}

/* Copies the values of the first file; a site without value data has none. */
static bool make_memo(struct shape *s, const struct raw_profile *part, const struct raw_profile_info *info)
{
    struct cursor c = cursor_make(part->file, part->file_size, part->swap);
    VEC(struct raw_address) memo = {0};
    bool ok = true;
    s->memo_at = arena_zeros(&s->arena, s->n_sites + 1, sizeof *s->memo_at);
    cursor_skip(&c, part->values_at);
    for (size_t i = 0; ok && s->memo_at && i < s->n_with_sites && !info->values_missing; i++) {
        size_t site = s->with_sites[i].first;
        struct value_block b;
        if (value_block_read(&c, APF_VALUE_KINDS, &b, NULL) != APF_OK)
            break; /* cannot fail: read before */
        for (unsigned k = 0; ok && k < APF_VALUE_KINDS; k++) {
            const uint8_t *p = b.pairs[k];
            for (uint32_t n = 0; ok && n < b.n_sites[k]; n++, site++) {
                s->memo_at[site] = (uint32_t)memo.n;
                for (unsigned j = 0; ok && j < b.site_counts[k][n]; j++, p += 16) {
                    struct raw_address a = {load64(p, part->swap), 0};
                    a.id = raw_targets_resolve(&s->targets, k, a.address);
                    ok = VEC_PUSH(&memo, a);
                }
            }
        }
    }
    s->memo = arena_array(&s->arena, memo.n, sizeof *s->memo);
    s->memo_sums = arena_zeros(&s->arena, memo.n, sizeof *s->memo_sums);
    s->memo_listed = arena_zeros(&s->arena, memo.n, sizeof *s->memo_listed);
    ok = ok && s->memo && s->memo_sums && s->memo_listed && s->memo_at && memo.n < NOT_IN_MEMO;
    if (ok && memo.n)
        memcpy(s->memo, memo.data, memo.n * sizeof *s->memo);
    if (ok)
        s->memo_at[s->n_sites] = info->values_missing ? 0 : (uint32_t)memo.n;
    VEC_FREE(&memo);
    return ok;
}

/* Reads the names of this profile alone: another profile of the file may come from another compiler. */
static bool own_names(struct symbols *names, struct raw_profile *part, size_t n_records)
{
    struct cursor c = cursor_make(part->file, part->file_size, part->swap);
    int code = APF_OK;
    cursor_skip(&c, part->names.at);
    uint64_t budget = UINT64_MAX; /* the names were read before */
    if (!(part->version->caps & RAW_CAP_NAME_POINTERS))
        return name_blob_read(&c, part->names.size, &budget, "raw.names", names, NULL) == APF_OK;
    for (size_t i = 0; code == APF_OK && i < n_records; i++) {
        struct raw_record r;
        code = raw_profile_record(part, i, &r, NULL);
        if (code == APF_OK)
            code = symbols_add(names, (const char *)part->file + part->names.at + r.name_at, r.name_size,
                               false, NULL, NULL, NULL);
    }
    return code == APF_OK;
}

static bool make_clues(struct shape *s, const struct raw_profile_info *info, const struct apf_instr *instr)
{
    struct raw_profile part = info->raw;
    struct release_clues *c = &s->clues;
    bool ok = true;
    c->format = APF_FORMAT_RAW;
    c->version = part.version->version;
    c->variant = part.variant;
    c->max_kinds = part.kinds;
    if (instr->info.n_profiles == 1) {
        c->hash_bits = instr->hash_bits;
        c->digests = instr->digests;
        c->semicolons = instr->semicolons;
        c->colons = instr->colons;
    } else {
        struct symbols names = {0};
        ok = own_names(&names, &part, s->n_functions);
        for (size_t i = 0; ok && i < s->n_functions; i++) {
            const struct apf_str name = symbols_name(&names, s->functions[i].id);
            s->nameless += name.n == 0;
            release_clues_hash(c, s->functions[i].hash, name);
        }
        symbols_clues(&names, c);
        symbols_free(&names);
    }
    return ok;
}

/* Fills the shape. The copied sections become the reference's file, of which no other part may be read afterwards. */
static bool fill_shape(struct shape *s, const struct raw_profile_info *info, const struct apf_instr *instr,
                       const uint32_t *symbols, bool *suits)
{
    s->reference = info->raw;
    s->ids = id_sequence_empty();
    s->seen = first_seen_never();
    s->input = INPUT_NONE;
    s->n_slots = info->raw.field[RAW_NUM_COUNTERS];
    bool ok = copy_section(s, &info->raw, &info->raw.data, &s->data) &&
              copy_section(s, &info->raw, &info->raw.names, &s->names) &&
              copy_section(s, &info->raw, &info->raw.vtables, &s->vtables) &&
              copy_section(s, &info->raw, &info->raw.vtable_names, &s->vtable_names) && make_mask(s) &&
              raw_targets_vtables(&s->targets, &info->raw, NULL) == APF_OK &&
              add_functions(s, info, instr, symbols, suits) && add_sites(s) && make_clues(s, info, instr) &&
              (!*suits || make_memo(s, &info->raw, info));
    s->reference.file = NULL;
    return ok;
}

/* Whether shapes suit a profile. Uniform counters are not simply added, and skipped records would shift the
 * numbering. */
static bool may_suit(const struct raw_profile_info *info)
{
    return !info->raw.field[RAW_NUM_UNIFORM] && !info->skipped_records && !raw_targets_wrap(&info->raw);
}

/* ---- the list ---- */

/* The hash of the first 16 bytes of a record: name and hash, in most versions. */
static uint64_t glance_hash(const struct hash_index *index, const struct raw_profile *part, uint64_t record,
                            uint64_t seed)
{
    const uint8_t *p = part->file + part->data.at + record * part->record->size;
    return hash_index_mix(index, load64(p, false) ^ seed, load64(p + 8, false));
}

static uint64_t digest_of(const struct hash_index *index, const struct raw_profile *part)
{
    uint64_t n = part->field[RAW_NUM_DATA];
    uint64_t d = hash_index_mix(index, part->version_word ^ n << 40, part->field[RAW_NUM_COUNTERS]);
    d = hash_index_mix(index, d, part->field[RAW_NAMES_SIZE] ^ part->pointer_bytes);
    if (n) {
        d = glance_hash(index, part, 0, d);
        d = glance_hash(index, part, n / 2, d);
        d = glance_hash(index, part, n - 1, d);
    }
    return d;
}

unsigned shapes_candidates(const struct shapes *s, const struct raw_profile *part,
                           struct shape *candidates[MOST_CANDIDATES])
{
    unsigned n = 0;
    uint64_t digest = s->list.n ? digest_of(&s->index, part) : 0;
    size_t pos = hash_index_first(&s->index, digest);
    uint32_t e;
    while (s->list.n && n < MOST_CANDIDATES &&
           (e = hash_index_next(&s->index, digest, &pos)) != HASH_INDEX_NONE)
        if (s->list.data[e]->digest == digest)
            candidates[n++] = s->list.data[e];
    return n;
}

/* Adds a shape to the list. False: no room. */
static bool list_shape(struct shapes *s, struct shape *shape, const struct raw_profile *part)
{
    struct shape *alike[MOST_CANDIDATES];
    pthread_mutex_lock(&s->lock);
    bool ok = s->bytes + shape->arena.used <= MOST_SHAPE_BYTES &&
              shapes_candidates(s, part, alike) < MOST_CANDIDATES && hash_index_reserve(&s->index, 1) &&
              VEC_RESERVE(&s->list, 1);
    if (ok) {
        shape->digest = digest_of(&s->index, part);
        s->bytes += shape->arena.used;
        hash_index_add(&s->index, shape->digest, (uint32_t)s->list.n);
        s->list.data[s->list.n++] = shape;
    }
    pthread_mutex_unlock(&s->lock);
    return ok;
}

static int learn_part(struct shapes *s, const struct raw_profile_info *info, const struct apf_instr *instr,
                      const uint32_t *symbols, struct apf_error *error)
{
    struct arena arena = {0};
    bool suits = true;
    struct shape *shape = arena_zeros(&arena, 1, sizeof *shape);
    if (!shape)
        return error_memory(error);
    shape->arena = arena;
    pthread_mutex_init(&shape->lock, NULL);
    bool ok = fill_shape(shape, info, instr, symbols, &suits);
    if (!ok || !suits) {
        free_shape(shape);
        return ok ? APF_OK : error_memory(error);
    }
    if (!list_shape(s, shape, &info->raw))
        free_shape(shape);
    return APF_OK;
}

int shapes_learn(struct shapes *s, const struct raw_profiles *parts, const struct apf_instr *instr,
                 const uint32_t *symbols, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && parts->list.n <= MOST_PARTS && i < parts->list.n; i++)
        if (may_suit(&parts->list.data[i]))
            code = learn_part(s, &parts->list.data[i], instr, symbols, error);
    return code;
}

static size_t find_learning(const struct shapes *s, uint64_t digest)
{
    size_t i = 0;
    while (i < s->learning.n && s->learning.data[i] != digest)
        i++;
    return i;
}

/* Whether learning was of no use for a digest. Digests are keyed, and serve as their own hashes. */
static bool is_useless(const struct shapes *s, uint64_t digest)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &s->useless_index, digest, s->useless.data[e] == digest);
    return e != HASH_INDEX_NONE;
}

bool shapes_learn_begin(struct shapes *s, const struct raw_profile *first)
{
    pthread_mutex_lock(&s->lock);
    uint64_t digest = digest_of(&s->index, first);
    bool mine = !is_useless(s, digest) && find_learning(s, digest) == s->learning.n;
    while (!mine && find_learning(s, digest) < s->learning.n)
        pthread_cond_wait(&s->learnt, &s->lock);
    if (mine && VEC_RESERVE(&s->learning, 1)) /* else other threads may learn the shape, too */
        s->learning.data[s->learning.n++] = digest;
    pthread_mutex_unlock(&s->lock);
    return mine;
}

void shapes_learn_end(struct shapes *s, const struct raw_profile *first, bool added)
{
    pthread_mutex_lock(&s->lock);
    uint64_t digest = digest_of(&s->index, first);
    size_t i = find_learning(s, digest);
    if (i < s->learning.n)
        s->learning.data[i] = s->learning.data[--s->learning.n];
    if (!added && !is_useless(s, digest) && hash_index_reserve(&s->useless_index, 1) &&
        VEC_PUSH(&s->useless, digest))
        hash_index_add(&s->useless_index, digest, (uint32_t)s->useless.n - 1);
    pthread_cond_broadcast(&s->learnt);
    pthread_mutex_unlock(&s->lock);
}

static bool settle_shape(struct shape *s)
{
    bool ok = true, cut = false; /* never: see s->bound */
    for (size_t i = 0; ok && s->adds > 1 && i < s->n_sites; i++)
        for (uint32_t m = s->memo_at[i]; ok && m < s->memo_at[i + 1]; m++) {
            struct apf_value v = {s->memo[m].id, s->memo_sums[m]};
            ok = !v.count || value_list_add(&s->sites[i], &s->arena, &v, 1, 1, &cut);
            s->memo_sums[m] = ok ? 0 : v.count;
        }
    return ok;
}

bool shapes_settle(struct shapes *s)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->list.n; i++)
        ok = settle_shape(s->list.data[i]);
    return ok;
}

const struct sum *shapes_sums(struct shapes *s, size_t i, size_t *n)
{
    struct shape *shape = i < s->list.n ? s->list.data[i] : NULL;
    if (!shape)
        return NULL;
    *n = shape->adds ? shape->n_functions : 0;
    for (size_t k = 0; k < *n; k++) {
        shape->functions[k].adds = shape->adds;
        shape->functions[k].weight = shape->weight;
        shape->functions[k].input = shape->input;
        shape->functions[k].rank = shape->seen.rank;
        shape->functions[k].place = shape->seen.place + (uint32_t)k;
    }
    return shape->functions;
}

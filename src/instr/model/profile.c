/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/profile.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/deflate.h"
#include "base/error.h"
#include "base/options.h"
#include "base/sort.h"
#include "instr/layout/releases.h"
#include "instr/model/memprof_model.h"

#define DEFAULT_MAX_RECORDS ((uint64_t)1 << 28)

struct read_options read_options_resolve(const struct apf_options *o)
{
    struct read_options r = {.max_bytes = options_max_bytes(o),
                             .max_records = DEFAULT_MAX_RECORDS,
                             .flags = o->flags,
                             .correlation = o->correlation};
    if (o->max_records && o->max_records < DEFAULT_MAX_RECORDS)
        r.max_records = o->max_records;
    return r;
}

uint64_t profile_name_budget(const struct read_options *options, uint64_t n)
{
    return deflate_budget(options->stored ? options->stored : n, options->max_bytes);
}

struct apf_instr *profile_new(void)
{
    struct apf_instr *made = calloc(1, sizeof *made);
    struct profile_answers *answers = calloc(1, sizeof *answers);
    if (!made || !answers) {
        free(made);
        free(answers);
        return NULL;
    }
    made->answers = answers;
    made->symbols = &made->own_symbols;
    made->vtables = &made->own_vtables;
    return made;
}

void profile_summary_free(struct profile_summary *summary)
{
    if (!summary)
        return;
    arena_free(&summary->arena);
    free(summary);
}

static void forget_answers(struct profile_answers *answers)
{
    struct hash_index *index = atomic_exchange(&answers->by_name, NULL);
    if (index)
        hash_index_free(index);
    free(index);
    for (size_t i = 0; i < sizeof answers->summaries / sizeof *answers->summaries; i++)
        profile_summary_free(atomic_exchange(&answers->summaries[i], NULL));
}

bool profile_level(const struct apf_instr *instr, bool wants_cs, int *level, uint64_t *n_others)
{
    uint64_t n[2] = {0, 0};
    const uint64_t both = APF_VARIANT_IR | APF_VARIANT_CS;
    *n_others = 0;
    *level = -1;
    if ((instr->info.variant & both) != both)
        return !wants_cs; /* the bit of their hashes means nothing */
    for (size_t i = 0; i < instr->records.n; i++)
        n[record_is_of(&instr->records.data[i], 1)]++;
    *level = wants_cs || !n[0];
    *n_others = n[!*level];
    return !wants_cs || n[1];
}

void profile_free(struct apf_instr *instr)
{
    if (!instr)
        return;
    arena_free(&instr->arena);
    symbols_free(&instr->own_symbols);
    symbols_free(&instr->own_vtables);
    VEC_FREE(&instr->records);
    forget_answers(instr->answers);
    free(instr->answers);
    memprof_free(instr->memprof);
    free(instr);
}

void profile_reset(struct apf_instr *instr)
{
    struct apf_instr kept = {.arena = instr->arena, .symbols = instr->symbols, .vtables = instr->vtables};
    kept.answers = instr->answers;
    kept.records.data = instr->records.data;
    kept.records.capacity = instr->records.capacity;
    kept.own_symbols.list.data = instr->own_symbols.list.data;
    kept.own_symbols.list.capacity = instr->own_symbols.list.capacity;
    kept.own_symbols.text = instr->own_symbols.text;
    hash_index_free(&instr->own_symbols.index);
    symbols_free(&instr->own_vtables);
    forget_answers(instr->answers);
    memprof_free(instr->memprof);
    *instr = kept;
}

void profile_glance_version(struct apf_instr_info *info, const uint8_t *data, size_t n, bool swap)
{
    if (n < 2 * sizeof(uint64_t))
        return;
    uint64_t word = load64(data + sizeof word, swap);
    info->version = (uint32_t)word;
    info->variant = word & VARIANT_BITS;
}

void profile_drop_memprof(struct apf_instr *instr)
{
    memprof_free(instr->memprof);
    instr->memprof = NULL;
    instr->quirks[QUIRK_MEMPROF_DROPPED]++;
    instr->info.variant &= ~APF_VARIANT_MEMPROF;
}

static int list_vtable_names(struct apf_instr *instr, struct apf_error *error)
{
    size_t n = instr->vtables->list.n;
    if (n == 0)
        return APF_OK;
    struct apf_str *names = arena_array(&instr->arena, n, sizeof *names);
    if (!names)
        return error_memory(error);
    for (size_t i = 0; i < n; i++) {
        names[i].p = instr->vtables->list.data[i].p;
        names[i].n = instr->vtables->list.data[i].n;
    }
    instr->info.vtable_names = names;
    instr->info.n_vtable_names = n;
    return APF_OK;
}

int profile_complete(struct apf_instr *instr, const struct read_options *options, struct apf_error *error)
{
    int code = options->to_merge ? APF_OK : symbols_index(instr->symbols, error);
    if (code != APF_OK)
        return code;
    instr->info.n_records = instr->records.n;
    if (instr->info.format != APF_FORMAT_RAW && instr->info.format != APF_FORMAT_JSON)
        instr->info.last_variant = instr->info.variant;
    if (instr->info.format != APF_FORMAT_JSON)
        instr->info.origin = instr->info.format;
    struct release_clues clues = {.format = instr->info.origin,
                                  .version = instr->info.version,
                                  .variant = instr->info.variant,
                                  .max_kinds = instr->max_kinds};
    for (size_t i = 0; i < instr->records.n; i++) {
        const struct record *r = &instr->records.data[i];
        const struct apf_str name = record_name(instr, r);
        instr->info.nameless += name.n == 0;
        release_clues_hash(&clues, r->hash, name);
    }
    instr->quirks[QUIRK_NAMELESS] = instr->info.nameless;
    symbols_clues(instr->symbols, &clues);
    instr->hash_bits = clues.hash_bits;
    instr->digests = clues.digests;
    instr->semicolons = clues.semicolons;
    instr->colons = clues.colons;
    instr->info.producers = releases_that_made(&clues);
    return list_vtable_names(instr, error);
}

bool profile_has_name(const struct apf_instr *instr, const struct symbol *s)
{
    return s->n && (!profile_is_view(instr) || s->flags & instr->name_flags ||
                    sort_has_number(instr->made_names, instr->n_made_names, s->id));
}

struct apf_str profile_name(const struct apf_instr *instr, const struct symbols *table, uint64_t id)
{
    struct apf_str name = {NULL, 0};
    uint32_t e = symbols_find(table, id);
    if (e != HASH_INDEX_NONE && profile_has_name(instr, &table->list.data[e])) {
        name.p = table->list.data[e].p;
        name.n = table->list.data[e].n;
    }
    return name;
}

struct apf_str *profile_copy_ids(const struct apf_str *ids, size_t n, struct arena *arena)
{
    struct apf_str *copies = arena_array(arena, n, sizeof *copies);
    for (size_t i = 0; copies && i < n; i++) {
        copies[i].n = ids[i].n;
        copies[i].p = arena_text(arena, ids[i].p, ids[i].n);
        if (!copies[i].p)
            return NULL;
    }
    return copies;
}

uint64_t record_weight(const struct record *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->n_counts && !(r->flags & APF_RECORD_PSEUDO); i++)
        if (ADD_OVERFLOWS(sum, r->counts[i], &sum))
            return UINT64_MAX;
    return sum;
}

uint64_t profile_sum(const struct apf_instr *instr)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < instr->records.n; i++)
        if (ADD_OVERFLOWS(sum, record_weight(&instr->records.data[i]), &sum))
            return UINT64_MAX;
    return sum;
}

bool record_is_zero(const struct record *r)
{
    for (uint32_t i = 0; i < r->n_counts; i++)
        if (r->counts[i])
            return false;
    for (uint32_t i = 0; i < r->n_bitmap; i++)
        if (r->bitmap[i])
            return false;
    return true;
}

void profile_record(const struct apf_instr *instr, const struct record *r, struct apf_record *out)
{
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    out->name = record_name(instr, r);
    out->id = r->id;
    out->hash = r->hash;
    out->offset = instr->info.format == APF_FORMAT_MERGED ? 0 : r->offset;
    out->counts = r->counts;
    out->n_counts = r->n_counts;
    out->bitmap = r->bitmap;
    out->n_bitmap = r->n_bitmap;
    const struct apf_site *sites = r->sites;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        out->sites[k] = sites;
        out->n_sites[k] = r->n_sites[k];
        if (sites)
            sites += r->n_sites[k];
    }
    out->flags = r->flags;
    if (!r->extra)
        return;
    out->timestamp = r->extra->timestamp;
    out->uniform = r->extra->uniform;
    out->n_uniform = r->extra->uniform ? r->n_counts : 0;
    out->uniformity = r->extra->uniformity;
    out->n_uniformity = r->extra->n_uniformity;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/instr_facts.h"

#include <string.h>

#include "base/error.h"
#include "instr/indexed_parts.h"
#include "instr/memprof_layout.h"
#include "instr/memprof_read.h"
#include "instr/raw_parts.h"
#include "instr/raw_read.h"
#include "instr/releases.h"

/* Odd numbers: a step of the digest loses nothing of what it was before. */
#define SHAPE_HASH 0xD6E8FEB86659FD93u
#define SHAPE_COUNTERS 0xBF58476D1CE4E5B9u

static void add_to_shape(struct id_sequence *shape, const struct record *r)
{
    uint64_t x = r->hash * SHAPE_HASH;
    x ^= x >> 32;
    id_sequence_add(shape, r->id + x + r->n_counts * SHAPE_COUNTERS);
}

static bool any_count(const struct record *r)
{
    for (uint32_t i = 0; i < r->n_counts; i++)
        if (r->counts[i])
            return true;
    return false;
}

static void count_records(struct instr_facts *facts, const struct apf_instr *instr)
{
    struct id_sequence shape = id_sequence_empty();
    bool ir = instr->info.variant & APF_VARIANT_IR;
    for (size_t i = 0; i < instr->records.n; i++) {
        const struct record *r = &instr->records.data[i];
        const struct apf_site *site = r->sites;
        for (unsigned kind = 0; kind < APF_VALUE_KINDS; kind++) {
            facts->n_sites[kind] += r->n_sites[kind];
            for (uint32_t s = 0; site && s < r->n_sites[kind]; s++, site++)
                facts->n_values[kind] += site->n;
        }
        facts->n_bitmaps += r->n_bitmap != 0;
        facts->n_bitmap_bytes += r->n_bitmap;
        facts->n_contextual += ir && r->hash & APF_HASH_CS;
        facts->n_pseudo += r->flags & APF_RECORD_PSEUDO ? 1 : 0;
        facts->n_unexecuted += !any_count(r);
        add_to_shape(&shape, r);
    }
    facts->shape = shape.digest ^ (uint64_t)shape.n << 32;
}

static void count_memprof(struct instr_facts *facts, const struct apf_memprof *m)
{
    facts->has_memprof = true;
    facts->n_memprof_functions = m->info.n_functions;
    facts->n_memprof_contexts = m->info.n_allocs;
    facts->n_memprof_frames = m->info.n_frames;
    if (m->info.version != MEMPROF_NO_VERSION)
        facts->memprof_version = (uint64_t)m->info.version;
}

/* The section of an indexed profile, which the reader has left out: what is wrong with it is no reason not to know the
 * rest. APF_OK or APF_NO_MEMORY. */
static int read_memprof(struct instr_facts *facts, struct apf_instr *instr, const uint8_t *data, size_t n,
                        uint64_t at, const struct read_options *options)
{
    struct apf_memprof *m;
    int code = memprof_read(&m, data, n, at, options, NULL);
    if (code == APF_OK) {
        count_memprof(facts, m);
        instr->quirks[QUIRK_MEMPROF_DROPPED] = 0;
    }
    memprof_free(m);
    return code == APF_NO_MEMORY ? code : APF_OK;
}

static bool find_parts(struct instr_facts *facts, struct apf_instr *instr, const uint8_t *data, size_t n,
                       const struct raw_parts *raw, const struct read_options *options)
{
    struct indexed_places places = {0};
    bool done = true, indexed = facts->info.format == APF_FORMAT_INDEXED;
    bool bytes = indexed || facts->info.format == APF_FORMAT_RAW;
    facts->memprof_version = NO_MEMPROF;
    if (instr->memprof)
        count_memprof(facts, instr->memprof);
    if (indexed) {
        done = indexed_parts_find(&places, &facts->parts, data, n);
        if (done && places.memprof_size >= 8) {
            unsigned version;
            (void)memprof_version_of(load64le(data + places.memprof), places.memprof, &version);
            facts->memprof_version = version;
            done = read_memprof(facts, instr, data, n, places.memprof, options) == APF_OK;
        }
    }
    for (size_t i = 0; done && i < raw->list.n; i++)
        done = raw_parts_of(&facts->parts, &raw->list.data[i].part, raw->list.data[i].end, i);
    return done && (!bytes || file_parts_fill(&facts->parts, data, n));
}

static int take(struct instr_facts *facts, struct apf_instr *instr, const uint8_t *data, size_t n,
                const struct raw_parts *raw, const struct read_options *options, struct arena *arena,
                struct apf_error *error)
{
    facts->info = instr->info;
    facts->info.traces = NULL;
    facts->info.vtable_names = NULL;
    count_records(facts, instr);
    facts->info.binary_ids = profile_copy_ids(instr->info.binary_ids, instr->info.n_binary_ids, arena);
    if (!facts->info.binary_ids)
        return error_memory(error);
    if (!find_parts(facts, instr, data, n, raw, options))
        return error_memory(error);
    facts->findings = profile_findings(instr->quirks, arena, &facts->n_findings);
    if (!facts->findings)
        return error_memory(error);
    struct release_clues clues = {.format = facts->info.format,
                                  .version = facts->info.version,
                                  .variant = facts->info.variant,
                                  .max_kinds = instr->max_kinds};
    facts->readers = releases_that_read(&clues, facts->memprof_version);
    if (facts->memprof_version != NO_MEMPROF) /* the reader has left it out */
        facts->info.variant |= APF_VARIANT_MEMPROF;
    return APF_OK;
}

int instr_facts_read(struct instr_facts *facts, const uint8_t *data, size_t n,
                     const struct read_options *options, struct arena *arena, struct apf_error *error)
{
    struct apf_instr *instr = profile_new();
    struct raw_parts raw = {0};
    struct read_options o = *options;
    memset(facts, 0, sizeof *facts);
    if (!instr)
        return error_memory(error);
    struct apf_instr_info glance = {0};
    profile_glance(&glance, data, n);
    if (glance.format == APF_FORMAT_INDEXED)
        o.flags |= APF_FLAG_DROP_MEMPROF;
    int code = profile_read_into(instr, data, n, &o, &raw, error);
    if (code == APF_OK)
        code = take(facts, instr, data, n, &raw, options, arena, error);
    if (code != APF_OK)
        file_parts_free(&facts->parts);
    VEC_FREE(&raw.list);
    profile_free(instr);
    return code;
}

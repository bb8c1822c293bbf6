/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/read/instr_facts.h"

#include <string.h>

#include "base/error.h"
#include "instr/indexed/indexed_map.h"
#include "instr/layout/memprof_layout.h"
#include "instr/layout/releases.h"
#include "instr/memprof/memprof_read.h"
#include "instr/model/build_digest.h"
#include "instr/raw/raw_format.h"
#include "instr/read/formats.h"

static bool any_count(const struct record *r)
{
    for (uint32_t i = 0; i < r->n_counts; i++)
        if (r->counts[i])
            return true;
    return false;
}

/* Computes the digest of the build. Records without a name are in no merged profile, so they do not count; but if no
 * record has a name, all count. */
static bool digest_records(struct instr_facts *facts, const struct apf_instr *instr)
{
    struct build_digest digest = {{0}};
    bool all = instr->info.nameless == instr->records.n, done = true;
    for (size_t i = 0; done && i < instr->records.n; i++) {
        const struct record *r = &instr->records.data[i];
        if (all || record_name(instr, r).n)
            done = build_digest_add(&digest, r->id, r->hash, r->n_counts);
    }
    return build_digest_finish(&digest, &facts->build_digest) && done;
}

static void count_records(struct instr_facts *facts, const struct apf_instr *instr)
{
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
    }
}

static void count_memprof(struct instr_facts *facts, const struct apf_memprof *m)
{
    facts->has_memprof = true;
    facts->n_memprof_functions = m->info.n_functions;
    facts->n_memprof_contexts = m->info.n_allocs;
    facts->n_memprof_frames = m->info.n_frames;
    facts->n_memprof_data = m->info.n_data;
    facts->n_memprof_cold = m->info.n_cold_symbols + m->info.n_cold_hashes;
    if (m->info.version != APF_MEMPROF_NO_VERSION)
        facts->memprof_version = m->info.version;
}

static const char damaged_memprof[] = "its memory profile is damaged";

/* Reads the MemProf section, which the reader has left out, since damage in it does not hide the rest; releases refuse
 * such a file. APF_OK or APF_NO_MEMORY. */
static int read_memprof(struct instr_facts *facts, struct apf_instr *instr, const uint8_t *data, size_t n,
                        uint64_t at, const struct read_options *options)
{
    struct apf_memprof *m;
    int code = memprof_read(&m, data, n, at, options, NULL);
    if (code == APF_OK) {
        count_memprof(facts, m);
        instr->quirks[QUIRK_MEMPROF_DROPPED] = 0;
    }
    facts->refusal = code == APF_OK || code == APF_LIMIT ? NULL : damaged_memprof;
    memprof_free(m);
    return code == APF_NO_MEMORY ? code : APF_OK;
}

/* Finds the version of the MemProf section of an indexed profile and, if it can be read, its content. */
static bool look_at_memprof(struct instr_facts *facts, struct apf_instr *instr, const uint8_t *data, size_t n,
                            const struct read_options *options)
{
    const struct byte_span *section = byte_map_find(&facts->parts, PART_MEMPROF);
    unsigned version;
    facts->refusal = instr->quirks[QUIRK_MEMPROF_DROPPED] ? damaged_memprof : NULL;
    if (!section || section->size < sizeof(uint64_t))
        return true;
    (void)memprof_version_of(load64le(data + section->at), section->at, &version);
    facts->memprof_version = version;
    return read_memprof(facts, instr, data, n, section->at, options) == APF_OK;
}

static bool find_parts(struct instr_facts *facts, struct apf_instr *instr, const uint8_t *data, size_t n,
                       const struct raw_profiles *profiles, const struct read_options *options)
{
    const struct instr_format *format = instr_format_of(data, n);
    facts->memprof_version = APF_MEMPROF_NO_VERSION;
    if (instr->memprof)
        count_memprof(facts, instr->memprof);
    if (format->map && !format->map(&facts->parts, profiles, data, n))
        return false;
    return format->format != APF_FORMAT_INDEXED || look_at_memprof(facts, instr, data, n, options);
}

/* Why no release reads a raw file of profiles that are readable alone; NULL: no reason. */
static const char *raw_refusal(const struct raw_profiles *profiles, const uint64_t quirks[QUIRK_COUNT])
{
    const struct raw_profile *first = profiles->list.n ? &profiles->list.data[0].raw : NULL;
    for (size_t i = 1; i < profiles->list.n; i++) {
        const struct raw_profile *p = &profiles->list.data[i].raw;
        if (p->pointer_bytes != first->pointer_bytes || p->swap != first->swap)
            return "LLVM reads files of one byte order and pointer width only";
        if (p->version != first->version)
            return "LLVM reads files of one version only";
        if (p->start % 8)
            return "LLVM stops after a profile whose length is not a multiple of 8";
    }
    if (quirks[QUIRK_MISSING_VALUE_DATA])
        return "LLVM refuses profiles without the value data that they announce";
    return quirks[QUIRK_RELATIVE_V7] ? "only a development version of LLVM 14 reads this version 7" : NULL;
}

static void find_readers(struct instr_facts *facts, const struct apf_instr *instr,
                         const struct raw_profiles *profiles)
{
    struct release_clues clues = {.format = facts->info.format,
                                  .version = facts->info.version,
                                  .variant = facts->info.variant,
                                  .max_kinds = instr->max_kinds};
    if (!facts->refusal)
        facts->refusal = raw_refusal(profiles, instr->quirks);
    facts->readers = facts->refusal ? 0 : releases_that_read(&clues, facts->memprof_version);
}

/* What the records say. */
static int fill_records(struct instr_facts *facts, const struct apf_instr *instr, struct arena *arena,
                        struct apf_error *error)
{
    facts->info = instr->info;
    facts->info.traces = NULL;
    facts->info.vtable_names = NULL;
    count_records(facts, instr);
    facts->info.binary_ids = profile_copy_ids(instr->info.binary_ids, instr->info.n_binary_ids, arena);
    return facts->info.binary_ids && digest_records(facts, instr) ? APF_OK : error_memory(error);
}

int instr_facts_of(struct instr_facts *facts, const struct apf_instr *instr, struct arena *arena,
                   struct apf_error *error)
{
    *facts = (struct instr_facts){.memprof_version = APF_MEMPROF_NO_VERSION};
    if (instr->memprof)
        count_memprof(facts, instr->memprof);
    return fill_records(facts, instr, arena, error);
}

static int fill_facts(struct instr_facts *facts, struct apf_instr *instr, const uint8_t *data, size_t n,
                      const struct raw_profiles *profiles, const struct read_options *options,
                      struct arena *arena, struct apf_error *error)
{
    int code = fill_records(facts, instr, arena, error);
    if (code != APF_OK)
        return code;
    if (!find_parts(facts, instr, data, n, profiles, options))
        return error_memory(error);
    if (facts->n_bare) /* the bitmap is in the program, which was not read */
        instr->quirks[QUIRK_BITMAP_UNKNOWN] = 0;
    facts->findings = finding_table_list(&quirk_table, instr->quirks, arena, &facts->n_findings);
    if (!facts->findings)
        return error_memory(error);
    find_readers(facts, instr, profiles);
    if (facts->memprof_version != APF_MEMPROF_NO_VERSION) /* the reader has left the section out */
        facts->info.variant |= APF_VARIANT_MEMPROF;
    return APF_OK;
}

/* ---- profiles whose metadata is in their program ---- */

struct bare_profiles {
    struct apf_correlation none; /* no functions: only the header of the profile is read */
    struct instr_facts *facts;
};

/* An apf_correlate_fn that counts bare profiles. */
static int pass_bare(void *user, const struct apf_bare_profile *profile,
                     const struct apf_correlation **correlation, struct apf_error *error)
{
    struct bare_profiles *b = user;
    struct instr_facts *f = b->facts;
    (void)error;
    b->none.counter_bytes = profile->counter_bytes;
    b->none.bitmap_bytes = profile->bitmap_bytes;
    f->bare_counters += profile->version_word & APF_VARIANT_BYTE_COVERAGE ? profile->counter_bytes
                                                                          : profile->counter_bytes / 8;
    f->bare_variant = f->n_bare++ ? f->bare_variant : profile->version_word;
    *correlation = &b->none;
    return APF_OK;
}

/* ---- damaged files ---- */

/* Whether no other profile follows the first one. Values, whose size the header does not say, may look like one. */
static bool is_alone(const struct raw_profile *raw)
{
    const uint8_t *magic = raw->file, *end = raw->file + raw->file_size, *p = end;
    if (raw->values_at < raw->file_size)
        p = raw->file + raw->values_at;
    while ((size_t)(end - p) >= sizeof(uint64_t) && (p = memchr(p, *magic, (size_t)(end - p))) != NULL) {
        if ((size_t)(end - p) >= sizeof(uint64_t) && memcmp(p, magic, sizeof(uint64_t)) == 0)
            return false;
        p++;
    }
    return true;
}

/* Fills in what the header of a raw profile announces, without reading the rest of the file. *alone: it is the only
 * profile of the file. */
static bool read_header_facts(struct instr_facts *facts, const uint8_t *data, size_t n, struct arena *arena,
                              bool *alone)
{
    struct raw_profile raw;
    struct raw_id_list ids = {.arena = arena};
    bool unpadded = false;
    if (raw_profile_open_cut(&raw, data, n, 0, NULL) != APF_OK)
        return true;
    *alone = is_alone(&raw);
    facts->info.n_records = raw.field[RAW_NUM_DATA];
    facts->info.n_counters = raw.field[RAW_NUM_COUNTERS];
    if (raw.ids.at > n || raw.ids.size > n - raw.ids.at)
        return true;
    int code = raw_profile_ids(&raw, raw_copy_id, &ids, &unpadded, NULL);
    if (code == APF_OK) {
        facts->info.n_binary_ids = ids.ids.n;
        facts->info.binary_ids = profile_copy_ids(ids.ids.data, ids.ids.n, arena);
        code = facts->info.binary_ids ? APF_OK : APF_NO_MEMORY;
    }
    VEC_FREE(&ids.ids);
    return code != APF_NO_MEMORY;
}

static int glance_at_file(struct instr_facts *facts, const uint8_t *data, size_t n, int code, bool *alone,
                          struct arena *arena, struct apf_error *error)
{
    *alone = false;
    memset(facts, 0, sizeof *facts);
    facts->memprof_version = APF_MEMPROF_NO_VERSION;
    profile_glance(&facts->info, data, n);
    if (facts->info.format == APF_FORMAT_RAW && !read_header_facts(facts, data, n, arena, alone))
        return error_memory(error);
    struct release_clues clues = {
        .format = facts->info.format, .version = facts->info.version, .variant = facts->info.variant};
    facts->info.producers = releases_that_made(&clues);
    return code;
}

/* instr_facts_read, of the whole file. */
static int read_whole_file(struct instr_facts *facts, const uint8_t *data, size_t n,
                           const struct read_options *options, struct arena *arena, struct apf_error *error)
{
    struct apf_instr *instr = profile_new();
    struct raw_profiles profiles = {0};
    struct read_options o = *options;
    struct bare_profiles bare = {.none.size = sizeof bare.none, .facts = facts};
    struct apf_correlation_source source = {.size = sizeof source, .find = pass_bare, .user = &bare};
    memset(facts, 0, sizeof *facts);
    if (!instr)
        return error_memory(error);
    struct apf_instr_info first = {0};
    profile_glance(&first, data, n);
    if (first.format == APF_FORMAT_INDEXED)
        o.flags |= APF_FLAG_DROP_MEMPROF;
    o.correlation = options->correlation ? options->correlation : &source;
    o.profiles = &profiles;
    int code = profile_read_into(instr, data, n, &o, error);
    if (code == APF_OK)
        code = fill_facts(facts, instr, data, n, &profiles, options, arena, error);
    if (code != APF_OK)
        byte_map_free(&facts->parts);
    VEC_FREE(&profiles.list);
    profile_free(instr);
    return code;
}

int instr_facts_read(struct instr_facts *facts, const uint8_t *data, size_t n,
                     const struct read_options *options, struct arena *arena, struct apf_error *error)
{
    bool alone = false;
    if (options->flags & APF_FLAG_GLANCE) {
        const int code = glance_at_file(facts, data, n, APF_OK, &alone, arena, error);
        if (code != APF_OK || (alone && facts->info.n_binary_ids))
            return code;
    }
    const int code = read_whole_file(facts, data, n, options, arena, error);
    return code == APF_OK || code == APF_NO_MEMORY
               ? code
               : glance_at_file(facts, data, n, code, &alone, arena, error);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What can be seen in a profile that was read, whatever its format. */
#include "instr/check.h"

#include "base/hash_index.h"

struct profile_checker {
    struct check *c;
    const struct check_profile *profile;
    const struct apf_instr *instr;
    struct hash_index seen; /* records by id and hash */
    struct check_tally nameless, twice, pseudo, saturated, contextual, large_sites, traced;
};

/* What a finding is about, in the words of each format. */
enum place { COUNTERS, RECORD, VALUES, NAME, HASH, TRACES };

static const char *path_of(const struct apf_instr *instr, enum place place)
{
    static const struct {
        const char *raw, *indexed, *text, *json;
    } rows[] = {
        [COUNTERS] = {"raw.counters", "indexed.record.counter", "text.record.counter",
                      "json.functions.counts"},
        [RECORD] = {"raw.record", "indexed.record", "text.record", "json.functions"},
        [VALUES] = {"raw.values", "indexed.values", "text.record.num_values", "json.functions.values"},
        [NAME] = {"raw.record.name_ref", "indexed.table.item", "text.record.name", "json.functions.name"},
        [HASH] = {"raw.record.func_hash", "indexed.record.hash", "text.record.hash", "json.functions.hash"},
        [TRACES] = {"raw.trace", "indexed.traces", "text.header.traces", "json.traces"},
    };
    switch (instr->info.format) {
    case APF_FORMAT_RAW:
        return rows[place].raw;
    case APF_FORMAT_INDEXED:
        return rows[place].indexed;
    case APF_FORMAT_JSON:
        return rows[place].json;
    default:
        return rows[place].text;
    }
}

/* ---- records ---- */

/* A record with a name and hash that another one has. */
static void check_twice(struct profile_checker *p, size_t i)
{
    const struct record *r = &p->instr->records.data[i];
    uint64_t mixed = hash_index_mix(&p->seen, r->id, r->hash);
    size_t pos = hash_index_first(&p->seen, mixed);
    uint32_t e;
    while ((e = hash_index_next(&p->seen, mixed, &pos)) != HASH_INDEX_NONE) {
        const struct record *other = &p->instr->records.data[e];
        if (other->id == r->id && other->hash == r->hash) {
            check_count(&p->twice, p->c, path_of(p->instr, RECORD), r->offset);
            return;
        }
    }
    hash_index_add(&p->seen, mixed, (uint32_t)i);
}

/* Other formats have sums of what runs have counted. */
static void check_counts(struct profile_checker *p, const struct record *r)
{
    bool raw = p->instr->info.format == APF_FORMAT_RAW;
    uint64_t large = 0, first = 0;
    if (r->flags & APF_RECORD_PSEUDO) {
        check_count(&p->pseudo, p->c, path_of(p->instr, COUNTERS), r->offset);
        return;
    }
    for (uint32_t k = 0; k < r->n_counts; k++) {
        if (r->counts[k] >= COUNT_MAX)
            check_count(&p->saturated, p->c, path_of(p->instr, COUNTERS), r->offset);
        else if (raw && r->counts[k] > COUNT_SUSPECT && large++ == 0)
            first = r->counts[k];
    }
    if (large) {
        struct error_at at = {path_of(p->instr, COUNTERS), r->offset, first, COUNT_SUSPECT};
        check_bound(p->c, APF_SEVERITY_WARNING, APF_COUNTER_TOO_LARGE, at, "counter of the record there");
    }
}

static void check_sites(struct profile_checker *p, const struct record *r)
{
    size_t n = record_site_count(r);
    for (size_t i = 0; r->sites && i < n; i++)
        if (r->sites[i].n > SITE_MAX_VALUES)
            check_count(&p->large_sites, p->c, path_of(p->instr, VALUES), r->offset);
}

static void check_record(struct profile_checker *p, size_t i)
{
    const struct record *r = &p->instr->records.data[i];
    uint64_t variant = p->instr->info.variant;
    check_function(p->c, record_name(p->instr, r), r->hash);
    if (p->c->function.n == 0 && !p->profile->names_lost)
        check_count(&p->nameless, p->c, path_of(p->instr, NAME), r->offset);
    if (r->hash & APF_HASH_CS && variant & APF_VARIANT_IR && !(variant & APF_VARIANT_CS))
        check_count(&p->contextual, p->c, path_of(p->instr, HASH), r->offset);
    check_twice(p, i);
    check_counts(p, r);
    check_sites(p, r);
}

/* ---- traces ---- */

static void check_traces(struct profile_checker *p)
{
    const struct apf_instr_info *info = &p->instr->info;
    const char *where = path_of(p->instr, TRACES);
    check_no_function(p->c);
    for (size_t t = 0; t < info->n_traces && !p->profile->records_lost; t++)
        for (size_t i = 0; i < info->traces[t].n; i++)
            if (symbols_find(&p->instr->symbols, info->traces[t].ids[i]) == HASH_INDEX_NONE)
                check_count(&p->traced, p->c, where, p->profile->traces_at);
    if (info->n_traces > info->trace_stream_size) {
        struct error_at at = {where, NO_OFFSET, info->trace_stream_size, info->n_traces};
        check_bound(p->c, APF_SEVERITY_NOTE, APF_NOTE, at, "fewer traces were seen than there are");
    }
}

static void tell_all(struct profile_checker *p)
{
    bool raw = p->instr->info.format == APF_FORMAT_RAW, indexed = p->instr->info.format == APF_FORMAT_INDEXED;
    check_tally_tell(p->c, &p->nameless, APF_SEVERITY_WARNING, APF_UNKNOWN_FUNCTION,
                     "its name is not in the file");
    /* A function that several objects of a program have, or a linker kept twice; text may be written by hand. */
    check_tally_tell(p->c, &p->twice, indexed ? APF_SEVERITY_WARNING : APF_SEVERITY_NOTE,
                     indexed ? APF_INCONSISTENT : APF_NOTE,
                     raw ? "another record has its name and hash: they are added up"
                         : "another record has its name and hash");
    check_tally_tell(p->c, &p->pseudo, APF_SEVERITY_NOTE, APF_NOTE,
                     "marked hot or warm in place of counts, as by a sample profile");
    check_tally_tell(p->c, &p->saturated, APF_SEVERITY_NOTE, APF_NOTE,
                     "a sum that was cut at the largest count");
    check_tally_tell(p->c, &p->contextual, APF_SEVERITY_NOTE, APF_NOTE,
                     "context-sensitive by its hash, in a profile without such records");
    check_tally_tell(p->c, &p->large_sites, APF_SEVERITY_NOTE, APF_NOTE,
                     "a site with more than 255 values: indexed profiles keep the largest");
    check_tally_tell(p->c, &p->traced, APF_SEVERITY_NOTE, APF_NOTE,
                     "a trace names a function without a record");
}

void profile_check(struct check *c, const struct check_profile *profile)
{
    struct profile_checker p = {.c = c, .profile = profile, .instr = profile->instr};
    size_t n = profile->instr->records.n;
    c->n_records += n;
    if (c->code == APF_OK && !hash_index_reserve(&p.seen, n))
        check_memory(c);
    for (size_t i = 0; c->code == APF_OK && i < n; i++)
        check_record(&p, i);
    if (c->code == APF_OK)
        check_traces(&p);
    tell_all(&p);
    hash_index_free(&p.seen);
}

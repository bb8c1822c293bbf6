/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks a profile of any format. */
#include "instr/check/check_formats.h"

#include "base/hash_index.h"
#include "base/sort.h"

struct profile_checker {
    struct check *c;
    const struct check_profile *profile;
    const struct apf_instr *instr;
    struct hash_index seen; /* records by id and hash */
    struct check_tally nameless, twice, pseudo, saturated, contextual, large_sites, repeated;
    struct check_tally traced, traced_twice;
    VEC(uint64_t) numbers; /* scratch memory for sorting */
};

/* The subject of a finding, with a dotted path for each format. */
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

/* Checks for another record with the name and hash. */
static void check_twice(struct profile_checker *p, size_t i)
{
    const struct record *r = &p->instr->records.data[i];
    uint64_t mixed = hash_index_mix(&p->seen, r->id, r->hash);
    const struct record *others = p->instr->records.data;
    uint32_t e;
    HASH_INDEX_FIND(e, &p->seen, mixed, others[e].id == r->id && others[e].hash == r->hash);
    if (e == HASH_INDEX_NONE)
        hash_index_add(&p->seen, mixed, (uint32_t)i);
    else
        check_count(&p->twice, p->c, path_of(p->instr, RECORD), r->offset);
}

/* Checks counts. Formats other than raw have sums of several runs. */
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
        check_bound(p->c, APF_SEVERITY_WARNING, APF_COUNTER_TOO_LARGE, at, "a counter of this record");
    }
}

/* Up to so many numbers, comparing each pair is faster than sorting. */
#define FEW_NUMBERS 32u

static bool few_have_twice(const uint64_t *numbers, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; numbers[i] && k < i; k++)
            if (numbers[k] == numbers[i])
                return true;
    return false;
}

/* Whether a number, other than 0, is among p->numbers twice. */
static bool has_twice(struct profile_checker *p)
{
    size_t n = p->numbers.n;
    if (n <= FEW_NUMBERS)
        return few_have_twice(p->numbers.data, n);
    if (!VEC_RESERVE(&p->numbers, n)) {
        check_memory(p->c);
        return false;
    }
    sort_numbers(p->numbers.data, ENTRY_AT(p->numbers.data, n), n);
    for (size_t i = 1; i < n; i++)
        if (p->numbers.data[i] && p->numbers.data[i] == p->numbers.data[i - 1])
            return true;
    return false;
}

/* Whether a site has a value twice. Unknown targets are 0, and in a raw file a function may have two addresses. */
static bool has_values_twice(struct profile_checker *p, const struct apf_site *site)
{
    if (site->n < 2 || p->instr->info.format == APF_FORMAT_RAW)
        return false;
    p->numbers.n = 0;
    if (!VEC_RESERVE(&p->numbers, site->n)) {
        check_memory(p->c);
        return false;
    }
    for (size_t i = 0; i < site->n; i++)
        p->numbers.data[p->numbers.n++] = site->values[i].value;
    return has_twice(p);
}

static void check_sites(struct profile_checker *p, const struct record *r)
{
    size_t n = record_site_count(r);
    for (size_t i = 0; r->sites && i < n; i++) {
        if (r->sites[i].n > SITE_MAX_VALUES)
            check_count(&p->large_sites, p->c, path_of(p->instr, VALUES), r->offset);
        if (has_values_twice(p, &r->sites[i]))
            check_count(&p->repeated, p->c, path_of(p->instr, VALUES), r->offset);
    }
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

/* Checks that a traced function has a record; a text has its name in the trace. */
static void check_traced(struct profile_checker *p, uint64_t id)
{
    struct apf_str name = {NULL, 0};
    uint64_t at = p->profile->traces_at;
    if (p->traced.n == 0 && p->instr->info.format == APF_FORMAT_TEXT && at != NO_OFFSET)
        name = text_trace_name(p->c->lines.text, p->c->lines.n, id, &at);
    check_function(p->c, name, id);
    check_count(&p->traced, p->c, path_of(p->instr, TRACES), at);
    check_no_function(p->c);
}

static void check_trace(struct profile_checker *p, const struct apf_trace *trace)
{
    p->numbers.n = 0;
    if (!VEC_RESERVE(&p->numbers, trace->n)) {
        check_memory(p->c);
        return;
    }
    for (size_t i = 0; i < trace->n; i++) {
        p->numbers.data[p->numbers.n++] = trace->ids[i];
        if (symbols_find(p->instr->symbols, trace->ids[i]) == HASH_INDEX_NONE && !p->profile->records_lost)
            check_traced(p, trace->ids[i]);
    }
    if (has_twice(p))
        check_count(&p->traced_twice, p->c, path_of(p->instr, TRACES), p->profile->traces_at);
}

static void check_traces(struct profile_checker *p)
{
    const struct apf_instr_info *info = &p->instr->info;
    struct error_at at = {path_of(p->instr, TRACES), p->profile->traces_at, info->trace_stream_size,
                          info->n_traces};
    check_no_function(p->c);
    for (size_t t = 0; t < info->n_traces && p->c->code == APF_OK; t++)
        check_trace(p, &info->traces[t]);
    if (info->n_traces > info->trace_stream_size)
        check_bound(p->c, APF_SEVERITY_NOTE, APF_NOTE, at, "fewer traces were counted than there are");
}

/* Checks the kind of a text. LLVM's tools and anyprof read a contradictory text as an IR profile. */
static void check_kind(struct profile_checker *p)
{
    const struct apf_instr_info *info = &p->instr->info;
    if (info->format == APF_FORMAT_TEXT && info->front_end && info->variant & APF_VARIANT_IR)
        check_place(
            p->c, APF_SEVERITY_NOTE, APF_NOTE, "text.header", p->profile->kind_at,
            "both a front-end profile (:fe) and an IR profile (:ir, :csir): it is read as an IR profile");
}

static void report_all(struct profile_checker *p)
{
    bool raw = p->instr->info.format == APF_FORMAT_RAW, indexed = p->instr->info.format == APF_FORMAT_INDEXED;
    check_tally_report(p->c, &p->nameless, APF_SEVERITY_WARNING, APF_UNKNOWN_FUNCTION,
                       "its name is not in the file");
    /* Several objects of a program may have the function, or a linker kept it twice; text may be written by hand. */
    check_tally_report(p->c, &p->twice, indexed ? APF_SEVERITY_WARNING : APF_SEVERITY_NOTE,
                       indexed ? APF_INCONSISTENT : APF_NOTE,
                       raw ? "another record has its name and hash: they are added up"
                           : "another record has its name and hash");
    check_tally_report(p->c, &p->pseudo, APF_SEVERITY_NOTE, APF_NOTE,
                       "marked hot or warm in place of counts, as by a sample profile");
    check_tally_report(p->c, &p->saturated, APF_SEVERITY_NOTE, APF_NOTE,
                       "a sum that was cut at the largest count");
    check_tally_report(p->c, &p->contextual, APF_SEVERITY_NOTE, APF_NOTE,
                       "context-sensitive by its hash, in a profile without such records");
    check_tally_report(p->c, &p->large_sites, APF_SEVERITY_NOTE, APF_NOTE,
                       "a site with more than 255 values: indexed profiles keep the largest");
    check_tally_report(p->c, &p->repeated, APF_SEVERITY_NOTE, APF_NOTE,
                       "a site that has the same value twice");
    check_tally_report(p->c, &p->traced, APF_SEVERITY_NOTE, APF_NOTE,
                       "a trace names a function without a record");
    check_tally_report(p->c, &p->traced_twice, APF_SEVERITY_NOTE, APF_NOTE, "a trace names a function twice");
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
    check_kind(&p);
    report_all(&p);
    hash_index_free(&p.seen);
    VEC_FREE(&p.numbers);
}

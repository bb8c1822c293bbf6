/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares the functions of programs with the records of a profile. */
#include "jobs/check_against.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "instr/read/formats.h"
#include "jobs/check_local.h"

/* Functions with one id, by the pass of the compiler that counts them ([1]: context-sensitive). */
struct group {
    uint64_t id;
    uint32_t first[2], n[2],
        found[2];       /* first function; number of functions; number of functions with counts */
    bool mismatched[2]; /* a record fits none of the functions */
};

/* State of a function of a program during the comparison with a profile. */
struct place {
    uint32_t group;
    bool found;
    bool repeated; /* an earlier function has its id and hash, as for a function in several objects */
};

struct comparison {
    struct check *c;
    const struct check_function *list;
    size_t n;
    const struct apf_instr *instr;
    struct check_ids ids; /* ids of the records */
    VEC(struct group) groups;
    struct hash_index by_id;   /* groups */
    struct hash_index by_hash; /* functions by id and hash, without repeated ones */
    struct place *places;      /* one for each function of the list */
    struct check_paths unknown;
    struct apf_check_verdict *verdict;
    bool has_own, has_strangers; /* the profile has functions of the programs; counts of others */
};

/* Functions of the programs that match a record. */
struct match {
    struct group *group;              /* functions with its name; NULL: none */
    struct place *same;               /* the function that was counted */
    const struct apf_function *other; /* a function with its name, but another hash or number of counters */
};

/* Context-sensitive counts, of another pass of the compiler, are compared only with context-sensitive functions. */
static unsigned pass_of(const struct comparison *k, uint64_t hash)
{
    return k->instr->info.variant & APF_VARIANT_IR && hash & APF_HASH_CS ? 1 : 0;
}

/* ---- the functions of the programs ---- */

static uint32_t find_group(const struct comparison *k, uint64_t id)
{
    uint64_t mixed = hash_index_mix(&k->by_id, id, 0);
    uint32_t e;
    HASH_INDEX_FIND(e, &k->by_id, mixed, k->groups.data[e].id == id);
    return e;
}

static uint32_t find_function(const struct comparison *k, uint32_t group, uint64_t hash)
{
    uint64_t mixed = hash_index_mix(&k->by_hash, group, hash);
    uint32_t e;
    HASH_INDEX_FIND(e, &k->by_hash, mixed, k->places[e].group == group && k->list[e].f->hash == hash);
    return e;
}

static bool index_one(struct comparison *k, uint32_t i)
{
    const struct apf_function *f = k->list[i].f;
    struct place *p = &k->places[i];
    struct group new = {.id = 0};
    unsigned pass = pass_of(k, f->hash);
    if (!check_local_id(&k->ids, f, &new.id))
        return false;
    p->group = find_group(k, new.id);
    if (p->group == HASH_INDEX_NONE) {
        p->group = (uint32_t)k->groups.n;
        if (!VEC_PUSH(&k->groups, new))
            return false;
        hash_index_add(&k->by_id, hash_index_mix(&k->by_id, new.id, 0), p->group);
    }
    p->repeated = find_function(k, p->group, f->hash) != HASH_INDEX_NONE;
    if (p->repeated)
        return true;
    struct group *g = &k->groups.data[p->group];
    g->first[pass] = g->n[pass]++ ? g->first[pass] : i;
    hash_index_add(&k->by_hash, hash_index_mix(&k->by_hash, p->group, f->hash), i);
    k->verdict->n_program_functions++;
    return true;
}

static int index_functions(struct comparison *k, struct apf_error *error)
{
    if (!hash_index_reserve(&k->by_id, k->n))
        return hash_index_error(&k->by_id, error);
    if (!hash_index_reserve(&k->by_hash, k->n))
        return hash_index_error(&k->by_hash, error);
    k->places = calloc(k->n + 1, sizeof *k->places);
    bool good = k->places && check_ids_collect(&k->ids, k->instr);
    for (size_t i = 0; good && i < k->n; i++)
        good = index_one(k, (uint32_t)i);
    return good ? APF_OK : error_memory(error);
}

/* ---- records ---- */

/* Compares the numbers of counters; the slots in the program's section may begin with a timestamp. */
static bool same_counters(const struct check_function *f, uint32_t n)
{
    bool temporal = f->program->variant & APF_VARIANT_TEMPORAL;
    uint32_t slots = f->program->variant & APF_VARIANT_BYTE_COVERAGE ? 8 : 1, own = f->f->n_counters;
    if (f->program->variant_known)
        return own == n + (temporal ? slots : 0);
    return own == n || own == n + 1 || own == n + 8;
}

static struct match match_record(const struct comparison *k, const struct record *r)
{
    struct match m = {NULL, NULL, NULL};
    uint32_t group = find_group(k, r->id);
    unsigned pass = pass_of(k, r->hash);
    if (group == HASH_INDEX_NONE)
        return m;
    m.group = &k->groups.data[group];
    uint32_t e = find_function(k, group, r->hash);
    if (e != HASH_INDEX_NONE && same_counters(&k->list[e], r->n_counts))
        m.same = &k->places[e];
    else if (e != HASH_INDEX_NONE)
        m.other = k->list[e].f;
    else if (m.group->n[pass])
        m.other = k->list[m.group->first[pass]].f;
    return m;
}

/* Marks the functions that a record matches. All records are matched before the first finding is reported. */
static void match_functions(struct comparison *k, const struct record *r)
{
    struct match m = match_record(k, r);
    unsigned pass = pass_of(k, r->hash);
    if (m.same) {
        m.group->found[pass] += !m.same->found;
        m.same->found = true;
    } else if (m.other) {
        m.group->mismatched[pass] = true;
    } else {
        k->c->code = check_paths_add(&k->unknown, k->instr, r, k->c->error);
    }
}

/* ---- findings ---- */

/* Reports a record of another build. Where a function also has a fitting record (all_found), this is only a note: a
 * profile of several builds has such records. */
static void report_mismatch(struct comparison *k, const struct record *r, const struct apf_function *f,
                            bool all_found)
{
    char detail[160];
    bool hash = f->hash != r->hash;
    struct error_at at = {hash ? "against.hash" : "against.counters", r->offset, hash ? r->hash : r->n_counts,
                          hash ? f->hash : f->n_counters};
    snprintf(detail, sizeof detail,
             hash ? "%shash 0x%016llx, in the program 0x%016llx" : "%s%llu counters, in the program %llu",
             all_found ? "a record of another build, beside one that fits: " : "",
             (unsigned long long)at.found, (unsigned long long)at.expected);
    if (all_found)
        check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, "against.other_build", r->offset, detail);
    else
        check_with_numbers(k->c, APF_SEVERITY_WARNING, hash ? APF_HASH_MISMATCH : APF_COUNT_MISMATCH, at,
                           detail);
}

static void report_unknown(struct comparison *k, const struct record *r, const struct match *m)
{
    bool contextual = r->hash & APF_HASH_CS;
    const char *detail = !m->group ? "a function that the program lacks"
                         : contextual
                             ? "a context-sensitive record: the program counts this function without context"
                             : "a record without context: the program counts this function "
                               "context-sensitively";
    check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, m->group ? "against.context" : "against.unknown",
                r->offset, detail);
}

static void compare_record(struct comparison *k, const struct record *r)
{
    struct match m = match_record(k, r);
    uint64_t weight = record_weight(r);
    unsigned pass = pass_of(k, r->hash);
    check_function(k->c, record_name(k->instr, r), r->hash);
    if (m.same) {
        check_add_weight(&k->verdict->found_weight, weight);
    } else if (m.other) {
        bool all_found = m.group->found[pass] == m.group->n[pass];
        k->verdict->n_other_build += all_found;
        check_add_weight(all_found ? &k->verdict->other_build_weight : &k->verdict->mismatched_weight,
                         weight);
        report_mismatch(k, r, m.other, all_found);
    } else {
        k->verdict->n_unknown++;
        check_add_weight(&k->verdict->unknown_weight, weight);
        k->has_own |= m.group != NULL;
        k->has_strangers |= weight != 0;
        report_unknown(k, r, &m);
    }
}

/* Reports a function that the profile has under another name. Compilers do not match such names, so its counts are lost
 * for this build. */
static void report_renamed(struct comparison *k, const struct apf_function *f, const struct record *r)
{
    struct apf_str name = record_name(k->instr, r);
    bool separator = check_paths_equal(f->name, name);
    char detail[400];
    k->verdict->n_other_path += !separator;
    k->has_own = true;
    snprintf(detail, sizeof detail, "the profile has it as %.*s: 'anyprof merge %s",
             (int)(name.n < 200 ? name.n : 200), name.p,
             separator ? "--for=llvm-N' writes the names of the compiler's release"
                       : "--prefix-map=OLD=NEW' changes such paths");
    bool counts = record_weight(r) != 0;
    check_place(k->c, counts ? APF_SEVERITY_WARNING : APF_SEVERITY_NOTE,
                counts ? APF_UNABLE_TO_CORRELATE : APF_NOTE, separator ? "against.separator" : "against.path",
                r->offset, detail);
}

static void report_missing(struct comparison *k, const struct apf_function *f)
{
    const struct record *r = check_paths_find(&k->unknown, k->instr, f);
    check_function(k->c, f->name, f->hash);
    k->verdict->n_missing++;
    if (r)
        report_renamed(k, f, r);
    else
        check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, "against.missing", NO_OFFSET,
                    "a function of the program without counts");
}

static void count_functions(struct comparison *k)
{
    for (size_t i = 0; i < k->n && k->c->code == APF_OK; i++) {
        const struct place *p = &k->places[i];
        const struct apf_function *f = k->list[i].f;
        if (p->repeated)
            continue;
        bool mismatched = !p->found && k->groups.data[p->group].mismatched[pass_of(k, f->hash)];
        k->verdict->n_found += p->found;
        k->verdict->n_mismatched += mismatched;
        k->has_own |= p->found || mismatched;
        if (!p->found && !mismatched)
            report_missing(k, f);
    }
}

/* Reports a profile and a program whose counters are of different kinds (front end, IR): their hashes never match.
 * True: it was reported. */
static bool compare_kinds(struct comparison *k)
{
    uint64_t own = k->instr->info.variant & APF_VARIANT_IR;
    bool other = k->n && k->instr->records.n;
    for (size_t i = 0; other && i < k->n; i++) {
        const struct apf_binary_functions_info *program = k->list[i].program;
        other = program->variant_known && (program->variant & APF_VARIANT_IR) != own;
    }
    if (other)
        check_place(k->c, APF_SEVERITY_WARNING, APF_UNABLE_TO_CORRELATE, "against.variant", NO_OFFSET,
                    own ? "an IR profile, and a program with counters of a front end"
                        : "a front end's profile, and a program with counters of IR");
    return other;
}

/* Reports a profile with counts for other functions only. */
static void report_strangers(struct comparison *k)
{
    if (k->n && !k->has_own && k->has_strangers)
        check_place(k->c, APF_SEVERITY_WARNING, APF_UNABLE_TO_CORRELATE, "against.program", NO_OFFSET,
                    "no function of the program has counts: the profile is of another program");
}

static void compare_program(struct comparison *k)
{
    const struct apf_instr *instr = k->instr;
    bool reported = compare_kinds(k);
    for (size_t i = 0; i < instr->records.n && k->c->code == APF_OK; i++)
        match_functions(k, &instr->records.data[i]);
    for (size_t i = 0; i < instr->records.n && k->c->code == APF_OK; i++)
        compare_record(k, &instr->records.data[i]);
    count_functions(k);
    check_no_function(k->c);
    if (!reported)
        report_strangers(k);
}

int check_against(struct check *c, const struct read_options *limits, const uint8_t *data, size_t n,
                  const struct apf_check_programs *programs, struct apf_check_verdict *verdict)
{
    struct comparison k = {
        .c = c, .verdict = verdict, .list = programs->functions, .n = programs->n_functions};
    struct read_options options = *limits;
    struct apf_instr *instr;
    struct apf_error error;
    options.flags |= APF_FLAG_DROP_MEMPROF;
    int code = profile_read(&instr, data, n, &options, &error);
    if (code == APF_NO_MEMORY)
        check_memory(c);
    if (code != APF_OK)
        return c->code;
    k.instr = instr;
    instr_check_text(c, instr->info.format, data, n);
    if (c->code == APF_OK)
        c->code = index_functions(&k, c->error);
    if (c->code == APF_OK)
        compare_program(&k);
    VEC_FREE(&k.groups);
    hash_index_free(&k.by_id);
    hash_index_free(&k.by_hash);
    check_ids_free(&k.ids);
    check_paths_free(&k.unknown);
    free(k.places);
    check_text_end(c);
    profile_free(instr);
    return c->code;
}

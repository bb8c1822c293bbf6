/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What of programs has counts, and which functions of the profile are of another build. */
#include "report/report_program.h"

#include <string.h>

#include <anyprof/probe.h>

#include "base/error.h"
#include "base/options.h"
#include "report/report_table.h"

/* ---- instrumentation profiles: as anyprof check compares them ---- */

/* A finding about a record. */
struct found {
    uint32_t name, state;
    uint64_t hash;
};

struct check_reader {
    struct apf_report *r;
    const struct apf_options *common;
    VEC(struct found) found;
    struct report_table missing; /* functions of the program without counts */
    bool failed;                 /* allocation failed */
};

/* What a finding says of a function of the program that has no counts; NULL: it says something else. */
static const char *why_missing(const char *where)
{
    static const char *const rows[][2] = {{"missing", "no counts"},
                                          {"path", "has counts with another path"},
                                          {"separator", "has counts with another separator"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(where, rows[i][0]) == 0)
            return rows[i][1];
    return NULL;
}

/* Takes note of a finding of apf_check; those about the profile as a whole are for the caller. */
static int note_finding(void *user, const struct apf_diag *diag)
{
    struct check_reader *c = (struct check_reader *)user;
    const char *where = diag->error->where;
    struct found found = {.state = REPORT_STALE, .hash = diag->hash};
    if (strncmp(where, "against.", 8) != 0)
        return 0;
    where += 8;
    if (strcmp(where, "variant") == 0 || strcmp(where, "program") == 0)
        return c->common->diag ? c->common->diag(c->common->user, diag) : 0;
    const char *why = why_missing(where);
    if (diag->function.n == 0 || (why && !report_row(&c->missing)))
        return 0;
    found.name = report_name(c->r, diag->function);
    if (strcmp(where, "unknown") == 0 || strcmp(where, "context") == 0)
        found.state = REPORT_FOREIGN;
    else if (strcmp(where, "other_build") == 0)
        found.state = REPORT_OTHER_BUILD;
    c->failed |= found.name == HASH_INDEX_NONE;
    if (!c->failed && why)
        c->failed = !report_cell(&c->missing, found.name) || !report_cell_text(&c->missing, why);
    else if (!c->failed)
        c->failed = !VEC_PUSH(&c->found, found);
    return c->failed;
}

/* Marks the functions that findings are about. */
static bool mark_functions(struct check_reader *c)
{
    struct apf_report *r = c->r;
    struct hash_index index = {.slots = NULL};
    const bool ok = hash_index_reserve(&index, r->functions.n);
    for (size_t i = 0; ok && i < r->functions.n; i++) {
        struct report_function *f = &r->functions.data[i];
        hash_index_add(&index, hash_index_mix(&index, f->name, f->hash), (uint32_t)i);
        /* Findings about functions without a name do not say which they are of. */
        f->state = r->names.data[f->name].is_hash ? REPORT_UNCOMPARED : REPORT_FITS;
    }
    for (size_t i = 0; ok && i < c->found.n; i++) {
        const struct found *found = &c->found.data[i];
        uint32_t e;
        HASH_INDEX_FIND(e, &index, hash_index_mix(&index, found->name, found->hash),
                        r->functions.data[e].name == found->name && r->functions.data[e].hash == found->hash);
        if (e != HASH_INDEX_NONE)
            r->functions.data[e].state = found->state;
    }
    hash_index_free(&index);
    return ok;
}

static bool write_verdict(struct apf_report *r, const struct apf_check_verdict *v)
{
    const uint64_t n = v->n_program_functions, all = r->total;
    if (!report_note_foreign(r, v->n_found))
        return false;
    struct report_table *t =
        REPORT_TABLE(r, REPORT_PART_PROGRAM, "Functions of the program", report_count_columns);
    if (!t || !report_count_row(t, "instrumented functions", n, n) ||
        !report_count_row(t, "that fit the profile", v->n_found, n) ||
        !report_count_row(t, "stale: their counts are of another hash", v->n_mismatched, n) ||
        !report_count_row(t, "without counts", v->n_missing, n) ||
        (v->n_other_path &&
         !report_count_row(t, "of them with counts under another path", v->n_other_path, n)))
        return false;
    t = REPORT_TABLE(r, REPORT_PART_PROGRAM, "Counts of the profile", report_count_columns);
    return t && report_count_row(t, "that fit the program", v->found_weight, all) &&
           report_count_row(t, "of functions with another hash: lost", v->mismatched_weight, all) &&
           report_count_row(t, "of functions that the program lacks", v->unknown_weight, all) &&
           (!v->n_other_build ||
            report_count_row(t, "of other builds, of functions that also have some that fit",
                             v->other_build_weight, all));
}

static const struct report_column missing_columns[] = {{"Function", REPORT_CELL_NAME},
                                                       {"", REPORT_CELL_TEXT}};

/* Adds the table of functions without counts to the others. */
static bool add_missing(struct check_reader *c)
{
    struct report_table *t = c->missing.n_all ? REPORT_TABLE(c->r, REPORT_PART_PROGRAM,
                                                             "Functions without counts", missing_columns)
                                              : NULL;
    if (!t)
        return c->missing.n_all == 0;
    *t = c->missing;
    c->missing = (struct report_table){.title = NULL};
    return true;
}

int report_check_instr(struct apf_report *r, const struct apf_check_programs *programs,
                       const struct apf_input *input, const struct apf_options *common,
                       struct apf_error *error)
{
    struct check_reader c = {.r = r,
                             .common = common,
                             .missing = {.title = "Functions without counts",
                                         .columns = missing_columns,
                                         .n_columns = sizeof missing_columns / sizeof *missing_columns}};
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    struct apf_options options = *common;
    options.diag = note_finding;
    options.user = &c;
    int code = apf_check(input, programs, &options, &verdict, error);
    if (c.failed)
        code = error_memory(error);
    if (code == APF_OK && (!mark_functions(&c) || !write_verdict(r, &verdict) || !add_missing(&c)))
        code = error_memory(error);
    r->has_states = true;
    VEC_FREE(&c.found);
    VEC_FREE(&c.missing.cells);
    return code;
}

/* ---- sample profiles: by the checksums of pseudo probes ---- */

struct probe_programs {
    struct apf_probes **list;
    size_t n;
};

static void close_probes(struct probe_programs *p)
{
    for (size_t i = 0; i < p->n; i++)
        apf_probes_close(p->list[i]);
    free(p->list);
}

static int open_probes(struct probe_programs *p, const struct apf_input *inputs, size_t n,
                       const struct apf_options *common, struct apf_error *error)
{
    const struct apf_probe_options options = {.size = sizeof options, .options = common};
    p->list = (struct apf_probes **)calloc(n + 1, sizeof(struct apf_probes *));
    if (!p->list)
        return error_memory(error);
    for (; p->n < n; p->n++) {
        const int code = apf_probes_open(&p->list[p->n], input_at(inputs, p->n), &options, error);
        if (code != APF_OK)
            return file_error(error, code, input_at(inputs, p->n), p->n);
    }
    return APF_OK;
}

/* What a program has of a function: a descriptor with its checksum, another one, or none. */
static uint32_t find_state(const struct apf_probes *probes, const struct report_function *f)
{
    const struct apf_probe_desc *desc = apf_probes_find_desc(probes, f->id);
    uint32_t state = REPORT_FOREIGN;
    if (!desc)
        return state;
    /* Local functions of one name have descriptors of one GUID, which follow each other. */
    for (size_t i = (size_t)(desc - apf_probes_desc(probes, 0)); desc && desc->guid == f->id;
         desc = apf_probes_desc(probes, ++i))
        if (state != REPORT_FITS)
            state = desc->hash == f->hash ? REPORT_FITS : REPORT_STALE;
    return state;
}

static uint32_t find_best_state(const struct probe_programs *p, const struct report_function *f)
{
    uint32_t best = REPORT_FOREIGN;
    for (size_t i = 0; i < p->n && f->hash; i++) {
        const uint32_t state = find_state(p->list[i], f);
        best = state < best ? state : best;
    }
    return f->hash ? best : REPORT_UNCOMPARED;
}

int report_check_sample(struct apf_report *r, const struct apf_input *programs, size_t n,
                        const struct apf_options *common, struct apf_error *error)
{
    static const char *const words[] = {
        [REPORT_FITS] = "that fit the program",
        [REPORT_STALE] = "stale: of another checksum",
        [REPORT_FOREIGN] = "of which the program has no probes",
        [REPORT_UNCOMPARED] = "without a checksum, which cannot be compared",
    };
    static const uint32_t order[] = {REPORT_FITS, REPORT_STALE, REPORT_FOREIGN, REPORT_UNCOMPARED};
    struct probe_programs p = {.list = NULL};
    uint64_t functions[4] = {0}, samples[4] = {0}, n_descs = 0;
    int code = open_probes(&p, programs, n, common, error);
    for (size_t i = 0; code == APF_OK && i < r->functions.n; i++) {
        struct report_function *f = &r->functions.data[i];
        f->state = find_best_state(&p, f);
        functions[f->state]++;
        samples[f->state] = report_sum(samples[f->state], f->total);
    }
    for (size_t i = 0; i < p.n; i++)
        n_descs += apf_probes_info(p.list[i])->n_descs;
    close_probes(&p);
    if (code != APF_OK)
        return code;
    r->has_states = true;
    struct report_table *t =
        REPORT_TABLE(r, REPORT_PART_PROGRAM, "Functions of the program", report_count_columns);
    bool ok =
        t && report_count_row(t, "with probes", n_descs, n_descs) &&
        report_count_row(t, "with samples that fit", functions[REPORT_FITS], n_descs) &&
        report_count_row(t, "stale: their samples are of another checksum", functions[REPORT_STALE], n_descs);
    t = ok ? REPORT_TABLE(r, REPORT_PART_PROGRAM, "Samples of the profile", report_count_columns) : NULL;
    for (size_t i = 0; t && ok && i < sizeof order / sizeof *order; i++)
        ok = !functions[order[i]] || report_count_row(t, words[order[i]], samples[order[i]], r->total);
    t = t && ok ? REPORT_TABLE(r, REPORT_PART_PROGRAM, "Functions of the profile", report_count_columns)
                : NULL;
    for (size_t i = 0; t && ok && i < sizeof order / sizeof *order; i++)
        ok =
            !functions[order[i]] || report_count_row(t, words[order[i]], functions[order[i]], r->functions.n);
    return t && ok ? APF_OK : error_memory(error);
}

/* ---- lists ---- */

int report_list_program(struct apf_report *r, struct apf_error *error)
{
    static const struct report_column columns[] = {{"Function", REPORT_CELL_NAME},
                                                   {"Lost", REPORT_CELL_NUMBER},
                                                   {"Share", REPORT_CELL_SHARE},
                                                   {"Hash or checksum", REPORT_CELL_HASH}};
    static const struct {
        uint32_t state;
        const char *title;
    } lists[] = {{REPORT_STALE, "Stale functions"},
                 {REPORT_OTHER_BUILD, "Counts of other builds, of functions that also have some that fit"},
                 {REPORT_FOREIGN, "Functions that the program lacks"}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists && r->has_states; k++) {
        struct report_table *t = NULL;
        for (size_t i = 0; i < r->functions.n; i++) {
            const struct report_function *f = &r->functions.data[i];
            if (f->state != lists[k].state)
                continue;
            if (!t)
                t = REPORT_TABLE(r, REPORT_PART_PROGRAM, lists[k].title, columns);
            if (!t ||
                (report_row(t) && !(report_cell(t, f->name) && report_cell(t, f->total) &&
                                    report_cell_share(t, f->total, r->total) && report_cell(t, f->hash))))
                return error_memory(error);
        }
    }
    return APF_OK;
}

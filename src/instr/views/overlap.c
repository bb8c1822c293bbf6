/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of doubles depend on the order of the additions, so all additions have the order of llvm-profdata. */
#include "instr/views/overlap.h"

#include <string.h>

#include "base/error.h"
#include "base/name_meant.h"

/* Memory for a sorted copy of the values of a site. */
struct values {
    VEC(struct apf_value) sorted, scratch;
};

struct finder {
    const struct apf_overlap_options *options;
    struct record_table base;    /* the first profile */
    struct apf_overlap *program; /* the result */
    struct values values[2];
    overlap_report_fn *report; /* may be NULL */
    void *user;
};

/* ---- sums ---- */

static void add_record(struct apf_overlap_sums *to, const struct record *r)
{
    const struct apf_site *site = r->sites;
    to->edges += (double)record_sum(r);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        uint64_t sum = 0; /* wraps like LLVM's sum */
        for (const struct apf_site *end = ENTRY_AT(site, r->n_sites[k]); site != end; site++)
            for (size_t i = 0; i < site->n; i++)
                sum += site->values[i].count;
        to->values[k] += (double)sum;
    }
}

static void add_profile(struct apf_overlap_sums *to, const struct apf_instr *instr, bool cs)
{
    bool ir = (instr->info.variant & APF_VARIANT_IR) != 0;
    for (size_t i = 0; i < instr->records.n; i++) {
        const struct record *r = &instr->records.data[i];
        if (ir && ((r->hash & APF_HASH_CS) != 0) != cs)
            continue;
        add_record(to, r);
        to->n++;
    }
}

/* Adds a function's share of the whole second profile. */
static void add_share(const struct finder *f, struct apf_overlap_sums *to,
                      const struct apf_overlap_sums *function)
{
    const struct apf_overlap_sums *whole = &f->program->test;
    to->n++;
    to->edges += function->edges / whole->edges;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        if (whole->values[k] >= 1)
            to->values[k] += function->values[k] / whole->values[k];
}

/* The smaller one of two shares. */
static double find_score(uint64_t a, uint64_t b, double whole_a, double whole_b)
{
    if (whole_a < 1 || whole_b < 1)
        return 0;
    double x = (double)a / whole_a, y = (double)b / whole_b;
    return y < x ? y : x;
}

/* ---- functions of both profiles ---- */

/* Returns the values of a site, sorted. NULL: allocation failed. */
static const struct apf_value *sort_site(struct values *v, const struct apf_site *site, bool by_count)
{
    if (site->n < 2)
        return site->values;
    v->sorted.n = v->scratch.n = 0;
    if (!VEC_RESERVE(&v->sorted, site->n) || !VEC_RESERVE(&v->scratch, site->n))
        return NULL;
    memcpy(v->sorted.data, site->values, site->n * sizeof *site->values);
    record_sort_values(v->sorted.data, v->scratch.data, site->n, by_count);
    return v->sorted.data;
}

/* Adds the overlap of a site. False: allocation failed. */
static bool add_site(struct finder *f, struct apf_overlap *function, unsigned kind,
                     const struct apf_site *base, const struct apf_site *test)
{
    if (base->n == 0 || test->n == 0)
        return true;
    const struct apf_value *a = sort_site(&f->values[0], base, true);
    const struct apf_value *b = sort_site(&f->values[1], test, false);
    if (!a || !b)
        return false;
    const struct apf_value *end_a = a + base->n, *end_b = b + test->n;
    struct apf_overlap *program = f->program;
    double of_program = 0, of_function = 0;
    while (a != end_a && b != end_b) {
        if (a->value < b->value) {
            a++;
            continue;
        }
        if (a->value == b->value) {
            of_program +=
                find_score(a->count, b->count, program->base.values[kind], program->test.values[kind]);
            of_function +=
                find_score(a->count, b->count, function->base.values[kind], function->test.values[kind]);
            a++;
        }
        b++;
    }
    program->overlap.values[kind] += of_program;
    function->overlap.values[kind] += of_function;
    return true;
}

static bool add_values(struct finder *f, struct apf_overlap *function, const struct record *base,
                       const struct record *test)
{
    const struct apf_site *a = base->sites, *b = test->sites;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        for (uint32_t i = 0; i < base->n_sites[k]; i++)
            if (!add_site(f, function, k, a++, b++))
                return false;
    return true;
}

static double add_counts(const struct record *base, const struct record *test, const struct apf_overlap *sums)
{
    double sum = 0;
    for (uint32_t i = 0; i < base->n_counts; i++)
        sum += find_score(base->counts[i], test->counts[i], sums->base.edges, sums->test.edges);
    return sum;
}

/* Whether the options ask for a report of a function. */
static bool is_wanted(const struct finder *f, struct apf_str name, const struct record *test)
{
    const struct apf_overlap_options *o = f->options;
    if (name_is_meant(name, o->function, o->also, o->user))
        return true;
    uint64_t most = 0;
    for (uint32_t i = 0; i < test->n_counts; i++)
        most = test->counts[i] > most ? test->counts[i] : most;
    return most >= o->value_cutoff;
}

static bool same_shape(const struct record *a, const struct record *b)
{
    return a->n_counts == b->n_counts && memcmp(a->n_sites, b->n_sites, sizeof a->n_sites) == 0;
}

/* Adds the overlap of two records of one function. */
static bool add_pair(struct finder *f, struct overlap_function *function, const struct record *base,
                     const struct record *test)
{
    struct apf_overlap *program = f->program, *sums = &function->sums;
    bool wanted = f->report && is_wanted(f, function->name, test);
    if (wanted) /* otherwise the function's sums stay 0, and find_score returns early */
        add_record(&sums->base, base);
    if (!add_values(f, sums, base, test))
        return false;
    program->overlap.edges += add_counts(base, test, program);
    program->overlap.n++;
    if (wanted) {
        sums->overlap.edges = add_counts(base, test, sums);
        sums->overlap.n = test->n_counts;
        f->report(f->user, function);
    }
    return true;
}

/* Adds a record of the second profile. */
static bool add_test_record(struct finder *f, const struct apf_instr *instr, const struct record *test)
{
    struct overlap_function function = {.name = record_name(instr, test), .hash = test->hash};
    struct apf_overlap *program = f->program;
    uint32_t pair = record_table_find(&f->base, test->id, test->hash);
    add_record(&function.sums.test, test);
    if (pair == HASH_INDEX_NONE && record_table_find_name(&f->base, test->id) == HASH_INDEX_NONE)
        add_share(f, &program->unique, &function.sums.test);
    else if (function.sums.test.edges < 1)
        program->overlap.n++;
    else if (pair == HASH_INDEX_NONE || !same_shape(f->base.records[pair], test))
        add_share(f, &program->mismatch, &function.sums.test);
    else
        return add_pair(f, &function, f->base.records[pair], test);
    return true;
}

static void fetch_ahead(const struct finder *f, const struct apf_instr *instr, size_t i)
{
    const struct record *r = &instr->records.data[i];
    if (i + 2 * FETCH_AHEAD < instr->records.n)
        record_table_fetch(&f->base, r[2 * FETCH_AHEAD].id, r[2 * FETCH_AHEAD].hash);
    if (i + FETCH_AHEAD < instr->records.n)
        PREFETCH(r[FETCH_AHEAD].counts);
}

/* Finds out whether the counts of two profiles whose sums are there are of one kind. */
static uint32_t compare_kinds(const struct apf_instr *base, const struct apf_instr *test,
                              const struct apf_overlap *o)
{
    if (!base->records.n || !test->records.n)
        return APF_OVERLAP_ONE_KIND;
    if ((base->info.variant ^ test->info.variant) & APF_VARIANT_IR)
        return APF_OVERLAP_FRONT_END_AND_IR;
    return !o->base.n == !o->test.n ? APF_OVERLAP_ONE_KIND : APF_OVERLAP_CONTEXT_SENSITIVE;
}

int overlap_find(const struct apf_instr *base, const struct apf_instr *test,
                 const struct apf_overlap_options *options, overlap_report_fn *report, void *user,
                 struct apf_overlap *overlap, struct apf_error *error)
{
    struct finder f = {.options = options, .program = overlap, .report = report, .user = user};
    bool cs = options->flags & APF_OVERLAP_CS;
    memset(overlap, 0, sizeof *overlap);
    add_profile(&overlap->base, base, cs);
    add_profile(&overlap->test, test, cs);
    overlap->kinds = compare_kinds(base, test, overlap);
    overlap->zero = overlap->base.edges < 1   ? APF_OVERLAP_BASE_ZERO
                    : overlap->test.edges < 1 ? APF_OVERLAP_TEST_ZERO
                                              : APF_OVERLAP_COMPARED;
    if (overlap->zero)
        return APF_OK;
    int code = record_table_make(&f.base, base, -1, error);
    for (size_t i = 0; code == APF_OK && i < test->records.n; i++) {
        fetch_ahead(&f, test, i);
        if (!add_test_record(&f, test, &test->records.data[i]))
            code = error_memory(error);
    }
    overlap->left_out = f.base.left_out;
    overlap->saturated = f.base.saturated;
    for (unsigned k = 0; k < 2; k++) {
        VEC_FREE(&f.values[k].sorted);
        VEC_FREE(&f.values[k].scratch);
    }
    record_table_free(&f.base);
    return code;
}

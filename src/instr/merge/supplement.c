/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/merge/supplement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "instr/merge/merge.h"
#include "instr/merge/supplement_match.h"
#include "instr/model/summary.h"

#define HOT_ROW 11u  /* of the summary: 99 % of all counts */
#define COLD_ROW 15u /* 99.9999 % */
#define TIMES 3u     /* the largest count of a function that is scaled becomes so many times the threshold */

/* ---- what the caller gives ---- */

static int check_functions(const struct apf_supplement *s, struct apf_error *error)
{
    uint32_t deepest = 0; /* the largest depth that can follow */
    for (size_t i = 0; i < s->n_functions; i++) {
        if (s->functions[i].depth > deepest)
            return error_plain(error, APF_ARGUMENT, "apf_supplement.functions",
                               "function %llu has the depth %u after one of depth %u", (unsigned long long)i,
                               s->functions[i].depth, deepest ? deepest - 1 : 0);
        if (s->functions[i].depth == UINT32_MAX)
            return error_plain(error, APF_ARGUMENT, "apf_supplement.functions", "too deep");
        deepest = s->functions[i].depth + 1;
    }
    return APF_OK;
}

static int copy_functions(struct supplement *s, struct apf_error *error)
{
    size_t n = s->samples.n_functions;
    s->functions = n < SIZE_MAX / sizeof *s->functions ? malloc((n + 1) * sizeof *s->functions) : NULL;
    if (!s->functions)
        return error_memory(error);
    if (n)
        memcpy(s->functions, s->samples.functions, n * sizeof *s->functions);
    s->samples.functions = s->functions;
    return APF_OK;
}

int supplement_set(struct supplement *s, const struct apf_supplement *samples,
                   const struct apf_supplement_options *options, struct apf_error *error)
{
    static const struct apf_supplement_options usual = {sizeof usual, 10, 0, 0.7};
    struct supplement new = {0};
    int code = OPTIONS_READ(apf_supplement, &new.samples, samples, error);
    if (code == APF_OK)
        code = OPTIONS_READ(apf_supplement_options, &new.options, options ? options : &usual, error);
    if (code == APF_OK)
        code = check_functions(&new.samples, error);
    if (code == APF_OK)
        code = copy_functions(&new, error);
    if (code != APF_OK)
        return code;
    supplement_free(s);
    *s = new;
    s->samples.size = sizeof s->samples;
    return APF_OK;
}

void supplement_free(struct supplement *s)
{
    static const struct supplement none;
    free(s->functions);
    *s = none;
}

/* ---- scaling ---- */

/* a + b modulo d, both below d; *carry is set if that is less than a + b. */
static uint64_t add_modulo(uint64_t a, uint64_t b, uint64_t d, uint64_t *carry)
{
    *carry = a >= d - b;
    return *carry ? a - (d - b) : a + b;
}

/* As on paper, with the digits of n in base 2: after each digit, quotient * d + rest = count * (the digits so far). */
uint64_t supplement_scale(uint64_t count, uint64_t n, uint64_t d, uint64_t limit, bool *cut)
{
    uint64_t quotient, rest = 0, carry, whole = count / d, part = count % d;
    bool over = false;
    if (LIKELY(!MUL_OVERFLOWS(count, n, &quotient))) {
        quotient /= d;
    } else {
        quotient = 0;
        for (unsigned bit = 64; bit-- > 0;) {
            rest = add_modulo(rest, rest, d, &carry);
            over |= MUL_OVERFLOWS(quotient, (uint64_t)2, &quotient);
            over |= ADD_OVERFLOWS(quotient, carry, &quotient);
            if (!(n >> bit & 1))
                continue;
            rest = add_modulo(rest, part, d, &carry);
            over |= ADD_OVERFLOWS(quotient, carry, &quotient);
            over |= ADD_OVERFLOWS(quotient, whole, &quotient);
        }
    }
    *cut |= over || quotient > limit;
    return over || quotient > limit ? limit : quotient;
}

/* ---- the records ---- */

struct corrector {
    struct apf_instr *view;
    const struct supplement_input *in;
    struct apf_merge_stats *stats;
};

static int report(const struct corrector *c, struct apf_error *detail, struct apf_str name, uint64_t hash,
                  struct apf_error *error)
{
    struct apf_diag d = {APF_SEVERITY_WARNING, detail->code, UINT64_MAX, {NULL, 0}, name, hash, detail};
    return error_report_diag(c->in->diag, c->in->user, &d, error);
}

#define SEVERAL_WORDS 72u /* bytes of the message besides the name, at least */

/* LLVM's words, in which the name is cut if it is long; apf_diag.function has all of it. */
static int report_several(const struct corrector *c, struct apf_str name, struct apf_error *error)
{
    struct apf_error detail;
    char words[sizeof detail.message], shown[sizeof words - SEVERAL_WORDS];
    size_t n = apf_text_escape(name, shown, sizeof shown);
    snprintf(words, sizeof words, "Static function %s%s has multiple promoted names, cannot adjust profile.",
             shown, n < sizeof shown ? "" : "...");
    error_set_words(&detail, APF_AMBIGUOUS_NAME, "merge.supplement", words);
    c->stats->supplement_ambiguous++;
    return report(c, &detail, name, 0, error);
}

static int report_overflow(const struct corrector *c, struct record *r, struct apf_error *error)
{
    struct apf_error detail;
    if (!(r->flags & APF_RECORD_SATURATED))
        c->stats->saturated++;
    r->flags |= APF_RECORD_SATURATED;
    error_set_plain(&detail, APF_COUNTER_OVERFLOW, "merge.record", NULL);
    error_add(&detail, " [the count of a value is cut where the sample profile makes it larger]");
    return report(c, &detail, record_name(c->view, r), r->hash, error);
}

/* Copies the counts, which are those of a sum, so that they can be changed. */
static uint64_t *own_counts(const struct corrector *c, struct record *r)
{
    uint64_t *counts = arena_array(&c->view->arena, r->n_counts, sizeof *counts);
    if (counts)
        memcpy(counts, r->counts, r->n_counts * sizeof *counts);
    r->counts = counts ? counts : r->counts;
    return counts;
}

static int mark(const struct corrector *c, struct record *r, bool hot, struct apf_error *error)
{
    uint64_t *counts = own_counts(c, r);
    if (!counts)
        return error_memory(error);
    counts[0] = hot ? PSEUDO_HOT : PSEUDO_WARM; /* the others stay, as in LLVM */
    r->flags |= APF_RECORD_PSEUDO;
    c->stats->supplement_hot += hot;
    c->stats->supplement_warm += !hot;
    return APF_OK;
}

static int scale_values(const struct corrector *c, struct record *r, uint64_t n, uint64_t d, bool *cut,
                        struct apf_error *error)
{
    size_t n_sites = record_site_count(r);
    struct apf_site *sites = arena_array(&c->view->arena, n_sites, sizeof *sites);
    if (!sites)
        return error_memory(error);
    for (size_t i = 0; i < n_sites; i++) {
        struct apf_value *values = arena_array(&c->view->arena, r->sites[i].n, sizeof *values);
        if (!values)
            return error_memory(error);
        for (size_t k = 0; k < r->sites[i].n; k++) {
            values[k].value = r->sites[i].values[k].value;
            values[k].count = supplement_scale(r->sites[i].values[k].count, n, d, UINT64_MAX, cut);
        }
        sites[i].values = values;
        sites[i].n = r->sites[i].n;
    }
    r->sites = n_sites ? sites : r->sites;
    return APF_OK;
}

/* Multiplies all counts by n / d. */
static int scale(const struct corrector *c, struct record *r, uint64_t n, uint64_t d, struct apf_error *error)
{
    bool cut = false;
    uint64_t *counts = own_counts(c, r);
    if (!counts)
        return error_memory(error);
    for (uint32_t i = 0; i < r->n_counts; i++)
        counts[i] = supplement_scale(counts[i], n, d, COUNT_MAX, &cut);
    int code = scale_values(c, r, n, d, &cut, error);
    c->stats->supplement_scaled++;
    return code == APF_OK && cut ? report_overflow(c, r, error) : code;
}

/* Corrects a function that is not cold in the sample profile, if it is cold here. */
static int correct(const struct corrector *c, struct record *r, bool hot, struct apf_error *error)
{
    const struct apf_supplement_options *o = &c->in->supplement->options;
    const struct apf_merge_stats *s = c->stats;
    uint64_t most = 0, threshold = hot ? s->supplement_hot_count : s->supplement_cold_count, goal;
    uint32_t zeros = 0;
    for (uint32_t i = 0; i < r->n_counts; i++) {
        most = most < r->counts[i] ? r->counts[i] : most;
        zeros += r->counts[i] == 0;
    }
    if (most > s->supplement_cold_count || r->n_counts < o->min_counters || r->n_counts == 0)
        return APF_OK;
    if (most == 0 || (float)zeros / (float)r->n_counts > (float)o->zero_share) /* LLVM's precision */
        return mark(c, r, hot, error);
    if (MUL_OVERFLOWS(threshold, (uint64_t)TIMES, &goal) || goal > COUNT_MAX)
        goal = COUNT_MAX;
    return goal > most ? scale(c, r, goal, most, error) : APF_OK;
}

static int correct_all(const struct corrector *c, const struct supplement_matches *m, struct apf_error *error)
{
    const struct apf_supplement *samples = &c->in->supplement->samples;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->list.n; i++) {
        const struct supplement_match *match = &m->list.data[i];
        uint64_t count = match->entries < match->hottest ? match->hottest : match->entries;
        bool several = match->record == SUPPLEMENT_SEVERAL;
        c->stats->supplemented += match->sampled && !several;
        if (!match->sampled || count < samples->cold_count)
            continue;
        code = several
                   ? report_several(c, match->several, error)
                   : correct(c, &c->view->records.data[match->record], count >= samples->hot_count, error);
    }
    return code;
}

static int find_thresholds(const struct corrector *c, struct apf_error *error)
{
    const struct supplement *s = c->in->supplement;
    struct summary_input in = {.records = c->view->records.data, .n = c->view->records.n, .cs = -1};
    struct arena arena = {0};
    const struct apf_summary *summary = summary_make(&in, &arena, &arena);
    c->stats->supplement_hot_samples = s->samples.hot_count;
    c->stats->supplement_warm_samples = s->samples.cold_count;
    if (summary) {
        c->stats->supplement_hot_count = summary->rows[HOT_ROW].min_count;
        c->stats->supplement_cold_count =
            s->options.cold_count ? s->options.cold_count : summary->rows[COLD_ROW].min_count;
    }
    arena_free(&arena);
    return summary ? APF_OK : error_memory(error);
}

static void clear_stats(struct apf_merge_stats *s)
{
    s->supplemented = s->supplement_hot = s->supplement_warm = s->supplement_scaled = 0;
    s->supplement_ambiguous = s->supplement_hot_count = s->supplement_cold_count = 0;
    s->supplement_hot_samples = s->supplement_warm_samples = 0;
}

int supplement_apply(struct apf_instr *view, const struct supplement_input *in, struct apf_merge_stats *stats,
                     struct apf_error *error)
{
    const struct corrector c = {view, in, stats};
    struct supplement_matches matches = {0};
    clear_stats(stats);
    if (!in->supplement->samples.size)
        return APF_OK;
    int code = find_thresholds(&c, error);
    if (code == APF_OK)
        code = supplement_matches_make(&matches, view, &in->supplement->samples, error);
    if (code == APF_OK)
        code = correct_all(&c, &matches, error);
    supplement_matches_free(&matches);
    return code;
}

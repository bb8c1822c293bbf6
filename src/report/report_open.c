/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes reports: opens profiles, merges those that are several, and calls the collectors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/jobs.h>

#include "base/error.h"
#include "base/options.h"
#include "report/report.h"

/* Profiles that are one: opened, or merged. */
struct profile_set {
    struct apf_instr *instr;
    struct apf_merge *merge; /* whose view `instr` is, or NULL */
    const struct apf_sample *sample;
    struct apf_sample *opened; /* which `sample` is, or NULL */
    struct apf_sample_merge *sample_merge;
};

static void close_set(struct profile_set *s)
{
    if (!s->merge)
        apf_instr_close(s->instr);
    apf_merge_free(s->merge);
    apf_sample_close(s->opened);
    apf_sample_merge_free(s->sample_merge);
}

/* Fails with the error of an input, which no other one makes up for. */
static int nothing_left(int code, struct apf_str name, const struct apf_error *why, struct apf_error *error)
{
    if (why && error)
        *error = *why;
    return error_file(error, code, name.p, name.n);
}

static int check_left(const struct apf_merge *merge, struct apf_error *error)
{
    const struct apf_merge_stats *s = apf_merge_stats(merge);
    const struct apf_input_result *first = apf_merge_input(merge, 0);
    return s->n_merged + s->n_salvaged || !first
               ? APF_OK
               : nothing_left(first->code, first->name, first->error, error);
}

static int check_samples_left(const struct apf_sample_merge *merge, struct apf_error *error)
{
    const struct apf_sample_merge_stats *s = apf_sample_merge_stats(merge);
    const struct apf_sample_input_result *first = apf_sample_merge_input(merge, 0);
    return s->n_merged + s->n_salvaged || !first
               ? APF_OK
               : nothing_left(first->code, first->name, first->error, error);
}

static int open_instr(struct profile_set *s, const struct apf_input *inputs, size_t n,
                      const struct apf_options *common, struct apf_error *error)
{
    const struct apf_tolerance all = {APF_FAIL_WARN, 0};
    const struct apf_merge_options options = {.size = sizeof options,
                                              .options = common,
                                              .flags = APF_MERGE_NO_TRACES | APF_MERGE_FIND_LOSSES,
                                              .tolerance = &all};
    if (n == 1)
        return apf_instr_open(&s->instr, inputs, common, error);
    int code = apf_merge_new(&s->merge, &options, error);
    if (code == APF_OK)
        code = apf_merge_add(s->merge, inputs, n, error);
    if (code == APF_OK)
        code = check_left(s->merge, error);
    return code == APF_OK ? apf_merge_view(s->merge, &s->instr, error) : code;
}

static int open_sample(struct profile_set *s, const struct apf_input *inputs, size_t n,
                       const struct apf_options *common, struct apf_error *error)
{
    const struct apf_tolerance all = {APF_FAIL_WARN, 0};
    const struct apf_sample_read_options read = {.size = sizeof read, .options = common};
    const struct apf_sample_merge_options options = {
        .size = sizeof options, .options = common, .flags = APF_SAMPLE_MERGE_FIND_LOSSES, .tolerance = &all};
    if (n == 1) {
        const int code = apf_sample_open(&s->opened, inputs, &read, error);
        s->sample = s->opened;
        return code;
    }
    int code = apf_sample_merge_new(&s->sample_merge, &options, error);
    if (code == APF_OK)
        code = apf_sample_merge_add(s->sample_merge, inputs, n, error);
    if (code == APF_OK)
        code = check_samples_left(s->sample_merge, error);
    return code == APF_OK ? apf_sample_merge_view(s->sample_merge, &s->sample, error) : code;
}

static int open_set(struct profile_set *s, uint32_t family, const struct apf_input *inputs, size_t n,
                    const struct apf_options *common, struct apf_error *error)
{
    *s = (struct profile_set){.instr = NULL};
    if (n == 0)
        return APF_OK;
    return family == REPORT_SAMPLE ? open_sample(s, inputs, n, common, error)
                                   : open_instr(s, inputs, n, common, error);
}

/* ---- what all reports have ---- */

static int new_report(struct apf_report **report, struct apf_report_options *o, struct apf_options *common,
                      const struct apf_report_options *options, struct apf_error *error)
{
    *report = NULL;
    int code = OPTIONS_READ_BOTH(apf_report_options, o, options, common, error);
    if (code == APF_OK && o->n_profiles)
        code = inputs_check(o->profiles, o->n_profiles, error);
    if (code == APF_OK && o->n_base)
        code = inputs_check(o->base, o->n_base, error);
    if (code == APF_OK && o->n_programs)
        code = inputs_check(o->programs, o->n_programs, error);
    struct apf_report *r = code == APF_OK ? calloc(1, sizeof *r) : NULL;
    if (code == APF_OK && !r)
        code = error_memory(error);
    if (code != APF_OK)
        return code;
    r->show_name = o->show_name;
    r->user = o->user;
    r->max_rows = o->max_rows ? o->max_rows : 10;
    if (o->title) {
        const size_t n = strlen(o->title);
        r->title = (struct apf_str){arena_text(&r->arena, o->title, n), n};
    }
    if (!o->title || r->title.p) {
        *report = r;
        return APF_OK;
    }
    apf_report_free(r);
    return error_memory(error);
}

/* Returns the report, or frees it after a failure. */
static int conclude(struct apf_report **report, int code, struct apf_error *error)
{
    if (code == APF_OK)
        code = report_finish(*report, error);
    if (code != APF_OK) {
        apf_report_free(*report);
        *report = NULL;
    }
    return code;
}

/* ---- of files ---- */

/* Makes a title of the names of files: "a.profraw and 5 more, compared with b.profdata". */
static int make_title(struct apf_report *r, const struct apf_report_options *o, struct apf_error *error)
{
    const struct apf_input *lists[2] = {o->profiles, o->base};
    const size_t sizes[2] = {o->n_profiles, o->n_base};
    struct apf_buffer text = {NULL, 0, 0};
    char more[48];
    int failed = 0;
    for (size_t i = 0; i < 2 && sizes[i] && !failed; i++) {
        const struct apf_str name = file_name(lists[i]);
        failed = (i ? apf_buffer_write(&text, ", compared with ", 16) : 0) ||
                 apf_buffer_write(&text, name.p, name.n);
        const int n = snprintf(more, sizeof more, " and %zu more", sizes[i] - 1);
        failed = failed || (sizes[i] > 1 && apf_buffer_write(&text, more, (size_t)n));
    }
    r->title = (struct apf_str){arena_text(&r->arena, text.data, text.n), text.n};
    apf_buffer_free(&text);
    return failed || !r->title.p ? error_memory(error) : APF_OK;
}

/* The family of inputs, by the first one of which it is known. */
static uint32_t family_of(const struct apf_input *inputs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const enum apf_family family = apf_file_family(input_at(inputs, i));
        if (family != APF_FAMILY_NONE)
            return family == APF_FAMILY_SAMPLE ? REPORT_SAMPLE : REPORT_INSTR;
    }
    return REPORT_INSTR;
}

static int collect(struct apf_report *r, const struct profile_set *now, const struct profile_set *base,
                   struct apf_error *error)
{
    int code = APF_OK;
    if (now->merge)
        code = report_read_inputs(r, now->merge, error);
    if (code == APF_OK && now->sample_merge)
        code = report_read_sample_inputs(r, now->sample_merge, error);
    if (code == APF_OK && now->instr)
        code = report_read_instr(r, now->instr, error);
    if (code == APF_OK && now->sample)
        code = report_read_sample(r, now->sample, error);
    if (code == APF_OK && base->instr)
        code = report_compare_instr(r, base->instr, now->instr, error);
    if (code == APF_OK && base->sample)
        code = report_compare_sample(r, base->sample, now->sample, error);
    return code;
}

int apf_report_new(struct apf_report **report, const struct apf_report_options *options,
                   struct apf_error *error)
{
    struct apf_report_options o;
    struct apf_options common;
    struct profile_set now = {.instr = NULL}, base = {.instr = NULL};
    int code = new_report(report, &o, &common, options, error);
    if (code != APF_OK)
        return code;
    struct apf_report *r = *report;
    r->family = family_of(o.profiles, o.n_profiles);
    if (o.n_profiles == 0)
        code = error_plain(error, APF_ARGUMENT, "apf_report_options.profiles", "there is no profile");
    if (code == APF_OK && !o.title)
        code = make_title(r, &o, error);
    if (code == APF_OK)
        code = report_read_facts(r, o.profiles, o.n_profiles, false, &common, error);
    if (code == APF_OK && o.n_base)
        code = report_read_facts(r, o.base, o.n_base, true, &common, error);
    if (code == APF_OK)
        code = open_set(&now, r->family, o.profiles, o.n_profiles, &common, error);
    if (code == APF_OK)
        code = open_set(&base, r->family, o.base, o.n_base, &common, error);
    if (code == APF_OK)
        code = collect(r, &now, &base, error);
    close_set(&now);
    close_set(&base);
    return conclude(report, code, error);
}

/* ---- of merges ---- */

/* Makes the report of a merge, whose caller keeps it. */
static int of_merge(struct apf_report **report, struct profile_set *now,
                    const struct apf_report_options *options, struct apf_error *error)
{
    struct apf_report_options o;
    struct apf_options common;
    struct profile_set base = {.instr = NULL};
    int code = new_report(report, &o, &common, options, error);
    if (code != APF_OK)
        return code;
    struct apf_report *r = *report;
    r->family = now->sample_merge ? REPORT_SAMPLE : REPORT_INSTR;
    if (o.n_profiles)
        code = error_plain(error, APF_ARGUMENT, "apf_report_options.profiles",
                           "a report of a merge has no other profiles");
    if (code == APF_OK && now->merge)
        code = apf_merge_view(now->merge, &now->instr, error);
    if (code == APF_OK && now->sample_merge)
        code = apf_sample_merge_view(now->sample_merge, &now->sample, error);
    if (code == APF_OK)
        code = open_set(&base, r->family, o.base, o.n_base, &common, error);
    if (code == APF_OK)
        code = collect(r, now, &base, error);
    close_set(&base);
    return conclude(report, code, error);
}

int apf_report_of_merge(struct apf_report **report, struct apf_merge *merge,
                        const struct apf_report_options *options, struct apf_error *error)
{
    struct profile_set now = {.merge = merge};
    return of_merge(report, &now, options, error);
}

int apf_report_of_sample_merge(struct apf_report **report, struct apf_sample_merge *merge,
                               const struct apf_report_options *options, struct apf_error *error)
{
    struct profile_set now = {.sample_merge = merge};
    return of_merge(report, &now, options, error);
}

/* ---- of comparisons ---- */

/* Begins the report of a comparison. */
static int begin_comparison(struct apf_report **report, const struct apf_report_options *options,
                            struct apf_error *error)
{
    struct apf_report_options o;
    struct apf_options common;
    int code = new_report(report, &o, &common, options, error);
    if (code != APF_OK || (!o.n_profiles && !o.n_base))
        return code;
    apf_report_free(*report);
    *report = NULL;
    return error_plain(error, APF_ARGUMENT, "apf_report_options.profiles",
                       "a report of a comparison has no other profiles");
}

int apf_report_of_diff(struct apf_report **report, const struct apf_diff *diff,
                       const struct apf_report_options *options, struct apf_error *error)
{
    const int code = begin_comparison(report, options, error);
    return code == APF_OK ? conclude(report, report_add_diff(*report, diff, error), error) : code;
}

int apf_report_of_sample_diff(struct apf_report **report, const struct apf_sample_diff *diff,
                              const struct apf_report_options *options, struct apf_error *error)
{
    const int code = begin_comparison(report, options, error);
    if (code != APF_OK)
        return code;
    (*report)->family = REPORT_SAMPLE;
    return conclude(report, report_add_sample_diff(*report, diff, error), error);
}

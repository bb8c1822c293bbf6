/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes reports: opens profiles, merges those that are several, and calls the collectors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/jobs.h>
#include <anyprof/memprof.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "jobs/check_programs.h"
#include "report/report_program.h"
#include "report/report_sources.h"

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
    if (code == APF_OK)
        code = report_list_program(*report, error);
    if (code == APF_OK)
        code = report_drop_names(*report, error);
    if (code != APF_OK) {
        apf_report_free(*report);
        *report = NULL;
    }
    return code;
}

/* ---- what files are ---- */

/* Makes a title of the names of files: "a.profraw and 5 more, compared with b.profdata". */
static int make_title(struct apf_report *r, const struct apf_report_options *o, struct apf_error *error)
{
    const bool has_profiles = o->n_profiles != 0; /* else it is a report of programs */
    const struct apf_input *lists[2] = {has_profiles ? o->profiles : o->programs, o->base};
    const size_t sizes[2] = {has_profiles ? o->n_profiles : o->n_programs, o->n_base};
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

/* The family of files: of the first one of which it is known. */
static uint32_t family_of(const struct apf_report *r, const struct apf_input *inputs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t kind = i < r->files.n ? r->files.data[i].kind : APF_KIND_UNKNOWN;
        if (kind == APF_KIND_BOLT_FDATA || kind == APF_KIND_BOLT_YAML || kind == APF_KIND_BOLT_SAMPLES ||
            kind == APF_KIND_PERF_DATA || kind == APF_KIND_PERF_SCRIPT)
            return REPORT_BOLT;
        if (kind == APF_KIND_ELF)
            return REPORT_PROBES;
        const enum apf_family family = apf_file_family(input_at(inputs, i));
        if (family != APF_FAMILY_NONE)
            return family == APF_FAMILY_SAMPLE ? REPORT_SAMPLE : REPORT_INSTR;
    }
    return REPORT_INSTR;
}

/* The kind of the first file in a role that has one; a file without a byte has none. */
static uint32_t kind_of(const struct apf_report *r, uint32_t role)
{
    for (size_t i = 0; i < r->files.n; i++)
        if (r->files.data[i].role == role && r->files.data[i].kind != APF_KIND_EMPTY)
            return r->files.data[i].kind;
    return APF_KIND_UNKNOWN;
}

/* ---- profiles of BOLT, and probes ---- */

static int collect_sources(struct apf_report *r, const struct report_sources *s, struct apf_error *error)
{
    return r->family == REPORT_BOLT ? report_read_bolt(r, s, error)
                                    : report_read_probes(r, s->inputs, s->n, s->common, error);
}

/* Adds the inputs of the other side of a comparison that have losses. */
static int add_losses(struct apf_report *r, const struct apf_report *base, struct apf_error *error)
{
    for (size_t i = 0; i < base->inputs.n; i++)
        if (base->inputs.data[i].fate < REPORT_EMPTY &&
            !report_add_input(r, &base->inputs.data[i], base->inputs.data[i].why.p))
            return error_memory(error);
    return report_sort_inputs(r, error);
}

/* Collects the other side of a comparison as a report of its own, and compares. */
static int compare_sources(struct apf_report *r, const struct report_sources *s, struct apf_error *error)
{
    struct apf_report *base = (struct apf_report *)calloc(1, sizeof *base);
    if (!base)
        return error_memory(error);
    base->family = r->family;
    int code = collect_sources(base, s, error);
    if (code == APF_OK)
        code = add_losses(r, base, error);
    if (code == APF_OK)
        code = report_compare_functions(r, base, error);
    apf_report_free(base);
    return code;
}

static int read_sources(struct apf_report *r, const struct apf_report_options *o,
                        const struct apf_options *common, struct apf_error *error)
{
    struct report_sources s = {.inputs = o->profiles,
                               .n = o->n_profiles,
                               .kind = kind_of(r, REPORT_SUBJECT),
                               .programs = o->programs,
                               .n_programs = o->n_programs,
                               .common = common};
    int code = APF_OK;
    if (s.n == 0) { /* programs alone */
        s.inputs = s.programs;
        s.n = s.n_programs;
    } else if (r->family == REPORT_PROBES && s.n_programs) {
        code = error_plain(error, APF_ARGUMENT, "apf_report_options.programs",
                           "a program is not compared with programs; give it as a profile to compare with");
    }
    if (code == APF_OK)
        code = collect_sources(r, &s, error);
    s.inputs = o->base;
    s.n = o->n_base;
    s.kind = kind_of(r, REPORT_BASE);
    if (s.kind == APF_KIND_BOLT_FDATA || s.kind == APF_KIND_BOLT_YAML)
        s.n_programs = 0; /* they are for the samples that it is compared with */
    return code == APF_OK && s.n ? compare_sources(r, &s, error) : code;
}

/* ---- other profiles ---- */

/* The programs that instrumentation profiles are compared with, which also complete profiles that need one. */
struct programs {
    const struct apf_input *list;
    size_t n;
    struct apf_check_programs *check; /* NULL: none, or they are for sample profiles, or `failure` */
    struct apf_error failure; /* they do not describe the functions that they count, but may have mappings */
    const struct apf_input *file; /* of the only profile; NULL: it is in no file */
};

static int collect_counts(struct apf_report *r, const struct profile_set *now,
                          const struct programs *programs, const struct apf_options *common,
                          struct apf_error *error)
{
    int code = APF_OK;
    if (now->merge)
        code = report_read_inputs(r, now->merge, error);
    if (code == APF_OK && now->sample_merge)
        code = report_read_sample_inputs(r, now->sample_merge, error);
    if (code == APF_OK && now->instr && apf_instr_memprof(now->instr) &&
        apf_instr_info(now->instr)->n_records == 0)
        r->family = REPORT_MEMORY;
    if (code == APF_OK && now->instr)
        code = report_read_instr(r, now->instr, error);
    if (code == APF_OK && now->instr)
        code = report_read_memory(r, now->instr, programs->list, programs->n, common, error);
    if (code == APF_OK && now->sample)
        code = report_read_sample(r, now->sample, error);
    return code;
}

/* Adds what was lost of profiles that others are compared with. */
static int read_base_losses(struct apf_report *r, const struct profile_set *base, struct apf_error *error)
{
    if (!base->merge && !base->sample_merge)
        return APF_OK;
    struct apf_report *other = (struct apf_report *)calloc(1, sizeof *other);
    if (!other)
        return error_memory(error);
    int code = base->merge ? report_read_inputs(other, base->merge, error)
                           : report_read_sample_inputs(other, base->sample_merge, error);
    if (code == APF_OK)
        code = add_losses(r, other, error);
    apf_report_free(other);
    return code;
}

/* Compares memory profiles that have nothing else. */
static int compare_memory(struct apf_report *r, const struct apf_instr *instr,
                          const struct programs *programs, const struct apf_options *common,
                          struct apf_error *error)
{
    struct apf_report *base = (struct apf_report *)calloc(1, sizeof *base);
    if (!base)
        return error_memory(error);
    base->family = r->family;
    int code = report_read_memory(base, instr, programs->list, programs->n, common, error);
    if (code == APF_OK)
        code = report_compare_functions(r, base, error);
    apf_report_free(base);
    return code;
}

/* Compares a profile with the coverage mappings of programs; if they have none either, the first failure counts. */
static int check_mappings(struct apf_report *r, const struct programs *programs,
                          const struct apf_input *input, const struct apf_options *common,
                          struct apf_error *error)
{
    struct apf_error other;
    const int code = report_check_mapping(r, programs->list, programs->n, input, common, &other);
    const bool is_first = code == APF_NO_COVERAGE || code == programs->failure.code;
    if (code != APF_OK && error)
        *error = is_first ? programs->failure : other;
    return is_first ? programs->failure.code : code;
}

/* Compares instrumentation profiles with programs. What was merged is in no file, so that it is written into memory. */
static int check_instr(struct apf_report *r, const struct programs *programs, const struct apf_instr *instr,
                       const struct apf_options *common, struct apf_error *error)
{
    struct apf_buffer text = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&text);
    int code = programs->file ? APF_OK : apf_instr_write_json(instr, &output, error);
    if (code == APF_IO) /* that of a buffer */
        code = error_memory(error);
    const struct apf_input written = apf_input_memory(text.data, text.n, "the merged profile");
    const struct apf_input *input = programs->file ? programs->file : &written;
    if (code == APF_OK)
        code = programs->check ? report_check_instr(r, programs->check, input, common, error)
                               : check_mappings(r, programs, input, common, error);
    apf_buffer_free(&text);
    return code;
}

static int collect(struct apf_report *r, const struct profile_set *now, const struct profile_set *base,
                   const struct programs *programs, const struct apf_options *common, struct apf_error *error)
{
    int code = collect_counts(r, now, programs, common, error);
    if (code == APF_OK)
        code = read_base_losses(r, base, error);
    if (code == APF_OK && base->instr)
        code = r->family == REPORT_MEMORY ? compare_memory(r, base->instr, programs, common, error)
                                          : report_compare_instr(r, base->instr, now->instr, error);
    if (code == APF_OK && base->sample)
        code = report_compare_sample(r, base->sample, now->sample, error);
    if (code != APF_OK || !programs->n || r->family == REPORT_MEMORY)
        return code;
    return now->sample ? report_check_sample(r, programs->list, programs->n, common, error)
                       : check_instr(r, programs, now->instr, common, error);
}

/* Opens the programs of instrumentation profiles. */
static int open_programs(struct programs *p, uint32_t family, const struct apf_report_options *o,
                         struct apf_options *common, struct apf_error *error)
{
    *p = (struct programs){.list = o->programs, .n = o->n_programs};
    if (!p->n || family != REPORT_INSTR)
        return APF_OK;
    const int code = apf_check_programs_open(&p->check, p->list, p->n, common, &p->failure);
    if (code == APF_UNABLE_TO_CORRELATE || code == APF_BAD_ELF || code == APF_UNSUPPORTED)
        return APF_OK;
    if (code != APF_OK && error)
        *error = p->failure;
    if (code == APF_OK && !common->correlation)
        common->correlation = &p->check->source;
    return code;
}

static int read_profiles(struct apf_report *r, const struct apf_report_options *o, struct apf_options *common,
                         struct apf_error *error)
{
    struct profile_set now = {.instr = NULL}, base = {.instr = NULL};
    struct programs programs;
    int code = open_programs(&programs, r->family, o, common, error);
    programs.file = o->n_profiles == 1 ? o->profiles : NULL;
    if (code == APF_OK)
        code = open_set(&now, r->family, o->profiles, o->n_profiles, common, error);
    if (code == APF_OK)
        code = open_set(&base, r->family, o->base, o->n_base, common, error);
    if (code == APF_OK)
        code = collect(r, &now, &base, &programs, common, error);
    close_set(&now);
    close_set(&base);
    apf_check_programs_close(programs.check);
    return code;
}

/* ---- of files ---- */

/* A list of inputs in which standard input was read: it is needed several times. */
struct kept {
    struct apf_input *list;
    struct file_bytes bytes;
};

static int keep_stdin(struct kept *kept, const struct apf_input **inputs, size_t n,
                      const struct apf_options *common, struct apf_error *error)
{
    size_t i = 0;
    *kept = (struct kept){.list = NULL};
    while (i < n && !(input_at(*inputs, i)->path && strcmp(input_at(*inputs, i)->path, "-") == 0))
        i++;
    if (i == n)
        return APF_OK;
    int code = file_read_packed(&kept->bytes, input_at(*inputs, i), options_max_bytes(common), error);
    if (code != APF_OK)
        return file_error(error, code, input_at(*inputs, i), i);
    kept->list = (struct apf_input *)calloc(n, sizeof *kept->list);
    if (!kept->list)
        return error_memory(error);
    for (size_t k = 0; k < n; k++)
        kept->list[k] = input_copy(input_at(*inputs, k));
    kept->list[i].path = NULL;
    kept->list[i].data = kept->bytes.data;
    kept->list[i].n = kept->bytes.n;
    kept->list[i].name = "standard input";
    *inputs = kept->list;
    return APF_OK;
}

static void free_kept(struct kept *kept)
{
    free(kept->list);
    file_bytes_free(&kept->bytes);
}

/* Refuses to compare instrumentation profiles with sample profiles. */
static int check_families(const struct apf_report *r, const struct apf_report_options *o,
                          struct apf_error *error)
{
    const bool samples = r->family == REPORT_SAMPLE;
    for (size_t i = 0; i < o->n_base && (samples || r->family == REPORT_INSTR); i++) {
        const enum apf_family family = apf_file_family(input_at(o->base, i));
        if (family != (samples ? APF_FAMILY_INSTR : APF_FAMILY_SAMPLE))
            continue;
        const struct apf_str name = file_name(input_at(o->base, i));
        return error_file(error,
                          error_plain(error, APF_ARGUMENT, "apf_report_options.base",
                                      "instrumentation and sample profiles cannot be compared"),
                          name.p, name.n);
    }
    return APF_OK;
}

static int read_all(struct apf_report *r, struct apf_report_options *o, struct apf_options *common,
                    struct apf_error *error)
{
    struct kept profiles, base = {.list = NULL};
    int code = keep_stdin(&profiles, &o->profiles, o->n_profiles, common, error);
    if (code == APF_OK)
        code = keep_stdin(&base, &o->base, o->n_base, common, error);
    if (code == APF_OK)
        code = report_read_facts(r, o->profiles, o->n_profiles, REPORT_SUBJECT, common, error);
    r->family = o->n_profiles ? family_of(r, o->profiles, o->n_profiles) : REPORT_PROBES;
    if (code == APF_OK)
        code = check_families(r, o, error);
    if (code == APF_OK && o->n_base)
        code = report_read_facts(r, o->base, o->n_base, REPORT_BASE, common, error);
    if (code == APF_OK && o->n_programs)
        code = report_read_facts(r, o->programs, o->n_programs, REPORT_PROGRAM, common, error);
    if (code == APF_OK)
        code = r->family == REPORT_BOLT || r->family == REPORT_PROBES ? read_sources(r, o, common, error)
                                                                      : read_profiles(r, o, common, error);
    free_kept(&profiles);
    free_kept(&base);
    return code;
}

int apf_report_new(struct apf_report **report, const struct apf_report_options *options,
                   struct apf_error *error)
{
    struct apf_report_options o;
    struct apf_options common;
    int code = new_report(report, &o, &common, options, error);
    if (code != APF_OK)
        return code;
    struct apf_report *r = *report;
    if (o.n_profiles + o.n_programs == 0)
        code = error_plain(error, APF_ARGUMENT, "apf_report_options.profiles", "there is no profile");
    if (code == APF_OK && !o.title)
        code = make_title(r, &o, error);
    if (code == APF_OK)
        code = read_all(r, &o, &common, error);
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
    struct programs programs = {.list = NULL};
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
        code = open_programs(&programs, r->family, &o, &common, error);
    if (code == APF_OK)
        code = open_set(&base, r->family, o.base, o.n_base, &common, error);
    if (code == APF_OK)
        code = collect(r, now, &base, &programs, &common, error);
    close_set(&base);
    apf_check_programs_close(programs.check);
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

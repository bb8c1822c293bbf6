/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens profiles of BOLT, or makes one in memory of samples and their program. */
#include <anyprof/bolt.h>
#include <anyprof/jobs.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "report/report_sources.h"

struct bolt_profile {
    struct apf_fdata *fdata;
    struct apf_bolt_yaml *yaml;
};

static void close_profile(struct bolt_profile *p)
{
    apf_fdata_free(p->fdata);
    apf_bolt_yaml_free(p->yaml);
}

static int new_profile(struct bolt_profile *p, const struct apf_options *common, struct apf_error *error)
{
    *p = (struct bolt_profile){NULL, NULL};
    const int code = apf_fdata_new(&p->fdata, common, error);
    return code == APF_OK ? apf_bolt_yaml_new(&p->yaml, common, error) : code;
}

/* ---- profiles ---- */

static int collect_profile(struct apf_report *r, const struct bolt_profile *p, struct apf_error *error)
{
    return apf_bolt_yaml_info(p->yaml)->known ? report_read_bolt_yaml(r, p->yaml, error)
                                              : report_read_fdata(r, p->fdata, error);
}

/* Sets how many functions and counts an input has, which are those of a report of it alone. */
static int measure_input(struct report_input *fate, const struct bolt_profile *p, struct apf_error *error)
{
    struct apf_report *alone = (struct apf_report *)calloc(1, sizeof *alone);
    if (!alone)
        return error_memory(error);
    alone->family = REPORT_BOLT;
    const int code = collect_profile(alone, p, error);
    fate->functions = alone->functions.n;
    fate->counts = alone->total;
    apf_report_free(alone);
    return code;
}

/* Reads one of several inputs alone, and adds what becomes of it: one that is bad would spoil the profile of all. */
static int try_input(struct apf_report *r, const struct apf_input *input, const struct apf_options *common,
                     bool *good, struct apf_error *error)
{
    struct bolt_profile p;
    struct apf_error failure = {.message = ""};
    struct report_input fate = {.name = file_name(input), .fate = REPORT_MERGED};
    int code = new_profile(&p, common, error);
    if (code == APF_OK) {
        const int result = apf_bolt_read(p.fdata, p.yaml, input, 1, &failure);
        const struct apf_fdata_info *fdata = apf_fdata_info(p.fdata);
        *good = result == APF_OK;
        if (result == APF_NO_MEMORY || result == APF_STOPPED) {
            if (error)
                *error = failure;
            code = result;
        } else if (result != APF_OK) {
            fate = (struct report_input){.name = fate.name, .fate = REPORT_LOST};
        } else if (fdata->n_empty) {
            fate.fate = REPORT_EMPTY;
        } else {
            code = measure_input(&fate, &p, error);
        }
        if (code == APF_OK && !report_add_input(r, &fate, failure.message))
            code = error_memory(error);
    }
    close_profile(&p);
    return code;
}

/* Reads inputs of which some may be bad. */
static int read_several(struct apf_report *r, struct bolt_profile *p, const struct report_sources *s,
                        struct apf_error *error)
{
    struct apf_options quiet = *s->common;
    struct apf_input *good = (struct apf_input *)calloc(s->n, sizeof *good);
    size_t n = 0;
    int code = good ? APF_OK : error_memory(error);
    quiet.diag = NULL; /* findings are reported when all are read */
    for (size_t i = 0; code == APF_OK && i < s->n; i++) {
        bool is_good = false;
        code = try_input(r, input_at(s->inputs, i), &quiet, &is_good, error);
        if (is_good)
            good[n++] = input_copy(input_at(s->inputs, i));
    }
    if (code == APF_OK) /* if none is good, the failure of one */
        code = apf_bolt_read(p->fdata, p->yaml, n ? good : s->inputs, n ? n : 1, error);
    free(good);
    return code == APF_OK ? report_sort_inputs(r, error) : code;
}

/* ---- samples ---- */

static int convert(struct bolt_profile *p, const struct report_sources *s, uint32_t flags,
                   struct apf_bolt_funnel *funnel, struct apf_error *error)
{
    const struct apf_bolt_convert_options options = {
        .size = sizeof options, .options = s->common, .flags = flags};
    *funnel = (struct apf_bolt_funnel){.size = sizeof *funnel};
    return apf_bolt_convert(p->fdata, NULL, s->programs, s->inputs, s->n, &options, funnel, error);
}

/* Makes a profile of samples; of those of instructions where there are no branches. */
static int convert_samples(struct apf_report *r, struct bolt_profile *p, const struct report_sources *s,
                           struct apf_error *error)
{
    const uint32_t flags = s->kind == APF_KIND_PERF_DATA     ? APF_BOLT_CONVERT_PERF_DATA
                           : s->kind == APF_KIND_PERF_SCRIPT ? APF_BOLT_CONVERT_PERF_SCRIPT
                                                             : 0;
    struct apf_bolt_funnel funnel;
    if (s->n_programs != 1) {
        const int wrong = error_plain(error, APF_ARGUMENT, "apf_report_options.programs",
                                      "a report of samples needs the one program that was sampled");
        return file_error(error, wrong, s->inputs, 0);
    }
    int code = convert(p, s, flags, &funnel, error);
    if (code == APF_OK && !funnel.edges && (funnel.other_mode || funnel.samples_empty)) {
        close_profile(p);
        code = new_profile(p, s->common, error);
        if (code == APF_OK)
            code = convert(p, s, flags | APF_BOLT_CONVERT_BASIC, &funnel, error);
    }
    if (code != APF_OK)
        return code;
    const bool ok =
        report_add_funnel(r, &funnel) &&
        (funnel.edges || report_add_note(r, "no sample is in the program, so that the profile is empty: "
                                            "is this the program that was recorded?"));
    return ok ? APF_OK : error_memory(error);
}

/* ---- both ---- */

int report_read_bolt(struct apf_report *r, const struct report_sources *s, struct apf_error *error)
{
    struct bolt_profile p;
    const bool is_profile = !report_is_samples(s->kind);
    int code = new_profile(&p, s->common, error);
    if (code == APF_OK && is_profile && s->n_programs)
        code =
            file_error(error,
                       error_plain(error, APF_ARGUMENT, "apf_report_options.programs",
                                   "a profile of BOLT is not compared with programs; give the samples that "
                                   "it was made of, to see how much of them it has"),
                       s->inputs, 0);
    if (code == APF_OK && !is_profile)
        code = convert_samples(r, &p, s, error);
    else if (code == APF_OK && s->n > 1)
        code = read_several(r, &p, s, error);
    else if (code == APF_OK)
        code = apf_bolt_read(p.fdata, p.yaml, s->inputs, s->n, error);
    if (code == APF_OK)
        code = collect_profile(r, &p, error);
    close_profile(&p);
    return code;
}

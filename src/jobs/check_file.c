/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks a file: detects its kind, and then runs the checks of its format. */
#include "jobs/check_file.h"

#include <anyprof/merge.h>

#include "base/options.h"
#include "instr/check/check.h"
#include "instr/merge/merge.h"
#include "instr/open/partial_profile.h"
#include "instr/text/text_read.h"
#include "jobs/check_against.h"
#include "jobs/file_detect.h"
#include "jobs/file_kinds.h"
#include "partial/partial_read.h"
#include "sample/check/sample_check.h"
#include "sample/merge/sample_merge.h"
#include "sample/open/sample_partial_open.h"
#include "sample/read/sample_formats.h"

/* Reports a file that is no profile as a finding. */
static int check_kind(struct check *c, const struct apf_file_info *info)
{
    struct apf_error e;
    const char *what = apf_file_kind_name(info->kind), *hint = NULL;
    if (info->contents & APF_ELF_INSTRUMENTED)
        hint = "an instrumented program: it is no profile, but --against=PROGRAM checks profiles against it";
    else if (info->contents & APF_ELF_PROBES)
        hint = "a program with pseudo probes: 'anyprof probes verify' checks those";
    else if (info->contents & APF_ELF_BAT)
        hint = "a program that BOLT has optimised: 'anyprof bat verify' checks its address translation";
    switch (info->kind) {
    case APF_KIND_EMPTY:
        error_set_plain(&e, APF_EMPTY_PROFILE, "file.size", NULL);
        break;
    case APF_KIND_ELF:
        error_set_plain(&e, APF_UNSUPPORTED, "file", "this is %s%s", hint ? hint : what,
                        hint ? "" : ", no profile: give a profile, and a program with --against=PROGRAM");
        break;
    case APF_KIND_UNKNOWN:
        error_set_plain(&e, APF_UNRECOGNIZED_FORMAT, "file", "this is no profile of a known kind");
        break;
    default:
        error_set_plain(&e, APF_UNRECOGNIZED_FORMAT, "file", "this is %s, no profile that is checked", what);
        break;
    }
    check_failure(c, &e);
    return c->code;
}

/* Checks a sample profile. */
static int check_samples(struct check *c, const struct file_bytes *f, const struct apf_options *options,
                         bool against, struct apf_error *error)
{
    struct sample_read_options limits;
    struct apf_options common;
    struct apf_error e;
    struct apf_sample_read_options wanted = {.size = sizeof wanted, .options = options};
    int code = sample_read_options_resolve(&limits, &wanted, &common, error);
    if (code != APF_OK)
        return code;
    if (against) {
        error_set_plain(&e, APF_UNSUPPORTED, "against",
                        "sample profiles are not compared with programs: leave out --against");
        check_failure(c, &e);
    }
    return sample_check(c, &limits, f->data, f->n);
}

/* ---- partial profiles ---- */

static void refuse_program(struct check *c, const struct apf_check_programs *against)
{
    struct apf_error e;
    if (!against)
        return;
    error_set_plain(
        &e, APF_UNSUPPORTED, "against",
        "partial profiles are not compared with programs: merge it first, or leave out --against");
    check_failure(c, &e);
}

/* Inputs that were lost when the file was made are notes. */
static void note_lost(struct check *c, const struct inputs *in)
{
    for (size_t i = 0; i < in->list.n; i++) {
        const struct kept_input *input = &in->list.data[i];
        struct apf_error e;
        if (!input->error)
            continue;
        error_set_plain(&e, input->code, "partial.input", "input %.*s was lost",
                        (int)(input->name.n < 200 ? input->name.n : 200), input->name.p);
        check_failure_as(c, APF_SEVERITY_NOTE, &e);
    }
}

/* Reports that a partial profile could not be opened. */
static int refuse_partial(struct check *c, int code, const struct apf_error *e)
{
    if (code == APF_NO_MEMORY)
        check_memory(c);
    else
        check_failure(c, e);
    return c->code;
}

static const struct apf_tolerance all_lost = {APF_FAIL_WARN, 0};

/* Checks a partial profile. All of it has checksums: either it can be read, or it cannot. */
static int check_partial(struct check *c, const struct file_bytes *f, const struct apf_options *options,
                         const struct apf_check_programs *against)
{
    struct apf_instr *instr;
    struct apf_error e;
    refuse_program(c, against);
    int code = partial_profile_open(&instr, f->data, f->n, options, &all_lost, &e);
    if (code != APF_OK)
        return refuse_partial(c, code, &e);
    c->n_records += instr->records.n;
    note_lost(c, &instr->owner->kept);
    apf_instr_close(instr);
    return c->code;
}

/* Likewise. */
static int check_partial_samples(struct check *c, const struct file_bytes *f,
                                 const struct apf_options *options, const struct apf_check_programs *against)
{
    struct apf_sample *s;
    struct apf_error e;
    refuse_program(c, against);
    int code = sample_partial_open(&s, f->data, f->n, NULL, options, &all_lost, &e);
    if (code != APF_OK)
        return refuse_partial(c, code, &e);
    c->n_records += s->info.n_functions;
    note_lost(c, &s->owner->kept);
    apf_sample_close(s);
    return c->code;
}

/* Checks an instrumentation profile. */
static int check_counts(struct check *c, const struct file_bytes *f, const struct read_options *limits,
                        const struct apf_check_programs *against, struct apf_check_verdict *verdict)
{
    struct read_options options = *limits;
    options.stored = f->stored;
    if (against)
        options.correlation = &against->source;
    int code = instr_check(c, &options, f->data, f->n);
    return code == APF_OK && against ? check_against(c, &options, f->data, f->n, against, verdict) : code;
}

static int check_bytes(struct check *c, struct file_bytes *f, const struct apf_input *input,
                       const struct apf_check_programs *against, const struct apf_options *options,
                       struct apf_check_verdict *verdict, struct apf_error *error)
{
    struct apf_file_info info;
    struct apf_error failure;
    struct read_options limits = read_options_resolve(options);
    int code = file_detect(&info, f, input, limits.max_bytes, &failure);
    if (code == APF_OK && info.compression && info.kind == info.compression) {
        code = file_unpack(f, limits.max_bytes, &failure); /* only for the error */
        if (code == APF_OK)                                /* the unpacked file is compressed, too */
            return check_kind(c, &info);
    }
    if (code == APF_NO_MEMORY)
        return error_memory(error);
    if (code != APF_OK) {
        check_failure(c, &failure);
        return c->code;
    }
    if (info.kind == APF_KIND_INSTR_TEXT && !text_read_begins(f->data, f->n))
        info.kind = APF_KIND_UNKNOWN; /* any other text; a text profile reports its damage instead */
    bool lost_samples = (info.kind == APF_KIND_EMPTY || info.kind == APF_KIND_UNKNOWN) &&
                        apf_path_family(c->source.p) == APF_FAMILY_SAMPLE;
    if (!file_kind_has(info.kind, KIND_CHECKED) && !lost_samples)
        return check_kind(c, &info);
    if (info.kind == APF_KIND_PARTIAL_SAMPLE || partial_names(f->data, f->n) == APF_FAMILY_SAMPLE)
        return check_partial_samples(c, f, options, against);
    if (info.kind == APF_KIND_PARTIAL)
        return check_partial(c, f, options, against);
    return lost_samples || file_kind_has(info.kind, KIND_SAMPLES)
               ? check_samples(c, f, options, against != NULL, error)
               : check_counts(c, f, &limits, against, verdict);
}

int check_file(const struct apf_input *input, uint64_t number, const struct apf_check_programs *against,
               const struct apf_options *options, struct file_bytes *f, struct apf_check_verdict *verdict,
               struct apf_error *error)
{
    struct check c = {.diag = options->diag,
                      .user = options->user,
                      .input = number,
                      .source = file_name(input),
                      .error = error};
    int code = check_bytes(&c, f, input, against, options, verdict, error);
    verdict->n_files++;
    verdict->n_bad_files += c.n[APF_SEVERITY_ERROR] || c.n[APF_SEVERITY_WARNING];
    verdict->n_errors += c.n[APF_SEVERITY_ERROR];
    verdict->n_warnings += c.n[APF_SEVERITY_WARNING];
    verdict->n_notes += c.n[APF_SEVERITY_NOTE];
    verdict->n_records += c.n_records;
    return code;
}

int apf_check(const struct apf_input *input, const struct apf_check_programs *against,
              const struct apf_options *options, struct apf_check_verdict *verdict, struct apf_error *error)
{
    struct apf_options o;
    struct apf_check_verdict sum;
    struct file_bytes f = {0};
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = OPTIONS_READ(apf_check_verdict, &sum, verdict, error); /* the caller's sums so far */
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code != APF_OK)
        return code;
    code = check_file(input, 0, against, &o, &f, &sum, error);
    result_fill(verdict, sizeof sum, &sum);
    file_bytes_free(&f);
    return file_error(error, code, input, 0);
}

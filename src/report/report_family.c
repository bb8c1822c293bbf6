/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report/report_family.h"

#include <anyprof/jobs.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"

/* The most bytes of a name in a message, which has room for two of them. */
#define SHOWN 80

/* ---- one file ---- */

static struct report_kind kind_of(uint32_t kind, const struct apf_input *input, size_t i)
{
    if (kind == APF_KIND_BOLT_FDATA || kind == APF_KIND_BOLT_YAML || kind == APF_KIND_BOLT_SAMPLES ||
        kind == APF_KIND_PERF_DATA || kind == APF_KIND_PERF_SCRIPT)
        return (struct report_kind){REPORT_BOLT, kind, i};
    if (kind == APF_KIND_ELF)
        return (struct report_kind){REPORT_PROBES, 0, i};
    const enum apf_family family = apf_file_family(input);
    return (struct report_kind){family == APF_FAMILY_SAMPLE  ? REPORT_SAMPLE
                                : family == APF_FAMILY_INSTR ? REPORT_INSTR
                                                             : REPORT_NO_FAMILY,
                                0, i};
}

static const char *phrase_of(const struct report_kind *k)
{
    return k->family == REPORT_INSTR    ? "an instrumentation profile"
           : k->family == REPORT_SAMPLE ? "a sample profile"
           : k->family == REPORT_PROBES ? "a program"
                                        : apf_file_kind_name((enum apf_file_kind)k->kind);
}

/* ---- all files ---- */

/* Files of a role. */
struct role {
    const struct apf_input *inputs;
    size_t n;
    size_t first_file; /* whose facts are the first one's of this role */
    const char *where;
};

/* The end of a file's name, as much as a message has room for. *dots: what stands before it. */
static struct apf_str shown_end(const struct apf_input *input, const char **dots)
{
    const struct apf_str name = file_name(input);
    const size_t cut = name.n > SHOWN ? name.n - SHOWN : 0;
    *dots = cut ? "..." : "";
    return (struct apf_str){name.p + cut, name.n - cut};
}

/* Says of a file that it does not go together with another one. */
static int refuse(const struct apf_input *input, const struct report_kind *is, const struct apf_input *other,
                  const struct report_kind *is_other, const char *where, const char *why,
                  struct apf_error *error)
{
    const char *dots;
    const struct apf_str name = shown_end(other, &dots);
    if (is->family == REPORT_PROBES || is_other->family == REPORT_PROBES)
        where = "apf_report_options.programs"; /* where it should be */
    const int code = error_plain(error, APF_ARGUMENT, where, "this is %s, but %s%.*s is %s: %s",
                                 phrase_of(is), dots, (int)name.n, name.p, phrase_of(is_other), why);
    return file_error(error, code, input, is->input);
}

/* The kind of file i of a role. */
static struct report_kind kind_at(const struct apf_report *r, const struct role *role, size_t i)
{
    const struct apf_input *input = input_at(role->inputs, i);
    const bool is_read = i < REPORT_FILES && role->first_file + i < r->files.n;
    return kind_of(is_read ? r->files.data[role->first_file + i].kind : (uint32_t)apf_file_glance(input),
                   input, i);
}

/* Refuses programs beside those that are the subject, or that were given where a profile should be. */
static int refuse_programs(const struct apf_report *r, const struct apf_report_options *o,
                           const struct role *programs, struct apf_error *error)
{
    const char *dots;
    const struct apf_str name = shown_end(input_at(programs->inputs, 0), &dots);
    const int code =
        kind_at(r, programs, 0).family == REPORT_PROBES
            ? error_plain(error, APF_ARGUMENT, "apf_report_options.programs",
                          "a program is not compared with programs; give the other one as a profile to "
                          "compare with")
            : error_plain(error, APF_ARGUMENT, programs->where,
                          "this is a program, and %s%.*s is none: they are mixed up", dots, (int)name.n,
                          name.p);
    return file_error(error, code, o->profiles, 0);
}

static int find_kind(const struct apf_report *r, const struct role *role, struct report_kind *found,
                     struct apf_error *error)
{
    *found = (struct report_kind){REPORT_NO_FAMILY, 0, 0};
    for (size_t i = 0; i < role->n; i++) {
        const struct apf_input *input = input_at(role->inputs, i);
        const struct report_kind k = kind_at(r, role, i);
        if (found->family == REPORT_NO_FAMILY)
            *found = k;
        else if (k.family != REPORT_NO_FAMILY && (k.family != found->family || k.kind != found->kind))
            return refuse(input, &k, input_at(role->inputs, found->input), found, role->where,
                          "such profiles cannot be merged", error);
    }
    return APF_OK;
}

/* How many of n files were read. */
static size_t files_of(size_t n)
{
    return n < REPORT_FILES ? n : REPORT_FILES;
}

int report_find_kinds(const struct apf_report *r, const struct apf_report_options *o,
                      struct report_kind *profiles, struct report_kind *base, struct apf_error *error)
{
    const size_t n_files[2] = {files_of(o->n_profiles), files_of(o->n_base)};
    const struct role profiles_role = {o->profiles, o->n_profiles, 0, "apf_report_options.profiles.kinds"};
    const struct role base_role = {o->base, o->n_base, n_files[0], "apf_report_options.base.kinds"};
    const struct role programs_role = {o->programs, o->n_programs, n_files[0] + n_files[1],
                                       "apf_report_options.programs.kinds"};
    const struct role *subject = o->n_profiles ? &profiles_role : &programs_role;
    int code = find_kind(r, subject, profiles, error);
    if (code == APF_OK)
        code = find_kind(r, &base_role, base, error);
    if (code == APF_OK && profiles->family == REPORT_PROBES && o->n_profiles && o->n_programs)
        code = refuse_programs(r, o, &programs_role, error);
    if (code != APF_OK || profiles->family == REPORT_NO_FAMILY || base->family == REPORT_NO_FAMILY ||
        profiles->family == base->family)
        return code;
    return refuse(input_at(o->base, base->input), base, input_at(subject->inputs, profiles->input), profiles,
                  "apf_report_options.base", "such profiles cannot be compared", error);
}

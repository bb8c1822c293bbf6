/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/instr.h>
#include <anyprof/jobs.h>

#include "memory.h"
#include "places.h"
#include "streams.h"

/* ---- the request ---- */

/* The program, which is the first argument, and those of --object. */
static void set_programs(struct cov_request *r, const struct arguments *args)
{
    const struct option_value *objects = &args->values[OPT_COV_OBJECT];
    const size_t own = r->n_own, n = own + objects->n_list;
    const char **paths = (const char **)checked_realloc(NULL, n + 1, sizeof *paths);
    if (own)
        paths[0] = args->files[0];
    for (size_t i = 0; i < objects->n_list; i++)
        paths[own + i] = objects->list[i];
    r->programs = stream_inputs(r->base.session, paths, n);
    r->options.programs = r->programs;
    r->options.n_programs = n;
    free(paths);
}

static int set_profiles(struct cov_request *r, const struct arguments *args)
{
    const int code = cov_profiles_find(&r->profiles, r->base.session, &args->values[OPT_COV_PROFILE]);
    r->options.profiles = r->profiles.inputs;
    r->options.n_profiles = r->profiles.n;
    return code;
}

/* The source files and directories that were named. */
static void set_sources(struct cov_request *r, const struct arguments *args)
{
    const struct option_value *sources = &args->values[OPT_COV_SOURCES];
    const size_t own = args->n_files - r->n_own;
    r->sources = (char **)checked_realloc(NULL, own + sources->n_list + 1, sizeof *r->sources);
    for (size_t i = 0; i < own + sources->n_list; i++)
        r->sources[r->n_sources++] =
            checked_copy(i < own ? args->files[i + r->n_own] : sources->list[i - own]);
}

#define MILLION 1000000u

static void set_gates(struct cov_request *r, const struct arguments *args)
{
    static const enum option_id options[COV_GATES] = {OPT_COV_LEAST_LINES, OPT_COV_LEAST_FUNCTIONS,
                                                      OPT_COV_LEAST_REGIONS, OPT_COV_LEAST_BRANCHES,
                                                      OPT_COV_LEAST_PATCH};
    for (size_t i = 0; i < COV_GATES; i++) {
        r->gates[i].given = args->values[options[i]].place != 0;
        r->gates[i].least = option_number(args, options[i], 0);
    }
}

/* Reads a list of replacements of beginnings of names: FROM and TO with a separator between them. 0, or an exit code
 * after a report. */
static int read_changes(const struct cov_request *r, const struct option_value *given, const char *form,
                        char separator, struct cov_changes *changes)
{
    changes->list = (struct apf_name_change *)checked_realloc(NULL, given->n_list + 1, sizeof *changes->list);
    for (size_t i = 0; i < given->n_list; i++) {
        const char *from = given->list[i], *to = strchr(from, separator);
        if (!to && session_is_llvm(r->base.session)) {
            report_error(r->base.session, NULL,
                         "-path-equivalence: invalid argument '%s', must be in format 'from,to'", from);
            return EXIT_DATA;
        }
        if (!to) {
            report_usage(r->base.session, "%s has two names, not '%s'", form, from);
            return r->base.session->persona->usage_exit;
        }
        changes->list[changes->n++] =
            (struct apf_name_change){{from, (size_t)(to - from)}, {to + 1, strlen(to + 1)}};
    }
    return 0;
}

static int set_changes(struct cov_request *r, const struct arguments *args)
{
    const struct option_value *values = args->values;
    int code =
        read_changes(r, &values[OPT_COV_SOURCE_MAP], "--path-equivalence=FROM,TO", ',', &r->source_map);
    if (code == 0)
        code = read_changes(r, &values[OPT_COV_PREFIX_MAP], "--prefix-map=FROM=TO", '=', &r->prefix_map);
    r->options.source_map = r->source_map.list;
    r->options.n_source_map = r->source_map.n;
    r->options.prefix_maps = r->prefix_map.list;
    r->options.n_prefix_maps = r->prefix_map.n;
    return code;
}

static int set_ignored(struct cov_request *r, const struct arguments *args)
{
    const struct option_value *ignored = &args->values[OPT_COV_IGNORE];
    int code = 0;
    r->ignored = (struct name_pattern *)checked_realloc(NULL, ignored->n_list + 1, sizeof *r->ignored);
    for (size_t i = 0; i < ignored->n_list && code == 0; i++) {
        memset(&r->ignored[i], 0, sizeof *r->ignored);
        code =
            name_pattern_parse(&r->ignored[i], r->base.session, "--ignore-filename-regex", ignored->list[i]);
        r->n_ignored += code == 0;
    }
    return code;
}

/* What shows names. 0, or an exit code after a report. */
static int set_names(struct cov_request *r, const struct arguments *args)
{
    const struct option_value *words = &args->values[OPT_COV_DEMANGLER];
    r->demangles = option_number(args, OPT_DEMANGLE, 0) != 0 || words->n_list;
    if (!words->n_list)
        return r->demangles ? demangler_load(&r->names, r->base.session) : 0;
    r->demangler = (char **)checked_realloc(NULL, words->n_list + 1, sizeof *r->demangler);
    for (size_t i = 0; i < words->n_list; i++)
        r->demangler[i] = checked_copy(words->list[i]);
    r->demangler[words->n_list] = NULL;
    return 0;
}

bool cov_request_replaces(const struct cov_request *r, const struct arguments *args,
                          const struct cov_profiles *profiles)
{
    const struct session *session = r->base.session;
    const struct place places[] = {{"output", r->base.output, false}, {"report", r->report, false}};
    bool found = false;
    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++)
        found = places[i].path && (place_replaces(session, args, SIZE_MAX, &places[i]) ||
                                   place_is_input(session, &places[i], profiles->inputs, profiles->n));
    return found || place_is_shared(session, &places[0], &places[1]);
}

int cov_request_parse(struct cov_request *r, const struct session *session, const struct arguments *args)
{
    const struct option_value *debug = &args->values[OPT_COV_DEBUG_DIRECTORY];
    const int wrong = cov_inputs_check(session, args);
    r->base = request_of(session, args);
    if (wrong)
        return wrong;
    r->n_own = cov_inputs_own(session, args);
    r->common = r->base.limits;
    r->common.threads = (uint32_t)option_number(args, OPT_THREADS, 0);
    r->options = (struct apf_cov_options){.size = sizeof r->options, .options = &r->common};
    const bool compat = option_number(args, OPT_COV_COMPAT, COMPAT_NONE) == COMPAT_LLVM;
    r->options.flags = compat || session_is_llvm(session) ? APF_COV_LLVM : 0;
    r->options.flags |= option_flag(args, OPT_COV_MARKERS) ? APF_COV_MARKERS : 0;
    r->options.flags |= option_flag(args, OPT_COV_BINARY) ? APF_COV_BINARY : 0;
    if (option_number(args, OPT_COV_MERGE_INSTANTIATIONS, INSTANTIATIONS_MAX) == INSTANTIATIONS_UNION)
        r->options.flags |= APF_COV_UNION;
    r->options.compilation_dir = option_text(args, OPT_COV_DIRECTORY, NULL);
    r->report = option_text(args, OPT_COV_REPORT_FILE, NULL);
    r->pages = option_text(args, OPT_COV_OUTPUT_DIR, NULL);
    r->title = option_text(args, OPT_COV_TITLE, NULL);
    if (r->pages && args->values[OPT_OUTPUT].place)
        return report_wrong(session, args, "--output-dir and -o exclude each other");
    if ((r->pages && !*r->pages) || (r->report && !*r->report))
        return report_wrong(session, args, "the name of an output is empty");
    r->options.debug_directories = debug->list;
    r->options.n_debug_directories = debug->n_list;
    r->options.flags |= option_flag(args, OPT_COV_CHECK_IDS) ? APF_COV_CHECK_IDS : 0;
    r->options.architecture = option_text(args, OPT_COV_ARCHITECTURE, NULL);
    const int filter = cov_filter_parse(&r->functions, session, args, (r->options.flags & APF_COV_LLVM) != 0);
    if (filter != 0)
        return filter;
    set_programs(r, args);
    set_gates(r, args);
    set_sources(r, args);
    int code = set_profiles(r, args);
    if (code == 0)
        code = set_names(r, args);
    if (code == 0)
        code = set_changes(r, args);
    if (code == 0 && cov_request_replaces(r, args, &r->profiles))
        code = session->persona->usage_exit;
    return code ? code : set_ignored(r, args);
}

void cov_request_free(struct cov_request *r)
{
    for (size_t i = 0; i < r->n_ignored; i++)
        name_pattern_free(&r->ignored[i]);
    for (size_t i = 0; i < r->n_sources; i++)
        free(r->sources[i]);
    free(r->sources);
    cov_filter_free(&r->functions);
    demangler_free(&r->names);
    for (size_t i = 0; r->demangler && r->demangler[i]; i++)
        free(r->demangler[i]);
    free(r->demangler);
    free(r->ignored);
    free(r->source_map.list);
    free(r->prefix_map.list);
    free(r->name.p);
    free(r->programs);
    cov_profiles_free(&r->profiles);
    cov_sources_free(&r->looked);
}

/* ---- the work ---- */

int cov_request_wants(void *user, struct apf_str name)
{
    struct cov_request *r = (struct cov_request *)user;
    const char *text = name_text_set(&r->name, name);
    for (size_t i = 0; i < r->n_ignored; i++) {
        const int matches = name_pattern_match(&r->ignored[i], text);
        if (matches)
            return matches < 0 ? -1 : 0;
    }
    return 1;
}

static void warn_of(const struct cov_request *r, uint64_t n, uint32_t fit)
{
    const bool left_out = fit > APF_COV_CIRCULAR || r->options.flags & APF_COV_LLVM;
    if (n)
        report_warning(r->base.session, NULL, "%" PRIu64 " function%s %s: %s", n, n == 1 ? "" : "s",
                       left_out ? "left out" : "counted as not executed", apf_cov_fit_text(fit));
}

void cov_request_losses(const struct cov_request *r, const struct apf_cov *cov)
{
    const struct session *session = r->base.session;
    struct apf_cov_stats s = {.size = sizeof s};
    struct apf_error error;
    if (r->base.quiet || apf_cov_stats(cov, &s, &error) != APF_OK)
        return;
    if (session_is_llvm(session)) {
        if (s.mismatched)
            report_warning(session, NULL, "%" PRIu64 " functions have mismatched data", s.mismatched);
        return;
    }
    warn_of(r, s.mismatched, APF_COV_MISMATCH);
    warn_of(r, s.short_counters, APF_COV_SHORT_COUNTERS);
    warn_of(r, s.circular, APF_COV_CIRCULAR);
    warn_of(r, s.damaged, APF_COV_DAMAGED);
    warn_of(r, s.ambiguous_files, APF_COV_AMBIGUOUS);
    if (s.mismatched && s.variant & APF_VARIANT_IR)
        report_note(session,
                    "the profile is of an IR build (-fprofile-generate), whose counts fit no coverage "
                    "mapping: take one of a program built with -fprofile-instr-generate "
                    "-fcoverage-mapping");
    if (s.other_builds)
        report_warning(session, NULL,
                       "%" PRIu64
                       " program%s of no build that the profile is of: not run, or built again since",
                       s.other_builds, s.other_builds == 1 ? " is" : "s are");
    if (s.unknown_builds && !s.other_builds)
        report_note(session,
                    "the profile is also of %" PRIu64
                    " other program%s: name libraries and other programs with --object",
                    s.unknown_builds, s.unknown_builds == 1 ? " or build" : "s or builds");
    if (s.empty_profiles)
        report_note(session, "%" PRIu64 " profile%s empty, as runs leave them that were killed",
                    s.empty_profiles, s.empty_profiles == 1 ? " is" : "s are");
    if (s.n_without && s.n_objects)
        report_note(session, "%" PRIu64 " object%s no coverage: built without -fcoverage-mapping",
                    s.n_without, s.n_without == 1 ? " has" : "s have");
    const uint64_t n = s.mismatched + s.short_counters + s.circular + s.damaged + s.ambiguous_files;
    if (n && cov_sources_are_stale(r))
        report_note(session, "a program is newer than the profile: run it again");
    if (n && !r->report)
        report_note(session, "--report=FILE lists them; cov why PROGRAM FUNCTION explains one");
}

int cov_request_report(const struct cov_request *r, const struct apf_cov *cov)
{
    struct apf_error error;
    cov_request_losses(r, cov);
    cov_sources_report(r, cov);
    if (!r->report)
        return 0;
    const struct cov_sources *looked = &r->looked;
    const struct apf_output output = apf_output_file(r->report);
    struct apf_str *missing = (struct apf_str *)checked_realloc(NULL, looked->n_missing + 1, sizeof *missing);
    for (size_t i = 0; i < looked->n_missing; i++)
        missing[i] = (struct apf_str){looked->missing[i], strlen(looked->missing[i])};
    const int code = apf_cov_report(cov, missing, looked->n_missing, &output, &error);
    free(missing);
    return exit_code_of_call(r->base.session, NULL, r->report, code, &error);
}

/* Whether a share is at least that, in millionths of a per cent, exactly. */
static bool is_enough(const struct apf_cov_share *share, uint64_t least)
{
    uint64_t covered = share->covered, n = share->n;
    while (n > UINT64_MAX / (100 * (uint64_t)MILLION)) {
        covered /= 2;
        n /= 2;
    }
    return covered * 100 * MILLION >= least * n;
}

int cov_gate_check(const struct cov_request *r, const struct cov_gate *gate, const char *what,
                   const struct apf_cov_share *share)
{
    if (gate->given && !share->n && !r->base.quiet)
        report_warning(r->base.session, NULL,
                       "there are no %s: the share of them that is demanded was not checked", what);
    if (gate->given && gate->least && gate->least < MILLION && !r->base.quiet)
        report_note(r->base.session, "%g per cent of the %s are demanded: shares go up to 100",
                    (double)gate->least / MILLION, what);
    if (!gate->given || is_enough(share, gate->least))
        return 0;
    report_error(r->base.session, NULL, "%.2f per cent of %" PRIu64 " %s ran, which is less than %g",
                 (double)share->covered / (double)share->n * 100.0, share->n, what,
                 (double)gate->least / MILLION);
    return EXIT_ABOVE;
}

/* Whether enough ran of all that is shown; else it is reported, and an exit code is returned. */
static int check_gates(const struct cov_request *r, const struct apf_cov *cov,
                       const struct apf_cov_write_options *options)
{
    struct apf_cov_totals t = {.size = sizeof t};
    struct apf_error error;
    int result = 0;
    bool any = false;
    for (size_t i = 0; i < COV_GATES; i++)
        any |= r->gates[i].given;
    if (!any)
        return 0;
    if (apf_cov_totals(cov, options, &t, &error) != APF_OK)
        return exit_code(r->base.session, NULL, error.code, &error);
    if (!t.lines.n && !t.functions.n) {
        report_error(r->base.session, NULL, "no function is shown of which a share could be demanded");
        return EXIT_DATA;
    }
    const struct {
        const char *name;
        struct apf_cov_share share;
    } all[COV_GATE_PATCH] = {[COV_GATE_LINES] = {"lines", t.lines},
                             [COV_GATE_FUNCTIONS] = {"functions", t.functions},
                             [COV_GATE_REGIONS] = {"regions", t.regions},
                             [COV_GATE_BRANCHES] = {"sides of branches", t.branches}};
    for (size_t i = 0; i < COV_GATE_PATCH; i++) {
        const int code = cov_gate_check(r, &r->gates[i], all[i].name, &all[i].share);
        result = code ? code : result;
    }
    return result;
}

int cov_request_open(struct cov_request *r, const struct apf_cov_options *options, struct apf_cov **cov)
{
    struct apf_cov_options o = *options;
    struct apf_error error;
    o.source = cov_sources_looked;
    o.user = r;
    cov_sources_check_times(r);
    const int code = apf_cov_open(cov, &o, &error);
    if (code != APF_OK && session_is_llvm(r->base.session)) {
        report_error(r->base.session, NULL, "failed to load coverage: '%s': %s", error.file, error.message);
        return EXIT_DATA;
    }
    return code == APF_OK ? 0 : cov_inputs_failed(r, &error);
}

/* An apf_cov_function_fn. */
static int add_name(void *user, const struct apf_cov_function *function)
{
    demangler_add((struct demangler *)user, function->name);
    return 0;
}

/* Runs the program of -Xdemangler. 0, or an exit code after a report. */
static int demangle_all(struct cov_request *r, const struct apf_cov *cov)
{
    struct apf_error error;
    if (!r->demangler)
        return 0;
    (void)apf_cov_functions(cov, false, add_name, &r->names, &error);
    return demangler_run(&r->names, r->base.session, r->demangler);
}

static int write_output(struct cov_request *r, const struct apf_cov *cov, uint32_t format, uint32_t flags)
{
    const bool markers = (r->options.flags & APF_COV_MARKERS) != 0;
    const struct apf_cov_write_options options = {.size = sizeof options,
                                                  .format = format,
                                                  .flags = flags,
                                                  .sources = (const char *const *)r->sources,
                                                  .n_sources = r->n_sources,
                                                  .filter = r->n_ignored ? cov_request_wants : NULL,
                                                  .source_map = r->source_map.list,
                                                  .n_source_map = r->source_map.n,
                                                  /* with markers, they were read and reported before */
                                                  .source = markers ? NULL : cov_sources_looked,
                                                  .changed = cov_sources_changed,
                                                  .user = r,
                                                  .created = r->hides_time ? 0 : cov_sources_profile_time(r),
                                                  .title = r->title,
                                                  .width = r->width,
                                                  .good = r->good,
                                                  .fair = r->fair,
                                                  .function_name = r->demangles ? demangler_show : NULL,
                                                  .names = &r->names,
                                                  .options = &r->common};
    const struct apf_output output = apf_output_file(r->base.output);
    struct apf_error error;
    const int code = r->pages ? apf_cov_write_pages(cov, &options, r->pages, &error)
                              : apf_cov_write(cov, &options, &output, &error);
    /* Of pages, the error knows which of them cannot be written. */
    const bool of_page = r->pages && code != APF_OK && error.subject == APF_SUBJECT_OUTPUT && *error.file;
    const char *written = of_page ? error.file : r->pages ? r->pages : output.path;
    int result = exit_code_of_call(r->base.session, NULL, written, code, &error);
    if (result == 0)
        result = cov_request_report(r, cov);
    return result ? result : check_gates(r, cov, &options);
}

/* An apf_cov_filter_fn. */
static int wants_function(void *user, const struct apf_cov_function *function)
{
    struct cov_request *r = (struct cov_request *)user;
    return cov_filter_wants(&r->functions, function);
}

/* Whether --ignore-filename-regex leaves out all source files that there are. */
static bool ignores_all(struct cov_request *r, const struct apf_cov *cov)
{
    const size_t n = apf_cov_n_files(cov);
    size_t i = 0;
    while (i < n && cov_request_wants(r, apf_cov_file_name(cov, i)) == 0)
        i++;
    return n && i == n;
}

/* Warns that options select no function, or no source file. */
static void check_selection(struct cov_request *r, const struct apf_cov *cov)
{
    struct apf_cov_stats s = {.size = sizeof s};
    struct apf_error error;
    if (r->base.quiet || session_is_llvm(r->base.session))
        return;
    if (r->options.function_filter && apf_cov_stats(cov, &s, &error) == APF_OK && s.n_functions == 0)
        report_warning(r->base.session, NULL, "no function is selected by the options about functions");
    else if (r->n_ignored && ignores_all(r, cov))
        report_warning(r->base.session, NULL, "--ignore-filename-regex leaves out all source files");
}

int cov_request_run(struct cov_request *r, uint32_t format, uint32_t flags)
{
    struct apf_cov *cov;
    /* llvm-cov's report and export show all functions */
    if (cov_filter_is_given(&r->functions) &&
        (format == APF_COV_SHOW || !(r->options.flags & APF_COV_LLVM))) {
        r->options.function_filter = wants_function;
        flags |= format == APF_COV_SHOW ? APF_COV_FUNCTION_VIEWS : 0;
    }
    int code = cov_request_open(r, &r->options, &cov);
    if (code && session_is_llvm(r->base.session) && (format == APF_COV_JSON || format == APF_COV_LCOV))
        report_error(r->base.session, NULL, "could not load coverage information");
    if (code)
        return code;
    check_selection(r, cov);
    code = cov_sources_are_replaced(r, cov) ? r->base.session->persona->usage_exit : 0;
    if (code == 0)
        code = cov_sources_find(r, cov, format);
    if (code == 0)
        code = demangle_all(r, cov);
    if (code == 0)
        code = write_output(r, cov, format, flags);
    apf_cov_close(cov);
    return code;
}

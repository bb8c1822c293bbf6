/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof show */
#include <stdio.h>
#include <string.h>

#include <anyprof/memprof.h>
#include <anyprof/show.h>

#include "correlation.h"
#include "places.h"
#include "profile_file.h"

/* Cutoffs of the detailed summary from which on what they hold is hot; the list of hot functions needs one. */
#define HOT_CUTOFF 990000u

static uint32_t flags_of(const struct arguments *args)
{
    static const struct {
        enum option_id option;
        uint32_t flag;
    } rows[] = {
        {OPT_ALL_FUNCTIONS, APF_SHOW_ALL_FUNCTIONS},
        {OPT_COUNTS, APF_SHOW_COUNTS},
        {OPT_IC_TARGETS, APF_SHOW_IC_TARGETS},
        {OPT_SHOW_VTABLES, APF_SHOW_VTABLES},
        {OPT_MEMOP_SIZES, APF_SHOW_MEMOP_SIZES},
        {OPT_HOT_FUNC_LIST, APF_SHOW_HOT_FUNCTIONS},
        {OPT_DETAILED_SUMMARY, APF_SHOW_DETAILED_SUMMARY},
        {OPT_LIST_BELOW_CUTOFF, APF_SHOW_BELOW_CUTOFF},
        {OPT_COVERED, APF_SHOW_COVERED},
        {OPT_SHOWCS, APF_SHOW_CS},
        {OPT_TEXT, APF_SHOW_TEXT},
        {OPT_BINARY_IDS, APF_SHOW_BINARY_IDS},
        {OPT_PROFILE_VERSION, APF_SHOW_VERSION},
        {OPT_TEMPORAL_TRACES, APF_SHOW_TRACES},
    };
    uint32_t flags = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        flags |= option_flag(args, rows[i].option) ? rows[i].flag : 0;
    return flags;
}

/* Profiles whose functions are described in their program are shown as LLVM does: without functions. */
struct bare {
    struct apf_correlation none;
    uint64_t n;
};

/* An apf_correlate_fn. */
static int pass_bare(void *user, const struct apf_bare_profile *profile,
                     const struct apf_correlation **correlation, struct apf_error *error)
{
    struct bare *bare = (struct bare *)user;
    (void)error;
    bare->none.counter_bytes = profile->counter_bytes;
    bare->none.bitmap_bytes = profile->bitmap_bytes;
    bare->n++;
    *correlation = &bare->none;
    return APF_OK;
}

static int show_file(const struct session *session, const struct arguments *args, const char *path)
{
    struct apf_error error;
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_show_options options = {.size = sizeof options};
    struct bare bare = {{0}, 0};
    const struct apf_correlation_source source = {pass_bare, &bare, 0};
    struct apf_instr *instr = profile_open(session, args, path, &source);
    if (!instr)
        return EXIT_DATA;
    if (bare.n)
        report_note(session,
                    "its functions are described in the program that wrote it, and so not shown: merge it "
                    "with --debug-info=PROGRAM (lightweight instrumentation) or --binary-file=PROGRAM");
    const struct apf_instr_info *info = apf_instr_info(instr);
    if (info->origin == APF_FORMAT_MEMPROF && info->n_records == 0) {
        report_error(session, path, "this is a memory profile: use --memory");
        apf_instr_close(instr);
        return EXIT_DATA;
    }
    options.flags = flags_of(args);
    options.function.p = option_text(args, OPT_FUNCTION, "");
    options.function.n = strlen(options.function.p);
    options.value_cutoff = option_number(args, OPT_VALUE_CUTOFF, 0);
    options.topn = option_number(args, OPT_TOPN, 0);
    options.cutoffs = args->values[OPT_SUMMARY_CUTOFFS].numbers;
    options.n_cutoffs = args->values[OPT_SUMMARY_CUTOFFS].n_numbers;
    int code = apf_instr_show(instr, &options, &output, &error);
    if (code != APF_OK)
        report_failure(session, output.path, &error);
    apf_instr_close(instr);
    return code == APF_OK ? 0 : EXIT_DATA;
}

static bool lacks_hot_cutoff(const struct arguments *args)
{
    const struct option_value *cutoffs = &args->values[OPT_SUMMARY_CUTOFFS];
    bool hot = cutoffs->n_numbers == 0 || !option_flag(args, OPT_HOT_FUNC_LIST) ||
               option_flag(args, OPT_TEXT) || option_flag(args, OPT_COVERED);
    for (size_t i = 0; i < cutoffs->n_numbers; i++)
        hot |= cutoffs->numbers[i] >= HOT_CUTOFF;
    return !hot;
}

/* The memory profile of a file, as YAML. */
static int show_memory(const struct session *session, const struct arguments *args, const char *path)
{
    struct apf_error error;
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_instr *instr = profile_open_memory(session, args, path);
    int code = EXIT_DATA;
    if (!instr)
        return EXIT_DATA;
    const struct apf_memprof *memprof = apf_instr_memprof(instr);
    int32_t format = apf_instr_info(instr)->format;
    if (!memprof && format != APF_FORMAT_INDEXED)
        report_error(session, path,
                     "invalid instrumentation profile data (bad magic): only indexed profiles have "
                     "memory profiles");
    else if (!memprof)
        report_error(session, path, "no memprof data available in profile");
    else if (apf_memprof_print(memprof, &output, &error) != APF_OK)
        report_failure(session, output.path, &error);
    else
        code = 0;
    apf_instr_close(instr);
    return code;
}

/* What LLVM refuses, and what we cannot do yet. NULL: nothing. */
static const char *objection(const struct session *session, const struct arguments *args)
{
    uint64_t format = option_number(args, OPT_SHOW_FORMAT, SHOW_TEXT);
    uint64_t kind = option_number(args, OPT_KIND, KIND_INSTR);
    if (kind == KIND_SAMPLE)
        return "--sample is not supported yet: use LLVM's own llvm-profdata for sample profiles";
    if (kind == KIND_MEMORY)
        return format == SHOW_JSON || option_flag(args, OPT_JSON) ? "JSON output is not supported for MemProf"
                                                                  : NULL; /* the text is YAML */
    if (format == SHOW_JSON || option_flag(args, OPT_JSON))
        return session->persona->tool
                   ? "JSON output is not supported for instr profiles"
                   : "JSON output is not supported for instr profiles: use convert --to=json";
    if (format == SHOW_YAML)
        return "YAML output is not supported for instr profiles";
    if (lacks_hot_cutoff(args))
        return "--hot-func-list needs one of --detailed-summary-cutoffs to be at least 990000";
    return NULL;
}

int cmd_show(const struct session *session, const struct arguments *args)
{
    const char *path = args->n_files ? args->files[0] : "";
    const char *output = option_text(args, OPT_OUTPUT, "-");
    bool debug_info = args->values[OPT_DEBUG_INFO].n_list != 0;
    const char *reason = debug_info ? NULL : objection(session, args);
    if (!*path && !debug_info)
        reason = "the positional argument '<profdata-file>' is required unless '--debug-info' is provided";
    if (reason) {
        report_error(session, NULL, "%s", reason);
        return session->persona->usage_exit;
    }
    if (strcmp(path, output) == 0 && strcmp(path, "-") != 0) {
        fprintf(stderr, "%s show: Input file name cannot be the same as the output file name!\n",
                session->persona->program);
        return session->persona->usage_exit;
    }
    if (place_is_read(session, args, 1))
        return session->persona->usage_exit;
    if (option_flag(args, OPT_ALL_FUNCTIONS) && *option_text(args, OPT_FUNCTION, ""))
        report_warning(session, NULL, "-function argument ignored: showing all functions");
    if (debug_info)
        return correlation_show(session, args);
    return option_number(args, OPT_KIND, KIND_INSTR) == KIND_MEMORY ? show_memory(session, args, path)
                                                                    : show_file(session, args, path);
}

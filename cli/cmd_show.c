/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof show */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/memprof.h>

#include "profile_file.h"
#include "show.h"

/* Whether the name contains the text; plain bytes. */
static bool contains(struct apf_str name, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; n <= name.n && i <= name.n - n; i++) {
        if (memcmp(name.p + i, text, n) == 0)
            return true;
    }
    return false;
}

static void remember(struct show *show, const struct apf_record *r, uint64_t max)
{
    if (show->n_hot == show->hot_capacity) {
        show->hot_capacity = show->hot_capacity * 2 + 64;
        show->hot = (struct hot_function *)checked_realloc(show->hot, show->hot_capacity, sizeof *show->hot);
    }
    struct hot_function f = {r->id, max, show->n_hot};
    show->hot[show->n_hot++] = f;
}

static void take_record(struct show *show, const struct apf_record *r)
{
    bool list_below = option_flag(show->args, OPT_LIST_BELOW_CUTOFF);
    bool wanted = show->all || (*show->filter && contains(r->name, show->filter));
    uint64_t max = 0, sum = 0;
    for (size_t i = 0; i < r->n_counts; i++) {
        max = r->counts[i] > max ? r->counts[i] : max;
        sum += r->counts[i]; /* wraps, as LLVM's does */
    }
    if (option_flag(show->args, OPT_COVERED)) {
        if (max) {
            show_name(show, r->name);
            fputc('\n', show->out);
        }
    } else if (r->flags & APF_RECORD_PSEUDO) {
        if (wanted)
            show_record(show, r);
    } else if (max < show->cutoff) {
        show->below++;
        if (list_below) {
            fputs("  ", show->out);
            show_name(show, r->name);
            fprintf(show->out, ": (Max = %" PRIu64 " Sum = %" PRIu64 ")\n", max, sum);
        }
    } else if (!list_below) {
        if (show->topn || option_flag(show->args, OPT_HOT_FUNC_LIST))
            remember(show, r, max);
        if (wanted)
            show_record(show, r);
    }
}

static int show_records(struct show *show, struct apf_error *error)
{
    struct apf_instr_iter *iter = NULL;
    const struct apf_record *record;
    bool cs = option_flag(show->args, OPT_SHOWCS);
    int code = apf_instr_iter_new(&iter, show->instr, error);
    if (code != APF_OK)
        return code;
    if (option_flag(show->args, OPT_LIST_BELOW_CUTOFF))
        fprintf(show->out, "The list of functions with the maximum counter less than %" PRIu64 ":\n",
                show->cutoff);
    while ((code = apf_instr_iter_next(iter, &record, error)) == APF_OK) {
        /* Of IR profiles, totals included, only one of the two levels is looked at. */
        if (!show->ir || ((record->hash & APF_HASH_CS) != 0) == cs)
            take_record(show, record);
    }
    apf_instr_iter_free(iter);
    return code == APF_END ? APF_OK : code;
}

/* An apf_write_fn. */
static int write_to_stream(void *user, const void *p, size_t n)
{
    return fwrite(p, 1, n, (FILE *)user) == n ? 0 : errno;
}

static int show_text(struct show *show, struct apf_error *error)
{
    struct apf_output output = {NULL, write_to_stream, show->out, 0};
    struct apf_write_options options = {0};
    options.size = sizeof options;
    options.format = APF_FORMAT_TEXT;
    options.flags = APF_WRITE_SHOW_STYLE | (option_flag(show->args, OPT_SHOWCS) ? APF_WRITE_SHOW_CS : 0);
    if (!show->all && !*show->filter) { /* the header alone, as LLVM */
        if (show->ir)
            fputs(":ir\n", show->out);
        return APF_OK;
    }
    if (!show->all) {
        options.function.p = show->filter;
        options.function.n = strlen(show->filter);
    }
    return apf_instr_write_text(show->instr, &options, &output, error);
}

static int show_profile(struct show *show, const char *file)
{
    struct apf_error error;
    int code;
    if (option_flag(show->args, OPT_TEXT)) {
        code = show_text(show, &error);
    } else {
        code = show_records(show, &error);
        if (code == APF_OK && !option_flag(show->args, OPT_COVERED))
            code = show_tail(show, &error);
    }
    if (code == APF_OK)
        return 0;
    report_failure(show->session, file, &error);
    return EXIT_DATA;
}

static void show_set_up(struct show *show, const struct session *session, const struct arguments *args)
{
    show->session = session;
    show->args = args;
    show->info = apf_instr_info(show->instr);
    show->ir = (show->info->variant & APF_VARIANT_IR) != 0;
    show->all = option_flag(args, OPT_ALL_FUNCTIONS);
    show->filter = option_text(args, OPT_FUNCTION, "");
    show->cutoff = option_number(args, OPT_VALUE_CUTOFF, 0);
    show->topn = option_number(args, OPT_TOPN, 0);
}

static int show_file(const struct session *session, const struct arguments *args, const char *path)
{
    struct show show = {0};
    struct printout printout;
    show.instr = profile_open(session, args, path);
    if (!show.instr)
        return EXIT_DATA;
    if (apf_instr_info(show.instr)->format == APF_FORMAT_MEMPROF) {
        report_error(session, path, "this is a memory profile: use --memory");
        apf_instr_close(show.instr);
        return EXIT_DATA;
    }
    show_set_up(&show, session, args);
    int code = EXIT_DATA;
    if (printout_open(&printout, session, args)) {
        show.out = printout.stream;
        code = printout_close(&printout, show_profile(&show, path));
    }
    for (size_t i = 0; i < APF_VALUE_KINDS; i++)
        free(show.stats[i].histogram);
    free(show.hot);
    apf_instr_close(show.instr);
    return code;
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
static const char *objection(const struct arguments *args)
{
    uint64_t format = option_number(args, OPT_SHOW_FORMAT, SHOW_TEXT);
    uint64_t kind = option_number(args, OPT_KIND, KIND_INSTR);
    bool text = option_flag(args, OPT_TEXT), all = option_flag(args, OPT_ALL_FUNCTIONS);
    if (kind == KIND_SAMPLE)
        return "--sample is not supported yet: use llvm-profdata for sample profiles";
    if (kind == KIND_MEMORY)
        return format == SHOW_TEXT && !option_flag(args, OPT_JSON) ? NULL
               : format == SHOW_YAML ? "YAML output is not supported for MemProf"
                                     : "JSON output is not supported for MemProf";
    if (format == SHOW_JSON || option_flag(args, OPT_JSON))
        return "JSON output is not supported for instr profiles";
    if (format == SHOW_YAML)
        return "YAML output is not supported for instr profiles";
    if (text && !all && (option_flag(args, OPT_COVERED) || option_flag(args, OPT_LIST_BELOW_CUTOFF)))
        return "--text cannot be combined with --covered or --list-below-cutoff";
    return NULL;
}

int cmd_show(const struct session *session, const struct arguments *args)
{
    const char *path = args->n_files ? args->files[0] : "";
    const char *output = option_text(args, OPT_OUTPUT, "-");
    const char *reason = objection(args);
    if (!*path)
        reason = "the positional argument '<profdata-file>' is required";
    if (reason) {
        report_error(session, NULL, "%s", reason);
        return session->persona->usage_exit;
    }
    if (strcmp(path, output) == 0 && strcmp(path, "-") != 0) {
        fprintf(stderr, "%s show: Input file name cannot be the same as the output file name!\n",
                session->persona->program);
        return session->persona->usage_exit;
    }
    if (option_flag(args, OPT_ALL_FUNCTIONS) && *option_text(args, OPT_FUNCTION, ""))
        report_warning(session, NULL, "-function argument ignored: showing all functions");
    return option_number(args, OPT_KIND, KIND_INSTR) == KIND_MEMORY ? show_memory(session, args, path)
                                                                    : show_file(session, args, path);
}

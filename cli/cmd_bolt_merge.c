/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof bolt merge, and merge-fdata */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <anyprof/bolt.h>

#include "command.h"
#include "memory.h"
#include "merge_inputs.h"
#include "merge_summary.h"
#include "places.h"
#include "progress.h"

/* ---- the request ---- */

struct bolt_merge_request {
    struct request base;
    struct merge_inputs inputs;
    uint64_t print; /* PRINT_* */
    bool no_profile;
};

/* merge-fdata accepts several names in a word, separated by commas, unless a file has the whole word as its name. */
static int add_word(struct merge_inputs *inputs, const struct session *session, const char *word)
{
    if (!strchr(word, ',') || access(word, F_OK) == 0)
        return merge_inputs_add(inputs, session, word, 1);
    int code = 0;
    for (const char *p = word; p && code == 0;) {
        size_t n = strcspn(p, ",");
        char *name = (char *)checked_realloc(NULL, n + 1, 1);
        memcpy(name, p, n);
        name[n] = '\0';
        code = merge_inputs_add(inputs, session, name, 1);
        free(name);
        p = p[n] ? p + n + 1 : NULL;
    }
    return code;
}

static int parse_inputs(struct merge_inputs *inputs, const struct session *session,
                        const struct arguments *args)
{
    int code = 0;
    inputs->any_content = true;
    if (!session->persona->tool)
        return merge_inputs_parse(inputs, session, args);
    merge_inputs_output(inputs, args);
    for (size_t i = 0; i < args->n_files && code == 0; i++)
        code = add_word(inputs, session, args->files[i]);
    return code;
}

/* 0, or an exit code after a report. r->inputs is for merge_inputs_free either way. */
static int parse_request(struct bolt_merge_request *r, const struct session *session,
                         const struct arguments *args)
{
    if (args->n_files == 0)
        return session->persona->tool ? report_too_few(session, "at least 1 positional argument")
                                      : report_wrong(session, args, "a FILE is required");
    r->base = request_of(session, args);
    r->print = option_number(args, OPT_PRINT, PRINT_NONE);
    r->no_profile = option_flag(args, OPT_NO_PROFILE);
    int code = parse_inputs(&r->inputs, session, args);
    if (code)
        return code;
    if (merge_inputs_are_empty(&r->inputs, session, args))
        return EXIT_DATA;
    return place_is_precious(session, args, &r->inputs) ? session->persona->usage_exit : 0;
}

/* ---- fdata ---- */

static int conclude_fdata(struct apf_fdata *fdata, const struct bolt_merge_request *r)
{
    const struct session *session = r->base.session;
    struct apf_error error;
    struct apf_output output = apf_output_file(r->base.output);
    const struct apf_fdata_info *info = apf_fdata_info(fdata);
    /* merge-fdata writes fdata even if the option is given. */
    bool write = session->persona->tool || !r->no_profile;
    if (info->n_empty == info->n_inputs) {
        report_error(session, NULL, "no profile can be merged: every input is empty");
        return EXIT_DATA;
    }
    if (info->n_saturated)
        report_warning(session, NULL,
                       "counts cut at 2^63 - 1, the largest that llvm-bolt reads: those of %" PRIu64
                       " records",
                       info->n_saturated);
    if (write && apf_fdata_write(fdata, &output, &error) != APF_OK) {
        report_failure(session, output.path, &error);
        return EXIT_DATA;
    }
    if (session->persona->tool)
        fprintf(stderr, "Profile from %" PRIu64 " files merged.\n", info->n_inputs);
    else if (r->print != PRINT_NONE)
        report_warning(session, NULL, "--print has no effect on fdata");
    return 0;
}

/* ---- YAML ---- */

/* A function and the count that it is sorted by. */
struct listed {
    struct apf_str name;
    uint64_t count;
};

static int compare_listed(const void *pa, const void *pb)
{
    const struct listed *a = pa, *b = pb;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    size_t n = a->name.n < b->name.n ? a->name.n : b->name.n;
    int order = memcmp(b->name.p, a->name.p, n);
    return order ? order : (a->name.n < b->name.n) - (a->name.n > b->name.n);
}

static uint64_t count_of(const struct apf_bolt_yaml_function *f, uint64_t by)
{
    uint64_t sum = 0;
    if (by == PRINT_EXEC)
        return f->exec;
    for (size_t i = 0; i < f->n_blocks; i++)
        for (size_t k = 0; k < f->blocks[i].n_successors; k++)
            sum += f->blocks[i].successors[k].count;
    return sum;
}

/* --print: functions by descending count, then by descending name, as merge-fdata lists them. */
static int print_functions(struct apf_bolt_yaml *yaml, uint64_t by, struct apf_error *error)
{
    uint64_t n = apf_bolt_yaml_info(yaml)->n_functions;
    struct listed *list = (struct listed *)checked_realloc(NULL, (size_t)n + 1, sizeof *list);
    int code = APF_OK;
    for (uint64_t i = 0; i < n && code == APF_OK; i++) {
        struct apf_bolt_yaml_function f = {.size = sizeof f};
        code = apf_bolt_yaml_function(yaml, i, &f, error);
        if (code == APF_OK) {
            list[i].name = f.name;
            list[i].count = count_of(&f, by);
        }
    }
    if (code == APF_OK) {
        qsort(list, (size_t)n, sizeof *list, compare_listed);
        fprintf(stderr, "Functions sorted by %s count:\n", by == PRINT_EXEC ? "execution" : "total branch");
        for (uint64_t i = 0; i < n; i++) {
            size_t size = 4 * list[i].name.n + 1; /* of a name that consists of control characters */
            char *name = (char *)checked_realloc(NULL, size, 1);
            fprintf(stderr, "%s : %" PRIu64 "\n", printable(name, size, list[i].name), list[i].count);
            free(name);
        }
    }
    free(list);
    return code;
}

static void warn_about_yaml(struct apf_bolt_yaml *yaml, const struct session *session)
{
    const struct apf_bolt_yaml_info *info = apf_bolt_yaml_info(yaml);
    struct apf_bolt_yaml_header header = {.size = sizeof header};
    if (info->n_saturated)
        report_warning(session, NULL, "sums cut at 2^64 - 1, the largest count: %" PRIu64, info->n_saturated);
    if (info->probes_dropped)
        report_warning(
            session, NULL,
            "the pseudo probes of the profiles differ: all are left out; llvm-bolt does not need them");
    if (apf_bolt_yaml_header(yaml, &header, NULL) == APF_OK && header.events.n &&
        memchr(header.events.p, ',', header.events.n))
        report_warning(
            session, NULL,
            "llvm-bolt does not read profiles with a comma in profile-events: replace it by a semicolon");
}

static int conclude_yaml(struct apf_bolt_yaml *yaml, const struct bolt_merge_request *r)
{
    const struct session *session = r->base.session;
    char name[4096];
    struct apf_error error;
    struct apf_output output = apf_output_file(r->base.output);
    warn_about_yaml(yaml, session);
    int code = apf_bolt_yaml_sort(yaml, &error);
    if (code == APF_OK && !r->no_profile)
        code = apf_bolt_yaml_write(yaml, &output, &error);
    if (code != APF_OK) {
        report_failure(session, output.path, &error);
        return EXIT_DATA;
    }
    if (session->persona->tool) {
        for (size_t i = 0; i < r->inputs.n; i++) {
            struct apf_str path = {r->inputs.data[i].path, strlen(r->inputs.data[i].path)};
            fprintf(stderr, "Merging data from %s...\n", printable(name, sizeof name, path));
        }
        fprintf(stderr, "Data for %" PRIu64 " unique objects successfully merged.\n",
                apf_bolt_yaml_info(yaml)->n_functions);
    }
    if (r->print != PRINT_NONE)
        code = print_functions(yaml, r->print, &error);
    return exit_code(session, NULL, code, &error);
}

/* ---- the merge ---- */

/* Reads the inputs into `fdata` or `yaml`, by their format, and writes the sum. */
static int merge_inputs(struct apf_fdata *fdata, struct apf_bolt_yaml *yaml,
                        const struct bolt_merge_request *r, const struct findings *findings)
{
    const struct session *session = r->base.session;
    struct apf_error error;
    int code = apf_bolt_read(fdata, yaml, r->inputs.data, r->inputs.n, &error);
    bool is_yaml = apf_bolt_yaml_info(yaml)->known;
    progress_end(session);
    if (session->persona->tool && !is_yaml)
        fputs("Using legacy profile format.\n", stderr);
    if (code != APF_OK) {
        report_failure(session, r->inputs.data[error.input].path, &error);
        return EXIT_DATA;
    }
    findings_rest(findings);
    return is_yaml ? conclude_yaml(yaml, r) : conclude_fdata(fdata, r);
}

static int merge_all(const struct bolt_merge_request *r)
{
    struct apf_error error;
    struct findings findings = {.session = r->base.session};
    struct apf_options options = r->base.limits;
    struct apf_fdata *fdata = NULL;
    struct apf_bolt_yaml *yaml = NULL;
    options.diag = findings_print;
    options.user = &findings;
    progress_begin(&r->base, &options);
    int code = apf_fdata_new(&fdata, &options, &error);
    if (code == APF_OK)
        code = apf_bolt_yaml_new(&yaml, &options, &error);
    code = exit_code(r->base.session, NULL, code, &error);
    if (code == 0)
        code = merge_inputs(fdata, yaml, r, &findings);
    apf_bolt_yaml_free(yaml);
    apf_fdata_free(fdata);
    return code;
}

int cmd_bolt_merge(const struct session *session, const struct arguments *args)
{
    struct bolt_merge_request r = {0};
    signal(SIGPIPE, SIG_IGN); /* a failed write is reported */
    int code = parse_request(&r, session, args);
    if (code == 0)
        code = merge_all(&r);
    merge_inputs_free(&r.inputs);
    return code;
}

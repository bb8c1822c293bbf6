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

#include "limits.h"
#include "merge_inputs.h"
#include "merge_summary.h"
#include "places.h"
#include "progress.h"
#include "report.h"

/* ---- inputs ---- */

/* merge-fdata takes several names in one word, separated by commas. A file that is there under the whole word is that
 * file. */
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

static int collect(struct merge_inputs *inputs, const struct session *session, const struct arguments *args)
{
    int code = 0;
    if (!session->persona->tool)
        return merge_inputs_collect(inputs, session, args);
    for (size_t i = 0; i < args->n_files && code == 0; i++)
        code = add_word(inputs, session, args->files[i]);
    return code;
}

/* ---- fdata ---- */

static int conclude_fdata(struct apf_fdata *fdata, const struct session *session,
                          const struct arguments *args)
{
    struct apf_error error;
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    const struct apf_fdata_info *info = apf_fdata_info(fdata);
    /* merge-fdata has the option, but of fdata it writes the profile all the same. */
    bool write = session->persona->tool || !option_flag(args, OPT_NO_PROFILE);
    if (info->n_empty == info->n_inputs) {
        report_error(session, NULL, "no profile can be merged: every input is empty");
        return EXIT_DATA;
    }
    if (info->n_saturated)
        report_warning(session, NULL,
                       "%" PRIu64
                       " records have a count above 2^63 - 1, which stands for it: llvm-bolt reads "
                       "no larger one",
                       info->n_saturated);
    if (write && apf_fdata_write(fdata, &output, &error) != APF_OK) {
        report_failure(session, output.path, &error);
        return EXIT_DATA;
    }
    if (session->persona->tool)
        fprintf(stderr, "Profile from %" PRIu64 " files merged.\n", info->n_inputs);
    else if (option_number(args, OPT_PRINT, PRINT_NONE) != PRINT_NONE)
        report_warning(session, NULL, "--print has no effect on fdata");
    return 0;
}

/* ---- YAML ---- */

/* A function and what it is listed by. */
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

/* --print: in descending order, as merge-fdata; of one count the last by name first, as well. */
static int print_functions(struct apf_bolt_yaml *yaml, uint64_t by, struct apf_error *error)
{
    uint64_t n = apf_bolt_yaml_info(yaml)->n_functions;
    struct listed *list = (struct listed *)checked_realloc(NULL, (size_t)n + 1, sizeof *list);
    int code = APF_OK;
    for (uint64_t i = 0; i < n && code == APF_OK; i++) {
        struct apf_bolt_yaml_function f;
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
            fwrite(list[i].name.p, 1, list[i].name.n, stderr);
            fprintf(stderr, " : %" PRIu64 "\n", list[i].count);
        }
    }
    free(list);
    return code;
}

static void warn_of_yaml(struct apf_bolt_yaml *yaml, const struct session *session)
{
    const struct apf_bolt_yaml_info *info = apf_bolt_yaml_info(yaml);
    struct apf_bolt_yaml_header header;
    if (info->n_saturated)
        report_warning(session, NULL, "%" PRIu64 " sums are above 2^64 - 1, which stands for them",
                       info->n_saturated);
    if (info->probes_dropped)
        report_warning(
            session, NULL,
            "the pseudo probes of the profiles differ: all are left out (llvm-bolt can do without)");
    if (apf_bolt_yaml_header(yaml, &header, NULL) == APF_OK && header.events.n &&
        memchr(header.events.p, ',', header.events.n))
        report_warning(session, NULL, "llvm-bolt does not read profiles with a comma in profile-events");
}

static int conclude_yaml(struct apf_bolt_yaml *yaml, const struct session *session,
                         const struct merge_inputs *inputs, const struct arguments *args)
{
    struct apf_error error;
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    const struct apf_bolt_yaml_info *info = apf_bolt_yaml_info(yaml);
    uint64_t by = option_number(args, OPT_PRINT, PRINT_NONE);
    warn_of_yaml(yaml, session);
    int code = apf_bolt_yaml_sort(yaml, &error);
    if (code == APF_OK && !option_flag(args, OPT_NO_PROFILE))
        code = apf_bolt_yaml_write(yaml, &output, &error);
    if (code != APF_OK) {
        report_failure(session, output.path, &error);
        return EXIT_DATA;
    }
    if (session->persona->tool) {
        for (size_t i = 0; i < inputs->n; i++)
            fprintf(stderr, "Merging data from %s...\n", inputs->data[i].path);
        fprintf(stderr, "Data for %" PRIu64 " unique objects successfully merged.\n", info->n_functions);
    }
    if (by != PRINT_NONE && print_functions(yaml, by, &error) != APF_OK) {
        report_failure(session, NULL, &error);
        return EXIT_DATA;
    }
    return 0;
}

/* ---- the merge ---- */

static int merge(const struct merge_inputs *inputs, const struct session *session,
                 const struct arguments *args)
{
    struct apf_error error;
    struct findings findings = {session, {0}, false};
    struct apf_options options = limits_of(args);
    struct apf_fdata *fdata = NULL;
    struct apf_bolt_yaml *yaml = NULL;
    options.diag = findings_take;
    options.user = &findings;
    options.progress = progress_take;
    options.progress_user = session->progress;
    int code = EXIT_DATA;
    if (apf_fdata_new(&fdata, &options, &error) != APF_OK ||
        apf_bolt_yaml_new(&yaml, &options, &error) != APF_OK) {
        report_failure(session, NULL, &error);
    } else {
        progress_begin(session, args);
        int result = apf_bolt_read(fdata, yaml, inputs->data, inputs->n, &error);
        progress_end(session);
        bool is_yaml = apf_bolt_yaml_info(yaml)->known;
        if (session->persona->tool && !is_yaml)
            fputs("Using legacy profile format.\n", stderr);
        if (result != APF_OK) {
            report_failure(session, inputs->data[error.input].path, &error);
        } else {
            findings_rest(&findings);
            code =
                is_yaml ? conclude_yaml(yaml, session, inputs, args) : conclude_fdata(fdata, session, args);
        }
    }
    apf_bolt_yaml_free(yaml);
    apf_fdata_free(fdata);
    return code;
}

int cmd_bolt_merge(const struct session *session, const struct arguments *args)
{
    const struct persona *persona = session->persona;
    struct merge_inputs inputs = {0};
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error that is reported */
    if (args->n_files == 0) {
        report_usage(session, "Not enough positional command line arguments specified!");
        fprintf(stderr, "Must specify at least 1 positional argument: See: %s%s --help\n", persona->invoked,
                persona->tool ? "" : " bolt merge");
        return persona->usage_exit;
    }
    int code = collect(&inputs, session, args);
    if (code == 0 && merge_inputs_are_empty(&inputs, session, args))
        code = EXIT_DATA;
    else if (code == 0 && place_is_precious(session, args, &inputs))
        code = persona->usage_exit;
    else if (code == 0)
        code = merge(&inputs, session, args);
    merge_inputs_free(&inputs);
    return code;
}

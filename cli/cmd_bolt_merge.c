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

#include "merge_inputs.h"
#include "merge_places.h"
#include "merge_summary.h"
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

/* ---- the merge ---- */

static void summary(const struct session *session, const struct apf_fdata_info *info)
{
    if (info->n_saturated)
        report_warning(session, NULL,
                       "%" PRIu64
                       " records have a count above 2^63 - 1, which stands for it: llvm-bolt reads "
                       "no larger one",
                       info->n_saturated);
}

/* Everything behind the reading. */
static int conclude(struct apf_fdata *fdata, const struct session *session, const struct arguments *args)
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
    summary(session, info);
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

static int merge(const struct merge_inputs *inputs, const struct session *session,
                 const struct arguments *args)
{
    struct apf_error error;
    struct findings findings = {session, {0}, false};
    struct apf_options options = {0};
    struct apf_fdata *fdata = NULL;
    options.size = sizeof options;
    options.max_bytes = option_number(args, OPT_MAX_INPUT_SIZE, 0);
    options.max_records = option_number(args, OPT_MAX_RECORDS, 0);
    options.diag = findings_take;
    options.user = &findings;
    int code = 0;
    if (session->persona->tool)
        fputs("Using legacy profile format.\n", stderr);
    if (apf_fdata_new(&fdata, &options, &error) != APF_OK) {
        report_failure(session, NULL, &error);
        code = EXIT_DATA;
    } else if (apf_fdata_read(fdata, inputs->data, inputs->n, &error) != APF_OK) {
        report_failure(session, inputs->data[error.input].path, &error);
        code = EXIT_DATA;
    } else {
        findings_rest(&findings);
        code = conclude(fdata, session, args);
    }
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

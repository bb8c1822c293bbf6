/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "merge_supplement.h"

#include <inttypes.h>
#include <string.h>

#include <anyprof/sample_views.h>

#include "sample_file.h"
#include "streams.h"

#define MIN_COUNTERS 10u /* as in LLVM */
#define ZERO_SHARE 0.7

/* Warns of options that only correct, when nothing is corrected. LLVM's tool ignores them. */
static void warn_without(const struct session *session, const struct arguments *args)
{
    static const enum option_id ids[] = {OPT_MIN_SIZE, OPT_ZERO_COUNTERS, OPT_COLD_THRESHOLD};
    static const char *const names[] = {"suppl-min-size-threshold", "zero-counter-threshold",
                                        "instr-prof-cold-threshold"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (args->values[ids[i]].place && !session->persona->tool)
            report_warning(session, NULL, "--%s has no effect without --supplement-instr-with-sample",
                           names[i]);
}

/* What is wrong with the inputs; NULL: nothing. LLVM's tool corrects one profile, and writes to files only; under its
 * name that holds here, too. */
static const char *find_wrong(const struct request *request, const struct arguments *args,
                              const struct merge_inputs *inputs)
{
    bool strict = request->session->persona->tool != NULL, from_stdin = false;
    for (size_t i = 0; i < inputs->n; i++)
        from_stdin |= strcmp(stream_path(&inputs->data[i]), "-") == 0;
    if (strict && strcmp(request->output, "-") == 0)
        return "cannot write indexed profdata format to stdout";
    if (strict && inputs->n != 1)
        return "expect one input to be an instr profile";
    if (strict && inputs->data[0].weight != 1)
        return "expect instr profile doesn't have weight";
    if (option_flag(args, OPT_DELETE_INPUTS))
        return "--delete-inputs would lose the counts that --supplement-instr-with-sample replaces";
    if (from_stdin && strcmp(option_text(args, OPT_SUPPLEMENT, ""), "-") == 0)
        return "standard input cannot be both an input and the sample profile";
    return NULL;
}

int merge_supplement_parse(struct supplement_request *r, const struct request *request,
                           const struct arguments *args, const struct merge_inputs *inputs)
{
    const char *path = option_text(args, OPT_SUPPLEMENT, "");
    if (!*path) { /* an empty name is none, as in LLVM */
        warn_without(request->session, args);
        return 0;
    }
    const char *wrong = find_wrong(request, args, inputs);
    if (wrong) {
        report_error(request->session, NULL, "%s", wrong);
        return request->session->persona->usage_exit;
    }
    r->path = path;
    r->read = sample_read_options(request, args, &r->common);
    r->options.size = sizeof r->options;
    r->options.min_counters = option_number(args, OPT_MIN_SIZE, MIN_COUNTERS);
    r->options.cold_count = option_number(args, OPT_COLD_THRESHOLD, 0);
    r->options.zero_share = option_real(args, OPT_ZERO_COUNTERS, ZERO_SHARE);
    return 0;
}

int merge_supplement_read(struct supplement_request *r, const struct session *session)
{
    struct apf_error error;
    if (!r->path)
        return 0;
    struct apf_sample *sample = sample_file_open(session, r->path, &r->read);
    if (!sample)
        return EXIT_DATA;
    int code = apf_sample_supplement_new(&r->samples, sample, &error);
    apf_sample_close(sample);
    return exit_code(session, r->path, code, &error);
}

void merge_supplement_free(struct supplement_request *r)
{
    apf_sample_supplement_free(r->samples);
    r->samples = NULL;
}

void merge_supplement_report(const struct supplement_request *r, const struct session *session,
                             const struct apf_merge_stats *s)
{
    uint64_t marked = s->supplement_hot + s->supplement_warm;
    if (!r->path)
        return;
    if (!s->supplemented && s->n_functions)
        report_warning(session, r->path, "no function of the profile is in the sample profile");
    if (!session->persona->tool)
        report_note(session,
                    "functions that are in %s, too: %" PRIu64 "; marked as hot: %" PRIu64
                    ", as warm: %" PRIu64 "; with larger counts: %" PRIu64,
                    r->path, s->supplemented, s->supplement_hot, s->supplement_warm, s->supplement_scaled);
    if (marked && !(s->variant & APF_VARIANT_IR))
        report_warning(session, NULL,
                       "the output is a front-end profile: clang uses the marks as counts, the largest that "
                       "there can be; supplement IR profiles only");
}

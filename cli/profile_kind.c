/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile_kind.h"

#include <stdio.h>

#include <anyprof/jobs.h>

#include "options.h"
#include "report.h"
#include "streams.h"

#define N_FAMILIES (APF_FAMILY_SAMPLE + 1)
#define LONGEST 4200

/* How many inputs are of each family, and the first one. */
struct votes {
    size_t n[N_FAMILIES];
    const char *first[N_FAMILIES];
};

static void add_vote(struct votes *votes, enum apf_family family, const char *path)
{
    if (votes->n[family]++ == 0)
        votes->first[family] = path;
}

static void name_family(char *to, size_t size, const struct session *session, const struct votes *votes,
                        enum apf_family family)
{
    size_t n = votes->n[family];
    snprintf(to, size, "%zu %s profile%s (%s%s)", n,
             family == APF_FAMILY_SAMPLE ? "sample" : "instrumentation", n == 1 ? "" : "s",
             shown_name(session, votes->first[family], false), n == 1 ? "" : ", ...");
}

/* Reports profiles of both families; returns the exit code. */
static int report_both(const struct session *session, const struct votes *votes, bool merge)
{
    char samples[LONGEST], others[LONGEST];
    name_family(samples, sizeof samples, session, votes, APF_FAMILY_SAMPLE);
    name_family(others, sizeof others, session, votes, APF_FAMILY_INSTR);
    report_error(session, NULL, "%s and %s cannot be %s", samples, others,
                 merge ? "merged: give --sample or --instr" : "compared");
    if (merge)
        report_note(session, "the profiles of the other kind are bad inputs then, which --max-loss=PCT or "
                             "--failure-mode=all leaves out");
    return EXIT_DATA;
}

static struct votes count_contents(const struct apf_input *inputs, size_t n)
{
    struct votes votes = {0};
    for (size_t i = 0; i < n; i++)
        add_vote(&votes, apf_file_family(&inputs[i]), stream_path(&inputs[i]));
    return votes;
}

/* Sets what first bytes or, if they say nothing, names say. 0, or an exit code after a report. */
static int find_votes(const struct session *session, const struct arguments *args, struct apf_input *inputs,
                      size_t n, bool merge, struct kind_votes *found)
{
    struct votes votes = count_contents(inputs, n);
    if (votes.n[APF_FAMILY_NONE] == n) { /* else a merge reads streams when it comes to them */
        if (!streams_keep(session, inputs, n, option_number(args, OPT_MAX_INPUT_SIZE, 0)))
            return EXIT_DATA;
        votes = count_contents(inputs, n);
    }
    if (votes.n[APF_FAMILY_SAMPLE] && votes.n[APF_FAMILY_INSTR])
        return report_both(session, &votes, merge);
    found->families = (votes.n[APF_FAMILY_INSTR] ? APF_FAMILY_INSTR : APF_FAMILY_NONE) |
                      (votes.n[APF_FAMILY_SAMPLE] ? APF_FAMILY_SAMPLE : APF_FAMILY_NONE);
    for (size_t i = 0; !found->families && i < n; i++)
        found->names |= apf_input_families_by_name(&inputs[i]);
    return 0;
}

bool kind_votes_samples(const struct kind_votes *votes)
{
    return (votes->families ? votes->families : votes->names) == APF_FAMILY_SAMPLE;
}

int profile_kind_votes(const struct session *session, const struct arguments *args, struct apf_input *inputs,
                       size_t n, struct kind_votes *votes)
{
    const uint64_t kind = option_number(args, OPT_KIND, KIND_DETECTED);
    *votes = (struct kind_votes){kind == KIND_SAMPLE ? APF_FAMILY_SAMPLE : APF_FAMILY_INSTR, 0};
    if (kind != KIND_DETECTED || session->persona->tool)
        return 0;
    votes->families = 0;
    return find_votes(session, args, inputs, n, true, votes);
}

int profile_kind_of_files(const struct session *session, const struct arguments *args, size_t n,
                          uint64_t *kind)
{
    struct apf_input inputs[2];
    struct kind_votes votes = {0, 0};
    n = args->n_files < n ? args->n_files : n;
    for (size_t i = 0; i < n; i++)
        inputs[i] = apf_input_file(args->files[i]);
    if (!session->persona->tool &&
        !streams_keep(session, inputs, n, option_number(args, OPT_MAX_INPUT_SIZE, 0)))
        return EXIT_DATA;
    *kind = option_number(args, OPT_KIND, KIND_DETECTED);
    if (*kind != KIND_DETECTED)
        return 0;
    int code = session->persona->tool ? 0 : find_votes(session, args, inputs, n, false, &votes);
    *kind = kind_votes_samples(&votes) ? KIND_SAMPLE : KIND_INSTR;
    return code;
}

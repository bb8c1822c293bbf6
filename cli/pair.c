/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pair.h"

#include <inttypes.h>
#include <stdio.h>

static struct apf_instr *open_behind(const struct session *session, const struct arguments *args,
                                     const char *path, const char *what)
{
    struct apf_error error;
    struct apf_instr *instr = profile_try(session, args, path, NULL, APF_FLAG_DROP_MEMPROF, &error);
    if (!instr) {
        report_error(session, what, "%s (%s)", error.message, path); /* LLVM does not say which file */
        profile_advise(session, path, &error);
    }
    return instr;
}

bool pair_open(struct apf_instr *pair[2], const struct session *session, const struct arguments *args,
               const struct apf_correlation_source *source, const char *what)
{
    pair[0] = pair[1] = NULL;
    for (unsigned i = 0; i < 2; i++) {
        const char *path = args->files[i];
        pair[i] = what ? open_behind(session, args, path, what) : profile_open(session, args, path, source);
        if (!pair[i]) {
            pair_close(pair);
            return false;
        }
        if (apf_instr_info(pair[i])->format == APF_FORMAT_MEMPROF)
            report_warning(session, path, "a memory profile without counts, and counts are what is compared");
    }
    return true;
}

void pair_close(struct apf_instr *pair[2])
{
    for (unsigned i = 0; i < 2; i++) {
        apf_instr_close(pair[i]);
        pair[i] = NULL;
    }
}

void pair_warn(const struct session *session, const char *path, uint64_t left_out, uint64_t saturated)
{
    if (left_out)
        report_warning(session, path,
                       "%s: %" PRIu64
                       " times a function comes repeatedly with one hash and another structure; what "
                       "came first is compared",
                       apf_code_text(APF_COUNT_MISMATCH), left_out);
    if (saturated)
        report_warning(session, path, "%s: %" PRIu64 " sums of functions that come repeatedly",
                       apf_code_text(APF_COUNTER_OVERFLOW), saturated);
}

bool pair_is_given(const struct session *session, const struct arguments *args)
{
    if (args->n_files >= 2)
        return true;
    if (!session->persona->tool) {
        report_wrong(session, args, "two profiles are needed");
        return false;
    }
    report_usage(session, "Not enough positional command line arguments specified!");
    fprintf(stderr, "Must specify at least 2 positional arguments: See: %s --help\n",
            session->persona->invoked);
    return false;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pair.h"

#include <inttypes.h>

#include "places.h"

static struct apf_instr *open_behind(const struct request *request, const char *path, const char *what)
{
    struct apf_error error;
    struct apf_instr *instr = profile_try(request, path, NULL, APF_FLAG_DROP_MEMPROF, &error);
    if (!instr) {
        report_error(request->session, what, "%s (%s)", error.message, path);
        report_next_step(request->session, path, &error);
        profile_advise(request->session, path, &error);
    }
    return instr;
}

bool pair_open(struct apf_instr *pair[2], const struct request *request, const char *const paths[2],
               const struct apf_correlation_source *source, const char *what)
{
    pair[0] = pair[1] = NULL;
    for (unsigned i = 0; i < 2; i++) {
        pair[i] = what ? open_behind(request, paths[i], what)
                       : profile_open(request, paths[i], source, APF_FLAG_DROP_MEMPROF);
        if (!pair[i]) {
            pair_close(pair);
            return false;
        }
        if (apf_instr_info(pair[i])->format == APF_FORMAT_MEMPROF)
            report_warning(request->session, paths[i],
                           "this is a memory profile without counts; only counts are compared");
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
                       "%s: repeated records of a function whose structure is not that of the first are not "
                       "compared: %" PRIu64,
                       apf_code_text(APF_COUNT_MISMATCH), left_out);
    if (saturated)
        report_warning(session, path, "%s: sums of repeated records: %" PRIu64,
                       apf_code_text(APF_COUNTER_OVERFLOW), saturated);
}

void pair_warn_kinds(const struct session *session, struct apf_instr *const pair[2],
                     const char *const paths[2])
{
    const struct apf_instr_info *a = apf_instr_info(pair[0]), *b = apf_instr_info(pair[1]);
    const bool first_is_ir = (a->variant & APF_VARIANT_IR) != 0;
    if (!a->n_records || !b->n_records || !((a->variant ^ b->variant) & APF_VARIANT_IR))
        return;
    report_warning(
        session, NULL,
        "%s is an IR profile, and %s is one of the front end: their hashes and counters are made in "
        "different ways, so that their counts cannot be compared; give profiles of one kind",
        shown_name(session, paths[!first_is_ir], false), shown_name(session, paths[first_is_ir], false));
}

int pair_check(const struct session *session, const struct arguments *args)
{
    if (args->n_files < 2 && session->persona->tool)
        return report_too_few(session, "at least 2 positional arguments");
    if (args->n_files < 2)
        return report_wrong(session, args, "two profiles are required");
    bool repeated = !session->persona->tool && stdin_is_repeated(session, args, 2);
    return repeated || place_is_read(session, args, 2) ? session->persona->usage_exit : 0;
}

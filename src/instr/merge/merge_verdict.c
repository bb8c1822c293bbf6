/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether so much was lost that there should be no result. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "instr/merge/merge.h"

/* Whether all salvaged records are lost after all, because no input has their names, and there is nothing else. */
static bool is_lost(const struct apf_merge *m)
{
    const struct apf_merge_stats *s = &m->stats;
    return s->n_salvaged && !s->n_merged && !s->n_held && s->n_functions == 0 && s->salvage_lost_names;
}

int merge_verdict(const struct apf_merge *m, const struct apf_tolerance *t)
{
    const struct apf_merge_stats *s = &m->stats;
    bool share = t->mode == APF_FAIL_SHARE;
    uint64_t lost = s->n_rejected + s->n_empty + s->n_salvaged;
    if (s->n_inputs == 0 || t->mode == APF_FAIL_WARN || (share && t->max_loss >= APF_LOSS_ALL))
        return APF_OK;
    if (s->n_merged + s->n_salvaged + s->n_held == 0)
        return s->n_rejected ? APF_INVALID_PROFILE : APF_EMPTY_PROFILE;
    if (m->last && is_lost(m))
        return APF_INVALID_PROFILE;
    /* No product overflows: an input takes more than a hundred bytes. */
    bool failed = (t->mode == APF_FAIL_ANY && s->n_rejected) ||
                  (share && lost * APF_LOSS_ALL > t->max_loss * s->n_inputs);
    return failed ? APF_INVALID_PROFILE : APF_OK;
}

int apf_merge_verdict(struct apf_merge *m, const struct apf_tolerance *tolerance)
{
    m->was_judged = true;
    return merge_verdict(m, tolerance ? tolerance : &m->tolerance);
}

/* The first input that was rejected, or else the first that was not added whole; NULL: all were. */
static const struct apf_input_result *first_lost(const struct apf_merge *m)
{
    const struct apf_input_result *found = NULL;
    for (size_t i = 0; i < m->inputs.n; i++) {
        const struct apf_input_result *r = &m->inputs.data[i].result;
        if (r->code != APF_OK && r->code != APF_EMPTY_PROFILE && r->code != APF_ALREADY_MERGED)
            return r;
        if (!found && (r->code == APF_EMPTY_PROFILE || r->salvage))
            found = r;
    }
    return found;
}

/* Reports a verdict with the first input that was lost. Returns the code. */
static int report_losses(const struct apf_merge *m, int code, struct apf_error *error)
{
    if (!error)
        return code;
    const struct apf_merge_stats *s = &m->stats;
    const struct apf_input_result *lost = first_lost(m);
    const struct apf_error *why = lost ? lost->error ? lost->error : &lost->salvage->error : NULL;
    error_set_plain(error, code, "merge.inputs", "%" PRIu64 " of %" PRIu64 " inputs are lost",
                    s->n_rejected + s->n_empty + s->n_salvaged, s->n_inputs);
    if (!why)
        return code;
    error->input = why->input;
    error->subject = why->subject;
    error_file(error, code, why->file, strlen(why->file));
    error_add(error, "; the first: %s", why->message);
    return code;
}

int merge_refuse_losses(const struct apf_merge *m, struct apf_error *error)
{
    int code = m->has_tolerance || !m->was_judged ? merge_verdict(m, &m->tolerance) : APF_OK;
    return code == APF_OK ? code : report_losses(m, code, error);
}

int merge_refuse_nothing(const struct apf_merge *m, struct apf_error *error)
{
    const struct apf_tolerance anything = {APF_FAIL_ALL, 0};
    int code = merge_verdict(m, &anything);
    return code == APF_OK ? code : report_losses(m, code, error);
}

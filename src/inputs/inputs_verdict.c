/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/inputs_verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

int inputs_tolerance_check(const struct apf_tolerance *tolerance, struct apf_error *error)
{
    if (!tolerance || tolerance->mode <= APF_FAIL_SHARE)
        return APF_OK;
    return error_subject(error, error_plain(error, APF_ARGUMENT, "merge.options.tolerance", "no such mode"),
                         APF_SUBJECT_OPTION);
}

static uint64_t count_lost(const struct input_counts *c)
{
    return c->n_rejected + c->n_empty + c->n_salvaged;
}

/* Whether the inputs that were salvaged, and no others, make the result, which has nothing of them. */
static bool is_void(const struct inputs *in)
{
    const struct input_counts *c = &in->counts;
    return c->n_salvaged && !c->n_merged && !c->n_held && in->room->is_void && in->room->is_void(in->merge);
}

int inputs_verdict(const struct inputs *in, const struct apf_tolerance *t)
{
    const struct input_counts *c = &in->counts;
    bool share = t->mode == APF_FAIL_SHARE;
    if (c->n_inputs == 0 || t->mode == APF_FAIL_WARN || (share && t->max_loss >= APF_LOSS_ALL))
        return APF_OK;
    if (c->n_merged + c->n_salvaged + c->n_held == 0)
        return c->n_rejected ? APF_INVALID_PROFILE : APF_EMPTY_PROFILE;
    if (is_void(in))
        return APF_INVALID_PROFILE;
    /* No product overflows: see INPUTS_MOST. */
    bool failed = (t->mode == APF_FAIL_ANY && c->n_rejected) ||
                  (share && count_lost(c) * APF_LOSS_ALL > t->max_loss * c->n_inputs);
    return failed ? APF_INVALID_PROFILE : APF_OK;
}

int inputs_judge(struct inputs *in, const struct apf_tolerance *tolerance)
{
    in->was_judged = true;
    return inputs_verdict(in, tolerance ? tolerance : &in->tolerance);
}

/* The error of the first input that was rejected, or else of the first that was not added whole; NULL: all were. */
static const struct apf_error *first_loss(const struct inputs *in)
{
    const struct apf_error *found = NULL;
    for (size_t i = 0; i < in->list.n; i++) {
        const struct kept_input *k = &in->list.data[i];
        if (k->code != APF_OK && k->code != APF_EMPTY_PROFILE && k->code != APF_ALREADY_MERGED)
            return k->error;
        if (!found && k->code != APF_ALREADY_MERGED)
            found = k->error ? k->error : k->damage;
    }
    return found;
}

/* Reports a verdict with the first input that was lost. Returns the code. */
static int report_losses(const struct inputs *in, int code, struct apf_error *error)
{
    if (!error)
        return code;
    const struct apf_error *why = first_loss(in);
    char words[100]; /* instead of LLVM's, which speak of a profile that was created */
    snprintf(words, sizeof words, "too many inputs are lost: %" PRIu64 " of %" PRIu64,
             count_lost(&in->counts), in->counts.n_inputs);
    error_set_words(error, code, "merge.inputs", words);
    if (!why)
        return code;
    error->input = why->input;
    error->subject = why->subject;
    error_file(error, code, why->file, strlen(why->file));
    error_add(error, "; the first: %s", why->message);
    return code;
}

int inputs_refuse_losses(const struct inputs *in, struct apf_error *error)
{
    int code = in->has_tolerance || !in->was_judged ? inputs_verdict(in, &in->tolerance) : APF_OK;
    return code == APF_OK ? code : report_losses(in, code, error);
}

int inputs_refuse_nothing(const struct inputs *in, struct apf_error *error)
{
    const struct apf_tolerance anything = {APF_FAIL_ALL, 0};
    int code = inputs_verdict(in, &anything);
    return code == APF_OK ? code : report_losses(in, code, error);
}

int inputs_count_all(struct inputs *in, struct apf_error *error)
{
    bool any = in->list.n == 0;
    inputs_uncount(in);
    for (size_t i = 0; i < in->list.n; i++) {
        const struct kept_input *input = &in->list.data[i];
        if (input->why && input->code == input->why->code) /* a view was made */
            inputs_accept(in, i);
        inputs_count(in, i);
        any |= in->list.data[i].member;
    }
    return any ? APF_OK : inputs_refuse_nothing(in, error);
}

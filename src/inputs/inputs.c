/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/inputs.h"

#include "base/error.h"
#include "inputs/inputs_removal.h"

int inputs_open(struct inputs *in, const struct inputs_setup *setup, struct apf_error *error)
{
    in->room = setup->room;
    in->merge = setup->merge;
    in->common = setup->common;
    in->arena = setup->arena;
    in->has_tolerance = setup->tolerance != NULL;
    if (setup->tolerance)
        in->tolerance = *setup->tolerance;
    in->read_again = setup->read_again || setup->remove;
    in->undecided = setup->undecided;
    return inputs_removal_open(in, setup->output, setup->remove, error);
}

void inputs_close(struct inputs *in)
{
    inputs_removal_close(in);
    VEC_FREE(&in->list);
    VEC_FREE(&in->firsts);
}

/* A beat of the pulse. */
static int report_again(void *context)
{
    const struct inputs *in = (const struct inputs *)context;
    const struct apf_options *o = in->common;
    return o->progress ? o->progress(o->progress_user, &in->progress) : 0;
}

void inputs_begin_pulse(struct inputs *in)
{
    pulse_begin(&in->pulse, report_again, in);
}

int inputs_check_whole(const struct inputs *in, struct apf_error *error)
{
    return in->broken ? error_plain(error, APF_ARGUMENT, "merge", "an earlier call failed half-way") : APF_OK;
}

int inputs_reject(struct inputs *in, size_t i, int code, struct apf_error *error)
{
    struct kept_input *input = &in->list.data[i];
    if (input->code == code)
        return APF_OK;
    if (!input->why)
        input->why = arena_alloc(in->arena, sizeof *input->why);
    if (!input->why)
        return error_memory(error);
    error_set_plain(input->why, code, "merge.kind", NULL);
    input->why->input = i;
    input->code = code;
    input->error = input->why;
    in->room->changed(in->merge, i);
    struct apf_diag d = {APF_SEVERITY_ERROR, code, i, input->name, {NULL, 0}, 0, input->why};
    return error_report_diag(in->common->diag, in->common->user, &d, error);
}

void inputs_accept(struct inputs *in, size_t i)
{
    in->list.data[i].code = APF_OK;
    in->list.data[i].error = NULL;
    in->room->changed(in->merge, i);
}

void inputs_count(struct inputs *in, size_t i)
{
    const struct kept_input *input = &in->list.data[i];
    struct input_counts *c = &in->counts;
    uint64_t *to = &c->n_rejected;
    if (input->code == APF_OK)
        to = input->damage ? &c->n_salvaged : &c->n_merged;
    else if (input->code == APF_EMPTY_PROFILE)
        to = &c->n_empty;
    else if (input->code == APF_ALREADY_MERGED)
        to = &c->n_held;
    c->n_inputs = inputs_sum(c->n_inputs, input->n_inputs);
    *to = inputs_sum(*to, input->n_inputs);
    in->room->counted(in->merge);
}

void inputs_uncount(struct inputs *in)
{
    struct input_counts *c = &in->counts;
    c->n_inputs = c->n_merged = c->n_salvaged = c->n_empty = c->n_held = c->n_rejected = 0;
    in->room->counted(in->merge);
}

void inputs_outdate(struct inputs *in)
{
    in->was_judged = false;
    in->output.state = OUTPUT_NONE;
}

struct apf_input inputs_again(const struct inputs *in, size_t i)
{
    struct apf_input input = apf_input_file(in->list.data[i].path);
    input.n_directory = in->list.data[i].n_directory;
    return input;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/convert_loss.h"

#include <string.h>

#include "bolt/bolt_functions.h"
#include "object/branch_counts.h"

void tally_add(struct function_tally *tallies, uint32_t function, uint64_t count, uint32_t lost)
{
    if (!tallies || function == BOLT_NONE)
        return;
    struct function_tally *t = &tallies[function];
    t->seen = add_up_to(UINT64_MAX, t->seen, count);
    if (lost < APF_BOLT_LOSSES)
        t->lost[lost] = add_up_to(UINT64_MAX, t->lost[lost], count);
}

void tally_leave_out(struct function_tally *tallies, uint32_t function)
{
    struct function_tally *t = &tallies[function];
    uint64_t left = t->seen;
    for (uint32_t k = 0; k < APF_BOLT_LOSSES; k++)
        left -= t->lost[k] < left ? t->lost[k] : left;
    t->lost[APF_BOLT_LOSS_LEFT_OUT] = left;
}

/* The end of a name that is too long. */
#define CUT "..."

static void copy_name(struct apf_bolt_loss *loss, struct apf_str name)
{
    const size_t most = sizeof loss->function - 1;
    size_t n = name.n <= most ? name.n : most - (sizeof CUT - 1);
    memcpy(loss->function, name.p, n);
    memcpy(loss->function + n, name.n <= most ? "" : CUT, name.n <= most ? 1 : sizeof CUT);
}

/* Inserts a function among those that lose most: the most first, equal ones by address. */
static void rank_function(struct apf_bolt_funnel *funnel, const struct function_tally *t, struct apf_str name)
{
    struct apf_bolt_loss loss = {.seen = t->seen};
    for (uint32_t k = 0; k < APF_BOLT_LOSSES; k++) {
        loss.lost = add_up_to(UINT64_MAX, loss.lost, t->lost[k]);
        loss.reason = t->lost[k] > t->lost[loss.reason] ? k : loss.reason;
    }
    size_t at = funnel->n_top;
    while (at > 0 && funnel->top[at - 1].lost < loss.lost)
        at--;
    if (!loss.lost || at == APF_BOLT_TOP)
        return;
    funnel->n_top += funnel->n_top < APF_BOLT_TOP;
    memmove(&funnel->top[at + 1], &funnel->top[at], (funnel->n_top - 1 - at) * sizeof *funnel->top);
    copy_name(&loss, name);
    funnel->top[at] = loss;
}

void tally_finish(const struct function_tally *tallies, const struct bolt_functions *functions,
                  struct apf_bolt_funnel *funnel)
{
    for (size_t i = 0; tallies && i < functions->list.n; i++) {
        for (uint32_t k = 0; k < APF_BOLT_LOSSES; k++)
            funnel->lost[k] = add_up_to(UINT64_MAX, funnel->lost[k], tallies[i].lost[k]);
        funnel->in_program = add_up_to(UINT64_MAX, funnel->in_program, tallies[i].seen);
        rank_function(funnel, &tallies[i], functions->list.data[i].name);
    }
}

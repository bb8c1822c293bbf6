/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which inputs go together, decided when all are in. */
#include "sample/merge/sample_merge.h"

/* The class with most weight; among equals the one with the lowest number. */
static unsigned heaviest_class(const struct apf_sample_merge *m)
{
    unsigned best = SAMPLE_CLASS_COUNT;
    for (unsigned c = 0; c < SAMPLE_CLASS_COUNT; c++)
        if (m->weights[c] && (best == SAMPLE_CLASS_COUNT || m->weights[c] > m->weights[best]))
            best = c;
    return best;
}

/* Why a profile of a class does not go with those of another one, in the order of LLVM's checks. */
static int contradiction_code(unsigned a, unsigned b)
{
    if ((a ^ b) & SAMPLE_CLASS_PROBES)
        return APF_SAMPLE_PROBE_CONFLICT;
    return a == b ? APF_OK : APF_SAMPLE_CONTEXT_CONFLICT;
}

static int settle_input(struct apf_sample_merge *m, size_t i, struct apf_error *error)
{
    const struct sample_input *input = &m->inputs.data[i];
    int code = m->kept.list.data[i].code;
    if (!sample_merge_was_read(code))
        return APF_OK;
    int why = input->hollow ? APF_OK : contradiction_code(input->class, m->class);
    if (why != APF_OK)
        return inputs_reject(&m->kept, i, why, error);
    if (code != APF_OK)
        inputs_accept(&m->kept, i); /* more inputs of its class have come since */
    return APF_OK;
}

static void count_input(struct apf_sample_merge *m, size_t i)
{
    const struct sample_input *input = &m->inputs.data[i];
    inputs_count(&m->kept, i);
    if (!input->salvage || input->result.code != APF_OK)
        return;
    m->stats.salvaged_functions += input->salvage->functions;
    m->stats.salvage_lost_functions += input->salvage->lost_functions;
}

int sample_merge_settle(struct apf_sample_merge *m, struct apf_error *error)
{
    struct apf_sample_merge_stats *s = &m->stats;
    unsigned class = heaviest_class(m);
    int code = APF_OK;
    if (class != m->class) {
        m->class = class;
        m->n_settled = 0;
        inputs_uncount(&m->kept);
        s->salvaged_functions = s->salvage_lost_functions = 0;
    }
    while (code == APF_OK && m->n_settled < m->inputs.n) {
        code = settle_input(m, m->n_settled, error);
        if (code == APF_OK)
            count_input(m, m->n_settled++);
    }
    return code;
}

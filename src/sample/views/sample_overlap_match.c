/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "sample/views/sample_overlap.h"

void sample_overlap_hot(struct apf_sample_overlap_totals *t, const uint64_t samples[2], uint64_t n)
{
    bool base = samples[0] >= t->hot_count[0], test = samples[1] >= t->hot_count[1];
    if (base && test)
        t->hot_lines.both += n;
    else if (base)
        t->hot_lines.base += n;
    else if (test)
        t->hot_lines.test += n;
}

/* Compares one unit: a line, or an inlined function with n hot lines that one side has. Returns the difference of its
 * shares, by way of the similarity as LLVM does, since that rounds. */
static double compare_unit(struct sample_overlap_maker *m, struct sample_overlap_match *match,
                           const uint64_t samples[2], uint64_t n)
{
    double share[2] = {0, 0};
    for (unsigned i = 0; i < 2; i++)
        if (match->samples[i])
            share[i] = (double)samples[i] / (double)match->samples[i];
    bool less = samples[0] < samples[1];
    match->both += samples[less ? 0 : 1];
    match->either += samples[less ? 1 : 0];
    sample_overlap_hot(&m->overlap->totals, samples, n);
    double similarity = 1.0 - fabs(share[0] - share[1]);
    return 1.0 - similarity;
}

static double compare_unique(struct sample_overlap_maker *m, struct sample_overlap_match *match,
                             unsigned side, uint64_t sum, uint64_t n)
{
    uint64_t samples[2] = {0, 0};
    samples[side] = sum;
    match->unique[side] += sum;
    return compare_unit(m, match, samples, n);
}

static double compare_lines(struct sample_overlap_maker *m, struct sample_overlap_match *match,
                            const struct sample_lines *a, const struct sample_lines *b)
{
    double difference = 0;
    for (uint32_t i = 0, k = 0; i < a->n || k < b->n;) {
        if (k == b->n || (i < a->n && a->data[i].at < b->data[k].at)) {
            difference += compare_unique(m, match, 0, a->data[i++].count, 1);
        } else if (i == a->n || b->data[k].at < a->data[i].at) {
            difference += compare_unique(m, match, 1, b->data[k++].count, 1);
        } else {
            const uint64_t samples[2] = {a->data[i++].count, b->data[k++].count};
            difference += compare_unit(m, match, samples, 1);
        }
    }
    return difference;
}

/* Compares the lines of two functions; what is inlined in them is compared next. */
static bool begin_pair(struct sample_overlap_maker *m, const uint32_t nodes[2],
                       struct sample_overlap_match *match)
{
    struct sample_overlap_frame frame;
    for (unsigned i = 0; i < 2; i++) {
        frame.next[i] = m->pair.side[i].tree.first[nodes[i]];
        frame.end[i] = m->pair.side[i].tree.first[nodes[i] + 1];
    }
    frame.difference = compare_lines(m, match, &m->pair.side[0].sample->nodes.data[nodes[0]].lines,
                                     &m->pair.side[1].sample->nodes.data[nodes[1]].lines);
    return VEC_PUSH(&m->stack, frame);
}

/* Ends the function on top of the stack. */
static void end_pair(struct sample_overlap_maker *m, struct sample_overlap_match *match)
{
    double similarity = (2.0 - m->stack.data[--m->stack.n].difference) / 2;
    if (m->stack.n)
        m->stack.data[m->stack.n - 1].difference += 2 - 2 * similarity;
    else
        match->similarity = similarity;
}

static bool compare_next(struct sample_overlap_maker *m, struct sample_overlap_match *match)
{
    struct sample_overlap_frame *top = &m->stack.data[m->stack.n - 1];
    uint32_t nodes[2] = {SAMPLE_NONE, SAMPLE_NONE};
    for (unsigned i = 0; i < 2; i++)
        if (top->next[i] < top->end[i])
            nodes[i] = m->pair.side[i].tree.callees[top->next[i]];
    if (nodes[0] == SAMPLE_NONE && nodes[1] == SAMPLE_NONE) {
        end_pair(m, match);
        return true;
    }
    int order = nodes[0] == SAMPLE_NONE   ? 1
                : nodes[1] == SAMPLE_NONE ? -1
                                          : sample_pair_compare(&m->pair, nodes[0], nodes[1]);
    top->next[0] += order <= 0;
    top->next[1] += order >= 0;
    if (order == 0)
        return begin_pair(m, nodes, match);
    unsigned side = order < 0 ? 0 : 1;
    const struct sample_stats *stats = &m->stats[side][nodes[side]];
    top->difference += compare_unique(m, match, side, stats->sum, stats->n_hot);
    return true;
}

bool sample_overlap_match(struct sample_overlap_maker *m, const uint32_t nodes[2],
                          struct sample_overlap_match *match)
{
    m->stack.n = 0;
    bool ok = begin_pair(m, nodes, match);
    while (ok && m->stack.n)
        ok = compare_next(m, match);
    return ok;
}

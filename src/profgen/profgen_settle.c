/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_settle.h"

#include <stdlib.h>

#include "base/error.h"

/* Not known yet. */
#define UNSETTLED UINT32_MAX

struct settling {
    struct profgen_counts *to;
    const struct profgen_chains *from;
    const struct profgen_depths *depths;
    uint32_t *settled; /* the chain of `to` for each of `from`, or UNSETTLED */
    struct profgen_frames frames;
};

_Static_assert(PROFGEN_LONGEST_CHAIN == SAMPLE_MAX_DEPTH - 2, "contexts are as long as can be read");

bool profgen_limit(struct profgen_frames *frames, const struct profgen_depths *depths, bool names)
{
    const size_t most = PROFGEN_LONGEST_CHAIN;
    bool cut = frames->list.n > 2 * most;
    profgen_keep_last(frames, 2 * most); /* of more, compressing would take too long */
    profgen_compress(frames, depths->recursion);
    cut = (cut || frames->list.n > most) && depths->context > most;
    profgen_keep_last(frames, depths->context < most ? depths->context : most);
    if (!names)
        profgen_keep_last(frames, depths->chain);
    return cut;
}

/* Leaves what follows the last frame outside: the compiler that reads a profile sees only calls in the program. */
static void leave_outside(struct profgen_frames *frames)
{
    size_t n = 0;
    for (size_t i = 0; i < frames->list.n; i++)
        n = frames->list.data[i].at == PROFGEN_OUTSIDE ? 0 : n + 1;
    profgen_keep_last(frames, n);
}

static int settle_chain(struct settling *s, uint32_t chain, uint32_t *settled, struct apf_error *error)
{
    int code = APF_OK;
    *settled = PROFGEN_NO_CHAIN;
    if (chain == PROFGEN_NO_CHAIN)
        return APF_OK;
    uint32_t *known = &s->settled[chain - 1];
    if (*known == UNSETTLED) {
        code = profgen_chains_unfold(s->from, chain, &s->frames, error);
        if (code != APF_OK)
            return code;
        leave_outside(&s->frames);
        (void)profgen_limit(&s->frames, s->depths, false); /* no chain is longer */
        code = profgen_chains_fold(&s->to->chains, &s->frames, known, error);
    }
    *settled = *known;
    return code;
}

static int settle_pairs(struct settling *s, struct pair_counts *to, const struct pair_counts *from,
                        struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < from->list.n; i++) {
        struct pair_count counted = from->list.data[i];
        code = settle_chain(s, counted.pair.context, &counted.pair.context, error);
        if (code == APF_OK)
            code = pair_counts_add(to, &counted, 1, error);
    }
    return code;
}

/* Whether pairs can be moved, not added: there are no contexts, and nothing was read as counts. */
static bool is_movable(const struct profgen_counts *counts, const struct profgen_traces *t)
{
    return t->found.chains.list.n == 0 && !pair_counts_any(&counts->ranges) &&
           !pair_counts_any(&counts->branches);
}

static void move_pairs(struct pair_counts *to, struct pair_counts *from)
{
    pair_counts_free(to);
    *to = *from;
    *from = (struct pair_counts){.list = {0}};
}

int profgen_settle(struct profgen_counts *counts, struct profgen_traces *t,
                   const struct profgen_depths *depths, struct apf_error *error)
{
    counts->sensitive |= t->found.sensitive;
    if (is_movable(counts, t)) {
        move_pairs(&counts->ranges, &t->found.ranges);
        move_pairs(&counts->branches, &t->found.branches);
        return APF_OK;
    }
    struct settling s = {.to = counts, .from = &t->found.chains, .depths = depths};
    if (!(s.settled = malloc((s.from->list.n + 1) * sizeof *s.settled)))
        return error_memory(error);
    for (size_t i = 0; i < s.from->list.n; i++)
        s.settled[i] = UNSETTLED;
    int code = settle_pairs(&s, &counts->ranges, &t->found.ranges, error);
    if (code == APF_OK)
        code = settle_pairs(&s, &counts->branches, &t->found.branches, error);
    free(s.settled);
    VEC_FREE(&s.frames.list);
    return code;
}

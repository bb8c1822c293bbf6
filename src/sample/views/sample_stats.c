/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/views/sample_stats.h"

#include <stdlib.h>

struct sample_stats *sample_stats_make(const struct apf_sample *s, uint64_t hot_threshold)
{
    struct sample_stats *all = calloc(s->nodes.n + 1, sizeof *all);
    /* A node has a larger number than its caller. */
    for (size_t i = s->nodes.n; all && i-- > 0;) {
        const struct sample_node *f = &s->nodes.data[i];
        struct sample_stats own = all[i];
        if (f->state & SAMPLE_GONE)
            continue;
        for (uint32_t k = 0; k < f->lines.n; k++) {
            uint64_t count = f->lines.data[k].count;
            own.sum += count;
            own.most = own.most < count ? count : own.most;
            own.n_hot += count >= hot_threshold;
        }
        all[i] = own;
        if (f->caller == SAMPLE_NONE)
            continue;
        struct sample_stats *caller = &all[f->caller];
        caller->sum += own.sum;
        caller->most = caller->most < own.most ? own.most : caller->most;
        caller->n_hot += own.n_hot;
    }
    return all;
}

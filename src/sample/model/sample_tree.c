/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sample/model/sample_order.h"

int sample_tree_make(struct sample_tree *t, const struct apf_sample *s, const uint32_t *ranks,
                     struct apf_error *error)
{
    const struct sample_callee_order by = {s->nodes.data, ranks};
    size_t n = s->nodes.n, longest = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t callees = s->nodes.data[i].callees.n;
        longest = longest < callees ? callees : longest;
        total += callees;
    }
    t->first = malloc((n + 1) * sizeof *t->first);
    t->callees = malloc((total + 1) * sizeof *t->callees);
    uint32_t *scratch = malloc((longest + 1) * sizeof *scratch), at = 0;
    if (!t->first || !t->callees || !scratch) {
        free(scratch);
        return error_memory(error);
    }
    for (size_t i = 0; i < n; i++) {
        const struct sample_callees *list = &s->nodes.data[i].callees;
        t->first[i] = at;
        if (list->n && sample_callees_sorted(&by, list))
            memcpy(t->callees + at, list->data, list->n * sizeof *t->callees);
        else if (list->n)
            sample_callees_copy(&by, list, t->callees + at, scratch);
        at += list->n;
    }
    t->first[n] = at;
    free(scratch);
    return APF_OK;
}

void sample_tree_free(struct sample_tree *t)
{
    free(t->first);
    free(t->callees);
    t->first = t->callees = NULL;
}

/* ---- walking ---- */

void sample_tree_begin(struct sample_tree_walk *w, const struct sample_tree *tree, uint32_t node)
{
    w->tree = tree;
    w->node = node;
    w->depth = 0;
    w->stack.n = 0;
}

int sample_tree_next(struct sample_tree_walk *w, bool *more, struct apf_error *error)
{
    const struct sample_tree *t = w->tree;
    struct sample_walk_frame down = {w->node, t->first[w->node]};
    if (t->first[w->node + 1] != down.next && !VEC_PUSH(&w->stack, down))
        return error_memory(error);
    while (w->stack.n) {
        struct sample_walk_frame *top = &w->stack.data[w->stack.n - 1];
        if (top->next < t->first[top->node + 1]) {
            w->node = t->callees[top->next++];
            w->depth = (uint32_t)w->stack.n;
            *more = true;
            return APF_OK;
        }
        w->stack.n--;
    }
    *more = false;
    return APF_OK;
}

void sample_tree_walk_free(struct sample_tree_walk *w)
{
    VEC_FREE(&w->stack);
}

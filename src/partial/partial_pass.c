/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "partial/partial_pass.h"

#include <stdlib.h>

bool partial_pass_make(struct partial_pass *p, uint32_t n, void *context)
{
    *p = (struct partial_pass){.context = context, .n = n};
    p->heap = malloc(n * sizeof *p->heap + 1);
    p->taken = malloc(n * sizeof *p->taken + 1);
    return p->heap && p->taken;
}

void partial_pass_free(struct partial_pass *p)
{
    free(p->heap);
    free(p->taken);
}

/* Goes on with a stream, which comes into the heap if it has more. */
static int go_on(struct partial_pass *p, const struct partial_pass_steps *steps, uint32_t i)
{
    bool more = false;
    int code = steps->next(p->context, i, &more);
    if (code == APF_OK && more)
        heap_push(p->heap, &p->n_heap, i, steps->before, p->context);
    return code;
}

/* Takes the first stream out of the heap, and all that come neither before nor after it. */
static void take_equal(struct partial_pass *p, const struct partial_pass_steps *steps)
{
    p->n_taken = 0;
    do
        p->taken[p->n_taken++] = heap_pop(p->heap, &p->n_heap, steps->before, p->context);
    while (p->n_heap && !steps->before(p->context, p->taken[0], p->heap[0]));
}

int partial_pass_run(struct partial_pass *p, const struct partial_pass_steps *steps)
{
    int code = APF_OK;
    p->n_heap = 0;
    for (uint32_t i = 0; code == APF_OK && i < p->n; i++)
        code = go_on(p, steps, i);
    while (code == APF_OK && p->n_heap) {
        take_equal(p, steps);
        code = steps->take(p->context);
        for (size_t i = 0; code == APF_OK && i < p->n_taken; i++)
            code = go_on(p, steps, p->taken[i]);
    }
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <anyprof/profgen.h>

#include "base/error.h"
#include "base/sort.h"
#include "profgen/profgen_finish.h"

/* A function with what is inlined in it. */
struct function_density {
    double density;
    uint64_t sum;
};

static bool is_denser(const void *context, const void *a, const void *b)
{
    const struct function_density *x = a, *y = b;
    (void)context;
    return x->density != y->density ? x->density > y->density : x->sum < y->sum;
}

/* Adds up the lines of a function, those of what is inlined included. */
static int add_lines(const struct apf_sample *s, uint32_t node, uint64_t *sum, uint64_t *lines,
                     struct apf_error *error)
{
    struct sample_walk walk = {0};
    bool more = true;
    int code = APF_OK;
    sample_walk_begin(&walk, s, node);
    while (code == APF_OK && more) {
        const struct sample_node *f = &s->nodes.data[walk.node];
        *lines += f->lines.n;
        for (size_t i = 0; i < f->lines.n; i++)
            *sum = profgen_sum(*sum, f->lines.data[i].count);
        code = sample_walk_next(&walk, &more, error);
    }
    sample_walk_free(&walk);
    return code;
}

int apf_profgen_density(const struct apf_sample *s, uint64_t share, double *density, struct apf_error *error)
{
    const float millionths = 1000000;
    VEC(struct function_density) list = {0};
    uint64_t total = 0, reached = 0;
    int code = APF_OK;
    *density = 0;
    for (size_t i = 0; code == APF_OK && i < s->top.n; i++) {
        uint64_t sum = 0, lines = 0;
        code = add_lines(s, s->top.data[i], &sum, &lines, error);
        struct function_density f = {lines ? (double)sum / (double)lines : 0, sum};
        total = profgen_sum(total, sum);
        if (code == APF_OK && lines && !VEC_PUSH(&list, f))
            code = error_memory(error);
    }
    if (code == APF_OK && !SORT_VEC(&list, is_denser, NULL))
        code = error_memory(error);
    float wanted = (float)total * (float)share / millionths; /* as precise as LLVM's */
    for (size_t i = 0; code == APF_OK && i < list.n && (float)reached < wanted; i++) {
        reached = profgen_sum(reached, list.data[i].sum);
        *density = list.data[i].density;
    }
    VEC_FREE(&list);
    return code;
}

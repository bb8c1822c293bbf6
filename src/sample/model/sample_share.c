/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_share.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sample/model/sample_lists.h"

struct apf_sample *sample_share_names(const struct sample_names *names)
{
    struct apf_sample *s = sample_new();
    if (s)
        s->names = *names;
    return s;
}

void sample_share_free(struct apf_sample *copy)
{
    if (copy) {
        memset(&copy->names, 0, sizeof copy->names);
        copy->nodes.data = copy->nodes.capacity ? copy->nodes.data : NULL;
    }
    sample_free(copy);
}

/* Copies contexts, which keep their numbers. */
static int copy_contexts(struct apf_sample *copy, const struct apf_sample *from, struct apf_error *error)
{
    size_t names = copy->names.list.n, n = names > from->contexts.list.n ? names : from->contexts.list.n;
    uint32_t *same = malloc((n + 1) * sizeof *same), *map = malloc((n + 1) * sizeof *map);
    int code = same && map ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < n; i++)
        same[i] = (uint32_t)i;
    if (code == APF_OK)
        code = sample_contexts_adopt(&copy->contexts, &from->contexts, same, map, error);
    free(same);
    free(map);
    return code;
}

int sample_share_contexts(const struct apf_sample *from, struct apf_sample **to, struct apf_error *error)
{
    *to = sample_share_names(&from->names);
    return *to ? copy_contexts(*to, from, error) : error_memory(error);
}

int sample_share_nodes(struct apf_sample *copy, struct apf_error *error)
{
    const struct sample_node *shared = copy->nodes.data;
    size_t n = copy->nodes.n;
    if (!n || copy->nodes.capacity)
        return APF_OK;
    copy->nodes.data = NULL;
    copy->nodes.n = 0;
    if (!VEC_RESERVE(&copy->nodes, n))
        return error_memory(error);
    memcpy(copy->nodes.data, shared, n * sizeof *shared);
    copy->nodes.n = n;
    for (size_t i = 0; i < n; i++) {
        struct sample_node *f = &copy->nodes.data[i];
        f->lines.room = f->targets.room = f->callees.room = 0;
        if (!f->extra)
            continue;
        struct sample_extra *extra = arena_alloc(&copy->arena, sizeof *extra);
        if (!extra)
            return error_memory(error);
        *extra = *f->extra;
        extra->vtables.room = 0;
        f->extra = extra;
    }
    return APF_OK;
}

static int share_tops(struct apf_sample *copy, const struct apf_sample *from, struct apf_error *error)
{
    if (!VEC_RESERVE(&copy->top, from->top.n))
        return error_memory(error);
    if (from->top.n)
        memcpy(copy->top.data, from->top.data, from->top.n * sizeof *from->top.data);
    copy->top.n = from->top.n;
    return sample_index_tops(copy, error);
}

int sample_share(const struct apf_sample *from, const struct sample_names *names, struct apf_sample **copy,
                 struct apf_error *error)
{
    struct apf_sample *s = *copy = sample_share_names(names);
    if (!s)
        return error_memory(error);
    s->info = from->info;
    s->is_sum = from->is_sum;
    s->n_saturated = from->n_saturated;
    s->nodes.data = from->nodes.data;
    s->nodes.n = from->nodes.n;
    int code = copy_contexts(s, from, error);
    if (code == APF_OK)
        code = share_tops(s, from, error);
    if (code != APF_OK) {
        sample_share_free(s);
        *copy = NULL;
    }
    return code;
}

int sample_share_own(struct apf_sample *copy, struct apf_error *error)
{
    int code = sample_share_nodes(copy, error);
    for (size_t i = 0; code == APF_OK && i < copy->nodes.n; i++) {
        struct sample_node *f = &copy->nodes.data[i];
        code = SAMPLE_LIST_GROW(&copy->blocks, &f->targets, f->targets.n, error);
        if (code == APF_OK)
            code = SAMPLE_LIST_GROW(&copy->blocks, &f->callees, f->callees.n, error);
        if (code == APF_OK && f->extra)
            code = SAMPLE_LIST_GROW(&copy->blocks, &f->extra->vtables, f->extra->vtables.n, error);
    }
    return code;
}

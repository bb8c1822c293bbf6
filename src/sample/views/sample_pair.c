/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/views/sample_pair.h"

#include <stdlib.h>

#include "base/error.h"

/* Adds a name of a side; `with_file` says whether its file is a part of it. */
static int add_name(struct sample_pair *p, const struct sample_names *from, size_t i, bool with_file,
                    uint32_t *number, struct apf_error *error)
{
    const struct sample_name *name = &from->list.data[i];
    uint32_t file = SAMPLE_NONE;
    int code = APF_OK;
    if (!name->p)
        return sample_names_add_hash(&p->names, name->hash, number, error);
    if (with_file && name->file != SAMPLE_NONE)
        code = text_set_add(&p->names.files, from->files.list.data[name->file], &file, error);
    return code == APF_OK
               ? sample_names_add(&p->names, sample_names_text(from, (uint32_t)i), file, false, number, error)
               : code;
}

/* Adds the names of the side that alone has files: without them, unless a name occurs in several. */
static int add_without_files(struct sample_pair *p, const struct sample_names *from, uint32_t *map,
                             struct apf_error *error)
{
    size_t n = from->list.n;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++)
        code = add_name(p, from, i, false, &map[i], error);
    if (code != APF_OK)
        return code;
    uint8_t *seen = calloc(p->names.list.n + 1, 1);
    for (size_t i = 0; seen && i < n; i++)
        seen[map[i]] = seen[map[i]] ? 2 : 1;
    for (size_t i = 0; seen && code == APF_OK && i < n; i++)
        if (seen[map[i]] == 2 && from->list.data[i].file != SAMPLE_NONE)
            code = add_name(p, from, i, true, &map[i], error);
    code = seen ? code : error_memory(error);
    free(seen);
    return code;
}

static int add_names(struct sample_pair *p, struct apf_error *error)
{
    int code = APF_OK;
    for (unsigned i = 0; code == APF_OK && i < 2; i++) {
        const struct sample_names *own = &p->side[i].sample->names, *other = &p->side[1 - i].sample->names;
        p->side[i].names = malloc((own->list.n + 1) * sizeof *p->side[i].names);
        if (!p->side[i].names)
            code = error_memory(error);
        else if (own->files.list.n && !other->files.list.n)
            code = add_without_files(p, own, p->side[i].names, error);
        else
            code = sample_names_adopt(&p->names, own, false, p->side[i].names, error);
    }
    return code == APF_OK ? sample_names_rank(&p->names, &p->name_ranks, error) : code;
}

/* Finds the node of each context; `map` has the pair's number of each context of the side. */
static int add_contexts(struct sample_pair *p, struct sample_pair_side *side, uint32_t *map,
                        struct apf_error *error)
{
    return sample_contexts_adopt(&p->contexts, &side->sample->contexts, side->names, map, error);
}

static int find_tops(struct sample_pair *p, struct sample_pair_side *side, const uint32_t *map,
                     struct apf_error *error)
{
    const struct apf_sample *s = side->sample;
    side->tops = malloc((p->contexts.list.n + 1) * sizeof *side->tops);
    if (!side->tops)
        return error_memory(error);
    memset(side->tops, 0xff, p->contexts.list.n * sizeof *side->tops); /* SAMPLE_NONE */
    for (size_t i = 0; i < s->top.n; i++)
        side->tops[map[s->nodes.data[s->top.data[i]].context]] = s->top.data[i];
    return APF_OK;
}

static int make_side(struct sample_pair *p, struct sample_pair_side *side, struct apf_error *error)
{
    size_t n = side->sample->names.list.n;
    side->ranks = malloc((n + 1) * sizeof *side->ranks);
    if (!side->ranks)
        return error_memory(error);
    for (size_t i = 0; i < n; i++)
        side->ranks[i] = p->name_ranks[side->names[i]];
    return sample_tree_make(&side->tree, side->sample, side->ranks, error);
}

int sample_pair_make(struct sample_pair *p, const struct apf_sample *a, const struct apf_sample *b,
                     struct apf_error *error)
{
    p->side[0].sample = a;
    p->side[1].sample = b;
    uint32_t *maps[2] = {malloc((a->contexts.list.n + 1) * sizeof *maps[0]),
                         malloc((b->contexts.list.n + 1) * sizeof *maps[1])};
    int code = maps[0] && maps[1] ? add_names(p, error) : error_memory(error);
    for (unsigned i = 0; code == APF_OK && i < 2; i++)
        code = add_contexts(p, &p->side[i], maps[i], error);
    if (code == APF_OK)
        code = sample_contexts_rank(&p->contexts, p->name_ranks, &p->context_ranks, error);
    for (unsigned i = 0; code == APF_OK && i < 2; i++) {
        code = find_tops(p, &p->side[i], maps[i], error);
        if (code == APF_OK)
            code = make_side(p, &p->side[i], error);
    }
    free(maps[0]);
    free(maps[1]);
    return code;
}

void sample_pair_free(struct sample_pair *p)
{
    sample_names_free(&p->names);
    sample_contexts_free(&p->contexts);
    free(p->name_ranks);
    free(p->context_ranks);
    for (unsigned i = 0; i < 2; i++) {
        free(p->side[i].names);
        free(p->side[i].ranks);
        sample_tree_free(&p->side[i].tree);
        free(p->side[i].tops);
    }
}

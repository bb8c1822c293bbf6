/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/line_branches.h"

#include "base/error.h"
#include "base/sort.h"

/* A file while its branches are collected. */
struct collector {
    struct line_branches *b;
    const struct coverage *c;
    const struct file_view *v;
    unsigned flags;
    struct apf_error *error;
};

static uint64_t place_of(const struct region *r)
{
    return source_place(r->line, r->column);
}

/* Finds the branch of a path, or adds that it will be the next one, if those of one path are added up. False: an
 * allocation failed. */
static bool find_branch(const struct collector *l, uint32_t path, struct line_branch **branch)
{
    struct line_branches *b = l->b;
    *branch = NULL;
    if (l->flags & BRANCHES_NO_UNIFY)
        return true;
    while (b->by_path.n <= path)
        if (!VEC_PUSH(&b->by_path, HASH_INDEX_NONE))
            return false;
    if (b->by_path.data[path] == HASH_INDEX_NONE)
        b->by_path.data[path] = (uint32_t)b->list.n;
    else
        *branch = &b->list.data[b->by_path.data[path]];
    return true;
}

/* Adds a branch, unless it is folded on both sides. */
static bool add_branch(const struct collector *l, uint32_t path, const struct region *r, uint64_t position)
{
    struct line_branch *before;
    const struct line_branch branch = {.path = path,
                                       .folded = {branch_folded(r, false), branch_folded(r, true)},
                                       .counts = {r->false_count, r->count},
                                       .position = position};
    if (path == HASH_INDEX_NONE)
        return false;
    if (branch.folded[0] && branch.folded[1])
        return true;
    if (!find_branch(l, path, &before))
        return false;
    if (!before)
        return VEC_PUSH(&l->b->list, branch);
    for (unsigned side = 0; side < 2; side++) {
        before->counts[side] =
            count_add(before->counts[side], branch.counts[side], l->c->one_byte, !l->c->strict);
        before->folded[side] = before->folded[side] && branch.folded[side];
    }
    return true;
}

static bool add_own(const struct collector *l)
{
    bool ok = true;
    for (size_t i = 0; i < l->v->branches.n && ok; i++) {
        const struct region *r = &l->v->branches.data[i];
        ok = add_branch(l, place_tree_add(&l->b->paths, PLACE_ROOT, place_of(r)), r, i);
    }
    return ok;
}

/* Notes which region expands each file of the function that is open. */
static bool find_expansions(struct line_branches *b)
{
    const struct mapping *m = &b->work.mapping;
    b->expansions.n = 0;
    if (!VEC_RESERVE(&b->expansions, m->files.n) || !VEC_RESERVE(&b->nodes, m->files.n))
        return false;
    for (size_t i = 0; i < m->files.n; i++) {
        b->expansions.data[i] = UINT32_MAX;
        b->nodes.data[i] = PLACE_ROOT;
    }
    for (size_t i = 0; i < m->regions.n; i++)
        if (m->regions.data[i].kind == REGION_EXPANSION &&
            b->expansions.data[m->regions.data[i].expanded] == UINT32_MAX)
            b->expansions.data[m->regions.data[i].expanded] = (uint32_t)i;
    return true;
}

/* Finds the paths to the files below an expansion, outer ones first. False: an allocation failed. */
static bool find_paths(struct line_branches *b, const struct view_region *e)
{
    const struct mapping *m = &b->work.mapping;
    bool ok = true;
    for (size_t i = b->work.order.n; i-- > 0 && ok;) {
        const uint32_t file = b->work.order.data[i];
        const struct region *r =
            file == e->region.expanded ? &e->region : &m->regions.data[b->expansions.data[file]];
        const uint32_t parent = file == e->region.expanded ? PLACE_ROOT : b->nodes.data[r->file];
        b->nodes.data[file] = place_tree_add(&b->paths, parent, place_of(r));
        ok = b->nodes.data[file] != HASH_INDEX_NONE;
    }
    return ok;
}

/* Adds the branches in one file of an expansion. */
static bool add_in_file(const struct collector *l, uint32_t file, uint64_t *position)
{
    struct line_branches *b = l->b;
    const struct mapping *m = &b->work.mapping;
    bool ok = true;
    for (uint32_t k = m->starts.data[file]; k < m->starts.data[file + 1] && ok; k++) {
        const struct region *r = &m->regions.data[k];
        uint32_t path = b->nodes.data[file];
        if (!region_is_branch(r))
            continue;
        if (!(l->flags & BRANCHES_LLVM))
            path = place_tree_add(&b->paths, path, place_of(r));
        ok = add_branch(l, path, r, (*position)++);
    }
    return ok;
}

/* Adds the branches in what an expansion expands to, inner ones first. */
static int add_expanded(struct collector *l, const struct view_region *e, uint64_t *position)
{
    struct cov_work *w = &l->b->work;
    int code = coverage_files_below(w, e->region.expanded, l->error);
    bool ok = code == APF_OK && find_paths(l->b, e);
    for (size_t i = 0; ok && i < w->order.n; i++)
        ok = add_in_file(l, w->order.data[i], position);
    return code != APF_OK || ok ? code : error_memory(l->error);
}

static int add_all_expanded(struct collector *l)
{
    uint64_t position = 0;
    uint32_t function = UINT32_MAX;
    int code = APF_OK;
    for (size_t i = 0; i < l->v->expansions.n && code == APF_OK; i++) {
        const struct view_region *e = &l->v->expansions.data[i];
        if (e->function != function) {
            code = coverage_open(l->c, &l->c->functions.data[e->function], &l->b->work, l->error);
            if (code == APF_OK && !find_expansions(l->b))
                code = error_memory(l->error);
        }
        function = e->function;
        if (code == APF_OK)
            code = add_expanded(l, e, &position);
    }
    return code;
}

static bool branch_before(const void *context, const void *a, const void *b)
{
    const struct place_node *nodes = (const struct place_node *)context;
    const struct line_branch *x = (const struct line_branch *)a, *y = (const struct line_branch *)b;
    return x->path != y->path ? nodes[x->path].rank < nodes[y->path].rank : x->position < y->position;
}

int line_branches_make(struct line_branches *b, const struct coverage *c, const struct file_view *v,
                       unsigned flags, struct apf_error *error)
{
    struct collector l = {b, c, v, flags, error};
    b->list.n = b->by_path.n = 0;
    const int code = place_tree_reset(&b->paths) && add_own(&l) ? add_all_expanded(&l) : error_memory(error);
    if (code != APF_OK)
        return code;
    if (!place_tree_rank(&b->paths) || !SORT_VEC(&b->list, branch_before, b->paths.nodes.data))
        return error_memory(error);
    for (size_t i = 0; i < b->list.n; i++)
        b->list.data[i].line = b->paths.nodes.data[b->list.data[i].path].line;
    return APF_OK;
}

void line_branches_free(struct line_branches *b)
{
    VEC_FREE(&b->list);
    cov_work_free(&b->work);
    place_tree_free(&b->paths);
    VEC_FREE(&b->expansions);
    VEC_FREE(&b->nodes);
    VEC_FREE(&b->by_path);
}

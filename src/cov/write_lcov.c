/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tracefiles of lcov, as llvm-cov writes them. */
#include "base/error.h"
#include "base/sort.h"
#include "base/text_append.h"
#include "cov/outputs.h"
#include "cov/place_tree.h"

/* A branch on its way to a line. Its path is the places of the expansions that it is in or, if it is in none, its own
 * place: branches with one path are added up. */
struct item {
    uint32_t path; /* a node */
    bool folded;
    uint64_t position; /* among the branches of the file, or among those in expansions */
    uint64_t count, false_count;
};

struct lcov_output {
    const struct coverage *c;
    struct file_out *out;
    unsigned flags;
    struct apf_error *error;
    struct file_view view;
    struct cov_work work;
    struct place_tree paths;
    VEC(struct item) items;
    VEC(uint32_t) expansions; /* for each file of the function that is open, the region that expands it */
    VEC(uint32_t) nodes;      /* and the path to it */
};

static void line(struct lcov_output *l, const char *key, uint64_t v)
{
    text_append(l->out, key);
    text_decimal(l->out, v, 0);
    text_append(l->out, "\n");
}

static void pair(struct lcov_output *l, const char *key, uint64_t v, struct apf_str name)
{
    text_append(l->out, key);
    text_decimal(l->out, v, 0);
    text_append(l->out, ",");
    (void)file_out_write(l->out, name.p, name.n);
    text_append(l->out, "\n");
}

/* ---- functions ---- */

/* Writes the functions whose first file this is. */
static void functions(struct lcov_output *l, bool counts)
{
    const struct file_functions functions = coverage_functions(l->c, l->view.file);
    for (size_t i = 0; i < functions.n; i++) {
        const struct cov_function *f = &l->c->functions.data[(uint32_t)functions.pairs[i]];
        if (f->first_file == l->view.file)
            pair(l, counts ? "FNDA:" : "FN:", counts ? f->count : f->first_line, f->name);
    }
}

/* ---- branches ---- */

static uint64_t place_of(const struct region *r)
{
    return source_place(r->line, r->column);
}

static bool add_item(struct lcov_output *l, uint32_t path, const struct region *r, uint64_t position)
{
    const struct item item = {.path = path,
                              .position = position,
                              .count = r->count,
                              .false_count = r->false_count,
                              .folded = branch_folded(r, false) && branch_folded(r, true)};
    return path != HASH_INDEX_NONE && VEC_PUSH(&l->items, item);
}

static bool add_own(struct lcov_output *l)
{
    bool ok = true;
    for (size_t i = 0; i < l->view.branches.n && ok; i++) {
        const struct region *r = &l->view.branches.data[i];
        ok = add_item(l, place_tree_add(&l->paths, PLACE_ROOT, place_of(r)), r, i);
    }
    return ok;
}

/* Notes which region expands each file of the function that is open. */
static bool find_expansions(struct lcov_output *l)
{
    const struct mapping *m = &l->work.mapping;
    l->expansions.n = 0;
    if (!VEC_RESERVE(&l->expansions, m->files.n) || !VEC_RESERVE(&l->nodes, m->files.n))
        return false;
    for (size_t i = 0; i < m->files.n; i++) {
        l->expansions.data[i] = UINT32_MAX;
        l->nodes.data[i] = PLACE_ROOT;
    }
    for (size_t i = 0; i < m->regions.n; i++)
        if (m->regions.data[i].kind == REGION_EXPANSION &&
            l->expansions.data[m->regions.data[i].expanded] == UINT32_MAX)
            l->expansions.data[m->regions.data[i].expanded] = (uint32_t)i;
    return true;
}

/* Finds the paths to the files below an expansion, outer ones first. False: an allocation failed. */
static bool find_paths(struct lcov_output *l, const struct view_region *e)
{
    const struct mapping *m = &l->work.mapping;
    bool ok = true;
    for (size_t i = l->work.order.n; i-- > 0 && ok;) {
        const uint32_t file = l->work.order.data[i];
        const struct region *r =
            file == e->region.expanded ? &e->region : &m->regions.data[l->expansions.data[file]];
        const uint32_t parent = file == e->region.expanded ? PLACE_ROOT : l->nodes.data[r->file];
        l->nodes.data[file] = place_tree_add(&l->paths, parent, place_of(r));
        ok = l->nodes.data[file] != HASH_INDEX_NONE;
    }
    return ok;
}

/* Adds the branches in what an expansion expands to, inner ones first. */
static int add_expanded(struct lcov_output *l, const struct view_region *e, uint64_t *position)
{
    struct cov_work *w = &l->work;
    int code = coverage_files_below(w, e->region.expanded, l->error);
    bool ok = code == APF_OK && find_paths(l, e);
    for (size_t i = 0; ok && i < w->order.n; i++) {
        const uint32_t file = w->order.data[i];
        for (uint32_t k = w->mapping.starts.data[file]; k < w->mapping.starts.data[file + 1] && ok; k++)
            if (region_is_branch(&w->mapping.regions.data[k]))
                ok = add_item(l, l->nodes.data[file], &w->mapping.regions.data[k], (*position)++);
    }
    return code != APF_OK || ok ? code : error_memory(l->error);
}

static int add_all_expanded(struct lcov_output *l)
{
    const struct file_view *v = &l->view;
    uint64_t position = 0;
    uint32_t function = UINT32_MAX;
    int code = APF_OK;
    for (size_t i = 0; i < v->expansions.n && code == APF_OK; i++) {
        const struct view_region *e = &v->expansions.data[i];
        if (e->function != function) {
            code = coverage_open(l->c, &l->c->functions.data[e->function], &l->work, l->error);
            if (code == APF_OK && !find_expansions(l))
                code = error_memory(l->error);
        }
        function = e->function;
        if (code == APF_OK)
            code = add_expanded(l, e, &position);
    }
    return code;
}

static bool item_before(const void *context, const void *a, const void *b)
{
    const struct place_node *nodes = (const struct place_node *)context;
    const struct item *x = (const struct item *)a, *y = (const struct item *)b;
    return x->path != y->path ? nodes[x->path].rank < nodes[y->path].rank : x->position < y->position;
}

/* Adds up items with one path. */
static void unify(struct lcov_output *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->items.n; i++) {
        struct item *last = &l->items.data[n ? n - 1 : 0];
        const struct item *item = &l->items.data[i];
        if (n && !(l->flags & COV_NO_UNIFY) && last->path == item->path) {
            last->count += item->count;
            last->false_count += item->false_count;
        } else {
            l->items.data[n++] = *item;
        }
    }
    l->items.n = n;
}

/* Writes a side of a branch; LLVM keeps 32 bits of its count. */
static void side(struct lcov_output *l, uint64_t line, uint64_t pair, uint64_t branch, uint32_t count,
                 bool ran)
{
    text_append(l->out, "BRDA:");
    text_decimal(l->out, line, 0);
    text_append(l->out, ",");
    text_decimal(l->out, pair, 0);
    text_append(l->out, ",");
    text_decimal(l->out, branch, 0);
    text_append(l->out, ",");
    if (ran)
        text_decimal(l->out, count, 0);
    else
        text_append(l->out, "-");
    text_append(l->out, "\n");
}

static void write_items(struct lcov_output *l)
{
    uint64_t line = 0, pair = 0, branch = 0;
    for (size_t i = 0; i < l->items.n; i++) {
        const struct item *item = &l->items.data[i];
        const uint64_t at = l->paths.nodes.data[item->path].line;
        const uint32_t count = (uint32_t)item->count, false_count = (uint32_t)item->false_count;
        if (at != line)
            pair = branch = 0;
        line = at;
        side(l, line, pair, branch++, count, count || false_count);
        side(l, line, pair++, branch++, false_count, count || false_count);
    }
}

static int branches(struct lcov_output *l)
{
    l->items.n = 0;
    int code = place_tree_reset(&l->paths) && add_own(l) ? add_all_expanded(l) : error_memory(l->error);
    if (code != APF_OK)
        return code;
    size_t n = 0;
    for (size_t i = 0; i < l->items.n; i++)
        if (!l->items.data[i].folded)
            l->items.data[n++] = l->items.data[i];
    l->items.n = n;
    if (!place_tree_rank(&l->paths) || !SORT_VEC(&l->items, item_before, l->paths.nodes.data))
        return error_memory(l->error);
    unify(l);
    write_items(l);
    return APF_OK;
}

/* ---- lines ---- */

static void lines(struct lcov_output *l)
{
    struct line_walk walk = line_walk_from(&l->view.segments, 1);
    struct line_run run;
    while (line_walk_next(&walk, &run))
        for (uint64_t at = run.line; run.mapped && at <= run.last && !l->out->sys_errno; at++) {
            text_append(l->out, "DA:");
            text_decimal(l->out, at, 0);
            text_append(l->out, ",");
            text_decimal(l->out, run.count, 0);
            text_append(l->out, "\n");
        }
}

/* ---- files ---- */

static int file(struct lcov_output *l, uint32_t number)
{
    const struct apf_str name = l->c->files.list.data[number];
    const bool whole = !(l->flags & COV_SUMMARY_ONLY), has_branches = !(l->flags & COV_SKIP_BRANCHES);
    const struct cov_summary *s = &l->view.summary;
    int code = whole ? file_view_make(&l->view, l->c, number, l->error)
                     : file_view_summarize(&l->view, l->c, number, l->error);
    text_append(l->out, "SF:");
    (void)file_out_write(l->out, name.p, name.n);
    text_append(l->out, "\n");
    for (int counts = 0; counts < 2 && whole && !(l->flags & COV_SKIP_FUNCTIONS); counts++)
        functions(l, counts != 0);
    line(l, "FNF:", s->functions.n);
    line(l, "FNH:", s->functions.covered);
    if (code == APF_OK && whole)
        lines(l);
    if (code == APF_OK && whole && has_branches)
        code = branches(l);
    if (has_branches) {
        line(l, "BRF:", s->branches.n);
        line(l, "BRH:", s->branches.covered);
    }
    line(l, "LF:", s->lines.n);
    line(l, "LH:", s->lines.covered);
    text_append(l->out, "end_of_record\n");
    return code;
}

int cov_write_lcov(const struct coverage *c, const struct cov_selection *files, unsigned flags,
                   struct file_out *out, struct apf_error *error)
{
    struct lcov_output l = {.c = c, .out = out, .flags = flags, .error = error};
    int code = APF_OK;
    for (size_t i = 0; i < files->n && code == APF_OK && !out->sys_errno; i++)
        code = file(&l, files->files[i]);
    file_view_free(&l.view);
    cov_work_free(&l.work);
    place_tree_free(&l.paths);
    VEC_FREE(&l.nodes);
    VEC_FREE(&l.items);
    VEC_FREE(&l.expansions);
    return code;
}

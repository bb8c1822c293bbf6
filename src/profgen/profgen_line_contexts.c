/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_line_contexts.h"

#include "base/error.h"
#include "object/canonical_name.h"
#include "profgen/profgen_finish.h"
#include "profgen/profgen_line_counts.h"

/* ---- from chains to names ---- */

/* The context of an inlined function in a chain of calls. */
struct expanded {
    uint32_t chain, inlining, context; /* context: as in profgen_counts */
    bool cut;                          /* it begins after a caller that is not known */
};

struct expander {
    struct profgen_counts *to;
    const struct profgen_chains *from;
    const struct profgen_program *program;
    const struct profgen_depths *depths;
    struct profgen_points points;
    VEC(struct expanded) known;
    struct hash_index index;
    struct profgen_frames calls, frames;
    VEC(uint64_t)
    alike_to; /* of points: an instruction after it, up to which all are inlined as it is; 0: none */
    VEC(uint32_t) seen; /* points, of find_last_alike */
    struct apf_error *error;
};

/* Adds the frames of a point; *known: its function is. */
static int push_point(struct expander *x, uint64_t address, bool *known)
{
    const struct profgen_point *point;
    int code = profgen_points_find(&x->points, address, &point, x->error);
    if (code != APF_OK)
        return code;
    const size_t first = x->frames.list.n, n = point->depth;
    *known = n != 0;
    if (!VEC_RESERVE(&x->frames.list, n))
        return error_memory(x->error);
    x->frames.list.n += n;
    uint64_t at = point->at;
    uint32_t inlining = point->inlining;
    for (size_t i = n; i-- > 0;) {
        const struct profgen_inlining *f = &x->points.inlinings.data[inlining];
        x->frames.list.data[first + i] = (struct profgen_frame){at, f->name};
        at = f->at;
        inlining = f->caller;
    }
    return APF_OK;
}

static int add_context(struct expander *x, uint32_t *context)
{
    uint32_t caller = SAMPLE_NONE;
    uint64_t at = 0;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < x->frames.list.n; i++) {
        const struct profgen_frame *frame = &x->frames.list.data[i];
        code = sample_contexts_add(&x->to->named->contexts, caller, at, frame->name, &caller, x->error);
        at = frame->at;
    }
    *context = caller + 1;
    return code;
}

/* A caller without debug information, such as _start, cannot be named: the context begins after it. llvm-profgen loses
 * all counts of such contexts. */
static int expand(struct expander *x, uint32_t chain, uint64_t address, struct expanded *result)
{
    bool known = true;
    int code = profgen_chains_unfold(x->from, chain, &x->calls, x->error);
    size_t first = 0;
    x->frames.list.n = 0;
    for (size_t i = 0; i < x->calls.list.n; i++)
        first = x->calls.list.data[i].at == PROFGEN_OUTSIDE ? i + 1 : first;
    for (size_t i = first; code == APF_OK && i < x->calls.list.n; i++) {
        code = push_point(x, x->calls.list.data[i].at, &known);
        x->frames.list.n = known ? x->frames.list.n : 0;
        result->cut = result->cut || !known;
    }
    if (code == APF_OK)
        code = push_point(x, address, &known);
    if (code != APF_OK || !known)
        return code;
    struct profgen_frame leaf = x->frames.list.data[--x->frames.list.n];
    x->to->contexts_long += profgen_limit(&x->frames, x->depths, true);
    x->frames.list.data[x->frames.list.n++] = leaf;
    return add_context(x, &result->context);
}

/* Finds the context of the function at an address that was called by a chain. */
static int find_context(struct expander *x, uint32_t chain, uint64_t address, struct expanded *found)
{
    const struct profgen_point *point;
    uint32_t i;
    if (!hash_index_reserve(&x->index, 1) || !VEC_RESERVE(&x->known, 1))
        return hash_index_error(&x->index, x->error);
    int code = profgen_points_find(&x->points, address, &point, x->error);
    if (code != APF_OK)
        return code;
    struct expanded expanded = {chain, point->inlining, 0, false};
    uint64_t hash = hash_index_mix(&x->index, chain, expanded.inlining);
    HASH_INDEX_FIND(i, &x->index, hash,
                    x->known.data[i].chain == chain && x->known.data[i].inlining == expanded.inlining);
    if (i == HASH_INDEX_NONE) {
        code = expand(x, chain, address, &expanded);
        if (code != APF_OK)
            return code;
        i = (uint32_t)x->known.n;
        x->known.data[x->known.n++] = expanded;
        hash_index_add(&x->index, hash, i);
    }
    *found = x->known.data[i];
    return APF_OK;
}

static int add_part(struct expander *x, const struct pair_count *range, uint64_t start, uint64_t end)
{
    struct expanded found = {0, 0, 0, false};
    int code = find_context(x, range->pair.context, start, &found);
    if (code != APF_OK)
        return code;
    const struct pair_count part = {{start, end, found.context}, range->count};
    if (found.cut && start == range->pair.a)
        x->to->ranges_cut = profgen_sum(x->to->ranges_cut, range->count);
    return pair_counts_add(&x->to->ranges, &part, 1, x->error);
}

/* Finds the last instruction up to `end` that is inlined as all from `at` on are. Every instruction that was looked at
 * remembers how far it goes, so that ranges which overlap do not take the time of all of their instructions. */
static int find_last_alike(struct expander *x, uint64_t at, uint64_t end, uint64_t *last)
{
    struct code_map *map = x->program->code;
    const struct profgen_point *point;
    uint64_t reached = at, next = at;
    uint32_t callers = 0, depth = 0;
    int code = APF_OK;
    x->seen.n = 0;
    while (next <= end) {
        code = profgen_points_find(&x->points, next, &point, x->error);
        if (code != APF_OK)
            return code;
        callers = next == at ? point->callers : callers;
        depth = next == at ? point->depth : depth;
        if (point->depth != depth || point->callers != callers || (!depth && x->to->divided && next > at))
            break;
        const uint32_t i = (uint32_t)(point - x->points.list.data);
        while (x->alike_to.n <= i)
            if (!VEC_PUSH(&x->alike_to, 0))
                return error_memory(x->error);
        if (!VEC_PUSH(&x->seen, i))
            return error_memory(x->error);
        reached = x->alike_to.data[i] > next ? x->alike_to.data[i] : next;
        next = reached < end ? code_map_from(map, reached + 1) : UINT64_MAX;
    }
    for (size_t i = 0; i < x->seen.n; i++)
        x->alike_to.data[x->seen.data[i]] = reached;
    const uint64_t before = reached > end ? code_map_before(map, end + 1) : reached;
    *last = before > at ? before : at;
    return APF_OK;
}

/* Divides a range where the calls change that are inlined around. */
static int divide_range(struct expander *x, const struct pair_count *range)
{
    const uint64_t end = range->pair.b;
    uint64_t start = range->pair.a, last;
    int code;
    do {
        code = find_last_alike(x, start, end, &last);
        if (code == APF_OK)
            code = add_part(x, range, start, last);
        start = code == APF_OK && last < end ? code_map_from(x->program->code, last + 1) : UINT64_MAX;
    } while (start <= end && start != UINT64_MAX);
    return code;
}

static int expand_branch(struct expander *x, const struct pair_count *branch)
{
    struct pair_count expanded = *branch;
    struct expanded found = {0, 0, 0, false};
    int code = APF_OK;
    if (branch->pair.a != PROFGEN_OUTSIDE)
        code = find_context(x, branch->pair.context, branch->pair.a, &found);
    expanded.pair.context = found.context;
    return code == APF_OK ? pair_counts_add(&x->to->branches, &expanded, 1, x->error) : code;
}

int profgen_line_contexts_settle(struct profgen_counts *counts, const struct profgen_program *p,
                                 const struct profgen_traces *t, const struct profgen_depths *depths,
                                 struct apf_error *error)
{
    struct expander x = {
        .to = counts, .from = &t->found.chains, .program = p, .depths = depths, .error = error};
    counts->sensitive = true;
    if (!counts->named && !(counts->named = sample_new()))
        return error_memory(error);
    profgen_points_open(&x.points, p, &counts->named->names);
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < t->found.ranges.list.n; i++)
        code = divide_range(&x, &t->found.ranges.list.data[i]);
    for (size_t i = 0; code == APF_OK && i < t->found.branches.list.n; i++)
        code = expand_branch(&x, &t->found.branches.list.data[i]);
    profgen_points_close(&x.points);
    VEC_FREE(&x.known);
    hash_index_free(&x.index);
    VEC_FREE(&x.calls.list);
    VEC_FREE(&x.frames.list);
    VEC_FREE(&x.alike_to);
    VEC_FREE(&x.seen);
    return code;
}

/* ---- the profile ---- */

struct context_maker {
    struct apf_sample *s;
    const struct profgen_program *program;
    struct profgen_points points;
    struct line_counts lines; /* of nodes of the profile */
    struct profgen_line_counts *counts;
    VEC(uint32_t) names, contexts;      /* numbers in the profile of those in the counts */
    const struct profgen_range *caller; /* of profgen_callee */
    struct apf_error *error;
};

static int adopt_contexts(struct context_maker *m, const struct apf_sample *named)
{
    if (!VEC_RESERVE(&m->names, named->names.list.n + 1) ||
        !VEC_RESERVE(&m->contexts, named->contexts.list.n + 1))
        return error_memory(m->error);
    int code = sample_names_adopt(&m->s->names, &named->names, true, m->names.data, m->error);
    return code == APF_OK ? sample_contexts_adopt(&m->s->contexts, &named->contexts, m->names.data,
                                                  m->contexts.data, m->error)
                          : code;
}

/* top: SAMPLE_NONE if the context is not known. */
static int add_instruction(struct context_maker *m, uint32_t top, uint64_t address, uint64_t count)
{
    const struct profgen_point *point = NULL;
    int code = top == SAMPLE_NONE ? APF_OK : profgen_points_find(&m->points, address, &point, m->error);
    m->counts->instructions = profgen_sum(m->counts->instructions, count);
    if (code != APF_OK || !point || !point->depth) {
        m->counts->unknown = profgen_sum(m->counts->unknown, count);
        return code;
    }
    m->s->nodes.data[top].total = profgen_sum(m->s->nodes.data[top].total, count);
    return line_counts_raise(&m->lines, top, point->at, profgen_product(count, point->copies), m->error);
}

/* Adds the instructions in the ranges of a context. */
static int add_ranges(struct context_maker *m, uint32_t top, const struct pair_count *ranges, size_t n)
{
    struct code_map *map = m->program->code;
    struct profgen_cover cover;
    int code = profgen_cover_open(&cover, ranges, n, NULL, false, m->error);
    for (size_t i = 0; code == APF_OK && i + 1 < cover.steps.n; i++) {
        const struct profgen_step *step = &cover.steps.data[i];
        if (step->count == 0)
            continue;
        for (uint64_t at = code_map_from(map, step->address); code == APF_OK && at < step[1].address;
             at = code_map_from(map, at + 1))
            code = add_instruction(m, top, at, step->count);
    }
    profgen_cover_close(&cover);
    return code;
}

static int add_context_ranges(struct context_maker *m, const struct pair_counts *ranges)
{
    int code = APF_OK;
    for (size_t i = 0, end; code == APF_OK && i < ranges->list.n; i = end) {
        const struct pair_count *first = &ranges->list.data[i];
        uint32_t top = SAMPLE_NONE;
        for (end = i; end < ranges->list.n && ranges->list.data[end].pair.context == first->pair.context;)
            end++;
        if (first->pair.context)
            code = sample_top(m->s, m->contexts.data[first->pair.context - 1], &top, m->error);
        if (code == APF_OK)
            code = add_ranges(m, top, first, end - i);
    }
    for (size_t i = 0; code == APF_OK && i < m->lines.list.n; i++) {
        const struct line_count *line = &m->lines.list.data[i];
        code = sample_append_line(m->s, line->of, line->at, line->count, m->error);
    }
    return code;
}

/* Marks functions that were inlined in the program: by their ranges and branches, whose contexts are theirs. */
static int mark_inlined(struct context_maker *m, uint32_t top, uint64_t address)
{
    const struct profgen_point *point;
    int code = profgen_points_find(&m->points, address, &point, m->error);
    if (code == APF_OK && point->depth > 1)
        m->s->nodes.data[top].attributes |= APF_SAMPLE_WAS_INLINED;
    return code;
}

static int mark_all(struct context_maker *m, const struct pair_counts *pairs)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < pairs->list.n; i++) {
        const struct address_pair *pair = &pairs->list.data[i].pair;
        uint32_t top;
        if (pair->context == 0)
            continue;
        code = sample_top(m->s, m->contexts.data[pair->context - 1], &top, m->error);
        if (code == APF_OK)
            code = mark_inlined(m, top, pair->a);
    }
    return code;
}

/* A call: a target of the caller, and an entry of the function that was called, in the context of that place. */
static int add_call(struct context_maker *m, const struct pair_count *branch)
{
    const struct profgen_functions *functions = m->program->functions;
    const struct profgen_range *callee =
        profgen_callee(functions, branch->pair.a, branch->pair.b, &m->caller);
    const struct profgen_point *point = NULL;
    uint32_t name, top, context = SAMPLE_NONE;
    uint64_t at = 0;
    if (!callee)
        return APF_OK;
    m->counts->calls = profgen_sum(m->counts->calls, branch->count);
    int code = sample_names_add(&m->s->names, canonical_name(functions->list.data[callee->function].name),
                                SAMPLE_NONE, true, &name, m->error);
    if (code == APF_OK && branch->pair.context) {
        context = m->contexts.data[branch->pair.context - 1];
        code = profgen_points_find(&m->points, branch->pair.a, &point, m->error);
    } else {
        m->counts->calls_unknown = profgen_sum(m->counts->calls_unknown, branch->count);
    }
    if (code == APF_OK && point && point->depth) {
        at = point->raw;
        code = sample_top(m->s, context, &top, m->error);
        if (code == APF_OK)
            code = sample_append_line(m->s, top, point->at, 0, m->error);
        if (code == APF_OK)
            code = sample_append_target(m->s, top, point->at, name, branch->count, m->error);
    }
    if (code == APF_OK)
        code = sample_contexts_add(&m->s->contexts, context, at, name, &context, m->error);
    if (code == APF_OK)
        code = sample_top(m->s, context, &top, m->error);
    if (code == APF_OK)
        m->s->nodes.data[top].head = profgen_sum(m->s->nodes.data[top].head, branch->count);
    return code;
}

/* Of functions that no branch has entered, since they are inlined, their first line says how often they ran: that is
 * the count of the call. What has no line at all counts once. */
static int infer_call(struct context_maker *m, uint32_t node, struct sample_scratch *scratch)
{
    struct apf_sample *s = m->s;
    const struct sample_context context = s->contexts.list.data[s->nodes.data[node].context];
    uint32_t caller;
    if (s->nodes.data[node].head || context.caller == SAMPLE_NONE)
        return APF_OK;
    int code = sample_seal_node(s, node, scratch, m->error);
    if (code == APF_OK)
        code = sample_top(s, context.caller, &caller, m->error);
    if (code != APF_OK)
        return code;
    const struct sample_node *f = &s->nodes.data[node];
    uint64_t count = f->lines.n ? f->lines.data[0].count : 1;
    count = count ? count : f->total != 0;
    s->nodes.data[caller].total = profgen_sum(s->nodes.data[caller].total, count);
    code = sample_append_line(s, caller, context.at, count, m->error);
    return code == APF_OK ? sample_append_target(s, caller, context.at, context.name, count, m->error) : code;
}

/* What is called has a larger number than its caller. */
static int infer_calls(struct context_maker *m)
{
    struct sample_scratch scratch = {.bytes = {0}};
    int code = APF_OK;
    for (size_t i = m->s->contexts.list.n; code == APF_OK && i-- > 0;) {
        uint32_t node = sample_find_top(m->s, (uint32_t)i);
        if (node != SAMPLE_NONE)
            code = infer_call(m, node, &scratch);
    }
    VEC_FREE(&scratch.bytes);
    return code;
}

int profgen_line_contexts_make(struct apf_sample *s, struct profgen_line_counts *counts,
                               const struct profgen_program *p, const struct profgen_counts *c,
                               struct apf_error *error)
{
    struct context_maker m = {.s = s, .program = p, .counts = counts, .error = error};
    profgen_points_open(&m.points, p, &s->names);
    int code = adopt_contexts(&m, c->named);
    if (code == APF_OK)
        code = add_context_ranges(&m, &c->ranges);
    if (code == APF_OK)
        code = mark_all(&m, &c->ranges);
    if (code == APF_OK)
        code = mark_all(&m, &c->branches);
    for (size_t i = 0; code == APF_OK && i < c->branches.list.n; i++)
        code = add_call(&m, &c->branches.list.data[i]);
    if (code == APF_OK)
        code = infer_calls(&m);
    profgen_points_close(&m.points);
    line_counts_free(&m.lines);
    VEC_FREE(&m.names);
    VEC_FREE(&m.contexts);
    s->info.flags |= APF_SAMPLE_CONTEXTS | profgen_program_properties(p);
    return code == APF_OK ? profgen_finish(s, p->flags, error) : code;
}

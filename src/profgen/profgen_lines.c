/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_lines.h"

#include "base/error.h"
#include "object/canonical_name.h"
#include "profgen/profgen_finish.h"
#include "profgen/profgen_line_counts.h"

/* A target of calls. */
struct line_call {
    uint64_t at, count;
    uint32_t inlining, name; /* name: SAMPLE_NONE: the function was called */
};

struct line_maker {
    struct apf_sample *s;
    const struct profgen_program *program;
    struct profgen_points points;
    struct line_counts lines; /* of inlinings */
    VEC(uint64_t) totals;     /* of inlinings, at first without those inlined in them */
    VEC(struct line_call) calls;
    VEC(struct line_call) types;        /* vtables that were read */
    VEC(uint32_t) nodes;                /* in the profile, of inlinings; SAMPLE_NONE: not made */
    const struct profgen_range *caller; /* of profgen_callee */
    struct apf_error *error;
};

/* ---- counts ---- */

static int add_total(struct line_maker *m, uint32_t inlining, uint64_t count)
{
    while (m->totals.n <= inlining)
        if (!VEC_PUSH(&m->totals, 0))
            return error_memory(m->error);
    m->totals.data[inlining] = profgen_sum(m->totals.data[inlining], count);
    return APF_OK;
}

static int add_instruction(struct line_maker *m, uint64_t address, uint64_t size, uint64_t count,
                           struct profgen_line_counts *counts)
{
    const struct profgen_point *point;
    int code = profgen_points_find(&m->points, address, &point, m->error);
    counts->instructions = profgen_sum(counts->instructions, count);
    if (code != APF_OK || point->inlining == SAMPLE_NONE) {
        counts->unknown = profgen_sum(counts->unknown, count);
        return code;
    }
    code = add_total(m, point->inlining, profgen_product(count, size));
    return code == APF_OK ? line_counts_raise(&m->lines, point->inlining, point->at,
                                              profgen_product(count, point->copies), m->error)
                          : code;
}

/* The instructions of a step. */
static int add_step(struct line_maker *m, const struct profgen_step *step, struct profgen_line_counts *counts)
{
    struct code_map *map = m->program->code;
    int code = APF_OK;
    uint64_t address = code_map_from(map, step->address);
    while (code == APF_OK && address < step[1].address) {
        uint64_t next = code_map_from(map, address + 1);
        code = add_instruction(m, address, code_map_size(map, address), step->count, counts);
        address = next;
    }
    return code;
}

static int add_call(struct line_maker *m, const struct pair_count *branch, struct profgen_line_counts *counts)
{
    const struct profgen_functions *functions = m->program->functions;
    const struct profgen_range *callee =
        profgen_callee(functions, branch->pair.a, branch->pair.b, &m->caller);
    const struct profgen_point *point = NULL;
    struct line_call call = {.count = branch->count}, head = {.count = branch->count, .name = SAMPLE_NONE};
    if (!callee)
        return APF_OK;
    counts->calls = profgen_sum(counts->calls, branch->count);
    int code = sample_names_add(&m->s->names, canonical_name(functions->list.data[callee->function].name),
                                SAMPLE_NONE, true, &call.name, m->error);
    if (code == APF_OK)
        code = profgen_points_find(&m->points, branch->pair.a, &point, m->error);
    if (code != APF_OK)
        return code;
    call.inlining = point->inlining;
    call.at = point->at;
    if (call.inlining == SAMPLE_NONE)
        counts->calls_unknown = profgen_sum(counts->calls_unknown, branch->count);
    else if (!VEC_PUSH(&m->calls, call))
        return error_memory(m->error);
    code = profgen_points_top(&m->points, call.name, &head.inlining, m->error);
    return code != APF_OK || VEC_PUSH(&m->calls, head) ? code : error_memory(m->error);
}

/* An access to a vtable. */
static int add_access(struct line_maker *m, struct profgen_accesses *accesses,
                      const struct pair_count *access)
{
    const struct profgen_vtable *vtable = &accesses->vtables.data[access->pair.b];
    const struct profgen_point *point;
    struct line_call type = {.count = access->count};
    int code = profgen_points_find(&m->points, access->pair.a, &point, m->error);
    if (code != APF_OK)
        return code;
    type.inlining = point->inlining;
    type.at = point->at;
    if (point->inlining == SAMPLE_NONE) {
        accesses->unplaced = profgen_sum(accesses->unplaced, access->count);
        return APF_OK;
    }
    code = sample_names_add(&m->s->names, vtable->name, SAMPLE_NONE, true, &type.name, m->error);
    return code != APF_OK || VEC_PUSH(&m->types, type) ? code : error_memory(m->error);
}

/* ---- the profile ---- */

static int make_node(struct line_maker *m, uint32_t number)
{
    const struct profgen_inlining *f = &m->points.inlinings.data[number];
    uint32_t caller = f->caller == SAMPLE_NONE ? SAMPLE_NONE : m->nodes.data[f->caller], context;
    uint32_t *node = &m->nodes.data[number];
    int code;
    *node = SAMPLE_NONE;
    if (profgen_is_ambiguous(sample_names_text(&m->s->names, f->name)) ||
        (f->caller != SAMPLE_NONE && caller == SAMPLE_NONE))
        return APF_OK;
    if (f->caller != SAMPLE_NONE) {
        code = sample_inlined(m->s, caller, f->at, f->name, node, m->error);
    } else {
        code = sample_contexts_base(&m->s->contexts, f->name, &context, m->error);
        if (code == APF_OK)
            code = sample_top(m->s, context, node, m->error);
    }
    if (code == APF_OK)
        m->s->nodes.data[*node].total = number < m->totals.n ? m->totals.data[number] : 0;
    return code;
}

/* Callers have smaller numbers. */
static int make_nodes(struct line_maker *m)
{
    size_t n = m->points.inlinings.n;
    int code = VEC_RESERVE(&m->nodes, n) ? APF_OK : error_memory(m->error);
    for (size_t i = m->totals.n; i-- > 0;) {
        uint32_t caller = m->points.inlinings.data[i].caller;
        if (caller != SAMPLE_NONE)
            m->totals.data[caller] = profgen_sum(m->totals.data[caller], m->totals.data[i]);
    }
    for (uint32_t i = 0; code == APF_OK && i < n; i++)
        code = make_node(m, i);
    return code;
}

static int fill_nodes(struct line_maker *m)
{
    struct apf_sample *s = m->s;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->lines.list.n; i++) {
        const struct line_count *line = &m->lines.list.data[i];
        uint32_t node = m->nodes.data[line->of];
        if (node != SAMPLE_NONE)
            code = sample_append_line(s, node, line->at, line->count, m->error);
    }
    for (size_t i = 0; code == APF_OK && i < m->calls.n; i++) {
        const struct line_call *call = &m->calls.data[i];
        uint32_t node = m->nodes.data[call->inlining];
        if (node == SAMPLE_NONE)
            continue;
        if (call->name == SAMPLE_NONE) {
            s->nodes.data[node].head = profgen_sum(s->nodes.data[node].head, call->count);
            continue;
        }
        code = sample_append_line(s, node, call->at, 0, m->error);
        if (code == APF_OK)
            code = sample_append_target(s, node, call->at, call->name, call->count, m->error);
    }
    for (size_t i = 0; code == APF_OK && i < m->types.n; i++) {
        const struct line_call *type = &m->types.data[i];
        uint32_t node = m->nodes.data[type->inlining];
        if (node != SAMPLE_NONE)
            code = sample_append_vtable(s, node, type->at, type->name, type->count, m->error);
    }
    return code;
}

int profgen_lines_make(struct apf_sample *s, struct profgen_line_counts *counts,
                       const struct profgen_program *p, const struct profgen_counts *t,
                       struct profgen_accesses *accesses, struct apf_error *error)
{
    struct line_maker m = {.s = s, .program = p, .error = error};
    struct profgen_cover cover;
    profgen_points_open(&m.points, p, &s->names);
    int code = profgen_cover_open(&cover, t->ranges.list.data, t->ranges.list.n, p->functions,
                                  p->flags & APF_PROFGEN_ALL_FUNCTIONS, error);
    for (size_t i = 0; code == APF_OK && i + 1 < cover.steps.n; i++)
        if (cover.steps.data[i].ranges)
            code = add_step(&m, &cover.steps.data[i], counts);
    profgen_cover_close(&cover);
    for (size_t i = 0; code == APF_OK && i < t->branches.list.n; i++)
        code = add_call(&m, &t->branches.list.data[i], counts);
    for (size_t i = 0; code == APF_OK && i < accesses->counts.list.n; i++)
        code = add_access(&m, accesses, &accesses->counts.list.data[i]);
    if (code == APF_OK)
        code = make_nodes(&m);
    if (code == APF_OK)
        code = fill_nodes(&m);
    profgen_points_close(&m.points);
    line_counts_free(&m.lines);
    VEC_FREE(&m.totals);
    VEC_FREE(&m.calls);
    VEC_FREE(&m.types);
    VEC_FREE(&m.nodes);
    s->info.flags |= profgen_program_properties(p);
    return code == APF_OK ? profgen_finish(s, p->flags, error) : code;
}

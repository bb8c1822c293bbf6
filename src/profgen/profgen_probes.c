/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_probes.h"

#include "base/search.h"
#include "object/canonical_name.h"
#include "profgen/profgen_finish.h"

#define NOT_MADE (SAMPLE_NONE - 1)
#define ENTRY_PROBE 1u

/* A node of the inline tree. It has no node in the profile, SAMPLE_NONE, if its name is not known, or is one that
 * compilers give to many functions. */
struct probe_node {
    uint32_t node; /* in the profile, or NOT_MADE */
    uint32_t top;  /* the top-level record that it is in */
    bool hit;      /* a top-level record: it ran, or its function did */
    uint64_t total;
};

struct maker {
    struct apf_sample *s;
    const struct apf_probes *probes;
    struct probe_node *nodes; /* by the numbers of the inline tree */
    struct arena arena;
    struct profgen_probe_counts *counts;
    struct apf_error *error;
};

/* ---- nodes ---- */

/* Whether a node begins a function of its own: of calls whose probe is not known, callers are left out. */
static bool is_top(const struct apf_probe_node *n)
{
    return n->parent == APF_PROBE_NONE || n->call_probe == 0;
}

/* Makes the node of one of the tree, whose parent was made. */
static int make_node(struct maker *m, uint32_t number)
{
    const struct apf_probe_node *n = &m->probes->nodes.data[number];
    const struct apf_probe_desc *desc = apf_probes_find_desc(m->probes, n->guid);
    struct apf_str name = apf_probes_name(m->probes, n->guid);
    uint32_t caller = is_top(n) ? SAMPLE_NONE : m->nodes[n->parent].node, name_number, context;
    uint32_t *node = &m->nodes[number].node;
    *node = SAMPLE_NONE;
    if (name.n == 0 || profgen_is_ambiguous(name) || (!is_top(n) && caller == SAMPLE_NONE))
        return APF_OK;
    int code = sample_names_add(&m->s->names, name, SAMPLE_NONE, true, &name_number, m->error);
    if (code == APF_OK && is_top(n)) {
        code = sample_contexts_base(&m->s->contexts, name_number, &context, m->error);
        if (code == APF_OK)
            code = sample_top(m->s, context, node, m->error);
    } else if (code == APF_OK) {
        code = sample_inlined(m->s, caller, sample_place(n->call_probe, 0), name_number, node, m->error);
    }
    if (code == APF_OK && desc)
        m->s->nodes.data[*node].checksum = desc->hash;
    return code;
}

/* Makes the node of one of the tree, and those above it. Parents have smaller numbers. */
static int find_node(struct maker *m, uint32_t number)
{
    int code = APF_OK;
    while (code == APF_OK && m->nodes[number].node == NOT_MADE) {
        uint32_t next = number;
        while (!is_top(&m->probes->nodes.data[next]) &&
               m->nodes[m->probes->nodes.data[next].parent].node == NOT_MADE)
            next = m->probes->nodes.data[next].parent;
        code = make_node(m, next);
    }
    return code;
}

/* ---- counts ---- */

static int add_probe(struct maker *m, const struct apf_probe *probe, uint64_t count)
{
    int code = find_node(m, probe->node);
    uint32_t node = m->nodes[probe->node].node;
    if (code != APF_OK)
        return code;
    m->counts->counts = profgen_sum(m->counts->counts, count);
    m->nodes[probe->node].total = profgen_sum(m->nodes[probe->node].total, count);
    if (node == SAMPLE_NONE) {
        m->counts->unnamed = profgen_sum(m->counts->unnamed, count);
        return APF_OK;
    }
    struct sample_node *f = &m->s->nodes.data[node];
    if (probe->id == ENTRY_PROBE && f->caller == SAMPLE_NONE)
        f->head = profgen_sum(f->head, count);
    return sample_append_line(m->s, node, sample_place(probe->id, probe->discriminator), count, m->error);
}

static int hit_probe(struct maker *m, const struct apf_probe *probe, uint64_t count)
{
    if (count)
        m->nodes[m->nodes[probe->node].top].hit = true;
    return APF_OK;
}

/* Probes with the count 0 say that code did not run; of records in the code of another function that did not run
 * either, there is nothing to say. */
static int count_probe(struct maker *m, const struct apf_probe *probe, uint64_t count)
{
    return m->nodes[m->nodes[probe->node].top].hit ? add_probe(m, probe, count) : APF_OK;
}

/* Calls `each` for each probe at an instruction that is covered, also several copies of one. */
static int visit_probes(struct maker *m, const struct profgen_program *p, const struct profgen_cover *cover,
                        int (*each)(struct maker *m, const struct apf_probe *probe, uint64_t count))
{
    size_t step = 0;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->probes->n_placed; i++) {
        const struct apf_probe *probe = &m->probes->probes.data[m->probes->by_address[i]];
        while (step < cover->steps.n && cover->steps.data[step].address <= probe->address)
            step++;
        const struct profgen_step *at = step ? &cover->steps.data[step - 1] : NULL;
        if (at && at->ranges && code_map_has(p->code, probe->address))
            code = each(m, probe, at->count);
    }
    return code;
}

/* Marks the top-level records of a function. */
static void mark_records(struct maker *m, struct apf_str function)
{
    size_t first, n = apf_probes_find_nodes(m->probes, apf_probe_guid(function), &first);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = apf_probes_node_by_guid(m->probes, first + i);
        m->nodes[node].hit |= m->nodes[node].top == node;
    }
}

static void mark_function(const struct profgen_functions *functions, uint64_t address, uint8_t *hit)
{
    const struct profgen_range *range = profgen_range_at(functions, address);
    if (range)
        hit[range->function] = 1;
}

/* Marks the records of all functions in which ranges begin, or branches begin or end. */
static int mark_hit(struct maker *m, const struct profgen_functions *functions,
                    const struct profgen_counts *t)
{
    uint8_t *hit = arena_zeros(&m->arena, functions->list.n, 1);
    if (!hit)
        return error_memory(m->error);
    for (size_t i = 0; i < t->ranges.list.n; i++)
        mark_function(functions, t->ranges.list.data[i].pair.a, hit);
    for (size_t i = 0; i < t->branches.list.n; i++) {
        mark_function(functions, t->branches.list.data[i].pair.a, hit);
        mark_function(functions, t->branches.list.data[i].pair.b, hit);
    }
    for (size_t i = 0; i < functions->list.n; i++)
        if (hit[i])
            mark_records(m, functions->list.data[i].name);
    return APF_OK;
}

/* Totals include what is inlined. Parents have smaller numbers. */
static void add_totals(struct maker *m)
{
    for (size_t i = m->probes->nodes.n; i-- > 0;) {
        const struct apf_probe_node *n = &m->probes->nodes.data[i];
        uint32_t node = m->nodes[i].node;
        if (node != NOT_MADE && node != SAMPLE_NONE)
            m->s->nodes.data[node].total = profgen_sum(m->s->nodes.data[node].total, m->nodes[i].total);
        if (!is_top(n))
            m->nodes[n->parent].total = profgen_sum(m->nodes[n->parent].total, m->nodes[i].total);
    }
}

/* ---- calls ---- */

const struct apf_probe *profgen_find_call(const struct profgen_program *p, uint64_t address)
{
    const struct apf_probe *all = p->probes->probes.data;
    size_t low;
    SEARCH(low, 0, p->call_probes.n, all[p->call_probes.data[low]].address < address);
    const struct apf_probe *found = low < p->call_probes.n ? &all[p->call_probes.data[low]] : NULL;
    return found && found->address == address ? found : NULL;
}

static int add_call(struct maker *m, const struct apf_probe *probe, struct apf_str callee, uint64_t count)
{
    uint32_t name, node;
    uint64_t at = sample_place(probe->id, 0);
    int code = find_node(m, probe->node);
    node = m->nodes[probe->node].node;
    if (code != APF_OK || node == SAMPLE_NONE)
        return code;
    code = sample_names_add(&m->s->names, callee, SAMPLE_NONE, true, &name, m->error);
    if (code == APF_OK)
        code = sample_append_line(m->s, node, at, 0, m->error);
    return code == APF_OK ? sample_append_target(m->s, node, at, name, count, m->error) : code;
}

/* Branches to the beginnings of functions are calls of them. */
static int add_calls(struct maker *m, const struct profgen_program *p, const struct pair_counts *branches)
{
    const struct profgen_functions *functions = p->functions;
    const struct profgen_range *caller = NULL;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < branches->list.n; i++) {
        const struct pair_count *branch = &branches->list.data[i];
        const struct profgen_range *callee =
            profgen_callee(functions, branch->pair.a, branch->pair.b, &caller);
        if (!callee)
            continue;
        const struct apf_probe *probe = profgen_find_call(p, branch->pair.a);
        m->counts->calls = profgen_sum(m->counts->calls, branch->count);
        if (probe)
            code = add_call(m, probe, canonical_name(functions->list.data[callee->function].name),
                            branch->count);
        else
            m->counts->calls_unprobed = profgen_sum(m->counts->calls_unprobed, branch->count);
    }
    return code;
}

int profgen_probes_make(struct apf_sample *s, struct profgen_probe_counts *counts,
                        const struct profgen_program *p, const struct profgen_counts *t,
                        struct apf_error *error)
{
    const struct apf_probes *probes = p->probes;
    const struct profgen_functions *functions = p->functions;
    struct maker m = {.s = s, .probes = probes, .counts = counts, .error = error};
    struct profgen_cover cover;
    m.nodes = arena_array(&m.arena, probes->nodes.n, sizeof *m.nodes);
    int code =
        m.nodes ? profgen_cover_open(&cover, t->ranges.list.data, t->ranges.list.n, functions, false, error)
                : error_memory(error);
    for (uint32_t i = 0; code == APF_OK && i < probes->nodes.n; i++) {
        uint32_t parent = probes->nodes.data[i].parent;
        m.nodes[i] =
            (struct probe_node){NOT_MADE, parent == APF_PROBE_NONE ? i : m.nodes[parent].top, false, 0};
    }
    if (code == APF_OK) {
        code = mark_hit(&m, functions, t);
        if (code == APF_OK)
            code = visit_probes(&m, p, &cover, hit_probe);
        if (code == APF_OK)
            code = visit_probes(&m, p, &cover, count_probe);
        profgen_cover_close(&cover);
    }
    if (code == APF_OK)
        code = add_calls(&m, p, &t->branches);
    if (code == APF_OK)
        add_totals(&m);
    arena_free(&m.arena);
    s->info.flags |= APF_SAMPLE_PROBES | profgen_program_properties(p);
    return code == APF_OK ? profgen_finish(s, p->flags, error) : code;
}

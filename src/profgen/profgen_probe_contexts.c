/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_probe_contexts.h"

#include "base/error.h"
#include "object/canonical_name.h"
#include "profgen/profgen_cover.h"
#include "profgen/profgen_finish.h"

#define ENTRY_PROBE 1u
#define NO_FUNCTION UINT32_MAX

/* A node of the inline tree in the context of a chain of calls. */
struct placed_node {
    uint32_t chain, node;
    /* The function that has the address, which decides what tail calls are inferred; NO_FUNCTION: none. */
    uint32_t function;
    uint32_t top; /* in the profile; SAMPLE_NONE: the name of a function is not known */
    bool ran;     /* all its probes are in the profile, if only with the count 0 */
};

/* A node of the inline tree all of whose probes a function of the profile has. */
struct filled_node {
    uint32_t top, node;
};

struct context_maker {
    struct apf_sample *s;
    const struct apf_probes *probes;
    const struct profgen_program *program;
    struct profgen_tail_calls *tail_calls;
    const struct profgen_counts *c;
    const struct profgen_depths *depths;
    struct profgen_probe_counts *counts;
    VEC(struct placed_node) placed;
    struct hash_index index;
    VEC(struct filled_node) filled;
    struct hash_index filled_index;
    struct profgen_frames calls, whole, frames;
    const struct profgen_range *caller; /* of profgen_callee */
    struct apf_error *error;
};

static bool is_inlined(const struct apf_probe_node *n)
{
    return n->parent != APF_PROBE_NONE;
}

/* ---- contexts ---- */

static int push_frame(struct context_maker *m, uint32_t name, uint32_t probe)
{
    struct profgen_frame frame = {sample_place(probe, 0), name};
    return VEC_PUSH(&m->frames.list, frame) ? APF_OK : error_memory(m->error);
}

/* The name of a node's function; SAMPLE_NONE: it is not known. */
static int name_node(struct context_maker *m, uint32_t node, uint32_t *name)
{
    struct apf_str text = apf_probes_name(m->probes, m->probes->nodes.data[node].guid);
    *name = SAMPLE_NONE;
    return text.n ? sample_names_add(&m->s->names, text, SAMPLE_NONE, true, name, m->error) : APF_OK;
}

/* Adds the frames of a probe: the functions it is inlined in, the outermost first, and its own. Callers of a call whose
 * probe is not known are left out. */
static int push_probe(struct context_maker *m, uint32_t node, uint32_t probe)
{
    size_t first = m->frames.list.n;
    int code = APF_OK;
    for (uint32_t i = node; code == APF_OK && i != APF_PROBE_NONE; i = m->probes->nodes.data[i].parent) {
        const struct apf_probe_node *n = &m->probes->nodes.data[i];
        uint32_t name;
        code = name_node(m, i, &name);
        if (code == APF_OK)
            code = push_frame(m, name, probe);
        probe = n->call_probe;
        if (n->parent != APF_PROBE_NONE && probe == 0) {
            size_t n_own = m->frames.list.n - first;
            profgen_keep_last(&m->frames, n_own);
            first = 0;
            break;
        }
    }
    struct profgen_frame *list = m->frames.list.data;
    for (size_t a = first, b = m->frames.list.n; a + 1 < b; a++) {
        struct profgen_frame frame = list[a];
        list[a] = list[--b];
        list[b] = frame;
    }
    return code;
}

/* The frames of a chain of calls. Where a call has no probe, whatever called before is left out: the compiler could not
 * find the place. */
static int push_chain(struct context_maker *m, const struct profgen_frames *calls)
{
    size_t first = calls->list.n;
    int code = APF_OK;
    while (first && profgen_find_call(m->program, calls->list.data[first - 1].at))
        first--;
    for (size_t i = first; code == APF_OK && i < calls->list.n; i++) {
        const struct apf_probe *probe = profgen_find_call(m->program, calls->list.data[i].at);
        code = push_probe(m, probe->node, probe->id);
    }
    return code;
}

/* The calls of a chain, with those that are inferred, up to the function that has an address. */
static int find_calls(struct context_maker *m, uint32_t chain, uint64_t address)
{
    int code = profgen_chains_unfold(&m->c->chains, chain, &m->calls, m->error);
    const uint64_t before = profgen_tail_calls_ended(m->tail_calls);
    m->whole.list.n = 0;
    for (size_t i = 0; code == APF_OK && i < m->calls.list.n; i++) {
        uint64_t next = i + 1 < m->calls.list.n ? m->calls.list.data[i + 1].at : address;
        if (!VEC_PUSH(&m->whole.list, m->calls.list.data[i]))
            code = error_memory(m->error);
        else if (m->tail_calls)
            code = profgen_tail_calls_infer(m->tail_calls, &m->whole, next, m->error);
    }
    m->counts->unsearched += profgen_tail_calls_ended(m->tail_calls) != before;
    return code;
}

/* Makes the context of frames; SAMPLE_NONE: it has a name that is not known. */
static int add_context(struct context_maker *m, uint32_t *context)
{
    uint32_t caller = SAMPLE_NONE;
    uint64_t at = 0;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->frames.list.n; i++) {
        const struct profgen_frame *frame = &m->frames.list.data[i];
        if (frame->name == SAMPLE_NONE) {
            *context = SAMPLE_NONE;
            return APF_OK;
        }
        code = sample_contexts_add(&m->s->contexts, caller, at, frame->name, &caller, m->error);
        at = frame->at;
    }
    *context = caller;
    return code;
}

/* Makes the function of a probe's node in its context. Attributes say that it was inlined. */
static int make_top(struct context_maker *m, const struct placed_node *placed, uint64_t address,
                    uint32_t *top)
{
    const struct apf_probe_node *n = &m->probes->nodes.data[placed->node];
    const struct apf_probe_desc *desc = apf_probes_find_desc(m->probes, n->guid);
    uint32_t context;
    *top = SAMPLE_NONE;
    m->frames.list.n = 0;
    int code = find_calls(m, placed->chain, address);
    if (code == APF_OK)
        code = push_chain(m, &m->whole);
    if (code == APF_OK)
        code = push_probe(m, placed->node, 0);
    if (code != APF_OK)
        return code;
    struct profgen_frame leaf = m->frames.list.data[--m->frames.list.n];
    m->counts->cut += profgen_limit(&m->frames, m->depths, true);
    m->frames.list.data[m->frames.list.n++] = leaf;
    code = add_context(m, &context);
    if (code != APF_OK || context == SAMPLE_NONE)
        return code;
    code = sample_top(m->s, context, top, m->error);
    if (code == APF_OK && desc)
        m->s->nodes.data[*top].checksum = desc->hash;
    if (code == APF_OK && is_inlined(n))
        m->s->nodes.data[*top].attributes |= APF_SAMPLE_WAS_INLINED;
    return code;
}

/* The function of a probe in the context of a chain. */
static int place_probe(struct context_maker *m, uint32_t chain, const struct apf_probe *probe,
                       struct placed_node **result)
{
    const struct profgen_range *range = profgen_range_at(m->program->functions, probe->address);
    struct placed_node placed = {chain, probe->node, range ? range->function : NO_FUNCTION, SAMPLE_NONE,
                                 false};
    uint32_t i;
    if (!hash_index_reserve(&m->index, 1) || !VEC_RESERVE(&m->placed, 1))
        return hash_index_error(&m->index, m->error);
    uint64_t hash = hash_index_mix(&m->index, (uint64_t)chain << 32 | placed.node, placed.function);
    HASH_INDEX_FIND(i, &m->index, hash,
                    m->placed.data[i].chain == chain && m->placed.data[i].node == placed.node &&
                        m->placed.data[i].function == placed.function);
    int code = APF_OK;
    if (i == HASH_INDEX_NONE) {
        code = make_top(m, &placed, probe->address, &placed.top);
        if (code != APF_OK)
            return code;
        i = (uint32_t)m->placed.n;
        m->placed.data[m->placed.n++] = placed;
        hash_index_add(&m->index, hash, i);
    }
    *result = &m->placed.data[i];
    return code;
}

/* ---- counts ---- */

/* Finds out whether the function of a node has all its probes already, and says that it has. */
static int find_filled(struct context_maker *m, const struct placed_node *placed, bool *filled)
{
    const struct filled_node added = {placed->top, placed->node};
    uint32_t i;
    if (!hash_index_reserve(&m->filled_index, 1) || !VEC_RESERVE(&m->filled, 1))
        return hash_index_error(&m->filled_index, m->error);
    uint64_t hash = hash_index_mix(&m->filled_index, added.top, added.node);
    HASH_INDEX_FIND(i, &m->filled_index, hash,
                    m->filled.data[i].top == added.top && m->filled.data[i].node == added.node);
    *filled = i != HASH_INDEX_NONE;
    if (!*filled) {
        hash_index_add(&m->filled_index, hash, (uint32_t)m->filled.n);
        m->filled.data[m->filled.n++] = added;
    }
    return APF_OK;
}

/* Adds all probes of a node with the count 0: those that did not run differ from those that were optimized away. */
static int add_zeros(struct context_maker *m, struct placed_node *placed)
{
    const struct apf_probe_node *n = &m->probes->nodes.data[placed->node];
    bool filled = true;
    int code = placed->ran ? APF_OK : find_filled(m, placed, &filled);
    if (code == APF_OK && !filled)
        code = sample_reserve_lines(m->s, placed->top, n->n_probes, m->error);
    for (uint32_t i = 0; code == APF_OK && !filled && i < n->n_probes; i++) {
        const struct apf_probe *probe = &m->probes->probes.data[n->first_probe + i];
        code =
            sample_append_line(m->s, placed->top, sample_place(probe->id, probe->discriminator), 0, m->error);
    }
    placed->ran = true;
    return code;
}

/* An inlined function was entered as often as it was called: nothing else says so of its caller. */
static int add_inlined_call(struct context_maker *m, uint32_t top, uint32_t node, uint64_t count)
{
    const struct apf_probe_node *n = &m->probes->nodes.data[node];
    struct sample_context context = m->s->contexts.list.data[m->s->nodes.data[top].context];
    uint32_t caller;
    if (!is_inlined(n) || context.caller == SAMPLE_NONE)
        return APF_OK;
    const struct apf_probe_desc *desc =
        apf_probes_find_desc(m->probes, m->probes->nodes.data[n->parent].guid);
    int code = desc ? sample_top(m->s, context.caller, &caller, m->error) : APF_OK;
    if (code != APF_OK || !desc)
        return code;
    m->s->nodes.data[caller].checksum = desc->hash;
    m->s->nodes.data[caller].total = profgen_sum(m->s->nodes.data[caller].total, count);
    code = sample_append_line(m->s, caller, context.at, count, m->error);
    return code == APF_OK ? sample_append_target(m->s, caller, context.at, context.name, count, m->error)
                          : code;
}

static int add_block(struct context_maker *m, uint32_t chain, const struct apf_probe *probe, uint64_t count)
{
    struct placed_node *placed = NULL;
    int code = place_probe(m, chain, probe, &placed);
    if (code != APF_OK || !placed)
        return code;
    m->counts->counts = profgen_sum(m->counts->counts, count);
    if (placed->top == SAMPLE_NONE) {
        m->counts->unnamed = profgen_sum(m->counts->unnamed, count);
        return APF_OK;
    }
    const uint32_t top = placed->top;
    struct sample_node *f = &m->s->nodes.data[top];
    f->total = profgen_sum(f->total, count);
    if (probe->id == ENTRY_PROBE)
        f->head = profgen_sum(f->head, count);
    code = add_zeros(m, placed);
    if (code == APF_OK)
        code = sample_append_line(m->s, top, sample_place(probe->id, probe->discriminator), count, m->error);
    return code == APF_OK && probe->id == ENTRY_PROBE ? add_inlined_call(m, top, probe->node, count) : code;
}

/* Adds the blocks in the ranges of a chain, which are sorted. */
static int add_ranges(struct context_maker *m, uint32_t chain, const struct pair_count *ranges, size_t n)
{
    struct profgen_cover cover;
    int code = profgen_cover_open(&cover, ranges, n, NULL, false, m->error);
    for (size_t i = 0; code == APF_OK && i + 1 < cover.steps.n; i++) {
        const struct profgen_step *step = &cover.steps.data[i];
        size_t first,
            n_probes =
                step->count ? apf_probes_find_range(m->probes, step->address, step[1].address, &first) : 0;
        for (size_t k = 0; code == APF_OK && k < n_probes; k++) {
            const struct apf_probe *probe = &m->probes->probes.data[m->probes->by_address[first + k]];
            if (probe->type == APF_PROBE_TYPE_BLOCK && code_map_has(m->program->code, probe->address))
                code = add_block(m, chain, probe, step->count);
        }
    }
    profgen_cover_close(&cover);
    return code;
}

static int add_branch(struct context_maker *m, uint32_t chain, const struct pair_count *branch)
{
    const struct apf_probe *probe = profgen_find_call(m->program, branch->pair.a);
    const struct profgen_range *callee =
        profgen_callee(m->program->functions, branch->pair.a, branch->pair.b, &m->caller);
    struct placed_node *placed = NULL;
    m->counts->calls = profgen_sum(m->counts->calls, callee ? branch->count : 0);
    if (!probe) {
        m->counts->calls_unprobed = profgen_sum(m->counts->calls_unprobed, callee ? branch->count : 0);
        return APF_OK;
    }
    int code = place_probe(m, chain, probe, &placed);
    if (code != APF_OK || !placed || placed->top == SAMPLE_NONE)
        return code;
    const uint32_t top = placed->top;
    m->s->nodes.data[top].total = profgen_sum(m->s->nodes.data[top].total, branch->count);
    code = sample_append_line(m->s, top, sample_place(probe->id, 0), branch->count, m->error);
    if (code != APF_OK || !callee)
        return code;
    struct apf_str text = canonical_name(m->program->functions->list.data[callee->function].name);
    uint64_t at = sample_place(probe->id, probe->discriminator);
    uint32_t name;
    code = sample_names_add(&m->s->names, text, SAMPLE_NONE, true, &name, m->error);
    if (code == APF_OK && probe->discriminator)
        code = sample_append_line(m->s, top, at, 0, m->error);
    return code == APF_OK ? sample_append_target(m->s, top, at, name, branch->count, m->error) : code;
}

int profgen_probe_contexts_make(struct apf_sample *s, struct profgen_probe_counts *counts,
                                const struct profgen_program *p, struct profgen_tail_calls *tail_calls,
                                const struct profgen_counts *c, const struct profgen_depths *depths,
                                struct apf_error *error)
{
    struct context_maker m = {s, p->probes, p, tail_calls, c, depths, counts, .error = error};
    int code = APF_OK;
    for (size_t i = 0, end; code == APF_OK && i < c->ranges.list.n; i = end) {
        const struct pair_count *first = &c->ranges.list.data[i];
        for (end = i; end < c->ranges.list.n && c->ranges.list.data[end].pair.context == first->pair.context;)
            end++;
        code = add_ranges(&m, first->pair.context, first, end - i);
    }
    for (size_t i = 0; code == APF_OK && i < c->branches.list.n; i++)
        code = add_branch(&m, c->branches.list.data[i].pair.context, &c->branches.list.data[i]);
    VEC_FREE(&m.placed);
    hash_index_free(&m.index);
    VEC_FREE(&m.filled);
    hash_index_free(&m.filled_index);
    VEC_FREE(&m.calls.list);
    VEC_FREE(&m.whole.list);
    VEC_FREE(&m.frames.list);
    s->info.flags |= APF_SAMPLE_PROBES | APF_SAMPLE_CONTEXTS | profgen_program_properties(p);
    return code == APF_OK ? sample_seal(s, error) : code;
}

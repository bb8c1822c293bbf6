/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_lines.h"

#include <string.h>

#include "base/error.h"
#include "object/canonical_name.h"
#include "profgen/profgen_finish.h"

/* A function, or one that was inlined at a place of its caller. */
struct line_node {
    uint64_t at; /* the place of the call; 0 at the top level */
    uint64_t total;
    uint32_t caller; /* SAMPLE_NONE: at the top level */
    uint32_t name;
    uint32_t node; /* in the profile; SAMPLE_NONE: not made */
};

/* A line, with the largest count of its instructions. */
struct line_count {
    uint64_t at, count;
    uint32_t node;
};

/* A target of calls. */
struct line_call {
    uint64_t at, count;
    uint32_t node, name;
};

struct line_maker {
    struct apf_sample *s;
    struct source_lines *lines;
    bool flow_sensitive;
    VEC(struct line_node) nodes; /* a caller has a smaller number */
    struct hash_index node_index;
    VEC(struct line_count) counts;
    struct hash_index count_index;
    VEC(struct line_call) calls;
    struct hash_index name_index; /* of `names`, by their addresses */
    VEC(const char *) texts;      /* names of debug information, each once by its address */
    VEC(uint32_t) names;          /* their numbers */
    struct apf_error *error;
};

/* ---- discriminators ---- */

/* LLVM packs three numbers into a discriminator: of each, one bit says that it is 0, or 7 or 14 bits have it. */
static uint32_t first_number(uint32_t d)
{
    if (d & 1)
        return 0;
    d >>= 1;
    return d & 0x20 ? ((d >> 1) & 0xfe0) | (d & 0x1f) : d & 0x1f;
}

static uint32_t next_number(uint32_t d)
{
    return d & 1 ? d >> 1 : d >> (d & 0x40 ? 14 : 7);
}

/* Whether the compiler put a pseudo probe in place of the discriminator. */
static bool is_probe(uint32_t d)
{
    return (d & 7) == 7;
}

/* The discriminator of the front end, where LLVM 19 and later keep it beside a probe; else the id of the probe, which
 * tells calls on one line apart, too. */
static uint32_t probe_number(uint32_t d)
{
    const uint32_t has_base = 1u << 28, id_bits = 0xffff, base_bits = 7;
    return d & has_base ? d >> 16 & base_bits : d >> 3 & id_bits;
}

static uint32_t base_number(const struct line_maker *m, uint32_t d)
{
    if (m->flow_sensitive)
        return d;
    return is_probe(d) ? probe_number(d) : first_number(d);
}

/* How often the instruction stands for one of the source: loops that were unrolled have it several times. */
static uint32_t copies(const struct line_maker *m, uint32_t d)
{
    uint32_t n = m->flow_sensitive || is_probe(d) ? 1 : first_number(next_number(d));
    return n ? n : 1;
}

static uint64_t place_of(const struct line_maker *m, const struct source_frame *frame)
{
    return sample_place((frame->line - frame->first_line) & SAMPLE_MAX_LINE,
                        base_number(m, frame->discriminator));
}

/* ---- the tree ---- */

static int find_name(struct line_maker *m, const char *text, uint32_t *name)
{
    uint32_t i;
    struct apf_str s = {text, strlen(text)};
    if (!hash_index_reserve(&m->name_index, 1) || !VEC_RESERVE(&m->texts, 1) || !VEC_RESERVE(&m->names, 1))
        return hash_index_error(&m->name_index, m->error);
    uint64_t hash = hash_index_mix(&m->name_index, (uint64_t)(uintptr_t)text, 0);
    HASH_INDEX_FIND(i, &m->name_index, hash, m->texts.data[i] == text);
    if (i != HASH_INDEX_NONE) {
        *name = m->names.data[i];
        return APF_OK;
    }
    int code = sample_names_add(&m->s->names, s, SAMPLE_NONE, true, name, m->error);
    if (code == APF_OK) {
        hash_index_add(&m->name_index, hash, (uint32_t)m->texts.n);
        m->texts.data[m->texts.n++] = text;
        m->names.data[m->names.n++] = *name;
    }
    return code;
}

static int find_node(struct line_maker *m, uint32_t caller, uint64_t at, uint32_t name, uint32_t *number)
{
    struct line_node node = {.at = at, .caller = caller, .name = name, .node = SAMPLE_NONE};
    if (!hash_index_reserve(&m->node_index, 1))
        return hash_index_error(&m->node_index, m->error);
    uint64_t hash = hash_index_mix(&m->node_index, at, (uint64_t)caller << 32 | name);
    HASH_INDEX_FIND(*number, &m->node_index, hash,
                    m->nodes.data[*number].at == at && m->nodes.data[*number].caller == caller &&
                        m->nodes.data[*number].name == name);
    if (*number != HASH_INDEX_NONE)
        return APF_OK;
    if (!VEC_PUSH(&m->nodes, node))
        return error_memory(m->error);
    *number = (uint32_t)(m->nodes.n - 1);
    hash_index_add(&m->node_index, hash, *number);
    return APF_OK;
}

/* Finds the node of the innermost function at an address, and the place there. Frames within one without a name are
 * left out. *node is SAMPLE_NONE if no function is known. */
static int find_leaf(struct line_maker *m, uint64_t address, uint64_t weight, uint32_t *node, uint64_t *at,
                     struct source_frame *leaf)
{
    const struct source_frame *frames;
    size_t n;
    int code = source_lines_at(m->lines, address, &frames, &n, m->error);
    *node = SAMPLE_NONE;
    *at = 0;
    for (size_t i = n; code == APF_OK && i-- > 0 && frames[i].function;) {
        uint32_t name;
        code = find_name(m, frames[i].function, &name);
        if (code == APF_OK)
            code = find_node(m, *node, *at, name, node);
        if (code != APF_OK)
            return code;
        m->nodes.data[*node].total = profgen_sum(m->nodes.data[*node].total, weight);
        *at = place_of(m, &frames[i]);
        *leaf = frames[i];
    }
    return code;
}

/* ---- counts ---- */

static int raise_line(struct line_maker *m, uint32_t node, uint64_t at, uint64_t count)
{
    uint32_t i;
    struct line_count line = {at, count, node};
    if (!hash_index_reserve(&m->count_index, 1))
        return hash_index_error(&m->count_index, m->error);
    uint64_t hash = hash_index_mix(&m->count_index, at, node);
    HASH_INDEX_FIND(i, &m->count_index, hash, m->counts.data[i].at == at && m->counts.data[i].node == node);
    if (i != HASH_INDEX_NONE) {
        if (m->counts.data[i].count < count)
            m->counts.data[i].count = count;
        return APF_OK;
    }
    if (!VEC_PUSH(&m->counts, line))
        return error_memory(m->error);
    hash_index_add(&m->count_index, hash, (uint32_t)(m->counts.n - 1));
    return APF_OK;
}

static uint64_t times(uint64_t count, uint64_t n)
{
    uint64_t product;
    return MUL_OVERFLOWS(count, n, &product) ? UINT64_MAX : product;
}

static int add_instruction(struct line_maker *m, uint64_t address, uint64_t size, uint64_t count,
                           struct profgen_line_counts *counts)
{
    struct source_frame leaf;
    uint32_t node;
    uint64_t at;
    int code = find_leaf(m, address, times(count, size), &node, &at, &leaf);
    counts->instructions = profgen_sum(counts->instructions, count);
    if (code != APF_OK || node == SAMPLE_NONE) {
        counts->unknown = profgen_sum(counts->unknown, count);
        return code;
    }
    return raise_line(m, node, at, times(count, copies(m, leaf.discriminator)));
}

/* The instructions of a step. */
static int add_step(struct line_maker *m, const struct profgen_program *p, const struct profgen_step *step,
                    struct profgen_line_counts *counts)
{
    int code = APF_OK;
    uint64_t address = code_map_from(p->code, step->address);
    while (code == APF_OK && address < step[1].address) {
        uint64_t next = code_map_from(p->code, address + 1);
        code = add_instruction(m, address, code_map_size(p->code, address), step->count, counts);
        address = next;
    }
    return code;
}

static int add_call(struct line_maker *m, const struct profgen_functions *functions,
                    const struct pair_count *branch, struct profgen_line_counts *counts)
{
    const struct profgen_range *callee = profgen_range_from(functions, branch->pair.b);
    struct line_call call = {.count = branch->count};
    struct source_frame leaf;
    uint32_t target;
    if (!callee || !callee->entry)
        return APF_OK;
    counts->calls = profgen_sum(counts->calls, branch->count);
    int code = sample_names_add(&m->s->names, canonical_name(functions->list.data[callee->function].name),
                                SAMPLE_NONE, true, &call.name, m->error);
    if (code == APF_OK)
        code = find_leaf(m, branch->pair.a, 0, &call.node, &call.at, &leaf);
    if (code == APF_OK && call.node == SAMPLE_NONE)
        counts->calls_unknown = profgen_sum(counts->calls_unknown, branch->count);
    else if (code == APF_OK && !VEC_PUSH(&m->calls, call))
        code = error_memory(m->error);
    if (code == APF_OK)
        code = find_node(m, SAMPLE_NONE, 0, call.name, &target);
    if (code == APF_OK) {
        struct line_call head = {.count = branch->count, .node = target, .name = SAMPLE_NONE};
        code = VEC_PUSH(&m->calls, head) ? APF_OK : error_memory(m->error);
    }
    return code;
}

/* ---- the profile ---- */

static int make_nodes(struct line_maker *m)
{
    struct apf_sample *s = m->s;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->nodes.n; i++) {
        struct line_node *n = &m->nodes.data[i];
        uint32_t caller = n->caller == SAMPLE_NONE ? SAMPLE_NONE : m->nodes.data[n->caller].node, context;
        if (profgen_is_ambiguous(sample_names_text(&s->names, n->name)) ||
            (n->caller != SAMPLE_NONE && caller == SAMPLE_NONE))
            continue;
        if (n->caller != SAMPLE_NONE) {
            code = sample_inlined(s, caller, n->at, n->name, &n->node, m->error);
        } else {
            code = sample_contexts_base(&s->contexts, n->name, &context, m->error);
            if (code == APF_OK)
                code = sample_top(s, context, &n->node, m->error);
        }
        if (code == APF_OK)
            s->nodes.data[n->node].total = n->total;
    }
    return code;
}

static int fill_nodes(struct line_maker *m)
{
    struct apf_sample *s = m->s;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->counts.n; i++) {
        const struct line_count *line = &m->counts.data[i];
        uint32_t node = m->nodes.data[line->node].node;
        if (node != SAMPLE_NONE)
            code = sample_append_line(s, node, line->at, line->count, m->error);
    }
    for (size_t i = 0; code == APF_OK && i < m->calls.n; i++) {
        const struct line_call *call = &m->calls.data[i];
        uint32_t node = m->nodes.data[call->node].node;
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
    return code;
}

int profgen_lines_make(struct apf_sample *s, struct profgen_line_counts *counts,
                       const struct profgen_program *p, struct source_lines *lines, bool flow_sensitive,
                       const struct profgen_functions *functions, const struct profgen_traces *t,
                       struct apf_error *error)
{
    struct line_maker m = {.s = s, .lines = lines, .flow_sensitive = flow_sensitive, .error = error};
    struct profgen_cover cover;
    int code = profgen_cover_open(&cover, &t->ranges, functions, error);
    for (size_t i = 0; code == APF_OK && i + 1 < cover.steps.n; i++)
        if (cover.steps.data[i].ranges)
            code = add_step(&m, p, &cover.steps.data[i], counts);
    profgen_cover_close(&cover);
    for (size_t i = 0; code == APF_OK && i < t->branches.list.n; i++)
        code = add_call(&m, functions, &t->branches.list.data[i], counts);
    if (code == APF_OK)
        code = make_nodes(&m);
    if (code == APF_OK)
        code = fill_nodes(&m);
    VEC_FREE(&m.nodes);
    VEC_FREE(&m.counts);
    VEC_FREE(&m.calls);
    VEC_FREE(&m.texts);
    VEC_FREE(&m.names);
    hash_index_free(&m.node_index);
    hash_index_free(&m.count_index);
    hash_index_free(&m.name_index);
    s->info.flags |= flow_sensitive ? APF_SAMPLE_FS : 0;
    return code == APF_OK ? profgen_finish(s, error) : code;
}

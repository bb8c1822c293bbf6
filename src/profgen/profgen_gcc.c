/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_gcc.h"

#include "base/error.h"
#include "profgen/profgen_cover.h"
#include "profgen/profgen_finish.h"
#include "profgen/profgen_gcc_lines.h"
#include "profgen/profgen_gcc_places.h"

/* A target of calls. */
struct gcc_call {
    uint64_t at, count;
    uint32_t inlining, name;
};

/* An instruction that has been added. */
struct gcc_before {
    struct profgen_gcc_place place;
    uint64_t end; /* where the next one begins */
    bool call;
};

/* What is known of a part beside its lines. */
struct gcc_entry {
    uint64_t head, time;
    uint64_t branches; /* to its start; of them: */
    uint64_t calls;    /* those that enter it */
    uint64_t ranges;   /* that begin there: each follows one of the branches */
};

struct gcc_maker {
    struct apf_sample *s;
    const struct profgen_program *program;
    const struct sample_release *release;
    const struct profgen_gcc_samples *samples;
    struct profgen_gcc_functions functions;
    struct profgen_gcc_places places;
    struct profgen_gcc_lines lines; /* of inlinings */
    VEC(struct gcc_call) calls;
    struct gcc_before before;      /* the last one whose place is known, while instructions are added */
    VEC(struct gcc_entry) entries; /* of parts */
    VEC(uint32_t) nodes;           /* in the profile, of inlinings; SAMPLE_NONE: not made */
    struct profgen_line_counts *counts;
    struct apf_error *error;
};

static uint32_t part_number(const struct gcc_maker *m, const struct profgen_gcc_part *part)
{
    return (uint32_t)(part - m->functions.parts.data);
}

/* ---- what ran ---- */

static void mark_ran(struct gcc_maker *m, uint64_t address)
{
    const struct profgen_gcc_part *part = profgen_gcc_part_at(&m->functions, address);
    if (part)
        m->functions.list.data[part->function].ran = true;
}

static int mark_functions(struct gcc_maker *m)
{
    const struct profgen_hits *hits = m->samples->hits;
    const struct pair_counts *ranges = &m->samples->counts->ranges;
    if (!VEC_RESERVE(&m->entries, m->functions.parts.n))
        return error_memory(m->error);
    for (size_t i = 0; i < m->functions.parts.n; i++)
        m->entries.data[m->entries.n++] = (struct gcc_entry){0};
    for (size_t i = 0; i < ranges->list.n; i++)
        mark_ran(m, ranges->list.data[i].pair.a);
    for (size_t i = 0; hits && i < hits->list.n; i++) {
        const struct profgen_hit *hit = &hits->list.data[i];
        const struct profgen_gcc_part *part = profgen_gcc_part_at(&m->functions, hit->address);
        if (!part)
            continue;
        uint64_t *time = &m->entries.data[part_number(m, part)].time;
        if (hit->time && (!*time || hit->time < *time))
            *time = hit->time;
        if (m->samples->plain && hit->count)
            m->functions.list.data[part->function].ran = true;
    }
    return APF_OK;
}

/* Without branches a function is entered as often as its first block ran. */
static void find_heads(struct gcc_maker *m, const struct profgen_gcc_ranges *blocks)
{
    for (size_t i = 0; i < blocks->list.n; i++) {
        const struct pair_count *block = &blocks->list.data[i];
        const struct profgen_gcc_part *part = profgen_gcc_part_at(&m->functions, block->pair.a);
        if (part && part->entry && part->start == block->pair.a)
            m->entries.data[part_number(m, part)].head = block->count;
    }
}

static int gather_blocks(struct gcc_maker *m, struct profgen_gcc_ranges *ranges)
{
    int code = profgen_gcc_blocks(ranges, m->samples->hits, &m->functions, m->program->code, m->error);
    if (code == APF_OK)
        find_heads(m, ranges);
    m->counts->samples_unknown = ranges->unknown;
    return code;
}

/* The ranges that ran, and with the count 0 all code of their functions. */
static int gather_ranges(struct gcc_maker *m, struct profgen_gcc_ranges *ranges)
{
    const struct pair_counts *known = &m->samples->counts->ranges;
    if (m->samples->plain)
        return gather_blocks(m, ranges);
    for (size_t i = 0; i < known->list.n; i++)
        if (!VEC_PUSH(&ranges->list, known->list.data[i]))
            return error_memory(m->error);
    for (size_t i = 0; i < m->functions.parts.n; i++) {
        const struct profgen_gcc_part *part = &m->functions.parts.data[i];
        struct pair_count whole = {{part->start, part->end - 1, 0}, 0};
        if (m->functions.list.data[part->function].ran && !VEC_PUSH(&ranges->list, whole))
            return error_memory(m->error);
    }
    return APF_OK;
}

/* ---- counts ---- */

static enum profgen_gcc_role find_role(const struct gcc_before *before, uint64_t address,
                                       const struct profgen_gcc_place *place)
{
    const bool one_line = before->end == address && before->place.inlining == place->inlining &&
                          sample_place_line(before->place.at) == sample_place_line(place->at);
    if (place->statement)
        return PROFGEN_GCC_STATEMENT;
    if (!one_line || before->place.at == place->at)
        return PROFGEN_GCC_OTHER;
    return before->call ? PROFGEN_GCC_RESUMES : PROFGEN_GCC_CHANGES;
}

static int add_instruction(struct gcc_maker *m, uint64_t address, uint64_t count)
{
    struct profgen_gcc_place place;
    int code = profgen_gcc_places_find(&m->places, address, &place, m->error);
    m->counts->instructions = profgen_sum(m->counts->instructions, count);
    if (code != APF_OK)
        return code;
    if (place.inlining == SAMPLE_NONE) {
        m->counts->unknown = profgen_sum(m->counts->unknown, count);
        return APF_OK;
    }
    const enum profgen_gcc_role role = find_role(&m->before, address, &place);
    struct code_map *map = m->program->code;
    m->before = (struct gcc_before){place, address + code_map_size(map, address),
                                    code_map_kind(map, address) == INSTRUCTION_CALL};
    return profgen_gcc_lines_add(&m->lines, place.inlining, place.at, profgen_product(count, place.copies),
                                 role, m->error);
}

static int add_instructions(struct gcc_maker *m, const struct profgen_cover *cover)
{
    struct code_map *map = m->program->code;
    int code = APF_OK;
    for (size_t i = 0; i + 1 < cover->steps.n; i++) {
        const struct profgen_step *step = &cover->steps.data[i];
        uint64_t address = step->ranges ? code_map_from(map, step->address) : UINT64_MAX;
        for (; code == APF_OK && address < step[1].address; address = code_map_from(map, address + 1))
            code = add_instruction(m, address, step->count);
    }
    return code;
}

static int add_ranges(struct gcc_maker *m)
{
    struct profgen_gcc_ranges ranges = {.list = {0}};
    struct profgen_cover cover = {.steps = {0}};
    int code = gather_ranges(m, &ranges);
    if (code == APF_OK)
        code = profgen_cover_open(&cover, ranges.list.data, ranges.list.n, NULL, false, m->error);
    VEC_FREE(&ranges.list);
    if (code == APF_OK)
        code = add_instructions(m, &cover);
    profgen_cover_close(&cover);
    return code;
}

/* Whether a branch to the start of a function enters it: jumps to there from the function itself are those of loops. */
static bool enters(struct gcc_maker *m, const struct address_pair *branch,
                   const struct profgen_gcc_part *callee)
{
    const struct profgen_gcc_part *from = profgen_gcc_part_at(&m->functions, branch->a);
    return !from || from->function != callee->function ||
           code_map_kind(m->program->code, branch->a) != INSTRUCTION_BRANCH;
}

static bool is_direct(struct code_map *map, uint64_t address)
{
    struct instruction_flow flow;
    uint64_t target;
    return code_map_call(map, address, &target) || (code_map_jump(map, address, &flow) && flow.direct);
}

/* Adds what is written of a call. GCC looks at targets for indirect calls only, and takes each of these for one of the
 * most frequent target: without discriminators, targets of direct calls in the same line must not be among them. */
static int add_target(struct gcc_maker *m, const struct pair_count *branch,
                      const struct profgen_gcc_place *place, uint32_t name)
{
    const bool plain = !(m->release->knows & SAMPLE_HAS_DISCRIMINATORS);
    const struct gcc_call call = {profgen_gcc_place_plain(m->release, place->at), branch->count,
                                  place->inlining, name};
    int code = APF_OK;
    if (plain)
        code = profgen_gcc_lines_add(&m->lines, place->inlining, call.at, call.count, PROFGEN_GCC_CALLED,
                                     m->error);
    if (code != APF_OK || (plain && is_direct(m->program->code, branch->pair.a)))
        return code;
    return VEC_PUSH(&m->calls, call) ? APF_OK : error_memory(m->error);
}

static int add_call(struct gcc_maker *m, const struct pair_count *branch)
{
    const struct profgen_gcc_part *callee = profgen_gcc_part_at(&m->functions, branch->pair.b);
    struct profgen_gcc_place place;
    uint32_t inlining;
    if (!callee || callee->start != branch->pair.b || !callee->entry)
        return APF_OK;
    struct gcc_entry *entry = &m->entries.data[part_number(m, callee)];
    entry->branches = profgen_sum(entry->branches, branch->count);
    if (!enters(m, &branch->pair, callee))
        return APF_OK;
    entry->calls = profgen_sum(entry->calls, branch->count);
    m->counts->calls = profgen_sum(m->counts->calls, branch->count);
    int code = profgen_gcc_places_top(&m->places, part_number(m, callee), &inlining, m->error);
    if (code == APF_OK)
        code = profgen_gcc_places_find(&m->places, branch->pair.a, &place, m->error);
    if (code != APF_OK)
        return code;
    if (place.inlining == SAMPLE_NONE) {
        m->counts->calls_unknown = profgen_sum(m->counts->calls_unknown, branch->count);
        return APF_OK;
    }
    return add_target(m, branch, &place, m->functions.list.data[callee->function].name);
}

/* Finds how often functions were entered, in the measure of the counts of lines: each sample has one branch more than
 * ranges, and with the numbers of branches the first block would seem to run more often than what follows it. */
static void settle_heads(struct gcc_maker *m)
{
    const struct pair_counts *ranges = &m->samples->counts->ranges;
    for (size_t i = 0; i < ranges->list.n; i++) {
        const struct pair_count *range = &ranges->list.data[i];
        const struct profgen_gcc_part *part = profgen_gcc_part_at(&m->functions, range->pair.a);
        uint64_t *sum = part ? &m->entries.data[part_number(m, part)].ranges : NULL;
        if (part && part->start == range->pair.a)
            *sum = profgen_sum(*sum, range->count);
    }
    for (size_t i = 0; i < m->entries.n; i++) {
        struct gcc_entry *e = &m->entries.data[i];
        if (e->ranges == 0 || e->calls == 0)
            e->head = e->calls;
        else
            e->head = profgen_sum(profgen_product(e->ranges / e->branches, e->calls),
                                  profgen_product(e->ranges % e->branches, e->calls) / e->branches);
    }
}

/* ---- the profile ---- */

/* Makes the node of a part: turn 0 is for its function, others are for the other names of its address. */
static int make_top(struct gcc_maker *m, uint32_t number, uint32_t turn, uint32_t *node)
{
    const struct profgen_gcc_part *part = &m->functions.parts.data[number];
    const struct gcc_entry *entry = &m->entries.data[number];
    uint32_t context;
    if (turn > part->n_aliases)
        return APF_OK;
    uint32_t name = turn ? m->functions.aliases.data[part->alias + turn - 1]
                         : m->functions.list.data[part->function].name;
    int code = sample_contexts_base(&m->s->contexts, name, &context, m->error);
    if (code == APF_OK)
        code = sample_top(m->s, context, node, m->error);
    if (code == APF_OK && m->release->knows & SAMPLE_HAS_TIMES)
        code = sample_add_time(m->s, *node, entry->time, m->error);
    if (code == APF_OK)
        m->s->nodes.data[*node].head = profgen_sum(m->s->nodes.data[*node].head, entry->head);
    return code;
}

/* Callers have smaller numbers. */
static int make_nodes(struct gcc_maker *m, uint32_t turn)
{
    size_t n = m->places.inlinings.n;
    int code = VEC_RESERVE(&m->nodes, n) ? APF_OK : error_memory(m->error);
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        const struct profgen_gcc_inlining *f = &m->places.inlinings.data[i];
        uint32_t *node = &m->nodes.data[i];
        *node = SAMPLE_NONE;
        if (f->caller == SAMPLE_NONE)
            code = make_top(m, f->name, turn, node);
        else if (m->nodes.data[f->caller] != SAMPLE_NONE)
            code = sample_inlined(m->s, m->nodes.data[f->caller], profgen_gcc_place_plain(m->release, f->at),
                                  f->name, node, m->error);
    }
    return code;
}

static int fill_nodes(struct gcc_maker *m)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->lines.list.n; i++) {
        const struct profgen_gcc_line *line = &m->lines.list.data[i];
        uint32_t node = m->nodes.data[line->of];
        if (node != SAMPLE_NONE)
            code = sample_append_line(m->s, node, profgen_gcc_place_plain(m->release, line->at),
                                      profgen_gcc_line_count(line), m->error);
    }
    for (size_t i = 0; code == APF_OK && i < m->calls.n; i++) {
        const struct gcc_call *call = &m->calls.data[i];
        uint32_t node = m->nodes.data[call->inlining];
        if (node == SAMPLE_NONE)
            continue;
        code = sample_append_line(m->s, node, call->at, 0, m->error);
        if (code == APF_OK)
            code = sample_append_target(m->s, node, call->at, call->name, call->count, m->error);
    }
    return code;
}

/* A call that no range covers ran as often as it was seen. Others keep the counts of ranges, of which each sample has
 * one less than calls: blocks with calls must not seem to run more often than those without. */
static void fill_calls(struct sample_node *f)
{
    size_t next = 0;
    for (size_t k = 0; k < f->lines.n; k++) {
        const uint64_t most = profgen_calls_at(f, f->lines.data[k].at, &next).most;
        if (f->lines.data[k].count == 0)
            f->lines.data[k].count = most;
    }
}

/* Seals the profile. Totals are sums of counts, as GCC makes them. */
static int finish(struct apf_sample *s, struct apf_error *error)
{
    int code = sample_seal(s, error);
    for (size_t i = s->nodes.n; code == APF_OK && i-- > 0;) {
        struct sample_node *f = &s->nodes.data[i];
        if (f->state & SAMPLE_GONE)
            continue;
        fill_calls(f);
        for (uint32_t k = 0; k < f->lines.n; k++)
            f->total = profgen_sum(f->total, f->lines.data[k].count);
        if (f->caller != SAMPLE_NONE)
            s->nodes.data[f->caller].total = profgen_sum(s->nodes.data[f->caller].total, f->total);
    }
    return code == APF_OK ? sample_complete(s, error) : code;
}

static int count_all(struct gcc_maker *m)
{
    const struct pair_counts *branches = &m->samples->counts->branches;
    int code = mark_functions(m);
    if (code == APF_OK)
        code = add_ranges(m);
    for (size_t i = 0; code == APF_OK && i < branches->list.n; i++)
        code = add_call(m, &branches->list.data[i]);
    if (code == APF_OK && !m->samples->plain)
        settle_heads(m);
    return code;
}

int profgen_gcc_make(struct apf_sample *s, struct profgen_line_counts *counts,
                     const struct profgen_program *p, const struct profgen_gcc_samples *samples,
                     const struct sample_release *release, struct apf_error *error)
{
    struct gcc_maker m = {
        .s = s, .program = p, .release = release, .samples = samples, .counts = counts, .error = error};
    uint32_t turns = 1;
    int code = profgen_gcc_functions_open(&m.functions, p, release, &s->names, error);
    profgen_gcc_places_open(&m.places, p, &m.functions, release, &s->names);
    if (code == APF_OK)
        code = count_all(&m);
    for (size_t i = 0; i < m.functions.parts.n; i++)
        if (m.functions.parts.data[i].n_aliases >= turns)
            turns = m.functions.parts.data[i].n_aliases + 1;
    for (uint32_t turn = 0; code == APF_OK && turn < turns; turn++) {
        code = make_nodes(&m, turn);
        if (code == APF_OK)
            code = fill_nodes(&m);
    }
    profgen_gcc_places_close(&m.places);
    profgen_gcc_functions_close(&m.functions);
    profgen_gcc_lines_free(&m.lines);
    VEC_FREE(&m.calls);
    VEC_FREE(&m.entries);
    VEC_FREE(&m.nodes);
    return code == APF_OK ? finish(s, error) : code;
}

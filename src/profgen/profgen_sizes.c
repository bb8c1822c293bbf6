/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "probe/probe_model.h"
#include "profgen/profgen_counts.h"
#include "profgen/profgen_cover.h"
#include "profgen/profgen_functions.h"
#include "profgen/profgen_points.h"

struct measuring {
    struct profgen_sizes *sizes;
    const struct profgen_program *program;
    struct apf_sample *s;
    uint8_t *sampled; /* of functions */
    struct apf_error *error;
    VEC(struct pair_count) ranges; /* of sampled functions */
};

void profgen_sizes_close(struct profgen_sizes *sizes)
{
    VEC_FREE(&sizes->list);
    hash_index_free(&sizes->index);
}

/* ---- the tree ---- */

static uint32_t find_size(const struct profgen_sizes *sizes, uint32_t callee, uint64_t at, uint32_t name)
{
    uint32_t i;
    uint64_t hash = hash_index_mix(&sizes->index, at, (uint64_t)callee << 32 | name);
    HASH_INDEX_FIND(i, &sizes->index, hash,
                    sizes->list.data[i].at == at && sizes->list.data[i].callee == callee &&
                        sizes->list.data[i].name == name);
    return i == HASH_INDEX_NONE ? PROFGEN_NOWHERE : i;
}

static int add_size(struct measuring *m, uint32_t callee, uint64_t at, uint32_t name, uint32_t *number)
{
    struct profgen_sizes *sizes = m->sizes;
    struct profgen_size size = {at, callee, name, 0, false, UINT64_MAX, PROFGEN_NOWHERE};
    *number = find_size(sizes, callee, at, name);
    if (*number != PROFGEN_NOWHERE)
        return APF_OK;
    if (!hash_index_reserve(&sizes->index, 1) || !VEC_PUSH(&sizes->list, size))
        return hash_index_error(&sizes->index, m->error);
    *number = (uint32_t)(sizes->list.n - 1);
    hash_index_add(&sizes->index, hash_index_mix(&sizes->index, at, (uint64_t)callee << 32 | name), *number);
    struct profgen_size *called = callee == PROFGEN_NOWHERE ? NULL : &sizes->list.data[callee];
    uint64_t key = profgen_call_key(m->s, name, at);
    if (!called && (sizes->list.n == 1 || key < sizes->least_key)) {
        sizes->least = *number;
        sizes->least_key = key;
    } else if (called && (called->least == PROFGEN_NOWHERE || key < called->least_key)) {
        called->least = *number;
        called->least_key = key;
    }
    return APF_OK;
}

/* ---- code ---- */

static uint64_t line_of(const struct profgen_program *p, const struct source_frame *frame)
{
    if (p->probes)
        return sample_place(profgen_probe_of(frame->discriminator), 0);
    return profgen_place_of(frame, frame->discriminator);
}

/* Adds the size of an instruction to the function it is of, once for each function that contains it. */
static int add_instruction(struct measuring *m, uint64_t address, uint64_t n_functions)
{
    const struct source_frame *frames;
    uint32_t number = PROFGEN_NOWHERE, name;
    size_t n;
    int code = source_lines_at(m->program->lines, address, &frames, &n, m->error);
    size_t whole = n;
    while (whole && profgen_has_name(&frames[whole - 1]))
        whole--;
    for (size_t i = whole; code == APF_OK && i < n; i++) {
        struct apf_str text = {frames[i].function, strlen(frames[i].function)};
        code = sample_names_add(&m->s->names, text, SAMPLE_NONE, true, &name, m->error);
        if (code == APF_OK)
            code = add_size(m, number, i == whole ? 0 : line_of(m->program, &frames[i]), name, &number);
    }
    if (code == APF_OK && number != PROFGEN_NOWHERE) {
        struct profgen_size *size = &m->sizes->list.data[number];
        size->bytes += (uint32_t)(n_functions * code_map_size(m->program->code, address));
        size->known = true;
    }
    return code;
}

/* Functions that are inlined and optimized away have probes left: their size is 0, not unknown. */
static int add_vanished(struct measuring *m, uint32_t node)
{
    const struct apf_probes *probes = m->program->probes;
    uint32_t number = PROFGEN_NOWHERE;
    uint64_t at = 0;
    int code = APF_OK;
    if (probes->nodes.data[node].n_probes == 0)
        return APF_OK;
    for (uint32_t i = node; code == APF_OK && i != APF_PROBE_NONE; i = probes->nodes.data[i].parent) {
        struct apf_str text = apf_probes_name(probes, probes->nodes.data[i].guid);
        uint32_t name;
        if (text.n == 0)
            return APF_OK;
        code = sample_names_add(&m->s->names, text, SAMPLE_NONE, true, &name, m->error);
        if (code == APF_OK)
            code = add_size(m, number, at, name, &number);
        at = sample_place(probes->nodes.data[i].call_probe, 0);
    }
    if (code == APF_OK)
        m->sizes->list.data[number].known = true;
    return code;
}

/* The records of a function, with all that is inlined. */
static int add_probes_of(struct measuring *m, struct apf_str function)
{
    const struct apf_probes *probes = m->program->probes;
    size_t first, n = apf_probes_find_nodes(probes, apf_probe_guid(function), &first);
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        uint32_t top = apf_probes_node_by_guid(probes, first + i);
        if (probes->nodes.data[top].parent != APF_PROBE_NONE)
            continue;
        for (uint32_t k = 0; code == APF_OK && k < probes->nodes.data[top].n_nodes; k++)
            code = add_vanished(m, top + k);
    }
    return code;
}

/* Appends the ranges of the functions in which something was sampled. */
static int collect_ranges(struct measuring *m)
{
    const struct profgen_functions *functions = m->program->functions;
    for (size_t i = 0; i < functions->all.n; i++) {
        const struct profgen_range *range = &functions->all.data[i];
        const struct pair_count pair = {{range->start, range->end - 1, 0}, 0};
        if (m->sampled[range->function] && !VEC_PUSH(&m->ranges, pair))
            return error_memory(m->error);
    }
    return APF_OK;
}

/* Measures code, once where functions overlap. */
static int measure_code(struct measuring *m)
{
    struct code_map *map = m->program->code;
    struct profgen_cover cover = {.steps = {0}};
    int code = collect_ranges(m);
    if (code == APF_OK)
        code = profgen_cover_open(&cover, m->ranges.data, m->ranges.n, NULL, false, m->error);
    for (size_t i = 0; code == APF_OK && i + 1 < cover.steps.n; i++) {
        const struct profgen_step *step = &cover.steps.data[i];
        for (uint64_t at = step->ranges ? code_map_from(map, step->address) : UINT64_MAX;
             code == APF_OK && at < step[1].address; at = code_map_from(map, at + 1))
            code = add_instruction(m, at, step->ranges);
    }
    profgen_cover_close(&cover);
    return code;
}

static void mark(struct measuring *m, uint64_t address)
{
    const struct profgen_range *range = profgen_range_at(m->program->functions, address);
    if (range)
        m->sampled[range->function] = 1;
}

/* The functions of the profile, where nothing else is known. */
static void mark_names(struct measuring *m)
{
    for (uint32_t i = 0; i < m->s->names.list.n; i++) {
        uint32_t function = profgen_function_named(m->program->functions, sample_names_text(&m->s->names, i));
        if (function != PROFGEN_NO_FUNCTION)
            m->sampled[function] = 1;
    }
}

static void mark_all(struct measuring *m, const struct profgen_counts *c)
{
    if (c->ranges.list.n == 0 && c->branches.list.n == 0)
        mark_names(m);
    for (size_t i = 0; i < c->chains.list.n; i++)
        mark(m, c->chains.list.data[i].call);
    for (size_t i = 0; i < c->ranges.list.n; i++)
        mark(m, c->ranges.list.data[i].pair.a);
    for (size_t i = 0; i < c->branches.list.n; i++) {
        mark(m, c->branches.list.data[i].pair.a);
        mark(m, c->branches.list.data[i].pair.b);
    }
}

int profgen_sizes_open(struct profgen_sizes *sizes, const struct profgen_program *p,
                       const struct profgen_counts *c, struct apf_sample *s, struct apf_error *error)
{
    const size_t n = p->functions->list.n;
    struct measuring m = {sizes, p, s, calloc(n + 1, 1), error, {NULL, 0, 0}};
    int code = m.sampled ? APF_OK : error_memory(error);
    if (code == APF_OK)
        mark_all(&m, c);
    if (code == APF_OK)
        code = measure_code(&m);
    for (uint32_t i = 0; code == APF_OK && p->probes && i < n; i++)
        if (m.sampled[i])
            code = add_probes_of(&m, p->functions->list.data[i].name);
    free(m.sampled);
    VEC_FREE(&m.ranges);
    return code;
}

/* ---- finding ---- */

uint32_t profgen_sizes_find(const struct profgen_sizes *sizes, const struct profgen_tree *t,
                            uint32_t function)
{
    uint32_t last = PROFGEN_NOWHERE, found = PROFGEN_NOWHERE, bytes = 0;
    uint64_t at = 0;
    bool known = false;
    for (uint32_t i = function; i != PROFGEN_NOWHERE; i = t->list.data[i].caller) {
        const struct profgen_call *f = &t->list.data[i];
        found = find_size(sizes, last, at, f->name);
        if (found == PROFGEN_NOWHERE)
            break;
        last = found;
        if (sizes->list.data[found].known) {
            bytes = sizes->list.data[found].bytes;
            known = true;
        }
        at = f->at;
    }
    bool begun = last != PROFGEN_NOWHERE;
    while (!known && (begun ? sizes->list.data[last].least != PROFGEN_NOWHERE : sizes->list.n != 0)) {
        last = begun ? sizes->list.data[last].least : sizes->least;
        begun = true;
        known = sizes->list.data[last].known;
        bytes = sizes->list.data[last].bytes;
    }
    return bytes;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_follower.h"

#include <stdlib.h>

#include "base/error.h"

int profgen_follower_open(struct profgen_follower *f, const struct profgen_bolted *bolted,
                          struct apf_error *error)
{
    *f = (struct profgen_follower){.bolted = bolted, .cache = calloc(1, sizeof *f->cache)};
    return f->cache ? APF_OK : error_memory(error);
}

void profgen_follower_free(struct profgen_follower *f)
{
    free(f->cache);
    profgen_paths_free(&f->paths);
    VEC_FREE(&f->branches);
    VEC_FREE(&f->frames);
}

/* ---- what is looked up ---- */

static size_t cache_slot(uint64_t address)
{
    return (size_t)((address ^ address >> 13) % FOLLOW_CACHE);
}

struct bolted_place profgen_follower_place(struct profgen_follower *f, uint64_t address)
{
    struct bolted_place *place = &f->cache->places[cache_slot(address)];
    if (address == PROFGEN_OUTSIDE)
        return (struct bolted_place){.address = address};
    if (place->address != address || place->kind == BOLTED_OUTSIDE)
        *place = profgen_bolted_find(f->bolted, address);
    return *place;
}

/* A branch leads out of the original also if it goes to a stub of the procedure linkage table, which BOLT leaves out if
 * it can. */
static struct follow_flow find_flow(struct code_map *original, uint64_t address)
{
    struct follow_flow flow = {address, 0, code_map_kind(original, address), true, false, false};
    struct instruction_flow found;
    if (flow.kind == INSTRUCTION_CALL)
        flow.leads_out =
            code_map_call(original, address, &flow.target) && !code_map_has(original, flow.target);
    else if (flow.kind == INSTRUCTION_BRANCH && code_map_jump(original, address, &found)) {
        flow.direct = found.direct;
        flow.target = found.target;
        flow.leads_out = found.direct && !found.conditional && !code_map_has(original, found.target);
    }
    return flow;
}

const struct follow_flow *profgen_follower_flow(struct profgen_follower *f, uint64_t address)
{
    struct follow_flow *flow = &f->cache->flows[cache_slot(address)];
    if (!flow->known || flow->address != address)
        *flow = find_flow(f->bolted->original->code, address);
    return flow;
}

/* ---- the stack of the original ---- */

int profgen_follower_pair(struct profgen_follower *f, uint64_t from, uint64_t to, uint32_t context,
                          struct apf_error *error)
{
    struct address_pair pair = {from, to, context};
    return VEC_PUSH(&f->branches, pair) ? APF_OK : error_memory(error);
}

int profgen_follower_branch(struct profgen_follower *f, uint64_t from, uint64_t to, struct apf_error *error)
{
    f->open = true;
    return profgen_follower_pair(f, from, to, 0, error);
}

/* Nothing is known of what ran after `last` and before `first`. */
int profgen_follower_gap(struct profgen_follower *f, uint64_t last, uint64_t first, struct apf_error *error)
{
    return profgen_follower_pair(f, last, first, PROFGEN_GAP, error);
}

int profgen_follower_path(struct profgen_follower *f, const struct profgen_path *path,
                          struct apf_error *error)
{
    for (uint32_t i = 0; i < path->n; i++) {
        const struct address_pair *branch = &f->paths.branches.data[path->first + i];
        if (!VEC_PUSH(&f->branches, *branch))
            return error_memory(error);
    }
    profgen_follower_count(&f->counts.inlined, profgen_product(f->count, path->calls));
    return APF_OK;
}

void profgen_follower_added(struct profgen_follower *f, uint32_t n)
{
    profgen_follower_count(&f->counts.added, profgen_product(f->count, n));
}

/* ---- ways ---- */

int profgen_follower_find(struct profgen_follower *f, uint64_t to, struct profgen_path *path,
                          struct apf_error *error)
{
    return profgen_paths_find(&f->paths, f->bolted, f->at, to, path, error);
}

/* Whether an address is before `at` in the same block: the code there is the rest of a block that BOLT has cut in
 * two. */
bool profgen_follower_is_behind(const struct profgen_follower *f, uint64_t address)
{
    return f->block && address >= f->block && address <= f->at;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_paths.h"

#include "base/error.h"
#include "profgen/profgen_counts.h"

/* Bounds of a search: instructions in all, and branches in a row about which there is a choice. */
#define MOST_STEPS 20000u
#define MOST_DEPTH 12u
/* The most instructions of a function that BOLT inlined and whose code runs straight through. */
#define MOST_INLINED 500u

struct path_search {
    const struct profgen_bolted *b;
    struct profgen_paths *paths;
    uint64_t to;
    uint32_t steps; /* that are left */
    uint32_t calls;
    bool through_calls; /* calls may be passed */
    bool failed;        /* allocation failed */
};

void profgen_paths_free(struct profgen_paths *paths)
{
    VEC_FREE(&paths->list);
    VEC_FREE(&paths->branches);
    hash_index_free(&paths->index);
}

static bool add_branch(struct path_search *s, uint64_t from, uint64_t to)
{
    struct address_pair branch = {from, to, 0};
    bool done = VEC_PUSH(&s->paths->branches, branch);
    s->failed = s->failed || !done;
    return done;
}

/* Whether a direct jump, and nothing else, is at an address; BOLT leads branches past such blocks. */
static bool is_jump_only(struct path_search *s, uint64_t address)
{
    struct instruction_flow flow;
    return code_map_jump(s->b->original->code, address, &flow) && flow.direct && !flow.conditional;
}

static bool search(struct path_search *s, uint64_t at, bool here, unsigned depth);

/* Goes along a direct branch to `target`. */
static bool take_jump(struct path_search *s, uint64_t at, uint64_t target, unsigned depth)
{
    const size_t before = s->paths->branches.n;
    if (!add_branch(s, at, target))
        return false;
    if (target == s->to || (depth < MOST_DEPTH && search(s, target, true, depth + 1)))
        return true;
    s->paths->branches.n = before;
    return false;
}

/* The return of a function without branches; 0: it has some. */
static uint64_t find_end(struct path_search *s, uint64_t function)
{
    struct code_map *code = s->b->original->code;
    for (unsigned i = 0; i < MOST_INLINED && code_map_has(code, function); i++) {
        enum instruction_kind kind = code_map_kind(code, function);
        if (kind != INSTRUCTION_PLAIN)
            return kind == INSTRUCTION_RETURN ? function : 0;
        function = code_map_from(code, function + 1);
    }
    return 0;
}

/* Passes a call that BOLT inlined. */
static bool pass_call(struct path_search *s, uint64_t at, uint64_t next)
{
    uint64_t function, end = 0;
    s->calls++;
    if (!s->through_calls)
        return false;
    if (code_map_call(s->b->original->code, at, &function))
        end = find_end(s, function);
    return add_branch(s, at, end ? function : PROFGEN_OUTSIDE) &&
           add_branch(s, end ? end : PROFGEN_OUTSIDE, next);
}

/* Tries both ways of a direct branch. */
static bool try_branch(struct path_search *s, uint64_t at, uint64_t next, unsigned depth)
{
    struct instruction_flow flow;
    if (!code_map_jump(s->b->original->code, at, &flow) || !flow.direct)
        return false;
    if (flow.conditional && flow.target != s->to &&
        (next == s->to || (depth < MOST_DEPTH && search(s, next, true, depth + 1))))
        return true;
    return take_jump(s, at, flow.target, depth);
}

/* Searches from an instruction on; `here`: it may be the end, or begin a block, else the path begins with it. What is
 * found is in paths->branches. */
static bool search(struct path_search *s, uint64_t at, bool here, unsigned depth)
{
    struct code_map *code = s->b->original->code;
    const size_t before = s->paths->branches.n;
    bool found = false;
    for (; !s->failed && s->steps && code_map_has(code, at); here = true) {
        const uint64_t next = code_map_from(code, at + 1);
        const enum instruction_kind kind = code_map_kind(code, at);
        s->steps--;
        found = here && at == s->to;
        if (found || (here && profgen_bolted_has_block(s->b, at) && !is_jump_only(s, at)))
            break;
        if (kind == INSTRUCTION_BRANCH)
            found = try_branch(s, at, next, depth);
        if (kind == INSTRUCTION_BRANCH || kind == INSTRUCTION_RETURN ||
            (kind == INSTRUCTION_CALL && !pass_call(s, at, next)))
            break;
        at = next;
    }
    if (!found)
        s->paths->branches.n = before;
    return found;
}

/* Paths without inlined calls first. */
static bool search_path(struct profgen_paths *paths, const struct profgen_bolted *b,
                        struct profgen_path *path)
{
    for (int with_calls = 0; with_calls < 2; with_calls++) {
        struct path_search s = {b, paths, path->to, MOST_STEPS, 0, with_calls != 0, false};
        path->first = paths->branches.n;
        path->found = search(&s, path->from, false, 0);
        path->n = (uint32_t)(paths->branches.n - path->first);
        path->calls = path->jumps = 0;
        for (size_t i = path->first; i < paths->branches.n; i++) {
            path->calls += paths->branches.data[i].a == PROFGEN_OUTSIDE;
            path->jumps += code_map_kind(b->original->code, paths->branches.data[i].a) == INSTRUCTION_BRANCH;
        }
        if (s.failed)
            return false;
        if (path->found || s.calls == 0)
            break;
    }
    return true;
}

int profgen_paths_find(struct profgen_paths *paths, const struct profgen_bolted *b, uint64_t from,
                       uint64_t to, struct profgen_path *path, struct apf_error *error)
{
    if (!hash_index_reserve(&paths->index, 1) || !VEC_RESERVE(&paths->list, 1))
        return hash_index_error(&paths->index, error);
    const uint64_t hash = hash_index_mix(&paths->index, from, to);
    uint32_t i;
    HASH_INDEX_FIND(i, &paths->index, hash, paths->list.data[i].from == from && paths->list.data[i].to == to);
    if (i == HASH_INDEX_NONE) {
        struct profgen_path new_path = {.from = from, .to = to};
        if (!search_path(paths, b, &new_path))
            return error_memory(error);
        i = (uint32_t)paths->list.n;
        paths->list.data[paths->list.n++] = new_path;
        hash_index_add(&paths->index, hash, i);
    }
    *path = paths->list.data[i];
    return APF_OK;
}

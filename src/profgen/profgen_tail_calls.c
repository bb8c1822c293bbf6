/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_tail_calls.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"

/* A call, or a jump to another function, that was sampled. */
struct call_edge {
    uint64_t site;
    uint32_t caller; /* the function that contains it; NO_FUNCTION: none */
    uint32_t callee; /* a function */
};
#define NO_FUNCTION UINT32_MAX

/* What is known of the ways of tail calls from one function to another one. */
struct tail_path {
    uint32_t from, to;
    uint32_t rest;  /* jumps that it may have; 0 where their number is not limited */
    uint32_t edge;  /* with one way: its first jump; from == to has none */
    uint8_t n_ways; /* 0, 1, or 2 for more */
    bool ended;     /* the search was not continued to its end: ways are taken to be many */
};

/* What is known of the ways from a call to a function. */
struct call_ways {
    uint32_t call; /* the first one at its site */
    uint32_t to;
    uint32_t n_ways; /* 0, 1, or 2 for more */
    uint32_t first;  /* with one way: the function that is called */
    bool ended;      /* as of tail_path */
};

/* A function that is being searched. */
struct search_frame {
    uint32_t function, n_ways, edge,
        next; /* next: the next jump to look at; edge: the first one on the way */
    bool ended;
};

struct profgen_tail_calls {
    const struct profgen_program *program;
    uint32_t depth;                   /* jumps of a way, at most: functions on the stack */
    bool limited;                     /* that can be less than a way has */
    VEC(struct call_edge) calls;      /* by site, then callee; each once */
    VEC(struct call_edge) tail_calls; /* by caller, site, callee; each once */
    uint8_t *states;                  /* of functions: STATE_TARGET, STATE_VISITING */
    VEC(struct tail_path) paths;
    struct hash_index path_index;
    VEC(struct call_ways) ways;
    struct hash_index way_index;
    VEC(struct search_frame) stack;
    uint64_t steps;   /* jumps that may still be looked at */
    uint64_t n_ended; /* calls whose ways were not searched for to the end */
};
/* Searches end after so many jumps for each branch that was sampled: their number may be the square of that of
 * functions. And after so many jumps in all, since what is known of each takes memory. */
#define MOST_STEPS 1024u
#define MOST_ALL_STEPS (1u << 24)
#define STATE_TARGET 1u   /* some tail call goes to it */
#define STATE_VISITING 2u /* it is on the stack */

/* ---- learning ---- */

static uint32_t function_at(const struct profgen_tail_calls *t, uint64_t address)
{
    const struct profgen_range *range = profgen_range_at(t->program->functions, address);
    return range ? range->function : NO_FUNCTION;
}

/* Whether an instruction is a jump out of its function: an unconditional one to another function, or one through a
 * register or memory. */
static bool leaves_function(const struct profgen_tail_calls *t, uint64_t site, uint32_t caller)
{
    struct instruction_flow flow;
    if (!code_map_jump(t->program->code, site, &flow) || flow.conditional)
        return false;
    uint32_t callee = flow.direct ? function_at(t, flow.target) : NO_FUNCTION;
    return !flow.direct || (callee != NO_FUNCTION && callee != caller);
}

static int learn(struct profgen_tail_calls *t, const struct pair_count *branch, struct apf_error *error)
{
    struct call_edge edge = {branch->pair.a, function_at(t, branch->pair.a), function_at(t, branch->pair.b)};
    enum instruction_kind kind = code_map_kind(t->program->code, edge.site);
    bool good = true;
    if (edge.callee == NO_FUNCTION || edge.caller == NO_FUNCTION)
        return APF_OK;
    if (kind == INSTRUCTION_CALL)
        good = VEC_PUSH(&t->calls, edge);
    else if (kind == INSTRUCTION_BRANCH && edge.caller != edge.callee &&
             leaves_function(t, edge.site, edge.caller))
        good = VEC_PUSH(&t->tail_calls, edge);
    if (kind != INSTRUCTION_CALL && t->tail_calls.n)
        t->states[t->tail_calls.data[t->tail_calls.n - 1].callee] |= STATE_TARGET;
    return good ? APF_OK : error_memory(error);
}

static bool site_before(const void *context, const void *a, const void *b)
{
    const struct call_edge *x = a, *y = b;
    (void)context;
    return x->site != y->site ? x->site < y->site : x->callee < y->callee;
}

static bool caller_before(const void *context, const void *a, const void *b)
{
    const struct call_edge *x = a, *y = b;
    return x->caller != y->caller ? x->caller < y->caller : site_before(context, a, b);
}

static size_t drop_repeats(struct call_edge *edges, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || edges[kept - 1].site != edges[i].site || edges[kept - 1].callee != edges[i].callee)
            edges[kept++] = edges[i];
    return kept;
}

int profgen_tail_calls_open(struct profgen_tail_calls **result, const struct profgen_program *p,
                            const struct pair_counts *branches, uint32_t depth, struct apf_error *error)
{
    struct profgen_tail_calls *t = calloc(1, sizeof *t);
    *result = NULL;
    if (!t)
        return error_memory(error);
    t->program = p;
    t->depth = depth;
    t->limited = depth < p->functions->list.n; /* no function is twice on a way */
    t->states = calloc(p->functions->list.n + 1, 1);
    int code = t->states ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < branches->list.n; i++)
        code = learn(t, &branches->list.data[i], error);
    if (code == APF_OK &&
        (!SORT_VEC(&t->calls, site_before, NULL) || !SORT_VEC(&t->tail_calls, caller_before, NULL)))
        code = error_memory(error);
    t->calls.n = drop_repeats(t->calls.data, t->calls.n);
    t->tail_calls.n = drop_repeats(t->tail_calls.data, t->tail_calls.n);
    t->steps = MOST_STEPS * ((uint64_t)t->calls.n + t->tail_calls.n);
    t->steps = t->steps < MOST_ALL_STEPS ? t->steps : MOST_ALL_STEPS;
    if (code == APF_OK)
        *result = t;
    else
        profgen_tail_calls_close(t);
    return code;
}

void profgen_tail_calls_close(struct profgen_tail_calls *t)
{
    if (!t)
        return;
    VEC_FREE(&t->calls);
    VEC_FREE(&t->tail_calls);
    free(t->states);
    VEC_FREE(&t->paths);
    hash_index_free(&t->path_index);
    VEC_FREE(&t->ways);
    hash_index_free(&t->way_index);
    VEC_FREE(&t->stack);
    free(t);
}

uint64_t profgen_tail_calls_ended(const struct profgen_tail_calls *t)
{
    return t ? t->n_ended : 0;
}

/* ---- searching ---- */

static uint32_t first_tail_call(const struct profgen_tail_calls *t, uint32_t function)
{
    size_t low;
    SEARCH(low, 0, t->tail_calls.n, t->tail_calls.data[low].caller < function);
    return (uint32_t)low;
}

/* The rest of a function that is entered with n functions on the stack. Ways with another limit are other ways: LLVM
 * takes what it knows of a function for any limit, so that its profile depends on what it has searched for before. */
static uint32_t rest_at(const struct profgen_tail_calls *t, size_t n)
{
    return t->limited ? t->depth - (uint32_t)n : 0;
}

static uint64_t hash_path(const struct profgen_tail_calls *t, uint32_t from, uint32_t to, uint32_t rest)
{
    return hash_index_mix(&t->path_index, from, (uint64_t)rest << 32 | to);
}

static const struct tail_path *find_path(const struct profgen_tail_calls *t, uint32_t from, uint32_t to,
                                         uint32_t rest)
{
    uint32_t i;
    uint64_t hash = hash_path(t, from, to, rest);
    HASH_INDEX_FIND(i, &t->path_index, hash,
                    t->paths.data[i].from == from && t->paths.data[i].to == to &&
                        t->paths.data[i].rest == rest);
    return i == HASH_INDEX_NONE ? NULL : &t->paths.data[i];
}

/* Keeps what was found for a function that is not on the stack any more. */
static int keep_path(struct profgen_tail_calls *t, const struct search_frame *f, uint32_t to,
                     struct apf_error *error)
{
    const uint32_t rest = rest_at(t, t->stack.n);
    struct tail_path path = {f->function, to, rest, f->edge, (uint8_t)f->n_ways, f->ended};
    if (!hash_index_reserve(&t->path_index, 1) || !VEC_PUSH(&t->paths, path))
        return hash_index_error(&t->path_index, error);
    hash_index_add(&t->path_index, hash_path(t, path.from, to, rest), (uint32_t)(t->paths.n - 1));
    return APF_OK;
}

static int enter(struct profgen_tail_calls *t, uint32_t function, struct apf_error *error)
{
    struct search_frame f = {function, 0, 0, first_tail_call(t, function), false};
    t->states[function] |= STATE_VISITING;
    return VEC_PUSH(&t->stack, f) ? APF_OK : error_memory(error);
}

/* Looks at the next jump of the innermost function; *deeper: its target has to be searched first. Where a search would
 * take too long, ways are taken to be many: none is inferred. */
static void look(struct profgen_tail_calls *t, struct search_frame *f, uint32_t to, bool *deeper)
{
    const struct call_edge *edge = &t->tail_calls.data[f->next];
    const struct tail_path *known = find_path(t, edge->callee, to, rest_at(t, t->stack.n));
    bool circular = edge->callee != to && t->states[edge->callee] & STATE_VISITING;
    bool deep = !known && t->stack.n == t->depth;
    bool ended = !known && (t->stack.n == PROFGEN_LONGEST_CHAIN || t->steps == 0);
    *deeper = edge->callee != to && !circular && !deep && !ended && !known;
    t->steps -= t->steps != 0;
    if (*deeper)
        return;
    uint32_t ways = edge->callee == to ? 1 : circular || deep ? 0 : ended ? 2 : known->n_ways;
    f->edge = ways && f->n_ways == 0 ? f->next : f->edge;
    f->n_ways = f->n_ways + ways > 1 ? 2 : f->n_ways + ways;
    f->ended = f->ended || ended || (known && edge->callee != to && known->ended);
    f->next++;
}

/* Finds the number of ways of tail calls from a function to another one. Ways in circles count once. */
static int search(struct profgen_tail_calls *t, uint32_t from, uint32_t to, struct apf_error *error)
{
    const struct search_frame none = {.function = from};
    int code = find_path(t, from, to, rest_at(t, 0)) ? APF_OK
               : t->depth == 0                       ? keep_path(t, &none, to, error)
                                                     : enter(t, from, error);
    while (code == APF_OK && t->stack.n) {
        struct search_frame *f = &t->stack.data[t->stack.n - 1];
        bool more = f->next < t->tail_calls.n && t->tail_calls.data[f->next].caller == f->function;
        bool deeper = false;
        if (more && f->n_ways < 2)
            look(t, f, to, &deeper);
        if (deeper) {
            code = enter(t, t->tail_calls.data[f->next].callee, error);
        } else if (!more || f->n_ways > 1) {
            t->states[f->function] &= (uint8_t)~STATE_VISITING;
            t->stack.n--;
            code = keep_path(t, f, to, error);
        }
    }
    return code;
}

/* Counts the ways from all functions that a call goes to. */
static int count_ways(struct profgen_tail_calls *t, struct call_ways *ways, struct apf_error *error)
{
    const uint64_t site = t->calls.data[ways->call].site;
    int code = APF_OK;
    for (size_t i = ways->call;
         code == APF_OK && ways->n_ways < 2 && i < t->calls.n && t->calls.data[i].site == site; i++) {
        uint32_t callee = t->calls.data[i].callee;
        code = search(t, callee, ways->to, error);
        const struct tail_path *path = code == APF_OK ? find_path(t, callee, ways->to, rest_at(t, 0)) : NULL;
        if (!path)
            break;
        ways->first = path->n_ways ? callee : ways->first;
        ways->n_ways += path->n_ways;
        ways->ended = ways->ended || path->ended;
    }
    return code;
}

/* The ways from a call, the first one at its site, to a function; they are counted once. */
static int find_ways(struct profgen_tail_calls *t, uint32_t call, uint32_t to, struct call_ways *ways,
                     struct apf_error *error)
{
    uint32_t i;
    *ways = (struct call_ways){call, to, 0, NO_FUNCTION, false};
    if (!hash_index_reserve(&t->way_index, 1) || !VEC_RESERVE(&t->ways, 1))
        return hash_index_error(&t->way_index, error);
    uint64_t hash = hash_index_mix(&t->way_index, call, to);
    HASH_INDEX_FIND(i, &t->way_index, hash, t->ways.data[i].call == call && t->ways.data[i].to == to);
    if (i != HASH_INDEX_NONE) {
        *ways = t->ways.data[i];
        return APF_OK;
    }
    int code = count_ways(t, ways, error);
    if (code == APF_OK) {
        hash_index_add(&t->way_index, hash, (uint32_t)t->ways.n);
        t->ways.data[t->ways.n++] = *ways;
    }
    return code;
}

/* Whether a call, the first one at its site, goes to a function directly. */
static bool calls_directly(const struct profgen_tail_calls *t, size_t call, uint32_t function)
{
    const struct call_edge edge = {t->calls.data[call].site, 0, function};
    size_t low;
    SEARCH(low, call, t->calls.n, site_before(NULL, &t->calls.data[low], &edge));
    return low < t->calls.n && t->calls.data[low].site == edge.site && t->calls.data[low].callee == function;
}

int profgen_tail_calls_infer(struct profgen_tail_calls *t, struct profgen_frames *frames, uint64_t address,
                             struct apf_error *error)
{
    const uint64_t site = frames->list.data[frames->list.n - 1].at;
    const uint32_t to = function_at(t, address);
    struct call_ways ways;
    size_t call;
    SEARCH(call, 0, t->calls.n, t->calls.data[call].site < site);
    if (to == NO_FUNCTION || call == t->calls.n || t->calls.data[call].site != site ||
        !(t->states[to] & STATE_TARGET) || calls_directly(t, call, to))
        return APF_OK;
    int code = find_ways(t, (uint32_t)call, to, &ways, error);
    t->n_ended += code == APF_OK && ways.ended;
    if (code != APF_OK || ways.n_ways != 1)
        return code;
    size_t n = 0;
    for (uint32_t from = ways.first; from != to; n++) {
        const struct tail_path *path = find_path(t, from, to, rest_at(t, n));
        if (!path || path->n_ways != 1)
            break;
        const struct call_edge *edge = &t->tail_calls.data[path->edge];
        struct profgen_frame frame = {edge->site, 0};
        if (!VEC_PUSH(&frames->list, frame))
            return error_memory(error);
        from = edge->callee;
    }
    return APF_OK;
}

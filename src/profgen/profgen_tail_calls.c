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

/* The ways from a call to a function. */
struct call_ways {
    uint32_t call; /* the first one at its site */
    uint32_t to;
    size_t first;     /* with one way: its jumps are t->jumps.data[first] and the next ones */
    uint32_t n_jumps; /* 0: there is no way, or more than one */
    bool ended;       /* the search was not continued to its end: ways are taken to be many */
};

/* The state of a function in the search (`reached`, `passed`) or the walk (`walked`) whose number is there; other
 * numbers are those of earlier ones. */
struct function_state {
    uint64_t reached; /* search that found ways from it, the shortest with so many jumps: */
    uint32_t distance;
    uint32_t jumps;  /* of the walk, before it came to it */
    uint64_t passed; /* search whose way goes through it */
    uint64_t walked; /* walk that came to it */
    bool is_target;  /* some tail call goes to it */
};

/* The search for the ways from a call to a function. */
struct search {
    struct profgen_tail_calls *t;
    uint64_t number;
    uint32_t to;
    uint32_t n_jumps; /* of the way so far */
    uint32_t steps;   /* jumps that may still be looked at */
    bool ended;       /* they were not enough */
};

struct profgen_tail_calls {
    const struct profgen_program *program;
    uint32_t depth;                   /* jumps of a way, at most */
    bool shortened;                   /* that is less than what is asked for */
    VEC(struct call_edge) calls;      /* by site, then callee; each once */
    VEC(struct call_edge) tail_calls; /* by caller, site, callee; each once */
    VEC(struct sort_key) by_callee;   /* callees and numbers of all tail calls */
    VEC(struct sort_key) met;         /* those that one search has met */
    struct function_state *states;    /* of functions */
    VEC(uint32_t) queue;              /* of functions, with room for all */
    VEC(uint32_t) jumps;              /* numbers of tail calls, of the ways that are kept */
    VEC(struct call_ways) ways;       /* what was found, so that it need not be searched for again */
    struct hash_index way_index;
    uint64_t n_searches, n_walks;
    uint64_t n_ended; /* calls whose ways were not searched for to the end */
};
/* Jumps that one search may look at, first forward, then on the way back and forth again. Most searches look at each
 * jump of the functions that they reach once or twice. */
#define MOST_STEPS ((uint32_t)8192)
/* Jumps and ways that are kept, at most and about: then they are forgotten, and searched for again. */
#define MOST_KEPT ((size_t)1 << 20)

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
    if (edge.callee == NO_FUNCTION || edge.caller == NO_FUNCTION)
        return APF_OK;
    if (kind == INSTRUCTION_CALL)
        return VEC_PUSH(&t->calls, edge) ? APF_OK : error_memory(error);
    if (kind != INSTRUCTION_BRANCH || edge.caller == edge.callee ||
        !leaves_function(t, edge.site, edge.caller))
        return APF_OK;
    t->states[edge.callee].is_target = true;
    return VEC_PUSH(&t->tail_calls, edge) ? APF_OK : error_memory(error);
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

/* Brings what was learnt into order. */
static bool sort_edges(struct profgen_tail_calls *t)
{
    if (!SORT_VEC(&t->calls, site_before, NULL) || !SORT_VEC(&t->tail_calls, caller_before, NULL))
        return false;
    t->calls.n = drop_repeats(t->calls.data, t->calls.n);
    t->tail_calls.n = drop_repeats(t->tail_calls.data, t->tail_calls.n);
    const size_t n = t->tail_calls.n;
    if (!VEC_RESERVE(&t->by_callee, 2 * n) || !VEC_RESERVE(&t->met, 2 * (size_t)MOST_STEPS))
        return false;
    for (size_t i = 0; i < n; i++)
        t->by_callee.data[t->by_callee.n++] = (struct sort_key){t->tail_calls.data[i].callee, i};
    if (n)
        sort_keys(t->by_callee.data, t->by_callee.data + n, n);
    return true;
}

int profgen_tail_calls_open(struct profgen_tail_calls **result, const struct profgen_program *p,
                            const struct pair_counts *branches, uint32_t depth, struct apf_error *error)
{
    struct profgen_tail_calls *t = calloc(1, sizeof *t);
    const size_t n = p->functions->list.n;
    *result = NULL;
    if (!t)
        return error_memory(error);
    t->program = p;
    t->shortened = depth > PROFGEN_LONGEST_CHAIN;
    t->depth = t->shortened ? PROFGEN_LONGEST_CHAIN : depth;
    t->states = calloc(n + 1, sizeof *t->states);
    int code = t->states && VEC_RESERVE(&t->queue, n + 1) ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < branches->list.n; i++)
        code = learn(t, &branches->list.data[i], error);
    if (code == APF_OK && !sort_edges(t))
        code = error_memory(error);
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
    VEC_FREE(&t->by_callee);
    VEC_FREE(&t->met);
    free(t->states);
    VEC_FREE(&t->queue);
    VEC_FREE(&t->jumps);
    VEC_FREE(&t->ways);
    hash_index_free(&t->way_index);
    free(t);
}

uint64_t profgen_tail_calls_ended(const struct profgen_tail_calls *t)
{
    return t ? t->n_ended : 0;
}

/* ---- searching ---- */

static bool count_step(struct search *s)
{
    s->ended |= s->steps == 0;
    s->steps -= s->steps != 0;
    return !s->ended;
}

/* Finds the functions from which ways lead to the one that is searched for, and how far they are from it, by tail calls
 * that are sorted by callee. */
static void reach_back(struct search *s, const struct sort_key *by_callee, size_t n)
{
    struct profgen_tail_calls *t = s->t;
    t->queue.n = 0;
    t->queue.data[t->queue.n++] = s->to;
    t->states[s->to].reached = s->number;
    t->states[s->to].distance = 0;
    for (size_t i = 0; i < t->queue.n; i++) {
        const uint32_t callee = t->queue.data[i], distance = t->states[callee].distance;
        size_t at;
        SEARCH(at, 0, n, by_callee[at].key < callee);
        for (; at < n && by_callee[at].key == callee; at++) {
            const uint32_t caller = t->tail_calls.data[by_callee[at].value].caller;
            struct function_state *state = &t->states[caller];
            s->ended |= distance == t->depth && t->shortened;
            if (distance == t->depth || !count_step(s))
                break;
            if (state->reached == s->number)
                continue;
            state->reached = s->number;
            state->distance = distance + 1;
            t->queue.data[t->queue.n++] = caller;
        }
    }
}

/* Whether a function is near enough for a way that has so many jumps when it comes there. Ways pass none twice. */
static bool may_lead(const struct search *s, uint32_t function, uint32_t jumps)
{
    const struct function_state *state = &s->t->states[function];
    return state->reached == s->number && state->passed != s->number &&
           jumps + state->distance <= s->t->depth;
}

/* The first jump of a function, and after it the next ones; NULL: there is no more, or it may not be looked at. */
static const struct call_edge *first_jump(struct search *s, uint32_t function)
{
    const struct profgen_tail_calls *t = s->t;
    size_t low;
    SEARCH(low, 0, t->tail_calls.n, t->tail_calls.data[low].caller < function);
    return low < t->tail_calls.n && t->tail_calls.data[low].caller == function && count_step(s)
               ? &t->tail_calls.data[low]
               : NULL;
}

static const struct call_edge *next_jump(struct search *s, const struct call_edge *edge)
{
    const struct profgen_tail_calls *t = s->t;
    const bool more = edge + 1 < t->tail_calls.data + t->tail_calls.n && edge[1].caller == edge->caller;
    return more && count_step(s) ? edge + 1 : NULL;
}

/* Adds a function to the queue of the walk, unless the walk has come to it before. */
static void walk_to(struct profgen_tail_calls *t, uint32_t function, uint32_t jumps)
{
    struct function_state *state = &t->states[function];
    if (state->walked == t->n_walks)
        return;
    state->walked = t->n_walks;
    state->jumps = jumps;
    t->queue.data[t->queue.n++] = function;
}

static void begin_walk(struct profgen_tail_calls *t)
{
    t->queue.n = 0;
    t->n_walks++;
}

/* Adds the targets of a function's jumps, except the jump `but`, to the queue of the walk; true if one of them is the
 * function that is searched for. */
static bool walk_on(struct search *s, uint32_t function, const struct call_edge *but, uint32_t jumps)
{
    for (const struct call_edge *e = first_jump(s, function); e; e = next_jump(s, e)) {
        if (e == but || !may_lead(s, e->callee, jumps + 1))
            continue;
        if (e->callee == s->to)
            return true;
        walk_to(s->t, e->callee, jumps + 1);
    }
    return false;
}

/* Whether a second way leaves the present one at `function` by a jump other than `but`. The walk is breadth first, so
 * that it reaches each function by the fewest jumps. */
static bool has_other_way(struct search *s, uint32_t function, const struct call_edge *but)
{
    struct profgen_tail_calls *t = s->t;
    begin_walk(t);
    bool found = walk_on(s, function, but, s->n_jumps);
    for (size_t i = 0; !found && i < t->queue.n; i++)
        found = walk_on(s, t->queue.data[i], NULL, t->states[t->queue.data[i]].jumps);
    return found;
}

/* Collects the tail calls that a way from a call may have, in t->met; false: they are too many. Most often there are
 * few, while half of the program may jump to the function that is searched for. */
static bool reach_forward(struct search *s, uint32_t call)
{
    struct profgen_tail_calls *t = s->t;
    const uint64_t site = t->calls.data[call].site;
    t->met.n = 0;
    begin_walk(t);
    for (size_t i = call; i < t->calls.n && t->calls.data[i].site == site; i++)
        walk_to(t, t->calls.data[i].callee, 0);
    for (size_t i = 0; i < t->queue.n; i++) {
        const uint32_t jumps = t->states[t->queue.data[i]].jumps;
        if (t->queue.data[i] == s->to || jumps > t->depth)
            continue;
        for (const struct call_edge *e = first_jump(s, t->queue.data[i]); e; e = next_jump(s, e)) {
            t->met.data[t->met.n++] = (struct sort_key){e->callee, (uint64_t)(e - t->tail_calls.data)};
            walk_to(t, e->callee, jumps + 1);
        }
    }
    return !s->ended;
}

/* Follows the shortest way from a function, and adds its jumps; false: there is another one, or the search ended.
 * Distances fall along the way, so that it comes to no function twice; it is the only one if no other jump leads away
 * from it and to its end. */
static bool follow_way(struct search *s, uint32_t function, struct apf_error *error, int *code)
{
    struct profgen_tail_calls *t = s->t;
    while (function != s->to) {
        const struct call_edge *best = NULL;
        uint32_t n = 0;
        t->states[function].passed = s->number;
        for (const struct call_edge *e = first_jump(s, function); e; e = next_jump(s, e)) {
            if (!may_lead(s, e->callee, s->n_jumps + 1))
                continue;
            n++;
            best = !best || t->states[e->callee].distance < t->states[best->callee].distance ? e : best;
        }
        const bool other = n > 1 && !s->ended && has_other_way(s, function, best);
        if (s->ended || other || !best)
            return false;
        s->n_jumps++;
        function = best->callee;
        if (!VEC_PUSH(&t->jumps, (uint32_t)(best - t->tail_calls.data))) {
            *code = error_memory(error);
            return false;
        }
    }
    return true;
}

/* Searches for the ways from all functions that a call goes to. A search knows nothing of others, so that what it finds
 * does not depend on their order. */
static int search_ways(struct profgen_tail_calls *t, struct call_ways *ways, struct apf_error *error)
{
    struct search s = {t, ++t->n_searches, ways->to, 0, MOST_STEPS, false};
    const uint64_t site = t->calls.data[ways->call].site;
    uint32_t n = 0, first = NO_FUNCTION;
    int code = APF_OK;
    if (reach_forward(&s, ways->call)) {
        struct sort_key *met = t->met.data;
        sort_keys(met, met + t->met.n, t->met.n);
        s.steps = MOST_STEPS;
        reach_back(&s, met, t->met.n);
    } else {
        s.steps = MOST_STEPS;
        s.ended = false;
        reach_back(&s, t->by_callee.data, t->by_callee.n);
    }
    for (size_t i = ways->call; n < 2 && i < t->calls.n && t->calls.data[i].site == site; i++) {
        if (!may_lead(&s, t->calls.data[i].callee, 0))
            continue;
        first = t->calls.data[i].callee;
        n++;
    }
    const size_t before = t->jumps.n;
    const bool one = n == 1 && !s.ended && follow_way(&s, first, error, &code);
    ways->first = before;
    ways->n_jumps = one ? (uint32_t)(t->jumps.n - before) : 0;
    ways->ended = s.ended;
    t->jumps.n = one ? t->jumps.n : before;
    return code;
}

static void forget_ways(struct profgen_tail_calls *t)
{
    t->ways.n = t->jumps.n = 0;
    hash_index_free(&t->way_index);
}

/* The ways from a call, the first one at its site, to a function; they are searched for unless they are kept. */
static int find_ways(struct profgen_tail_calls *t, uint32_t call, uint32_t to, struct call_ways *ways,
                     struct apf_error *error)
{
    uint32_t i;
    *ways = (struct call_ways){.call = call, .to = to};
    if (t->jumps.n + t->ways.n > MOST_KEPT)
        forget_ways(t);
    if (!hash_index_reserve(&t->way_index, 1) || !VEC_RESERVE(&t->ways, 1))
        return hash_index_error(&t->way_index, error);
    uint64_t hash = hash_index_mix(&t->way_index, call, to);
    HASH_INDEX_FIND(i, &t->way_index, hash, t->ways.data[i].call == call && t->ways.data[i].to == to);
    if (i != HASH_INDEX_NONE) {
        *ways = t->ways.data[i];
        return APF_OK;
    }
    int code = search_ways(t, ways, error);
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
        !t->states[to].is_target || calls_directly(t, call, to))
        return APF_OK;
    int code = find_ways(t, (uint32_t)call, to, &ways, error);
    t->n_ended += code == APF_OK && ways.ended;
    for (size_t i = 0; code == APF_OK && i < ways.n_jumps; i++) {
        struct profgen_frame frame = {t->tail_calls.data[t->jumps.data[ways.first + i]].site, 0};
        if (!VEC_PUSH(&frames->list, frame))
            code = error_memory(error);
    }
    return code;
}

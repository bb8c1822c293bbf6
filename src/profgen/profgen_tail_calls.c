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

/* What searches note of a function; all but `is_target` is valid for the search, or the walk, whose number is there. */
struct function_note {
    uint32_t reached; /* search that found ways from it, the shortest with so many jumps: */
    uint32_t distance;
    uint32_t passed; /* search whose way goes through it */
    uint32_t walked; /* walk that came to it, after so many jumps: */
    uint32_t jumps;
    bool is_target; /* some tail call goes to it */
};

/* The search for the ways from a call to a function. */
struct search {
    struct profgen_tail_calls *t;
    uint32_t number, to;
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
    VEC(uint32_t) by_callee;          /* numbers of tail calls */
    struct function_note *notes;      /* of functions */
    VEC(uint32_t) queue;              /* of functions, with room for all */
    VEC(uint32_t) jumps;              /* numbers of tail calls, of all ways */
    VEC(struct call_ways) ways;
    struct hash_index way_index;
    uint32_t n_walks;
    uint64_t n_ended; /* calls whose ways were not searched for to the end */
};
/* A search ends after it has looked at so many jumps; most often it looks twice at each jump of the functions that it
 * comes to. */
#define MOST_STEPS ((uint32_t)8192)

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
        t->notes[t->tail_calls.data[t->tail_calls.n - 1].callee].is_target = true;
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

static bool callee_before(const void *context, const void *a, const void *b)
{
    const struct profgen_tail_calls *t = context;
    const uint32_t *x = a, *y = b;
    return t->tail_calls.data[*x].callee < t->tail_calls.data[*y].callee;
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
    for (size_t i = 0; i < t->tail_calls.n; i++)
        if (!VEC_PUSH(&t->by_callee, (uint32_t)i))
            return false;
    return SORT_VEC(&t->by_callee, callee_before, t);
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
    t->notes = calloc(n + 1, sizeof *t->notes);
    int code = t->notes && VEC_RESERVE(&t->queue, n + 1) ? APF_OK : error_memory(error);
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
    free(t->notes);
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

static bool take_step(struct search *s)
{
    s->ended |= s->steps == 0;
    s->steps -= s->steps != 0;
    return !s->ended;
}

/* Finds the functions from which ways lead to the one that is searched for, and how far they are from it. */
static void reach_back(struct search *s)
{
    struct profgen_tail_calls *t = s->t;
    t->queue.n = 0;
    t->queue.data[t->queue.n++] = s->to;
    t->notes[s->to].reached = s->number;
    t->notes[s->to].distance = 0;
    for (size_t i = 0; i < t->queue.n; i++) {
        const uint32_t callee = t->queue.data[i], distance = t->notes[callee].distance;
        size_t at;
        SEARCH(at, 0, t->by_callee.n, t->tail_calls.data[t->by_callee.data[at]].callee < callee);
        for (; at < t->by_callee.n; at++) {
            const struct call_edge *edge = &t->tail_calls.data[t->by_callee.data[at]];
            if (edge->callee != callee)
                break;
            s->ended |= distance == t->depth && t->shortened;
            if (distance == t->depth || !take_step(s))
                break;
            struct function_note *note = &t->notes[edge->caller];
            if (note->reached == s->number)
                continue;
            note->reached = s->number;
            note->distance = distance + 1;
            t->queue.data[t->queue.n++] = edge->caller;
        }
    }
}

/* Whether a function is near enough for a way that has so many jumps when it comes there. Ways pass none twice. */
static bool may_lead(const struct search *s, uint32_t function, uint32_t jumps)
{
    const struct function_note *note = &s->t->notes[function];
    return note->reached == s->number && note->passed != s->number && jumps + note->distance <= s->t->depth;
}

/* The first jump of a function, and after it the next ones; NULL: there is no more, or it may not be looked at. */
static const struct call_edge *first_jump(struct search *s, uint32_t function)
{
    const struct profgen_tail_calls *t = s->t;
    size_t low;
    SEARCH(low, 0, t->tail_calls.n, t->tail_calls.data[low].caller < function);
    return low < t->tail_calls.n && t->tail_calls.data[low].caller == function && take_step(s)
               ? &t->tail_calls.data[low]
               : NULL;
}

static const struct call_edge *next_jump(struct search *s, const struct call_edge *edge)
{
    const struct profgen_tail_calls *t = s->t;
    const bool more = edge + 1 < t->tail_calls.data + t->tail_calls.n && edge[1].caller == edge->caller;
    return more && take_step(s) ? edge + 1 : NULL;
}

/* Takes the jumps of a function, but one, into a walk; whether one of them is to the function that is searched for. */
static bool walk_on(struct search *s, uint32_t function, const struct call_edge *but, uint32_t jumps)
{
    struct profgen_tail_calls *t = s->t;
    for (const struct call_edge *e = first_jump(s, function); e; e = next_jump(s, e)) {
        struct function_note *note = &t->notes[e->callee];
        if (e == but || !may_lead(s, e->callee, jumps + 1))
            continue;
        if (e->callee == s->to)
            return true;
        if (note->walked == t->n_walks)
            continue;
        note->walked = t->n_walks;
        note->jumps = jumps + 1;
        t->queue.data[t->queue.n++] = e->callee;
    }
    return false;
}

/* Whether another way begins with what was passed so far and goes on with another jump: the shortest one. */
static bool has_other_way(struct search *s, uint32_t function, const struct call_edge *but)
{
    struct profgen_tail_calls *t = s->t;
    t->queue.n = 0;
    t->n_walks++;
    bool found = walk_on(s, function, but, s->n_jumps);
    for (size_t i = 0; !found && i < t->queue.n; i++)
        found = walk_on(s, t->queue.data[i], NULL, t->notes[t->queue.data[i]].jumps);
    return found;
}

/* Follows the shortest way from a function, and adds its jumps; false: there is another one, or the search ended. */
static bool follow_way(struct search *s, uint32_t function, struct apf_error *error, int *code)
{
    struct profgen_tail_calls *t = s->t;
    while (function != s->to) {
        const struct call_edge *best = NULL;
        uint32_t n = 0;
        t->notes[function].passed = s->number;
        for (const struct call_edge *e = first_jump(s, function); e; e = next_jump(s, e)) {
            if (!may_lead(s, e->callee, s->n_jumps + 1))
                continue;
            n++;
            best = !best || t->notes[e->callee].distance < t->notes[best->callee].distance ? e : best;
        }
        if (s->ended || !best || (n > 1 && has_other_way(s, function, best)) || s->ended)
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
    struct search s = {t, (uint32_t)t->ways.n + 1, ways->to, 0, MOST_STEPS, false};
    const uint64_t site = t->calls.data[ways->call].site;
    uint32_t n = 0, first = NO_FUNCTION;
    int code = APF_OK;
    reach_back(&s);
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

/* The ways from a call, the first one at its site, to a function; they are searched for once. */
static int find_ways(struct profgen_tail_calls *t, uint32_t call, uint32_t to, struct call_ways *ways,
                     struct apf_error *error)
{
    uint32_t i;
    *ways = (struct call_ways){.call = call, .to = to};
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
        !t->notes[to].is_target || calls_directly(t, call, to))
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

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_traces.h"

#include "base/error.h"
#include "profgen/profgen_finish.h"

void profgen_traces_free(struct profgen_traces *t)
{
    profgen_counts_free(&t->found);
    profgen_hops_free(&t->hops);
    VEC_FREE(&t->more_branches);
    VEC_FREE(&t->more_ranges);
    VEC_FREE(&t->kept);
    VEC_FREE(&t->inside);
    VEC_FREE(&t->calls);
}

/* Adds to a counter of samples, which never wraps. */
static void add_count(uint64_t *counter, uint64_t count)
{
    *counter = profgen_sum(*counter, count);
}

/* Counts a branch of which an end is no instruction of the program. */
static void count_outside(struct profgen_traces *t, const struct profgen_program *p,
                          const struct address_pair *branch, uint8_t found, uint64_t count)
{
    const bool from = found & CODE_MAP_A, to = found & CODE_MAP_B;
    struct profgen_trace_counts *n = &t->counts;
    const bool kernel = (!from && branch->a >= PROFGEN_KERNEL) || (!to && branch->b >= PROFGEN_KERNEL);
    add_count(&n->outside, from || to ? 0 : count);
    add_count(&n->into_program, to && !from ? count : 0);
    add_count(&n->out_of_it, from && !to ? count : 0);
    add_count(&n->in_kernel, kernel ? count : 0);
    if ((!from && code_map_covers(p->code, branch->a)) || (!to && code_map_covers(p->code, branch->b)))
        add_count(&n->misplaced, count);
}

static void count_branch(struct profgen_traces *t, const struct profgen_program *p,
                         const struct address_pair *branch, uint8_t found, uint64_t count)
{
    add_count(&t->counts.branches, count);
    if (found != (CODE_MAP_A | CODE_MAP_B))
        count_outside(t, p, branch, found, count);
}

/* Counts a stack of n branches, and makes room for their pairs. */
static int begin_stack(struct profgen_traces *t, size_t n, uint64_t count, struct apf_error *error)
{
    t->more_branches.n = t->more_ranges.n = 0;
    add_count(&t->counts.stacks, count);
    return VEC_RESERVE(&t->more_branches, n) && VEC_RESERVE(&t->more_ranges, n) && VEC_RESERVE(&t->inside, n)
               ? APF_OK
               : error_memory(error);
}

static void push_branch(struct profgen_traces *t, const struct address_pair *branch, uint64_t count)
{
    if (branch->b != PROFGEN_OUTSIDE)
        t->more_branches.data[t->more_branches.n++] = (struct pair_count){*branch, count};
}

static void push_range(struct profgen_traces *t, uint64_t start, uint64_t end, uint32_t chain, uint64_t count)
{
    add_count(&t->counts.ranges, count);
    t->more_ranges.data[t->more_ranges.n++] = (struct pair_count){{start, end, chain}, count};
}

/* Adds what a stack has left in more_branches and more_ranges. */
static int add_pairs(struct profgen_traces *t, struct apf_error *error)
{
    int code = pair_counts_add(&t->found.branches, t->more_branches.data, t->more_branches.n, error);
    return code == APF_OK ? pair_counts_add(&t->found.ranges, t->more_ranges.data, t->more_ranges.n, error)
                          : code;
}

/* ---- branch stacks ---- */

/* In place of the target of an older branch that is not known. */
#define NO_START UINT64_MAX
#define START_INSIDE 4u /* in profgen_hop.inside, beside CODE_MAP_A and CODE_MAP_B */

/* A branch stack that is walked from the oldest branch on. */
struct stack_walk {
    struct profgen_traces *t;
    const struct profgen_program *p;
};

/* Which ends of a branch are instructions of the program. */
static uint8_t look_inside(const struct stack_walk *w, uint64_t from, uint64_t to)
{
    const struct address_pair branch = {from, to, 0};
    uint8_t inside;
    code_map_has_pairs(w->p->code, &branch, 1, &inside);
    return inside;
}

/* Adds a hop so many times. Branches out of the program count only as the ends of ranges. */
static void push_hop(struct profgen_traces *t, const struct profgen_program *p, const struct profgen_hop *hop,
                     uint64_t count)
{
    const uint8_t inside = hop->inside & (CODE_MAP_A | CODE_MAP_B);
    const struct address_pair branch = {hop->from, hop->to, PROFGEN_NO_CHAIN};
    const struct address_pair known = {inside & CODE_MAP_A ? branch.a : PROFGEN_OUTSIDE,
                                       inside & CODE_MAP_B ? branch.b : PROFGEN_OUTSIDE, PROFGEN_NO_CHAIN};
    const uint64_t start = hop->inside & START_INSIDE ? hop->start : PROFGEN_OUTSIDE;
    count_branch(t, p, &branch, inside, count);
    push_branch(t, &known, count);
    if (hop->start != NO_START && inside)
        push_range(t, start, known.a, PROFGEN_NO_CHAIN, count);
}

/* The functions below pass a branch: `start` is where what ran since the last branch began, or NO_START, and the result
 * is that of what runs next. */

/* Branches with both ends outside are left out before ranges are made of what is between one branch and the next one,
 * as llvm-profgen does. */
static uint64_t start_after(uint64_t start, uint64_t to, uint8_t inside)
{
    if ((inside & (CODE_MAP_A | CODE_MAP_B)) == 0)
        return start;
    return to != NO_START ? to : PROFGEN_KERNEL;
}

/* A gap ends and begins ranges where its addresses are known. */
static uint64_t pass_gap(const struct stack_walk *w, uint64_t start, const struct address_pair *gap,
                         uint8_t inside, uint64_t count)
{
    const uint64_t known = code_map_has(w->p->code, start) ? start : PROFGEN_OUTSIDE;
    if (start != NO_START && inside & CODE_MAP_A)
        push_range(w->t, known, gap->a, PROFGEN_NO_CHAIN, count);
    return inside & CODE_MAP_B ? gap->b : NO_START;
}

/* Past the cache. `start_inside`: START_INSIDE, or 0. */
static uint64_t pass_uncached(const struct stack_walk *w, uint64_t start, uint8_t start_inside,
                              const struct address_pair *branch, uint8_t inside, uint64_t count)
{
    const struct profgen_hop hop = {start, branch->a, branch->b, 0, inside | start_inside};
    w->t->hops.n_missed++;
    push_hop(w->t, w->p, &hop, count);
    return start_after(start, branch->b, inside);
}

static bool is_in_cache(const struct profgen_hop *place, uint64_t start, uint64_t from, uint64_t to,
                        uint32_t count)
{
    return profgen_hop_is(place, start, from, to) && count <= UINT32_MAX - place->count;
}

/* What pass_cached leaves. The hop at `place`, if it is another one or full, is added to the pairs, and this one is put
 * there. A branch to NO_START is not put there, so that branches found in the cache need not be compared with it. */
static NO_INLINE uint64_t pass_other(const struct stack_walk *w, struct profgen_hop *place, uint64_t start,
                                     uint64_t from, uint64_t to, uint32_t count)
{
    if (is_in_cache(place, start, from, to, count)) {
        place->count += count;
        return start_after(start, to, place->inside);
    }
    const uint8_t inside = look_inside(w, from, to);
    const uint8_t start_inside = code_map_has(w->p->code, start) ? START_INSIDE : 0;
    const struct profgen_hop hop = {start, from, to, count, inside | start_inside};
    w->t->hops.n_missed++;
    if (to == NO_START) {
        push_hop(w->t, w->p, &hop, count);
        return start_after(start, to, inside);
    }
    if (place->count)
        push_hop(w->t, w->p, place, place->count);
    *place = hop;
    return start_after(start, to, inside);
}

/* Through the cache, with a count from 1 to UINT32_MAX. Branches with both ends outside take the longer way: with a
 * choice between `to` and `start` here, each lookup would wait for the one before. */
static ALWAYS_INLINE uint64_t pass_cached(const struct stack_walk *w, struct profgen_hop *table,
                                          uint64_t start, uint64_t from, uint64_t to, uint32_t count)
{
    struct profgen_hop *place = profgen_hops_at(table, start, from, to);
    if (UNLIKELY(!is_in_cache(place, start, from, to, count) || !(place->inside & (CODE_MAP_A | CODE_MAP_B))))
        return pass_other(w, place, start, from, to, count);
    place->count += count;
    return to;
}

/* Passes the branches of a sample; whether one is in the program. */
static bool walk_sample(const struct stack_walk *w, const struct profgen_sample *sample)
{
    struct profgen_hop *const table = w->t->hops.table;
    const uint64_t count = sample->count;
    const bool off = w->t->hops.off, slow = off || count == 0 || count > UINT32_MAX;
    bool gaps = false;
    uint64_t start = NO_START;
    uint8_t start_inside = 0; /* kept if all of the stack is slow */
    for (size_t i = sample->n_branches; i-- > 0;) {
        const struct address_pair *branch = &sample->branches[i];
        const bool gap = branch->context == PROFGEN_GAP;
        gaps |= gap;
        if (LIKELY(!slow && !gap)) {
            start = pass_cached(w, table, start, branch->a, branch->b, (uint32_t)count);
            continue;
        }
        const uint8_t inside = off ? w->t->inside.data[i] : look_inside(w, branch->a, branch->b);
        start = gap ? pass_gap(w, start, branch, inside, count)
                    : pass_uncached(w, start, start_inside, branch, inside, count);
        if (gap || inside & (CODE_MAP_A | CODE_MAP_B))
            start_inside = inside & CODE_MAP_B ? START_INSIDE : 0;
    }
    return gaps || start != NO_START;
}

/* Passes n branches of a recording; *any: one is in the program. */
static int walk_recorded(const struct stack_walk *w, struct profgen_space *space,
                         const struct apf_perf_branch *branches, size_t n, bool *any, struct apf_error *error)
{
    struct profgen_hop *const table = w->t->hops.table;
    struct profgen_mapping ours = space->ours, other = space->other;
    uint64_t start = NO_START;
    for (size_t i = n; i-- > 0;) {
        const struct apf_perf_branch *branch = &branches[i];
        uint64_t from, to;
        if (UNLIKELY(!profgen_mapping_translate(&ours, &other, branch->from, &from) ||
                     !profgen_mapping_translate(&ours, &other, branch->to, &to))) {
            struct address_pair found;
            int code = profgen_space_branches(space, branch, 1, &found, error);
            if (code != APF_OK)
                return code;
            from = found.a;
            to = found.b;
            ours = space->ours;
            other = space->other;
        }
        start = pass_cached(w, table, start, from, to, 1);
    }
    *any = start != NO_START;
    return APF_OK;
}

/* Completes a stack of n branches. `any`: one of them is in the program. */
static int end_stack(struct profgen_traces *t, size_t n, uint64_t count, bool any, struct apf_error *error)
{
    add_count(&t->counts.empty, any ? 0 : count);
    profgen_hops_count(&t->hops, n);
    return t->more_branches.n || t->more_ranges.n ? add_pairs(t, error) : APF_OK;
}

int profgen_traces_add(struct profgen_traces *t, const struct profgen_program *p,
                       const struct profgen_sample *sample, struct apf_error *error)
{
    const struct stack_walk w = {t, p};
    const size_t n = sample->n_branches;
    int code = begin_stack(t, n, sample->count, error);
    if (code != APF_OK)
        return code;
    if (!profgen_hops_open(&t->hops))
        return error_memory(error);
    if (t->hops.off)
        code_map_has_pairs(p->code, sample->branches, n, t->inside.data);
    return end_stack(t, n, sample->count, walk_sample(&w, sample), error);
}

int profgen_traces_add_recorded(struct profgen_traces *t, const struct profgen_program *p,
                                struct profgen_space *space, const struct apf_perf_branch *branches, size_t n,
                                struct apf_error *error)
{
    const struct stack_walk w = {t, p};
    bool any = false;
    if (!profgen_hops_open(&t->hops))
        return error_memory(error);
    if (t->hops.off) { /* all of it is looked up in the code at once */
        if (!VEC_RESERVE(&t->kept, n))
            return error_memory(error);
        const struct profgen_sample sample = {t->kept.data, n, NULL, 0, 1};
        int code = profgen_space_branches(space, branches, n, t->kept.data, error);
        return code == APF_OK ? profgen_traces_add(t, p, &sample, error) : code;
    }
    int code = begin_stack(t, n, 1, error);
    if (code == APF_OK)
        code = walk_recorded(&w, space, branches, n, &any, error);
    return code == APF_OK ? end_stack(t, n, 1, any, error) : code;
}

int profgen_traces_update(struct profgen_traces *t, const struct profgen_program *p, struct apf_error *error)
{
    t->more_branches.n = t->more_ranges.n = 0;
    if (!t->hops.table)
        return APF_OK;
    if (!VEC_RESERVE(&t->more_branches, PROFGEN_HOPS) || !VEC_RESERVE(&t->more_ranges, PROFGEN_HOPS))
        return error_memory(error);
    for (size_t i = 0; i < PROFGEN_HOPS; i++) {
        struct profgen_hop *hop = &t->hops.table[i];
        if (hop->count)
            push_hop(t, p, hop, hop->count);
        hop->count = 0;
    }
    return add_pairs(t, error);
}

/* ---- call stacks ---- */

static bool begins_function(const struct profgen_program *p, uint64_t address)
{
    return address && profgen_range_from(p->functions, address);
}

/* Whether a function has not set up its frame yet at an address, or has given it up: at its first two instructions, and
 * at a return and the instruction before. */
static bool is_unready(const struct profgen_program *p, uint64_t address)
{
    if (address == PROFGEN_OUTSIDE)
        return false;
    return begins_function(p, address) || begins_function(p, code_map_before(p->code, address)) ||
           code_map_kind(p->code, address) == INSTRUCTION_RETURN ||
           code_map_kind(p->code, code_map_from(p->code, address + 1)) == INSTRUCTION_RETURN;
}

/* The call that an address follows; 0: none. */
static uint64_t call_before(const struct profgen_program *p, uint64_t address)
{
    uint64_t call = code_map_before(p->code, address);
    return code_map_kind(p->code, call) == INSTRUCTION_CALL ? call : 0;
}

/* Makes t->calls of a call stack: the address where the sample was taken, then the calls, each of them PROFGEN_OUTSIDE
 * in place of any number of frames outside. */
static int collect_calls(struct profgen_traces *t, const struct profgen_program *p,
                         const struct profgen_sample *sample, struct apf_error *error)
{
    t->calls.n = 0;
    for (size_t i = 0; i < sample->n_frames; i++) {
        uint64_t address = sample->frames[i];
        if (!code_map_has(p->code, address))
            address = PROFGEN_OUTSIDE;
        else if (t->calls.n)
            address = call_before(p, address);
        if (address == 0) {
            add_count(&t->counts.calls_cut, sample->count);
            break;
        }
        if (address == PROFGEN_OUTSIDE && t->calls.n && t->calls.data[t->calls.n - 1] == PROFGEN_OUTSIDE)
            continue;
        if (t->calls.n > PROFGEN_LONGEST_CHAIN) {
            add_count(&t->counts.calls_long, sample->count);
            break;
        }
        if (!VEC_PUSH(&t->calls, address))
            return error_memory(error);
    }
    if (t->calls.n > 1 && t->calls.data[t->calls.n - 1] == PROFGEN_OUTSIDE)
        t->calls.n--;
    return APF_OK;
}

/* Whether samples with this call stack are used. */
static bool is_usable(struct profgen_traces *t, const struct profgen_program *p, uint64_t count)
{
    bool none = t->calls.n == 0, unready = !none && is_unready(p, t->calls.data[0]);
    add_count(&t->counts.calls, count);
    add_count(&t->counts.calls_none, none ? count : 0);
    add_count(&t->counts.calls_unready, unready ? count : 0);
    add_count(&t->counts.calls_elsewhere, !none && t->calls.data[0] == PROFGEN_OUTSIDE ? count : 0);
    return !none && !unready;
}

/* The state while branches are undone, from the newest on. */
struct unwinding {
    struct profgen_traces *t;
    const struct profgen_program *p;
    uint64_t count;
    uint32_t chain; /* of the function that runs */
    bool broken;    /* branches and call stack do not fit together */
};

static void set_broken(struct unwinding *u)
{
    add_count(&u->t->counts.calls_broken, u->broken ? 0 : u->count);
    u->broken = true;
}

/* What ran between the target of a branch and the next branch. */
static void undo_range(struct unwinding *u, uint64_t start, uint64_t end)
{
    push_range(u->t, start, end, u->chain, u->count);
    if (start == PROFGEN_OUTSIDE && end == PROFGEN_OUTSIDE)
        return; /* a call of other code, which has returned */
    if (start == PROFGEN_OUTSIDE || end == PROFGEN_OUTSIDE || !code_map_runs(u->p->code, start, end))
        set_broken(u);
}

static void undo_call(struct unwinding *u, uint64_t from)
{
    struct profgen_chain chain = profgen_chain_at(&u->t->found.chains, u->chain);
    if (u->chain == PROFGEN_NO_CHAIN)
        return;
    if (chain.call == from)
        u->chain = chain.outer;
    else
        add_count(&u->t->counts.calls_mismatched, u->count);
}

/* The function that was called before its return runs again. */
static int undo_return(struct unwinding *u, uint64_t to, struct apf_error *error)
{
    struct profgen_chains *chains = &u->t->found.chains;
    uint64_t call = to == PROFGEN_OUTSIDE ? PROFGEN_OUTSIDE : call_before(u->p, to);
    if (profgen_chain_at(chains, u->chain).depth < PROFGEN_LONGEST_CHAIN)
        return profgen_chains_add(chains, u->chain, call ? call : PROFGEN_OUTSIDE, &u->chain, error);
    u->chain = PROFGEN_NO_CHAIN;
    return APF_OK;
}

/* A branch from outside is a return if a call stands before its target; else it is a call. Jumps, also to other
 * functions, do not change the chain. */
static int undo_branch(struct unwinding *u, const struct address_pair *branch, struct apf_error *error)
{
    bool from_outside = branch->a == PROFGEN_OUTSIDE;
    enum instruction_kind kind = from_outside
                                     ? call_before(u->p, branch->b) ? INSTRUCTION_RETURN : INSTRUCTION_CALL
                                     : code_map_kind(u->p->code, branch->a);
    int code = APF_OK;
    if (u->broken)
        u->chain = PROFGEN_NO_CHAIN;
    else if (kind == INSTRUCTION_CALL)
        undo_call(u, branch->a);
    else if (kind == INSTRUCTION_RETURN)
        code = undo_return(u, branch->b, error);
    return code;
}

/* Whether it is known where what ran between two branches began and ended. */
static bool is_range(const struct address_pair *older, const struct address_pair *newer)
{
    return !(older->context == PROFGEN_GAP && older->b == PROFGEN_OUTSIDE) &&
           !(newer->context == PROFGEN_GAP && newer->a == PROFGEN_OUTSIDE);
}

static int unwind(struct unwinding *u, struct apf_error *error)
{
    struct profgen_traces *t = u->t;
    int code = APF_OK;
    for (size_t i = t->calls.n; code == APF_OK && i-- > 1;)
        code = profgen_chains_add(&t->found.chains, u->chain, t->calls.data[i], &u->chain, error);
    for (size_t i = 0; code == APF_OK && i < t->kept.n; i++) {
        struct address_pair branch = t->kept.data[i];
        if (i && is_range(&branch, &t->kept.data[i - 1]))
            undo_range(u, branch.b, t->kept.data[i - 1].a);
        if (branch.context == PROFGEN_GAP) { /* the callers of what ran before it are not known */
            u->broken = true;
            u->chain = PROFGEN_NO_CHAIN;
            continue;
        }
        code = undo_branch(u, &branch, error);
        branch.context = branch.a == PROFGEN_OUTSIDE ? PROFGEN_NO_CHAIN : u->chain;
        push_branch(t, &branch, u->count);
    }
    return code == APF_OK ? add_pairs(t, error) : code;
}

/* Makes t->kept of the branches of a sample, with PROFGEN_OUTSIDE for an end that is not in the program. Those with no
 * end in it are left out, as above. */
static int keep_branches(struct profgen_traces *t, const struct profgen_program *p,
                         const struct profgen_sample *sample, struct apf_error *error)
{
    t->kept.n = 0;
    int code = begin_stack(t, sample->n_branches, sample->count, error);
    if (code != APF_OK)
        return code;
    if (!VEC_RESERVE(&t->kept, sample->n_branches))
        return error_memory(error);
    code_map_has_pairs(p->code, sample->branches, sample->n_branches, t->inside.data);
    for (size_t i = 0; i < sample->n_branches; i++) {
        const struct address_pair *branch = &sample->branches[i];
        const uint8_t inside = t->inside.data[i];
        if (branch->context != PROFGEN_GAP)
            count_branch(t, p, branch, inside, sample->count);
        if (inside || branch->context == PROFGEN_GAP)
            t->kept.data[t->kept.n++] =
                (struct address_pair){inside & CODE_MAP_A ? branch->a : PROFGEN_OUTSIDE,
                                      inside & CODE_MAP_B ? branch->b : PROFGEN_OUTSIDE, branch->context};
    }
    add_count(&t->counts.empty, t->kept.n ? 0 : sample->count);
    return APF_OK;
}

int profgen_traces_add_called(struct profgen_traces *t, struct profgen_program *p,
                              const struct profgen_sample *sample, bool ignore, struct apf_error *error)
{
    struct unwinding u = {t, p, sample->count, PROFGEN_NO_CHAIN, false};
    int code = profgen_program_load(p, error);
    if (code == APF_OK)
        code = collect_calls(t, p, sample, error);
    if (code != APF_OK || !is_usable(t, p, sample->count))
        return code;
    if (ignore)
        return profgen_traces_add(t, p, sample, error);
    code = keep_branches(t, p, sample, error);
    if (code != APF_OK)
        return code;
    t->found.sensitive = true;
    return unwind(&u, error);
}

/* ---- the end ---- */

/* Counts what llvm-profgen warns of. */
static void count_range(struct profgen_traces *t, const struct profgen_program *p,
                        const struct pair_count *range, bool ran, const struct profgen_range **last)
{
    const uint64_t start = range->pair.a, end = range->pair.b;
    struct profgen_trace_counts *n = &t->counts;
    if (start == PROFGEN_OUTSIDE && end == PROFGEN_OUTSIDE)
        return;
    if (start == PROFGEN_OUTSIDE || code_map_kind(p->code, end) == INSTRUCTION_PLAIN)
        add_count(&n->ranges_misplaced, range->count);
    if (!p->functions)
        return;
    const struct profgen_range *in = *last =
        start == PROFGEN_OUTSIDE ? NULL : profgen_range_near(p->functions, *last, start);
    if (!in) {
        add_count(&n->ranges_nowhere, range->count);
        return;
    }
    if (p->functions->list.data[in->function].of_symbol)
        add_count(&n->ranges_named, range->count);
    if (end >= in->end)
        add_count(&n->ranges_crossing, range->count);
    if (end != PROFGEN_OUTSIDE && !ran)
        add_count(&n->ranges_jumping, range->count);
}

/* An address that was read, which may be any number. */
static uint64_t known_address(const struct profgen_program *p, uint64_t address)
{
    return code_map_has(p->code, address) ? address : PROFGEN_OUTSIDE;
}

int profgen_traces_count(struct profgen_traces *t, const struct profgen_program *p,
                         const struct profgen_counts *read, struct apf_error *error)
{
    struct profgen_trace_counts *n = &t->counts;
    const struct profgen_range *last = NULL;
    for (size_t i = 0; i < read->ranges.list.n; i++) {
        struct pair_count range = read->ranges.list.data[i];
        range.pair.a = known_address(p, range.pair.a);
        range.pair.b = known_address(p, range.pair.b);
        const bool inside = range.pair.a != PROFGEN_OUTSIDE && range.pair.b != PROFGEN_OUTSIDE;
        const bool ran = inside && code_map_runs(p->code, range.pair.a, range.pair.b);
        add_count(&n->ranges, range.count);
        add_count(&n->ranges_outside, inside ? 0 : range.count);
        count_range(t, p, &range, ran, &last);
    }
    for (size_t i = 0; i < read->branches.list.n; i++) {
        const struct pair_count *branch = &read->branches.list.data[i];
        const bool from = known_address(p, branch->pair.a) != PROFGEN_OUTSIDE;
        const bool to = known_address(p, branch->pair.b) != PROFGEN_OUTSIDE;
        add_count(&n->branches, branch->count);
        add_count(&n->outside, from || to ? 0 : branch->count);
        add_count(&n->into_program, !from && to ? branch->count : 0);
        add_count(&n->out_of_it, from && !to ? branch->count : 0);
    }
    return code_map_failed(p->code) ? error_memory(error) : APF_OK;
}

int profgen_traces_finish(struct profgen_traces *t, const struct profgen_program *p, struct apf_error *error)
{
    const struct profgen_range *last = NULL;
    size_t kept = 0;
    int code = profgen_traces_update(t, p, error);
    if (code == APF_OK) /* code_map_runs is fastest where addresses ascend */
        code = profgen_counts_sort(&t->found, error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < t->found.ranges.list.n; i++) {
        const struct pair_count *range = &t->found.ranges.list.data[i];
        bool inside = range->pair.a != PROFGEN_OUTSIDE && range->pair.b != PROFGEN_OUTSIDE;
        bool ran = inside && code_map_runs(p->code, range->pair.a, range->pair.b);
        add_count(&t->counts.ranges_outside, inside ? 0 : range->count);
        add_count(&t->counts.ranges_broken, inside && !ran ? range->count : 0);
        count_range(t, p, range, ran, &last);
        if (ran)
            t->found.ranges.list.data[kept++] = *range;
    }
    t->found.ranges.list.n = kept;
    return code_map_failed(p->code) ? error_memory(error) : APF_OK;
}

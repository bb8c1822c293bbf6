/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_traces.h"

#include "base/error.h"
#include "profgen/profgen_finish.h"

void profgen_traces_free(struct profgen_traces *t)
{
    profgen_counts_free(&t->found);
    VEC_FREE(&t->branch_pairs);
    VEC_FREE(&t->range_pairs);
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

/* The branches of a sample that have an end in the program, with PROFGEN_OUTSIDE for the other end: llvm-profgen leaves
 * out the rest before ranges are made of what is between one branch and the next one. */
static int collect_branches(struct profgen_traces *t, const struct profgen_program *p,
                            const struct profgen_sample *sample, struct apf_error *error)
{
    struct profgen_trace_counts *n = &t->counts;
    const uint64_t count = sample->count;
    t->branch_pairs.n = t->range_pairs.n = 0;
    add_count(&n->stacks, count);
    if (!VEC_RESERVE(&t->branch_pairs, sample->n_branches) ||
        !VEC_RESERVE(&t->range_pairs, sample->n_branches) || !VEC_RESERVE(&t->inside, sample->n_branches))
        return error_memory(error);
    code_map_has_pairs(p->code, sample->branches, sample->n_branches, t->inside.data);
    for (size_t i = 0; i < sample->n_branches; i++) {
        struct address_pair branch = sample->branches[i];
        bool from = t->inside.data[i] & CODE_MAP_A, to = t->inside.data[i] & CODE_MAP_B;
        const uint64_t counted = branch.context == PROFGEN_GAP ? 0 : count;
        add_count(&n->branches, counted);
        if (!from || !to)
            count_outside(t, p, &branch, t->inside.data[i], counted);
        branch.a = from ? branch.a : PROFGEN_OUTSIDE;
        branch.b = to ? branch.b : PROFGEN_OUTSIDE;
        if (from || to || branch.context == PROFGEN_GAP)
            t->branch_pairs.data[t->branch_pairs.n++] = branch;
    }
    add_count(&n->empty, t->branch_pairs.n ? 0 : count);
    return APF_OK;
}

/* Adds what was collected; branches out of the program count only as the ends of ranges. */
static int add_pairs(struct profgen_traces *t, uint64_t count, struct apf_error *error)
{
    size_t kept = 0;
    add_count(&t->counts.ranges, profgen_product(count, t->range_pairs.n));
    for (size_t i = 0; i < t->branch_pairs.n; i++)
        if (t->branch_pairs.data[i].b != PROFGEN_OUTSIDE && t->branch_pairs.data[i].context != PROFGEN_GAP)
            t->branch_pairs.data[kept++] = t->branch_pairs.data[i];
    int code = pair_counts_add(&t->found.branches, t->branch_pairs.data, kept, count, error);
    return code == APF_OK
               ? pair_counts_add(&t->found.ranges, t->range_pairs.data, t->range_pairs.n, count, error)
               : code;
}

/* Whether it is known where what ran between two branches began and ended. */
static bool is_range(const struct address_pair *older, const struct address_pair *newer)
{
    return !(older->context == PROFGEN_GAP && older->b == PROFGEN_OUTSIDE) &&
           !(newer->context == PROFGEN_GAP && newer->a == PROFGEN_OUTSIDE);
}

static int add_plain(struct profgen_traces *t, uint64_t count, struct apf_error *error)
{
    for (size_t i = 1; i < t->branch_pairs.n; i++)
        if (is_range(&t->branch_pairs.data[i], &t->branch_pairs.data[i - 1]))
            t->range_pairs.data[t->range_pairs.n++] = (struct address_pair){
                t->branch_pairs.data[i].b, t->branch_pairs.data[i - 1].a, PROFGEN_NO_CHAIN};
    return add_pairs(t, count, error);
}

int profgen_traces_add(struct profgen_traces *t, const struct profgen_program *p,
                       const struct profgen_sample *sample, struct apf_error *error)
{
    int code = collect_branches(t, p, sample, error);
    return code == APF_OK ? add_plain(t, sample->count, error) : code;
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
    struct profgen_traces *t = u->t;
    t->range_pairs.data[t->range_pairs.n++] = (struct address_pair){start, end, u->chain};
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

static int unwind(struct unwinding *u, struct apf_error *error)
{
    struct profgen_traces *t = u->t;
    int code = APF_OK;
    for (size_t i = t->calls.n; code == APF_OK && i-- > 1;)
        code = profgen_chains_add(&t->found.chains, u->chain, t->calls.data[i], &u->chain, error);
    for (size_t i = 0; code == APF_OK && i < t->branch_pairs.n; i++) {
        struct address_pair *branch = &t->branch_pairs.data[i];
        const bool gap = branch->context == PROFGEN_GAP;
        if (i && is_range(branch, &branch[-1]))
            undo_range(u, branch->b, branch[-1].a);
        if (gap) { /* the callers of what ran before it are not known */
            u->broken = true;
            u->chain = PROFGEN_NO_CHAIN;
            continue;
        }
        code = undo_branch(u, branch, error);
        branch->context = branch->a == PROFGEN_OUTSIDE ? PROFGEN_NO_CHAIN : u->chain;
    }
    return code == APF_OK ? add_pairs(t, u->count, error) : code;
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
    code = collect_branches(t, p, sample, error);
    if (code != APF_OK || ignore)
        return code == APF_OK ? add_plain(t, sample->count, error) : code;
    t->found.sensitive = true;
    return unwind(&u, error);
}

/* ---- the end ---- */

/* Counts what llvm-profgen warns of. */
static void count_range(struct profgen_traces *t, const struct profgen_program *p,
                        const struct pair_count *range, bool ran)
{
    const uint64_t start = range->pair.a, end = range->pair.b;
    struct profgen_trace_counts *n = &t->counts;
    if (start == PROFGEN_OUTSIDE && end == PROFGEN_OUTSIDE)
        return;
    if (start == PROFGEN_OUTSIDE || code_map_kind(p->code, end) == INSTRUCTION_PLAIN)
        add_count(&n->ranges_misplaced, range->count);
    if (!p->functions)
        return;
    const struct profgen_range *in = start == PROFGEN_OUTSIDE ? NULL : profgen_range_at(p->functions, start);
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

int profgen_traces_finish(struct profgen_traces *t, const struct profgen_program *p, struct apf_error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->found.ranges.list.n; i++) {
        const struct pair_count *range = &t->found.ranges.list.data[i];
        bool inside = range->pair.a != PROFGEN_OUTSIDE && range->pair.b != PROFGEN_OUTSIDE;
        bool ran = inside && code_map_runs(p->code, range->pair.a, range->pair.b);
        add_count(&t->counts.ranges_outside, inside ? 0 : range->count);
        add_count(&t->counts.ranges_broken, inside && !ran ? range->count : 0);
        count_range(t, p, range, ran);
        if (ran)
            t->found.ranges.list.data[kept++] = *range;
    }
    t->found.ranges.list.n = kept;
    return code_map_failed(p->code) ? error_memory(error) : APF_OK;
}

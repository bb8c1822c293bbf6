/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_follow.h"

#include <stdlib.h>

#include "base/error.h"
#include "profgen/profgen_finish.h"

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

static struct bolted_place find_place(struct profgen_follower *f, uint64_t address)
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

static const struct follow_flow *flow_at(struct profgen_follower *f, uint64_t address)
{
    struct follow_flow *flow = &f->cache->flows[cache_slot(address)];
    if (!flow->known || flow->address != address)
        *flow = find_flow(f->bolted->original->code, address);
    return flow;
}

/* ---- the stack of the original ---- */

static void add_count(uint64_t *sum, uint64_t count)
{
    *sum = profgen_sum(*sum, count);
}

static int add_pair(struct profgen_follower *f, uint64_t from, uint64_t to, uint32_t context,
                    struct apf_error *error)
{
    struct address_pair pair = {from, to, context};
    return VEC_PUSH(&f->branches, pair) ? APF_OK : error_memory(error);
}

static int add_branch(struct profgen_follower *f, uint64_t from, uint64_t to, struct apf_error *error)
{
    f->open = true;
    return add_pair(f, from, to, 0, error);
}

/* Nothing is known of what ran after `last` and before `first`. */
static int add_gap(struct profgen_follower *f, uint64_t last, uint64_t first, struct apf_error *error)
{
    return add_pair(f, last, first, PROFGEN_GAP, error);
}

static int add_path(struct profgen_follower *f, const struct profgen_path *path, struct apf_error *error)
{
    for (uint32_t i = 0; i < path->n; i++) {
        const struct address_pair *branch = &f->paths.branches.data[path->first + i];
        if (!VEC_PUSH(&f->branches, *branch))
            return error_memory(error);
    }
    add_count(&f->counts.inlined, profgen_product(f->count, path->calls));
    return APF_OK;
}

static void add_added(struct profgen_follower *f, uint32_t n)
{
    add_count(&f->counts.added, profgen_product(f->count, n));
}

/* ---- on the way ---- */

static int find_path(struct profgen_follower *f, uint64_t to, struct profgen_path *path,
                     struct apf_error *error)
{
    return profgen_paths_find(&f->paths, f->bolted, f->at, to, path, error);
}

/* Whether an address is before `at` in the same block: the code there is the rest of a block that BOLT has cut in
 * two. */
static bool is_behind(const struct profgen_follower *f, uint64_t address)
{
    return f->block && address >= f->block && address <= f->at;
}

/* Control has come to the beginning of a block without a branch. */
static int enter_block(struct profgen_follower *f, uint64_t block, struct apf_error *error)
{
    struct profgen_path path;
    if (block == f->at)
        f->block = block;
    if (block == f->at || is_behind(f, block))
        return APF_OK;
    int code = find_path(f, block, &path, error);
    if (code == APF_OK && path.found) {
        code = add_path(f, &path, error);
        add_added(f, path.n - 2 * path.calls);
    } else if (code == APF_OK) {
        add_count(&f->counts.lost, f->count);
        code = add_gap(f, f->at, block, error);
    }
    f->at = f->block = block;
    return code;
}

/* Control has come to an instruction of the block that it is in. What cannot be is ignored, since BOLT copies
 * instructions, but the table has only one of the copies. */
static int pass_instruction(struct profgen_follower *f, uint64_t address, struct apf_error *error)
{
    struct profgen_path path;
    if (address <= f->at)
        return APF_OK;
    int code = find_path(f, address, &path, error);
    if (code == APF_OK && path.found && path.jumps == 0) {
        code = add_path(f, &path, error);
        f->at = address;
    }
    return code;
}

/* Whether the instruction at a place of BOLT's output and the one at `at` are branches of one kind. */
static bool is_same_branch(struct profgen_follower *f, uint64_t address)
{
    enum instruction_kind kind = flow_at(f, f->at)->kind;
    return kind != INSTRUCTION_PLAIN && kind == code_map_kind(f->bolted->code, address);
}

/* Whether the table says that the branch at `end` is the instruction at `at`. */
static bool is_exact(struct profgen_follower *f, const struct bolted_place *end)
{
    const struct bolted_entries entries = profgen_bolted_entries(f->bolted, end->fragment);
    for (uint32_t i = profgen_entries_up_to(&entries, end->offset); i-- > 0;) {
        if (entries.list[i].output != end->offset)
            return false;
        if (end->function + entries.list[i].input == f->at && is_same_branch(f, end->address))
            return true;
    }
    return false;
}

/* Goes on to the branch at `end`, in the same fragment. */
static int run_in_fragment(struct profgen_follower *f, const struct bolted_place *end,
                           struct apf_error *error)
{
    const struct bolted_entries entries = profgen_bolted_entries(f->bolted, end->fragment);
    const uint32_t n = profgen_entries_up_to(&entries, end->offset);
    int code = APF_OK;
    for (; code == APF_OK && f->next < n; f->next++) {
        const struct apf_bat_entry *e = &entries.list[f->next];
        const uint64_t address = end->function + e->input;
        if (profgen_begins_block(e))
            code = enter_block(f, address, error);
        else if (e->flags & APF_BAT_ENTRY_BRANCH)
            code = pass_instruction(f, address, error);
    }
    f->at_branch = is_exact(f, end);
    return code;
}

/* Finds where the branch at a place of BOLT's output is in the original, without what ran before it. */
static void begin_at(struct profgen_follower *f, const struct bolted_place *place)
{
    struct code_map *original = f->bolted->original->code;
    f->block = 0;
    f->state = FOLLOW_HERE;
    f->open = false;
    f->at = place->address;
    f->at_branch = true;
    if (place->kind != BOLTED_MOVED)
        return;
    const struct bolted_entries entries = profgen_bolted_entries(f->bolted, place->fragment);
    uint32_t n = profgen_entries_up_to(&entries, place->offset), i = n;
    f->at = n ? place->function + entries.list[n - 1].input : 0;
    f->at_branch = n && entries.list[n - 1].output == place->offset && is_same_branch(f, place->address);
    while (i-- > 0 && !f->block)
        if (profgen_begins_block(&entries.list[i]))
            f->block = place->function + entries.list[i].input;
    if (!f->at_branch && code_map_kind(original, f->at) == INSTRUCTION_CALL)
        f->at += code_map_size(original, f->at);
}

/* What ran from the target of the last branch to the next branch, at `from`. */
static int run_to(struct profgen_follower *f, const struct bolted_place *from, struct apf_error *error)
{
    int code = APF_OK;
    if (f->state != FOLLOW_HERE) {
        begin_at(f, from);
    } else if (from->kind == BOLTED_MOVED && f->place.kind == BOLTED_MOVED &&
               from->fragment == f->place.fragment && from->address >= f->place.address) {
        code = run_in_fragment(f, from, error);
    } else if (from->kind == BOLTED_KEPT && f->place.kind == BOLTED_KEPT) {
        f->at = from->address; /* whether the code runs to there is checked later */
        f->at_branch = true;
    } else {
        add_count(&f->counts.lost, f->count);
        code = add_gap(f, f->at, PROFGEN_OUTSIDE, error);
        begin_at(f, from);
    }
    return code;
}

/* ---- branches ---- */

/* Control has come to `to` in BOLT's output, which is `at` in the original. */
static void arrive(struct profgen_follower *f, const struct bolted_place *to, uint64_t at, uint32_t next)
{
    f->state = FOLLOW_HERE;
    f->place = *to;
    f->next = next;
    f->at = at;
    f->at_branch = false;
    f->newest = at;
}

/* Goes from `at` along a jump, which BOLT may have turned round or added, to `target`. *found: it leads there. */
static int jump(struct profgen_follower *f, uint64_t target, bool *found, struct apf_error *error)
{
    const struct follow_flow *flow = flow_at(f, f->at);
    struct profgen_path path;
    *found = true;
    if (flow->direct && flow->target == target)
        return add_branch(f, f->at, target, error);
    if (!f->at_branch && (target == f->at || is_behind(f, target))) {
        add_count(&f->counts.removed, f->count);
        return APF_OK;
    }
    int code = find_path(f, target, &path, error);
    *found = code == APF_OK && path.found;
    if (!*found)
        return code;
    if (path.jumps == 0)
        add_count(&f->counts.removed, f->count);
    add_added(f, path.n - 2 * path.calls - (path.jumps != 0));
    return add_path(f, &path, error);
}

/* The blocks that begin right at a place: entries [first, end), among others. */
struct choice {
    struct bolted_entries entries;
    uint32_t first, end;
};

static struct choice blocks_at(const struct profgen_follower *f, const struct bolted_place *place)
{
    struct choice c = {profgen_bolted_entries(f->bolted, place->fragment), 0, 0};
    c.first = c.end = profgen_entries_up_to(&c.entries, place->offset);
    while (c.first > 0 && c.entries.list[c.first - 1].output == place->offset)
        c.first--;
    return c;
}

/* Jumps to one of the blocks at `to`: to the first one to which a way leads, since the others are run into from
 * there. */
static int jump_to_block(struct profgen_follower *f, const struct bolted_place *to, bool *found,
                         struct apf_error *error)
{
    const struct choice c = blocks_at(f, to);
    int code = APF_OK;
    *found = false;
    for (uint32_t i = c.first; code == APF_OK && !*found && i < c.end; i++) {
        const uint64_t block = to->function + c.entries.list[i].input;
        if (!profgen_begins_block(&c.entries.list[i]))
            continue;
        const bool behind = !f->at_branch && f->at != block && is_behind(f, block);
        code = jump(f, block, found, error);
        if (!*found)
            continue;
        arrive(f, to, behind ? f->at : block, i + 1);
        f->block = behind ? f->block : block;
    }
    return code;
}

/* The last block that begins at a place; 0: none. *next is the number of the entry after it. */
static uint64_t last_block(const struct profgen_follower *f, const struct bolted_place *place, uint32_t *next)
{
    const struct choice c = blocks_at(f, place);
    *next = c.end;
    for (uint32_t i = c.end; i-- > c.first;)
        if (profgen_begins_block(&c.entries.list[i])) {
            *next = i + 1;
            return place->function + c.entries.list[i].input;
        }
    return 0;
}

/* The beginning of the block before a place, in the order of BOLT's output; 0: none is known. */
static uint64_t block_before(const struct profgen_follower *f, const struct bolted_place *place)
{
    const struct choice c = blocks_at(f, place);
    for (uint32_t i = c.first; i-- > 0;)
        if (profgen_begins_block(&c.entries.list[i]))
            return place->function + c.entries.list[i].input;
    return 0;
}

/* The address in the original to which a return to a place leads; 0: it is none. A block that begins at the place, too,
 * must be the rest of that with the call, or follow the call: it may be the landing pad of an exception after a call
 * that never returns. */
static int find_return(struct profgen_follower *f, const struct bolted_place *to, uint64_t *address,
                       struct apf_error *error)
{
    uint32_t next;
    const uint64_t block = last_block(f, to, &next);
    struct profgen_path path = {.found = true};
    int code = APF_OK;
    *address = profgen_bolted_after_call(f->bolted, to);
    if (*address && block && block != *address && block != block_before(f, to) &&
        profgen_bolted_has_block(f->bolted, block))
        code = profgen_paths_find(&f->paths, f->bolted, *address, block, &path, error);
    if (!path.found || path.n)
        *address = 0;
    return code;
}

/* Where a branch to code that was moved leads in the original; 0: that is not known. *next gets the number of the first
 * entry that has not been passed there. */
static int find_target(struct profgen_follower *f, const struct bolted_place *to, bool returns,
                       uint64_t *target, uint32_t *next, struct apf_error *error)
{
    int code = APF_OK;
    *target = 0;
    *next = blocks_at(f, to).first;
    if (returns)
        code = find_return(f, to, target, error);
    if (code != APF_OK || *target) {
        f->block = block_before(f, to);
        return code;
    }
    *target = f->block = last_block(f, to, next);
    if (!*target)
        *target = profgen_bolted_near(f->bolted, to);
    return code;
}

/* Comes to a place by a branch that may lead anywhere: a call, a return, a computed jump, or from outside. With
 * PROFGEN_GAP it is not known by which one. */
static int go_anywhere(struct profgen_follower *f, const struct address_pair *from,
                       const struct bolted_place *to, bool returns, struct apf_error *error)
{
    uint64_t target = to->address;
    uint32_t next = 0;
    int code = APF_OK;
    if (to->kind == BOLTED_KEPT)
        f->block = 0;
    else
        code = find_target(f, to, returns, &target, &next, error);
    if (code != APF_OK)
        return code;
    f->open = true;
    if (target) {
        arrive(f, to, target, next);
        return add_pair(f, from->a, target, from->context, error);
    }
    add_count(&f->counts.lost, f->count);
    f->state = FOLLOW_LOST;
    f->newest = PROFGEN_OUTSIDE;
    return add_gap(f, from->a, PROFGEN_OUTSIDE, error);
}

/* Comes to a place by a jump whose target is in the code, or that BOLT has added. */
static int go_direct(struct profgen_follower *f, const struct bolted_place *to, struct apf_error *error)
{
    const struct address_pair from = {f->at, 0, f->at_branch ? 0 : PROFGEN_GAP};
    const size_t before = f->branches.n;
    bool found = false;
    int code = APF_OK;
    if (to->kind == BOLTED_MOVED)
        code = jump_to_block(f, to, &found, error);
    else
        code = jump(f, to->address, &found, error);
    if (code != APF_OK)
        return code;
    if (found && to->kind == BOLTED_KEPT) {
        arrive(f, to, to->address, 0);
        f->block = 0;
    }
    if (found) {
        if (!f->open && f->branches.n == before) /* nothing is known of what ran before */
            code = add_gap(f, PROFGEN_OUTSIDE, f->at, error);
        f->open = true;
        return code;
    }
    if (to->kind == BOLTED_MOVED) {
        const struct choice c = blocks_at(f, to);
        if (c.first == c.end) { /* a block of BOLT's own: control goes on from there */
            f->place = *to;
            f->next = c.end;
            return APF_OK;
        }
    }
    /* A branch to a folded function, or past code that BOLT has made simpler, is taken in any case. */
    if (from.context)
        add_count(&f->counts.lost, f->count);
    return go_anywhere(f, &from, to, false, error);
}

/* The branch from `at`, or that BOLT has added after it, to a place in the program. */
static int go_to(struct profgen_follower *f, const struct bolted_place *to, struct apf_error *error)
{
    const struct follow_flow *flow = flow_at(f, f->at);
    const bool outside = f->state == FOLLOW_OUTSIDE, lost = f->state == FOLLOW_LOST;
    struct address_pair from = {outside || lost ? PROFGEN_OUTSIDE : f->at, 0, lost ? PROFGEN_GAP : 0};
    int code = APF_OK;
    if (outside || lost)
        return go_anywhere(f, &from, to, true, error);
    if (f->at_branch && flow->leads_out) {
        code = add_branch(f, f->at, PROFGEN_OUTSIDE, error);
        add_added(f, 1);
        from.a = PROFGEN_OUTSIDE;
        return code == APF_OK ? go_anywhere(f, &from, to, false, error) : code;
    }
    if (!f->at_branch || flow->direct)
        return go_direct(f, to, error);
    return go_anywhere(f, &from, to, flow->kind == INSTRUCTION_RETURN, error);
}

/* Control leaves the program. */
static int leave(struct profgen_follower *f, struct apf_error *error)
{
    int code = APF_OK;
    if (f->state == FOLLOW_HERE && !f->at_branch)
        add_count(&f->counts.lost, f->count);
    if (f->state == FOLLOW_HERE)
        code = f->at_branch ? add_branch(f, f->at, PROFGEN_OUTSIDE, error)
                            : add_gap(f, f->at, PROFGEN_OUTSIDE, error);
    f->state = FOLLOW_OUTSIDE;
    f->newest = PROFGEN_OUTSIDE;
    return code;
}

/* ---- samples ---- */

static bool is_known(const struct bolted_place *place)
{
    return place->kind == BOLTED_KEPT || place->kind == BOLTED_MOVED;
}

/* Whether a branch leaves code of BOLT's own into which the last branch led: both are one. */
static bool leaves_stub(const struct profgen_follower *f, const struct bolted_place *from)
{
    return f->in_stub && from->kind == BOLTED_NEW &&
           code_map_kind(f->bolted->code, from->address) == INSTRUCTION_BRANCH &&
           (f->stub == from->address || code_map_runs(f->bolted->code, f->stub, from->address));
}

static int follow_branch(struct profgen_follower *f, const struct bolted_place *from,
                         const struct bolted_place *to, struct apf_error *error)
{
    const bool through = leaves_stub(f, from);
    int code = APF_OK;
    if (f->in_stub && !through)
        code = leave(f, error);
    f->in_stub = false;
    if (code == APF_OK && is_known(from))
        code = run_to(f, from, error);
    else if (!through && f->state != FOLLOW_OUTSIDE)
        f->state = FOLLOW_OUTSIDE; /* what ran in the program before is no range: its end is not known */
    if (code != APF_OK)
        return code;
    if (is_known(to))
        return go_to(f, to, error);
    if (to->kind == BOLTED_NEW && f->state == FOLLOW_HERE) {
        f->in_stub = true;
        f->stub = to->address;
        return APF_OK;
    }
    return leave(f, error);
}

static int follow_branches(struct profgen_follower *f, const struct profgen_sample *sample,
                           struct apf_error *error)
{
    int code = APF_OK;
    f->state = FOLLOW_LOST;
    f->in_stub = false;
    f->newest = PROFGEN_OUTSIDE;
    for (size_t i = sample->n_branches; code == APF_OK && i-- > 0;) {
        const struct bolted_place from = find_place(f, sample->branches[i].a),
                                  to = find_place(f, sample->branches[i].b);
        add_count(&f->counts.branches, f->count);
        if (from.kind == BOLTED_MOVED || to.kind == BOLTED_MOVED)
            add_count(&f->counts.moved, f->count);
        if (from.kind == BOLTED_NEW || to.kind == BOLTED_NEW)
            add_count(&f->counts.unknown, f->count);
        /* As of any program, branches elsewhere are left out before runs are made of what is between branches. */
        if (from.kind != BOLTED_OUTSIDE || to.kind != BOLTED_OUTSIDE)
            code = follow_branch(f, &from, &to, error);
    }
    return code == APF_OK && f->in_stub ? leave(f, error) : code;
}

uint64_t profgen_follow_address(struct profgen_follower *f, uint64_t address)
{
    const struct bolted_place place = find_place(f, address);
    uint64_t near = place.kind == BOLTED_MOVED ? profgen_bolted_near(f->bolted, &place) : address;
    return is_known(&place) && near ? near : PROFGEN_OUTSIDE;
}

/* The frames: first the address of the sample, then return addresses. */
static int follow_frames(struct profgen_follower *f, const struct profgen_sample *sample,
                         struct apf_error *error)
{
    f->frames.n = 0;
    if (!VEC_RESERVE(&f->frames, sample->n_frames))
        return error_memory(error);
    for (size_t i = 0; i < sample->n_frames; i++) {
        const struct bolted_place place = find_place(f, sample->frames[i]);
        const uint64_t after =
            i && place.kind == BOLTED_MOVED ? profgen_bolted_after_call(f->bolted, &place) : 0;
        const bool newest = i == 0 && sample->n_branches && place.address == sample->branches[0].b;
        f->frames.data[f->frames.n++] = newest  ? f->newest
                                        : after ? after
                                                : profgen_follow_address(f, place.address);
    }
    return APF_OK;
}

int profgen_follow(struct profgen_follower *f, const struct profgen_sample *sample,
                   struct profgen_sample *result, struct apf_error *error)
{
    f->branches.n = 0;
    f->count = sample->count;
    int code = follow_branches(f, sample, error);
    if (code == APF_OK)
        code = follow_frames(f, sample, error);
    for (size_t i = 0, n = f->branches.n; i < n / 2; i++) {
        struct address_pair older = f->branches.data[i];
        f->branches.data[i] = f->branches.data[n - 1 - i];
        f->branches.data[n - 1 - i] = older;
    }
    *result =
        (struct profgen_sample){f->branches.data, f->branches.n, f->frames.data, f->frames.n, sample->count};
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_follow_branch.h"

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
    const struct follow_flow *flow = profgen_follower_flow(f, f->at);
    struct profgen_path path;
    *found = true;
    if (flow->direct && flow->target == target)
        return profgen_follower_branch(f, f->at, target, error);
    if (!f->at_branch && (target == f->at || profgen_follower_is_behind(f, target))) {
        profgen_follower_count(&f->counts.removed, f->count);
        return APF_OK;
    }
    int code = profgen_follower_find(f, target, &path, error);
    *found = code == APF_OK && path.found;
    if (!*found)
        return code;
    if (path.jumps == 0)
        profgen_follower_count(&f->counts.removed, f->count);
    profgen_follower_added(f, path.n - 2 * path.calls - (path.jumps != 0));
    return profgen_follower_path(f, &path, error);
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
        const bool behind = !f->at_branch && f->at != block && profgen_follower_is_behind(f, block);
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
        return profgen_follower_pair(f, from->a, target, from->context, error);
    }
    profgen_follower_count(&f->counts.lost, f->count);
    f->state = FOLLOW_LOST;
    f->newest = PROFGEN_OUTSIDE;
    return profgen_follower_gap(f, from->a, PROFGEN_OUTSIDE, error);
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
            code = profgen_follower_gap(f, PROFGEN_OUTSIDE, f->at, error);
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
        profgen_follower_count(&f->counts.lost, f->count);
    return go_anywhere(f, &from, to, false, error);
}

/* The branch from `at`, or that BOLT has added after it, to a place in the program. */
int profgen_follow_branch(struct profgen_follower *f, const struct bolted_place *to, struct apf_error *error)
{
    const struct follow_flow *flow = profgen_follower_flow(f, f->at);
    const bool outside = f->state == FOLLOW_OUTSIDE, lost = f->state == FOLLOW_LOST;
    struct address_pair from = {outside || lost ? PROFGEN_OUTSIDE : f->at, 0, lost ? PROFGEN_GAP : 0};
    int code = APF_OK;
    if (outside || lost)
        return go_anywhere(f, &from, to, true, error);
    if (f->at_branch && flow->leads_out) {
        code = profgen_follower_branch(f, f->at, PROFGEN_OUTSIDE, error);
        profgen_follower_added(f, 1);
        from.a = PROFGEN_OUTSIDE;
        return code == APF_OK ? go_anywhere(f, &from, to, false, error) : code;
    }
    if (!f->at_branch || flow->direct)
        return go_direct(f, to, error);
    return go_anywhere(f, &from, to, flow->kind == INSTRUCTION_RETURN, error);
}

/* Control leaves the program. */
int profgen_follow_leave(struct profgen_follower *f, struct apf_error *error)
{
    int code = APF_OK;
    if (f->state == FOLLOW_HERE && !f->at_branch)
        profgen_follower_count(&f->counts.lost, f->count);
    if (f->state == FOLLOW_HERE)
        code = f->at_branch ? profgen_follower_branch(f, f->at, PROFGEN_OUTSIDE, error)
                            : profgen_follower_gap(f, f->at, PROFGEN_OUTSIDE, error);
    f->state = FOLLOW_OUTSIDE;
    f->newest = PROFGEN_OUTSIDE;
    return code;
}

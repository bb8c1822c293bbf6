/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_follow.h"

#include "base/error.h"
#include "profgen/profgen_follow_branch.h"
#include "profgen/profgen_follow_run.h"

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
        code = profgen_follow_leave(f, error);
    f->in_stub = false;
    if (code == APF_OK && is_known(from))
        code = profgen_follow_run(f, from, error);
    else if (!through && f->state != FOLLOW_OUTSIDE)
        f->state = FOLLOW_OUTSIDE; /* what ran in the program before is no range: its end is not known */
    if (code != APF_OK)
        return code;
    if (is_known(to))
        return profgen_follow_branch(f, to, error);
    if (to->kind == BOLTED_NEW && f->state == FOLLOW_HERE) {
        f->in_stub = true;
        f->stub = to->address;
        return APF_OK;
    }
    return profgen_follow_leave(f, error);
}

static int follow_branches(struct profgen_follower *f, const struct profgen_sample *sample,
                           struct apf_error *error)
{
    int code = APF_OK;
    f->state = FOLLOW_LOST;
    f->in_stub = false;
    f->newest = PROFGEN_OUTSIDE;
    for (size_t i = sample->n_branches; code == APF_OK && i-- > 0;) {
        const struct bolted_place from = profgen_follower_place(f, sample->branches[i].a),
                                  to = profgen_follower_place(f, sample->branches[i].b);
        profgen_follower_count(&f->counts.branches, f->count);
        if (from.kind == BOLTED_MOVED || to.kind == BOLTED_MOVED)
            profgen_follower_count(&f->counts.moved, f->count);
        if (from.kind == BOLTED_NEW || to.kind == BOLTED_NEW)
            profgen_follower_count(&f->counts.unknown, f->count);
        /* As of any program, branches elsewhere are left out before runs are made of what is between branches. */
        if (from.kind != BOLTED_OUTSIDE || to.kind != BOLTED_OUTSIDE)
            code = follow_branch(f, &from, &to, error);
    }
    return code == APF_OK && f->in_stub ? profgen_follow_leave(f, error) : code;
}

uint64_t profgen_follow_address(struct profgen_follower *f, uint64_t address)
{
    const struct bolted_place place = profgen_follower_place(f, address);
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
        const struct bolted_place place = profgen_follower_place(f, sample->frames[i]);
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

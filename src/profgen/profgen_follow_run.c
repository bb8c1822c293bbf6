/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_follow_run.h"

/* Control has come to the beginning of a block without a branch. */
static int enter_block(struct profgen_follower *f, uint64_t block, struct apf_error *error)
{
    struct profgen_path path;
    if (block == f->at)
        f->block = block;
    if (block == f->at || profgen_follower_is_behind(f, block))
        return APF_OK;
    int code = profgen_follower_find(f, block, &path, error);
    if (code == APF_OK && path.found) {
        code = profgen_follower_path(f, &path, error);
        profgen_follower_added(f, path.n - 2 * path.calls);
    } else if (code == APF_OK) {
        profgen_follower_count(&f->counts.lost, f->count);
        code = profgen_follower_gap(f, f->at, block, error);
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
    int code = profgen_follower_find(f, address, &path, error);
    if (code == APF_OK && path.found && path.jumps == 0) {
        code = profgen_follower_path(f, &path, error);
        f->at = address;
    }
    return code;
}

/* Whether the instruction at a place of BOLT's output and the one at `at` are branches of one kind. */
static bool is_same_branch(struct profgen_follower *f, uint64_t address)
{
    enum instruction_kind kind = profgen_follower_flow(f, f->at)->kind;
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
int profgen_follow_run(struct profgen_follower *f, const struct bolted_place *from, struct apf_error *error)
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
        profgen_follower_count(&f->counts.lost, f->count);
        code = profgen_follower_gap(f, f->at, PROFGEN_OUTSIDE, error);
        begin_at(f, from);
    }
    return code;
}

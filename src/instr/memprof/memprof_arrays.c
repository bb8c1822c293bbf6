/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/memprof/memprof_arrays.h"

#include <string.h>

#include "base/blake3.h"
#include "base/endian.h"
#include "base/error.h"
#include "base/sort.h"

#define NOT_USED UINT32_MAX
#define MOST_WORDS ((uint64_t)1 << 31) /* distances in the array are negative numbers of 32 bits */

/* ---- the frames and stacks in use ---- */

static void add_stack(struct memprof_used *u, uint32_t stack)
{
    if (u->stack_at[stack] != NOT_USED)
        return;
    u->stack_at[stack] = (uint32_t)u->n_stacks;
    u->stacks[u->n_stacks++] = stack;
    u->n_path += u->m->nodes.data[stack].depth;
    for (; stack; stack = u->m->nodes.data[stack].parent) {
        uint32_t frame = u->m->nodes.data[stack].frame;
        if (u->frame_at[frame] != NOT_USED)
            continue;
        u->frame_at[frame] = (uint32_t)u->n_frames;
        u->frames[u->n_frames++] = frame;
    }
}

static uint64_t make_frame_id(const struct apf_memprof_frame *f)
{
    uint8_t bytes[MEMPROF_FRAME_BYTES];
    memprof_frame_store(bytes, f);
    return blake3_id(bytes, sizeof bytes);
}

bool memprof_used_make(struct memprof_used *u, const struct apf_memprof *m)
{
    size_t n_frames = m->frames.n, n_nodes = m->nodes.n;
    memset(u, 0, sizeof *u);
    u->m = m;
    u->frames = arena_array(&u->arena, n_frames, sizeof *u->frames);
    u->frame_at = arena_array(&u->arena, n_frames, sizeof *u->frame_at);
    u->frame_ids = arena_array(&u->arena, n_frames, sizeof *u->frame_ids);
    u->stacks = arena_array(&u->arena, n_nodes, sizeof *u->stacks);
    u->stack_at = arena_array(&u->arena, n_nodes, sizeof *u->stack_at);
    if (!u->frames || !u->frame_at || !u->frame_ids || !u->stacks || !u->stack_at)
        return false;
    memset(u->frame_at, 0xff, n_frames * sizeof *u->frame_at);
    memset(u->stack_at, 0xff, n_nodes * sizeof *u->stack_at);
    for (size_t i = 0; i < m->functions.n; i++) {
        const struct memprof_function *f = &m->functions.data[i];
        for (size_t k = 0; k < f->n_allocs; k++)
            add_stack(u, m->allocs.data[f->first_alloc + k].stack);
        for (size_t k = 0; k < f->n_sites; k++)
            add_stack(u, m->sites.data[f->first_site + k].stack);
    }
    for (size_t i = 0; i < u->n_frames; i++)
        u->frame_ids[i] = make_frame_id(&m->frames.data[u->frames[i]]);
    return true;
}

bool memprof_stack_ids(struct memprof_used *u, uint64_t **ids)
{
    uint32_t deepest = 0;
    for (size_t i = 0; i < u->n_stacks; i++)
        if (deepest < u->m->nodes.data[u->stacks[i]].depth)
            deepest = u->m->nodes.data[u->stacks[i]].depth;
    uint8_t *path = arena_array(&u->arena, deepest, 8);
    *ids = arena_array(&u->arena, u->n_stacks, sizeof **ids);
    if (!path || !*ids)
        return false;
    for (size_t i = 0; i < u->n_stacks; i++) {
        size_t n = 0;
        for (uint32_t s = u->stacks[i]; s; s = u->m->nodes.data[s].parent, n += 8)
            store64le(path + n, u->frame_ids[u->frame_at[u->m->nodes.data[s].frame]]);
        (*ids)[i] = blake3_id(path, n);
    }
    return true;
}

/* ---- the array of frames ---- */

struct frame_use {
    uint64_t id;
    uint64_t count;     /* occurrences in stacks */
    uint64_t positions; /* sum of the distances from the innermost frame */
    uint32_t frame;     /* place in used->frames */
};

static bool popular_first(const void *context, const void *a, const void *b)
{
    const struct frame_use *x = a, *y = b;
    (void)context;
    if (x->count != y->count)
        return x->count > y->count;
    return x->positions != y->positions ? x->positions < y->positions : x->id < y->id;
}

static bool rare_first(const void *context, const void *a, const void *b)
{
    const struct frame_use *x = a, *y = b;
    (void)context;
    return x->count != y->count ? x->count < y->count : x->id < y->id;
}

static void count_uses(const struct memprof_used *u, struct frame_use *uses)
{
    for (size_t i = 0; i < u->n_frames; i++) {
        struct frame_use use = {u->frame_ids[i], 0, 0, (uint32_t)i};
        uses[i] = use;
    }
    for (size_t i = 0; i < u->n_stacks; i++) {
        uint64_t position = 0;
        for (uint32_t s = u->stacks[i]; s; s = u->m->nodes.data[s].parent) {
            struct frame_use *use = &uses[u->frame_at[u->m->nodes.data[s].frame]];
            use->count++;
            use->positions += position++;
        }
    }
}

/* ---- the array of call stacks ---- */

struct path {
    const uint32_t *ranks; /* of the frames in rare_first order, from the outermost frame on */
    uint32_t n;            /* number of frames */
    uint32_t stack;        /* place in used->stacks */
};

static bool path_before(const void *context, const void *a, const void *b)
{
    const struct path *x = a, *y = b;
    (void)context;
    for (uint32_t i = 0; i < x->n && i < y->n; i++)
        if (x->ranks[i] != y->ranks[i])
            return x->ranks[i] < y->ranks[i];
    return x->n < y->n;
}

/* Writes the stacks from the last one on, as LLVM does, so that a stack can refer to the frames that it shares with the
 * stack before it; then reverses the array. linear[rank] is the number of a frame in the array of frames; `where` is
 * scratch memory: the word of each frame of the path at hand. */
static void write_words(struct memprof_arrays *a, const struct path *paths, size_t n, const uint32_t *linear,
                        uint32_t *where)
{
    const struct path *previous = NULL;
    uint64_t at = 0;
    for (size_t i = n; i-- > 0;) {
        const struct path *p = &paths[i];
        uint32_t common = 0;
        while (previous && common < previous->n && common < p->n &&
               previous->ranks[common] == p->ranks[common])
            common++;
        if (common) {
            a->words[at] = where[common - 1] - (uint32_t)at;
            at++;
        }
        for (uint32_t k = common; k < p->n; k++) {
            where[k] = (uint32_t)at;
            a->words[at++] = linear[p->ranks[k]];
        }
        a->stack_at[p->stack] = (uint32_t)at;
        a->words[at++] = p->n;
        previous = p;
    }
    a->n_words = at;
    for (uint64_t i = 0, k = at; i + 1 < k; i++) {
        uint32_t word = a->words[i];
        a->words[i] = a->words[--k];
        a->words[k] = word;
    }
    for (size_t i = 0; i < n; i++)
        a->stack_at[i] = (uint32_t)(at - 1 - a->stack_at[i]);
}

static bool make_words(struct memprof_arrays *a, struct memprof_used *u, const uint32_t *ranks,
                       const uint32_t *linear)
{
    size_t n = u->n_stacks;
    uint32_t deepest = 0;
    struct path *paths = arena_array(&u->arena, 2 * n, sizeof *paths);
    uint32_t *all = arena_array(&u->arena, u->n_path, sizeof *all);
    a->words = arena_array(&u->arena, u->n_path + 2 * n, sizeof *a->words);
    a->stack_at = arena_array(&u->arena, n, sizeof *a->stack_at);
    if (!paths || !all || !a->words || !a->stack_at)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct memprof_node *nodes = u->m->nodes.data;
        uint32_t depth = nodes[u->stacks[i]].depth;
        paths[i].ranks = all;
        paths[i].n = depth;
        paths[i].stack = (uint32_t)i;
        deepest = depth > deepest ? depth : deepest;
        for (uint32_t s = u->stacks[i], k = depth; s; s = nodes[s].parent)
            all[--k] = ranks[u->frame_at[nodes[s].frame]];
        all += depth;
    }
    uint32_t *where = arena_array(&u->arena, deepest, sizeof *where);
    if (!where)
        return false;
    sort_merge(paths, paths + n, n, sizeof *paths, path_before, NULL);
    write_words(a, paths, n, linear, where);
    return true;
}

int memprof_arrays_make(struct memprof_arrays *a, struct memprof_used *u, struct apf_error *error)
{
    size_t n = u->n_frames;
    struct frame_use *uses = arena_array(&u->arena, 2 * n, sizeof *uses);
    uint32_t *place = arena_array(&u->arena, n, sizeof *place);   /* of a frame in the array of frames */
    uint32_t *ranks = arena_array(&u->arena, n, sizeof *ranks);   /* of a frame in rare_first order */
    uint32_t *linear = arena_array(&u->arena, n, sizeof *linear); /* place[] of the frame with a rank */
    memset(a, 0, sizeof *a);
    a->frames = arena_array(&u->arena, n, sizeof *a->frames);
    if (u->n_path + 2 * u->n_stacks >= MOST_WORDS)
        return error_plain(error, APF_NOT_REPRESENTABLE, "indexed.memprof.call_stacks",
                           "more than 2^31 frames");
    if (!uses || !place || !ranks || !linear || !a->frames)
        return error_memory(error);
    count_uses(u, uses);
    sort_merge(uses, uses + n, n, sizeof *uses, popular_first, NULL);
    for (size_t i = 0; i < n; i++) {
        place[uses[i].frame] = (uint32_t)i;
        a->frames[i] = u->frames[uses[i].frame];
    }
    sort_merge(uses, uses + n, n, sizeof *uses, rare_first, NULL);
    for (size_t i = 0; i < n; i++) {
        ranks[uses[i].frame] = (uint32_t)i;
        linear[i] = place[uses[i].frame];
    }
    return make_words(a, u, ranks, linear) ? APF_OK : error_memory(error);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_chains.h"

#include <string.h>

#include "base/error.h"

void profgen_chains_free(struct profgen_chains *c)
{
    VEC_FREE(&c->list);
    hash_index_free(&c->index);
}

int profgen_chains_add(struct profgen_chains *c, uint32_t outer, uint64_t call, uint32_t *number,
                       struct apf_error *error)
{
    struct profgen_chain chain = {call, outer, profgen_chain_at(c, outer).depth + 1};
    uint32_t i;
    if (!hash_index_reserve(&c->index, 1) || !VEC_RESERVE(&c->list, 1))
        return hash_index_error(&c->index, error);
    uint64_t hash = hash_index_mix(&c->index, call, outer);
    HASH_INDEX_FIND(i, &c->index, hash, c->list.data[i].call == call && c->list.data[i].outer == outer);
    if (i == HASH_INDEX_NONE) {
        i = (uint32_t)c->list.n;
        c->list.data[c->list.n++] = chain;
        hash_index_add(&c->index, hash, i);
    }
    *number = i + 1;
    return APF_OK;
}

int profgen_chains_unfold(const struct profgen_chains *c, uint32_t number, struct profgen_frames *frames,
                          struct apf_error *error)
{
    size_t n = profgen_chain_at(c, number).depth;
    frames->list.n = 0;
    if (!VEC_RESERVE(&frames->list, n))
        return error_memory(error);
    frames->list.n = n;
    for (; n; number = profgen_chain_at(c, number).outer)
        frames->list.data[--n] = (struct profgen_frame){profgen_chain_at(c, number).call, 0};
    return APF_OK;
}

int profgen_chains_fold(struct profgen_chains *c, const struct profgen_frames *frames, uint32_t *number,
                        struct apf_error *error)
{
    int code = APF_OK;
    *number = PROFGEN_NO_CHAIN;
    for (size_t i = 0; code == APF_OK && i < frames->list.n; i++)
        code = profgen_chains_add(c, *number, frames->list.data[i].at, number, error);
    return code;
}

/* ---- recursion ---- */

static bool same_frame(const struct profgen_frame *a, const struct profgen_frame *b)
{
    return a->at == b->at && a->name == b->name;
}

/* Leaves one of sequences of `length` frames, from left to right: frames that equal those before
 * them go. */
static void compress(struct profgen_frames *frames, size_t length)
{
    struct profgen_frame *f = frames->list.data;
    size_t kept = length, next = length, alike = 0; /* alike: the last frames that equal those before them */
    while (next < frames->list.n) {
        alike = same_frame(&f[next], &f[kept - length]) ? alike + 1 : 0;
        f[kept++] = f[next++];
        if (alike == length) {
            kept -= length;
            alike = 0;
        }
    }
    frames->list.n = kept;
}

/* Of more frames than these, but at most so many, repetitions are looked for only where there may be some. */
#define FEW_FRAMES 32u
#define MANY_FRAMES 2000u
#define SLOTS 4096u /* of a table of frames; a power of two */

/* Makes near[n], the number of frames that equal one of the n frames before them. */
static void count_near(const struct profgen_frames *frames, uint16_t *near)
{
    const struct profgen_frame *f = frames->list.data;
    uint16_t slots[SLOTS] = {0}; /* 1 + the last frame of its kind */
    memset(near, 0, (MANY_FRAMES + 1) * sizeof *near);
    for (size_t i = 0; i < frames->list.n; i++) {
        size_t at = (size_t)((f[i].at * 31 + f[i].name) * 0x9e3779b97f4a7c15 >> 40) % SLOTS;
        while (slots[at] && !same_frame(&f[slots[at] - 1], &f[i]))
            at = (at + 1) % SLOTS;
        if (slots[at])
            near[i - (slots[at] - 1)]++;
        slots[at] = (uint16_t)(i + 1);
    }
    for (size_t n = 1; n <= frames->list.n; n++)
        near[n] = (uint16_t)(near[n] + near[n - 1]);
}

/* A sequence of frames is repeated only if as many frames equal ones that are not farther before them. */
void profgen_compress(struct profgen_frames *frames, size_t longest)
{
    const bool counted = frames->list.n > FEW_FRAMES && frames->list.n <= MANY_FRAMES;
    uint16_t near[MANY_FRAMES + 1];
    if (counted)
        count_near(frames, near);
    for (size_t length = 1; length <= longest && length <= frames->list.n / 2; length++) {
        const size_t n = frames->list.n;
        if (counted && near[length] < length)
            continue;
        compress(frames, length);
        if (counted && frames->list.n != n)
            count_near(frames, near);
    }
}

void profgen_keep_last(struct profgen_frames *frames, size_t n)
{
    size_t gone = frames->list.n > n ? frames->list.n - n : 0;
    for (size_t i = gone; i < frames->list.n && gone; i++)
        frames->list.data[i - gone] = frames->list.data[i];
    frames->list.n -= gone;
}

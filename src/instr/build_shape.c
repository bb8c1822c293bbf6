/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/build_shape.h"

#include "base/sort.h"

/* Odd numbers: a step of the digest loses nothing of what it was before. */
#define SHAPE_HASH 0xD6E8FEB86659FD93u
#define SHAPE_COUNTERS 0xBF58476D1CE4E5B9u
#define SHAPE_SUM 0x9E3779B97F4A7C15u

static uint64_t stir(uint64_t x, uint64_t by)
{
    x *= by;
    return x ^ x >> 32;
}

bool build_shape_add(struct build_shape *s, uint64_t id, uint64_t hash, uint64_t n_counters)
{
    uint64_t x = stir(id + stir(hash, SHAPE_HASH) + n_counters * SHAPE_COUNTERS, SHAPE_SUM);
    return VEC_PUSH(&s->list, x);
}

/* A sum has no order; of digests that are well stirred it is one, too. */
bool build_shape_finish(struct build_shape *s, uint64_t *digest)
{
    uint64_t sum = 0;
    bool done = VEC_RESERVE(&s->list, s->list.n);
    if (done && s->list.n) {
        sort_numbers(s->list.data, s->list.data + s->list.n, s->list.n);
        for (size_t i = 0; i < s->list.n; i++)
            if (i == 0 || s->list.data[i] != s->list.data[i - 1])
                sum += stir(s->list.data[i], SHAPE_HASH);
        sum += sum == 0; /* 0 is for no functions */
    }
    VEC_FREE(&s->list);
    *digest = sum;
    return done;
}

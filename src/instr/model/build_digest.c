/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/build_digest.h"

#include "base/sort.h"

/* Odd factors, so that multiplication by one of them loses no bit of the other factor. */
#define FACTOR_HASH 0xD6E8FEB86659FD93u
#define FACTOR_COUNTERS 0xBF58476D1CE4E5B9u
#define FACTOR_SUM 0x9E3779B97F4A7C15u

static uint64_t mix_bits(uint64_t x, uint64_t factor)
{
    x *= factor;
    return x ^ x >> 32;
}

bool build_digest_add(struct build_digest *d, uint64_t id, uint64_t hash, uint64_t n_counters)
{
    uint64_t x = mix_bits(id + mix_bits(hash, FACTOR_HASH) + n_counters * FACTOR_COUNTERS, FACTOR_SUM);
    return VEC_PUSH(&d->list, x);
}

/* The sum of well mixed digests is a digest too, and does not depend on their order. */
bool build_digest_finish(struct build_digest *d, uint64_t *digest)
{
    uint64_t sum = 0;
    bool done = VEC_RESERVE(&d->list, d->list.n);
    if (done && d->list.n) {
        sort_numbers(d->list.data, d->list.data + d->list.n, d->list.n);
        for (size_t i = 0; i < d->list.n; i++)
            if (i == 0 || d->list.data[i] != d->list.data[i - 1])
                sum += mix_bits(d->list.data[i], FACTOR_HASH);
        sum += sum == 0; /* 0 stands for no functions */
    }
    VEC_FREE(&d->list);
    *digest = sum;
    return done;
}

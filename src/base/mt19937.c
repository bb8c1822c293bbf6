/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/mt19937.h"

#define SHIFT 397

void mt19937_seed(struct mt19937 *g, uint32_t seed)
{
    g->state[0] = seed;
    for (uint32_t i = 1; i < MT19937_N; i++)
        g->state[i] = 1812433253u * (g->state[i - 1] ^ (g->state[i - 1] >> 30)) + i;
    g->next = MT19937_N;
}

static void refill_state(struct mt19937 *g)
{
    for (uint32_t i = 0; i < MT19937_N; i++) {
        uint32_t y = (g->state[i] & 0x80000000u) | (g->state[(i + 1) % MT19937_N] & 0x7fffffffu);
        g->state[i] = g->state[(i + SHIFT) % MT19937_N] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    g->next = 0;
}

uint32_t mt19937_next(struct mt19937 *g)
{
    if (g->next == MT19937_N)
        refill_state(g);
    uint32_t y = g->state[g->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

uint32_t mt19937_below(struct mt19937 *g, uint32_t most)
{
    uint32_t range = most + 1; /* Lemire's method */
    uint64_t product = (uint64_t)mt19937_next(g) * range;
    uint32_t low = (uint32_t)product;
    if (low < range) {
        uint32_t threshold = (uint32_t)(((uint64_t)1 << 32) % range);
        while (low < threshold) {
            product = (uint64_t)mt19937_next(g) * range;
            low = (uint32_t)product;
        }
    }
    return (uint32_t)(product >> 32);
}

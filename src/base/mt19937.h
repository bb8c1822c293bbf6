/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The Mersenne Twister that LLVM draws its random choices from (std::mt19937). */
#ifndef BASE_MT19937_H
#define BASE_MT19937_H

#include <stdint.h>

#define MT19937_N 624
#define MT19937_DEFAULT_SEED 5489u

struct mt19937 {
    uint32_t state[MT19937_N];
    uint32_t next;
};

void mt19937_seed(struct mt19937 *g, uint32_t seed);
uint32_t mt19937_next(struct mt19937 *g);
/* A number of 0 .. most, which is below 2^32 - 1, drawn as libstdc++ 11 and later draw it. */
uint32_t mt19937_below(struct mt19937 *g, uint32_t most);

#endif

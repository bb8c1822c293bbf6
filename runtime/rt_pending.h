/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Signals that writing raises, which must neither end the program nor reach its handlers. */
#ifndef RT_PENDING_H
#define RT_PENDING_H

#include "rt_image.h"

#include <signal.h>

/* Signals that writing can raise: whether they were pending before. */
struct aprt_pending {
    int broke_pipe, grew_too_large;
};
RT_HIDDEN void aprt_pending_find(struct aprt_pending *pending);

/* Discards those of the two signals that are pending now and were not before. Both must be blocked. */
RT_HIDDEN void aprt_pending_discard(const struct aprt_pending *before);

/* Blocks both signals and returns the old mask. */
RT_HIDDEN void aprt_pending_block(sigset_t *had);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes a plain profile of a sum: of functions that inputs know with different checksums, one stays. */
#ifndef SAMPLE_RESOLVE_H
#define SAMPLE_RESOLVE_H

#include "sample/model/sample_profile.h"

/* A function that was left out, with what is inlined in it, because its checksum contradicts that of others. */
struct sample_loss {
    uint64_t checksum, kept; /* its checksum, and that of the function that stays */
    uint64_t total;          /* samples */
    uint64_t at;             /* of inlined functions: the place of the call */
    uint32_t name;
    uint64_t input;   /* the first one that has it */
    uint32_t node;    /* its number in the sum */
    uint32_t context; /* its own, or that of the function at the top level that it is inlined in ... */
    uint32_t depth;   /* ... and how deep: 0 at the top level */
};

/* All zero: none. */
struct sample_losses {
    VEC(struct sample_loss) list;
    uint64_t functions; /* at the top level */
    uint64_t inlined;
    uint64_t samples; /* in both, saturating */
};

void sample_losses_free(struct sample_losses *l);

/* Resolves a sealed sum, whose nodes may be shared: it becomes a plain profile, sealed. Of functions with one context,
 * and of inlined functions with one caller, place and name, that one stays which has most votes; among equals that
 * with most samples, then that with the smallest checksum. One without a checksum is added to it. The others are
 * appended to `losses`, in no order that means anything. */
int sample_resolve(struct apf_sample *s, struct sample_losses *losses, struct apf_error *error);

#endif

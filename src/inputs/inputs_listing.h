/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which inputs a partial profile lists: all of them or, if the merge removes its inputs, those that do not stay. It may
 * list inputs by their kind, without their names, so that it does not grow with their number. */
#ifndef INPUTS_LISTING_H
#define INPUTS_LISTING_H

#include "inputs/inputs.h"

/* Inputs that are written as one, or a single one. */
struct inputs_group {
    const size_t *entries; /* in inputs.list */
    size_t n;
};

/* How a room lists its inputs. */
struct inputs_lister {
    const void *merge;
    /* Whether entry i was read and added, whatever was decided about its kind. */
    bool (*was_read)(const void *merge, size_t i);
    /* Compares the kinds of two entries: below, equal to or above 0. Such with equal kinds, which were added whole or
     * lost for the same reason, are written as one, without names. NULL: each input is written with its name. */
    int (*compare)(const void *merge, size_t a, size_t b);
};

struct inputs_listing {
    const struct inputs *inputs;
    struct inputs_lister lister;
    VEC(struct inputs_group) groups; /* in the order in which they are written */
    size_t *entries;
    uint32_t *numbers;     /* of the group of each entry */
    struct apf_error lost; /* memory of inputs_listing_kept */
};

/* Fills in a listing, which is all zero. Groups of several inputs come first, in the order of their kinds.
 * inputs_listing_free must follow, also after a failure. APF_NO_MEMORY; APF_ARGUMENT at "merge.inputs": there are none.
 */
int inputs_listing_make(struct inputs_listing *l, const struct inputs *in, struct inputs_lister lister,
                        struct apf_error *error);
void inputs_listing_free(struct inputs_listing *l);

/* Whether inputs have their names, and rosters with them. */
static inline bool inputs_listing_has_names(const struct inputs_listing *l)
{
    return !l->lister.compare;
}
/* For inputs_lister.compare: compares n pairs of numbers; the first that differ decide. */
int inputs_compare_numbers(const uint64_t (*pairs)[2], size_t n);

/* The number, in the file, of an input that is in the sums. Where inputs have no names, one is as good as another, and
 * must not depend on their order: 0. */
static inline uint64_t inputs_listing_number(const struct inputs_listing *l, uint64_t member)
{
    return inputs_listing_has_names(l) ? l->numbers[inputs_entry(l->inputs, member)] : 0;
}

/* The entry of a group as it is written, until the next call. The errors of kinds that do not go together are no part
 * of it, and those of inputs without names say what is the same for all. */
struct kept_input inputs_listing_kept(struct inputs_listing *l, const struct inputs_group *group);

#endif

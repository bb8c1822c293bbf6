/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the functions of a sample profile among those of an instrumentation profile, and adds up what it says about
 * each. */
#ifndef INSTR_SUPPLEMENT_MATCH_H
#define INSTR_SUPPLEMENT_MATCH_H

#include "instr/merge/supplement.h"

/* A function that the sample profile may have. */
struct supplement_match {
    uint64_t id; /* of the whole name */
    /* the function's only record, by its number in the view; SUPPLEMENT_SEVERAL: `name` is that of local functions of
     * several files */
    uint32_t record;
    bool sampled;           /* the sample profile has it */
    uint64_t entries;       /* sum, saturating */
    uint64_t hottest;       /* the largest count of a line */
    struct apf_str several; /* the name of several local functions */
};
#define SUPPLEMENT_SEVERAL UINT32_MAX

/* A local function by its name without the file, as sample profiles have it. */
struct supplement_local {
    uint64_t id;    /* of that name */
    uint32_t match; /* number of the match */
};

/* All zero: empty. */
struct supplement_matches {
    VEC(struct supplement_match) list; /* in the order of the records */
    VEC(struct supplement_local) locals;
    struct hash_index by_name, by_local;
    struct arena text;
};

/* Finds all functions of the view that the samples may have, and adds the samples up. supplement_matches_free must
 * follow, also after a failure. */
int supplement_matches_make(struct supplement_matches *m, const struct apf_instr *view,
                            const struct apf_supplement *samples, struct apf_error *error);
void supplement_matches_free(struct supplement_matches *m);

/* The name under which a sample profile has a local function, and its id. */
struct supplement_name {
    VEC(char) text;
    struct apf_str name; /* a part of the name that was given, or `text`; n == 0: the function is not local */
};

/* Finds that name: what follows the file and the separator, with or without a unique suffix as the samples have it.
 * False: an allocation failed. */
bool supplement_name_find(struct supplement_name *to, struct apf_str name, bool unique);

#endif

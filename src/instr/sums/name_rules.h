/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* New names that a merge is asked for: of functions, and of the paths of local names. */
#ifndef INSTR_NAME_RULES_H
#define INSTR_NAME_RULES_H

#include <anyprof/merge.h>

#include "instr/model/symbols.h"

/* All zero: no name changes. */
struct name_rules {
    struct symbols remapped; /* old names of functions, in their order: remaps[i] is of the i-th */
    VEC(struct apf_str) remaps;
    struct apf_name_change *prefixes;
    size_t n_prefixes;
};

/* Copies the rules of the options into the arena. */
int name_rules_copy(struct name_rules *rules, const struct apf_merge_options *options, struct arena *arena,
                    struct apf_error *error);
void name_rules_free(struct name_rules *rules);

static inline bool name_rules_any(const struct name_rules *rules)
{
    return rules->remaps.n || rules->n_prefixes;
}

/* The new name of a function; the same bytes when it keeps its name. */
struct apf_str name_rules_remap(const struct name_rules *rules, uint64_t id, struct apf_str name);

/* The change whose path a local name begins with, and where that path ends; NULL: none. Of several changes the last one
 * counts. */
const struct apf_name_change *name_rules_prefix(const struct name_rules *rules, struct apf_str name);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a merge is asked to do with names: functions that get another name, and paths of local names that do. */
#ifndef INSTR_NAME_RULES_H
#define INSTR_NAME_RULES_H

#include <anyprof/merge.h>

#include "instr/model/symbols.h"

/* All zero = nothing is asked for. */
struct name_rules {
    struct symbols remapped; /* old names of functions, in their order: remaps[i] is of the i-th */
    VEC(struct apf_str) remaps;
    struct apf_name_change *prefixes;
    size_t n_prefixes;
};

/* Copies what the options ask for into the arena. */
int name_rules_copy(struct name_rules *rules, const struct apf_merge_options *options, struct arena *arena,
                    struct apf_error *error);
void name_rules_free(struct name_rules *rules);

static inline bool name_rules_any(const struct name_rules *rules)
{
    return rules->remaps.n || rules->n_prefixes;
}

/* The new name of a function; the same bytes when it keeps its name. */
struct apf_str name_rules_remap(const struct name_rules *rules, uint64_t id, struct apf_str name);

/* Where the path of a local name ends, and the change that it begins with; NULL: none. Of several the last counts. */
const struct apf_name_change *name_rules_prefix(const struct name_rules *rules, struct apf_str name);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Changes of names: those that the caller asks for, and the separator in local names of IR profiles that the consumer
 * expects. */
#ifndef INSTR_RENAMES_H
#define INSTR_RENAMES_H

#include "instr/sums/name_rules.h"

/* Old id -> new id. All zero = no renames. */
struct rename {
    uint64_t from;
    uint64_t asked; /* the new id by the caller's rules alone */
    uint64_t to;    /* the new id with the consumer's separator */
};

struct renames {
    VEC(struct rename) list;
    struct hash_index index;
};

/* The causes of changes. */
struct rename_causes {
    const struct name_rules *rules;
    bool remap;     /* names of functions change, but, as in LLVM, not where they are targets */
    char separator; /* '\0': unchanged */
    uint32_t flags; /* only names with one of these flags change */
};

static inline bool rename_causes_any(const struct rename_causes *c)
{
    return c->separator || name_rules_any(c->rules);
}

/* Finds every name of the table that changes, and adds its new name to the table, without flags. Several tables may
 * share renames: their names are of one kind. */
int renames_make(struct renames *r, struct symbols *symbols, const struct rename_causes *causes,
                 struct apf_error *error);
/* The rename of an id; NULL: the id stays. */
const struct rename *renames_find(const struct renames *r, uint64_t id);
/* The new id, or `id` if it stays. */
uint64_t renames_apply(const struct renames *r, uint64_t id);
void renames_free(struct renames *r);

#endif

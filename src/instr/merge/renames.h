/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Giving names other names: those that the caller asks for, and to local functions of IR profiles the separator that
 * the consumer looks for. */
#ifndef INSTR_RENAMES_H
#define INSTR_RENAMES_H

#include "instr/merge/name_rules.h"

/* Old id -> new id. All zero = no renames. */
struct rename {
    uint64_t from;
    uint64_t asked; /* by the caller's rules alone */
    uint64_t to;    /* with the consumer's separator, too */
};

struct renames {
    VEC(struct rename) list;
    struct hash_index index;
};

/* What changes names. */
struct rename_causes {
    const struct name_rules *rules;
    bool remap;     /* names of functions change; where these are targets they do not, as in LLVM */
    char separator; /* '\0': it stays */
    uint32_t flags; /* only names that have one of them */
};

static inline bool rename_causes_any(const struct rename_causes *c)
{
    return c->separator || name_rules_any(c->rules);
}

/* Finds every name of the table that changes, and adds its new name to the table, without flags. Several tables may
 * share renames: their names are of one kind. */
int renames_make(struct renames *r, struct symbols *symbols, const struct rename_causes *causes,
                 struct apf_error *error);
/* The rename of an id; NULL: it stays. */
const struct rename *renames_find(const struct renames *r, uint64_t id);
/* The new id, or the same one. */
uint64_t renames_apply(const struct renames *r, uint64_t id);
void renames_free(struct renames *r);

#endif

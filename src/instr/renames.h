/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Giving local functions of IR profiles the separator that the consumer looks for. */
#ifndef INSTR_RENAMES_H
#define INSTR_RENAMES_H

#include "instr/symbols.h"

/* Old id -> new id. All zero = no renames. */
struct rename {
    uint64_t from, to;
};

struct renames {
    VEC(struct rename) list;
    struct hash_index index;
};

/* Finds every name of the table that has one of the flags and the other separator, and adds its new name to the table,
 * with the same flags. */
int renames_make(struct renames *r, struct symbols *symbols, uint32_t flags, char separator,
                 struct apf_error *error);
/* The new id, or the same one. */
uint64_t renames_apply(const struct renames *r, uint64_t id);
void renames_free(struct renames *r);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Translates the addresses in a raw profile's value data to the ids of functions and vtables. */
#ifndef INSTR_RAW_TARGETS_H
#define INSTR_RAW_TARGETS_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "instr/raw/raw_profile.h"

struct raw_address {
    uint64_t address, id;
};

struct raw_range {
    uint64_t start, end, id; /* [start, end) */
};

/* The addresses of one profile of one file, since they differ from run to run. All zero = empty. */
struct raw_targets {
    VEC(struct raw_address) functions;
    struct hash_index index;
    VEC(struct raw_range) vtables; /* ascending by start */
};

/* Makes room for n functions. Fails as raw_targets_add does. */
int raw_targets_reserve(struct raw_targets *t, size_t n, struct apf_error *error);
/* Adds a function. Of several at one address the lowest id counts, as in LLVM. */
int raw_targets_add(struct raw_targets *t, uint64_t address, uint64_t id, struct apf_error *error);
/* Adds the vtables of a profile. */
int raw_targets_vtables(struct raw_targets *t, const struct raw_profile *raw, struct apf_error *error);
/* The id that a value stands for, or 0 for an unknown address. A value of APF_VALUE_MEMOP_SIZE is no address and stays
 * as it is. */
uint64_t raw_targets_resolve(const struct raw_targets *t, unsigned kind, uint64_t value);
/* Whether a vtable reaches beyond the end of the address space: addresses in it do not move with the load address. */
bool raw_targets_wrap(const struct raw_profile *raw);
void raw_targets_free(struct raw_targets *t);

#endif

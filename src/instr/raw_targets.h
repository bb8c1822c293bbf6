/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the addresses in a raw profile's value data to the ids of functions and vtables. */
#ifndef INSTR_RAW_TARGETS_H
#define INSTR_RAW_TARGETS_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "instr/raw_part.h"

struct raw_address {
    uint64_t address, id;
};

struct raw_range {
    uint64_t start, end, id; /* [start, end) */
};

/* All zero = empty. Valid for one profile of one file: addresses differ from run to run. */
struct raw_targets {
    VEC(struct raw_address) functions;
    struct hash_index index;
    VEC(struct raw_range) vtables; /* by start */
};

/* Room for so many functions. */
bool raw_targets_reserve(struct raw_targets *t, size_t n) MUST_USE;
/* Adds a function; of several at one address the lowest id counts, as in LLVM. */
int raw_targets_add(struct raw_targets *t, uint64_t address, uint64_t id, struct apf_error *error);
/* Adds the vtables of a profile. */
int raw_targets_vtables(struct raw_targets *t, const struct raw_part *part, struct apf_error *error);
/* The id of a value of a kind; values of kind 1 are no addresses and stay. 0: unknown. */
uint64_t raw_targets_resolve(const struct raw_targets *t, unsigned kind, uint64_t value);
/* True when a vtable reaches the end of the address space: lookups near it do not move with the load address. */
bool raw_targets_wrap(const struct raw_part *part);
void raw_targets_free(struct raw_targets *t);

#endif

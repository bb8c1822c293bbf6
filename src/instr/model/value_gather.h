/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collects the value sites of a record while it is read, whose kinds may come in any order and more than once. */
#ifndef INSTR_VALUE_GATHER_H
#define INSTR_VALUE_GATHER_H

#include "instr/model/profile.h"

/* All zero = empty. */
struct value_gather {
    VEC(struct apf_value) values[APF_VALUE_KINDS];
    VEC(uint64_t) sites[APF_VALUE_KINDS]; /* number of values of each site */
};

/* Empties *g and keeps its memory for the next record. */
void value_gather_clear(struct value_gather *g);
void value_gather_free(struct value_gather *g);
/* Whether the number of sites of each kind fits in a record. */
bool value_gather_fits(const struct value_gather *g);
/* Copies the sites into the profile's arena and sets them in the record; they must fit. False: allocation failed. */
bool value_gather_store(const struct value_gather *g, struct apf_instr *instr, struct record *out);

#endif

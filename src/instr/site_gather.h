/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The value sites of a record while they are read: kinds may come in any order, and more than once. */
#ifndef INSTR_SITE_GATHER_H
#define INSTR_SITE_GATHER_H

#include "instr/profile.h"

/* All zero: nothing yet. */
struct site_gather {
    VEC(struct apf_value) values[APF_VALUE_KINDS];
    VEC(uint64_t) sites[APF_VALUE_KINDS]; /* values of each site */
};

/* Forgets them; memory stays for those of the next record. */
void site_gather_clear(struct site_gather *g);
void site_gather_free(struct site_gather *g);
/* Whether there are so many sites of a kind that a record can have them. */
bool site_gather_fits(const struct site_gather *g);
/* From the scratch memory to the record, which must fit; false when memory is out. */
bool site_gather_store(const struct site_gather *g, struct apf_instr *instr, struct record *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a program that BOLT wrote: where they are, and what they are called in profiles of the program BOLT
 * was given. */
#ifndef BOLT_BOLT_FUNCTIONS_H
#define BOLT_BOLT_FUNCTIONS_H

#include "base/search.h"
#include "bolt/bat_model.h"

#define BOLT_NONE UINT32_MAX

struct bolt_function {
    uint64_t address, end; /* up to the next one: what is between belongs to it */
    struct apf_str name;   /* escaped, as in fdata */
    uint32_t fragment;     /* its table; BOLT_NONE: it has none */
    uint32_t owner;        /* the function whose code it is: of a cold fragment another one, else itself */
    uint32_t fid; /* from 1, by address; those of the procedure linkage table come last. As in BOLT, unless
                              code without symbols is known by its unwind tables: that comes before those */
    bool is_stub; /* of the procedure linkage table */
};

struct bolt_functions {
    const struct apf_bat *bat;
    struct arena arena;
    VEC(struct bolt_function) list; /* by address */
    uint32_t *buckets;         /* of each one the last function that begins at or below its start; one more */
    uint64_t first, n_buckets; /* where they begin, and how many there are */
    unsigned shift;            /* bits of an address in a bucket */
};

/* Lists the functions of a table and of the symbols of its program. */
int bolt_functions_open(struct bolt_functions *f, const struct apf_bat *bat, struct apf_error *error);
void bolt_functions_close(struct bolt_functions *f);

/* The function that an address is in; BOLT_NONE: none. */
static inline uint32_t bolt_find_function(const struct bolt_functions *f, uint64_t address)
{
    uint64_t bucket = (address - f->first) >> f->shift;
    if (address < f->first || bucket >= f->n_buckets)
        return BOLT_NONE;
    uint32_t next, low = f->buckets[bucket], high = f->buckets[bucket + 1]; /* most often they are one */
    SEARCH(next, low + 1, high + 1, f->list.data[next].address <= address);
    return address < f->list.data[next - 1].end ? next - 1 : BOLT_NONE;
}

#endif

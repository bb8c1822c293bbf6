/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a program that BOLT wrote: their addresses, and their names in profiles of the input. */
#ifndef BOLT_BOLT_FUNCTIONS_H
#define BOLT_BOLT_FUNCTIONS_H

#include <anyprof/bolt.h>

#include "base/search.h"
#include "bolt/bat_model.h"

#define BOLT_NONE UINT32_MAX

struct bolt_function {
    uint64_t address, end; /* up to the next function or object: padding belongs to the function before */
    uint64_t size;         /* of the code, without padding */
    struct apf_str name;   /* escaped, as in fdata */
    uint32_t fragment;     /* fragment of the table; BOLT_NONE: it has none */
    uint32_t owner; /* the function that the code belongs to: another one for a cold fragment, else itself */
    /* from 1: functions with symbols, stubs, then those known only by frames; each by address */
    uint32_t fid;
    bool is_stub;    /* a stub of the procedure linkage table */
    bool is_skipped; /* by apf_bolt_convert_options.skip */
};

struct bolt_functions {
    const struct apf_bat *bat;
    struct arena arena;
    VEC(struct bolt_function) list; /* by address */
    uint32_t *buckets; /* for each bucket the last function that begins at or below its start; one more */
    uint64_t first, n_buckets; /* address of the first bucket, and their number */
    unsigned shift;            /* bits of an address in a bucket */
};

/* Selects functions; `fn` NULL: none. */
struct bolt_skip {
    apf_bolt_skip_fn *fn;
    void *user;
};

/* Lists the functions of a program. `skip` NULL: none is skipped. */
int bolt_functions_open(struct bolt_functions *f, const struct apf_bat *bat, const struct bolt_skip *skip,
                        struct apf_error *error);
void bolt_functions_close(struct bolt_functions *f);

/* The function that contains an address; BOLT_NONE: none. */
static inline uint32_t bolt_find_function(const struct bolt_functions *f, uint64_t address)
{
    uint64_t bucket = (address - f->first) >> f->shift;
    if (address < f->first || bucket >= f->n_buckets)
        return BOLT_NONE;
    uint32_t next, low = f->buckets[bucket],
                   high = f->buckets[bucket + 1]; /* mostly a bucket has one candidate */
    SEARCH(next, low + 1, high + 1, f->list.data[next].address <= address);
    return address < f->list.data[next - 1].end ? next - 1 : BOLT_NONE;
}

#endif

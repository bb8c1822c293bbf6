/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of functions of a profile and of objects, each once, and their refs: the first 8 bytes of the MD5 of a
 * name. An indexed profile stores names with their refs, which need not be computed again. */
#ifndef COV_NAMES_H
#define COV_NAMES_H

#include <anyprof/error.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"

struct cov_name {
    uint64_t ref;
    const char *p;
    uint32_t n;      /* 0: only the ref is known */
    uint32_t object; /* number of the last object that lists it, which counts from 1; 0: none does */
    uint32_t record; /* number of the function in that object; HASH_INDEX_NONE: none so far */
    bool given;      /* the ref is what a profile says */
};

/* All zero = empty. Entries keep their numbers. */
struct cov_names {
    VEC(struct cov_name) list;
    struct hash_index by_name, by_ref;
    struct arena text; /* of names that are in no file */
};

/* Makes room for n more names. */
int cov_names_reserve(struct cov_names *t, size_t n, struct apf_error *error);
/* Adds a name as it stands in a profile, unless the ref is there, and sets *number. name.n == 0: only the ref is known.
 * The bytes must stay in place. That the ref is that of the name is not checked now: an object that has a name in
 * question is what brings it to light. */
int cov_names_give(struct cov_names *t, uint64_t ref, struct apf_str name, uint32_t *number,
                   struct apf_error *error);
/* Adds a name, unless it is there, and sets *number. `stays`: its bytes stay in place. APF_MALFORMED: the profile has
 * its ref with another name. */
int cov_names_add(struct cov_names *t, struct apf_str name, bool stays, uint32_t *number,
                  struct apf_error *error);
/* cov_names_add of n names, at most COV_NAMES_BATCH: what it reads is spread over much memory, and fetched for all of
 * them at once. */
#define COV_NAMES_BATCH 16u
int cov_names_add_all(struct cov_names *t, const struct apf_str *names, size_t n, bool stays,
                      uint32_t *numbers, struct apf_error *error);
/* The number of the name with a ref, or HASH_INDEX_NONE. */
uint32_t cov_names_find(const struct cov_names *t, uint64_t ref);
/* Prefetches what cov_names_find reads, in two steps (0 and 1). */
void cov_names_fetch(const struct cov_names *t, uint64_t ref, unsigned step);
/* Compares all refs that a profile has given with their names. APF_MALFORMED. */
int cov_names_check(const struct cov_names *t, struct apf_error *error);
/* Gives back what only cov_names_give and cov_names_add need, which must not follow. */
void cov_names_complete(struct cov_names *t);
void cov_names_free(struct cov_names *t);

static inline struct apf_str cov_names_text(const struct cov_names *t, uint32_t number)
{
    return (struct apf_str){t->list.data[number].p, t->list.data[number].n};
}

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counts of all functions of profiles, as coverage looks them up. */
#ifndef PROGRAMS_COV_PROFILE_H
#define PROGRAMS_COV_PROFILE_H

#include <anyprof/merge.h>

#include "base/file.h"
#include "base/hash_index.h"
#include "cov/coverage.h"
#include "instr/model/profile.h"

/* A record of a profile. The pointers point into the file, or into records of `instr`. */
struct cov_profile_entry {
    uint64_t hash;
    const uint8_t *counts; /* 8 bytes each, at any address */
    const uint8_t *bitmap;
    uint32_t n_counts, n_bitmap;
    uint32_t name;     /* its number */
    uint8_t numbering; /* enum mcdc_numbering */
};

/* All zero = there is no profile. */
struct cov_profile {
    struct apf_instr *instr; /* of a file that is in `bytes`, only its `info`; NULL: there is no profile */
    struct apf_merge *merge; /* whose view `instr` is, or NULL */
    struct file_bytes bytes; /* of a file whose records are looked up in it */
    struct cov_names *names;
    VEC(struct cov_profile_entry) entries; /* those of one name are neighbours, sorted by hash */
    VEC(uint32_t) firsts;                  /* the first entry of each name; HASH_INDEX_NONE: none */
    uint64_t n_empty;                      /* profiles of 0 bytes, which are left out */
    bool swap;                             /* counts have the other byte order */
    bool unsorted;                         /* while they are read: entries are not in that order */
};

/* Opens profiles, and gives their names. One in memory must stay in place. */
int cov_profile_open(struct cov_profile *p, const struct apf_input *inputs, size_t n,
                     const struct apf_options *common, struct cov_names *names, struct apf_error *error);
void cov_profile_close(struct cov_profile *p);

/* A counts_lookup and a counts_again. */
void cov_profile_find(const struct cov_profile *p, uint32_t name, uint64_t hash,
                      struct function_counts *counts);
void cov_profile_at(const struct cov_profile *p, uint32_t slot, struct function_counts *counts);

/* A counts_fetch and a counts_fetch_name. */
void cov_profile_fetch(const struct cov_profile *p, uint32_t slot, unsigned step);
void cov_profile_fetch_name(const struct cov_profile *p, uint32_t name, unsigned step);

/* The entries of a name, under which a profile may have several hashes. */
struct cov_profile_entries {
    const struct cov_profile_entry *data;
    size_t n;
};
struct cov_profile_entries cov_profile_entries_of(const struct cov_profile *p, uint32_t name);

#endif

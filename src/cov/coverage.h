/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of several objects, bound to the counts of a profile. Mappings are decoded whenever they are needed: a
 * summary of each function is kept, and no region. */
#ifndef COV_COVERAGE_H
#define COV_COVERAGE_H

#include <anyprof/cov.h>

#include "base/arena.h"
#include "base/text_set.h"
#include "cov/evaluate.h"
#include "cov/exclusions.h"
#include "cov/file_names.h"
#include "cov/mcdc.h"
#include "cov/object.h"
#include "cov/segments.h"

/* What a profile has of a function. */
enum counts_match {
    COUNTS_FOUND,
    COUNTS_ABSENT,  /* it has no function of that name: it was not executed */
    COUNTS_MISMATCH /* only with other hashes: it is of other source code */
};
struct function_counts {
    enum counts_match match;
    struct counts counts;
    const uint8_t *bitmap;
    size_t n_bitmap;
    enum mcdc_numbering numbering;
    uint32_t slot; /* where they are, for counts_again; COUNTS_NOWHERE: there are none */
};
#define COUNTS_NOWHERE UINT32_MAX
/* Finds the counts of a function by the number of its name and its hash. They stay valid. Several threads call this and
 * counts_again at once. */
typedef void counts_lookup(void *user, uint32_t name, uint64_t hash, struct function_counts *counts);
/* Returns the counts that were found at a slot. */
typedef void counts_again(void *user, uint32_t slot, struct function_counts *counts);

static inline void share_add(struct apf_cov_share *to, const struct apf_cov_share *from)
{
    to->n += from->n;
    to->covered += from->covered;
}
/* The numbers of a file, or of all. */
struct cov_summary {
    struct apf_cov_share regions, lines, branches, mcdc, functions, instantiations;
};
/* Those of a function. */
struct function_summary {
    uint32_t regions, covered_regions, lines, covered_lines, branches, covered_branches, mcdc, covered_mcdc;
};

/* A function that is shown. */
struct cov_function {
    uint32_t object, record;
    uint32_t slot;         /* of its counts */
    struct apf_str name;   /* as it is shown */
    uint64_t count;        /* how often it was executed */
    uint32_t first_file;   /* number of the name of its file 0, and where it begins; HASH_INDEX_NONE: none */
    uint32_t first_line;   /* of its first region in any file */
    uint32_t main_file;    /* number of the name of the file it is in; HASH_INDEX_NONE: none */
    uint32_t line, column; /* where its first region in that file begins */
    bool unknown;          /* its counts do not fit: all of them are shown as 0 */
    uint8_t fit;           /* enum apf_cov_fit */
    struct function_summary summary;
};

/* Up to this reason only the counts are not known; with those after it, the function is not shown. */
#define LAST_UNKNOWN APF_COV_CIRCULAR
#define COV_FITS (APF_COV_EXCLUDED + 1)

/* A function that is not shown. */
struct cov_loss {
    uint32_t object, record;
    uint8_t fit; /* enum apf_cov_fit */
};

/* Prefetches the counts at a slot, in two steps (0 and 1), or what counts_lookup reads of a name, in three (0 to 2):
 * for a caller that goes through many functions. */
typedef void counts_fetch(void *user, uint32_t slot, unsigned step);
typedef void counts_fetch_name(void *user, uint32_t name, unsigned step);

struct coverage {
    struct cov_names names;
    struct text_set files;
    struct exclusions exclusions; /* read by the caller before coverage_load, if markers count */
    struct cov_object *objects;
    size_t n_objects;
    counts_lookup *lookup;
    counts_again *again;
    counts_fetch *fetch;
    counts_fetch_name *fetch_name;
    /* NULL, or whether a function is shown: 1, or 0; -1: out of memory. Only the thread of coverage_load calls it. */
    int (*wants)(void *user, const struct cov_function *f);
    void *user;       /* of these */
    uint32_t threads; /* 0: one for each processor */
    bool one_byte;    /* counters say only whether something ran */
    bool binary;      /* and source code shows that */
    /* The rules of LLVM: a damaged mapping fails the call, and functions whose counts are not known are not shown. */
    bool strict;
    bool unites; /* functions that begin at one place are one, which covers what any of them does */
    VEC(struct cov_function) functions;
    struct hash_index identities; /* of functions, by files and name; while they are added */
    VEC(uint64_t) identity_hashes;
    VEC(uint64_t) pairs;     /* of a file and a function in it: file << 32 | function; sorted */
    uint64_t fits[COV_FITS]; /* functions by enum apf_cov_fit; those that fit are not counted */
    VEC(struct cov_loss) losses;
    uint32_t failed_program; /* whose function has failed coverage_load; UINT32_MAX: none */
};

/* A file that is being walked, up to a region. */
struct cov_visit {
    uint32_t file, region;
};

/* What a thread needs to look into functions; all zero = empty. */
struct cov_work {
    struct mapping mapping;
    struct segments segments;
    struct decisions decisions;
    const struct cov_object *object;
    const struct cov_unit *unit;
    struct function_counts counts;
    VEC(uint8_t) is_expanded; /* for each file of the function: it is the target of an expansion */
    VEC(uint8_t) excluded;    /* for each file of the function: what markers leave out of it */
    VEC(uint64_t) names;      /* see judge.h */
    VEC(uint8_t) visited;     /* by coverage_files_below, which leaves zeros */
    VEC(uint32_t) order;      /* of coverage_files_below */
    VEC(struct cov_visit) stack;
};

/* Adds all functions of the objects, in order, on several threads. */
int coverage_load(struct coverage *c, struct apf_error *error);
void coverage_free(struct coverage *c);

/* Decodes a record, without counts. */
int coverage_open_record(const struct coverage *c, const struct cov_object *o,
                         const struct cov_record *record, struct cov_work *w, struct apf_error *error);
/* Shows nothing of what was opened as executed. */
void coverage_forget_counts(struct cov_work *w);
/* Decodes a function that is shown, with its counts. */
int coverage_open(const struct coverage *c, const struct cov_function *f, struct cov_work *w,
                  struct apf_error *error);
/* Finds the decisions of the function that was opened. */
int coverage_decisions(struct cov_work *w, struct apf_error *error);
void cov_work_free(struct cov_work *w);

/* Sets w->order to a file of the function that was opened and all files that are expanded in it, inner ones before
 * outer ones, each once. */
int coverage_files_below(struct cov_work *w, uint32_t file, struct apf_error *error);

/* The number of the name of file i of the function that was opened. */
static inline uint32_t cov_file_name(const struct cov_work *w, uint32_t i)
{
    return w->object->unit_files.data[w->unit->first + w->mapping.files.data[i]];
}
/* Sets *main to the file of the function that was opened which is no target of an expansion; UINT32_MAX: there is none.
 */
int cov_main_file(struct cov_work *w, uint32_t *main, struct apf_error *error);

/* Empties the input of segments, and says how its counts are added up. */
void coverage_begin_segments(const struct coverage *c, struct segments *s);
/* Makes segments of what was added since, of a file with this number of its name. */
int coverage_segments(const struct coverage *c, struct segments *s, uint32_t file, struct apf_error *error);

/* Functions in which a file has a part. */
struct file_functions {
    const uint64_t *pairs; /* the number of the function is in the lower 32 bits */
    size_t n;
};
struct file_functions coverage_functions(const struct coverage *c, uint32_t file);

/* Prefetches what functions number i + 4 and i + 8 of a list of pairs, or of all if it is NULL, have. */
static inline void coverage_fetch(const struct coverage *c, const uint64_t *pairs, size_t i, size_t n)
{
    for (unsigned step = 0; step < 2; step++) {
        const size_t next = i + 8 - 4 * step;
        const size_t number = next < n && pairs ? (uint32_t)pairs[next] : next;
        if (next < n && c->functions.data[number].slot != COUNTS_NOWHERE)
            c->fetch(c->user, c->functions.data[number].slot, step);
    }
}

static inline bool branch_folded(const struct region *r, bool side)
{
    return counter_is_zero(side ? r->counter : r->false_counter);
}
static inline uint64_t branch_count(const struct region *r, bool side)
{
    return side ? r->count : r->false_count;
}
/* Adds the sides of a branch that are no constants. */
static inline void branch_count_sides(struct apf_cov_share *sides, const struct region *r)
{
    for (unsigned side = 0; side < 2; side++) {
        const bool folded = branch_folded(r, side != 0);
        sides->n += !folded;
        sides->covered += !folded && branch_count(r, side != 0) != 0;
    }
}

#endif

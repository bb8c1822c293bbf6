/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a report says: collectors fill it in, one for each family of profiles, and writers read it. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <anyprof/report.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash_index.h"
#include "base/vec.h"

/* A text of a table: what it is about, and what it says. */
struct report_fact {
    const char *label; /* static, or in the arena */
    struct apf_str text;
};

/* A file, and the facts that `anyprof info` prints of it. */
struct report_file {
    struct apf_str name;
    size_t first_fact, n_facts;
    bool is_base; /* of the profiles that are compared with */
};

struct report_name {
    struct apf_str raw;
    struct apf_str shown; /* equal to raw if it is shown as it is */
};

/* A function, with all of its counts. Functions of one name and several hashes are several. */
struct report_function {
    uint32_t name;     /* number */
    uint32_t n_counts; /* counters, or lines with samples */
    uint64_t hash;     /* or checksum; 0: none */
    uint64_t total;    /* sum of its counts, which stays at 2^64 - 1 */
    uint64_t most;     /* its largest count */
    uint64_t entries;  /* how often it was entered */
};

/* The most files that are described. */
#define REPORT_FILES 32u

/* The hottest `functions` functions hold this share of all counts. */
struct report_quantile {
    const char *share; /* such as "99.9 %" */
    uint64_t functions;
};
#define REPORT_QUANTILES 4u

/* Counts by their size: the first one is how many are 0, number i how many are from 2^(i-1) to 2^i - 1. */
#define REPORT_POWERS 65u

enum report_site_kind { REPORT_CALLS, REPORT_SIZES, REPORT_TYPES };
/* A value of a site: a function, a type, or the low end of a class of sizes. */
struct report_value {
    uint64_t value; /* number of a name, or bytes; UINT64_MAX: unknown */
    uint64_t count;
};
/* The most values of a site that are listed. */
#define REPORT_VALUES 8u
struct report_site {
    uint32_t function;            /* number of its name */
    uint32_t kind;                /* enum report_site_kind */
    uint32_t line, discriminator; /* or number of the site, and 0 */
    uint64_t total;
    uint64_t n_values;                         /* all of them */
    struct report_value values[REPORT_VALUES]; /* those with the largest counts, first */
};

/* A frame: a function as called, or inlined, in that of its parent. Parents have lower numbers. */
struct report_frame {
    uint32_t name, parent; /* the root is its own parent */
    uint64_t self, total;  /* without and with the frames in it */
};

enum report_change {
    REPORT_NEW = 1,
    REPORT_GONE = 2,
    REPORT_GREW = 4,
    REPORT_SHRANK = 8,
    REPORT_EDITED = 16
};
/* A function that differs between two profiles. */
struct report_difference {
    uint32_t name;
    uint32_t changes;   /* enum report_change */
    double effect;      /* part of all counts that moved here */
    double share[2];    /* of all counts of its profile: before, after */
    uint64_t counts[2]; /* before, after */
};
struct report_comparison {
    bool made;
    double moved;   /* share of counts that moved, from 0 to 1 */
    double overlap; /* share in common, from 0 to 1 */
    uint64_t functions[2], equal;
    VEC(struct report_difference) list; /* the largest effect first */
};

/* What became of an input of a merge. */
enum report_fate { REPORT_LOST, REPORT_SALVAGED, REPORT_PARTLY, REPORT_EMPTY, REPORT_HELD, REPORT_MERGED };
struct report_input {
    struct apf_str name;
    uint32_t fate; /* enum report_fate; those with losses are listed first */
    uint64_t functions, counts;
    struct apf_str why; /* n == 0: nothing was lost */
};

enum report_family { REPORT_INSTR, REPORT_SAMPLE, REPORT_BOLT, REPORT_MEMORY };

struct apf_report {
    struct arena arena;
    struct apf_str title;
    uint32_t family; /* enum report_family */
    apf_name_fn *show_name;
    void *user;
    uint64_t max_rows; /* of each table of the Markdown */
    VEC(struct report_fact) facts;
    VEC(struct report_file) files;
    VEC(struct report_name) names; /* each once */
    struct hash_index by_name;
    VEC(struct report_function) functions; /* the hottest first */
    uint64_t n_cold;                       /* functions all of whose counts are 0 */
    uint64_t n_counts, total;              /* of all functions; the sum stays at 2^64 - 1 */
    struct report_quantile quantiles[REPORT_QUANTILES];
    uint64_t powers[REPORT_POWERS];
    VEC(struct report_site) sites;   /* the hottest first */
    uint64_t n_sites;                /* all, also those that are not listed */
    VEC(struct report_frame) frames; /* the first one is the root; empty: there are no stacks */
    struct hash_index by_frame;
    uint64_t n_small_frames; /* left out */
    struct report_comparison comparison;
    VEC(struct report_input) inputs;
};

/* A sum that stays at 2^64 - 1. */
static inline uint64_t report_sum(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* The number of a name, which is copied; HASH_INDEX_NONE: memory is out. */
uint32_t report_name(struct apf_report *r, struct apf_str name);
/* The same of a function of which only the hash is known. */
uint32_t report_hash_name(struct apf_report *r, uint64_t hash);
/* The frame of a function in one of a parent, which is made if it is not there; HASH_INDEX_NONE: memory is out. */
uint32_t report_frame(struct apf_report *r, uint32_t parent, uint32_t name);
/* Adds a count to those by size, and to the totals. */
void report_count(struct apf_report *r, uint64_t count);
/* Adds a site; only the hottest ones are kept. False: memory is out. */
bool report_add_site(struct apf_report *r, const struct report_site *site) MUST_USE;
/* Adds a value to a site, of which those with the largest counts are kept. */
void report_add_value(struct report_site *site, uint64_t value, uint64_t count);
/* Adds an input of a merge, whose texts are copied. False: memory is out. */
bool report_add_input(struct apf_report *r, const struct report_input *input, const char *why) MUST_USE;
/* Puts inputs with losses first; else they stay in order. */
int report_sort_inputs(struct apf_report *r, struct apf_error *error);
/* Sorts everything, and finds what follows from it, after all functions, sites and frames are there. */
int report_finish(struct apf_report *r, struct apf_error *error);

/* Collectors. */
int report_read_facts(struct apf_report *r, const struct apf_input *inputs, size_t n, bool is_base,
                      const struct apf_options *options, struct apf_error *error);
int report_read_instr(struct apf_report *r, const struct apf_instr *instr, struct apf_error *error);
int report_compare_instr(struct apf_report *r, const struct apf_instr *base, const struct apf_instr *instr,
                         struct apf_error *error);
int report_add_diff(struct apf_report *r, const struct apf_diff *diff, struct apf_error *error);
int report_read_sample(struct apf_report *r, const struct apf_sample *sample, struct apf_error *error);
int report_compare_sample(struct apf_report *r, const struct apf_sample *base,
                          const struct apf_sample *sample, struct apf_error *error);
int report_add_sample_diff(struct apf_report *r, const struct apf_sample_diff *diff, struct apf_error *error);
int report_read_inputs(struct apf_report *r, const struct apf_merge *merge, struct apf_error *error);
int report_read_sample_inputs(struct apf_report *r, const struct apf_sample_merge *merge,
                              struct apf_error *error);

/* Writes the data of the page's script, as JSON on one line. */
int report_write_data(const struct apf_report *r, struct apf_buffer *to, struct apf_error *error);

#endif

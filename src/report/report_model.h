/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a report says: collectors fill it in, one for each family of profiles, and writers read it. */
#ifndef REPORT_REPORT_MODEL_H
#define REPORT_REPORT_MODEL_H

#include <anyprof/report.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash_index.h"
#include "base/text_memo.h"
#include "base/vec.h"

/* A text of a table: what it is about, and what it says. */
struct report_fact {
    const char *label; /* static, or in the arena */
    struct apf_str text;
};

enum report_role { REPORT_SUBJECT, REPORT_BASE, REPORT_PROGRAM };
/* A file, and the facts that `anyprof info` prints of it. */
struct report_file {
    struct apf_str name;
    size_t first_fact, n_facts;
    uint32_t kind; /* enum apf_file_kind */
    uint32_t role; /* enum report_role */
};

struct report_name {
    struct apf_str raw;
    struct apf_str shown; /* equal to raw if it is shown as it is */
    bool is_hash;         /* the name is not known: raw is the hash of it */
};

/* What the programs that were given have of a function of the profile. */
enum report_state {
    REPORT_UNCOMPARED, /* also: it cannot be compared */
    REPORT_FITS,
    REPORT_STALE,      /* of another hash or checksum, so that compilers do not use its counts */
    REPORT_FOREIGN,    /* they have no such function */
    REPORT_OTHER_BUILD /* stale, of a function that also has counts that fit */
};
#define REPORT_STATES 5u

/* A function, with all of its counts. Functions of one name and several hashes are several. */
struct report_function {
    uint32_t name;     /* number */
    uint32_t n_counts; /* counters, lines with samples, places of branches, allocation contexts */
    uint64_t hash;     /* or checksum; 0: none */
    uint64_t id;       /* LLVM's, of its name; 0: unknown */
    uint64_t total;    /* sum of its counts, which stays at 2^64 - 1 */
    uint64_t most;     /* its largest count */
    uint64_t entries;  /* how often it was entered, or allocated; of probes its copies */
    uint32_t state;    /* enum report_state */
    bool is_marked;    /* known to be hot or warm, without counts */
    bool is_twin;      /* others have the same name */
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

/* Calls from a place in the source, or from an offset or a block of the code. */
enum report_site_kind { REPORT_CALLS, REPORT_SIZES, REPORT_TYPES, REPORT_OFFSET_CALLS, REPORT_BLOCK_CALLS };
/* A value of a site: a function, a type, or the low end of a class of sizes. */
struct report_value {
    uint64_t value; /* number of a name, or bytes; UINT64_MAX: unknown */
    uint64_t count;
};
/* The most values of a site that are listed. */
#define REPORT_VALUES 8u
struct report_site {
    uint32_t function;      /* number of its name */
    uint32_t kind;          /* enum report_site_kind */
    uint64_t line;          /* or number of the site, number of the block, offset in bytes */
    uint32_t discriminator; /* or offset in the block */
    uint64_t total;
    uint64_t n_values;                         /* all of them */
    struct report_value values[REPORT_VALUES]; /* those with the largest counts, first */
};

/* A frame: a function as called, or inlined, in that of its parent. Parents have lower numbers. */
struct report_frame {
    uint32_t name, parent; /* the root is its own parent */
    uint32_t depth;
    uint64_t self, total; /* without and with the frames in it */
};
/* The most frames in each other; what is deeper counts as part of the last one. */
#define REPORT_DEPTH 250u
struct report_tree {
    VEC(struct report_frame) frames; /* the first one is the root; empty: there are no stacks */
    struct hash_index by_frame;
    uint64_t n_small; /* frames that are left out */
    uint64_t n_deep;  /* how often a frame was too deep */
};

/* ---- tables of what only some profiles have ---- */

enum report_cell_kind {
    REPORT_CELL_NAME,   /* value: number of a name; UINT64_MAX: unknown */
    REPORT_CELL_TEXT,   /* text */
    REPORT_CELL_NUMBER, /* value */
    REPORT_CELL_OFFSET, /* value, in hexadecimal digits */
    REPORT_CELL_HASH,   /* value, in 16 of them */
    REPORT_CELL_SHARE,  /* value as a share of `whole` */
    REPORT_CELL_STACK   /* calls from `value` on, `whole` of them, the innermost first; text: how many more */
};
struct report_column {
    const char *title;
    enum report_cell_kind kind;
};
struct report_cell {
    uint64_t value, whole;
    struct apf_str text; /* static, or in the arena; of cells that are numbers: n != 0: written instead */
};
/* A function in a stack. */
struct report_call {
    uint32_t name, line, column;
    bool is_inline; /* in the next one */
};
/* The most rows of a table, and the most calls of a stack in it. */
#define REPORT_ROWS 500u
#define REPORT_CALLS_SHOWN 64u
struct report_table {
    const char *title;                   /* static */
    const struct report_column *columns; /* static */
    size_t n_columns;
    VEC(struct report_cell) cells; /* row after row */
    uint64_t n_all;                /* rows, also those that are left out */
};

/* Parts of a report that are tables. */
enum report_part_kind {
    REPORT_PART_PROGRAM,  /* what of the programs has counts, and what is stale */
    REPORT_PART_SAMPLES,  /* what became of samples */
    REPORT_PART_BRANCHES, /* mispredictions */
    REPORT_PART_MEMORY,   /* allocation contexts */
    REPORT_PARTS
};
struct report_part {
    VEC(struct report_table) tables; /* empty: the part is left out */
};

enum report_change {
    REPORT_NEW = 1,
    REPORT_GONE = 2,
    REPORT_GREW = 4,
    REPORT_SHRANK = 8,
    REPORT_EDITED = 16
};
#define REPORT_CHANGES 5u
/* A function that differs between two profiles. */
struct report_difference {
    uint32_t name;
    uint32_t changes; /* enum report_change */
    double effect;    /* part of all counts that moved here */
    double share[2];  /* of all counts of its profile: before, after */
};
struct report_comparison {
    bool made;
    double moved;                       /* share of counts that moved, from 0 to 1 */
    double overlap;                     /* share in common, from 0 to 1 */
    uint64_t equal;                     /* functions */
    VEC(struct report_difference) list; /* the largest effect first */
};

/* What became of an input of a merge. */
enum report_fate { REPORT_LOST, REPORT_SALVAGED, REPORT_PARTLY, REPORT_EMPTY, REPORT_HELD, REPORT_MERGED };
struct report_input {
    struct apf_str name;
    uint32_t fate; /* enum report_fate; those with losses are listed first */
    bool is_base;  /* of what the profiles are compared with */
    uint64_t functions, counts;
    struct apf_str why; /* n == 0: nothing was lost */
};

enum report_family {
    REPORT_INSTR,
    REPORT_SAMPLE,
    REPORT_BOLT,
    REPORT_MEMORY,
    REPORT_PROBES,
    REPORT_NO_FAMILY /* of files whose family is not known */
};

struct apf_report {
    struct arena arena;
    struct apf_str title;
    uint32_t family;           /* enum report_family */
    struct apf_str failure;    /* n == 0: nothing has failed */
    VEC(struct apf_str) notes; /* sentences before the parts, each once */
    apf_name_fn *show_name;
    void *user;
    uint64_t max_rows; /* of each table of the Markdown */
    VEC(struct report_fact) facts;
    VEC(struct report_file) files;
    VEC(struct report_name) names; /* each once */
    struct hash_index by_name;
    VEC(struct report_function) functions; /* the hottest first */
    VEC(uint32_t) function_of; /* for each name its function, by report_function_of; until report_finish */
    uint64_t n_cold;           /* functions all of whose counts are 0 */
    uint64_t n_counts, total;  /* of all functions; the sum stays at 2^64 - 1 */
    struct report_quantile quantiles[REPORT_QUANTILES];
    uint64_t powers[REPORT_POWERS];
    VEC(struct report_site) sites; /* the hottest first */
    uint64_t n_sites;              /* all, also those that are not listed */
    struct report_tree stacks;     /* of counts */
    struct report_tree memory;     /* of bytes that were allocated */
    struct report_part parts[REPORT_PARTS];
    VEC(struct report_call) calls; /* of the stacks in tables */
    bool has_twins;                /* some functions are of one name, which their hashes tell apart */
    bool has_first_counters; /* entries of functions are their first counters, which may be another edge's */
    bool is_of_instructions; /* BOLT's: samples of instructions, not branches */
    bool has_states;         /* functions were compared with programs */
    bool wants_cs;           /* APF_REPORT_CS */
    bool is_of_cs;           /* its functions are context-sensitive records */
    struct report_comparison comparison;
    VEC(struct report_input) inputs;
};

/* A sum that stays at 2^64 - 1. */
static inline uint64_t report_sum(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* The number of a name, which is copied; HASH_INDEX_NONE: allocation failed. */
uint32_t report_name(struct apf_report *r, struct apf_str name);
/* The number of a name that was added; HASH_INDEX_NONE: there is no such name. */
uint32_t report_find_name(const struct apf_report *r, struct apf_str name);
/* As report_name, of a name that stays in place longer than the memo does, which is that of one profile. */
uint32_t report_name_staying(struct apf_report *r, struct text_memo *memo, struct apf_str name);
/* The same of a function of which only the hash is known. */
uint32_t report_hash_name(struct apf_report *r, uint64_t hash);
/* The frame of a function in one of a parent, which is made if it is not there; HASH_INDEX_NONE: allocation failed. */
uint32_t report_frame(struct report_tree *tree, uint32_t parent, uint32_t name);
/* The function with a name, which is made if it is not there: for profiles with one function of a name. The name may be
 * HASH_INDEX_NONE. NULL: allocation failed. */
struct report_function *report_function_of(struct apf_report *r, uint32_t name);
/* Adds a count to those by size, and to the totals. */
void report_count(struct apf_report *r, uint64_t count);
/* Adds a site; only the hottest ones are kept. False: allocation failed. */
bool report_add_site(struct apf_report *r, const struct report_site *site) MUST_USE;
/* Adds a value to a site, of which those with the largest counts are kept. */
void report_add_value(struct report_site *site, uint64_t value, uint64_t count);
/* Adds a sentence, which is copied, unless it is there. False: allocation failed. */
bool report_add_note(struct apf_report *r, const char *text) MUST_USE;
/* Notes that the program is another one than that of the profile, if none of the functions fits. False: allocation
 * failed. */
bool report_note_foreign(struct apf_report *r, uint64_t n_fitting) MUST_USE;
/* Adds an input of a merge, whose texts are copied. False: allocation failed. */
bool report_add_input(struct apf_report *r, const struct report_input *input, const char *why) MUST_USE;
/* Puts inputs with losses first; else they stay in order. */
int report_sort_inputs(struct apf_report *r, struct apf_error *error);
/* Adds the inputs of the other side of a comparison. */
int report_add_base_inputs(struct apf_report *r, const struct apf_report *base, struct apf_error *error);
/* enum report_change of a function that is in the profiles before and after, with its shares of them. */
uint32_t report_changes(bool before, bool after, const double share[2], bool is_edited);
/* Says what of an input is not in the result of a merge: REPORT_LOST_BYTES at `text`, empty if all is. */
#define REPORT_LOST_BYTES 160u
void report_say_lost(char *text, uint64_t functions, uint64_t bitmaps, uint64_t values);
/* enum report_fate of an input with the code of its result. */
uint32_t report_fate(int32_t code, bool is_salvaged, bool has_losses);
/* Begins a comparison: which share of all counts moved, and how many functions are equal. */
void report_begin_comparison(struct apf_report *r, double moved, uint64_t equal);
/* Sorts everything, and finds what follows from it, after all functions, sites and frames are there. */
int report_finish(struct apf_report *r, struct apf_error *error);
/* Leaves out the names of what was left out, after everything else. */
int report_drop_names(struct apf_report *r, struct apf_error *error);

/* Collectors. */
int report_read_facts(struct apf_report *r, const struct apf_input *inputs, size_t n, enum report_role role,
                      const struct apf_options *options, struct apf_error *error);
int report_read_instr(struct apf_report *r, const struct apf_instr *instr, struct apf_error *error);
int report_compare_instr(struct apf_report *r, const struct apf_instr *base, const struct apf_instr *instr,
                         struct apf_error *error);
int report_add_diff(struct apf_report *r, const struct apf_diff *diff, struct apf_error *error);
int report_read_sample(struct apf_report *r, const struct apf_sample *sample, struct apf_error *error);
int report_compare_sample(struct apf_report *r, const struct apf_sample *base,
                          const struct apf_sample *sample, struct apf_error *error);
int report_add_sample_diff(struct apf_report *r, const struct apf_sample_diff *diff, struct apf_error *error);
/* Compares the functions of two reports, by their shares of all counts. */
int report_compare_functions(struct apf_report *r, const struct apf_report *base, struct apf_error *error);
int report_read_inputs(struct apf_report *r, const struct apf_merge *merge, struct apf_error *error);
int report_read_sample_inputs(struct apf_report *r, const struct apf_sample_merge *merge,
                              struct apf_error *error);

/* Writes the data of the page's script, as JSON on one line. */
int report_write_data(const struct apf_report *r, struct apf_buffer *to, struct apf_error *error);

#endif

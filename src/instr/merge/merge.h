/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of a merge: merge.c makes and frees it, merge_add.c adds inputs, merge_commit.c keeps their outcomes,
 * merge_classes.c decides which inputs go together, merge_finish.c makes the views, merge_write.c writes,
 * merge_report.c reports. What merges of other files need, too, is in inputs/inputs.h. */
#ifndef INSTR_MERGE_H
#define INSTR_MERGE_H

#include "inputs/inputs.h"
#include "inputs/inputs_rosters.h"
#include "inputs/inputs_sources.h"
#include "instr/layout/releases.h"
#include "instr/merge/merge_losses.h"
#include "instr/merge/shapes.h"
#include "instr/merge/supplement.h"
#include "instr/model/memprof_model.h"
#include "instr/sums/renames.h"
#include "instr/sums/sum_table.h"
#include "instr/sums/trace_set.h"

/* A class: inputs whose kinds never contradict each other. Which classes go together is decided when all inputs are in,
 * by weight and not by order. */
enum {
    CLASS_BYTES = 1,      /* one-byte coverage: counters say whether code ran, not how often */
    CLASS_ENTRY = 2,      /* function entries only */
    CLASS_BLOCKS = 4,     /* entry-first or loop-entries instrumentation, which entries-only contradicts */
    CLASS_IR = 8,         /* IR level */
    CLASS_FRONT_END = 16, /* text that says so; other front-end profiles are in no such class */
    CLASS_COUNT = 32
};

struct memprof_choice;
struct sum_runs;

struct merge_class {
    struct sum_table *sum_table;
    struct shapes *shapes;
    VEC(struct apf_str) ids; /* binary ids, each once */
    struct hash_index id_index;
    uint64_t weight;        /* of its inputs that are not hollow */
    bool hollow;            /* it has hollow inputs */
    uint64_t extra_records; /* records of apf_merge_add_record */
    struct trace_set traces;
    struct apf_memprof *memprof; /* of the inputs of the class; NULL: none */
};

/* Kept of each input until the merge is freed, beside the entry of the same number in kept.list. */
struct merge_input {
    struct apf_input_result result; /* what the entry has, too, is copied from it: see merge_show */
    uint8_t class;
    bool hollow;      /* without counts and traces: it goes with every class */
    bool fast;        /* added by its shape, without having been read record by record */
    uint32_t roster;  /* which records it has: its number in `rosters`, or ROSTER_NONE */
    uint64_t digests; /* digest schemes among its hashes, see releases.h */
    uint64_t missing_value_data, large_counters, memprof_dropped;
    struct apf_salvage *salvage; /* the salvage of the result */
    /* ids of the salvage->nameless records whose name was not in what was salvaged */
    const uint64_t *nameless;
};

/* Partial profiles of this size are read twice rather than held. */
#define MERGE_STREAMED_BYTES ((uint64_t)32 << 20)

/* The sums as a profile, with names for some separator. */
struct merge_view {
    struct apf_instr *profile; /* NULL: not made yet */
    struct renames renames;    /* of the targets of values and traces, and, without remaps, of all names */
    struct renames keys;       /* of functions, if names are remapped */
    char separator;
};

struct apf_merge {
    /* its arrays and strings are copies; the filter's data are the caller's */
    struct apf_merge_options options;
    struct apf_options common;
    struct read_options read;
    struct name_rules rules;
    struct supplement supplement;
    pthread_mutex_t lock;         /* of symbols, new classes and the fields below; not held while reading */
    pthread_mutex_t memprof_lock; /* of memory profiles */
    struct symbols symbols;
    struct symbols vtables;
    struct merge_class classes[CLASS_COUNT];
    struct arena arena;    /* names, errors, ids */
    struct arena partials; /* of partial profiles; `lock` protects it */
    /* of single steps, which rewind it; after inputs were adopted it is empty: see merge_scratch */
    struct arena scratch;
    struct record_list records; /* empty: memory that held the records of inputs, for those of the view */
    struct inputs kept;
    VEC(struct merge_input) inputs; /* with the numbers of kept.list */
    size_t n_settled;               /* inputs that are accepted or rejected, and in the statistics */
    size_t n_partials;              /* partial profiles among the inputs that were added */
    struct inputs_sources sources;  /* whose names and sums are read when the merge is written */
    /* partial profiles of this size are read twice rather than held: MERGE_STREAMED_BYTES */
    uint64_t streamed_bytes;
    uint64_t variant;       /* of merge_set_variant */
    uint32_t accepted;      /* classes that go together, a bit each; set by merge_settle */
    struct rosters rosters; /* of inputs of partial profiles, and of all if one is to be written */
    struct lost_sums lost;  /* left out of the last view */
    struct apf_merge_stats stats;
    struct apf_memprof *memprof; /* of hollow inputs */
    /* Made by merge_finish: the view for callers, and the view that is written for a target whose names differ. */
    struct merge_view plain, renamed;
    const struct merge_view *last; /* the view that was last returned; NULL: none */
    uint32_t output_format;        /* of the last output: APF_FORMAT_INDEXED or APF_FORMAT_TEXT */
};

/* The arena for a single step. What is free in the memory that was adopted with inputs comes first. */
static inline struct arena *merge_scratch(struct apf_merge *m)
{
    return m->scratch.chunks ? &m->scratch : &m->arena;
}
/* Moves the spare memory for records to an empty profile. */
static inline void merge_lend_records(struct apf_merge *m, struct apf_instr *instr)
{
    const struct record_list none = {NULL, 0, 0};
    instr->records = m->records;
    m->records = none;
}
/* Copies to the result of an input what its entry in kept.list has: name, code, weight, error, removed. */
static inline void merge_show(struct apf_merge *m, size_t i)
{
    const struct kept_input *kept = &m->kept.list.data[i];
    struct apf_input_result *r = &m->inputs.data[i].result;
    r->name = kept->name;
    r->code = kept->code;
    r->weight = kept->weight;
    r->error = kept->error;
    r->removed = kept->removed;
    r->n_inputs = kept->n_inputs;
}
/* Whether a partial profile will be written that says which records each input has. */
static inline bool merge_wants_rosters(const struct apf_merge *m)
{
    return (m->options.flags & (APF_MERGE_PARTIAL | APF_MERGE_FORGET_INPUTS)) == APF_MERGE_PARTIAL;
}
/* Sets the limits of a merge on traces in a set that is still empty. */
void merge_trace_limits(const struct apf_merge *m, struct trace_set *t);

/* The class of a profile. */
uint8_t merge_class_of(uint64_t variant, uint32_t front_end);
/* The class, created when it is new; NULL: an allocation failed. Locks m->lock. */
struct merge_class *merge_class_get(struct apf_merge *m, uint8_t class);
/* The names of a profile in the merge's table: numbers[i] is the number of the profile's symbol i. */
struct merge_names {
    uint32_t *numbers;
    uint32_t first_new; /* numbers from here on are of names that no earlier input had */
    bool keep_text;     /* the merge's table points to names in the profile's memory */
};

/* Checks the ids of names that a reader copied from a file unchecked: most are known from other files, and need no MD5.
 * *good is false if an id is wrong; then merge_adopt_names must not follow. */
int merge_check_names(struct apf_merge *m, const struct apf_instr *instr, struct merge_names *map, bool *good,
                      struct apf_error *error);

/* Adds a profile's names to the merge's table, on any thread. If map->keep_text is set, the memory of the profile's
 * names must stay. */
int merge_adopt_names(struct apf_merge *m, struct apf_instr *instr, uint8_t class, struct merge_names *map,
                      struct apf_error *error);
/* Adds copies of names. Where an id stands for several, it means none. The caller holds the lock of the table. */
int merge_add_names(struct symbols *to, const struct symbol *names, size_t n, struct apf_error *error);
/* Finds lost names of salvaged inputs in other inputs. */
void merge_find_names(struct apf_merge *m);
/* Whether an input was read and added, whatever was decided about its class. */
bool merge_was_read(const struct merge_input *input);
/* Appends the sums of a class to a list. False: an allocation failed. */
bool merge_class_runs(const struct merge_class *c, struct sum_runs *runs) MUST_USE;
/* Decides which classes go together; inputs of the others become rejected. Looks only at new inputs, unless other
 * classes are accepted than before. */
int merge_settle(struct apf_merge *m, struct apf_error *error);
/* Makes the view with names for `separator` ('\0': as they are), unless it is there already. */
int merge_finish(struct apf_merge *m, char separator, struct apf_instr **view, struct apf_error *error);
void merge_drop_views(struct apf_merge *m);
/* Adds what sources have, and makes them the list of none. */
int merge_load_sources(struct apf_merge *m, struct apf_error *error);
/* Whether there is more than hollow inputs, after merge_settle. Then those do not say which compiler is used. */
bool merge_is_solid(const struct apf_merge *m);
/* Variant bits of all accepted inputs together. */
uint64_t merge_variant(const struct apf_merge *m);
/* Memory profiles of the accepted inputs: adds them to the view, and chooses the part that is written for a target. */
int merge_finish_memprof(struct apf_merge *m, struct apf_instr *view, struct apf_error *error);
int merge_choose_memprof(struct apf_merge *m, const struct apf_instr *view, const struct apf_write_options *o,
                         uint32_t indexed_version, struct memprof_choice *choice, struct apf_error *error);
bool merge_has_memprof(const struct apf_merge *m);

#endif

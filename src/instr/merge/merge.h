/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of a merge: merge.c its life, merge_add.c adds inputs, merge_commit.c keeps what became of them,
 * merge_classes.c decides which go together, merge_finish.c makes the views, merge_write.c writes, merge_report.c
 * reports, merge_remove.c removes inputs. */
#ifndef INSTR_MERGE_H
#define INSTR_MERGE_H

#include "instr/layout/releases.h"
#include "instr/merge/merge_losses.h"
#include "instr/merge/merge_remove.h"
#include "instr/merge/renames.h"
#include "instr/merge/shapes.h"
#include "instr/merge/sum_table.h"
#include "instr/merge/trace_set.h"
#include "instr/model/memprof_model.h"

/* Inputs that may be added to each other without looking: a class. Which classes go together is decided when
 * all are in, by what they weigh, and not by who was read first. */
enum {
    CLASS_BYTES = 1,      /* one-byte coverage: counters say whether, not how often */
    CLASS_ENTRY = 2,      /* function entries only */
    CLASS_BLOCKS = 4,     /* entry-first or loop-entries instrumentation, which entries-only contradicts */
    CLASS_IR = 8,         /* IR level */
    CLASS_FRONT_END = 16, /* text that says so; other front-end profiles go with either */
    CLASS_COUNT = 32
};

struct memprof_choice;

struct merge_class {
    struct sum_table *sum_table;
    struct shapes *shapes;
    VEC(struct apf_str) ids; /* binary ids, each once */
    struct hash_index id_index;
    uint64_t weight;        /* of its inputs */
    uint64_t extra_records; /* added one by one */
    struct trace_set traces;
    struct apf_memprof *memprof; /* of its inputs; NULL: none of them has any */
};

/* What is kept of an input for good: the result, and its part in what is decided at the end. */
struct merge_input {
    struct apf_input_result result;
    const struct merge_file *file; /* NULL: nobody asks for it later */
    const char *path;              /* to read it again; NULL: it cannot be, or need not */
    uint8_t class;
    bool memory_only; /* a memory profile without counts, which goes with every class */
    bool fast;        /* added by its shape, without having been read record by record */
    uint64_t digests; /* among its hashes, see releases.h */
    uint64_t missing_value_data, large_counters, memprof_dropped;
    struct apf_salvage *salvage; /* that of the result */
    const uint64_t
        *nameless;         /* ids of the salvage->nameless records whose name was not in what was salvaged */
    struct apf_error *why; /* of a class that was not accepted once; NULL: it always was */
};

/* The sums as a profile, with names for some separator. */
struct merge_view {
    struct apf_instr *profile; /* NULL: not made yet */
    struct renames renames;    /* of what values and traces point to, and without remaps of all names */
    struct renames keys;       /* of functions, when names are remapped */
    char separator;
};

/* What the last apf_merge_write did. */
struct merge_output {
    enum { OUTPUT_NONE, OUTPUT_WRITTEN, OUTPUT_FAILED } state;
    int32_t format;         /* APF_FORMAT_INDEXED or APF_FORMAT_TEXT */
    struct apf_str path;    /* p == NULL: there is none */
    struct apf_error error; /* when it failed */
};

struct apf_merge {
    struct apf_merge_options options; /* what it points to has been copied, but for the filter */
    struct apf_options common;
    struct apf_tolerance tolerance; /* of the options; without one nothing may be lost */
    bool has_tolerance;
    bool was_judged; /* the caller has asked for a verdict, and decides */
    struct read_options read;
    struct name_rules rules;
    pthread_mutex_t lock; /* of symbols, classes' creation and what follows; never held while reading */
    pthread_mutex_t memprof_lock; /* of memory profiles, while one is added */
    struct symbols symbols;
    struct symbols vtables;
    struct merge_class classes[CLASS_COUNT];
    struct arena arena;   /* names, errors, ids */
    struct arena scratch; /* for what one step needs: whoever takes of it rewinds it */
    VEC(struct merge_input) inputs;
    size_t n_settled;      /* of them: accepted or rejected, and in the statistics */
    uint64_t variant;      /* of merge_set_variant */
    uint32_t accepted;     /* classes that go together, a bit each; made by merge_settle */
    struct lost_sums lost; /* what the last view leaves out */
    bool broken;           /* a call failed half-way: nothing can be said any more */
    struct apf_merge_stats stats;
    struct apf_memprof *memprof;   /* of inputs that are memory profiles only */
    struct merge_removal *removal; /* NULL: the output is not known beforehand */
    /* Made by merge_finish: what callers see, and what is written for a target whose names differ. */
    struct merge_view plain, renamed;
    const struct merge_view *last; /* the one that was asked for last; NULL: there is none */
    struct merge_output output;
};

/* Limits of a merge on traces, for a set that is still empty. */
void merge_trace_limits(const struct apf_merge *m, struct trace_set *t);

/* Which class a profile belongs to. */
uint8_t merge_class_of(uint64_t variant, int front_end);
/* The class, created when it is new; NULL when memory is out. Takes the lock. */
struct merge_class *merge_class_get(struct apf_merge *m, uint8_t class);
/* The names of a profile in the merge's table: numbers[i], from malloc, is that of its symbol i. */
struct merge_names {
    uint32_t *numbers;
    uint32_t first_new; /* numbers from here on are of names nobody had brought before */
    bool keep_text;     /* the merge's table has names where the profile has them */
};

/* Checks the ids of names that a reader took from a file as they are: most are known from other files, and need no MD5.
 * *good is false when one is wrong. Then merge_adopt_names must not follow. */
int merge_check_names(struct apf_merge *m, const struct apf_instr *instr, struct merge_names *map, bool *good,
                      struct apf_error *error);

/* Puts a profile's names into the merge's table, on any thread. The memory of the profile's names must then stay if
 * that is said (map->keep_text). */
int merge_adopt_names(struct apf_merge *m, struct apf_instr *instr, uint8_t class, struct merge_names *map,
                      struct apf_error *error);
/* Finds out which names of salvaged inputs are known from others. */
void merge_find_names(struct apf_merge *m);
/* Decides which classes go together; inputs of the others become rejected. Looks at inputs that are new, and at all
 * of them only when other classes are accepted than before. */
int merge_settle(struct apf_merge *m, struct apf_error *error);
/* Makes the view with names for `separator` ('\0': as they are), unless it is there already. */
int merge_finish(struct apf_merge *m, char separator, struct apf_instr **view, struct apf_error *error);
void merge_drop_views(struct apf_merge *m);
/* As apf_merge_verdict, without a note that the caller has asked. */
int merge_verdict(const struct apf_merge *m, const struct apf_tolerance *tolerance);
/* Fails, with the first input that was lost, if more was lost than the options tolerate and the caller has not decided
 * itself. */
int merge_refuse_losses(const struct apf_merge *m, struct apf_error *error);
/* Decides what is written for an automatic or explicit target; needs the view. */
struct target_choice merge_choose(struct apf_merge *m, const struct apf_instr *view,
                                  const struct apf_target *target);
/* Variant bits of all accepted inputs together. */
uint64_t merge_variant(const struct apf_merge *m);
/* Memory profiles of the accepted inputs: in the view, and what is written of them for a target. */
int merge_finish_memprof(struct apf_merge *m, struct apf_instr *view, struct apf_error *error);
int merge_choose_memprof(struct apf_merge *m, const struct apf_instr *view, const struct apf_write_options *o,
                         uint32_t indexed_version, struct memprof_choice *choice, struct apf_error *error);
bool merge_has_memprof(const struct apf_merge *m);
/* The separator a target asks for, before there is a view. */
char merge_separator(const struct apf_merge *m, const struct apf_target *target);

#endif

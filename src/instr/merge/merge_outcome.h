/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The data that merge_add.c passes to merge_commit.c. An outcome belongs to one thread until it is committed, and needs
 * no lock. */
#ifndef INSTR_MERGE_OUTCOME_H
#define INSTR_MERGE_OUTCOME_H

#include "inputs/inputs_add.h"
#include "instr/merge/merge_partial.h"

/* Ways in which an input was added. */
enum added {
    NOT_ADDED, /* yet, or refused */
    BY_SHAPE,
    BY_NEW_SHAPE, /* the shape was learnt from the input */
    BY_RECORD
};

/* The data of one input besides its counts; committed in input order. Lists are in the arena of `common`. */
struct outcome {
    struct input_outcome common; /* first: inputs_add knows only this */
    uint64_t input;              /* input_member of it */
    enum added added;
    uint8_t class;
    uint64_t digests;
    struct apf_input_result result; /* what was read */
    uint64_t quirks[QUIRK_COUNT];
    struct apf_salvage salvage; /* set if result.salvage is */
    const uint64_t *nameless;   /* ids, salvage.nameless of them */
    const uint64_t *roster;     /* NULL, or the sorted digests of its result.n_records records */
    /* NULL, or a partial profile, whose inputs are the members of `common`; then all else but `common` is unused */
    struct merge_partial *partial;
    const struct apf_trace *traces;
    size_t n_traces;
    uint64_t trace_stream;
};

/* Whether an input that was read has nothing that depends on its kind: a memory profile, or what a program without
 * instrumented functions writes. */
static inline bool outcome_is_hollow(const struct outcome *out)
{
    return out->result.n_records == 0 && out->n_traces == 0;
}

/* Copies the info of a profile, and the totals of its records. */
void outcome_copy(struct outcome *out, const struct apf_instr *instr);
/* Copies its binary ids and traces. APF_OK, or APF_NO_MEMORY with the outcome's error. */
int outcome_copy_lists(struct outcome *out, const struct apf_instr *instr);
/* Copies its salvage, and the ids without a name. Returns as outcome_copy_lists. */
int outcome_copy_salvage(struct outcome *out, const struct apf_instr *instr);
/* Copies all this of a file whose counts were added by its shape. Returns as outcome_copy_lists. */
int outcome_copy_fast(struct outcome *out, struct shape_added *added);
/* Fills in which records a profile has. Returns as outcome_copy_lists. */
int outcome_copy_roster(struct outcome *out, const struct apf_instr *instr);
/* Fills in what the first bytes of a file say, if it was not read record by record. */
void outcome_glance(struct outcome *out, const struct file_bytes *f);
/* Marks an input as added. */
static inline void outcome_added(struct outcome *out, enum added how)
{
    out->added = how;
    out->common.fate = INPUT_ADDED;
}
/* outcome_glance that also marks the input as refused. */
void outcome_refuse(struct outcome *out, const struct file_bytes *f);

/* Keeps the outcome of the last input of m->kept.list, and reports the findings of an input that was added. */
int merge_commit(struct apf_merge *m, const struct apf_input *input, const struct outcome *out,
                 struct apf_error *error);

#endif

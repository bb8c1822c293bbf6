/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What goes from merge_add.c to merge_commit.c, and concerns nobody else. Nothing here needs a lock: an outcome is one
 * thread's until it is committed. */
#ifndef INSTR_MERGE_OUTCOME_H
#define INSTR_MERGE_OUTCOME_H

#include "instr/merge/merge.h"

/* How far an input came. */
enum added {
    NOT_ADDED, /* yet */
    REFUSED,   /* nothing of it was added, and nothing will be */
    BY_SHAPE,
    BY_NEW_SHAPE, /* that was learnt from it */
    BY_RECORD
};

/* What one input brings besides its counts; committed in input order once all of a batch are done. */
struct outcome {
    int code;
    struct apf_error error; /* when code is a failure */
    enum added added;
    uint8_t class;
    uint64_t digests;
    struct apf_input_result result; /* its weight, and what was read; ids are in the arena */
    uint64_t quirks[QUIRK_COUNT];
    struct apf_salvage salvage; /* when result.salvage says so */
    const uint64_t *nameless;   /* ids, salvage.nameless of them, in the arena */
    struct merge_file file;     /* without its path */
    struct arena *arena;        /* of what follows: that of the thread */
    const struct apf_trace *traces;
    size_t n_traces;
    uint64_t trace_stream;
    bool memory_only;
};

/* Takes over what a profile says of itself as a whole, and of its records in sum. */
void outcome_copy(struct outcome *out, const struct apf_instr *instr);
/* ... its binary ids and its traces, copied. APF_OK, or out of memory, in out->error. */
int outcome_copy_lists(struct outcome *out, const struct apf_instr *instr);
/* ... what was salvaged, and the ids that have no name; the same. */
int outcome_copy_salvage(struct outcome *out, const struct apf_instr *instr);
/* ... all this of a file whose counts were added by its shape; the same. */
int outcome_copy_fast(struct outcome *out, struct shape_added *added);
/* Takes over what the first bytes of a file say, where it was not read record by record. */
void outcome_glance(struct outcome *out, const struct file_bytes *f);
/* The same, and that nothing of it is added. */
void outcome_refuse(struct outcome *out, const struct file_bytes *f);

/* Keeps the outcome of an input that was added or refused, and tells the caller what is to be told of the input. */
int merge_commit(struct apf_merge *m, const struct apf_input *input, const struct outcome *out,
                 struct apf_error *error);

#endif

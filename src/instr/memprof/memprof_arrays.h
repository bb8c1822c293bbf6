/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lower half of memprof_write.c: which frames and call stacks a section has, their ids, and their arrays. */
#ifndef INSTR_MEMPROF_ARRAYS_H
#define INSTR_MEMPROF_ARRAYS_H

#include "instr/model/memprof_model.h"

/* The frames and stacks that records use, in the order of their first use. */
struct memprof_used {
    const struct apf_memprof *m;
    struct arena arena;        /* holds the arrays */
    uint32_t *frames, *stacks; /* numbers in the model */
    size_t n_frames, n_stacks;
    uint32_t *frame_at, *stack_at; /* for each number in the model, its place in frames or stacks */
    uint64_t *frame_ids;           /* LLVM's ids, in the order of `frames` */
    uint64_t n_path;               /* number of frames of all stacks */
};

/* Finds the frames and stacks. The caller frees u->arena, also after a failure. False: allocation failed. */
bool memprof_used_make(struct memprof_used *u, const struct apf_memprof *m) MUST_USE;
/* Makes LLVM's ids, in the order of u->stacks. False: allocation failed. */
bool memprof_stack_ids(struct memprof_used *u, uint64_t **ids) MUST_USE;

/* The two arrays of versions 3 and 4. */
struct memprof_arrays {
    uint32_t *frames;   /* numbers in the model, in the order of the array of frames */
    uint32_t *words;    /* the array of call stacks */
    uint32_t *stack_at; /* for each place in used->stacks, the word where the stack begins */
    uint64_t n_words;
};

/* Makes the arrays in u->arena. APF_NOT_REPRESENTABLE: too many words. */
int memprof_arrays_make(struct memprof_arrays *a, struct memprof_used *u, struct apf_error *error);

#endif

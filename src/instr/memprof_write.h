/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the MemProf section of an indexed profile. */
#ifndef INSTR_MEMPROF_WRITE_H
#define INSTR_MEMPROF_WRITE_H

#include "instr/memprof_model.h"

struct memprof_choice {
    unsigned version;
    uint32_t fields; /* a bit for each field that is written */
};

/* A vector, see base/vec.h. */
struct memprof_section {
    uint8_t *data;
    size_t n, capacity;
};

/* A section that begins at `start` in the file. The caller frees it (VEC_FREE), also after a failure. */
int memprof_write(struct memprof_section *section, const struct apf_memprof *m,
                  const struct memprof_choice *choice, uint64_t start, struct apf_error *error);

/* ---- among the files that write it ---- */

/* What a section has of frames and stacks: those that are used, in the order in which they are met. */
struct memprof_used {
    const struct apf_memprof *m;
    struct arena arena;
    uint32_t *frames, *stacks; /* numbers in the model */
    size_t n_frames, n_stacks;
    uint32_t *frame_at, *stack_at; /* of the model's numbers, the places here */
    uint64_t *frame_ids;           /* as LLVM makes them */
    uint64_t n_path;               /* frames of all stacks */
};

bool memprof_used_make(struct memprof_used *u, const struct apf_memprof *m);
/* ids[i] of stack i. */
bool memprof_stack_ids(struct memprof_used *u, uint64_t **ids);

/* The two arrays of versions 3 and 4. */
struct memprof_arrays {
    uint32_t *frames;   /* numbers in the model, in the order of the array */
    uint32_t *words;    /* n_words */
    uint32_t *stack_at; /* where stack i begins among these */
    uint64_t n_words;
};

/* APF_NOT_REPRESENTABLE when there are too many words. */
int memprof_arrays_make(struct memprof_arrays *a, struct memprof_used *u, struct apf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files that a partial profile is written into: one, or one for each of its slices. */
#ifndef PARTIAL_PARTIAL_SLICES_H
#define PARTIAL_PARTIAL_SLICES_H

#include "partial/partial_write.h"

struct partial_slices {
    const struct apf_output *outputs;
    struct partial_writer *files;
    struct file_out **outs;
    uint32_t n, n_open;
    bool given;             /* outs[0] is the caller's, who also completes it */
    struct apf_slice first; /* of files[0] */
};

/* What a merge whose options have a slice reads and writes. APF_ARGUMENT at "merge.slice". */
int partial_check_slice(const struct apf_slice *slice, bool partial, struct apf_error *error);
/* Begins n files, which are slices 0 to n - 1 of a partial profile, or one that is the slice `own`. APF_ARGUMENT at
 * "merge.slice": own is a slice, and n is not 1. partial_slices_close must follow, also after a failure. */
int partial_slices_open(struct partial_slices *s, const struct apf_output *outputs, uint32_t n,
                        enum partial_kind kind, const struct apf_slice *own, struct apf_error *error);
/* Likewise one file that is open already, and that partial_slices_close leaves open. */
int partial_slices_begin(struct partial_slices *s, struct file_out *out, uint32_t kind,
                         const struct apf_slice *own, struct apf_error *error);
/* What follows is of this section, in all files. */
void partial_slices_section(struct partial_slices *s, uint8_t section);
/* The number of the file that has the function with a hash, or id, of 64 bits. */
static inline uint32_t partial_slice_of(const struct partial_slices *s, uint64_t hash)
{
    return (uint32_t)((hash >> 32) * s->n >> 32);
}
/* Whether file i is, or has, slice 0: with what is of no single function. */
static inline bool partial_slice_is_first(const struct partial_slices *s, uint32_t i)
{
    return s->first.number + i == 0;
}
/* Completes the files after work that returned `code`, unless that is a failure: then, and from the first one on that
 * cannot be completed, none replaces what was there. Returns the code. */
int partial_slices_close(struct partial_slices *s, int code, struct apf_error *error);

#endif

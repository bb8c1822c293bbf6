/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names and sums in partial profiles, mostly files. They are added to a merge; or those of a merge are written into a
 * partial profile, of its memory and of the files that wait, each of which is sorted. Of each file one block is in
 * memory. */
#ifndef INSTR_MERGE_SOURCES_H
#define INSTR_MERGE_SOURCES_H

#include "instr/merge/merge.h"
#include "partial/partial_pass.h"
#include "partial/partial_slices.h"

/* Adds the names and sums of a file that was checked, on any thread. APF_IO: it is another file now. */
int merge_add_source(struct apf_merge *m, const struct inputs_source *source, struct apf_error *error);

struct merge_stream;
struct inputs_listing;

/* All zero but for the merge. */
struct merge_streams {
    struct apf_merge *merge;
    struct merge_stream *list; /* one for each source, and the merge itself last */
    uint32_t n;
    struct partial_pass pass;
    void *to;                     /* what is written: names or sums */
    VEC(const struct sum *) sums; /* of the record that is being written */
    struct apf_error *error;
};

/* Opens the sources. APF_IO: one is another file now. merge_streams_close must follow, also after a failure. */
int merge_streams_open(struct merge_streams *s, struct apf_merge *m, struct apf_error *error);
/* Write the names of functions, then those of vtables, then the sums of all classes: in this order, each once. */
int merge_streams_names(struct merge_streams *s, struct partial_slices *files, bool vtables);
int merge_streams_sums(struct merge_streams *s, struct partial_slices *files,
                       const struct inputs_listing *inputs);
void merge_streams_close(struct merge_streams *s);

#endif

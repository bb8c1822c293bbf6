/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes names and sums of a merge into a partial profile: those in its memory, and those that wait in partial
 * profiles, each of which is sorted. Of each of these one block and one record are in memory. */
#ifndef INSTR_MERGE_SOURCES_H
#define INSTR_MERGE_SOURCES_H

#include "instr/merge/merge.h"
#include "partial/partial_write.h"

struct merge_stream;

/* All zero but for the merge. */
struct merge_streams {
    struct apf_merge *merge;
    struct merge_stream *list; /* one for each source, and the merge itself last */
    uint32_t n;
    uint32_t *heap; /* of those that have more */
    size_t n_heap;
    uint32_t *taken; /* what has come out of it */
    size_t n_taken;
    VEC(const struct sum *) sums; /* of the record that is being written */
    bool failed;                  /* because of a source, which the error names */
    struct apf_error *error;
};

/* Opens the sources. APF_IO: one is another file now. merge_streams_close must follow, also after a failure. */
int merge_streams_open(struct merge_streams *s, struct apf_merge *m, struct apf_error *error);
/* Write the names of functions, then those of vtables, then the sums of all classes: in this order, each once. */
int merge_streams_names(struct merge_streams *s, struct partial_writer *file, bool vtables);
int merge_streams_sums(struct merge_streams *s, struct partial_writer *file);
void merge_streams_close(struct merge_streams *s);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides which inputs the output holds already, and removes them. base/file_journal.h says how that survives the end
 * of the process at any point. */
#ifndef INSTR_MERGE_REMOVE_H
#define INSTR_MERGE_REMOVE_H

#include "base/file.h"
#include "base/file_journal.h"

struct apf_merge;

/* A file that was an input. */
struct merge_file {
    const char *path; /* absolute; NULL: standard input, which has no path */
    struct file_identity identity;
    struct file_digest digest;
    bool through_link; /* found in a directory that was given as a symbolic link, so that it is not removed */
};

/* The state of a merge that knows its output beforehand. */
struct merge_removal {
    struct file_journal *journal;
    const char *output;       /* the caller's path */
    bool remove;              /* the inputs are removed; else the journal is only read */
    bool skip_held;           /* inputs that the output holds are skipped */
    bool troubled;            /* the journal cannot be read or locked */
    struct apf_error trouble; /* why it cannot */
    bool with_output;         /* the output is one of the inputs */
    bool written;             /* the journal has a block for the new output */
    bool renamed;             /* the new output has been renamed */
    bool done;                /* the inputs were removed */
    bool left;                /* some inputs are still there, and the next merge must skip them */
    bool unsynced;            /* the removals may not be durable */
    const char *top; /* the directory in which the last input was found, as it was given; may be NULL */
    bool top_is_link;
};

/* Reads the journal when a merge begins, if an output was named. */
int merge_removal_open(struct apf_merge *m, struct apf_error *error);
void merge_removal_close(struct apf_merge *m);

/* Decides, before inputs are added, whether those that the output holds are skipped. */
int merge_removal_check(struct apf_merge *m, const struct apf_input *inputs, size_t n,
                        struct apf_error *error);
/* Whether the output holds an input already, which was read or does not exist. For any thread. */
bool merge_removal_holds(const struct merge_removal *r, const struct apf_input *input,
                         const struct merge_file *file);
/* False for an input whose absolute path is too long for the system: it could be read, but not removed, so that it
 * would count again in the next merge. For any thread. */
bool merge_removal_reaches(const struct merge_removal *r, const struct apf_input *input,
                           const struct merge_file *file);
/* The votes of an input with a weight where records do not go together: an input that is added to an output must not
 * outvote the counts in it. */
uint64_t merge_removal_votes(const struct merge_removal *r, const struct merge_file *file, uint64_t weight);
/* Whether digests of inputs are needed. */
bool merge_removal_digests(const struct apf_merge *m);
/* Keeps the identity of a file, if it is needed at the end; *kept belongs to the merge. `held`: the output holds the
 * file. */
int merge_removal_keep(struct apf_merge *m, const struct apf_input *input, const struct merge_file *file,
                       bool held, const struct merge_file **kept, struct apf_error *error);

/* Removes inputs that the output holds already, before the output is opened. *nothing: no other work is left. */
int merge_removal_begin(struct apf_merge *m, const struct apf_output *output, bool *nothing,
                        struct apf_error *error);
/* Whether the output must be on the disk when it is closed. */
bool merge_removal_syncs(const struct apf_merge *m);
/* Appends a block to the journal, after the output is written and before it is renamed. */
int merge_removal_prepare(struct apf_merge *m, const struct apf_output *output, struct file_out *out,
                          struct apf_error *error);
/* Removes the inputs that were merged, after the renaming. */
int merge_removal_finish(struct apf_merge *m, const struct apf_output *output, struct apf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides which inputs the output holds already, and removes inputs that were merged. base/file_journal.h says how that
 * survives the end of the process at any point.
 *
 * inputs_open, inputs_add, inputs_write and inputs_close call all of this; a room that merges needs only
 * inputs_removal_votes. removal_journal.c opens, writes and closes the journal, removal_skip.c decides about inputs
 * while they are read, removal_finish.c removes them. */
#ifndef INPUTS_REMOVAL_H
#define INPUTS_REMOVAL_H

#include "base/file_journal.h"
#include "inputs/inputs.h"

/* The state of a merge that knows its output beforehand. */
struct inputs_removal {
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

/* ---- for rooms that merge ---- */

/* The votes of an input with a weight where inputs contradict each other: an input that is added to an output must not
 * outvote the counts in it, so that the output itself has 2^64-1 votes if inputs are removed. For any thread. */
uint64_t inputs_removal_votes(const struct inputs *in, const struct input_file *file, uint64_t weight);

/* Whether all inputs that are read are taken, so that none is rejected because its kind contradicts that of others: the
 * output is a partial profile, and inputs are removed. */
bool inputs_all_are_taken(const struct inputs *in);

/* ---- the journal ---- */

/* Reads the journal when a merge begins, if an output was named. */
int inputs_removal_open(struct inputs *in, const char *output, bool remove, struct apf_error *error);
void inputs_removal_close(struct inputs *in);
/* Whether the output must be on the disk when it is closed. */
bool inputs_removal_syncs(const struct inputs *in);
/* Appends a block to the journal, after the output is written and before it is renamed. */
int inputs_removal_prepare(struct inputs *in, const struct apf_output *output, struct file_out *out,
                           struct apf_error *error);

/* ---- while inputs are read ---- */

/* Decides, before inputs are added, whether those that the output holds are skipped. */
int inputs_removal_check(struct inputs *in, const struct apf_input *inputs, size_t n,
                         struct apf_error *error);
/* Whether the output holds an input already, which was read or does not exist. For any thread. */
bool inputs_removal_holds(const struct inputs *in, const struct apf_input *input,
                          const struct input_file *file);
/* False for an input whose absolute path is too long for the system: it could be read, but not removed, so that it
 * would count again in the next merge. For any thread. */
bool inputs_removal_reaches(const struct inputs *in, const struct apf_input *input,
                            const struct input_file *file);
/* Whether digests of inputs are needed. */
bool inputs_removal_digests(const struct inputs *in);
/* Keeps the identity of the file of the next input in the list, if it is needed at the end; *kept belongs to the merge.
 * `held`: the output holds the file. */
int inputs_removal_keep(struct inputs *in, const struct apf_input *input, const struct input_file *file,
                        bool held, const struct input_file **kept, struct apf_error *error);

/* ---- around the output ---- */

/* Removes inputs that the output holds already, before the output is opened. *nothing: no other work is left. */
int inputs_removal_begin(struct inputs *in, const struct apf_output *output, bool *nothing,
                         struct apf_error *error);
/* Removes the inputs that were merged, after the renaming. */
int inputs_removal_finish(struct inputs *in, const struct apf_output *output, struct apf_error *error);

#endif

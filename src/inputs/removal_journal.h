/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the sources of inputs_removal.h share. */
#ifndef INPUTS_REMOVAL_JOURNAL_H
#define INPUTS_REMOVAL_JOURNAL_H

#include "inputs/inputs_removal.h"

/* Whether a file is the old output. */
bool removal_is_output(const struct inputs_removal *r, const struct file_identity *id);
/* Whether an input is another name of the old output. A symbolic link means the new output by now. */
bool removal_is_hard_link(const struct inputs_removal *r, const struct input_file *file);
/* The code of the file of entry i: a partial profile was added, whatever its inputs were. */
int removal_code(const struct inputs *in, size_t i);
/* Whether something of merged input i is, or may be, left out of the output. */
bool removal_is_lossy(const struct inputs *in, size_t i);
/* The weight with which the output itself was added; 0: it is no input. */
uint64_t removal_weight_of_output(const struct inputs *in);
/* Whether an output is the one that was named when the merge was made. */
bool removal_is_named(const struct inputs_removal *r, const struct apf_output *output);
/* Whether two paths of files lead through the same directory. */
bool removal_same_directory(const char *a, const char *b);
/* Whether a file that the old output held is still there, or may come back after a loss of power: it may be an input of
 * a later merge, although it is none of this one. */
bool removal_leaves_held(const struct inputs *in);
/* Closes the journal, and removes it unless it is still needed. */
void removal_close_journal(struct inputs *in, bool needed);

#endif

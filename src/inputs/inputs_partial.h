/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of an input, in a partial profile: the part that is the same for all kinds of inputs. */
#ifndef INPUTS_INPUTS_PARTIAL_H
#define INPUTS_INPUTS_PARTIAL_H

#include "inputs/inputs.h"
#include "partial/partial_read.h"
#include "partial/partial_write.h"

/* The section of inputs; a record begins with these fields, and those of the room follow. */
#define PARTIAL_INPUTS 10u

/* What an error says of an input of a merge of slices that is none. */
#define PARTIAL_IS_NO_SLICE "it is no slice of a partial profile"
/* Why a weight is refused. */
#define PARTIAL_HAS_WEIGHTS "the inputs of a partial profile have their weights already"

/* Appends name, code, weight, error and damage of an input to the present record. */
void partial_write_kept(struct partial_writer *file, const struct kept_input *kept);
/* Reads them from the present record. Texts and errors are in the arena. APF_BAD_PARTIAL, APF_NO_MEMORY. */
int partial_read_kept(struct partial_reader *file, struct arena *arena, struct kept_input *kept,
                      struct apf_error *error);

/* Checks the slice of a file against the one of the merge's options. *slice becomes all zero if the merge gets no other
 * one of its profile: the file is an input by itself. Else the sums of the file, which is input *given, are
 * of the inputs in the first slice, whose number *given becomes. APF_UNSUPPORTED. */
int partial_take_slice(struct apf_slice *slice, const struct apf_slice *wanted, size_t *given,
                       struct apf_error *error);

/* Of a merge that has added nothing but one partial profile, which is opened as a profile: the error of the first
 * input, or `code` if it has none. Returns the code of the error. */
int partial_first_error(const struct inputs *in, int code, struct apf_error *error);
/* Reports the inputs that were lost when it was made, by the options of the caller who opens it. APF_STOPPED. */
int partial_report_lost(const struct inputs *in, const struct apf_options *options, struct apf_error *error);

/* An error that is part of a record. */
void partial_write_error(struct partial_writer *file, const struct apf_error *e);
int partial_read_error(struct partial_reader *file, struct arena *arena, struct apf_error *e,
                       struct apf_error *error);

#endif

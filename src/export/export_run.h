/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An export that is being written: stacks come from a source, one after the other, and a writer for each format turns
 * them into bytes. Writers know nothing of profiles, sources nothing of formats.
 *
 * Nothing is kept of a stack: a writer that needs all of them twice walks the source twice. */
#ifndef EXPORT_EXPORT_RUN_H
#define EXPORT_EXPORT_RUN_H

#include <anyprof/export.h>

#include "base/file.h"
#include "export/export_names.h"

struct export_run {
    const struct apf_export_source *source;
    const struct apf_export_options *options;
    struct file_out *out;
    struct export_names names;
    struct apf_export_result *result;
    struct apf_error *error; /* filled in by whatever returns a code, but for an output that has failed */
    uint64_t packed;         /* of an output that is compressed: bytes before compression */
};

/* Whether the output may go on: APF_LIMIT if it is larger than the options allow, or will be with `ahead` bytes that
 * the writer knows of; APF_IO, without an error, if a write has failed. */
int export_check_output(struct export_run *run, uint64_t ahead);
/* Walks the stacks of a run. After each stack the output is checked, so that a full disk, a closed pipe or the limit
 * ends the walk. */
int export_walk(struct export_run *run, bool by_line, apf_export_stack_fn *stack, void *writer);
/* Whether all numbers of a stack are 0. */
bool export_is_zero(const struct export_run *run, const struct apf_export_stack *stack);
/* Sets the name of a frame in formats that join functions by their names. */
int export_joined_name(struct export_run *run, const struct apf_export_frame *frame, struct apf_str *shown);
/* Counts a stack that is written. */
void export_count_stack(struct export_run *run, const struct apf_export_stack *stack);
/* Appends a colon and the line of a frame, if it is known. */
void export_put_line(struct export_run *run, const struct apf_export_frame *frame);

#endif

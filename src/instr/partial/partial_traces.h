/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Temporal traces in partial profiles: for each class a set, whose groups are sorted. */
#ifndef INSTR_PARTIAL_TRACES_H
#define INSTR_PARTIAL_TRACES_H

#include "instr/sums/trace_set.h"
#include "partial/partial_read.h"
#include "partial/partial_write.h"

#define PARTIAL_TRACES 70u

/* Writes a set that has inputs. Groups that cannot stay are dropped first. */
int partial_write_traces(struct partial_writer *file, uint32_t class, struct trace_set *t,
                         struct apf_error *error);
/* Reads the next set, if *more, into an empty one with the limits that are wanted; trace_set_free must follow, also
 * after a failure. APF_BAD_PARTIAL, APF_NO_MEMORY. */
int partial_read_traces(struct partial_reader *file, uint32_t *class, struct trace_set *t, bool *more,
                        struct apf_error *error);

#endif

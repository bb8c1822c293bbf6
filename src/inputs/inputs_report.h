/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report on a merge as JSON: its frame, and the entries that are the same for all kinds of inputs; docs/json.md
 * describes them. */
#ifndef INPUTS_REPORT_H
#define INPUTS_REPORT_H

#include "base/json_write.h"
#include "inputs/inputs.h"

/* What a room writes. `merge` is inputs.merge. */
struct inputs_reporter {
    const char *schema; /* such as "anyprof-merge-report/1" */
    /* Writes the entries after the conclusion: totals, the result, the output. */
    void (*totals)(const void *merge, struct json_writer *w);
    /* Writes the entries of input i between "error" and "removed", "weight" among them. */
    void (*input)(const void *merge, size_t i, struct json_writer *w);
};

/* Writes the report: head, conclusion ("verdict", "error", "failure_mode", "max_loss"), the totals of the room, and
 * "inputs", each with "path", "verdict" and "error", the entries of the room, and "removed". `tolerance` is the one
 * that decided about the output; NULL: nothing may be lost. APF_ARGUMENT if the merge is broken. */
int inputs_report(const struct inputs *in, const struct inputs_reporter *reporter,
                  const struct apf_tolerance *tolerance, const struct apf_output *output,
                  struct apf_error *error);

#endif

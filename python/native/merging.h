/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What merges of both kinds share. */
#ifndef PYTHON_MERGING_H
#define PYTHON_MERGING_H

#include "calls.h"

/* How many inputs are added at once, so that an interrupt is noticed between them; a multiple of the number of threads
 * that most machines have. */
#define MERGE_BATCH 64

/* The settings of a merge, as the package passes them: target, format, layout, write_flags, merge_flags, mode,
 * max_loss, report, at_once. */
struct merge_settings {
    const char *target; /* NULL: auto */
    uint32_t format, layout, write_flags, merge_flags;
    struct apf_tolerance tolerance;
    int report; /* also make the report */
    int at_once; /* add all inputs in one call: slices of a partial profile, and the output, must be together */
};
bool merge_settings_take(struct merge_settings *settings, PyObject *tuple);
/* How many inputs to add in the next call, of those that are left. */
size_t merge_batch(const struct merge_settings *settings, size_t left);

/* After a batch of inputs was added: adds up the progress, and looks for signals. False: an exception is set. */
bool merge_batch_done(struct call *call);

/* An output that nothing is kept of, for the error with which a merge is refused. */
int merge_discard(void *user, const void *p, size_t n);

/* The result of a merge: (inputs, totals, written, profile, report). Each of them may be NULL, which is an exception
 * that is set; steals the references. */
PyObject *merge_result(PyObject *inputs, PyObject *totals, PyObject *written, PyObject *profile,
                       PyObject *report);
/* Adds `inputs` and `totals`, of which it steals the references, to the exception that is set, an Error of the
 * library. */
void merge_failed(PyObject *inputs, PyObject *totals);

#endif

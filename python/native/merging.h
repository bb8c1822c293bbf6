/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What merges of both kinds share. */
#ifndef PYTHON_MERGING_H
#define PYTHON_MERGING_H

#include "calls.h"

/* The settings of a merge, as the package passes them: target, format, layout, write_flags, merge_flags, mode,
 * max_loss, report, and, if it has so many, remaps and prefix_maps. */
struct merge_settings {
    const char *target; /* NULL: auto */
    uint32_t format, layout, write_flags, merge_flags;
    struct apf_tolerance tolerance;
    int report; /* also make the report */
    struct name_list remaps, prefix_maps;
};
/* merge_settings_drop must follow either way. */
bool merge_settings_take(struct merge_settings *settings, PyObject *tuple);
void merge_settings_drop(struct merge_settings *settings);

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

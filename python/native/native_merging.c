/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What merges of both kinds share. */
#include "merging.h"

#include <string.h>

bool merge_settings_take(struct merge_settings *s, PyObject *tuple)
{
    memset(s, 0, sizeof *s);
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "the settings must be a tuple");
        return false;
    }
    PyObject *remaps = NULL, *prefix_maps = NULL;
    return PyArg_ParseTuple(tuple, "zO&O&O&O&O&O&p|OO", &s->target, to_u32, &s->format, to_u32, &s->layout,
                            to_u32, &s->write_flags, to_u32, &s->merge_flags, to_u32, &s->tolerance.mode,
                            to_u32, &s->tolerance.max_loss, &s->report, &remaps, &prefix_maps) &&
           (!remaps || changes_take(&s->remaps, remaps)) &&
           (!prefix_maps || changes_take(&s->prefix_maps, prefix_maps));
}

void merge_settings_drop(struct merge_settings *s)
{
    names_drop(&s->remaps);
    names_drop(&s->prefix_maps);
}

int merge_discard(void *user, const void *p, size_t n)
{
    (void)user;
    (void)p;
    (void)n;
    return 0;
}

PyObject *merge_result(PyObject *inputs, PyObject *totals, PyObject *written, PyObject *profile,
                       PyObject *report)
{
    if (inputs && totals && written && profile && report)
        return Py_BuildValue("(NNNNN)", inputs, totals, written, profile, report);
    Py_XDECREF(inputs);
    Py_XDECREF(totals);
    Py_XDECREF(written);
    Py_XDECREF(profile);
    Py_XDECREF(report);
    return NULL;
}

void merge_failed(PyObject *inputs, PyObject *totals)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && inputs && totals &&
        (PyObject_SetAttrString(value, "inputs", inputs) < 0 ||
         PyObject_SetAttrString(value, "totals", totals) < 0))
        PyErr_Clear(); /* the error itself matters more */
    PyErr_Restore(type, value, trace);
    Py_XDECREF(inputs);
    Py_XDECREF(totals);
}

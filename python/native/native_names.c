/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Changes of names, and lists of paths, as the package passes them. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"

void names_drop(struct name_list *list)
{
    free(list->changes);
    free((void *)list->paths);
}

static bool take_bytes(PyObject *bytes, struct apf_str *text)
{
    char *p;
    Py_ssize_t n;
    if (PyBytes_AsStringAndSize(bytes, &p, &n) < 0)
        return false;
    *text = (struct apf_str){p, (size_t)n};
    return true;
}

bool changes_take(struct name_list *list, PyObject *tuple)
{
    memset(list, 0, sizeof *list);
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "changes of names must be a tuple");
        return false;
    }
    list->n = (size_t)PyTuple_Size(tuple);
    list->changes = (struct apf_name_change *)calloc(list->n + 1, sizeof *list->changes);
    if (!list->changes) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < list->n; i++) {
        PyObject *from, *to, *pair = PyTuple_GetItem(tuple, (Py_ssize_t)i);
        if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "OO", &from, &to) ||
            !take_bytes(from, &list->changes[i].from) || !take_bytes(to, &list->changes[i].to)) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "a change of names must be a tuple");
            return false;
        }
    }
    return true;
}

bool paths_take(struct name_list *list, PyObject *tuple)
{
    memset(list, 0, sizeof *list);
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "paths must be a tuple");
        return false;
    }
    list->n = (size_t)PyTuple_Size(tuple);
    list->paths = (const char **)calloc(list->n + 1, sizeof *list->paths);
    if (!list->paths) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < list->n; i++) {
        char *p;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(tuple, (Py_ssize_t)i), &p, NULL) < 0)
            return false;
        list->paths[i] = p;
    }
    return true;
}

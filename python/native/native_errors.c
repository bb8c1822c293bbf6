/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Errors of the library as exceptions. The classes are written in Python: anyprof/_errors.py. */
#include <string.h>

#include "calls.h"

/* Calls a function of anyprof._errors; steals the reference to the arguments, which may be NULL. */
static PyObject *call_errors(const char *function, PyObject *args)
{
    PyObject *module = args ? PyImport_ImportModule("anyprof._errors") : NULL;
    PyObject *callable = module ? PyObject_GetAttrString(module, function) : NULL;
    PyObject *result = callable ? PyObject_CallObject(callable, args) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(callable);
    Py_XDECREF(args);
    return result;
}

PyObject *code_object(int code)
{
    return call_errors("code_of", Py_BuildValue("(i)", code));
}

PyObject *error_object(const struct apf_error *e)
{
    PyObject *offset = e->offset == UINT64_MAX ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(e->offset);
    if (!offset)
        return NULL;
    PyObject *message = text_str((struct apf_str){e->message, strlen(e->message)});
    PyObject *file = text_or_none((struct apf_str){e->file, strlen(e->file)});
    if (!message || !file) {
        Py_DECREF(offset);
        Py_XDECREF(message);
        Py_XDECREF(file);
        return NULL;
    }
    return call_errors("make", Py_BuildValue("(iNsNKKKIIiIN)", (int)e->code, message, e->where, offset,
                                             (unsigned long long)e->found, (unsigned long long)e->expected,
                                             (unsigned long long)e->input, (unsigned int)e->line,
                                             (unsigned int)e->column, (int)e->sys_errno,
                                             (unsigned int)e->subject, file));
}

PyObject *raise_error(const struct apf_error *error)
{
    PyObject *exception = error_object(error);
    if (exception) {
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        Py_DECREF(exception);
    }
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Objects, text, numbers and guards. */
#include "native.h"

int native_add_type(PyObject *module, struct native *native, enum type_kind kind, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (!type)
        return -1;
    native->types[kind] = (PyTypeObject *)type;
    return PyModule_AddType(module, native->types[kind]);
}

PyObject *native_new(const struct native *native, enum type_kind kind)
{
    PyTypeObject *type = native->types[kind];
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return alloc(type, 0);
}

void native_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

int native_is_true(PyObject *self)
{
    (void)self;
    return 1;
}

PyObject *native_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyErr_Format(PyExc_TypeError, "%R cannot be copied or pickled", (PyObject *)Py_TYPE(self));
    return NULL;
}

PyObject *delegate(PyObject *self, PyObject *args, PyObject *kwargs, const char *function)
{
    PyObject *module = PyImport_ImportModule("anyprof._methods");
    PyObject *callable = module ? PyObject_GetAttrString(module, function) : NULL;
    PyObject *first = callable ? PyTuple_Pack(1, self) : NULL;
    PyObject *all = first ? PySequence_Concat(first, args) : NULL;
    PyObject *result = all ? PyObject_Call(callable, all, kwargs) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(callable);
    Py_XDECREF(first);
    Py_XDECREF(all);
    return result;
}

/* ---- text and numbers ---- */

PyObject *text_str(struct apf_str text)
{
    return PyUnicode_DecodeUTF8(text.p ? text.p : "", (Py_ssize_t)text.n, "surrogateescape");
}

PyObject *text_or_none(struct apf_str text)
{
    if (text.n == 0)
        Py_RETURN_NONE;
    return text_str(text);
}

PyObject *text_bytes(PyObject *name, struct apf_str *text)
{
    PyObject *bytes;
    char *p;
    Py_ssize_t n;
    if (PyUnicode_Check(name)) {
        bytes = PyUnicode_AsEncodedString(name, "utf-8", "surrogateescape");
    } else if (PyBytes_Check(name)) {
        bytes = Py_NewRef(name);
    } else {
        PyErr_Format(PyExc_TypeError, "a name must be str or bytes, not %R", (PyObject *)Py_TYPE(name));
        return NULL;
    }
    if (!bytes || PyBytes_AsStringAndSize(bytes, &p, &n) < 0) {
        Py_XDECREF(bytes);
        return NULL;
    }
    *text = (struct apf_str){p, (size_t)n};
    return bytes;
}

int to_u64(PyObject *number, void *to)
{
    PyObject *index = PyNumber_Index(number); /* no floating point numbers */
    if (!index)
        return 0;
    const unsigned long long value = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (value == (unsigned long long)-1 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_Format(PyExc_OverflowError, "%R is not a number from 0 to 2**64 - 1", number);
        return 0;
    }
    *(uint64_t *)to = value;
    return 1;
}

int to_u32(PyObject *number, void *to)
{
    uint64_t value;
    if (!to_u64(number, &value))
        return 0;
    if (value > UINT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "%R is not a number from 0 to 2**32 - 1", number);
        return 0;
    }
    *(uint32_t *)to = (uint32_t)value;
    return 1;
}

/* ---- guards ---- */

bool guard_is_free(const struct guard *guard, const char *what)
{
    if (guard->calls == 0)
        return true;
    PyErr_Format(PyExc_RuntimeError, "another thread, or a callback's caller, is using this %s", what);
    return false;
}

bool guard_may_close(const struct guard *guard, const char *what)
{
    if (guard->exports == 0)
        return guard_is_free(guard, what);
    PyErr_Format(PyExc_BufferError, "cannot close this %s: %zd of its buffers are still in use", what,
                 guard->exports);
    return false;
}

PyObject *closed_error(const char *what)
{
    PyErr_Format(PyExc_ValueError, "this %s is closed", what);
    return NULL;
}

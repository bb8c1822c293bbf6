/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The iterator over the things of any object. */
#include "native.h"

struct iterator_object {
    PyObject_HEAD PyObject *owner; /* NULL: the end was reached */
    next_fn *next;
    uint64_t i;
};

PyObject *iterator_new(const struct native *native, PyObject *owner, next_fn *next)
{
    struct iterator_object *iterator = (struct iterator_object *)native_new(native, TYPE_ITERATOR);
    if (!iterator)
        return NULL;
    iterator->owner = Py_NewRef(owner);
    iterator->next = next;
    return (PyObject *)iterator;
}

static void iterator_dealloc(PyObject *self)
{
    PyObject *owner = ((struct iterator_object *)self)->owner;
    native_free(self);
    Py_XDECREF(owner);
}

static PyObject *iterator_next(PyObject *self)
{
    struct iterator_object *iterator = (struct iterator_object *)self;
    if (!iterator->owner)
        return NULL;
    /* Making an item may run code that comes back to this iterator. */
    PyObject *owner = Py_NewRef(iterator->owner);
    PyObject *item = iterator->next(owner, &iterator->i);
    if (!item && !PyErr_Occurred())
        Py_CLEAR(iterator->owner);
    Py_DECREF(owner);
    return item;
}

static PyMethodDef methods[] = {
    NO_COPIES,
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "An iterator."},
    {Py_tp_dealloc, (void *)iterator_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_iter, (void *)PyObject_SelfIter},
    {Py_tp_iternext, (void *)iterator_next},
    {0, NULL},
};

static PyType_Spec spec = {"anyprof._anyprof.Iterator", (int)sizeof(struct iterator_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};

int iterator_add(PyObject *module, struct native *native)
{
    return native_add_type(module, native, TYPE_ITERATOR, &spec);
}

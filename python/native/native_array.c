/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof.Array: numbers in the memory of a profile. It is looked at like a sequence, and gives its memory to others
 * through the buffer protocol. A buffer keeps the profile from being closed; the array itself does not. */
#include "native.h"

struct array_object {
    PyObject_HEAD struct array_owner owner; /* with a reference to the object */
    const void *data;
    Py_ssize_t n;
    Py_ssize_t item_size; /* 8 or 1 */
};

static const uint64_t nothing = 0; /* where an empty buffer is */

PyObject *array_new(const struct native *native, const struct array_owner *owner, const void *data, size_t n,
                    size_t item_size)
{
    struct array_object *array = (struct array_object *)native_new(native, TYPE_ARRAY);
    if (!array)
        return NULL;
    array->owner = *owner;
    Py_INCREF(owner->object);
    array->data = n ? data : &nothing;
    array->n = (Py_ssize_t)n;
    array->item_size = (Py_ssize_t)item_size;
    return (PyObject *)array;
}

static void array_dealloc(PyObject *self)
{
    PyObject *owner = ((struct array_object *)self)->owner.object;
    native_free(self);
    Py_XDECREF(owner);
}

static bool array_is_open(const struct array_object *array)
{
    if (array->owner.is_open(array->owner.object))
        return true;
    closed_error("array's profile");
    return false;
}

static Py_ssize_t array_length(PyObject *self)
{
    const struct array_object *array = (const struct array_object *)self;
    return array_is_open(array) ? array->n : -1;
}

static PyObject *array_item(PyObject *self, Py_ssize_t i)
{
    const struct array_object *array = (const struct array_object *)self;
    if (!array_is_open(array))
        return NULL;
    if (i < 0 || i >= array->n) {
        PyErr_SetString(PyExc_IndexError, "array index out of range");
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(array->item_size == 1 ? ((const uint8_t *)array->data)[i]
                                                             : ((const uint64_t *)array->data)[i]);
}

static PyObject *array_slice(PyObject *self, Py_ssize_t from, Py_ssize_t step, Py_ssize_t n)
{
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; list && i < n; i++) {
        PyObject *item = array_item(self, from + i * step);
        if (!item || PyList_SetItem(list, i, item) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *array_subscript(PyObject *self, PyObject *key)
{
    const Py_ssize_t n = array_length(self);
    Py_ssize_t from, to, step;
    if (n < 0)
        return NULL;
    if (PySlice_Check(key)) {
        if (PySlice_Unpack(key, &from, &to, &step) < 0)
            return NULL;
        const Py_ssize_t length = PySlice_AdjustIndices(n, &from, &to, step);
        return array_slice(self, from, step, length);
    }
    if (!PyIndex_Check(key)) {
        PyErr_Format(PyExc_TypeError, "array indices must be integers or slices, not %R",
                     (PyObject *)Py_TYPE(key));
        return NULL;
    }
    const Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred())
        return NULL;
    return array_item(self, i < 0 ? i + n : i);
}

static PyObject *array_tolist(PyObject *self, PyObject *unused)
{
    (void)unused;
    const Py_ssize_t n = array_length(self);
    return n < 0 ? NULL : array_slice(self, 0, 1, n);
}

static PyObject *array_next(PyObject *self, uint64_t *i)
{
    const struct array_object *array = (const struct array_object *)self;
    if (!array_is_open(array) || *i >= (uint64_t)array->n)
        return NULL;
    return array_item(self, (Py_ssize_t)(*i)++);
}

static PyObject *array_iter(PyObject *self)
{
    return iterator_new(native_of(self), self, array_next);
}

/* Equal to another array, a list or a tuple of the same numbers. */
static PyObject *array_compare(PyObject *self, PyObject *other, int op)
{
    PyObject *mine, *others, *result = NULL;
    if ((op != Py_EQ && op != Py_NE) ||
        !(PyList_Check(other) || PyTuple_Check(other) || Py_TYPE(other) == Py_TYPE(self)))
        Py_RETURN_NOTIMPLEMENTED;
    mine = array_tolist(self, NULL);
    others = mine ? PySequence_List(other) : NULL;
    if (others)
        result = PyObject_RichCompare(mine, others, op);
    Py_XDECREF(mine);
    Py_XDECREF(others);
    return result;
}

static PyObject *array_repr(PyObject *self)
{
    const struct array_object *array = (const struct array_object *)self;
    if (!array->owner.is_open(array->owner.object))
        return PyUnicode_FromString("<anyprof.Array of a closed profile>");
    if (array->n > 12)
        return PyUnicode_FromFormat("<anyprof.Array of %zd numbers>", array->n);
    PyObject *list = array_tolist(self, NULL);
    PyObject *text = list ? PyUnicode_FromFormat("anyprof.Array(%R)", list) : NULL;
    Py_XDECREF(list);
    return text;
}

/* ---- the buffer ---- */

static int array_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    static char wide[] = "Q", narrow[] = "B";
    struct array_object *array = (struct array_object *)self;
    view->obj = NULL;
    if (!array_is_open(array)) {
        PyErr_Clear();
        PyErr_SetString(PyExc_BufferError, "this array's profile is closed");
        return -1;
    }
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "an array of a profile is read-only");
        return -1;
    }
    view->buf = (void *)(uintptr_t)array->data;
    view->len = array->n * array->item_size;
    view->readonly = 1;
    view->itemsize = array->item_size;
    view->format = (flags & PyBUF_FORMAT) ? (array->item_size == 1 ? narrow : wide) : NULL;
    view->ndim = 1;
    view->shape = (flags & PyBUF_ND) ? &array->n : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &array->item_size : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    view->obj = Py_NewRef(self);
    array->owner.guard->exports++;
    return 0;
}

static void array_releasebuffer(PyObject *self, Py_buffer *view)
{
    (void)view;
    ((struct array_object *)self)->owner.guard->exports--;
}

static PyMethodDef methods[] = {
    {"tolist", array_tolist, METH_NOARGS, "tolist($self, /)\n--\n\nThe numbers as a list, which is a copy."},
    NO_COPIES,
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Numbers in the memory of a profile, read-only.\n\n"
     "It has a length, indices, slices (lists) and iteration, and equals lists and tuples of the\n"
     "same numbers. memoryview() and numpy.asarray() take its memory without a copy; as long as such\n"
     "a buffer exists, the profile cannot be closed (BufferError)."},
    {Py_tp_dealloc, (void *)array_dealloc},
    {Py_tp_repr, (void *)array_repr},
    {Py_tp_richcompare, (void *)array_compare},
    {Py_tp_hash, (void *)PyObject_HashNotImplemented},
    {Py_tp_iter, (void *)array_iter},
    {Py_tp_methods, methods},
    {Py_sq_length, (void *)array_length},
    {Py_sq_item, (void *)array_item},
    {Py_mp_length, (void *)array_length},
    {Py_mp_subscript, (void *)array_subscript},
    {Py_bf_getbuffer, (void *)array_getbuffer},
    {Py_bf_releasebuffer, (void *)array_releasebuffer},
    {0, NULL},
};

static PyType_Spec spec = {"anyprof.Array", (int)sizeof(struct array_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};

int array_add(PyObject *module, struct native *native)
{
    return native_add_type(module, native, TYPE_ARRAY, &spec);
}

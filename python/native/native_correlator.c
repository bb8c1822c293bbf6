/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that complete raw profiles whose metadata stayed in them. The package makes such an object for one call of
 * open() or merge(), and passes it among the options. */
#include <anyprof/correlate.h>

#include "calls.h"

struct correlator_object {
    PyObject_HEAD struct apf_correlator *correlator;
};

bool correlator_source(const struct native *native, PyObject *correlator,
                       const struct apf_correlation_source **source)
{
    *source = NULL;
    if (correlator == Py_None)
        return true;
    if (Py_TYPE(correlator) != native->types[TYPE_CORRELATOR]) {
        PyErr_SetString(PyExc_TypeError, "a correlator must be one, or None");
        return false;
    }
    *source = apf_correlator_source(((struct correlator_object *)correlator)->correlator);
    return true;
}

/* correlator(programs, options, kind, max_warnings): kind is an enum apf_metadata_kind */
PyObject *correlator_open(PyObject *module, PyObject *args)
{
    PyObject *tuple, *options;
    struct apf_correlator_options o = {.size = sizeof o};
    struct call call;
    struct inputs inputs;
    struct apf_error error;
    int code = APF_OK;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OOO&O&", &tuple, &options, to_u32, &o.kind, to_u32, &o.max_warnings) ||
        !call_begin(&call, native, options))
        return NULL;
    struct correlator_object *object = (struct correlator_object *)native_new(native, TYPE_CORRELATOR);
    if (!object)
        return NULL;
    bool good = inputs_take(&inputs, tuple);
    if (good) {
        o.options = &call.options;
        o.programs = inputs.data;
        o.n_programs = inputs.n;
        CALL(&call, code, apf_correlator_open(&object->correlator, &o, &error));
        good = call_succeeded(&call, code, &error);
    }
    inputs_drop(&inputs);
    if (good)
        return (PyObject *)object;
    Py_DECREF((PyObject *)object);
    return NULL;
}

static void correlator_dealloc(PyObject *self)
{
    apf_correlator_close(((struct correlator_object *)self)->correlator);
    native_free(self);
}

static PyMethodDef methods[] = {
    NO_COPIES,
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Programs that complete profiles: for one call."},
    {Py_tp_dealloc, (void *)correlator_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {"anyprof.Correlator", (int)sizeof(struct correlator_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};

int correlator_add(PyObject *module, struct native *native)
{
    return native_add_type(module, native, TYPE_CORRELATOR, &spec);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof.Function: a function of a sample profile. */
#include "calls.h"
#include "handles.h"
#include "rows.h"

struct function_object {
    PyObject_HEAD struct sample_object *profile;
    uint64_t number; /* in the list of functions */
    struct apf_sample_function function;
};

/* ---- rows ---- */

static const struct row_field line_fields[] = {
    FIELD_AS("line", U32, apf_sample_count, place.line, "lines after the function's first, or id of a probe"),
    FIELD_AS("discriminator", U32, apf_sample_count, place.discriminator, "tells blocks of one line apart"),
    FIELD(U64, apf_sample_count, count, "samples"),
};
SHAPE(shape_line, "anyprof.Line", line_fields, "The samples of a line, or of a probe.");

static const struct row_field call_fields[] = {
    FIELD_AS("line", U32, apf_sample_count, place.line, "lines after the function's first, or id of a probe"),
    FIELD_AS("discriminator", U32, apf_sample_count, place.discriminator, "tells blocks of one line apart"),
    FIELD(U64, apf_sample_count, count, "samples"),
    FIELD_AS("name", TEXT, apf_sample_count, name.text,
             "name of the target, or None if only its hash is known"),
    FIELD_AS("hash", U64, apf_sample_count, name.hash, "hash of the name"),
};
SHAPE(shape_call, "anyprof.Call", call_fields, "A call target, or a type of objects, at a line.");

static const struct row_field frame_fields[] = {
    FIELD_AS("name", TEXT, apf_sample_frame, name.text, "name of the function, or None"),
    FIELD_AS("hash", U64, apf_sample_frame, name.hash, "hash of the name"),
    FIELD_AS("line", U32, apf_sample_frame, call.line, "where it calls the next frame"),
    FIELD_AS("discriminator", U32, apf_sample_frame, call.discriminator, "of that place"),
};
SHAPE(shape_frame, "anyprof.Frame", frame_fields, "A frame of a context.");

/* ---- the object ---- */

PyObject *function_new(struct sample_object *profile, uint64_t i)
{
    struct apf_sample_function function = {.size = sizeof function};
    struct apf_error error;
    const int code = apf_sample_function(profile->functions, i, &function, &error);
    if (code == APF_END)
        return NULL;
    if (code != APF_OK)
        return raise_error(&error);
    struct function_object *made =
        (struct function_object *)native_new(native_of((PyObject *)profile), TYPE_FUNCTION);
    if (!made)
        return NULL;
    made->profile = (struct sample_object *)Py_NewRef((PyObject *)profile);
    made->number = i;
    made->function = function;
    return (PyObject *)made;
}

uint64_t function_inlined(const struct sample_object *profile, uint64_t i)
{
    struct apf_sample_function function = {.size = sizeof function};
    return apf_sample_function(profile->functions, i, &function, NULL) == APF_OK ? function.n_inlined : 0;
}

static void function_dealloc(PyObject *self)
{
    struct sample_object *profile = ((struct function_object *)self)->profile;
    native_free(self);
    Py_XDECREF((PyObject *)profile);
}

static struct function_object *function_of(PyObject *self)
{
    struct function_object *object = (struct function_object *)self;
    if (!object->profile->view)
        closed_error("function's profile");
    return object->profile->view ? object : NULL;
}

/* ---- attributes ---- */

enum number {
    NUMBER_HASH,
    NUMBER_SAMPLES,
    NUMBER_HEAD,
    NUMBER_CHECKSUM,
    NUMBER_FIRST_TIME,
    NUMBER_DEPTH,
    NUMBER_ATTRIBUTES,
    NUMBER_LINE,
    NUMBER_DISCRIMINATOR
};

static uint64_t number_of(const struct apf_sample_function *f, enum number which)
{
    switch (which) {
    case NUMBER_HASH:
        return f->name.hash;
    case NUMBER_SAMPLES:
        return f->total;
    case NUMBER_HEAD:
        return f->head;
    case NUMBER_CHECKSUM:
        return f->checksum;
    case NUMBER_FIRST_TIME:
        return f->first_time;
    case NUMBER_DEPTH:
        return f->depth;
    case NUMBER_ATTRIBUTES:
        return f->attributes;
    case NUMBER_LINE:
        return f->call.line;
    default:
        return f->call.discriminator;
    }
}

static PyObject *function_number(PyObject *self, void *which)
{
    const struct function_object *object = function_of(self);
    if (!object)
        return NULL;
    return PyLong_FromUnsignedLongLong(number_of(&object->function, (enum number)(uintptr_t)which));
}

static PyObject *function_name(PyObject *self, void *unused)
{
    const struct function_object *object = function_of(self);
    (void)unused;
    return object ? text_or_none(object->function.name.text) : NULL;
}

static PyObject *function_file(PyObject *self, void *unused)
{
    const struct function_object *object = function_of(self);
    (void)unused;
    return object ? text_or_none(object->function.file) : NULL;
}

typedef int count_fn(const struct apf_sample_functions *functions, uint64_t function, uint64_t i,
                     struct apf_sample_count *count);

static PyObject *counts(PyObject *self, count_fn *get, enum row_kind kind)
{
    struct function_object *object = function_of(self);
    struct apf_sample_count count;
    if (!object)
        return NULL;
    object->profile->guard.calls++;
    PyObject *list = PyList_New(0);
    for (uint64_t i = 0; list && get(object->profile->functions, object->number, i, &count) == APF_OK; i++)
        if (list_take(list, row_new(native_of(self), kind, &count)) < 0)
            Py_CLEAR(list);
    object->profile->guard.calls--;
    return list;
}

static PyObject *function_lines(PyObject *self, void *unused)
{
    (void)unused;
    return counts(self, apf_sample_line, ROW_LINE);
}

static PyObject *function_calls(PyObject *self, void *unused)
{
    (void)unused;
    return counts(self, apf_sample_target, ROW_CALL);
}

static PyObject *function_vtables(PyObject *self, void *unused)
{
    (void)unused;
    return counts(self, apf_sample_vtable, ROW_CALL);
}

static PyObject *function_context(PyObject *self, void *unused)
{
    struct function_object *object = function_of(self);
    struct apf_sample_frame frame;
    (void)unused;
    if (!object)
        return NULL;
    object->profile->guard.calls++;
    PyObject *list = PyList_New(0);
    for (uint64_t i = 0;
         list && apf_sample_frame(object->profile->functions, object->number, i, &frame) == APF_OK; i++)
        if (list_take(list, row_new(native_of(self), ROW_FRAME, &frame)) < 0)
            Py_CLEAR(list);
    object->profile->guard.calls--;
    return list;
}

static PyObject *function_inlinees(PyObject *self, void *unused)
{
    struct function_object *object = function_of(self);
    (void)unused;
    if (!object)
        return NULL;
    struct sample_object *profile = object->profile;
    const uint64_t end = object->number + 1 + object->function.n_inlined;
    profile->guard.calls++;
    PyObject *list = PyList_New(0);
    for (uint64_t i = object->number + 1; list && i < end; i += 1 + function_inlined(profile, i)) {
        PyObject *inlined = function_new(profile, i);
        if (!inlined && !PyErr_Occurred())
            break;
        if (list_take(list, inlined) < 0)
            Py_CLEAR(list);
    }
    profile->guard.calls--;
    return list;
}

static PyObject *function_repr(PyObject *self)
{
    const struct function_object *object = (const struct function_object *)self;
    if (!object->profile->view)
        return PyUnicode_FromString("<anyprof.Function of a closed profile>");
    PyObject *name = text_or_none(object->function.name.text);
    if (!name)
        return NULL;
    PyObject *text = PyUnicode_FromFormat("<anyprof.Function %R, %llu samples>", name,
                                          (unsigned long long)object->function.total);
    Py_DECREF(name);
    return text;
}

static PyGetSetDef attributes[] = {
    {"name", function_name, NULL, "The name, str; None if only its hash is known.", NULL},
    {"hash", function_number, NULL, "The hash of the name.", (void *)NUMBER_HASH},
    {"samples", function_number, NULL, "All samples, those in what is inlined included.",
     (void *)NUMBER_SAMPLES},
    {"head", function_number, NULL, "Samples of entries to it; 0 where it is inlined.", (void *)NUMBER_HEAD},
    {"checksum", function_number, NULL, "Checksum of the control flow in profiles of probes; 0: unknown.",
     (void *)NUMBER_CHECKSUM},
    {"first_time", function_number, NULL, "Time of the first sample in nanoseconds (GCC 16); 0: unknown.",
     (void *)NUMBER_FIRST_TIME},
    {"depth", function_number, NULL, "How deep it is inlined; 0 at the top level.", (void *)NUMBER_DEPTH},
    {"attributes", function_number, NULL, "SampleAttribute bits.", (void *)NUMBER_ATTRIBUTES},
    {"line", function_number, NULL, "Where it is inlined in its caller: lines after the first, or a probe.",
     (void *)NUMBER_LINE},
    {"discriminator", function_number, NULL, "Discriminator of that place.", (void *)NUMBER_DISCRIMINATOR},
    {"file", function_file, NULL, "Name of the source file (GCC 16), or None.", NULL},
    {"lines", function_lines, NULL, "Its own lines, or probes: a list of Line, by place.", NULL},
    {"calls", function_calls, NULL, "Call targets of its own lines: a list of Call, by place.", NULL},
    {"vtables", function_vtables, NULL, "Types of objects at its own lines: a list of Call, by place.", NULL},
    {"inlinees", function_inlinees, NULL,
     "The functions that are inlined directly in it: a list of Function.", NULL},
    {"context", function_context, NULL,
     "The context, a list of Frame: the outermost caller first, the function itself last; empty where it is\n"
     "inlined.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    NO_COPIES,
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A function of a sample profile. It can be used as long as its profile is open."},
    {Py_tp_dealloc, (void *)function_dealloc},
    {Py_tp_repr, (void *)function_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {"anyprof.Function", (int)sizeof(struct function_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};

int function_add(PyObject *module, struct native *native)
{
    return native_add_type(module, native, TYPE_FUNCTION, &spec);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof.Record: the counts of one function of an instrumentation profile. */
#include "calls.h"
#include "handles.h"
#include "rows.h"

struct record_object {
    PyObject_HEAD struct instr_object *profile;
    struct apf_record record;
};

static const struct row_field value_fields[] = {
    FIELD(U64, apf_value, value, "an id of a function or vtable (0: unknown), or a size in bytes"),
    FIELD(U64, apf_value, count, "how often it was seen"),
};
SHAPE(shape_value, "anyprof.Value", value_fields, "A value that a site has seen.");

PyObject *record_new(struct instr_object *profile, const struct apf_record *record)
{
    struct record_object *made =
        (struct record_object *)native_new(native_of((PyObject *)profile), TYPE_RECORD);
    if (!made)
        return NULL;
    made->profile = (struct instr_object *)Py_NewRef((PyObject *)profile);
    made->record = *record;
    return (PyObject *)made;
}

static void record_dealloc(PyObject *self)
{
    struct instr_object *profile = ((struct record_object *)self)->profile;
    native_free(self);
    Py_XDECREF((PyObject *)profile);
}

/* NULL: the profile is closed, and an exception is set. */
static const struct apf_record *record_of(PyObject *self)
{
    const struct record_object *object = (const struct record_object *)self;
    if (!object->profile->instr)
        closed_error("record's profile");
    return object->profile->instr ? &object->record : NULL;
}

static bool profile_is_open(PyObject *profile)
{
    return ((const struct instr_object *)profile)->instr != NULL;
}

static PyObject *array_of(PyObject *self, const void *data, size_t n, size_t item_size)
{
    struct instr_object *profile = ((struct record_object *)self)->profile;
    const struct array_owner owner = {(PyObject *)profile, &profile->guard, profile_is_open};
    return array_new(native_of(self), &owner, data, n, item_size);
}

/* ---- attributes ---- */

/* The numbers of a record, by the context of the attribute. */
enum number { NUMBER_ID, NUMBER_HASH, NUMBER_TIMESTAMP, NUMBER_OFFSET };

static PyObject *record_number(PyObject *self, void *which)
{
    const struct apf_record *record = record_of(self);
    if (!record)
        return NULL;
    switch ((enum number)(uintptr_t)which) {
    case NUMBER_ID:
        return PyLong_FromUnsignedLongLong(record->id);
    case NUMBER_HASH:
        return PyLong_FromUnsignedLongLong(record->hash);
    case NUMBER_TIMESTAMP:
        return PyLong_FromUnsignedLongLong(record->timestamp);
    default:
        return PyLong_FromUnsignedLongLong(record->offset);
    }
}

static PyObject *record_flag(PyObject *self, void *flag)
{
    const struct apf_record *record = record_of(self);
    return record ? PyBool_FromLong((record->flags & (uint32_t)(uintptr_t)flag) != 0) : NULL;
}

static PyObject *record_cs(PyObject *self, void *unused)
{
    const struct apf_record *record = record_of(self);
    (void)unused;
    return record ? PyBool_FromLong((record->hash & APF_HASH_CS) != 0) : NULL;
}

static PyObject *record_pseudo(PyObject *self, void *unused)
{
    const struct apf_record *record = record_of(self);
    (void)unused;
    if (!record)
        return NULL;
    if (!(record->flags & APF_RECORD_PSEUDO) || record->n_counts == 0)
        Py_RETURN_NONE;
    return PyUnicode_FromString(record->counts[0] == UINT64_MAX ? "hot" : "warm");
}

static PyObject *record_name(PyObject *self, void *unused)
{
    const struct apf_record *record = record_of(self);
    (void)unused;
    return record ? text_or_none(record->name) : NULL;
}

static PyObject *record_counts(PyObject *self, void *unused)
{
    const struct apf_record *record = record_of(self);
    (void)unused;
    return record ? array_of(self, record->counts, record->n_counts, sizeof *record->counts) : NULL;
}

static PyObject *record_uniform(PyObject *self, void *unused)
{
    const struct apf_record *record = record_of(self);
    (void)unused;
    return record ? array_of(self, record->uniform, record->n_uniform, sizeof *record->uniform) : NULL;
}

static PyObject *record_bitmap(PyObject *self, void *unused)
{
    const struct apf_record *record = record_of(self);
    (void)unused;
    return record ? array_of(self, record->bitmap, record->n_bitmap, 1) : NULL;
}

static PyObject *record_uniformity(PyObject *self, void *unused)
{
    const struct apf_record *record = record_of(self);
    (void)unused;
    return record ? array_of(self, record->uniformity, record->n_uniformity, 1) : NULL;
}

static PyObject *record_sites(PyObject *self, PyObject *args)
{
    uint32_t kind;
    if (!PyArg_ParseTuple(args, "O&:sites", to_u32, &kind))
        return NULL;
    if (kind >= APF_VALUE_KINDS) {
        PyErr_Format(PyExc_ValueError, "%u is no ValueKind", (unsigned int)kind);
        return NULL;
    }
    const struct apf_record *record = record_of(self);
    if (!record)
        return NULL;
    struct guard *guard = &((struct record_object *)self)->profile->guard;
    guard->calls++;
    PyObject *sites = PyList_New(0);
    for (size_t i = 0; sites && i < record->n_sites[kind]; i++) {
        const struct apf_site *site = &record->sites[kind][i];
        if (list_take(sites,
                      row_list(native_of(self), ROW_VALUE, site->values, site->n, sizeof *site->values)) < 0)
            Py_CLEAR(sites);
    }
    guard->calls--;
    return sites;
}

static PyObject *record_repr(PyObject *self)
{
    const struct record_object *object = (const struct record_object *)self;
    if (!object->profile->instr)
        return PyUnicode_FromString("<anyprof.Record of a closed profile>");
    PyObject *name = text_or_none(object->record.name);
    if (!name)
        return NULL;
    PyObject *text = PyUnicode_FromFormat("<anyprof.Record %R, %zu counts>", name, object->record.n_counts);
    Py_DECREF(name);
    return text;
}

static PyGetSetDef attributes[] = {
    {"name", record_name, NULL, "The name of the function, str; None if the file does not have it.", NULL},
    {"id", record_number, NULL, "The first 8 bytes of the MD5 of the name: LLVM's NameRef.",
     (void *)NUMBER_ID},
    {"hash", record_number, NULL, "The hash of the function's control flow.", (void *)NUMBER_HASH},
    {"timestamp", record_number, NULL, "When it first ran, from 1 on; 0: never, or not known.",
     (void *)NUMBER_TIMESTAMP},
    {"offset", record_number, NULL, "Offset of the record in the file.", (void *)NUMBER_OFFSET},
    {"counts", record_counts, NULL, "The counters: an Array of 64-bit numbers.", NULL},
    {"bitmap", record_bitmap, NULL, "The bytes of the MC/DC bitmap: an Array of bytes.", NULL},
    {"uniform", record_uniform, NULL, "GPU offload: uniform counters, an Array.", NULL},
    {"uniformity", record_uniformity, NULL, "GPU offload: one bit for each counter, an Array of bytes.",
     NULL},
    {"pseudo", record_pseudo, NULL,
     "\"hot\" or \"warm\" for a function that is only marked as such: its counts are no counts. Else None.",
     NULL},
    {"saturated", record_flag, NULL, "Whether a sum was cut at the largest count there is.",
     (void *)(uintptr_t)APF_RECORD_SATURATED},
    {"sparse_bitmap", record_flag, NULL, "Whether test vectors are numbered as by LLVM 18.",
     (void *)(uintptr_t)APF_RECORD_SPARSE_BITMAP},
    {"dense_bitmap", record_flag, NULL, "Whether test vectors are numbered as by LLVM 19 and later.",
     (void *)(uintptr_t)APF_RECORD_DENSE_BITMAP},
    {"context_sensitive", record_cs, NULL, "Whether it is a context-sensitive record of an IR profile.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"sites", record_sites, METH_VARARGS,
     "sites($self, kind, /)\n--\n\nThe value sites of a ValueKind, each of them a list of Value."},
    NO_COPIES,
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "The counts of one function with one hash. It can be used as long as its profile is open."},
    {Py_tp_dealloc, (void *)record_dealloc},
    {Py_tp_repr, (void *)record_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {"anyprof.Record", (int)sizeof(struct record_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};

int record_add(PyObject *module, struct native *native)
{
    return native_add_type(module, native, TYPE_RECORD, &spec);
}

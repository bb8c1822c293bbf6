/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof.FdataProfile: a profile of BOLT in fdata. One thread at a time may use the handle, which is why each use
 * looks at the guard first. */
#include <stdlib.h>
#include <string.h>

#include "bolt_profiles.h"
#include "calls.h"
#include "rows.h"

#define WHAT "FdataProfile"

struct fdata_object {
    PyObject_HEAD struct apf_fdata *fdata; /* sorted; NULL: closed */
    PyObject *source;
    struct guard guard;
};

/* ---- rows ---- */

static PyObject *info_events(const struct native *native, const void *from)
{
    const struct apf_fdata_info *info = (const struct apf_fdata_info *)from;
    (void)native;
    return list_of_texts(info->events, (size_t)info->n_events);
}

static const struct row_field info_fields[] = {
    FIELD(U32, apf_fdata_info, flags, "FdataFlag bits"),
    FIELD(BOOL, apf_fdata_info, known, "whether any file had contents"),
    FIELD(U64, apf_fdata_info, n_inputs, "files that were read, empty ones included"),
    FIELD(U64, apf_fdata_info, n_empty, "files without a byte"),
    FIELD(U64, apf_fdata_info, n_lines, "records in the files"),
    FIELD(U64, apf_fdata_info, n_branches, "branches, after equal records became one"),
    FIELD(U64, apf_fdata_info, n_samples, "samples, likewise"),
    FIELD(U64, apf_fdata_info, n_memory, "loads, likewise"),
    FIELD(U64, apf_fdata_info, n_saturated, "records with a sum above 2**63 - 1, where it stays"),
    FIELD_BY("events", info_events, "names of events on the line no_lbr, sorted by bytes"),
};
SHAPE(shape_fdata_info, "anyprof.FdataInfo", info_fields, "Facts about a profile in fdata.");

/* The name of a location without the backslashes that fdata puts before blanks and backslashes. */
static PyObject *location_name(const struct native *native, const void *from)
{
    const struct apf_str text = ((const struct apf_fdata_location *)from)->name;
    size_t n = 0;
    (void)native;
    if (text.n == 0 || !memchr(text.p, '\\', text.n))
        return text_str(text);
    char *plain = (char *)malloc(text.n);
    if (!plain)
        return PyErr_NoMemory();
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\\' && i + 1 < text.n)
            i++;
        plain[n++] = text.p[i];
    }
    PyObject *name = text_str((struct apf_str){plain, n});
    free(plain);
    return name;
}

static PyObject *location_escaped(const struct native *native, const void *from)
{
    (void)native;
    return text_str(((const struct apf_fdata_location *)from)->name);
}

static const struct row_field location_fields[] = {
    FIELD_BY("name", location_name, "name of the symbol, or \"[unknown]\" and the like"),
    FIELD(U64, apf_fdata_location, offset, "bytes from the symbol; without a symbol an address, or 0"),
    FIELD(U32, apf_fdata_location, symbol, "FdataSymbol: whether it is in a symbol"),
    FIELD_BY("escaped", location_escaped,
             "the name as it is in the file: with a backslash before each blank and backslash"),
};
SHAPE(shape_fdata_location, "anyprof.FdataLocation", location_fields,
      "A place in a program, or in its data.");

static PyObject *record_source(const struct native *native, const void *from)
{
    return row_new(native, ROW_FDATA_LOCATION, &((const struct apf_fdata_record *)from)->from);
}

static PyObject *record_target(const struct native *native, const void *from)
{
    const struct apf_fdata_record *record = (const struct apf_fdata_record *)from;
    if (record->kind == APF_FDATA_SAMPLE)
        Py_RETURN_NONE;
    return row_new(native, ROW_FDATA_LOCATION, &record->to);
}

static const struct row_field record_fields[] = {
    FIELD(U32, apf_fdata_record, kind, "FdataKind"),
    FIELD_BY("source", record_source,
             "FdataLocation of the branch; of a sample and of a load, of the instruction"),
    FIELD_BY("target", record_target,
             "FdataLocation of the target; of a load, of the data; of a sample None"),
    FIELD(U64, apf_fdata_record, count, "how often it was seen"),
    FIELD(U64, apf_fdata_record, mispredictions, "of a branch: how often it was mispredicted; else 0"),
};
SHAPE(shape_fdata_record, "anyprof.FdataRecord", record_fields, "A line of a profile in fdata.");

/* ---- the object ---- */

/* The object, if this thread may use it; else an exception is set. */
static struct fdata_object *usable(PyObject *self)
{
    struct fdata_object *object = (struct fdata_object *)self;
    if (!object->fdata) {
        closed_error(WHAT);
        return NULL;
    }
    return guard_is_free(&object->guard, WHAT) ? object : NULL;
}

PyObject *fdata_wrap(const struct native *native, struct apf_fdata *fdata, PyObject *source)
{
    struct fdata_object *made = (struct fdata_object *)native_new(native, TYPE_FDATA);
    if (!made) {
        apf_fdata_free(fdata);
        return NULL;
    }
    made->fdata = fdata;
    made->source = Py_NewRef(source);
    return (PyObject *)made;
}

static void fdata_dealloc(PyObject *self)
{
    struct fdata_object *object = (struct fdata_object *)self;
    PyObject *source = object->source;
    apf_fdata_free(object->fdata);
    native_free(self);
    Py_XDECREF(source);
}

static PyObject *fdata_close(PyObject *self, PyObject *unused)
{
    struct fdata_object *object = (struct fdata_object *)self;
    (void)unused;
    if (!object->fdata)
        Py_RETURN_NONE;
    if (!guard_may_close(&object->guard, WHAT))
        return NULL;
    struct apf_fdata *fdata = object->fdata;
    object->fdata = NULL;
    apf_fdata_free(fdata);
    Py_RETURN_NONE;
}

static PyObject *fdata_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return usable(self) ? Py_NewRef(self) : NULL;
}

static PyObject *fdata_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return fdata_close(self, NULL);
}

static Py_ssize_t n_records(const struct fdata_object *object)
{
    const struct apf_fdata_info *info = apf_fdata_info(object->fdata);
    return (Py_ssize_t)(info->n_branches + info->n_samples + info->n_memory);
}

static PyObject *fdata_repr(PyObject *self)
{
    const struct fdata_object *object = (const struct fdata_object *)self;
    if (!object->fdata)
        return PyUnicode_FromFormat("<anyprof.FdataProfile %R, closed>", object->source);
    return PyUnicode_FromFormat("<anyprof.FdataProfile %R, %zd records>", object->source, n_records(object));
}

/* ---- records ---- */

static Py_ssize_t fdata_length(PyObject *self)
{
    const struct fdata_object *object = usable(self);
    return object ? n_records(object) : -1;
}

/* NULL without an exception: there is no record with this number. */
static PyObject *next_record(PyObject *self, uint64_t *i)
{
    struct apf_fdata_record record = {.size = sizeof record};
    struct apf_error error;
    struct fdata_object *object = usable(self);
    if (!object)
        return NULL;
    const int code = apf_fdata_record(object->fdata, (size_t)*i, &record, &error);
    if (code != APF_OK)
        return code == APF_END ? NULL : raise_error(&error);
    ++*i;
    object->guard.calls++;
    PyObject *row = row_new(native_of(self), ROW_FDATA_RECORD, &record);
    object->guard.calls--;
    return row;
}

static PyObject *fdata_iter(PyObject *self)
{
    return usable(self) ? iterator_new(native_of(self), self, next_record) : NULL;
}

static PyObject *fdata_item(PyObject *self, Py_ssize_t i)
{
    uint64_t number = i < 0 ? UINT64_MAX : (uint64_t)i;
    PyObject *row = next_record(self, &number);
    if (!row && !PyErr_Occurred())
        PyErr_SetString(PyExc_IndexError, "there is no record with this number");
    return row;
}

/* ---- the whole ---- */

static PyObject *fdata_info(PyObject *self, void *unused)
{
    struct fdata_object *object = usable(self);
    (void)unused;
    if (!object)
        return NULL;
    object->guard.calls++;
    PyObject *row = row_new(native_of(self), ROW_FDATA_INFO, apf_fdata_info(object->fdata));
    object->guard.calls--;
    return row;
}

static PyObject *fdata_source(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((const struct fdata_object *)self)->source);
}

static PyObject *fdata_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((const struct fdata_object *)self)->fdata == NULL);
}

/* _write(path or None): bytes, or None after a file was written. */
static PyObject *fdata_write(PyObject *self, PyObject *path)
{
    struct output output;
    struct apf_error error;
    int code;
    struct fdata_object *object = usable(self);
    if (!object || !output_take(&output, path))
        return NULL;
    object->guard.calls++;
    UNLOCKED(code = apf_fdata_write(object->fdata, &output.to, &error));
    object->guard.calls--;
    if (code == APF_OK)
        return output_result(&output);
    output_drop(&output);
    return raise_error(&error);
}

DELEGATE(fdata_write_to)

static PyMethodDef methods[] = {
    {"close", fdata_close, METH_NOARGS, "close($self, /)\n--\n\nFrees the profile."},
    DELEGATED("write", fdata_write_to,
              "write($self, out=None)\n--\n\nWrites the profile as `anyprof bolt merge` does to a path; "
              "without one, returns the\nbytes."),
    {"_write", fdata_write, METH_O, NULL},
    {"__enter__", fdata_enter, METH_NOARGS, NULL},
    {"__exit__", fdata_exit, METH_VARARGS, NULL},
    NO_COPIES,
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"info", fdata_info, NULL, "Facts about the profile: an FdataInfo.", NULL},
    {"source", fdata_source, NULL, "The path of the file, or another name: str.", NULL},
    {"closed", fdata_closed, NULL, "Whether the profile is closed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "A profile of BOLT in fdata: branches, samples and loads, by symbol and offset.\n\n"
     "Made by anyprof.open() and anyprof.merge_bolt(). It has a length, iteration over its records\n"
     "(FdataRecord) in the order in which they are written, and indices, and is a context manager. One\n"
     "thread at a time may use it (RuntimeError)."},
    {Py_tp_dealloc, (void *)fdata_dealloc},
    {Py_tp_repr, (void *)fdata_repr},
    {Py_tp_iter, (void *)fdata_iter},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_nb_bool, (void *)native_is_true},
    {Py_sq_length, (void *)fdata_length},
    {Py_sq_item, (void *)fdata_item},
    {0, NULL},
};

static PyType_Spec spec = {"anyprof.FdataProfile", (int)sizeof(struct fdata_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};

int fdata_add(PyObject *module, struct native *native)
{
    return native_add_type(module, native, TYPE_FDATA, &spec);
}

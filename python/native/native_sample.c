/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof.SampleProfile: a sample profile, or the sum of a merge. */
#include <string.h>

#include <anyprof/sample_views.h>
#include <anyprof/sample_write.h>

#include "calls.h"
#include "handles.h"
#include "rows.h"

#define WHAT "profile"

static const struct row_field info_fields[] = {
    FIELD(U32, apf_sample_info, format, "SampleFormat"),
    FIELD(U32, apf_sample_info, version, "version of the format; 0 for text and merges"),
    FIELD(U32, apf_sample_info, flags, "SampleFlag bits"),
    FIELD(BOOL, apf_sample_info, big_endian, "GCC's: the file is in big-endian order"),
    FIELD(WORDS, apf_sample_info, layout, "variant of the version, such as \"3a\" of GCC's"),
    FIELD(U64, apf_sample_info, n_functions, "functions at the top level: one for each context"),
    FIELD(U64, apf_sample_info, n_inlined, "functions inlined in these, at any depth"),
    FIELD(U64, apf_sample_info, n_lines, "lines (or probes) with a count"),
    FIELD(U64, apf_sample_info, n_targets, "call targets of these lines"),
    FIELD(U64, apf_sample_info, n_vtables, "types of objects at these lines"),
    FIELD(U64, apf_sample_info, n_names, "names whose text is known"),
    FIELD(U64, apf_sample_info, n_hashes, "names of which only the hash is known"),
    FIELD(U64, apf_sample_info, n_symbols, "names in the list of all functions of the program"),
    FIELD(U64, apf_sample_info, max_depth, "how deep functions are inlined"),
    FIELD(U64, apf_sample_info, max_context, "frames of the longest context"),
    FIELD(U32, apf_sample_info, origin, "SampleFormat: of JSON, what it was made from; else format"),
};
SHAPE(shape_sample_info, "anyprof.SampleInfo", info_fields, "Facts about a sample profile.");

static PyObject *salvage_damage(const struct native *native, const void *from)
{
    (void)native;
    return error_object(&((const struct apf_sample_salvage *)from)->error);
}

static const struct row_field salvage_fields[] = {
    FIELD_BY("error", salvage_damage, "the damage: an Error"),
    FIELD(U64, apf_sample_salvage, functions, "functions that were kept"),
    FIELD(U64, apf_sample_salvage, lost_functions, "functions that are known to be lost"),
    FIELD(BOOL, apf_sample_salvage, lost_known, "whether the number of functions of the file is known"),
};
SHAPE(shape_sample_salvage, "anyprof.SampleSalvage", salvage_fields, "What was kept of a damaged file.");

/* ---- the object ---- */

PyObject *sample_wrap(const struct native *native, struct apf_sample *sample, const struct apf_sample *view,
                      struct apf_sample_merge *merge, struct apf_sample_functions *functions,
                      PyObject *source)
{
    struct sample_object *profile = (struct sample_object *)native_new(native, TYPE_SAMPLE);
    if (!profile) {
        apf_sample_functions_free(functions);
        apf_sample_close(sample);
        apf_sample_merge_free(merge);
        return NULL;
    }
    profile->sample = sample;
    profile->view = view;
    profile->merge = merge;
    profile->functions = functions;
    profile->source = Py_NewRef(source);
    return (PyObject *)profile;
}

struct sample_object *sample_of(const struct native *native, PyObject *object)
{
    if (Py_TYPE(object) != native->types[TYPE_SAMPLE]) {
        PyErr_Format(PyExc_TypeError, "a SampleProfile is needed, not %R", (PyObject *)Py_TYPE(object));
        return NULL;
    }
    struct sample_object *profile = (struct sample_object *)object;
    if (!profile->view)
        closed_error(WHAT);
    return profile->view ? profile : NULL;
}

static struct sample_object *open_profile(PyObject *self)
{
    return sample_of(native_of(self), self);
}

static int open_with_functions(struct apf_sample **sample, struct apf_sample_functions **functions,
                               const struct apf_input *input, const struct apf_sample_read_options *options,
                               struct apf_error *error)
{
    int code = apf_sample_open(sample, input, options, error);
    return code == APF_OK ? apf_sample_functions_new(functions, *sample, error) : code;
}

/* open_sample(inputs, options, source, flags, pass) */
PyObject *sample_open(PyObject *module, PyObject *args)
{
    PyObject *tuple, *options, *source, *result = NULL;
    struct call call;
    struct inputs inputs;
    struct apf_sample *sample = NULL;
    struct apf_sample_functions *functions = NULL;
    struct apf_sample_read_options read = {.size = sizeof read};
    struct apf_error error;
    int code;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OOUO&O&", &tuple, &options, &source, to_u32, &read.flags, to_u32,
                          &read.pass) ||
        !call_begin(&call, native, options))
        return NULL;
    read.options = &call.options;
    if (inputs_take(&inputs, tuple) && inputs.n == 1) {
        CALL(&call, code, open_with_functions(&sample, &functions, inputs.data, &read, &error));
        if (call_succeeded(&call, code, &error)) {
            result = sample_wrap(native, sample, sample, NULL, functions, source);
        } else {
            apf_sample_functions_free(functions);
            apf_sample_close(sample);
        }
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "one input is needed");
    }
    inputs_drop(&inputs);
    return result;
}

static void sample_dealloc(PyObject *self)
{
    struct sample_object *profile = (struct sample_object *)self;
    PyObject *source = profile->source;
    apf_sample_functions_free(profile->functions);
    apf_sample_close(profile->sample);
    apf_sample_merge_free(profile->merge);
    native_free(self);
    Py_XDECREF(source);
}

static PyObject *sample_close(PyObject *self, PyObject *unused)
{
    struct sample_object *profile = (struct sample_object *)self;
    (void)unused;
    if (!profile->view)
        Py_RETURN_NONE;
    if (!guard_may_close(&profile->guard, WHAT))
        return NULL;
    struct apf_sample_functions *functions = profile->functions;
    struct apf_sample *sample = profile->sample;
    struct apf_sample_merge *merge = profile->merge;
    profile->functions = NULL;
    profile->sample = NULL;
    profile->view = NULL;
    profile->merge = NULL;
    UNLOCKED(apf_sample_functions_free(functions));
    UNLOCKED(apf_sample_close(sample));
    UNLOCKED(apf_sample_merge_free(merge));
    Py_RETURN_NONE;
}

static PyObject *sample_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return open_profile(self) ? Py_NewRef(self) : NULL;
}

static PyObject *sample_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return sample_close(self, NULL);
}

static PyObject *sample_repr(PyObject *self)
{
    const struct sample_object *profile = (const struct sample_object *)self;
    if (!profile->view)
        return PyUnicode_FromFormat("<anyprof.SampleProfile %R, closed>", profile->source);
    return PyUnicode_FromFormat("<anyprof.SampleProfile %R, %zu functions>", profile->source,
                                (size_t)apf_sample_info(profile->view)->n_functions);
}

/* ---- functions ---- */

static Py_ssize_t sample_length(PyObject *self)
{
    const struct sample_object *profile = open_profile(self);
    return profile ? (Py_ssize_t)apf_sample_info(profile->view)->n_functions : -1;
}

static PyObject *sample_next(PyObject *self, uint64_t *i)
{
    struct sample_object *profile = open_profile(self);
    const uint64_t step = profile ? 1 + function_inlined(profile, *i) : 0;
    PyObject *function = profile ? function_new(profile, *i) : NULL;
    if (function)
        *i += step;
    return function;
}

static PyObject *sample_iter(PyObject *self)
{
    return open_profile(self) ? iterator_new(native_of(self), self, sample_next) : NULL;
}

static PyObject *functions_named(struct sample_object *profile, struct apf_sample_name name)
{
    profile->guard.calls++;
    PyObject *list = PyList_New(0);
    for (uint64_t k = 0; list; k++) {
        const uint64_t i = apf_sample_function_find(profile->functions, name, k);
        if (i == UINT64_MAX)
            break;
        if (list_take(list, function_new(profile, i)) < 0)
            Py_CLEAR(list);
    }
    profile->guard.calls--;
    return list;
}

/* By a name, or by a hash as a number. */
static PyObject *sample_find_all(PyObject *self, PyObject *name)
{
    struct apf_sample_name key = {{NULL, 0}, 0};
    PyObject *bytes = NULL, *list = NULL;
    if (PyLong_Check(name)) {
        if (!to_u64(name, &key.hash))
            return NULL;
    } else {
        bytes = text_bytes(name, &key.text);
        if (!bytes)
            return NULL;
    }
    struct sample_object *profile = open_profile(self);
    if (profile)
        list = functions_named(profile, key);
    Py_XDECREF(bytes);
    return list;
}

static PyObject *sample_subscript(PyObject *self, PyObject *name)
{
    PyObject *list = sample_find_all(self, name), *function = NULL;
    if (!list)
        return NULL;
    const Py_ssize_t n = PyList_Size(list);
    if (n == 1)
        function = Py_NewRef(PyList_GetItem(list, 0));
    else if (n == 0)
        PyErr_SetObject(PyExc_KeyError, name);
    else
        PyErr_Format(PyExc_LookupError, "%R is in %zd contexts or source files: use find_all(name)", name, n);
    Py_DECREF(list);
    return function;
}

static int sample_contains(PyObject *self, PyObject *name)
{
    PyObject *list = sample_find_all(self, name);
    if (!list)
        return -1;
    const Py_ssize_t n = PyList_Size(list);
    Py_DECREF(list);
    return n > 0;
}

/* ---- the whole ---- */

static PyObject *row_of(struct sample_object *profile, enum row_kind kind, const void *from)
{
    profile->guard.calls++;
    PyObject *row = row_new(native_of((PyObject *)profile), kind, from);
    profile->guard.calls--;
    return row;
}

static PyObject *sample_info(PyObject *self, void *unused)
{
    struct sample_object *profile = open_profile(self);
    (void)unused;
    return profile ? row_of(profile, ROW_SAMPLE_INFO, apf_sample_info(profile->view)) : NULL;
}

static PyObject *sample_salvage(PyObject *self, void *unused)
{
    struct sample_object *profile = open_profile(self);
    (void)unused;
    if (!profile)
        return NULL;
    const struct apf_sample_salvage *salvage = apf_sample_salvage(profile->view);
    return salvage ? row_of(profile, ROW_SAMPLE_SALVAGE, salvage) : Py_NewRef(Py_None);
}

static PyObject *sample_source(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((const struct sample_object *)self)->source);
}

static PyObject *sample_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((const struct sample_object *)self)->view == NULL);
}

/* _write(path or None, options, target or None, format, layout, flags): format 7 is JSON. Returns the bytes, or None
 * after a file was written, and what was left out, or None for JSON. */
static PyObject *sample_write(PyObject *self, PyObject *args)
{
    PyObject *path, *options;
    const char *target = NULL;
    struct call call;
    struct output output;
    struct apf_error error;
    struct apf_sample_write_options write = {.size = sizeof write};
    struct apf_sample_write_result written = {.size = sizeof written};
    int code;
    if (!PyArg_ParseTuple(args, "OOzO&O&O&:_write", &path, &options, &target, to_u32, &write.format, to_u32,
                          &write.layout, to_u32, &write.flags) ||
        !call_begin(&call, native_of(self), options) || !output_take(&output, path))
        return NULL;
    if (target && apf_sample_target_parse(target, &write.target, &error) != APF_OK)
        return raise_error(&error);
    struct sample_object *profile = open_profile(self);
    if (!profile)
        return NULL;
    const bool json = write.format == APF_SAMPLE_JSON;
    write.options = &call.options;
    profile->guard.calls++;
    CALL(&call, code,
         json ? apf_sample_write_json(profile->view, &output.to, &error)
              : apf_sample_write(profile->view, &write, &output.to, &written, &error));
    profile->guard.calls--;
    if (!call_succeeded(&call, code, &error)) {
        output_drop(&output);
        return NULL;
    }
    PyObject *bytes = output_result(&output);
    PyObject *losses = json ? Py_NewRef(Py_None) : row_new(native_of(self), ROW_SAMPLE_WRITTEN, &written);
    if (bytes && losses)
        return Py_BuildValue("(NN)", bytes, losses);
    Py_XDECREF(bytes);
    Py_XDECREF(losses);
    return NULL;
}

DELEGATE(sample_write_file)
DELEGATE(sample_write_json)

static PyMethodDef methods[] = {
    {"close", sample_close, METH_NOARGS,
     "close($self, /)\n--\n\nFrees the profile. Its functions cannot be used afterwards (ValueError)."},
    {"find_all", sample_find_all, METH_O,
     "find_all($self, name, /)\n--\n\nThe functions at the top level with a name, or with the hash of one (a "
     "number): one for\n"
     "each context or source file. An empty list if there is none."},
    DELEGATED(
        "write", sample_write_file,
        "write($self, out=None, *, target='auto', format=None, md5=False, compress=False, partial=False,\n"
        "      on_finding=None)\n--\n\n"
        "Writes the profile for a reader, to a path or into memory: a WriteResult, whose losses say what "
        "the\n"
        "output has no place for."),
    DELEGATED("write_json", sample_write_json,
              "write_json($self, out=None)\n--\n\nWrites the profile as JSON (anyprof-sample/1) to a path; "
              "without one,"
              " returns\nthe bytes."),
    {"_write", sample_write, METH_VARARGS, NULL},
    {"__enter__", sample_enter, METH_NOARGS, NULL},
    {"__exit__", sample_exit, METH_VARARGS, NULL},
    NO_COPIES,
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"info", sample_info, NULL, "Facts about the profile: a SampleInfo.", NULL},
    {"salvage", sample_salvage, NULL,
     "What was kept of a damaged file: a SampleSalvage; None if it is intact.", NULL},
    {"source", sample_source, NULL, "The path of the file, or another name: str.", NULL},
    {"closed", sample_closed, NULL, "Whether the profile is closed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "A sample profile (AutoFDO, CSSPGO, or of GCC): functions with their samples.\n\n"
     "Made by anyprof.open() and anyprof.merge(). It has a length, iteration over its functions at\n"
     "the top level, those with most samples first, profile[name] and `name in profile`, and is a\n"
     "context manager. It never changes, so that several threads may read it."},
    {Py_tp_dealloc, (void *)sample_dealloc},
    {Py_tp_repr, (void *)sample_repr},
    {Py_tp_iter, (void *)sample_iter},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_nb_bool, (void *)native_is_true},
    {Py_mp_length, (void *)sample_length},
    {Py_mp_subscript, (void *)sample_subscript},
    {Py_sq_contains, (void *)sample_contains},
    {0, NULL},
};

static PyType_Spec spec = {"anyprof.SampleProfile", (int)sizeof(struct sample_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};

int sample_add(PyObject *module, struct native *native)
{
    return native_add_type(module, native, TYPE_SAMPLE, &spec);
}

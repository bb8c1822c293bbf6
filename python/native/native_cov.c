/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof.Coverage: programs with their counts. Several threads may use the handle at once. */
#include <stdlib.h>
#include <string.h>

#include "coverage.h"
#include "rows.h"

#define WHAT "Coverage"

struct cov_object {
    PyObject_HEAD struct apf_cov *cov;       /* NULL: closed */
    struct inputs programs, profiles;        /* in memory, they must stay in place */
    PyObject *program_tuple, *profile_tuple; /* which the inputs borrow from */
    struct guard guard;
};

/* ---- the object ---- */

static struct cov_object *usable(PyObject *self)
{
    struct cov_object *object = (struct cov_object *)self;
    if (!object->cov)
        closed_error(WHAT);
    return object->cov ? object : NULL;
}

static void free_contents(struct cov_object *object)
{
    apf_cov_close(object->cov);
    inputs_drop(&object->programs);
    inputs_drop(&object->profiles);
    Py_CLEAR(object->program_tuple);
    Py_CLEAR(object->profile_tuple);
}

static bool open_object(struct cov_object *object, struct call *call, PyObject *settings)
{
    struct apf_cov_options o = {.size = sizeof o, .options = &call->options};
    struct name_list maps = {NULL, NULL, 0}, directories = {NULL, NULL, 0};
    PyObject *changes, *paths;
    struct apf_error error;
    int code = APF_OK;
    bool good = PyArg_ParseTuple(settings, "O&zzOO", to_u32, &o.flags, &o.compilation_dir, &o.architecture,
                                 &changes, &paths) &&
                changes_take(&maps, changes) && paths_take(&directories, paths) &&
                inputs_take(&object->programs, object->program_tuple) &&
                inputs_take(&object->profiles, object->profile_tuple);
    if (good) {
        o.programs = object->programs.data;
        o.n_programs = object->programs.n;
        o.profiles = object->profiles.data;
        o.n_profiles = object->profiles.n;
        o.prefix_maps = maps.changes;
        o.n_prefix_maps = maps.n;
        o.debug_directories = directories.paths;
        o.n_debug_directories = directories.n;
        CALL(call, code, apf_cov_open(&object->cov, &o, &error));
        good = call_succeeded(call, code, &error);
    }
    names_drop(&maps);
    names_drop(&directories);
    return good;
}

/* open_cov(programs, profiles, options, settings): settings are flags, compilation_dir, architecture, prefix_maps,
 * debug_directories */
PyObject *cov_open(PyObject *module, PyObject *args)
{
    PyObject *programs, *profiles, *options, *settings;
    struct call call;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OOOO", &programs, &profiles, &options, &settings) ||
        !call_begin(&call, native, options))
        return NULL;
    if (!PyTuple_Check(settings)) {
        PyErr_SetString(PyExc_TypeError, "the settings must be a tuple");
        return NULL;
    }
    struct cov_object *object = (struct cov_object *)native_new(native, TYPE_COV);
    if (!object)
        return NULL;
    object->program_tuple = Py_NewRef(programs);
    object->profile_tuple = Py_NewRef(profiles);
    if (!open_object(object, &call, settings)) {
        Py_DECREF((PyObject *)object);
        return NULL;
    }
    return (PyObject *)object;
}

static void cov_dealloc(PyObject *self)
{
    free_contents((struct cov_object *)self);
    native_free(self);
}

static PyObject *cov_close(PyObject *self, PyObject *unused)
{
    struct cov_object *object = (struct cov_object *)self;
    (void)unused;
    if (object->cov && !guard_may_close(&object->guard, WHAT))
        return NULL;
    struct cov_object old = *object;
    object->cov = NULL;
    memset(&object->programs, 0, sizeof object->programs);
    memset(&object->profiles, 0, sizeof object->profiles);
    object->program_tuple = object->profile_tuple = NULL;
    free_contents(&old);
    Py_RETURN_NONE;
}

static PyObject *cov_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return usable(self) ? Py_NewRef(self) : NULL;
}

static PyObject *cov_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return cov_close(self, NULL);
}

static PyObject *cov_repr(PyObject *self)
{
    const struct cov_object *object = (const struct cov_object *)self;
    if (!object->cov)
        return PyUnicode_FromString("<anyprof.Coverage, closed>");
    return PyUnicode_FromFormat("<anyprof.Coverage, %zu source files>", apf_cov_n_files(object->cov));
}

/* ---- what it consists of ---- */

static PyObject *cov_files(PyObject *self, void *unused)
{
    struct cov_object *object = usable(self);
    PyObject *list = object ? PyList_New(0) : NULL;
    (void)unused;
    if (!list)
        return NULL;
    object->guard.calls++;
    for (size_t i = 0; list && i < apf_cov_n_files(object->cov); i++)
        if (list_take(list, text_str(apf_cov_file_name(object->cov, i))) < 0)
            Py_CLEAR(list);
    object->guard.calls--;
    return list;
}

/* The number of a source file; SIZE_MAX: there is none. */
static size_t find_file(const struct apf_cov *cov, struct apf_str name)
{
    for (size_t i = 0; i < apf_cov_n_files(cov); i++) {
        const struct apf_str file = apf_cov_file_name(cov, i);
        if (file.n == name.n && (name.n == 0 || memcmp(file.p, name.p, name.n) == 0))
            return i;
    }
    return SIZE_MAX;
}

static PyObject *cov_lines_of(PyObject *self, PyObject *name)
{
    struct apf_str text;
    PyObject *list = NULL, *bytes = text_bytes(name, &text);
    struct cov_object *object = bytes ? usable(self) : NULL;
    const size_t file = object ? find_file(object->cov, text) : SIZE_MAX;
    if (object && file == SIZE_MAX) {
        PyErr_SetObject(PyExc_KeyError, name);
    } else if (object) {
        object->guard.calls++;
        list = cov_lines(native_of(self), object->cov, file);
        object->guard.calls--;
    }
    Py_XDECREF(bytes);
    return list;
}

static PyObject *cov_functions_of(PyObject *self, PyObject *args)
{
    int left_out;
    if (!PyArg_ParseTuple(args, "p:_functions", &left_out))
        return NULL;
    struct cov_object *object = usable(self);
    if (!object)
        return NULL;
    object->guard.calls++;
    PyObject *list = cov_functions(native_of(self), object->cov, left_out);
    object->guard.calls--;
    return list;
}

static PyObject *cov_regions_of(PyObject *self, PyObject *number)
{
    uint64_t i;
    if (!to_u64(number, &i))
        return NULL;
    struct cov_object *object = usable(self);
    if (!object)
        return NULL;
    object->guard.calls++;
    PyObject *list = cov_regions(native_of(self), object->cov, (size_t)i);
    object->guard.calls--;
    return list;
}

static PyObject *cov_stats(PyObject *self, void *unused)
{
    struct cov_object *object = usable(self);
    struct apf_cov_stats stats = {.size = sizeof stats};
    struct apf_error error;
    (void)unused;
    if (!object)
        return NULL;
    if (apf_cov_stats(object->cov, &stats, &error) != APF_OK)
        return raise_error(&error);
    return row_new(native_of(self), ROW_COV_STATS, &stats);
}

/* ---- output ---- */

/* _totals(sources): a CoverageTotals */
static PyObject *cov_totals(PyObject *self, PyObject *args)
{
    PyObject *sources, *row = NULL;
    struct name_list list = {NULL, NULL, 0};
    struct apf_cov_write_options o = {.size = sizeof o};
    struct apf_cov_totals totals = {.size = sizeof totals};
    struct apf_error error;
    int code;
    if (!PyArg_ParseTuple(args, "O:_totals", &sources))
        return NULL;
    struct cov_object *object = usable(self);
    if (object && paths_take(&list, sources)) {
        o.sources = list.paths;
        o.n_sources = list.n;
        object->guard.calls++;
        UNLOCKED(code = apf_cov_totals(object->cov, &o, &totals, &error));
        object->guard.calls--;
        row = code == APF_OK ? row_new(native_of(self), ROW_COV_TOTALS, &totals) : raise_error(&error);
    }
    names_drop(&list);
    return row;
}

/* _write(out, format, flags, sources, source_map): bytes or None */
static PyObject *cov_write(PyObject *self, PyObject *args)
{
    PyObject *path, *sources, *changes, *result = NULL;
    struct name_list list = {NULL, NULL, 0}, map = {NULL, NULL, 0};
    struct apf_cov_write_options o = {.size = sizeof o};
    struct output output;
    struct apf_error error;
    int code;
    if (!PyArg_ParseTuple(args, "OO&O&OO:_write", &path, to_u32, &o.format, to_u32, &o.flags, &sources,
                          &changes) ||
        !output_take(&output, path))
        return NULL;
    struct cov_object *object = usable(self);
    if (object && paths_take(&list, sources) && changes_take(&map, changes)) {
        o.sources = list.paths;
        o.n_sources = list.n;
        o.source_map = map.changes;
        o.n_source_map = map.n;
        object->guard.calls++;
        UNLOCKED(code = apf_cov_write(object->cov, &o, &output.to, &error));
        object->guard.calls--;
        if (code == APF_OK)
            result = output_result(&output);
        else
            raise_error(&error);
    }
    if (!result)
        output_drop(&output);
    names_drop(&list);
    names_drop(&map);
    return result;
}

static PyObject *cov_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((const struct cov_object *)self)->cov == NULL);
}

DELEGATE(coverage_functions_of)
DELEGATE(coverage_totals_of)
DELEGATE(coverage_write_to)

static PyMethodDef methods[] = {
    {"close", cov_close, METH_NOARGS, "close($self, /)\n--\n\nFrees the coverage."},
    {"lines", cov_lines_of, METH_O,
     "lines($self, file, /)\n--\n\nThe lines of a source file that are code: a list of CoverageLine."},
    DELEGATED(
        "functions", coverage_functions_of,
        "functions($self, *, left_out=False)\n--\n\nAll functions, in the order of programs: a list of "
        "CoverageFunction. left_out: those without counts here,\nof which only name, hash, fit and program "
        "are set."),
    {"regions", cov_regions_of, METH_O,
     "regions($self, function, /)\n--\n\nThe regions of the function with a number in functions(): a list of "
     "CoverageRegion."},
    DELEGATED("totals", coverage_totals_of,
              "totals($self, sources=())\n--\n\nThe numbers of all source files, or of some files and "
              "directories: a "
              "CoverageTotals."),
    DELEGATED(
        "write", coverage_write_to,
        "write($self, out=None, *, format='json', sources=(), summary_only=False, source_map=())\n--\n\n"
        "Writes a report to a path, or returns its bytes. format: 'json', 'lcov', 'report', 'functions', "
        "'show',\n"
        "'cobertura', 'codecov', 'coveralls' or 'html'. source_map: beginnings of names that are replaced\n"
        "to find the source files."),
    {"_functions", cov_functions_of, METH_VARARGS, NULL},
    {"_totals", cov_totals, METH_VARARGS, NULL},
    {"_write", cov_write, METH_VARARGS, NULL},
    {"__enter__", cov_enter, METH_NOARGS, NULL},
    {"__exit__", cov_exit, METH_VARARGS, NULL},
    NO_COPIES,
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"files", cov_files, NULL, "The names of the source files, in their order: a list of str.", NULL},
    {"stats", cov_stats, NULL, "What has counts, and what does not: a CoverageStats.", NULL},
    {"closed", cov_closed, NULL, "Whether the coverage is closed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Coverage of source code: what of it ran.\n\nMade by anyprof.coverage(), and a context manager. Several "
     "threads may use it."},
    {Py_tp_dealloc, (void *)cov_dealloc},
    {Py_tp_repr, (void *)cov_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {"anyprof.Coverage", (int)sizeof(struct cov_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};

int cov_add(PyObject *module, struct native *native)
{
    return native_add_type(module, native, TYPE_COV, &spec);
}

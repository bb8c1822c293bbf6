/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof.BoltYamlProfile: a profile of BOLT in YAML. One thread at a time may use the handle, which is why each use
 * looks at the guard first. */
#include "bolt_profiles.h"
#include "calls.h"
#include "rows.h"

#define WHAT "BoltYamlProfile"

struct yaml_object {
    PyObject_HEAD struct apf_bolt_yaml *yaml; /* sorted by fid; NULL: closed */
    PyObject *source;
    struct guard guard;
    PyObject *header; /* the row, made when it is first asked for: each one costs memory of the profile */
    PyObject *by_name, *by_fid; /* dicts of numbers of functions, made by the first search */
};

/* ---- rows ---- */

static const struct row_field info_fields[] = {
    FIELD(BOOL, apf_bolt_yaml_info, known, "whether a file was read"),
    FIELD(BOOL, apf_bolt_yaml_info, probes_dropped,
          "whether the pseudo probes of the files differed, so that all were left out"),
    FIELD(U64, apf_bolt_yaml_info, n_inputs, "files that were read, empty ones not counted"),
    FIELD(U64, apf_bolt_yaml_info, n_functions, "functions, after those of one name became one"),
    FIELD(U64, apf_bolt_yaml_info, n_saturated, "sums above 2**64 - 1, where they stay"),
    FIELD(U64, apf_bolt_yaml_info, n_unknown_keys, "keys that are not known, and were left out"),
};
SHAPE(shape_bolt_yaml_info, "anyprof.BoltYamlInfo", info_fields,
      "Facts about the reading of a profile of BOLT in YAML.");

static const struct row_field header_fields[] = {
    FIELD(TEXT, apf_bolt_yaml_header, binary_name, "name of the binary, or None"),
    FIELD(TEXT, apf_bolt_yaml_header, build_id, "build id of the binary, \"<unknown>\", or None"),
    FIELD(TEXT, apf_bolt_yaml_header, origin, "the tool, in its own words, or None"),
    FIELD(TEXT, apf_bolt_yaml_header, events, "names of events, or None"),
    FIELD(U32, apf_bolt_yaml_header, flags, "BoltYamlFlag bits"),
    FIELD(U32, apf_bolt_yaml_header, order, "BoltYamlOrder: the numbering of blocks"),
    FIELD(U32, apf_bolt_yaml_header, hash,
          "BoltYamlHash: the function that makes hashes of functions and blocks"),
};
SHAPE(shape_bolt_yaml_header, "anyprof.BoltYamlHeader", header_fields,
      "The header of a profile of BOLT in YAML.");

static const struct row_field call_fields[] = {
    FIELD(U32, apf_bolt_yaml_edge, offset, "bytes from the beginning of the block"),
    FIELD_AS("fid", U32, apf_bolt_yaml_edge, to, "fid of the function; 0: unknown"),
    FIELD(U32, apf_bolt_yaml_edge, entry, "which further entry of the function; 0: its beginning"),
    FIELD(U64, apf_bolt_yaml_edge, count, "how often it was called"),
    FIELD(U64, apf_bolt_yaml_edge, mispredictions, "how often the call was mispredicted"),
    FIELD(U32, apf_bolt_yaml_edge, probe, "pseudo probe of the call; 0: none"),
    FIELD(U32, apf_bolt_yaml_edge, node, "node of the inline tree"),
    FIELD(BOOL, apf_bolt_yaml_edge, indirect, "whether the probe is one of an indirect call"),
};
SHAPE(shape_bolt_yaml_call, "anyprof.BoltYamlCall", call_fields, "A call from a block.");

static const struct row_field successor_fields[] = {
    FIELD_AS("block", U32, apf_bolt_yaml_edge, to, "number of the block"),
    FIELD(U64, apf_bolt_yaml_edge, count, "how often control went there"),
    FIELD(U64, apf_bolt_yaml_edge, mispredictions, "how often that was mispredicted"),
};
SHAPE(shape_bolt_yaml_successor, "anyprof.BoltYamlSuccessor", successor_fields,
      "A block that runs after another one.");

static PyObject *block_calls(const struct native *native, const void *from)
{
    const struct apf_bolt_yaml_block *block = (const struct apf_bolt_yaml_block *)from;
    return row_list(native, ROW_BOLT_YAML_CALL, block->calls, block->n_calls, sizeof *block->calls);
}

static PyObject *block_successors(const struct native *native, const void *from)
{
    const struct apf_bolt_yaml_block *block = (const struct apf_bolt_yaml_block *)from;
    return row_list(native, ROW_BOLT_YAML_SUCCESSOR, block->successors, block->n_successors,
                    sizeof *block->successors);
}

static const struct row_field block_fields[] = {
    FIELD_AS("number", U32, apf_bolt_yaml_block, index, "its number in the function, below n_all_blocks"),
    FIELD(U32, apf_bolt_yaml_block, n_instructions, "instructions; 0 where blocks come from a BAT table"),
    FIELD(U64, apf_bolt_yaml_block, hash, "BOLT's hash of the block; 0: none"),
    FIELD(U64, apf_bolt_yaml_block, exec, "how often it was entered from outside of the function"),
    FIELD(U64, apf_bolt_yaml_block, events, "samples in it"),
    FIELD_BY("calls", block_calls, "a list of BoltYamlCall"),
    FIELD_BY("successors", block_successors, "a list of BoltYamlSuccessor"),
    FIELD(TEXT, apf_bolt_yaml_block, probes, "its pseudo probes: lines as they are in the file, or None"),
};
SHAPE(shape_bolt_yaml_block, "anyprof.BoltYamlBlock", block_fields,
      "A block of a function, with its counts.");

static PyObject *function_blocks(const struct native *native, const void *from)
{
    const struct apf_bolt_yaml_function *function = (const struct apf_bolt_yaml_function *)from;
    return row_list(native, ROW_BOLT_YAML_BLOCK, function->blocks, function->n_blocks,
                    sizeof *function->blocks);
}

static const struct row_field function_fields[] = {
    FIELD(TEXT, apf_bolt_yaml_function, name, "its name, as in FdataLocation"),
    FIELD(U64, apf_bolt_yaml_function, hash, "BOLT's hash of its code"),
    FIELD(U64, apf_bolt_yaml_function, exec, "how often it was entered"),
    FIELD(U64, apf_bolt_yaml_function, entered, "of these, from outside of the program"),
    FIELD(U32, apf_bolt_yaml_function, fid, "its id in calls, in all profiles of this binary"),
    FIELD(U32, apf_bolt_yaml_function, n_all_blocks, "its blocks, also those that the profile lacks"),
    FIELD_BY("blocks", function_blocks, "the blocks in the profile, by number: a list of BoltYamlBlock"),
    FIELD(TEXT, apf_bolt_yaml_function, probes, "its inline tree: lines as they are in the file, or None"),
};
SHAPE(shape_bolt_yaml_function, "anyprof.BoltYamlFunction", function_fields,
      "A function of a profile of BOLT in YAML.");

/* ---- the object ---- */

/* The object, if this thread may use it; else an exception is set. */
static struct yaml_object *usable(PyObject *self)
{
    struct yaml_object *object = (struct yaml_object *)self;
    if (!object->yaml) {
        closed_error(WHAT);
        return NULL;
    }
    return guard_is_free(&object->guard, WHAT) ? object : NULL;
}

PyObject *bolt_yaml_wrap(const struct native *native, struct apf_bolt_yaml *yaml, PyObject *source)
{
    struct yaml_object *made = (struct yaml_object *)native_new(native, TYPE_BOLT_YAML);
    if (!made) {
        apf_bolt_yaml_free(yaml);
        return NULL;
    }
    made->yaml = yaml;
    made->source = Py_NewRef(source);
    return (PyObject *)made;
}

static void yaml_dealloc(PyObject *self)
{
    struct yaml_object *object = (struct yaml_object *)self;
    PyObject *const owned[] = {object->source, object->header, object->by_name, object->by_fid};
    apf_bolt_yaml_free(object->yaml);
    native_free(self);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        Py_XDECREF(owned[i]);
}

static PyObject *yaml_close(PyObject *self, PyObject *unused)
{
    struct yaml_object *object = (struct yaml_object *)self;
    (void)unused;
    if (!object->yaml)
        Py_RETURN_NONE;
    if (!guard_may_close(&object->guard, WHAT))
        return NULL;
    struct apf_bolt_yaml *yaml = object->yaml;
    object->yaml = NULL;
    apf_bolt_yaml_free(yaml);
    Py_CLEAR(object->header);
    Py_CLEAR(object->by_name);
    Py_CLEAR(object->by_fid);
    Py_RETURN_NONE;
}

static PyObject *yaml_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return usable(self) ? Py_NewRef(self) : NULL;
}

static PyObject *yaml_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return yaml_close(self, NULL);
}

static Py_ssize_t n_functions(const struct yaml_object *object)
{
    return (Py_ssize_t)apf_bolt_yaml_info(object->yaml)->n_functions;
}

static PyObject *yaml_repr(PyObject *self)
{
    const struct yaml_object *object = (const struct yaml_object *)self;
    if (!object->yaml)
        return PyUnicode_FromFormat("<anyprof.BoltYamlProfile %R, closed>", object->source);
    return PyUnicode_FromFormat("<anyprof.BoltYamlProfile %R, %zd functions>", object->source,
                                n_functions(object));
}

/* ---- functions ---- */

static Py_ssize_t yaml_length(PyObject *self)
{
    const struct yaml_object *object = usable(self);
    return object ? n_functions(object) : -1;
}

/* NULL without an exception: there is no function with this number. */
static PyObject *next_function(PyObject *self, uint64_t *i)
{
    struct apf_bolt_yaml_function function = {.size = sizeof function};
    struct apf_error error;
    struct yaml_object *object = usable(self);
    if (!object)
        return NULL;
    const int code = apf_bolt_yaml_function(object->yaml, (size_t)*i, &function, &error);
    if (code != APF_OK)
        return code == APF_END ? NULL : raise_error(&error);
    ++*i;
    /* The blocks are valid until the next function is asked for, which nothing can do meanwhile. */
    object->guard.calls++;
    PyObject *row = row_new(native_of(self), ROW_BOLT_YAML_FUNCTION, &function);
    object->guard.calls--;
    return row;
}

static PyObject *yaml_iter(PyObject *self)
{
    return usable(self) ? iterator_new(native_of(self), self, next_function) : NULL;
}

/* ---- searches ---- */

/* Adds the number of a function to a dict; steals the reference to the key, which may be NULL. */
static bool add_number(PyObject *dict, PyObject *key, uint64_t number)
{
    PyObject *value = key ? PyLong_FromUnsignedLongLong(number) : NULL;
    const bool good = value && PyDict_SetItem(dict, key, value) == 0;
    Py_XDECREF(key);
    Py_XDECREF(value);
    return good;
}

static bool add_functions(const struct yaml_object *object, PyObject *by_name, PyObject *by_fid)
{
    const uint64_t n = (uint64_t)n_functions(object);
    for (uint64_t i = 0; i < n; i++) {
        struct apf_bolt_yaml_function function = {.size = sizeof function};
        struct apf_error error;
        if (apf_bolt_yaml_function(object->yaml, (size_t)i, &function, &error) != APF_OK) {
            raise_error(&error);
            return false;
        }
        if (!add_number(by_name, text_str(function.name), i) ||
            !add_number(by_fid, PyLong_FromUnsignedLong(function.fid), i))
            return false;
    }
    return true;
}

/* Makes the dicts for searches, if there are none. False: an exception is set. */
static bool index_functions(struct yaml_object *object)
{
    if (object->by_name)
        return true;
    object->guard.calls++;
    PyObject *by_name = PyDict_New(), *by_fid = PyDict_New();
    const bool good = by_name && by_fid && add_functions(object, by_name, by_fid);
    object->guard.calls--;
    if (good) {
        object->by_name = by_name;
        object->by_fid = by_fid;
        return true;
    }
    Py_XDECREF(by_name);
    Py_XDECREF(by_fid);
    return false;
}

/* The function whose number a dict has; NULL without an exception: there is none. */
static PyObject *found_function(PyObject *self, PyObject *dict, PyObject *key)
{
    uint64_t i;
    PyObject *number = PyDict_GetItemWithError(dict, key);
    return number && to_u64(number, &i) ? next_function(self, &i) : NULL;
}

/* A name, str or bytes, as the dict of names has it. NULL: an exception is set. */
static PyObject *key_of(PyObject *name)
{
    struct apf_str text;
    PyObject *bytes = text_bytes(name, &text);
    PyObject *key = bytes ? text_str(text) : NULL;
    Py_XDECREF(bytes);
    return key;
}

static PyObject *yaml_subscript(PyObject *self, PyObject *name)
{
    PyObject *row = NULL, *key = key_of(name);
    struct yaml_object *object = key ? usable(self) : NULL;
    if (object && index_functions(object)) {
        row = found_function(self, object->by_name, key);
        if (!row && !PyErr_Occurred())
            PyErr_SetObject(PyExc_KeyError, name);
    }
    Py_XDECREF(key);
    return row;
}

static int yaml_contains(PyObject *self, PyObject *name)
{
    PyObject *key = key_of(name);
    struct yaml_object *object = key ? usable(self) : NULL;
    const int found = object && index_functions(object) ? PyDict_Contains(object->by_name, key) : -1;
    Py_XDECREF(key);
    return found;
}

static PyObject *yaml_function(PyObject *self, PyObject *fid)
{
    uint32_t number;
    PyObject *row = NULL, *key = to_u32(fid, &number) ? PyLong_FromUnsignedLong(number) : NULL;
    struct yaml_object *object = key ? usable(self) : NULL;
    if (object && index_functions(object)) {
        row = found_function(self, object->by_fid, key);
        if (!row && !PyErr_Occurred())
            row = Py_NewRef(Py_None);
    }
    Py_XDECREF(key);
    return row;
}

/* ---- the whole ---- */

static PyObject *yaml_info(PyObject *self, void *unused)
{
    struct yaml_object *object = usable(self);
    (void)unused;
    if (!object)
        return NULL;
    object->guard.calls++;
    PyObject *row = row_new(native_of(self), ROW_BOLT_YAML_INFO, apf_bolt_yaml_info(object->yaml));
    object->guard.calls--;
    return row;
}

static PyObject *yaml_header(PyObject *self, void *unused)
{
    struct apf_bolt_yaml_header header = {.size = sizeof header};
    struct apf_error error;
    struct yaml_object *object = usable(self);
    (void)unused;
    if (!object)
        return NULL;
    if (!object->header) {
        if (apf_bolt_yaml_header(object->yaml, &header, &error) != APF_OK)
            return raise_error(&error);
        object->guard.calls++;
        object->header = row_new(native_of(self), ROW_BOLT_YAML_HEADER, &header);
        object->guard.calls--;
    }
    return object->header ? Py_NewRef(object->header) : NULL;
}

static PyObject *yaml_source(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((const struct yaml_object *)self)->source);
}

static PyObject *yaml_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((const struct yaml_object *)self)->yaml == NULL);
}

/* _write(path or None): bytes, or None after a file was written. */
static PyObject *yaml_write(PyObject *self, PyObject *path)
{
    struct output output;
    struct apf_error error;
    int code;
    struct yaml_object *object = usable(self);
    if (!object || !output_take(&output, path))
        return NULL;
    object->guard.calls++;
    UNLOCKED(code = apf_bolt_yaml_write(object->yaml, &output.to, &error));
    object->guard.calls--;
    if (code == APF_OK)
        return output_result(&output);
    output_drop(&output);
    return raise_error(&error);
}

DELEGATE(bolt_yaml_write_to)

static PyMethodDef methods[] = {
    {"close", yaml_close, METH_NOARGS, "close($self, /)\n--\n\nFrees the profile."},
    {"function", yaml_function, METH_O,
     "function($self, fid, /)\n--\n\nThe BoltYamlFunction with an id such as BoltYamlCall.fid; None: the "
     "profile lacks it."},
    DELEGATED("write", bolt_yaml_write_to,
              "write($self, out=None)\n--\n\nWrites the profile as `anyprof bolt merge` does to a path; "
              "without one, returns the\nbytes."),
    {"_write", yaml_write, METH_O, NULL},
    {"__enter__", yaml_enter, METH_NOARGS, NULL},
    {"__exit__", yaml_exit, METH_VARARGS, NULL},
    NO_COPIES,
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"info", yaml_info, NULL, "Facts about the reading of the profile: a BoltYamlInfo.", NULL},
    {"header", yaml_header, NULL, "The header of the profile: a BoltYamlHeader.", NULL},
    {"source", yaml_source, NULL, "The path of the file, or another name: str.", NULL},
    {"closed", yaml_closed, NULL, "Whether the profile is closed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "A profile of BOLT in YAML: functions, with the counts of their blocks, calls and successors.\n\n"
     "Made by anyprof.open() and anyprof.merge_bolt(). It has a length, iteration over its functions\n"
     "(BoltYamlFunction) by fid, profile[name] and `name in profile`, and is a context manager. One\n"
     "thread at a time may use it (RuntimeError)."},
    {Py_tp_dealloc, (void *)yaml_dealloc},
    {Py_tp_repr, (void *)yaml_repr},
    {Py_tp_iter, (void *)yaml_iter},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_nb_bool, (void *)native_is_true},
    {Py_mp_length, (void *)yaml_length},
    {Py_mp_subscript, (void *)yaml_subscript},
    {Py_sq_contains, (void *)yaml_contains},
    {0, NULL},
};

static PyType_Spec spec = {"anyprof.BoltYamlProfile", (int)sizeof(struct yaml_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};

int bolt_yaml_add(PyObject *module, struct native *native)
{
    return native_add_type(module, native, TYPE_BOLT_YAML, &spec);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof.BatTable: the address translation of a program that BOLT wrote. One thread at a time may use the handle,
 * which is why each use looks at the guard first. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/bat.h>

#include "calls.h"
#include "rows.h"

#define WHAT "BatTable"

struct bat_object {
    PyObject_HEAD struct apf_bat *bat; /* NULL: closed */
    PyObject *source;
    struct guard guard;
};

/* ---- rows ---- */

static const struct row_field info_fields[] = {
    FIELD(U32, apf_bat_info, encoding, "BatEncoding"),
    FIELD(U32, apf_bat_info, n_hot, "hot fragments, one for each function"),
    FIELD(U32, apf_bat_info, n_cold, "cold fragments"),
    FIELD(U64, apf_bat_info, n_entries, "entries of all fragments"),
    FIELD(U64, apf_bat_info, n_secondary, "secondary entry points of all functions"),
    FIELD(U64, apf_bat_info, section_bytes, "bytes of the section"),
    FIELD(U64, apf_bat_info, payload_bytes, "bytes of the tables"),
    FIELD(U64, apf_bat_info, rest_bytes, "bytes after the tables that are no padding"),
    FIELD(U64, apf_bat_info, section_offset, "offset of the section in the file; 0: a section alone"),
    FIELD(U64, apf_bat_info, file_bytes, "bytes of the file"),
    FIELD(U32, apf_bat_info, elf_machine, "e_machine; 0: a section alone"),
    FIELD(U32, apf_bat_info, n_symbols, "symbols of functions"),
};
SHAPE(shape_bat_info, "anyprof.BatInfo", info_fields, "Facts about a BAT table.");

static const struct row_field fragment_fields[] = {
    FIELD(TEXT, apf_bat_fragment, name, "name of its symbol, or None"),
    FIELD(U64, apf_bat_fragment, address, "address in the output"),
    FIELD(U64, apf_bat_fragment, size, "bytes of its code; 0: unknown"),
    FIELD(U64, apf_bat_fragment, input,
          "address of the function in the input, after read_original(); 0: unknown"),
    FIELD(INDEX, apf_bat_fragment, function, "number of the hot fragment of its function, or None"),
    FIELD(BOOL, apf_bat_fragment, is_cold, "whether it is a cold fragment"),
    FIELD(U32, apf_bat_fragment, first_entry, "number of its first entry"),
    FIELD(U32, apf_bat_fragment, n_entries, "number of its entries"),
    FIELD(U32, apf_bat_fragment, n_blocks, "hot: basic blocks of the function in the input; 0: unknown"),
    FIELD(U64, apf_bat_fragment, hash, "hot: BOLT's hash of the function in the input; 0: unknown"),
};
SHAPE(shape_bat_fragment, "anyprof.BatFragment", fragment_fields, "A piece of a function in the output.");

static const struct row_field entry_fields[] = {
    FIELD(U32, apf_bat_entry, output, "offset in the fragment"),
    FIELD(U32, apf_bat_entry, input, "offset in the function of the input"),
    FIELD(U32, apf_bat_entry, block, "of a block: its number in the input"),
    FIELD(U32, apf_bat_entry, flags, "BatEntryFlag bits"),
    FIELD(U64, apf_bat_entry, hash, "of a block: BOLT's hash of it; 0: unknown"),
};
SHAPE(shape_bat_entry, "anyprof.BatEntry", entry_fields, "An entry of a BAT table.");

/* A place with the name of its function. */
struct named_place {
    struct apf_bat_place place;
    struct apf_str name;
};

static const struct row_field place_fields[] = {
    FIELD_AS("address", U64, named_place, place.address, "address in the output"),
    FIELD_AS("fragment", INDEX, named_place, place.fragment, "number of the fragment that has it, or None"),
    FIELD_AS("function", INDEX, named_place, place.function,
             "number of the function's hot fragment, or None"),
    FIELD_AS("offset", U32, named_place, place.offset, "offset in the function of the input"),
    FIELD_AS("flags", U32, named_place, place.flags, "BatPlaceFlag bits"),
    FIELD(TEXT, named_place, name, "name of the function, or None"),
};
SHAPE(shape_bat_place, "anyprof.BatPlace", place_fields, "A place in the input and in the output of BOLT.");

/* ---- the object ---- */

/* The object, if this thread may use it; else an exception is set. */
static struct bat_object *usable(PyObject *self)
{
    struct bat_object *object = (struct bat_object *)self;
    if (!object->bat) {
        closed_error(WHAT);
        return NULL;
    }
    return guard_is_free(&object->guard, WHAT) ? object : NULL;
}

/* open_bat(inputs, options, source) */
PyObject *bat_open(PyObject *module, PyObject *args)
{
    PyObject *tuple, *options, *source, *result = NULL;
    struct call call;
    struct inputs inputs;
    struct apf_bat *bat = NULL;
    struct apf_error error;
    int code;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OOU", &tuple, &options, &source) || !call_begin(&call, native, options))
        return NULL;
    if (inputs_take(&inputs, tuple) && inputs.n == 1) {
        CALL(&call, code, apf_bat_open(&bat, inputs.data, &call.options, &error));
        struct bat_object *made = NULL;
        if (call_succeeded(&call, code, &error))
            made = (struct bat_object *)native_new(native, TYPE_BAT);
        if (made) {
            made->bat = bat;
            made->source = Py_NewRef(source);
            result = (PyObject *)made;
        } else if (code == APF_OK) {
            apf_bat_close(bat);
        }
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "one input is needed");
    }
    inputs_drop(&inputs);
    return result;
}

static void bat_dealloc(PyObject *self)
{
    struct bat_object *object = (struct bat_object *)self;
    PyObject *source = object->source;
    apf_bat_close(object->bat);
    native_free(self);
    Py_XDECREF(source);
}

static PyObject *bat_close(PyObject *self, PyObject *unused)
{
    struct bat_object *object = (struct bat_object *)self;
    (void)unused;
    if (!object->bat)
        Py_RETURN_NONE;
    if (!guard_may_close(&object->guard, WHAT))
        return NULL;
    struct apf_bat *bat = object->bat;
    object->bat = NULL;
    apf_bat_close(bat);
    Py_RETURN_NONE;
}

static PyObject *bat_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return usable(self) ? Py_NewRef(self) : NULL;
}

static PyObject *bat_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return bat_close(self, NULL);
}

static PyObject *bat_repr(PyObject *self)
{
    const struct bat_object *object = (const struct bat_object *)self;
    return PyUnicode_FromFormat(object->bat ? "<anyprof.BatTable %R>" : "<anyprof.BatTable %R, closed>",
                                object->source);
}

/* ---- fragments and entries ---- */

static Py_ssize_t bat_length(PyObject *self)
{
    const struct bat_object *object = usable(self);
    if (!object)
        return -1;
    const struct apf_bat_info *info = apf_bat_info(object->bat);
    return (Py_ssize_t)info->n_hot + (Py_ssize_t)info->n_cold;
}

static PyObject *next_fragment(PyObject *self, uint64_t *i)
{
    struct bat_object *object = usable(self);
    const struct apf_bat_fragment *fragment = object ? apf_bat_fragment(object->bat, (size_t)*i) : NULL;
    if (!fragment)
        return NULL;
    ++*i;
    object->guard.calls++;
    PyObject *row = row_new(native_of(self), ROW_BAT_FRAGMENT, fragment);
    object->guard.calls--;
    return row;
}

static PyObject *bat_iter(PyObject *self)
{
    return usable(self) ? iterator_new(native_of(self), self, next_fragment) : NULL;
}

static PyObject *bat_item(PyObject *self, Py_ssize_t i)
{
    uint64_t number = i < 0 ? UINT64_MAX : (uint64_t)i;
    PyObject *row = next_fragment(self, &number);
    if (!row && !PyErr_Occurred())
        PyErr_SetString(PyExc_IndexError, "there is no fragment with this number");
    return row;
}

static PyObject *bat_entries(PyObject *self, PyObject *number)
{
    uint64_t i;
    if (!to_u64(number, &i))
        return NULL;
    struct bat_object *object = usable(self);
    const struct apf_bat_fragment *fragment = object ? apf_bat_fragment(object->bat, (size_t)i) : NULL;
    if (!fragment) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_IndexError, "there is no fragment with this number");
        return NULL;
    }
    object->guard.calls++;
    PyObject *list = PyList_New(0);
    for (uint32_t k = 0; list && k < fragment->n_entries; k++) {
        const struct apf_bat_entry *entry = apf_bat_entry(object->bat, (size_t)fragment->first_entry + k);
        if (!entry)
            break;
        if (list_take(list, row_new(native_of(self), ROW_BAT_ENTRY, entry)) < 0)
            Py_CLEAR(list);
    }
    object->guard.calls--;
    return list;
}

/* ---- translation ---- */

/* Rows of n places; the table is in use meanwhile. */
static PyObject *place_rows(struct bat_object *object, const struct apf_bat_place *places, size_t n)
{
    object->guard.calls++;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++) {
        struct named_place named = {places[i], {NULL, 0}};
        const struct apf_bat_fragment *function =
            places[i].function == APF_BAT_NONE ? NULL : apf_bat_fragment(object->bat, places[i].function);
        if (function)
            named.name = function->name;
        if (list_take(list, row_new(native_of((PyObject *)object), ROW_BAT_PLACE, &named)) < 0)
            Py_CLEAR(list);
    }
    object->guard.calls--;
    return list;
}

/* _translate(addresses as bytes of 64-bit numbers, flags): a list of BatPlace */
static PyObject *bat_translate(PyObject *self, PyObject *args)
{
    Py_buffer addresses;
    uint32_t flags;
    PyObject *list = NULL;
    if (!PyArg_ParseTuple(args, "y*O&:_translate", &addresses, to_u32, &flags))
        return NULL;
    const size_t n = (size_t)addresses.len / sizeof(uint64_t);
    uint64_t *copy = (uint64_t *)calloc(n + 1, sizeof *copy);
    struct apf_bat_place *places = (struct apf_bat_place *)calloc(n + 1, sizeof *places);
    struct bat_object *object = copy && places ? usable(self) : NULL;
    if (!copy || !places)
        PyErr_NoMemory();
    if (object) {
        if (n)
            memcpy(copy, addresses.buf, n * sizeof *copy);
        object->guard.calls++;
        UNLOCKED(apf_bat_translate(object->bat, copy, n, flags, places));
        object->guard.calls--;
        list = place_rows(object, places, n);
    }
    PyBuffer_Release(&addresses);
    free(copy);
    free(places);
    return list;
}

static PyObject *bat_reverse(PyObject *self, PyObject *args)
{
    uint32_t function, offset;
    if (!PyArg_ParseTuple(args, "O&O&:reverse", to_u32, &function, to_u32, &offset))
        return NULL;
    struct bat_object *object = usable(self);
    const struct apf_bat_fragment *fragment = object ? apf_bat_fragment(object->bat, function) : NULL;
    if (!fragment || fragment->is_cold) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_IndexError, "there is no hot fragment with this number");
        return NULL;
    }
    const size_t n = apf_bat_reverse(object->bat, function, offset, NULL, 0);
    struct apf_bat_place *places = (struct apf_bat_place *)calloc(n + 1, sizeof *places);
    if (!places)
        return PyErr_NoMemory();
    apf_bat_reverse(object->bat, function, offset, places, n);
    PyObject *list = place_rows(object, places, n);
    free(places);
    return list;
}

static PyObject *bat_find_function(PyObject *self, PyObject *address)
{
    uint64_t number;
    uint32_t offset = 0;
    if (!to_u64(address, &number))
        return NULL;
    struct bat_object *object = usable(self);
    if (!object)
        return NULL;
    const uint32_t function = apf_bat_find_function(object->bat, number, &offset);
    if (function == APF_BAT_NONE)
        Py_RETURN_NONE;
    return Py_BuildValue("(II)", function, offset);
}

static PyObject *bat_find_named(PyObject *self, PyObject *name)
{
    struct apf_str text;
    PyObject *list = NULL, *bytes = text_bytes(name, &text);
    struct bat_object *object = bytes ? usable(self) : NULL;
    if (object) {
        const size_t n = apf_bat_find_named(object->bat, text, NULL, 0);
        uint32_t *functions = (uint32_t *)calloc(n + 1, sizeof *functions);
        if (functions) {
            apf_bat_find_named(object->bat, text, functions, n);
            list = PyList_New(0);
        } else {
            PyErr_NoMemory();
        }
        for (size_t i = 0; list && i < n; i++)
            if (list_take(list, PyLong_FromUnsignedLong(functions[i])) < 0)
                Py_CLEAR(list);
        free(functions);
    }
    Py_XDECREF(bytes);
    return list;
}

/* _read_original(inputs, options): the number of functions that were found */
static PyObject *bat_read_original(PyObject *self, PyObject *args)
{
    PyObject *tuple, *options, *result = NULL;
    struct call call;
    struct inputs inputs;
    struct apf_error error;
    size_t found = 0;
    int code;
    if (!PyArg_ParseTuple(args, "OO:_read_original", &tuple, &options) ||
        !call_begin(&call, native_of(self), options))
        return NULL;
    if (inputs_take(&inputs, tuple) && inputs.n == 1) {
        struct bat_object *object = usable(self);
        if (object) {
            object->guard.calls++;
            CALL(&call, code, apf_bat_read_original(object->bat, inputs.data, &call.options, &found, &error));
            object->guard.calls--;
            if (call_succeeded(&call, code, &error))
                result = PyLong_FromSize_t(found);
        }
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "one input is needed");
    }
    inputs_drop(&inputs);
    return result;
}

static PyObject *bat_info(PyObject *self, void *unused)
{
    struct bat_object *object = usable(self);
    (void)unused;
    return object ? row_new(native_of(self), ROW_BAT_INFO, apf_bat_info(object->bat)) : NULL;
}

static PyObject *bat_source(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((const struct bat_object *)self)->source);
}

static PyObject *bat_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((const struct bat_object *)self)->bat == NULL);
}

DELEGATE(bat_translate_at)
DELEGATE(bat_read_original_at)

static PyMethodDef methods[] = {
    {"close", bat_close, METH_NOARGS, "close($self, /)\n--\n\nFrees the table."},
    {"entries", bat_entries, METH_O,
     "entries($self, fragment, /)\n--\n\nThe entries of the fragment with a number: a list of BatEntry."},
    {"reverse", bat_reverse, METH_VARARGS,
     "reverse($self, function, offset, /)\n--\n\nWhere the code at an offset of a function of the input is "
     "in the output: a\n"
     "list of BatPlace, which is empty if BOLT removed the code, and has several if it was copied. The "
     "function is\n"
     "the number of its hot fragment."},
    {"find_function", bat_find_function, METH_O,
     "find_function($self, address, /)\n--\n\n(function, offset) of an address of the input, after "
     "read_original(); or None."},
    {"find_named", bat_find_named, METH_O,
     "find_named($self, name, /)\n--\n\nThe numbers of the hot fragments of the functions with a name."},
    DELEGATED("translate", bat_translate_at,
              "translate($self, addresses, *, branch_source=False)\n--\n\nTranslates addresses of the output "
              "into places of"
              " the input: a list of\nBatPlace; for a single address, a BatPlace. branch_source: they are "
              "addresses of"
              " branches."),
    DELEGATED("read_original", bat_read_original_at,
              "read_original($self, source)\n--\n\nReads the program that BOLT was given, for the addresses "
              "of its functions:"
              " the\nnumber of functions that were found."),
    {"_translate", bat_translate, METH_VARARGS, NULL},
    {"_read_original", bat_read_original, METH_VARARGS, NULL},
    {"__enter__", bat_enter, METH_NOARGS, NULL},
    {"__exit__", bat_exit, METH_VARARGS, NULL},
    NO_COPIES,
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"info", bat_info, NULL, "Facts about the table: a BatInfo.", NULL},
    {"source", bat_source, NULL, "The path of the file, or another name: str.", NULL},
    {"closed", bat_closed, NULL, "Whether the table is closed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "The address translation of a program that BOLT wrote.\n\n"
     "Made by anyprof.open(). It has a length, iteration over its fragments (BatFragment) and indices,\n"
     "and is a context manager. One thread at a time may use it (RuntimeError)."},
    {Py_tp_dealloc, (void *)bat_dealloc},
    {Py_tp_repr, (void *)bat_repr},
    {Py_tp_iter, (void *)bat_iter},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_sq_length, (void *)bat_length},
    {Py_sq_item, (void *)bat_item},
    {0, NULL},
};

static PyType_Spec spec = {"anyprof.BatTable", (int)sizeof(struct bat_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};

int bat_add(PyObject *module, struct native *native)
{
    return native_add_type(module, native, TYPE_BAT, &spec);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof.Probes: pseudo probes of a program. One thread at a time may use the handle, which is why each use looks at
 * the guard first. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/probe.h>

#include "calls.h"
#include "rows.h"

#define WHAT "Probes"

struct probes_object {
    PyObject_HEAD struct apf_probes *probes; /* NULL: closed */
    PyObject *source;
    struct guard guard;
};

/* ---- rows ---- */

static PyObject *info_bytes(const struct native *native, const void *from)
{
    (void)native;
    return list_of_numbers(((const struct apf_probes_info *)from)->bytes, APF_PROBE_BYTES_KINDS);
}

static const struct row_field info_fields[] = {
    FIELD(U64, apf_probes_info, n_descs, "functions with a descriptor"),
    FIELD(U64, apf_probes_info, n_nodes, "functions and copies that were inlined"),
    FIELD(U64, apf_probes_info, n_records, "records at the top level"),
    FIELD(U64, apf_probes_info, n_probes, "probes"),
    FIELD(U64, apf_probes_info, n_sentinels, "sentinels"),
    FIELD(U64, apf_probes_info, desc_bytes, "bytes of .pseudo_probe_desc"),
    FIELD(U64, apf_probes_info, probe_bytes, "bytes of .pseudo_probe"),
    FIELD(U64, apf_probes_info, file_bytes, "bytes of the file"),
    FIELD(U64, apf_probes_info, n_symbols, "symbols that have a name"),
    FIELD(U32, apf_probes_info, elf_bits, "32 or 64"),
    FIELD(U32, apf_probes_info, elf_machine, "e_machine"),
    FIELD(BOOL, apf_probes_info, big_endian, "whether the program is big-endian"),
    FIELD(BOOL, apf_probes_info, relocatable, "whether it is an object"),
    FIELD(BOOL, apf_probes_info, old_encoding, "whether LLVM 13 to 15 wrote the probes"),
    FIELD_BY("bytes", info_bytes, "bytes of .pseudo_probe by their use: enum apf_probe_bytes"),
};
SHAPE(shape_probes_info, "anyprof.ProbesInfo", info_fields, "Facts about the pseudo probes of a program.");

static const struct row_field function_fields[] = {
    FIELD(TEXT, apf_probe_desc, name, "name, or None"),
    FIELD(U64, apf_probe_desc, guid, "the first 8 bytes of the MD5 of the name"),
    FIELD(U64, apf_probe_desc, hash, "checksum of the control flow"),
    FIELD(U64, apf_probe_desc, offset, "offset in the section"),
};
SHAPE(shape_probe_function, "anyprof.ProbeFunction", function_fields,
      "The descriptor of a function with probes.");

static const struct row_field node_fields[] = {
    FIELD(U64, apf_probe_node, guid, "of the function"),
    FIELD(U64, apf_probe_node, symbol, "GUID of the symbol that has the code, if it is another one; else 0"),
    FIELD(INDEX, apf_probe_node, parent, "number of the node that it was inlined into, or None"),
    FIELD(U32, apf_probe_node, call_probe, "the parent's call probe that was inlined; 0: unknown"),
    FIELD(U32, apf_probe_node, first_probe, "number of its first probe"),
    FIELD(U32, apf_probe_node, n_probes, "number of its own probes"),
    FIELD(U32, apf_probe_node, n_children, "nodes inlined directly into it"),
    FIELD(U32, apf_probe_node, n_nodes, "nodes of its tree, itself included"),
    FIELD(U32, apf_probe_node, depth, "0: a record at the top level"),
    FIELD(U64, apf_probe_node, offset, "offset in the section"),
    FIELD(U64, apf_probe_node, size, "bytes in the section, inlined nodes included"),
};
SHAPE(shape_probe_node, "anyprof.ProbeNode", node_fields, "A function, or a copy of it that was inlined.");

/* A probe with its number. */
struct numbered_probe {
    struct apf_probe probe;
    uint64_t number;
};

static PyObject *probe_address(const struct native *native, const void *from)
{
    const struct apf_probe *probe = &((const struct numbered_probe *)from)->probe;
    (void)native;
    if (probe->flags & APF_PROBE_FLAG_UNPLACED)
        Py_RETURN_NONE;
    return PyLong_FromUnsignedLongLong(probe->address);
}

static const struct row_field probe_fields[] = {
    FIELD(U64, numbered_probe, number, "number of the probe, for frames()"),
    FIELD_BY("address", probe_address, "where it stands, or None if the start of its function is not known"),
    FIELD_AS("id", U32, numbered_probe, probe.id, "number in its function, from 1"),
    FIELD_AS("type", U8, numbered_probe, probe.type, "ProbeType"),
    FIELD_AS("node", U32, numbered_probe, probe.node, "number of its ProbeNode"),
    FIELD_AS("discriminator", U32, numbered_probe, probe.discriminator,
             "of flow-sensitive profiles; 0: none"),
    FIELD_AS("attributes", U8, numbered_probe, probe.attributes, "attributes, a bit each"),
    FIELD_AS("offset", U64, numbered_probe, probe.offset, "offset in the section"),
};
SHAPE(shape_probe, "anyprof.Probe", probe_fields, "A pseudo probe.");

static const struct row_field frame_fields[] = {
    FIELD(TEXT, apf_probe_frame, name, "name of the function, or None"),
    FIELD(U64, apf_probe_frame, guid, "of the function"),
    FIELD(U32, apf_probe_frame, call_probe, "its call probe that leads to the next frame"),
    FIELD(U32, apf_probe_frame, node, "number of its ProbeNode"),
};
SHAPE(shape_probe_frame, "anyprof.ProbeFrame", frame_fields, "A step of an inline context.");

/* ---- the object ---- */

/* The object, if this thread may use it; else an exception is set. */
static struct probes_object *usable(PyObject *self)
{
    struct probes_object *object = (struct probes_object *)self;
    if (!object->probes) {
        closed_error(WHAT);
        return NULL;
    }
    return guard_is_free(&object->guard, WHAT) ? object : NULL;
}

/* open_probes(inputs, options, source, flags) */
PyObject *probes_open(PyObject *module, PyObject *args)
{
    PyObject *tuple, *options, *source, *result = NULL;
    struct call call;
    struct inputs inputs;
    struct apf_probes *probes = NULL;
    struct apf_probe_options open = {.size = sizeof open};
    struct apf_error error;
    int code;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OOUO&", &tuple, &options, &source, to_u32, &open.flags) ||
        !call_begin(&call, native, options))
        return NULL;
    open.options = &call.options;
    if (inputs_take(&inputs, tuple) && inputs.n == 1) {
        CALL(&call, code, apf_probes_open(&probes, inputs.data, &open, &error));
        struct probes_object *made = NULL;
        if (call_succeeded(&call, code, &error))
            made = (struct probes_object *)native_new(native, TYPE_PROBES);
        if (made) {
            made->probes = probes;
            made->source = Py_NewRef(source);
            result = (PyObject *)made;
        } else if (code == APF_OK) {
            apf_probes_close(probes);
        }
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "one input is needed");
    }
    inputs_drop(&inputs);
    return result;
}

static void probes_dealloc(PyObject *self)
{
    struct probes_object *object = (struct probes_object *)self;
    PyObject *source = object->source;
    if (object->probes)
        apf_probes_close(object->probes);
    native_free(self);
    Py_XDECREF(source);
}

static PyObject *probes_close(PyObject *self, PyObject *unused)
{
    struct probes_object *object = (struct probes_object *)self;
    (void)unused;
    if (!object->probes)
        Py_RETURN_NONE;
    if (!guard_may_close(&object->guard, WHAT))
        return NULL;
    struct apf_probes *probes = object->probes;
    object->probes = NULL;
    apf_probes_close(probes);
    Py_RETURN_NONE;
}

static PyObject *probes_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return usable(self) ? Py_NewRef(self) : NULL;
}

static PyObject *probes_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return probes_close(self, NULL);
}

static PyObject *probes_repr(PyObject *self)
{
    const struct probes_object *object = (const struct probes_object *)self;
    return PyUnicode_FromFormat(object->probes ? "<anyprof.Probes %R>" : "<anyprof.Probes %R, closed>",
                                object->source);
}

/* ---- iteration ---- */

static PyObject *row_of(struct probes_object *object, enum row_kind kind, const void *from)
{
    object->guard.calls++;
    PyObject *row = from ? row_new(native_of((PyObject *)object), kind, from) : NULL;
    object->guard.calls--;
    return row;
}

static PyObject *probe_row(struct probes_object *object, uint64_t i)
{
    const struct apf_probe *probe = apf_probes_probe(object->probes, (size_t)i);
    if (!probe)
        return NULL;
    const struct numbered_probe numbered = {*probe, i};
    return row_of(object, ROW_PROBE, &numbered);
}

static PyObject *next_probe(PyObject *self, uint64_t *i)
{
    struct probes_object *object = usable(self);
    return object ? probe_row(object, (*i)++) : NULL;
}

static PyObject *next_function(PyObject *self, uint64_t *i)
{
    struct probes_object *object = usable(self);
    return object ? row_of(object, ROW_PROBE_FUNCTION, apf_probes_desc(object->probes, (size_t)(*i)++))
                  : NULL;
}

static PyObject *next_node(PyObject *self, uint64_t *i)
{
    struct probes_object *object = usable(self);
    return object ? row_of(object, ROW_PROBE_NODE, apf_probes_node(object->probes, (size_t)(*i)++)) : NULL;
}

static PyObject *probes_iter(PyObject *self)
{
    return usable(self) ? iterator_new(native_of(self), self, next_probe) : NULL;
}

static PyObject *probes_functions(PyObject *self, PyObject *unused)
{
    (void)unused;
    return usable(self) ? iterator_new(native_of(self), self, next_function) : NULL;
}

static PyObject *probes_nodes(PyObject *self, PyObject *unused)
{
    (void)unused;
    return usable(self) ? iterator_new(native_of(self), self, next_node) : NULL;
}

static Py_ssize_t probes_length(PyObject *self)
{
    const struct probes_object *object = usable(self);
    return object ? (Py_ssize_t)apf_probes_info(object->probes)->n_probes : -1;
}

static PyObject *probes_item(PyObject *self, Py_ssize_t i)
{
    struct probes_object *object = usable(self);
    if (!object)
        return NULL;
    PyObject *row = i < 0 ? NULL : probe_row(object, (uint64_t)i);
    if (!row && !PyErr_Occurred())
        PyErr_SetString(PyExc_IndexError, "there is no probe with this number");
    return row;
}

static PyObject *probes_node(PyObject *self, PyObject *number)
{
    uint64_t i;
    if (!to_u64(number, &i))
        return NULL;
    struct probes_object *object = usable(self);
    PyObject *row =
        object ? row_of(object, ROW_PROBE_NODE, apf_probes_node(object->probes, (size_t)i)) : NULL;
    if (!row && !PyErr_Occurred())
        PyErr_SetString(PyExc_IndexError, "there is no node with this number");
    return row;
}

/* ---- searches ---- */

static PyObject *probes_find_range(PyObject *self, PyObject *args)
{
    uint64_t low, high;
    size_t first;
    if (!PyArg_ParseTuple(args, "O&O&:find_range", to_u64, &low, to_u64, &high))
        return NULL;
    struct probes_object *object = usable(self);
    if (!object)
        return NULL;
    const size_t n = low < high ? apf_probes_find_range(object->probes, low, high, &first) : 0;
    object->guard.calls++;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++)
        if (list_take(list, probe_row(object, apf_probes_probe_by_address(object->probes, first + i))) < 0)
            Py_CLEAR(list);
    object->guard.calls--;
    return list;
}

static PyObject *probes_find_functions(PyObject *self, PyObject *name)
{
    struct apf_str text;
    PyObject *list = NULL, *bytes = text_bytes(name, &text);
    struct probes_object *object = bytes ? usable(self) : NULL;
    if (object) {
        const size_t n = apf_probes_find_named(object->probes, text, NULL, 0);
        uint64_t *guids = (uint64_t *)calloc(n + 1, sizeof *guids);
        if (guids)
            list = list_of_numbers(guids, apf_probes_find_named(object->probes, text, guids, n));
        else
            PyErr_NoMemory();
        free(guids);
    }
    Py_XDECREF(bytes);
    return list;
}

static PyObject *probes_find_nodes(PyObject *self, PyObject *guid)
{
    uint64_t number;
    size_t first;
    if (!to_u64(guid, &number))
        return NULL;
    struct probes_object *object = usable(self);
    if (!object)
        return NULL;
    const size_t n = apf_probes_find_nodes(object->probes, number, &first);
    object->guard.calls++;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++) {
        const uint32_t node = apf_probes_node_by_guid(object->probes, first + i);
        if (list_take(list, row_of(object, ROW_PROBE_NODE, apf_probes_node(object->probes, node))) < 0)
            Py_CLEAR(list);
    }
    object->guard.calls--;
    return list;
}

static PyObject *probes_name(PyObject *self, PyObject *guid)
{
    uint64_t number;
    if (!to_u64(guid, &number))
        return NULL;
    const struct probes_object *object = usable(self);
    return object ? text_or_none(apf_probes_name(object->probes, number)) : NULL;
}

static PyObject *probes_start(PyObject *self, PyObject *guid)
{
    uint64_t number, address;
    if (!to_u64(guid, &number))
        return NULL;
    const struct probes_object *object = usable(self);
    if (!object)
        return NULL;
    if (!apf_probes_find_start(object->probes, number, &address))
        Py_RETURN_NONE;
    return PyLong_FromUnsignedLongLong(address);
}

static PyObject *probes_frames(PyObject *self, PyObject *probe)
{
    uint64_t i;
    PyObject *list = NULL;
    if (!to_u64(probe, &i))
        return NULL;
    struct probes_object *object = usable(self);
    if (!object)
        return NULL;
    if (!apf_probes_probe(object->probes, (size_t)i)) {
        PyErr_SetString(PyExc_IndexError, "there is no probe with this number");
        return NULL;
    }
    const size_t n = apf_probes_frames(object->probes, (size_t)i, NULL, 0);
    struct apf_probe_frame *frames = (struct apf_probe_frame *)calloc(n + 1, sizeof *frames);
    if (!frames)
        return PyErr_NoMemory();
    apf_probes_frames(object->probes, (size_t)i, frames, n);
    object->guard.calls++;
    list = row_list(native_of(self), ROW_PROBE_FRAME, frames, n, sizeof *frames);
    object->guard.calls--;
    free(frames);
    return list;
}

/* _lookup(addresses as bytes of 64-bit numbers, name of the file or None): JSON as bytes */
static PyObject *probes_lookup(PyObject *self, PyObject *args)
{
    Py_buffer addresses;
    PyObject *name;
    char *path = NULL;
    struct output output;
    struct apf_error error;
    uint64_t n_unknown;
    int code;
    if (!PyArg_ParseTuple(args, "y*O:_lookup", &addresses, &name))
        return NULL;
    const size_t n = (size_t)addresses.len / sizeof(uint64_t);
    uint64_t *copy = (uint64_t *)calloc(n + 1, sizeof *copy);
    if (copy && n)
        memcpy(copy, addresses.buf, n * sizeof *copy);
    PyBuffer_Release(&addresses);
    struct probes_object *object = copy ? usable(self) : NULL;
    if (!copy)
        PyErr_NoMemory();
    if (!object || (name != Py_None && PyBytes_AsStringAndSize(name, &path, NULL) < 0)) {
        free(copy);
        return NULL;
    }
    const struct apf_probe_lookup_options options = {.size = sizeof options,
                                                     .name = path,
                                                     .addresses = copy,
                                                     .n_addresses = n,
                                                     .flags = APF_PROBES_PRINT_JSON};
    output_take(&output, Py_None);
    object->guard.calls++;
    UNLOCKED(code = apf_probes_lookup(object->probes, &options, &output.to, &n_unknown, &error));
    object->guard.calls--;
    free(copy);
    if (code == APF_OK)
        return output_result(&output);
    output_drop(&output);
    return raise_error(&error);
}

static PyObject *probes_info(PyObject *self, void *unused)
{
    struct probes_object *object = usable(self);
    (void)unused;
    return object ? row_of(object, ROW_PROBES_INFO, apf_probes_info(object->probes)) : NULL;
}

static PyObject *probes_source(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((const struct probes_object *)self)->source);
}

static PyObject *probes_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((const struct probes_object *)self)->probes == NULL);
}

DELEGATE(probes_lookup_at)

static PyMethodDef methods[] = {
    {"close", probes_close, METH_NOARGS, "close($self, /)\n--\n\nFrees the probes."},
    {"functions", probes_functions, METH_NOARGS,
     "functions($self, /)\n--\n\nAn iterator over the descriptors of functions: ProbeFunction, by GUID."},
    {"nodes", probes_nodes, METH_NOARGS,
     "nodes($self, /)\n--\n\nAn iterator over functions and their inlined copies: ProbeNode, in the order of "
     "the sections."},
    {"node", probes_node, METH_O,
     "node($self, number, /)\n--\n\nThe ProbeNode with a number, such as Probe.node."},
    {"find_range", probes_find_range, METH_VARARGS,
     "find_range($self, low, high, /)\n--\n\nThe probes with low <= address < high: a list of Probe, by "
     "address."},
    {"find_functions", probes_find_functions, METH_O,
     "find_functions($self, name, /)\n--\n\nThe GUIDs of the functions that a name may mean: of the function "
     "with this name, or\n"
     "else of those that have it before the first \".\" or as first word of their C++ mangling."},
    {"find_nodes", probes_find_nodes, METH_O,
     "find_nodes($self, guid, /)\n--\n\nThe nodes of a function, inlined copies included: a list of "
     "ProbeNode."},
    {"name", probes_name, METH_O, "name($self, guid, /)\n--\n\nThe name of a GUID, or None."},
    {"start", probes_start, METH_O,
     "start($self, guid, /)\n--\n\nThe address of the code of a GUID, or None."},
    {"frames", probes_frames, METH_O,
     "frames($self, number, /)\n--\n\nThe inline context of the probe with a number: a list of ProbeFrame, "
     "the outermost\n"
     "function first, without its own function."},
    DELEGATED("lookup", probes_lookup_at,
              "lookup($self, addresses)\n--\n\nWhat is at addresses of the program: symbols, lines and "
              "probes, as the value of"
              "\nJSON that `anyprof probes lookup --json` prints (docs/json.md)."),
    {"_lookup", probes_lookup, METH_VARARGS, NULL},
    {"__enter__", probes_enter, METH_NOARGS, NULL},
    {"__exit__", probes_exit, METH_VARARGS, NULL},
    NO_COPIES,
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"info", probes_info, NULL, "Facts about the probes: a ProbesInfo.", NULL},
    {"source", probes_source, NULL, "The path of the file, or another name: str.", NULL},
    {"closed", probes_closed, NULL, "Whether the probes are closed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "The pseudo probes of a program (CSSPGO).\n\n"
     "Made by anyprof.open(). It has a length, iteration over its probes (Probe) and indices, and is a\n"
     "context manager. One thread at a time may use it (RuntimeError)."},
    {Py_tp_dealloc, (void *)probes_dealloc},
    {Py_tp_repr, (void *)probes_repr},
    {Py_tp_iter, (void *)probes_iter},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_sq_length, (void *)probes_length},
    {Py_sq_item, (void *)probes_item},
    {0, NULL},
};

static PyType_Spec spec = {"anyprof.Probes", (int)sizeof(struct probes_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};

int probes_add(PyObject *module, struct native *native)
{
    return native_add_type(module, native, TYPE_PROBES, &spec);
}

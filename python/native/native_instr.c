/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof.InstrProfile: an instrumentation profile, or the sum of a merge. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "handles.h"
#include "rows.h"

#define WHAT "profile"

/* ---- rows ---- */

static PyObject *info_binary_ids(const struct native *native, const void *from)
{
    const struct apf_instr_info *info = (const struct apf_instr_info *)from;
    (void)native;
    return list_of_bytes(info->binary_ids, info->n_binary_ids);
}

static PyObject *info_traces(const struct native *native, const void *from)
{
    const struct apf_instr_info *info = (const struct apf_instr_info *)from;
    return row_list(native, ROW_TRACE, info->traces, info->n_traces, sizeof *info->traces);
}

static PyObject *info_vtables(const struct native *native, const void *from)
{
    const struct apf_instr_info *info = (const struct apf_instr_info *)from;
    (void)native;
    return list_of_texts(info->vtable_names, info->n_vtable_names);
}

static const struct row_field info_fields[] = {
    FIELD(U32, apf_instr_info, format, "InstrFormat"),
    FIELD(U32, apf_instr_info, version, "version of the format; 0 for text and merges"),
    FIELD(U64, apf_instr_info, variant, "Variant bits"),
    FIELD(U32, apf_instr_info, pointer_bits, "raw profiles: 32 or 64; else 0"),
    FIELD(BOOL, apf_instr_info, big_endian, "raw profiles: the file is in big-endian order"),
    FIELD(U64, apf_instr_info, n_profiles, "raw profiles: profiles in the file; else 1"),
    FIELD(U64, apf_instr_info, n_records, "number of records"),
    FIELD(U64, apf_instr_info, n_counters, "number of counters"),
    FIELD(U64, apf_instr_info, nameless, "records whose name is not in the file"),
    FIELD(U64, apf_instr_info, producers, "LLVM releases that may have written it: see releases()"),
    FIELD(U32, apf_instr_info, origin, "JSON: InstrFormat of the profile that it was made from; else format"),
    FIELD(U64, apf_instr_info, trace_stream_size, "temporal traces that were ever seen"),
    FIELD_BY("traces", info_traces, "list of Trace"),
    FIELD_BY("binary_ids", info_binary_ids, "build ids of the programs, list of bytes"),
    FIELD_BY("vtable_names", info_vtables, "list of str"),
};
SHAPE(shape_instr_info, "anyprof.InstrInfo", info_fields, "Facts about an instrumentation profile.");

static PyObject *trace_ids(const struct native *native, const void *from)
{
    const struct apf_trace *trace = (const struct apf_trace *)from;
    (void)native;
    return list_of_numbers(trace->ids, trace->n);
}

static const struct row_field trace_fields[] = {
    FIELD(U64, apf_trace, weight, "weight of the trace"),
    FIELD_BY("ids", trace_ids, "ids of functions in the order in which they first ran"),
};
SHAPE(shape_trace, "anyprof.Trace", trace_fields, "A temporal trace.");

static const struct row_field summary_row_fields[] = {
    FIELD(U64, apf_summary_row, cutoff, "share of the total count, in millionths"),
    FIELD(U64, apf_summary_row, min_count, "smallest count of the hottest blocks that have this share"),
    FIELD(U64, apf_summary_row, n_blocks, "how many blocks these are"),
};
SHAPE(shape_summary_row, "anyprof.SummaryRow", summary_row_fields, "A row of a detailed summary.");

static PyObject *summary_rows(const struct native *native, const void *from)
{
    const struct apf_summary *summary = (const struct apf_summary *)from;
    return row_list(native, ROW_SUMMARY_ROW, summary->rows, summary->n_rows, sizeof *summary->rows);
}

static const struct row_field summary_fields[] = {
    FIELD(U64, apf_summary, n_functions, "number of functions"),
    FIELD(U64, apf_summary, n_counters, "number of counters"),
    FIELD(U64, apf_summary, max_function_count, "largest count of a function's entry"),
    FIELD(U64, apf_summary, max_count, "largest count"),
    FIELD(U64, apf_summary, max_internal_count, "largest count that is not of an entry"),
    FIELD(U64, apf_summary, total_count, "sum of all counts, modulo 2**64 as in LLVM"),
    FIELD_BY("rows", summary_rows, "list of SummaryRow"),
};
SHAPE(shape_summary, "anyprof.Summary", summary_fields, "LLVM's summary of a profile.");

static PyObject *salvage_damage(const struct native *native, const void *from)
{
    (void)native;
    return error_object(&((const struct apf_salvage *)from)->error);
}

static const struct row_field salvage_fields[] = {
    FIELD_BY("error", salvage_damage, "the damage: an Error"),
    FIELD(U64, apf_salvage, functions, "records that were kept"),
    FIELD(U64, apf_salvage, lost_functions, "records that are known to be lost"),
    FIELD(BOOL, apf_salvage, lost_known, "whether the number of functions of the file is known"),
    FIELD(U64, apf_salvage, values, "records with profiled values"),
    FIELD(U64, apf_salvage, lost_values, "records whose values are lost"),
    FIELD(U64, apf_salvage, nameless, "records whose name is not in the intact part"),
    FIELD(U32, apf_salvage, lost_sections, "sections that could not be read whole, a bit each"),
};
SHAPE(shape_salvage, "anyprof.Salvage", salvage_fields, "What was kept of a damaged file.");

/* ---- the object ---- */

PyObject *instr_wrap(const struct native *native, struct apf_instr *instr, struct apf_merge *merge,
                     PyObject *source)
{
    struct instr_object *profile = (struct instr_object *)native_new(native, TYPE_INSTR);
    if (!profile) {
        apf_instr_close(instr);
        apf_merge_free(merge);
        return NULL;
    }
    profile->instr = instr;
    profile->merge = merge;
    profile->source = Py_NewRef(source);
    return (PyObject *)profile;
}

struct instr_object *instr_of(const struct native *native, PyObject *object)
{
    if (Py_TYPE(object) != native->types[TYPE_INSTR]) {
        PyErr_Format(PyExc_TypeError, "an InstrProfile is needed, not %R", (PyObject *)Py_TYPE(object));
        return NULL;
    }
    struct instr_object *profile = (struct instr_object *)object;
    if (!profile->instr)
        closed_error(WHAT);
    return profile->instr ? profile : NULL;
}

static struct instr_object *open_profile(PyObject *self)
{
    struct instr_object *profile = (struct instr_object *)self;
    if (!profile->instr)
        closed_error(WHAT);
    return profile->instr ? profile : NULL;
}

PyObject *instr_open(PyObject *module, PyObject *args)
{
    PyObject *tuple, *options, *source;
    struct call call;
    struct inputs inputs;
    struct apf_instr *instr = NULL;
    struct apf_error error;
    int code;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OOU", &tuple, &options, &source) || !call_begin(&call, native, options))
        return NULL;
    PyObject *result = NULL;
    if (inputs_take(&inputs, tuple) && inputs.n == 1) {
        CALL(&call, code, apf_instr_open(&instr, inputs.data, &call.options, &error));
        if (call_succeeded(&call, code, &error))
            result = instr_wrap(native, instr, NULL, source);
        else
            apf_instr_close(instr);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "one input is needed");
    }
    inputs_drop(&inputs);
    return result;
}

/* Frees what the profile holds. The lock is released, because freeing a large profile takes time. */
static void release(struct instr_object *profile)
{
    struct apf_instr *instr = profile->instr;
    struct apf_merge *merge = profile->merge;
    profile->instr = NULL;
    profile->merge = NULL;
    free(profile->by_id);
    profile->by_id = NULL;
    UNLOCKED(apf_instr_close(instr));
    UNLOCKED(apf_merge_free(merge));
}

static void instr_dealloc(PyObject *self)
{
    struct instr_object *profile = (struct instr_object *)self;
    PyObject *source = profile->source;
    apf_instr_close(profile->instr);
    apf_merge_free(profile->merge);
    free(profile->by_id);
    native_free(self);
    Py_XDECREF(source);
}

static PyObject *instr_close(PyObject *self, PyObject *unused)
{
    struct instr_object *profile = (struct instr_object *)self;
    (void)unused;
    if (!profile->instr)
        Py_RETURN_NONE;
    if (!guard_may_close(&profile->guard, WHAT))
        return NULL;
    release(profile);
    Py_RETURN_NONE;
}

static PyObject *instr_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return open_profile(self) ? Py_NewRef(self) : NULL;
}

static PyObject *instr_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return instr_close(self, NULL);
}

static PyObject *instr_repr(PyObject *self)
{
    const struct instr_object *profile = (const struct instr_object *)self;
    if (!profile->instr)
        return PyUnicode_FromFormat("<anyprof.InstrProfile %R, closed>", profile->source);
    return PyUnicode_FromFormat("<anyprof.InstrProfile %R, %zu records>", profile->source,
                                (size_t)apf_instr_info(profile->instr)->n_records);
}

/* ---- records ---- */

static Py_ssize_t instr_length(PyObject *self)
{
    const struct instr_object *profile = open_profile(self);
    return profile ? (Py_ssize_t)apf_instr_info(profile->instr)->n_records : -1;
}

static PyObject *instr_next(PyObject *self, uint64_t *i)
{
    struct instr_object *profile = open_profile(self);
    struct apf_record record = {.size = sizeof record};
    struct apf_error error;
    if (!profile)
        return NULL;
    const int code = apf_instr_record(profile->instr, (size_t)*i, &record, &error);
    if (code == APF_END)
        return NULL;
    if (code != APF_OK)
        return raise_error(&error);
    ++*i;
    return record_new(profile, &record);
}

static PyObject *instr_iter(PyObject *self)
{
    return open_profile(self) ? iterator_new(native_of(self), self, instr_next) : NULL;
}

static int by_id(const void *a, const void *b)
{
    const struct id_and_number *x = (const struct id_and_number *)a, *y = (const struct id_and_number *)b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static bool make_index(struct instr_object *profile)
{
    const size_t n = (size_t)apf_instr_info(profile->instr)->n_records;
    struct apf_record record = {.size = sizeof record};
    if (profile->by_id)
        return true;
    struct id_and_number *index = (struct id_and_number *)calloc(n + 1, sizeof *index);
    if (!index) {
        PyErr_NoMemory();
        return false;
    }
    size_t found = 0;
    while (found < n && apf_instr_record(profile->instr, found, &record, NULL) == APF_OK) {
        index[found] = (struct id_and_number){record.id, found};
        found++;
    }
    qsort(index, found, sizeof *index, by_id);
    profile->by_id = index;
    profile->n_by_id = found;
    return true;
}

/* The records of a name, as a list. */
static PyObject *records_named(struct instr_object *profile, struct apf_str name)
{
    const uint64_t id = apf_sample_name_hash(name);
    profile->guard.calls++;
    PyObject *list = make_index(profile) ? PyList_New(0) : NULL;
    size_t low = 0, high = profile->n_by_id;
    while (list && low < high) {
        const size_t middle = low + (high - low) / 2;
        if (profile->by_id[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    for (; list && low < profile->n_by_id && profile->by_id[low].id == id; low++) {
        struct apf_record record = {.size = sizeof record};
        const uint64_t i = profile->by_id[low].number;
        if (apf_instr_record(profile->instr, (size_t)i, &record, NULL) != APF_OK || record.name.n != name.n ||
            (name.n && memcmp(record.name.p, name.p, name.n) != 0))
            continue;
        if (list_take(list, record_new(profile, &record)) < 0)
            Py_CLEAR(list);
    }
    profile->guard.calls--;
    return list;
}

static PyObject *instr_find_all(PyObject *self, PyObject *name)
{
    struct instr_object *profile = open_profile(self);
    struct apf_str text;
    PyObject *bytes = profile ? text_bytes(name, &text) : NULL;
    PyObject *list = bytes ? records_named(profile, text) : NULL;
    Py_XDECREF(bytes);
    return list;
}

static PyObject *instr_subscript(PyObject *self, PyObject *name)
{
    PyObject *list = instr_find_all(self, name), *record = NULL;
    if (!list)
        return NULL;
    const Py_ssize_t n = PyList_Size(list);
    if (n == 1)
        record = Py_NewRef(PyList_GetItem(list, 0));
    else if (n == 0)
        PyErr_SetObject(PyExc_KeyError, name);
    else
        PyErr_Format(PyExc_LookupError,
                     "%R has %zd records with different hashes: use find(name, hash) or find_all(name)", name,
                     n);
    Py_DECREF(list);
    return record;
}

static int instr_contains(PyObject *self, PyObject *name)
{
    PyObject *list = instr_find_all(self, name);
    if (!list)
        return -1;
    const Py_ssize_t n = PyList_Size(list);
    Py_DECREF(list);
    return n > 0;
}

static PyObject *instr_find(PyObject *self, PyObject *args)
{
    PyObject *name, *result = NULL;
    uint64_t hash;
    struct apf_str text;
    struct apf_error error;
    struct apf_record record = {.size = sizeof record};
    struct instr_object *profile = open_profile(self);
    if (!profile || !PyArg_ParseTuple(args, "OO&:find", &name, to_u64, &hash))
        return NULL;
    PyObject *bytes = text_bytes(name, &text);
    /* Converting the arguments may have run code that has closed the profile. */
    profile = bytes ? open_profile(self) : NULL;
    if (profile) {
        if (apf_instr_find(profile->instr, text, hash, &record, &error) == APF_OK)
            result = record_new(profile, &record);
        else
            raise_error(&error);
    }
    Py_XDECREF(bytes);
    return result;
}

static PyObject *instr_name(PyObject *self, PyObject *id)
{
    uint64_t number;
    if (!to_u64(id, &number))
        return NULL;
    const struct instr_object *profile = open_profile(self);
    return profile ? text_or_none(apf_instr_name(profile->instr, number)) : NULL;
}

/* ---- the whole ---- */

/* A row of what the profile holds, which stays open meanwhile: making objects may run any code. */
static PyObject *row_of(struct instr_object *profile, enum row_kind kind, const void *from)
{
    profile->guard.calls++;
    PyObject *row = row_new(native_of((PyObject *)profile), kind, from);
    profile->guard.calls--;
    return row;
}

static PyObject *instr_info(PyObject *self, void *unused)
{
    struct instr_object *profile = open_profile(self);
    (void)unused;
    return profile ? row_of(profile, ROW_INSTR_INFO, apf_instr_info(profile->instr)) : NULL;
}

static PyObject *instr_salvage(PyObject *self, void *unused)
{
    struct instr_object *profile = open_profile(self);
    (void)unused;
    if (!profile)
        return NULL;
    const struct apf_salvage *salvage = apf_instr_salvage(profile->instr);
    return salvage ? row_of(profile, ROW_SALVAGE, salvage) : Py_NewRef(Py_None);
}

static PyObject *instr_source(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((const struct instr_object *)self)->source);
}

static PyObject *instr_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((const struct instr_object *)self)->instr == NULL);
}

static PyObject *instr_summary(PyObject *self, PyObject *args)
{
    uint32_t scope;
    const struct apf_summary *summary;
    struct apf_error error;
    if (!PyArg_ParseTuple(args, "O&:_summary", to_u32, &scope))
        return NULL;
    struct instr_object *profile = open_profile(self);
    if (!profile)
        return NULL;
    if (apf_instr_summary(profile->instr, (enum apf_summary_scope)scope, &summary, &error) != APF_OK)
        return raise_error(&error);
    return row_of(profile, ROW_SUMMARY, summary);
}

/* _write(path or None, json, flags): bytes, or None after a file was written. */
static PyObject *instr_write(PyObject *self, PyObject *args)
{
    PyObject *path;
    int json, code;
    uint32_t flags;
    struct output output;
    struct apf_error error;
    if (!PyArg_ParseTuple(args, "OpO&:_write", &path, &json, to_u32, &flags) || !output_take(&output, path))
        return NULL;
    struct instr_object *profile = open_profile(self);
    if (!profile)
        return NULL;
    struct apf_write_options options = {.size = sizeof options, .format = APF_FORMAT_TEXT, .flags = flags};
    profile->guard.calls++;
    UNLOCKED(code = json ? apf_instr_write_json(profile->instr, &output.to, &error)
                         : apf_instr_write_text(profile->instr, &options, &output.to, &error));
    profile->guard.calls--;
    if (code == APF_OK)
        return output_result(&output);
    output_drop(&output);
    return raise_error(&error);
}

DELEGATE(instr_summary_of)
DELEGATE(instr_write_text)
DELEGATE(instr_write_json)

static PyMethodDef methods[] = {
    {"close", instr_close, METH_NOARGS,
     "close($self, /)\n--\n\nFrees the profile. Its records cannot be used afterwards (ValueError). "
     "BufferError: a buffer\n"
     "of its counts, such as an array of numpy, still exists."},
    {"find", instr_find, METH_VARARGS,
     "find($self, name, hash, /)\n--\n\nThe record of a function with this name and hash. An Error that is a "
     "KeyError, with\n"
     "code HASH_MISMATCH or UNKNOWN_FUNCTION, if there is none."},
    {"find_all", instr_find_all, METH_O,
     "find_all($self, name, /)\n--\n\nThe records of all functions with this name, in the order of the file; "
     "an empty list if\n"
     "there is none. A name has several records if the profile is of several builds, or context-sensitive."},
    {"name", instr_name, METH_O,
     "name($self, id, /)\n--\n\nThe name with an id, of a function, call target or vtable; None if it is not "
     "known."},
    DELEGATED("summary", instr_summary_of,
              "summary($self, scope=0)\n--\n\nLLVM's summary of the profile: a Summary."),
    DELEGATED("write_text", instr_write_text,
              "write_text($self, out=None, *, sparse=False, vtable_names=False)\n--\n\nWrites the profile as "
              "text to a path;"
              " without one, returns the bytes."),
    DELEGATED("write_json", instr_write_json,
              "write_json($self, out=None)\n--\n\nWrites the profile as JSON (anyprof-profile/1) to a path; "
              "without one,"
              " returns\nthe bytes."),
    {"_summary", instr_summary, METH_VARARGS, NULL},
    {"_write", instr_write, METH_VARARGS, NULL},
    {"__enter__", instr_enter, METH_NOARGS, NULL},
    {"__exit__", instr_exit, METH_VARARGS, NULL},
    NO_COPIES,
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"info", instr_info, NULL, "Facts about the profile: an InstrInfo.", NULL},
    {"salvage", instr_salvage, NULL, "What was kept of a damaged file: a Salvage; None if it is intact.",
     NULL},
    {"source", instr_source, NULL, "The path of the file, or another name: str.", NULL},
    {"closed", instr_closed, NULL, "Whether the profile is closed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "An instrumentation profile: records of functions, with their counts.\n\n"
     "Made by anyprof.open() and anyprof.merge(). It has a length, iteration over its records in the\n"
     "order of the file, profile[name] and `name in profile`, and is a context manager. It never\n"
     "changes, so that several threads may read it."},
    {Py_tp_dealloc, (void *)instr_dealloc},
    {Py_tp_repr, (void *)instr_repr},
    {Py_tp_iter, (void *)instr_iter},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_nb_bool, (void *)native_is_true},
    {Py_mp_length, (void *)instr_length},
    {Py_mp_subscript, (void *)instr_subscript},
    {Py_sq_contains, (void *)instr_contains},
    {0, NULL},
};

static PyType_Spec spec = {"anyprof.InstrProfile", (int)sizeof(struct instr_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};

int instr_add(PyObject *module, struct native *native)
{
    return native_add_type(module, native, TYPE_INSTR, &spec);
}

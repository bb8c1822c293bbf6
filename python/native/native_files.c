/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What files are, and which there are. */
#include <string.h>

#include <anyprof/instr.h>
#include <anyprof/jobs.h>

#include "calls.h"
#include "rows.h"

/* ---- what a file is ---- */

static PyObject *info_kind_name(const struct native *native, const void *from)
{
    (void)native;
    return PyUnicode_FromString(
        apf_file_kind_name((enum apf_file_kind)((const struct apf_file_info *)from)->kind));
}

static PyObject *info_build_id(const struct native *native, const void *from)
{
    const struct apf_file_info *info = (const struct apf_file_info *)from;
    const size_t n = info->n_build_id < sizeof info->build_id ? info->n_build_id : sizeof info->build_id;
    (void)native;
    return PyBytes_FromStringAndSize((const char *)info->build_id, (Py_ssize_t)n);
}

static PyObject *info_hint(const struct native *native, const void *from)
{
    const char *hint = apf_file_hint((const struct apf_file_info *)from);
    (void)native;
    return hint ? PyUnicode_FromString(hint) : Py_NewRef(Py_None);
}

static const struct row_field info_fields[] = {
    FIELD(U32, apf_file_info, kind, "FileKind; of a compressed file that of its contents"),
    FIELD_BY("kind_name", info_kind_name, "a few words such as \"an ELF file\""),
    FIELD(U32, apf_file_info, contents, "ELF: ElfContents bits"),
    FIELD(U32, apf_file_info, elf_bits, "ELF: 32 or 64"),
    FIELD(U32, apf_file_info, elf_machine, "ELF: e_machine"),
    FIELD(BOOL, apf_file_info, big_endian, "ELF: whether it is big-endian"),
    FIELD_BY("build_id", info_build_id, "ELF: the first 64 bytes of the GNU build id"),
    FIELD(U64, apf_file_info, file_size, "size in bytes"),
    FIELD(U32, apf_file_info, compression, "FileKind.GZIP, FileKind.ZSTD or 0"),
    FIELD_BY("hint", info_hint, "what to do with a file that is no instrumentation profile, or None"),
};
SHAPE(shape_file_info, "anyprof.FileInfo", info_fields, "What a file is.");

/* detect(inputs, options) */
PyObject *files_detect(PyObject *module, PyObject *args)
{
    PyObject *tuple, *options, *result = NULL;
    struct call call;
    struct inputs inputs;
    struct apf_file_info info = {.size = sizeof info};
    struct apf_error error;
    int code;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OO", &tuple, &options) || !call_begin(&call, native, options))
        return NULL;
    if (inputs_take(&inputs, tuple) && inputs.n == 1) {
        CALL(&call, code, apf_file_detect(inputs.data, &call.options, &info, &error));
        if (call_succeeded(&call, code, &error))
            result = row_new(native, ROW_FILE_INFO, &info);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "one input is needed");
    }
    inputs_drop(&inputs);
    return result;
}

/* kind_words(kind): (a few words, what to do with a file that open() does not read or None) */
PyObject *files_kind_words(PyObject *module, PyObject *args)
{
    struct apf_file_info info = {.size = sizeof info};
    (void)module;
    if (!PyArg_ParseTuple(args, "O&", to_u32, &info.kind))
        return NULL;
    return Py_BuildValue("(sz)", apf_file_kind_name((enum apf_file_kind)info.kind), apf_file_hint(&info));
}

/* family(inputs): a list of (family by the first bytes, families by the name) */
PyObject *files_family(PyObject *module, PyObject *args)
{
    PyObject *tuple, *list = NULL;
    struct inputs inputs;
    (void)module;
    if (!PyArg_ParseTuple(args, "O", &tuple))
        return NULL;
    if (inputs_take(&inputs, tuple))
        list = PyList_New(0);
    for (size_t i = 0; list && i < inputs.n; i++) {
        unsigned family, names;
        UNLOCKED(family = (unsigned)apf_file_family(&inputs.data[i]));
        UNLOCKED(names = family ? 0 : apf_input_families_by_name(&inputs.data[i]));
        if (PyErr_CheckSignals() < 0 || list_take(list, Py_BuildValue("(II)", family, names)) < 0)
            Py_CLEAR(list);
    }
    inputs_drop(&inputs);
    return list;
}

/* ---- directories ---- */

static const struct row_field skipped_fields[] = {
    FIELD(U64, apf_skipped, n_links, "symbolic links that lead out of the directory"),
    FIELD(U64, apf_skipped, n_others, "files that are no profiles"),
    FIELD(U64, apf_skipped, n_output, "the output of an earlier merge"),
    FIELD(U64, apf_skipped, n_set_aside,
          "files that the runtime has set aside: they are no complete profiles"),
    FIELD(U64, apf_skipped, n_live, "profiles of processes that may still write them"),
    FIELD(U64, apf_skipped, n_no_files, "pipes, sockets, devices, and links to these or to nothing"),
};
SHAPE(shape_skipped, "anyprof.Skipped", skipped_fields,
      "What directories hold beside the inputs of a merge.");

static int include_all(void *user, struct apf_str name)
{
    (void)user;
    (void)name;
    return 1;
}

/* expand(path, out or None, all): (list of bytes, Skipped). all: files of any content, which need not be profiles of
 * instrumentation or of samples. */
PyObject *files_expand(PyObject *module, PyObject *args)
{
    PyObject *path, *out;
    char *from, *to = NULL;
    char **paths = NULL;
    size_t n = 0;
    int all;
    struct apf_paths_options options = {.size = sizeof options};
    struct apf_skipped skipped = {.size = sizeof skipped};
    struct apf_error error;
    int code;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OOp", &path, &out, &all) || PyBytes_AsStringAndSize(path, &from, NULL) < 0 ||
        (out != Py_None && PyBytes_AsStringAndSize(out, &to, NULL) < 0))
        return NULL;
    if (all)
        options.include = include_all;
    UNLOCKED(code = apf_any_merge_paths(from, &options, to, &paths, &n, &skipped, &error));
    if (code != APF_OK)
        return raise_error(&error);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++)
        if (list_take(list, PyBytes_FromString(paths[i])) < 0)
            Py_CLEAR(list);
    apf_paths_free(paths);
    PyObject *row = list ? row_new(native, ROW_SKIPPED, &skipped) : NULL;
    PyObject *result = row ? PyTuple_Pack(2, list, row) : NULL;
    Py_XDECREF(list);
    Py_XDECREF(row);
    return result;
}

/* ---- JSON ---- */

static int print_info(const struct inputs *inputs, const struct call *call, struct output *output,
                      struct apf_error *error)
{
    struct apf_info *info;
    int code = apf_info_open(&info, inputs->data, inputs->n, &call->options, error);
    if (code != APF_OK)
        return code;
    code = apf_info_print(info, APF_INFO_JSON, &output->to, error);
    apf_info_close(info);
    return code;
}

static int print_check(const struct inputs *inputs, const struct call *call, struct output *output,
                       struct apf_error *error)
{
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    return apf_check_print(inputs->data, inputs->n, NULL, &call->options, APF_CHECK_JSON, &output->to,
                           &verdict, error);
}

typedef int print_fn(const struct inputs *inputs, const struct call *call, struct output *output,
                     struct apf_error *error);

static PyObject *json_of(PyObject *module, PyObject *args, print_fn *print)
{
    PyObject *tuple, *options, *result = NULL;
    struct call call;
    struct inputs inputs;
    struct output output;
    struct apf_error error;
    int code;
    if (!PyArg_ParseTuple(args, "OO", &tuple, &options) ||
        !call_begin(&call, (const struct native *)PyModule_GetState(module), options))
        return NULL;
    if (inputs_take(&inputs, tuple) && output_take(&output, Py_None)) {
        CALL(&call, code, print(&inputs, &call, &output, &error));
        if (call_succeeded(&call, code, &error))
            result = output_result(&output);
        else
            output_drop(&output);
    }
    inputs_drop(&inputs);
    return result;
}

PyObject *files_info(PyObject *module, PyObject *args)
{
    return json_of(module, args, print_info);
}

PyObject *files_check(PyObject *module, PyObject *args)
{
    return json_of(module, args, print_check);
}

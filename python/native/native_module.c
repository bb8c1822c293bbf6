/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The module anyprof._anyprof: its functions, types and tables. */
#include "native.h"

#include <anyprof/error.h>
#include <anyprof/instr.h>
#include <anyprof/probe.h>
#include <anyprof/sample_write.h>

static PyObject *module_version(PyObject *module, PyObject *args)
{
    (void)module;
    return PyArg_ParseTuple(args, "") ? PyUnicode_FromString(apf_version()) : NULL;
}

/* The codes of the headers that the module was compiled with: (name, number, words). */
static PyObject *module_codes(PyObject *module, PyObject *args)
{
    static const int codes[] = {
#define CODE(name, number, damage, text) number,
        APF_CODES(CODE)
#undef CODE
    };
    (void)module;
    const Py_ssize_t n = (Py_ssize_t)(sizeof codes / sizeof *codes);
    PyObject *list = PyArg_ParseTuple(args, "") ? PyList_New(n) : NULL;
    for (Py_ssize_t i = 0; list && i < n; i++) {
        PyObject *item = Py_BuildValue("(sis)", apf_code_name(codes[i]), codes[i], apf_code_text(codes[i]));
        if (!item || PyList_SetItem(list, i, item) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* What a code is: its name, its words, and whether it says that an input is damaged. */
static PyObject *module_code(PyObject *module, PyObject *args)
{
    int code;
    (void)module;
    if (!PyArg_ParseTuple(args, "i", &code))
        return NULL;
    return Py_BuildValue("(ssN)", apf_code_name(code), apf_code_text(code),
                         PyBool_FromLong(apf_code_is_damage(code)));
}

typedef const char *release_name_fn(uint32_t kind, uint32_t release);

static const char *llvm_release(uint32_t kind, uint32_t release)
{
    (void)kind;
    return apf_release_name(release);
}

/* The names of the releases whose bits are set. kind: 0 of LLVM as in instrumentation profiles, else enum
 * apf_sample_target_kind. */
static PyObject *module_releases(PyObject *module, PyObject *args)
{
    uint64_t bits;
    uint32_t kind;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&O&", to_u32, &kind, to_u64, &bits))
        return NULL;
    release_name_fn *name = kind == 0 ? llvm_release : apf_sample_release_name;
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list && i < 64; i++) {
        if (!((bits >> i) & 1) || !name(kind, i))
            continue;
        PyObject *item = PyUnicode_FromString(name(kind, i));
        if (!item || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *module_name_id(PyObject *module, PyObject *args)
{
    PyObject *name;
    struct apf_str text;
    (void)module;
    if (!PyArg_ParseTuple(args, "O", &name))
        return NULL;
    PyObject *bytes = text_bytes(name, &text);
    if (!bytes)
        return NULL;
    const uint64_t id = apf_probe_guid(text);
    Py_DECREF(bytes);
    return PyLong_FromUnsignedLongLong(id);
}

static PyMethodDef functions[] = {
    {"version", module_version, METH_VARARGS, "The version of the library."},
    {"codes", module_codes, METH_VARARGS, "All result codes."},
    {"code", module_code, METH_VARARGS, "A result code's name, words, and whether it means damage."},
    {"releases", module_releases, METH_VARARGS, "Names of releases by their bits."},
    {"name_id", module_name_id, METH_VARARGS, "The id of a function's name."},
    {"detect", files_detect, METH_VARARGS, "What a file is."},
    {"kind_words", files_kind_words, METH_VARARGS, "What a kind of files is called, and what to do with it."},
    {"family", files_family, METH_VARARGS, "The families of profiles that inputs are of."},
    {"expand", files_expand, METH_VARARGS, "The files of a directory."},
    {"info", files_info, METH_VARARGS, "Facts about files, as JSON."},
    {"check", files_check, METH_VARARGS, "Findings about files, as JSON."},
    {"open_instr", instr_open, METH_VARARGS, "Opens an instrumentation profile."},
    {"open_sample", sample_open, METH_VARARGS, "Opens a sample profile."},
    {"open_probes", probes_open, METH_VARARGS, "Opens pseudo probes."},
    {"open_bat", bat_open, METH_VARARGS, "Opens a BAT table."},
    {"open_bolt", bolt_open, METH_VARARGS, "Reads profiles of BOLT."},
    {"open_cov", cov_open, METH_VARARGS, "Opens the coverage of programs."},
    {"correlator", correlator_open, METH_VARARGS, "Reads programs that complete profiles."},
    {"merge_instr", merge_instr, METH_VARARGS, "Merges instrumentation profiles."},
    {"merge_sample", merge_sample, METH_VARARGS, "Merges sample profiles."},
    {"diff_instr", diff_instr, METH_VARARGS, "Compares instrumentation profiles."},
    {"diff_sample", diff_sample, METH_VARARGS, "Compares sample profiles."},
    {"overlap_instr", overlap_instr, METH_VARARGS, "Measures what instrumentation profiles share."},
    {"overlap_sample", overlap_sample, METH_VARARGS, "Measures what sample profiles share."},
    {NULL, NULL, 0, NULL},
};

static int module_exec(PyObject *module)
{
    typedef int add_fn(PyObject * module, struct native * native);
    static add_fn *const parts[] = {rows_add,       array_add,    iterator_add, instr_add, record_add,
                                    sample_add,     function_add, probes_add,   bat_add,   cov_add,
                                    correlator_add, fdata_add,    bolt_yaml_add};
    struct native *native = (struct native *)PyModule_GetState(module);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i](module, native) < 0)
            return -1;
    return 0;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    const struct native *native = (const struct native *)PyModule_GetState(module);
    for (int i = 0; native && i < TYPE_KINDS; i++)
        Py_VISIT(native->types[i]);
    for (int i = 0; native && i < ROW_KINDS; i++)
        Py_VISIT(native->rows[i]);
    return 0;
}

static int module_clear(PyObject *module)
{
    struct native *native = (struct native *)PyModule_GetState(module);
    for (int i = 0; native && i < TYPE_KINDS; i++)
        Py_CLEAR(native->types[i]);
    for (int i = 0; native && i < ROW_KINDS; i++)
        Py_CLEAR(native->rows[i]);
    return 0;
}

static void module_free(void *module)
{
    module_clear((PyObject *)module);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)module_exec},
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "anyprof._anyprof",
    .m_doc = "The part of the package anyprof that is written in C. Use anyprof instead.",
    .m_size = (Py_ssize_t)sizeof(struct native),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__anyprof(void); /* Python has no prototype for it */

PyMODINIT_FUNC PyInit__anyprof(void)
{
    return PyModuleDef_Init(&definition);
}

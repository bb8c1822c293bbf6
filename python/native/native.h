/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the sources of the extension module anyprof._anyprof share. The module is private: the package's Python code
 * checks arguments and gives them defaults, and calls it. It must be safe all the same, whatever it is called with.
 *
 * It uses the public headers of anyprof and the stable ABI of CPython, to which buffers belong since 3.11. */
#ifndef PYTHON_NATIVE_H
#define PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include <anyprof/io.h>

/* Results that are plain copies: tuples with named fields (rows.c). */
enum row_kind {
    ROW_FINDING,
    ROW_PROGRESS,
    ROW_FILE_INFO,
    ROW_SKIPPED,
    ROW_INSTR_INFO,
    ROW_TRACE,
    ROW_VALUE,
    ROW_SUMMARY,
    ROW_SUMMARY_ROW,
    ROW_SALVAGE,
    ROW_SAMPLE_INFO,
    ROW_SAMPLE_SALVAGE,
    ROW_LINE,
    ROW_CALL,
    ROW_FRAME,
    ROW_INSTR_INPUT,
    ROW_INSTR_TOTALS,
    ROW_SAMPLE_INPUT,
    ROW_SAMPLE_TOTALS,
    ROW_SAMPLE_WRITTEN,
    ROW_OVERLAP_SUMS,
    ROW_OVERLAP,
    ROW_DIFF_SIDE,
    ROW_DIFF_FUNCTION,
    ROW_DIFF_TOTALS,
    ROW_COMMON,
    ROW_SAMPLE_OVERLAP,
    ROW_SAMPLE_DIFF_SIDE,
    ROW_SAMPLE_DIFF_FUNCTION,
    ROW_SAMPLE_DIFF_TOTALS,
    ROW_PROBES_INFO,
    ROW_PROBE_FUNCTION,
    ROW_PROBE_NODE,
    ROW_PROBE,
    ROW_PROBE_FRAME,
    ROW_BAT_INFO,
    ROW_BAT_FRAGMENT,
    ROW_BAT_ENTRY,
    ROW_BAT_PLACE,
    ROW_COV_SHARE,
    ROW_COV_LINE,
    ROW_COV_FUNCTION,
    ROW_COV_REGION,
    ROW_COV_TOTALS,
    ROW_COV_STATS,
    ROW_FDATA_INFO,
    ROW_FDATA_LOCATION,
    ROW_FDATA_RECORD,
    ROW_BOLT_YAML_INFO,
    ROW_BOLT_YAML_HEADER,
    ROW_BOLT_YAML_CALL,
    ROW_BOLT_YAML_SUCCESSOR,
    ROW_BOLT_YAML_BLOCK,
    ROW_BOLT_YAML_FUNCTION,
    ROW_KINDS
};

/* The types that have a state in C. */
enum type_kind {
    TYPE_ARRAY,
    TYPE_ITERATOR,
    TYPE_INSTR,
    TYPE_RECORD,
    TYPE_SAMPLE,
    TYPE_FUNCTION,
    TYPE_PROBES,
    TYPE_BAT,
    TYPE_COV,
    TYPE_CORRELATOR,
    TYPE_FDATA,
    TYPE_BOLT_YAML,
    TYPE_KINDS
};

/* The state of the module. */
struct native {
    PyTypeObject *types[TYPE_KINDS];
    PyTypeObject *rows[ROW_KINDS];
};

/* The state of the module of an object of one of its types, none of which has subclasses. */
static inline const struct native *native_of(PyObject *self)
{
    return (const struct native *)PyType_GetModuleState(Py_TYPE(self));
}

/* A new object of a type, all zero after its head; NULL: an exception is set. */
PyObject *native_new(const struct native *native, enum type_kind kind);
/* Frees an object whose contents are freed. */
void native_free(PyObject *self);
/* Makes a type of the module. 0, or -1 with an exception. */
int native_add_type(PyObject *module, struct native *native, enum type_kind kind, PyType_Spec *spec);

/* A method that is written in Python: calls anyprof._methods.FUNCTION with the object before the other arguments. */
PyObject *delegate(PyObject *self, PyObject *args, PyObject *kwargs, const char *function);
#define DELEGATE(function)                                                                                   \
    static PyObject *function(PyObject *self, PyObject *args, PyObject *kwargs)                              \
    {                                                                                                        \
        return delegate(self, args, kwargs, #function);                                                      \
    }
#define DELEGATED(name, function, doc)                                                                       \
    {name, (PyCFunction)(void (*)(void))function, METH_VARARGS | METH_KEYWORDS, doc}

/* The truth of objects that have a length: a profile without functions, or one that is closed, is none the less. */
int native_is_true(PyObject *self);
/* The method __reduce__ of all types: what is in memory of the library is neither copied nor pickled. */
PyObject *native_reduce(PyObject *self, PyObject *unused);
#define NO_COPIES {"__reduce__", native_reduce, METH_NOARGS, NULL}

/* Evaluates something of the library without the interpreter's lock. */
#define UNLOCKED(expression)                                                                                 \
    do {                                                                                                     \
        PyThreadState *thread_ = PyEval_SaveThread();                                                        \
        expression;                                                                                          \
        PyEval_RestoreThread(thread_);                                                                       \
    } while (0)

/* ---- text ---- */

/* Text of a profile as str; bytes that are no UTF-8 become lone surrogates ("surrogateescape"). */
PyObject *text_str(struct apf_str text);
/* The same, or None for an empty text, which stands for an unknown one. */
PyObject *text_or_none(struct apf_str text);
/* The bytes of a name that is str or bytes: a new bytes object, to which *text points. NULL: an exception. */
PyObject *text_bytes(PyObject *name, struct apf_str *text);
/* Converters for the format O& of PyArg_ParseTuple: numbers from 0 to the largest of the type. Anything else raises
 * TypeError or OverflowError. */
int to_u64(PyObject *number, void *to);
int to_u32(PyObject *number, void *to);

/* ---- handles ---- */

/* What keeps a handle of the library open: buffers that were exported, and calls that run without the lock of the
 * interpreter. It is changed only while that lock is held. */
struct guard {
    Py_ssize_t exports;
    Py_ssize_t calls;
};
/* Whether the handle may be closed; else an exception is set: BufferError or RuntimeError. */
bool guard_may_close(const struct guard *guard, const char *what);
/* Whether an exclusive handle, which one thread at a time may use, is free; else RuntimeError is set. */
bool guard_is_free(const struct guard *guard, const char *what);
/* Sets ValueError: the handle is closed. Returns NULL. */
PyObject *closed_error(const char *what);

/* A read-only array of numbers in the memory of a profile (array.c). */
struct array_owner {
    PyObject *object;
    struct guard *guard;
    bool (*is_open)(PyObject *object);
};
PyObject *array_new(const struct native *native, const struct array_owner *owner, const void *data, size_t n,
                    size_t item_size);

/* Finds the next thing of an owner, from number *i on, and moves *i on. NULL without an exception: there is none. */
typedef PyObject *next_fn(PyObject *owner, uint64_t *i);
PyObject *iterator_new(const struct native *native, PyObject *owner, next_fn *next);

/* Sets the source of a correlator, or NULL for None. False: it is neither, and an exception is set. The object must
 * outlive the source. */
bool correlator_source(const struct native *native, PyObject *correlator,
                       const struct apf_correlation_source **source);

/* ---- the parts of the module ---- */

int rows_add(PyObject *module, struct native *native);
int array_add(PyObject *module, struct native *native);
int iterator_add(PyObject *module, struct native *native);
int instr_add(PyObject *module, struct native *native);
int record_add(PyObject *module, struct native *native);
int sample_add(PyObject *module, struct native *native);
int function_add(PyObject *module, struct native *native);
int probes_add(PyObject *module, struct native *native);
int bat_add(PyObject *module, struct native *native);
int cov_add(PyObject *module, struct native *native);
int correlator_add(PyObject *module, struct native *native);
int fdata_add(PyObject *module, struct native *native);
int bolt_yaml_add(PyObject *module, struct native *native);

/* Functions of the module: METH_VARARGS, with the module as first argument. */
PyObject *files_detect(PyObject *module, PyObject *args);
PyObject *files_kind_words(PyObject *module, PyObject *args);
PyObject *files_family(PyObject *module, PyObject *args);
PyObject *files_expand(PyObject *module, PyObject *args);
PyObject *files_info(PyObject *module, PyObject *args);
PyObject *files_check(PyObject *module, PyObject *args);
PyObject *instr_open(PyObject *module, PyObject *args);
PyObject *sample_open(PyObject *module, PyObject *args);
PyObject *probes_open(PyObject *module, PyObject *args);
PyObject *bat_open(PyObject *module, PyObject *args);
PyObject *bolt_open(PyObject *module, PyObject *args);
PyObject *cov_open(PyObject *module, PyObject *args);
PyObject *correlator_open(PyObject *module, PyObject *args);
PyObject *merge_instr(PyObject *module, PyObject *args);
PyObject *merge_sample(PyObject *module, PyObject *args);
PyObject *diff_instr(PyObject *module, PyObject *args);
PyObject *diff_sample(PyObject *module, PyObject *args);
PyObject *overlap_instr(PyObject *module, PyObject *args);
PyObject *overlap_sample(PyObject *module, PyObject *args);

#endif

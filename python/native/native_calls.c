/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Options, callbacks, inputs and outputs of calls. */
#include "calls.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rows.h"

/* ---- callbacks ---- */

static const char *const severities[] = {"note", "warning", "error"};

static PyObject *finding_severity(const struct native *native, const void *from)
{
    const uint32_t severity = ((const struct apf_diag *)from)->severity;
    (void)native;
    return PyUnicode_FromString(severities[severity <= APF_SEVERITY_ERROR ? severity : APF_SEVERITY_ERROR]);
}

static PyObject *finding_message(const struct native *native, const void *from)
{
    const char *message = ((const struct apf_diag *)from)->error->message;
    (void)native;
    return text_str((struct apf_str){message, strlen(message)});
}

static const struct row_field finding_fields[] = {
    FIELD_BY("severity", finding_severity, "\"note\", \"warning\" or \"error\""),
    FIELD(CODE, apf_diag, code, "what it is about"),
    FIELD_AS("input", PLACE, apf_diag, input, "number of the input, or None"),
    FIELD(TEXT, apf_diag, source, "name of the input, or None"),
    FIELD(TEXT, apf_diag, function, "the function that it is about, or None"),
    FIELD(U64, apf_diag, hash, "hash of that function"),
    FIELD_BY("message", finding_message, "what was found"),
    FIELD(ERROR, apf_diag, error, "the details: an Error, which is not raised"),
};
SHAPE(shape_finding, "anyprof.Finding", finding_fields, "Something odd that does not stop the work.");

static const struct row_field progress_fields[] = {
    FIELD(U64, apf_progress, n_done, "inputs that were read"),
    FIELD(U64, apf_progress, n_inputs, "all inputs"),
    FIELD(U64, apf_progress, n_bad, "inputs that cannot be used"),
    FIELD(U64, apf_progress, bytes, "bytes that were read"),
};
SHAPE(shape_progress, "anyprof.Progress", progress_fields, "How far a call has come.");

/* Calls a callback with a row. False: it has raised an exception, which stays set. */
static bool call_back(struct call *call, PyObject *callback, enum row_kind kind, const void *from)
{
    PyObject *row = row_new(call->native, kind, from);
    PyObject *result = row ? PyObject_CallFunctionObjArgs(callback, row, NULL) : NULL;
    Py_XDECREF(row);
    Py_XDECREF(result);
    call->raised = result == NULL;
    return result != NULL;
}

static int on_diag(void *user, const struct apf_diag *diag)
{
    struct call *call = (struct call *)user;
    if (call->raised)
        return 1;
    call_acquire(call);
    if (PyErr_CheckSignals() < 0)
        call->raised = true;
    else if (call->on_finding)
        call_back(call, call->on_finding, ROW_FINDING, diag);
    call_release(call);
    return call->raised;
}

#define PAUSE                                                                                                \
    50u /* milliseconds between two looks at signals: another thread may hold the lock for five of them */

static uint64_t milliseconds(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The library reports its progress many times a second: here Ctrl-C is noticed, also inside a large input. An exception
 * ends the call. */
static int on_progress(void *user, const struct apf_progress *progress)
{
    struct call *call = (struct call *)user;
    const uint64_t now = milliseconds();
    const bool news = call->on_progress && call->n_done != progress->n_done;
    if (call->raised || (!news && now - call->last_look < PAUSE))
        return call->raised;
    call->n_done = progress->n_done;
    call->last_look = now;
    call_acquire(call);
    if (PyErr_CheckSignals() < 0)
        call->raised = true;
    else if (call->on_progress)
        call_back(call, call->on_progress, ROW_PROGRESS, progress);
    call_release(call);
    return call->raised;
}

/* ---- calls ---- */

bool call_begin(struct call *call, const struct native *native, PyObject *options)
{
    PyObject *finding, *progress, *correlator = Py_None;
    memset(call, 0, sizeof *call);
    call->native = native;
    struct apf_options *o = &call->options;
    o->size = sizeof *o;
    if (!PyTuple_Check(options)) {
        PyErr_SetString(PyExc_TypeError, "the options must be a tuple");
        return false;
    }
    if (!PyArg_ParseTuple(options, "O&O&O&O&O&OO|O", to_u32, &o->threads, to_u32, &o->flags, to_u64,
                          &o->max_bytes, to_u64, &o->max_records, to_u64, &o->max_depth, &finding, &progress,
                          &correlator) ||
        !correlator_source(native, correlator, &o->correlation))
        return false;
    call->on_finding = finding == Py_None ? NULL : finding;
    call->on_progress = progress == Py_None ? NULL : progress;
    o->diag = on_diag;
    o->user = call;
    o->progress = on_progress;
    o->progress_user = call;
    return true;
}

void call_release(struct call *call)
{
    call->thread = PyEval_SaveThread();
}

void call_acquire(struct call *call)
{
    PyEval_RestoreThread(call->thread);
    call->thread = NULL;
}

bool call_succeeded(struct call *call, int code, const struct apf_error *error)
{
    if (call->raised)
        return false;
    if (code == APF_OK)
        return true;
    raise_error(error);
    return false;
}

/* ---- inputs ---- */

/* Text that must be bytes without a byte 0, or None: then *text stays as it is. */
static bool take_path(PyObject *bytes, const char **text)
{
    char *p;
    if (bytes == Py_None)
        return true;
    if (PyBytes_AsStringAndSize(bytes, &p, NULL) < 0)
        return false;
    *text = p;
    return true;
}

static bool input_take(struct apf_input *input, PyObject **kept, PyObject *tuple)
{
    PyObject *path, *contents, *name;
    uint64_t weight, n_directory;
    *input = apf_input_file(NULL);
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "an input must be a tuple");
        return false;
    }
    if (!PyArg_ParseTuple(tuple, "OOOO&O&", &path, &contents, &name, to_u64, &weight, to_u64, &n_directory) ||
        !take_path(path, &input->path) || !take_path(name, &input->name))
        return false;
    input->weight = weight;
    if (contents != Py_None) {
        char *p;
        Py_ssize_t n;
        if (!PyObject_CheckBuffer(contents)) {
            PyErr_Format(PyExc_TypeError, "contents must be bytes or have a buffer, not %R",
                         (PyObject *)Py_TYPE(contents));
            return false;
        }
        *kept = PyBytes_Check(contents) ? Py_NewRef(contents) : PyBytes_FromObject(contents);
        if (!*kept || PyBytes_AsStringAndSize(*kept, &p, &n) < 0)
            return false;
        input->path = NULL;
        input->data = p;
        input->n = (size_t)n;
    } else if (!input->path) {
        PyErr_SetString(PyExc_TypeError, "an input needs a path or contents");
        return false;
    } else if (n_directory <= strlen(input->path)) {
        input->n_directory = (size_t)n_directory;
    }
    return true;
}

bool inputs_take(struct inputs *inputs, PyObject *sequence)
{
    memset(inputs, 0, sizeof *inputs);
    if (!PyTuple_Check(sequence)) { /* which nothing changes meanwhile */
        PyErr_SetString(PyExc_TypeError, "inputs must be a tuple of tuples");
        return false;
    }
    const size_t n = (size_t)PyTuple_Size(sequence);
    inputs->data = (struct apf_input *)calloc(n + 1, sizeof *inputs->data);
    inputs->contents = (PyObject **)calloc(n + 1, sizeof(PyObject *));
    if (!inputs->data || !inputs->contents) {
        PyErr_NoMemory();
        return false;
    }
    for (inputs->n = 0; inputs->n < n; inputs->n++) {
        const size_t i = inputs->n;
        if (!input_take(&inputs->data[i], &inputs->contents[i], PyTuple_GetItem(sequence, (Py_ssize_t)i)))
            return false;
    }
    return true;
}

void inputs_drop(struct inputs *inputs)
{
    /* The input that could not be taken, number n, may have contents, too. */
    for (size_t i = 0; inputs->contents && i <= inputs->n; i++)
        Py_XDECREF(inputs->contents[i]);
    free(inputs->data);
    free(inputs->contents);
    memset(inputs, 0, sizeof *inputs);
}

/* ---- outputs ---- */

bool output_take(struct output *output, PyObject *path)
{
    const char *text = NULL;
    memset(output, 0, sizeof *output);
    if (!take_path(path, &text))
        return false;
    output->to = text ? apf_output_file(text) : apf_output_buffer(&output->buffer);
    return true;
}

PyObject *output_result(struct output *output)
{
    PyObject *result;
    if (output->to.path)
        result = Py_NewRef(Py_None);
    else
        result = PyBytes_FromStringAndSize((const char *)output->buffer.data, (Py_ssize_t)output->buffer.n);
    output_drop(output);
    return result;
}

void output_drop(struct output *output)
{
    apf_buffer_free(&output->buffer);
}

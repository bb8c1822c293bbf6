/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One call of the library: its inputs, options, output and errors, and the lock of the interpreter, which is released
 * while the library works. */
#ifndef PYTHON_CALLS_H
#define PYTHON_CALLS_H

#include "native.h"

/* The options of a call, its callbacks, and what became of them. */
struct call {
    const struct native *native;
    struct apf_options options;
    PyObject *on_finding;  /* borrowed from the arguments; NULL: none */
    PyObject *on_progress; /* likewise */
    PyThreadState *thread; /* while the lock is released */
    bool raised;           /* a callback, or the handler of a signal, has raised an exception, which is set */
    uint64_t n_done;       /* inputs in the progress that was reported last */
    uint64_t last_look;    /* when signals were looked at last, in milliseconds of a clock */
};

/* Takes the tuple of options that the package makes: threads, flags, max_bytes, max_records, max_depth, on_finding,
 * on_progress, and, if it has so many, a correlator or None. False: an exception is set. */
bool call_begin(struct call *call, const struct native *native, PyObject *options);
/* Release the lock and take it again. While it is released, no object of Python may be used. */
void call_release(struct call *call);
void call_acquire(struct call *call);
/* Evaluates a call of the library without the lock. */
#define CALL(call, code, expression)                                                                         \
    do {                                                                                                     \
        call_release(call);                                                                                  \
        (code) = (expression);                                                                               \
        call_acquire(call);                                                                                  \
    } while (0)
/* Whether a result is APF_OK and no callback has raised an exception; else an exception is set. */
bool call_succeeded(struct call *call, int code, const struct apf_error *error);

/* Inputs, as tuples: path, contents, name, weight, n_directory, where one of path (bytes) and contents (an object with
 * a buffer) is None. They borrow from the tuples, and must be dropped before these. Contents other than bytes are
 * copied: they could change while the library reads them without the lock. */
struct inputs {
    struct apf_input *data;
    size_t n;
    PyObject **contents; /* one bytes object for each input; NULL where it is a file */
};
/* False: an exception is set; inputs_drop must follow either way. */
bool inputs_take(struct inputs *inputs, PyObject *sequence);
void inputs_drop(struct inputs *inputs);

/* Pairs of names, or paths, which borrow from tuples of bytes. */
struct name_list {
    struct apf_name_change *changes;
    const char **paths;
    size_t n;
};
/* Take a tuple of (from, to), or one of paths without a byte 0. False: an exception is set; names_drop must follow
 * either way. */
bool changes_take(struct name_list *list, PyObject *tuple);
bool paths_take(struct name_list *list, PyObject *tuple);
void names_drop(struct name_list *list);

/* An output: bytes, the path of a file, or None for a buffer. */
struct output {
    struct apf_output to;
    struct apf_buffer buffer;
};
bool output_take(struct output *output, PyObject *path);
/* The contents of the buffer as bytes, or None after a file was written. Frees the buffer. */
PyObject *output_result(struct output *output);
void output_drop(struct output *output);

/* Sets the exception for an error of the library; returns NULL. */
PyObject *raise_error(const struct apf_error *error);
/* The exception itself, anyprof.Error or a subclass. */
PyObject *error_object(const struct apf_error *error);
/* The member of anyprof.Code, or an int for a code that the package does not know. */
PyObject *code_object(int code);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The objects that hold handles of the library. */
#ifndef PYTHON_HANDLES_H
#define PYTHON_HANDLES_H

#include "native.h"

#include <anyprof/merge.h>
#include <anyprof/sample_functions.h>
#include <anyprof/sample_merge.h>

/* The number of a record and the id of its name; sorted by id, then number. */
struct id_and_number {
    uint64_t id;
    uint64_t number;
};

/* anyprof.InstrProfile */
struct instr_object {
    PyObject_HEAD struct apf_instr *instr; /* NULL: closed */
    struct apf_merge *merge;               /* owner of `instr`, if that is the view of a merge */
    PyObject *source;                      /* str: what was opened */
    struct guard guard;
    struct id_and_number *by_id; /* made by the first search by name */
    size_t n_by_id;
};

/* anyprof.SampleProfile */
struct sample_object {
    PyObject_HEAD struct apf_sample *sample; /* NULL: closed */
    const struct apf_sample *view;           /* `sample`, or the view of `merge` */
    struct apf_sample_merge *merge;
    struct apf_sample_functions *functions;
    PyObject *source;
    struct guard guard;
};

/* The object, if it is of the type and open; else an exception is set, and the result is NULL. */
struct instr_object *instr_of(const struct native *native, PyObject *object);
struct sample_object *sample_of(const struct native *native, PyObject *object);

/* New objects that own what they are given; what they cannot take is freed, and NULL returned with an exception. */
PyObject *instr_wrap(const struct native *native, struct apf_instr *instr, struct apf_merge *merge,
                     PyObject *source);
PyObject *sample_wrap(const struct native *native, struct apf_sample *sample, const struct apf_sample *view,
                      struct apf_sample_merge *merge, struct apf_sample_functions *functions,
                      PyObject *source);

/* A record that was read from a profile. */
PyObject *record_new(struct instr_object *profile, const struct apf_record *record);
/* The i-th function; NULL without an exception: there is none. */
PyObject *function_new(struct sample_object *profile, uint64_t i);
/* How many functions follow a function that are inlined in it; 0 also past the end. */
uint64_t function_inlined(const struct sample_object *profile, uint64_t i);

#endif

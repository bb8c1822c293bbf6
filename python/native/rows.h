/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Structures of the library as tuples with named fields: each has a table that says where its fields are. */
#ifndef PYTHON_ROWS_H
#define PYTHON_ROWS_H

#include <stddef.h>

#include "native.h"

enum row_type {
    FIELD_U8,
    FIELD_U32,
    FIELD_U64,
    FIELD_SIZE,
    FIELD_DOUBLE,
    FIELD_BOOL,  /* a uint32_t */
    FIELD_INDEX, /* a uint32_t; UINT32_MAX is None */
    FIELD_PLACE, /* a uint64_t; UINT64_MAX is None */
    FIELD_CODE,  /* an int32_t, a result code: anyprof.Code */
    FIELD_TEXT,  /* a struct apf_str; an empty one is None */
    FIELD_WORDS, /* a terminated string; NULL is None */
    FIELD_ERROR, /* const struct apf_error *: an exception, or None */
    FIELD_MADE   /* `make` makes it of the structure */
};

struct row_field {
    const char *name;
    enum row_type type;
    size_t offset;
    const char *doc;
    PyObject *(*make)(const struct native *native, const void *from);
};

struct row_shape {
    const char *name; /* such as "anyprof.Finding" */
    const char *doc;
    const struct row_field *fields;
    int n;
};

/* Makes a row of a structure. NULL: an exception is set. */
PyObject *row_new(const struct native *native, enum row_kind kind, const void *from);
/* A list of rows of n structures that are `size` bytes apart. */
PyObject *row_list(const struct native *native, enum row_kind kind, const void *from, size_t n, size_t size);
/* Lists of texts and of 64-bit numbers. */
PyObject *list_of_bytes(const struct apf_str *texts, size_t n);
PyObject *list_of_texts(const struct apf_str *texts, size_t n);
PyObject *list_of_numbers(const uint64_t *numbers, size_t n);

/* Steals the reference to `item`, which may be NULL. 0, or -1 with an exception. */
int list_take(PyObject *list, PyObject *item);

/* The table's entry for a field of a structure whose name in Python is that in C, or another one. */
#define FIELD(type, structure, field, doc)                                                                   \
    {#field, FIELD_##type, offsetof(struct structure, field), doc, NULL}
#define FIELD_AS(name, type, structure, field, doc)                                                          \
    {name, FIELD_##type, offsetof(struct structure, field), doc, NULL}
#define FIELD_BY(name, make, doc) {name, FIELD_MADE, 0, doc, make}
#define SHAPE(variable, name, fields, doc)                                                                   \
    const struct row_shape variable = {name, doc, fields, (int)(sizeof(fields) / sizeof *(fields))}

extern const struct row_shape shape_finding, shape_progress, shape_file_info, shape_skipped, shape_instr_info,
    shape_trace, shape_value, shape_summary, shape_summary_row, shape_salvage, shape_sample_info,
    shape_sample_salvage, shape_line, shape_call, shape_frame, shape_instr_input, shape_instr_totals,
    shape_sample_input, shape_sample_totals, shape_sample_written, shape_overlap_sums, shape_overlap,
    shape_diff_side, shape_diff_function, shape_diff_totals, shape_common, shape_sample_overlap,
    shape_sample_diff_side, shape_sample_diff_function, shape_sample_diff_totals, shape_probes_info,
    shape_probe_function, shape_probe_node, shape_probe, shape_probe_frame, shape_bat_info,
    shape_bat_fragment, shape_bat_entry, shape_bat_place, shape_cov_share, shape_cov_line, shape_cov_function,
    shape_cov_region, shape_cov_totals, shape_cov_stats, shape_fdata_info, shape_fdata_location,
    shape_fdata_record, shape_bolt_yaml_info, shape_bolt_yaml_header, shape_bolt_yaml_call,
    shape_bolt_yaml_successor, shape_bolt_yaml_block, shape_bolt_yaml_function;

#endif

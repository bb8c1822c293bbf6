/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tuples with named fields, made of structures by their tables. */
#include <string.h>

#include "calls.h"
#include "rows.h"

#define MOST_FIELDS 100

static const struct row_shape *const shapes[ROW_KINDS] = {
    [ROW_FINDING] = &shape_finding,
    [ROW_PROGRESS] = &shape_progress,
    [ROW_FILE_INFO] = &shape_file_info,
    [ROW_SKIPPED] = &shape_skipped,
    [ROW_INSTR_INFO] = &shape_instr_info,
    [ROW_TRACE] = &shape_trace,
    [ROW_VALUE] = &shape_value,
    [ROW_SUMMARY] = &shape_summary,
    [ROW_SUMMARY_ROW] = &shape_summary_row,
    [ROW_SALVAGE] = &shape_salvage,
    [ROW_SAMPLE_INFO] = &shape_sample_info,
    [ROW_SAMPLE_SALVAGE] = &shape_sample_salvage,
    [ROW_LINE] = &shape_line,
    [ROW_CALL] = &shape_call,
    [ROW_FRAME] = &shape_frame,
    [ROW_INSTR_INPUT] = &shape_instr_input,
    [ROW_INSTR_TOTALS] = &shape_instr_totals,
    [ROW_SAMPLE_INPUT] = &shape_sample_input,
    [ROW_SAMPLE_TOTALS] = &shape_sample_totals,
    [ROW_SAMPLE_WRITTEN] = &shape_sample_written,
    [ROW_OVERLAP_SUMS] = &shape_overlap_sums,
    [ROW_OVERLAP] = &shape_overlap,
    [ROW_DIFF_SIDE] = &shape_diff_side,
    [ROW_DIFF_FUNCTION] = &shape_diff_function,
    [ROW_DIFF_TOTALS] = &shape_diff_totals,
    [ROW_COMMON] = &shape_common,
    [ROW_SAMPLE_OVERLAP] = &shape_sample_overlap,
    [ROW_SAMPLE_DIFF_SIDE] = &shape_sample_diff_side,
    [ROW_SAMPLE_DIFF_FUNCTION] = &shape_sample_diff_function,
    [ROW_SAMPLE_DIFF_TOTALS] = &shape_sample_diff_totals,
    [ROW_PROBES_INFO] = &shape_probes_info,
    [ROW_PROBE_FUNCTION] = &shape_probe_function,
    [ROW_PROBE_NODE] = &shape_probe_node,
    [ROW_PROBE] = &shape_probe,
    [ROW_PROBE_FRAME] = &shape_probe_frame,
    [ROW_BAT_INFO] = &shape_bat_info,
    [ROW_BAT_FRAGMENT] = &shape_bat_fragment,
    [ROW_BAT_ENTRY] = &shape_bat_entry,
    [ROW_BAT_PLACE] = &shape_bat_place,
    [ROW_COV_SHARE] = &shape_cov_share,
    [ROW_COV_LINE] = &shape_cov_line,
    [ROW_COV_FUNCTION] = &shape_cov_function,
    [ROW_COV_REGION] = &shape_cov_region,
    [ROW_COV_TOTALS] = &shape_cov_totals,
    [ROW_COV_STATS] = &shape_cov_stats,
    [ROW_FDATA_INFO] = &shape_fdata_info,
    [ROW_FDATA_LOCATION] = &shape_fdata_location,
    [ROW_FDATA_RECORD] = &shape_fdata_record,
    [ROW_BOLT_YAML_INFO] = &shape_bolt_yaml_info,
    [ROW_BOLT_YAML_HEADER] = &shape_bolt_yaml_header,
    [ROW_BOLT_YAML_CALL] = &shape_bolt_yaml_call,
    [ROW_BOLT_YAML_SUCCESSOR] = &shape_bolt_yaml_successor,
    [ROW_BOLT_YAML_BLOCK] = &shape_bolt_yaml_block,
    [ROW_BOLT_YAML_FUNCTION] = &shape_bolt_yaml_function,
};

static int add_shape(PyObject *module, struct native *native, int kind)
{
    const struct row_shape *shape = shapes[kind];
    PyStructSequence_Field fields[MOST_FIELDS + 1];
    if (shape->n > MOST_FIELDS) {
        PyErr_Format(PyExc_SystemError, "%s has %d fields", shape->name, shape->n);
        return -1;
    }
    memset(fields, 0, sizeof fields);
    for (int i = 0; i < shape->n; i++) {
        fields[i].name = shape->fields[i].name;
        fields[i].doc = shape->fields[i].doc;
    }
    PyStructSequence_Desc desc = {shape->name, shape->doc, fields, shape->n};
    native->rows[kind] = PyStructSequence_NewType(&desc);
    if (!native->rows[kind])
        return -1;
    return PyModule_AddObjectRef(module, strrchr(shape->name, '.') + 1, (PyObject *)native->rows[kind]);
}

int rows_add(PyObject *module, struct native *native)
{
    for (int i = 0; i < ROW_KINDS; i++)
        if (add_shape(module, native, i) < 0)
            return -1;
    return 0;
}

/* What a field of some type may hold; only one of them is set. */
union value {
    uint8_t u8;
    uint32_t u32;
    uint64_t u64;
    int32_t code;
    double real;
    size_t size;
    struct apf_str text;
    const char *words;
    const struct apf_error *error;
};

static const size_t sizes[] = {
    [FIELD_U8] = sizeof(uint8_t),
    [FIELD_U32] = sizeof(uint32_t),
    [FIELD_U64] = sizeof(uint64_t),
    [FIELD_SIZE] = sizeof(size_t),
    [FIELD_DOUBLE] = sizeof(double),
    [FIELD_BOOL] = sizeof(uint32_t),
    [FIELD_INDEX] = sizeof(uint32_t),
    [FIELD_PLACE] = sizeof(uint64_t),
    [FIELD_CODE] = sizeof(int32_t),
    [FIELD_TEXT] = sizeof(struct apf_str),
    [FIELD_WORDS] = sizeof(const char *),
    [FIELD_ERROR] = sizeof(const struct apf_error *),
    [FIELD_MADE] = 0,
};

static PyObject *number_or_none(uint64_t number, bool none)
{
    if (none)
        Py_RETURN_NONE;
    return PyLong_FromUnsignedLongLong(number);
}

static PyObject *field_value(const struct native *native, const struct row_field *field, const void *from)
{
    union value v;
    memcpy(&v, (const char *)from + field->offset, sizes[field->type]);
    switch (field->type) {
    case FIELD_U8:
        return PyLong_FromUnsignedLong(v.u8);
    case FIELD_U32:
        return PyLong_FromUnsignedLong(v.u32);
    case FIELD_U64:
        return PyLong_FromUnsignedLongLong(v.u64);
    case FIELD_SIZE:
        return PyLong_FromSize_t(v.size);
    case FIELD_DOUBLE:
        return PyFloat_FromDouble(v.real);
    case FIELD_BOOL:
        return PyBool_FromLong(v.u32 != 0);
    case FIELD_INDEX:
        return number_or_none(v.u32, v.u32 == UINT32_MAX);
    case FIELD_PLACE:
        return number_or_none(v.u64, v.u64 == UINT64_MAX);
    case FIELD_CODE:
        return code_object(v.code);
    case FIELD_TEXT:
        return text_or_none(v.text);
    case FIELD_WORDS:
        return v.words ? text_str((struct apf_str){v.words, strlen(v.words)}) : Py_NewRef(Py_None);
    case FIELD_ERROR:
        return v.error ? error_object(v.error) : Py_NewRef(Py_None);
    default:
        return field->make(native, from);
    }
}

PyObject *row_new(const struct native *native, enum row_kind kind, const void *from)
{
    const struct row_shape *shape = shapes[kind];
    PyObject *row = PyStructSequence_New(native->rows[kind]);
    for (int i = 0; row && i < shape->n; i++) {
        PyObject *value = field_value(native, &shape->fields[i], from);
        if (value)
            PyStructSequence_SetItem(row, i, value);
        else
            Py_CLEAR(row);
    }
    return row;
}

/* ---- lists ---- */

int list_take(PyObject *list, PyObject *item)
{
    const int code = item ? PyList_Append(list, item) : -1;
    Py_XDECREF(item);
    return code;
}

PyObject *row_list(const struct native *native, enum row_kind kind, const void *from, size_t n, size_t size)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++)
        if (list_take(list, row_new(native, kind, (const char *)from + i * size)) < 0)
            Py_CLEAR(list);
    return list;
}

PyObject *list_of_bytes(const struct apf_str *texts, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++)
        if (list_take(list, PyBytes_FromStringAndSize(texts[i].p, (Py_ssize_t)texts[i].n)) < 0)
            Py_CLEAR(list);
    return list;
}

PyObject *list_of_texts(const struct apf_str *texts, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++)
        if (list_take(list, text_str(texts[i])) < 0)
            Py_CLEAR(list);
    return list;
}

PyObject *list_of_numbers(const uint64_t *numbers, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++)
        if (list_take(list, PyLong_FromUnsignedLongLong(numbers[i])) < 0)
            Py_CLEAR(list);
    return list;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Diff and overlap of instrumentation profiles. */
#include <string.h>

#include <anyprof/compare.h>

#include "calls.h"
#include "handles.h"
#include "rows.h"

/* ---- overlap ---- */

static PyObject *sums_values(const struct native *native, const void *from)
{
    const double *values = ((const struct apf_overlap_sums *)from)->values;
    (void)native;
    return Py_BuildValue("[ddd]", values[0], values[1], values[2]);
}

static const struct row_field sums_fields[] = {
    FIELD(U64, apf_overlap_sums, n, "functions"),
    FIELD(DOUBLE, apf_overlap_sums, edges, "of counters"),
    FIELD_BY("values", sums_values, "of profiled values, by ValueKind"),
};
SHAPE(shape_overlap_sums, "anyprof.OverlapSums", sums_fields, "Sums of counts, or shares of them.");

#define SUMS(field)                                                                                          \
    static PyObject *overlap_##field(const struct native *native, const void *from)                          \
    {                                                                                                        \
        return row_new(native, ROW_OVERLAP_SUMS, &((const struct apf_overlap *)from)->field);                \
    }
SUMS(base)
SUMS(test)
SUMS(overlap)
SUMS(mismatch)
SUMS(unique)

static const struct row_field overlap_fields[] = {
    FIELD_BY("base", overlap_base, "sums of the first profile: an OverlapSums"),
    FIELD_BY("test", overlap_test, "sums of the second profile"),
    FIELD_BY("overlap", overlap_overlap, "what both have in common, from 0 to 1"),
    FIELD_BY("mismatch", overlap_mismatch, "share of the second one in functions that do not go together"),
    FIELD_BY("unique", overlap_unique, "share of the second one in functions that the first does not have"),
    FIELD(U32, apf_overlap, zero,
          "0; 1: the first profile has no counts, 2: the second; nothing was compared"),
    FIELD(U64, apf_overlap, left_out, "records of the first one that do not go together"),
    FIELD(U64, apf_overlap, saturated, "sums of such records that were cut"),
    FIELD(U32, apf_overlap, kinds,
          "0; 1: one is a front-end profile, one an IR profile; 2: only one has context-sensitive counts"),
};
SHAPE(shape_overlap, "anyprof.Overlap", overlap_fields,
      "How much two instrumentation profiles have in common, measured as llvm-profdata overlap does.");

/* overlap_instr(base, test, flags) */
PyObject *overlap_instr(PyObject *module, PyObject *args)
{
    PyObject *first, *second;
    struct apf_overlap_options options = {.size = sizeof options, .value_cutoff = UINT64_MAX};
    struct apf_overlap overlap = {.size = sizeof overlap};
    struct apf_error error;
    int code;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OOO&", &first, &second, to_u32, &options.flags))
        return NULL;
    struct instr_object *base = instr_of(native, first), *test = base ? instr_of(native, second) : NULL;
    if (!test)
        return NULL;
    base->guard.calls++;
    test->guard.calls++;
    UNLOCKED(code = apf_overlap_print(base->instr, test->instr, &options, NULL, &overlap, &error));
    base->guard.calls--;
    test->guard.calls--;
    return code == APF_OK ? row_new(native, ROW_OVERLAP, &overlap) : raise_error(&error);
}

/* ---- diff ---- */

static PyObject *side_sites(const struct native *native, const void *from)
{
    (void)native;
    return list_of_numbers(((const struct apf_diff_side *)from)->n_sites, APF_VALUE_KINDS);
}

static const struct row_field side_fields[] = {
    FIELD(TEXT, apf_diff_side, name, "name, or None"),
    FIELD(U64, apf_diff_side, id, "id of the name"),
    FIELD(U64, apf_diff_side, hash, "hash of the control flow"),
    FIELD(DOUBLE, apf_diff_side, share, "share of all counts of its profile, from 0 to 1"),
    FIELD(U64, apf_diff_side, count, "sum of its counts; 2**64 - 1: that or more"),
    FIELD(U64, apf_diff_side, n_counts, "number of counters"),
    FIELD(U64, apf_diff_side, n_bitmap, "bytes of the bitmap"),
    FIELD_BY("n_sites", side_sites, "number of value sites, by ValueKind"),
};
SHAPE(shape_diff_side, "anyprof.DiffSide", side_fields, "A function in one of two profiles.");

static PyObject *function_side(const struct native *native, const void *from, int i, uint32_t absent)
{
    const struct apf_diff_function *f = (const struct apf_diff_function *)from;
    if (f->changes & absent)
        Py_RETURN_NONE;
    return row_new(native, ROW_DIFF_SIDE, &f->side[i]);
}

static PyObject *function_a(const struct native *native, const void *from)
{
    return function_side(native, from, 0, APF_DIFF_ONLY_B);
}

static PyObject *function_b(const struct native *native, const void *from)
{
    return function_side(native, from, 1, APF_DIFF_ONLY_A);
}

static const struct row_field function_fields[] = {
    FIELD(U32, apf_diff_function, changes, "DiffChange bits"),
    FIELD(DOUBLE, apf_diff_function, effect, "its part of the difference"),
    FIELD(DOUBLE, apf_diff_function, values_moved, "how much of its value counts moved, from 0 to 1"),
    FIELD(U64, apf_diff_function, bits_changed, "bits of the bitmap that are not the same"),
    FIELD_BY("a", function_a, "the function in the first profile: a DiffSide, or None"),
    FIELD_BY("b", function_b, "the function in the second profile: a DiffSide, or None"),
};
SHAPE(shape_diff_function, "anyprof.DiffFunction", function_fields, "A function that differs.");

static PyObject *totals_functions(const struct native *native, const void *from)
{
    (void)native;
    return list_of_numbers(((const struct apf_diff_totals *)from)->functions, 2);
}

static PyObject *totals_counts(const struct native *native, const void *from)
{
    const double *counts = ((const struct apf_diff_totals *)from)->counts;
    (void)native;
    return Py_BuildValue("[dd]", counts[0], counts[1]);
}

static PyObject *totals_left_out(const struct native *native, const void *from)
{
    (void)native;
    return list_of_numbers(((const struct apf_diff_totals *)from)->left_out, 2);
}

static PyObject *totals_variant(const struct native *native, const void *from)
{
    (void)native;
    return list_of_numbers(((const struct apf_diff_totals *)from)->variant, 2);
}

static PyObject *totals_saturated(const struct native *native, const void *from)
{
    (void)native;
    return list_of_numbers(((const struct apf_diff_totals *)from)->saturated, 2);
}

static PyObject *totals_changes(const struct native *native, const void *from)
{
    const struct apf_diff_total *changes = ((const struct apf_diff_totals *)from)->changes;
    PyObject *list = PyList_New(0);
    (void)native;
    for (int i = 0; list && i < APF_DIFF_CHANGES; i++)
        if (list_take(list, Py_BuildValue("(Kd)", (unsigned long long)changes[i].n, changes[i].effect)) < 0)
            Py_CLEAR(list);
    return list;
}

static const struct row_field totals_fields[] = {
    FIELD_BY("functions", totals_functions, "functions of each profile"),
    FIELD_BY("counts", totals_counts, "sums of all counters of each profile"),
    FIELD(U64, apf_diff_totals, equal, "pairs that are equal"),
    FIELD(U64, apf_diff_totals, differ, "functions that differ"),
    FIELD_BY("left_out", totals_left_out, "records of each profile that do not go together"),
    FIELD_BY("saturated", totals_saturated, "sums of such records that were cut"),
    FIELD_BY("variant", totals_variant, "what kind of profile each is, as in Info.variant"),
    FIELD(DOUBLE, apf_diff_totals, difference, "share of the counts that moved, from 0 to 1"),
    FIELD_BY("changes", totals_changes,
             "(number of functions, effect) for each bit of DiffChange, the lowest first"),
};
SHAPE(shape_diff_totals, "anyprof.DiffTotals", totals_fields,
      "What changed between two instrumentation profiles.");

static PyObject *diff_rows(const struct native *native, const struct apf_diff *diff, uint64_t most)
{
    const struct apf_diff_function *f;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < most && (f = apf_diff_function(diff, i)) != NULL; i++)
        if (list_take(list, row_new(native, ROW_DIFF_FUNCTION, f)) < 0)
            Py_CLEAR(list);
    return list;
}

static PyObject *diff_result(const struct native *native, const struct apf_diff *diff, uint64_t most)
{
    PyObject *totals = row_new(native, ROW_DIFF_TOTALS, apf_diff_totals(diff));
    PyObject *rows = totals ? diff_rows(native, diff, most) : NULL;
    PyObject *result = rows ? PyTuple_Pack(2, totals, rows) : NULL;
    Py_XDECREF(totals);
    Py_XDECREF(rows);
    return result;
}

/* diff_instr(a, b, flags, function, most): (totals, functions) */
PyObject *diff_instr(PyObject *module, PyObject *args)
{
    PyObject *first, *second, *function, *result = NULL;
    uint64_t most;
    struct apf_diff_options options = {.size = sizeof options};
    struct apf_diff *diff = NULL;
    struct apf_error error;
    int code;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OOO&OO&", &first, &second, to_u32, &options.flags, &function, to_u64, &most))
        return NULL;
    PyObject *bytes = text_bytes(function, &options.function);
    struct instr_object *a = bytes ? instr_of(native, first) : NULL, *b = a ? instr_of(native, second) : NULL;
    if (b) {
        a->guard.calls++;
        b->guard.calls++;
        UNLOCKED(code = apf_diff_new(&diff, a->instr, b->instr, &options, &error));
        result = code == APF_OK ? diff_result(native, diff, most) : raise_error(&error);
        apf_diff_free(diff);
        a->guard.calls--;
        b->guard.calls--;
    }
    Py_XDECREF(bytes);
    return result;
}

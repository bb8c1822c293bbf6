/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Diff and overlap of sample profiles. */
#include <anyprof/sample_views.h>

#include "calls.h"
#include "handles.h"
#include "rows.h"

/* ---- overlap ---- */

static const struct row_field common_fields[] = {
    FIELD(U64, apf_sample_common, both, "in both profiles"),
    FIELD(U64, apf_sample_common, base, "in the first one only"),
    FIELD(U64, apf_sample_common, test, "in the second one only"),
};
SHAPE(shape_common, "anyprof.Common", common_fields, "How many things two profiles have in common.");

#define COMMON(field)                                                                                        \
    static PyObject *overlap_##field(const struct native *native, const void *from)                          \
    {                                                                                                        \
        return row_new(native, ROW_COMMON, &((const struct apf_sample_overlap_totals *)from)->field);        \
    }
COMMON(functions)
COMMON(hot_functions)
COMMON(hot_lines)

#define PAIR(structure, field)                                                                               \
    static PyObject *structure##_##field(const struct native *native, const void *from)                      \
    {                                                                                                        \
        (void)native;                                                                                        \
        return list_of_numbers(((const struct structure *)from)->field, 2);                                  \
    }
PAIR(apf_sample_overlap_totals, samples)
PAIR(apf_sample_overlap_totals, unique)
PAIR(apf_sample_overlap_totals, hot_count)

static const struct row_field overlap_fields[] = {
    FIELD(DOUBLE, apf_sample_overlap_totals, similarity,
          "mean of the similarities of all functions, from 0 to 1"),
    FIELD(DOUBLE, apf_sample_overlap_totals, overlap, "what both have in common, from 0 to 1"),
    FIELD_BY("samples", apf_sample_overlap_totals_samples, "samples of each profile"),
    FIELD_BY("unique", apf_sample_overlap_totals_unique, "samples that the other profile does not have"),
    FIELD_BY("functions", overlap_functions, "functions: a Common"),
    FIELD_BY("hot_functions", overlap_hot_functions, "hot functions: a Common"),
    FIELD_BY("hot_lines", overlap_hot_lines, "hot lines: a Common"),
    FIELD_BY("hot_count", apf_sample_overlap_totals_hot_count,
             "lines with at least this many samples are hot"),
};
SHAPE(shape_sample_overlap, "anyprof.SampleOverlap", overlap_fields,
      "How much two sample profiles have in common, measured as llvm-profdata overlap --sample does.");

/* overlap_sample(base, test) */
PyObject *overlap_sample(PyObject *module, PyObject *args)
{
    PyObject *first, *second;
    struct apf_sample_overlap_options options = {.size = sizeof options, .value_cutoff = UINT64_MAX};
    struct apf_sample_overlap *overlap = NULL;
    struct apf_error error;
    int code;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OO", &first, &second))
        return NULL;
    struct sample_object *base = sample_of(native, first), *test = base ? sample_of(native, second) : NULL;
    if (!test)
        return NULL;
    base->guard.calls++;
    test->guard.calls++;
    UNLOCKED(code = apf_sample_overlap_new(&overlap, base->view, test->view, &options, &error));
    base->guard.calls--;
    test->guard.calls--;
    if (code != APF_OK)
        return raise_error(&error);
    PyObject *row = row_new(native, ROW_SAMPLE_OVERLAP, apf_sample_overlap_totals(overlap));
    apf_sample_overlap_free(overlap);
    return row;
}

/* ---- diff ---- */

static const struct row_field side_fields[] = {
    FIELD_AS("name", TEXT, apf_sample_diff_side, name.text, "name, or None if only its hash is known"),
    FIELD_AS("hash", U64, apf_sample_diff_side, name.hash, "hash of the name"),
    FIELD(U64, apf_sample_diff_side, samples, "sum of its lines; 2**64 - 1: that or more"),
    FIELD(DOUBLE, apf_sample_diff_side, share, "share of all samples of its profile, from 0 to 1"),
    FIELD(DOUBLE, apf_sample_diff_side, inlined, "part of its samples that has a caller, from 0 to 1"),
    FIELD(U64, apf_sample_diff_side, head, "entries"),
    FIELD(U64, apf_sample_diff_side, checksum, "checksum with most samples; 0: unknown"),
    FIELD(U64, apf_sample_diff_side, n_checksums, "different checksums"),
    FIELD(U64, apf_sample_diff_side, n_lines, "lines"),
    FIELD(U64, apf_sample_diff_side, n_targets, "call targets"),
    FIELD(U64, apf_sample_diff_side, n_vtables, "types of objects"),
    FIELD(U64, apf_sample_diff_side, n_lone, "lines that the other profile does not have"),
    FIELD(U64, apf_sample_diff_side, n_callers, "functions in which it is inlined, or that call it"),
    FIELD(U32, apf_sample_diff_side, attributes, "SampleAttribute bits of any copy"),
};
SHAPE(shape_sample_diff_side, "anyprof.SampleDiffSide", side_fields, "A function in one of two profiles.");

static PyObject *function_side(const struct native *native, const void *from, int i, uint32_t absent)
{
    const struct apf_sample_diff_function *f = (const struct apf_sample_diff_function *)from;
    if (f->changes & absent)
        Py_RETURN_NONE;
    return row_new(native, ROW_SAMPLE_DIFF_SIDE, &f->side[i]);
}

static PyObject *function_a(const struct native *native, const void *from)
{
    return function_side(native, from, 0, APF_SAMPLE_DIFF_ONLY_B);
}

static PyObject *function_b(const struct native *native, const void *from)
{
    return function_side(native, from, 1, APF_SAMPLE_DIFF_ONLY_A);
}

static const struct row_field function_fields[] = {
    FIELD(U32, apf_sample_diff_function, changes, "SampleDiffChange bits"),
    FIELD(DOUBLE, apf_sample_diff_function, effect, "its part of the difference"),
    FIELD(DOUBLE, apf_sample_diff_function, lines_moved, "how much moved between its lines, from 0 to 1"),
    FIELD(DOUBLE, apf_sample_diff_function, targets_moved, "... of the counts of its targets"),
    FIELD(DOUBLE, apf_sample_diff_function, vtables_moved, "... of the counts of its types of objects"),
    FIELD(DOUBLE, apf_sample_diff_function, callers_moved, "... of its samples between its callers"),
    FIELD_BY("a", function_a, "the function in the first profile: a SampleDiffSide, or None"),
    FIELD_BY("b", function_b, "the function in the second profile: a SampleDiffSide, or None"),
};
SHAPE(shape_sample_diff_function, "anyprof.SampleDiffFunction", function_fields, "A function that differs.");

PAIR(apf_sample_diff_totals, functions)

#define DOUBLES(field)                                                                                       \
    static PyObject *totals_##field(const struct native *native, const void *from)                           \
    {                                                                                                        \
        const double *pair = ((const struct apf_sample_diff_totals *)from)->field;                           \
        (void)native;                                                                                        \
        return Py_BuildValue("[dd]", pair[0], pair[1]);                                                      \
    }
DOUBLES(samples)
DOUBLES(stale)
DOUBLES(inlined)

static PyObject *totals_changes(const struct native *native, const void *from)
{
    const struct apf_sample_diff_total *changes = ((const struct apf_sample_diff_totals *)from)->changes;
    PyObject *list = PyList_New(0);
    (void)native;
    for (int i = 0; list && i < APF_SAMPLE_DIFF_CHANGES; i++)
        if (list_take(list, Py_BuildValue("(Kd)", (unsigned long long)changes[i].n, changes[i].effect)) < 0)
            Py_CLEAR(list);
    return list;
}

static const struct row_field totals_fields[] = {
    FIELD_BY("functions", apf_sample_diff_totals_functions, "functions of each profile"),
    FIELD_BY("samples", totals_samples, "sums of all lines of each profile"),
    FIELD(U64, apf_sample_diff_totals, equal, "pairs that are equal"),
    FIELD(U64, apf_sample_diff_totals, differ, "functions that differ"),
    FIELD(DOUBLE, apf_sample_diff_totals, difference, "share of the samples that moved, from 0 to 1"),
    FIELD_BY("stale", totals_stale, "share of each profile's samples in functions that were changed"),
    FIELD_BY("inlined", totals_inlined, "share of each profile's samples that have a caller"),
    FIELD(BOOL, apf_sample_diff_totals, lines_compared, "False: only one profile has probes"),
    FIELD(BOOL, apf_sample_diff_totals, callers_compared, "False: only one profile has contexts"),
    FIELD_BY("changes", totals_changes,
             "(number of functions, effect) for each bit of SampleDiffChange, the lowest first"),
};
SHAPE(shape_sample_diff_totals, "anyprof.SampleDiffTotals", totals_fields,
      "What changed between two sample profiles.");

static PyObject *diff_rows(const struct native *native, const struct apf_sample_diff *diff, uint64_t most)
{
    const struct apf_sample_diff_function *f;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < most && (f = apf_sample_diff_function(diff, i)) != NULL; i++)
        if (list_take(list, row_new(native, ROW_SAMPLE_DIFF_FUNCTION, f)) < 0)
            Py_CLEAR(list);
    return list;
}

static PyObject *diff_result(const struct native *native, const struct apf_sample_diff *diff, uint64_t most)
{
    PyObject *totals = row_new(native, ROW_SAMPLE_DIFF_TOTALS, apf_sample_diff_totals(diff));
    PyObject *rows = totals ? diff_rows(native, diff, most) : NULL;
    PyObject *result = rows ? PyTuple_Pack(2, totals, rows) : NULL;
    Py_XDECREF(totals);
    Py_XDECREF(rows);
    return result;
}

/* diff_sample(a, b, flags, function, most): (totals, functions) */
PyObject *diff_sample(PyObject *module, PyObject *args)
{
    PyObject *first, *second, *function, *result = NULL;
    uint64_t most;
    struct apf_sample_diff_options options = {.size = sizeof options};
    struct apf_sample_diff *diff = NULL;
    struct apf_error error;
    int code;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OOO&OO&", &first, &second, to_u32, &options.flags, &function, to_u64, &most))
        return NULL;
    PyObject *bytes = text_bytes(function, &options.function);
    struct sample_object *a = bytes ? sample_of(native, first) : NULL,
                         *b = a ? sample_of(native, second) : NULL;
    if (b) {
        a->guard.calls++;
        b->guard.calls++;
        UNLOCKED(code = apf_sample_diff_new(&diff, a->view, b->view, &options, &error));
        result = code == APF_OK ? diff_result(native, diff, most) : raise_error(&error);
        apf_sample_diff_free(diff);
        a->guard.calls--;
        b->guard.calls--;
    }
    Py_XDECREF(bytes);
    return result;
}

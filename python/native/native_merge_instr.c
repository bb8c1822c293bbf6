/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merging instrumentation profiles. */
#include <anyprof/merge.h>

#include "handles.h"
#include "merging.h"
#include "rows.h"

/* One merge, from its arguments to its result. */
struct instr_merge {
    struct call call;
    struct inputs inputs;
    struct output output;
    struct merge_settings settings;
    struct apf_write_options write;
    struct apf_merge *merge;
    PyObject *path; /* None: nothing is written */
};

static bool parse(struct instr_merge *m, const struct native *native, PyObject *args)
{
    PyObject *tuple, *options, *settings;
    struct apf_error error;
    if (!PyArg_ParseTuple(args, "OOOO", &tuple, &m->path, &options, &settings) ||
        !call_begin(&m->call, native, options) || !merge_settings_take(&m->settings, settings) ||
        !output_take(&m->output, m->path) || !inputs_take(&m->inputs, tuple))
        return false;
    m->write = (struct apf_write_options){
        .size = sizeof m->write, .format = m->settings.format, .flags = m->settings.write_flags};
    if (m->settings.target && apf_target_parse(m->settings.target, &m->write.target, &error) != APF_OK) {
        raise_error(&error);
        return false;
    }
    return true;
}

static bool add(struct instr_merge *m)
{
    struct apf_error error;
    struct apf_merge_options options = {.size = sizeof options,
                                        .options = &m->call.options,
                                        .flags = m->settings.merge_flags,
                                        .output = m->output.to.path,
                                        .remaps = m->settings.remaps.changes,
                                        .n_remaps = m->settings.remaps.n,
                                        .prefix_maps = m->settings.prefix_maps.changes,
                                        .n_prefix_maps = m->settings.prefix_maps.n,
                                        .tolerance = &m->settings.tolerance};
    int code;
    CALL(&m->call, code, apf_merge_new(&m->merge, &options, &error));
    if (!call_succeeded(&m->call, code, &error))
        return false;
    CALL(&m->call, code, apf_merge_add(m->merge, m->inputs.data, m->inputs.n, &error));
    return call_succeeded(&m->call, code, &error);
}

static PyObject *input_rows(const struct instr_merge *m)
{
    const struct apf_input_result *r;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && (r = apf_merge_input(m->merge, i)) != NULL; i++)
        if (list_take(list, row_new(m->call.native, ROW_INSTR_INPUT, r)) < 0)
            Py_CLEAR(list);
    return list;
}

static PyObject *totals_row(const struct instr_merge *m)
{
    return row_new(m->call.native, ROW_INSTR_TOTALS, apf_merge_stats(m->merge));
}

/* Writes the sum, or makes a view of it: *profile becomes that, or None. False: an exception is set. */
static bool finish(struct instr_merge *m, PyObject **profile)
{
    struct apf_error error;
    struct apf_instr *view = NULL;
    int code;
    *profile = NULL;
    if (m->path != Py_None) {
        CALL(&m->call, code, apf_merge_write(m->merge, &m->write, &m->output.to, &error));
        *profile = Py_NewRef(Py_None);
        return call_succeeded(&m->call, code, &error);
    }
    CALL(&m->call, code, apf_merge_verdict(m->merge, NULL));
    if (code != APF_OK) { /* the call that writes has the words for it */
        const struct apf_output nowhere = apf_output_callback(merge_discard, NULL);
        CALL(&m->call, code, apf_merge_write(m->merge, NULL, &nowhere, &error));
        if (!call_succeeded(&m->call, code, &error))
            return false;
    }
    CALL(&m->call, code, apf_merge_view(m->merge, &view, &error));
    return call_succeeded(&m->call, code, &error);
}

static PyObject *report_of(struct instr_merge *m)
{
    struct apf_error error;
    struct output report;
    int code;
    if (!m->settings.report)
        Py_RETURN_NONE;
    output_take(&report, Py_None);
    CALL(&m->call, code, apf_merge_write_report(m->merge, &m->settings.tolerance, &report.to, &error));
    if (call_succeeded(&m->call, code, &error))
        return output_result(&report);
    output_drop(&report);
    return NULL;
}

/* The view as an object, which owns the merge from now on. */
static PyObject *profile_of(struct instr_merge *m)
{
    struct apf_instr *view = NULL;
    struct apf_error error;
    int code;
    PyObject *profile = NULL, *source = PyUnicode_FromString("a merge");
    if (!source)
        return NULL;
    CALL(&m->call, code, apf_merge_view(m->merge, &view, &error)); /* only returns it: it exists already */
    if (call_succeeded(&m->call, code, &error)) {
        profile = instr_wrap(m->call.native, view, m->merge, source);
        m->merge = NULL;
    }
    Py_DECREF(source);
    return profile;
}

/* Adds what became of the inputs to the error that is set. */
static void add_outcome(const struct instr_merge *m)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *inputs = input_rows(m), *totals = totals_row(m);
    PyErr_Restore(type, value, trace);
    merge_failed(inputs, totals);
}

/* What the merge has become; the profile owns the merge afterwards. */
static PyObject *conclude(struct instr_merge *m)
{
    PyObject *profile;
    if (!finish(m, &profile)) {
        Py_XDECREF(profile);
        if (!m->call.raised)
            add_outcome(m);
        return NULL;
    }
    PyObject *inputs = input_rows(m), *totals = totals_row(m), *report = report_of(m);
    if (!profile && inputs && totals && report) {
        profile = profile_of(m);
    }
    return merge_result(inputs, totals, Py_NewRef(Py_None), profile, report);
}

/* merge_instr(inputs, out, options, settings): (inputs, totals, None, profile or None, report or None) */
PyObject *merge_instr(PyObject *module, PyObject *args)
{
    struct instr_merge m = {.merge = NULL};
    PyObject *result = NULL;
    if (parse(&m, (const struct native *)PyModule_GetState(module), args) && add(&m))
        result = conclude(&m);
    inputs_drop(&m.inputs);
    merge_settings_drop(&m.settings);
    UNLOCKED(apf_merge_free(m.merge));
    return result;
}

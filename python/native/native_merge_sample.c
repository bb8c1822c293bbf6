/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merging sample profiles. */
#include <anyprof/sample_merge.h>

#include "handles.h"
#include "merging.h"
#include "rows.h"

/* One merge, from its arguments to its result. */
struct sample_merge {
    struct call call;
    struct inputs inputs;
    struct output output;
    struct merge_settings settings;
    struct apf_sample_write_options write;
    struct apf_sample_merge *merge;
    struct apf_sample_functions *functions; /* of the view, where nothing is written */
    PyObject *path;
};

static bool parse(struct sample_merge *m, const struct native *native, PyObject *args)
{
    PyObject *tuple, *options, *settings;
    struct apf_error error;
    if (!PyArg_ParseTuple(args, "OOOO", &tuple, &m->path, &options, &settings) ||
        !call_begin(&m->call, native, options) || !merge_settings_take(&m->settings, settings) ||
        !output_take(&m->output, m->path) || !inputs_take(&m->inputs, tuple))
        return false;
    m->write = (struct apf_sample_write_options){.size = sizeof m->write,
                                                 .options = &m->call.options,
                                                 .format = m->settings.format,
                                                 .layout = m->settings.layout,
                                                 .flags = m->settings.write_flags};
    if (m->settings.target &&
        apf_sample_target_parse(m->settings.target, &m->write.target, &error) != APF_OK) {
        raise_error(&error);
        return false;
    }
    return true;
}

static bool add(struct sample_merge *m)
{
    struct apf_error error;
    struct apf_sample_merge_options options = {.size = sizeof options,
                                               .options = &m->call.options,
                                               .flags = m->settings.merge_flags,
                                               .output = m->output.to.path,
                                               .remaps = m->settings.remaps.changes,
                                               .n_remaps = m->settings.remaps.n,
                                               .tolerance = &m->settings.tolerance};
    int code;
    CALL(&m->call, code, apf_sample_merge_new(&m->merge, &options, &error));
    if (!call_succeeded(&m->call, code, &error))
        return false;
    CALL(&m->call, code, apf_sample_merge_add(m->merge, m->inputs.data, m->inputs.n, &error));
    return call_succeeded(&m->call, code, &error);
}

static PyObject *input_rows(const struct sample_merge *m)
{
    const struct apf_sample_input_result *r;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && (r = apf_sample_merge_input(m->merge, i)) != NULL; i++)
        if (list_take(list, row_new(m->call.native, ROW_SAMPLE_INPUT, r)) < 0)
            Py_CLEAR(list);
    return list;
}

static PyObject *totals_row(const struct sample_merge *m)
{
    return row_new(m->call.native, ROW_SAMPLE_TOTALS, apf_sample_merge_stats(m->merge));
}

static int view_functions(struct sample_merge *m, struct apf_error *error)
{
    const struct apf_sample *view;
    const int code = apf_sample_merge_view(m->merge, &view, error);
    return code == APF_OK ? apf_sample_functions_new(&m->functions, view, error) : code;
}

/* Writes the sum, which fills in *written, or makes a view of it. False: an exception is set. */
static bool finish(struct sample_merge *m, struct apf_sample_write_result *written)
{
    struct apf_error error;
    int code;
    if (m->path != Py_None) {
        CALL(&m->call, code, apf_sample_merge_write(m->merge, &m->write, &m->output.to, written, &error));
        return call_succeeded(&m->call, code, &error);
    }
    CALL(&m->call, code, apf_sample_merge_verdict(m->merge, NULL));
    if (code != APF_OK) { /* the call that writes has the words for it */
        const struct apf_output nowhere = apf_output_callback(merge_discard, NULL);
        CALL(&m->call, code, apf_sample_merge_write(m->merge, NULL, &nowhere, NULL, &error));
        if (!call_succeeded(&m->call, code, &error))
            return false;
    }
    CALL(&m->call, code, view_functions(m, &error));
    return call_succeeded(&m->call, code, &error);
}

static PyObject *report_of(struct sample_merge *m)
{
    struct apf_error error;
    struct output report;
    int code;
    if (!m->settings.report)
        Py_RETURN_NONE;
    output_take(&report, Py_None);
    CALL(&m->call, code, apf_sample_merge_write_report(m->merge, &m->settings.tolerance, &report.to, &error));
    if (call_succeeded(&m->call, code, &error))
        return output_result(&report);
    output_drop(&report);
    return NULL;
}

/* The view as an object, which owns the merge from now on. */
static PyObject *profile_of(struct sample_merge *m)
{
    const struct apf_sample *view = NULL;
    struct apf_error error;
    int code;
    PyObject *profile = NULL, *source = PyUnicode_FromString("a merge");
    if (!source)
        return NULL;
    CALL(&m->call, code,
         apf_sample_merge_view(m->merge, &view, &error)); /* only returns it: it exists already */
    if (call_succeeded(&m->call, code, &error)) {
        profile = sample_wrap(m->call.native, NULL, view, m->merge, m->functions, source);
        m->merge = NULL;
        m->functions = NULL;
    }
    Py_DECREF(source);
    return profile;
}

/* Adds what became of the inputs to the error that is set. */
static void add_outcome(const struct sample_merge *m)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *inputs = input_rows(m), *totals = totals_row(m);
    PyErr_Restore(type, value, trace);
    merge_failed(inputs, totals);
}

/* What the merge has become; the profile owns the merge afterwards. */
static PyObject *conclude(struct sample_merge *m)
{
    struct apf_sample_write_result written = {.size = sizeof written};
    if (!finish(m, &written)) {
        if (!m->call.raised)
            add_outcome(m);
        return NULL;
    }
    const bool to_file = m->path != Py_None;
    PyObject *inputs = input_rows(m), *totals = totals_row(m), *report = report_of(m);
    PyObject *losses = to_file ? row_new(m->call.native, ROW_SAMPLE_WRITTEN, &written) : Py_NewRef(Py_None);
    PyObject *profile = NULL;
    if (inputs && totals && report && losses)
        profile = to_file ? Py_NewRef(Py_None) : profile_of(m);
    return merge_result(inputs, totals, losses, profile, report);
}

/* merge_sample(inputs, out, options, settings): (inputs, totals, written or None, profile or None, report or None) */
PyObject *merge_sample(PyObject *module, PyObject *args)
{
    struct sample_merge m = {.merge = NULL};
    PyObject *result = NULL;
    if (parse(&m, (const struct native *)PyModule_GetState(module), args) && add(&m))
        result = conclude(&m);
    inputs_drop(&m.inputs);
    merge_settings_drop(&m.settings);
    UNLOCKED(apf_sample_functions_free(m.functions));
    UNLOCKED(apf_sample_merge_free(m.merge));
    return result;
}

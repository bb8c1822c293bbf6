/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading profiles of BOLT: one file, or several, which are merged. */
#include "bolt_profiles.h"
#include "calls.h"

/* What the files must be. */
enum wanted { WANTED_ANY, WANTED_FDATA, WANTED_YAML };

struct bolt_reading {
    struct call call;
    struct inputs inputs;
    struct apf_fdata *fdata;
    struct apf_bolt_yaml *yaml;
};

static int read_inputs(struct bolt_reading *r, uint32_t wanted, struct apf_error *error)
{
    int code = apf_fdata_new(&r->fdata, &r->call.options, error);
    if (code == APF_OK)
        code = apf_bolt_yaml_new(&r->yaml, &r->call.options, error);
    if (code != APF_OK)
        return code;
    switch (wanted) {
    case WANTED_FDATA:
        return apf_fdata_read(r->fdata, r->inputs.data, r->inputs.n, error);
    case WANTED_YAML:
        return apf_bolt_yaml_read(r->yaml, r->inputs.data, r->inputs.n, error);
    default:
        return apf_bolt_read(r->fdata, r->yaml, r->inputs.data, r->inputs.n, error);
    }
}

static int read_sorted(struct bolt_reading *r, uint32_t wanted, struct apf_error *error)
{
    const int code = read_inputs(r, wanted, error);
    if (code != APF_OK)
        return code;
    return apf_bolt_yaml_info(r->yaml)->known ? apf_bolt_yaml_sort(r->yaml, error)
                                              : apf_fdata_sort(r->fdata, error);
}

/* The profile that was read, as an object, which owns it from now on. */
static PyObject *profile_of(struct bolt_reading *r, PyObject *source)
{
    if (apf_bolt_yaml_info(r->yaml)->known) {
        struct apf_bolt_yaml *yaml = r->yaml;
        r->yaml = NULL;
        return bolt_yaml_wrap(r->call.native, yaml, source);
    }
    struct apf_fdata *fdata = r->fdata;
    r->fdata = NULL;
    return fdata_wrap(r->call.native, fdata, source);
}

/* open_bolt(inputs, options, source, wanted): an FdataProfile or a BoltYamlProfile */
PyObject *bolt_open(PyObject *module, PyObject *args)
{
    PyObject *tuple, *options, *source, *result = NULL;
    struct bolt_reading r = {.fdata = NULL};
    uint32_t wanted;
    struct apf_error error;
    int code;
    const struct native *native = (const struct native *)PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "OOUO&", &tuple, &options, &source, to_u32, &wanted) ||
        !call_begin(&r.call, native, options))
        return NULL;
    if (inputs_take(&r.inputs, tuple) && r.inputs.n > 0 && wanted <= WANTED_YAML) {
        CALL(&r.call, code, read_sorted(&r, wanted, &error));
        if (call_succeeded(&r.call, code, &error))
            result = profile_of(&r, source);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, "an input is needed, and 0, 1 or 2");
    }
    inputs_drop(&r.inputs);
    UNLOCKED(apf_fdata_free(r.fdata));
    UNLOCKED(apf_bolt_yaml_free(r.yaml));
    return result;
}

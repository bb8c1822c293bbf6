/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles of BOLT as objects. */
#ifndef PYTHON_BOLT_PROFILES_H
#define PYTHON_BOLT_PROFILES_H

#include "native.h"

#include <anyprof/bolt.h>

/* New objects that own a sorted profile, which is freed if NULL is returned with an exception. The profile may still
 * point to the options of the call that has read it: nothing must be read or added any more. */
PyObject *fdata_wrap(const struct native *native, struct apf_fdata *fdata, PyObject *source);
PyObject *bolt_yaml_wrap(const struct native *native, struct apf_bolt_yaml *yaml, PyObject *source);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What coverage consists of, as lists of rows. Callers hold the interpreter's lock, which is released meanwhile, and
 * keep the handle open. NULL: an exception is set. */
#ifndef PYTHON_COVERAGE_H
#define PYTHON_COVERAGE_H

#include <anyprof/cov.h>

#include "calls.h"

PyObject *cov_lines(const struct native *native, const struct apf_cov *cov, size_t file);
PyObject *cov_functions(const struct native *native, const struct apf_cov *cov, int left_out);
PyObject *cov_regions(const struct native *native, const struct apf_cov *cov, size_t function);

#endif

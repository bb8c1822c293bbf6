/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is kept of a function: where it begins, how often it ran, and how much of it was covered. */
#ifndef COV_FUNCTION_SUMMARY_H
#define COV_FUNCTION_SUMMARY_H

#include "cov/coverage.h"

/* Sets what is kept of a function that was opened, but for its record, name and fit. */
int function_summarize(const struct coverage *c, struct cov_work *w, struct cov_function *f,
                       struct apf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds everything that is wrong with a sample profile.
 *
 * The ordinary reader reads the file, too. If it refuses the file, that is an error, and the rest of the file is
 * checked as far as it can be understood. */
#ifndef SAMPLE_CHECK_H
#define SAMPLE_CHECK_H

#include "base/check_report.h"
#include "sample/model/sample_profile.h"

/* Checks the profile in these bytes, which are of a format that is known. Returns c->code; findings go to the callback
 * and are counted. */
int sample_check(struct check *c, const struct sample_read_options *options, const uint8_t *data, size_t n);

#endif

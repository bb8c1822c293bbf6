/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is wrong with an instrumentation profile, all of it.
 *
 * The ordinary reader reads the file, too. Where it refuses the file, there is an error; where it does not, what it has
 * read is compared with what is stored beside it. */
#ifndef INSTR_CHECK_H
#define INSTR_CHECK_H

#include "instr/check/check_report.h"

/* Checks the profile in these bytes. Returns c->code; findings go to the callback and are counted. */
int instr_check(struct check *c, const uint8_t *data, size_t n);

#endif

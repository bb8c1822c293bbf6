/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds everything that is wrong with an instrumentation profile.
 *
 * The ordinary reader reads the file, too. If it refuses the file, that is an error; if not, the profile is compared
 * with the redundant data of the file. */
#ifndef INSTR_CHECK_H
#define INSTR_CHECK_H

#include "base/check_report.h"
#include "instr/model/profile.h"

/* Checks the profile in these bytes. Returns c->code; findings go to the callback and are counted. */
int instr_check(struct check *c, const struct read_options *limits, const uint8_t *data, size_t n);
/* check_text for a format; nothing happens if it is no text. */
void instr_check_text(struct check *c, uint32_t format, const uint8_t *data, size_t n);

#endif

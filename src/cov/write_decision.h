/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What llvm-cov show prints about a decision of MC/DC. */
#ifndef COV_WRITE_DECISION_H
#define COV_WRITE_DECISION_H

#include "cov/mcdc.h"
#include "cov/outputs.h"

/* Writes "(LINE:COLUMN)". */
void place_write(struct file_out *out, uint32_t line, uint32_t column);
/* Writes it, without the prefixes of its lines. */
void decision_write(const struct cov_output *o, struct file_out *out, const struct decision *d);

#endif

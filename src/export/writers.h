/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The writers, one for each enum apf_export_format. */
#ifndef EXPORT_WRITERS_H
#define EXPORT_WRITERS_H

#include "export/export_run.h"

int folded_write(struct export_run *run);
int speedscope_write(struct export_run *run);
int pprof_write(struct export_run *run);
int csv_write(struct export_run *run);

#endif

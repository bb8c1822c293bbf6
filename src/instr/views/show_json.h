/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef INSTR_SHOW_JSON_H
#define INSTR_SHOW_JSON_H

#include "instr/views/show_record.h"

/* Writes what the options ask for as JSON, schema anyprof-show/1 (docs/json.md). */
int show_json(struct show *s, struct apf_error *error);

#endif

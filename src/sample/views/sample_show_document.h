/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SAMPLE_SHOW_DOCUMENT_H
#define SAMPLE_SHOW_DOCUMENT_H

#include "sample/views/sample_show.h"

/* Writes what the options ask for as JSON, schema anyprof-sample-show/1 (docs/json.md). */
int sample_show_document(struct sample_show *s, struct apf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines of a text. */
#ifndef SAMPLE_TEXT_LINES_CHECK_H
#define SAMPLE_TEXT_LINES_CHECK_H

#include "sample/check/sample_checker.h"

/* Checks the lines of a text of k->n bytes that was read into k->s, for what LLVM reads otherwise than it looks. */
void sample_text_lines_check(struct sample_checker *k, const uint8_t *text);

#endif

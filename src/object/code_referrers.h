/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions whose code may go into the middle of other functions, found without decoding them. */
#ifndef OBJECT_CODE_REFERRERS_H
#define OBJECT_CODE_REFERRERS_H

#include "object/code_flow.h"

#define CODE_IS_WANTED 1u
#define CODE_REFERS 2u

/* Gives the mark CODE_REFERS to functions without a mark that may branch, or refer, into the middle of a function that
 * has the mark CODE_IS_WANTED. On x86-64 any bytes count as a distance, so some of them do not. */
void code_mark_referrers(const struct code_functions *functions, const struct code_reader *reader,
                         uint8_t *marks);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the sections of a raw profile are, and the padding behind them. */
#ifndef INSTR_RAW_PARTS_H
#define INSTR_RAW_PARTS_H

#include "instr/file_parts.h"
#include "instr/raw_part.h"

/* Adds the parts of a profile whose value data ends at `end`; `number` is that of the profile in the file. False:
 * memory is out. */
bool raw_parts_of(struct file_parts *parts, const struct raw_part *part, uint64_t end,
                  uint64_t number) MUST_USE;

#endif

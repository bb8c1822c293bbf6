/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What takes which bytes of a file. */
#ifndef INSTR_FILE_PARTS_H
#define INSTR_FILE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/vec.h"

/* Names of what no part claims. */
#define PART_PADDING "padding"
#define PART_UNCLAIMED "unclaimed"

struct file_part {
    const char *name; /* static */
    uint64_t at, size;
    uint64_t profile; /* of a raw file: its number, from 0 */
};

/* All zero = empty. */
struct file_parts {
    VEC(struct file_part) list;
};

/* Adds a part, unless it is empty. False: memory is out. */
bool file_parts_add(struct file_parts *parts, const char *name, uint64_t at, uint64_t size,
                    uint64_t profile) MUST_USE;
/* Puts them in the order of their offsets, and adds what lies between and behind the parts of a file of n bytes: as
 * padding where it is all zero and shorter than 8 bytes or behind everything else, else as unclaimed. */
bool file_parts_fill(struct file_parts *parts, const uint8_t *data, uint64_t n) MUST_USE;
void file_parts_free(struct file_parts *parts);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines of .debug_line, DWARF 2 to 5. (libdw refuses discriminators above 24 bits; programs with pseudo probes use
 * 31.) All zero = empty. */
#ifndef OBJECT_LINE_TABLE_H
#define OBJECT_LINE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* The line from an address up to the address of the next row. */
struct line_row {
    uint64_t address;
    uint32_t line, discriminator;
    uint32_t file;  /* its number in the table */
    bool statement; /* a statement begins here, by this row or one of the line before it at the address */
};

/* Rows of contiguous code: addresses [low, high). */
struct line_sequence {
    uint64_t low, high;
    size_t first, n; /* its rows */
};

struct line_table {
    VEC(struct line_row) rows;
    VEC(struct line_sequence) sequences; /* by their ends */
    bool damaged;                        /* or missing: what it has is not all */
};

/* The bytes of the table at an offset, with its header; 0: none. */
uint64_t line_table_size(const uint8_t *data, size_t n, bool swap, uint64_t offset);
/* Reads the table at an offset of the section's n bytes, up to the first damage. False: allocation failed. */
bool line_table_read(struct line_table *t, const uint8_t *data, size_t n, bool swap,
                     uint64_t offset) MUST_USE;
/* The row that contains an address; NULL: there is none. */
const struct line_row *line_table_find(const struct line_table *t, uint64_t address);
void line_table_free(struct line_table *t);

#endif

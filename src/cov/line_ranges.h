/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists of lines. */
#ifndef COV_LINE_RANGES_H
#define COV_LINE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"
#include "base/json_write.h"
#include "base/vec.h"

struct line_range {
    uint64_t first, last;
};

/* In order, without overlaps. All zero = empty. */
struct line_ranges {
    VEC(struct line_range) list;
};

/* Adds a line after all that are in the list, from the range `first` of it on. False: an allocation failed. */
static inline bool line_ranges_add(struct line_ranges *r, size_t first, uint64_t line)
{
    const struct line_range range = {line, line};
    if (r->list.n > first && r->list.data[r->list.n - 1].last + 1 == line) {
        r->list.data[r->list.n - 1].last = line;
        return true;
    }
    return VEC_PUSH(&r->list, range);
}

/* The range with a line; NULL: none. */
const struct line_range *line_ranges_find(const struct line_ranges *r, uint64_t line);
/* Writes "1-3, 7". */
void line_ranges_write(struct file_out *out, const struct line_range *ranges, size_t n);
/* An entry with a list of pairs, first and last. */
void json_entry_ranges(struct json_writer *w, const char *key, const struct line_ranges *ranges);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The different frames of a profile, for formats that list them and refer to them by number. */
#ifndef EXPORT_FRAME_TABLE_H
#define EXPORT_FRAME_TABLE_H

#include "export/numbered.h"

struct apf_export_frame;
struct export_run;

/* All zero: empty. */
struct frame_table {
    struct numbered_texts texts;     /* names, as they are, and files */
    struct numbered_pairs functions; /* numbers of the texts of name and file */
    struct numbered_pairs lines;     /* number of the function, and 1 + the line or 0: unknown */
};

/* Sets the number of a frame: a new one is lines.list.n as it was. */
int frame_table_add(struct frame_table *table, struct export_run *run, const struct apf_export_frame *frame,
                    uint32_t *number);
/* The number of a frame's function. */
static inline uint32_t frame_table_function(const struct frame_table *table, uint32_t frame)
{
    return (uint32_t)table->lines.list.data[frame].a;
}
void frame_table_free(struct frame_table *table);

#endif

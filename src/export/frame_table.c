/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export/frame_table.h"

#include "export/export_run.h"

/* Numbers the name of a frame, or its file. An unknown name, which is made of an id, is in no place of its own. */
static int add_text(struct frame_table *table, struct export_run *run, struct apf_str text, bool is_made,
                    uint32_t *number)
{
    return run->names.stay && !is_made ? numbered_texts_add_staying(&table->texts, text, number, run->error)
                                       : numbered_texts_add(&table->texts, text, number, run->error);
}

int frame_table_add(struct frame_table *table, struct export_run *run, const struct apf_export_frame *frame,
                    uint32_t *number)
{
    uint32_t name = 0, file = 0, function = 0;
    int code = add_text(table, run, export_name_of(&run->names, frame), frame->function.n == 0, &name);
    if (code == APF_OK)
        code = add_text(table, run, frame->file, false, &file);
    if (code == APF_OK)
        code = numbered_pairs_add(&table->functions, name, file, &function, run->error);
    if (code == APF_OK)
        code = numbered_pairs_add(&table->lines, function, frame->line_known ? 1 + (uint64_t)frame->line : 0,
                                  number, run->error);
    return code;
}

void frame_table_free(struct frame_table *table)
{
    numbered_texts_free(&table->texts);
    numbered_pairs_free(&table->functions);
    numbered_pairs_free(&table->lines);
}

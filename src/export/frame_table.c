/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export/frame_table.h"

#include "export/export_run.h"

int frame_table_add(struct frame_table *table, struct export_run *run, const struct apf_export_frame *frame,
                    uint32_t *number)
{
    const bool stay = run->names.stay,
               stays = stay && frame->function.n; /* an unknown name, which is made of an id, does not */
    uint32_t name = 0, file = 0, function = 0;
    int code =
        numbered_texts_add(&table->texts, export_name_of(&run->names, frame), stays, &name, run->error);
    if (code == APF_OK)
        code = numbered_texts_add(&table->texts, frame->file, stay, &file, run->error);
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

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/raw_parts.h"

bool raw_parts_of(struct file_parts *parts, const struct raw_part *part, uint64_t end, uint64_t number)
{
    const struct {
        const char *name;
        const struct raw_section *section;
    } sections[] = {
        {"binary_ids", &part->ids},    {"data", &part->data},
        {"counters", &part->counters}, {"bitmap", &part->bitmap},
        {"uniform", &part->uniform},   {"names", &part->names},
        {"vtables", &part->vtables},   {"vtable_names", &part->vtable_names},
    };
    uint64_t at = part->start + part->version->header_size;
    bool done = file_parts_add(parts, "header", part->start, part->version->header_size, number);
    for (size_t i = 0; done && i < sizeof sections / sizeof *sections; i++) {
        const struct raw_section *s = sections[i].section;
        if (s->at > at) /* behind the section before it */
            done = file_parts_add(parts, PART_PADDING, at, s->at - at, number);
        done = done && file_parts_add(parts, sections[i].name, s->at, s->size, number);
        at = s->at + s->size;
    }
    if (done && part->values_at > at)
        done = file_parts_add(parts, PART_PADDING, at, part->values_at - at, number);
    return done && (end <= part->values_at ||
                    file_parts_add(parts, "value_data", part->values_at, end - part->values_at, number));
}

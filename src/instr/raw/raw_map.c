/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/raw/raw_map.h"

#include "instr/raw/raw_format.h"

bool raw_map_add(struct byte_map *map, const struct raw_profile *raw, uint64_t end, uint64_t number)
{
    const struct {
        const char *name;
        const struct raw_section *section;
    } sections[] = {
        {"binary_ids", &raw->ids},    {"data", &raw->data},
        {"counters", &raw->counters}, {"bitmap", &raw->bitmap},
        {"uniform", &raw->uniform},   {"names", &raw->names},
        {"vtables", &raw->vtables},   {"vtable_names", &raw->vtable_names},
    };
    uint64_t at = raw->start + raw->version->header_size;
    bool done = byte_map_add(map, "header", raw->start, raw->version->header_size, number);
    for (size_t i = 0; done && i < sizeof sections / sizeof *sections; i++) {
        const struct raw_section *s = sections[i].section;
        if (s->at > at)
            done = byte_map_add(map, PART_PADDING, at, s->at - at, number);
        done = done && byte_map_add(map, sections[i].name, s->at, s->size, number);
        at = s->at + s->size;
    }
    if (done && raw->values_at > at)
        done = byte_map_add(map, PART_PADDING, at, raw->values_at - at, number);
    return done && (end <= raw->values_at ||
                    byte_map_add(map, "value_data", raw->values_at, end - raw->values_at, number));
}

bool raw_map(struct byte_map *map, const struct raw_profiles *profiles, const uint8_t *data, size_t n)
{
    bool done = true;
    for (size_t i = 0; done && i < profiles->list.n; i++)
        done = raw_map_add(map, &profiles->list.data[i].raw, profiles->list.data[i].end, i);
    return done && byte_map_fill(map, data, n);
}

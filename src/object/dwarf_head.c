/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/dwarf_head.h"

static const struct dwarf_version versions[] = {
    {2, false, false}, {3, false, false}, {4, false, false}, {5, true, true}};

const struct dwarf_version *dwarf_version_find(uint16_t number)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i].number == number)
            return &versions[i];
    return NULL;
}

bool dwarf_head_read(struct cursor *c, struct dwarf_head *head)
{
    uint64_t length = cursor_u32(c);
    head->is_64_bit = length == UINT32_MAX;
    if (head->is_64_bit)
        length = cursor_u64(c);
    struct cursor unit = cursor_sub(c, length);
    const struct dwarf_version *version = dwarf_version_find(cursor_u16(&unit));
    if (version && version->has_types)
        cursor_skip(&unit, 2); /* the type, and the size of an address */
    head->table_place = cursor_offset(&unit);
    head->table = head->is_64_bit ? cursor_u64(&unit) : cursor_u32(&unit);
    return !c->failed && !unit.failed;
}

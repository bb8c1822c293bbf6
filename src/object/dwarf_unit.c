/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/dwarf_unit.h"

#include <dwarf.h>

#include "base/cursor.h"
#include "object/dwarf_head.h"
#include "object/dwarf_package.h"

uint64_t dwarf_unit_number(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0 ? value : otherwise;
}

/* A cursor over a section, from an offset on. */
static struct cursor cursor_in(const struct dwarf_file *file, enum dwarf_section section, uint64_t offset)
{
    const struct dwarf_bytes *bytes = &file->sections[section];
    struct cursor c = cursor_make(bytes->data, bytes->n, file->swap);
    cursor_skip(&c, offset);
    return c;
}

static uint64_t read_word(struct cursor *c, unsigned bytes)
{
    return bytes == 8 ? cursor_u64(c) : cursor_u32(c);
}

/* ---- addresses ---- */

bool dwarf_unit_address(const struct dwarf_unit *u, uint64_t number, uint64_t *address)
{
    size_t n = u->program->sections[DWARF_ADDR].n;
    if (u->addresses > n || number >= (n - u->addresses) / u->address_bytes)
        return false;
    struct cursor c = cursor_in(u->program, DWARF_ADDR, u->addresses + number * u->address_bytes);
    *address = read_word(&c, u->address_bytes);
    return !c.failed;
}

/* A number of 1 to 4 bytes. */
static uint64_t read_small(struct cursor *c, unsigned bytes)
{
    uint64_t v = 0;
    const uint8_t *p = cursor_bytes(c, bytes);
    for (unsigned i = 0; p && i < bytes; i++)
        v |= (uint64_t)p[c->swap != (bool)HOST_BIG_ENDIAN ? bytes - 1 - i : i] << 8 * i;
    return v;
}

/* The bytes of an attribute, up to the end of its section. */
static struct cursor cursor_of(const struct dwarf_unit *u, const Dwarf_Attribute *attribute)
{
    const struct dwarf_bytes *bytes = &u->file->sections[DWARF_INFO];
    uintptr_t at = (uintptr_t)attribute->valp, start = (uintptr_t)bytes->data;
    return cursor_in(u->file, DWARF_INFO, at >= start && at - start <= bytes->n ? at - start : UINT64_MAX);
}

/* An attribute that is an address, or the number of an address. */
static bool read_address(const struct dwarf_unit *u, Dwarf_Attribute *attribute, uint64_t *address)
{
    struct cursor c = cursor_of(u, attribute);
    uint64_t number = 0;
    switch (dwarf_whatform(attribute)) {
    case DW_FORM_addr:
        *address = read_word(&c, u->address_bytes);
        return !c.failed;
    case DW_FORM_addrx:
    case DW_FORM_GNU_addr_index:
        number = cursor_uleb128(&c);
        break;
    case DW_FORM_addrx1:
        number = read_small(&c, 1);
        break;
    case DW_FORM_addrx2:
        number = read_small(&c, 2);
        break;
    case DW_FORM_addrx3:
        number = read_small(&c, 3);
        break;
    case DW_FORM_addrx4:
        number = read_small(&c, 4);
        break;
    default:
        return false;
    }
    return !c.failed && dwarf_unit_address(u, number, address);
}

/* The end of an entry's addresses: an address, or a distance from the first one. */
static bool read_high(const struct dwarf_unit *u, Dwarf_Die *die, uint64_t low, uint64_t *high)
{
    Dwarf_Attribute attribute;
    Dwarf_Word distance;
    if (!dwarf_attr(die, DW_AT_high_pc, &attribute))
        return false;
    if (read_address(u, &attribute, high))
        return true;
    if (dwarf_formudata(&attribute, &distance) != 0)
        return false;
    *high = low + distance;
    return true;
}

/* ---- lists of ranges ---- */

struct range_list {
    const struct dwarf_unit *unit;
    struct cursor c;
    uint64_t base;
    bool (*each)(void *user, uint64_t low, uint64_t high);
    void *user;
};

/* Reads an entry of .debug_ranges; false: the list has ended. */
static bool read_old_range(struct range_list *l, uint64_t *low, uint64_t *high)
{
    unsigned bytes = l->unit->address_bytes;
    uint64_t selects_base = bytes == 8 ? UINT64_MAX : UINT32_MAX;
    *low = read_word(&l->c, bytes);
    *high = read_word(&l->c, bytes);
    if (l->c.failed || (*low == 0 && *high == 0))
        return false;
    if (*low == selects_base) {
        l->base = *high;
        *low = *high = 0;
        return true;
    }
    *low += l->base;
    *high += l->base;
    return true;
}

static uint64_t address_or_0(const struct range_list *l, uint64_t number)
{
    uint64_t address;
    return dwarf_unit_address(l->unit, number, &address) ? address : 0;
}

/* Reads an entry of .debug_rnglists; false: the list has ended. Entries without addresses have low == high. */
static bool read_new_range(struct range_list *l, uint64_t *low, uint64_t *high)
{
    unsigned bytes = l->unit->address_bytes;
    uint8_t kind = cursor_u8(&l->c);
    *low = *high = 0;
    switch (kind) {
    case DW_RLE_base_addressx:
        l->base = address_or_0(l, cursor_uleb128(&l->c));
        break;
    case DW_RLE_startx_endx:
        *low = address_or_0(l, cursor_uleb128(&l->c));
        *high = address_or_0(l, cursor_uleb128(&l->c));
        break;
    case DW_RLE_startx_length:
        *low = address_or_0(l, cursor_uleb128(&l->c));
        *high = *low + cursor_uleb128(&l->c);
        break;
    case DW_RLE_offset_pair:
        *low = l->base + cursor_uleb128(&l->c);
        *high = l->base + cursor_uleb128(&l->c);
        break;
    case DW_RLE_base_address:
        l->base = read_word(&l->c, bytes);
        break;
    case DW_RLE_start_end:
        *low = read_word(&l->c, bytes);
        *high = read_word(&l->c, bytes);
        break;
    case DW_RLE_start_length:
        *low = read_word(&l->c, bytes);
        *high = *low + cursor_uleb128(&l->c);
        break;
    default: /* DW_RLE_end_of_list, or unknown */
        return false;
    }
    return !l->c.failed;
}

static bool walk_list(struct range_list *l)
{
    struct dwarf_budget *budget = l->unit->file->budget;
    const uint8_t *first = l->c.p;
    bool is_old = !l->unit->has_lists, more = true;
    uint64_t low, high;
    while (more && !budget->refused && (is_old ? read_old_range : read_new_range)(l, &low, &high)) {
        more = low >= high || l->each(l->user, low, high);
        if ((uint64_t)(l->c.p - first) <= budget->ranges)
            continue;
        budget->where = "dwarf.ranges";
        budget->refused = "lists of ranges are shared by too many entries";
    }
    if (!budget->refused)
        budget->ranges -= (uint64_t)(l->c.p - first);
    return more;
}

/* The offset of a list; its attribute has the offset, or the number of the list in a table of offsets. */
static bool find_list(const struct dwarf_unit *u, Dwarf_Attribute *attribute, uint64_t *offset)
{
    struct cursor c = cursor_of(u, attribute);
    unsigned form = dwarf_whatform(attribute);
    if (!u->has_lists) {
        *offset = form == DW_FORM_sec_offset ? read_word(&c, u->offset_bytes) : read_small(&c, 4);
        *offset += u->file != u->program ? u->lists : 0;
        return !c.failed && (form == DW_FORM_sec_offset || form == DW_FORM_data4);
    }
    if (form != DW_FORM_rnglistx) {
        *offset = read_word(&c, u->offset_bytes);
        return !c.failed && form == DW_FORM_sec_offset;
    }
    uint64_t number = cursor_uleb128(&c), n = u->file->sections[DWARF_RNGLISTS].n;
    if (c.failed || u->lists > n || number >= (n - u->lists) / u->offset_bytes)
        return false;
    c = cursor_in(u->file, DWARF_RNGLISTS, u->lists + number * u->offset_bytes);
    *offset = u->lists + read_word(&c, u->offset_bytes);
    return !c.failed;
}

bool dwarf_unit_ranges(const struct dwarf_unit *u, Dwarf_Die *die,
                       bool (*each)(void *user, uint64_t low, uint64_t high), void *user)
{
    Dwarf_Attribute attribute;
    uint64_t low, high, offset;
    if (dwarf_attr(die, DW_AT_low_pc, &attribute) && read_address(u, &attribute, &low) &&
        read_high(u, die, low, &high))
        return low >= high || each(user, low, high);
    if (!dwarf_attr(die, DW_AT_ranges, &attribute) || !find_list(u, &attribute, &offset))
        return true;
    struct range_list l = {.unit = u, .base = u->low, .each = each, .user = user};
    l.c = u->has_lists ? cursor_in(u->file, DWARF_RNGLISTS, offset)
                       : cursor_in(u->program, DWARF_RANGES, offset);
    return walk_list(&l);
}

/* ---- units ---- */

/* In split DWARF the only table of lists stands after its header. */
static uint64_t default_lists(const struct dwarf_unit *u)
{
    const struct dwarf_parts *parts = dwarf_package_find(u->file, u->die.addr);
    uint64_t header = u->offset_bytes == 8 ? 20 : 12;
    return u->type != DW_UT_split_compile ? 0 : header + (parts ? parts->rnglists : 0);
}

static void read_bases(struct dwarf_unit *u)
{
    Dwarf_Attribute attribute;
    u->program = u->file;
    u->addresses =
        dwarf_unit_number(&u->die, DW_AT_addr_base, dwarf_unit_number(&u->die, DW_AT_GNU_addr_base, 0));
    u->lists = u->has_lists ? dwarf_unit_number(&u->die, DW_AT_rnglists_base, default_lists(u))
                            : dwarf_unit_number(&u->die, DW_AT_GNU_ranges_base, 0);
    if (!dwarf_attr(&u->die, DW_AT_low_pc, &attribute) || !read_address(u, &attribute, &u->low))
        u->low = 0;
}

bool dwarf_unit_next(struct dwarf_unit *u)
{
    uint16_t number;
    while (u->file->dwarf &&
           dwarf_get_units(u->file->dwarf, u->next, &u->next, &number, &u->type, &u->die, NULL) == 0) {
        const struct dwarf_version *version = dwarf_version_find(number);
        if (u->type == DW_UT_type || u->type == DW_UT_split_type || !version ||
            dwarf_cu_info(u->next, NULL, NULL, NULL, NULL, &u->id, &u->address_bytes, &u->offset_bytes) !=
                0 ||
            (u->address_bytes != 4 && u->address_bytes != 8))
            continue;
        u->has_lists = version->has_lists;
        read_bases(u);
        return true;
    }
    return false;
}

void dwarf_unit_use_skeleton(struct dwarf_unit *u, const struct dwarf_unit *skeleton)
{
    u->program = skeleton->program;
    u->addresses = skeleton->addresses;
    u->low = skeleton->low;
    if (!u->has_lists)
        u->lists = skeleton->lists;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/dwarf_package.h"

#include <dwarf.h>

#include "base/search.h"
#include "base/sort.h"
#include "object/dwarf_head.h"

/* Numbers of sections in the index: those used here mean the same in version 5 as in the one of GNU before it. */
enum column { COLUMN_INFO = 1, COLUMN_ABBREV = 3, COLUMN_STR_OFFSETS = 6, COLUMN_RNGLISTS = 8, COLUMNS = 9 };

struct index {
    struct cursor c;
    uint32_t n_columns, n_units;
    uint32_t columns[COLUMNS]; /* the number of the section of each column, from 1 on; 0: it has none */
};

/* ---- the index ---- */

/* Reads the index up to its offsets. False: it is damaged. */
static bool open_index(const struct dwarf_file *d, struct index *index)
{
    const struct dwarf_bytes *bytes = &d->sections[DWARF_CU_INDEX];
    struct cursor *c = &index->c;
    *index = (struct index){.c = cursor_make(bytes->data, bytes->n, d->swap)};
    const struct cursor start = *c;
    if (cursor_u32(c) != 2) { /* version 5 has 16 bits, and 16 bits that are not used */
        *c = start;
        if (cursor_u16(c) != 5)
            return false;
        cursor_skip(c, 2);
    }
    index->n_columns = cursor_u32(c);
    index->n_units = cursor_u32(c);
    (void)cursor_array(c, cursor_u32(c), sizeof(uint64_t) + sizeof(uint32_t)); /* the hash table */
    const struct cursor heads = *c;
    if (!cursor_array(c, index->n_columns, sizeof(uint32_t)))
        return false;
    struct cursor head = heads;
    for (uint32_t i = 1; i <= index->n_columns; i++) {
        uint32_t column = cursor_u32(&head);
        if (column < COLUMNS && !index->columns[column])
            index->columns[column] = i;
    }
    uint64_t cells = (uint64_t)index->n_columns * index->n_units;
    struct cursor rest = *c; /* offsets, then sizes */
    return index->columns[COLUMN_INFO] && cursor_array(&rest, cells, 2 * sizeof(uint32_t)) != NULL;
}

/* The cell of a unit; the sizes stand after the offsets, as rows of further units. 0: the section has no column. */
static uint64_t read_cell(const struct index *index, uint64_t row, enum column column)
{
    struct cursor c = index->c;
    uint32_t number = index->columns[column];
    if (!number)
        return 0;
    cursor_skip(&c, (row * index->n_columns + number - 1) * sizeof(uint32_t));
    return cursor_u32(&c);
}

static bool parts_before(const void *context, const void *a, const void *b)
{
    const struct dwarf_parts *x = a, *y = b;
    (void)context;
    return x->info < y->info;
}

/* ---- tables of abbreviations ---- */

/* Adds to the offset in the header of a unit. Returns the bytes of the unit; 0: it is cut off. */
static uint64_t move_table(const struct dwarf_file *d, const struct dwarf_parts *parts, uint64_t at)
{
    const struct dwarf_bytes *info = &d->sections[DWARF_INFO];
    struct cursor c = cursor_make(info->data, info->n, d->swap);
    cursor_skip(&c, at);
    struct dwarf_head head;
    if (!dwarf_head_read(&c, &head))
        return 0;
    uint64_t table = parts->abbrev + head.table;
    uint8_t *to = d->image + (info->data - d->image) + head.table_place;
    if (head.is_64_bit)
        store64(to, table, d->swap);
    else
        store32(to, table < UINT32_MAX ? (uint32_t)table : UINT32_MAX, d->swap);
    return cursor_offset(&c) - at;
}

/* A .dwo file with several units is one part. Parts that overlap end at the next one. */
static void move_tables(const struct dwarf_file *d)
{
    for (size_t i = 0; i < d->parts.n; i++) {
        const struct dwarf_parts *parts = &d->parts.data[i];
        uint64_t end = i + 1 < d->parts.n && parts[1].info < parts->end ? parts[1].info : parts->end;
        for (uint64_t at = parts->info, n = 1; n && at < end; at += n)
            n = move_table(d, parts, at);
    }
}

bool dwarf_package_read(struct dwarf_file *d)
{
    struct index index;
    if (!d->sections[DWARF_CU_INDEX].n || !open_index(d, &index))
        return true;
    for (uint64_t i = 0; i < index.n_units; i++) {
        struct dwarf_parts parts = {.info = read_cell(&index, i, COLUMN_INFO),
                                    .abbrev = read_cell(&index, i, COLUMN_ABBREV),
                                    .str_offsets = read_cell(&index, i, COLUMN_STR_OFFSETS),
                                    .rnglists = read_cell(&index, i, COLUMN_RNGLISTS)};
        parts.end = parts.info + read_cell(&index, index.n_units + i, COLUMN_INFO);
        if (!VEC_PUSH(&d->parts, parts))
            return false;
    }
    if (!SORT_VEC(&d->parts, parts_before, NULL))
        return false;
    move_tables(d);
    return true;
}

/* ---- using it ---- */

const struct dwarf_parts *dwarf_package_find(const struct dwarf_file *d, const void *place)
{
    const struct dwarf_bytes *info = &d->sections[DWARF_INFO];
    uintptr_t start = (uintptr_t)info->data, at = (uintptr_t)place;
    size_t above; /* the first part after the place */
    SEARCH(above, 0, d->parts.n, d->parts.data[above].info <= at - start);
    return at >= start && at - start < info->n && above ? &d->parts.data[above - 1] : NULL;
}

/* The number in an attribute; false: it has another form. */
static bool read_number(struct cursor *c, unsigned form, uint64_t *number)
{
    switch (form) {
    case DW_FORM_strx:
    case DW_FORM_GNU_str_index:
        *number = cursor_uleb128(c);
        break;
    case DW_FORM_strx1:
        *number = cursor_u8(c);
        break;
    case DW_FORM_strx2:
        *number = cursor_u16(c);
        break;
    case DW_FORM_strx4:
        *number = cursor_u32(c);
        break;
    default: /* nothing writes strx3 */
        return false;
    }
    return !c->failed;
}

const char *dwarf_package_text(const struct dwarf_file *d, const Dwarf_Attribute *attribute)
{
    const struct dwarf_bytes *info = &d->sections[DWARF_INFO], *texts = &d->sections[DWARF_STR];
    const struct dwarf_bytes *offsets = &d->sections[DWARF_STR_OFFSETS];
    const struct dwarf_parts *parts = dwarf_package_find(d, attribute->valp);
    uint64_t number, text;
    if (!parts)
        return NULL;
    struct cursor c = cursor_make(info->data, info->n, d->swap);
    cursor_skip(&c, (uint64_t)(attribute->valp - info->data));
    if (!read_number(&c, attribute->form, &number))
        return NULL;
    c = cursor_make(offsets->data, offsets->n, d->swap);
    cursor_skip(&c, parts->str_offsets);
    if (attribute->form != DW_FORM_GNU_str_index)
        cursor_skip(&c, 8); /* the header; packages are of 32-bit DWARF */
    (void)cursor_array(&c, number, sizeof(uint32_t));
    text = cursor_u32(&c);
    return !c.failed && text < texts->n ? (const char *)texts->data + text : NULL;
}

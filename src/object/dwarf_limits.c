/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/dwarf_limits.h"

#include <dwarf.h>

#include "base/error.h"
#include "base/sort.h"
#include "object/dwarf_head.h"

/* Abbreviations that libdw may read for all units together: some 190 bytes of memory for each. With link-time
 * optimisation all units of a program share a table of some thousands; those of a program of 1 GB then read 5 per cent
 * of what is allowed. */
#define ANYWAY ((uint64_t)1 << 20)
#define BYTES_FOR_ONE 4u
/* Attributes of an abbreviation. DWARF has about 150, and none may be repeated. */
#define MOST_ATTRIBUTES 512u
/* Tables are disjoint, but for a few bytes. */
#define MOST_OVERLAP 4u

struct tables {
    VEC(uint64_t) units; /* the offset of each unit's table, sorted */
    uint64_t bytes_left; /* that tables at other offsets may still have */
    const struct dwarf_file *file;
    struct apf_error *error;
};

/* ---- units ---- */

static bool list_units(struct tables *t, enum dwarf_section section)
{
    const struct dwarf_bytes *bytes = &t->file->sections[section];
    struct cursor c = cursor_make(bytes->data, bytes->n, t->file->swap);
    struct dwarf_head head;
    while (cursor_left(&c) && dwarf_head_read(&c, &head)) /* libdw stops where a unit is cut off, too */
        if (!VEC_PUSH(&t->units, head.table))
            return false;
    return true;
}

static bool sort_units(struct tables *t)
{
    size_t n = t->units.n;
    if (!VEC_RESERVE(&t->units, n))
        return false;
    if (n)
        sort_numbers(t->units.data, t->units.data + n, n);
    return true;
}

/* ---- tables ---- */

static int report(const struct tables *t, uint64_t offset, uint64_t found, uint64_t expected,
                  const char *what)
{
    struct error_at at = {"dwarf.abbreviations", offset, found, expected};
    return error_bound(t->error, APF_LIMIT, at, "%s", what);
}

/* Passes over the attributes of an abbreviation. */
static uint64_t skip_attributes(struct cursor *c)
{
    for (uint64_t n = 0;; n++) {
        uint64_t name = cursor_uleb128(c), form = cursor_uleb128(c);
        if (form == DW_FORM_implicit_const)
            (void)cursor_sleb128(c);
        if (c->failed || (name == 0 && form == 0))
            return n;
    }
}

/* Counts the abbreviations of a table. */
static int read_table(struct tables *t, uint64_t offset, uint64_t *count)
{
    const struct dwarf_bytes *bytes = &t->file->sections[DWARF_ABBREV];
    *count = 0;
    if (offset >= bytes->n)
        return APF_OK;
    struct cursor c = cursor_make(bytes->data, bytes->n, t->file->swap);
    cursor_skip(&c, offset);
    while (cursor_left(&c) && !c.failed && cursor_uleb128(&c) != 0 && !c.failed) {
        uint64_t at = cursor_offset(&c);
        (void)cursor_uleb128(&c); /* the tag */
        cursor_skip(&c, 1);       /* whether there are children */
        uint64_t attributes = skip_attributes(&c);
        if (attributes > MOST_ATTRIBUTES)
            return report(t, at, attributes, MOST_ATTRIBUTES, "an abbreviation has too many attributes");
        if (cursor_offset(&c) - offset > t->bytes_left)
            return report(t, offset, cursor_offset(&c) - offset, t->bytes_left,
                          "tables of abbreviations overlap");
        ++*count;
    }
    uint64_t used = cursor_offset(&c) - offset;
    t->bytes_left -= used < t->bytes_left ? used : t->bytes_left;
    return APF_OK;
}

static int check_tables(struct tables *t, uint64_t most)
{
    uint64_t left = most, count = 0;
    for (size_t i = 0, end; i < t->units.n; i = end) {
        for (end = i + 1; end < t->units.n && t->units.data[end] == t->units.data[i];)
            end++;
        int code = read_table(t, t->units.data[i], &count);
        if (code != APF_OK)
            return code;
        uint64_t n = end - i;
        if (count && n > left / count) {
            uint64_t found = n > (UINT64_MAX - (most - left)) / count ? UINT64_MAX : most - left + n * count;
            return report(
                t, t->units.data[i], found, most,
                "too many units share a table of abbreviations, which libdw reads for each of them");
        }
        left -= n * count;
    }
    return APF_OK;
}

int dwarf_check_tables(const struct dwarf_file *d, uint64_t size, struct apf_error *error)
{
    struct tables t = {.file = d, .error = error};
    t.bytes_left = MOST_OVERLAP * ((uint64_t)d->sections[DWARF_ABBREV].n + 1024);
    bool listed = list_units(&t, DWARF_INFO) && list_units(&t, DWARF_TYPES) && sort_units(&t);
    int code = listed ? check_tables(&t, ANYWAY + size / BYTES_FOR_ONE) : error_memory(error);
    VEC_FREE(&t.units);
    return code;
}

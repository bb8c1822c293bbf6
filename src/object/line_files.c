/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/line_files.h"

#include <dwarf.h>
#include <string.h>

#include "base/cursor.h"

#define MOST_FORMATS 16u /* fields of an entry; five are defined */

struct header {
    const struct line_sections *sections;
    struct cursor c; /* up to the end of the header */
    const struct version *version;
    bool is_64_bit;
};

/* How versions differ. */
struct version {
    uint16_t number;
    uint8_t sizes; /* bytes with the sizes of addresses and segments */
    uint8_t fixed; /* bytes about instructions and lines */
    bool tables;   /* tables of names begin with the formats of their entries */
};

static const struct version versions[] = {
    {2, 0, 4, false}, {3, 0, 4, false}, {4, 0, 5, false}, {5, 2, 5, true}};

/* A name, and the number of its directory. */
struct entry {
    const char *name;
    uint64_t directory;
};

/* ---- the header before its tables of names ---- */

static const struct version *find_version(uint16_t number)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i].number == number)
            return &versions[i];
    return NULL;
}

static bool open_header(struct header *h, const struct line_sections *s, uint64_t offset)
{
    struct cursor c = cursor_make(s->lines, s->n_lines, s->swap);
    cursor_skip(&c, offset);
    uint64_t length = cursor_u32(&c);
    h->sections = s;
    h->is_64_bit = length == UINT32_MAX;
    if (h->is_64_bit)
        length = cursor_u64(&c);
    c = cursor_sub(&c, length);
    h->version = find_version(cursor_u16(&c));
    if (c.failed || !h->version)
        return false;
    cursor_skip(&c, h->version->sizes);
    h->c = cursor_sub(&c, h->is_64_bit ? cursor_u64(&c) : cursor_u32(&c));
    cursor_skip(&h->c, h->version->fixed);
    uint8_t opcodes = cursor_u8(&h->c);
    cursor_skip(&h->c, opcodes ? opcodes - 1u : 0);
    return !h->c.failed;
}

/* ---- DWARF 2 to 4: terminated names, a table ends with an empty one; numbers begin at 1 ---- */

static const char *text_here(struct cursor *c)
{
    const char *text = (const char *)c->p;
    const char *end = cursor_left(c) ? memchr(text, '\0', cursor_left(c)) : NULL;
    if (!end) {
        c->failed = true;
        return NULL;
    }
    cursor_skip(c, (uint64_t)(end - text) + 1);
    return text;
}

static const char *old_directory(struct header *h, uint64_t number)
{
    const char *found = "", *text;
    for (uint64_t i = 1; (text = text_here(&h->c)) && *text; i++)
        if (i == number)
            found = text;
    return found;
}

static bool old_file(struct header *h, uint64_t number, struct entry *out)
{
    const char *text;
    for (uint64_t i = 1; (text = text_here(&h->c)) && *text; i++) {
        uint64_t directory = cursor_uleb128(&h->c);
        (void)cursor_uleb128(&h->c); /* time and size */
        (void)cursor_uleb128(&h->c);
        if (i != number)
            continue;
        out->name = text;
        out->directory = directory;
        return !h->c.failed;
    }
    return false;
}

/* ---- DWARF 5: tables begin with the formats of their entries; numbers begin at 0 ---- */

struct format {
    uint64_t type, form;
};

static const char *text_in(const uint8_t *data, size_t n, uint64_t offset)
{
    const char *text = (const char *)data + offset;
    return offset < n && memchr(text, '\0', n - offset) ? text : NULL;
}

static bool skip_block(struct header *h, uint64_t n)
{
    cursor_skip(&h->c, n);
    return !h->c.failed;
}

/* Reads a field. False: it has a form that is not used in these tables, or is cut off. */
static bool read_field(struct header *h, uint64_t form, const char **text, uint64_t *number)
{
    const struct line_sections *s = h->sections;
    uint64_t offset;
    switch (form) {
    case DW_FORM_string:
        *text = text_here(&h->c);
        break;
    case DW_FORM_line_strp:
    case DW_FORM_strp:
        offset = h->is_64_bit ? cursor_u64(&h->c) : cursor_u32(&h->c);
        *text = form == DW_FORM_strp ? text_in(s->strings, s->n_strings, offset)
                                     : text_in(s->line_strings, s->n_line_strings, offset);
        break;
    case DW_FORM_udata:
        *number = cursor_uleb128(&h->c);
        break;
    case DW_FORM_data1:
        *number = cursor_u8(&h->c);
        break;
    case DW_FORM_data2:
        *number = cursor_u16(&h->c);
        break;
    case DW_FORM_data4:
        *number = cursor_u32(&h->c);
        break;
    case DW_FORM_data8:
        *number = cursor_u64(&h->c);
        break;
    case DW_FORM_data16:
        return skip_block(h, 16);
    case DW_FORM_block:
        return skip_block(h, cursor_uleb128(&h->c));
    default:
        return false;
    }
    return !h->c.failed;
}

/* Reads a whole table. *out becomes entry `number`, and stays unchanged where there is no such entry. */
static bool new_table(struct header *h, uint64_t number, struct entry *out)
{
    struct format formats[MOST_FORMATS];
    uint8_t n_formats = cursor_u8(&h->c);
    if (n_formats > MOST_FORMATS)
        return false;
    for (unsigned i = 0; i < n_formats; i++) {
        formats[i].type = cursor_uleb128(&h->c);
        formats[i].form = cursor_uleb128(&h->c);
    }
    uint64_t n = cursor_uleb128(&h->c);
    if (h->c.failed || (n_formats == 0 && n) || n > cursor_left(&h->c))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        struct entry e = {NULL, 0};
        for (unsigned k = 0; k < n_formats; k++) {
            const char *text = NULL;
            uint64_t value = 0;
            if (!read_field(h, formats[k].form, &text, &value))
                return false;
            e.name = formats[k].type == DW_LNCT_path ? text : e.name;
            e.directory = formats[k].type == DW_LNCT_directory_index ? value : e.directory;
        }
        if (i == number)
            *out = e;
    }
    return true;
}

/* ---- both ---- */

static bool find_old(struct header *h, uint64_t index, const char **directory, const char **name)
{
    struct header directories = *h;
    struct entry file = {NULL, 0};
    (void)old_directory(h, 0);
    if (h->c.failed || !old_file(h, index, &file))
        return false;
    *name = file.name;
    *directory = file.directory ? old_directory(&directories, file.directory) : "";
    return true;
}

/* Directory 0 is the directory of the compilation. */
static bool find_new(struct header *h, uint64_t index, const char **directory, const char **name)
{
    struct header directories = *h;
    struct entry file = {NULL, 0}, unused = {NULL, 0}, place = {NULL, 0};
    if (!new_table(h, UINT64_MAX, &unused) || !new_table(h, index, &file) || !file.name)
        return false;
    if (file.directory && !new_table(&directories, file.directory, &place))
        return false;
    *name = file.name;
    *directory = place.name ? place.name : "";
    return true;
}

bool line_files_find(const struct line_sections *s, uint64_t offset, uint64_t index, const char **directory,
                     const char **name)
{
    struct header h;
    if (!open_header(&h, s, offset))
        return false;
    if (!(h.version->tables ? find_new(&h, index, directory, name) : find_old(&h, index, directory, name)))
        return false;
    if (**name == '/')
        *directory = "";
    return true;
}

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
    bool no_memory;
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

/* ---- sections ---- */

/* The bytes of a section up to its last zero, after which no text can end. */
static size_t bytes_of_texts(const struct dwarf_bytes *texts)
{
    size_t n = texts->n;
    while (n && texts->data[n - 1] != 0)
        n--;
    return n;
}

struct line_sections line_sections_of(const struct dwarf_file *file)
{
    const struct dwarf_bytes *lines = &file->sections[DWARF_LINE], *texts = &file->sections[DWARF_STR],
                             *line_texts = &file->sections[DWARF_LINE_STR];
    return (struct line_sections){.lines = lines->data,
                                  .strings = texts->data,
                                  .line_strings = line_texts->data,
                                  .n_lines = lines->n,
                                  .n_strings = bytes_of_texts(texts),
                                  .n_line_strings = bytes_of_texts(line_texts),
                                  .swap = file->swap};
}

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

/* Reads both tables, up to the first damage. */
static void read_old(struct header *h, struct line_file_table *t)
{
    struct line_file e = {NULL, 0};
    t->first = 1;
    while ((e.name = text_here(&h->c)) && *e.name && !h->no_memory)
        h->no_memory = !VEC_PUSH(&t->directories, e);
    while (!h->c.failed && (e.name = text_here(&h->c)) && *e.name && !h->no_memory) {
        e.directory = cursor_uleb128(&h->c);
        (void)cursor_uleb128(&h->c); /* time and size */
        (void)cursor_uleb128(&h->c);
        h->no_memory = !h->c.failed && !VEC_PUSH(&t->files, e);
    }
}

/* ---- DWARF 5: tables begin with the formats of their entries; numbers begin at 0 ---- */

struct format {
    uint64_t type, form;
};

static const char *text_in(const uint8_t *data, size_t n, uint64_t offset)
{
    return offset < n ? (const char *)data + offset : NULL;
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

/* Reads the entries of a table. False: it is damaged, or allocation failed. */
static bool read_entries(struct header *h, const struct format *formats, unsigned n_formats, uint64_t n,
                         struct line_file_table *t, bool of_files)
{
    for (uint64_t i = 0; i < n; i++) {
        struct line_file e = {NULL, 0};
        for (unsigned k = 0; k < n_formats; k++) {
            const char *text = NULL;
            uint64_t value = 0;
            if (!read_field(h, formats[k].form, &text, &value))
                return false;
            e.name = formats[k].type == DW_LNCT_path ? text : e.name;
            e.directory = formats[k].type == DW_LNCT_directory_index ? value : e.directory;
        }
        h->no_memory = of_files ? !VEC_PUSH(&t->files, e) : !VEC_PUSH(&t->directories, e);
        if (h->no_memory)
            return false;
    }
    return true;
}

/* Reads the formats of a table, and its entries. */
static bool read_new(struct header *h, struct line_file_table *t, bool of_files)
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
    return read_entries(h, formats, n_formats, n, t, of_files);
}

/* ---- both ---- */

/* Reads a table that is not known yet. Sound tables do not overlap: those that do are damaged. */
static bool read_table(struct line_files *f, const struct line_sections *s, struct line_file_table *t)
{
    struct header h = {.no_memory = false};
    if (!open_header(&h, s, t->offset))
        return true;
    f->bytes_read += cursor_left(&h.c);
    if (f->bytes_read > s->n_lines)
        return true;
    if (!h.version->tables)
        read_old(&h, t);
    else if (read_new(&h, t, false))
        (void)read_new(&h, t, true);
    return !h.no_memory;
}

static bool find_table(struct line_files *f, const struct line_sections *s, uint64_t offset,
                       const struct line_file_table **table)
{
    struct line_file_table new = {.offset = offset};
    uint32_t e;
    if (!hash_index_reserve(&f->index, 1) || !VEC_RESERVE(&f->tables, 1))
        return false;
    uint64_t hash = hash_index_mix(&f->index, offset, 0);
    HASH_INDEX_FIND(e, &f->index, hash, f->tables.data[e].offset == offset);
    if (e == HASH_INDEX_NONE) {
        bool done = read_table(f, s, &new);
        e = (uint32_t)f->tables.n;
        f->tables.data[f->tables.n++] = new;
        hash_index_add(&f->index, hash, e);
        if (!done)
            return false;
    }
    *table = &f->tables.data[e];
    return true;
}

bool line_files_find(struct line_files *f, const struct line_sections *s, uint64_t offset, uint64_t number,
                     const char **directory, const char **name)
{
    const struct line_file_table *t;
    *directory = "";
    *name = NULL;
    if (!find_table(f, s, offset, &t))
        return false;
    if (number < t->first || number - t->first >= t->files.n)
        return true;
    const struct line_file *file = &t->files.data[number - t->first];
    *name = file->name;
    /* Directory 0 is the directory of the compilation. */
    if (file->name && *file->name != '/' && file->directory &&
        file->directory - t->first < t->directories.n) {
        const char *text = t->directories.data[file->directory - t->first].name;
        *directory = text ? text : "";
    }
    return true;
}

void line_files_free(struct line_files *f)
{
    for (size_t i = 0; i < f->tables.n; i++) {
        VEC_FREE(&f->tables.data[i].directories);
        VEC_FREE(&f->tables.data[i].files);
    }
    VEC_FREE(&f->tables);
    hash_index_free(&f->index);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/elf_build.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/unit.h"

struct builder {
    const struct eb_file *file;
    struct eb_bytes out;
    size_t room;
};

void eb_store(uint8_t *to, uint64_t v, size_t bytes, bool big_endian)
{
    for (size_t i = 0; i < bytes; i++)
        to[big_endian ? bytes - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static void append_bytes(struct builder *b, const void *p, size_t n)
{
    while (b->out.n + n > b->room) {
        b->room = 2 * b->room + 4096;
        b->out.data = realloc(b->out.data, b->room);
        assert_non_null(b->out.data);
    }
    if (n)
        memcpy(b->out.data + b->out.n, p, n);
    b->out.n += n;
}

static void append_number(struct builder *b, uint64_t v, size_t bytes)
{
    uint8_t text[8];
    eb_store(text, v, bytes, b->file->big_endian);
    append_bytes(b, text, bytes);
}

/* Appends a number of the width of an address. */
static void append_word(struct builder *b, uint64_t v)
{
    append_number(b, v, b->file->bits / 8);
}

static void align(struct builder *b)
{
    static const uint8_t zeros[8];
    append_bytes(b, zeros, (8 - b->out.n % 8) % 8);
}

static void append_symbol(struct builder *b, uint32_t name, const struct eb_symbol *s)
{
    append_number(b, name, 4);
    if (b->file->bits == 64) {
        append_number(b, s->info, 1);
        append_number(b, 0, 1);
        append_number(b, s->section, 2);
    }
    append_word(b, s->value);
    append_word(b, s->size);
    if (b->file->bits == 32) {
        append_number(b, s->info, 1);
        append_number(b, 0, 1);
        append_number(b, s->section, 2);
    }
}

static void append_header(struct builder *b, size_t n_sections, size_t section_headers)
{
    const struct eb_file *f = b->file;
    uint8_t ident[16] = {0x7f,
                         'E',
                         'L',
                         'F',
                         f->bits == 64 ? ELFCLASS64 : ELFCLASS32,
                         f->big_endian ? ELFDATA2MSB : ELFDATA2LSB,
                         EV_CURRENT};
    append_bytes(b, ident, sizeof ident);
    append_number(b, f->type, 2);
    append_number(b, f->machine, 2);
    append_number(b, EV_CURRENT, 4);
    append_word(b, 0); /* entry */
    append_word(b, 0); /* program headers */
    append_word(b, section_headers);
    append_number(b, 0, 4);
    append_number(b, f->bits == 64 ? 64 : 52, 2);
    append_number(b, 0, 2);
    append_number(b, 0, 2);
    append_number(b, f->bits == 64 ? 64 : 40, 2);
    append_number(b, n_sections, 2);
    append_number(b, n_sections - 1, 2);
}

static void append_section_header(struct builder *b, uint32_t name, const struct eb_section *s,
                                  uint64_t offset)
{
    append_number(b, name, 4);
    append_number(b, s->type, 4);
    append_word(b, s->flags);
    append_word(b, s->address);
    append_word(b, offset);
    append_word(b, s->n);
    append_number(b, s->link, 4);
    append_number(b, s->info, 4);
    append_word(b, 1);
    append_word(b, s->entry_size);
}

#define MOST_SECTIONS 64u

/* Adds the sections that the test does not give: symbols and names. */
struct tables {
    struct builder symbols, strings, section_names;
};

static void make_symbols(struct tables *t, const struct eb_file *f)
{
    static const struct eb_symbol none = {NULL, 0, 0, 0, 0};
    append_bytes(&t->strings, "", 1);
    append_symbol(&t->symbols, 0, &none);
    for (size_t i = 0; i < f->n_symbols; i++) {
        append_symbol(&t->symbols, (uint32_t)t->strings.out.n, &f->symbols[i]);
        append_bytes(&t->strings, f->symbols[i].name, strlen(f->symbols[i].name) + 1);
    }
}

struct eb_bytes eb_build(const struct eb_file *f)
{
    struct builder b = {f, {NULL, 0, 0}, 0};
    struct tables t = {{f, {NULL, 0, 0}, 0}, {f, {NULL, 0, 0}, 0}, {f, {NULL, 0, 0}, 0}};
    struct eb_section all[MOST_SECTIONS] = {{NULL, 0, 0, 0, 0, 0, 0, NULL, 0}};
    uint64_t offsets[MOST_SECTIONS] = {0};
    size_t n = 1 + f->n_sections;
    assert_true(n + 3 <= MOST_SECTIONS);
    if (f->n_sections)
        memcpy(all + 1, f->sections, f->n_sections * sizeof *all);
    make_symbols(&t, f);
    if (f->n_symbols) {
        struct eb_section symtab = {
            ".symtab",          SHT_SYMTAB,     0, 0, (uint32_t)n + 1, 1, f->bits == 64 ? 24 : 16,
            t.symbols.out.data, t.symbols.out.n};
        struct eb_section strtab = {".strtab",          SHT_STRTAB,     0, 0, 0, 0, 0,
                                    t.strings.out.data, t.strings.out.n};
        all[n++] = symtab;
        all[n++] = strtab;
    }
    uint32_t names[MOST_SECTIONS] = {0};
    append_bytes(&t.section_names, "", 1);
    all[n].name = ".shstrtab";
    for (size_t i = 1; i <= n; i++) {
        names[i] = (uint32_t)t.section_names.out.n;
        append_bytes(&t.section_names, all[i].name, strlen(all[i].name) + 1);
    }
    all[n].type = SHT_STRTAB;
    all[n].data = t.section_names.out.data;
    all[n++].n = t.section_names.out.n;
    append_header(&b, n, 0);
    for (size_t i = 1; i < n; i++) {
        align(&b);
        offsets[i] = b.out.n;
        if (all[i].type != SHT_NOBITS)
            append_bytes(&b, all[i].data, all[i].n);
    }
    align(&b);
    b.out.section_headers = b.out.n;
    for (size_t i = 0; i < n; i++)
        append_section_header(&b, names[i], &all[i], offsets[i]);
    eb_store(b.out.data + (f->bits == 64 ? 40 : 32), b.out.section_headers, f->bits / 8, f->big_endian);
    free(t.symbols.out.data);
    free(t.strings.out.data);
    free(t.section_names.out.data);
    return b.out;
}

size_t hex_bytes(uint8_t *to, size_t room, const char *text)
{
    size_t n = 0;
    unsigned digits = 0;
    for (; *text; text++) {
        unsigned digit = *text >= 'a' ? (unsigned)(*text - 'a') + 10 : (unsigned)(*text - '0');
        if (*text == ' ')
            continue;
        assert_true(digit < 16 && n < room);
        to[n] = (uint8_t)(digits % 2 ? to[n] << 4 | digit : digit);
        n += digits++ % 2;
    }
    assert_int_equal(digits % 2, 0);
    return n;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the assembly file with labels in place of its probes, and after it the sections that refer to them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "probe/asm_unit.h"

#define LABEL ".Lapf_probe"
#define LABEL_LENGTH (sizeof LABEL - 1)

struct asm_writer {
    const struct asm_unit *unit;
    struct file_out *out;
    struct apf_str label; /* the start of labels: a name that occurs nowhere in the file */
};

static void write_str(struct asm_writer *w, struct apf_str text)
{
    file_out_write(w->out, text.p, text.n);
}

static void write_text(struct asm_writer *w, const char *text)
{
    file_out_write(w->out, text, strlen(text));
}

static void write_u64(struct asm_writer *w, const char *format, uint64_t v)
{
    char text[64];
    int n = snprintf(text, sizeof text, format, v);
    file_out_write(w->out, text, (size_t)n);
}

static void write_label(struct asm_writer *w, uint64_t label)
{
    write_str(w, w->label);
    write_u64(w, "%" PRIu64, label);
}

/* ---- names that are not taken ---- */

/* The number of underscores that make LABEL one that the text does not contain. */
static size_t free_label(const char *text, size_t n)
{
    size_t most = 0;
    const char *end = text + n;
    for (const char *p = text; (p = memchr(p, '.', (size_t)(end - p))); p++) {
        if ((size_t)(end - p) < LABEL_LENGTH || memcmp(p, LABEL, LABEL_LENGTH) != 0)
            continue;
        size_t k = LABEL_LENGTH;
        while (k < (size_t)(end - p) && p[k] == '_')
            k++;
        if (k - LABEL_LENGTH + 1 > most)
            most = k - LABEL_LENGTH + 1;
    }
    return most;
}

/* Makes the name of the symbol for a part of a function: FUNCTION.probes.N. */
static bool made_symbol(const struct asm_unit *u, uint32_t part, struct apf_buffer *name)
{
    char number[32];
    struct apf_str base = u->scope.symbols.data[u->parts.data[part].symbol].name;
    int n = snprintf(number, sizeof number, ".probes.%" PRIu32, part);
    name->n = 0;
    return apf_buffer_write(name, base.p, base.n) == 0 && apf_buffer_write(name, number, (size_t)n) == 0;
}

static void write_made_symbol(struct asm_writer *w, uint32_t part)
{
    struct apf_str spelling = w->unit->scope.symbols.data[w->unit->parts.data[part].symbol].spelling;
    bool quoted = asm_is_quoted(spelling);
    spelling.n -= quoted;
    write_str(w, spelling);
    write_u64(w, ".probes.%" PRIu64, part);
    write_text(w, quoted ? "\": " : ": ");
}

/* ---- sections ---- */

static void write_guid(void *user, uint64_t guid)
{
    write_u64(user, "\t.quad\t0x%" PRIx64 "\n", guid);
}

static void write_number(void *user, uint32_t number)
{
    write_u64(user, "\t.uleb128\t%" PRIu64 "\n", number);
}

static void write_byte(void *user, uint8_t byte)
{
    write_u64(user, "\t.byte\t%" PRIu64 "\n", byte);
}

static void write_place(struct asm_writer *w, uint64_t place)
{
    if (place & ASM_PLACE_SYMBOL)
        write_str(w, w->unit->scope.symbols.data[place & ~ASM_PLACE_SYMBOL].spelling);
    else
        write_label(w, place);
}

/* GNU as (2.40) computes some differences at once, of labels in one piece of its memory or in adjacent ones. It writes
 * about every thousandth difference of the latter with bits above the 64th. With a symbol that is not defined yet it
 * cannot compute them at once. */
static void write_zero(struct asm_writer *w)
{
    write_str(w, w->label);
    write_text(w, "zero");
}

static void write_distance(void *user, uint64_t from, uint64_t to)
{
    struct asm_writer *w = user;
    write_text(w, "\t.sleb128\t");
    write_place(w, to);
    write_text(w, "-");
    write_place(w, from);
    write_text(w, "+");
    write_zero(w);
    write_text(w, "\n");
}

/* Writes the head of a section that is linked to the section of the code through a label in it, and is in its group. */
static void write_section_head(struct asm_writer *w, const struct asm_section *section, uint32_t label)
{
    bool grouped = section->group.n != 0;
    write_text(w, grouped ? "\t.section\t.pseudo_probe,\"Go\",@progbits,"
                          : "\t.section\t.pseudo_probe,\"o\",@progbits,");
    write_label(w, label);
    if (grouped) {
        write_text(w, ",");
        write_str(w, section->group);
    }
    if (grouped && section->linkage.n) {
        write_text(w, ",");
        write_str(w, section->linkage);
    }
    write_text(w, "\n");
}

/* Writes sections in the order of the file, and in each the functions in the order of their first probes. */
static void write_sections(struct asm_writer *w, const uint32_t *first)
{
    const struct asm_unit *u = w->unit;
    struct probe_sink sink = {write_guid, write_number, write_byte, write_distance, w};
    for (size_t i = 0; i < u->scope.sections.n; i++) {
        if (first[i] != ASM_NONE)
            write_section_head(w, &u->scope.sections.data[i], u->parts.data[first[i]].label);
        for (uint32_t part = first[i]; part != ASM_NONE; part = u->parts.data[part].next)
            trie_write(&u->trie, part, &sink);
    }
    if (u->trie.probes.n) {
        write_text(w, "\t.set\t");
        write_zero(w);
        write_text(w, ", 0\n");
    }
}

/* ---- the file ---- */

/* Writes the text up to `end` with its changes. Parts that need a symbol define it before the label. */
static void write_lines(struct asm_writer *w)
{
    const struct asm_unit *u = w->unit;
    size_t at = 0;
    for (size_t i = 0; i < u->edits.n; i++) {
        const struct asm_edit *e = &u->edits.data[i];
        file_out_write(w->out, u->text + at, e->at - at);
        at = e->at + e->n;
        if (e->with) {
            write_text(w, e->with);
            continue;
        }
        if (e->part != ASM_NONE)
            write_made_symbol(w, e->part);
        write_label(w, e->label);
        write_text(w, ":");
    }
    file_out_write(w->out, u->text + at, u->end - at);
    if (u->trie.probes.n && u->text[u->end - 1] != '\n')
        write_text(w, "\n");
}

/* Makes the lists of parts, by section. */
static int list_parts(struct asm_unit *u, uint32_t **first, struct arena *arena)
{
    *first = arena_array(arena, u->scope.sections.n, sizeof **first);
    if (!*first)
        return error_memory(u->error);
    for (size_t i = 0; i < u->scope.sections.n; i++)
        (*first)[i] = ASM_NONE;
    for (size_t i = u->parts.n; i-- > 0;) {
        struct asm_part *part = &u->parts.data[i];
        part->next = (*first)[part->section];
        (*first)[part->section] = (uint32_t)i;
    }
    return APF_OK;
}

/* Computes the GUIDs of symbols that are made. */
static int name_parts(struct asm_unit *u)
{
    struct apf_buffer name = {NULL, 0, 0};
    bool ok = true;
    for (size_t i = 0; ok && i < u->parts.n; i++) {
        if (u->parts.data[i].base != ASM_NONE)
            continue;
        ok = made_symbol(u, (uint32_t)i, &name);
        u->trie.functions.data[i].guid = ok ? md5_name_ref(name.data, name.n) : 0;
    }
    apf_buffer_free(&name);
    return ok ? APF_OK : error_memory(u->error);
}

/* Chooses the start of labels. */
static int choose_label(struct asm_writer *w, struct arena *arena)
{
    size_t more = free_label(w->unit->text, w->unit->n);
    char *whole = arena_bytes(arena, LABEL_LENGTH + more + 1);
    if (!whole)
        return error_memory(w->unit->error);
    memcpy(whole, LABEL, LABEL_LENGTH);
    memset(whole + LABEL_LENGTH, '_', more);
    w->label.p = whole;
    w->label.n = LABEL_LENGTH + more;
    return APF_OK;
}

int asm_unit_write(struct asm_unit *u, const struct apf_output *output)
{
    struct asm_writer w = {.unit = u};
    struct arena arena = {0};
    uint32_t *first = NULL;
    int code = trie_order(&u->trie, u->error);
    if (code == APF_OK)
        code = name_parts(u);
    if (code == APF_OK)
        code = list_parts(u, &first, &arena);
    if (code == APF_OK)
        code = choose_label(&w, &arena);
    if (code == APF_OK)
        code = file_out_open(&w.out, output, u->error);
    if (code == APF_OK) {
        write_lines(&w);
        write_sections(&w, first);
        file_out_write(w.out, u->text + u->end, u->n - u->end);
        code = file_out_close(w.out, true, u->error);
    }
    arena_free(&arena);
    return code;
}

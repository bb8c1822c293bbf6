/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_gcc_functions.h"

#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/text_bytes.h"
#include "sample/gcc/gcc_names.h"

struct symbol {
    uint64_t start, end;
    struct apf_str name; /* in the arena */
};

struct finder {
    struct profgen_gcc_functions *f;
    const struct profgen_program *program;
    const struct sample_release *release;
    struct sample_names *names;
    VEC(struct symbol) symbols; /* by start, those of one address in the order of the symbol table */
    struct arena arena;
    struct apf_error *error;
};

void profgen_gcc_functions_close(struct profgen_gcc_functions *f)
{
    VEC_FREE(&f->list);
    VEC_FREE(&f->parts);
    VEC_FREE(&f->aliases);
    hash_index_free(&f->index);
}

/* ---- names ---- */

int profgen_gcc_name(struct sample_names *names, const struct sample_release *release, struct apf_str text,
                     uint32_t file, uint32_t *number, struct apf_error *error)
{
    struct apf_str name = gcc_name_stem(gcc_name_stem(text, GCC_SUFFIXES_CLONES), release->suffixes);
    size_t digit = gcc_name_constructor(name);
    if (digit) {
        char *copy = arena_text(&names->text, name.p, name.n);
        if (!copy)
            return error_memory(error);
        copy[digit] = '2';
        name.p = copy;
    }
    return sample_names_add(names, name, file, !digit, number, error);
}

int profgen_gcc_file(struct sample_names *names, const struct sample_release *release,
                     struct source_lines *lines, const struct source_frame *frame, uint32_t *number,
                     struct apf_error *error)
{
    const char *directory, *name;
    *number = SAMPLE_NONE;
    if (!(release->knows & SAMPLE_HAS_FILES) || !frame->first_file)
        return APF_OK;
    int code = source_lines_first_file(lines, frame, &directory, &name, error);
    if (code != APF_OK || !name || !*name)
        return code;
    return text_set_add(&names->files, text_last_part((struct apf_str){name, strlen(name)}), number, error);
}

/* Whether a symbol is what GCC has split off a function: its start is no entry of the function. */
static bool is_split(struct apf_str name)
{
    struct apf_str stem = gcc_name_stem(name, GCC_SUFFIXES_CLONES);
    static const struct apf_str marks[] = {{".cold", 5}, {".part.", 6}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (text_contains(name.p + stem.n, name.n - stem.n, marks[i]))
            return true;
    return false;
}

/* ---- symbols ---- */

static int add_symbol(void *user, const struct elf_symbol *symbol)
{
    struct finder *s = user;
    struct symbol new = {symbol->value, symbol->value + symbol->size, {symbol->name, symbol->n}};
    if ((symbol->type != STT_FUNC && !is_split(new.name)) || symbol->section == ELF_UNDEFINED ||
        symbol->section == ELF_NO_SECTION || new.end <= new.start || !symbol->n)
        return APF_OK;
    new.name.p = arena_text(&s->arena, symbol->name, symbol->n);
    return new.name.p && VEC_PUSH(&s->symbols, new) ? APF_OK : error_memory(s->error);
}

static bool starts_before(const void *context, const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    (void)context;
    return x->start < y->start;
}

/* ---- functions ---- */

static int find_function(struct finder *s, uint32_t name, uint32_t unit, uint32_t *number)
{
    struct profgen_gcc_functions *f = s->f;
    const struct profgen_gcc_function new = {.name = name, .unit = unit};
    if (!hash_index_reserve(&f->index, 1) || !VEC_RESERVE(&f->list, 1))
        return hash_index_error(&f->index, s->error);
    uint64_t hash = hash_index_mix(&f->index, name, unit);
    HASH_INDEX_FIND(*number, &f->index, hash,
                    f->list.data[*number].name == name && f->list.data[*number].unit == unit);
    if (*number != HASH_INDEX_NONE)
        return APF_OK;
    *number = (uint32_t)f->list.n;
    f->list.data[f->list.n++] = new;
    hash_index_add(&f->index, hash, *number);
    return APF_OK;
}

/* Adds a symbol that is at the address of the last part. */
static int add_alias(struct finder *s, const struct symbol *symbol, uint32_t file)
{
    struct profgen_gcc_functions *f = s->f;
    struct profgen_gcc_part *part = &f->parts.data[f->parts.n - 1];
    uint32_t name;
    if (!part->entry || is_split(symbol->name) || part->n_aliases == PROFGEN_GCC_MOST_ALIASES)
        return APF_OK;
    int code = profgen_gcc_name(s->names, s->release, symbol->name, file, &name, s->error);
    if (code != APF_OK || name == f->list.data[part->function].name)
        return code;
    for (uint32_t i = 0; i < part->n_aliases; i++)
        if (f->aliases.data[part->alias + i] == name)
            return APF_OK;
    part->n_aliases++;
    return VEC_PUSH(&f->aliases, name) ? APF_OK : error_memory(s->error);
}

static int add_part(struct finder *s, const struct symbol *symbol, const struct source_frame *frame,
                    uint32_t file)
{
    struct profgen_gcc_functions *f = s->f;
    struct profgen_gcc_part part = {.start = symbol->start,
                                    .end = symbol->end,
                                    .alias = (uint32_t)f->aliases.n,
                                    .entry = !is_split(symbol->name)};
    uint32_t name;
    int code = profgen_gcc_name(s->names, s->release, symbol->name, file, &name, s->error);
    if (code == APF_OK)
        code = find_function(s, name, frame->unit, &part.function);
    if (code != APF_OK)
        return code;
    if (f->parts.n && f->parts.data[f->parts.n - 1].end > part.start)
        f->parts.data[f->parts.n - 1].end = part.start;
    return VEC_PUSH(&f->parts, part) ? APF_OK : error_memory(s->error);
}

/* Adds the symbols of one address, if debug information knows the first line of what is there. */
static int add_symbols(struct finder *s, const struct symbol *symbols, size_t n)
{
    const struct source_frame *frames;
    size_t depth;
    uint32_t file;
    int code = source_lines_at(s->program->lines, symbols->start, &frames, &depth, s->error);
    if (code != APF_OK || depth == 0 || !frames[depth - 1].function ||
        !profgen_gcc_first_line(&frames[depth - 1]))
        return code;
    code = profgen_gcc_file(s->names, s->release, s->program->lines, &frames[depth - 1], &file, s->error);
    if (code == APF_OK)
        code = add_part(s, symbols, &frames[depth - 1], file);
    for (size_t i = 1; code == APF_OK && i < n; i++)
        code = add_alias(s, &symbols[i], file);
    return code;
}

int profgen_gcc_functions_open(struct profgen_gcc_functions *f, const struct profgen_program *p,
                               const struct sample_release *release, struct sample_names *names,
                               struct apf_error *error)
{
    struct finder s = {.f = f, .program = p, .release = release, .names = names, .error = error};
    *f = (struct profgen_gcc_functions){.list = {0}};
    int code = elf_file_symbols(p->symbols, add_symbol, &s, error);
    if (code == APF_OK && !SORT_VEC(&s.symbols, starts_before, NULL))
        code = error_memory(error);
    for (size_t i = 0, n; code == APF_OK && i < s.symbols.n; i += n) {
        n = 1;
        while (i + n < s.symbols.n && s.symbols.data[i + n].start == s.symbols.data[i].start)
            n++;
        code = add_symbols(&s, &s.symbols.data[i], n);
    }
    VEC_FREE(&s.symbols);
    arena_free(&s.arena);
    return code;
}

const struct profgen_gcc_part *profgen_gcc_part_at(const struct profgen_gcc_functions *f, uint64_t address)
{
    size_t low;
    SEARCH(low, 0, f->parts.n, f->parts.data[low].start <= address);
    return low && address < f->parts.data[low - 1].end ? &f->parts.data[low - 1] : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Symbols of functions: their order, and the names and sizes that they give to fragments. */
#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "bolt/bat_model.h"
#include "object/program_functions.h"

struct sort_name *bat_sort_names(struct bat_symbol *symbols, size_t n, struct arena *arena)
{
    struct sort_name *names = n < UINT32_MAX ? arena_array(arena, 2 * n, sizeof *names) : NULL;
    for (size_t i = 0; names && i < n; i++) {
        names[i] = (struct sort_name){0, symbols[i].name, symbols[i].n, (uint32_t)i};
    }
    if (names)
        sort_names(names, names + n, n);
    for (size_t i = 1; names && i < n; i++)
        if (strcmp(names[i].p, names[i - 1].p) == 0)
            symbols[names[i].index].order = symbols[names[i - 1].index].order + 1;
    return names;
}

size_t bat_symbols_up_to(const struct apf_bat *bat, uint64_t address)
{
    size_t low;
    SEARCH(low, 0, bat->symbols.n, bat->symbols.data[low].address <= address);
    return low;
}

const struct bat_symbol *bat_find_symbol(const struct apf_bat *bat, uint64_t address)
{
    size_t n = bat_symbols_up_to(bat, address), typed = n ? bat->symbols.data[n - 1].typed : 0;
    return typed ? &bat->symbols.data[typed - 1] : NULL;
}

/* ---- symbols of the program ---- */

struct collection {
    struct bat_symbols *symbols;
    uint32_t n_read; /* symbols of .symtab */
};

/* Undefined functions are among them, as in llvm-bat-dump. */
static int collect_typed(void *user, const struct elf_symbol *symbol)
{
    struct collection *c = user;
    struct bat_symbol s = {.address = symbol->value,
                           .size = symbol->size,
                           .name = symbol->name,
                           .n = (uint32_t)symbol->n,
                           .place = c->n_read++,
                           .is_typed = true};
    return symbol->type != STT_FUNC || VEC_PUSH(c->symbols, s) ? 0 : APF_NO_MEMORY;
}

/* Collects symbols that begin functions without the type of one, such as labels of assembly. */
static bool collect_untyped(const struct program_functions *p, struct bat_symbols *symbols)
{
    for (size_t i = 0; i < p->symbols.n; i++) {
        const struct program_symbol *from = &p->symbols.data[i];
        struct bat_symbol s = {.address = from->address,
                               .size = from->size,
                               .name = from->name,
                               .n = from->n,
                               .place = from->order};
        bool wanted = from->is_function && from->type != STT_FUNC && from->type != STT_SECTION;
        if (wanted && !VEC_PUSH(symbols, s))
            return false;
    }
    return true;
}

static void measure_symbols(const struct program_functions *p, struct bat_symbols *symbols)
{
    for (size_t i = 0; i < symbols->n; i++) {
        struct bat_symbol *s = &symbols->data[i];
        size_t at;
        SEARCH(at, 0, p->list.n, p->list.data[at].address < s->address);
        if (!s->size && at < p->list.n && p->list.data[at].address == s->address)
            s->size = p->list.data[at].size;
    }
}

static bool place_before(const void *context, const void *a, const void *b)
{
    const struct bat_symbol *x = a, *y = b;
    (void)context;
    return x->place < y->place;
}

int bat_collect_symbols(const struct elf_file *elf, bool measure, struct bat_symbols *symbols,
                        struct apf_error *error)
{
    struct program_functions functions;
    struct collection c = {symbols, 0};
    int code = program_functions_open(&functions, elf, error);
    if (code == APF_OK)
        code = elf_file_symbols(elf, collect_typed, &c, error);
    if (code == APF_OK && (!collect_untyped(&functions, symbols) || !SORT_VEC(symbols, place_before, NULL)))
        code = error_memory(error);
    if (code == APF_OK && measure)
        measure_symbols(&functions, symbols);
    program_functions_close(&functions);
    return code;
}

/* At one address, the symbols that llvm-bat-dump knows come first. */
static bool symbol_before(const void *context, const void *a, const void *b)
{
    const struct bat_symbol *x = a, *y = b;
    (void)context;
    return x->address != y->address ? x->address < y->address : x->is_typed && !y->is_typed;
}

/* Names a fragment after the symbols at its address. */
static void name_fragment(const struct apf_bat *bat, struct apf_bat_fragment *f)
{
    for (size_t k = bat_symbols_up_to(bat, f->address);
         k-- > 0 && bat->symbols.data[k].address == f->address;) {
        const struct bat_symbol *s = &bat->symbols.data[k];
        f->name = (struct apf_str){s->name, s->n}; /* the last step leaves the first one in .symtab */
        f->size = s->size > f->size ? s->size : f->size;
    }
}

static void mark_deleted(struct apf_bat *bat, const struct apf_bat_fragment *f)
{
    for (uint32_t k = f->n_entries; f->size && !f->is_cold && k-- > 0;) {
        struct apf_bat_entry *e = &bat->entries.data[f->first_entry + k];
        if (e->output == f->size && !(e->flags & APF_BAT_ENTRY_BRANCH))
            e->flags |= APF_BAT_ENTRY_DELETED;
    }
}

/* Sets names and sizes of fragments, and marks entries after their code as deleted. In a damaged file many fragments
 * and many symbols may have one address: each symbol is read once. */
static void name_fragments(struct apf_bat *bat)
{
    const struct apf_bat_fragment *before = NULL;
    for (size_t i = 0; i < bat->fragments.n; i++) {
        struct apf_bat_fragment *f = &bat->fragments.data[bat->by_address[i]];
        if (before && before->address == f->address) {
            f->name = before->name;
            f->size = before->size;
        } else {
            name_fragment(bat, f);
        }
        mark_deleted(bat, f);
        before = f;
    }
}

int bat_read_symbols(struct apf_bat *bat, struct apf_error *error)
{
    if (!bat->elf)
        return APF_OK;
    int code = bat_collect_symbols(bat->elf, false, &bat->symbols, error);
    if (code != APF_OK)
        return code;
    struct arena scratch = {0};
    size_t n = bat->symbols.n;
    bool ordered = bat_sort_names(bat->symbols.data, n, &scratch) != NULL;
    arena_free(&scratch);
    if (!ordered || !SORT_VEC(&bat->symbols, symbol_before, NULL))
        return error_memory(error);
    for (uint32_t i = 0, typed = 0; i < n; i++)
        bat->symbols.data[i].typed = typed = bat->symbols.data[i].is_typed ? i + 1 : typed;
    bat->info.n_symbols = (uint32_t)n;
    name_fragments(bat);
    return APF_OK;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Symbols of functions: their order, and the names and sizes that they give to fragments. */
#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "bolt/bat_model.h"

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
    size_t n = bat_symbols_up_to(bat, address);
    return n ? &bat->symbols.data[n - 1] : NULL;
}

/* ---- symbols of the program ---- */

static int collect_symbol(void *user, const struct elf_symbol *symbol)
{
    struct apf_bat *bat = user;
    struct bat_symbol s = {symbol->value, symbol->size, symbol->name, (uint32_t)symbol->n, 0, 0};
    return symbol->type != STT_FUNC || VEC_PUSH(&bat->symbols, s) ? 0 : APF_NO_MEMORY;
}

static bool symbol_before(const void *context, const void *a, const void *b)
{
    const struct bat_symbol *x = a, *y = b;
    (void)context;
    return x->address < y->address;
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
    int code = elf_file_symbols(bat->elf, collect_symbol, bat, error);
    if (code != APF_OK)
        return code;
    struct arena scratch = {0};
    size_t n = bat->symbols.n;
    bool ordered = bat_sort_names(bat->symbols.data, n, &scratch) != NULL;
    arena_free(&scratch);
    if (!ordered || !VEC_RESERVE(&bat->symbols, n))
        return error_memory(error);
    if (n)
        sort_merge(bat->symbols.data, bat->symbols.data + n, n, sizeof *bat->symbols.data, symbol_before,
                   NULL);
    bat->info.n_symbols = (uint32_t)n;
    name_fragments(bat);
    return APF_OK;
}

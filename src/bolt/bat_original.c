/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the functions in the input. */
#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/search.h"
#include "bolt/bat_model.h"
#include "bolt/bolt_functions.h"

/* ---- names ---- */

/* The symbol with the name and order of another one; NULL: there is none. */
static const struct bat_symbol *find_symbol(const struct bat_original *o, const struct sort_name *names,
                                            const struct bat_symbol *symbol)
{
    size_t low, n = symbol->n;
    SEARCH(low, 0, o->symbols.n, sort_compare_bytes(names[low].p, names[low].n, symbol->name, n) < 0);
    if (o->symbols.n - low <= symbol->order || strcmp(names[low + symbol->order].p, symbol->name) != 0)
        return NULL;
    return &o->symbols.data[names[low + symbol->order].index];
}

/* ---- the input ---- */

/* A function of the input, and the symbol in the output that names it. */
struct matched {
    const struct bat_symbol *there, *name; /* NULL: none */
};

/* The function of a fragment in the input. Of several symbols the one with most code counts: BOLT 15 to 17 also place
 * the symbols of secondary entry points there. */
static struct matched find_function(const struct apf_bat *bat, const struct sort_name *names,
                                    uint64_t address)
{
    struct matched best = {NULL, NULL};
    for (size_t k = bat_symbols_up_to(bat, address); k-- > 0 && bat->symbols.data[k].address == address;) {
        const struct bat_symbol *name = &bat->symbols.data[k],
                                *there = find_symbol(&bat->original, names, name);
        if (there && (!best.there || there->size > best.there->size))
            best = (struct matched){there, name};
    }
    return best;
}

/* Finds the functions of all fragments. Fragments at one address share a function, which is searched once. */
static void find_functions(struct apf_bat *bat, const struct sort_name *names)
{
    struct bat_original *o = &bat->original;
    const struct apf_bat_fragment *before = NULL;
    struct matched m = {NULL, NULL};
    for (size_t i = 0; i < bat->fragments.n; i++) {
        uint32_t number = bat->by_address[i];
        struct apf_bat_fragment *f = &bat->fragments.data[number];
        if (f->is_cold)
            continue;
        if (!before || before->address != f->address)
            m = find_function(bat, names, f->address);
        before = f;
        if (m.there)
            f->name = (struct apf_str){m.name->name, m.name->n};
        f->input = m.there ? m.there->address : 0;
        o->sizes[number] = m.there ? m.there->size : 0;
    }
}

static void match(struct apf_bat *bat, const struct sort_name *names)
{
    struct bat_original *o = &bat->original;
    find_functions(bat, names);
    for (uint32_t i = 0; i < bat->info.n_hot; i++)
        if (bat->fragments.data[i].input)
            o->functions[o->n++] = (struct sort_key){bat->fragments.data[i].input, i};
    sort_keys(o->functions, o->functions + bat->info.n_hot, o->n);
    for (size_t i = 1; i < o->n; i++) { /* functions do not overlap */
        uint64_t *size = &o->sizes[o->functions[i - 1].value],
                 room = o->functions[i].key - o->functions[i - 1].key;
        *size = *size < room ? *size : room;
    }
}

static int read_symbols(struct apf_bat *bat, struct apf_error *error)
{
    struct bat_original *o = &bat->original;
    struct arena scratch = {0};
    int code = bat_collect_symbols(o->elf, true, &o->symbols, error);
    if (code != APF_OK)
        return code;
    struct sort_name *names = bat_sort_names(o->symbols.data, o->symbols.n, &scratch);
    o->functions = arena_array(&bat->arena, 2 * (size_t)bat->info.n_hot, sizeof *o->functions);
    o->sizes = arena_array(&bat->arena, bat->info.n_hot, sizeof *o->sizes);
    bool done = names && o->functions && o->sizes;
    if (done)
        match(bat, names);
    arena_free(&scratch);
    return done ? APF_OK : error_memory(error);
}

int apf_bat_read_original(struct apf_bat *bat, const struct apf_input *input,
                          const struct apf_options *options, size_t *found, struct apf_error *error)
{
    struct apf_options o;
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code != APF_OK)
        return code;
    bat_original_free(&bat->original);
    code = elf_file_open_input(&bat->original.elf, input, options_max_bytes(&o), error);
    if (code == APF_OK)
        code = read_symbols(bat, error);
    if (found)
        *found = bat->original.n;
    return file_error(error, code, input, 0);
}

/* ---- finding functions ---- */

uint32_t apf_bat_find_function(const struct apf_bat *bat, uint64_t address, uint32_t *offset)
{
    const struct bat_original *o = &bat->original;
    size_t low;
    SEARCH(low, 0, o->n, o->functions[low].key <= address);
    if (low == 0)
        return APF_BAT_NONE;
    uint32_t function = (uint32_t)o->functions[low - 1].value;
    uint64_t within = address - o->functions[low - 1].key;
    if (within > UINT32_MAX || within >= o->sizes[function])
        return APF_BAT_NONE;
    *offset = (uint32_t)within;
    return function;
}

/* Finds a function by its name in profiles: NAME/FILE/NUMBER, as several functions may have NAME. */
static uint32_t called_in_profiles(const struct apf_bat *bat, struct apf_str name)
{
    struct bolt_functions all;
    uint32_t found = APF_BAT_NONE;
    if (!bat->elf)
        return found;
    int code = bolt_functions_open(&all, bat, NULL, NULL);
    for (size_t i = 0; code == APF_OK && found == APF_BAT_NONE && i < all.list.n; i++) {
        const struct bolt_function *f = &all.list.data[i];
        if (f->fragment != BOLT_NONE && !bat->fragments.data[f->fragment].is_cold && f->name.n == name.n &&
            memcmp(f->name.p, name.p, name.n) == 0)
            found = f->fragment;
    }
    bolt_functions_close(&all);
    return found;
}

size_t apf_bat_find_named(const struct apf_bat *bat, struct apf_str name, uint32_t *functions, size_t max)
{
    size_t found = 0;
    if (name.n == 0) /* fragments without a symbol have no name that could be found */
        return 0;
    for (uint32_t i = 0; i < bat->info.n_hot; i++) {
        struct apf_str here = bat->fragments.data[i].name;
        if (here.n != name.n || memcmp(here.p, name.p, name.n) != 0)
            continue;
        if (found < max)
            functions[found] = i;
        found++;
    }
    if (found || !memchr(name.p, '/', name.n))
        return found;
    uint32_t one = called_in_profiles(bat, name);
    if (one != APF_BAT_NONE && max)
        functions[0] = one;
    return one != APF_BAT_NONE;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/bolt_skip.h"

#include <string.h>

#include "base/sort.h"

/* A part of a function, and the function. */
struct fragment {
    size_t part, whole;
};

struct fragment_search {
    const struct program_symbol *symbols;
    uint32_t *list;   /* symbols of functions by name, global ones first, then by file */
    uint32_t *owners; /* for each symbol the place of its function in the list of functions */
    size_t n;
    VEC(struct fragment) found;
};

/* Bytes of the name of the whole function in that of a fragment, NAME.cold, NAME.warm, NAME.cold.1; 0: it is none. */
static size_t whole_name(const char *name, size_t n)
{
    size_t end = n;
    while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    if (end == n || end == 0 || name[end - 1] != '.')
        end = n;
    else
        end--;
    bool is_part =
        end > 5 && (memcmp(name + end - 5, ".cold", 5) == 0 || memcmp(name + end - 5, ".warm", 5) == 0);
    return is_part ? end - 5 : 0;
}

static int compare_files(const struct program_symbol *a, const struct program_symbol *b)
{
    return strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

/* The order of s->list. `n` is the size of a's name. */
static int compare_symbols(const struct program_symbol *a, size_t n, const struct program_symbol *b)
{
    int order = sort_compare_bytes(a->name, n, b->name, b->n);
    if (order == 0)
        order = a->is_local - b->is_local;
    return order ? order : compare_files(a, b);
}

static bool symbol_before(const void *context, const void *a, const void *b)
{
    const struct fragment_search *s = context;
    const uint32_t *left = a, *right = b;
    const struct program_symbol *x = &s->symbols[*left], *y = &s->symbols[*right];
    return compare_symbols(x, x->n, y) < 0;
}

/* Whether s->list has a symbol of that name at a place. */
static bool is_named(const struct fragment_search *s, size_t at, const char *name, size_t n)
{
    const struct program_symbol *symbol = at < s->n ? &s->symbols[s->list[at]] : NULL;
    return symbol && sort_compare_bytes(symbol->name, symbol->n, name, n) == 0;
}

/* Finds the function that a fragment is a part of: one with that name in the same source file, or the only one. */
static bool add_whole(struct fragment_search *s, uint32_t part)
{
    const struct program_symbol *symbol = &s->symbols[part];
    size_t n = whole_name(symbol->name, symbol->n), exact, first;
    if (n == 0)
        return true;
    SEARCH(exact, 0, s->n, compare_symbols(symbol, n, &s->symbols[s->list[exact]]) > 0);
    SEARCH(first, 0, s->n,
           sort_compare_bytes(s->symbols[s->list[first]].name, s->symbols[s->list[first]].n, symbol->name,
                              n) < 0);
    bool is_exact = exact < s->n && compare_symbols(symbol, n, &s->symbols[s->list[exact]]) == 0;
    bool is_only = is_named(s, first, symbol->name, n) && !is_named(s, first + 1, symbol->name, n);
    if (!is_exact && !is_only)
        return true;
    struct fragment found = {s->owners[part], s->owners[s->list[is_exact ? exact : first]]};
    return VEC_PUSH(&s->found, found);
}

static bool list_symbols(struct fragment_search *s, const struct program_functions *p, struct arena *scratch)
{
    s->list = arena_array(scratch, 2 * p->symbols.n, sizeof *s->list);
    s->owners = arena_zeros(scratch, p->symbols.n, sizeof *s->owners);
    if (!s->list || !s->owners)
        return false;
    for (size_t i = 0; i < p->list.n; i++) {
        const struct program_function *f = &p->list.data[i];
        if (f->origin != FUNCTION_OF_SYMBOL)
            continue;
        for (uint32_t k = f->symbol; k < p->symbols.n && s->symbols[k].address == f->address; k++) {
            s->owners[k] = (uint32_t)i;
            if (s->symbols[k].is_function && s->symbols[k].n)
                s->list[s->n++] = k;
        }
    }
    sort_merge(s->list, s->list + p->symbols.n, s->n, sizeof *s->list, symbol_before, s);
    return true;
}

bool bolt_skip_fragments(struct bolt_functions *f, const struct program_functions *p)
{
    struct fragment_search s = {.symbols = p->symbols.data};
    struct arena scratch = {0};
    bool done = list_symbols(&s, p, &scratch);
    for (size_t i = 0; done && i < s.n; i++)
        done = add_whole(&s, s.list[i]);
    for (size_t i = 0; done && i < s.found.n; i++)
        f->list.data[s.found.data[i].whole].is_skipped |= f->list.data[s.found.data[i].part].is_skipped;
    for (size_t i = 0; done && i < s.found.n; i++)
        f->list.data[s.found.data[i].part].is_skipped |= f->list.data[s.found.data[i].whole].is_skipped;
    VEC_FREE(&s.found);
    arena_free(&scratch);
    return done;
}

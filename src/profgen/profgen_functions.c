/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_functions.h"

#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/text_bytes.h"
#include "object/canonical_name.h"

struct search {
    struct profgen_functions *f;
    const struct profgen_program *program;
    struct hash_index by_start; /* of f->all */
    struct apf_error *error;
};

void profgen_functions_close(struct profgen_functions *f)
{
    VEC_FREE(&f->list);
    VEC_FREE(&f->all);
    VEC_FREE(&f->ranges);
    hash_index_free(&f->by_name);
    arena_free(&f->arena);
}

/* ---- collecting ---- */

static int find_or_add(struct search *s, struct apf_str name, bool of_symbol, uint32_t *number)
{
    struct profgen_functions *f = s->f;
    struct profgen_function function = {.of_symbol = of_symbol};
    if (!hash_index_reserve(&f->by_name, 1))
        return hash_index_error(&f->by_name, s->error);
    uint64_t hash = hash_index_bytes(&f->by_name, name.p, name.n);
    HASH_INDEX_FIND(*number, &f->by_name, hash, text_equal(f->list.data[*number].name, name));
    if (*number != HASH_INDEX_NONE)
        return APF_OK;
    const char *copy = arena_text(&f->arena, name.p, name.n);
    function.name = (struct apf_str){copy, name.n};
    if (!copy || !VEC_PUSH(&f->list, function))
        return error_memory(s->error);
    *number = (uint32_t)(f->list.n - 1);
    hash_index_add(&f->by_name, hash, *number);
    return APF_OK;
}

/* Whether a range begins at an address. */
static bool is_start(const struct search *s, uint64_t address, uint64_t *hash)
{
    uint32_t i;
    *hash = hash_index_mix(&s->by_start, address, 0);
    HASH_INDEX_FIND(i, &s->by_start, *hash, s->f->all.data[i].start == address);
    return i != HASH_INDEX_NONE;
}

static int add_range(struct search *s, struct apf_str name, uint64_t start, uint64_t end, bool of_symbol)
{
    struct profgen_range range = {.start = start, .end = end};
    uint64_t hash;
    if (name.n == 0)
        return APF_OK;
    int code = find_or_add(s, name, of_symbol, &range.function);
    if (code != APF_OK)
        return code;
    if (!hash_index_reserve(&s->by_start, 1) || !VEC_PUSH(&s->f->all, range))
        return hash_index_error(&s->by_start, s->error);
    if (!is_start(s, start, &hash))
        hash_index_add(&s->by_start, hash, (uint32_t)(s->f->all.n - 1));
    s->f->list.data[range.function].n_ranges++;
    return APF_OK;
}

static int add_described(void *user, const char *name, uint64_t low, uint64_t high)
{
    struct search *s = user;
    struct apf_str text = {name, strlen(name)};
    return high > low && low >= s->program->image.base ? add_range(s, text, low, high, false) : APF_OK;
}

/* Names of parts of functions, as compilers and BOLT split and copy them, which debug information does not have. */
static struct apf_str symbol_name(struct apf_str name)
{
    static const char *const suffixes[] = {".cleanup", ".destroy", ".resume", ".cold",       ".warm",
                                           ".llvm.",   ".part.",   ".isra.",  ".constprop.", ".lto_priv."};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t n = strlen(suffixes[i]);
        if (suffixes[i][n - 1] == '.')
            drop_suffix(&name, suffixes[i]);
        else if (name.n > n && memcmp(name.p + name.n - n, suffixes[i], n) == 0)
            name.n -= n;
    }
    return name;
}

static int add_symbol(void *user, const struct elf_symbol *symbol)
{
    struct search *s = user;
    struct apf_str name = {symbol->name, symbol->n};
    uint64_t hash;
    if ((symbol->type != STT_FUNC && symbol->type != STT_GNU_IFUNC) || symbol->size == 0 ||
        symbol->section == ELF_UNDEFINED)
        return APF_OK;
    if (!hash_index_reserve(&s->by_start, 1))
        return hash_index_error(&s->by_start, s->error);
    return is_start(s, symbol->value, &hash)
               ? APF_OK
               : add_range(s, symbol_name(name), symbol->value, symbol->value + symbol->size, true);
}

/* ---- entries ---- */

/* A function with several ranges is entered where a symbol has its name; one with a single range anyhow. */
static int mark_entry(void *user, const struct elf_symbol *symbol)
{
    struct search *s = user;
    struct apf_str name = {symbol->name, symbol->n};
    struct elf_section section;
    if (symbol->section == ELF_UNDEFINED ||
        !elf_file_section(s->program->symbols, symbol->section, &section) ||
        !(section.flags & SHF_EXECINSTR) || strcmp(section.name, ".plt") == 0)
        return APF_OK;
    struct profgen_range *range = (struct profgen_range *)(uintptr_t)profgen_range_at(s->f, symbol->value);
    const struct profgen_function *function = range ? &s->f->list.data[range->function] : NULL;
    if (function && (function->n_ranges == 1 || text_equal(function->name, canonical_name(name))))
        range->entry = true;
    return APF_OK;
}

/* ---- the result ---- */

static bool range_before(const void *context, const void *a, const void *b)
{
    const struct profgen_range *x = a, *y = b;
    (void)context;
    return x->start < y->start;
}

static bool function_before(const void *context, const void *a, const void *b)
{
    const struct profgen_range *x = a, *y = b;
    (void)context;
    return x->function < y->function;
}

static int settle(struct search *s)
{
    struct profgen_functions *f = s->f;
    size_t kept = 0;
    if (!VEC_RESERVE(&f->ranges, f->all.n))
        return error_memory(s->error);
    if (f->all.n)
        memcpy(f->ranges.data, f->all.data, f->all.n * sizeof *f->all.data);
    f->ranges.n = f->all.n;
    if (!SORT_VEC(&f->ranges, range_before, NULL) || !SORT_VEC(&f->all, function_before, NULL))
        return error_memory(s->error);
    for (size_t i = 0; i < f->ranges.n; i++)
        if (kept == 0 || f->ranges.data[kept - 1].start != f->ranges.data[i].start)
            f->ranges.data[kept++] = f->ranges.data[i];
    f->ranges.n = kept;
    return APF_OK;
}

int profgen_functions_open(struct profgen_functions *f, const struct profgen_program *p,
                           struct source_lines *lines, bool symbols, struct apf_error *error)
{
    struct search s = {.f = f, .program = p, .error = error};
    *f = (struct profgen_functions){.list = {0}};
    int code = source_lines_functions(lines, add_described, &s, error);
    if (code == APF_OK && symbols)
        code = elf_file_symbols(p->symbols, add_symbol, &s, error);
    if (code == APF_OK)
        code = settle(&s);
    if (code == APF_OK)
        code = elf_file_symbols(p->symbols, mark_entry, &s, error);
    hash_index_free(&s.by_start);
    return code;
}

uint32_t profgen_function_named(const struct profgen_functions *f, struct apf_str name)
{
    uint32_t i;
    HASH_INDEX_FIND(i, &f->by_name, hash_index_bytes(&f->by_name, name.p, name.n),
                    text_equal(f->list.data[i].name, name));
    return i == HASH_INDEX_NONE ? PROFGEN_NO_FUNCTION : i;
}

const struct profgen_range *profgen_range_at(const struct profgen_functions *f, uint64_t address)
{
    size_t low;
    SEARCH(low, 0, f->ranges.n, f->ranges.data[low].start <= address);
    return low && address < f->ranges.data[low - 1].end ? &f->ranges.data[low - 1] : NULL;
}

const struct profgen_range *profgen_range_from(const struct profgen_functions *f, uint64_t address)
{
    const struct profgen_range *range = profgen_range_at(f, address);
    return range && range->start == address ? range : NULL;
}

const struct profgen_range *profgen_callee(const struct profgen_functions *f, uint64_t from, uint64_t to,
                                           const struct profgen_range **caller)
{
    *caller = profgen_range_near(f, *caller, from);
    const struct profgen_range *callee = profgen_range_near(f, *caller, to);
    return callee && callee->start == to && callee->entry ? callee : NULL;
}

const struct profgen_range *profgen_ranges_of(const struct profgen_functions *f, uint32_t function)
{
    size_t low;
    SEARCH(low, 0, f->all.n, f->all.data[low].function < function);
    return ENTRY_AT(f->all.data, low);
}

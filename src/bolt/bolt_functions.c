/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/bolt_functions.h"

#include <elf.h>
#include <string.h>

#include <anyprof/bolt.h>

#include "base/error.h"
#include "base/text_append.h"
#include "object/plt_stubs.h"

/* A symbol of a function. */
struct named {
    uint64_t address, size, section_end;
    const char *name;
    const char *file; /* for a local symbol the last file named before it; NULL: none, or a global symbol */
    bool local, is_section, is_stub;
    uint32_t number; /* among symbols with equal name and file, by address; from 1 */
};

struct collection {
    struct bolt_functions *f;
    VEC(struct named) symbols;
    const char *file;
};

/* ---- symbols ---- */

/* Code before the first function of a section belongs to a function with the section's name. */
static int collect_section(struct collection *c, const struct elf_section *section)
{
    struct named s = {.address = section->address, .name = section->name, .local = true, .is_section = true};
    s.section_end = section->address + section->size;
    return !(section->flags & SHF_EXECINSTR) || VEC_PUSH(&c->symbols, s) ? 0 : APF_NO_MEMORY;
}

static int collect_symbol(void *user, const struct elf_symbol *symbol)
{
    struct collection *c = user;
    struct elf_section section;
    if (symbol->type == STT_FILE)
        c->file = *symbol->name ? symbol->name : NULL;
    bool is_code = symbol->type == STT_FUNC || symbol->type == STT_SECTION;
    if (!is_code || symbol->section == ELF_UNDEFINED ||
        !elf_file_section(c->f->bat->elf, symbol->section, &section))
        return 0;
    if (symbol->type == STT_SECTION)
        return collect_section(c, &section);
    bool local = symbol->binding == STB_LOCAL;
    struct named s = {.address = symbol->value, .size = symbol->size, .name = symbol->name, .local = local};
    s.section_end = section.address + section.size;
    s.file = local && c->f->bat->has_table ? c->file : NULL;
    return VEC_PUSH(&c->symbols, s) ? 0 : APF_NO_MEMORY;
}

/* BOLT's name for the code before the first stub of a section. */
#define STUB_FRONT "__BOLT_PSEUDO_"

static bool is_stub_front(struct apf_str name)
{
    return name.n >= sizeof STUB_FRONT - 1 && memcmp(name.p, STUB_FRONT, sizeof STUB_FRONT - 1) == 0;
}

static char *join_words(struct arena *arena, const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b) + 1;
    char *text = arena_bytes(arena, na + nb);
    if (text) {
        memcpy(text, a, na);
        memcpy(text + na, b, nb);
    }
    return text;
}

/* BOLT calls a stub printf@PLT. */
static int add_stub(void *user, const struct plt_stub *stub)
{
    struct collection *c = user;
    struct named s = {.address = stub->address, .size = stub->size, .section_end = stub->section_end};
    s.is_stub = true;
    s.name = stub->symbol ? join_words(&c->f->arena, stub->symbol, "@PLT")
                          : join_words(&c->f->arena, STUB_FRONT, stub->section);
    return s.name && VEC_PUSH(&c->symbols, s) ? APF_OK : APF_NO_MEMORY;
}

static bool named_before(const void *context, const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    (void)context;
    return x->address != y->address ? x->address < y->address : x->is_section < y->is_section;
}

/* The name of one file may be copied for any number of symbols. */
#define MOST_COPIES 16u
#define SMALL_NAMES ((uint64_t)1 << 20)

static int check_names(const struct collection *c, struct apf_error *error)
{
    uint64_t n = 0, most = MOST_COPIES * elf_file_size(c->f->bat->elf) + SMALL_NAMES;
    for (size_t i = 0; i < c->symbols.n && n <= most; i++)
        n += c->symbols.data[i].file ? strlen(c->symbols.data[i].file) : 0;
    struct error_at at = {"elf.symbol.file", NO_OFFSET, n, most};
    return n <= most ? APF_OK : error_at(error, APF_LIMIT, at, "the names of source files are too long");
}

/* Numbers the local symbols with one key: the name, a zero and the file. */
static bool number_names(struct collection *c, struct arena *scratch)
{
    size_t n = c->symbols.n;
    struct sort_name *names = n < UINT32_MAX ? arena_array(scratch, 2 * n, sizeof *names) : NULL;
    for (size_t i = 0; names && i < n; i++) {
        const struct named *s = &c->symbols.data[i];
        size_t n_name = strlen(s->name), n_file = s->file ? strlen(s->file) + 1 : 0;
        char *key = arena_bytes(scratch, n_name + n_file + 1);
        if (!key)
            return false;
        memcpy(key, s->name, n_name + 1);
        if (n_file)
            memcpy(key + n_name + 1, s->file, n_file - 1);
        names[i] = (struct sort_name){0, key, (uint32_t)(n_name + n_file), (uint32_t)i};
    }
    if (!names)
        return false;
    sort_names(names, names + n, n);
    for (size_t i = 0; i < n; i++) {
        bool same = i && sort_compare_bytes(names[i].p, names[i].n, names[i - 1].p, names[i - 1].n) == 0;
        c->symbols.data[names[i].index].number = same ? c->symbols.data[names[i - 1].index].number + 1 : 1;
    }
    return true;
}

/* ---- names ---- */

/* The name of a function in BOLT: "name", or "name/file/number" for a local one. */
static bool make_name(struct bolt_functions *f, const struct named *s, struct apf_str *name)
{
    struct apf_str plain = {s->name, strlen(s->name)}, file = {s->file, s->file ? strlen(s->file) : 0};
    size_t room = 2 * plain.n + 2 * file.n + DECIMAL_MAX + 2, n;
    char *text = arena_bytes(&f->arena, room);
    if (!text)
        return false;
    n = apf_fdata_escape(plain, text, room);
    if (file.n) {
        text[n++] = '/';
        n += apf_fdata_escape(file, text + n, room - n);
    }
    if (s->local) {
        uint8_t digits[DECIMAL_MAX];
        size_t n_digits = decimal_store(digits, s->number);
        text[n++] = '/';
        memcpy(text + n, digits, n_digits);
        n += n_digits;
    }
    *name = (struct apf_str){text, n};
    return true;
}

/* Of several symbols at one address, a local one with a file names the function, as in perf2bolt; else the first
 * one. */
static const struct named *choose_name(const struct named *symbols, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (symbols[i].file)
            return &symbols[i];
    return symbols;
}

/* ---- the list ---- */

/* The code before the first stub of a section gets its number after the last stub. */
static void number_stubs(struct bolt_functions *f, uint32_t n_fids)
{
    struct bolt_function *front = NULL;
    for (size_t i = 0; i < f->list.n; i++) {
        struct bolt_function *function = &f->list.data[i];
        bool is_front = function->is_stub && is_stub_front(function->name);
        if (is_front && front)
            front->fid = ++n_fids;
        if (is_front)
            front = function;
        else if (function->is_stub)
            function->fid = ++n_fids;
    }
    if (front)
        front->fid = ++n_fids;
}

/* Symbols inside the previous function are entry points of that function. */
static bool make_list(struct collection *c)
{
    struct bolt_functions *f = c->f;
    uint64_t inside = 0;
    uint32_t n_fids = 0;
    for (size_t i = 0, end; i < c->symbols.n; i = end) {
        const struct named *first = &c->symbols.data[i];
        uint64_t size = 0;
        for (end = i; end < c->symbols.n && c->symbols.data[end].address == first->address; end++)
            size = c->symbols.data[end].size > size ? c->symbols.data[end].size : size;
        if (f->list.n && first->address < inside)
            continue;
        struct bolt_function function = {.address = first->address, .end = first->section_end};
        function.fragment = BOLT_NONE;
        function.owner = (uint32_t)f->list.n;
        function.is_stub = first->is_stub;
        function.fid = first->is_stub ? 0 : ++n_fids;
        if (f->list.n && f->list.data[f->list.n - 1].end > first->address)
            f->list.data[f->list.n - 1].end = first->address;
        if (!make_name(f, choose_name(first, end - i), &function.name) || !VEC_PUSH(&f->list, function))
            return false;
        inside = first->address + size;
    }
    number_stubs(f, n_fids);
    return f->list.n < BOLT_NONE;
}

/* ---- lookup ---- */

#define BUCKETS_FOR_EACH 8u

static int make_buckets(struct bolt_functions *f, struct apf_error *error)
{
    size_t n = f->list.n;
    if (n == 0)
        return APF_OK;
    f->first = f->list.data[0].address;
    uint64_t span = f->list.data[n - 1].end - f->first;
    while (span >> f->shift > BUCKETS_FOR_EACH * (uint64_t)n)
        f->shift++;
    f->n_buckets = (span >> f->shift) + 1;
    f->buckets = arena_array(&f->arena, (size_t)f->n_buckets + 1, sizeof *f->buckets);
    if (!f->buckets)
        return error_memory(error);
    uint32_t at = 0;
    for (uint64_t i = 0; i <= f->n_buckets; i++) {
        while (at + 1 < n && f->list.data[at + 1].address - f->first <= i << f->shift)
            at++;
        f->buckets[i] = at;
    }
    return APF_OK;
}

static void assign_fragments(struct bolt_functions *f)
{
    const struct apf_bat *bat = f->bat;
    for (uint32_t i = 0; i < bat->info.n_hot + bat->info.n_cold; i++) {
        const struct apf_bat_fragment *fragment = &bat->fragments.data[i];
        uint32_t here = bolt_find_function(f, fragment->address), owner = here;
        if (here == BOLT_NONE || f->list.data[here].address != fragment->address)
            continue;
        if (fragment->is_cold && fragment->function != APF_BAT_NONE)
            owner = bolt_find_function(f, bat->fragments.data[fragment->function].address);
        f->list.data[here].fragment = i;
        f->list.data[here].owner = owner != BOLT_NONE ? owner : here;
    }
}

int bolt_functions_open(struct bolt_functions *f, const struct apf_bat *bat, struct apf_error *error)
{
    struct collection c = {.f = f};
    struct arena scratch = {0};
    *f = (struct bolt_functions){.bat = bat};
    int code = elf_file_symbols(bat->elf, collect_symbol, &c, error);
    if (code == APF_OK)
        code = plt_stubs(bat->elf, add_stub, &c, error);
    bool done = code == APF_OK && SORT_VEC(&c.symbols, named_before, NULL);
    if (code == APF_OK && done)
        code = check_names(&c, error);
    done = done && code == APF_OK && number_names(&c, &scratch) && make_list(&c);
    VEC_FREE(&c.symbols);
    arena_free(&scratch);
    if (code == APF_OK)
        code = done ? make_buckets(f, error) : error_memory(error);
    if (code == APF_OK)
        assign_fragments(f);
    return code;
}

void bolt_functions_close(struct bolt_functions *f)
{
    VEC_FREE(&f->list);
    arena_free(&f->arena);
}

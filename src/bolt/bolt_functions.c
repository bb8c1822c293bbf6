/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/bolt_functions.h"

#include <elf.h>
#include <string.h>

#include <anyprof/bolt.h>

#include "base/error.h"
#include "base/text_append.h"
#include "bolt/bolt_skip.h"
#include "object/program_functions.h"

struct naming {
    struct bolt_functions *f;
    struct program_functions program;
    /* of local symbols: among those of one name, from 1, by address; of nameless symbols: from 0 */
    uint32_t *numbers;
    uint32_t *in_file;            /* the same, among functions of one name and one file */
    const struct bolt_skip *skip; /* NULL: none */
};

/* BOLT's name for the code before the first stub of a section, and for functions without a symbol. */
#define STUB_FRONT "__BOLT_PSEUDO_"
#define FRAME_NAME "__BOLT_FDE_FUNCat"

/* ---- numbers of local symbols ---- */

/* Any number of symbols can be of one file, whose name is in their keys, and any number of stubs can have one resolver,
 * whose name is in theirs. */
#define MOST_COPIES 16u
#define SMALL_NAMES ((uint64_t)1 << 20)

/* The function that chooses where a stub goes, if a symbol names it; else NULL. */
static const struct program_function *find_resolver(const struct program_functions *p,
                                                    const struct program_function *f)
{
    const struct program_function *found = f->resolver ? program_function_at(p, f->resolver) : NULL;
    return found && found->origin == FUNCTION_OF_SYMBOL ? found : NULL;
}

static int check_names(const struct naming *all, struct apf_error *error)
{
    const struct program_functions *p = &all->program;
    uint64_t n = 0, most = MOST_COPIES * elf_file_size(all->f->bat->elf) + SMALL_NAMES;
    struct error_at at = {"elf.symbol.file", NO_OFFSET, 0, most};
    for (size_t i = 0; i < p->symbols.n && n <= most; i++)
        n += p->symbols.data[i].file ? strlen(p->symbols.data[i].file) : 0;
    at.found = n;
    if (n > most)
        return error_at(error, APF_LIMIT, at, "the names of source files are too long");
    n = 0;
    for (size_t i = 0; i < p->list.n && n <= most; i++) {
        const struct program_function *resolver = find_resolver(p, &p->list.data[i]);
        n += resolver ? p->symbols.data[resolver->symbol].n : 0;
    }
    at.where = "elf.symbol.name";
    at.found = n;
    return n <= most ? APF_OK : error_at(error, APF_LIMIT, at, "too many stubs share the name of a resolver");
}

/* Functions of a type are also known by their file. */
static bool has_file(const struct program_symbol *s)
{
    return s->file && s->type == STT_FUNC;
}

/* perf2bolt writes that name for programs with a table. */
static bool shows_file(const struct naming *all, const struct program_symbol *s)
{
    return has_file(s) && all->f->bat->has_table;
}

/* The key of a symbol: its name, and with `by_file` a zero and its file. False: allocation failed. */
static bool make_key(struct arena *scratch, const struct program_symbol *s, bool by_file,
                     struct sort_name *key)
{
    size_t n = s->n, n_file = by_file ? strlen(s->file) : 0;
    key->p = s->name;
    key->n = (uint32_t)n;
    if (!by_file)
        return true;
    char *text = arena_bytes(scratch, n + 1 + n_file);
    if (!text)
        return false;
    memcpy(text, s->name, n);
    text[n] = 0;
    memcpy(text + n + 1, s->file, n_file);
    key->p = text;
    key->n = (uint32_t)(n + 1 + n_file);
    return true;
}

/* Numbers the local symbols with one key. */
static bool number_symbols(const struct naming *all, bool by_file, uint32_t *numbers)
{
    const struct program_functions *p = &all->program;
    struct arena scratch = {0};
    struct sort_name *keys = arena_array(&scratch, 2 * p->symbols.n, sizeof *keys);
    size_t n = 0;
    uint32_t n_nameless = 0;
    bool done = keys != NULL;
    for (size_t i = 0; done && i < p->symbols.n; i++) {
        const struct program_symbol *s = &p->symbols.data[i];
        if (s->n == 0 && !by_file)
            numbers[i] = n_nameless++;
        if (s->n == 0 || !s->is_local || (by_file && !has_file(s)))
            continue;
        keys[n].index = (uint32_t)i;
        done = make_key(&scratch, s, by_file, &keys[n++]);
    }
    if (done)
        sort_names(keys, keys + n, n);
    for (size_t i = 0; done && i < n; i++) {
        bool same = i && sort_compare_bytes(keys[i].p, keys[i].n, keys[i - 1].p, keys[i - 1].n) == 0;
        numbers[keys[i].index] = same ? numbers[keys[i - 1].index] + 1 : 1;
    }
    arena_free(&scratch);
    return done;
}

/* ---- names ---- */

static size_t append(char *text, size_t n, const char *more, size_t n_more)
{
    memcpy(text + n, more, n_more);
    return n + n_more;
}

static size_t append_number(char *text, size_t n, uint32_t number)
{
    uint8_t digits[DECIMAL_MAX];
    size_t n_digits = decimal_store(digits, number);
    text[n] = '/';
    return append(text, n + 1, (const char *)digits, n_digits);
}

/* Of several symbols at one address, a local one with a file names the function, as in perf2bolt; else the first
 * one. */
static size_t choose_symbol(const struct naming *all, size_t first)
{
    const struct program_symbol *list = all->program.symbols.data;
    for (size_t i = first; i < all->program.symbols.n && list[i].address == list[first].address; i++)
        if (list[i].is_function && shows_file(all, &list[i]))
            return i;
    return first;
}

/* The assembler's prefix of private symbols, and BOLT's prefix for them. */
#define PRIVATE ".L"
#define NOT_PRIVATE "PG"

#define NAMELESS "ANONYMOUS."

static bool name_nameless(struct naming *all, struct arena *arena, size_t at, struct apf_str *name)
{
    size_t prefix = sizeof NAMELESS - 1;
    uint8_t digits[DECIMAL_MAX];
    size_t n_digits = decimal_store(digits, all->numbers[at]);
    char *text = arena_bytes(arena, prefix + n_digits);
    if (!text)
        return false;
    *name = (struct apf_str){text, append(text, append(text, 0, NAMELESS, prefix), (char *)digits, n_digits)};
    return true;
}

/* The name of a function in BOLT: "name", or for a local symbol "name/number" or "name/file/number". */
static bool name_by_symbol(struct naming *all, struct arena *arena, size_t at, bool by_file,
                           struct apf_str *name)
{
    const struct program_symbol *s = &all->program.symbols.data[at];
    struct apf_str plain = {s->name, s->n}, file = {s->file, by_file ? strlen(s->file) : 0};
    if (plain.n == 0)
        return name_nameless(all, arena, at, name);
    size_t room = 2 * plain.n + 2 * file.n + DECIMAL_MAX + sizeof NOT_PRIVATE + 2, n = 0;
    char *text = arena_bytes(arena, room);
    if (!text)
        return false;
    if (strncmp(s->name, PRIVATE, sizeof PRIVATE - 1) == 0)
        n = append(text, n, NOT_PRIVATE, sizeof NOT_PRIVATE - 1);
    n += apf_fdata_escape(plain, text + n, room - n);
    if (file.n) {
        text[n++] = '/';
        n += apf_fdata_escape(file, text + n, room - n);
    }
    if (s->is_local)
        n = append_number(text, n, (file.n ? all->in_file : all->numbers)[at]);
    *name = (struct apf_str){text, n};
    return true;
}

static bool is_stub_front(const struct program_function *f)
{
    return !f->target && !f->resolver;
}

/* What BOLT calls a stub: printf@PLT, or choose_strlen/1@PLT by the function that chooses where it goes. */
static bool name_stub(struct naming *all, const struct program_function *f, struct apf_str *name)
{
    const char *before = is_stub_front(f) ? STUB_FRONT : "", *plain = f->target ? f->target : f->section,
               *after = is_stub_front(f) ? "" : "@PLT";
    struct apf_str middle = {plain, strlen(plain)};
    const struct program_function *resolver = find_resolver(&all->program, f);
    if (resolver && !name_by_symbol(all, &all->f->arena, resolver->symbol, false, &middle))
        return false;
    size_t room = strlen(before) + 2 * middle.n + strlen(after), n;
    char *text = arena_bytes(&all->f->arena, room);
    if (!text)
        return false;
    n = append(text, 0, before, strlen(before));
    n += resolver ? append(text, n, middle.p, middle.n) - n : apf_fdata_escape(middle, text + n, room - n);
    n = append(text, n, after, strlen(after));
    *name = (struct apf_str){text, n};
    return true;
}

static bool name_frame(struct naming *all, const struct program_function *f, struct apf_str *name)
{
    size_t prefix = sizeof FRAME_NAME - 1;
    uint8_t digits[HEX_MAX];
    size_t n_digits = hex_store(digits, f->address);
    char *text = arena_bytes(&all->f->arena, prefix + n_digits);
    if (!text)
        return false;
    *name =
        (struct apf_str){text, append(text, append(text, 0, FRAME_NAME, prefix), (char *)digits, n_digits)};
    return true;
}

static bool name_function(struct naming *all, const struct program_function *f, struct apf_str *name)
{
    size_t symbol = f->origin == FUNCTION_OF_SYMBOL ? choose_symbol(all, f->symbol) : 0;
    switch (f->origin) {
    case FUNCTION_OF_STUB:
        return name_stub(all, f, name);
    case FUNCTION_OF_FRAME:
        return name_frame(all, f, name);
    default:
        return name_by_symbol(all, &all->f->arena, symbol,
                              shows_file(all, &all->program.symbols.data[symbol]), name);
    }
}

/* ---- functions to skip ---- */

static bool has_skip(const struct naming *all)
{
    return all->skip && all->skip->fn;
}

/* Whether the name that a symbol gives to its function is that of a function to skip. Below 0: out of memory. */
static int skips_symbol(struct naming *all, size_t at, bool by_file)
{
    struct arena scratch = {0};
    struct apf_str name;
    int found = name_by_symbol(all, &scratch, at, by_file, &name) ? all->skip->fn(all->skip->user, name) : -1;
    arena_free(&scratch);
    return found;
}

static int skips_function(struct naming *all, const struct program_function *from, struct apf_str name)
{
    const struct program_symbol *list = all->program.symbols.data;
    int found = 0;
    if (from->origin != FUNCTION_OF_SYMBOL)
        return all->skip->fn(all->skip->user, name);
    for (size_t i = from->symbol; found == 0 && i < all->program.symbols.n; i++) {
        if (list[i].address != list[from->symbol].address)
            break;
        if (list[i].is_function)
            found = skips_symbol(all, i, false);
        if (found == 0 && list[i].is_function && list[i].is_local && has_file(&list[i]))
            found = skips_symbol(all, i, true);
    }
    return found;
}

/* False: out of memory. */
static bool skip_functions(struct naming *all)
{
    struct bolt_functions *f = all->f;
    bool any = false;
    for (size_t i = 0; has_skip(all) && i < f->list.n; i++) {
        int found = skips_function(all, &all->program.list.data[i], f->list.data[i].name);
        if (found < 0)
            return false;
        f->list.data[i].is_skipped = found > 0;
        any |= found > 0;
    }
    return !any || bolt_skip_fragments(f, &all->program);
}

/* ---- the list ---- */

/* Numbers functions in the order in which BOLT makes them. The code before the first stub of a section gets its number
 * after the last stub. */
static void number_functions(struct bolt_functions *f, const struct program_functions *p)
{
    struct bolt_function *front = NULL;
    uint32_t n = 0;
    for (size_t i = 0; i < p->list.n; i++)
        if (p->list.data[i].origin == FUNCTION_OF_SYMBOL)
            f->list.data[i].fid = ++n;
    for (size_t i = 0; i < p->list.n; i++) {
        if (p->list.data[i].origin != FUNCTION_OF_STUB)
            continue;
        bool is_front = is_stub_front(&p->list.data[i]);
        if (is_front && front)
            front->fid = ++n;
        if (is_front)
            front = &f->list.data[i];
        else
            f->list.data[i].fid = ++n;
    }
    if (front)
        front->fid = ++n;
    for (size_t i = 0; i < p->list.n; i++)
        if (p->list.data[i].origin == FUNCTION_OF_FRAME)
            f->list.data[i].fid = ++n;
}

static bool make_list(struct naming *all)
{
    struct bolt_functions *f = all->f;
    const struct program_functions *p = &all->program;
    if (!VEC_RESERVE(&f->list, p->list.n))
        return false;
    for (size_t i = 0; i < p->list.n; i++) {
        const struct program_function *from = &p->list.data[i];
        struct bolt_function function = {.address = from->address, .end = from->end, .size = from->size};
        function.fragment = BOLT_NONE;
        function.owner = (uint32_t)i;
        function.is_stub = from->origin == FUNCTION_OF_STUB;
        if (!name_function(all, from, &function.name))
            return false;
        f->list.data[f->list.n++] = function;
    }
    number_functions(f, p);
    return skip_functions(all);
}

/* Names the functions of the program. */
static bool name_functions(struct naming *all)
{
    struct arena scratch = {0};
    size_t n = all->program.symbols.n;
    all->numbers = arena_zeros(&scratch, n, sizeof *all->numbers);
    all->in_file = arena_zeros(&scratch, n, sizeof *all->in_file);
    bool needs_files = all->f->bat->has_table || has_skip(all);
    bool done = all->numbers && all->in_file && number_symbols(all, false, all->numbers) &&
                (!needs_files || number_symbols(all, true, all->in_file)) && make_list(all);
    arena_free(&scratch);
    return done;
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

int bolt_functions_open(struct bolt_functions *f, const struct apf_bat *bat, const struct bolt_skip *skip,
                        struct apf_error *error)
{
    struct naming all = {.f = f, .skip = skip};
    *f = (struct bolt_functions){.bat = bat};
    int code = program_functions_open(&all.program, bat->elf, error);
    if (code == APF_OK)
        code = check_names(&all, error);
    if (code == APF_OK)
        code = name_functions(&all) ? make_buckets(f, error) : error_memory(error);
    if (code == APF_OK)
        assign_fragments(f);
    program_functions_close(&all.program);
    return code;
}

void bolt_functions_close(struct bolt_functions *f)
{
    VEC_FREE(&f->list);
    arena_free(&f->arena);
}

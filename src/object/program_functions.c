/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/program_functions.h"

#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "object/code_padding.h"
#include "object/eh_frames.h"
#include "object/plt_stubs.h"

struct extent {
    uint64_t address, size;
};

struct search {
    struct program_functions *f;
    const struct elf_file *elf;
    VEC(struct elf_section) sections; /* by number */
    VEC(struct elf_section) code;     /* those with code, by address */
    VEC(struct extent) frames;        /* by address, each once */
    const char *file;
    uint32_t n_read;     /* symbols of .symtab */
    uint64_t name_bytes; /* that symbols of sections may still have: any number can be of one section */
    bool failed;         /* an allocation has failed */
};

/* ---- sections ---- */

static bool contains(const struct elf_section *s, uint64_t address)
{
    return address >= s->address && address - s->address < s->size;
}

static int collect_section(void *user, const struct elf_section *section)
{
    struct search *search = user;
    struct elf_section none = {.name = ""};
    while (search->sections.n < section->index)
        if (!VEC_PUSH(&search->sections, none))
            return APF_NO_MEMORY;
    bool done = VEC_PUSH(&search->sections, *section);
    if (done && elf_has_code(section))
        done = VEC_PUSH(&search->code, *section);
    return done ? APF_OK : APF_NO_MEMORY;
}

static bool section_before(const void *context, const void *a, const void *b)
{
    const struct elf_section *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

/* The section with code at an address; NULL: there is none. */
static const struct elf_section *find_code(const struct search *search, uint64_t address)
{
    size_t at;
    SEARCH(at, 0, search->code.n, search->code.data[at].address <= address);
    const struct elf_section *s = at ? &search->code.data[at - 1] : NULL;
    return s && contains(s, address) ? s : NULL;
}

bool is_plt_section(const struct elf_section *section)
{
    return section->flags & SHF_EXECINSTR && strncmp(section->name, ".plt", 4) == 0;
}

/* ---- symbols ---- */

bool is_mapping_symbol(uint32_t machine, const struct elf_symbol *symbol)
{
    const char *name = symbol->name;
    bool known = machine == EM_AARCH64 || machine == EM_RISCV;
    if (!known || symbol->type != STT_NOTYPE || symbol->size || name[0] != '$' ||
        (name[1] != 'x' && name[1] != 'd'))
        return false;
    return !name[2] || name[2] == '.' || (machine == EM_RISCV && name[1] == 'x');
}

/* BOLT's marks of hot code, and symbols outside of their section, are not part of the program. */
static bool is_ignored(const struct search *search, const struct elf_symbol *s)
{
    if (s->value == 0 || s->type == STT_FILE || s->section == ELF_UNDEFINED ||
        is_mapping_symbol(elf_file_facts(search->elf)->machine, s))
        return true;
    if (strcmp(s->name, "__hot_start") == 0 || strcmp(s->name, "__hot_end") == 0)
        return true;
    if (s->section == ELF_NO_SECTION)
        return false;
    if (s->section >= search->sections.n)
        return true;
    const struct elf_section *in = &search->sections.data[s->section];
    uint64_t offset = s->value - in->address;
    bool inside = s->value >= in->address && offset <= in->size && s->size <= in->size - offset;
    return !inside || !(in->flags & SHF_ALLOC) || (s->type == STT_SECTION && is_plt_section(in));
}

/* Link-time optimisation names a file of its own, which BOLT overlooks. */
#define LTO_FILE "ld-temp.o"
#define SMALL_NAMES ((uint64_t)1 << 20)

static void name_section(struct search *search, struct program_symbol *s)
{
    const char *name = search->sections.data[s->section].name;
    size_t n = strlen(name);
    if (n > search->name_bytes)
        return;
    search->name_bytes -= n;
    s->name = name;
    s->n = (uint32_t)n;
}

static int collect_symbol(void *user, const struct elf_symbol *symbol)
{
    struct search *search = user;
    uint32_t order = search->n_read++;
    if (symbol->type == STT_FILE && symbol->section != ELF_UNDEFINED && strcmp(symbol->name, LTO_FILE) != 0)
        search->file = *symbol->name ? symbol->name : NULL;
    if (is_ignored(search, symbol))
        return 0;
    bool local = symbol->binding == STB_LOCAL;
    struct program_symbol s = {.address = symbol->value,
                               .size = symbol->size,
                               .name = symbol->name,
                               .file = local ? search->file : NULL,
                               .n = (uint32_t)symbol->n,
                               .order = order,
                               .section = symbol->section,
                               .type = symbol->type,
                               .is_local = local};
    if (s.type == STT_SECTION && !s.n && s.section != ELF_NO_SECTION)
        name_section(search, &s);
    return VEC_PUSH(&search->f->symbols, s) ? 0 : APF_NO_MEMORY;
}

static int rank(const struct program_symbol *s)
{
    return s->type == STT_FUNC ? 0 : s->type == STT_SECTION ? 2 : 1;
}

static bool symbol_before(const void *context, const void *a, const void *b)
{
    const struct program_symbol *x = a, *y = b;
    (void)context;
    return x->address != y->address ? x->address < y->address : rank(x) < rank(y);
}

/* ---- frames ---- */

static void collect_frame(void *user, const struct eh_frame *frame)
{
    struct search *search = user;
    struct extent e = {frame->start, frame->size};
    search->failed = search->failed || (e.size && !VEC_PUSH(&search->frames, e));
}

static bool extent_before(const void *context, const void *a, const void *b)
{
    const struct extent *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

static int collect_frames(struct search *search, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < search->sections.n; i++) {
        const struct elf_section *s = &search->sections.data[i];
        const uint8_t *data;
        size_t n;
        if (!(s->flags & SHF_ALLOC) || s->type == SHT_NOBITS || strcmp(s->name, ".eh_frame") != 0)
            continue;
        code = elf_file_bytes(search->elf, s->index, &data, &n, error);
        if (code == APF_OK)
            eh_frames_read(data, n, s->address, collect_frame, search);
    }
    if (code == APF_OK && (search->failed || !SORT_VEC(&search->frames, extent_before, NULL)))
        return error_memory(error);
    size_t kept = 0;
    for (size_t i = 0; i < search->frames.n; i++)
        if (kept == 0 || search->frames.data[kept - 1].address != search->frames.data[i].address)
            search->frames.data[kept++] = search->frames.data[i];
    search->frames.n = kept;
    return code;
}

/* The size of the frame that begins at an address; 0: there is none. */
static uint64_t frame_size(const struct search *search, uint64_t address)
{
    size_t at;
    SEARCH(at, 0, search->frames.n, search->frames.data[at].address < address);
    bool found = at < search->frames.n && search->frames.data[at].address == address;
    return found ? search->frames.data[at].size : 0;
}

/* ---- functions of symbols ---- */

static bool covers(const struct program_function *f, uint64_t address)
{
    return address >= f->address && address - f->address < f->size;
}

/* Whether a symbol may stand inside of a function: without a size where the function has one, or a local label. */
static bool is_tolerated(const struct search *search, const struct program_function *f,
                         const struct program_symbol *s)
{
    const struct elf_section *in = find_code(search, f->address);
    if (!in || !contains(in, s->address))
        return false;
    return (s->size == 0 && covers(f, s->address)) || (s->type == STT_NOTYPE && s->is_local);
}

/* Whether a symbol may begin a function: it is in code. */
static bool is_in_code(const struct search *search, const struct program_symbol *s)
{
    if (s->section == ELF_NO_SECTION)
        return false;
    const struct elf_section *in = &search->sections.data[s->section];
    return elf_has_code(in) && s->address - in->address < in->size;
}

/* Whether a symbol is part of the function before it. Of symbols without the type of a function, only their scope can
 * tell functions from labels. */
static bool is_inside(const struct search *search, const struct program_function *f,
                      const struct program_symbol *s)
{
    if (s->type == STT_FUNC)
        return covers(f, s->address) && f->address != s->address;
    return covers(f, s->address) || (f->size == 0 && is_tolerated(search, f, s));
}

/* The larger one of the sizes that the symbol and a frame say. */
static uint64_t size_of(const struct search *search, const struct program_symbol *s)
{
    const struct elf_section *in = &search->sections.data[s->section];
    uint64_t framed = frame_size(search, s->address), room = in->size - (s->address - in->address);
    framed = framed < room ? framed : room;
    return s->size > framed ? s->size : framed;
}

static bool add_symbols(struct search *search)
{
    struct program_functions *all = search->f;
    struct program_function *before = NULL;
    for (size_t i = 0; i < all->symbols.n; i++) {
        struct program_symbol *s = &all->symbols.data[i];
        if (!is_in_code(search, s))
            continue;
        if (before && is_inside(search, before, s)) {
            s->is_entry = s->type == STT_FUNC && !is_tolerated(search, before, s);
            continue;
        }
        uint64_t size = size_of(search, s);
        s->is_function = true;
        if (before && before->address == s->address) {
            before->size = size > before->size ? size : before->size;
            continue;
        }
        struct program_function f = {.address = s->address, .size = size, .symbol = (uint32_t)i};
        if (!VEC_PUSH(&all->list, f))
            return false;
        before = &all->list.data[all->list.n - 1];
    }
    return all->symbols.n < UINT32_MAX;
}

/* ---- stubs, and functions of frames ---- */

/* Of functions that begin at an address, and of those that cover it; NULL: neither. `n`: functions by address. */
static const struct program_function *find_around(const struct program_functions *f, size_t n,
                                                  uint64_t address)
{
    size_t at;
    SEARCH(at, 0, n, f->list.data[at].address <= address);
    const struct program_function *found = at ? &f->list.data[at - 1] : NULL;
    return found && (found->address == address || covers(found, address)) ? found : NULL;
}

struct stubs {
    struct search *search;
    size_t n; /* functions of symbols */
};

static int add_stub(void *user, const struct plt_stub *stub)
{
    const struct stubs *stubs = user;
    struct program_functions *f = stubs->search->f;
    struct program_function function = {.address = stub->address,
                                        .origin = FUNCTION_OF_STUB,
                                        .target = stub->symbol,
                                        .resolver = stub->resolver,
                                        .section = stub->section};
    const struct program_function *there = find_around(f, stubs->n, stub->address);
    if (there && there->address == stub->address)
        return APF_OK;
    return VEC_PUSH(&f->list, function) ? APF_OK : APF_NO_MEMORY;
}

static bool function_before(const void *context, const void *a, const void *b)
{
    const struct program_function *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

static bool add_frames(struct search *search)
{
    struct program_functions *all = search->f;
    size_t n = all->list.n;
    uint64_t covered = 0;
    for (size_t i = 0; i < search->frames.n; i++) {
        const struct extent *e = &search->frames.data[i];
        struct program_function f = {.address = e->address, .size = e->size, .origin = FUNCTION_OF_FRAME};
        const struct elf_section *in = find_code(search, e->address);
        if (!in || e->address < covered || find_around(all, n, e->address))
            continue;
        uint64_t room = in->address + in->size - e->address;
        f.size = f.size < room ? f.size : room;
        covered = f.address + f.size;
        if (!VEC_PUSH(&all->list, f))
            return false;
    }
    return SORT_VEC(&all->list, function_before, NULL);
}

/* ---- boundaries ---- */

/* A function reaches up to the next symbol that may not stand inside of it. One whose size is not known is as long as
 * it can be. */
static void set_ends(const struct search *search)
{
    struct program_functions *all = search->f;
    for (size_t i = 0; i < all->list.n; i++) {
        struct program_function *f = &all->list.data[i];
        const struct elf_section *in = find_code(search, f->address);
        uint64_t end = in ? in->address + in->size : f->address;
        size_t k;
        if (i + 1 < all->list.n && f[1].address < end)
            end = f[1].address;
        SEARCH(k, 0, all->symbols.n, all->symbols.data[k].address <= f->address);
        while (k < all->symbols.n && all->symbols.data[k].address < end &&
               (all->symbols.data[k].is_entry || is_tolerated(search, f, &all->symbols.data[k])))
            k++;
        if (k < all->symbols.n && all->symbols.data[k].address < end)
            end = all->symbols.data[k].address;
        f->end = end - f->address < f->size ? f->address + f->size : end;
        f->size = f->size ? f->size : f->end - f->address;
    }
}

static bool is_padding(const struct search *search, const uint8_t *p, size_t n)
{
    uint32_t machine = elf_file_facts(search->elf)->machine;
    return machine == EM_X86_64 ? x86_is_padding(p, n) : machine != EM_AARCH64 || aarch64_is_padding(p, n);
}

/* Whether a name is that of a part that a compiler, or BOLT, split off from a function. */
static bool is_fragment_name(const char *name)
{
    return strstr(name, ".cold") || strstr(name, ".warm");
}

/* Whether one of the symbols of a function has such a name. */
static bool is_fragment(const struct program_functions *all, const struct program_function *f)
{
    for (size_t i = f->symbol; f->origin == FUNCTION_OF_SYMBOL && i < all->symbols.n; i++) {
        const struct program_symbol *s = &all->symbols.data[i];
        if (s->address != f->address)
            break;
        if (s->is_function && is_fragment_name(s->name))
            return true;
    }
    return false;
}

/* Where code that no symbol names follows, a function ends with its own code; but BOLT does not look after fragments,
 * nor in programs that still have their relocations. */
static int trim_ends(const struct search *search, struct apf_error *error)
{
    struct program_functions *all = search->f;
    const struct elf_section *in = NULL;
    const uint8_t *data = NULL;
    size_t n = 0;
    for (size_t i = 0; i < all->list.n; i++) {
        struct program_function *f = &all->list.data[i];
        uint64_t code_end = f->address + f->size;
        if (f->end == code_end)
            continue;
        if (!in || !contains(in, f->address)) {
            in = find_code(search, f->address);
            int code = in ? elf_file_bytes(search->elf, in->index, &data, &n, error) : APF_OK;
            if (code != APF_OK)
                return code;
        }
        uint64_t at = in ? code_end - in->address : 0;
        if (in && f->end - in->address <= n && !is_padding(search, data + at, (size_t)(f->end - code_end)) &&
            !is_fragment(all, f))
            f->end = code_end;
    }
    return APF_OK;
}

static bool has_relocations(const struct search *search)
{
    for (size_t i = 0; i < search->sections.n; i++)
        if (strcmp(search->sections.data[i].name, ".rela.text") == 0)
            return true;
    return false;
}

int program_functions_open(struct program_functions *f, const struct elf_file *elf, struct apf_error *error)
{
    struct search search = {.f = f, .elf = elf, .name_bytes = elf_file_size(elf) + SMALL_NAMES};
    struct stubs stubs = {.search = &search};
    *f = (struct program_functions){.list = {0}};
    bool done = elf_file_sections(elf, collect_section, &search) == APF_OK &&
                SORT_VEC(&search.code, section_before, NULL);
    int code = done ? elf_file_symbols(elf, collect_symbol, &search, error) : error_memory(error);
    if (code == APF_OK)
        code = collect_frames(&search, error);
    if (code == APF_OK && (!SORT_VEC(&f->symbols, symbol_before, NULL) || !add_symbols(&search)))
        code = error_memory(error);
    stubs.n = f->list.n;
    if (code == APF_OK)
        code = plt_stubs(elf, add_stub, &stubs, error);
    if (code == APF_OK &&
        (!SORT_VEC(&f->list, function_before, NULL) || !add_frames(&search) || f->list.n >= UINT32_MAX))
        code = error_memory(error);
    if (code == APF_OK) {
        set_ends(&search);
        code = has_relocations(&search) ? APF_OK : trim_ends(&search, error);
    }
    VEC_FREE(&search.sections);
    VEC_FREE(&search.code);
    VEC_FREE(&search.frames);
    return code;
}

const struct program_function *program_function_at(const struct program_functions *f, uint64_t address)
{
    size_t at;
    SEARCH(at, 0, f->list.n, f->list.data[at].address < address);
    return at < f->list.n && f->list.data[at].address == address ? &f->list.data[at] : NULL;
}

void program_functions_close(struct program_functions *f)
{
    VEC_FREE(&f->symbols);
    VEC_FREE(&f->list);
}

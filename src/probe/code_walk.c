/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/code_walk.h"

#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"

/* ---- what there is ---- */

static int record_section(void *user, const struct elf_section *section)
{
    struct code_walk *w = user;
    if (!(section->flags & SHF_EXECINSTR) || section->size == 0)
        return 0;
    return VEC_PUSH(&w->sections, *section) ? 0 : APF_NO_MEMORY;
}

/* The section of code with a number; NULL: none. */
static const struct elf_section *find_section(const struct code_walk *w, uint32_t index)
{
    size_t low;
    SEARCH(low, 0, w->sections.n, w->sections.data[low].index < index);
    bool found = low < w->sections.n && w->sections.data[low].index == index;
    return found ? &w->sections.data[low] : NULL;
}

static int record_symbol(void *user, const struct elf_symbol *symbol)
{
    struct code_walk *w = user;
    const struct elf_section *section = find_section(w, symbol->section);
    if (!section)
        return 0;
    struct code_symbol s = {symbol->value, symbol->name, symbol->section};
    if (symbol->type == STT_SECTION)
        s.name = section->name;
    return VEC_PUSH(&w->symbols, s) ? 0 : APF_NO_MEMORY;
}

/* Among symbols at one address, the last one by name has the code. */
static bool symbol_before(const void *context, const void *a, const void *b)
{
    const struct code_symbol *x = a, *y = b;
    (void)context;
    if (x->section != y->section)
        return x->section < y->section;
    if (x->address != y->address)
        return x->address < y->address;
    return strcmp(x->name, y->name) < 0;
}

static int find_code(struct code_walk *w, struct apf_error *error)
{
    if (elf_file_sections(w->probes->elf, record_section, w) != 0)
        return error_memory(error);
    int code = elf_file_symbols(w->probes->elf, record_symbol, w, error);
    if (code != APF_OK)
        return code;
    size_t n = w->symbols.n;
    if (!VEC_RESERVE(&w->symbols, n))
        return error_memory(error);
    if (n)
        sort_merge(w->symbols.data, w->symbols.data + n, n, sizeof *w->symbols.data, symbol_before, NULL);
    return APF_OK;
}

/* Orders the probes of objects by section, since every section of code begins at 0. */
static int order_probes(struct code_walk *w, struct apf_error *error)
{
    const struct apf_probes *p = w->probes;
    if (!p->info.relocatable)
        return APF_OK;
    w->by_section = arena_array(&w->arena, p->n_placed, sizeof *w->by_section);
    if (!w->by_section)
        return error_memory(error);
    memcpy(w->by_section, p->by_address, p->n_placed * sizeof *w->by_section);
    return probe_sort_by_text(p, w->by_section, p->n_placed) ? APF_OK : error_memory(error);
}

int code_walk_open(struct code_walk *w, const struct apf_probes *probes, uint32_t flags, uint64_t max_bytes,
                   struct apf_error *error)
{
    *w = (struct code_walk){.probes = probes, .max_bytes = max_bytes};
    if (!probes->elf)
        return error_plain(error, APF_UNSUPPORTED, "probes.code",
                           "sections alone have no code; give the program");
    int code = disassembler_open(&w->disassembler, elf_file_facts(probes->elf), flags, error);
    if (code == APF_OK)
        code = find_code(w, error);
    if (code == APF_OK)
        code = order_probes(w, error);
    w->before = arena_mark(&w->arena);
    return code;
}

void code_walk_close(struct code_walk *w)
{
    disassembler_close(w->disassembler);
    VEC_FREE(&w->sections);
    VEC_FREE(&w->symbols);
    arena_free(&w->arena);
}

/* ---- sections and symbols ---- */

/* Lists the probes of the section. */
static void list_probes(struct code_walk *w)
{
    const struct apf_probes *p = w->probes;
    w->next = 0;
    w->list = p->by_address;
    w->n_list = p->n_placed;
    if (!w->by_section)
        return;
    size_t first, end;
    SEARCH(first, 0, p->n_placed, probe_text(p, w->by_section[first]) < w->section->index);
    for (end = first; end < p->n_placed && probe_text(p, w->by_section[end]) == w->section->index;)
        end++;
    w->list = w->by_section + first;
    w->n_list = end - first;
}

/* The first symbol of a section or a later one. */
static size_t first_symbol(const struct code_walk *w, uint32_t section)
{
    size_t low;
    SEARCH(low, 0, w->symbols.n, w->symbols.data[low].section < section);
    return low;
}

int code_walk_section(struct code_walk *w, size_t i, struct apf_error *error)
{
    arena_rewind(&w->arena, w->before); /* the inflated section before */
    w->before = arena_mark(&w->arena);
    w->section = &w->sections.data[i];
    list_probes(w);
    disassembler_symbol(w->disassembler, "$a");
    w->next_symbol = first_symbol(w, w->section->index);
    w->behind = first_symbol(w, w->section->index + 1);
    return elf_file_contents(w->probes->elf, w->section->index, w->max_bytes, &w->arena, &w->data, &w->n,
                             error);
}

/* The offset of symbol i in the section, or the end of the section. */
static size_t symbol_offset(const struct code_walk *w, size_t i)
{
    if (i >= w->behind)
        return w->n;
    uint64_t offset = w->symbols.data[i].address - w->section->address;
    return offset < w->n ? (size_t)offset : w->n;
}

/* Skips the probes before the symbol. */
static void seek_probe(struct code_walk *w)
{
    uint64_t address = w->section->address + w->at;
    size_t low;
    SEARCH(low, 0, w->n_list, code_walk_address(w, low) < address);
    w->next = low;
}

bool code_walk_symbol(struct code_walk *w)
{
    if (w->next_symbol >= w->behind)
        return false;
    w->name = w->symbols.data[w->next_symbol].name;
    w->at = symbol_offset(w, w->next_symbol);
    w->end = symbol_offset(w, ++w->next_symbol);
    disassembler_symbol(w->disassembler, w->name);
    seek_probe(w);
    return true;
}

/* ---- instructions ---- */

/* The offset where decoding continues after a failure: the next probe or symbol. */
static size_t resume_decoding(const struct code_walk *w, uint64_t address)
{
    size_t left = w->end - w->at;
    if (w->next < w->n_list && code_walk_address(w, w->next) - address < left)
        left = (size_t)(code_walk_address(w, w->next) - address);
    return left;
}

bool code_walk_step(struct code_walk *w, struct code_step *step)
{
    bool more = w->at < w->end;
    uint64_t address = w->section->address + (more ? w->at : w->end);
    step->address = address;
    step->inside = w->next;
    while (w->next < w->n_list && code_walk_address(w, w->next) < address)
        w->next++;
    step->first = step->behind = w->next;
    if (!more)
        return false;
    while (w->next < w->n_list && code_walk_address(w, w->next) == address)
        w->next++;
    step->behind = w->next;
    step->instruction = disassembler_next(w->disassembler, w->data + w->at, w->n - w->at, address);
    w->at += step->instruction.size ? step->instruction.size : resume_decoding(w, address);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The code of a program with its probes: section by section, in them symbol by symbol. */
#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/options.h"
#include "probe/disassembly_text.h"

struct code_symbol {
    uint64_t address;
    const char *name;
    uint32_t section;
};

/* Probes that may be at an instruction, by address, and the first one that is not behind it. */
struct probe_list {
    const uint32_t *order;
    size_t n, next;
};

/* GUIDs of names, ascending. */
struct name_set {
    uint64_t *guids;
    size_t n;
    bool everything;
};

struct listing {
    const struct apf_probes *probes;
    struct apf_disassembly_options options;
    struct listing_text text;
    struct disassembler *disassembler;
    struct source_lines *lines; /* NULL: not wanted */
    struct arena arena;
    VEC(struct elf_section) sections; /* of code */
    VEC(struct code_symbol) symbols;
    uint32_t *order; /* objects: the placed probes by section and address */
    struct probe_list list;
    struct name_set named, of_function;
    struct apf_error *error;
};

/* ---- what is listed ---- */

static int note_section(void *user, const struct elf_section *section)
{
    struct listing *l = user;
    if (!(section->flags & SHF_EXECINSTR) || section->size == 0)
        return 0;
    return VEC_PUSH(&l->sections, *section) ? 0 : APF_NO_MEMORY;
}

/* The section of code with that number; NULL: it is none. */
static const struct elf_section *find_section(const struct listing *l, uint32_t index)
{
    size_t low = 0, high = l->sections.n; /* they are in the order of their numbers */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->sections.data[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < l->sections.n && l->sections.data[low].index == index;
    return found ? &l->sections.data[low] : NULL;
}

static int note_symbol(void *user, const struct elf_symbol *symbol)
{
    struct listing *l = user;
    const struct elf_section *section = find_section(l, symbol->section);
    if (!section)
        return 0;
    struct code_symbol s = {symbol->value, symbol->name, symbol->section};
    if (symbol->type == STT_SECTION)
        s.name = section->name;
    uint32_t machine = l->probes->info.elf_machine;
    if (symbol->type == STT_FUNC && (machine == EM_ARM || machine == EM_MIPS))
        s.address &= ~(uint64_t)1; /* it says which instruction set */
    return VEC_PUSH(&l->symbols, s) ? 0 : APF_NO_MEMORY;
}

/* Of symbols at one address the first ones by name have no code: it is that of the last one. */
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

static int find_code(struct listing *l)
{
    if (elf_file_sections(l->probes->elf, note_section, l) != 0 ||
        elf_file_symbols(l->probes->elf, note_symbol, l) != 0)
        return error_memory(l->error);
    size_t n = l->symbols.n;
    if (!VEC_RESERVE(&l->symbols, n))
        return error_memory(l->error);
    if (n)
        sort_merge(l->symbols.data, l->symbols.data + n, n, sizeof *l->symbols.data, symbol_before, NULL);
    return APF_OK;
}

/* In objects every section of code begins at 0. */
static int order_probes(struct listing *l)
{
    const struct apf_probes *p = l->probes;
    if (!p->info.relocatable)
        return APF_OK;
    l->order = arena_array(&l->arena, p->n_placed, sizeof *l->order);
    if (!l->order)
        return error_memory(l->error);
    memcpy(l->order, p->by_address, p->n_placed * sizeof *l->order);
    return probe_sort_by_text(p, l->order, p->n_placed) ? APF_OK : error_memory(l->error);
}

/* The probes of a section. */
static struct probe_list section_probes(const struct listing *l, uint32_t section)
{
    const struct apf_probes *p = l->probes;
    struct probe_list list = {p->by_address, p->n_placed, 0};
    if (!l->order)
        return list;
    size_t first = 0, end;
    for (size_t high = p->n_placed; first < high;) {
        size_t middle = first + (high - first) / 2;
        if (probe_text(p, l->order[middle]) < section)
            first = middle + 1;
        else
            high = middle;
    }
    for (end = first; end < p->n_placed && probe_text(p, l->order[end]) == section;)
        end++;
    list.order = l->order + first;
    list.n = end - first;
    return list;
}

/* ---- filters ---- */

static void make_set(struct name_set *set, uint64_t *guids, uint64_t *scratch, size_t n)
{
    set->guids = guids;
    set->n = n;
    sort_numbers(guids, scratch, n);
}

static bool contains(const struct name_set *set, uint64_t guid)
{
    size_t low = 0, high = set->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->guids[middle] < guid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->n && set->guids[low] == guid;
}

static uint64_t guid_of(const char *name)
{
    return md5_name_ref(name, strlen(name));
}

/* The names of symbols that were asked for. */
static int set_named(struct listing *l)
{
    size_t n = l->options.n_functions;
    l->named.everything = n == 0;
    uint64_t *guids = arena_array(&l->arena, 2 * n, sizeof *guids);
    if (!guids)
        return error_memory(l->error);
    for (size_t i = 0; i < n; i++)
        guids[i] = md5_name_ref(l->options.functions[i].p, l->options.functions[i].n);
    make_set(&l->named, guids, guids + n, n);
    return APF_OK;
}

/* The symbols of a function: that of its name, and those of its parts. */
static int set_of_function(struct listing *l)
{
    const struct apf_probes *p = l->probes;
    uint64_t guid = l->options.guid;
    size_t n = 1, used = 0;
    l->of_function.everything = !(l->options.flags & APF_DISASSEMBLY_ONE_FUNCTION);
    if (l->of_function.everything)
        return APF_OK;
    for (size_t i = 0; i < p->nodes.n; i += p->nodes.data[i].n_nodes)
        n += p->nodes.data[i].guid == guid;
    uint64_t *guids = arena_array(&l->arena, 2 * n, sizeof *guids);
    if (!guids)
        return error_memory(l->error);
    guids[used++] = guid;
    for (size_t i = 0; i < p->nodes.n; i += p->nodes.data[i].n_nodes)
        if (p->nodes.data[i].guid == guid)
            guids[used++] = p->nodes.data[i].symbol;
    make_set(&l->of_function, guids, guids + n, n);
    for (size_t i = 0; i < l->symbols.n; i++)
        if (contains(&l->of_function, guid_of(l->symbols.data[i].name)))
            return APF_OK;
    return error_plain(l->error, APF_UNKNOWN_FUNCTION, "probes.function", "no code of it");
}

static bool is_wanted(const struct listing *l, const char *name)
{
    if (l->named.everything && l->of_function.everything)
        return true;
    uint64_t guid = guid_of(name);
    return (l->named.everything || contains(&l->named, guid)) &&
           (l->of_function.everything || contains(&l->of_function, guid));
}

static bool is_in_range(const struct listing *l, uint64_t low, uint64_t high)
{
    return !(l->options.flags & APF_DISASSEMBLY_RANGE) || (low < l->options.high && high > l->options.low);
}

/* ---- code ---- */

/* A symbol's part of its section. */
struct piece {
    const struct elf_section *section;
    const uint8_t *data; /* of the section */
    size_t n;
    size_t at, end; /* of the symbol */
};

static uint64_t probe_address(const struct listing *l, size_t place)
{
    return l->probes->probes.data[l->list.order[place]].address;
}

static void seek_probes(struct listing *l, uint64_t address)
{
    size_t low = 0, high = l->list.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (probe_address(l, middle) < address)
            low = middle + 1;
        else
            high = middle;
    }
    l->list.next = low;
}

static void list_probes(struct listing *l, uint64_t address, bool shown)
{
    struct probe_list *list = &l->list;
    while (list->next < list->n && probe_address(l, list->next) < address)
        list->next++;
    for (; list->next < list->n && probe_address(l, list->next) == address; list->next++)
        if (shown && l->text.with_probes)
            listing_probe(&l->text, &l->probes->probes.data[list->order[list->next]]);
}

/* Where to go on behind what cannot be decoded: at the next probe or symbol. */
static size_t resume(const struct listing *l, const struct piece *piece, uint64_t address)
{
    size_t left = piece->end - piece->at;
    if (l->list.next < l->list.n && probe_address(l, l->list.next) - address < left)
        left = (size_t)(probe_address(l, l->list.next) - address);
    return left;
}

static int list_instruction(struct listing *l, struct piece *piece, uint64_t address)
{
    const uint8_t *p = piece->data + piece->at;
    struct instruction i = disassembler_next(l->disassembler, p, piece->n - piece->at, address);
    bool shown = is_in_range(l, address, address + (i.size ? i.size : 1));
    const struct source_frame *frames = NULL;
    size_t n_frames = 0, columns;
    int code = APF_OK;
    list_probes(l, address, shown);
    if (shown && l->lines)
        code = source_lines_at(l->lines, address, &frames, &n_frames, l->error);
    if (code == APF_OK && shown) {
        listing_instruction(&l->text, address, &i, &columns);
        if (l->lines)
            listing_locations(&l->text, frames, n_frames, columns);
        listing_end_instruction(&l->text);
    }
    piece->at += i.size ? i.size : resume(l, piece, address);
    return code;
}

static int list_piece(struct listing *l, struct piece *piece, const char *name)
{
    uint64_t base = piece->section->address;
    if (!is_in_range(l, base + piece->at, base + piece->end))
        return APF_OK;
    int code = APF_OK;
    listing_label(&l->text, name);
    seek_probes(l, base + piece->at);
    while (code == APF_OK && !l->text.failed && piece->at < piece->end)
        code = list_instruction(l, piece, base + piece->at);
    listing_end_label(&l->text);
    return code;
}

/* Offset of symbol i in its section, or the end of the section. */
static size_t symbol_offset(const struct listing *l, size_t i, const struct elf_section *section, size_t n)
{
    if (i >= l->symbols.n || l->symbols.data[i].section != section->index)
        return n;
    uint64_t offset = l->symbols.data[i].address - section->address;
    return offset < n ? (size_t)offset : n;
}

static int list_section(struct listing *l, const struct elf_section *section, size_t *symbol)
{
    struct piece piece = {.section = section};
    int code = APF_OK;
    listing_section(&l->text, section);
    bool is_plt = strcmp(section->name, ".plt") == 0; /* llvm-profgen leaves it out */
    if (!is_plt)
        code = elf_file_contents(l->probes->elf, section->index, options_max_bytes(&l->options.options),
                                 &l->arena, &piece.data, &piece.n, l->error);
    l->list = section_probes(l, section->index);
    disassembler_symbol(l->disassembler, "$a");
    for (; *symbol < l->symbols.n && l->symbols.data[*symbol].section == section->index; ++*symbol) {
        const char *name = l->symbols.data[*symbol].name;
        piece.at = symbol_offset(l, *symbol, section, piece.n);
        piece.end = symbol_offset(l, *symbol + 1, section, piece.n);
        disassembler_symbol(l->disassembler, name);
        if (code == APF_OK && !is_plt && !l->text.failed && is_wanted(l, name))
            code = list_piece(l, &piece, name);
    }
    return code;
}

static int list_file(struct listing *l)
{
    const struct apf_disassembly_options *o = &l->options;
    int code = APF_OK;
    size_t symbol = 0;
    if (l->text.with_probes && l->probes->info.n_desc_sections)
        listing_descs(&l->text);
    listing_file(&l->text, o->name ? o->name : "");
    for (size_t i = 0; code == APF_OK && i < l->sections.n; i++)
        code = list_section(l, &l->sections.data[i], &symbol);
    return code;
}

/* ---- the call ---- */

static int prepare(struct listing *l)
{
    const struct elf_facts *facts = elf_file_facts(l->probes->elf);
    uint32_t flags = l->options.flags;
    int code = disassembler_open(&l->disassembler, facts,
                                 flags & APF_DISASSEMBLY_INTEL ? DISASSEMBLER_INTEL : 0, l->error);
    if (code == APF_OK && flags & APF_DISASSEMBLY_LOCATIONS && facts->relocatable)
        code = error_plain(l->error, APF_UNSUPPORTED, "elf.type",
                           "source locations are shown of linked files only");
    else if (code == APF_OK && flags & APF_DISASSEMBLY_LOCATIONS)
        code = source_lines_open(&l->lines, l->probes->elf, options_max_bytes(&l->options.options), l->error);
    if (code == APF_OK)
        code = find_code(l);
    if (code == APF_OK)
        code = order_probes(l);
    if (code == APF_OK)
        code = set_named(l);
    return code == APF_OK ? set_of_function(l) : code;
}

static void clean_up(struct listing *l)
{
    disassembler_close(l->disassembler);
    source_lines_close(l->lines);
    VEC_FREE(&l->sections);
    VEC_FREE(&l->symbols);
    arena_free(&l->arena);
}

int apf_probes_disassemble(const struct apf_probes *probes, const struct apf_disassembly_options *options,
                           const struct apf_output *output, struct apf_error *error)
{
    struct listing l = {.probes = probes, .error = error};
    options_take(&l.options, sizeof l.options, options);
    l.options.options = options_copy(&l.options.options);
    if (!probes->elf)
        return error_plain(error, APF_UNSUPPORTED, "probes.code",
                           "sections alone have no code; give the program");
    l.text.probes = probes;
    l.text.with_probes = !(l.options.flags & APF_DISASSEMBLY_NO_PROBES);
    int code = prepare(&l);
    if (code == APF_OK)
        code = file_out_open(&l.text.out, output, error);
    if (code == APF_OK) {
        code = list_file(&l);
        int closed = file_out_close(l.text.out, code == APF_OK, code == APF_OK ? error : NULL);
        code = code == APF_OK ? closed : code;
    }
    clean_up(&l);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is at an address: its symbol, the lines of the source with what was inlined, and the probes there or nearest. */
#include <elf.h>

#include "base/options.h"
#include "base/search.h"
#include "object/program_functions.h"
#include "object/source_lines.h"
#include "object/span_map.h"
#include "probe/probe_print.h"

/* A symbol of code. Functions of different files may have one name, which the model keeps once only. */
struct named_code {
    uint64_t address, end;
    struct apf_str name;
    bool sized; /* it is a function, and states its size */
};

struct lookup {
    struct apf_probe_lookup_options options;
    struct probe_printer *pr;
    struct source_lines *lines;
    VEC(struct named_code) symbols;
    struct span_map sized, others; /* from addresses to symbols; others count where no sized one is */
    bool no_memory;
    struct apf_error *error;
    uint64_t n_unknown;
};

/* What was found for an address. */
struct found {
    uint64_t address;
    const struct named_code *symbol; /* NULL: none */
    const struct source_frame *frames;
    size_t n_frames;
    size_t first, n_probes; /* places in p->by_address: the probes at the nearest address that has some */
};

/* ---- finding ---- */

static uint64_t address_at(const struct apf_probes *p, size_t place)
{
    return p->probes.data[p->by_address[place]].address;
}

/* Finds the probes at the nearest address in the code of the symbol, before it rather than after it. */
static void find_probes(const struct apf_probes *p, struct found *f)
{
    size_t above;
    if (!f->symbol)
        return;
    uint64_t low = f->symbol->address, high = f->symbol->end;
    SEARCH(above, 0, p->n_placed, address_at(p, above) <= f->address);
    bool before = above && address_at(p, above - 1) >= low;
    bool after = above < p->n_placed && address_at(p, above) < high;
    if (!before && !after)
        return;
    uint64_t at = address_at(p, before ? above - 1 : above);
    SEARCH(f->first, 0, p->n_placed, address_at(p, f->first) < at);
    while (f->first + f->n_probes < p->n_placed && address_at(p, f->first + f->n_probes) == at)
        f->n_probes++;
}

static int find_address(struct lookup *l, uint64_t address, struct found *f)
{
    const struct apf_probes *p = l->pr->probes;
    uint32_t symbol = span_map_find(&l->sized, address);
    if (symbol == SPAN_MAP_NONE)
        symbol = span_map_find(&l->others, address);
    *f = (struct found){.address = address};
    f->symbol = symbol != SPAN_MAP_NONE ? &l->symbols.data[symbol] : NULL;
    find_probes(p, f);
    int code = source_lines_at(l->lines, address, &f->frames, &f->n_frames, l->error);
    l->n_unknown += !f->symbol && !f->n_frames;
    return code;
}

/* Symbols of assembly may have no size: these end at the next one, or with their section. */
static int record_symbol(void *user, const struct elf_symbol *symbol)
{
    struct lookup *l = user;
    struct elf_section section;
    if (symbol->n == 0 || symbol->type == STT_SECTION || symbol->type == STT_FILE ||
        symbol->section == ELF_UNDEFINED || symbol->section == ELF_NO_SECTION ||
        is_mapping_symbol(elf_file_facts(l->pr->probes->elf)->machine, symbol) ||
        !elf_file_section(l->pr->probes->elf, symbol->section, &section) ||
        !(section.flags & SHF_EXECINSTR) || symbol->value - section.address >= section.size)
        return 0;
    bool function = symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
    uint64_t end = section.address + section.size;
    struct named_code code = {symbol->value, end, {symbol->name, symbol->n}, function && symbol->size};
    if (code.sized && symbol->size < end - symbol->value)
        code.end = symbol->value + symbol->size;
    l->no_memory = l->symbols.n >= SPAN_MAP_NONE || !VEC_PUSH(&l->symbols, code);
    return l->no_memory ? APF_NO_MEMORY : 0;
}

static bool code_before(const void *context, const void *a, const void *b)
{
    const struct named_code *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

static bool map_symbols(struct lookup *l)
{
    struct named_code *symbols;
    if (!SORT_VEC(&l->symbols, code_before, NULL))
        return false;
    symbols = l->symbols.data;
    for (size_t i = l->symbols.n; i-- > 0;)
        if (!symbols[i].sized && i + 1 < l->symbols.n) {
            const struct named_code *next = &symbols[i + 1];
            uint64_t end = next->address == symbols[i].address ? next->end : next->address;
            symbols[i].end = end < symbols[i].end ? end : symbols[i].end;
        }
    for (size_t i = 0; i < l->symbols.n; i++)
        if (!span_map_add(symbols[i].sized ? &l->sized : &l->others, symbols[i].address, symbols[i].end,
                          (uint32_t)i))
            return false;
    return span_map_finish(&l->sized) && span_map_finish(&l->others);
}

/* A damaged .symtab counts as empty, as in the model. */
static bool find_symbols(struct lookup *l)
{
    struct apf_error failure;
    if (elf_file_symbols(l->pr->probes->elf, record_symbol, l, &failure) != APF_OK)
        l->symbols.n = 0;
    return !l->no_memory && map_symbols(l);
}

/* The file of a frame; n == 0: unknown. */
static int find_file(struct lookup *l, const struct source_frame *frame, struct apf_str *directory,
                     struct apf_str *name)
{
    const char *d = "", *n = NULL;
    int code = source_lines_file(l->lines, frame, &d, &n, l->error);
    *directory = (struct apf_str){d, strlen(d)};
    *name = (struct apf_str){n, n ? strlen(n) : 0};
    return code;
}

/* ---- text ---- */

static void write_label(struct probe_printer *pr, const char *label)
{
    text_append(pr->out, "  ");
    text_append(pr->out, label);
    text_blanks(pr->out, 9 - strlen(label));
}

/* A line as FUNCTION, FILE:LINE. */
static int write_frame(struct lookup *l, const struct source_frame *frame, bool innermost)
{
    struct probe_printer *pr = l->pr;
    struct apf_str directory, name;
    int code = find_file(l, frame, &directory, &name);
    write_label(pr, innermost ? "line" : "in");
    if (name.n) {
        text_name(pr->out, directory);
        text_append(pr->out, directory.n ? "/" : "");
        text_name(pr->out, name);
    } else {
        text_append(pr->out, "?");
    }
    text_append(pr->out, ":");
    if (frame->line)
        text_decimal(pr->out, frame->line, 0);
    else
        text_append(pr->out, "?");
    text_append(pr->out, frame->function ? "  " : "");
    if (frame->function)
        name_budget_write(&pr->names, pr->out, name_budget_text(&pr->names, frame->function), 0);
    text_append(pr->out, "\n");
    return code;
}

static void write_distance(struct probe_printer *pr, uint64_t address, uint64_t probe)
{
    if (address == probe)
        return;
    text_append(pr->out, "  (");
    text_decimal(pr->out, address > probe ? address - probe : probe - address, 0);
    text_append(pr->out, address > probe ? " bytes before)" : " bytes after)");
}

static void write_probe_at(struct probe_printer *pr, const struct found *f, size_t place)
{
    const struct apf_probe *probe = &pr->probes->probes.data[pr->probes->by_address[place]];
    const char *type = probe_type_name(probe->type);
    write_label(pr, f->address == probe->address ? "probe" : "nearest");
    text_decimal(pr->out, probe->id, 0);
    text_append(pr->out, " ");
    text_append(pr->out, type ? type : "?");
    text_append(pr->out, "  ");
    probe_text_node(pr, probe->node);
    write_distance(pr, f->address, probe->address);
    text_append(pr->out, "\n");
}

/* Whether a probe is one of the innermost function at the address. */
static bool is_innermost(const struct lookup *l, const struct found *f, size_t place)
{
    const struct apf_probes *p = l->pr->probes;
    const char *name = f->n_frames ? f->frames[0].function : NULL;
    return name && p->nodes.data[p->probes.data[p->by_address[place]].node].guid ==
                       apf_probe_guid(name_budget_text(&l->pr->names, name));
}

#define MOST_NEAREST 4u /* probes at another address: code that is repeated, as of loops, has many there */

/* All probes at the address; of those at another one a few, of the function that the line is in where there are any. */
static void write_probes(const struct lookup *l, const struct found *f)
{
    const struct apf_probes *p = l->pr->probes;
    size_t end = f->first + f->n_probes, n = 0, shown = 0;
    bool exact = f->n_probes && address_at(p, f->first) == f->address;
    for (size_t i = f->first; i < end && !exact; i++)
        n += is_innermost(l, f, i);
    for (size_t i = f->first; i < end; i++)
        if (exact || (shown < MOST_NEAREST && (n == 0 || is_innermost(l, f, i)))) {
            write_probe_at(l->pr, f, i);
            shown++;
        }
    if (shown == f->n_probes)
        return;
    write_label(l->pr, "");
    text_decimal(l->pr->out, f->n_probes - shown, 0);
    text_append(l->pr->out, " more there\n");
}

static int write_found(struct lookup *l, const struct found *f)
{
    struct probe_printer *pr = l->pr;
    int code = APF_OK;
    text_append(pr->out, "0x");
    text_hex(pr->out, f->address, 0);
    text_append(pr->out, "  ");
    if (f->symbol) {
        name_budget_write(&pr->names, pr->out, f->symbol->name, 0);
        text_append(pr->out, " + 0x");
        text_hex(pr->out, f->address - f->symbol->address, 0);
    } else {
        text_append(pr->out, "in no function");
    }
    text_append(pr->out, "\n");
    for (size_t i = 0; code == APF_OK && i < f->n_frames; i++)
        code = write_frame(l, &f->frames[i], i == 0);
    write_probes(l, f);
    return code;
}

/* ---- JSON ---- */

static int write_frame_json(struct lookup *l, const struct source_frame *frame)
{
    struct json_writer *w = l->pr->json;
    struct apf_str directory, name, none = {NULL, 0};
    int code = find_file(l, frame, &directory, &name);
    json_object_begin(w);
    probe_json_function(l->pr, frame->function ? name_budget_text(&l->pr->names, frame->function) : none);
    json_entry_name(w, "directory", directory);
    json_entry_name(w, "file", name);
    json_entry_known(w, "line", frame->line != 0, frame->line);
    json_entry_u64(w, "discriminator", frame->discriminator);
    json_object_end(w);
    return code;
}

static void write_probe_json(struct probe_printer *pr, uint32_t number)
{
    const struct apf_probe *probe = &pr->probes->probes.data[number];
    const struct apf_probe_node *nodes = pr->probes->nodes.data;
    struct json_writer *w = pr->json;
    json_object_begin(w);
    json_entry_hex(w, "address", probe->address);
    json_entry_hash(w, "guid", nodes[probe->node].guid);
    probe_json_function(pr, probe_node_name(pr, probe->node));
    json_entry_u64(w, "id", probe->id);
    probe_json_type(w, probe->type);
    json_entry_u64(w, "discriminator", probe->discriminator);
    json_key(w, "inlined_at");
    json_array_begin(w);
    for (uint32_t node = probe->node, n = 0; n < PROBE_MOST_FRAMES && nodes[node].parent != APF_PROBE_NONE;
         n++) {
        json_object_begin(w);
        json_entry_u64(w, "call_probe", nodes[node].call_probe);
        node = nodes[node].parent;
        json_entry_hash(w, "guid", nodes[node].guid);
        probe_json_function(pr, probe_node_name(pr, node));
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

static int write_found_json(struct lookup *l, const struct found *f)
{
    struct json_writer *w = l->pr->json;
    struct apf_str none = {NULL, 0}, name = f->symbol ? f->symbol->name : none;
    int code = APF_OK;
    json_line_object(w);
    json_entry_hex(w, "address", f->address);
    json_entry_function(w, "symbol", name_budget_spend(&l->pr->names, name.n) ? name : none);
    json_entry_known(w, "offset", f->symbol != NULL, f->symbol ? f->address - f->symbol->address : 0);
    json_key(w, "frames");
    json_array_begin(w);
    for (size_t i = 0; code == APF_OK && i < f->n_frames; i++)
        code = write_frame_json(l, &f->frames[i]);
    json_array_end(w);
    json_key(w, "probes");
    json_array_begin(w);
    for (size_t i = f->first; i < f->first + f->n_probes; i++)
        write_probe_json(l->pr, l->pr->probes->by_address[i]);
    json_array_end(w);
    json_object_end(w);
    return code;
}

/* ---- the call ---- */

static bool print_all(struct probe_printer *pr)
{
    struct lookup *l = pr->lookup;
    if (!probe_name_nodes(pr))
        return false;
    for (size_t i = 0; pr->code == APF_OK && i < l->options.n_addresses; i++) {
        struct found f;
        pr->code = find_address(l, l->options.addresses[i], &f);
        if (pr->code == APF_OK)
            pr->code = pr->json ? write_found_json(l, &f) : write_found(l, &f);
    }
    return pr->code == APF_OK;
}

static bool print_json(struct probe_printer *pr)
{
    probe_json_begin(pr, "anyprof-probe-lookup/1");
    json_key(pr->json, "addresses");
    json_array_begin(pr->json);
    bool done = print_all(pr);
    json_array_end(pr->json);
    json_object_end(pr->json);
    return done;
}

static int prepare_lookup(struct lookup *l)
{
    const struct apf_probes *p = l->pr->probes;
    uint64_t max_bytes = options_max_bytes(l->options.options);
    if (!p->elf || p->info.relocatable)
        return error_plain(l->error, APF_UNSUPPORTED, "elf.type",
                           "only linked programs have addresses that stand for one place");
    int code = source_lines_open(&l->lines, p->elf, l->options.name, max_bytes, l->error);
    if (code == APF_OK && !find_symbols(l))
        code = error_memory(l->error);
    return code;
}

int apf_probes_lookup(const struct apf_probes *probes, const struct apf_probe_lookup_options *options,
                      const struct apf_output *output, uint64_t *n_unknown, struct apf_error *error)
{
    struct lookup l = {.error = error};
    struct probe_printer pr = {.probes = probes, .lookup = &l};
    struct apf_options common;
    *n_unknown = 0;
    int code = OPTIONS_READ_BOTH(apf_probe_lookup_options, &l.options, options, &common, error);
    if (code == APF_OK)
        code = flags_check(l.options.flags, APF_PROBES_PRINT_JSON, "apf_probe_lookup_options.flags", error);
    if (code != APF_OK)
        return code;
    l.options.options = &common;
    l.pr = &pr;
    pr.options.flags = l.options.flags;
    code = prepare_lookup(&l);
    if (code == APF_OK)
        code = probe_print_with(&pr, print_all, print_json, output, error);
    *n_unknown = l.n_unknown;
    source_lines_close(l.lines);
    span_map_free(&l.sized);
    span_map_free(&l.others);
    VEC_FREE(&l.symbols);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists the code of a program with its probes, as llvm-profgen does. */
#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/options.h"
#include "probe/code_walk.h"
#include "probe/disassembly_text.h"

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
    struct code_walk walk;
    struct source_lines *lines; /* NULL: no source locations */
    struct arena arena;         /* memory of the sets */
    struct name_set named, of_function;
    struct apf_error *error;
};

/* ---- filters ---- */

static void make_set(struct name_set *set, uint64_t *guids, uint64_t *scratch, size_t n)
{
    set->guids = guids;
    set->n = n;
    sort_numbers(guids, scratch, n);
}

static bool has_word(const struct name_set *set, uint64_t guid)
{
    return sort_has_number(set->guids, set->n, guid);
}

static uint64_t guid_of(const char *name)
{
    return md5_name_ref(name, strlen(name));
}

/* Collects the names of symbols in the options. */
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

/* Whether a symbol names code that LLVM split off the function. */
static bool is_split_off(const char *symbol, struct apf_str function)
{
    static const char *const parts[] = {".cold", ".__part.", ".eh"};
    if (!function.n || strncmp(symbol, function.p, function.n) != 0)
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncmp(symbol + function.n, parts[i], strlen(parts[i])) == 0)
            return true;
    return false;
}

/* Adds the names of the symbols at code of the function: of several names at one address the last one has the code. */
static size_t add_symbols(const struct listing *l, uint64_t *guids)
{
    const struct code_symbol *symbols = l->walk.symbols.data;
    struct apf_str function = apf_probes_name(l->probes, l->options.guid);
    size_t n = 0;
    for (size_t i = 0, end; i < l->walk.symbols.n; i = end) {
        bool wanted = false;
        for (end = i; end < l->walk.symbols.n && symbols[end].section == symbols[i].section &&
                      symbols[end].address == symbols[i].address;
             end++)
            wanted = wanted || has_word(&l->of_function, guid_of(symbols[end].name)) ||
                     is_split_off(symbols[end].name, function);
        for (size_t k = i; wanted && k < end; k++)
            guids[n++] = guid_of(symbols[k].name);
    }
    return n;
}

/* Collects the symbols of a function: that of its name, and those of its parts. */
static int set_of_function(struct listing *l)
{
    const struct apf_probes *p = l->probes;
    uint64_t guid = l->options.guid;
    size_t n = 1, used = 0, n_symbols = l->walk.symbols.n;
    l->of_function.everything = !(l->options.flags & APF_DISASSEMBLY_ONE_FUNCTION);
    if (l->of_function.everything)
        return APF_OK;
    for (size_t i = 0; i < p->nodes.n; i += p->nodes.data[i].n_nodes)
        n += p->nodes.data[i].guid == guid;
    uint64_t *guids = arena_array(&l->arena, 2 * n, sizeof *guids);
    uint64_t *all = arena_array(&l->arena, 2 * n_symbols, sizeof *all);
    if (!guids || !all)
        return error_memory(l->error);
    guids[used++] = guid;
    for (size_t i = 0; i < p->nodes.n; i += p->nodes.data[i].n_nodes)
        if (p->nodes.data[i].guid == guid)
            guids[used++] = p->nodes.data[i].symbol;
    make_set(&l->of_function, guids, guids + n, n);
    make_set(&l->of_function, all, all + n_symbols, add_symbols(l, all));
    if (l->of_function.n == 0)
        return error_plain(l->error, APF_UNKNOWN_FUNCTION, "probes.function", "no code of it");
    return APF_OK;
}

static bool is_wanted(const struct listing *l, const char *name)
{
    struct apf_str whole = {name, strlen(name)}, shown = listing_name(&l->text, whole);
    return (l->named.everything || has_word(&l->named, md5_name_ref(shown.p, shown.n))) &&
           (l->of_function.everything || has_word(&l->of_function, guid_of(name)));
}

static bool is_in_range(const struct listing *l, uint64_t low, uint64_t high)
{
    return !(l->options.flags & APF_DISASSEMBLY_RANGE) || (low < l->options.high && high > l->options.low);
}

/* ---- code ---- */

static void list_probes(struct listing *l, const struct code_step *step)
{
    const struct code_walk *w = &l->walk;
    for (size_t i = step->first; i < step->behind; i++)
        if (l->text.with_probes)
            listing_probe(&l->text, &l->probes->probes.data[w->list[i]]);
}

static int list_instruction(struct listing *l, const struct code_step *step)
{
    uint32_t size = step->instruction.size;
    const struct source_frame *frames = NULL;
    size_t n_frames = 0, columns;
    int code = APF_OK;
    if (!is_in_range(l, step->address, step->address + (size ? size : 1)))
        return APF_OK;
    list_probes(l, step);
    if (l->lines)
        code = source_lines_at(l->lines, step->address, &frames, &n_frames, l->error);
    if (code == APF_OK) {
        listing_instruction(&l->text, step->address, &step->instruction, &columns);
        if (l->lines)
            listing_locations(&l->text, frames, n_frames, columns);
        listing_end_instruction(&l->text);
    }
    return code;
}

static int list_symbol(struct listing *l)
{
    struct code_walk *w = &l->walk;
    struct code_step step;
    uint64_t base = w->section->address;
    if (!is_wanted(l, w->name) || !is_in_range(l, base + w->at, base + w->end))
        return APF_OK;
    int code = APF_OK;
    listing_label(&l->text, w->name);
    while (code == APF_OK && !l->text.failed && code_walk_step(w, &step))
        code = list_instruction(l, &step);
    listing_end_label(&l->text);
    return code;
}

static int list_section(struct listing *l, size_t i)
{
    struct code_walk *w = &l->walk;
    const struct elf_section *section = &w->sections.data[i];
    listing_section(&l->text, section);
    if (strcmp(section->name, ".plt") == 0) /* llvm-profgen skips the section */
        return APF_OK;
    int code = code_walk_section(w, i, l->error);
    while (code == APF_OK && !l->text.failed && code_walk_symbol(w))
        code = list_symbol(l);
    return code;
}

static int list_file(struct listing *l)
{
    const struct apf_disassembly_options *o = &l->options;
    int code = APF_OK;
    if (l->text.with_probes && l->probes->info.n_desc_sections)
        listing_descs(&l->text);
    listing_file(&l->text, o->name ? o->name : "");
    for (size_t i = 0; code == APF_OK && i < l->walk.sections.n; i++)
        code = list_section(l, i);
    return code;
}

/* ---- the call ---- */

/* Reports source locations that are missing, which is no error: llvm-profgen lists the code alone, too. */
static int report_missing(struct listing *l, const struct apf_error *text)
{
    struct apf_diag d = {.severity = APF_SEVERITY_WARNING, .code = text->code, .error = text};
    return error_report_diag(l->options.options->diag, l->options.options->user, &d, l->error);
}

static int report_no_lines(struct listing *l)
{
    struct apf_error text;
    error_set_plain(&text, APF_UNSUPPORTED, "elf.debug_info",
                    "there is no debug information: no source locations are shown");
    return report_missing(l, &text);
}

/* After the listing, when it is known which units were needed. */
static int report_split(struct listing *l)
{
    const struct source_missing *missing = source_lines_missing(l->lines);
    struct apf_error text;
    if (!missing->n)
        return APF_OK;
    error_set_plain(&text, APF_UNSUPPORTED, "elf.debug_info", NULL);
    error_add(&text, ": split debug information cannot be read: %s (units without it: %u)", missing->name,
              (unsigned)missing->n);
    return report_missing(l, &text);
}

static int prepare_listing(struct listing *l)
{
    uint32_t flags = l->options.flags;
    uint64_t max_bytes = options_max_bytes(l->options.options);
    int code = code_walk_open(&l->walk, l->probes, flags & APF_DISASSEMBLY_INTEL ? DISASSEMBLER_INTEL : 0,
                              max_bytes, l->error);
    if (code == APF_OK && flags & APF_DISASSEMBLY_LOCATIONS && l->probes->info.relocatable)
        code = error_plain(l->error, APF_UNSUPPORTED, "elf.type",
                           "source locations are shown of linked files only");
    else if (code == APF_OK && flags & APF_DISASSEMBLY_LOCATIONS)
        code = source_lines_open(&l->lines, l->probes->elf, l->options.name, max_bytes, l->error);
    if (code == APF_OK && l->lines && !source_lines_any(l->lines))
        code = report_no_lines(l);
    if (code == APF_OK)
        code = set_named(l);
    return code == APF_OK ? set_of_function(l) : code;
}

static void clean_up(struct listing *l)
{
    code_walk_close(&l->walk);
    source_lines_close(l->lines);
    arena_free(&l->arena);
}

#define ALL_FLAGS                                                                                            \
    (APF_DISASSEMBLY_INTEL | APF_DISASSEMBLY_LOCATIONS | APF_DISASSEMBLY_NO_PROBES |                         \
     APF_DISASSEMBLY_ONE_FUNCTION | APF_DISASSEMBLY_RANGE | APF_DISASSEMBLY_CANONICAL)

int apf_probes_disassemble(const struct apf_probes *probes, const struct apf_disassembly_options *options,
                           const struct apf_output *output, struct apf_error *error)
{
    struct listing l = {.probes = probes, .error = error};
    struct apf_options common;
    int code = OPTIONS_READ_BOTH(apf_disassembly_options, &l.options, options, &common, error);
    if (code == APF_OK)
        code = flags_check(l.options.flags, ALL_FLAGS, "apf_disassembly_options.flags", error);
    if (code != APF_OK)
        return code;
    l.options.options = &common;
    l.text.probes = probes;
    l.text.names = name_budget_start(probes);
    l.text.canonical = (l.options.flags & APF_DISASSEMBLY_CANONICAL) != 0;
    l.text.with_probes = probes->sections.n && !(l.options.flags & APF_DISASSEMBLY_NO_PROBES);
    code = prepare_listing(&l);
    if (code == APF_OK)
        code = file_out_open(&l.text.out, output, error);
    if (code == APF_OK)
        code = file_out_finish(l.text.out, list_file(&l), error);
    if (code == APF_OK && l.lines)
        code = report_split(&l);
    clean_up(&l);
    return code;
}

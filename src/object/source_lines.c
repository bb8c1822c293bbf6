/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libdw itself finds units by a section that clang does not write, and walks the whole tree of a unit for each address.
 * So source_lines_open collects the addresses of the units, and the first lookup in a unit those of its functions. */
#include "object/source_lines.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "object/dwarf_split.h"
#include "object/dwarf_walk.h"
#include "object/line_files.h"
#include "object/line_table.h"
#include "object/span_map.h"

#ifndef DW_AT_GNU_discriminator
#define DW_AT_GNU_discriminator 0x2136
#endif

/* A function, or a call that was inlined. */
struct function {
    const char *name;
    uint32_t first_line, first_file, class_line;
    uint64_t first_table;                              /* of lines, whose file first_file is */
    uint32_t call_line, call_discriminator, call_file; /* place of an inlined call */
    uint32_t caller; /* the function it is inlined into; SPAN_MAP_NONE: none */
};

#define NO_LINES UINT32_MAX

struct unit {
    struct dwarf_unit dwarf; /* a skeleton's entries are in a file of their own, if there is one */
    bool is_read;
    struct span_map map; /* from addresses to functions */
    VEC(struct function) functions;
    VEC(struct span) ranges; /* of functions that are not inlined, as they are listed; items are functions */
    uint32_t lines;          /* number of its table of lines, or NO_LINES */
};

/* A table that units refer to by its offset: any number of them can share it. */
struct lines_at {
    uint64_t offset;
    struct line_table table;
};

/* A level of a unit's tree: its current entry, and the function that contains it. */
struct level {
    Dwarf_Die die;
    uint32_t function;
};

struct source_lines {
    struct debug_files found; /* by source_lines_open */
    struct dwarf_file file, alternate;
    struct dwarf_budget budget;
    struct dwarf_split split;
    struct source_missing missing;
    struct span_map map; /* from addresses to units */
    VEC(struct unit) units;
    VEC(struct level) levels;
    uint64_t n_too_deep; /* entries whose children were not read */
    VEC(struct source_frame) frames;
    VEC(struct lines_at) lines;
    struct line_files names;
    struct line_sections sections;
    struct hash_index lines_index; /* by offset */
    uint64_t line_bytes_left;      /* that tables may still have */
};

/* ---- entries ---- */

static uint32_t number_of(Dwarf_Attribute *attribute)
{
    Dwarf_Word value = 0;
    return attribute && dwarf_formudata(attribute, &value) == 0 ? (uint32_t)value : 0;
}

static uint32_t own_number(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return number_of(dwarf_attr(die, name, &attribute));
}

static uint32_t first_line(const struct dwarf_file *file, const Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    return dwarf_file_attribute(file, die, DW_AT_decl_line, &attribute) ? number_of(&attribute) : 0;
}

/* The line of the class that a function is a member of: its hidden parameter is a constant pointer to that. */
static uint32_t class_line(const struct dwarf_file *file, const Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die at;
    bool found = dwarf_file_attribute(file, die, DW_AT_object_pointer, &attribute);
    for (unsigned i = 0; i < 6 && found && dwarf_formref_die(&attribute, &at); i++) {
        if (dwarf_tag(&at) == DW_TAG_structure_type || dwarf_tag(&at) == DW_TAG_class_type)
            return own_number(&at, DW_AT_decl_line);
        found = dwarf_file_attribute(file, &at, DW_AT_type, &attribute);
    }
    return 0;
}

/* Finds the file of the first line. An entry of another unit may have it (of link-time optimization), whose files are
 * those of another table; not one of another file. */
static void find_first_file(struct function *f, const struct dwarf_file *file, const Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    f->first_table = UINT64_MAX;
    if (!dwarf_file_attribute(file, die, DW_AT_decl_file, &attribute) ||
        dwarf_cu_getdwarf(attribute.cu) != file->dwarf ||
        dwarf_cu_info(attribute.cu, NULL, NULL, &unit, NULL, NULL, NULL, NULL) != 0)
        return;
    f->first_file = number_of(&attribute);
    f->first_table = dwarf_unit_number(&unit, DW_AT_stmt_list, UINT64_MAX);
}

static const char *function_name(const struct dwarf_file *file, Dwarf_Die *die)
{
    const char *name = dwarf_file_name(file, die, DW_AT_linkage_name);
    if (!name)
        name = dwarf_file_name(file, die, DW_AT_MIPS_linkage_name);
    return name ? name : dwarf_file_name(file, die, DW_AT_name);
}

/* Where dwarf_unit_ranges puts the addresses of an entry. */
struct ranges_to {
    struct span_map *map;
    uint32_t item;
    bool any;
    struct unit *lists; /* also lists them; NULL: no */
};

/* Code that the linker dropped is at address 0. */
static bool add_range(void *user, uint64_t low, uint64_t high)
{
    struct ranges_to *to = user;
    if (low == 0)
        return true;
    to->any = true;
    struct span range = {low, high, to->item};
    if (to->lists && !VEC_PUSH(&to->lists->ranges, range))
        return false;
    return span_map_add(to->map, low, high, to->item);
}

/* ---- a unit ---- */

static bool add_function(struct unit *u, const struct dwarf_file *file, Dwarf_Die *die, bool is_inlined,
                         uint32_t caller)
{
    struct function f = {
        .name = function_name(file, die), .first_line = first_line(file, die), .caller = SPAN_MAP_NONE};
    if (!f.first_line)
        f.class_line = class_line(file, die);
    if (u->dwarf.type != DW_UT_skeleton) /* files are those of the skeleton's table */
        find_first_file(&f, file, die);
    if (is_inlined) {
        f.call_line = own_number(die, DW_AT_call_line);
        f.call_file = own_number(die, DW_AT_call_file);
        f.call_discriminator = own_number(die, DW_AT_GNU_discriminator);
        f.caller = caller;
    }
    return VEC_PUSH(&u->functions, f);
}

/* Adds the function of an entry; level->function becomes the function that contains its children. */
static bool read_entry(struct unit *u, const struct dwarf_unit *entries, struct level *level)
{
    int tag = dwarf_tag(&level->die);
    bool is_inlined = tag == DW_TAG_inlined_subroutine;
    struct ranges_to to = {&u->map, (uint32_t)u->functions.n, false, is_inlined ? NULL : u};
    if ((!is_inlined && tag != DW_TAG_subprogram) || u->functions.n >= SPAN_MAP_NONE)
        return true;
    if (!dwarf_unit_ranges(entries, &level->die, add_range, &to))
        return false;
    if (!to.any && !is_inlined) { /* a declaration, or the abstract origin of inlined calls */
        level->function = SPAN_MAP_NONE;
        return true;
    }
    if (!add_function(u, entries->file, &level->die, is_inlined, level->function))
        return false;
    level->function = (uint32_t)u->functions.n - 1;
    return true;
}

/* Walks the tree. In a sound tree offsets only grow; a damaged tree could lead in a circle. */
static bool read_functions(struct source_lines *s, struct unit *u, struct dwarf_unit *entries)
{
    struct level level = {.function = SPAN_MAP_NONE};
    Dwarf_Die child;
    Dwarf_Off last = dwarf_dieoffset(&entries->die);
    const Dwarf_Off end = dwarf_walk_end(entries->file->dwarf, &entries->die);
    s->levels.n = 0;
    if (dwarf_child(&entries->die, &level.die) == 0 && !VEC_PUSH(&s->levels, level))
        return false;
    while (s->levels.n) {
        level = s->levels.data[s->levels.n - 1];
        if (dwarf_dieoffset(&level.die) <= last)
            return true;
        last = dwarf_dieoffset(&level.die);
        if (!read_entry(u, entries, &level))
            return false;
        bool parent = dwarf_child(&level.die, &child) == 0;
        s->n_too_deep += parent && s->levels.n >= DWARF_MOST_DEPTH;
        if (parent && s->levels.n < DWARF_MOST_DEPTH) {
            level.die = child;
            if (!VEC_PUSH(&s->levels, level))
                return false;
            continue;
        }
        size_t closed;
        if (!dwarf_walk_on(entries->file->dwarf, end, &level.die, &closed, &child) || closed >= s->levels.n)
            return true;
        s->levels.n -= closed;
        s->levels.data[s->levels.n - 1].die = child;
    }
    return true;
}

/* Reads the table of lines at an offset, once. Sound tables do not overlap. */
static int read_lines(struct source_lines *s, struct unit *u, uint64_t offset, struct apf_error *error)
{
    const struct dwarf_bytes *bytes = &s->file.sections[DWARF_LINE];
    struct lines_at new = {.offset = offset};
    if (!hash_index_reserve(&s->lines_index, 1) || !VEC_RESERVE(&s->lines, 1))
        return hash_index_error(&s->lines_index, error);
    uint64_t hash = hash_index_mix(&s->lines_index, offset, 0);
    HASH_INDEX_FIND(u->lines, &s->lines_index, hash, s->lines.data[u->lines].offset == offset);
    if (u->lines != HASH_INDEX_NONE)
        return APF_OK;
    uint64_t n = line_table_size(bytes->data, bytes->n, s->file.swap, offset);
    struct error_at at = {"dwarf.lines", offset, n, s->line_bytes_left};
    if (n > s->line_bytes_left)
        return error_bound(error, APF_LIMIT, at, "tables of lines overlap");
    s->line_bytes_left -= n;
    if (!line_table_read(&new.table, bytes->data, bytes->n, s->file.swap, offset)) {
        line_table_free(&new.table);
        return error_memory(error);
    }
    s->missing.n_tables += new.table.damaged;
    u->lines = (uint32_t)s->lines.n;
    s->lines.data[s->lines.n++] = new;
    hash_index_add(&s->lines_index, hash, u->lines);
    return APF_OK;
}

/* Finds the unit with the entries: of split DWARF that cannot be found, those of the skeleton are there. */
static int find_entries(struct source_lines *s, const struct unit *u, struct dwarf_unit *entries,
                        struct apf_error *error)
{
    const char *name;
    bool found;
    *entries = u->dwarf;
    if (u->dwarf.type != DW_UT_skeleton)
        return APF_OK;
    int code = dwarf_split_find(&s->split, &u->dwarf, entries, &found, &name, error);
    if (code == APF_OK && !found && s->missing.n++ == 0)
        snprintf(s->missing.name, sizeof s->missing.name, "%s", name ? name : "");
    s->missing.n_other = s->split.n_other;
    return code;
}

static int read_unit(struct source_lines *s, struct unit *u, struct apf_error *error)
{
    struct dwarf_unit entries;
    uint64_t offset = dwarf_unit_number(&u->dwarf.die, DW_AT_stmt_list, UINT64_MAX);
    u->is_read = true;
    /* libdw gives no offset beyond the end of the section */
    s->missing.n_tables += offset == UINT64_MAX && dwarf_hasattr(&u->dwarf.die, DW_AT_stmt_list);
    int code = offset == UINT64_MAX ? APF_OK : read_lines(s, u, offset, error);
    if (code == APF_OK)
        code = find_entries(s, u, &entries, error);
    if (code == APF_OK && (!read_functions(s, u, &entries) || !span_map_finish(&u->map)))
        code = error_memory(error);
    return code == APF_OK ? dwarf_budget_check(&s->budget, error) : code;
}

/* ---- opening ---- */

/* Whether a unit cannot say where all of its code is: version 2 has no lists of ranges, and GCC then gives the
 * addresses of one section. */
static bool lacks_ranges(struct dwarf_unit *u)
{
    Dwarf_Half version = 0;
    return dwarf_cu_info(u->die.cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) == 0 && version == 2 &&
           !dwarf_hasattr(&u->die, DW_AT_ranges);
}

/* Adds the addresses of a unit's functions to those of the unit. */
static int add_functions(struct source_lines *s, uint32_t number, struct apf_error *error)
{
    struct unit *u = &s->units.data[number];
    int code = read_unit(s, u, error);
    for (size_t i = 0; code == APF_OK && i < u->ranges.n; i++)
        if (!span_map_add(&s->map, u->ranges.data[i].low, u->ranges.data[i].high, number))
            code = error_memory(error);
    return code;
}

static int find_units(struct source_lines *s, struct apf_error *error)
{
    int code = APF_OK;
    struct unit unit = {.dwarf = {.file = &s->file}, .lines = NO_LINES};
    while (code == APF_OK && dwarf_unit_next(&unit.dwarf)) {
        struct ranges_to to = {&s->map, (uint32_t)s->units.n, false, NULL};
        if ((unit.dwarf.type != DW_UT_compile && unit.dwarf.type != DW_UT_skeleton) ||
            s->units.n >= SPAN_MAP_NONE)
            continue;
        if (!dwarf_unit_ranges(&unit.dwarf, &unit.dwarf.die, add_range, &to) || !VEC_PUSH(&s->units, unit))
            return error_memory(error);
        if (lacks_ranges(&unit.dwarf))
            code = add_functions(s, to.item, error);
    }
    return code != APF_OK || span_map_finish(&s->map) ? code : error_memory(error);
}

/* Opens the file that entries refer to. */
static int open_alternate(struct source_lines *s, const struct debug_files *files, uint64_t max_bytes,
                          struct apf_error *error)
{
    if (!files->alternate)
        return APF_OK;
    dwarf_budget_add(&s->budget, elf_file_size(files->alternate));
    s->alternate.budget = &s->budget;
    int code = dwarf_file_open(&s->alternate, files->alternate, max_bytes, error);
    if (code == APF_OK)
        dwarf_file_use_alternate(&s->file, &s->alternate);
    return error_file(error, code, files->alternate_path, strlen(files->alternate_path));
}

static int read_debug_info(struct source_lines *s, const struct elf_file *program,
                           const struct debug_files *files, uint64_t max_bytes, struct apf_error *error)
{
    const struct elf_file *elf = files->file ? files->file : program;
    s->budget = dwarf_budget_start(elf_file_size(elf));
    s->file.budget = &s->budget;
    int code = dwarf_file_open(&s->file, elf, max_bytes, error);
    s->sections = line_sections_of(&s->file);
    s->line_bytes_left = s->file.sections[DWARF_LINE].n;
    if (code == APF_OK)
        code = open_alternate(s, files, max_bytes, error);
    if (code == APF_OK)
        code = find_units(s, error);
    if (code == APF_OK)
        code = dwarf_budget_check(&s->budget, error);
    return files->file ? error_file(error, code, files->path, strlen(files->path)) : code;
}

static int finish_open(struct source_lines **result, struct source_lines *s, int code)
{
    if (code == APF_OK)
        *result = s;
    else
        source_lines_close(s);
    return code;
}

static int open_in(struct source_lines *s, const struct elf_file *elf, const struct source_places *places,
                   uint64_t max_bytes, struct apf_error *error)
{
    s->split = (struct dwarf_split){.program = places->path,
                                    .debug = places->files->path,
                                    .package = places->package,
                                    .max_bytes = max_bytes,
                                    .budget = &s->budget,
                                    .keeps_files = true};
    return read_debug_info(s, elf, places->files, max_bytes, error);
}

int source_lines_open_in(struct source_lines **result, const struct elf_file *elf,
                         const struct source_places *places, uint64_t max_bytes, struct apf_error *error)
{
    struct source_lines *s = calloc(1, sizeof *s);
    *result = NULL;
    return s ? finish_open(result, s, open_in(s, elf, places, max_bytes, error)) : error_memory(error);
}

int source_lines_open(struct source_lines **result, const struct elf_file *elf, const char *path,
                      uint64_t max_bytes, struct apf_error *error)
{
    struct source_lines *s = calloc(1, sizeof *s);
    const struct debug_search search = {.program = path, .max_bytes = max_bytes};
    *result = NULL;
    if (!s)
        return error_memory(error);
    const struct source_places places = {.files = &s->found, .path = path};
    int code = debug_files_open(&s->found, elf, &search, error);
    if (code == APF_OK)
        code = open_in(s, elf, &places, max_bytes, error);
    return finish_open(result, s, code);
}

bool source_lines_any(const struct source_lines *s)
{
    return s->units.n != 0;
}

uint64_t source_lines_too_deep(const struct source_lines *s)
{
    return s->n_too_deep;
}

const struct source_missing *source_lines_missing(const struct source_lines *s)
{
    return &s->missing;
}

void source_lines_close(struct source_lines *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->units.n; i++) {
        span_map_free(&s->units.data[i].map);
        VEC_FREE(&s->units.data[i].functions);
        VEC_FREE(&s->units.data[i].ranges);
    }
    for (size_t i = 0; i < s->lines.n; i++)
        line_table_free(&s->lines.data[i].table);
    VEC_FREE(&s->lines);
    hash_index_free(&s->lines_index);
    line_files_free(&s->names);
    span_map_free(&s->map);
    VEC_FREE(&s->units);
    VEC_FREE(&s->levels);
    VEC_FREE(&s->frames);
    dwarf_split_free(&s->split);
    dwarf_file_close(&s->file);
    dwarf_file_close(&s->alternate);
    debug_files_close(&s->found);
    free(s);
}

/* ---- looking up ---- */

const char *source_lines_producer(const struct source_lines *s, size_t i)
{
    if (i >= s->units.n)
        return NULL;
    const char *text = dwarf_file_name(&s->file, &s->units.data[i].dwarf.die, DW_AT_producer);
    return text ? text : "";
}

int source_lines_functions(struct source_lines *s, source_function_fn *each, void *user,
                           struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < s->units.n; i++) {
        struct unit *u = &s->units.data[i];
        code = u->is_read ? APF_OK : read_unit(s, u, error);
        for (size_t k = 0; code == APF_OK && k < u->ranges.n; k++) {
            const struct span *range = &u->ranges.data[k];
            const char *name = u->functions.data[range->item].name;
            code = name ? each(user, name, range->low, range->high) : APF_OK;
        }
    }
    return code;
}

int source_lines_at(struct source_lines *s, uint64_t address, const struct source_frame **frames, size_t *n,
                    struct apf_error *error)
{
    uint32_t number = span_map_find(&s->map, address);
    *n = s->frames.n = 0;
    *frames = s->frames.data;
    if (number == SPAN_MAP_NONE)
        return APF_OK;
    struct unit *u = &s->units.data[number];
    int code = u->is_read ? APF_OK : read_unit(s, u, error);
    if (code != APF_OK)
        return code;
    const struct line_row *row =
        u->lines != NO_LINES ? line_table_find(&s->lines.data[u->lines].table, address) : NULL;
    struct source_frame frame = {.unit = number};
    if (row) {
        frame.line = row->line;
        frame.discriminator = row->discriminator;
        frame.file = row->file;
        frame.statement = row->statement;
    }
    for (uint32_t f = span_map_find(&u->map, address); f != SPAN_MAP_NONE; f = u->functions.data[f].caller) {
        const struct function *function = &u->functions.data[f];
        frame.function = function->name;
        frame.first_line = function->first_line;
        frame.first_file = function->first_file;
        frame.first_table = function->first_table;
        frame.class_line = function->class_line;
        if (!VEC_PUSH(&s->frames, frame))
            return error_memory(error);
        frame.line = function->call_line;
        frame.discriminator = function->call_discriminator;
        frame.file = function->call_file;
        frame.statement = false;
    }
    if (s->frames.n == 0 && row && !VEC_PUSH(&s->frames, frame))
        return error_memory(error);
    *frames = s->frames.data;
    *n = s->frames.n;
    return APF_OK;
}

int source_lines_file(struct source_lines *s, const struct source_frame *frame, const char **directory,
                      const char **name, struct apf_error *error)
{
    Dwarf_Die die = s->units.data[frame->unit].dwarf.die;
    uint64_t offset = dwarf_unit_number(&die, DW_AT_stmt_list, UINT64_MAX);
    bool done = line_files_find(&s->names, &s->sections, offset, frame->file, directory, name);
    return done ? APF_OK : error_memory(error);
}

int source_lines_first_file(struct source_lines *s, const struct source_frame *frame, const char **directory,
                            const char **name, struct apf_error *error)
{
    bool done = true;
    *directory = "";
    *name = NULL;
    if (frame->first_file)
        done =
            line_files_find(&s->names, &s->sections, frame->first_table, frame->first_file, directory, name);
    return done ? APF_OK : error_memory(error);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libdw itself finds units by a section that clang does not write, and walks the whole tree of a unit for each address.
 * So source_lines_open collects the addresses of the units, and the first lookup in a unit those of its functions. */
#include "object/source_lines.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/endian.h"
#include "base/error.h"
#include "base/vec.h"
#include "object/dwarf_file.h"
#include "object/line_table.h"
#include "object/span_map.h"

#ifndef DW_AT_GNU_discriminator
#define DW_AT_GNU_discriminator 0x2136
#endif

/* A function, or a call that was inlined. */
struct function {
    const char *name;
    uint32_t first_line;
    uint32_t call_line, call_discriminator; /* place of an inlined call */
    uint32_t caller;                        /* the function it is inlined into; SPAN_MAP_NONE: none */
};

struct unit {
    Dwarf_Die die;
    bool is_read;
    struct span_map map; /* from addresses to functions */
    VEC(struct function) functions;
    struct line_table lines;
};

/* A level of a unit's tree: its current entry, and the function that contains it. */
struct level {
    Dwarf_Die die;
    uint32_t function;
};

struct source_lines {
    struct dwarf_file file;
    struct span_map map; /* from addresses to units */
    VEC(struct unit) units;
    VEC(struct level) levels;
    VEC(struct source_frame) frames;
    struct arena arena;
    const uint8_t *line_data; /* .debug_line */
    size_t n_line_data;
    bool swap;
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

static uint32_t first_line(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    return number_of(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute));
}

static const char *function_name(const struct source_lines *s, Dwarf_Die *die)
{
    const char *name = dwarf_file_name(&s->file, die, DW_AT_linkage_name);
    if (!name)
        name = dwarf_file_name(&s->file, die, DW_AT_MIPS_linkage_name);
    return name ? name : dwarf_file_name(&s->file, die, DW_AT_name);
}

/* Adds the addresses of an entry. Code that the linker dropped is at address 0. */
static bool add_ranges(struct span_map *map, Dwarf_Die *die, uint32_t item, bool *any)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t place = 0;
    while ((place = dwarf_ranges(die, place, &base, &low, &high)) > 0) {
        if (low == 0 || low >= high)
            continue;
        *any = true;
        if (!span_map_add(map, low, high, item))
            return false;
    }
    return true;
}

/* ---- a unit ---- */

static bool add_function(const struct source_lines *s, struct unit *u, Dwarf_Die *die, bool is_inlined,
                         uint32_t caller)
{
    struct function f = {
        .name = function_name(s, die), .first_line = first_line(die), .caller = SPAN_MAP_NONE};
    if (is_inlined) {
        f.call_line = own_number(die, DW_AT_call_line);
        f.call_discriminator = own_number(die, DW_AT_GNU_discriminator);
        f.caller = caller;
    }
    return VEC_PUSH(&u->functions, f);
}

/* Adds the function of an entry; level->function becomes the function that contains its children. */
static bool read_entry(const struct source_lines *s, struct unit *u, struct level *level)
{
    int tag = dwarf_tag(&level->die);
    bool is_inlined = tag == DW_TAG_inlined_subroutine, any = false;
    if ((!is_inlined && tag != DW_TAG_subprogram) || u->functions.n >= SPAN_MAP_NONE)
        return true;
    if (!add_ranges(&u->map, &level->die, (uint32_t)u->functions.n, &any))
        return false;
    if (!any && !is_inlined) { /* a declaration, or the abstract origin of inlined calls */
        level->function = SPAN_MAP_NONE;
        return true;
    }
    if (!add_function(s, u, &level->die, is_inlined, level->function))
        return false;
    level->function = (uint32_t)u->functions.n - 1;
    return true;
}

/* Walks the tree. In a sound tree offsets only grow; a damaged tree could lead in a circle. */
static bool read_functions(struct source_lines *s, struct unit *u)
{
    struct level level = {.function = SPAN_MAP_NONE};
    Dwarf_Off last = dwarf_dieoffset(&u->die);
    s->levels.n = 0;
    if (dwarf_child(&u->die, &level.die) == 0 && !VEC_PUSH(&s->levels, level))
        return false;
    while (s->levels.n) {
        level = s->levels.data[s->levels.n - 1];
        if (dwarf_dieoffset(&level.die) <= last)
            return true;
        last = dwarf_dieoffset(&level.die);
        if (!read_entry(s, u, &level))
            return false;
        if (dwarf_child(&level.die, &level.die) == 0) {
            if (!VEC_PUSH(&s->levels, level))
                return false;
            continue;
        }
        while (s->levels.n) {
            Dwarf_Die *die = &s->levels.data[s->levels.n - 1].die;
            if (dwarf_siblingof(die, die) == 0)
                break;
            s->levels.n--;
        }
    }
    return true;
}

static bool read_unit(struct source_lines *s, struct unit *u)
{
    Dwarf_Attribute storage, *attribute = dwarf_attr(&u->die, DW_AT_stmt_list, &storage);
    Dwarf_Word offset;
    u->is_read = true;
    if (attribute && dwarf_formudata(attribute, &offset) == 0 &&
        !line_table_read(&u->lines, s->line_data, s->n_line_data, s->swap, offset))
        return false;
    return read_functions(s, u) && span_map_finish(&u->map);
}

/* ---- opening ---- */

static bool find_units(struct source_lines *s)
{
    Dwarf_CU *cu = NULL;
    struct unit unit = {.is_read = false};
    uint8_t type;
    bool any = false;
    while (dwarf_get_units(s->file.dwarf, cu, &cu, NULL, &type, &unit.die, NULL) == 0) {
        if ((type != DW_UT_compile && type != DW_UT_skeleton) || s->units.n >= SPAN_MAP_NONE)
            continue;
        if (!add_ranges(&s->map, &unit.die, (uint32_t)s->units.n, &any) || !VEC_PUSH(&s->units, unit))
            return false;
    }
    return span_map_finish(&s->map);
}

static int is_line_section(void *user, const struct elf_section *section)
{
    uint32_t *index = user;
    if (strcmp(section->name, ".debug_line") == 0)
        *index = section->index;
    return *index != 0;
}

static int read_debug_info(struct source_lines *s, const struct elf_file *elf, uint64_t max_bytes,
                           struct apf_error *error)
{
    uint32_t index = 0;
    s->swap = elf_file_facts(elf)->big_endian != (bool)HOST_BIG_ENDIAN;
    (void)elf_file_sections(elf, is_line_section, &index);
    /* The check comes before libdw changes compressed sections. */
    int code = dwarf_check_sections(elf, max_bytes, error);
    if (code == APF_OK && index)
        code = elf_file_contents(elf, index, max_bytes, &s->arena, &s->line_data, &s->n_line_data, error);
    if (code == APF_OK)
        code = dwarf_file_open(&s->file, elf, error);
    if (code != APF_OK || !s->file.dwarf)
        return code;
    return find_units(s) ? APF_OK : error_memory(error);
}

int source_lines_open(struct source_lines **result, const struct elf_file *elf, uint64_t max_bytes,
                      struct apf_error *error)
{
    struct source_lines *s = calloc(1, sizeof *s);
    *result = NULL;
    if (!s)
        return error_memory(error);
    int code = read_debug_info(s, elf, max_bytes, error);
    if (code == APF_OK)
        *result = s;
    else
        source_lines_close(s);
    return code;
}

bool source_lines_any(const struct source_lines *s)
{
    return s->units.n != 0;
}

void source_lines_close(struct source_lines *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->units.n; i++) {
        span_map_free(&s->units.data[i].map);
        VEC_FREE(&s->units.data[i].functions);
        line_table_free(&s->units.data[i].lines);
    }
    span_map_free(&s->map);
    VEC_FREE(&s->units);
    VEC_FREE(&s->levels);
    VEC_FREE(&s->frames);
    arena_free(&s->arena);
    dwarf_file_close(&s->file);
    free(s);
}

/* ---- looking up ---- */

int source_lines_at(struct source_lines *s, uint64_t address, const struct source_frame **frames, size_t *n,
                    struct apf_error *error)
{
    uint32_t number = span_map_find(&s->map, address);
    *n = s->frames.n = 0;
    *frames = s->frames.data;
    if (number == SPAN_MAP_NONE)
        return APF_OK;
    struct unit *u = &s->units.data[number];
    if (!u->is_read && !read_unit(s, u))
        return error_memory(error);
    const struct line_row *row = line_table_find(&u->lines, address);
    struct source_frame frame = {NULL, row ? row->line : 0, 0, row ? row->discriminator : 0};
    for (uint32_t f = span_map_find(&u->map, address); f != SPAN_MAP_NONE; f = u->functions.data[f].caller) {
        const struct function *function = &u->functions.data[f];
        frame.function = function->name;
        frame.first_line = function->first_line;
        if (!VEC_PUSH(&s->frames, frame))
            return error_memory(error);
        frame.line = function->call_line;
        frame.discriminator = function->call_discriminator;
    }
    *frames = s->frames.data;
    *n = s->frames.n;
    return APF_OK;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/dwarf_counters.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "object/dwarf_split.h"
#include "object/dwarf_walk.h"
#include "object/line_files.h"

#ifndef DW_TAG_LLVM_annotation
#define DW_TAG_LLVM_annotation 0x6000
#endif

struct reader {
    struct dwarf_counters_walk *walk;
    struct line_sections lines; /* of the program */
    struct line_files files;
    uint64_t stmt_list; /* offset of the unit's table of lines; UINT64_MAX: it has none */
    struct dwarf_split split;
    int (*each)(void *user, const struct dwarf_counters *counters);
    void *user;
    VEC(Dwarf_Die) levels; /* the current entry, after the entries that contain it */
    struct dwarf_budget budget;
    struct apf_error *error;
};

/* ---- attributes ---- */

static bool number_of(Dwarf_Die *die, unsigned name, uint64_t *number)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (!dwarf_attr(die, name, &attribute) || dwarf_whatform(&attribute) == DW_FORM_sdata ||
        dwarf_formudata(&attribute, &value) != 0)
        return false;
    *number = value;
    return true;
}

/* A number of an entry, or of the entry that it is a copy of; 0: it has none. */
static uint64_t number_or_0(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_attr_integrate(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0 ? value
                                                                                                   : 0;
}

static const char *own_text(const struct dwarf_unit *u, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_file_text(u->file, dwarf_attr(die, name, &attribute));
}

/* The location of a variable that is always in memory is an address, or the number of an address. */
static bool find_address(const struct dwarf_unit *u, Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Block block;
    if (!dwarf_attr(die, DW_AT_location, &attribute) || dwarf_formblock(&attribute, &block) != 0)
        return false;
    struct cursor c = cursor_make(block.data, block.length, u->file->swap);
    switch (cursor_u8(&c)) {
    case DW_OP_addr:
        *address = u->address_bytes == 8 ? cursor_u64(&c) : cursor_u32(&c);
        return !c.failed;
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index: {
        uint64_t index = cursor_uleb128(&c);
        return !c.failed && dwarf_unit_address(u, index, address);
    }
    default:
        return false;
    }
}

/* ---- a variable ---- */

static void read_annotation(const struct dwarf_unit *u, Dwarf_Die *die, struct dwarf_counters *out)
{
    const char *name = own_text(u, die, DW_AT_name);
    Dwarf_Attribute value;
    if (dwarf_tag(die) != DW_TAG_LLVM_annotation || !name || !dwarf_attr(die, DW_AT_const_value, &value))
        return;
    if (strcmp(name, "Function Name") == 0) {
        const char *text = dwarf_file_text(u->file, &value);
        out->function_name = text ? text : out->function_name;
    } else if (strcmp(name, "CFG Hash") == 0) {
        out->has_hash = number_of(die, DW_AT_const_value, &out->hash);
    } else if (strcmp(name, out->is_bitmap ? "Num BitmapBits" : "Num Counters") == 0) {
        out->has_count = number_of(die, DW_AT_const_value, &out->count);
    }
}

static int find_place(struct reader *r, const struct dwarf_unit *u, Dwarf_Die *function,
                      struct dwarf_counters *out)
{
    Dwarf_Attribute attribute;
    out->linkage_name = dwarf_file_name(u->file, function, DW_AT_MIPS_linkage_name);
    if (!out->linkage_name)
        out->linkage_name = dwarf_file_name(u->file, function, DW_AT_linkage_name);
    if (!out->linkage_name)
        out->linkage_name = dwarf_file_name(u->file, function, DW_AT_name);
    out->line = number_or_0(function, DW_AT_decl_line);
    if (dwarf_attr_integrate(function, DW_AT_decl_file, &attribute) &&
        !line_files_find(&r->files, &r->lines, r->stmt_list, number_or_0(function, DW_AT_decl_file),
                         &out->directory, &out->file))
        return error_memory(r->error);
    return APF_OK;
}

/* Calls `each` if the variable is for counters or a bitmap, and returns its result. */
static int report_variable(struct reader *r, const struct dwarf_unit *u, Dwarf_Die *die, Dwarf_Die *function)
{
    struct dwarf_counters out = {.directory = ""};
    Dwarf_Die child;
    Dwarf_Attribute attribute;
    const char *name = dwarf_file_name(u->file, die, DW_AT_name);
    if (!name || dwarf_child(die, &child) != 0)
        return 0;
    out.is_bitmap = strncmp(name, "__profbm_", 9) == 0;
    if (!out.is_bitmap && strncmp(name, "__profc_", 8) != 0)
        return 0;
    out.has_address = find_address(u, die, &out.address);
    /* In split DWARF, which LLVM does not read, DW_AT_ranges replaces the address to save space. */
    out.has_function = dwarf_attr(function, DW_AT_low_pc, &attribute) != NULL ||
                       (u->file != u->program && dwarf_attr(function, DW_AT_ranges, &attribute) != NULL);
    for (Dwarf_Off last = 0; dwarf_dieoffset(&child) > last;) {
        last = dwarf_dieoffset(&child);
        read_annotation(u, &child, &out);
        if (dwarf_siblingof(&child, &child) != 0)
            break;
    }
    if (r->budget.refused)
        return 0; /* dwarf_counters_read reports the error at its end */
    int code = r->walk->places && !out.is_bitmap ? find_place(r, u, function, &out) : APF_OK;
    if (code != APF_OK)
        return code;
    code = r->each(r->user, &out);
    return code == APF_NO_MEMORY ? error_memory(r->error) : code;
}

/* ---- a unit ---- */

/* Goes to the entry after the current entry and its children; the first level is the unit itself. */
static void next_level(struct reader *r, const struct dwarf_unit *u, Dwarf_Off end)
{
    Dwarf_Die after;
    size_t closed;
    if (r->levels.n == 1 ||
        !dwarf_walk_on(u->file->dwarf, end, &r->levels.data[r->levels.n - 1], &closed, &after) ||
        closed + 1 >= r->levels.n) {
        r->levels.n = 0;
        return;
    }
    r->levels.n -= closed;
    r->levels.data[r->levels.n - 1] = after;
}

/* Walks the tree. In a sound tree offsets only grow; a damaged tree could lead in a circle. */
static int walk_unit(struct reader *r, const struct dwarf_unit *u)
{
    Dwarf_Die child = {0}, root = u->die;
    const Dwarf_Off end = dwarf_walk_end(u->file->dwarf, &root);
    Dwarf_Off last = 0;
    r->levels.n = 0;
    if (!VEC_PUSH(&r->levels, u->die))
        return error_memory(r->error);
    while (r->levels.n) {
        Dwarf_Die *die = &r->levels.data[r->levels.n - 1];
        if (r->levels.n > 1 && dwarf_dieoffset(die) <= last)
            return APF_OK;
        last = dwarf_dieoffset(die);
        if (r->levels.n > 1 && dwarf_tag(die) == DW_TAG_variable && dwarf_tag(die - 1) == DW_TAG_subprogram) {
            int code = report_variable(r, u, die, die - 1);
            if (code != APF_OK)
                return code;
        }
        if (r->levels.n < DWARF_MOST_DEPTH && dwarf_child(die, &child) == 0) {
            if (!VEC_PUSH(&r->levels, child))
                return error_memory(r->error);
            continue;
        }
        next_level(r, u, end);
    }
    return APF_OK;
}

/* ---- the file ---- */

/* Walks the part of a unit that is in another file. */
static int walk_split(struct reader *r, const struct dwarf_unit *u)
{
    struct dwarf_unit split = {.file = NULL};
    const char *name;
    bool found;
    int code = dwarf_split_find(&r->split, u, &split, &found, &name, r->error);
    if (code != APF_OK || !name)
        return code;
    if (found)
        return walk_unit(r, &split);
    if (r->walk->n_missing++ == 0)
        snprintf(r->walk->missing, sizeof r->walk->missing, "%s", name);
    return APF_OK;
}

static int walk_file(struct reader *r, const struct elf_file *elf)
{
    struct dwarf_file file = {.budget = &r->budget};
    struct dwarf_unit u = {.file = &file};
    int code = dwarf_file_open(&file, elf, r->walk->max_bytes, r->error);
    r->walk->no_debug_info = !file.dwarf;
    r->lines = line_sections_of(&file);
    while (code == APF_OK && dwarf_unit_next(&u)) {
        r->stmt_list = dwarf_unit_number(&u.die, DW_AT_stmt_list, UINT64_MAX);
        code = walk_unit(r, &u);
        if (code == APF_OK)
            code = walk_split(r, &u);
    }
    dwarf_file_close(&file);
    return code;
}

int dwarf_counters_read(const struct elf_file *elf, struct dwarf_counters_walk *walk,
                        int (*each)(void *user, const struct dwarf_counters *counters), void *user,
                        struct apf_error *error)
{
    struct reader r = {.walk = walk, .each = each, .user = user, .error = error};
    r.budget = dwarf_budget_start(elf_file_size(elf));
    r.split.program = walk->program;
    r.split.max_bytes = walk->max_bytes;
    r.split.budget = &r.budget;
    errno = 0;
    int code = walk_file(&r, elf);
    if (code == APF_OK && errno == ENOMEM) /* libdw reports nothing when it is out of memory */
        code = error_memory(error);
    if (code == APF_OK)
        code = dwarf_budget_check(&r.budget, error);
    dwarf_split_free(&r.split);
    line_files_free(&r.files);
    VEC_FREE(&r.levels);
    return code;
}

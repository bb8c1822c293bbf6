/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/dwarf_counters.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/file_identity.h"
#include "object/dwarf_file.h"
#include "object/line_files.h"

#ifndef DW_TAG_LLVM_annotation
#define DW_TAG_LLVM_annotation 0x6000
#endif

/* libdw has to pass over everything in an entry to find the next one, so that deep trees take long. No compiler nests
 * scopes like this. */
#define MOST_DEPTH 512u
/* Bytes that the texts of all entries may have together, for each byte of the file. */
#define MOST_SHARING 16u
#define SHARING_ANYWAY ((uint64_t)1 << 20)

/* Contents of the program's sections, found before libdw inflates some of them. */
struct sections {
    struct line_sections lines;
    const uint8_t *addresses; /* .debug_addr */
    size_t n_addresses;
};

/* A unit that is walked, and the file that it is in. */
struct unit {
    struct dwarf_file *file;
    Dwarf_Die die;
    uint64_t address_base; /* offset of its addresses in .debug_addr */
    uint64_t lines;        /* offset of its table in .debug_line; UINT64_MAX: it has none */
    bool is_split;
};

struct reader {
    struct dwarf_counters_walk *walk;
    const struct elf_file *elf;
    struct sections sections;
    unsigned address_bytes;
    int (*each)(void *user, const struct dwarf_counters *counters);
    void *user;
    VEC(Dwarf_Die) levels; /* the current entry, after the entries that contain it */
    struct arena arena;
    bool stopped; /* `each` ended the walk */
    uint64_t text_left;
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

static uint64_t number_or_0(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_attr_integrate(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0 ? value
                                                                                                   : 0;
}

static const char *own_text(const struct unit *u, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_file_text(u->file, dwarf_attr(die, name, &attribute));
}

static bool address_number(const struct reader *r, const struct unit *u, uint64_t index, uint64_t *address)
{
    uint64_t size = r->address_bytes, n = r->sections.n_addresses;
    if (u->address_base > n || index >= (n - u->address_base) / size)
        return false;
    const uint8_t *p = r->sections.addresses + u->address_base + index * size;
    *address = size == 8 ? load64(p, r->sections.lines.swap) : load32(p, r->sections.lines.swap);
    return true;
}

/* The location of a variable that is always in memory is an address, or the number of an address. */
static bool find_address(const struct reader *r, const struct unit *u, Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Block block;
    if (!dwarf_attr(die, DW_AT_location, &attribute) || dwarf_formblock(&attribute, &block) != 0)
        return false;
    struct cursor c = cursor_make(block.data, block.length, r->sections.lines.swap);
    switch (cursor_u8(&c)) {
    case DW_OP_addr:
        *address = r->address_bytes == 8 ? cursor_u64(&c) : cursor_u32(&c);
        return !c.failed;
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index: {
        uint64_t index = cursor_uleb128(&c);
        return !c.failed && address_number(r, u, index, address);
    }
    default:
        return false;
    }
}

/* ---- a variable ---- */

static void read_annotation(const struct unit *u, Dwarf_Die *die, struct dwarf_counters *out)
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

static void find_place(const struct reader *r, const struct unit *u, Dwarf_Die *function,
                       struct dwarf_counters *out)
{
    Dwarf_Attribute attribute;
    out->linkage_name = dwarf_file_name(u->file, function, DW_AT_MIPS_linkage_name);
    if (!out->linkage_name)
        out->linkage_name = dwarf_file_name(u->file, function, DW_AT_linkage_name);
    if (!out->linkage_name)
        out->linkage_name = dwarf_file_name(u->file, function, DW_AT_name);
    out->line = number_or_0(function, DW_AT_decl_line);
    if (dwarf_attr_integrate(function, DW_AT_decl_file, &attribute))
        (void)line_files_find(&r->sections.lines, u->lines, number_or_0(function, DW_AT_decl_file),
                              &out->directory, &out->file);
}

/* Calls `each` if the variable is for counters or a bitmap, and returns its result. */
static int report_variable(struct reader *r, const struct unit *u, Dwarf_Die *die, Dwarf_Die *function)
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
    out.has_address = find_address(r, u, die, &out.address);
    /* In split DWARF, which LLVM does not read, DW_AT_ranges replaces the address to save space. */
    out.has_function = dwarf_attr(function, DW_AT_low_pc, &attribute) != NULL ||
                       (u->is_split && dwarf_attr(function, DW_AT_ranges, &attribute) != NULL);
    for (Dwarf_Off last = 0; dwarf_dieoffset(&child) > last;) {
        last = dwarf_dieoffset(&child);
        read_annotation(u, &child, &out);
        if (dwarf_siblingof(&child, &child) != 0)
            break;
    }
    if (r->text_left == UINT64_MAX)
        return 0; /* dwarf_counters_read reports the error at its end */
    if (r->walk->places && !out.is_bitmap)
        find_place(r, u, function, &out);
    int code = r->each(r->user, &out);
    r->stopped = code != 0;
    return code == APF_NO_MEMORY ? error_memory(r->error) : code;
}

/* ---- a unit ---- */

/* Goes to the entry after the current entry and its children. */
static void next_level(struct reader *r)
{
    while (r->levels.n > 1) {
        Dwarf_Die *die = &r->levels.data[r->levels.n - 1];
        if (dwarf_siblingof(die, die) == 0)
            return;
        r->levels.n--;
    }
    r->levels.n = 0;
}

/* Walks the tree. In a sound tree offsets only grow; a damaged tree could lead in a circle. */
static int walk_unit(struct reader *r, const struct unit *u)
{
    Dwarf_Die child = {0};
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
        if (r->levels.n < MOST_DEPTH && dwarf_child(die, &child) == 0) {
            if (!VEC_PUSH(&r->levels, child))
                return error_memory(r->error);
            continue;
        }
        next_level(r);
    }
    return APF_OK;
}

/* ---- split DWARF ---- */

static int walk_dwo(struct reader *r, const struct unit *skeleton, const struct elf_file *elf)
{
    struct dwarf_file file = {.left = &r->text_left};
    struct unit u = {&file, {0}, skeleton->address_base, skeleton->lines, true};
    Dwarf_CU *cu = NULL;
    int code = dwarf_check_sections(elf, r->walk->max_bytes, r->error);
    if (code == APF_OK)
        code = dwarf_file_open(&file, elf, r->error);
    while (code == APF_OK && file.dwarf &&
           dwarf_get_units(file.dwarf, cu, &cu, NULL, NULL, &u.die, NULL) == 0)
        code = walk_unit(r, &u);
    dwarf_file_close(&file);
    return code;
}

/* Opens a .dwo file if it is a regular file. */
static int try_dwo(struct reader *r, const char *path, struct elf_file **elf)
{
    struct file_identity identity;
    struct apf_input input = apf_input_file(path);
    if (file_look(&identity, path, true) != 0 || !identity.regular)
        return APF_OK;
    int code = elf_file_open_input(elf, &input, r->walk->max_bytes, r->error);
    return code == APF_NO_MEMORY ? code : APF_OK;
}

static char *join_path(struct reader *r, const char *directory, size_t n, const char *name)
{
    size_t size = n + strlen(name) + 2;
    char *path = arena_bytes(&r->arena, size);
    if (path)
        snprintf(path, size, "%.*s%s%s", (int)n, directory, n ? "/" : "", name);
    return path;
}

/* Looks in the directory of the compilation, and beside the program. */
static int open_dwo(struct reader *r, const struct unit *u, const char *name, struct elf_file **elf)
{
    Dwarf_Die die = u->die;
    const char *directory = own_text(u, &die, DW_AT_comp_dir), *program = r->walk->program;
    const char *slash = program ? strrchr(program, '/') : NULL;
    bool absolute = *name == '/' || !directory;
    char *paths[] = {join_path(r, absolute ? "" : directory, absolute ? 0 : strlen(directory), name),
                     program ? join_path(r, program, slash ? (size_t)(slash - program) : 0,
                                         strrchr(name, '/') ? strrchr(name, '/') + 1 : name)
                             : NULL};
    int code = APF_OK;
    *elf = NULL;
    if (!paths[0] || (program && !paths[1]))
        return error_memory(r->error);
    for (size_t i = 0; code == APF_OK && !*elf && i < 2 && paths[i]; i++)
        code = try_dwo(r, paths[i], elf);
    return code;
}

/* Walks the part of a unit that is in another file. */
static int walk_split(struct reader *r, const struct unit *u)
{
    Dwarf_Die die = u->die;
    struct elf_file *elf;
    const char *name = own_text(u, &die, DW_AT_dwo_name);
    if (!name)
        name = own_text(u, &die, DW_AT_GNU_dwo_name);
    if (!name)
        return APF_OK;
    int code = open_dwo(r, u, name, &elf);
    if (code == APF_OK && elf)
        code = walk_dwo(r, u, elf);
    bool failed = !elf || (code != APF_OK && code != APF_NO_MEMORY && !r->stopped);
    elf_file_close(elf);
    if (!failed || code == APF_NO_MEMORY)
        return code;
    if (r->walk->n_missing++ == 0)
        snprintf(r->walk->missing, sizeof r->walk->missing, "%s", name);
    return APF_OK;
}

/* ---- the file ---- */

static int find_section(void *user, const struct elf_section *section)
{
    struct reader *r = user;
    struct line_sections *l = &r->sections.lines;
    const struct {
        const char *name;
        const uint8_t **data;
        size_t *n;
        bool always;
    } rows[] = {{".debug_addr", &r->sections.addresses, &r->sections.n_addresses, true},
                {".debug_line", &l->lines, &l->n_lines, false},
                {".debug_str", &l->strings, &l->n_strings, false},
                {".debug_line_str", &l->line_strings, &l->n_line_strings, false}};
    if (strcmp(section->name, ".debug_info") == 0)
        r->walk->is_compressed = (section->flags & SHF_COMPRESSED) != 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(section->name, rows[i].name) == 0 && (rows[i].always || r->walk->places))
            return elf_file_contents(r->elf, section->index, r->walk->max_bytes, &r->arena, rows[i].data,
                                     rows[i].n, r->error);
    return APF_OK;
}

static uint64_t place_in_section(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
    Dwarf_Attribute attribute;
    Dwarf_Word place;
    return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, &place) == 0 ? place : otherwise;
}

static int walk_file(struct reader *r)
{
    struct dwarf_file file = {.left = &r->text_left};
    struct unit u = {&file, {0}, 0, 0, false};
    Dwarf_CU *cu = NULL;
    int code = dwarf_file_open(&file, r->elf, r->error);
    r->walk->no_debug_info = !file.dwarf;
    while (code == APF_OK && file.dwarf &&
           dwarf_get_units(file.dwarf, cu, &cu, NULL, NULL, &u.die, NULL) == 0) {
        u.address_base =
            place_in_section(&u.die, DW_AT_addr_base, place_in_section(&u.die, DW_AT_GNU_addr_base, 0));
        u.lines = place_in_section(&u.die, DW_AT_stmt_list, UINT64_MAX);
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
    struct reader r = {.walk = walk, .elf = elf, .each = each, .user = user, .error = error};
    r.address_bytes = elf_file_facts(elf)->bits / 8;
    r.sections.lines.swap = elf_file_facts(elf)->big_endian != (bool)HOST_BIG_ENDIAN;
    int code = elf_file_sections(elf, find_section, &r);
    if (code == APF_OK)
        code = dwarf_check_sections(elf, walk->max_bytes, error);
    uint64_t size = elf_file_size(elf);
    r.text_left =
        size > UINT64_MAX / MOST_SHARING / 2 ? UINT64_MAX - 1 : SHARING_ANYWAY + MOST_SHARING * size;
    errno = 0;
    if (code == APF_OK)
        code = walk_file(&r);
    if (code == APF_OK && errno == ENOMEM) /* libdw reports nothing when it is out of memory */
        code = error_memory(error);
    if (code == APF_OK && r.text_left == UINT64_MAX)
        code = error_plain(error, APF_LIMIT, "dwarf.text", "long names are shared by too many entries");
    VEC_FREE(&r.levels);
    arena_free(&r.arena);
    return code;
}

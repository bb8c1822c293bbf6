/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where indirect jumps of x86-64 go: the jump tables of compilers, found and bounded as BOLT does it. */
#include <elf.h>
#include <string.h>

#include "base/endian.h"
#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "object/flow_model.h"
#include "object/program_functions.h"

#define POINTER 8u
#define DISTANCE 4u

/* ---- data ---- */

struct section_search {
    struct code_flow *c;
    const struct elf_file *elf;
    struct apf_error *error;
};

static int collect_section(void *user, const struct elf_section *section)
{
    const struct section_search *search = user;
    struct flow_section s = {.address = section->address, .is_writable = section->flags & SHF_WRITE};
    s.is_stubs = is_plt_section(section);
    s.is_frames = strcmp(section->name, ".eh_frame") == 0;
    if (!(section->flags & SHF_ALLOC) || section->flags & SHF_TLS || section->type == SHT_NOBITS)
        return APF_OK;
    int code = elf_file_bytes(search->elf, section->index, &s.data, &s.n, search->error);
    if (code != APF_OK)
        return code;
    return s.n == 0 || VEC_PUSH(&search->c->sections, s) ? APF_OK : error_memory(search->error);
}

static bool section_before(const void *context, const void *a, const void *b)
{
    const struct flow_section *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

int flow_read_sections(struct code_flow *c, struct apf_error *error)
{
    struct section_search search = {c, c->functions->elf, error};
    int code = elf_file_sections(search.elf, collect_section, &search);
    if (code == APF_OK && !VEC_RESERVE(&c->sections, c->sections.n))
        code = error_memory(error);
    if (code == APF_OK && c->sections.n)
        sort_merge(c->sections.data, c->sections.data + c->sections.n, c->sections.n,
                   sizeof *c->sections.data, section_before, NULL);
    return code;
}

const struct flow_section *flow_find_section(const struct code_flow *c, uint64_t address)
{
    size_t at;
    SEARCH(at, 0, c->sections.n, c->sections.data[at].address <= address);
    const struct flow_section *s = at ? &c->sections.data[at - 1] : NULL;
    return s && address - s->address < s->n ? s : NULL;
}

/* ---- code before a jump ---- */

/* The last instruction before `end` that writes to one of the registers; `end`: there is none, or it is too far
 * away. */
static size_t find_writer(struct flow_steps *steps, size_t end, uint32_t registers)
{
    for (size_t i = end; i > 0 && steps->budget > 0; steps->budget--)
        if (steps->list.data[--i].flow.writes & registers)
            return i;
    return end;
}

/* Matches: lea table(%rip), a; movslq (a, index, 4), b; add a, b (or b, a). Other instructions may come between. */
static bool find_relative(struct flow_steps *steps, size_t add, struct flow_site *site)
{
    const struct flow_step *all = steps->list.data;
    uint8_t a = all[add].flow.to, b = all[add].flow.from;
    if (a == b || a == NO_REGISTER || b == NO_REGISTER)
        return false;
    uint32_t both = 1u << a | 1u << b;
    size_t load = find_writer(steps, add, both);
    const struct instruction_flow *f = &all[load].flow;
    uint8_t other = f->to == a ? b : a;
    if (load == add || f->pattern != PATTERN_LOAD_SIGNED || f->base != other || f->index == NO_REGISTER ||
        f->scale != DISTANCE || f->memory != 0 || f->has_segment)
        return false;
    size_t lea = find_writer(steps, load, 1u << other);
    f = &all[lea].flow;
    site->table = (uint64_t)f->memory;
    site->from = all[lea].offset;
    return lea != load && f->pattern == PATTERN_ADDRESS && f->to == other && f->is_relative &&
           !f->has_segment;
}

/* ---- tables ---- */

static uint64_t read_entry(const struct flow_section *s, uint64_t table, uint64_t at, bool is_relative)
{
    const uint8_t *p = s->data + (at - s->address);
    if (!is_relative)
        return load64le(p);
    uint64_t distance = load32le(p);
    return table + (distance >> 31 ? distance | ~(uint64_t)UINT32_MAX : distance);
}

#define LONGEST_FAMILY 1024u /* the parts of a function with a longer name are not recognized */

/* The part of a name that a function and its cold parts have in common. */
static struct apf_str family_of(struct apf_str name)
{
    static const char cold[] = ".cold";
    size_t n = 0;
    while (n < name.n && n <= LONGEST_FAMILY && name.p[n] != '/' &&
           (name.n - n < sizeof cold - 1 || memcmp(name.p + n, cold, sizeof cold - 1) != 0))
        n++;
    return (struct apf_str){name.p, n};
}

static bool are_related(const struct code_flow *c, uint32_t function, uint64_t address)
{
    const struct code_function *list = c->functions->list;
    size_t at;
    SEARCH(at, 0, c->functions->n, list[at].address <= address);
    if (at == 0 || address >= list[at - 1].end)
        return false;
    struct apf_str a = family_of(list[function].name), b = family_of(list[at - 1].name);
    return a.n == b.n && a.n <= LONGEST_FAMILY && memcmp(a.p, b.p, a.n) == 0;
}

/* Kinds of table entries, by the place that they lead to. */
enum entry { ENTRY_FOREIGN, ENTRY_PAST, ENTRY_START, ENTRY_INSIDE, ENTRY_RELATED };

static enum entry classify(const struct code_flow *c, const struct flow_function *f, uint64_t value)
{
    if (value == f->address + f->size) /* __builtin_unreachable(): the end of the function */
        return ENTRY_PAST;
    if (value - f->address < f->size)
        return value == f->address ? ENTRY_START : ENTRY_INSIDE;
    return are_related(c, f->function, value) ? ENTRY_RELATED : ENTRY_FOREIGN;
}

/* Where the relocations of code are kept, an entry has one. */
static bool lacks_relocation(const struct code_flow *c, uint64_t place, bool is_relative)
{
    return c->is_strict && !flow_is_relocated(c, place, is_relative);
}

#define MOST_LOOKED_AT 1024u

/* Whether a table leads into the function: by two entries, or by one entry and one that leads to its beginning or
 * end. */
static bool is_table(const struct code_flow *c, const struct flow_function *f, const struct flow_section *s,
                     uint64_t table, bool is_relative)
{
    uint64_t step = is_relative ? DISTANCE : POINTER, n = (s->address + s->n - table) / step, real = 0;
    bool special = false;
    n = n < MOST_LOOKED_AT ? n : MOST_LOOKED_AT;
    for (uint64_t i = 0; i < n && real + special < 2; i++) {
        uint64_t place = table + i * step;
        enum entry entry = classify(c, f, read_entry(s, table, place, is_relative));
        if (entry == ENTRY_FOREIGN || lacks_relocation(c, place, is_relative))
            break;
        real += entry == ENTRY_INSIDE || entry == ENTRY_RELATED;
        special |= entry == ENTRY_PAST || entry == ENTRY_START;
    }
    return real + special >= 2;
}

/* Follows `jmp *place`, which has no index. */
static enum flow_jump follow_pointer(const struct code_flow *c, const struct flow_function *f, uint64_t place,
                                     uint64_t *address)
{
    const struct flow_section *s = flow_find_section(c, place);
    if (!s)
        return FLOW_JUMP_AWAY;
    if (s->is_writable || s->n - (place - s->address) < POINTER)
        return FLOW_JUMP_OPEN;
    *address = read_entry(s, 0, place, false);
    return *address - f->address < f->size ? FLOW_JUMP_TO : FLOW_JUMP_AWAY;
}

static enum flow_jump check_table(const struct code_flow *c, const struct flow_function *f, uint64_t table,
                                  bool is_relative)
{
    const struct flow_section *s = flow_find_section(c, table);
    if (!s)
        return FLOW_JUMP_AWAY;
    bool relative = is_table(c, f, s, table, true);
    if (is_relative)
        return relative ? FLOW_JUMP_TABLE : FLOW_JUMP_OPEN;
    if (relative)
        return FLOW_JUMP_OPEN;
    return is_table(c, f, s, table, false) ? FLOW_JUMP_TABLE : FLOW_JUMP_AWAY;
}

enum flow_jump flow_find_table(struct code_flow *c, struct flow_function *f, struct flow_steps *steps,
                               struct flow_site *site)
{
    size_t jump = steps->list.n - 1, at = jump;
    const struct flow_step *all = steps->list.data;
    if (!all[jump].flow.has_memory) {
        uint8_t reg = all[jump].flow.from;
        at = reg != NO_REGISTER ? find_writer(steps, jump, 1u << reg) : jump;
        if (at == jump)
            return FLOW_JUMP_OPEN;
        site->is_relative = all[at].flow.pattern == PATTERN_ADD;
        if (site->is_relative)
            return find_relative(steps, at, site) ? check_table(c, f, site->table, true) : FLOW_JUMP_OPEN;
        if (all[at].flow.pattern != PATTERN_LOAD)
            return FLOW_JUMP_OPEN;
    }
    const struct instruction_flow *flow = &all[at].flow;
    site->from = all[at].offset;
    if (flow->has_segment || flow->base != NO_REGISTER)
        return FLOW_JUMP_OPEN;
    if (at == jump && flow->index == NO_REGISTER)
        return follow_pointer(c, f, (uint64_t)flow->memory, &site->table);
    site->table = (uint64_t)flow->memory;
    return flow->scale == POINTER ? check_table(c, f, site->table, false) : FLOW_JUMP_OPEN;
}

/* Without the relocations of code, BOLT looks at the tables of functions with samples only. */
static bool has_tables(const struct code_flow *c, uint32_t function)
{
    return c->is_strict || c->list.data[function].is_wanted;
}

bool flow_add_site(struct code_flow *c, const struct flow_site *site)
{
    struct flow_table t = {
        .address = site->table, .function = site->function, .is_relative = site->is_relative};
    if (!has_tables(c, site->function))
        return true;
    return VEC_PUSH(&c->sites, *site) && (!site->table || VEC_PUSH(&c->tables, t));
}

bool flow_add_table(struct code_flow *c, const struct flow_function *f, uint64_t address)
{
    struct flow_table t = {.address = address, .function = (uint32_t)(f - c->list.data), .is_relative = true};
    if (!c->is_strict || !flow_is_relocated(c, address, true))
        return true;
    return check_table(c, f, address, true) != FLOW_JUMP_TABLE || VEC_PUSH(&c->tables, t);
}

/* ---- targets of tables ---- */

/* A table ends with its symbol or section, or where another table begins. */
static uint64_t table_end(const struct code_flow *c, const struct flow_section *s, const struct flow_table *t)
{
    size_t at;
    uint64_t end = s->address + s->n, next = t + 1 < c->tables.data + c->tables.n ? t[1].address : end;
    end = next < end ? next : end;
    SEARCH(at, 0, c->symbols.n, c->symbols.data[at].address < t->address);
    for (; at < c->symbols.n && c->symbols.data[at].address == t->address; at++)
        if (c->symbols.data[at].size && c->symbols.data[at].size < end - t->address)
            end = t->address + c->symbols.data[at].size;
    return end;
}

/* Whether an instruction begins at the address, or may begin there. */
static bool is_step(const struct code_flow *c, uint64_t address)
{
    const struct flow_function *f = flow_find(c, address);
    return !f || f->state != FLOW_IS_KNOWN || c->marks.data[f->marks + (address - f->address)] & MARK_STEP;
}

static bool read_targets(struct code_flow *c, struct flow_table *t)
{
    const struct flow_function *f = &c->list.data[t->function];
    const struct flow_section *s = flow_find_section(c, t->address);
    uint64_t step = t->is_relative ? DISTANCE : POINTER, end = table_end(c, s, t);
    t->first_target = c->targets.n;
    for (uint64_t at = t->address; end - at >= step; at += step) {
        uint64_t value = read_entry(s, t->address, at, t->is_relative);
        enum entry entry = classify(c, f, value);
        if (entry == ENTRY_FOREIGN || lacks_relocation(c, at, t->is_relative) ||
            ((entry == ENTRY_INSIDE || entry == ENTRY_RELATED) && !is_step(c, value)))
            break;
        struct flow_function *in = flow_find(c, value);
        if (in) {
            flow_label(c, in, value - in->address, false);
            flow_refer(c, in, value - in->address);
        }
        if (entry != ENTRY_PAST && !VEC_PUSH(&c->targets, value))
            return false;
    }
    t->n_targets = c->targets.n - t->first_target;
    return true;
}

static bool table_before(const void *context, const void *a, const void *b)
{
    const struct flow_table *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

bool flow_read_tables(struct code_flow *c)
{
    size_t n = 0;
    if (!VEC_RESERVE(&c->tables, c->tables.n))
        return false;
    if (c->tables.n)
        sort_merge(c->tables.data, c->tables.data + c->tables.n, c->tables.n, sizeof *c->tables.data,
                   table_before, NULL);
    for (size_t i = 0; i < c->tables.n; i++)
        if (n == 0 || c->tables.data[n - 1].address != c->tables.data[i].address)
            c->tables.data[n++] = c->tables.data[i];
    c->tables.n = n;
    for (size_t i = 0; i < n; i++) {
        struct flow_table *t = &c->tables.data[i];
        if (!read_targets(c, t) || !VEC_RESERVE(&c->targets, t->n_targets))
            return false;
        uint64_t *targets = ENTRY_AT(c->targets.data, t->first_target);
        sort_numbers(targets, targets + t->n_targets, t->n_targets);
    }
    return true;
}

bool flow_table_has(const struct code_flow *c, uint64_t table, uint64_t target)
{
    size_t at;
    SEARCH(at, 0, c->tables.n, c->tables.data[at].address < table);
    if (at == c->tables.n || c->tables.data[at].address != table)
        return false;
    const struct flow_table *t = &c->tables.data[at];
    return sort_has_number(ENTRY_AT(c->targets.data, t->first_target), t->n_targets, target);
}

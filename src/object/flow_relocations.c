/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Relocations that say where code is referred to: from data, and from code by its address. BOLT begins blocks there. It
 * trusts them in a program that keeps the relocations of its code (--emit-relocs): an entry of a jump table has one,
 * and a jump to an unknown place goes to one of these places. Damage in a section of relocations ends the reading. */
#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "object/flow_model.h"

struct relocation_search {
    struct code_flow *c;
    struct elf_section target; /* the section that the relocations are of */
    bool is_dynamic, is_movable;
    uint32_t machine;
};

/* BOLT does not look at the relocations of these. */
static bool is_skipped(const char *name)
{
    static const char *const names[] = {".plt", ".got.plt", ".eh_frame", ".gcc_except_table"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_address(const struct relocation_search *s, uint32_t type)
{
    if (s->machine == EM_X86_64)
        return s->is_dynamic ? type == R_X86_64_RELATIVE
                             : type == R_X86_64_64 || type == R_X86_64_32 || type == R_X86_64_32S;
    return s->machine == EM_AARCH64 && type == (s->is_dynamic ? R_AARCH64_RELATIVE : R_AARCH64_ABS64);
}

static bool is_distance(const struct relocation_search *s, uint32_t type)
{
    return s->machine == EM_X86_64 && !s->is_dynamic && (type == R_X86_64_PC32 || type == R_X86_64_PLT32);
}

/* Where a program can be loaded anywhere, its dynamic relocations have the addresses; on AArch64 BOLT also uses those
 * of the data. */
static int collect_relocation(void *user, const struct elf_relocation *r)
{
    struct relocation_search *s = user;
    struct code_flow *c = s->c;
    bool from_code = !s->is_dynamic && s->target.flags & SHF_EXECINSTR;
    uint64_t to = (s->is_dynamic ? 0 : r->value) + (uint64_t)r->addend, n = 1;
    if (r->in_place)
        return 0;
    if (is_distance(s, r->type) && !from_code)
        return VEC_PUSH(&c->distances, r->offset) ? 0 : APF_NO_MEMORY;
    if (!is_address(s, r->type) || (s->is_movable && !s->is_dynamic && s->machine == EM_X86_64) ||
        !code_reader_bytes(c->reader, to, &n))
        return 0;
    struct flow_pointer pointer = {to, from_code ? r->offset : 0, s->is_dynamic};
    if (!from_code && !s->is_dynamic && !VEC_PUSH(&c->addresses, r->offset))
        return APF_NO_MEMORY;
    return VEC_PUSH(&c->pointers, pointer) ? 0 : APF_NO_MEMORY;
}

static int read_section(void *user, const struct elf_section *section)
{
    struct relocation_search *s = user;
    const struct elf_file *elf = s->c->functions->elf;
    s->is_dynamic = section->flags & SHF_ALLOC;
    if (!elf_is_relocations(section))
        return 0;
    if (!s->is_dynamic && (!s->c->is_strict || !elf_file_section(elf, section->info, &s->target) ||
                           !(s->target.flags & SHF_ALLOC) || is_skipped(s->target.name) ||
                           (s->is_movable && s->target.flags & SHF_EXECINSTR)))
        return 0;
    int code = elf_file_relocations(elf, section->index, collect_relocation, s, NULL);
    return code == APF_NO_MEMORY ? code : 0;
}

static int find_kept(void *user, const struct elf_section *section)
{
    bool *kept = user;
    *kept = *kept || (elf_is_relocations(section) && strcmp(section->name, ".rela.text") == 0);
    return 0;
}

bool flow_read_relocations(struct code_flow *c)
{
    const struct elf_file *elf = c->functions->elf;
    struct relocation_search s = {.c = c, .machine = elf_file_facts(elf)->machine};
    s.is_movable = elf_file_is_movable(elf);
    elf_file_sections(elf, find_kept, &c->is_strict);
    if (elf_file_sections(elf, read_section, &s) != 0 || !VEC_RESERVE(&c->distances, c->distances.n) ||
        !VEC_RESERVE(&c->addresses, c->addresses.n))
        return false;
    sort_numbers(c->distances.data, ENTRY_AT(c->distances.data, c->distances.n), c->distances.n);
    sort_numbers(c->addresses.data, ENTRY_AT(c->addresses.data, c->addresses.n), c->addresses.n);
    return true;
}

bool flow_is_relocated(const struct code_flow *c, uint64_t place, bool is_relative)
{
    return is_relative ? sort_has_number(c->distances.data, c->distances.n, place)
                       : sort_has_number(c->addresses.data, c->addresses.n, place);
}

void flow_mark_pointers(struct code_flow *c)
{
    for (size_t i = 0; i < c->pointers.n; i++) {
        const struct flow_pointer *p = &c->pointers.data[i];
        struct flow_function *f = flow_find(c, p->to);
        if (!f || p->to == f->address)
            continue;
        bool is_inside = p->from - f->address < f->size; /* from the same function */
        flow_label(c, f, p->to - f->address, p->from && !is_inside);
        if (!p->from && !p->is_dynamic)
            flow_refer(c, f, p->to - f->address);
    }
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/code_reader.h"

#include <elf.h>
#include <stdlib.h>

#include "base/endian.h"
#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/vec.h"

struct code_section {
    uint64_t address;
    const uint8_t *data;
    size_t n;
};

struct code_reader {
    const struct elf_file *elf;
    struct disassembler *disassembler;
    VEC(struct code_section) sections; /* by address */
    uint32_t machine;
};

struct section_search {
    struct code_reader *reader;
    struct apf_error *error;
};

static int collect_section(void *user, const struct elf_section *section)
{
    const struct section_search *search = user;
    struct code_reader *c = search->reader;
    struct code_section s = {section->address, NULL, 0};
    if (!(section->flags & SHF_EXECINSTR))
        return APF_OK;
    int code = elf_file_bytes(c->elf, section->index, &s.data, &s.n, search->error);
    if (code != APF_OK)
        return code;
    return s.n == 0 || VEC_PUSH(&c->sections, s) ? APF_OK : error_memory(search->error);
}

static bool section_before(const void *context, const void *a, const void *b)
{
    const struct code_section *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

int code_reader_open(struct code_reader **result, const struct elf_file *elf, struct apf_error *error)
{
    struct code_reader *c = calloc(1, sizeof *c);
    struct section_search search = {c, error};
    *result = NULL;
    if (!c)
        return error_memory(error);
    c->elf = elf;
    c->machine = elf_file_facts(elf)->machine;
    int code = elf_file_sections(elf, collect_section, &search);
    if (code == APF_OK && !SORT_VEC(&c->sections, section_before, NULL))
        code = error_memory(error);
    if (code == APF_OK)
        code = disassembler_open(&c->disassembler, elf_file_facts(elf), DISASSEMBLER_KINDS, error);
    if (code == APF_OK)
        *result = c;
    else
        code_reader_close(c);
    return code;
}

void code_reader_close(struct code_reader *c)
{
    if (!c)
        return;
    disassembler_close(c->disassembler);
    VEC_FREE(&c->sections);
    free(c);
}

const uint8_t *code_reader_bytes(const struct code_reader *c, uint64_t address, uint64_t *n)
{
    size_t low;
    SEARCH(low, 0, c->sections.n, c->sections.data[low].address <= address);
    if (low == 0 || address - c->sections.data[low - 1].address >= c->sections.data[low - 1].n)
        return NULL;
    const struct code_section *s = &c->sections.data[low - 1];
    size_t offset = (size_t)(address - s->address);
    *n = *n < s->n - offset ? *n : s->n - offset;
    return s->data + offset;
}

struct instruction code_reader_decode(struct code_reader *c, const uint8_t *bytes, uint64_t n,
                                      uint64_t address)
{
    return disassembler_next(c->disassembler, bytes, (size_t)n, address);
}

struct instruction_flow code_reader_flow(const struct code_reader *c)
{
    return disassembler_flow(c->disassembler);
}

/* The first bytes show that most instructions cannot be returns: looking at them is faster than decoding. */
static bool may_be_return(const struct code_reader *c, const uint8_t *p, uint64_t n)
{
    switch (c->machine) {
    case EM_X86_64:
    case EM_386:
        return (p[0] & 0xf6) == 0xc2 || p[0] == 0xcf || p[0] == 0xf2 || p[0] == 0xf3 || p[0] >> 4 == 4 ||
               p[0] == 0x66;
    case EM_AARCH64:
        return n >= 4 && p[3] == 0xd6;
    default:
        return true;
    }
}

static bool may_branch_x86(const uint8_t *p, uint64_t n)
{
    uint64_t at = 0;
    while (at < n && (p[at] == 0xf2 || p[at] == 0xf3 || p[at] == 0x2e || p[at] == 0x3e || p[at] == 0x66 ||
                      p[at] >> 4 == 4))
        at++;
    uint8_t first = at < n ? p[at] : 0, second = at + 1 < n ? p[at + 1] : 0, extension = second >> 3 & 7;
    switch (first) {
    case 0x0f: /* conditional jumps, calls and returns of the system, traps */
        return second >> 4 == 8 || second == 0x05 || second == 0x07 || second == 0x34 || second == 0x35 ||
               second == 0x0b || second == 0xb9;
    case 0xff:
        return extension >= 2 && extension <= 5;
    case 0xc7: /* xbegin */
        return second == 0xf8;
    case 0xf4:
        return true;
    default:
        return first >> 4 == 7 || (first >= 0xe0 && first <= 0xe3) || (first >= 0xe8 && first <= 0xeb) ||
               (first & 0xfe) == 0xc2 || (first >= 0xca && first <= 0xcf);
    }
}

static bool may_branch_aarch64(uint32_t word)
{
    bool direct = (word & 0x7c000000) == 0x14000000, conditional = word >> 24 == 0x54,
         tests = (word & 0x7c000000) == 0x34000000 || (word & 0x7e000000) == 0x74000000,
         indirect = (word & 0xfe000000) == 0xd6000000, traps = word >> 24 == 0xd4;
    return direct || conditional || tests || indirect || traps;
}

bool code_may_branch(const struct code_reader *c, uint64_t address)
{
    uint64_t n = 16;
    const uint8_t *p = code_reader_bytes(c, address, &n);
    if (!p || (c->machine != EM_X86_64 && c->machine != EM_AARCH64))
        return true;
    return c->machine == EM_X86_64 ? may_branch_x86(p, n) : n < 4 || may_branch_aarch64(load32le(p));
}

bool code_is_return(struct code_reader *c, uint64_t address)
{
    uint64_t n = 16;
    const uint8_t *p = code_reader_bytes(c, address, &n);
    return p && may_be_return(c, p, n) && code_reader_decode(c, p, n, address).kind == INSTRUCTION_RETURN;
}

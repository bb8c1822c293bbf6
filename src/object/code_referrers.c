/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/code_referrers.h"

#include <elf.h>

#include "base/endian.h"
#include "base/search.h"

struct referrer_search {
    const struct code_functions *functions;
    const uint8_t *marks;
    uint64_t first, end;              /* of all code */
    const struct code_function *here; /* the function that is looked at */
};

static bool is_inside(const struct referrer_search *s, uint64_t target)
{
    const struct code_function *list = s->functions->list;
    size_t at;
    if (target - s->here->address < s->here->size || target < s->first || target >= s->end)
        return false;
    SEARCH(at, 0, s->functions->n, list[at].address <= target);
    const struct code_function *f = at ? &list[at - 1] : NULL;
    return f && s->marks[at - 1] & CODE_IS_WANTED && target != f->address && target - f->address < f->size;
}

static uint64_t extend_sign(uint32_t value, unsigned bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return ((value & (2 * sign - 1)) ^ sign) - sign;
}

/* Distances of 4 bytes are those of branches, calls and addresses; those of 1 byte follow the opcode of a short
 * branch. Both count from their end. */
static bool x86_refers(const struct referrer_search *s, const uint8_t *p, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t address = s->here->address + i;
        bool is_short = p[i] >> 4 == 7 || p[i] == 0xeb || p[i] >> 2 == 0xe0 >> 2;
        if (is_short && n - i >= 2 && is_inside(s, address + 2 + extend_sign(p[i + 1], 8)))
            return true;
        if (n - i >= 4 && is_inside(s, address + 4 + extend_sign(load32le(p + i), 32)))
            return true;
    }
    return false;
}

/* The distance to the target of a branch, or of an instruction that computes an address; 0: another instruction. */
static uint64_t aarch64_distance(uint32_t word)
{
    if ((word & 0x7c000000) == 0x14000000) /* b, bl */
        return extend_sign(word << 2, 28);
    if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) /* b.cond, cbz */
        return extend_sign(word >> 5 << 2, 21);
    if ((word & 0x7e000000) == 0x74000000) /* compare and branch */
        return extend_sign(word >> 5 << 2, 11);
    if ((word & 0x7e000000) == 0x36000000) /* tbz */
        return extend_sign(word >> 5 << 2, 16);
    if ((word & 0x9f000000) == 0x10000000) /* adr */
        return extend_sign(word >> 5 << 2 | (word >> 29 & 3), 21);
    return 0;
}

static bool aarch64_refers(const struct referrer_search *s, const uint8_t *p, uint64_t n)
{
    for (uint64_t i = 0; n - i >= 4; i += 4)
        if (is_inside(s, s->here->address + i + aarch64_distance(load32le(p + i))))
            return true;
    return false;
}

void code_mark_referrers(const struct code_functions *functions, const struct code_reader *reader,
                         uint8_t *marks)
{
    size_t n = functions->n;
    uint32_t machine = elf_file_facts(functions->elf)->machine;
    struct referrer_search s = {.functions = functions, .marks = marks};
    s.first = n ? functions->list[0].address : 0;
    s.end = n ? functions->list[n - 1].end : 0;
    for (size_t i = 0; i < n; i++) {
        s.here = &functions->list[i];
        uint64_t n_bytes = s.here->size;
        const uint8_t *bytes = marks[i] ? NULL : code_reader_bytes(reader, s.here->address, &n_bytes);
        if (!bytes)
            continue;
        bool refers = machine == EM_X86_64    ? x86_refers(&s, bytes, n_bytes)
                      : machine == EM_AARCH64 ? aarch64_refers(&s, bytes, n_bytes)
                                              : false;
        marks[i] = refers ? CODE_REFERS : 0;
    }
}

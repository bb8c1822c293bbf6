/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/arm64_newer.h"

#include <stddef.h>

struct encoding {
    uint32_t mask, bits;
    enum instruction_kind kind;
    uint8_t n_distance; /* bits of the distance to the target, from bit 5 on; 0: it is in a register */
};

static const struct encoding branches[] = {
    {0xfffff81f, 0xd61f081f, INSTRUCTION_BRANCH, 0},  /* braaz, brabz */
    {0xfffff800, 0xd71f0800, INSTRUCTION_BRANCH, 0},  /* braa, brab */
    {0xfffff81f, 0xd63f081f, INSTRUCTION_CALL, 0},    /* blraaz, blrabz */
    {0xfffff800, 0xd73f0800, INSTRUCTION_CALL, 0},    /* blraa, blrab */
    {0xfffffbe0, 0xd65f0be0, INSTRUCTION_RETURN, 0},  /* retaa, retab, also with a register */
    {0xfffffbff, 0xd69f0bff, INSTRUCTION_RETURN, 0},  /* eretaa, eretab */
    {0xff000010, 0x54000010, INSTRUCTION_BRANCH, 19}, /* bc.cond */
    {0x7e000000, 0x74000000, INSTRUCTION_BRANCH, 9},  /* compare and branch */
    {0xff000000, 0xd5000000, INSTRUCTION_PLAIN, 0},   /* of the system */
};

/* Groups of bits 28 to 25 that have other instructions than branches: loads and stores, data processing, SVE. */
#define PLAIN_GROUPS 0xf3f4u

struct arm64_newer arm64_newer(uint32_t word, uint64_t address)
{
    struct arm64_newer found = {.kind = INSTRUCTION_PLAIN};
    uint32_t group = word >> 25 & 15;
    bool is_matrix = group == 0 && word >> 31; /* SME */
    found.is_known = is_matrix || PLAIN_GROUPS >> group & 1;
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        const struct encoding *e = &branches[i];
        if ((word & e->mask) != e->bits)
            continue;
        found = (struct arm64_newer){.is_known = true, .kind = e->kind, .conditional = e->n_distance != 0};
        uint32_t sign = e->n_distance ? 1u << (e->n_distance - 1) : 0, distance = word >> 5 & (2 * sign - 1);
        found.target = found.conditional ? address + 4 * (((uint64_t)distance ^ sign) - sign) : 0;
    }
    return found;
}

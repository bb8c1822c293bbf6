/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/x86_length.h"

/* Opcode maps: the bytes 0F, 0F 38, 0F 3A, or their numbers in VEX and EVEX prefixes. */
enum { MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3, MAP_5 = 5, MAP_6 = 6 };

#define UD1 0xb9u
/* Opcodes of map 1 that got further instructions: rdssp and incssp of shadow stacks, tpause, rdpid. */
static bool is_late(uint8_t opcode)
{
    return opcode == UD1 || opcode == 0x1e || opcode == 0xae || opcode == 0xc7;
}

static bool is_legacy_prefix(uint8_t byte)
{
    switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0xf2:
    case 0xf3:
        return true;
    default:
        return false;
    }
}

/* Whether a constant byte ends a VEX or EVEX instruction: some opcodes of map 1 have one. */
static bool has_constant(unsigned map, uint8_t opcode)
{
    if (map != MAP_0F)
        return map == MAP_0F3A;
    return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6);
}

/* Bytes from ModRM up to the constant; 0: they do not fit. These instructions have no addresses of 16 bits. */
static size_t operand_bytes(const uint8_t *p, size_t n)
{
    if (n < 1)
        return 0;
    unsigned mod = p[0] >> 6, rm = p[0] & 7, bytes = 1;
    bool has_sib = mod != 3 && rm == 4;
    if (has_sib && n < 2)
        return 0;
    bytes += has_sib;
    bool no_base = rm == 5 || (has_sib && (p[1] & 7) == 5);
    if (mod == 1)
        bytes += 1;
    else if (mod == 2 || (mod == 0 && no_base))
        bytes += 4;
    return bytes;
}

static size_t whole_length(const uint8_t *p, size_t n, size_t at, unsigned map)
{
    if (at >= n)
        return 0;
    size_t operands = operand_bytes(p + at + 1, n - at - 1);
    size_t length = at + 1 + operands + has_constant(map, p[at]);
    return operands && length <= n ? length : 0;
}

size_t x86_length(const uint8_t *p, size_t n, bool is_64_bit)
{
    size_t at = 0;
    while (at < n && is_legacy_prefix(p[at]))
        at++;
    size_t left = n - at;
    if (left >= 2 && p[at] == 0xc5 && (is_64_bit || p[at + 1] >= 0xc0))
        return whole_length(p, n, at + 2, MAP_0F);
    if (left >= 3 && p[at] == 0xc4 && (is_64_bit || p[at + 1] >= 0xc0)) {
        unsigned map = p[at + 1] & 0x1f;
        return map >= MAP_0F && map <= MAP_0F3A ? whole_length(p, n, at + 3, map) : 0;
    }
    if (left >= 4 && p[at] == 0x62 && (is_64_bit || p[at + 1] >= 0xc0)) {
        unsigned map = p[at + 1] & 7;
        bool known = (map >= MAP_0F && map <= MAP_0F3A) || map == MAP_5 || map == MAP_6;
        return known && p[at + 2] & 4 ? whole_length(p, n, at + 4, map) : 0;
    }
    if (is_64_bit && left && p[at] >> 4 == 4) /* REX */
        at++;
    if (n - at < 3 || p[at] != 0x0f)
        return 0;
    if (p[at + 1] == 0x38 || p[at + 1] == 0x3a)
        return whole_length(p, n, at + 2, p[at + 1] == 0x38 ? MAP_0F38 : MAP_0F3A);
    return is_late(p[at + 1]) ? whole_length(p, n, at + 1, MAP_0F) : 0;
}

size_t x86_nop_length(const uint8_t *p, size_t n)
{
    size_t at = 0;
    bool is_pause = false;
    for (; at < n && is_legacy_prefix(p[at]); at++)
        is_pause = is_pause || p[at] == 0xf3;
    bool extended = at < n && (p[at] & 0xf0) == 0x40, is_exchange = extended && p[at] & 1;
    at += extended;
    if (at < n && p[at] == 0x90)
        return is_pause || is_exchange ? 0 : at + 1;
    if (n - at < 3 || p[at] != 0x0f || p[at + 1] != 0x1f)
        return 0;
    size_t operands = operand_bytes(p + at + 2, n - at - 2), length = at + 2 + operands;
    return operands && length <= n ? length : 0;
}

/* ---- common instructions ---- */

/* Prefixes that choose among instructions with one opcode. */
enum { NO_PREFIX = 1, PREFIX_66 = 2, PREFIX_F3 = 4, PREFIX_F2 = 8 };

/* What follows an opcode; 0: not a common instruction. */
enum {
    FORM_NONE = 1,     /* nothing */
    FORM_MODRM = 2,    /* ModRM and what belongs to it */
    FORM_BYTE = 4,     /* a constant of one byte */
    FORM_CONSTANT = 8, /* a constant of four bytes, or of two with the prefix 66 */
    FORM_WIDE = 16     /* as FORM_CONSTANT, or of eight bytes with REX.W */
};

/* The forms of opcodes of which ModRM says more; `reg` is its middle field, `is_register` its mod. */
static unsigned group_form(uint8_t opcode, unsigned reg, bool is_register)
{
    switch (opcode) {
    case 0x8d: /* lea, of memory only */
        return is_register ? 0 : FORM_MODRM;
    case 0xc0:
    case 0xc1:
        return reg == 6 ? 0 : FORM_MODRM | FORM_BYTE;
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        return reg == 6 ? 0 : FORM_MODRM;
    case 0xc6:
        return reg ? 0 : FORM_MODRM | FORM_BYTE;
    case 0xc7:
        return reg ? 0 : FORM_MODRM | FORM_CONSTANT;
    case 0xf6:
    case 0xf7:
        return reg == 1  ? 0
               : reg > 1 ? FORM_MODRM
                         : FORM_MODRM | (opcode == 0xf6 ? FORM_BYTE : FORM_CONSTANT);
    case 0xfe:
        return reg < 2 ? FORM_MODRM : 0;
    default: /* 0xff: inc, dec, push; the rest are branches */
        return reg < 2 || reg == 6 ? FORM_MODRM : 0;
    }
}

static bool is_group(uint8_t opcode)
{
    return opcode == 0x8d || opcode == 0xc0 || opcode == 0xc1 || (opcode >= 0xd0 && opcode <= 0xd3) ||
           opcode == 0xc6 || opcode == 0xc7 || (opcode & 0xf6) == 0xf6;
}

static unsigned one_byte_form(uint8_t opcode)
{
    if (opcode < 0x40) { /* add, or, adc, sbb, and, sub, xor, cmp */
        unsigned low = opcode & 7;
        return low < 4 ? FORM_MODRM : low == 4 ? FORM_BYTE : low == 5 ? FORM_CONSTANT : 0;
    }
    if (opcode >= 0x50 && opcode <= 0x5f) /* push, pop */
        return FORM_NONE;
    if (opcode >= 0xb0 && opcode <= 0xbf) /* mov */
        return opcode < 0xb8 ? FORM_BYTE : FORM_WIDE;
    if (opcode >= 0x84 && opcode <= 0x8b) /* test, xchg, mov */
        return FORM_MODRM;
    switch (opcode) {
    case 0x90:
    case 0x98:
    case 0x99:
        return FORM_NONE;
    case 0x63:
        return FORM_MODRM;
    case 0x6a:
    case 0xa8:
        return FORM_BYTE;
    case 0x6b:
    case 0x80:
    case 0x83:
        return FORM_MODRM | FORM_BYTE;
    case 0x69:
    case 0x81:
        return FORM_MODRM | FORM_CONSTANT;
    case 0x68:
    case 0xa9:
        return FORM_CONSTANT;
    default:
        return 0;
    }
}

/* The prefixes with which an opcode after 0F is common; ModRM follows. */
static unsigned two_byte_prefixes(uint8_t opcode)
{
    if (opcode >> 4 == 4 || opcode >> 4 == 9) /* cmov, set */
        return NO_PREFIX | (opcode >> 4 == 4 ? PREFIX_66 : 0);
    switch (opcode) {
    case 0x10:
    case 0x11:
    case 0x51:
    case 0x58:
    case 0x59:
    case 0x5a:
    case 0x5c:
    case 0x5d:
    case 0x5e:
    case 0x5f:
        return NO_PREFIX | PREFIX_66 | PREFIX_F3 | PREFIX_F2;
    case 0x14:
    case 0x15:
    case 0x1f:
    case 0x28:
    case 0x29:
    case 0x2e:
    case 0x2f:
    case 0x54:
    case 0x55:
    case 0x56:
    case 0x57:
    case 0xaf:
    case 0xb6:
    case 0xb7:
    case 0xbe:
    case 0xbf:
        return NO_PREFIX | PREFIX_66;
    case 0x2a:
    case 0x2c:
    case 0x2d:
        return PREFIX_F3 | PREFIX_F2;
    case 0x6f:
    case 0x7e:
    case 0x7f:
        return PREFIX_66 | PREFIX_F3;
    case 0x6e:
    case 0xd4:
    case 0xd6:
    case 0xef:
    case 0xfe:
        return PREFIX_66;
    default:
        return 0;
    }
}

/* The length up to the constant, with an operand; 0: it does not fit. */
static size_t with_operand(const uint8_t *p, size_t n, size_t at)
{
    size_t bytes = at < n ? operand_bytes(p + at, n - at) : 0;
    return bytes ? at + bytes : 0;
}

size_t x86_common_length(const uint8_t *p, size_t n)
{
    static const uint8_t sizes[] = {4, 2};
    size_t at = 0, end;
    unsigned prefix = NO_PREFIX, form;
    bool wide = false;
    if (n && (p[0] == 0x66 || p[0] == 0xf3 || p[0] == 0xf2))
        prefix = p[at++] == 0x66 ? PREFIX_66 : p[0] == 0xf3 ? PREFIX_F3 : PREFIX_F2;
    if (at < n && p[at] >> 4 == 4)
        wide = p[at++] & 8;
    if (n - at < 2) /* a common instruction at the very end of a section is not worth more code */
        return 0;
    uint8_t opcode = p[at++];
    if (opcode == 0x0f) {
        opcode = p[at++];
        bool is_nop = at < n && p[at] >> 6 != 3 && (p[at] >> 3 & 7) == 0;
        if (opcode == 0x1f && !is_nop) /* others of this group are not known to all disassemblers */
            return 0;
        return two_byte_prefixes(opcode) & prefix ? with_operand(p, n, at) : 0;
    }
    form = prefix & (PREFIX_F3 | PREFIX_F2) ? 0
           : is_group(opcode)               ? group_form(opcode, p[at] >> 3 & 7, p[at] >> 6 == 3)
                                            : one_byte_form(opcode);
    end = form & FORM_MODRM ? with_operand(p, n, at) : form ? at : 0;
    if (end == 0)
        return 0;
    end += form & FORM_BYTE ? 1 : 0;
    if (form & (FORM_CONSTANT | FORM_WIDE))
        end += wide ? (form & FORM_WIDE ? 8 : 4) : sizes[prefix == PREFIX_66];
    return end <= n ? end : 0;
}

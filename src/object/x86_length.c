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

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/code_padding.h"

#include "base/endian.h"
#include "object/x86_length.h"

/* The length of a jump to a later place of n bytes, or to their end; 0: another instruction. */
static size_t skip_length(const uint8_t *p, size_t n)
{
    if (n >= 2 && p[0] == 0xeb)
        return p[1] <= INT8_MAX && p[1] <= n - 2 ? 2 : 0;
    uint32_t distance = n >= 5 && p[0] == 0xe9 ? load32le(p + 1) : UINT32_MAX;
    return distance <= INT32_MAX && distance <= n - 5 ? 5 : 0;
}

bool x86_is_padding(const uint8_t *p, size_t n)
{
    size_t at = 0, step;
    while (at < n && p[at] == 0xcc)
        at++;
    for (; at < n; at += step) {
        step = x86_nop_length(p + at, n - at);
        if (!step)
            step = skip_length(p + at, n - at);
        if (!step)
            step = p[at] == 0;
        if (!step)
            return false;
    }
    return true;
}

/* The length of an instruction that does nothing, or of a jump to a later place of n bytes or to their end; 0: another
 * instruction. */
static size_t aarch64_skip_length(const uint8_t *p, size_t n)
{
    uint32_t word = n >= 4 ? load32le(p) : 0, distance = (word & 0x03ffffff) * 4;
    bool is_nop = word == 0xd503201f, is_jump = word >> 26 == 5 && !(word & 0x02000000);
    return is_nop || (is_jump && distance >= 4 && distance <= n) ? 4 : 0;
}

bool aarch64_is_padding(const uint8_t *p, size_t n)
{
    size_t at = 0, step;
    while (n - at >= 4 && (load32le(p + at) & 0xffe0001f) == 0xd4200000) /* brk */
        at += 4;
    for (; at < n; at += step) {
        step = aarch64_skip_length(p + at, n - at);
        if (!step)
            step = p[at] == 0;
        if (!step)
            return false;
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/cursor.h"

/* Where there are so many bytes, none of these steps leaves them or has bits too many. */
#define SAFE_BYTES 9u

uint64_t cursor_uleb128_long(struct cursor *c)
{
    const uint8_t *start = c->p;
    uint64_t value = 0;
    unsigned shift = 0;
    const unsigned safe = c->failed || cursor_left(c) < SAFE_BYTES ? 0 : SAFE_BYTES;
    for (unsigned i = 0; i < safe; i++) {
        value |= (uint64_t)(start[i] & 0x7f) << 7 * i;
        if (!(start[i] & 0x80)) {
            c->p = start + i + 1;
            return value;
        }
    }
    value = 0;
    for (;;) {
        uint8_t byte = cursor_u8(c);
        uint64_t part = byte & 0x7f;
        if (c->failed || (shift >= 64 && part != 0) || (shift == 63 && part > 1)) {
            c->p = start;
            c->failed = true;
            return 0;
        }
        if (shift < 64)
            value |= part << shift;
        if (!(byte & 0x80))
            return value;
        shift = shift < 64 ? shift + 7 : shift;
    }
}

int64_t cursor_sleb128(struct cursor *c)
{
    const uint8_t *start = c->p;
    uint64_t value = 0;
    unsigned shift = 0;
    for (;;) {
        uint8_t byte = cursor_u8(c);
        uint64_t part = byte & 0x7f, sign = value >> 63 ? 0x7f : 0;
        bool too_wide = (shift >= 64 && part != sign) || (shift == 63 && part != 0 && part != 0x7f);
        if (c->failed || too_wide) {
            c->p = start;
            c->failed = true;
            return 0;
        }
        if (shift < 64)
            value |= part << shift;
        shift = shift < 64 ? shift + 7 : shift;
        if (byte & 0x80)
            continue;
        if (shift < 64 && byte & 0x40)
            value |= UINT64_MAX << shift;
        return (int64_t)value;
    }
}

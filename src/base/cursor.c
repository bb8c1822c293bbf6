/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/cursor.h"

uint64_t cursor_uleb128(struct cursor *c)
{
    const uint8_t *start = c->p;
    uint64_t value = 0;
    unsigned shift = 0;
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

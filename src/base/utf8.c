/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/utf8.h"

size_t utf8_decode(const void *bytes, size_t n, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t *p = (const uint8_t *)bytes;
    size_t more = *p < 0x80 ? 0 : *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : 1;
    if (*p >= 0xf8 || (*p >= 0x80 && *p < 0xc0) || more >= n)
        return 0;
    uint32_t c = more == 0 ? *p : *p & (0x3fu >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    *character = c;
    return c < least[more + 1] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : more + 1;
}

bool utf8_valid(struct apf_str text)
{
    for (size_t at = 0, step; at < text.n; at += step) {
        uint32_t c;
        step = utf8_decode(text.p + at, text.n - at, &c);
        if (step == 0)
            return false;
    }
    return true;
}

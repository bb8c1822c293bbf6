/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_out.h"

void aprt_write_bytes(struct aprt_out *out, const void *bytes, size_t n)
{
    out->size += n;
    if (out->write && out->code == 0 && n)
        out->code = out->write(out->context, bytes, n);
}

void aprt_write_zeros(struct aprt_out *out, size_t n)
{
    static const uint8_t zeros[8];
    for (; n > sizeof zeros; n -= sizeof zeros)
        aprt_write_bytes(out, zeros, sizeof zeros);
    aprt_write_bytes(out, zeros, n);
}

int aprt_write_to_memory(void *context, const void *bytes, size_t n)
{
    char **at = context;
    const char *from = bytes;
    for (; n; n--)
        *(*at)++ = *from++;
    return 0;
}

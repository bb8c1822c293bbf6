/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "base/number.h"
#include "perf/perf_record.h"

struct perf_build_id perf_build_id_make(const void *p, size_t n)
{
    struct perf_build_id id = {.n = 0};
    id.n = (uint8_t)(n < sizeof id.bytes ? n : sizeof id.bytes);
    if (id.n)
        memcpy(id.bytes, p, id.n);
    while (id.n && id.bytes[id.n - 1] == 0)
        id.n--;
    return id;
}

bool perf_build_id_parse(struct perf_build_id *id, const char *p, size_t n)
{
    uint8_t bytes[sizeof id->bytes] = {0};
    for (size_t i = 0; i < n; i++) {
        uint8_t digit = number_digits[(uint8_t)p[i]];
        if (digit == 0)
            return false;
        if (i / 2 < sizeof bytes)
            bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | (digit - 1));
    }
    *id = perf_build_id_make(bytes, sizeof bytes);
    return n % 2 == 0;
}

bool perf_build_id_equal(const struct perf_build_id *a, const struct perf_build_id *b)
{
    return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

void perf_build_id_print(const struct perf_build_id *id, char *text)
{
    for (size_t i = 0; i < id->n; i++) {
        *text++ = "0123456789abcdef"[id->bytes[i] >> 4];
        *text++ = "0123456789abcdef"[id->bytes[i] & 15];
    }
    *text = '\0';
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/memprof/memprof_raw.h"

#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

/* Big-endian; a little-endian file has these bytes in the reverse order. */
static const uint8_t magic[8] = {0xff, 'm', 'p', 'r', 'o', 'f', 'r', 0x81};

bool memprof_raw_begins(const uint8_t *data, size_t n)
{
    if (n < sizeof magic)
        return false;
    if (memcmp(data, magic, sizeof magic) == 0)
        return true;
    for (size_t i = 0; i < sizeof magic; i++)
        if (data[i] != magic[sizeof magic - 1 - i])
            return false;
    return true;
}

int memprof_raw_head_read(struct memprof_raw_head *head, const uint8_t *data, size_t n,
                          struct apf_error *error)
{
    head->big_endian = n > 0 && data[0] == magic[0];
    struct cursor c = cursor_make(data, n, head->big_endian != (bool)HOST_BIG_ENDIAN);
    cursor_skip(&c, sizeof magic);
    head->version = cursor_u64(&c);
    struct error_at at = {"memprof_raw.header", 0, n, 16};
    return c.failed ? error_at(error, APF_TRUNCATED, at, NULL) : APF_OK;
}

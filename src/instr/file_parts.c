/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/file_parts.h"

#include "base/endian.h"
#include "base/sort.h"

bool file_parts_add(struct file_parts *parts, const char *name, uint64_t at, uint64_t size, uint64_t profile)
{
    struct file_part part = {name, at, size, profile};
    return size == 0 || VEC_PUSH(&parts->list, part);
}

static bool is_before(const void *context, const void *a, const void *b)
{
    const struct file_part *x = a, *y = b;
    (void)context;
    return x->at < y->at;
}

/* The most bytes that align what follows. */
#define MOST_PADDING 7u

static bool add_gap(struct file_parts *parts, const uint8_t *data, uint64_t from, uint64_t to, bool last,
                    uint64_t profile)
{
    bool padding = (last || to - from <= MOST_PADDING) && bytes_zero(data + from, to - from);
    return file_parts_add(parts, padding ? PART_PADDING : PART_UNCLAIMED, from, to - from, profile);
}

bool file_parts_fill(struct file_parts *parts, const uint8_t *data, uint64_t n)
{
    if (!SORT_VEC(&parts->list, is_before, NULL))
        return false;
    uint64_t end = 0, profile = 0;
    bool done = true;
    for (size_t i = 0, given = parts->list.n; done && i < given; i++) {
        struct file_part part = parts->list.data[i];
        if (part.at > end)
            done = add_gap(parts, data, end, part.at, false, profile);
        profile = part.profile;
        if (part.at + part.size > end)
            end = part.at + part.size;
    }
    return done && (end >= n || add_gap(parts, data, end, n, true, profile)) &&
           SORT_VEC(&parts->list, is_before, NULL);
}

void file_parts_free(struct file_parts *parts)
{
    VEC_FREE(&parts->list);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/line_ranges.h"

#include "base/search.h"
#include "base/text_append.h"

const struct line_range *line_ranges_find(const struct line_ranges *r, uint64_t line)
{
    size_t i;
    SEARCH(i, 0, r->list.n, r->list.data[i].last < line);
    return i < r->list.n && r->list.data[i].first <= line ? &r->list.data[i] : NULL;
}

void line_ranges_write(struct file_out *out, const struct line_range *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        text_append(out, i ? ", " : "");
        text_decimal(out, ranges[i].first, 0);
        if (ranges[i].last == ranges[i].first)
            continue;
        text_append(out, "-");
        text_decimal(out, ranges[i].last, 0);
    }
}

void json_entry_ranges(struct json_writer *w, const char *key, const struct line_ranges *ranges)
{
    json_key(w, key);
    json_array_begin(w);
    for (size_t i = 0; i < ranges->list.n; i++) {
        json_array_begin(w);
        json_u64(w, ranges->list.data[i].first);
        json_u64(w, ranges->list.data[i].last);
        json_array_end(w);
    }
    json_array_end(w);
}

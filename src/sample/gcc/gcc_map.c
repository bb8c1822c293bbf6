/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/gcc/gcc_map.h"

#include "sample/gcc/gcc_parse.h"
#include "sample/gcc/sample_gcc_read.h"

#define MODULES_BYTES 12u
#define WORKING_SET_BYTES (8u + GCC_WORKING_SETS * GCC_WORKING_SET_BYTES)

/* Adds a section of a fixed size if it begins here. Moves *at past it. */
static bool add_section(struct byte_map *map, struct cursor c, uint32_t tag, const char *name, uint64_t size,
                        uint64_t *at)
{
    cursor_skip(&c, *at);
    if (cursor_left(&c) < size || cursor_u32(&c) != tag)
        return true;
    *at += size;
    return byte_map_add(map, name, *at - size, size, 0);
}

bool sample_gcc_map(struct byte_map *map, const uint8_t *data, size_t n, const char *variant)
{
    struct gcc_parsed parsed;
    struct apf_error error;
    bool swap;
    const struct sample_read_options no_limits = {0};
    const struct gcc_layout *layout = sample_gcc_layout(data, n, variant, &swap);
    if (!layout)
        return true;
    int code = gcc_parse(NULL, data, n, swap, layout, &no_limits, &parsed, &error);
    if (code != APF_OK)
        return code != APF_NO_MEMORY;
    const uint64_t begin = GCC_HEADER - 4; /* the last word of the header is a tag */
    uint64_t end = parsed.progress.end;
    struct cursor c = cursor_make(data, n, swap);
    return byte_map_add(map, "header", 0, begin, 0) &&
           byte_map_add(map, "summary", begin, parsed.names - begin, 0) &&
           byte_map_add(map, "names", parsed.names, parsed.functions - parsed.names, 0) &&
           byte_map_add(map, "functions", parsed.functions, end - parsed.functions, 0) &&
           add_section(map, c, GCC_TAG_MODULES, "modules", MODULES_BYTES, &end) &&
           add_section(map, c, GCC_TAG_WORKING_SET, "working sets", WORKING_SET_BYTES, &end) &&
           byte_map_fill(map, data, n);
}

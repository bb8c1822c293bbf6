/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/binary/sample_map.h"

#include "sample/binary/sample_sections.h"
#include "sample/binary/sample_start.h"
#include "sample/layout/sample_layout.h"

/* A walk over a file that adds what it passes. */
struct mapper {
    struct byte_map *map;
    struct cursor c;
    uint64_t from; /* end of the last part */
};

/* Adds the bytes since the last part, if they could be read. */
static bool add_part(struct mapper *m, const char *name)
{
    uint64_t from = m->from;
    if (m->c.failed)
        return true;
    m->from = cursor_offset(&m->c);
    return byte_map_add(m->map, name, from, m->from - from, 0);
}

static void skip_numbers(struct mapper *m, uint64_t n)
{
    for (uint64_t i = 0; i < n && !m->c.failed; i++)
        (void)cursor_uleb128(&m->c);
}

static void skip_summary(struct mapper *m)
{
    skip_numbers(m, 5);
    uint64_t n = cursor_uleb128(&m->c);
    for (unsigned i = 0; i < 3; i++)
        skip_numbers(m, n);
}

static void skip_names(struct mapper *m)
{
    uint64_t n = cursor_uleb128(&m->c);
    for (uint64_t i = 0; i < n && !m->c.failed; i++) {
        size_t left = cursor_left(&m->c);
        const uint8_t *end = left ? memchr(m->c.p, 0, left) : NULL;
        cursor_skip(&m->c, end ? (uint64_t)(end - m->c.p) + 1 : (uint64_t)left + 1);
    }
}

/* Adds magic and version, then the summary if the version has one. NULL: the version is unknown. */
static const struct sample_version *map_start(struct mapper *m, uint32_t format, bool *done)
{
    const struct sample_version *version = NULL;
    cursor_skip(&m->c, SAMPLE_MAGIC_BYTES);
    version = sample_version_of(format, cursor_uleb128(&m->c));
    *done = !version || add_part(m, "header");
    if (!version || !(version->caps & SAMPLE_CAP_SUMMARY))
        return version;
    skip_summary(m);
    *done = *done && add_part(m, "summary");
    return version;
}

bool sample_binary_map(struct byte_map *map, const uint8_t *data, size_t n)
{
    struct mapper m = {map, cursor_make(data, n, HOST_BIG_ENDIAN), 0};
    bool done;
    const struct sample_version *version = map_start(&m, APF_SAMPLE_BINARY, &done);
    if (version && version->caps & SAMPLE_CAP_NAMES) {
        skip_names(&m);
        done = done && add_part(&m, "names");
    }
    cursor_skip(&m.c, version ? cursor_left(&m.c) : 0);
    return done && (!version || add_part(&m, "functions")) && byte_map_fill(map, data, n);
}

/* Adds the functions, which end where the table at an offset begins, and the table. */
static bool map_table(struct mapper *m, uint64_t table)
{
    if (m->c.failed || table < m->from || table - m->from > cursor_left(&m->c))
        return true;
    cursor_skip(&m->c, table - m->from);
    if (!add_part(m, "functions"))
        return false;
    uint64_t n = cursor_uleb128(&m->c);
    skip_numbers(m, n);
    skip_numbers(m, n);
    return add_part(m, "offsets");
}

bool sample_compact_map(struct byte_map *map, const uint8_t *data, size_t n)
{
    struct mapper m = {map, cursor_make(data, n, HOST_BIG_ENDIAN), 0};
    bool done;
    if (map_start(&m, APF_SAMPLE_COMPACT, &done)) {
        skip_numbers(&m, cursor_uleb128(&m.c));
        done = done && add_part(&m, "names");
        uint64_t table = cursor_u64(&m.c);
        done = done && add_part(&m, "offset of offsets") && map_table(&m, table);
    }
    return done && byte_map_fill(map, data, n);
}

bool sample_ext_map(struct byte_map *map, const uint8_t *data, size_t n)
{
    struct sample_sections sections = {0};
    int code = sample_sections_read(&sections, data, n, n, NULL);
    bool done = code != APF_NO_MEMORY && (code != APF_OK || byte_map_add(map, "header", 0, sections.end, 0));
    for (size_t i = 0; done && i < sections.list.n; i++) {
        const struct sample_section *section = &sections.list.data[i];
        if (sample_section_check(section, n, NULL) == APF_OK)
            done = byte_map_add(map, section->kind->part, section->offset, section->size, 0);
    }
    sample_sections_free(&sections);
    return done && byte_map_fill(map, data, n);
}

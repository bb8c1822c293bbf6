/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_header.h"

#include <string.h>

#include "base/arena.h"
#include "base/error.h"

#define PIPE_HEADER 16u
#define FILE_HEADER 104u
#define OLDEST_HEADER 72u /* without features */

/* ---- the header ---- */

static int read_bytes(struct perf_source *source, uint8_t *to, size_t n, struct apf_error *error)
{
    size_t got;
    uint64_t at = source->at;
    int code = perf_source_read(source, to, n, &got, error);
    struct error_at place = {"perf.header", at, got, n};
    if (code == APF_OK && at == 0 && got == 0)
        return error_plain(error, APF_BAD_RECORDING, "perf.header", "the file is empty");
    return code == APF_OK && got < n ? error_at(error, APF_BAD_RECORDING, place, "the file is cut off")
                                     : code;
}

static bool fits(struct perf_section s, uint64_t size)
{
    return s.at <= size && s.size <= size - s.at;
}

/* Whether the recorder finished, and the file is whole. */
static void look_at_end(struct perf_header *h, const struct perf_source *source)
{
    h->unfinished = h->data.size == 0;
    h->cut = source->seekable && !fits(h->data, source->size);
    if (h->unfinished || h->cut)
        memset(h->features, 0, sizeof h->features);
}

static int parse_header(struct perf_header *h, const uint8_t *p, const struct perf_source *source,
                        struct apf_error *error)
{
    struct cursor c = cursor_make(p, FILE_HEADER, h->swap);
    cursor_skip(&c, 16);
    h->attr_size = cursor_u64(&c);
    h->attrs.at = cursor_u64(&c);
    h->attrs.size = cursor_u64(&c);
    h->data.at = cursor_u64(&c);
    h->data.size = cursor_u64(&c);
    cursor_skip(&c, 16); /* of an obsolete table */
    for (size_t i = 0; h->size == FILE_HEADER && i < PERF_FEATURES / 64; i++)
        h->features[i] = cursor_u64(&c);
    struct error_at attrs = {"perf.header.attrs", 24, h->attrs.at, source->size};
    struct error_at data = {"perf.header.data", 40, h->data.at, source->size};
    if (source->seekable && !fits(h->attrs, source->size))
        return error_at(error, APF_BAD_RECORDING, attrs, "outside of the file");
    if (h->data.at > source->size)
        return error_at(error, APF_BAD_RECORDING, data, "outside of the file");
    look_at_end(h, source);
    return APF_OK;
}

int perf_header_read(struct perf_header *h, struct perf_source *source, struct apf_error *error)
{
    uint8_t p[FILE_HEADER] = {0};
    memset(h, 0, sizeof *h);
    int code = read_bytes(source, p, PIPE_HEADER, error);
    if (code != APF_OK)
        return code;
    if (memcmp(p, "PERFFILE", 8) == 0)
        return error_place(error, APF_UNSUPPORTED, "perf.header.magic", 0,
                           "it is of a perf before 2009, which perf does not read either");
    h->big_endian = memcmp(p, "2ELIFREP", 8) == 0;
    if (!h->big_endian && memcmp(p, "PERFILE2", 8) != 0)
        return error_place(error, APF_BAD_RECORDING, "perf.header.magic", 0, "it is no file of perf record");
    h->swap = h->big_endian != (bool)HOST_BIG_ENDIAN;
    h->size = load64(p + 8, h->swap);
    h->piped = h->size == PIPE_HEADER;
    if (h->piped)
        return APF_OK;
    struct error_at at = {"perf.header.size", 8, h->size, FILE_HEADER};
    if (h->size != FILE_HEADER && h->size != OLDEST_HEADER)
        return error_at(error, APF_BAD_RECORDING, at, NULL);
    code = read_bytes(source, p + PIPE_HEADER, (size_t)h->size - PIPE_HEADER, error);
    return code == APF_OK ? parse_header(h, p, source, error) : code;
}

/* ---- events ---- */

/* *left: bytes that tables of ids may still have, so that many events cannot share a large one. */
static int read_ids(const struct perf_header *h, const struct perf_source *source, struct perf_attrs *attrs,
                    uint32_t attr, struct cursor *c, uint64_t *left, struct apf_error *error)
{
    struct error_at place = {"perf.attr.ids", cursor_offset(c), 0, perf_source_end(source)};
    uint64_t at = cursor_u64(c), size = cursor_u64(c);
    struct arena arena = {0};
    const uint8_t *p;
    place.found = at;
    if (size > *left)
        return error_at(error, APF_BAD_RECORDING, place, "outside of the file, or in several tables");
    *left -= size;
    int code = perf_source_table(source, at, size, &arena, &p, error);
    if (code == APF_OK && !p)
        code = error_at(error, APF_BAD_RECORDING, place, "outside of the file");
    for (uint64_t i = 0; code == APF_OK && i + 8 <= size; i += 8)
        code = perf_attrs_add_id(attrs, load64(p + i, h->swap), attr, error);
    arena_free(&arena);
    return code;
}

static int read_entries(const struct perf_header *h, const struct perf_source *source, const uint8_t *p,
                        struct perf_attrs *attrs, struct apf_error *error)
{
    int code = APF_OK;
    uint64_t n = h->attrs.size / h->attr_size, left = perf_source_end(source);
    for (uint64_t i = 0; code == APF_OK && i < n; i++) {
        uint64_t at = i * h->attr_size;
        struct cursor c = cursor_make_at(p + at, (size_t)(h->attrs.size - at), h->attrs.at + at, h->swap);
        struct perf_attr attr;
        size_t size;
        code = perf_attr_read(&attr, &c, (size_t)h->attr_size - 16, &size, error);
        if (code == APF_OK)
            code = perf_attrs_add(attrs, &attr, error);
        if (code != APF_OK)
            return code;
        cursor_skip(&c, h->attr_size - 16 - size);
        code = read_ids(h, source, attrs, (uint32_t)i, &c, &left, error);
    }
    return code;
}

int perf_header_read_attrs(const struct perf_header *h, const struct perf_source *source,
                           struct perf_attrs *attrs, struct apf_error *error)
{
    const uint8_t *p;
    struct arena arena = {0};
    struct error_at size = {"perf.header.attr_size", 16, h->attr_size, 64 + 16};
    struct error_at place = {"perf.header.attrs", 24, h->attrs.at, perf_source_end(source)};
    if (h->attr_size < 64 + 16 || h->attr_size > PERF_LARGEST_TABLE)
        return error_bound(error, APF_BAD_RECORDING, size, "size of an event");
    if (h->attrs.size / h->attr_size > PERF_MOST_EVENTS)
        return error_plain(error, APF_LIMIT, "perf.header.attrs", "more than 4096 events");
    int code = perf_source_table(source, h->attrs.at, h->attrs.size, &arena, &p, error);
    if (code == APF_OK && !p)
        code = error_at(error, APF_BAD_RECORDING, place, "outside of the file");
    if (code == APF_OK)
        code = read_entries(h, source, p, attrs, error);
    arena_free(&arena);
    if (code == APF_OK && attrs->list.n == 0)
        return error_place(error, APF_BAD_RECORDING, "perf.header.attrs", 24, "there is no event");
    return code;
}

/* ---- the table of features ---- */

bool perf_header_has(const struct perf_header *h, uint32_t feature)
{
    return h->features[feature / 64] >> (feature % 64) & 1;
}

static int read_section(const struct perf_source *source, struct perf_section section, uint32_t feature,
                        struct perf_feature_reader *r, struct apf_error *error)
{
    struct arena arena = {0};
    const uint8_t *p;
    if (!perf_feature_has_content(feature))
        return perf_feature_read(r, feature, NULL, 0, error);
    int code = perf_source_table(source, section.at, section.size, &arena, &p, error);
    if (code == APF_OK && p)
        code = perf_feature_read(r, feature, p, (size_t)section.size, error);
    else if (code == APF_OK)
        r->n_bad++;
    arena_free(&arena);
    return code;
}

int perf_header_read_features(const struct perf_header *h, const struct perf_source *source,
                              struct perf_feature_reader *r, struct apf_error *error)
{
    struct arena arena = {0};
    uint64_t n = 0;
    const uint8_t *table;
    for (uint32_t i = 1; i < PERF_FEATURES; i++)
        n += perf_header_has(h, i);
    int code = perf_source_table(source, h->data.at + h->data.size, 16 * n, &arena, &table, error);
    if (code == APF_OK && n && !table)
        r->n_bad += n;
    for (uint32_t i = 1; code == APF_OK && table && i < PERF_FEATURES; i++) {
        if (!perf_header_has(h, i))
            continue;
        struct perf_section section = {load64(table, h->swap), load64(table + 8, h->swap)};
        code = read_section(source, section, i, r, error);
        table += 16;
    }
    arena_free(&arena);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/binary/sample_sections.h"

#include <string.h>

#include "base/error.h"
#include "sample/binary/sample_start.h"
#include "sample/layout/sample_layout.h"

#define WHERE_TABLE "sample.ext.sections"

/* A decoder for the table only. */
static struct sample_decoder table_decoder(const uint8_t *data, size_t n)
{
    return sample_start(NULL, data, n, NULL);
}

/* Reads up to the number of sections. */
static int read_head(struct sample_decoder *d, const struct sample_version **version, uint64_t *n,
                     struct apf_error *error)
{
    int code = sample_start_read(d, APF_SAMPLE_EXTBINARY, version, error);
    if (code != APF_OK)
        return code;
    d->where = WHERE_TABLE;
    *n = cursor_u64(&d->c);
    return d->c.failed ? sample_decode_bound(d, APF_SAMPLE_TRUNCATED, cursor_left(&d->c), sizeof *n,
                                             "number of sections", error)
                       : APF_OK;
}

uint64_t sample_sections_need(const uint8_t *data, size_t n, uint64_t file_size)
{
    const struct sample_version *version;
    struct sample_decoder d = table_decoder(data, n);
    uint64_t count = 0;
    int code = read_head(&d, &version, &count, NULL);
    uint64_t start = cursor_offset(&d.c);
    bool fits = code == APF_OK && start <= file_size && count <= (file_size - start) / SAMPLE_SECTION_ENTRY;
    return fits ? start + count * SAMPLE_SECTION_ENTRY : n < file_size ? n : file_size;
}

/* Sections do not overlap. Readers rely on it: what they do for each byte of a section, they do once for each byte of
 * the file. */
static int check_overlap(const struct sample_sections *sections, uint64_t file_size, struct apf_error *error)
{
    uint64_t left = file_size;
    for (size_t i = 0; i < sections->list.n; i++) {
        const struct sample_section *section = &sections->list.data[i];
        uint64_t rest = section->offset < file_size ? file_size - section->offset : 0;
        uint64_t size = section->size < rest ? section->size : rest;
        if (size > left)
            return error_out_of_bounds(error, APF_SAMPLE_MALFORMED, WHERE_TABLE, section->entry + 24, size,
                                       left, "sections overlap: size of a section");
        left -= size;
    }
    return APF_OK;
}

int sample_sections_read(struct sample_sections *sections, const uint8_t *data, size_t n, uint64_t file_size,
                         struct apf_error *error)
{
    struct sample_decoder d = table_decoder(data, n);
    uint64_t count;
    sections->list.n = 0;
    memset(sections->first, 0, sizeof sections->first);
    int code = read_head(&d, &sections->version, &count, error);
    if (code == APF_OK)
        code = sample_decode_fits(&d, count, SAMPLE_SECTION_ENTRY, "number of sections", error);
    if (code != APF_OK)
        return code;
    if (!VEC_RESERVE(&sections->list, count))
        return error_memory(error);
    for (uint64_t i = 0; i < count; i++) {
        struct sample_section *section = &sections->list.data[i];
        section->entry = cursor_offset(&d.c);
        section->type = cursor_u64(&d.c);
        section->flags = cursor_u64(&d.c);
        section->offset = cursor_u64(&d.c);
        section->size = cursor_u64(&d.c);
        section->kind = sample_section_type_of(section->type);
        if (section->size && section->type < SAMPLE_SECTION_TYPES && !sections->first[section->type])
            sections->first[section->type] = i + 1;
    }
    sections->list.n = count;
    sections->end = cursor_offset(&d.c);
    return check_overlap(sections, file_size, error);
}

void sample_sections_free(struct sample_sections *sections)
{
    VEC_FREE(&sections->list);
}

int sample_section_check(const struct sample_section *section, uint64_t file_size, struct apf_error *error)
{
    uint64_t at = section->entry;
    if (section->offset > file_size)
        return error_out_of_bounds(error, APF_SAMPLE_TRUNCATED, WHERE_TABLE, at + 16, section->offset,
                                   file_size, "offset of a section");
    if (section->size > file_size - section->offset)
        return error_out_of_bounds(error, APF_SAMPLE_TRUNCATED, WHERE_TABLE, at + 24, section->size,
                                   file_size - section->offset, "size of a section");
    return APF_OK;
}

int sample_section_known(const struct sample_section *section, const struct sample_version *version,
                         struct apf_error *error)
{
    const struct sample_section_flag *flag;
    for (unsigned i = 0; (flag = sample_section_flag(section->type, i)) != NULL; i++)
        if (flag->unread && section->flags & flag->bit && version->caps & flag->unread_caps)
            return error_place(error, APF_UNSUPPORTED, section->kind->where, section->entry + 8,
                               flag->unread);
    return APF_OK;
}

const char *sample_section_word(const struct sample_section *section, unsigned *i)
{
    const struct sample_section_flag *flag;
    while ((flag = sample_section_flag(section->type, (*i)++)) != NULL)
        if (flag->word && section->flags & flag->bit && !(section->flags & flag->hidden_by))
            return flag->word;
    return NULL;
}

const struct sample_section *sample_sections_find(const struct sample_sections *sections, uint64_t type)
{
    size_t first = sections->first[type];
    return first ? &sections->list.data[first - 1] : NULL;
}

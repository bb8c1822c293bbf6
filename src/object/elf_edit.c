/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/elf_edit.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "base/error.h"

/* Offset and size of a field in structures of 32 and of 64 bit files. */
struct field {
    uint8_t at32, bytes32, at64, bytes64;
};

#define FIELD(type, name)                                                                                    \
    {offsetof(Elf32_##type, name), sizeof((Elf32_##type *)0)->name, offsetof(Elf64_##type, name),            \
     sizeof((Elf64_##type *)0)->name}

static const struct field e_shoff = FIELD(Ehdr, e_shoff), e_shnum = FIELD(Ehdr, e_shnum),
                          e_shentsize = FIELD(Ehdr, e_shentsize), e_shstrndx = FIELD(Ehdr, e_shstrndx),
                          e_phoff = FIELD(Ehdr, e_phoff), e_phnum = FIELD(Ehdr, e_phnum),
                          e_phentsize = FIELD(Ehdr, e_phentsize);
static const struct field sh_name = FIELD(Shdr, sh_name), sh_type = FIELD(Shdr, sh_type),
                          sh_flags = FIELD(Shdr, sh_flags), sh_offset = FIELD(Shdr, sh_offset),
                          sh_size = FIELD(Shdr, sh_size), sh_link = FIELD(Shdr, sh_link),
                          sh_addralign = FIELD(Shdr, sh_addralign);
static const struct field p_type = FIELD(Phdr, p_type), p_offset = FIELD(Phdr, p_offset),
                          p_filesz = FIELD(Phdr, p_filesz);

/* A file that is being changed. */
struct image {
    uint8_t *data; /* a copy */
    size_t n;
    bool wide, swap;
    uint8_t *headers; /* a copy of the section headers, with room for three more */
    size_t header_bytes, n_headers, n_before;
    size_t names; /* number of the section with the names; 0: none */
    struct apf_error *error;
};

/* ---- fields ---- */

static uint64_t get_field(const struct image *m, const uint8_t *structure, struct field f)
{
    const uint8_t *p = structure + (m->wide ? f.at64 : f.at32);
    switch (m->wide ? f.bytes64 : f.bytes32) {
    case 2:
        return load16(p, m->swap);
    case 4:
        return load32(p, m->swap);
    default:
        return load64(p, m->swap);
    }
}

static void set_field(const struct image *m, uint8_t *structure, struct field f, uint64_t v)
{
    uint8_t *p = structure + (m->wide ? f.at64 : f.at32);
    switch (m->wide ? f.bytes64 : f.bytes32) {
    case 2: {
        uint16_t half = (uint16_t)v;
        half = m->swap ? swap16(half) : half;
        memcpy(p, &half, sizeof half);
        break;
    }
    case 4:
        store32(p, (uint32_t)v, m->swap);
        break;
    default:
        store64(p, v, m->swap);
        break;
    }
}

static uint8_t *section_header(const struct image *m, size_t i)
{
    return m->headers + i * m->header_bytes;
}

/* ---- reading ---- */

static int report_damage(const struct image *m, const char *where, uint64_t offset, const char *detail)
{
    return error_place(m->error, APF_BAD_ELF, where, offset, detail);
}

static bool is_elf(const uint8_t *file, size_t n)
{
    return n >= EI_NIDENT && memcmp(file, ELFMAG, SELFMAG) == 0 &&
           (file[EI_CLASS] == ELFCLASS32 || file[EI_CLASS] == ELFCLASS64) &&
           (file[EI_DATA] == ELFDATA2LSB || file[EI_DATA] == ELFDATA2MSB) &&
           n >= (file[EI_CLASS] == ELFCLASS64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
}

/* More sections than the ELF header can count are counted in the first section header. */
static int count_headers(struct image *m, uint64_t offset)
{
    const uint8_t *first = m->data + offset;
    uint64_t n = get_field(m, m->data, e_shnum), names = get_field(m, m->data, e_shstrndx);
    if (m->n - offset < m->header_bytes)
        return report_damage(m, "elf.shoff", offset, "the section headers lie outside the file");
    if (n == 0)
        n = get_field(m, first, sh_size);
    if (names == SHN_XINDEX)
        names = get_field(m, first, sh_link);
    if (n == 0 || n > (m->n - offset) / m->header_bytes)
        return report_damage(m, "elf.shnum", offset, "the section headers lie outside the file");
    m->n_headers = (size_t)n;
    m->names = names < n ? (size_t)names : 0;
    return APF_OK;
}

static int read_headers(struct image *m)
{
    uint64_t offset = get_field(m, m->data, e_shoff);
    m->header_bytes = m->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    m->n_headers = 0;
    if (offset && (offset > m->n || get_field(m, m->data, e_shentsize) != m->header_bytes))
        return report_damage(m, "elf.shoff", offset, "the section headers lie outside the file");
    int code = offset ? count_headers(m, offset) : APF_OK;
    if (code != APF_OK)
        return code;
    m->n_before = m->n_headers;
    m->headers = calloc(m->n_headers + 3, m->header_bytes); /* a null header, that of the names, a new one */
    if (!m->headers)
        return error_memory(m->error);
    memcpy(m->headers, m->data + offset, m->n_headers * m->header_bytes);
    return APF_OK;
}

static int read_image(struct image *m, const uint8_t *file, size_t n)
{
    if (!is_elf(file, n))
        return error_plain(m->error, APF_BAD_ELF, "elf.header", NULL);
    m->data = malloc(n);
    if (!m->data)
        return error_memory(m->error);
    memcpy(m->data, file, n);
    m->n = n;
    m->wide = file[EI_CLASS] == ELFCLASS64;
    m->swap = (file[EI_DATA] == ELFDATA2MSB) != (bool)HOST_BIG_ENDIAN;
    return read_headers(m);
}

/* The bytes of a section in the file; n == 0: none. */
static struct apf_str section_contents(const struct image *m, size_t i)
{
    uint64_t offset = get_field(m, section_header(m, i), sh_offset),
             size = get_field(m, section_header(m, i), sh_size);
    struct apf_str bytes = {NULL, 0};
    if (get_field(m, section_header(m, i), sh_type) == SHT_NOBITS || offset > m->n || size > m->n - offset)
        return bytes;
    bytes.p = (const char *)m->data + offset;
    bytes.n = (size_t)size;
    return bytes;
}

/* Unused headers have no name. */
static bool has_name(const struct image *m, size_t i, const char *name)
{
    struct apf_str names = section_contents(m, m->names);
    uint64_t at = get_field(m, section_header(m, i), sh_name);
    size_t n = strlen(name) + 1;
    return m->names && i && get_field(m, section_header(m, i), sh_type) != SHT_NULL && at < names.n &&
           n <= names.n - at && memcmp(names.p + at, name, n) == 0;
}

/* ---- removing ---- */

static bool overlaps(uint64_t a, uint64_t na, uint64_t b, uint64_t nb)
{
    return na && nb && (a < b ? b - a < na : a - b < nb);
}

static bool is_loaded(const struct image *m, uint64_t offset, uint64_t n)
{
    uint64_t segments = get_field(m, m->data, e_phoff), count = get_field(m, m->data, e_phnum),
             bytes = get_field(m, m->data, e_phentsize);
    if (count && bytes < (m->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
        return true; /* without readable program headers, count all as loaded */
    for (uint64_t i = 0; i < count && segments <= m->n && (i + 1) * bytes <= m->n - segments; i++) {
        const uint8_t *p = m->data + segments + i * bytes;
        if (get_field(m, p, p_type) == PT_LOAD &&
            overlaps(offset, n, get_field(m, p, p_offset), get_field(m, p, p_filesz)))
            return true;
    }
    return overlaps(offset, n, segments, count * bytes);
}

/* Whether some of the bytes belong to another part of the file, too. */
static bool is_shared(const struct image *m, size_t section, uint64_t offset, uint64_t n)
{
    for (size_t i = 1; i < m->n_headers; i++) {
        const uint8_t *h = section_header(m, i);
        uint64_t type = get_field(m, h, sh_type);
        if (i != section && type != SHT_NULL && type != SHT_NOBITS &&
            overlaps(offset, n, get_field(m, h, sh_offset), get_field(m, h, sh_size)))
            return true;
    }
    return overlaps(offset, n, 0, m->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)) ||
           overlaps(offset, n, get_field(m, m->data, e_shoff), m->n_before * m->header_bytes) ||
           is_loaded(m, offset, n);
}

/* Whether another section is linked to this one, as symbols are to their names. */
static bool is_linked(const struct image *m, size_t section)
{
    bool found = false;
    for (size_t i = 1; i < m->n_headers && !found; i++)
        found = i != section && get_field(m, section_header(m, i), sh_type) != SHT_NULL &&
                get_field(m, section_header(m, i), sh_link) == section;
    return found;
}

/* The numbers of other sections stay: the last header is dropped, any other one becomes unused. */
static int remove_section(struct image *m, size_t i)
{
    uint64_t offset = get_field(m, section_header(m, i), sh_offset);
    struct apf_str bytes = section_contents(m, i);
    if (i == m->names)
        return error_place(m->error, APF_UNSUPPORTED, "elf.shstrndx", offset,
                           "the names of all sections are in the section");
    if (is_linked(m, i))
        return error_place(m->error, APF_UNSUPPORTED, "elf.section.link", offset,
                           "another section refers to the section");
    /* Addresses could then be another section's. */
    if (get_field(m, section_header(m, i), sh_flags) & SHF_ALLOC)
        return error_place(m->error, APF_UNSUPPORTED, "elf.section.flags", offset, "the section is loaded");
    if (is_shared(m, i, offset, bytes.n))
        return error_place(m->error, APF_UNSUPPORTED, "elf.section.offset", offset,
                           "the bytes of the section are loaded, or shared with another section");
    if (bytes.n)
        memset(m->data + offset, 0, bytes.n);
    memset(section_header(m, i), 0, m->header_bytes);
    if (i + 1 == m->n_headers)
        m->n_headers--;
    return APF_OK;
}

static int remove_sections(struct image *m, const char *name, bool *found)
{
    int code = APF_OK;
    *found = false;
    for (size_t i = m->n_headers; code == APF_OK && i-- > 0;) {
        if (!has_name(m, i, name))
            continue;
        *found = true;
        code = remove_section(m, i);
    }
    return code;
}

/* ---- writing ---- */

static void set_counts(struct image *m)
{
    bool many = m->n_headers >= SHN_LORESERVE, far = m->names >= SHN_LORESERVE;
    set_field(m, m->data, e_shnum, many ? 0 : m->n_headers);
    set_field(m, m->data, e_shstrndx, far ? SHN_XINDEX : m->names);
    set_field(m, section_header(m, 0), sh_size, many ? m->n_headers : 0);
    set_field(m, section_header(m, 0), sh_link, far ? m->names : 0);
}

/* Writes the file and then the appended parts. */
static int write_parts(const struct apf_str *parts, size_t n, const struct apf_output *output,
                       struct apf_error *error)
{
    struct apf_buffer whole = {NULL, 0, 0};
    int code = APF_OK;
    for (size_t i = 0; i < n && code == APF_OK; i++)
        if (apf_buffer_write(&whole, parts[i].p, parts[i].n) != 0)
            code = error_memory(error);
    if (code == APF_OK)
        code = apf_output_write(output, whole.data, whole.n, error);
    apf_buffer_free(&whole);
    return code;
}

/* Only the headers change; they keep their place. */
static int write_without(struct image *m, const struct apf_output *output)
{
    uint64_t offset = get_field(m, m->data, e_shoff);
    set_counts(m);
    memcpy(m->data + offset, m->headers, m->n_before * m->header_bytes);
    return apf_output_write(output, m->data, m->n, m->error);
}

#define ALIGNMENT 8u

/* In a file without section names, all sections stay unnamed: their sh_name means nothing. */
static void add_names(struct image *m)
{
    for (size_t i = 0; i < m->n_headers; i++)
        set_field(m, section_header(m, i), sh_name, 0);
    m->names = m->n_headers++;
}

static int write_with(struct image *m, const struct elf_edit *edit, const struct apf_output *output)
{
    static const char zeros[ALIGNMENT] = {0};
    bool had_names = m->names != 0;
    if (m->n_headers == 0)
        m->n_headers = 1;
    if (!had_names)
        add_names(m);
    size_t section = m->n_headers++, at = m->n + edit->n;
    struct apf_str names = had_names ? section_contents(m, m->names) : (struct apf_str){"", 1};
    struct apf_str name = {edit->name, strlen(edit->name) + 1};
    size_t gap = -(at + names.n + name.n) % ALIGNMENT, table = at + names.n + name.n + gap;
    if (!m->wide && table + m->n_headers * m->header_bytes > UINT32_MAX)
        return error_plain(m->error, APF_LIMIT, "elf.shoff", "the file is too large for 32 bits");
    set_field(m, section_header(m, m->names), sh_type, SHT_STRTAB);
    set_field(m, section_header(m, m->names), sh_offset, at);
    set_field(m, section_header(m, m->names), sh_size, names.n + name.n);
    set_field(m, section_header(m, m->names), sh_addralign, 1);
    set_field(m, section_header(m, section), sh_name, names.n);
    set_field(m, section_header(m, section), sh_type, edit->type);
    set_field(m, section_header(m, section), sh_offset, m->n);
    set_field(m, section_header(m, section), sh_size, edit->n);
    set_field(m, section_header(m, section), sh_addralign, 1);
    set_field(m, m->data, e_shoff, table);
    set_field(m, m->data, e_shentsize, m->header_bytes);
    set_counts(m);
    struct apf_str parts[] = {{(const char *)m->data, m->n},
                              {edit->data, edit->n},
                              names,
                              name,
                              {zeros, gap},
                              {(const char *)m->headers, m->n_headers * m->header_bytes}};
    return write_parts(parts, sizeof parts / sizeof *parts, output, m->error);
}

int elf_edit_section(const uint8_t *file, size_t n, const struct elf_edit *edit,
                     const struct apf_output *output, struct apf_error *error)
{
    struct image m = {.error = error};
    bool found = false;
    int code = read_image(&m, file, n);
    if (code == APF_OK)
        code = remove_sections(&m, edit->name, &found);
    if (code == APF_OK && edit->data)
        code = write_with(&m, edit, output);
    else if (code == APF_OK && found)
        code = write_without(&m, output);
    else if (code == APF_OK)
        code = error_plain(error, APF_UNKNOWN_SECTION, "elf.sections", "%s", edit->name);
    free(m.data);
    free(m.headers);
    return code;
}

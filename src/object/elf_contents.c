/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contents of sections, stored and unpacked. */
#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "base/decompress.h"
#include "base/deflate.h"
#include "base/endian.h"
#include "object/elf_model.h"

#ifndef ELFCOMPRESS_ZSTD /* the headers of glibc have it since 2.37 */
#define ELFCOMPRESS_ZSTD 2
#endif

#define LARGE_SECTION ((size_t)1 << 20)
#define OLD_HEADER 12u /* "ZLIB" and the size, big-endian, of sections that are compressed in the old way */

/* ---- errors ---- */

int elf_section_error(struct apf_error *error, int code, struct error_at at, uint32_t section,
                      const char *detail)
{
    error_set_bound(error, code, at, "%s", detail);
    error_add(error, " (section %u)", (unsigned)section);
    return code;
}

int elf_section_wrong(struct apf_error *error, const char *where, uint64_t offset, uint32_t section,
                      const char *detail)
{
    error_set_place(error, APF_BAD_ELF, where, offset, detail);
    error_add(error, " (section %u)", (unsigned)section);
    return APF_BAD_ELF;
}

int elf_read_failed(struct apf_error *error, uint64_t offset, uint32_t section)
{
    if (errno == ENOMEM)
        return error_memory(error);
    if (errno)
        return error_errno(error, errno, "elf.section");
    return elf_section_wrong(error, "elf.section", offset, section, "the section cannot be read");
}

/* ---- bytes ---- */

int elf_find_section(const struct elf_file *f, uint32_t index, GElf_Shdr *header, struct apf_error *error)
{
    struct elf_account *a = f->account;
    Elf_Scn *scn = elf_getscn(f->elf, index);
    errno = 0;
    if (!scn)
        return elf_section_wrong(error, "elf.section", 0, index, "there is no such section");
    if (!gelf_getshdr(scn, header)) /* the first call reads all headers */
        return elf_read_failed(error, 0, index);
    if (header->sh_type == SHT_NOBITS || a->counted[index] & ELF_COUNTED_STORED)
        return APF_OK;
    struct error_at at = {"elf.section.offset", header->sh_offset, header->sh_size, f->size};
    if (header->sh_offset > f->size || header->sh_size > f->size - header->sh_offset)
        return elf_section_error(error, APF_BAD_ELF, at, index, "the section lies outside the file");
    at.where = "elf.section.size";
    at.expected = a->stored;
    if (header->sh_size > a->stored)
        return elf_section_error(error, APF_BAD_ELF, at, index,
                                 "sections overlap: together they are larger than the file");
    a->stored -= header->sh_size;
    a->counted[index] |= ELF_COUNTED_STORED;
    return APF_OK;
}

/* Reads a section of n bytes from the file, unless that was done. */
static int read_large(const struct elf_file *f, uint32_t index, uint64_t offset, size_t n,
                      const uint8_t **data, struct apf_error *error)
{
    struct elf_account *a = f->account;
    size_t got = 0;
    for (size_t i = 0; i < a->copies.n; i++)
        if (a->copies.data[i].section == index) {
            *data = a->copies.data[i].data;
            return APF_OK;
        }
    uint8_t *bytes = arena_bytes(&a->copied, n);
    const struct elf_copy copy = {bytes, index};
    int code = bytes ? file_read_at(f->fd, offset, bytes, n, &got, error) : error_memory(error);
    if (code == APF_OK && got < n)
        code = elf_section_wrong(error, "elf.section", offset, index, "the section cannot be read");
    if (code == APF_OK && !VEC_PUSH(&a->copies, copy))
        code = error_memory(error);
    *data = code == APF_OK ? bytes : NULL;
    return code;
}

/* The bytes of a section that elf_find_section has found. */
static int find_bytes(const struct elf_file *f, uint32_t index, const GElf_Shdr *header, const uint8_t **data,
                      size_t *n, struct apf_error *error)
{
    *data = NULL;
    *n = header->sh_type == SHT_NOBITS ? 0 : (size_t)header->sh_size;
    if (*n == 0)
        return APF_OK;
    if (f->data) {
        *data = f->data + header->sh_offset;
        return APF_OK;
    }
    if (*n >= LARGE_SECTION)
        return read_large(f, index, header->sh_offset, *n, data, error);
    errno = 0;
    const Elf_Data *raw = elf_rawdata(elf_getscn(f->elf, index), NULL);
    if (!raw || raw->d_size != header->sh_size || !raw->d_buf)
        return elf_read_failed(error, header->sh_offset, index);
    *data = raw->d_buf;
    return APF_OK;
}

int elf_file_bytes(const struct elf_file *f, uint32_t index, const uint8_t **data, size_t *n,
                   struct apf_error *error)
{
    GElf_Shdr header;
    int code = elf_find_section(f, index, &header, error);
    return code == APF_OK ? find_bytes(f, index, &header, data, n, error) : code;
}

/* ---- compressed sections ---- */

/* The header that a compressed section begins with. */
struct packing {
    uint32_t type, section;
    uint64_t size, offset; /* size of the unpacked bytes; offset of the section in the file */
    const uint8_t *data;
    size_t n;
};

static bool read_packing(const struct elf_file *f, const uint8_t *data, size_t n, struct packing *out)
{
    struct cursor c = cursor_make(data, n, f->facts.big_endian != (bool)HOST_BIG_ENDIAN);
    out->type = cursor_u32(&c);
    if (f->facts.bits == 64)
        cursor_skip(&c, 4);
    out->size = f->facts.bits == 64 ? cursor_u64(&c) : cursor_u32(&c);
    cursor_skip(&c, f->facts.bits / 8); /* alignment */
    out->n = cursor_left(&c);
    out->data = cursor_bytes(&c, out->n);
    return !c.failed;
}

static int unpack(const struct packing *p, uint8_t *to, struct apf_error *error)
{
    int code = p->type == ELFCOMPRESS_ZSTD ? decompress_zstd(p->data, p->n, to, (size_t)p->size)
                                           : deflate_expand(p->data, p->n, to, (size_t)p->size);
    if (code == APF_OK || code == APF_NO_MEMORY)
        return code == APF_OK ? code : error_memory(error);
    error_set_place(error, code, "elf.section", p->offset,
                    "the compressed data is damaged, or has another size");
    error_add(error, " (section %u)", (unsigned)p->section);
    return code;
}

/* Checks the size that the file states before anything is inflated. */
static int check_size(const struct elf_file *f, const struct packing *p, uint64_t max_bytes,
                      struct apf_error *error)
{
    struct elf_account *a = f->account;
    struct error_at at = {"elf.section.size", p->offset, p->size, max_bytes};
    if (p->size > max_bytes)
        return elf_section_error(error, APF_LIMIT, at, p->section, "larger than the limit for inflated data");
    at.expected = p->n;
    if (p->size / DEFLATE_MAX_RATIO > p->n && p->size > decompress_bound(p->n))
        return elf_section_error(error, APF_UNCOMPRESS_FAILED, at, p->section, "impossible size");
    if (a->counted[p->section] & ELF_COUNTED_UNPACKED)
        return APF_OK;
    at.expected = a->unpacked;
    if (p->size > a->unpacked)
        return elf_section_error(error, APF_LIMIT, at, p->section,
                                 "the sections of the file inflate to too much");
    a->unpacked -= p->size;
    a->counted[p->section] |= ELF_COUNTED_UNPACKED;
    return APF_OK;
}

/* Binutils compressed sections named .zdebug_* before ELF had compressed sections: "ZLIB", the size, the data. */
static bool may_be_old(const struct elf_file *f, const GElf_Shdr *header)
{
    return f->names.p && header->sh_type != SHT_NULL &&
           strncmp(f->names.p + header->sh_name, ".zdebug", 7) == 0;
}

static void read_old_packing(struct packing *p)
{
    if (p->n < OLD_HEADER || memcmp(p->data, "ZLIB", 4) != 0)
        return;
    p->type = ELFCOMPRESS_ZLIB;
    p->size = load64(p->data + 4, !HOST_BIG_ENDIAN);
    p->data += OLD_HEADER;
    p->n -= OLD_HEADER;
}

/* Reads the header of a compressed section, and checks that it may be inflated. The type of another section is 0; its
 * bytes are not read. */
static int open_packing(const struct elf_file *f, uint32_t index, uint64_t max_bytes, struct packing *p,
                        struct apf_error *error)
{
    GElf_Shdr header;
    *p = (struct packing){.section = index};
    int code = elf_find_section(f, index, &header, error);
    if (code != APF_OK || header.sh_type == SHT_NOBITS)
        return code;
    bool compressed = (header.sh_flags & SHF_COMPRESSED) != 0;
    p->offset = header.sh_offset;
    p->n = (size_t)header.sh_size;
    if (!compressed && !may_be_old(f, &header))
        return APF_OK;
    code = find_bytes(f, index, &header, &p->data, &p->n, error);
    if (code != APF_OK)
        return code;
    if (!compressed) {
        read_old_packing(p);
        return p->type ? check_size(f, p, max_bytes, error) : APF_OK;
    }
    if (!read_packing(f, p->data, p->n, p) || (p->type != ELFCOMPRESS_ZLIB && p->type != ELFCOMPRESS_ZSTD)) {
        error_set_place(error, APF_UNSUPPORTED, "elf.section.compression", p->offset,
                        "compressed in an unknown way");
        error_add(error, " (section %u)", (unsigned)index);
        return APF_UNSUPPORTED;
    }
    return check_size(f, p, max_bytes, error);
}

int elf_file_contents_size(const struct elf_file *f, uint32_t index, uint64_t max_bytes, size_t *n,
                           struct apf_error *error)
{
    struct packing p;
    int code = open_packing(f, index, max_bytes, &p, error);
    *n = code == APF_OK ? p.type ? (size_t)p.size : p.n : 0;
    return code;
}

/* Copies the bytes of a section that is not compressed. */
static int copy_bytes(const struct elf_file *f, const struct packing *p, uint8_t *to, struct apf_error *error)
{
    size_t got = p->n;
    int code = APF_OK;
    if (p->n && f->data)
        memcpy(to, f->data + p->offset, p->n);
    else if (p->n)
        code = file_read_at(f->fd, p->offset, to, p->n, &got, error);
    if (code == APF_OK && got < p->n)
        code = elf_section_wrong(error, "elf.section", p->offset, p->section, "the section cannot be read");
    return code;
}

int elf_file_copy_contents(const struct elf_file *f, uint32_t index, uint64_t max_bytes, uint8_t *to,
                           struct apf_error *error)
{
    struct packing p;
    int code = open_packing(f, index, max_bytes, &p, error);
    if (code != APF_OK)
        return code;
    return p.type ? unpack(&p, to, error) : copy_bytes(f, &p, to, error);
}

int elf_file_contents(const struct elf_file *f, uint32_t index, uint64_t max_bytes, struct arena *arena,
                      const uint8_t **data, size_t *n, struct apf_error *error)
{
    struct packing p;
    int code = open_packing(f, index, max_bytes, &p, error);
    *data = NULL;
    *n = 0;
    if (code == APF_OK && p.type == 0)
        return elf_file_bytes(f, index, data, n, error);
    uint8_t *to = code == APF_OK ? arena_bytes(arena, (size_t)p.size) : NULL;
    if (code == APF_OK)
        code = to ? unpack(&p, to, error) : error_memory(error);
    if (code == APF_OK) {
        *data = to;
        *n = (size_t)p.size;
    }
    return code;
}

/* ---- strings ---- */

/* Names may be parts of other names; sound files share far less. */
#define MOST_SHARING 16u
#define SHARING_ANYWAY ((uint64_t)1 << 20)

int elf_strings_open(const struct elf_file *f, uint32_t index, struct elf_strings *strings,
                     struct apf_error *error)
{
    GElf_Shdr header;
    const uint8_t *data;
    size_t n;
    int code = elf_find_section(f, index, &header, error);
    if (code == APF_OK && (header.sh_type != SHT_STRTAB || header.sh_flags & SHF_COMPRESSED))
        return elf_section_wrong(error, "elf.section.type", header.sh_offset, index,
                                 "the section of names is no string table");
    if (code == APF_OK)
        code = find_bytes(f, index, &header, &data, &n, error);
    if (code != APF_OK)
        return code;
    if (n == 0 || data[n - 1] != 0)
        return elf_section_wrong(error, "elf.section.size", header.sh_offset, index,
                                 "a section of names does not end with a zero");
    strings->p = (const char *)data;
    strings->n = n;
    strings->left =
        f->size > UINT64_MAX / MOST_SHARING / 2 ? UINT64_MAX : SHARING_ANYWAY + MOST_SHARING * f->size;
    return APF_OK;
}

int elf_strings_read(struct elf_strings *strings, uint64_t offset, struct elf_name *name,
                     struct apf_error *error)
{
    struct error_at at = {"elf.name", name->at, offset, strings->n - 1};
    if (offset >= strings->n)
        return elf_section_error(error, APF_BAD_ELF, at, name->section,
                                 "the name lies outside the section of names");
    name->p = strings->p + offset;
    name->n = strlen(name->p); /* the zero at the end stops it */
    at.found = name->n;
    at.expected = strings->left;
    if (name->n > strings->left)
        return elf_section_error(error, APF_BAD_ELF, at, name->section,
                                 "long names are shared by too many entries");
    strings->left -= name->n;
    return APF_OK;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the ELF header and the place of the section headers: they stand at the end, and a file that was cut off lacks
 * them. */
#include <string.h>

#include "base/cursor.h"
#include "base/file_magic.h"
#include "object/elf_model.h"

/* Fields of the ELF header, and the offsets of those that errors name. */
struct elf_header {
    uint64_t section_headers;
    uint32_t header_bytes, n, names;
    uint32_t bytes, at_section_headers, at_header_bytes, at_n, at_names;
    bool wide, swap;
};

static const struct elf_header wide_header = {.bytes = 64,
                                              .at_section_headers = 40,
                                              .at_header_bytes = 58,
                                              .at_n = 60,
                                              .at_names = 62,
                                              .wide = true},
                               narrow_header = {.bytes = 52,
                                                .at_section_headers = 32,
                                                .at_header_bytes = 46,
                                                .at_n = 48,
                                                .at_names = 50};

#define LARGEST_HEADER 64u /* of a file, and of a section */

static int report_damage(struct apf_error *error, const char *where, uint64_t offset, uint64_t found,
                         uint64_t expected, const char *detail)
{
    struct error_at at = {where, offset, found, expected};
    return error_at(error, APF_BAD_ELF, at, "%s", detail);
}

static int read_at(const struct elf_file *f, uint64_t offset, uint8_t *to, size_t n, size_t *got,
                   struct apf_error *error)
{
    if (!f->data)
        return file_read_at(f->fd, offset, to, n, got, error);
    uint64_t left = offset < f->size ? f->size - offset : 0;
    *got = n < left ? n : (size_t)left;
    if (*got)
        memcpy(to, f->data + offset, *got);
    return APF_OK;
}

static int read_header(const struct elf_file *f, struct elf_header *h, struct apf_error *error)
{
    uint8_t bytes[LARGEST_HEADER] = {0};
    size_t got;
    int code = read_at(f, 0, bytes, sizeof bytes, &got, error);
    if (code != APF_OK)
        return code;
    if (!elf_begins(bytes, got))
        return error_plain(error, APF_BAD_ELF, "elf.header", NULL);
    uint8_t class = bytes[EI_CLASS], order = bytes[EI_DATA];
    if ((class != ELFCLASS32 && class != ELFCLASS64) || (order != ELFDATA2LSB && order != ELFDATA2MSB) ||
        bytes[EI_VERSION] != EV_CURRENT)
        return error_place(error, APF_BAD_ELF, "elf.header", EI_CLASS,
                           "unknown class, byte order or version");
    *h = class == ELFCLASS64 ? wide_header : narrow_header;
    h->swap = (order == ELFDATA2MSB) != (bool)HOST_BIG_ENDIAN;
    if (got < h->bytes) {
        struct error_at at = {"elf.header", 0, got, h->bytes};
        return error_bound(error, APF_BAD_ELF, at, "the file ends within its header");
    }
    struct cursor c = cursor_make(bytes, sizeof bytes, h->swap);
    cursor_skip(&c, h->at_section_headers);
    h->section_headers = h->wide ? cursor_u64(&c) : cursor_u32(&c);
    cursor_skip(&c, h->at_header_bytes - (uint32_t)cursor_offset(&c));
    h->header_bytes = cursor_u16(&c);
    h->n = cursor_u16(&c);
    h->names = cursor_u16(&c);
    return APF_OK;
}

static int report_outside(const struct elf_file *f, const struct elf_header *h, uint64_t end,
                          struct apf_error *error)
{
    struct error_at at = {"elf.shoff", h->at_section_headers, end, f->size};
    return error_bound(error, APF_BAD_ELF, at,
                       "the section headers lie outside the file, which may have been cut off");
}

/* More sections than the ELF header can count are counted in the first section header, which stands at an offset. */
static int read_first(const struct elf_file *f, const struct elf_header *h, struct elf_layout *layout,
                      struct apf_error *error)
{
    uint8_t bytes[LARGEST_HEADER] = {0};
    size_t got;
    int code = read_at(f, h->section_headers, bytes, h->header_bytes, &got, error);
    if (code != APF_OK)
        return code;
    if (got < h->header_bytes)
        return report_outside(f, h, h->section_headers + h->header_bytes, error);
    struct cursor c = cursor_make(bytes, sizeof bytes, h->swap);
    cursor_skip(&c, h->wide ? offsetof(Elf64_Shdr, sh_size) : offsetof(Elf32_Shdr, sh_size));
    uint64_t n = h->wide ? cursor_u64(&c) : cursor_u32(&c);
    uint32_t names = cursor_u32(&c);
    layout->n = h->n ? h->n : n;
    layout->names = h->names == SHN_XINDEX ? names : h->names;
    return layout->n
               ? APF_OK
               : report_damage(error, "elf.shnum", h->at_n, 0, 1, "the number of section headers is missing");
}

int elf_check(const struct elf_file *f, struct elf_layout *layout, struct apf_error *error)
{
    struct elf_header h;
    *layout = (struct elf_layout){.n = 0};
    int code = read_header(f, &h, error);
    if (code != APF_OK)
        return code;
    if (h.section_headers == 0) /* without section headers no section can be found */
        return h.n ? report_damage(error, "elf.shnum", h.at_n, h.n, 0, "there are no section headers")
                   : APF_OK;
    uint32_t expected = h.wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    if (h.header_bytes != expected)
        return report_damage(error, "elf.shentsize", h.at_header_bytes, h.header_bytes, expected,
                             "the size of a section header is wrong");
    if (h.section_headers > f->size)
        return report_outside(f, &h, h.section_headers, error);
    code = read_first(f, &h, layout, error);
    if (code != APF_OK)
        return code;
    if (layout->n > (f->size - h.section_headers) / expected)
        return report_outside(
            f, &h, layout->n > f->size ? UINT64_MAX : h.section_headers + layout->n * expected, error);
    if (layout->n > 1 && (layout->names == 0 || layout->names >= layout->n))
        return report_damage(error, "elf.shstrndx", h.at_names, layout->names, layout->n - 1,
                             "not a section of section names");
    layout->headers = h.section_headers;
    layout->header_bytes = expected;
    return APF_OK;
}

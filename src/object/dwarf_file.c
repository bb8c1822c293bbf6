/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/dwarf_file.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/decompress.h"
#include "base/endian.h"
#include "base/error.h"

#define GNU_HEADER 12u /* "ZLIB" and the size, big-endian, of sections that are compressed in the old way */

struct inflation {
    const struct elf_file *elf;
    uint64_t max_bytes;
    struct apf_error *error;
};

/* Sections .zdebug_*, which binutils wrote before ELF had compressed sections. */
static int check_gnu(const struct inflation *i, const struct elf_section *section)
{
    const uint8_t *data;
    size_t n;
    int code = elf_file_bytes(i->elf, section->index, &data, &n, i->error);
    if (code != APF_OK || n < GNU_HEADER || memcmp(data, "ZLIB", 4) != 0)
        return code;
    uint64_t size = load64(data + 4, !HOST_BIG_ENDIAN), most = decompress_bound(n);
    struct error_at at = {"elf.section.size", section->offset, size,
                          most < i->max_bytes ? most : i->max_bytes};
    return size <= at.expected ? APF_OK
                               : error_at(i->error, APF_LIMIT, at, "larger than the limit for inflated data");
}

static int check_section(void *user, const struct elf_section *section)
{
    const struct inflation *i = user;
    if (strncmp(section->name, ".zdebug", 7) == 0)
        return check_gnu(i, section);
    if (!(section->flags & SHF_COMPRESSED) || strncmp(section->name, ".debug", 6) != 0)
        return APF_OK;
    return elf_file_check_contents(i->elf, section->index, i->max_bytes, i->error);
}

int dwarf_check_sections(const struct elf_file *elf, uint64_t max_bytes, struct apf_error *error)
{
    struct inflation inflation = {elf, max_bytes, error};
    return elf_file_sections(elf, check_section, &inflation);
}

/* Sections that hold texts. */
static int note_text(void *user, const struct elf_section *section)
{
    static const char *const names[] = {".debug_str",     ".debug_line_str", ".debug_info",
                                        ".debug_str.dwo", ".debug_info.dwo", ".debug_types"};
    struct dwarf_file *d = user;
    const uint8_t *data;
    size_t n;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(section->name, names[i]) == 0 &&
            elf_file_libelf_bytes(d->elf, section->index, &data, &n)) {
            struct dwarf_bytes text = {(uintptr_t)data, (uintptr_t)data + n};
            return VEC_PUSH(&d->texts, text) ? 0 : APF_NO_MEMORY;
        }
    return 0;
}

int dwarf_file_open(struct dwarf_file *d, const struct elf_file *elf, struct apf_error *error)
{
    d->elf = elf;
    errno = 0;
    d->dwarf = dwarf_begin_elf(elf_file_libelf(elf), DWARF_C_READ, NULL);
    if (!d->dwarf)
        return errno == ENOMEM ? error_memory(error) : APF_OK;
    return elf_file_sections(elf, note_text, d) == 0 ? APF_OK : error_memory(error);
}

void dwarf_file_close(struct dwarf_file *d)
{
    VEC_FREE(&d->texts);
    (void)dwarf_end(d->dwarf);
    d->dwarf = NULL;
}

/* What is left of the bytes of a text's section: it ends there. */
static const char *end_text(const struct dwarf_file *d, const char *text, uintptr_t n)
{
    uint64_t most = d->left && *d->left < n ? *d->left : n;
    const char *end = memchr(text, '\0', (size_t)most);
    if (d->left && end)
        *d->left -= (uint64_t)(end - text);
    else if (d->left && most < n)
        *d->left = UINT64_MAX;
    return end ? text : NULL;
}

const char *dwarf_file_text(const struct dwarf_file *d, Dwarf_Attribute *attribute)
{
    const char *text = dwarf_formstring(attribute);
    uintptr_t at = (uintptr_t)text;
    if (d->left && *d->left == UINT64_MAX)
        return NULL;
    for (size_t i = 0; text && i < d->texts.n; i++)
        if (at >= d->texts.data[i].start && at < d->texts.data[i].end)
            return end_text(d, text, d->texts.data[i].end - at);
    return NULL;
}

const char *dwarf_file_name(const struct dwarf_file *d, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_file_text(d, dwarf_attr_integrate(die, name, &attribute));
}

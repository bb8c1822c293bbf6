/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/dwarf_file.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"

struct inspection {
    const struct elf_file *elf;
    uint64_t max_bytes;
    struct apf_error *error;
};

static bool begins_with(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Checks each section that libdw may read when it opens a file, be there one or thousands. */
static int check_section(void *user, const struct elf_section *section)
{
    const struct inspection *i = user;
    bool is_old = begins_with(section->name, ".zdebug");
    if (!is_old && !begins_with(section->name, ".debug") && !begins_with(section->name, ".gnu.debuglto_") &&
        !begins_with(section->name, ".gnu_debugaltlink"))
        return APF_OK;
    if (is_old && !(section->flags & SHF_COMPRESSED))
        return elf_file_check_old_packing(i->elf, section->index, i->max_bytes, i->error);
    return elf_file_check_contents(i->elf, section->index, i->max_bytes, i->error);
}

int dwarf_check_sections(const struct elf_file *elf, uint64_t max_bytes, struct apf_error *error)
{
    struct inspection inspection = {elf, max_bytes, error};
    return elf_file_sections(elf, check_section, &inspection);
}

/* Collects the sections that hold texts. */
static int collect_text(void *user, const struct elf_section *section)
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

static bool text_before(const void *context, const void *a, const void *b)
{
    const struct dwarf_bytes *x = a, *y = b;
    (void)context;
    return x->start < y->start;
}

/* Sorts the texts, and joins texts that overlap. False: allocation failed. */
static bool sort_texts(struct dwarf_file *d)
{
    size_t n = 0;
    if (!SORT_VEC(&d->texts, text_before, NULL))
        return false;
    struct dwarf_bytes *t = d->texts.data;
    for (size_t i = 0; i < d->texts.n; i++) {
        if (n && t[i].start < t[n - 1].end)
            t[n - 1].end = t[i].end > t[n - 1].end ? t[i].end : t[n - 1].end;
        else
            t[n++] = t[i];
    }
    d->texts.n = n;
    return true;
}

int dwarf_file_open(struct dwarf_file *d, const struct elf_file *elf, struct apf_error *error)
{
    d->elf = elf;
    errno = 0;
    d->dwarf = dwarf_begin_elf(elf_file_libelf(elf), DWARF_C_READ, NULL);
    if (!d->dwarf)
        return errno == ENOMEM ? error_memory(error) : APF_OK;
    bool noted = elf_file_sections(elf, collect_text, d) == 0 && sort_texts(d);
    return noted ? APF_OK : error_memory(error);
}

void dwarf_file_close(struct dwarf_file *d)
{
    VEC_FREE(&d->texts);
    (void)dwarf_end(d->dwarf);
    d->dwarf = NULL;
}

/* Returns the text if it ends within its section. */
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
    const struct dwarf_bytes *t = d->texts.data;
    size_t i;
    SEARCH(i, 0, d->texts.n, t[i].end <= at);
    return text && i < d->texts.n && at >= t[i].start ? end_text(d, text, t[i].end - at) : NULL;
}

const char *dwarf_file_name(const struct dwarf_file *d, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_file_text(d, dwarf_attr_integrate(die, name, &attribute));
}

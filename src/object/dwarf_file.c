/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/dwarf_file.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/endian.h"
#include "base/error.h"
#include "object/dwarf_image.h"
#include "object/dwarf_limits.h"
#include "object/dwarf_package.h"

/* ---- the budget ---- */

/* Bytes that the texts of all entries, and their lists of ranges, may have together for each byte of the file. Entries
 * share names, but no lists. */
#define TEXT_SHARING 16u
#define RANGE_SHARING 2u
#define SHARING_ANYWAY ((uint64_t)1 << 20)

void dwarf_budget_add(struct dwarf_budget *budget, uint64_t size)
{
    uint64_t most = (UINT64_MAX - budget->texts) / TEXT_SHARING;
    size = size < most ? size : most;
    budget->texts += TEXT_SHARING * size;
    budget->ranges += RANGE_SHARING * size;
}

struct dwarf_budget dwarf_budget_start(uint64_t size)
{
    struct dwarf_budget budget = {.texts = SHARING_ANYWAY, .ranges = SHARING_ANYWAY};
    dwarf_budget_add(&budget, size);
    return budget;
}

int dwarf_budget_check(const struct dwarf_budget *budget, struct apf_error *error)
{
    return budget->refused ? error_plain(error, APF_LIMIT, budget->where, "%s", budget->refused) : APF_OK;
}

/* ---- opening ---- */

int dwarf_file_open(struct dwarf_file *d, const struct elf_file *elf, uint64_t max_bytes,
                    struct apf_error *error)
{
    d->swap = elf_file_facts(elf)->big_endian != (bool)HOST_BIG_ENDIAN;
    int code = dwarf_image_make(d, elf, max_bytes, error);
    if (code == APF_OK && !dwarf_package_read(d))
        code = error_memory(error);
    if (code == APF_OK)
        code = dwarf_check_tables(d, elf_file_size(elf), error);
    if (code != APF_OK || !d->elf)
        return code;
    errno = 0;
    d->dwarf = dwarf_begin_elf(d->elf, DWARF_C_READ, NULL);
    return !d->dwarf && errno == ENOMEM ? error_memory(error) : APF_OK;
}

void dwarf_file_close(struct dwarf_file *d)
{
    (void)dwarf_end(d->dwarf);
    (void)elf_end(d->elf);
    free(d->image);
    VEC_FREE(&d->parts);
    d->dwarf = NULL;
    d->elf = NULL;
    d->image = NULL;
}

void dwarf_file_use_alternate(struct dwarf_file *d, const struct dwarf_file *alternate)
{
    if (d->dwarf && alternate->dwarf)
        dwarf_setalt(d->dwarf, alternate->dwarf);
    d->alternate = alternate;
}

/* ---- texts ---- */

/* Returns the text if it ends within its section. */
static const char *end_text(const struct dwarf_file *d, const char *text, size_t n)
{
    struct dwarf_budget *budget = d->budget;
    size_t most = budget->texts < n ? (size_t)budget->texts : n;
    const char *end = memchr(text, '\0', most);
    if (end) {
        budget->texts -= (uint64_t)(end - text);
    } else if (most < n) {
        budget->where = "dwarf.text";
        budget->refused = "long names are shared by too many entries";
    }
    return end;
}

/* The bytes from a text to the end of its section, which must be one of the file; 0: it is in none. */
static size_t text_room(const struct dwarf_file *d, const char *text)
{
    static const enum dwarf_section with_texts[] = {DWARF_STR, DWARF_LINE_STR, DWARF_INFO, DWARF_TYPES};
    uintptr_t at = (uintptr_t)text;
    for (size_t i = 0; i < sizeof with_texts / sizeof *with_texts; i++) {
        const struct dwarf_bytes *section = &d->sections[with_texts[i]];
        uintptr_t start = (uintptr_t)section->data;
        if (at >= start && at - start < section->n)
            return section->n - (at - start);
    }
    return 0;
}

/* The offset in the other file that an attribute has. */
static bool read_offset(const struct dwarf_file *d, const Dwarf_Attribute *attribute, uint64_t *offset)
{
    const struct dwarf_bytes *info = &d->sections[DWARF_INFO];
    uintptr_t start = (uintptr_t)info->data, at = (uintptr_t)attribute->valp;
    uint8_t bytes = attribute->form == DW_FORM_ref_sup8 ? 8 : 4;
    if (!d->alternate || at < start || at - start >= info->n)
        return false;
    if (attribute->form == DW_FORM_GNU_strp_alt || attribute->form == DW_FORM_strp_sup)
        (void)dwarf_cu_info(attribute->cu, NULL, NULL, NULL, NULL, NULL, NULL, &bytes);
    struct cursor c = cursor_make(info->data, info->n, d->swap);
    cursor_skip(&c, at - start);
    *offset = bytes == 8 ? cursor_u64(&c) : cursor_u32(&c);
    return !c.failed;
}

/* The text of an attribute that is in the other file. libdw opens no file that has nothing but texts. */
static const char *alternate_text(const struct dwarf_file *d, const Dwarf_Attribute *attribute)
{
    uint64_t offset;
    if ((attribute->form != DW_FORM_GNU_strp_alt && attribute->form != DW_FORM_strp_sup) ||
        !read_offset(d, attribute, &offset) || offset >= d->alternate->sections[DWARF_STR].n)
        return NULL;
    return (const char *)d->alternate->sections[DWARF_STR].data + offset;
}

const char *dwarf_file_text(const struct dwarf_file *d, Dwarf_Attribute *attribute)
{
    const char *text = !attribute || d->budget->refused ? NULL : dwarf_package_text(d, attribute);
    if (!text && attribute && !d->budget->refused)
        text = alternate_text(d, attribute);
    if (!text && !d->budget->refused)
        text = dwarf_formstring(attribute);
    size_t room = text ? text_room(d, text) : 0;
    if (text && !room && d->alternate)
        room = text_room(d->alternate, text);
    return room && end_text(d, text, room) ? text : NULL;
}

/* ---- copies ---- */

#define MOST_COPIES 16u /* of copies, as libdw follows them */

/* The entry that an attribute refers to. libdw 0.188 looks for one that is in the other file, as DWARF 5 says that, at
 * its offset in this one. */
static bool follow(const struct dwarf_file *d, Dwarf_Attribute *attribute, Dwarf_Die *die)
{
    uint64_t offset;
    if (attribute->form != DW_FORM_ref_sup4 && attribute->form != DW_FORM_ref_sup8)
        return dwarf_formref_die(attribute, die) != NULL;
    return read_offset(d, attribute, &offset) && d->alternate->dwarf &&
           dwarf_offdie(d->alternate->dwarf, offset, die) != NULL;
}

bool dwarf_file_attribute(const struct dwarf_file *d, const Dwarf_Die *die, unsigned name,
                          Dwarf_Attribute *attribute)
{
    Dwarf_Die at = *die;
    for (unsigned i = 0; i < MOST_COPIES; i++) {
        if (dwarf_attr(&at, name, attribute))
            return true;
        if ((!dwarf_attr(&at, DW_AT_abstract_origin, attribute) &&
             !dwarf_attr(&at, DW_AT_specification, attribute)) ||
            !follow(d, attribute, &at))
            return false;
    }
    return false;
}

const char *dwarf_file_name(const struct dwarf_file *d, const Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_file_attribute(d, die, name, &attribute) ? dwarf_file_text(d, &attribute) : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/debug_link.h"

#include <elf.h>
#include <limits.h>

#include "base/cursor.h"
#include "base/endian.h"
#include "base/text_bytes.h"

#define ALIGNMENT 4u /* of the checksum */

/* ---- sections ---- */

struct section_named {
    const char *name;
    uint32_t index; /* 0: there is none */
};

static int find_named(void *user, const struct elf_section *section)
{
    struct section_named *s = user;
    if (section->type == SHT_NOBITS || strcmp(section->name, s->name) != 0)
        return 0;
    s->index = section->index;
    return 1;
}

/* The bytes of the first section with a name; none if it cannot be read. */
static struct apf_str section_bytes(const struct elf_file *elf, const char *name)
{
    struct section_named s = {name, 0};
    const uint8_t *data;
    size_t n;
    if (elf_file_sections(elf, find_named, &s) == 0 ||
        elf_file_bytes(elf, s.index, &data, &n, NULL) != APF_OK)
        return (struct apf_str){NULL, 0};
    return (struct apf_str){(const char *)data, n};
}

/* The text at the start of a section; n == 0: it does not end there. */
static struct apf_str first_text(struct apf_str section)
{
    const char *end = section.n ? memchr(section.p, '\0', section.n) : NULL;
    return (struct apf_str){section.p, end ? (size_t)(end - section.p) : 0};
}

/* ---- links ---- */

static bool swaps(const struct elf_file *elf)
{
    return elf_file_facts(elf)->big_endian != (bool)HOST_BIG_ENDIAN;
}

/* Whether a name can only be that of a file in the directory where it is looked for. */
static bool is_plain(struct apf_str name)
{
    return name.n && name.n <= NAME_MAX && !memchr(name.p, '/', name.n) && !text_is(name, ".") &&
           !text_is(name, "..");
}

struct debug_link debug_link_of(const struct elf_file *elf)
{
    struct debug_link link = {.name = {NULL, 0}};
    struct apf_str section = section_bytes(elf, ".gnu_debuglink");
    struct apf_str name = first_text(section);
    struct cursor c = cursor_make(section.p, section.n, swaps(elf));
    cursor_skip(&c, (name.n / ALIGNMENT + 1) * ALIGNMENT);
    link.crc = cursor_u32(&c);
    link.unsafe = section.n && (c.failed || !is_plain(name));
    if (section.n && !link.unsafe)
        link.name = name;
    return link;
}

/* .debug_sup of DWARF 5: of a file that others share if `shared`, else of one that refers to it. */
static struct debug_alternate_link read_sup(const struct elf_file *elf, bool shared)
{
    const struct debug_alternate_link none = {.path = {NULL, 0}};
    struct debug_alternate_link link;
    struct apf_str section = section_bytes(elf, ".debug_sup");
    struct cursor c = cursor_make(section.p, section.n, swaps(elf));
    bool known = cursor_u16(&c) == 5 && cursor_u8(&c) == shared;
    if (!known || c.failed)
        return none;
    link.path = first_text((struct apf_str){section.p + cursor_offset(&c), cursor_left(&c)});
    cursor_skip(&c, link.path.n + 1);
    link.id.n = (size_t)cursor_uleb128(&c);
    link.id.p = (const char *)cursor_bytes(&c, link.id.n);
    return c.failed ? none : link;
}

static struct debug_alternate_link read_altlink(const struct elf_file *elf)
{
    struct apf_str section = section_bytes(elf, ".gnu_debugaltlink");
    struct debug_alternate_link link = {.path = first_text(section)};
    if (link.path.n)
        link.id = (struct apf_str){section.p + link.path.n + 1, section.n - link.path.n - 1};
    return link;
}

struct debug_alternate_link debug_alternate_link_of(const struct elf_file *elf)
{
    struct debug_alternate_link link = read_altlink(elf);
    if (!link.path.n)
        link = read_sup(elf, false);
    if (link.path.n >= PATH_MAX || link.id.n == 0 || link.id.n > DEBUG_MOST_ID)
        link.path.n = 0;
    return link;
}

struct apf_str debug_id_of(const struct elf_file *elf)
{
    struct apf_str id = elf_file_build_id(elf);
    return id.n ? id : read_sup(elf, true).id;
}

/* ---- contents ---- */

struct contents {
    struct debug_contents found;
    bool probes, descs;
};

static int note_section(void *user, const struct elf_section *section)
{
    struct contents *c = user;
    const char *name = section->name;
    if (section->type == SHT_NOBITS)
        return 0;
    c->found.symbols |= section->type == SHT_SYMTAB && section->size;
    c->found.dwarf |= strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0;
    c->probes |= strcmp(name, ".pseudo_probe") == 0;
    c->descs |= strcmp(name, ".pseudo_probe_desc") == 0;
    return 0;
}

struct debug_contents debug_contents_of(const struct elf_file *elf)
{
    struct contents c = {.found = {0}};
    (void)elf_file_sections(elf, note_section, &c);
    c.found.probes = c.probes && c.descs;
    return c.found;
}

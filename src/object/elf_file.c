/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/elf_file.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

struct elf_file {
    Elf *elf;
    const uint8_t *data;
    size_t n;
    size_t names; /* section of section names */
    struct elf_facts facts;
};

int elf_file_open(struct elf_file **elf, const void *data, size_t n, struct apf_error *error)
{
    GElf_Ehdr header;
    *elf = NULL;
    elf_version(EV_CURRENT);
    struct elf_file *f = calloc(1, sizeof *f);
    if (!f)
        return error_memory(error);
    f->data = data;
    f->n = n;
    f->elf = elf_memory((char *)(uintptr_t)data, n); /* libelf does not write to it */
    if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &header)) {
        elf_file_close(f);
        return error_plain(error, APF_MALFORMED, "elf.header", "not an object file");
    }
    if (elf_getshdrstrndx(f->elf, &f->names) != 0)
        f->names = 0;
    f->facts.bits = gelf_getclass(f->elf) == ELFCLASS64 ? 64 : 32;
    f->facts.machine = header.e_machine;
    f->facts.big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
    *elf = f;
    return APF_OK;
}

void elf_file_close(struct elf_file *f)
{
    if (!f)
        return;
    elf_end(f->elf);
    free(f);
}

const struct elf_facts *elf_file_facts(const struct elf_file *f)
{
    return &f->facts;
}

static bool read_section(const struct elf_file *f, Elf_Scn *scn, struct elf_section *out)
{
    GElf_Shdr header;
    if (!scn || !gelf_getshdr(scn, &header))
        return false;
    const char *name = f->names ? elf_strptr(f->elf, f->names, header.sh_name) : NULL;
    out->name = name ? name : "";
    out->address = header.sh_addr;
    out->size = header.sh_size;
    out->flags = header.sh_flags;
    out->type = header.sh_type;
    out->index = (uint32_t)elf_ndxscn(scn);
    return true;
}

void elf_file_sections(const struct elf_file *f, int (*each)(void *user, const struct elf_section *section),
                       void *user)
{
    Elf_Scn *scn = NULL;
    struct elf_section section;
    while ((scn = elf_nextscn(f->elf, scn)))
        if (read_section(f, scn, &section) && each(user, &section) != 0)
            return;
}

bool elf_file_bytes(const struct elf_file *f, uint32_t index, const uint8_t **data, size_t *n)
{
    GElf_Shdr header;
    Elf_Scn *scn = elf_getscn(f->elf, index);
    if (!scn || !gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS)
        return false;
    if (header.sh_offset > f->n || header.sh_size > f->n - header.sh_offset)
        return false;
    *data = f->data + header.sh_offset;
    *n = (size_t)header.sh_size;
    return true;
}

/* ---- build id ---- */

struct id_search {
    const struct elf_file *file;
    struct apf_str id;
};

/* A note: sizes of name and data, type, then both, each padded to 4 bytes. */
static int search_notes(void *user, const struct elf_section *section)
{
    struct id_search *s = user;
    const uint8_t *data;
    size_t n;
    if (section->type != SHT_NOTE || !elf_file_bytes(s->file, section->index, &data, &n))
        return 0;
    struct cursor c = cursor_make(data, n, s->file->facts.big_endian != (bool)HOST_BIG_ENDIAN);
    while (cursor_left(&c) && !c.failed) {
        uint32_t name_size = cursor_u32(&c), id_size = cursor_u32(&c), type = cursor_u32(&c);
        const uint8_t *name = cursor_bytes(&c, ((uint64_t)name_size + 3) & ~(uint64_t)3);
        const uint8_t *id = cursor_bytes(&c, ((uint64_t)id_size + 3) & ~(uint64_t)3);
        if (c.failed || type != NT_GNU_BUILD_ID || name_size != 4 || memcmp(name, "GNU", 4) != 0)
            continue;
        s->id.p = (const char *)id;
        s->id.n = id_size;
        return 1;
    }
    return 0;
}

struct apf_str elf_file_build_id(const struct elf_file *f)
{
    struct id_search s = {f, {NULL, 0}};
    elf_file_sections(f, search_notes, &s);
    return s.id;
}

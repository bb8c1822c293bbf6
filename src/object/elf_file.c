/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opening ELF files, and the sections of one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/deflate.h"
#include "base/file_magic.h"
#include "object/elf_model.h"

/* ---- opening ---- */

static int new_account(struct elf_file *f, const struct elf_layout *layout, struct apf_error *error)
{
    f->account = calloc(1, sizeof *f->account + (size_t)layout->n);
    if (!f->account)
        return error_memory(error);
    f->account->stored = f->size;
    f->account->unpacked = deflate_budget(f->data && f->bytes.stored ? f->bytes.stored : f->size, UINT64_MAX);
    return APF_OK;
}

/* After this check no header is missing, and every section has a name. */
static int check_sections(struct elf_file *f, const struct elf_layout *layout, struct apf_error *error)
{
    int code = layout->n > 1 ? elf_strings_open(f, layout->names, &f->names, error) : APF_OK;
    struct elf_strings names = f->names;
    for (uint32_t i = 1; code == APF_OK && i < layout->n; i++) {
        GElf_Shdr header;
        struct elf_name name = {.at = layout->headers + (uint64_t)i * layout->header_bytes, .section = i};
        errno = 0;
        if (!gelf_getshdr(elf_getscn(f->elf, i), &header))
            code = elf_read_failed(error, name.at, i);
        else if (header.sh_type != SHT_NULL)
            code = elf_strings_read(&names, header.sh_name, &name, error);
    }
    return code;
}

static int use_headers(struct elf_file *f, const struct elf_layout *layout, struct apf_error *error)
{
    GElf_Ehdr header;
    if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &header))
        return errno == ENOMEM ? error_memory(error) : error_plain(error, APF_BAD_ELF, "elf.header", NULL);
    f->facts.bits = gelf_getclass(f->elf) == ELFCLASS64 ? 64 : 32;
    f->facts.machine = header.e_machine;
    f->facts.big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
    f->facts.relocatable = header.e_type == ET_REL;
    int code = new_account(f, layout, error);
    return code == APF_OK ? check_sections(f, layout, error) : code;
}

/* Adopts the file, and closes it on failure. */
static int start(struct elf_file **elf, struct elf_file *f, struct apf_error *error)
{
    struct elf_layout layout;
    int code = elf_check(f, &layout, error);
    if (code == APF_OK) {
        errno = 0;
        f->elf = f->data ? elf_memory((char *)(uintptr_t)f->data,
                                      (size_t)f->size) /* libelf only reads the image */
                         : elf_begin(f->fd, ELF_C_READ, NULL);
        code = use_headers(f, &layout, error);
    }
    if (code == APF_OK)
        *elf = f;
    else
        elf_file_close(f);
    return code;
}

static struct elf_file *new_file(void)
{
    struct elf_file *f = calloc(1, sizeof *f);
    elf_version(EV_CURRENT);
    if (f)
        f->fd = -1;
    return f;
}

int elf_file_open(struct elf_file **elf, const void *data, size_t n, struct apf_error *error)
{
    *elf = NULL;
    struct elf_file *f = new_file();
    if (!f)
        return error_memory(error);
    f->data = n ? data : (const uint8_t *)"";
    f->size = n;
    return start(elf, f, error);
}

/* Finds out whether the input is a regular ELF file, which is read piece by piece; others may be compressed. */
static int look_at(struct elf_file *f, uint64_t max_bytes, bool *is_elf, struct apf_error *error)
{
    uint8_t magic[SELFMAG];
    size_t got;
    *is_elf = false;
    int code = file_read_at(f->fd, 0, magic, sizeof magic, &got, error);
    if (code != APF_OK || !elf_begins(magic, got))
        return code;
    *is_elf = true;
    return file_size_regular(f->fd, max_bytes, &f->size, error);
}

int elf_file_open_input(struct elf_file **elf, const struct apf_input *input, uint64_t max_bytes,
                        struct apf_error *error)
{
    *elf = NULL;
    bool is_elf = false;
    struct elf_file *f = new_file();
    if (!f)
        return error_memory(error);
    int code = file_open_regular(input, &f->fd, error);
    if (code == APF_OK && f->fd >= 0)
        code = look_at(f, max_bytes, &is_elf, error);
    if (code == APF_OK && is_elf)
        return start(elf, f, error);
    if (code == APF_OK)
        code = file_read(&f->bytes, input, max_bytes, error);
    if (code != APF_OK) {
        elf_file_close(f);
        return code;
    }
    f->data = f->bytes.n ? f->bytes.data : (const uint8_t *)"";
    f->size = f->bytes.n;
    return start(elf, f, error);
}

void elf_file_close(struct elf_file *f)
{
    if (!f)
        return;
    elf_end(f->elf);
    file_close_regular(f->fd);
    file_bytes_free(&f->bytes);
    if (f->account) {
        VEC_FREE(&f->account->copies);
        arena_free(&f->account->copied);
    }
    free(f->account);
    free(f);
}

uint64_t elf_file_size(const struct elf_file *f)
{
    return f->size;
}

const struct elf_facts *elf_file_facts(const struct elf_file *f)
{
    return &f->facts;
}

struct Elf *elf_file_libelf(const struct elf_file *f)
{
    return f->elf;
}

/* ---- sections ---- */

static bool read_section(const struct elf_file *f, Elf_Scn *scn, struct elf_section *out)
{
    GElf_Shdr header;
    if (!scn || !gelf_getshdr(scn, &header))
        return false;
    out->name = header.sh_type != SHT_NULL && f->names.p ? f->names.p + header.sh_name : "";
    out->address = header.sh_addr;
    out->size = header.sh_size;
    out->flags = header.sh_flags;
    out->type = header.sh_type;
    out->link = header.sh_link;
    out->info = header.sh_info;
    out->offset = header.sh_offset;
    out->index = (uint32_t)elf_ndxscn(scn);
    return true;
}

int elf_file_sections(const struct elf_file *f, int (*each)(void *user, const struct elf_section *section),
                      void *user)
{
    Elf_Scn *scn = NULL;
    struct elf_section section;
    int result = 0;
    while (result == 0 && (scn = elf_nextscn(f->elf, scn)))
        if (read_section(f, scn, &section))
            result = each(user, &section);
    return result;
}

bool elf_file_section(const struct elf_file *f, uint32_t index, struct elf_section *section)
{
    return read_section(f, elf_getscn(f->elf, index), section);
}

/* ---- build id ---- */

struct id_search {
    const struct elf_file *file;
    struct apf_str id;
};

/* A note: sizes of name and data, type, then both, each padded to 4 bytes, but the last one not by all linkers. */
static int search_notes(void *user, const struct elf_section *section)
{
    struct id_search *s = user;
    const uint8_t *data;
    size_t n;
    if (section->type != SHT_NOTE || elf_file_bytes(s->file, section->index, &data, &n, NULL) != APF_OK)
        return 0;
    struct cursor c = cursor_make(data, n, s->file->facts.big_endian != (bool)HOST_BIG_ENDIAN);
    while (cursor_left(&c) && !c.failed) {
        uint32_t name_size = cursor_u32(&c), id_size = cursor_u32(&c), type = cursor_u32(&c);
        const uint8_t *name = cursor_bytes(&c, ((uint64_t)name_size + 3) & ~(uint64_t)3);
        const uint8_t *id = cursor_bytes(&c, id_size);
        const size_t padding = -id_size & 3u;
        cursor_skip(&c, padding < cursor_left(&c) ? padding : cursor_left(&c));
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

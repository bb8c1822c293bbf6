/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/elf_file.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/decompress.h"
#include "base/deflate.h"
#include "base/error.h"
#include "base/file.h"

#ifndef ELFCOMPRESS_ZSTD /* the headers of glibc have it since 2.37 */
#define ELFCOMPRESS_ZSTD 2
#endif

struct elf_file {
    Elf *elf;
    const uint8_t *data; /* NULL: it is read through fd */
    size_t n;
    int fd;
    struct file_bytes bytes; /* what was read whole */
    size_t names;            /* section of section names */
    struct elf_facts facts;
};

static int not_an_object(struct elf_file *f, struct apf_error *error)
{
    elf_file_close(f);
    return error_plain(error, APF_MALFORMED, "elf.header", "not an object file");
}

/* Takes the file, which it closes when it fails. */
static int start(struct elf_file **elf, struct elf_file *f, struct apf_error *error)
{
    GElf_Ehdr header;
    if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &header))
        return not_an_object(f, error);
    if (elf_getshdrstrndx(f->elf, &f->names) != 0)
        f->names = 0;
    f->facts.bits = gelf_getclass(f->elf) == ELFCLASS64 ? 64 : 32;
    f->facts.machine = header.e_machine;
    f->facts.big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
    f->facts.relocatable = header.e_type == ET_REL;
    *elf = f;
    return APF_OK;
}

static struct elf_file *new_file(void)
{
    struct elf_file *f = calloc(1, sizeof *f);
    elf_version(EV_CURRENT);
    if (f)
        f->fd = -1;
    return f;
}

static void use_memory(struct elf_file *f, const void *data, size_t n)
{
    f->data = data;
    f->n = n;
    f->elf = elf_memory((char *)(uintptr_t)data, n); /* libelf does not write to it */
}

int elf_file_open(struct elf_file **elf, const void *data, size_t n, struct apf_error *error)
{
    *elf = NULL;
    struct elf_file *f = new_file();
    if (!f)
        return error_memory(error);
    use_memory(f, data, n);
    return start(elf, f, error);
}

int elf_file_open_input(struct elf_file **elf, const struct apf_input *input, uint64_t max_bytes,
                        struct apf_error *error)
{
    *elf = NULL;
    struct elf_file *f = new_file();
    if (!f)
        return error_memory(error);
    int code = file_open_regular(input, &f->fd, error);
    if (code == APF_OK && f->fd >= 0) {
        f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
        if (f->elf && elf_kind(f->elf) == ELF_K_ELF)
            return start(elf, f, error);
        elf_end(f->elf);
        f->elf = NULL;
    }
    if (code == APF_OK)
        code = file_read(&f->bytes, input, max_bytes, error);
    if (code != APF_OK) {
        elf_file_close(f);
        return code;
    }
    use_memory(f, f->bytes.data, f->bytes.n);
    return start(elf, f, error);
}

void elf_file_close(struct elf_file *f)
{
    if (!f)
        return;
    elf_end(f->elf);
    file_close_regular(f->fd);
    file_bytes_free(&f->bytes);
    free(f);
}

uint64_t elf_file_size(const struct elf_file *f)
{
    return f->data ? f->n : file_size_regular(f->fd);
}

const struct elf_facts *elf_file_facts(const struct elf_file *f)
{
    return &f->facts;
}

struct Elf *elf_file_libelf(const struct elf_file *f)
{
    return f->elf;
}

bool elf_file_libelf_bytes(const struct elf_file *f, uint32_t index, const uint8_t **data, size_t *n)
{
    const Elf_Data *raw = elf_rawdata(elf_getscn(f->elf, index), NULL);
    if (!raw || !raw->d_buf)
        return false;
    *data = raw->d_buf;
    *n = raw->d_size;
    return true;
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

bool elf_file_bytes(const struct elf_file *f, uint32_t index, const uint8_t **data, size_t *n)
{
    GElf_Shdr header;
    Elf_Scn *scn = elf_getscn(f->elf, index);
    if (!scn || !gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS)
        return false;
    if (f->data && (header.sh_offset > f->n || header.sh_size > f->n - header.sh_offset))
        return false;
    const Elf_Data *raw = f->data ? NULL : elf_rawdata(scn, NULL);
    if (!f->data && (!raw || raw->d_size != header.sh_size || (raw->d_size && !raw->d_buf)))
        return false;
    *data = f->data ? f->data + header.sh_offset : (const uint8_t *)raw->d_buf;
    *n = (size_t)header.sh_size;
    return true;
}

/* ---- compressed sections ---- */

/* The header that a compressed section begins with. */
struct packing {
    uint32_t type;
    uint64_t size;
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

static int unpack_zstd(const struct packing *p, uint8_t *to, struct apf_error *error)
{
    struct apf_buffer unpacked = {0};
    int code = decompress(&unpacked, p->data, p->n, p->size, error);
    if (code == APF_OK && unpacked.n != p->size)
        code = error_plain(error, APF_DECOMPRESS_FAILED, "elf.section", "the section has another size");
    if (code == APF_OK && p->size)
        memcpy(to, unpacked.data, p->size);
    apf_buffer_free(&unpacked);
    return code;
}

static int unpack(const struct packing *p, uint8_t *to, struct apf_error *error)
{
    if (p->type == ELFCOMPRESS_ZSTD)
        return unpack_zstd(p, to, error);
    int code = deflate_expand(p->data, p->n, to, (size_t)p->size);
    if (code == APF_NO_MEMORY)
        return error_memory(error);
    return code == APF_OK ? code : error_plain(error, APF_UNCOMPRESS_FAILED, "elf.section", NULL);
}

int elf_file_contents(const struct elf_file *f, uint32_t index, uint64_t max_bytes, struct arena *arena,
                      const uint8_t **data, size_t *n, struct apf_error *error)
{
    GElf_Shdr header;
    Elf_Scn *scn = elf_getscn(f->elf, index);
    struct packing p;
    *data = NULL;
    *n = 0;
    if (!scn || !gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS)
        return APF_OK;
    if (!elf_file_bytes(f, index, data, n)) {
        struct error_at at = {"elf.section.offset", header.sh_offset, header.sh_size, elf_file_size(f)};
        return error_at(error, APF_MALFORMED, at, "the section lies outside the file");
    }
    if (!(header.sh_flags & SHF_COMPRESSED))
        return APF_OK;
    if (!read_packing(f, *data, *n, &p) || (p.type != ELFCOMPRESS_ZLIB && p.type != ELFCOMPRESS_ZSTD))
        return error_place(error, APF_UNSUPPORTED, "elf.section.compression", header.sh_offset,
                           "compressed in an unknown way");
    struct error_at at = {"elf.section.size", header.sh_offset, p.size, max_bytes};
    if (p.size > max_bytes)
        return error_at(error, APF_LIMIT, at, "larger than the limit for inflated data");
    if (p.size / DEFLATE_MAX_RATIO > p.n && p.size > decompress_bound(p.n))
        return error_at(error, APF_UNCOMPRESS_FAILED, at, "impossible size");
    uint8_t *to = arena_bytes(arena, (size_t)p.size);
    if (!to)
        return error_memory(error);
    *data = to;
    *n = (size_t)p.size;
    return unpack(&p, to, error);
}

/* ---- groups ---- */

/* The name of the symbol that a group is called by. */
static const char *signature_of(const struct elf_file *f, const GElf_Shdr *group)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Scn *table = elf_getscn(f->elf, group->sh_link);
    Elf_Data *data = table ? elf_getdata(table, NULL) : NULL;
    if (!data || group->sh_info > INT32_MAX || !gelf_getshdr(table, &header) ||
        !gelf_getsym(data, (int)group->sh_info, &symbol))
        return "";
    const char *name = elf_strptr(f->elf, header.sh_link, symbol.st_name);
    return name ? name : "";
}

void elf_file_groups(const struct elf_file *f, int (*each)(void *user, const struct elf_member *member),
                     void *user)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr header;
    while ((scn = elf_nextscn(f->elf, scn))) {
        Elf_Data *data =
            gelf_getshdr(scn, &header) && header.sh_type == SHT_GROUP ? elf_getdata(scn, NULL) : NULL;
        if (!data || !data->d_buf || data->d_size < sizeof(Elf32_Word))
            continue;
        const uint8_t *words = data->d_buf; /* in our byte order */
        struct elf_member member = {signature_of(f, &header), 0, (load32(words, false) & GRP_COMDAT) != 0};
        for (size_t i = 1; i < data->d_size / sizeof(Elf32_Word); i++) {
            member.section = load32(words + i * sizeof(Elf32_Word), false);
            if (each(user, &member) != 0)
                return;
        }
    }
}

/* ---- symbols and relocations ---- */

/* The first one of a type; `link`: with that number in sh_link, 0: with any. */
static Elf_Scn *find_section(const struct elf_file *f, uint32_t type, size_t link)
{
    GElf_Shdr header;
    Elf_Scn *scn = NULL;
    while ((scn = elf_nextscn(f->elf, scn)))
        if (gelf_getshdr(scn, &header) && header.sh_type == type && (!link || header.sh_link == link))
            return scn;
    return NULL;
}

static uint32_t section_of(const GElf_Sym *symbol, Elf32_Word extended)
{
    if (symbol->st_shndx == SHN_XINDEX)
        return extended;
    return symbol->st_shndx < SHN_LORESERVE ? symbol->st_shndx : ELF_NO_SECTION;
}

/* Entries of a section of a known type; 0 when it is not what it says. */
static size_t n_entries(const GElf_Shdr *header, const Elf_Data *data)
{
    return data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
}

int elf_file_symbols(const struct elf_file *f, int (*each)(void *user, const struct elf_symbol *symbol),
                     void *user)
{
    GElf_Shdr header;
    Elf_Scn *scn = find_section(f, SHT_SYMTAB, 0);
    Elf_Scn *indexes = scn ? find_section(f, SHT_SYMTAB_SHNDX, elf_ndxscn(scn)) : NULL;
    Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL, *more = indexes ? elf_getdata(indexes, NULL) : NULL;
    if (!scn || !gelf_getshdr(scn, &header))
        return 0;
    size_t n = n_entries(&header, data);
    for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
        GElf_Sym symbol;
        Elf32_Word extended = 0;
        if (!gelf_getsymshndx(data, more, (int)i, &symbol, &extended))
            break;
        const char *name = elf_strptr(f->elf, header.sh_link, symbol.st_name);
        struct elf_symbol out = {name ? name : "",
                                 symbol.st_value,
                                 symbol.st_size,
                                 section_of(&symbol, extended),
                                 GELF_ST_TYPE(symbol.st_info),
                                 GELF_ST_BIND(symbol.st_info)};
        int result = each(user, &out);
        if (result)
            return result;
    }
    return 0;
}

/* Entry i of a relocation section; false when it cannot be read. */
static bool read_relocation(Elf_Data *data, bool with_addend, size_t i, Elf_Data *symbols,
                            struct elf_relocation *out)
{
    GElf_Rela rela = {0};
    GElf_Rel rel;
    GElf_Sym symbol;
    if (with_addend && !gelf_getrela(data, (int)i, &rela))
        return false;
    if (!with_addend) {
        if (!gelf_getrel(data, (int)i, &rel))
            return false;
        rela.r_offset = rel.r_offset;
        rela.r_info = rel.r_info;
    }
    if (!symbols || !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol))
        return false;
    out->offset = rela.r_offset;
    out->value = symbol.st_value;
    out->addend = rela.r_addend;
    out->type = (uint32_t)GELF_R_TYPE(rela.r_info);
    out->section = section_of(&symbol, ELF_NO_SECTION);
    out->in_place = !with_addend;
    return true;
}

bool elf_is_relocations(const struct elf_section *section)
{
    return section->type == SHT_RELA || section->type == SHT_REL;
}

int elf_file_relocations(const struct elf_file *f, uint32_t index,
                         int (*each)(void *user, const struct elf_relocation *relocation), void *user)
{
    GElf_Shdr header;
    Elf_Scn *scn = elf_getscn(f->elf, index);
    if (!scn || !gelf_getshdr(scn, &header) || (header.sh_type != SHT_RELA && header.sh_type != SHT_REL))
        return 0;
    Elf_Scn *table = elf_getscn(f->elf, header.sh_link);
    Elf_Data *data = elf_getdata(scn, NULL), *symbols = table ? elf_getdata(table, NULL) : NULL;
    size_t n = n_entries(&header, data);
    for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
        struct elf_relocation relocation;
        if (!read_relocation(data, header.sh_type == SHT_RELA, i, symbols, &relocation))
            break;
        int result = each(user, &relocation);
        if (result)
            return result;
    }
    return 0;
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

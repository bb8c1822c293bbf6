/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups, symbols and relocations. */
#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "object/elf_model.h"

/* A section of entries of one size. */
struct table {
    Elf_Data *data; /* in the host's byte order */
    size_t n;       /* entries */
    GElf_Shdr header;
    uint32_t index;
};

static bool has_type(const struct table *t, uint32_t type, uint32_t other)
{
    return t->header.sh_type == type || t->header.sh_type == other;
}

/* Opens a section of one of two types, and checks the size of its entries. */
static int open_table(const struct elf_file *f, uint32_t index, uint32_t type, uint32_t other, size_t bytes,
                      struct table *t, struct apf_error *error)
{
    *t = (struct table){.index = index};
    int code = elf_find_section(f, index, &t->header, error);
    if (code != APF_OK)
        return code;
    uint64_t size = t->header.sh_size, offset = t->header.sh_offset;
    if (!has_type(t, type, other) || t->header.sh_flags & SHF_COMPRESSED)
        return elf_section_wrong(error, "elf.section.type", offset, index,
                                 "the section has another type than expected");
    struct error_at at = {"elf.section.entsize", offset, t->header.sh_entsize, bytes};
    if (t->header.sh_entsize != bytes)
        return elf_section_error(error, APF_BAD_ELF, at, index, "its entries do not have this size");
    if (size % bytes != 0 || size / bytes > INT32_MAX)
        return elf_section_wrong(error, "elf.section.size", offset, index, "it ends within an entry");
    if (size == 0)
        return APF_OK;
    errno = 0;
    t->data = elf_getdata(elf_getscn(f->elf, index), NULL);
    if (!t->data || !t->data->d_buf || t->data->d_size != size)
        return elf_read_failed(error, offset, index);
    t->n = (size_t)(size / bytes);
    return APF_OK;
}

static size_t bytes_of(const struct elf_file *f, Elf_Type type)
{
    return gelf_fsize(f->elf, type, 1, EV_CURRENT);
}

/* Reports a wrong entry. */
static int bad_entry(const struct table *t, size_t i, const char *where, const char *detail,
                     struct apf_error *error)
{
    return elf_section_wrong(error, where, t->header.sh_offset + i * t->header.sh_entsize, t->index, detail);
}

/* Passes on the result of a callback. */
static int code_of_callback(int result, struct apf_error *error)
{
    return result == APF_NO_MEMORY ? error_memory(error) : result;
}

/* ---- symbols ---- */

struct symbol_table {
    struct table symbols, indexes; /* `indexes` holds large section numbers, if there are any */
    struct elf_strings names;
};

/* The number of the first section of a type; 0: there is none. `link` is the wanted sh_link, 0: any. */
static uint32_t find_section(const struct elf_file *f, uint32_t type, uint32_t link)
{
    GElf_Shdr header;
    Elf_Scn *scn = NULL;
    while ((scn = elf_nextscn(f->elf, scn)))
        if (gelf_getshdr(scn, &header) && header.sh_type == type && (!link || header.sh_link == link))
            return (uint32_t)elf_ndxscn(scn);
    return 0;
}

static int open_symbols(const struct elf_file *f, uint32_t index, struct symbol_table *t,
                        struct apf_error *error)
{
    memset(t, 0, sizeof *t);
    int code = open_table(f, index, SHT_SYMTAB, SHT_DYNSYM, bytes_of(f, ELF_T_SYM), &t->symbols, error);
    return code == APF_OK && t->symbols.n ? elf_strings_open(f, t->symbols.header.sh_link, &t->names, error)
                                          : code;
}

static int read_name(struct symbol_table *t, size_t i, const GElf_Sym *symbol, struct elf_name *name,
                     struct apf_error *error)
{
    name->at = t->symbols.header.sh_offset + i * t->symbols.header.sh_entsize;
    name->section = t->symbols.index;
    return elf_strings_read(&t->names, symbol->st_name, name, error);
}

/* The address of a symbol. On processors with two instruction sets the lowest bit of a function's address selects the
 * set. */
static uint64_t value_of(const struct elf_file *f, const GElf_Sym *symbol)
{
    bool marked = GELF_ST_TYPE(symbol->st_info) == STT_FUNC &&
                  (f->facts.machine == EM_ARM || f->facts.machine == EM_MIPS);
    return marked ? symbol->st_value & ~(uint64_t)1 : symbol->st_value;
}

static uint32_t section_of(const GElf_Sym *symbol, Elf32_Word extended)
{
    if (symbol->st_shndx == SHN_XINDEX)
        return extended;
    return symbol->st_shndx < SHN_LORESERVE ? symbol->st_shndx : ELF_NO_SECTION;
}

static int read_symbol(const struct elf_file *f, struct symbol_table *t, size_t i, struct elf_symbol *out,
                       struct apf_error *error)
{
    GElf_Sym symbol;
    Elf32_Word extended = 0;
    struct elf_name name = {.p = ""};
    if (!gelf_getsymshndx(t->symbols.data, t->indexes.data, (int)i, &symbol, &extended))
        return bad_entry(&t->symbols, i, "elf.symbol", "the symbol cannot be read", error);
    if (symbol.st_shndx == SHN_XINDEX && !t->indexes.data)
        return bad_entry(&t->symbols, i, "elf.symbol.section", "the number of its section is missing", error);
    int code = read_name(t, i, &symbol, &name, error);
    *out = (struct elf_symbol){name.p,
                               name.n,
                               value_of(f, &symbol),
                               symbol.st_size,
                               section_of(&symbol, extended),
                               GELF_ST_TYPE(symbol.st_info),
                               GELF_ST_BIND(symbol.st_info)};
    return code;
}

int elf_file_symbols(const struct elf_file *f, int (*each)(void *user, const struct elf_symbol *symbol),
                     void *user, struct apf_error *error)
{
    struct symbol_table t;
    uint32_t index = find_section(f, SHT_SYMTAB, 0), indexes = 0;
    if (index == 0)
        return APF_OK;
    int code = open_symbols(f, index, &t, error);
    if (code == APF_OK)
        indexes = find_section(f, SHT_SYMTAB_SHNDX, index);
    if (indexes)
        code =
            open_table(f, indexes, SHT_SYMTAB_SHNDX, SHT_SYMTAB_SHNDX, sizeof(Elf32_Word), &t.indexes, error);
    for (size_t i = 0; code == APF_OK && i < t.symbols.n; i++) {
        struct elf_symbol symbol;
        code = read_symbol(f, &t, i, &symbol, error);
        if (code == APF_OK)
            code = code_of_callback(each(user, &symbol), error);
    }
    return code;
}

/* ---- groups ---- */

/* Reads the signature of a group. All signatures of a file share one budget of bytes. */
static int read_signature(const struct elf_file *f, const struct table *group, uint64_t *budget,
                          struct elf_name *name, struct apf_error *error)
{
    struct symbol_table t;
    GElf_Sym symbol;
    uint32_t number = group->header.sh_info;
    int code = open_symbols(f, group->header.sh_link, &t, error);
    if (code != APF_OK)
        return code;
    if (number >= t.symbols.n || !gelf_getsym(t.symbols.data, (int)number, &symbol))
        return bad_entry(group, 0, "elf.group.symbol", "the group's symbol does not exist", error);
    if (*budget < t.names.left)
        t.names.left = *budget;
    code = read_name(&t, number, &symbol, name, error);
    *budget = t.names.left;
    return code;
}

static int read_group(const struct elf_file *f, uint32_t index, uint64_t *budget,
                      int (*each)(void *user, const struct elf_member *member), void *user,
                      struct apf_error *error)
{
    struct table t;
    struct elf_name name = {.p = ""};
    int code = open_table(f, index, SHT_GROUP, SHT_GROUP, sizeof(Elf32_Word), &t, error);
    if (code == APF_OK && t.n == 0)
        code = bad_entry(&t, 0, "elf.group.flags", "the group has no flags", error);
    if (code == APF_OK)
        code = read_signature(f, &t, budget, &name, error);
    if (code != APF_OK)
        return code;
    const uint8_t *words = t.data->d_buf;
    struct elf_member member = {name.p, 0, (load32(words, false) & GRP_COMDAT) != 0};
    for (size_t i = 1; code == APF_OK && i < t.n; i++) {
        member.section = load32(words + i * sizeof(Elf32_Word), false);
        code = code_of_callback(each(user, &member), error);
    }
    return code;
}

int elf_file_groups(const struct elf_file *f, int (*each)(void *user, const struct elf_member *member),
                    void *user, struct apf_error *error)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr header;
    uint64_t budget = UINT64_MAX;
    int code = APF_OK;
    while (code == APF_OK && (scn = elf_nextscn(f->elf, scn)))
        if (gelf_getshdr(scn, &header) && header.sh_type == SHT_GROUP)
            code = read_group(f, (uint32_t)elf_ndxscn(scn), &budget, each, user, error);
    return code;
}

/* ---- relocations ---- */

/* A relocation of MIPS has several types, and in little-endian files of 64 bits the symbol stands where others have the
 * type. */
static void split_info(const struct elf_file *f, uint64_t info, struct elf_relocation *out, uint64_t *symbol)
{
    bool swapped = f->facts.machine == EM_MIPS && f->facts.bits == 64 && !f->facts.big_endian;
    *symbol = swapped ? info & UINT32_MAX : GELF_R_SYM(info);
    out->type = (uint32_t)(swapped ? info >> 56 : GELF_R_TYPE(info));
}

static int read_relocation(const struct elf_file *f, const struct table *t, size_t i,
                           struct symbol_table *symbols, struct elf_relocation *out, struct apf_error *error)
{
    GElf_Rela rela = {0};
    GElf_Rel rel = {0};
    GElf_Sym symbol;
    uint64_t number;
    bool with_addend = t->header.sh_type == SHT_RELA;
    if (with_addend ? !gelf_getrela(t->data, (int)i, &rela) : !gelf_getrel(t->data, (int)i, &rel))
        return bad_entry(t, i, "elf.relocation", "the relocation cannot be read", error);
    if (!with_addend) {
        rela.r_offset = rel.r_offset;
        rela.r_info = rel.r_info;
    }
    split_info(f, rela.r_info, out, &number);
    if (number >= symbols->symbols.n || !gelf_getsym(symbols->symbols.data, (int)number, &symbol))
        return bad_entry(t, i, "elf.relocation.symbol", "the relocation's symbol does not exist", error);
    struct elf_name name = {.p = ""};
    int code = read_name(symbols, (size_t)number, &symbol, &name, error);
    out->name = name.p;
    out->offset = rela.r_offset;
    out->value = value_of(f, &symbol);
    out->addend = rela.r_addend;
    out->section = section_of(&symbol, ELF_NO_SECTION);
    out->in_place = !with_addend;
    return code;
}

bool elf_has_code(const struct elf_section *section)
{
    return section->flags & SHF_ALLOC && section->flags & SHF_EXECINSTR && section->type != SHT_NOBITS;
}

bool elf_is_relocations(const struct elf_section *section)
{
    return section->type == SHT_RELA || section->type == SHT_REL;
}

int elf_file_relocations(const struct elf_file *f, uint32_t index,
                         int (*each)(void *user, const struct elf_relocation *relocation), void *user,
                         struct apf_error *error)
{
    struct table t;
    struct symbol_table symbols;
    GElf_Shdr header;
    bool with_addend = gelf_getshdr(elf_getscn(f->elf, index), &header) != NULL && header.sh_type == SHT_RELA;
    int code =
        open_table(f, index, SHT_RELA, SHT_REL, bytes_of(f, with_addend ? ELF_T_RELA : ELF_T_REL), &t, error);
    if (code != APF_OK || t.n == 0)
        return code;
    code = open_symbols(f, t.header.sh_link, &symbols, error);
    for (size_t i = 0; code == APF_OK && i < t.n; i++) {
        struct elf_relocation relocation;
        code = read_relocation(f, &t, i, &symbols, &relocation, error);
        if (code == APF_OK)
            code = code_of_callback(each(user, &relocation), error);
    }
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file is laid out here; libelf translates headers and symbols to the class and byte order of the target. */
#include "object/elf_write.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/md5.h"
#include "base/vec.h"

/* Without this section GNU ld makes the stack of the program executable. */
#define NO_STACK ".note.GNU-stack"

struct group {
    const char *name;
    VEC(uint32_t) words; /* flags, then the members */
};

struct writer {
    const struct elf_target *target;
    const struct elf_new_section *sections;
    size_t n;
    VEC(struct group) groups;
    uint32_t *group_of; /* number of each section's group; UINT32_MAX: none */
    VEC(Elf64_Shdr) headers;
    VEC(Elf64_Sym) symbols;
    struct apf_buffer names, symbol_names, out;
    struct arena arena;
    bool failed; /* allocation failed, or libelf refused */
};

/* ---- groups ---- */

static uint32_t find_group(struct writer *w, struct hash_index *index, const struct elf_new_section *s)
{
    struct group group = {.name = s->group};
    if (!hash_index_reserve(index, 1))
        return UINT32_MAX;
    uint64_t hash = hash_index_mix(index, md5_name_ref(s->group, strlen(s->group)), s->comdat);
    uint32_t e;
    HASH_INDEX_FIND(e, index, hash,
                    strcmp(w->groups.data[e].name, s->group) == 0 &&
                        w->groups.data[e].words.data[0] == (s->comdat ? GRP_COMDAT : 0));
    if (e != HASH_INDEX_NONE)
        return e;
    e = (uint32_t)w->groups.n;
    if (!VEC_PUSH(&group.words, s->comdat ? GRP_COMDAT : 0) || !VEC_PUSH(&w->groups, group)) {
        VEC_FREE(&group.words);
        return UINT32_MAX;
    }
    hash_index_add(index, hash, e);
    return e;
}

/* Groups come first in the file, so they have the lower section numbers. */
static void find_groups(struct writer *w)
{
    struct hash_index index = {0};
    w->group_of = arena_array(&w->arena, w->n, sizeof *w->group_of);
    w->failed |= !w->group_of;
    for (size_t i = 0; i < w->n && !w->failed; i++) {
        bool grouped = w->sections[i].group != NULL;
        w->group_of[i] = grouped ? find_group(w, &index, &w->sections[i]) : UINT32_MAX;
        w->failed |= grouped && w->group_of[i] == UINT32_MAX;
    }
    for (size_t i = 0; i < w->n && !w->failed; i++)
        if (w->group_of[i] != UINT32_MAX) {
            struct group *group = &w->groups.data[w->group_of[i]];
            w->failed |= !VEC_PUSH(&group->words, (uint32_t)(1 + w->groups.n + i));
        }
    hash_index_free(&index);
}

/* ---- pieces of the file ---- */

static bool is_64_bit(const struct writer *w)
{
    return w->target->bits == 64;
}

static void write_bytes(struct writer *w, const void *p, size_t n)
{
    w->failed |= apf_buffer_write(&w->out, p, n) != 0;
}

static void align(struct writer *w, size_t to)
{
    static const uint8_t zeros[8];
    write_bytes(w, zeros, (to - w->out.n % to) % to);
}

/* Appends n items of a type as libelf stores them in the target's byte order. */
static void write_translated(struct writer *w, const void *items, size_t n_bytes, Elf_Type type)
{
    void *to = arena_bytes(&w->arena, n_bytes);
    Elf_Data from = {
        .d_buf = (void *)(uintptr_t)items, .d_type = type, .d_version = EV_CURRENT, .d_size = n_bytes};
    Elf_Data dest = {.d_buf = to, .d_type = type, .d_version = EV_CURRENT, .d_size = n_bytes};
    unsigned encoding = w->target->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
    const Elf_Data *done = !to            ? NULL
                           : is_64_bit(w) ? elf64_xlatetof(&dest, &from, encoding)
                                          : elf32_xlatetof(&dest, &from, encoding);
    w->failed |= !done;
    if (done)
        write_bytes(w, to, dest.d_size);
}

static uint32_t add_name(struct writer *w, struct apf_buffer *table, const char *name)
{
    uint32_t at = (uint32_t)table->n;
    w->failed |= apf_buffer_write(table, name, strlen(name) + 1) != 0;
    return at;
}

/* Adds the header of a section whose bytes come next; end_section sets its size. */
static Elf64_Shdr *add_header(struct writer *w, const char *name, uint32_t type, uint64_t flags)
{
    Elf64_Shdr header = {.sh_name = add_name(w, &w->names, name),
                         .sh_type = type,
                         .sh_flags = flags,
                         .sh_offset = w->out.n,
                         .sh_addralign = 1};
    if (!VEC_PUSH(&w->headers, header)) {
        w->failed = true;
        return NULL;
    }
    return &w->headers.data[w->headers.n - 1];
}

static void end_section(struct writer *w, Elf64_Shdr *header)
{
    if (header)
        header->sh_size = w->out.n - header->sh_offset;
}

/* ---- the file ---- */

/* The signature of a group is a symbol made only for it. */
static void write_group(struct writer *w, const struct group *group, uint32_t symtab)
{
    align(w, 4);
    Elf64_Shdr *header = add_header(w, ".group", SHT_GROUP, 0);
    Elf64_Sym symbol = {.st_name = add_name(w, &w->symbol_names, group->name),
                        .st_info = GELF_ST_INFO(STB_LOCAL, STT_NOTYPE),
                        .st_shndx = (Elf64_Section)(w->headers.n - 1)};
    if (!header || !VEC_PUSH(&w->symbols, symbol)) {
        w->failed = true;
        return;
    }
    header->sh_link = symtab;
    header->sh_info = (uint32_t)(w->symbols.n - 1);
    header->sh_entsize = header->sh_addralign = 4;
    write_translated(w, group->words.data, group->words.n * sizeof(uint32_t), ELF_T_WORD);
    end_section(w, header);
}

static void write_symbols(struct writer *w)
{
    align(w, 8);
    Elf64_Shdr *header = add_header(w, ".symtab", SHT_SYMTAB, 0);
    if (!header)
        return;
    header->sh_link = (uint32_t)w->headers.n; /* .strtab comes next */
    header->sh_info = (uint32_t)w->symbols.n; /* all are local */
    header->sh_addralign = is_64_bit(w) ? 8 : 4;
    header->sh_entsize = is_64_bit(w) ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    for (size_t i = 0; i < w->symbols.n; i++) {
        const Elf64_Sym *s = &w->symbols.data[i];
        Elf32_Sym narrow = {.st_name = s->st_name, .st_info = s->st_info, .st_shndx = s->st_shndx};
        if (is_64_bit(w))
            write_translated(w, s, sizeof *s, ELF_T_SYM);
        else
            write_translated(w, &narrow, sizeof narrow, ELF_T_SYM);
    }
    end_section(w, header);
}

static void write_names(struct writer *w, const char *name, const struct apf_buffer *table)
{
    Elf64_Shdr *header = add_header(w, name, SHT_STRTAB, 0);
    write_bytes(w, table->data, table->n);
    end_section(w, header);
}

static void write_header_table(struct writer *w)
{
    for (size_t i = 0; i < w->headers.n; i++) {
        const Elf64_Shdr *h = &w->headers.data[i];
        Elf32_Shdr narrow = {h->sh_name,
                             h->sh_type,
                             (Elf32_Word)h->sh_flags,
                             0,
                             (Elf32_Off)h->sh_offset,
                             (Elf32_Word)h->sh_size,
                             h->sh_link,
                             h->sh_info,
                             (Elf32_Word)h->sh_addralign,
                             (Elf32_Word)h->sh_entsize};
        if (is_64_bit(w))
            write_translated(w, h, sizeof *h, ELF_T_SHDR);
        else
            write_translated(w, &narrow, sizeof narrow, ELF_T_SHDR);
    }
}

/* Fills in the ELF header at the beginning, now that the offset of the section headers is known. */
static void set_file_header(struct writer *w, uint64_t table)
{
    struct apf_buffer rest = w->out;
    Elf64_Ehdr h = {.e_type = ET_REL,
                    .e_machine = (Elf64_Half)w->target->machine,
                    .e_version = EV_CURRENT,
                    .e_flags = w->target->flags,
                    .e_shoff = table,
                    .e_ehsize = sizeof h,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = (Elf64_Half)w->headers.n,
                    .e_shstrndx = (Elf64_Half)(w->headers.n - 1)};
    memcpy(h.e_ident, ELFMAG, SELFMAG);
    h.e_ident[EI_CLASS] = is_64_bit(w) ? ELFCLASS64 : ELFCLASS32;
    h.e_ident[EI_DATA] = w->target->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
    h.e_ident[EI_VERSION] = EV_CURRENT;
    Elf32_Ehdr narrow = {.e_type = h.e_type,
                         .e_machine = h.e_machine,
                         .e_version = EV_CURRENT,
                         .e_flags = w->target->flags,
                         .e_shoff = (Elf32_Off)table,
                         .e_ehsize = sizeof narrow,
                         .e_shentsize = sizeof(Elf32_Shdr),
                         .e_shnum = h.e_shnum,
                         .e_shstrndx = h.e_shstrndx};
    memcpy(narrow.e_ident, h.e_ident, sizeof h.e_ident);
    w->out.n = 0; /* write_file left room at the beginning */
    write_translated(w, is_64_bit(w) ? (const void *)&h : (const void *)&narrow,
                     is_64_bit(w) ? sizeof h : sizeof narrow, ELF_T_EHDR);
    w->out.n = rest.n;
}

static void write_file(struct writer *w)
{
    static const Elf64_Shdr null_header;
    static const Elf64_Sym null_symbol;
    static const Elf64_Ehdr room;
    uint32_t symtab = (uint32_t)(2 + w->groups.n + w->n);
    write_bytes(w, &room, is_64_bit(w) ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
    add_name(w, &w->names, "");
    add_name(w, &w->symbol_names, "");
    w->failed |= !VEC_PUSH(&w->headers, null_header) || !VEC_PUSH(&w->symbols, null_symbol);
    for (size_t i = 0; i < w->groups.n && !w->failed; i++)
        write_group(w, &w->groups.data[i], symtab);
    for (size_t i = 0; i < w->n && !w->failed; i++) {
        const struct elf_new_section *s = &w->sections[i];
        Elf64_Shdr *header = add_header(w, s->name, s->type, s->group ? SHF_GROUP : 0);
        write_bytes(w, s->data, s->n);
        end_section(w, header);
    }
    end_section(w, add_header(w, NO_STACK, SHT_PROGBITS, 0));
    write_symbols(w);
    write_names(w, ".strtab", &w->symbol_names);
    write_names(w, ".shstrtab", &w->names); /* add_header appends ".shstrtab" before the table is copied */
    align(w, 8);
    uint64_t table = w->out.n;
    write_header_table(w);
    if (!w->failed)
        set_file_header(w, table);
}

static void free_writer(struct writer *w)
{
    for (size_t i = 0; i < w->groups.n; i++)
        VEC_FREE(&w->groups.data[i].words);
    VEC_FREE(&w->groups);
    VEC_FREE(&w->headers);
    VEC_FREE(&w->symbols);
    apf_buffer_free(&w->names);
    apf_buffer_free(&w->symbol_names);
    apf_buffer_free(&w->out);
    arena_free(&w->arena);
}

#define OTHER_SECTIONS 5u /* the null section, NO_STACK and three tables */

int elf_check_sections(size_t n, struct apf_error *error)
{
    return n + OTHER_SECTIONS < SHN_LORESERVE
               ? APF_OK
               : error_plain(error, APF_LIMIT, "elf.sections", "more sections than an ELF header can count");
}

uint32_t elf_header_flags(const struct elf_file *elf)
{
    GElf_Ehdr header;
    return gelf_getehdr(elf_file_libelf(elf), &header) ? header.e_flags : 0;
}

int elf_write_object(const struct elf_target *target, const struct elf_new_section *sections, size_t n,
                     const struct apf_output *output, struct apf_error *error)
{
    struct writer w = {.target = target, .sections = sections, .n = n};
    elf_version(EV_CURRENT);
    find_groups(&w);
    int code = elf_check_sections(n + w.groups.n, error);
    if (code == APF_OK && !w.failed)
        write_file(&w);
    if (code == APF_OK)
        code = w.failed ? error_memory(error) : apf_output_write(output, w.out.data, w.out.n, error);
    free_writer(&w);
    return code;
}

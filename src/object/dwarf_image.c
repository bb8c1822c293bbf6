/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/dwarf_image.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "base/error.h"

/* The names of sections after ".debug_" or ".zdebug_". Sections of split DWARF have ".dwo" after that. */
static const char *const names[DWARF_SECTIONS] = {
    [DWARF_INFO] = "info", [DWARF_TYPES] = "types",       [DWARF_ABBREV] = "abbrev",
    [DWARF_STR] = "str",   [DWARF_LINE_STR] = "line_str", [DWARF_STR_OFFSETS] = "str_offsets",
    [DWARF_ADDR] = "addr", [DWARF_RANGES] = "ranges",     [DWARF_RNGLISTS] = "rnglists",
    [DWARF_LINE] = "line", [DWARF_CU_INDEX] = "cu_index",
};

#define PREFIX ".debug_"
#define SUFFIX ".dwo"
#define NAME_TABLE ".shstrtab"
#define ALIGNMENT 8u

struct image {
    const struct elf_file *file;
    uint64_t max_bytes;
    uint32_t found[2][DWARF_SECTIONS]; /* numbers of the sections: without SUFFIX, with it; 0: none */
    uint32_t *index;                   /* those that are used */
    bool of_split;                     /* sections of split DWARF are wanted rather than others */
    bool split;
    size_t offsets[DWARF_SECTIONS + 1],
        sizes[DWARF_SECTIONS]; /* the last offset is that of the section headers */
};

/* ---- which sections ---- */

/* The section that a name means, or DWARF_SECTIONS. */
static enum dwarf_section section_named(const char *name, bool *split)
{
    size_t prefix = name[0] == '.' && name[1] == 'z' ? 2 : 1;
    if (name[0] != '.' || strncmp(name + prefix, &PREFIX[1], sizeof PREFIX - 2) != 0)
        return DWARF_SECTIONS;
    const char *rest = name + prefix + sizeof PREFIX - 2;
    for (unsigned i = 0; i < DWARF_SECTIONS; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(rest, names[i], n) != 0 || (rest[n] && strcmp(rest + n, SUFFIX) != 0))
            continue;
        *split = rest[n] != '\0';
        return (enum dwarf_section)i;
    }
    return DWARF_SECTIONS;
}

static int find_section(void *user, const struct elf_section *section)
{
    struct image *image = user;
    bool split = false;
    enum dwarf_section which = section_named(section->name, &split);
    if (which != DWARF_SECTIONS && !image->found[split][which])
        image->found[split][which] = section->index;
    return 0;
}

/* Finds the sections, and their places in the image. */
static int plan_image(struct image *image, struct apf_error *error)
{
    size_t at = sizeof(Elf64_Ehdr);
    (void)elf_file_sections(image->file, find_section, image);
    image->split = image->found[1][DWARF_INFO] && (image->of_split || !image->found[0][DWARF_INFO]);
    image->index = image->found[image->split];
    image->index[DWARF_CU_INDEX] = image->found[0][DWARF_CU_INDEX]; /* which has no SUFFIX */
    for (unsigned i = 0; i < DWARF_SECTIONS; i++) {
        image->offsets[i] = at;
        if (!image->index[i])
            continue;
        int code =
            elf_file_contents_size(image->file, image->index[i], image->max_bytes, &image->sizes[i], error);
        if (code != APF_OK)
            return code;
        if (image->sizes[i] > SIZE_MAX / 4 - at)
            return error_memory(error);
        at += image->sizes[i];
    }
    image->offsets[DWARF_SECTIONS] = at;
    return APF_OK;
}

/* ---- the image ---- */

/* Stores a header in the byte order of the file. */
static void store_header(const struct image *image, uint8_t *to, const void *header, size_t n, Elf_Type type)
{
    Elf_Data from = {
        .d_buf = (void *)(uintptr_t)header, .d_type = type, .d_version = EV_CURRENT, .d_size = n};
    Elf_Data dest = {.d_buf = to, .d_type = type, .d_version = EV_CURRENT, .d_size = n};
    bool big = elf_file_facts(image->file)->big_endian;
    (void)elf64_xlatetof(&dest, &from, big ? ELFDATA2MSB : ELFDATA2LSB);
}

/* Writes a name with its zero; returns its offset in the table of names. */
static uint32_t store_name(uint8_t *table, size_t *n, const char *a, const char *b, const char *c)
{
    const char *const parts[] = {a, b, c};
    size_t at = *n;
    for (unsigned i = 0; i < 3; i++) {
        memcpy(table + *n, parts[i], strlen(parts[i]));
        *n += strlen(parts[i]);
    }
    table[(*n)++] = '\0';
    return (uint32_t)at;
}

#define HEADERS (DWARF_SECTIONS + 2u) /* the null section, and the names */
#define NAME_BYTES (HEADERS * 32u)

/* Writes the headers and the names of the sections; the contents stand in the image. */
static void store_headers(const struct image *image, uint8_t *to, size_t table)
{
    Elf64_Ehdr file = {.e_type = ET_REL,
                       .e_version = EV_CURRENT,
                       .e_shoff = table,
                       .e_ehsize = sizeof file,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = HEADERS,
                       .e_shstrndx = HEADERS - 1};
    size_t names_at = table + HEADERS * sizeof(Elf64_Shdr), n = 1;
    memcpy(file.e_ident, ELFMAG, SELFMAG);
    file.e_ident[EI_CLASS] = ELFCLASS64;
    file.e_ident[EI_DATA] = elf_file_facts(image->file)->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
    file.e_ident[EI_VERSION] = EV_CURRENT;
    store_header(image, to, &file, sizeof file, ELF_T_EHDR);
    for (unsigned i = 0; i < DWARF_SECTIONS; i++) {
        bool shown = image->index[i] && i != DWARF_CU_INDEX; /* libdw 0.191 would follow it, too */
        Elf64_Shdr h = {.sh_type = shown ? SHT_PROGBITS : SHT_NULL,
                        .sh_offset = image->offsets[i],
                        .sh_size = image->sizes[i],
                        .sh_addralign = 1};
        h.sh_name = store_name(to + names_at, &n, PREFIX, names[i], image->split ? SUFFIX : "");
        store_header(image, to + table + (i + 1) * sizeof h, &h, sizeof h, ELF_T_SHDR);
    }
    Elf64_Shdr last = {.sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_addralign = 1};
    last.sh_name = store_name(to + names_at, &n, NAME_TABLE, "", "");
    last.sh_size = n;
    store_header(image, to + table + (HEADERS - 1) * sizeof last, &last, sizeof last, ELF_T_SHDR);
}

int dwarf_image_make(struct dwarf_file *d, const struct elf_file *elf, uint64_t max_bytes,
                     struct apf_error *error)
{
    struct image image = {.file = elf, .max_bytes = max_bytes, .of_split = d->of_split};
    int code = plan_image(&image, error);
    if (code != APF_OK || (!image.index[DWARF_INFO] && !image.index[DWARF_STR]))
        return code;
    size_t table = (image.offsets[DWARF_SECTIONS] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t size = table + HEADERS * sizeof(Elf64_Shdr) + NAME_BYTES;
    d->image = calloc(1, size);
    if (!d->image)
        return error_memory(error);
    for (unsigned i = 0; code == APF_OK && i < DWARF_SECTIONS; i++) {
        d->sections[i] = (struct dwarf_bytes){d->image + image.offsets[i], image.sizes[i]};
        if (image.index[i])
            code = elf_file_copy_contents(elf, image.index[i], max_bytes, d->image + image.offsets[i], error);
    }
    if (code != APF_OK)
        return code;
    store_headers(&image, d->image, table);
    d->elf = elf_memory((char *)d->image, size);
    return d->elf ? APF_OK : error_memory(error);
}

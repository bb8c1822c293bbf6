/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof-link-options: -Wl,--wrap=elf_getdata,--wrap=gelf_getshdr */
/* ELF files that refer to more than they contain, or have damaged headers or tables: the errors. */
#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"
#include "object/elf_file.h"

static bool no_memory, no_headers; /* inside libelf memory is out */

GElf_Shdr *__real_gelf_getshdr(Elf_Scn *scn, GElf_Shdr *header);
GElf_Shdr *__wrap_gelf_getshdr(Elf_Scn *scn, GElf_Shdr *header);
GElf_Shdr *__wrap_gelf_getshdr(Elf_Scn *scn, GElf_Shdr *header)
{
    if (!no_headers)
        return __real_gelf_getshdr(scn, header);
    errno = ENOMEM;
    return NULL;
}

Elf_Data *__real_elf_getdata(Elf_Scn *scn, Elf_Data *data);
Elf_Data *__wrap_elf_getdata(Elf_Scn *scn, Elf_Data *data);
Elf_Data *__wrap_elf_getdata(Elf_Scn *scn, Elf_Data *data)
{
    if (!no_memory)
        return __real_elf_getdata(scn, data);
    errno = ENOMEM;
    return NULL;
}

/* ---- files ---- */

enum { TEXT = 1, RELA, GROUP, OTHER, SYMTAB, STRTAB, NAMES, SECTIONS }; /* of make_object */
enum { SH_NAME = 0, SH_TYPE = 4, SH_OFFSET = 24, SH_SIZE = 32, SH_LINK = 40, SH_INFO = 44, SH_ENTSIZE = 56 };

static struct eb_bytes make_object(uint16_t machine)
{
    static const uint8_t group[12] = {GRP_COMDAT, 0, 0, 0, TEXT, 0, 0, 0, OTHER, 0, 0, 0};
    static const uint8_t rela[24] = {0x11, [8] = 7, [12] = 2};
    struct eb_symbol symbols[] = {{"one", 0x1001, 4, 0x12, TEXT}, {"two", 0x2001, 8, 0x10, TEXT}};
    struct eb_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0, 0, 0, "\x90\x90\xc3\x90", 4},
        {".rela.text", SHT_RELA, 0, 0, SYMTAB, TEXT, 24, rela, sizeof rela},
        {".group", SHT_GROUP, 0, 0, SYMTAB, 2, 4, group, sizeof group},
        {".other", SHT_PROGBITS, 0, 0, 0, 0, 0, "some", 4}};
    struct eb_file file = {64, false, ET_REL, machine, sections, 4, symbols, 2};
    return eb_build(&file);
}

static uint8_t *section_field(const struct eb_bytes *b, unsigned section, unsigned field)
{
    return b->data + b->section_headers + (size_t)64 * section + field;
}

static uint64_t load(const uint8_t *p, size_t bytes)
{
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static uint8_t *contents(const struct eb_bytes *b, unsigned section)
{
    return b->data + load(section_field(b, section, SH_OFFSET), 8);
}

/* ---- opening ---- */

static int open_bytes(const struct eb_bytes *b, size_t n, struct apf_error *error)
{
    struct elf_file *elf;
    int code = elf_file_open(&elf, b->data, n, error);
    elf_file_close(elf);
    return code;
}

/* The file with a field changed cannot be opened, and this is why. */
static void check_header(size_t at, size_t bytes, uint64_t value, const char *where, uint64_t offset)
{
    struct eb_bytes b = make_object(EM_X86_64);
    struct apf_error error;
    eb_store(b.data + at, value, bytes, false);
    assert_int_equal(open_bytes(&b, b.n, &error), APF_BAD_ELF);
    assert_string_equal(error.where, where);
    assert_int_equal(error.offset, offset);
    free(b.data);
}

static void test_cut(void **state)
{
    (void)state;
    struct eb_bytes b = make_object(EM_X86_64);
    struct apf_error error = {.code = APF_OK};
    for (size_t n = 0; n < b.n; n++) {
        assert_int_equal(open_bytes(&b, n, &error), APF_BAD_ELF);
        assert_string_equal(error.where, n < 64 ? "elf.header" : "elf.shoff");
        if (n >= 64)
            assert_int_equal(error.offset, 40);
    }
    assert_int_equal(error.found, b.n); /* where the section headers end */
    assert_int_equal(error.expected, b.n - 1);
    assert_int_equal(open_bytes(&b, b.n, &error), APF_OK);
    free(b.data);
}

static void test_headers(void **state)
{
    (void)state;
    struct eb_bytes b = make_object(EM_X86_64);
    size_t headers = b.section_headers, n = b.n, names = headers + (size_t)64 * NAMES;
    size_t name_bytes = (size_t)load(section_field(&b, NAMES, SH_SIZE), 8);
    size_t name_offset = (size_t)load(section_field(&b, NAMES, SH_OFFSET), 8);
    assert_int_equal((n - headers) / 64, SECTIONS);
    free(b.data);
    check_header(EI_CLASS, 1, 3, "elf.header", 4);
    check_header(40, 8, n + 1, "elf.shoff", 40);
    check_header(40, 8, UINT64_MAX, "elf.shoff", 40);
    check_header(40, 8, 0, "elf.shnum", 60);
    check_header(58, 2, 40, "elf.shentsize", 58);
    check_header(60, 2, SECTIONS + 1, "elf.shoff", 40);
    check_header(60, 2, 0, "elf.shnum", 60); /* the first section header has no number either */
    check_header(62, 2, SECTIONS, "elf.shstrndx", 62);
    check_header(62, 2, 0, "elf.shstrndx", 62);
    check_header(62, 2, SHN_XINDEX, "elf.shstrndx", 62);
    check_header(62, 2, TEXT, "elf.section.type", 64);
    check_header(names + SH_TYPE, 4, SHT_PROGBITS, "elf.section.type", name_offset);
    check_header(names + SH_OFFSET, 8, n, "elf.section.offset", n);
    check_header(names + SH_SIZE, 8, n, "elf.section.offset", name_offset);
    check_header(names + SH_SIZE, 8, name_bytes - 1, "elf.section.size", name_offset);
    check_header(names + SH_SIZE, 8, 0, "elf.section.size", name_offset);
    check_header(headers + 64 + SH_NAME, 4, name_bytes, "elf.name", headers + 64);
}

/* More sections than the ELF header can count. */
static void test_extended(void **state)
{
    (void)state;
    struct eb_bytes b = make_object(EM_X86_64);
    struct apf_error error;
    eb_store(b.data + 60, 0, 2, false);
    eb_store(b.data + 62, SHN_XINDEX, 2, false);
    eb_store(section_field(&b, 0, SH_SIZE), SECTIONS, 8, false);
    eb_store(section_field(&b, 0, SH_LINK), NAMES, 4, false);
    assert_int_equal(open_bytes(&b, b.n, &error), APF_OK);
    static const uint64_t numbers[] = {SECTIONS + 1, 1000000000, UINT32_MAX, UINT64_MAX, UINT64_MAX / 64};
    for (size_t i = 0; i < COUNT(numbers); i++) {
        eb_store(section_field(&b, 0, SH_SIZE), numbers[i], 8, false);
        assert_int_equal(open_bytes(&b, b.n, &error), APF_BAD_ELF);
        assert_string_equal(error.where, "elf.shoff");
    }
    free(b.data);
}

/* A regular file is not read whole, but no larger one is taken. */
static void test_too_large(void **state)
{
    (void)state;
    struct eb_bytes b = make_object(EM_X86_64);
    struct elf_file *elf;
    struct apf_error error;
    file_make(temp_path("a.o"), b.data, b.n);
    struct apf_input input = apf_input_file(temp_path("a.o"));
    size_t before = open_files();
    assert_int_equal(elf_file_open_input(&elf, &input, b.n - 1, &error), APF_LIMIT);
    assert_string_equal(error.where, "file.size");
    assert_int_equal(error.found, b.n);
    assert_int_equal(error.expected, b.n - 1);
    assert_null(elf);
    assert_int_equal(elf_file_open_input(&elf, &input, b.n, &error), APF_OK);
    elf_file_close(elf);
    file_make(temp_path("a.o"), b.data, b.n - 1);
    assert_int_equal(elf_file_open_input(&elf, &input, b.n, &error), APF_BAD_ELF);
    assert_string_equal(error.where, "elf.shoff");
    assert_int_equal(open_files(), before);
    free(b.data);
}

/* ---- tables ---- */

struct seen {
    size_t n;
    int result; /* of the callback */
    uint64_t value;
    uint32_t type;
};

static int collect_symbol(void *user, const struct elf_symbol *symbol)
{
    struct seen *seen = user;
    seen->n++;
    seen->value = symbol->value;
    return seen->result;
}

static int collect_relocation(void *user, const struct elf_relocation *relocation)
{
    struct seen *seen = user;
    seen->n++;
    seen->value = relocation->value;
    seen->type = relocation->type;
    return seen->result;
}

static int collect_member(void *user, const struct elf_member *member)
{
    struct seen *seen = user;
    (void)member;
    seen->n++;
    return seen->result;
}

enum table { SYMBOLS, RELOCATIONS, GROUPS };

static int read_table(const struct eb_bytes *b, enum table table, struct seen *seen, struct apf_error *error)
{
    struct elf_file *elf;
    assert_int_equal(elf_file_open(&elf, b->data, b->n, error), APF_OK);
    int code = table == SYMBOLS       ? elf_file_symbols(elf, collect_symbol, seen, error)
               : table == RELOCATIONS ? elf_file_relocations(elf, RELA, collect_relocation, seen, error)
                                      : elf_file_groups(elf, collect_member, seen, error);
    elf_file_close(elf);
    return code;
}

/* A table with a field of a section header changed cannot be read, and this is why. */
static void check_table(enum table table, unsigned section, unsigned field, uint64_t value, const char *where)
{
    struct eb_bytes b = make_object(EM_X86_64);
    struct seen seen = {.n = 0};
    struct apf_error error;
    char suffix[32];
    eb_store(section_field(&b, section, field), value,
             field < SH_OFFSET || field == SH_LINK || field == SH_INFO ? 4 : 8, false);
    assert_int_equal(read_table(&b, table, &seen, &error), APF_BAD_ELF);
    assert_string_equal(error.where, where);
    assert_int_equal(seen.n, 0);
    (void)snprintf(suffix, sizeof suffix, "] (section %u)", section);
    if (field != SH_LINK)
        assert_non_null(strstr(error.message, suffix));
    free(b.data);
}

static void test_tables(void **state)
{
    (void)state;
    struct {
        enum table table;
        unsigned section;
        uint64_t entry;
    } tables[] = {{SYMBOLS, SYMTAB, 24}, {RELOCATIONS, RELA, 24}, {GROUPS, GROUP, 4}};
    for (size_t i = 0; i < COUNT(tables); i++) {
        enum table t = tables[i].table;
        unsigned section = tables[i].section;
        check_table(t, section, SH_OFFSET, 1 << 20, "elf.section.offset");
        check_table(t, section, SH_OFFSET, UINT64_MAX, "elf.section.offset");
        check_table(t, section, SH_SIZE, UINT64_MAX, "elf.section.offset");
        check_table(t, section, SH_SIZE, tables[i].entry + 1, "elf.section.size");
        check_table(t, section, SH_ENTSIZE, 0, "elf.section.entsize");
        check_table(t, section, SH_ENTSIZE, tables[i].entry + 1, "elf.section.entsize");
    }
    check_table(SYMBOLS, SYMTAB, SH_LINK, TEXT, "elf.section.type");
    check_table(SYMBOLS, SYMTAB, SH_LINK, 99, "elf.section");
    check_table(SYMBOLS, SYMTAB, SH_LINK, 0, "elf.section.type");
    check_table(SYMBOLS, STRTAB, SH_SIZE, 4, "elf.section.size");
    check_table(SYMBOLS, STRTAB, SH_OFFSET, 1 << 20, "elf.section.offset");
    check_table(RELOCATIONS, RELA, SH_LINK, TEXT, "elf.section.type");
    check_table(RELOCATIONS, RELA, SH_TYPE, SHT_PROGBITS, "elf.section.type");
    check_table(RELOCATIONS, SYMTAB, SH_OFFSET, 1 << 20, "elf.section.offset");
    check_table(GROUPS, GROUP, SH_LINK, TEXT, "elf.section.type");
    check_table(GROUPS, GROUP, SH_SIZE, 0, "elf.group.flags");
    check_table(GROUPS, GROUP, SH_INFO, 3, "elf.group.symbol");
    check_table(GROUPS, STRTAB, SH_SIZE, 4, "elf.section.size");
}

/* Entries that say what is not there; those before them are passed on. */
static void test_entries(void **state)
{
    (void)state;
    struct eb_bytes b = make_object(EM_X86_64);
    struct seen seen = {.n = 0};
    struct apf_error error;
    uint64_t symtab = load(section_field(&b, SYMTAB, SH_OFFSET), 8);
    uint64_t rela = load(section_field(&b, RELA, SH_OFFSET), 8);
    eb_store(b.data + rela + 12, 3, 4, false);
    assert_int_equal(read_table(&b, RELOCATIONS, &seen, &error), APF_BAD_ELF);
    assert_string_equal(error.where, "elf.relocation.symbol");
    assert_int_equal(error.offset, rela);
    eb_store(b.data + symtab + 2 * 24 + 6, SHN_XINDEX, 2, false);
    assert_int_equal(read_table(&b, SYMBOLS, &seen, &error), APF_BAD_ELF);
    assert_string_equal(error.where, "elf.symbol.section");
    assert_int_equal(error.offset, symtab + 2 * 24);
    assert_int_equal(seen.n, 2);
    eb_store(b.data + symtab + 24, 9, 4, false); /* "one" and "two" and three zeros */
    seen.n = 0;
    assert_int_equal(read_table(&b, SYMBOLS, &seen, &error), APF_BAD_ELF);
    assert_string_equal(error.where, "elf.name");
    assert_int_equal(error.offset, symtab + 24);
    assert_int_equal(error.found, 9);
    assert_int_equal(error.expected, 8);
    assert_int_equal(seen.n, 1);
    free(b.data);
}

/* A failed allocation in libelf does not count as a missing table. */
static void test_no_memory(void **state)
{
    (void)state;
    struct eb_bytes b = make_object(EM_X86_64);
    struct apf_error error;
    no_headers = true;
    assert_int_equal(open_bytes(&b, b.n, &error), APF_NO_MEMORY);
    no_headers = false;
    for (int table = SYMBOLS; table <= GROUPS; table++) {
        struct seen seen = {.n = 0};
        no_memory = true;
        assert_int_equal(read_table(&b, (enum table)table, &seen, &error), APF_NO_MEMORY);
        no_memory = false;
        assert_int_equal(error.code, APF_NO_MEMORY);
        assert_int_equal(seen.n, 0);
        seen.result = APF_NO_MEMORY; /* the callback has none */
        memset(&error, 0, sizeof error);
        assert_int_equal(read_table(&b, (enum table)table, &seen, &error), APF_NO_MEMORY);
        assert_int_equal(error.code, APF_NO_MEMORY);
        assert_int_equal(seen.n, 1);
    }
    free(b.data);
}

/* The lowest bit of a function's address says which instruction set its code is of. */
static void test_instruction_sets(void **state)
{
    (void)state;
    static const struct {
        uint16_t machine;
        uint64_t function, other;
    } rows[] = {{EM_X86_64, 0x1001, 0x2001}, {EM_ARM, 0x1000, 0x2001}, {EM_MIPS, 0x1000, 0x2001}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct eb_bytes b = make_object(rows[i].machine);
        struct seen seen = {.result = 0};
        struct apf_error error;
        assert_int_equal(read_table(&b, SYMBOLS, &seen, &error), APF_OK);
        assert_int_equal(seen.value, rows[i].other);
        if (rows[i].machine ==
            EM_MIPS) /* where the symbol stands in the info is swapped with the low byte first */
            memcpy(contents(&b, RELA) + 8, "\x02\0\0\0\0\0\0\x12", 8);
        assert_int_equal(read_table(&b, RELOCATIONS, &seen, &error), APF_OK);
        assert_int_equal(seen.value, rows[i].other);
        assert_int_equal(seen.type, rows[i].machine == EM_MIPS ? 0x12 : 7);
        eb_store(contents(&b, RELA) + (rows[i].machine == EM_MIPS ? 8 : 12), 1, 4, false);
        assert_int_equal(read_table(&b, RELOCATIONS, &seen, &error), APF_OK);
        assert_int_equal(seen.value, rows[i].function);
        free(b.data);
    }
}

/* ---- bounds ---- */

/* Any number of sections may stand at the same place, but what of them is read is not more than the file. */
static void test_overlap(void **state)
{
    (void)state;
    static const char text[4096];
    struct eb_section sections[] = {{".a", SHT_PROGBITS, 0, 0, 0, 0, 0, text, sizeof text},
                                    {".b", SHT_PROGBITS, 0, 0, 0, 0, 0, "", 0}};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 2, NULL, 0};
    struct eb_bytes b = eb_build(&file);
    struct elf_file *elf;
    struct apf_error error;
    const uint8_t *data;
    size_t n;
    uint64_t names = load(section_field(&b, 3, SH_SIZE), 8);
    eb_store(section_field(&b, 2, SH_OFFSET), 64, 8, false);
    eb_store(section_field(&b, 2, SH_SIZE), sizeof text, 8, false);
    for (unsigned again = 0; again < 2; again++) {
        if (again)
            file_make(temp_path("elf"), b.data, b.n);
        struct apf_input input = {.size = sizeof(struct apf_input),
                                  .path = again ? temp_path("elf") : NULL,
                                  .data = again ? NULL : b.data,
                                  .n = again ? 0 : b.n};
        assert_int_equal(elf_file_open_input(&elf, &input, UINT64_MAX, &error), APF_OK);
        for (unsigned k = 0; k < 5; k++)
            assert_int_equal(elf_file_bytes(elf, 1, &data, &n, &error), APF_OK); /* counted once */
        assert_int_equal(elf_file_bytes(elf, 2, &data, &n, &error), APF_BAD_ELF);
        assert_string_equal(error.where, "elf.section.size");
        assert_int_equal(error.offset, 64);
        assert_int_equal(error.found, sizeof text);
        assert_int_equal(error.expected, b.n - sizeof text - names);
        assert_non_null(strstr(error.message, "] (section 2)"));
        elf_file_close(elf);
    }
    free(b.data);
}

static void test_overlapping_groups(void **state)
{
    (void)state;
    struct eb_bytes b = make_object(EM_X86_64);
    struct seen seen = {.n = 0};
    struct apf_error error;
    size_t half = b.n / 8 * 4 + 4; /* a multiple of 4 */
    for (unsigned i = TEXT; i <= OTHER; i++) {
        if (i == RELA)
            continue;
        memcpy(section_field(&b, i, SH_TYPE), section_field(&b, GROUP, SH_TYPE), 60);
        eb_store(section_field(&b, i, SH_OFFSET), 64, 8, false);
        eb_store(section_field(&b, i, SH_SIZE), half, 8, false);
    }
    assert_int_equal(read_table(&b, GROUPS, &seen, &error), APF_BAD_ELF);
    assert_string_equal(error.where, "elf.section.size");
    assert_int_equal(error.found, half);
    assert_int_equal(seen.n, half / 4 - 1); /* of one */
    free(b.data);
}

/* What all compressed sections of a file inflate to is bounded, as are its names. */
static void test_inflated(void **state)
{
    (void)state;
    static uint8_t plain[(size_t)5 << 20], packed[1 << 14];
    uLongf n_packed = sizeof packed - 24;
    struct arena arena = {0};
    struct elf_file *elf;
    struct apf_error error;
    const uint8_t *data;
    size_t n;
    assert_int_equal(compress2(packed + 24, &n_packed, plain, sizeof plain, 9), Z_OK);
    eb_store(packed, ELFCOMPRESS_ZLIB, 4, false);
    eb_store(packed + 8, sizeof plain, 8, false);
    struct eb_section sections[] = {{".a", SHT_PROGBITS, SHF_COMPRESSED, 0, 0, 0, 0, packed, n_packed + 24},
                                    {".b", SHT_PROGBITS, SHF_COMPRESSED, 0, 0, 0, 0, packed, n_packed + 24}};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 2, NULL, 0};
    struct eb_bytes b = eb_build(&file);
    assert_int_equal(elf_file_open(&elf, b.data, b.n, &error), APF_OK);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(elf_file_contents(elf, 2, UINT64_MAX, &arena, &data, &n, &error), APF_OK);
        assert_int_equal(n, sizeof plain);
    }
    assert_int_equal(elf_file_contents(elf, 1, UINT64_MAX, &arena, &data, &n, &error), APF_LIMIT);
    assert_string_equal(error.where, "elf.section.size");
    assert_int_equal(error.found, sizeof plain);
    assert_int_equal(error.expected, ((uint64_t)4 << 20) + 256 * b.n - sizeof plain);
    assert_null(data);
    assert_int_equal(n, 0);
    elf_file_close(elf);
    arena_free(&arena);
    free(b.data);
}

/* Any number of symbols may share a name, but there is an end to it. */
static void test_shared_names(void **state)
{
    (void)state;
    enum { LONG = 200000, SYMBOLS_OF_IT = 40 };
    static char name[LONG + 1];
    struct eb_symbol symbols[SYMBOLS_OF_IT];
    struct seen seen = {.n = 0};
    struct apf_error error;
    memset(name, 'a', LONG);
    for (unsigned i = 0; i < SYMBOLS_OF_IT; i++)
        symbols[i] = (struct eb_symbol){i ? "" : name, 1, 1, 0x12, 1};
    struct eb_section text = {".text", SHT_PROGBITS, SHF_ALLOC, 0, 0, 0, 0, "", 0};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, &text, 1, symbols, SYMBOLS_OF_IT};
    struct eb_bytes b = eb_build(&file);
    uint64_t most = 16 * b.n + ((uint64_t)1 << 20);
    for (unsigned i = 1; i < SYMBOLS_OF_IT; i++)
        eb_store(contents(&b, 2) + (size_t)24 * (i + 1), 1 + i, 4,
                 false); /* the same but for its first letters */
    assert_int_equal(read_table(&b, SYMBOLS, &seen, &error), APF_BAD_ELF);
    assert_string_equal(error.where, "elf.name");
    assert_in_range(error.expected, 0, LONG);
    assert_int_equal(seen.n, 1 + most / LONG); /* with the first one, which has none */
    free(b.data);
}

TEST_FILE(elf_bounds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),       cmocka_unit_test(test_headers),
        cmocka_unit_test(test_extended),  TEST_WITH_DIR(test_too_large),
        cmocka_unit_test(test_tables),    cmocka_unit_test(test_entries),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_instruction_sets),
        TEST_WITH_DIR(test_overlap),      cmocka_unit_test(test_overlapping_groups),
        cmocka_unit_test(test_inflated),  cmocka_unit_test(test_shared_names)};
    return RUN_TESTS(tests);
}

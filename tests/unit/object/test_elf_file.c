/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections, symbols, relocations and groups of ELF files of both sizes and byte orders; compressed and damaged ones. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"
#include "object/elf_file.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

struct seen {
    struct elf_section sections[8];
    struct elf_symbol symbols[8];
    struct elf_relocation relocations[8];
    struct elf_member members[8];
    size_t n;
    int stop; /* returned for the second one */
};

static int collect_section(void *user, const struct elf_section *section)
{
    struct seen *seen = user;
    seen->sections[seen->n++] = *section;
    return seen->n == 2 ? seen->stop : 0;
}

static int collect_symbol(void *user, const struct elf_symbol *symbol)
{
    struct seen *seen = user;
    seen->symbols[seen->n++] = *symbol;
    return seen->n == 2 ? seen->stop : 0;
}

static int collect_relocation(void *user, const struct elf_relocation *relocation)
{
    struct seen *seen = user;
    seen->relocations[seen->n++] = *relocation;
    return seen->n == 2 ? seen->stop : 0;
}

static int collect_member(void *user, const struct elf_member *member)
{
    struct seen *seen = user;
    seen->members[seen->n++] = *member;
    return seen->n == 2 ? seen->stop : 0;
}

/* An object with all there is; the bytes of the file are the caller's. */
static struct eb_bytes make_object(unsigned bits, bool big_endian)
{
    size_t word = bits / 8;
    uint8_t rela[48] = {0}, group[12];
    eb_store(rela, 0x11, word, big_endian);
    eb_store(rela + word, bits == 64 ? (uint64_t)2 << 32 | 7 : 2 << 8 | 7, word, big_endian);
    eb_store(rela + 2 * word, (uint64_t)-5, word, big_endian);
    eb_store(rela + 3 * word, 0x22, word, big_endian);
    eb_store(rela + 4 * word, bits == 64 ? (uint64_t)3 << 32 | 1 : 3 << 8 | 1, word, big_endian);
    eb_store(group, GRP_COMDAT, 4, big_endian);
    eb_store(group + 4, 1, 4, big_endian);
    eb_store(group + 8, 2, 4, big_endian);
    struct eb_symbol symbols[] = {{"one", 0x1000, 4, 0x12, 1},
                                  {"two", 0x2000, 8, 0x02, 1},
                                  {"gone", 0, 0, 0x10, SHN_UNDEF},
                                  {"fixed", 0x77, 0, 0x11, SHN_ABS}};
    struct eb_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0, 0, 0, "\x90\x90\xc3", 3},
        {".rela.text", SHT_RELA, 0, 0, 5, 1, 3 * word, rela, 6 * word},
        {".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x3000, 0, 0, 0, NULL, 100},
        {".group", SHT_GROUP, 0, 0, 5, 2, 4, group, sizeof group}};
    struct eb_file file = {bits, big_endian, ET_REL, EM_386, sections, 4, symbols, 4};
    return eb_build(&file);
}

static void check_object(unsigned bits, bool big_endian)
{
    struct eb_bytes bytes = make_object(bits, big_endian);
    struct elf_file *elf;
    struct elf_section section;
    struct apf_error error;
    const uint8_t *data;
    size_t n;
    assert_int_equal(elf_file_open(&elf, bytes.data, bytes.n, &error), APF_OK);
    assert_int_equal(elf_file_size(elf), bytes.n);
    assert_int_equal(elf_file_facts(elf)->bits, bits);
    assert_int_equal(elf_file_facts(elf)->machine, EM_386);
    assert_int_equal(elf_file_facts(elf)->big_endian, big_endian);
    assert_int_equal(elf_file_facts(elf)->relocatable, 1);

    struct seen seen = {.n = 0};
    elf_file_sections(elf, collect_section, &seen);
    assert_int_equal(seen.n, 7);
    assert_string_equal(seen.sections[0].name, ".text");
    assert_int_equal(seen.sections[0].address, 0x1000);
    assert_int_equal(seen.sections[0].size, 3);
    assert_int_equal(seen.sections[0].flags, SHF_ALLOC | SHF_EXECINSTR);
    assert_int_equal(seen.sections[1].index, 2);
    assert_int_equal(seen.sections[1].type, SHT_RELA);
    assert_int_equal(seen.sections[1].link, 5);
    assert_int_equal(seen.sections[1].info, 1);
    assert_true(elf_is_relocations(&seen.sections[1]) && !elf_is_relocations(&seen.sections[0]));
    seen = (struct seen){.stop = 1};
    elf_file_sections(elf, collect_section, &seen);
    assert_int_equal(seen.n, 2);
    assert_true(elf_file_section(elf, 3, &section));
    assert_string_equal(section.name, ".bss");
    assert_false(elf_file_section(elf, 99, &section));

    assert_int_equal(elf_file_bytes(elf, 1, &data, &n, &error), APF_OK);
    assert_int_equal(n, 3);
    assert_memory_equal(data, "\x90\x90\xc3", 3);
    assert_int_equal(elf_file_bytes(elf, 3, &data, &n, &error), APF_OK);
    assert_int_equal(n, 0);

    seen = (struct seen){.n = 0};
    assert_int_equal(elf_file_symbols(elf, collect_symbol, &seen, &error), 0);
    assert_int_equal(seen.n, 5);
    assert_string_equal(seen.symbols[0].name, "");
    assert_string_equal(seen.symbols[2].name, "two");
    assert_int_equal(seen.symbols[2].n, 3);
    assert_int_equal(seen.symbols[2].value, 0x2000);
    assert_int_equal(seen.symbols[2].size, 8);
    assert_int_equal(seen.symbols[2].section, 1);
    assert_int_equal(seen.symbols[2].type, STT_FUNC);
    assert_int_equal(seen.symbols[2].binding, STB_LOCAL);
    assert_int_equal(seen.symbols[3].section, ELF_UNDEFINED);
    assert_int_equal(seen.symbols[4].section, ELF_NO_SECTION);
    seen = (struct seen){.stop = 7};
    assert_int_equal(elf_file_symbols(elf, collect_symbol, &seen, &error), 7);
    assert_int_equal(seen.n, 2);

    seen = (struct seen){.n = 0};
    assert_int_equal(elf_file_relocations(elf, 2, collect_relocation, &seen, &error), 0);
    assert_int_equal(seen.n, 2);
    assert_int_equal(seen.relocations[0].offset, 0x11);
    assert_int_equal(seen.relocations[0].value, 0x2000);
    assert_int_equal(seen.relocations[0].addend, -5);
    assert_int_equal(seen.relocations[0].type, 7);
    assert_int_equal(seen.relocations[0].section, 1);
    assert_int_equal(seen.relocations[0].in_place, 0);
    assert_int_equal(seen.relocations[1].section, ELF_UNDEFINED);
    assert_int_equal(elf_file_relocations(elf, 1, collect_relocation, &seen, &error), APF_BAD_ELF);
    assert_string_equal(error.where, "elf.section.type");
    assert_int_equal(seen.n, 2);

    seen = (struct seen){.n = 0};
    assert_int_equal(elf_file_groups(elf, collect_member, &seen, &error), APF_OK);
    assert_int_equal(seen.n, 2);
    assert_string_equal(seen.members[0].signature, "two");
    assert_int_equal(seen.members[0].section, 1);
    assert_int_equal(seen.members[0].comdat, 1);
    assert_int_equal(seen.members[1].section, 2);
    elf_file_close(elf);
    free(bytes.data);
}

static void test_object(void **state)
{
    (void)state;
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        check_object(bits, false);
        check_object(bits, true);
    }
}

/* The same file, read from the disk piece by piece. */
static void test_on_disk(void **state)
{
    (void)state;
    struct eb_bytes bytes = make_object(64, false);
    struct elf_file *elf;
    struct apf_error error;
    const uint8_t *data;
    size_t n, before = open_files();
    file_make(temp_path("a.o"), bytes.data, bytes.n);
    struct apf_input input = apf_input_file(temp_path("a.o"));
    assert_int_equal(elf_file_open_input(&elf, &input, UINT64_MAX, &error), APF_OK);
    assert_int_equal(elf_file_size(elf), bytes.n);
    assert_int_equal(elf_file_bytes(elf, 1, &data, &n, &error), APF_OK);
    assert_int_equal(n, 3);
    assert_memory_equal(data, "\x90\x90\xc3", 3);
    struct seen seen = {.n = 0};
    assert_int_equal(elf_file_symbols(elf, collect_symbol, &seen, &error), 0);
    assert_int_equal(seen.n, 5);
    elf_file_close(elf);
    assert_int_equal(open_files(), before);
    file_make(temp_path("text"), "no object", 9);
    input.path = temp_path("text");
    assert_int_equal(elf_file_open_input(&elf, &input, UINT64_MAX, &error), APF_BAD_ELF);
    assert_null(elf);
    input.path = temp_path("nothing");
    assert_int_equal(elf_file_open_input(&elf, &input, UINT64_MAX, &error), APF_IO);
    assert_int_equal(open_files(), before);
    free(bytes.data);
}

/* ---- compressed sections ---- */

#define PLAIN ((size_t)5000)

/* The header of a compressed section and what follows it. Returns its size. */
static size_t pack(uint8_t *to, size_t room, unsigned bits, bool big_endian, uint32_t type, uint64_t size,
                   const uint8_t *plain)
{
    size_t word = bits / 8, head = bits == 64 ? 8 : 4, n = 0;
    memset(to, 0, room);
    eb_store(to, type, 4, big_endian);
    eb_store(to + head, size, word, big_endian);
    eb_store(to + head + word, 1, word, big_endian);
    head += 2 * word;
    if (type == ELFCOMPRESS_ZSTD) {
        n = ZSTD_compress(to + head, room - head, plain, PLAIN, 3);
    } else {
        uLongf length = room - head;
        assert_int_equal(compress2(to + head, &length, plain, PLAIN, 9), Z_OK);
        n = length;
    }
    return head + n;
}

/* Opens a file with one compressed section, reads that, and says what came of it. */
static int unpack(unsigned bits, bool big_endian, const uint8_t *packed, size_t n_packed, uint64_t most,
                  const uint8_t *plain, struct apf_error *error)
{
    struct eb_section section = {".debug", SHT_PROGBITS, SHF_COMPRESSED, 0, 0, 0, 0, packed, n_packed};
    struct eb_file file = {bits, big_endian, ET_EXEC, EM_X86_64, &section, 1, NULL, 0};
    struct eb_bytes bytes = eb_build(&file);
    struct arena arena = {0};
    struct elf_file *elf;
    const uint8_t *data;
    size_t n;
    assert_int_equal(elf_file_open(&elf, bytes.data, bytes.n, error), APF_OK);
    int code = elf_file_contents(elf, 1, most, &arena, &data, &n, error);
    if (code == APF_OK) {
        assert_int_equal(n, PLAIN);
        assert_memory_equal(data, plain, PLAIN);
    }
    elf_file_close(elf);
    arena_free(&arena);
    free(bytes.data);
    return code;
}

static void test_compressed(void **state)
{
    (void)state;
    static const uint32_t types[] = {ELFCOMPRESS_ZLIB, ELFCOMPRESS_ZSTD};
    uint8_t plain[PLAIN], packed[3 * PLAIN];
    struct apf_error error;
    fill_bytes(plain, sizeof plain / 2, 1);
    memset(plain + PLAIN / 2, 'x', PLAIN / 2);
    for (unsigned k = 0; k < 8; k++) {
        unsigned bits = k & 1 ? 32 : 64;
        bool big = (k & 2) != 0;
        uint32_t type = types[k >> 2];
        int broken = type == ELFCOMPRESS_ZSTD ? APF_DECOMPRESS_FAILED : APF_UNCOMPRESS_FAILED;
        size_t n = pack(packed, sizeof packed, bits, big, type, PLAIN, plain);
        assert_int_equal(unpack(bits, big, packed, n, UINT64_MAX, plain, &error), APF_OK);
        assert_int_equal(unpack(bits, big, packed, n, PLAIN, plain, &error), APF_OK);
        assert_int_equal(unpack(bits, big, packed, n, PLAIN - 1, plain, &error), APF_LIMIT);
        assert_int_equal(unpack(bits, big, packed, n - 3, UINT64_MAX, plain, &error), broken);
        assert_int_equal(unpack(bits, big, packed, 5, UINT64_MAX, plain, &error), APF_UNSUPPORTED);
        n = pack(packed, sizeof packed, bits, big, type, PLAIN + 1, plain);
        assert_int_equal(unpack(bits, big, packed, n, UINT64_MAX, plain, &error), broken);
        n = pack(packed, sizeof packed, bits, big, type, PLAIN - 1, plain);
        assert_int_not_equal(unpack(bits, big, packed, n, UINT64_MAX, plain, &error), APF_OK);
        n = pack(packed, sizeof packed, bits, big, type, UINT32_MAX, plain);
        assert_int_equal(unpack(bits, big, packed, n, UINT64_MAX, plain, &error), APF_UNCOMPRESS_FAILED);
        pack(packed, sizeof packed, bits, big, types[!(k >> 2)], PLAIN, plain);
        eb_store(packed, type, 4, big); /* what follows is of the other type */
        assert_int_equal(unpack(bits, big, packed, n, UINT64_MAX, plain, &error), broken);
        memset(packed + 12, 'x', n - 12);
        eb_store(packed + (bits == 64 ? 8 : 4), PLAIN, bits / 8, big);
        assert_int_equal(unpack(bits, big, packed, n, UINT64_MAX, plain, &error), broken); /* or of none */
        eb_store(packed, 3, 4, big);
        assert_int_equal(unpack(bits, big, packed, n, UINT64_MAX, plain, &error), APF_UNSUPPORTED);
        assert_string_equal(error.where, "elf.section.compression");
    }
}

/* ---- build id ---- */

/* The size of the build id of a file with notes of n bytes; if there is one it begins with 'a'. */
static size_t id_of(const char *notes, size_t n)
{
    struct eb_section section = {".note", SHT_NOTE, SHF_ALLOC, 0, 0, 0, 0, notes, n};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, &section, 1, NULL, 0};
    struct eb_bytes bytes = eb_build(&file);
    struct elf_file *elf;
    assert_int_equal(elf_file_open(&elf, bytes.data, bytes.n, NULL), APF_OK);
    struct apf_str id = elf_file_build_id(elf);
    assert_true(id.n == 0 || id.p[0] == 'a');
    elf_file_close(elf);
    free(bytes.data);
    return id.n;
}

static void test_build_id(void **state)
{
    static const char other[] = "\4\0\0\0\1\0\0\0\1\0\0\0GNU\0x\0\0\0"
                                "\4\0\0\0\5\0\0\0\3\0\0\0GNU\0abcde\0\0\0";
    (void)state;
    assert_int_equal(id_of(other, sizeof other - 1), 5);
    assert_int_equal(id_of(other, sizeof other - 4), 5); /* without padding */
    assert_int_equal(id_of(other, sizeof other - 5), 0);
    assert_int_equal(id_of(other, 20), 0);
    assert_int_equal(id_of(other, 17), 0);
}

/* ---- damage ---- */

/* Everything that can be asked of a file. */
static void walk(const uint8_t *data, size_t n)
{
    struct elf_file *elf;
    struct apf_error error;
    struct arena arena = {0};
    if (elf_file_open(&elf, data, n, &error) != APF_OK) {
        assert_int_equal(error.code, APF_BAD_ELF);
        return;
    }
    for (uint32_t i = 0; i < 10; i++) {
        struct elf_section section;
        struct seen seen = {.stop = 1};
        const uint8_t *bytes;
        size_t size;
        (void)elf_file_section(elf, i, &section);
        if (elf_file_contents(elf, i, 1 << 20, &arena, &bytes, &size, &error) == APF_OK && size) {
            volatile uint8_t last = bytes[size - 1];
            (void)last;
        }
        (void)elf_file_relocations(elf, i, collect_relocation, &seen, &error);
    }
    struct seen seen = {.stop = 1};
    (void)elf_file_symbols(elf, collect_symbol, &seen, &error);
    seen.n = 0;
    (void)elf_file_groups(elf, collect_member, &seen, &error);
    (void)elf_file_build_id(elf);
    elf_file_close(elf);
    arena_free(&arena);
}

/* A copy of exact size, so that a read after it is seen. */
static void walk_copy(const uint8_t *data, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, data, n);
    walk(copy, n);
    free(copy);
}

static void test_damage(void **state)
{
    (void)state;
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        struct eb_bytes bytes = make_object(bits, false);
        for (size_t n = 0; n <= bytes.n; n++)
            walk_copy(bytes.data, n);
        for (size_t bit = 0; bit < 8 * bytes.n; bit++) {
            bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            walk_copy(bytes.data, bytes.n);
            bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        free(bytes.data);
    }
}

/* A section that is not where its header says. */
static void test_outside(void **state)
{
    (void)state;
    struct eb_bytes bytes = make_object(64, false);
    struct arena arena = {0};
    struct elf_file *elf;
    struct apf_error error;
    const uint8_t *data;
    size_t n;
    eb_store(bytes.data + bytes.section_headers + 64 + 24, bytes.n - 2, 8, false);
    assert_int_equal(elf_file_open(&elf, bytes.data, bytes.n, &error), APF_OK);
    assert_int_equal(elf_file_contents(elf, 1, UINT64_MAX, &arena, &data, &n, &error), APF_BAD_ELF);
    assert_string_equal(error.where, "elf.section.offset");
    assert_int_equal(error.offset, bytes.n - 2);
    assert_int_equal(error.found, 3);
    assert_int_equal(error.expected, bytes.n);
    elf_file_close(elf);
    free(bytes.data);
}

TEST_FILE(elf_file)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_object),     TEST_WITH_DIR(test_on_disk),
                                       cmocka_unit_test(test_compressed), cmocka_unit_test(test_build_id),
                                       cmocka_unit_test(test_damage),     cmocka_unit_test(test_outside)};
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Spans of addresses, and tables of lines; the latter as clang 22 writes them in DWARF 2 to 5. Functions and what is
 * inlined into them are compared with llvm-profgen by tests/oracle/probes_disasm.py. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/endian.h"
#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"
#include "object/line_table.h"
#include "object/source_lines.h"
#include "object/span_map.h"

/* ---- spans ---- */

static void check_map(struct span_map *map, const char *expected)
{
    assert_true(span_map_finish(map));
    for (size_t i = 0; expected[i]; i++) {
        uint32_t item = expected[i] == '.' ? SPAN_MAP_NONE : (uint32_t)(expected[i] - 'a');
        if (span_map_find(map, i) != item)
            fail_msg("%s: at %zu %u", expected, i, span_map_find(map, i));
    }
    span_map_free(map);
}

static void test_spans(void **state)
{
    struct span_map map = {.spans = {NULL, 0, 0}};
    (void)state;
    check_map(&map, "....");
    assert_true(span_map_add(&map, 2, 4, 0));
    check_map(&map, "..aa...");
    assert_true(span_map_add(&map, 0, 9, 0)); /* within each other */
    assert_true(span_map_add(&map, 2, 7, 1));
    assert_true(span_map_add(&map, 3, 4, 2));
    assert_true(span_map_add(&map, 4, 6, 3));
    check_map(&map, "aabcddbaa..");
    assert_true(
        span_map_add(&map, 4, 8, 1)); /* the same beginning; the later one wins; order does not matter */
    assert_true(span_map_add(&map, 4, 6, 2));
    assert_true(span_map_add(&map, 1, 6, 0));
    check_map(&map, ".aaaccbb.");
    assert_true(span_map_add(&map, 1, 5, 0)); /* not within each other */
    assert_true(span_map_add(&map, 3, 8, 1));
    assert_true(span_map_add(&map, 6, 7, 2));
    assert_true(span_map_add(&map, 5, 5, 3)); /* empty */
    check_map(&map, ".aabbbcb..");
    assert_true(span_map_add(&map, 0, UINT64_MAX, 0));
    assert_true(span_map_finish(&map));
    assert_int_equal(span_map_find(&map, UINT64_MAX - 1), 0);
    assert_int_equal(span_map_find(&map, UINT64_MAX), SPAN_MAP_NONE);
    span_map_free(&map);
}

/* ---- lines ---- */

/* Two functions at 0x201170 and 0x201180, to 0x201186: lines 3, 7 (from 0x201173) and 8. */
static const char dwarf_2[] =
    "3c000000 0200 1b000000 01 01 fb 0e 0d 00010101010000000100000100 6c742e6300000000 00"
    "0509 0a 0009027011200000000000 14 050f 40 0512 0a c9 0206 000101";
static const char dwarf_4[] =
    "3d000000 0400 1c000000 01 01 01 fb 0e 0d 00010101010000000100000100 6c742e6300000000 00"
    "0509 0a 0009027011200000000000 14 050f 40 0512 0a c9 0206 000101";
static const char dwarf_5[] =
    "5c000000 0500 08 00 37000000 01 01 01 fb 0e 0d 000101010100000001000001 01 011f0100000000 "
    "03011f020f051e0108000000"
    "00 1acd2942c2e0e79fe6dd71588c069dab 04 0005090a0009027011200000000000 14 050f 40 0512 0a c9 0206 000101";

static void check_lines(const char *hex)
{
    struct line_table t = {.rows = {NULL, 0, 0}};
    uint8_t bytes[256];
    size_t n = hex_bytes(bytes, sizeof bytes, hex);
    assert_true(line_table_read(&t, bytes, n, HOST_BIG_ENDIAN, 0));
    assert_null(line_table_find(&t, 0x20116f));
    assert_int_equal(line_table_find(&t, 0x201170)->line, 3);
    assert_int_equal(line_table_find(&t, 0x201172)->line, 3);
    assert_int_equal(line_table_find(&t, 0x201173)->line, 7);
    assert_int_equal(line_table_find(&t, 0x20117f)->line, 7);
    assert_int_equal(line_table_find(&t, 0x201180)->line, 8);
    assert_int_equal(line_table_find(&t, 0x201185)->line, 8);
    assert_null(line_table_find(&t, 0x201186));
    line_table_free(&t);
    for (size_t cut = 0; cut < n; cut++) { /* what has no end is not used; nothing is read beyond it */
        uint8_t *part = malloc(cut ? cut : 1);
        assert_non_null(part);
        memcpy(part, bytes, cut);
        assert_true(line_table_read(&t, part, cut, HOST_BIG_ENDIAN, 0));
        assert_null(line_table_find(&t, 0x201170));
        line_table_free(&t);
        free(part);
    }
    for (size_t bit = 0; bit < 8 * n; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(line_table_read(&t, bytes, n, HOST_BIG_ENDIAN, 0));
        (void)line_table_find(&t, 0x201170);
        line_table_free(&t);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void test_versions(void **state)
{
    (void)state;
    check_lines(dwarf_2);
    check_lines(dwarf_4);
    check_lines(dwarf_5);
}

/* Discriminators of 31 bits, sequences in any order, dropped code, opcodes that clang does not use. */
static void test_program(void **state)
{
    static const char hex[] = "00000000 0200 10000000 02 01 fb 0e 0a 000101010100000001 00 00"
                              "00050200200000 0006049f8080d901 01 0204 01 037f 1f 08 090400 0405 000101"
                              "00050200100000 01 028001 000101"
                              "000502ffffffff 01 0201 000101" /* dropped by the linker */
                              "00050200300000 01 000101";     /* no bytes */
    static const struct {
        uint64_t address;
        uint32_t line, discriminator;
    } expected[] = {
        {0x2000, 1, 455082015}, {0x2007, 1, 455082015}, {0x2008, 1, 0}, {0x2009, 1, 0},
        {0x200a, 2, 0},         {0x202f, 2, 0},         {0x1000, 1, 0}, {0x10ff, 1, 0},
    };
    static const uint64_t nowhere[] = {0, 0xfff, 0x1100, 0x1fff, 0x2030, 0x3000, 0xffffffff, UINT64_MAX};
    struct line_table t = {.rows = {NULL, 0, 0}};
    uint8_t bytes[256];
    size_t n = hex_bytes(bytes, sizeof bytes, hex);
    (void)state;
    eb_store(bytes, n - 4, 4, false);
    assert_true(line_table_read(&t, bytes, n, HOST_BIG_ENDIAN, 0));
    assert_int_equal(t.sequences.n, 2);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct line_row *row = line_table_find(&t, expected[i].address);
        assert_non_null(row);
        assert_int_equal(row->line, expected[i].line);
        assert_int_equal(row->discriminator, expected[i].discriminator);
    }
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++)
        assert_null(line_table_find(&t, nowhere[i]));
    line_table_free(&t);
}

/* Rows that begin a statement: those of one line and address count as one. */
static void test_statements(void **state)
{
    static const char hex[] = "00000000 0200 10000000 02 01 fb 0e 0a 000101010100000001 00 00"
                              "00050200100000 01 06 01" /* at 0x1000, twice */
                              "0202 01 0301 01"         /* at 0x1004, of two lines */
                              "0202 06 01 0202 000101"; /* at 0x1008 */
    static const uint64_t addresses[] = {0x1000, 0x1004, 0x1008};
    static const bool expected[2][3] = {{true, true, false}, {true, false, true}};
    const size_t default_is_stmt = 11;
    uint8_t bytes[256];
    size_t n = hex_bytes(bytes, sizeof bytes, hex);
    (void)state;
    eb_store(bytes, n - 4, 4, false);
    for (uint8_t begins = 0; begins < 2; begins++) {
        struct line_table t = {.rows = {NULL, 0, 0}};
        bytes[default_is_stmt] = begins;
        assert_true(line_table_read(&t, bytes, n, HOST_BIG_ENDIAN, 0));
        for (size_t i = 0; i < COUNT(addresses); i++)
            assert_int_equal(line_table_find(&t, addresses[i])->statement, expected[begins][i]);
        line_table_free(&t);
    }
}

/* libdw would inflate data with an absurd ratio. */
static void test_inflated(void **state)
{
    static uint8_t plain[(size_t)7 << 20], packed[1 << 14];
    uLongf n = sizeof packed - 24;
    struct source_lines *lines;
    struct elf_file *elf;
    struct apf_error error;
    (void)state;
    assert_int_equal(compress2(packed + 24, &n, plain, sizeof plain, 9), Z_OK);
    eb_store(packed, ELFCOMPRESS_ZLIB, 4, false);
    eb_store(packed + 8, sizeof plain, 8, false);
    for (unsigned i = 0; i < 2; i++) {
        struct eb_section section = {
            i ? ".debug_info" : ".other", SHT_PROGBITS, SHF_COMPRESSED, 0, 0, 0, 0, packed, n + 24};
        struct eb_file file = {64, false, ET_EXEC, EM_X86_64, &section, 1, NULL, 0};
        struct eb_bytes b = eb_build(&file);
        assert_int_equal(elf_file_open(&elf, b.data, b.n, &error), APF_OK);
        assert_int_equal(source_lines_open(&lines, elf, NULL, UINT64_MAX, &error), i ? APF_LIMIT : APF_OK);
        if (i)
            assert_string_equal(error.where, "elf.section.size");
        source_lines_close(lines);
        elf_file_close(elf);
        free(b.data);
    }
}

/* All sections that libdw gets are counted: overlapping sections have at most the bytes of the file. */
static void test_overlapping(void **state)
{
    static const char *const names[] = {".debug_abbrev", ".zdebug_str", ".debug_rnglists", ".debug_line",
                                        /* these are not read: */
                                        ".debug_info", ".debug_abbrev.dwo", ".gnu.debuglto_.debug_line",
                                        ".debug_loclists", ".other"};
    enum { NAMES = sizeof names / sizeof *names, READ = 4 };
    static uint8_t bytes[9000];
    (void)state;
    for (size_t k = 0; k < NAMES; k++) {
        struct eb_section sections[] = {
            {".debug_info", SHT_PROGBITS, 0, 0, 0, 0, 0, bytes, sizeof bytes},
            {names[k], SHT_PROGBITS, 0, 0, 0, 0, 0, NULL, 0},
        };
        struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 2, NULL, 0};
        struct eb_bytes b = eb_build(&file);
        struct source_lines *lines;
        struct elf_file *elf;
        struct apf_error error;
        memcpy(b.data + b.section_headers + 2 * 64 + 24, b.data + b.section_headers + 64 + 24, 16);
        assert_int_equal(elf_file_open(&elf, b.data, b.n, &error), APF_OK);
        int code = source_lines_open(&lines, elf, NULL, UINT64_MAX, &error);
        assert_int_equal(code, k < READ ? APF_BAD_ELF : APF_OK);
        if (code != APF_OK) {
            assert_string_equal(error.where, "elf.section.size");
            assert_int_equal(error.found, sizeof bytes);
            assert_in_range(error.expected, 1, b.n - sizeof bytes);
            assert_non_null(strstr(error.message, "] (section 2)"));
        }
        source_lines_close(lines);
        elf_file_close(elf);
        free(b.data);
    }
}

/* Sections that are compressed in the old way count like others. */
static void test_old_packing(void **state)
{
    static const uint64_t sizes[][2] = {{100, 0}, /* which the bytes do not inflate to */
                                        {(uint64_t)5 << 20, 2},
                                        {(uint64_t)10 << 20, 1},
                                        {UINT64_MAX, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t bytes[9000] = "ZLIB";
        struct eb_section sections[] = {
            {".zdebug_info", SHT_PROGBITS, 0, 0, 0, 0, 0, bytes, sizeof bytes},
            {".zdebug_str", SHT_PROGBITS, 0, 0, 0, 0, 0, bytes, sizeof bytes},
        };
        struct source_lines *lines;
        struct elf_file *elf;
        struct apf_error error;
        eb_store(bytes + 4, sizes[i][0], 8, true);
        struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 2, NULL, 0};
        struct eb_bytes b = eb_build(&file);
        assert_int_equal(elf_file_open(&elf, b.data, b.n, &error), APF_OK);
        int code = source_lines_open(&lines, elf, NULL, UINT64_MAX - 1, &error);
        assert_int_equal(code, sizes[i][1] ? APF_LIMIT : APF_UNCOMPRESS_FAILED);
        if (code == APF_LIMIT) {
            assert_string_equal(error.where, "elf.section.size");
            assert_int_equal(error.found, sizes[i][0]);
            assert_non_null(strstr(error.message, sizes[i][1] == 1 ? "] (section 1)" : "] (section 2)"));
        }
        source_lines_close(lines);
        elf_file_close(elf);
        free(b.data);
    }
}

TEST_FILE(source_lines)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),       cmocka_unit_test(test_versions),
        cmocka_unit_test(test_program),     cmocka_unit_test(test_statements),
        cmocka_unit_test(test_inflated),    cmocka_unit_test(test_overlapping),
        cmocka_unit_test(test_old_packing),
    };
    return RUN_TESTS(tests);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Probes in damaged ELF files: the errors, and the data that is still read. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "helpers/shared/probe_build.h"
#include "probe/code_walk.h"

#define TWO_PROBES HEX_LEAF "0200 018000 028005"

enum { TEXT = 1, FIRST, SECOND, RELA, GROUP, SYMTAB, STRTAB }; /* of make_object */
enum { SH_OFFSET = 24, SH_SIZE = 32, SH_LINK = 40 };

/* Two sections with two probes each. */
static struct eb_bytes make_object(const char *second)
{
    static const uint8_t group[8] = {GRP_COMDAT, 0, 0, 0, FIRST}, rela[24] = {[12] = 1};
    uint8_t probes[2][64];
    size_t n[2] = {hex_bytes(probes[0], sizeof *probes, TWO_PROBES),
                   hex_bytes(probes[1], sizeof *probes, second)};
    struct eb_symbol symbols[] = {{"leaf", 16, 10, 0x12, TEXT}, {"top", 32, 10, 0x12, TEXT}};
    struct eb_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, 0, 0, 0, "", 0},
        {".pseudo_probe", SHT_PROGBITS, SHF_LINK_ORDER, 0, TEXT, 0, 0, probes[0], n[0]},
        {".pseudo_probe", SHT_PROGBITS, SHF_LINK_ORDER, 0, TEXT, 0, 0, probes[1], n[1]},
        {".rela.pseudo_probe", SHT_RELA, 0, 0, SYMTAB, SECOND, 24, rela, sizeof rela},
        {".group", SHT_GROUP, 0, 0, SYMTAB, 1, 4, group, sizeof group}};
    struct eb_file file = {64, false, ET_REL, EM_X86_64, sections, 5, symbols, 2};
    return eb_build(&file);
}

static void set_field(const struct eb_bytes *b, unsigned section, unsigned field, uint64_t value)
{
    eb_store(b->data + b->section_headers + (size_t)64 * section + field, value, field == SH_LINK ? 4 : 8,
             false);
}

struct findings {
    size_t n;
    struct apf_error last;
};

static int collect_finding(void *user, const struct apf_diag *diag)
{
    struct findings *findings = user;
    findings->n++;
    findings->last = *diag->error;
    return 0;
}

static int open_it(struct apf_probes **probes, const struct eb_bytes *b, uint32_t flags,
                   struct findings *findings, struct apf_error *error)
{
    struct apf_input input = apf_input_memory(b->data, b->n, "elf");
    struct apf_probe_options o = {.size = sizeof o, .flags = flags};
    struct apf_options common = {.size = sizeof common};
    o.options = &common;
    common.diag = collect_finding;
    common.user = findings;
    findings->n = 0;
    return apf_probes_open(probes, &input, &o, error);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static int collect(void *user, const void *p, size_t n)
{
    return apf_buffer_write(user, p, n);
}

/* An error, or one finding, which `verify` shows as JSON: of this code and place, and its message ends like that. */
static void check_damage(const struct eb_bytes *b, int code, const char *where, const char *end,
                         size_t n_probes, size_t n_unplaced)
{
    struct apf_probes *probes;
    struct apf_error error;
    struct findings findings;
    struct apf_probes_check_options check = {.size = sizeof check, .flags = APF_PROBES_PRINT_JSON};
    struct apf_probes_verdict verdict = {.size = sizeof verdict};
    struct apf_buffer json = {NULL, 0, 0};
    struct apf_output output = apf_output_callback(collect, &json);
    assert_int_equal(open_it(&probes, b, 0, &findings, &error), code);
    assert_string_equal(error.where, where);
    assert_true(ends_with(error.message, end));
    assert_int_equal(open_it(&probes, b, APF_PROBES_OPEN_KEEP_GOING, &findings, &error), APF_OK);
    assert_int_equal(findings.n, 1);
    assert_int_equal(findings.last.code, code);
    assert_string_equal(findings.last.where, where);
    assert_int_not_equal(findings.last.offset, UINT64_MAX);
    assert_true(ends_with(findings.last.message, end));
    assert_int_equal(apf_probes_info(probes)->n_probes, n_probes);
    if (n_unplaced)
        assert_int_equal(apf_probes_info(probes)->n_symbols, 0);
    for (size_t i = 0; i < n_probes; i++)
        n_unplaced -= (apf_probes_probe(probes, i)->flags & APF_PROBE_FLAG_UNPLACED) != 0;
    assert_int_equal(n_unplaced, 0);
    assert_int_equal(apf_probes_check(probes, NULL, &check, &output, &verdict, &error), APF_OK);
    assert_int_equal(apf_buffer_write(&json, "", 1), 0);
    assert_non_null(strstr((const char *)json.data, "\"kind\": \"damage\""));
    assert_non_null(strstr((const char *)json.data, end));
    apf_buffer_free(&json);
    apf_probes_close(probes);
}

static void check_field(unsigned section, unsigned field, uint64_t value, const char *where, const char *end,
                        size_t n_probes, size_t n_unplaced)
{
    struct eb_bytes b = make_object(TWO_PROBES);
    set_field(&b, section, field, value);
    check_damage(&b, APF_BAD_ELF, where, end, n_probes, n_unplaced);
    free(b.data);
}

static void test_sections(void **state)
{
    (void)state;
    struct eb_bytes b = make_object(TWO_PROBES);
    struct apf_probes *probes;
    struct apf_error error;
    struct findings findings;
    assert_int_equal(open_it(&probes, &b, 0, &findings, &error), APF_OK);
    assert_int_equal(apf_probes_info(probes)->n_probes, 4);
    assert_int_equal(apf_probes_probe(probes, 3)->address, 21);
    assert_int_equal(apf_probes_probe(probes, 3)->flags, 0);
    apf_probes_close(probes);
    check_field(SECOND, SH_OFFSET, 1 << 20, "elf.section.offset", "] (section 3)", 2, 0);
    check_field(FIRST, SH_SIZE, UINT64_MAX, "elf.section.offset", "] (section 2)", 2, 0);
    check_field(RELA, SH_OFFSET, 1 << 20, "elf.section.offset", "] (section 4)", 4, 0);
    check_field(GROUP, SH_LINK, TEXT, "elf.section.type", "] (section 1)", 4, 0);
    free(b.data);
}

/* No symbols: all or none of them. */
static void test_symbols(void **state)
{
    (void)state;
    struct eb_bytes b = make_object(TWO_PROBES);
    struct apf_probes *probes;
    struct apf_error error;
    struct findings findings;
    set_field(&b, RELA, SH_SIZE, 0); /* other users of the table */
    memset(b.data + b.section_headers + 64 * GROUP, 0, 64);
    set_field(&b, STRTAB, SH_SIZE, 4);
    check_damage(&b, APF_BAD_ELF, "elf.section.size", "] (section 7)", 4, 4);
    set_field(&b, STRTAB, SH_SIZE, 6); /* with the name of the first one only */
    check_damage(&b, APF_BAD_ELF, "elf.name", "] (section 6)", 4, 4);
    set_field(&b, STRTAB, SH_SIZE, 10);
    assert_int_equal(open_it(&probes, &b, 0, &findings, &error), APF_OK);
    assert_int_equal(apf_probes_info(probes)->n_symbols, 2);
    apf_probes_close(probes);
    set_field(&b, SYMTAB, SH_OFFSET, b.n);
    check_damage(&b, APF_BAD_ELF, "elf.section.offset", "] (section 6)", 4, 4);
    free(b.data);
}

/* With several sections the error names the damaged one. */
static void test_which(void **state)
{
    (void)state;
    uint8_t probes[64];
    size_t n = hex_bytes(probes, sizeof probes, HEX_LEAF "0200 018000 0280");
    struct eb_bytes b = make_object(HEX_LEAF "0200 018000 0280");
    check_damage(&b, APF_BAD_PROBES, "pseudo_probe.probe.distance", "] (section 3)", 3, 0);
    free(b.data);
    struct eb_symbol symbol = {"leaf", 16, 10, 0x12, 1};
    struct eb_section sections[] = {{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, 0, 0, 0, "", 0},
                                    {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, probes, n},
                                    {".pseudo_probe_desc", SHT_PROGBITS, 0, 0, 0, 0, 0, "", 0}};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 3, &symbol, 1};
    b = eb_build(&file);
    check_damage(&b, APF_BAD_PROBES, "pseudo_probe.probe.distance", "found 0, expected 1]", 1, 0);
    free(b.data);
}

/* The same bytes as any number of sections. */
static void test_overlap(void **state)
{
    (void)state;
    enum { PROBES = 500, HEAD = 11, BYTES = HEAD + 3 * PROBES };
    static uint8_t bytes[BYTES];
    assert_int_equal(hex_bytes(bytes, sizeof bytes, HEX_LEAF "f403 00"), HEAD);
    for (size_t i = HEAD; i < BYTES; i += 3) {
        bytes[i] = 1;
        bytes[i + 1] = 0x80;
    }
    struct eb_section sections[] = {{".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, bytes, BYTES},
                                    {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, "", 0}};
    struct eb_symbol symbol = {"leaf", 16, 10, 0x12, 1};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 2, &symbol, 1};
    struct eb_bytes b = eb_build(&file);
    set_field(&b, 2, SH_OFFSET, 64);
    set_field(&b, 2, SH_SIZE, BYTES);
    check_damage(&b, APF_BAD_ELF, "elf.section.size", "] (section 2)", PROBES, 0);
    free(b.data);
}

static void test_sentinels(void **state)
{
    (void)state;
    uint8_t bytes[64];
    struct apf_input input =
        apf_input_memory(bytes, hex_bytes(bytes, sizeof bytes, HEX_LEAF "0300 00a000 00a000 00a000"), "p");
    struct apf_probe_options o = {.size = sizeof o};
    struct apf_probes *probes;
    struct apf_error error;
    struct apf_options common = {.size = sizeof common};
    o.options = &common;
    common.max_records = 2;
    assert_int_equal(apf_probes_open_sections(&probes, &input, NULL, &o, &error), APF_LIMIT);
    assert_string_equal(error.where, "pseudo_probe.sentinels");
    common.max_records = 3;
    assert_int_equal(apf_probes_open_sections(&probes, &input, NULL, &o, &error), APF_OK);
    assert_int_equal(apf_probes_info(probes)->n_sentinels, 3);
    apf_probes_close(probes);
}

/* ---- old 32-bit programs ---- */

static void check_old(const uint8_t *bytes, size_t n, size_t n_probes, uint32_t literal_bytes,
                      uint64_t offset)
{
    struct eb_symbol symbol = {"leaf", 0x1000, 99, 0x12, 1};
    struct eb_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0, 0, 0, "", 0},
        {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, bytes, n}};
    struct eb_file file = {32, false, ET_EXEC, EM_386, sections, 2, &symbol, 1};
    struct eb_bytes b = eb_build(&file);
    struct apf_probes *probes;
    struct apf_error error;
    struct findings findings;
    assert_int_equal(open_it(&probes, &b, APF_PROBES_OPEN_KEEP_GOING, &findings, &error), APF_OK);
    assert_int_equal(findings.n, 1);
    assert_int_equal(findings.last.offset, offset);
    assert_int_equal(apf_probes_info(probes)->n_probes, n_probes);
    assert_int_equal(apf_probes_info(probes)->literal_bytes, literal_bytes);
    if (n_probes)
        assert_int_equal((uint32_t)apf_probes_probe(probes, 0)->address, 0x1000);
    apf_probes_close(probes);
    assert_int_equal(open_it(&probes, &b, 0, &findings, &error), APF_BAD_PROBES);
    assert_int_equal(error.offset, offset);
    free(b.data);
}

/* Addresses of 4 bytes, or of 8: what gets further before the damage is taken for what it is. */
static void test_old(void **state)
{
    (void)state;
    uint8_t bytes[64];
    size_t n = hex_bytes(bytes, sizeof bytes, HEX_LEAF "0400 010000100000 028005 038005 048005");
    check_old(bytes, n - 1, 3, 4, n - 1);
    n = hex_bytes(bytes, sizeof bytes, HEX_LEAF "0400 010000100000ffffffff 128005 038005 048005");
    check_old(bytes, n - 1, 3, 8, n - 1);
    check_old(bytes, 8, 0, 0, 8);
}

/* ---- code ---- */

/* The inflated bytes of a section of code are freed before the next one is walked. */
static void test_code_memory(void **state)
{
    (void)state;
    static uint8_t plain[1 << 16], packed[1 << 12];
    uLongf n_packed = sizeof packed - 24;
    uint8_t probe[32];
    size_t n = hex_bytes(probe, sizeof probe, HEX_LEAF "0100 018000");
    assert_int_equal(compress2(packed + 24, &n_packed, plain, sizeof plain, 9), Z_OK);
    eb_store(packed, ELFCOMPRESS_ZLIB, 4, false);
    eb_store(packed + 8, sizeof plain, 8, false);
    uint64_t flags = SHF_EXECINSTR | SHF_COMPRESSED;
    struct eb_section sections[] = {{".text", SHT_PROGBITS, flags, 16, 0, 0, 0, packed, n_packed + 24},
                                    {".more", SHT_PROGBITS, flags, 16, 0, 0, 0, packed, n_packed + 24},
                                    {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, probe, n}};
    struct eb_symbol symbol = {"leaf", 16, 10, 0x12, 1};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 3, &symbol, 1};
    struct eb_bytes b = eb_build(&file);
    struct apf_probes *probes;
    struct apf_error error;
    struct findings findings;
    struct code_walk walk;
    assert_int_equal(open_it(&probes, &b, 0, &findings, &error), APF_OK);
    assert_int_equal(code_walk_open(&walk, probes, 0, UINT64_MAX, &error), APF_OK);
    assert_int_equal(walk.sections.n, 2);
    assert_int_equal(code_walk_section(&walk, 0, &error), APF_OK);
    assert_int_equal(walk.n, sizeof plain);
    size_t used = walk.arena.used;
    assert_in_range(used, sizeof plain, 2 * sizeof plain - 1);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(code_walk_section(&walk, i % 2, &error), APF_OK);
    assert_int_equal(walk.arena.used, used);
    assert_memory_equal(walk.data, plain, sizeof plain);
    code_walk_close(&walk);
    apf_probes_close(probes);
    free(b.data);
}

TEST_FILE(probe_damage)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sections),   cmocka_unit_test(test_symbols),
                                       cmocka_unit_test(test_which),      cmocka_unit_test(test_overlap),
                                       cmocka_unit_test(test_sentinels),  cmocka_unit_test(test_old),
                                       cmocka_unit_test(test_code_memory)};
    return RUN_TESTS(tests);
}

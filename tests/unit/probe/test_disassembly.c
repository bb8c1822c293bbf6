/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The listing of code with probes, compared with llvm-profgen-22's for the same program. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/probe_build.h"

static const char mini_text[] =
    "554889e58d447f015dc3660f1f440000554889e55341564189fe31dbf6c301740989dfe8d8ffffffeb038d4302ffc34439f37ce8"
    "415e5b5dc30f1f8000000000554889e5bf09000000e8c2ffffff5dc3";
static const char mini_probes[] = PROBES_MINI;
static const char mini_descs[] =
    HEX_LEAF "ffffffff00000000 04 6c656166" HEX_MID "e054dce810000100 03 6d6964" HEX_TOP
             "ffffffff02000100 03 746f70" HEX_MAIN "ffffffff00000100 04 6d61696e";
static const struct eb_symbol mini_symbols[] = {{"leaf", 0x201120, 10, 0x12, 1},
                                                {"top", 0x201130, 0x29, 0x12, 1},
                                                {"main", 0x201160, 16, 0x12, 1},
                                                {"elsewhere", 0x201160, 0, 0x11, 2},
                                                {"a_leaf", 0x201120, 0, 0x10, 1}};

#define GUIDS                                                                                                \
    "Pseudo Probe Desc:\n"                                                                                   \
    "GUID: 4395024877212874786 Name: mid\nHash: 281547602941152\n"                                           \
    "GUID: 7399155579282764986 Name: leaf\nHash: 4294967295\n"                                               \
    "GUID: 15822663052811949562 Name: main\nHash: 281479271677951\n"                                         \
    "GUID: 18040073496307205042 Name: top\nHash: 281487861612543\n"
#define HEADING "\nDisassembly of mini:\n\nDisassembly of section .text [0x201120, 0x201170]:\n\n"
#define LEAF_CODE                                                                                            \
    "<leaf>:\n [Probe]:\tFUNC: leaf Index: 1  Type: Block  \n"                                               \
    "  201120:\n  201121:\n  201124:\n  201128:\n  201129:\n  20112a:\n\n"
#define TOP_CODE                                                                                             \
    "<top>:\n [Probe]:\tFUNC: top Index: 1  Type: Block  \n"                                                 \
    "  201130:\n  201131:\n  201134:\n  201135:\n  201137:\n  20113a:\n"                                     \
    " [Probe]:\tFUNC: top Index: 2  Type: Block  \n"                                                         \
    " [Probe]:\tFUNC: mid Index: 1  Type: Block  Inlined: @ top:3\n"                                         \
    "  20113c:\n  20113f:\n"                                                                                 \
    " [Probe]:\tFUNC: mid Index: 2  Type: Block  Inlined: @ top:3\n"                                         \
    "  201141:\n"                                                                                            \
    " [Probe]:\tFUNC: mid Index: 3  Type: DirectCall  Inlined: @ top:3\n"                                    \
    "  201143:\n  201148:\n"                                                                                 \
    " [Probe]:\tFUNC: mid Index: 4  Type: Block  Inlined: @ top:3\n"                                         \
    "  20114a:\n"                                                                                            \
    " [Probe]:\tFUNC: mid Index: 5  Type: Block  Inlined: @ top:3\n"                                         \
    "  20114d:\n  20114f:\n  201152:\n"                                                                      \
    " [Probe]:\tFUNC: top Index: 4  Type: Block  \n"                                                         \
    "  201154:\n  201156:\n  201157:\n  201158:\n  201159:\n\n"
#define MAIN_CODE                                                                                            \
    "<main>:\n [Probe]:\tFUNC: main Index: 1  Type: Block  \n"                                               \
    "  201160:\n  201161:\n  201164:\n"                                                                      \
    " [Probe]:\tFUNC: main Index: 2  Type: DirectCall  \n"                                                   \
    "  201169:\n  20116e:\n  20116f:\n\n"

/* A program whose code, probes and symbols the test chooses; the sections that are not given are left out. */
static struct apf_probes *open_program(uint16_t type, uint16_t machine, const char *text, const char *probes,
                                       const char *descs, const struct eb_symbol *symbols, size_t n_symbols)
{
    uint8_t code[512], section[512], desc[512];
    uint64_t start = type == ET_REL ? 0 : 0x201120;
    struct eb_section sections[5] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, start, 0, 0, 0, code, hex_bytes(code, 512, text)},
        {".data", SHT_PROGBITS, SHF_ALLOC, 0x300000, 0, 0, 0, code, 4},
        {".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x400000, 0, 0, 0, code, 16},
        {".pseudo_probe", SHT_PROGBITS, type == ET_REL ? SHF_LINK_ORDER : 0, 0, 1, 0, 0, section,
         hex_bytes(section, 512, probes)},
        {".pseudo_probe_desc", SHT_PROGBITS, 0, 0, 0, 0, 0, desc, descs ? hex_bytes(desc, 512, descs) : 0}};
    struct eb_file file = {64, false, type, machine, sections, descs ? 5 : 4, symbols, n_symbols};
    struct eb_bytes elf = eb_build(&file);
    struct apf_input input = apf_input_memory(elf.data, elf.n, "mini");
    struct apf_probes *result;
    assert_int_equal(apf_probes_open(&result, &input, NULL, NULL), APF_OK);
    free(elf.data);
    return result;
}

static struct apf_probes *open_mini(void)
{
    return open_program(ET_EXEC, EM_X86_64, mini_text, mini_probes, mini_descs, mini_symbols, 5);
}

/* Instructions are spelled as it pleases Capstone: what stands after "ADDRESS:" is taken out, but for <unknown>. */
static void cut_code(char *text)
{
    char *to = text;
    for (char *line = text; *line;) {
        char *end = strchr(line, '\n') + 1, *tab = memchr(line, '\t', (size_t)(end - line));
        size_t n = (size_t)(end - line);
        if (tab && line[1] != '[' && strncmp(tab, "\t<unknown>\n", 11) != 0) {
            n = (size_t)(tab - line);
            memmove(to, line, n);
            to[n++] = '\n';
        } else {
            memmove(to, line, n);
        }
        to += n;
        line = end;
    }
    *to = '\0';
}

static void check(struct apf_probes *probes, struct apf_disassembly_options options, const char *expected)
{
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    options.size = sizeof options;
    options.name = "mini";
    assert_int_equal(apf_probes_disassemble(probes, &options, &output, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    cut_code(buffer.data);
    assert_string_equal((const char *)buffer.data, expected);
    apf_buffer_free(&buffer);
}

#define END "\nDisassembly of section .plt [0x400000, 0x400010]:\n\n"

static void test_whole(void **state)
{
    struct apf_probes *probes = open_mini();
    (void)state;
    check(probes, (struct apf_disassembly_options){0},
          GUIDS HEADING "<a_leaf>:\n\n" LEAF_CODE TOP_CODE MAIN_CODE END);
    apf_probes_close(probes);
}

static void test_filters(void **state)
{
    struct apf_probes *probes = open_mini();
    static const struct apf_str names[] = {{"top", 3}, {"mid", 3}, {"leaf", 4}};
    (void)state;
    check(probes, (struct apf_disassembly_options){.functions = names, .n_functions = 3},
          GUIDS HEADING LEAF_CODE TOP_CODE END);
    check(probes,
          (struct apf_disassembly_options){
              .functions = names, .n_functions = 3, .flags = APF_DISASSEMBLY_ONE_FUNCTION, .guid = LEAF},
          GUIDS HEADING LEAF_CODE END);
    /* Any byte of an instruction, which is decoded from its beginning; the end is not part of it. */
    check(probes,
          (struct apf_disassembly_options){.flags = APF_DISASSEMBLY_RANGE, .low = 0x201122, .high = 0x201129},
          GUIDS HEADING "<leaf>:\n  201121:\n  201124:\n  201128:\n\n" END);
    check(probes,
          (struct apf_disassembly_options){
              .flags = APF_DISASSEMBLY_NO_PROBES | APF_DISASSEMBLY_RANGE, .low = 0x201160, .high = 0x201161},
          HEADING "<main>:\n  201160:\n\n" END);
    struct apf_disassembly_options options = {.size = sizeof options};
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_error error;
    options.flags = APF_DISASSEMBLY_ONE_FUNCTION;
    options.guid = apf_probe_guid((struct apf_str){"absent", 6});
    assert_int_equal(apf_probes_disassemble(probes, &options, &output, &error), APF_UNKNOWN_FUNCTION);
    assert_int_equal(buffer.n, 0);
    apf_probes_close(probes);
}

/* Bytes that are no instruction: on to the next probe, or to the next symbol. */
static void test_unknown(void **state)
{
    /* main: 2 bytes of code, 3 that are none, a probe at the sixth byte; top: 4 bytes that are none, in .text's end */
    static const struct eb_symbol symbols[] = {{"main", 0x201120, 0, 0x12, 1}, {"top", 0x201128, 0, 0x12, 1}};
    struct apf_probes *probes =
        open_program(ET_DYN, EM_X86_64, "5590 060606 90 0690 06909090",
                     HEX_MAIN "0200 018000 028005" HEX_TOP "0100 038300", NULL, symbols, 2);
    (void)state;
    check(probes, (struct apf_disassembly_options){0},
          "\nDisassembly of mini:\n\nDisassembly of section .text [0x201120, 0x20112c]:\n\n"
          "<main>:\n [Probe]:\tFUNC: main Index: 1  Type: Block  \n  201120:\n  201121:\n"
          "  201122:\t<unknown>\n [Probe]:\tFUNC: main Index: 2  Type: Block  \n"
          "  201125:\n  201126:\t<unknown>\n\n"
          "<top>:\n [Probe]:\tFUNC: top Index: 3  Type: 3  \n  201128:\t<unknown>\n\n" END);
    apf_probes_close(probes);
}

/* A GUID without a descriptor or symbol is a number. Symbols that lie outside their section have no code. */
static void test_odd(void **state)
{
    static const struct eb_symbol symbols[] = {
        {"main", 0x201120, 0, 0x12, 1}, {"", 0x201121, 0, 0x10, 1},      {"", 0x201120, 0, 0x03, 1},
        {"below", 0x10, 0, 0x12, 1},    {"above", 0x201122, 0, 0x12, 1}, {"far", UINT64_MAX, 0, 0x12, 1}};
    struct apf_probes *probes = open_program(
        ET_EXEC, EM_X86_64, "5590", HEX_MAIN "0001 09 1122334455667788 0101 048200 05" HEX_MID "0100 018001",
        NULL, symbols, 6);
    (void)state;
    check(probes, (struct apf_disassembly_options){0},
          "\nDisassembly of mini:\n\nDisassembly of section .text [0x201120, 0x201122]:\n\n"
          "<below>:\n\n<.text>:\n\n<main>:\n"
          " [Probe]:\tFUNC: 9833440827789222417 Index: 4  Type: DirectCall  Inlined: @ main:9\n  201120:\n\n"
          "<>:\n [Probe]:\tFUNC: 4395024877212874786 Index: 1  Type: Block  "
          "Inlined: @ main:9 @ 9833440827789222417:5\n  201121:\n\n<above>:\n\n<far>:\n\n" END);
    apf_probes_close(probes);
}

/* Marked as code, but without bytes in the file; symbols of it have no code. */
static void test_no_bytes(void **state)
{
    uint8_t section[16];
    size_t n = hex_bytes(section, sizeof section, HEX_LEAF "0000");
    struct eb_section sections[] = {
        {".nobits", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0, 0, 0, NULL, 64},
        {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, section, n}};
    const struct eb_symbol symbols[] = {{"leaf", 0x1000, 8, 0x12, 1}};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 2, symbols, 1};
    struct eb_bytes elf = eb_build(&file);
    struct apf_input input = apf_input_memory(elf.data, elf.n, "mini");
    struct apf_probes *probes;
    (void)state;
    assert_int_equal(apf_probes_open(&probes, &input, NULL, NULL), APF_OK);
    free(elf.data);
    check(probes, (struct apf_disassembly_options){0},
          "\nDisassembly of mini:\n\nDisassembly of section .nobits [0x1000, 0x1040]:\n\n<leaf>:\n\n");
    apf_probes_close(probes);
}

static void test_object(void **state)
{
    static const struct eb_symbol symbols[] = {{"leaf", 0, 10, 0x12, 1}, {"top", 16, 0x29, 0x12, 1}};
    struct apf_probes *probes =
        open_program(ET_REL, EM_X86_64, "554889e58d447f015dc3660f1f440000 55c3",
                     HEX_LEAF "0100 018001" HEX_TOP "0100 018000", mini_descs, symbols, 2);
    struct apf_disassembly_options options = {.size = sizeof options};
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_error error;
    (void)state;
    check(probes, (struct apf_disassembly_options){0},
          GUIDS "\nDisassembly of mini:\n\nDisassembly of section .text [0x0, 0x12]:\n\n"
                "<leaf>:\n       0:\n [Probe]:\tFUNC: leaf Index: 1  Type: Block  \n       1:\n       4:\n"
                "       8:\n       9:\n       a:\n\n"
                "<top>:\n [Probe]:\tFUNC: top Index: 1  Type: Block  \n      10:\n      11:\n\n" END);
    options.flags = APF_DISASSEMBLY_LOCATIONS;
    assert_int_equal(apf_probes_disassemble(probes, &options, &output, &error), APF_UNSUPPORTED);
    assert_string_equal(error.where, "elf.type");
    apf_probes_close(probes);
}

static int full(void *user, const void *p, size_t n)
{
    (void)user;
    (void)p;
    (void)n;
    return ENOSPC;
}

static void test_errors(void **state)
{
    struct apf_probes *probes = open_mini();
    struct apf_output output = apf_output_callback(full, NULL);
    struct apf_input input = apf_input_memory("", 0, "section");
    struct apf_error error;
    (void)state;
    assert_int_equal(apf_probes_disassemble(probes, NULL, &output, &error), APF_IO);
    assert_int_equal(error.sys_errno, ENOSPC);
    apf_probes_close(probes);
    assert_int_equal(apf_probes_open_sections(&probes, &input, NULL, NULL, NULL), APF_OK);
    assert_int_equal(apf_probes_disassemble(probes, NULL, &output, &error), APF_UNSUPPORTED);
    apf_probes_close(probes);
    probes = open_program(ET_EXEC, 0xfeed, mini_text, mini_probes, mini_descs, mini_symbols, 5);
    assert_int_equal(apf_probes_disassemble(probes, NULL, &output, &error), APF_UNSUPPORTED);
    assert_string_equal(error.where, "elf.machine");
    apf_probes_close(probes);
}

TEST_FILE(disassembly)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole),   cmocka_unit_test(test_filters),
                                       cmocka_unit_test(test_unknown), cmocka_unit_test(test_odd),
                                       cmocka_unit_test(test_object),  cmocka_unit_test(test_no_bytes),
                                       cmocka_unit_test(test_errors)};
    return RUN_TESTS(tests);
}

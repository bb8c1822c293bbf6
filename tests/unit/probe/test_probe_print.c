/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The printed output of probes, byte for byte. That the JSON suffices to make the sections again is tested with real
 * programs by tests/oracle/probe_programs.py. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/probe_build.h"

static const char mini[] = PROBES_MINI;
static const char mini_descs[] =
    HEX_LEAF "ffffffff00000000 04 6c656166" HEX_MID "e054dce810000100 03 6d6964" HEX_TOP
             "ffffffff07000100 03 746f70" HEX_MAIN "ffffffff00000100 04 6d61696e";
static const struct eb_symbol mini_symbols[] = {
    {"leaf", 0x201120, 10, 0x12, 1}, {"top", 0x201130, 0x29, 0x12, 1}, {"main", 0x201160, 16, 0x12, 1}};

static struct apf_probes *open_program(const char *probes_hex, const char *descs_hex)
{
    uint8_t bytes[256], descs[256];
    size_t n = hex_bytes(bytes, sizeof bytes, probes_hex),
           n_descs = hex_bytes(descs, sizeof descs, descs_hex);
    struct eb_section sections[] = {{".text", SHT_PROGBITS, SHF_ALLOC, 0x201120, 0, 0, 0, "", 0},
                                    {".pseudo_probe_desc", SHT_PROGBITS, 0, 0, 0, 0, 0, descs, n_descs},
                                    {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, bytes, n}};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 3, mini_symbols, 3};
    struct eb_bytes elf = eb_build(&file);
    struct apf_input input = apf_input_memory(elf.data, elf.n, "mini");
    struct apf_probes *probes;
    assert_int_equal(apf_probes_open(&probes, &input, NULL, NULL), APF_OK);
    free(elf.data);
    return probes;
}

static void check_print(const struct apf_probes *probes, const struct apf_probes_print_options *options,
                        const char *text)
{
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_error error;
    assert_int_equal(apf_probes_print(probes, options, &output, &error), APF_OK);
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    assert_string_equal((const char *)buffer.data, text);
    apf_buffer_free(&buffer);
}

static void test_desc(void **state)
{
    (void)state;
    struct apf_probes *probes = open_program(mini, mini_descs);
    struct apf_probes_print_options options = {.size = sizeof options};
    static const char head[] =
        "                GUID                 Hash  Calls  Edges       CRC  Function\n";
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s%s%s", head,
             " 4395024877212874786      281547602941152      1      4  e8dc54e0  mid\n",
             " 7399155579282764986           4294967295      0      0  ffffffff  leaf\n",
             "15822663052811949562      281479271677951      1      0  ffffffff  main\n",
             "18040073496307205042      281509336449023      1      1  ffffffff  top\n");
    check_print(probes, NULL, text);
    options.flags = APF_PROBES_PRINT_ONE_FUNCTION;
    options.guid = MID;
    snprintf(text, sizeof text, "%s%s", head,
             " 4395024877212874786      281547602941152      1      4  e8dc54e0  mid\n");
    check_print(probes, &options, text);
    options.guid = 5;
    assert_int_equal(apf_probes_print(probes, &options, NULL, NULL), APF_UNKNOWN_FUNCTION);
    options.view = 99;
    assert_int_equal(apf_probes_print(probes, &options, NULL, NULL), APF_ARGUMENT);
    apf_probes_close(probes);
}

static void test_list(void **state)
{
    (void)state;
    struct apf_probes *probes = open_program(mini, mini_descs);
    struct apf_probes_print_options options = {.size = sizeof options, .view = APF_PROBES_VIEW_LIST};
    check_print(probes, &options,
                "Address  Index  Type          Function\n"
                " 201120      1  Block         leaf\n"
                " 201130      1  Block         top\n"
                " 20113c      2  Block         top\n"
                " 20113c      1  Block         mid  @ top:3\n"
                " 201141      2  Block         mid  @ top:3\n"
                " 201143      3  DirectCall    mid  @ top:3\n"
                " 20114a      4  Block         mid  @ top:3\n"
                " 20114d      5  Block         mid  @ top:3\n"
                " 201154      4  Block         top\n"
                " 201160      1  Block         main\n"
                " 201169      2  DirectCall    main\n");
    options.flags = APF_PROBES_PRINT_RANGE;
    options.low = 0x20113c;
    options.high = 0x201141;
    check_print(probes, &options,
                "Address  Index  Type          Function\n"
                " 20113c      2  Block         top\n"
                " 20113c      1  Block         mid  @ top:3\n");
    options.flags |= APF_PROBES_PRINT_ONE_FUNCTION;
    options.guid = MID;
    check_print(probes, &options,
                "Address  Index  Type          Function\n"
                " 20113c      1  Block         mid  @ top:3\n");
    options.guid = LEAF;
    check_print(probes, &options, "Address  Index  Type          Function\n");
    apf_probes_close(probes);
}

static void test_tree(void **state)
{
    (void)state;
    struct apf_probes *probes = open_program(mini, mini_descs);
    struct apf_probes_print_options options = {.size = sizeof options, .view = APF_PROBES_VIEW_TREE};
    check_print(probes, &options,
                "    Bytes   Probes    Own  Function\n"
                "       16        2      2  main\n"
                "       45        8      3  top\n"
                "       26        5      5    3: mid\n"
                "       13        1      1  leaf\n");
    options.flags = APF_PROBES_PRINT_ONE_FUNCTION;
    options.guid = MID;
    check_print(probes, &options,
                "    Bytes   Probes    Own  Function\n"
                "       26        5      5    3: mid  @ top:3\n");
    options.flags = APF_PROBES_PRINT_RANGE;
    options.low = options.high = 0x201141;
    options.high++;
    check_print(probes, &options,
                "    Bytes   Probes    Own  Function\n"
                "       45        8      3  top\n"
                "       26        5      5    3: mid\n");
    apf_probes_close(probes);
}

/* Unknown functions and types, discriminators, reserved bits, names that a terminal would obey, code of another symbol,
 * and functions that are nowhere. */
static void test_odd(void **state)
{
    (void)state;
    struct apf_probes *probes = open_program(HEX_LEAF "0401 018000 02c00105 039001 0f8101 07"
                                                      "0100000000000000 0100 018302" HEX_MID
                                                      "0200 0020" HEX_TOP "018003" HEX_TOP "0100 018000"
                                                      "0700000000000000 0100 018000",
                                             HEX_LEAF "ffffffff00000000 07 6c651b5b6d61 7f");
    struct apf_probes_print_options options = {.size = sizeof options, .view = APF_PROBES_VIEW_LIST};
    check_print(probes, &options,
                "Address  Index  Type          Reserved  Discriminator  Function\n"
                " 201120      1  Block                                  le\\x1b[ma\\x7f\n"
                " 201121      2  Block                               5  le\\x1b[ma\\x7f\n"
                " 201122      3  Block              yes                 le\\x1b[ma\\x7f\n"
                " 201123     15  IndirectCall                           le\\x1b[ma\\x7f\n"
                " 201125      1  type 3                                 1  @ le\\x1b[ma\\x7f:7\n"
                " 201130      1  Block                                  top\n"
                " 201133      1  Block                                  4395024877212874786\n"
                "      ?      1  Block                                  7\n");
    options.view = APF_PROBES_VIEW_TREE;
    check_print(probes, &options,
                "    Bytes   Probes    Own  Function\n"
                "       37        5      4  le\\x1b[ma\\x7f\n"
                "       14        1      1    7: 1\n"
                "       23        1      1  4395024877212874786  in top\n"
                "       13        1      1  top\n"
                "       13        1      1  7\n");
    apf_probes_close(probes);
}

static void test_json(void **state)
{
    (void)state;
    struct apf_probes *probes = open_program(HEX_LEAF "0101 018001 07" HEX_MID "0100 02c20105", mini_descs);
    struct apf_probes_print_options options = {.size = sizeof options,
                                               .view = APF_PROBES_VIEW_LIST,
                                               .flags =
                                                   APF_PROBES_PRINT_JSON | APF_PROBES_PRINT_ONE_FUNCTION};
    options.guid = MID;
    check_print(
        probes, &options,
        "{\n"
        "  \"schema\": \"anyprof-probe-list/1\",\n"
        "  \"generator\": {\n"
        "    \"name\": \"anyprof\",\n"
        "    \"version\": \"0.1.0\"\n"
        "  },\n"
        "  \"file\": {\n"
        "    \"elf_bits\": 64,\n"
        "    \"elf_machine\": 62,\n"
        "    \"elf_flags\": \"0x0\",\n"
        "    \"big_endian\": false,\n"
        "    \"relocatable\": false,\n"
        "    \"old_encoding\": false,\n"
        "    \"literal_bytes\": null\n"
        "  },\n"
        "  \"partial\": true,\n"
        "  \"sections\": [\n"
        "    {\"section\": 3, \"bytes\": 28, \"text\": null, \"group\": null, \"comdat\": false}\n"
        "  ],\n"
        "  \"texts\": [],\n"
        "  \"nodes\": [\n"
        "    {\"node\": 0, \"parent\": null, \"call_probe\": 0, \"guid\": \"0x66af14cc04ffb4ba\", "
        "\"function\": "
        "\"leaf\", \"symbol\": null, \"text\": null, \"section\": 3, \"offset\": 0, \"bytes\": 28, "
        "\"depth\": 0, "
        "\"children\": 1, \"probes\": 1, \"tree_probes\": 2},\n"
        "    {\"node\": 1, \"parent\": 0, \"call_probe\": 7, \"guid\": \"0x3cfe43d709473822\", \"function\": "
        "\"mid\", \"symbol\": null, \"text\": null, \"section\": 3, \"offset\": 13, \"bytes\": 15, "
        "\"depth\": 1, "
        "\"children\": 0, \"probes\": 1, \"tree_probes\": 1}\n"
        "  ],\n"
        "  \"probes\": [\n"
        "    {\"address\": \"0x201122\", \"function\": \"mid\", \"id\": 2, \"type\": \"direct_call\", "
        "\"attributes\": 4, \"discriminator\": 5, \"node\": 1, \"probe\": 1, \"distance\": 1}\n"
        "  ],\n"
        "  \"sentinels\": [],\n"
        "  \"padded\": []\n"
        "}\n");
    apf_probes_close(probes);
}

/* Functions are inlined as deep as the file says. */
static void test_deep(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    uint8_t *bytes = malloc(16 * DEPTH), *p = bytes;
    struct apf_error error;
    assert_non_null(bytes);
    for (size_t i = 0; i < DEPTH; i++) {
        if (i)
            *p++ = 2;
        eb_store(p, i + 1, 8, false);
        p[8] = 1;
        p[9] = i + 1 < DEPTH;
        memcpy(p + 10, "\x01\x80\x01", 3);
        p += 13;
    }
    struct apf_input input = apf_input_memory(bytes, (size_t)(p - bytes), "deep");
    struct apf_probes *probes;
    assert_int_equal(apf_probes_open_sections(&probes, &input, NULL, NULL, &error), APF_OK);
    assert_int_equal(apf_probes_info(probes)->n_probes, DEPTH);
    assert_int_equal(apf_probes_node(probes, DEPTH - 1)->depth, DEPTH - 1);
    assert_int_equal(apf_probes_node(probes, 0)->n_nodes, DEPTH);
    for (uint32_t view = APF_PROBES_VIEW_DESC; view <= APF_PROBES_VIEW_STATS; view++)
        for (unsigned json = 0; json < 2; json++) {
            struct apf_probes_print_options options = {
                .size = sizeof options, .view = view, .flags = json ? APF_PROBES_PRINT_JSON : 0};
            struct apf_buffer buffer = {0};
            struct apf_output output = apf_output_buffer(&buffer);
            assert_int_equal(apf_probes_print(probes, &options, &output, &error), APF_OK);
            assert_true(buffer.n < 1500u * DEPTH); /* a context is cut, not as long as it is deep */
            apf_buffer_free(&buffer);
        }
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    assert_int_equal(apf_probes_write_section(probes, apf_probes_section(probes, 0), &output, &error),
                     APF_OK);
    assert_int_equal(buffer.n, input.n);
    assert_memory_equal(buffer.data, bytes, buffer.n);
    apf_buffer_free(&buffer);
    apf_probes_close(probes);
    free(bytes);
}

TEST_FILE(probe_print)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_desc), cmocka_unit_test(test_list),
                                       cmocka_unit_test(test_tree), cmocka_unit_test(test_odd),
                                       cmocka_unit_test(test_json), cmocka_unit_test(test_deep)};
    return RUN_TESTS(tests);
}

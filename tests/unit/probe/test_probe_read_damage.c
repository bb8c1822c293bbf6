/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections with pseudo probes that are damaged, cut or beyond a limit. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/probe_build.h"

/* Finds out that a section is damaged, where, and what of it is intact. */
struct damage {
    const char *hex, *where;
    uint64_t offset;
    size_t nodes, probes; /* that stand before it */
};

/* ---- damage ---- */

static const struct damage damages[] = {
    {"fad58de7366495", "pseudo_probe.function.guid", 0, 0, 0},
    {HEX_LEAF, "pseudo_probe.function.num_probes", 8, 0, 0},
    {HEX_LEAF "01", "pseudo_probe.function.num_probes", 8, 0, 0},
    {HEX_LEAF "00", "pseudo_probe.function.num_inlined", 9, 0, 0},
    {HEX_LEAF "0200 018000", "pseudo_probe.function.num_probes", 8, 0, 0},
    {HEX_LEAF "0001 03bab4ff04cc14af6600", "pseudo_probe.function.num_inlined", 9, 0, 0},
    {HEX_LEAF "ffffffff0f00", "pseudo_probe.function.num_probes", 8, 0, 0},
    {HEX_LEAF "8080808010 00", "pseudo_probe.function.num_probes", 8, 0, 0},
    {HEX_LEAF "0300 018000 ffffffff7f 8000 018000", "pseudo_probe.probe.index", 13, 1, 1},
    {HEX_LEAF "0200 018000 80 80 80 80", "pseudo_probe.probe.index", 13, 1, 1},
    {HEX_LEAF "0200 018000 0380 ff80", "pseudo_probe.probe.distance", 15, 1, 1},
    {HEX_LEAF "0100 0180 8080808080808080808080 01", "pseudo_probe.probe.distance", 12, 1, 0},
    {HEX_LEAF "0100 0100 11223344", "pseudo_probe.probe.address", 12, 1, 0},
    {HEX_LEAF "0100 0020 11223344", "pseudo_probe.sentinel.guid", 12, 1, 0},
    {HEX_LEAF "0100 01c000", "pseudo_probe.probe.discriminator", 13, 1, 0},
    {HEX_LEAF "0001 8080" HEX_TOP "00 018000", "pseudo_probe.function.call_probe", 10, 1, 0},
    {HEX_LEAF "0102 018000 03" HEX_TOP "0000 04" HEX_TOP "01", "pseudo_probe.function.num_probes", 33, 2, 1},
    {HEX_LEAF "0102 018000 03" HEX_TOP "0100 018000 80" HEX_TOP, "pseudo_probe.function.guid", 31, 2, 2},
    {HEX_LEAF "0100 018000" HEX_TOP "01", "pseudo_probe.function.num_probes", 21, 1, 1},
    {HEX_LEAF "0100 018000 00", "pseudo_probe.function.guid", 13, 1, 1},
};

static int count_finding(void *user, const struct apf_diag *diag)
{
    struct apf_error *copy = user;
    assert_int_equal(diag->severity, APF_SEVERITY_ERROR);
    assert_int_equal(copy->code, 0); /* there is one */
    *copy = *diag->error;
    return 0;
}

static void test_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const struct damage *d = &damages[i];
        uint8_t bytes[256];
        struct apf_input input = apf_input_memory(bytes, hex_bytes(bytes, sizeof bytes, d->hex), "p");
        struct apf_probes *probes;
        struct apf_error error, finding = {0};
        assert_int_equal(apf_probes_open_sections(&probes, &input, NULL, NULL, &error), APF_BAD_PROBES);
        assert_null(probes);
        assert_string_equal(error.where, d->where);
        assert_int_equal(error.offset, d->offset);
        struct apf_probe_options options = {.size = sizeof options, .flags = APF_PROBES_OPEN_KEEP_GOING};
        struct apf_options common = {.size = sizeof common};
        options.options = &common;
        common.diag = count_finding;
        common.user = &finding;
        assert_int_equal(apf_probes_open_sections(&probes, &input, NULL, &options, &error), APF_OK);
        assert_string_equal(finding.where, d->where);
        assert_int_equal(finding.offset, d->offset);
        assert_int_equal(apf_probes_info(probes)->n_nodes, d->nodes);
        assert_int_equal(apf_probes_info(probes)->n_probes, d->probes);
        apf_probes_close(probes);
    }
}

static void test_damaged_descs(void **state)
{
    (void)state;
    static const struct damage rows[] = {
        {HEX_LEAF "ffffffff000000", "pseudo_probe_desc.guid", 0, 0, 0},
        {HEX_LEAF "ffffffff00000000", "pseudo_probe_desc.name_size", 16, 0, 0},
        {HEX_LEAF "ffffffff00000000 01 61" HEX_LEAF "ffffffff00000000 0461", "pseudo_probe_desc.name_size",
         34, 0, 0},
        {HEX_LEAF "ffffffff00000000 8080808010", "pseudo_probe_desc.name_size", 16, 0, 0},
        {HEX_LEAF "ffffffff00000000 80", "pseudo_probe_desc.name_size", 16, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[256];
        struct apf_input input = apf_input_memory(bytes, hex_bytes(bytes, sizeof bytes, rows[i].hex), "d");
        struct apf_probes *probes;
        struct apf_error error;
        assert_int_equal(apf_probes_open_sections(&probes, NULL, &input, NULL, &error), APF_BAD_PROBE_DESCS);
        assert_string_equal(error.where, rows[i].where);
        assert_int_equal(error.offset, rows[i].offset);
        assert_int_equal(error.input, 1);
    }
}

/* A section that decodes is written back unchanged; any other has an error within the section. */
static void sweep_one(const uint8_t *bytes, size_t n)
{
    struct apf_input input = apf_input_memory(bytes, n, "p");
    struct apf_probes *probes;
    struct apf_error error;
    int code = apf_probes_open_sections(&probes, &input, NULL, NULL, &error);
    if (code == APF_OK)
        probe_check_rewritten(probes, bytes, n);
    else {
        assert_int_equal(code, APF_BAD_PROBES);
        assert_true(error.offset <= n);
    }
    apf_probes_close(probes);
}

static void test_sweep(void **state)
{
    (void)state;
    static const char *const sections[] = {PROBES_MINI, PROBES_FIB,
                                           HEX_LEAF "0300 018001 0020bab4ff04cc14af66 02c0029001" HEX_TOP
                                                    "0201 01000010000000000000 028005 07" HEX_MAIN
                                                    "0100 8100 80 bf00"};
    for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
        uint8_t bytes[1024], flipped[1024];
        size_t n = hex_bytes(bytes, sizeof bytes, sections[s]);
        for (size_t i = 0; i <= n; i++)
            sweep_one(bytes, i);
        for (size_t bit = 0; bit < 8 * n; bit++) {
            memcpy(flipped, bytes, n);
            flipped[bit / 8] ^= (uint8_t)(1 << bit % 8);
            sweep_one(flipped, n);
        }
        uint64_t random = s;
        for (unsigned i = 0; i < 2000; i++) {
            memcpy(flipped, bytes, n);
            for (unsigned k = 0; k < 3; k++)
                flipped[next_random(&random) % n] = (uint8_t)next_random(&random);
            sweep_one(flipped, n);
        }
    }
}

static void test_limits(void **state)
{
    (void)state;
    uint8_t bytes[256];
    struct apf_input input = apf_input_memory(bytes, hex_bytes(bytes, sizeof bytes, PROBES_MINI), "p");
    struct apf_probe_options options = {.size = sizeof options};
    struct apf_probes *probes;
    struct apf_error error;
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.max_records = 10;
    assert_int_equal(apf_probes_open_sections(&probes, &input, NULL, &options, &error), APF_LIMIT);
    assert_string_equal(error.where, "pseudo_probe.probes");
    assert_string_equal(error.file, "p");
    uint8_t two[36] = {1, [18] = 2}; /* descriptors with GUIDs 1 and 2, and names of one byte */
    two[16] = two[34] = 1;
    struct apf_input descs = apf_input_memory(two, sizeof two, "d");
    common.max_records = 1;
    assert_int_equal(apf_probes_open_sections(&probes, &input, &descs, &options, &error), APF_LIMIT);
    assert_string_equal(error.where, "pseudo_probe_desc.descriptors");
    assert_string_equal(error.file, "d");
    assert_int_equal(error.input, 1);
    common.max_records = 11;
    common.max_depth = 1;
    assert_int_equal(apf_probes_open_sections(&probes, &input, NULL, &options, &error), APF_LIMIT);
    assert_string_equal(error.where, "pseudo_probe.depth");
    common.max_depth = 2;
    assert_int_equal(apf_probes_open_sections(&probes, &input, NULL, &options, &error), APF_OK);
    apf_probes_close(probes);
    common.max_bytes = 73;
    assert_int_equal(apf_probes_open_sections(&probes, &input, NULL, &options, &error), APF_LIMIT);
}

static void test_none(void **state)
{
    (void)state;
    struct eb_section text = {".text", SHT_PROGBITS, SHF_ALLOC, 0, 0, 0, 0, "", 0};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, &text, 1, NULL, 0};
    struct eb_bytes elf = eb_build(&file);
    struct apf_input input = apf_input_memory(elf.data, elf.n, "elf");
    struct apf_probes *probes;
    struct apf_error error;
    assert_int_equal(apf_probes_open(&probes, &input, NULL, &error), APF_NO_PROBES);
    assert_null(probes);
    input.n = 10;
    assert_int_equal(apf_probes_open(&probes, &input, NULL, &error), APF_BAD_ELF);
    free(elf.data);
}

TEST_FILE(probe_read_damage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damage), cmocka_unit_test(test_damaged_descs), cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_none),
    };
    return RUN_TESTS(tests);
}

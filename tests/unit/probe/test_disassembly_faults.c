/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every allocation of a disassembly fails in turn: the error is that memory is out, and nothing leaks. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "helpers/shared/fault.h"
#include "helpers/shared/probe_build.h"
#include "object/line_table.h"
#include "object/span_map.h"

static struct apf_probes *open_file(uint16_t type)
{
    uint8_t code[64], probes[64], descs[64];
    size_t n_code = hex_bytes(code, sizeof code, "554889e58d447f015dc3660f1f440000 55c3");
    size_t n_probes = hex_bytes(probes, sizeof probes, HEX_LEAF "0100 018001" HEX_TOP "0100 018000");
    size_t n_descs = hex_bytes(descs, sizeof descs, HEX_LEAF "ffffffff00000000 04 6c656166");
    uint64_t start = type == ET_REL ? 0 : 0x1000;
    struct eb_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, start, 0, 0, 0, code, n_code},
        {".pseudo_probe", SHT_PROGBITS, SHF_LINK_ORDER, 0, 1, 0, 0, probes, n_probes},
        {".pseudo_probe_desc", SHT_PROGBITS, 0, 0, 0, 0, 0, descs, n_descs},
        {".debug_line", SHT_PROGBITS, 0, 0, 0, 0, 0, descs, n_descs}};
    const struct eb_symbol symbols[] = {{"leaf", start, 10, 0x12, 1}, {"top", start + 16, 2, 0x12, 1}};
    struct eb_file file = {64, false, type, EM_X86_64, sections, 4, symbols, 2};
    struct eb_bytes elf = eb_build(&file);
    struct apf_input input = apf_input_memory(elf.data, elf.n, "file");
    struct apf_probes *result;
    assert_int_equal(apf_probes_open(&result, &input, NULL, NULL), APF_OK);
    free(elf.data);
    return result;
}

static int count_bytes(void *user, const void *p, size_t n)
{
    (void)p;
    *(size_t *)user += n;
    return 0;
}

static void fail_each(uint16_t type, uint32_t flags)
{
    static const struct apf_str names[] = {{"leaf", 4}, {"top", 3}};
    struct apf_disassembly_options options = {
        .size = sizeof options, .flags = flags, .functions = names, .n_functions = 2, .guid = LEAF};
    size_t bytes = 0;
    struct apf_output output = apf_output_callback(count_bytes, &bytes);
    for (int call = 0; call < 2; call++)
        for (uint64_t at = 1;; at++) {
            struct apf_probes *probes = open_file(type);
            struct apf_error error;
            fault_fail(call ? FAULT_ARENA : FAULT_MEMORY, at, ENOMEM);
            int code = apf_probes_disassemble(probes, &options, &output, &error);
            bool hit = fault_hit();
            fault_reset();
            apf_probes_close(probes);
            assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
            if (!hit)
                break;
            assert_int_equal(error.code, APF_NO_MEMORY);
            assert_true(at < 1000);
        }
    assert_true(bytes > 0);
}

static void test_program(void **state)
{
    (void)state;
    fail_each(ET_EXEC, APF_DISASSEMBLY_LOCATIONS);
    fail_each(ET_EXEC, APF_DISASSEMBLY_ONE_FUNCTION);
}

static void test_object(void **state)
{
    (void)state;
    fail_each(ET_REL, 0);
}

/* One function at 0x201170. */
static void test_lines(void **state)
{
    static const char hex[] =
        "3c000000 0200 1b000000 01 01 fb 0e 0d 00010101010000000100000100 6c742e6300000000"
        "00 0509 0a 0009027011200000000000 14 050f 40 0512 0a c9 0206 000101";
    struct arena arena = {0};
    uint8_t *bytes = arena_alloc(&arena, sizeof hex);
    assert_non_null(bytes);
    size_t n = hex_bytes(bytes, sizeof hex, hex);
    (void)state;
    for (int call = 0; call < 2; call++) {
        bool hit = true;
        for (uint64_t at = 1; hit; at++) {
            struct line_table t = {.rows = {NULL, 0, 0}};
            struct span_map map = {.spans = {NULL, 0, 0}};
            fault_fail(call ? FAULT_ARENA : FAULT_MEMORY, at, ENOMEM);
            bool fits = line_table_read(&t, bytes, n, false, 0) && span_map_add(&map, 1, 9, 0) &&
                        span_map_add(&map, 2, 3, 1) && span_map_finish(&map);
            hit = fault_hit();
            fault_reset();
            assert_int_equal(fits, !hit);
            line_table_free(&t);
            span_map_free(&map);
        }
    }
    arena_free(&arena);
}

TEST_FILE(disassembly_faults)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_program), cmocka_unit_test(test_object),
                                       cmocka_unit_test(test_lines)};
    return RUN_TESTS(tests);
}

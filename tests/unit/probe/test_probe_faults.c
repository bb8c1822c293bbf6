/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every allocation of reading, printing and writing probes fails in turn: the error is that memory is out, and nothing
 * leaks, which the sanitizers see. Then writing fails. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/fault.h"
#include "helpers/shared/probe_build.h"

static int count_bytes(void *user, const void *p, size_t n)
{
    (void)p;
    *(size_t *)user += n;
    return 0;
}

/* An object with every kind of thing in it. */
static struct eb_bytes make_object(void)
{
    uint8_t bytes[128], descs[64], group[8], rela[24];
    size_t n = hex_bytes(bytes, sizeof bytes,
                         HEX_TOP "0301 0020bab4ff04cc14af66 018001 02828500 07" HEX_LEAF
                                 "0200 02c00105 078100" HEX_LEAF "0100 018000");
    size_t n_descs = hex_bytes(descs, sizeof descs, HEX_LEAF "ffffffff00000000 04 6c656166");
    eb_store(group, GRP_COMDAT, 4, false);
    eb_store(group + 4, 3, 4, false);
    eb_store(rela, 1, 8, false);
    eb_store(rela + 8, (uint64_t)1 << 32 | 1, 8, false);
    eb_store(rela + 16, 0, 8, false);
    struct eb_symbol symbols[] = {{"leaf", 0, 10, 0x12, 1}, {"top", 16, 10, 0x12, 1}};
    uint8_t code[26]; /* nop */
    memset(code, 0x90, sizeof code);
    struct eb_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, 0, 0, 0, code, sizeof code},
        {".pseudo_probe_desc", SHT_PROGBITS, 0, 0, 0, 0, 0, descs, n_descs},
        {".pseudo_probe", SHT_PROGBITS, SHF_LINK_ORDER, 0, 1, 0, 0, bytes, n},
        {".group", SHT_GROUP, 0, 0, 6, 1, 4, group, sizeof group},
        {".rela", SHT_RELA, 0, 0, 6, 3, 24, rela, sizeof rela}};
    struct eb_file file = {64, false, ET_REL, EM_X86_64, sections, 5, symbols, 2};
    return eb_build(&file);
}

/* All there is to do; the first failure. */
static int use(const struct apf_probes *probes, const struct apf_output *output, struct apf_error *error)
{
    struct apf_probes_print_options o = {.size = sizeof o};
    struct apf_probes_verdict verdict = {.size = sizeof verdict};
    uint64_t n;
    int code = APF_OK;
    for (uint32_t json = 0; json <= APF_PROBES_PRINT_JSON; json++) {
        struct apf_probes_check_options check = {.size = sizeof check, .flags = json};
        for (o.view = 0; code == APF_OK && o.view <= APF_PROBES_VIEW_STATS; o.view++) {
            o.flags = json;
            code = apf_probes_print(probes, &o, output, error);
        }
        if (code == APF_OK)
            code = apf_probes_check(probes, probes, &check, output, &verdict, error);
        if (code == APF_OK)
            code = apf_probes_diff(probes, probes, &check, output, &n, error);
    }
    o.view = APF_PROBES_VIEW_TREE;
    o.flags = APF_PROBES_PRINT_RANGE;
    o.high = 100;
    if (code == APF_OK)
        code = apf_probes_print(probes, &o, output, error);
    for (size_t i = 0; code == APF_OK && apf_probes_section(probes, i) != APF_PROBE_NONE; i++)
        code = apf_probes_write_section(probes, apf_probes_section(probes, i), output, error);
    return code;
}

static int do_all(const struct eb_bytes *elf, const struct apf_output *output, struct apf_error *error)
{
    struct apf_input input = apf_input_memory(elf->data, elf->n, "elf");
    struct apf_probe_options options = {.size = sizeof options, .flags = APF_PROBES_OPEN_KEEP_GOING};
    struct apf_probes *probes;
    int code = apf_probes_open(&probes, &input, &options, error);
    if (code == APF_OK)
        code = use(probes, output, error);
    apf_probes_close(probes);
    return code;
}

static void fail_each(enum fault_call call)
{
    struct eb_bytes elf = make_object();
    struct apf_error error;
    size_t n = 0;
    struct apf_output output = apf_output_callback(count_bytes, &n);
    uint64_t k = 1;
    fault_fail(call, k, ENOMEM);
    for (; k < 10000; k++) {
        fault_fail(call, k, ENOMEM);
        memset(&error, 0, sizeof error);
        int code = do_all(&elf, &output, &error);
        if (!fault_hit()) {
            assert_int_equal(code, APF_OK);
            break;
        }
        assert_int_equal(code, APF_NO_MEMORY);
        assert_int_equal(error.code, APF_NO_MEMORY);
    }
    assert_true(k > 20 && k < 10000);
    fault_reset();
    free(elf.data);
}

static void test_memory(void **state)
{
    (void)state;
    fail_each(FAULT_MEMORY);
    fail_each(FAULT_ARENA);
}

static int refuse(void *user, const void *p, size_t n)
{
    (void)user;
    (void)p;
    (void)n;
    return ENOSPC;
}

static void test_output(void **state)
{
    (void)state;
    struct eb_bytes elf = make_object();
    struct apf_input input = apf_input_memory(elf.data, elf.n, "elf");
    struct apf_output output = apf_output_callback(refuse, NULL);
    struct apf_probes *probes;
    struct apf_error error;
    struct apf_probes_verdict verdict = {.size = sizeof verdict};
    uint64_t n;
    assert_int_equal(apf_probes_open(&probes, &input, NULL, &error), APF_OK);
    for (uint32_t json = 0; json <= APF_PROBES_PRINT_JSON; json++) {
        struct apf_probes_check_options check = {.size = sizeof check, .flags = json};
        for (uint32_t view = 0; view <= APF_PROBES_VIEW_STATS; view++) {
            struct apf_probes_print_options o = {.size = sizeof o, .view = view, .flags = json};
            assert_int_equal(apf_probes_print(probes, &o, &output, &error), APF_IO);
            assert_int_equal(error.sys_errno, ENOSPC);
        }
        assert_int_equal(apf_probes_check(probes, NULL, &check, &output, &verdict, &error), APF_IO);
        assert_int_equal(apf_probes_diff(probes, probes, &check, &output, &n, &error), APF_IO);
    }
    assert_int_equal(apf_probes_write_section(probes, apf_probes_section(probes, 0), &output, &error),
                     APF_IO);
    apf_probes_close(probes);
    free(elf.data);
}

TEST_FILE(probe_faults)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory), cmocka_unit_test(test_output)};
    return RUN_TESTS(tests);
}

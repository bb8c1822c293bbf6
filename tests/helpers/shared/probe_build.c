/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/probe_build.h"

#include <elf.h>

#include <stdlib.h>

struct apf_probes *probe_open_section(const uint8_t *data, size_t n)
{
    struct apf_input input = apf_input_memory(data, n, "p");
    struct apf_probes *probes;
    struct apf_error error;
    assert_int_equal(apf_probes_open_sections(&probes, &input, NULL, NULL, &error), APF_OK);
    return probes;
}

struct apf_probes *probe_open_elf(const struct eb_file *file)
{
    struct eb_bytes elf = eb_build(file);
    struct apf_input input = apf_input_memory(elf.data, elf.n, "elf");
    struct apf_probes *probes;
    struct apf_error error;
    assert_int_equal(apf_probes_open(&probes, &input, NULL, &error), APF_OK);
    free(elf.data); /* the handle does not refer to it */
    return probes;
}

void probe_check_rewritten(const struct apf_probes *probes, const uint8_t *bytes, size_t n)
{
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_error error;
    uint32_t section = apf_probes_section(probes, 0);
    assert_int_equal(apf_probes_write_section(probes, section, &output, &error), APF_OK);
    assert_int_equal(buffer.n, n);
    if (n)
        assert_memory_equal(buffer.data, bytes, n);
    apf_buffer_free(&buffer);
}

struct eb_bytes probe_build_program(void)
{
    static uint8_t bytes[256];
    static const struct eb_symbol symbols[] = {
        {"leaf", 0x201120, 10, 0x12, 1}, {"top", 0x201130, 0x29, 0x12, 1}, {"main", 0x201160, 16, 0x12, 1}};
    const size_t n = hex_bytes(bytes, sizeof bytes, PROBES_MINI);
    /* GUID, checksum, length of the name, name */
    static uint8_t descs[64];
    const size_t n_descs = hex_bytes(
        descs, sizeof descs, HEX_MAIN "1100000000000000 04 6d61696e" HEX_TOP "2200000000000000 03 746f70");
    const struct eb_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x201120, 0, 0, 0, "", 0},
        {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, bytes, n},
        {".pseudo_probe_desc", SHT_PROGBITS, 0, 0, 0, 0, 0, descs, n_descs}};
    const struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 3, symbols, 3};
    return eb_build(&file);
}

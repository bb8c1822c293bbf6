/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/probe_build.h"

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

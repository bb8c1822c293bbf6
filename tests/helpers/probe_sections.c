/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* probe_sections FILE: decodes the pseudo probes of a program or object, writes each of their sections from what was
 * decoded, and prints "NUMBER HEX" for each, or "NUMBER unsupported". */
#include <stdio.h>

#include <anyprof/probe.h>

static int print_section(const struct apf_probes *probes, uint32_t section)
{
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_error error;
    int code = apf_probes_write_section(probes, section, &output, &error);
    printf("%u ", (unsigned)section);
    if (code == APF_UNSUPPORTED) {
        printf("unsupported\n");
        code = APF_OK;
    } else if (code != APF_OK) {
        fprintf(stderr, "%s\n", error.message);
    } else {
        for (size_t i = 0; i < buffer.n; i++)
            printf("%02x", ((const unsigned char *)buffer.data)[i]);
        printf("\n");
    }
    apf_buffer_free(&buffer);
    return code;
}

int main(int argc, char **argv)
{
    struct apf_input input = apf_input_file(argc > 1 ? argv[1] : "-");
    struct apf_probes *probes;
    struct apf_error error;
    uint32_t section;
    if (apf_probes_open(&probes, &input, NULL, &error) != APF_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && (section = apf_probes_section(probes, i)) != APF_PROBE_NONE; i++)
        code = print_section(probes, section);
    apf_probes_close(probes);
    return code == APF_OK ? 0 : 1;
}

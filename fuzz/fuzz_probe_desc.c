/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A section .pseudo_probe_desc. The input: a byte for byte order (1) and going on past damage (2); then the bytes. */
#include <anyprof/probe.h>

#include "fuzz_profile.h"

#define BIG 1u
#define GO_ON 2u

static int append_bytes(void *user, const void *p, size_t n)
{
    return apf_buffer_write(user, p, n);
}

static void check_descs(const struct apf_probes *probes)
{
    const struct apf_probes_info *info = apf_probes_info(probes);
    uint64_t before = 0;
    for (size_t i = 0; i < info->n_descs; i++) {
        const struct apf_probe_desc *desc = apf_probes_desc(probes, i), *found;
        REQUIRE(desc->guid >= before && desc->offset + 17 + desc->name.n <= info->desc_bytes);
        found = apf_probes_find_desc(probes, desc->guid);
        REQUIRE(found && found->guid == desc->guid && found <= desc);
        before = desc->guid;
    }
}

static void check_printed(const struct apf_probes *probes)
{
    for (uint32_t json = 0; json <= APF_PROBES_PRINT_JSON; json += APF_PROBES_PRINT_JSON) {
        struct apf_buffer text = {NULL, 0, 0};
        struct apf_output output = apf_output_callback(append_bytes, &text);
        struct apf_probes_print_options o = {sizeof o, APF_PROBES_VIEW_DESC, json, 0, 0, 0};
        struct apf_probes_verdict verdict = {.size = sizeof verdict};
        struct apf_probes_check_options check = {.size = sizeof check, .flags = json};
        REQUIRE(apf_probes_print(probes, &o, &output, NULL) == APF_OK);
        for (size_t i = 0; i < text.n; i++) { /* no control characters */
            uint8_t c = ((const uint8_t *)text.data)[i];
            REQUIRE((c >= 0x20 && c != 0x7f) || c == '\n');
        }
        REQUIRE(apf_probes_check(probes, probes, &check, &output, &verdict, NULL) == APF_OK);
        apf_buffer_free(&text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_callback(append_bytes, &buffer);
    struct apf_probe_options o = {0};
    struct apf_probes *probes;
    struct apf_error error;
    if (size < 1)
        return -1;
    struct apf_input input = apf_input_memory(data + 1, size - 1, "fuzz");
    o.size = sizeof o;
    struct apf_options common = {.size = sizeof common};
    o.options = &common;
    common.max_bytes = (uint64_t)1 << 24;
    o.flags = data[0] & GO_ON ? APF_PROBES_OPEN_KEEP_GOING : 0;
    o.big_endian = data[0] & BIG;
    int code = apf_probes_open_sections(&probes, NULL, &input, &o, &error);
    REQUIRE((code == APF_OK) == (probes != NULL));
    if (code != APF_OK) {
        REQUIRE(code == APF_BAD_PROBE_DESCS && error.code == code && error.where[0] && error.input == 1);
        return 0;
    }
    check_descs(probes);
    check_printed(probes);
    if (!(data[0] & GO_ON) && apf_probes_info(probes)->desc_bytes ==
                                  size - 1) { /* otherwise the section was compressed or damaged */
        REQUIRE(apf_probes_write_section(probes, apf_probes_section(probes, 0), &output, &error) == APF_OK);
        REQUIRE(buffer.n == size - 1 && (buffer.n == 0 || memcmp(buffer.data, data + 1, buffer.n) == 0));
    }
    apf_buffer_free(&buffer);
    apf_probes_close(probes);
    return 0;
}

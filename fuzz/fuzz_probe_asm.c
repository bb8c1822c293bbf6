/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assembly with .pseudoprobe directives. The output holds no such directives, so assembling it again changes nothing;
 * the same input gives the same output. */
#include "fuzz_profile.h"

#include <anyprof/probe.h>

static int assemble(const void *data, size_t n, struct apf_buffer *out, struct apf_probe_asm_info *info,
                    struct apf_error *error)
{
    struct apf_input input = apf_input_memory(data, n, "fuzz");
    struct apf_output output = apf_output_buffer(out);
    info->size = sizeof *info;
    return apf_probe_assemble(&input, NULL, &output, info, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_buffer first = {NULL, 0, 0}, second = {NULL, 0, 0}, again = {NULL, 0, 0};
    struct apf_probe_asm_info info, info_again;
    struct apf_error error;
    if (assemble(data, size, &first, &info, &error) != APF_OK) {
        REQUIRE(first.n == 0);
        if (error.code == APF_BAD_ASSEMBLY) /* the error's place is in the input */
            REQUIRE(error.offset <= size && error.line > 0 && error.column > 0);
        return 0;
    }
    REQUIRE(assemble(data, size, &again, &info_again, &error) == APF_OK);
    REQUIRE(again.n == first.n && (first.n == 0 || memcmp(again.data, first.data, first.n) == 0));
    REQUIRE(memcmp(&info, &info_again, sizeof info) == 0);
    REQUIRE(assemble(first.data, first.n, &second, &info_again, &error) == APF_OK);
    REQUIRE(info_again.n_probes == 0 && info_again.n_left_out == 0);
    REQUIRE(second.n == first.n && (first.n == 0 || memcmp(second.data, first.data, first.n) == 0));
    apf_buffer_free(&first);
    apf_buffer_free(&second);
    apf_buffer_free(&again);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the profile that was read, as text, as JSON or as an indexed file of any version, and reads it again. The
 * input: a byte that chooses the version (0: text), then the file. */
#include "fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_merge_options options = {.tolerance = &any_loss};
    struct apf_merge *m = NULL;
    if (size < 1)
        return -1;
    struct apf_input input = apf_input_memory(data + 1, size - 1, "input");
    options.size = sizeof options;
    struct apf_options common = fuzz_options(NULL);
    options.options = &common;
    REQUIRE(apf_merge_new(&m, &options, NULL) == APF_OK);
    REQUIRE(apf_merge_add(m, &input, 1, NULL) == APF_OK);
    if (apf_merge_input(m, 0)->code == APF_OK) {
        fuzz_check_written(m, data[0] % FUZZ_VERSIONS);
        fuzz_check_json(input.data, input.n, data[0] % FUZZ_VERSIONS);
    }
    apf_merge_free(m);
    return 0;
}

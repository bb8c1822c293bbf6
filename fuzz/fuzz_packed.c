/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles compressed with gzip or zstd, of any format. The input is the file. */
#include <anyprof/jobs.h>

#include "fuzz_profile.h"

/* Requires that detection and reading agree on the file. */
static void check_detection(const uint8_t *data, size_t size)
{
    struct apf_options o = fuzz_options(NULL);
    struct apf_input input = apf_input_memory(data, size, "fuzz");
    struct apf_file_info info = {.size = sizeof info};
    struct apf_instr *p = NULL;
    REQUIRE(apf_file_detect(&input, &o, &info, NULL) == APF_OK);
    REQUIRE(info.file_size == size && info.compression == (data[0] == 0x1f ? APF_KIND_GZIP : APF_KIND_ZSTD));
    int code = apf_instr_open(&p, &input, &o, NULL);
    if (info.kind == APF_KIND_EMPTY)
        REQUIRE(code == APF_EMPTY_PROFILE);
    if (info.kind == info.compression) /* unpacking failed */
        REQUIRE(code == APF_DECOMPRESS_FAILED || code == APF_TRUNCATED || code == APF_TOO_LARGE ||
                code == APF_UNSUPPORTED);
    else
        REQUIRE(code != APF_DECOMPRESS_FAILED);
    apf_instr_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!fuzz_is_packed(data, size))
        return -1;
    check_detection(data, size);
    fuzz_file(data, size);
    return 0;
}

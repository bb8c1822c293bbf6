/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles as JSON. The input is the file; the JSON that is written of its profile is read as the same profile. */
#include "fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && (data[0] == 0x81 || data[0] == 0xff)) /* another format's magic */
        return -1;
    if (fuzz_file(data, size) == APF_OK)
        fuzz_check_json(data, size, size % FUZZ_VERSIONS);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text profiles. The input is the file. */
#include "fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && (data[0] == 0x81 || data[0] == 0xff)) /* another format's magic */
        return -1;
    fuzz_file(data, size);
    return 0;
}
